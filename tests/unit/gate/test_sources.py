"""How the source ended, and what was pushed that is no event of the wire."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pydantic
import pytest

from interlock import Guard, Limits
from interlock.gate.decision import ExecuteDecision
from interlock.stream.wires import normalized

START = {"type": "call_start", "key": "a", "id": "call_1", "name": "f"}
WHOLE = {"type": "arguments_delta", "key": "a", "text": '{"x": 1}'}
END = {"type": "stream_end", "reason": "complete", "provider_reason": "stop"}
CLEAN = (START, WHOLE, END)


def guard_with(*events: Any, **options: Any) -> Guard:
    """A guard on the normalized wire that got these events."""
    guard = Guard("normalized", **options)
    for event in events:
        guard.push(event)
    return guard


def error_with(**fields: Any) -> Exception:
    """An exception that carries something."""
    error = Exception("boom")
    for name, value in fields.items():
        setattr(error, name, value)
    return error


class ConnectTimeout(Exception):  # noqa: N818  (as httpx names it)
    """Named like a transport's."""


ERRORS: dict[str, tuple[BaseException, str, str]] = {
    "a body": (error_with(body={"code": 1}), "provider_error", "error"),
    "an empty body": (error_with(body=""), "provider_error", "error"),
    "no body": (error_with(body=None), "network_error", "error"),
    "a response dict": (error_with(response={"Error": {}}), "provider_error", "error"),
    "a response object": (error_with(response=object()), "network_error", "error"),
    "details": (error_with(details={"error": {}}), "provider_error", "error"),
    "details in words": (error_with(details="x"), "network_error", "error"),
    "an error in words": (error_with(error="overloaded"), "provider_error", "error"),
    "an error object": (error_with(error={"a": 1}), "network_error", "error"),
    "a timeout": (ConnectTimeout(), "network_error", "timeout"),
    "Python's timeout": (TimeoutError(), "network_error", "timeout"),
    "a broken pipe": (BrokenPipeError(), "network_error", "error"),
    "an interrupt": (KeyboardInterrupt(), "cancelled", "cancelled"),
    "an exit": (SystemExit(), "cancelled", "cancelled"),
    "a cancelled task": (asyncio.CancelledError(), "cancelled", "cancelled"),
}


@pytest.mark.parametrize("name", ERRORS)
@pytest.mark.parametrize("way", ["sync", "async", "told"])
def test_what_an_exception_says(name: str, way: str) -> None:
    """Passed on as it is; noted with its words; what comes after it is late."""
    error, end_reason, source = ERRORS[name]
    guard = Guard("normalized")

    def events() -> Iterator[Any]:
        yield from (START, WHOLE)
        raise error

    async def later() -> AsyncIterator[Any]:
        for event in events():
            yield event

    async def read() -> None:
        try:
            async for _ in guard.watch(later()):
                pass
        except BaseException as raised:
            caught.append(raised)

    caught: list[BaseException] = []
    if way == "async":
        asyncio.run(read())
    elif way == "sync":
        with pytest.raises(type(error)) as info:
            list(guard.watch(events()))
        caught.append(info.value)
    else:
        guard.push(START)
        guard.push(WHOLE)
        guard.source_raised(error)
        caught.append(error)
    assert caught == [error]
    report = guard.finish()
    assert report.end_reason == end_reason and not isinstance(report.decisions[0], ExecuteDecision)
    said = {d.code: d.message for d in report.diagnostics}
    assert said == {"W_SOURCE_ENDED": f"the source raised {type(error).__name__}: {error}"}
    assert report.decisions[0].evidence.provider_reason == (
        type(error).__name__ if end_reason == "provider_error" else None
    )
    guard.push({"type": "usage", "output_tokens": 1})
    guard.push(START)
    late = [d.message for d in guard.finish().diagnostics if "the source had ended" in d.message]
    assert end_reason == "provider_error" or f"({source})" in late[0]


@pytest.mark.parametrize("first", ["eof", "still_open", "cancelled", "error", "timeout"])
@pytest.mark.parametrize("second", ["eof", "still_open", "cancelled", "error", "timeout"])
def test_a_good_end_may_be_broken_afterwards_and_no_broken_one_is_mended(first: Any, second: Any) -> None:
    """By whoever says it, also after a report; the authority is gone with it."""
    for between in (False, True):
        guard = guard_with(*CLEAN)
        guard.source_ended(first)
        if between:
            guard.finish()
        guard.finish(second)
        (decision,) = guard.finish().decisions
        broken = "error" in (first, second) or "timeout" in (first, second)
        if first == "cancelled":
            broken = False  # what the provider had confirmed before the caller left
        assert (decision.action == "execute", guard.take("call-0") is not None) == (not broken, not broken)
        assert decision.evidence.end_reason == ("network_error" if broken else "complete")


