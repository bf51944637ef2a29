"""How well each wire's own events are recognised, event by event, and what other wires make of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from interlock.errors import AmbiguousWireError, UnknownWireError
from interlock.stream.detect import detect, rate
from interlock.stream.wires import WIRES


def typed(*kinds: str, field: str = "type", **more: Any) -> list[dict[str, Any]]:
    """One event of each kind."""
    return [{field: kind, **more} for kind in kinds]


CHUNK = {"choices": [{"index": 0, "delta": {"content": "x"}}]}
OBJECT = {"object": "chat.completion.chunk"}
PARTS = {"content": {"parts": [{"text": "x"}]}}

# wire -> score -> events
EVENTS: dict[str, dict[int, list[Any]]] = {
    "ag_ui": {
        2: typed(
            *("RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "MESSAGES_SNAPSHOT", "RAW", "CUSTOM"),
            *("TEXT_MESSAGE_START", "TOOL_CALL_ARGS", "REASONING_END", "STATE_DELTA", "ACTIVITY_DELTA"),
            *("SUBAGENT_STARTED", "STEP_STARTED"),
        )
    },
    "ai_python": {
        2: typed(
            *("stream_start", "stream_end", "tool_start", "tool_delta", "tool_end"),
            *("builtin_tool_start", "builtin_tool_delta", "builtin_tool_end", "tool_call_result", "run_blocked"),
            field="kind",
        ),
        1: typed("text_start", "text_delta", "reasoning_start", "reasoning_delta", "hook", "retry", field="kind"),
    },
    "ai_sdk": {
        2: [
            *typed("tool-call", "tool-result", "tool-error", "tool-input-end"),
            *typed("tool-input-start", "tool-input-delta", id="c"),
            *typed("start-step", "finish-step", request={}),
            *typed("start-step", "finish-step", finishReason="stop"),
        ],
        1: typed(
            *("start-step", "finish-step", "start", "finish", "abort", "raw"),
            *("reasoning-start", "text-start", "text-delta", "text"),
        ),
        0: typed("tool-input-start", "tool-input-delta", toolCallId="c"),
    },
    "ai_sdk_ui": {
        2: [
            *typed(
                *("tool-input-start", "tool-input-delta", "tool-input-available", "tool-input-error"),
                *("tool-output-available", "tool-output-error", "tool-output-denied", "tool-approval-request"),
                toolCallId="c",
            ),
            *typed("reset-step", "message-metadata", "data-weather"),
            {"type": "start", "messageId": "m"},
            *typed("text-delta", "reasoning-delta", delta="x"),
            {"type": "error", "errorText": "x"},
        ],
        1: typed("start", "start-step", "finish-step", "finish", "abort", "text-start", "reasoning-start"),
        0: typed("tool-input-start", "tool-input-delta", "text-delta", "reasoning-delta", "error", id="c", text="x"),
    },
    "anthropic": {
        2: typed("message_start", "content_block_start", "content_block_delta", "message_delta"),
        1: [*typed("content_block_stop", "message_stop", "ping"), {"type": "error", "error": {"type": "api_error"}}],
        0: [{"type": "error", "error": {"code": 1}}, {"type": "error"}],
    },
    "bedrock_converse": {
        2: [
            {name: {"x": 1}}
            for name in (
                *("contentBlockDelta", "contentBlockStart", "contentBlockStop"),
                *("messageStart", "messageStop"),
            )
        ],
        1: [{"metadata": {"metrics": {}}}],
        0: [{"metadata": {}}],
    },
    "claude_agent": {
        2: [
            {"type": "stream_event", "event": {"type": "message_start"}},
            *typed("assistant", "user", message={}),
            *typed("result", "system", subtype="success"),
        ],
        0: [*typed("assistant", "user", "result", "system"), {"type": "stream_event", "event": {}}],
    },
    "cohere_v2": {
        2: typed("tool-plan-delta", "tool-call-start", "tool-call-delta", "tool-call-end", "message-end"),
        1: typed("message-start", "content-start", "content-delta", "content-end", "citation-start"),
    },
    "gemini": {
        2: [
            {"candidates": []},
            {"promptFeedback": {}},
            *(
                {name: {}}
                for name in (
                    *("setupComplete", "serverContent", "toolCall", "toolCallCancellation"),
                    *("sessionResumptionUpdate", "goAway", "tool_call", "server_content"),
                )
            ),
            *(
                {**PARTS, name: "x"}
                for name in (
                    *("partial", "author", "invocationId", "invocation_id", "turnComplete"),
                    *("finishReason", "finish_reason"),
                )
            ),
        ],
        1: [PARTS, {"usageMetadata": {}}, {"usage_metadata": {}}],
        0: [{"candidates": 1}, {"content": {"parts": 1}}, {"content": []}],
    },
    "langchain": {
        2: [{"type": "AIMessageChunk"}, *typed("ai", "human", "tool", "ToolMessageChunk", response_metadata={})],
        0: typed("ai", "human", "tool"),
    },
    "mistral": {
        3: [{"data": CHUNK}, {"choices": [{"index": 0, "delta": {"content": []}}]}],
        2: [
            *typed("function.call.delta", "tool.execution.started", "conversation.response.done"),
            *typed("message.output.delta", "agent.handoff.done"),
            {"data": {"type": "function.call.delta"}},
        ],
        0: [CHUNK, {"data": {"choices": []}}, {"choices": {}}],
    },
    "normalized": {2: typed("call_start", "arguments_delta", "turn_end", "stream_end", "usage")},
    "ollama": {
        2: [{"done": True, "message": {}}, {"done": False, "message": {}}],
        0: [{"done": "yes", "message": {}}, {"done": True}],
    },
    "openai_agents": {
        2: typed("raw_response_event", "run_item_stream_event", "agent_updated_stream_event"),
    },
    "openai_chat": {
        2: [{**CHUNK, **OBJECT}, {"type": "chunk", "chunk": {**CHUNK, **OBJECT}}],
        1: [CHUNK, {"choices": []}, {"type": "chunk", "chunk": CHUNK}],
        0: [OBJECT, {"choices": {}}, {"type": "chunk"}],
    },
    "openai_realtime": {
        3: [
            {"type": "response.created", "event_id": "e"},
            {"type": "response.function_call_arguments.delta", "response_id": "r"},
        ],
        2: typed(
            *("session.created", "conversation.item.added", "conversation.created", "input_audio_buffer.committed"),
            *("output_audio_buffer.started", "rate_limits.updated", "response.done"),
        ),
        1: [*typed("error", "ping", event_id="e"), {"type": "response.created"}],
        0: [*typed("error", "ping", "x"), {"type": "response.created", "event_id": "e", "sequence_number": 0}],
    },
    "openai_responses": {
        2: [
            *typed("response.created", "response.in_progress", "response.queued", sequence_number=0),
            *typed("response.output_item.added", "response.completed"),
        ],
        1: typed("response.created", "response.in_progress", "response.queued"),
        0: [*typed("response.done", "x"), {"type": "response.created", "event_id": "e"}],
    },
    "openrouter": {0: [CHUNK, {**CHUNK, **OBJECT, "provider": "x"}]},
    "pydantic_ai": {
        2: [
            *typed(
                *("part_start", "part_delta", "part_end", "final_result", "function_tool_call"),
                *("function_tool_result", "output_tool_call", "output_tool_result", "builtin_tool_call"),
                *("builtin_tool_result", "deferred_tool_requests", "deferred_tool_results", "agent_run_result"),
                field="event_kind",
            ),
            {"kind": "response", "parts": []},
        ],
        0: [{"kind": "response"}, {"kind": "request", "parts": []}, {"event_kind": "x"}],
    },
}


def rows() -> Iterator[Any]:
    """Every event with its wire and score."""
    for wire, scores in EVENTS.items():
        for score, events in scores.items():
            yield from ((wire, event, score) for event in events)


@pytest.mark.parametrize(("wire", "event", "score"), list(rows()))
def test_an_event_is_rated_by_its_wire(wire: str, event: Any, score: int) -> None:
    """2 where the event is sure, 1 where others may have it too, 3 where it is more special than another's."""
    rated = rate(event)
    assert rated.get(wire, 0) == score
    if score >= 2:  # nothing else is as sure
        assert [other for other in rated if rated[other] >= score] == [wire]


