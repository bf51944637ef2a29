"""What each wire does with what servers seldom send: ids that come late, ends without a start, whole calls at once."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from support.judging import executed, judged
from support.wires import ARGUMENTS, TEXT, anthropic, bedrock, chat, cohere, realtime, responses

GOOD = [("execute", "complete")]
BROKEN = [("reject", "protocol_violation")]
OPEN = [("retry", "stream_incomplete")]


def verdicts(wire: str, events: list[Any], **options: Any) -> list[tuple[str, str]]:
    """Action and reason of each decision."""
    return [(one.action, one.reason) for one in judged(wire, events, **options).decisions]


def changed(events: list[Any], **changes: Any) -> list[Any]:
    """A copy of a stream with fields of its call items removed (`...`) or set, wherever they are."""

    def walk(value: Any) -> Any:
        if isinstance(value, list):
            return [walk(one) for one in value]
        if not isinstance(value, dict):
            return value
        out = {key: walk(one) for key, one in value.items()}
        if value.get("type") == "function_call":
            out |= changes
        return {key: one for key, one in out.items() if one is not ...}

    return [walk(event) for event in copy.deepcopy(events)]


RESPONSES = responses("completed")
ADDED, ARGUMENTS_DONE, ITEM_DONE, END = 1, 4, 5, 6


@pytest.mark.parametrize("field", ["call_id", "name"])
def test_responses_may_name_a_call_late(field: str) -> None:
    """The item opens without it; its later copies hold it."""
    events = json.loads(json.dumps(RESPONSES))
    del events[ADDED]["item"][field]
    assert executed(judged("openai_responses", events)) == [("c1", "f", ARGUMENTS)]
    events[END]["response"]["output"][0][field] = "other"
    assert verdicts("openai_responses", events) == BROKEN


def test_responses_count_the_tokens_of_the_end() -> None:
    """Of the terminal event's usage."""
    events = copy.deepcopy(RESPONSES)
    events[END]["response"]["usage"] = {"output_tokens": 64}
    assert verdicts("openai_responses", events, max_output_tokens=65) == GOOD
    assert verdicts("openai_responses", events, max_output_tokens=64) == OPEN


def test_responses_items_that_are_no_calls_say_nothing() -> None:
    """Reasoning and messages, streamed, or only done."""
    others = [
        {"type": f"response.output_item.{when}", "output_index": at, "item": {"type": kind, "id": f"x{at}"}}
        for at, kind in ((5, "reasoning"), (6, "message"))
        for when in ("added", "done")
    ]
    for more in (others, others[1::2]):
        events = [{**event, "sequence_number": n} for n, event in enumerate([*RESPONSES[:-1], *more, RESPONSES[-1]])]
        output = [one["item"] for one in more if one["type"].endswith("done")]
        events[-1] = copy.deepcopy(events[-1])
        events[-1]["response"]["output"] += output
        assert verdicts("openai_responses", events) == GOOD


def test_responses_that_begin_anew_replace_what_had_not_ended() -> None:
    """Another response id: the first one's call can never be confirmed."""
    second = copy.deepcopy(RESPONSES)
    for event in second:
        if "response" in event:
            event["response"]["id"] = "resp_2"
    second = changed(second, call_id="c2")
    events = [{**event, "sequence_number": n} for n, event in enumerate([*RESPONSES[:ITEM_DONE], *second])]
    assert [one[0] for one in verdicts("openai_responses", events)] == ["retry", "execute"]


REALTIME = realtime("completed")


def test_realtime_may_name_a_call_late() -> None:
    """The item opens without its id; its deltas hold it."""
    events = copy.deepcopy(REALTIME)
    del events[1]["item"]["call_id"]
    assert executed(judged("openai_realtime", events, end="still_open")) == [("c1", "f", ARGUMENTS)]
    for at in range(2, 5):
        events[at].pop("call_id", None)
    assert executed(judged("openai_realtime", events, end="still_open")) == [("c1", "f", ARGUMENTS)]


def test_realtime_items_that_are_no_calls_say_nothing() -> None:
    """A message that is only done."""
    message = {"type": "response.output_item.done", "response_id": "r1", "item": {"id": "m", "type": "message"}}
    assert verdicts("openai_realtime", [*REALTIME[:-1], message, REALTIME[-1]], end="still_open") == GOOD


def test_bedrock_objects_are_no_exceptions() -> None:
    """Only a mapping names one."""

    class Odd:
        """No mapping, and no field."""

    assert verdicts("bedrock_converse", [*bedrock("tool_use"), Odd()]) == GOOD


def test_cohere_may_open_a_call_with_its_arguments() -> None:
    """All of them, or the first."""
    events = cohere("TOOL_CALL")
    events[1]["delta"]["message"]["tool_calls"]["function"]["arguments"] = TEXT
    assert executed(judged("cohere_v2", [*events[:2], *events[4:]])) == [("c1", "f", ARGUMENTS)]
    assert executed(judged("cohere_v2", events)) == []


