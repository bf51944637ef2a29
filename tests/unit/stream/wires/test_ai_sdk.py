"""Vercel AI SDK fullStream parts."""

from __future__ import annotations

from typing import Any

import pytest

from support.judging import executed, judged

START = {"type": "tool-input-start", "id": "c1", "toolName": "f"}
DELTAS = (
    {"type": "tool-input-delta", "id": "c1", "delta": '{"a"'},
    {"type": "tool-input-delta", "id": "c1", "delta": ": 1}"},
)
INPUT_END = {"type": "tool-input-end", "id": "c1"}
CALL = {"type": "tool-call", "toolCallId": "c1", "toolName": "f", "input": {"a": 1}}
BODY = ({"type": "start"}, {"type": "start-step", "request": {}}, START, *DELTAS, INPUT_END, CALL)


def step(reason: str = "tool-calls", raw: Any = None) -> dict[str, Any]:
    """The step ends."""
    return {"type": "finish-step", "finishReason": reason, "rawFinishReason": raw}


def finish(reason: str = "tool-calls", raw: Any = None) -> dict[str, Any]:
    """The run ends."""
    return {"type": "finish", "finishReason": reason, "rawFinishReason": raw}


RESULT = {"type": "tool-result", "toolCallId": "c1", "toolName": "f", "input": {"a": 1}, "output": "ok"}
ASKED = {"type": "tool-approval-request", "approvalId": "a", "toolCall": CALL}
ANSWER = {"type": "tool-approval-response", "approvalId": "a"}
GOT = [("c1", "f", {"a": 1})]


@pytest.mark.parametrize(
    "events",
    [
        (*BODY, step(), finish()),
        (*BODY, step("stop"), finish("stop")),
        (*BODY, step(raw="tool_use"), finish(raw="tool_use")),
        (*BODY, {"type": "tool-approval-request", "approvalId": "a", "toolCall": CALL}, step(), finish()),
        (*BODY, step(), finish(), {"type": "raw", "rawValue": {}}),
    ],
)
def test_healthy_runs_execute(events: tuple[Any, ...]) -> None:
    """An approval request is what a locked tool gives; raw chunks say nothing."""
    assert executed(judged("ai_sdk", events)) == GOT


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ((*BODY, step()), "stream_incomplete"),
        ((*BODY, finish()), "complete"),  # a consumer that filters the step parts out
        (BODY, "stream_incomplete"),
        ((*BODY[:-1], step(), finish()), "stream_incomplete"),
        ((*BODY, step("length"), finish("length")), "stream_incomplete"),
        ((*BODY, step(), finish("length")), "stream_incomplete"),
        ((*BODY, step("other"), finish("other")), "stream_incomplete"),
        ((*BODY, step("unknown"), finish("unknown")), "stream_incomplete"),
        ((*BODY, step("stop", "pause_turn"), finish("stop", "pause_turn")), "stream_incomplete"),
        ((*BODY, step("tool-calls", "max_messages"), finish()), "stream_incomplete"),
        ((*BODY, step("content-filter"), finish("content-filter")), "content_filtered"),
        ((*BODY, step("tool-calls", "SAFETY"), finish()), "content_filtered"),
        ((*BODY, step("error"), finish("error")), "provider_error"),
        ((*BODY, {"type": "error", "error": "x"}, step(), finish()), "provider_error"),
        ((*BODY, step(), finish(), {"type": "error", "error": "x"}), "protocol_violation"),
        ((*BODY, {"type": "abort"}), "stream_incomplete"),
        ((*BODY[:-1], {"type": "abort"}), "stream_incomplete"),
        ((*BODY, step(), finish(), {"type": "abort"}), "protocol_violation"),
        ((*BODY, step(), finish(), finish()), "protocol_violation"),
        ((*BODY, CALL, step(), finish()), "protocol_violation"),
        ((*BODY, START, step(), finish()), "protocol_violation"),
        ((*BODY, DELTAS[0], step(), finish()), "protocol_violation"),
        ((*BODY[:-1], {**CALL, "input": {"a": 2}}, step(), finish()), "protocol_violation"),
        ((*BODY[:-1], {**CALL, "toolName": "g"}, step(), finish()), "protocol_violation"),
        ((CALL, step(), finish()), "projection_only"),
        ((*BODY[:-1], {**CALL, "invalid": True, "input": '{"a"'}, step(), finish()), "malformed"),
        ((*BODY, RESULT, step(), finish()), "sdk_execution_observed"),
        ((*BODY, {**RESULT, "type": "tool-error"}, step(), finish()), "sdk_execution_observed"),
        ((*BODY, {"type": "tool-result", "output": 1}, step(), finish()), "sdk_execution_observed"),
        ((*BODY, step(), finish(), RESULT), "sdk_execution_observed"),
        ((*BODY[:-1], {**CALL, "providerExecuted": True}, step(), finish()), "protocol_violation"),
        ((*BODY, {**RESULT, "providerExecuted": True}, step(), finish()), "sdk_execution_observed"),
        ((*BODY, {"type": "tool-output-denied", "toolCallId": "c1"}, step(), finish()), "stream_incomplete"),
        ((*BODY, ASKED, {**ANSWER, "approved": False}, step(), finish()), "stream_incomplete"),
        ((*BODY, {**ANSWER, "approved": False, "toolCall": CALL}, step(), finish()), "stream_incomplete"),
        ((*BODY, {**ANSWER, "approved": False}, step(), finish()), "stream_incomplete"),
        ((*BODY, ASKED, {**ANSWER, "approved": True}, step(), finish()), "complete"),
        ((*BODY, {**ANSWER, "approved": False, "toolCall": {"toolCallId": "c9"}}, step(), finish()), "complete"),
    ],
)
def test_what_decides(events: tuple[Any, ...], reason: str) -> None:
    """Each deviation, alone, with the reason it gets."""
    report = judged("ai_sdk", events)
    assert report.decisions[0].reason == reason, report.to_json()
    assert bool(executed(report)) == (reason == "complete")


def test_provider_executed_calls_and_their_results() -> None:
    """The provider's own call is reported, and its result poisons nothing."""
    events = (
        {**START, "id": "s1", "toolName": "web_search", "providerExecuted": True},
        {"type": "tool-input-delta", "id": "s1", "delta": "{}"},
        {"type": "tool-call", "toolCallId": "s1", "toolName": "web_search", "input": {}, "providerExecuted": True},
        {"type": "tool-result", "toolCallId": "s1", "toolName": "web_search", "output": []},
        *BODY[2:],
        step(),
        finish(),
    )
    assert [d.reason for d in judged("ai_sdk", events).decisions] == ["server_executed", "complete"]


def test_one_end_for_the_whole_run() -> None:
    """A first step that completed does not execute when the run was cut later."""
    second = ({**START, "id": "c2"}, {"type": "tool-input-delta", "id": "c2", "delta": '{"b'})
    report = judged("ai_sdk", (*BODY, step(), *second, step("length"), finish("length")))
    assert [d.action for d in report.decisions] == ["retry", "retry"]


def test_the_tokens_of_one_step_count() -> None:
    """A step that used up the bound may have been cut; what all steps used together says nothing."""
    for used, want in ((99, "execute"), (100, "retry")):
        events = (*BODY, {**step(), "usage": {"outputTokens": used}}, {**finish(), "totalUsage": {"outputTokens": 900}})
        assert judged("ai_sdk", events, max_output_tokens=100).decisions[0].action == want