def test_a_source_that_raises_after_its_end_says_so() -> None:
    """With its words."""
    guard = guard_with(*CLEAN)
    assert guard.finish("eof").decisions[0].action == "execute"
    guard.source_raised(ConnectionError("x"))
    report = guard.finish()
    assert report.decisions[0].action == "retry" and guard.take("call-0") is None
    assert [d.message for d in report.diagnostics] == ["the source raised ConnectionError: x"]
    guard = guard_with(*CLEAN)
    guard.source_ended("error", "m")
    report = guard.finish("eof")
    assert report.end_reason == "network_error" and [d.message for d in report.diagnostics] == ["m"]


def test_a_socket_that_stays_open_may_go_on() -> None:
    """`still_open`: what comes later is judged like anything after the end, not refused unread."""
    guard = guard_with(*CLEAN)
    assert guard.finish("still_open").decisions[0].action == "execute"
    guard.push({"type": "usage", "output_tokens": 3})
    assert guard.finish().decisions[0].action == "execute"
    guard.push(WHOLE)
    assert guard.finish().decisions[0].reason == "protocol_violation"


def test_reading_that_was_begun_and_not_ended_was_broken_off() -> None:
    """Unless the reader says how it ended."""
    guard = guard_with(START, WHOLE)
    guard.source_started()
    assert guard.finish().end_reason == "cancelled"
    guard = guard_with(START, WHOLE, confirm_on_done=True)
    guard.source_started()
    assert guard.finish("eof").decisions[0].action == "execute"


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_bytes_are_taken_as_a_body(kind: Any) -> None:
    """By `push` and by `push_bytes`."""
    body = b"".join(json.dumps(event).encode() + b"\n" for event in CLEAN)
    for name in ("push", "push_bytes"):
        guard = Guard("normalized")
        for at in range(0, len(body), 7):
            getattr(guard, name)(kind(body[at : at + 7]))
        assert guard.finish().decisions[0].action == "execute"


HOLES: dict[str, tuple[Any, str]] = {
    "text": ("x" * 100, f"an event is no JSON object: {'x' * 80!r}; bytes of a body go to `push_bytes`"),
    "unreadable": ({"raw": "y" * 100}, f"an event is no JSON: {'y' * 80!r}"),
    "a set": ({1}, "a set was pushed; expected an event"),
    "a number": (7, "a int was pushed; expected an event"),
    "nothing": (None, "a NoneType was pushed; expected an event"),
}


@pytest.mark.parametrize("name", HOLES)
def test_what_cannot_be_read_is_a_hole(name: str) -> None:
    """Noted shortly; nothing executes, and the end is taken for a broken one."""
    thing, says = HOLES[name]
    report = guard_with(START, WHOLE, thing, END).finish()
    assert [(d.code, d.message) for d in report.diagnostics] == [("E_EVENTS_LOST", says)]
    assert report.end_reason == "network_error" and report.decisions[0].reason == "stream_incomplete"


def test_an_event_with_a_field_named_raw_is_an_event() -> None:
    """Only an object of nothing else stands for what could not be read."""
    assert guard_with({**START, "raw": "x"}, WHOLE, END).finish().decisions[0].action == "execute"


@pytest.mark.parametrize("text", ["[DONE]", " [DONE]\n"])
def test_the_end_marker_is_no_hole(text: str) -> None:
    """With white space around it or without."""
    assert guard_with(START, WHOLE, END, text).finish().decisions[0].action == "execute"


@pytest.mark.parametrize(("length", "fine"), [(200, True), (201, False)])
def test_a_frame_may_be_as_long_as_the_limit(length: int, fine: bool) -> None:
    """One byte more is told with the limit."""
    line = json.dumps(START).encode()
    guard = Guard("normalized", limits=Limits(frame_bytes=200))
    guard.push_bytes(line + b" " * (length - len(line)))
    guard.push_bytes(b"\n")
    report = guard.finish()
    assert {d.code for d in report.diagnostics} == (set() if fine else {"E_LIMIT_FRAME_BYTES"})
    if not fine:
        assert report.diagnostics[0].message == "one event passes limits.frame_bytes (200 bytes)"


def test_an_authority_is_checked_with_its_model_once_more() -> None:
    """A validator that changes its mind between the report and `take`: nothing is given out, nothing used up."""
    answers = [True, False, True]

    class Fickle(pydantic.BaseModel):
        x: int

        @pydantic.field_validator("x")
        @classmethod
        def answer(cls, value: int) -> int:
            if not answers.pop(0):
                raise ValueError("not now")
            return value

    guard = guard_with(*CLEAN, tools={"f": Fickle}, coerce=True)
    assert guard.finish().decisions[0].action == "execute"
    assert guard.take("call-0") is None
    taken = guard.take("call-0")
    assert taken is not None and taken.typed_value == Fickle.model_construct(x=1)
    assert guard.take("call-0") is None