def test_every_wire_is_listed() -> None:
    """A new wire has to say what it recognises."""
    assert EVENTS.keys() == WIRES.keys()


@pytest.mark.parametrize("event", [{"type": 3, **CHUNK, **OBJECT}, {"type": ["x"], "done": True, "message": {}}, {}, 7])
def test_where_there_is_a_type_it_is_a_word(event: Any) -> None:
    """Anything else fits nothing."""
    assert rate(event) == {}


def test_the_search_ends_with_the_first_event_that_is_sure() -> None:
    """What comes after it is not read; raw text and events that cannot be read say nothing."""

    def events() -> Iterator[Any]:
        yield "[DONE]"
        yield {"raw": "{"}
        yield {"type": "ping"}
        yield {"type": "message_start"}
        raise AssertionError("read on")

    assert detect(events()) == "anthropic"


def test_the_best_of_several_maybes_wins_and_a_draw_is_told() -> None:
    """With the names of those that drew; and what fits nothing names all wires."""
    assert detect([{"type": "ping"}]) == "anthropic"
    with pytest.raises(AmbiguousWireError) as caught:
        detect([{"type": "finish"}])
    assert list(caught.value.candidates) == ["ai_sdk", "ai_sdk_ui"]
    assert detect([{"type": "finish"}, {"type": "abort"}, {"type": "tool-call"}]) == "ai_sdk"
    assert detect([{"type": "content_block_stop"}, {"type": "tool-call"}]) == "ai_sdk"  # one maybe is not enough
    with pytest.raises(UnknownWireError):
        detect([])
    with pytest.raises(UnknownWireError, match="fits no wire") as nothing:
        detect([{"a": 1}, "x"])
    assert list(nothing.value.known) == sorted(WIRES)