def test_a_custom_tools_fragment_with_a_bad_index_belongs_to_nobody() -> None:
    """Chat Completions."""
    events = chat("tool_calls")
    odd = copy.deepcopy(events[1])
    odd["choices"][0]["delta"]["tool_calls"] = [{"index": -1, "custom": {"name": "g", "input": "x"}}]
    assert verdicts("openai_chat", [*events[:-1], odd, events[-1]]) == BROKEN


@pytest.mark.parametrize("kind", ["tool-input-start", "tool-call"])
def test_an_sdk_part_without_an_id_is_a_violation(kind: str) -> None:
    """Nothing can be attributed."""
    events = [
        {"type": "tool-input-start", "id": "c", "toolName": "f"},
        {"type": "tool-input-delta", "id": "c", "delta": "{}"},
        {"type": "tool-call", "toolCallId": "c", "toolName": "f", "input": {}},
        {"type": "finish-step", "finishReason": "tool-calls"},
        {"type": "finish", "finishReason": "tool-calls"},
    ]
    assert verdicts("ai_sdk", events) == GOOD
    assert verdicts("ai_sdk", [*events[:3], {"type": kind, "toolName": "f", "input": {}}, *events[3:]])[0] == BROKEN[0]


@pytest.mark.parametrize("kind", ["message_delta", "message_stop", "content_block_start", "content_block_delta"])
def test_a_claude_agents_event_without_its_message_is_late(kind: str) -> None:
    """Before any message began, and after it stopped."""
    inner = anthropic("tool_use")
    event = next(one for one in inner if one["type"] == kind)
    events = [{"type": "stream_event", "event": one, "parent_tool_use_id": None} for one in inner]
    end = {"type": "result", "subtype": "success", "is_error": False, "terminal_reason": "completed"}
    odd = {"type": "stream_event", "event": event, "parent_tool_use_id": None}
    assert verdicts("claude_agent", [*events, end]) == GOOD
    assert verdicts("claude_agent", [*events, odd, end]) == BROKEN
    codes = [d.code for d in judged("claude_agent", [odd, *events, end]).diagnostics]
    assert "E_LATE_EVENT" in codes


def test_a_builtin_tools_end_without_a_start_is_still_the_providers() -> None:
    """The AI SDK for Python."""
    events = [
        {"kind": "stream_start", "message": {"id": "m1"}},
        {"kind": "builtin_tool_end", "tool_call_id": "s", "tool_call": {"tool_call_id": "s", "tool_name": "search"}},
        {"kind": "stream_end", "finish_reason": "tool_call"},
    ]
    assert verdicts("ai_python", events) == [("reject", "server_executed")]


@pytest.mark.parametrize("late", ["f", "g"])
def test_a_python_sdks_call_may_be_named_by_its_end(late: str) -> None:
    """Where the start had no name; a second name is a conflict."""
    end = {"tool_call_id": "c", "tool_name": late, "tool_args": "{}"}
    for name in (None, "f"):
        events = [
            {"kind": "stream_start", "message": {"id": "m1"}},
            {"kind": "tool_start", "tool_call_id": "c", "tool_name": name},
            {"kind": "tool_delta", "tool_call_id": "c", "chunk": "{}"},
            {"kind": "tool_end", "tool_call_id": "c", "tool_call": end},
            {"kind": "stream_end", "finish_reason": "tool_call"},
        ]
        if name is None or name == late:
            assert executed(judged("ai_python", events)) == [("c", late, {})]
        else:
            assert executed(judged("ai_python", events)) == []


def test_a_gemini_turn_that_was_interrupted_is_cancelled_even_when_it_says_complete() -> None:
    """Live: both words in one message."""
    call = {"toolCall": {"functionCalls": [{"id": "c", "name": "f", "args": {"a": 1}}]}}
    for content, want in (
        ({"turnComplete": True}, [("execute", "complete")]),
        ({"turnComplete": True, "interrupted": True}, OPEN),
        ({"interrupted": True}, OPEN),
    ):
        assert verdicts("gemini", [call, {"serverContent": content}], trust_projections=True) == want


def test_reasons_are_searched_only_so_deep() -> None:
    """AG-UI: a producer's metadata may hold a provider's own event, and anything else."""

    def run(levels: int) -> list[tuple[str, str]]:
        raw: Any = {"finish_reason": "length"}
        for _ in range(levels):
            raw = {"x": raw}
        return verdicts(
            "ag_ui",
            [
                {"type": "RUN_STARTED", "runId": "r", "threadId": "t"},
                {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"},
                {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{}"},
                {"type": "TOOL_CALL_END", "toolCallId": "c", "rawEvent": raw},
                {"type": "RUN_FINISHED", "runId": "r", "threadId": "t", "finishReason": "stop"},
            ],
        )

    found = [run(levels) for levels in range(9)]
    assert found[:6] == [OPEN] * 6 and found[6:] == [GOOD] * 3


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ({"message": "internal error", "id": "1"}, "internal error"),
        ({"type": "error"}, "error"),
        ({"error": "bad"}, "bad"),
        ({"error": {"a": 1}}, "error"),
        ({"id": "x"}, None),
        ({"message": {"a": 1}}, None),
    ],
)
def test_cohere_tells_an_error_in_its_own_words(error: Any, said: str | None) -> None:
    """As far as they are words; an object that reports nothing is no error."""
    (decision,) = judged("cohere_v2", [*cohere("TOOL_CALL")[:-1], error]).decisions
    assert decision.evidence.provider_reason == said
    assert decision.reason == ("stream_incomplete" if said is None else "provider_error")


