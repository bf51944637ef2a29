"""Early rejection: the guard says no while the stream still runs, and never says yes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock import Doomed, Guard

SCHEMA = {
    "type": "object",
    "properties": {
        "mode": {"enum": ["r", "w"]},
        "count": {"type": "integer", "minimum": 0},
        "items": {"type": "array", "items": {"type": "number"}},
        "text": {"type": "string", "pattern": "^a"},
    },
    "required": ["mode"],
    "additionalProperties": False,
}
START = {"type": "call_start", "key": "a", "id": "call_1", "name": "f"}


def doomed_after(text: str, step: int = 1, **options: Any) -> int | None:
    """How many characters it took until the call was doomed; `None`: never."""
    guard = Guard("normalized", tools={"f": SCHEMA}, **options)
    guard.push(START)
    for at in range(0, len(text), step):
        guard.push({"type": "arguments_delta", "key": "a", "text": text[at : at + step]})
        if guard.doomed:
            assert list(guard.doomed) == ["call-0"]
            return min(at + step, len(text))
    return None


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ('{"mode": "x", ', '{"mode": "x"'),
        ('{"count": "5", ', '{"count": "'),
        ('{"count": -1, ', '{"count": -1,'),
        ('{"unknown": 1, ', '{"unknown"'),
        ('{"unkn\\u006fwn" : "1", ', '{"unkn\\u006fwn"'),
        ('{"items": {"a": 1}', '{"items": {'),
        ('{"items": "[1, 2]"', '{"items": "'),
        ('{"items": [1, 2, "3"', '{"items": [1, 2, "'),
        ('"{', '"'),
        ('{"text": "bcd", ', '{"text": "bcd"'),
        ('{"mode": "r", "mode"', '{"mode": "r", "mode"'),
        ("[1", "["),
        ('{"mode" x', '{"mode" x'),
    ],
)
def test_a_no_comes_as_soon_as_it_is_certain(text: str, seen: str) -> None:
    """The character that settles it is the one after which the call is doomed."""
    assert doomed_after(text) == len(seen)


def test_a_call_that_can_still_become_valid_is_not_doomed() -> None:
    """Open values, missing required members: no opinion."""
    assert doomed_after('{"mode": "w", "count": 5, "items": [1, 2.5], "text": "abc"') is None
    assert doomed_after('{"mode": "w", "text": "abc') is None


def test_a_name_and_a_strings_quote_settle_it_in_large_deltas_too() -> None:
    """Nobody waits for the end of a value that nothing can make valid."""
    for text in ('{"unknown": "' + "x" * 5000, '{"items": "[' + "1," * 5000):
        guard = Guard("normalized", tools={"f": SCHEMA})
        guard.push(START)
        guard.push({"type": "arguments_delta", "key": "a", "text": text})
        assert list(guard.doomed) == ["call-0"]


def test_many_values_in_one_delta_pass_the_event_queue() -> None:
    """The watched parser's events are drained in slices, so a large healthy delta is no resource limit."""
    text = '{"mode": "r", "items": [' + "1," * 60_000 + "1]}"
    guard = Guard("normalized", tools={"f": SCHEMA})
    for event in (
        START,
        {"type": "arguments_delta", "key": "a", "text": text},
        {"type": "stream_end", "reason": "complete"},
    ):
        guard.push(event)
    assert guard.finish().decisions[0].action == "execute"
    assert doomed_after(text[:-2] + ', "x"', step=len(text)) is not None


def test_an_unknown_tool_dooms_its_call_when_its_arguments_begin() -> None:
    """The name is whole by then."""
    guard = Guard("normalized", tools={"other": SCHEMA})
    guard.push(START)
    assert not guard.doomed
    guard.push({"type": "arguments_delta", "key": "a", "text": "{"})
    assert guard.doomed["call-0"].code == "E_UNKNOWN_TOOL"
    relaxed = Guard("normalized", tools={"other": SCHEMA}, allow_unknown_tools=True)
    relaxed.push(START)
    relaxed.push({"type": "arguments_delta", "key": "a", "text": "{"})
    assert not relaxed.doomed


BAD = (
    START,
    {"type": "arguments_delta", "key": "a", "text": '{"mode": "x"'},
    {"type": "arguments_delta", "key": "a", "text": "}"},
)


def test_watch_announces_a_doomed_call_once_after_the_event_that_settled_it() -> None:
    """The events pass untouched; the record is added only on request."""
    guard = Guard("normalized", tools={"f": SCHEMA})
    assert list(guard.watch(iter(BAD))) == list(BAD)
    guard = Guard("normalized", tools={"f": SCHEMA})
    seen = list(guard.watch(iter(BAD), announce_doomed=True))
    assert [type(one) for one in seen] == [dict, dict, Doomed, dict]
    assert seen[2].internal_id == "call-0" and seen[2].diagnostic.path == "/mode"