@pytest.mark.parametrize(
    ("scores", "winner", "read"),
    [
        ([{"a": 2}, {"b": 3}], "a", 1),
        ([{"a": 3, "b": 2}], "a", 1),
        ([{"a": 1}, {"a": 1}], "a", 2),
        ([{"a": 1}, {"b": 2}, {"a": 3}], "b", 2),
        ([{"b": 2, "a": 2}, {}, {"b": 3}, {"a": 3}], "b", 3),
        ([{"a": 1, "b": 1}, {"b": 1}], ["a", "b"], 2),
        ([{"b": 2, "a": 2, "c": 1}], ["a", "b"], 1),
        ([{}, {}], None, 2),
        ([], None, 0),
    ],
)
def test_the_search_ends_with_the_first_event_that_decides(
    monkeypatch: pytest.MonkeyPatch, scores: list[dict[str, int]], winner: Any, read: int
) -> None:
    """Else all are read, and equals are named."""
    monkeypatch.setattr("interlock.stream.detect.rate", lambda event: event)
    left = iter(scores)
    if isinstance(winner, str):
        assert detect(left) == winner
    elif winner is None:
        with pytest.raises(UnknownWireError):
            detect(left)
    else:
        with pytest.raises(AmbiguousWireError) as caught:
            detect(left)
        assert caught.value.candidates == tuple(winner)
    assert len(list(left)) == len(scores) - read


def test_a_call_of_the_package_ai_is_none_of_gemini_lives() -> None:
    """Both have a field `tool_call`; only one says its kind."""
    call = {"tool_call": {"id": "c"}}
    assert rate({**call, "kind": "tool_end"}) == {"ai_python": 2}
    assert rate(call) == {"gemini": 2}