@pytest.mark.parametrize("kind", ["tool-result", "tool-error"])
def test_a_result_that_names_no_call_is_evidence_unless_it_is_the_providers(kind: str) -> None:
    """The AI SDK."""
    events = [
        {"type": "tool-input-start", "id": "c", "toolName": "f"},
        {"type": "tool-input-delta", "id": "c", "delta": "{}"},
        {"type": "tool-call", "toolCallId": "c", "toolName": "f", "input": {}},
        {"type": kind},
        {"type": "finish-step", "finishReason": "tool-calls"},
        {"type": "finish", "finishReason": "tool-calls"},
    ]
    assert verdicts("ai_sdk", events) == [("reject", "sdk_execution_observed")]
    events[3]["providerExecuted"] = True
    assert verdicts("ai_sdk", events) == GOOD


def test_a_result_on_ollama_speaks_against_the_call_that_it_names() -> None:
    """And against every call when it names none."""

    def line(**message: Any) -> dict[str, Any]:
        return {"message": {"role": "assistant", "content": "", **message}, "done": False}

    calls = [{"id": id, "function": {"name": "f", "arguments": {"a": 1}}} for id in ("c1", "c2")]
    done = {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"}
    healthy = [line(content="Let me see."), line(thinking="hm"), line(tool_calls=calls)]
    for result, actions in (
        (None, ["execute", "execute"]),
        ({"role": "tool", "content": "42", "tool_call_id": "c1"}, ["reject", "execute"]),
        ({"role": "tool", "content": "42"}, ["reject", "reject"]),
    ):
        events = [*healthy, *([] if result is None else [{"message": result, "done": False}]), done]
        decisions = judged("ollama", events, trust_projections=True).decisions
        assert [decision.action for decision in decisions] == actions
        assert {d.reason for d in decisions if d.action == "reject"} <= {"sdk_execution_observed"}


def test_a_part_of_the_ui_stream_without_an_id_speaks_against_its_step() -> None:
    part = {"toolCallId": "c", "toolName": "f"}
    events: list[Any] = [
        {"type": "start-step"},
        {"type": "tool-input-start", **part},
        {"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": "{}"},
        {"type": "tool-input-available", **part, "input": {}},
        {"type": "tool-input-start", "toolName": "f"},
        {"type": "finish-step"},
        {"type": "finish", "finishReason": "tool-calls"},
    ]
    assert [d.reason for d in judged("ai_sdk_ui", events).decisions] == ["protocol_violation"]
    del events[4]
    assert [d.reason for d in judged("ai_sdk_ui", events).decisions] == ["complete"]


def test_events_of_one_lane_belong_together_whoever_wrote_its_name() -> None:
    item = {"type": "function_call", "id": "fc", "call_id": "c", "name": "f", "arguments": ""}
    whole = {**item, "arguments": "{}", "status": "completed"}
    events = [
        {"type": "response.created", "response": {"id": "r"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.function_call_arguments.delta", "output_index": 0, "item_id": "fc", "delta": "{}"},
        {"type": "response.output_item.done", "output_index": 0, "item": whole},
        {"type": "response.completed", "response": {"id": "r", "status": "completed", "output": [whole]}},
    ]
    in_lane = json.loads(json.dumps([{**event, "stream_id": "lane-1"} for event in events]))
    assert [d.action for d in judged("openai_responses", in_lane).decisions] == ["execute"]
    in_lane[-1]["stream_id"] = "lane-2"  # the other lane's end confirms nothing here
    assert [d.action for d in judged("openai_responses", in_lane).decisions] != ["execute"]


def test_a_second_message_begins_with_no_open_block() -> None:
    """What the first message left open is its own trouble."""
    block = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
    whole: list[Any] = [
        {"type": "message_start", "message": {"id": "m2"}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "{}"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        {"type": "message_stop"},
    ]
    cut = [
        {"type": "message_start", "message": {"id": "m1"}},
        {"type": "content_block_start", "index": 5, "content_block": {**block, "id": "t0"}},
    ]
    decisions = judged("anthropic", [*cut, *whole]).decisions
    assert [(d.call_id, d.action) for d in decisions] == [("t0", "retry"), ("t", "execute")]


@pytest.mark.parametrize(("said", "reason"), [("length", "length"), ("model_length", "length"), ("stop", "complete")])
def test_mistral_says_length_in_two_ways(said: str, reason: str) -> None:
    call = {"id": "a" * 9, "index": 0, "function": {"name": "f", "arguments": "{}"}}
    events = [{"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": said}]}, "[DONE]"]
    (decision,) = judged("mistral", events).decisions
    assert decision.evidence.end_reason == reason
    assert (decision.action == "execute") == (reason == "complete")