def test_watch_announces_async() -> None:
    """The same with `async for`."""

    async def source() -> AsyncIterator[Any]:
        for event in BAD:
            yield event

    async def run() -> list[Any]:
        guard = Guard("normalized", tools={"f": SCHEMA})
        return [one async for one in guard.watch(source(), announce_doomed=True)]

    assert [type(one) for one in asyncio.run(run())] == [dict, dict, Doomed, dict]


def test_a_hook_that_raises_spoils_nothing() -> None:
    """It is the caller's own fault, noted and not raised."""

    def hook(internal_id: str | None, diagnostic: Any) -> None:
        raise RuntimeError("hook")

    guard = Guard("normalized", tools={"f": SCHEMA}, on_doomed=hook)
    for event in BAD:
        guard.push(event)
    report = guard.finish()
    assert [d.code for d in report.diagnostics] == ["W_HOOK_RAISED"]
    assert report.decisions[0].reason != "unknown"


@given(
    st.dictionaries(
        st.sampled_from(["mode", "count", "items", "text", "other"]),
        st.one_of(
            st.sampled_from(["r", "ab", "b"]),
            st.integers(-2, 9),
            st.lists(st.integers() | st.text(max_size=2), max_size=3),
        ),
    ),
    st.integers(1, 7),
)
def test_what_was_doomed_never_executes_and_what_executes_was_never_doomed(value: dict[str, Any], step: int) -> None:
    """The early no and the final verdict agree."""
    text = json.dumps(value)
    guard = Guard("normalized", tools={"f": SCHEMA})
    guard.push(START)
    for at in range(0, len(text), step):
        guard.push({"type": "arguments_delta", "key": "a", "text": text[at : at + step]})
    doomed = bool(guard.doomed)
    guard.push({"type": "stream_end", "reason": "complete"})
    action = guard.finish().decisions[0].action
    assert not (doomed and action == "execute")


@pytest.mark.parametrize("step", [1, 2, 1023, 1024, 1025])
def test_many_small_deltas_pass_the_event_queue_when_nobody_looks(step: int) -> None:
    """What the watched parser tells is drained now and then, so that a long healthy call is no resource limit."""
    text = '{"mode": "r", "items": [' + "1," * 10_000 + "1]}"
    guard = Guard("normalized", tools={"f": SCHEMA})
    guard.push(START)
    for at in range(0, len(text), step):
        guard.push({"type": "arguments_delta", "key": "a", "text": text[at : at + step]})
    guard.push({"type": "stream_end", "reason": "complete"})
    assert guard.finish().decisions[0].action == "execute"


def test_an_event_that_is_lost_dooms_the_whole_stream_once() -> None:
    """Nothing that comes later can make up for what was not read."""
    told: list[str | None] = []
    guard = Guard("openai_chat", on_doomed=lambda internal_id, _: told.append(internal_id))
    guard.push_bytes(b"data: {\n\ndata: {\n\n")
    assert told == [None] and guard.doomed[None].code == "E_EVENTS_LOST"


@pytest.mark.parametrize(
    ("pieces", "seen"),
    [
        ([("mode", "r", True), ("mode", "x", True), ("mode", "", False)], 3),
        ([("text", "b", True), ("text", "a", False)], 2),
        ([("count", "5", True), ("count", "5", False)], 1),
        ([("count", 5, False), ("unknown", "x", True)], 2),
        ([("items.0", 1, False), ("items.1", "x", True)], 2),
        ([("mode.a", 1, True)], None),
        ([("items.a", 1, False)], 1),
        ([("count", -1, False)], 1),
        ([("count", None, True), ("mode", "w", False), ("items.0", 1, False), ("text", "a", True)], None),
    ],
)
def test_arguments_in_pieces_are_watched_too(pieces: list[tuple[str, Any, bool]], seen: int | None) -> None:
    """A name and a kind at once, a value when the wire says that no more of it follows."""
    guard = Guard("normalized", tools={"f": SCHEMA})
    guard.push(START)
    doomed = None
    for number, (place, value, more) in enumerate(pieces, 1):
        path = [int(step) if step.isdigit() else step for step in place.split(".")]
        guard.push({"type": "arguments_piece", "key": "a", "path": path, "value": value, "more": more})
        if guard.doomed and doomed is None:
            doomed = number
    assert doomed == seen


def test_an_unknown_tool_dooms_its_call_when_its_pieces_begin() -> None:
    guard = Guard("normalized", tools={"other": SCHEMA})
    guard.push(START)
    guard.push({"type": "arguments_piece", "key": "a", "path": ["x"], "value": 1, "more": False})
    assert guard.doomed["call-0"].code == "E_UNKNOWN_TOOL"