def test_a_hook_that_raises_is_noted_with_its_words() -> None:
    """And is asked again about the next call."""
    asked = []

    def hook(internal_id: str | None, diagnostic: Any) -> None:
        asked.append((internal_id, diagnostic.code))
        raise RuntimeError("no")

    guard = guard_with(START, START, {**START, "key": "b"}, on_doomed=hook)
    assert asked == [("call-0", "E_SECOND_START"), ("call-1", "E_DUPLICATE_CALL_ID")]
    assert [d.message for d in guard.snapshot().diagnostics] == ["on_doomed raised RuntimeError: no"] * 2


class OddStream:
    """A stream with a close that is no function."""

    close = "x"
    aclose = None

    def __iter__(self) -> Iterator[Any]:
        return iter(CLEAN)

    async def __aiter__(self) -> AsyncIterator[Any]:
        for event in CLEAN:
            yield event


def test_breaking_out_of_a_stream_that_cannot_be_closed() -> None:
    """Nothing to close, nothing raised."""
    guard = Guard("normalized")
    for _ in guard.watch(OddStream()):
        break
    assert guard.finish().end_reason == "cancelled"

    async def run() -> str:
        other = Guard("normalized")
        watched = other.watch(OddStream()).__aiter__()
        async for _ in watched:
            break
        await watched.aclose()  # type: ignore[attr-defined]
        return other.finish().end_reason

    assert asyncio.run(run()) == "cancelled"


class Closable:
    """An asynchronous stream that counts how often it is closed, and how."""

    def __init__(self) -> None:
        self.closed: list[str] = []

    async def __aiter__(self) -> AsyncIterator[Any]:
        for event in CLEAN:
            yield event

    async def aclose(self) -> None:
        self.closed.append("aclose")

    def close(self) -> None:
        self.closed.append("close")


def test_a_stream_is_closed_only_when_it_was_left() -> None:
    """By its asynchronous way where it has one; a stream that ran out is left alone."""

    async def run(leave: bool) -> list[str]:
        stream = Closable()
        watched = Guard("normalized").watch(stream).__aiter__()
        async for _ in watched:
            if leave:
                break
        await watched.aclose()  # type: ignore[attr-defined]
        return stream.closed

    assert asyncio.run(run(True)) == ["aclose"]
    assert asyncio.run(run(False)) == []


def test_a_wire_that_fails_at_the_end_spoils_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it would have said could be anything."""

    def fail(self: Any, end: str) -> None:
        raise ZeroDivisionError("no")

    monkeypatch.setattr(normalized.Adapter, "source_ended", fail)
    report = guard_with(*CLEAN).finish()
    assert (report.decisions[0].action, report.decisions[0].reason) == ("reject", "unknown")
    assert [d.code for d in report.diagnostics] == ["E_INTERNAL"]
    assert "the end of the source could not be judged" in report.diagnostics[0].message


@pytest.mark.parametrize(("limit", "reason"), [(5, "complete"), (4, "resource_limit"), (3, "resource_limit")])
def test_deltas_count_as_events(limit: int, reason: str) -> None:
    """A start, three fragments and an end make five; the bound is told once."""
    deltas = [{**WHOLE, "text": text} for text in ('{"x"', ": 1", "}")]
    report = guard_with(START, *deltas, END, limits=Limits(stream_events=limit)).finish()
    assert report.decisions[0].reason == reason
    codes = [d.code for d in report.diagnostics]
    assert codes == ([] if reason == "complete" else ["E_LIMIT_STREAM_EVENTS"])


TURN = {"type": "turn_end", "reason": "complete", "provider_reason": "stop"}
GEMINI = [
    {"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "args": {}}}]}, "finishReason": "STOP"}]}
]


async def asynchronously(events: list[Any]) -> Any:
    for event in events:
        yield event


def test_a_watched_stream_that_ran_out_has_ended() -> None:
    """Known at once, and not only when the guard is asked: what comes then is late."""
    for ways in ("for", "async for"):
        guard = Guard("gemini", trust_projections=True)
        late = Guard("normalized")
        for one, events in ((guard, GEMINI), (late, [START, WHOLE, TURN])):
            if ways == "for":
                assert list(one.watch(events)) == events
            else:
                assert asyncio.run(_all(one.watch(asynchronously(events)))) == events
        assert [one.action for one in guard.finish().decisions] == ["execute"]
        late.push({**START, "key": "b", "id": "call_2", "turn": "another"})
        assert [one.reason for one in late.finish().decisions] == ["protocol_violation", "protocol_violation"]


async def _all(stream: Any) -> list[Any]:
    return [event async for event in stream]
