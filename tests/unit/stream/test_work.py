"""What a peer's events cost, and keep: no more than they are long, and never without a bound."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from interlock import Guard, Limits
from interlock.stream.framing.aws_event_stream import AWSEventStreamDecoder
from interlock.stream.wires import WIRES

END = {"response": {"output": [{"type": "message"}]}}


def item(at: int) -> dict[str, Any]:
    """A Responses item that is no call."""
    return {"type": "response.output_item.added", "output_index": at, "item": {"type": "message"}}


def many(make: Callable[[int], Any]) -> Callable[[int], list[Any]]:
    """Repeat an event."""
    return lambda n: [make(at) for at in range(n)]


# Name -> the wire, and how to make n things and then, often, n events that look at all of them.
LOADS: dict[str, tuple[str, Callable[[int], list[Any]]]] = {
    "choices, then errors": (
        "openai_chat",
        lambda n: [{"choices": [{"index": at} for at in range(n)]}, *[{"error": 1}] * n],
    ),
    "calls of one chunk": (
        "openai_chat",
        lambda n: [
            {
                "choices": [
                    {
                        "index": 0,
                        "delta": {"tool_calls": [{"index": at, "function": {"name": "f"}} for at in range(n)]},
                        "finish_reason": "stop",
                    }
                ]
            }
        ],
    ),
    "items, then refusals": (
        "openai_responses",
        lambda n: [
            *map(item, range(n)),
            {"type": "response.completed", **END},
            *[{"type": "response.refusal.delta"}] * n,
        ],
    ),
    "items, then ends": (
        "openai_responses",
        lambda n: [*map(item, range(n)), *[{"type": "response.completed", **END}] * n],
    ),
    "agents, then results": (
        "claude_agent",
        lambda n: [
            *(
                {"type": "stream_event", "parent_tool_use_id": f"{at}", "event": {"type": "message_start"}}
                for at in range(n)
            ),
            *[{"type": "result", "subtype": "success"}] * n,
        ],
    ),
    "turns, then responses": (
        "pydantic_ai",
        lambda n: [
            *(
                event
                for at in range(n)
                for event in (
                    {"event_kind": "part_start", "index": 0, "part": {"part_kind": "text"}},
                    {"event_kind": "function_tool_result", "part": {"tool_call_id": f"{at}"}},
                )
            ),
            *[{"kind": "response", "parts": [{"part_kind": "tool-call", "tool_call_id": "x"}]}] * n,
        ],
    ),
    "blocks, then reasons": (
        "anthropic",
        lambda n: [
            *({"type": "content_block_start", "index": at, "content_block": {"type": "text"}} for at in range(n)),
            *({"type": "message_delta", "delta": {"stop_reason": f"{at}"}} for at in range(n)),
        ],
    ),
    "candidates, then errors": (
        "gemini",
        lambda n: [{"candidates": [{"index": at} for at in range(n)]}, *[{"error": {"code": 1}}] * n],
    ),
}


def steps(wire: str, events: list[Any]) -> int:
    """Count the lines of Python that a guard runs for these events."""
    guard = Guard(wire)
    count = 0

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        for event in events:
            guard.push(event)
        guard.finish()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("name", LOADS)
def test_twice_the_events_cost_no_more_than_twice_the_work(name: str) -> None:
    """A scan of all that came, for each event, would cost four times as much."""
    for module in WIRES.values():
        importlib.import_module(module)
    wire, make = LOADS[name]
    few, twice = steps(wire, make(200)), steps(wire, make(400))
    assert few > 400 and twice < 2.5 * few


def test_a_repetition_that_differs_costs_the_text_once() -> None:
    """The text is looked at again only where a copy can be equal to it."""
    added = {"type": "response.output_item.added", "output_index": 0, "item": {"type": "function_call", "name": "f"}}
    delta = {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "[" + "1," * 1000}
    done = {"type": "response.function_call_arguments.done", "output_index": 0, "arguments": "[" + "1," * 999 + "2"}
    few, twice = (steps("openai_responses", [added, delta, *[done] * n]) for n in (1, 20))
    assert twice < 2 * few


class Counted(bytes):
    """A buffer's bytes, which count what they copy."""

    copied = 0

    def __getitem__(self, at: Any) -> Any:
        out = super().__getitem__(at)
        if isinstance(at, slice):
            Counted.copied += len(out)
            return Counted(out)
        return out

    def __add__(self, other: bytes) -> Counted:
        Counted.copied += len(self) + len(other)
        return Counted(super().__add__(other))


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_frames_are_not_copied_once_for_each_other(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many frames in one piece, one frame in many pieces: the vendor's buffer copies a few bytes for each that come."""
    pytest.importorskip("botocore.eventstream")
    from support.aws_frames import body_of

    body = body_of([{"messageStop": {"stopReason": "x" * 50}}] * 200)
    decoder = AWSEventStreamDecoder(1 << 20)
    decoder._buffer._data = Counted()
    monkeypatch.setattr(Counted, "copied", 0)
    events = [event for at in range(0, len(body), size) for event in decoder.feed(body[at : at + size])]
    assert len(events) == 200
    assert 0 < Counted.copied < 10 * len(body)


KEPT: dict[str, tuple[str, Callable[[int], Any]]] = {
    "choices": ("openai_chat", lambda at: {"choices": [{"index": at, "delta": {}}]}),
    "lanes": ("openai_responses", lambda at: {"type": "response.created", "stream_id": f"{at}", "response": {}}),
    "items": ("openai_responses", item),
    "messages": ("langchain", lambda at: {"type": "AIMessageChunk", "id": f"{at}", "content": ""}),
    "runs of tools": ("langchain", lambda at: {"event": "on_tool_start", "run_id": f"{at}"}),
    "agents": (
        "claude_agent",
        lambda at: {"type": "stream_event", "parent_tool_use_id": f"{at}", "event": {"type": "ping"}},
    ),
    "blocks": (
        "anthropic",
        lambda at: {"type": "content_block_start", "index": at, "content_block": {"type": "text"}},
    ),
    "candidates": ("gemini", lambda at: {"candidates": [{"index": at}]}),
    "responses": ("openai_realtime", lambda at: {"type": "response.done", "response": {"id": f"{at}"}}),
    "approvals": (
        "ai_sdk",
        lambda at: {"type": "tool-approval-request", "approvalId": f"{at}", "toolCallId": "x"},
    ),
    "announced calls": (
        "pydantic_ai",
        lambda at: {"event_kind": "function_tool_call", "part": {"tool_call_id": f"{at}"}},
    ),
    "second ends": ("ai_sdk", lambda at: {"type": "finish", "finishReason": "stop"}),
    "turns that are only remarked on": (
        "normalized",
        lambda at: {"type": "provider_diagnostic", "code": "W", "message": "m", "turn": f"{at}"},
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_a_wire_keeps_counts_like_an_event(name: str) -> None:
    """Or a stream without one call could fill the memory."""
    wire, make = KEPT[name]

    def code(n: int) -> bool:
        guard = Guard(wire, limits=Limits(stream_events=50))
        for event in many(make)(n):
            guard.push(event)
        return "E_LIMIT_STREAM_EVENTS" in [d.code for d in guard.finish().diagnostics]

    assert not code(20) and code(60)


def test_one_chunk_opens_no_more_choices_than_the_bound() -> None:
    """All of them could come in one event."""
    guard = Guard("openai_chat", limits=Limits(stream_events=50))
    guard.push({"choices": [{"index": at, "delta": {"content": "x"}} for at in range(1000)]})
    assert len(guard._adapter._choices) <= 50  # type: ignore[attr-defined]
    assert "E_LIMIT_STREAM_EVENTS" in [d.code for d in guard.finish().diagnostics]


@pytest.mark.parametrize(
    ("wire", "event"),
    [
        ("openai_chat", {"choices": [{"index": 0, "delta": {"content": "x"}}]}),
        ("anthropic", {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x"}}),
        ("openai_responses", {"type": "response.output_text.delta", "output_index": 0, "delta": "x"}),
        ("langchain", {"type": "AIMessageChunk", "id": "m", "content": "x"}),
        ("claude_agent", {"type": "stream_event", "event": {"type": "ping"}}),
    ],
)
def test_text_still_counts_nothing(wire: str, event: Any) -> None:
    """A long answer is no attack."""
    guard = Guard(wire, limits=Limits(stream_events=50))
    for _ in range(500):
        guard.push(event)
    assert not [d for d in guard.finish().diagnostics if d.code.startswith("E_")]
