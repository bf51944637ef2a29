"""What holds for every format with messages of its own: read anything, write back the same, change one field alone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interlock.history.engine import heal
from interlock.history.turns import Call, Message, Result, Text
from interlock.history.wires import WIRES as REGISTRY
from support.histories import TOOLS, WIRES, bodies, damaged, json_values, render, sample, torn
from support.shared import needs_shared, shared_files

NATIVE = ("openai_responses", "gemini", "bedrock_converse", "mistral", "cohere_v2", "ollama")
EXAMPLES = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def viewed(message: Message) -> Any:
    """Return what a rule can see of a message, for comparing."""
    return message.role, message.form, [(type(part), part.slot, part.native) for part in message.parts]


def same(native: Any, wire: str) -> None:
    """Hold that a message reads, and writes back equal, in the same order of keys where nothing was added."""
    before = json.dumps(native)
    view = REGISTRY[wire].read_message(native, 0)
    written = REGISTRY[wire].assemble(view)
    assert written == native, view
    assert json.dumps(native) == before, "reading or writing changed the input"
    assert viewed(REGISTRY[wire].read_message(written, 0)) == viewed(view)


@pytest.mark.parametrize("wire", NATIVE)
@EXAMPLES
@given(data=st.data())
def test_any_json_value_is_read_and_written_back(wire: str, data: st.DataObject) -> None:
    same(data.draw(json_values()), wire)


@pytest.mark.parametrize("wire", NATIVE)
@EXAMPLES
@given(data=st.data())
def test_a_torn_message_is_read_and_written_back(wire: str, data: st.DataObject) -> None:
    for message in data.draw(torn(wire)):
        same(message, wire)


@pytest.mark.parametrize("wire", NATIVE)
@EXAMPLES
@given(data=st.data())
def test_a_torn_conversation_heals_without_raising_and_at_once(wire: str, data: st.DataObject) -> None:
    messages = data.draw(torn(wire))
    before = json.dumps(messages)
    result = heal(messages, wire=wire)
    assert json.dumps(messages) == before, "the input was changed"
    json.dumps(result.messages)
    again = heal(result.messages, wire=wire)
    assert not again.changed, [one.reason for one in again.repairs]
    kept = [old for old, new in enumerate(result.positions) if new is not None]
    assert kept == sorted(kept) and len(result.positions) == len(messages)


@needs_shared
@pytest.mark.parametrize("wire", NATIVE)
def test_every_recorded_message_is_written_back_as_it_was(wire: str) -> None:
    count = 0
    for path in shared_files(f"recordings/requests/*/{wire}/*.json"):
        body = json.loads(path.read_text())
        body = body.get("request", body)
        for message in next(body[key] for key in ("messages", "input", "contents") if key in body):
            same(message, wire)
            count += 1
    assert count or wire == "ollama"


@pytest.mark.parametrize("wire", NATIVE)
def test_a_changed_field_is_the_only_one_that_changes(wire: str) -> None:
    """Id, name, arguments, body: the fragment keeps all else, reads back as changed, and the old one stays."""
    format_ = REGISTRY[wire]
    for message in format_.read(render(sample(), wire)):
        for at, part in enumerate(message.parts):
            if isinstance(part, Call):
                arguments = '{"a": 1}' if format_.arguments == "text" else {"a": 1}
                changes: dict[str, Any] = {"call_id": "new_id", "name": "new_name", "arguments": arguments}
                change = format_.with_call
            elif isinstance(part, Result):
                changes, change = {"call_id": "new_id", "content": "new words"}, format_.with_result
            else:
                continue
            marked = {**part.native, "x_extra": {"kept": True}}
            for key, value in changes.items():
                before = json.dumps(part.native)
                new = change(_with_native(part, marked), **{key: value})
                assert new.native["x_extra"] == {"kept": True}
                assert json.dumps(part.native) == before
                parts = (*message.parts[:at], new, *message.parts[at + 1 :])
                written = format_.assemble(_with_parts(message, parts))
                back = format_.read_message(written, 0).parts[at]
                for field in ("call_id", "name", "arguments", "content"):
                    want = getattr(new, field, None)
                    assert getattr(back, field, None) == want, field


def _with_native(part: Any, native: Any) -> Any:
    from dataclasses import replace

    return replace(part, native=native)


def _with_parts(message: Message, parts: tuple[Any, ...]) -> Message:
    from dataclasses import replace

    native = parts[0].native if message.form == "item" else message.native
    return replace(message, parts=parts, native=native, changed=True)


@pytest.mark.parametrize("wire", NATIVE)
def test_what_is_made_new_reads_back_as_what_it_is(wire: str) -> None:
    """A new result answers its call, a new text is words; each in a new message."""
    format_ = REGISTRY[wire]
    call = Call(native={}, call_id="id1", name="get_weather", arguments={"city": "Bergen"})
    for made in (format_.new_result(call, "No result."), format_.new_result(call, "Words.", is_error=False)):
        message = format_.new_message(format_.result_role, (made,))
        back = format_.read_message(format_.assemble(message), 0)
        assert back.role == message.role
        (part,) = back.parts
        assert isinstance(part, Result)
        assert (part.call_id, part.name, part.content, part.is_error) == (
            made.call_id, made.name, made.content, made.is_error,
        )  # fmt: skip
        assert format_.result_text(part) == format_.result_text(made) in ("No result.", "Words.")
        assert format_.shaped_result(part) is None
        assert format_.stray_fields(part.native, part) == ()
    for role in ("user", "assistant"):
        text = format_.new_message(role, (format_.new_text("Hello.", role=role),))  # type: ignore[arg-type]
        back = format_.read_message(format_.assemble(text), 0)
        assert back.role == role
        assert [part.text for part in back.parts if isinstance(part, Text)] == ["Hello."]
        assert all(format_.retyped(back, part) is None for part in back.parts)


@pytest.mark.parametrize("wire", NATIVE)
@EXAMPLES
@given(drawn=damaged())
def test_a_text_joins_a_message_of_any_form(wire: str, drawn: tuple[list[Any], list[str]]) -> None:
    """A string stays one, a list gets a block; either way the words are in the message that is written."""
    format_ = REGISTRY[wire]
    for message in format_.read(render(drawn[0], wire)):
        if message.form == "item" or message.role not in ("user", "assistant"):
            continue
        new = format_.new_text("Added.", role=message.role)
        written = format_.assemble(_with_parts(message, (*message.parts, new)))
        back = format_.read_message(written, 0)
        words = "\n".join(part.text for part in back.parts if isinstance(part, Text))
        assert "Added." in words
        for part in message.parts:
            if isinstance(part, Text):
                assert part.text in words


@pytest.mark.parametrize("wire", sorted({*WIRES} - {"ollama"}))  # which takes any name
def test_a_renamed_tool_is_renamed_in_the_whole_request(wire: str) -> None:
    """Declaration, choice, calls and results get one name; two tools never become one; the rest is untouched."""
    if wire == "gemini":
        bad, other = "get weather", "get_weather"
    else:
        bad, other = "get.weather", "get_weather"
    steps = json.loads(json.dumps(render(sample(), wire)).replace('"get_weather"', json.dumps(bad)))
    body = bodies(sample(), wire, (bad, other, *TOOLS[1:]), bad)
    key = REGISTRY[wire].body_key
    body[key] = steps
    result = heal(body, wire=wire)
    (new,) = [name for name, old in result.names.items() if old == bad]
    assert new != other
    text = json.dumps(result.request)
    assert json.dumps(bad) not in text
    count = json.dumps(body).count(json.dumps(bad))
    assert text.count(json.dumps(new)) == count
    assert text.count(json.dumps(other)) == 1
    assert body[key] is steps, "the body that was given has changed"
    for name, value in body.items():
        if json.dumps(bad) not in json.dumps(value):
            assert result.request[name] is value
