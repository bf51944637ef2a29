"""Messages of Mistral's API: chunks, prefix, empty lists of calls."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.history.engine import heal
from interlock.history.stubs import NO_RESULT
from interlock.history.turns import Media, Reasoning, Text
from interlock.history.wires.mistral import Mistral

WIRE = Mistral()
USER = {"role": "user", "content": "q"}
CALL = {"id": "D681PevKs", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def test_chunks_read_as_what_they_are() -> None:
    content = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}], "closed": True},
        {"type": "text", "text": "a"},
        {"type": "image_url", "image_url": "data:,"},
        {"type": "reference", "reference_ids": [1]},
    ]
    message = {"role": "assistant", "content": content, "tool_calls": [], "prefix": False}
    view = WIRE.read_message(message, 0)
    assert [type(part) for part in view.parts][:3] == [Reasoning, Text, Media]
    assert isinstance(view.parts[0], Reasoning) and view.parts[0].text == "hm"
    assert WIRE.assemble(view) == message


def test_an_answer_as_the_api_gave_it_is_left_alone() -> None:
    messages = [USER, {"role": "assistant", "content": "a", "tool_calls": [], "prefix": False}, USER]
    assert heal(messages, wire="mistral").messages is messages


@pytest.mark.parametrize("arguments", ["{}", '{"a": [1]}', {"a": 1}, {}])
def test_arguments_may_be_text_or_an_object(arguments: Any) -> None:
    call = {**CALL, "function": {"name": "f", "arguments": arguments}}
    messages = [
        USER,
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "D681PevKs", "content": "x"},
    ]
    assert heal(messages, wire="mistral").messages is messages


def test_a_stub_repeats_the_name_and_the_user_follows_an_assistant() -> None:
    asks = {"role": "assistant", "content": "", "tool_calls": [CALL]}
    stub = {"role": "tool", "tool_call_id": "D681PevKs", "content": NO_RESULT, "name": "f"}
    healed = heal([USER, asks, USER], wire="mistral").messages
    assert healed[:3] == [USER, asks, stub]
    assert [message["role"] for message in healed[3:]] == ["assistant", "user"]


def test_ids_of_other_providers_become_nine_characters_in_both_places() -> None:
    """Prefix cutting would make both ids one."""
    calls = [{**CALL, "id": f"call_abcdefgh_{n}"} for n in (1, 2)]
    answers = [{"role": "tool", "tool_call_id": f"call_abcdefgh_{n}", "content": str(n)} for n in (1, 2)]
    healed = heal([USER, {"role": "assistant", "tool_calls": calls}, *answers], wire="mistral").messages
    new = [call["id"] for call in healed[1]["tool_calls"]]
    assert len(set(new)) == 2 and all(len(one) == 9 and one.isalnum() for one in new)
    assert [(one["tool_call_id"], one["content"]) for one in healed[2:]] == list(zip(new, ["1", "2"], strict=True))


def test_a_last_message_that_is_to_be_continued_is_kept() -> None:
    messages = [USER, {"role": "assistant", "content": "The answer is", "prefix": True}]
    assert heal(messages, wire="mistral").messages is messages


def test_a_bare_string_among_chunks_becomes_one() -> None:
    messages = [{"role": "user", "content": ["q", {"type": "text", "text": "r"}]}]
    healed = heal(messages, wire="mistral").messages
    assert healed == [{"role": "user", "content": [{"type": "text", "text": "q"}, {"type": "text", "text": "r"}]}]


@pytest.mark.parametrize("more", [{"wire": "openai_chat"}, {"wire": "openai_chat", "provider": "mistral"}, {}])
def test_a_call_may_leave_out_its_type(more: dict[str, Any]) -> None:
    """Also where the format was told to be, or taken for, Chat Completions'."""
    call = {key: value for key, value in CALL.items() if key != "type"}
    messages = [
        USER,
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": CALL["id"], "content": "r"},
    ]
    body = {"model": "mistral-large-latest", "messages": messages}
    assert heal(body, **more).messages is messages
    assert heal(messages, "openai_chat", "openai").changed
