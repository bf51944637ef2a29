"""One good call on each provider wire, with the end reason left to choose.

Every stream calls `f` with `ARGUMENTS` under the id `c1` (where the wire has ids) and ends with the given word.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

ARGUMENTS = {"city": "Zürich", "days": [1, 2]}
TEXT = json.dumps(ARGUMENTS, ensure_ascii=False)
HALVES = (TEXT[:9], TEXT[9:])


def chat(reason: str | None) -> list[Any]:
    """OpenAI Chat Completions, and what is shaped like it."""

    def chunk(delta: Any, finish: str | None = None) -> Any:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}

    start = {"index": 0, "id": "c1", "type": "function", "function": {"name": "f", "arguments": ""}}
    return [
        chunk({"role": "assistant", "content": None, "tool_calls": [start]}),
        *(chunk({"tool_calls": [{"index": 0, "function": {"arguments": half}}]}) for half in HALVES),
        chunk({}, reason),
    ]


def mistral(reason: str | None) -> list[Any]:
    """Mistral, as hosted models have cut a call in two: a placeholder for the id, and an empty name."""
    first, *_, last = chat(reason)
    calls = [
        {"index": 0, "id": id, "function": {"name": name, "arguments": half}}
        for id, name, half in zip(("c1", "null"), ("f", ""), HALVES, strict=True)
    ]
    choices = [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": None} for call in calls]
    last["choices"][0]["delta"] = {"content": ""}
    return [*({**first, "choices": [choice]} for choice in choices), last]


def responses(reason: str | None) -> list[Any]:
    """OpenAI Responses."""
    base = {"id": "resp_1", "object": "response", "created_at": 1.0, "model": "m", "tools": [], "tool_choice": "auto"}
    base |= {"parallel_tool_calls": True}
    item = {"id": "fc_1", "type": "function_call", "call_id": "c1", "name": "f", "status": "completed"}
    whole = {**item, "arguments": TEXT}
    at = {"item_id": "fc_1", "output_index": 0}
    end: dict[str, Any] = {"type": "response.completed", "response": {**base, "status": reason, "output": [whole]}}
    if reason not in ("completed", None):
        details = {"reason": reason}
        end = {"type": "response.incomplete"}
        end["response"] = {**base, "status": "incomplete", "incomplete_details": details, "output": [whole]}
    events = [
        {"type": "response.created", "response": {**base, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "arguments": ""}},
        *({"type": "response.function_call_arguments.delta", **at, "delta": half} for half in HALVES),
        {"type": "response.function_call_arguments.done", **at, "name": "f", "arguments": TEXT},
        {"type": "response.output_item.done", "output_index": 0, "item": whole},
        end,
    ]
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


def anthropic(reason: str | None) -> list[Any]:
    """Anthropic Messages."""
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "m1", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": usage}
    block = {"type": "tool_use", "id": "c1", "name": "f", "input": {}}

    def delta(text: str) -> Any:
        inner = {"type": "input_json_delta", "partial_json": text}
        return {"type": "content_block_delta", "index": 0, "delta": inner}

    return [
        {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "ping"},
        *(delta(half) for half in HALVES),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]


def gemini(reason: str | None) -> list[Any]:
    """Gemini, a whole call."""
    call = {"functionCall": {"id": "c1", "name": "f", "args": ARGUMENTS}}
    return [
        {"candidates": [{"index": 0, "content": {"role": "model", "parts": [call]}}]},
        {"candidates": [{"index": 0, **({} if reason is None else {"finishReason": reason})}]},
    ]


def gemini_pieces(reason: str | None) -> list[Any]:
    """Gemini, streamed arguments."""
    calls: list[dict[str, Any]] = [
        {"id": "c1", "name": "f", "willContinue": True},
        {"partialArgs": [{"jsonPath": "$.city", "stringValue": "Zü", "willContinue": True}], "willContinue": True},
        {"partialArgs": [{"jsonPath": "$.city", "stringValue": "rich"}], "willContinue": True},
        {"partialArgs": [{"jsonPath": f"$.days[{n}]", "numberValue": n + 1} for n in range(2)], "willContinue": True},
        {},
    ]
    events: list[Any] = [{"candidates": [{"content": {"parts": [{"functionCall": call}]}}]} for call in calls]
    return [*events, {"candidates": [{} if reason is None else {"finishReason": reason}]}]


def bedrock(reason: str | None) -> list[Any]:
    """Bedrock ConverseStream."""
    return [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockStart": {"contentBlockIndex": 0, "start": {"toolUse": {"toolUseId": "c1", "name": "f"}}}},
        *({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"toolUse": {"input": half}}}} for half in HALVES),
        {"contentBlockStop": {"contentBlockIndex": 0}},
        {"messageStop": {} if reason is None else {"stopReason": reason}},
    ]


def cohere(reason: str | None) -> list[Any]:
    """Cohere Chat v2."""

    def event(kind: str, calls: Any = None) -> Any:
        return {"type": kind, "index": 0, **({} if calls is None else {"delta": {"message": {"tool_calls": calls}}})}

    return [
        {"id": "m1", "type": "message-start", "delta": {"message": {"role": "assistant"}}},
        event("tool-call-start", {"id": "c1", "type": "function", "function": {"name": "f", "arguments": ""}}),
        *(event("tool-call-delta", {"function": {"arguments": half}}) for half in HALVES),
        event("tool-call-end"),
        {"type": "message-end", "delta": {"finish_reason": reason}},
    ]


def ollama(reason: str | None) -> list[Any]:
    """Ollama chat."""
    base = {"model": "m", "created_at": "2026-01-01T00:00:00Z"}
    call = {"id": "c1", "function": {"name": "f", "arguments": ARGUMENTS}}
    return [
        {**base, "message": {"role": "assistant", "content": "", "tool_calls": [call]}, "done": False},
        {**base, "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": reason},
    ]


def realtime(reason: str | None) -> list[Any]:
    """OpenAI Realtime."""
    item = {"id": "i1", "type": "function_call", "call_id": "c1", "name": "f", "status": "completed"}
    whole = {**item, "arguments": TEXT}
    at = {"response_id": "r1", "item_id": "i1", "output_index": 0, "call_id": "c1"}
    direct = reason in ("completed", "cancelled", "failed", "incomplete", "in_progress", None)
    end: dict[str, Any] = {"id": "r1", "status": reason, "output": [whole]}
    if not direct:
        end |= {"status": "incomplete", "status_details": {"type": "incomplete", "reason": reason}}
    if reason in ("turn_detected", "client_cancelled"):
        end["status"] = "cancelled"
    events: list[Any] = [
        {"type": "response.created", "response": {"id": "r1", "status": "in_progress"}},
        {"type": "response.output_item.added", "response_id": "r1", "output_index": 0, "item": item},
        *({"type": "response.function_call_arguments.delta", **at, "delta": half} for half in HALVES),
        {"type": "response.function_call_arguments.done", **at, "name": "f", "arguments": TEXT},
        {"type": "response.output_item.done", "response_id": "r1", "output_index": 0, "item": whole},
        {"type": "response.done", "response": end},
    ]
    return [{**event, "event_id": f"e{number}"} for number, event in enumerate(events)]


# name -> wire, stream
STREAMS: dict[str, tuple[str, Callable[[str | None], list[Any]]]] = {
    "openai_chat": ("openai_chat", chat),
    "openrouter": ("openrouter", chat),
    "mistral": ("mistral", mistral),
    "openai_responses": ("openai_responses", responses),
    "openai_realtime": ("openai_realtime", realtime),
    "anthropic": ("anthropic", anthropic),
    "gemini": ("gemini", gemini),
    "gemini_pieces": ("gemini", gemini_pieces),
    "bedrock_converse": ("bedrock_converse", bedrock),
    "cohere_v2": ("cohere_v2", cohere),
    "ollama": ("ollama", ollama),
}

# What each wire says when all is well with a call.
CLEAN: dict[str, str] = {
    "openai_chat": "tool_calls",
    "openrouter": "tool_calls",
    "mistral": "tool_calls",
    "openai_responses": "completed",
    "openai_realtime": "completed",
    "anthropic": "tool_use",
    "gemini": "STOP",
    "gemini_pieces": "STOP",
    "bedrock_converse": "tool_use",
    "cohere_v2": "TOOL_CALL",
    "ollama": "stop",
}
