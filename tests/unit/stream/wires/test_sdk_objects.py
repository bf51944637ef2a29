"""The official clients' own event objects are judged like the dicts that they were made of, damaged or not."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.judging import judged
from support.wires import CLEAN, STREAMS


def chat(event: Any) -> Any:
    """A chunk of Chat Completions."""
    kind = pytest.importorskip("openai.types.chat").ChatCompletionChunk
    return kind.construct(**event)


def responses(event: Any) -> Any:
    """An event of the Responses API."""
    kind = pytest.importorskip("openai.types.responses").ResponseStreamEvent
    return pytest.importorskip("openai._models").construct_type(type_=kind, value=event)


def anthropic(event: Any) -> Any:
    """An event of the Messages API."""
    kind = pytest.importorskip("anthropic.types").RawMessageStreamEvent
    return pytest.importorskip("anthropic._models").construct_type(type_=kind, value=event)


MAKERS: dict[str, Callable[[Any], Any]] = {"openai_chat": chat, "openai_responses": responses, "anthropic": anthropic}
# Fields in which some servers write arguments, and others that these wires do not have there.
STRANGE = ("parameters", "args", "input", "arguments", "custom", "partial_json", "name", "id", "error", "message")
LATE_ERROR = {"type": "error", "error": {"type": "overloaded_error", "message": "m"}}


def fields(event: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all fields of an event but its type, which tells the client what to make of it."""
    members = event.items() if isinstance(event, dict) else enumerate(event) if isinstance(event, list) else ()
    out: list[tuple[Any, ...]] = []
    for key, value in members:
        if key != "type":
            out += [(*path, key), *fields(value, (*path, key))]
    return out


def holders(event: Any) -> list[dict[str, Any]]:
    """An event's objects, itself among them."""
    members = event.values() if isinstance(event, dict) else event if isinstance(event, list) else ()
    below = [one for member in members for one in holders(member)]
    return [event, *below] if isinstance(event, dict) else below


def verdicts(wire: str, events: list[Any]) -> Any:
    """All but the remarks: the client turns a few values into others before anybody sees them."""
    report = judged(wire, events).to_json()
    return report["end_reason"], [{**one, "diagnostics": None} for one in report["decisions"]]


@pytest.mark.parametrize("wire", MAKERS)
@settings(max_examples=60)
@given(data=st.data())
def test_objects_are_judged_like_their_dicts(wire: str, data: st.DataObject) -> None:
    """Events lost, doubled, swapped or late, scalar fields of another value, and fields where none belong."""
    words = ["clean", "length", "max_tokens", "max_output_tokens", "content_filter", "refusal"]
    word = data.draw(st.sampled_from(words))
    events = copy.deepcopy(STREAMS[wire][1](CLEAN[wire] if word == "clean" else word))
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(events) - 1))
        how = data.draw(st.sampled_from(["drop", "double", "swap", "late", "error", "change", "change", "add"]))
        if how == "drop" and len(events) > 1:
            del events[at]
        elif how == "double":
            events.insert(at, copy.deepcopy(events[at]))
        elif how == "swap":
            other = data.draw(st.integers(0, len(events) - 1))
            events[at], events[other] = events[other], events[at]
        elif how == "late":
            events.append(copy.deepcopy(events[at]))
        elif how == "error" and wire == "anthropic":
            events.insert(at, LATE_ERROR)
        elif how == "add":
            holder = data.draw(st.sampled_from(holders(events[at])))
            holder.setdefault(
                data.draw(st.sampled_from(STRANGE)), data.draw(st.sampled_from([None, "", "x", {"n": 2}]))
            )
            for one in holders(events[at]):
                if "arguments" in one and data.draw(st.booleans()):
                    one["arguments"] = ""
        elif how == "change":
            *way, last = data.draw(st.sampled_from(fields(events[at]) or [()])) or ((),)
            holder = events[at]
            for step in way:
                holder = holder[step]
            if last != () and not isinstance(holder[last], dict | list):
                holder[last] = data.draw(st.sampled_from([None, "", "x", 0, 1, 7]))
    objects = [MAKERS[wire](copy.deepcopy(event)) for event in events]
    assert verdicts(wire, objects) == verdicts(wire, events)


@pytest.mark.parametrize("wire", MAKERS)
@pytest.mark.parametrize("bad", [None, 0, 7, True])
def test_a_fragment_that_is_no_text_is_refused_in_both_forms(wire: str, bad: Any) -> None:
    """In the middle of a good call."""
    events = STREAMS[wire][1](CLEAN[wire])
    for at, event in enumerate(copy.deepcopy(events)):
        if wire == "anthropic" and event["type"] == "content_block_delta":
            event["delta"]["partial_json"] = bad
        elif wire == "openai_responses" and event["type"] == "response.function_call_arguments.delta":
            event["delta"] = bad
        elif wire == "openai_chat" and at in (1, 2):
            event["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"] = bad
        else:
            continue
        for one in (event, MAKERS[wire](event)):
            assert judged(wire, [*events[:at], one, *events[at + 1 :]]).decisions[0].action != "execute"


def chat_fragment(**fields: Any) -> dict[str, Any]:
    """A chunk with one fragment of the first call."""
    return {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, **fields}]}, "finish_reason": None}]}


@pytest.mark.parametrize(
    ("wire", "strange"),
    [
        ("openai_chat", chat_fragment(function={"arguments": "", "parameters": {"a": 2}})),
        ("openai_chat", chat_fragment(function={"arguments": ""}, input={"a": 2})),
        ("openai_chat", chat_fragment(function={"arguments": ""}, custom={"input": "x"})),
    ],
)
def test_what_is_in_the_wrong_place_counts_in_both_forms(wire: str, strange: Any) -> None:
    """Beside an empty fragment of a call whose arguments had begun."""
    events = STREAMS[wire][1](CLEAN[wire])
    assert judged(wire, events).decisions[0].action == "execute"
    for one in (strange, MAKERS[wire](copy.deepcopy(strange))):
        assert judged(wire, [*events[:2], one, *events[2:]]).decisions[0].reason == "protocol_violation"


@pytest.mark.parametrize("index", [0, None, [0]])
@pytest.mark.parametrize("text", ["", " "])
def test_a_late_fragment_counts_in_both_forms(index: Any, text: str) -> None:
    """After the stop reason, with text or without, and with an index that is none."""
    events = STREAMS["anthropic"][1](CLEAN["anthropic"])
    late = {
        "type": "content_block_delta",
        "index": index,
        "delta": {"type": "input_json_delta", "partial_json": text},
    }
    for one in (late, anthropic(copy.deepcopy(late))):
        assert judged("anthropic", [*events[:-1], one, events[-1]]).decisions[0].reason == "protocol_violation"
        before = judged("anthropic", [*events[:2], one, *events[2:]])
        assert before.to_json() == judged("anthropic", [*events[:2], late, *events[2:]]).to_json()
