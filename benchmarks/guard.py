"""What a guard costs: the time it adds to each event, next to the SDK's own time for that event.

Prints, for each official client's stream: microseconds an event that the SDK
needs to hand it out (from HTTP bytes in memory), microseconds that `Guard.push`
adds, and the ratio; then the events a second of the whole path from raw bytes
to a decision. Minimum of several runs.

Usage: python benchmarks/guard.py
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import anthropic
import httpx2 as httpx
import openai

from interlock import Guard

TEXT = "The quick brown fox jumps over the lazy dog. "
ARGUMENTS = json.dumps({"path": "notes/report.md", "content": TEXT * 60, "mode": "w", "lines": list(range(60))})
PIECES = [ARGUMENTS[at : at + 5] for at in range(0, len(ARGUMENTS), 5)]
REPEATS = 7


def sse(events: list[tuple[str | None, Any]]) -> bytes:
    """Frame events as a body."""
    lines = []
    for name, event in events:
        if name:
            lines.append(f"event: {name}\n")
        lines.append(f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n")
    return "".join(lines).encode()


def anthropic_body() -> bytes:
    """A message with one text block and one tool call, in small deltas."""
    events: list[dict[str, Any]] = [
        {
            "type": "message_start",
            "message": {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "model": "m",
                "content": [],
                "stop_reason": None,
                "stop_sequence": None,
                "usage": {"input_tokens": 1, "output_tokens": 1},
            },
        },
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": TEXT}}
            for _ in range(len(PIECES) // 3)
        ),
        {"type": "content_block_stop", "index": 0},
        {
            "type": "content_block_start",
            "index": 1,
            "content_block": {"type": "tool_use", "id": "toolu_1", "name": "write_file", "input": {}},
        },
        *(
            {
                "type": "content_block_delta",
                "index": 1,
                "delta": {"type": "input_json_delta", "partial_json": piece},
            }
            for piece in PIECES
        ),
        {"type": "content_block_stop", "index": 1},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use", "stop_sequence": None},
            "usage": {"output_tokens": 9},
        },
        {"type": "message_stop"},
    ]
    return sse([(event["type"], event) for event in events])


def chat_body() -> bytes:
    """A completion with one tool call, in small deltas."""

    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}],
        }

    first = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "write_file", "arguments": ""}}
    events: list[Any] = [
        chunk({"role": "assistant", "content": None, "tool_calls": [first]}),
        *(chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}) for piece in PIECES),
        chunk({}, "tool_calls"),
        "[DONE]",
    ]
    return sse([(None, event) for event in events])


def responses_body() -> bytes:
    """A response with one function call, in small deltas."""
    item = {"id": "fc_1", "type": "function_call", "call_id": "call_1", "name": "write_file"}
    response = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "output": [],
        "tools": [],
        "tool_choice": "auto",
        "parallel_tool_calls": True,
    }
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {**response, "status": "in_progress"}},
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": {**item, "arguments": "", "status": "in_progress"},
        },
        *(
            {
                "type": "response.function_call_arguments.delta",
                "item_id": "fc_1",
                "output_index": 0,
                "delta": piece,
            }
            for piece in PIECES
        ),
        {
            "type": "response.function_call_arguments.done",
            "item_id": "fc_1",
            "output_index": 0,
            "arguments": ARGUMENTS,
        },
        {
            "type": "response.output_item.done",
            "output_index": 0,
            "item": {**item, "arguments": ARGUMENTS, "status": "completed"},
        },
        {
            "type": "response.completed",
            "response": {
                **response,
                "status": "completed",
                "output": [{**item, "arguments": ARGUMENTS, "status": "completed"}],
            },
        },
    ]
    for number, event in enumerate(events):
        event["sequence_number"] = number
    return sse([(event["type"], event) for event in events])


def transport(body: bytes) -> httpx.Client:
    """An HTTP client that answers every request with the body, without a socket."""

    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, content=body)

    return httpx.Client(transport=httpx.MockTransport(answer))


def anthropic_raw(body: bytes) -> Iterator[Any]:
    """The raw event iterator of the anthropic client."""
    client = anthropic.Anthropic(api_key="k", http_client=transport(body))
    yield from client.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": "x"}], stream=True)


def anthropic_helper(body: bytes) -> Iterator[Any]:
    """The `.stream()` helper of the anthropic client."""
    client = anthropic.Anthropic(api_key="k", http_client=transport(body))
    with client.messages.stream(model="m", max_tokens=9, messages=[{"role": "user", "content": "x"}]) as stream:
        yield from stream


def openai_chat(body: bytes) -> Iterator[Any]:
    """The chat completions stream of the openai client."""
    client = openai.OpenAI(api_key="k", http_client=transport(body))
    yield from client.chat.completions.create(model="m", messages=[{"role": "user", "content": "x"}], stream=True)


def openai_responses(body: bytes) -> Iterator[Any]:
    """The responses stream of the openai client."""
    client = openai.OpenAI(api_key="k", http_client=transport(body))
    yield from client.responses.create(model="m", input="x", stream=True)


def best(run: Callable[[], Any]) -> float:
    """Seconds of processor time of the fastest of several runs."""
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def judge(wire: str, events: list[Any]) -> Guard:
    """Push all events and finish."""
    guard = Guard(wire)
    for event in events:
        guard.push(event)
    guard.finish()
    return guard


def main() -> None:
    """Print both tables."""
    print(f"Python {sys.version.split()[0]}, openai {openai.__version__}, anthropic {anthropic.__version__}")
    print(f"{'stream':<22}{'events':>8}{'SDK us/event':>14}{'guard us/event':>16}{'added':>9}")
    bodies = {"anthropic": anthropic_body(), "openai_chat": chat_body(), "openai_responses": responses_body()}
    for name, wire, source in (
        ("anthropic raw", "anthropic", anthropic_raw),
        ("anthropic .stream()", "anthropic", anthropic_helper),
        ("openai chat", "openai_chat", openai_chat),
        ("openai responses", "openai_responses", openai_responses),
    ):
        body = bodies[wire]
        events = list(source(body))
        guard = judge(wire, events)
        (decision,) = guard.finish().decisions
        assert decision.action == "execute", decision
        sdk = best(lambda source=source, body=body: list(source(body))) / len(events)
        ours = best(lambda wire=wire, events=events: judge(wire, events)) / len(events)
        print(f"{name:<22}{len(events):>8}{sdk * 1e6:>14.2f}{ours * 1e6:>16.2f}{ours / sdk:>9.1%}")
    print()
    print(f"{'raw bytes to decision':<22}{'events':>8}{'us/event':>14}{'events/s':>16}")
    for wire, body in bodies.items():
        count = body.count(b"data: ")
        pieces = [body[at : at + 1400] for at in range(0, len(body), 1400)]

        def whole(wire: str = wire, pieces: list[bytes] = pieces) -> None:
            guard = Guard(wire)
            for piece in pieces:
                guard.push_bytes(piece)
            (decision,) = guard.finish().decisions
            assert decision.action == "execute"

        seconds = best(whole)
        print(f"{wire:<22}{count:>8}{seconds / count * 1e6:>14.2f}{count / seconds:>16,.0f}")


if __name__ == "__main__":
    main()
