"""AG-UI: runs, chunks, sub-agents, snapshots, and the words that hide in them."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.stream.wires.ag_ui import END_REASONS
from support.judging import executed, judged

TEXT = '{"a":1}'
GOOD = ("execute", "complete")
START: Any = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
FINISH: Any = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}


def event(kind: str, id: Any = "c1", **fields: Any) -> dict[str, Any]:
    """An event about a call."""
    return {"type": f"TOOL_CALL_{kind}", "toolCallId": id, **fields}


def call(id: str = "c1", **fields: Any) -> list[Any]:
    """A whole call."""
    deltas = [event("ARGS", id, delta=delta, **fields) for delta in (TEXT[:3], TEXT[3:])]
    return [event("START", id, toolCallName="f", **fields), *deltas, event("END", id, **fields)]


def chunk(delta: str | None = None, **fields: Any) -> dict[str, Any]:
    """The shorthand."""
    return {"type": "TOOL_CALL_CHUNK", "delta": delta, **fields}


def outcome(kind: str, **fields: Any) -> dict[str, Any]:
    """A finished run."""
    return {**FINISH, "outcome": {"type": kind, **fields}}


def verdicts(*events: Any, **options: Any) -> list[tuple[str, str]]:
    """Action and reason of each decision."""
    return [(one.action, one.reason) for one in judged("ag_ui", [START, *events], **options).decisions]


@pytest.mark.parametrize("word", [*END_REASONS, "brand_new", ""])
def test_only_listed_outcomes_confirm(word: str) -> None:
    """Each documented outcome, and ones that are not."""
    assert (verdicts(*call(), outcome(word)) == [GOOD]) is (word == "success")


def test_a_run_without_an_outcome_is_a_success() -> None:
    """As the protocol says; one that was cut is not."""
    assert verdicts(*call(), FINISH) == [GOOD]
    assert verdicts(*call()) == [("retry", "stream_incomplete")]
    assert verdicts(*call(), {"type": "RUN_ERROR", "message": "x"}) == [("reject", "provider_error")]


@pytest.mark.parametrize(
    "carrier",
    [
        {"metadata": {"tanstack": {"finishReason": "length"}}},
        {"rawEvent": {"choices": [{"index": 0, "finish_reason": "length"}]}},
        {"rawEvent": {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}},
        {"rawEvent": {"candidates": [{"finishReason": "MAX_TOKENS"}]}},
        {"rawEvent": {"response": {"incomplete_details": {"reason": "max_output_tokens"}}}},
    ],
)
def test_a_word_against_completion_is_found_where_producers_keep_it(carrier: Any) -> None:
    """In metadata, and in the provider's own event."""
    assert verdicts(*call(), {**outcome("success"), **carrier}) == [("retry", "stream_incomplete")]
    if "rawEvent" in carrier:
        earlier = {"type": "TEXT_MESSAGE_END", "messageId": "m", **carrier}
        assert verdicts(*call(), earlier, FINISH) == [("retry", "stream_incomplete")]
        assert verdicts(*call(), {"type": "RAW", "event": carrier["rawEvent"]}, FINISH) == [
            ("retry", "stream_incomplete")
        ]


def test_a_good_word_changes_nothing() -> None:
    """And the next run begins without the last one's."""
    stop = {"type": "RAW", "event": {"choices": [{"finish_reason": "tool_calls"}]}}
    assert verdicts(*call(), stop, FINISH) == [GOOD]
    length = {"type": "RAW", "event": {"choices": [{"finish_reason": "length"}]}}
    assert verdicts(length, FINISH, START, *call(), FINISH) == [GOOD]


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ([event("RESULT", messageId="m", content="1")], "sdk_execution_observed"),
        ([{"type": "TOOL_CALL_RESULT", "content": "1"}], "sdk_execution_observed"),
        ([{"type": "MESSAGES_SNAPSHOT", "messages": [{"role": "tool", "toolCallId": "c1"}]}], "sdk_execution_observed"),
        ([event("ARGS", delta=" ")], "protocol_violation"),
        ([event("END")], "protocol_violation"),
        ([event("START", toolCallName="f")], "protocol_violation"),
        ([{"type": "SUBAGENT_ERROR", "message": "x"}], "provider_error"),
        ([{"type": "SUBAGENT_FINISHED", "outcome": {"type": "suspended"}}], "stream_incomplete"),
        ([{"type": "SUBAGENT_FINISHED"}], "complete"),
        ([FINISH], "protocol_violation"),
        ([START], "stream_incomplete"),
    ],
)
def test_later_evidence_counts(events: list[Any], reason: str) -> None:
    """Between a whole call and the run's end."""
    assert verdicts(*call(), *events, FINISH)[0][1] == reason


def test_a_snapshot_must_agree() -> None:
    """With the name and the arguments."""

    def snapshot(name: str, arguments: str) -> Any:
        calls = [{"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}]
        return {"type": "MESSAGES_SNAPSHOT", "messages": [{"role": "assistant", "toolCalls": calls}]}

    assert verdicts(*call(), snapshot("f", TEXT), FINISH) == [GOOD]
    assert verdicts(*call(), snapshot("f", '{"a":2}'), FINISH) == [("reject", "protocol_violation")]
    assert verdicts(*call(), snapshot("g", TEXT), FINISH) == [("reject", "protocol_violation")]


@pytest.mark.parametrize(
    ("pending", "good"),
    [(["c1"], True), ([], True), (None, True), (["c2"], False), (["c1", "c2"], False), ([7], False)],
)
def test_pending_calls_are_exactly_those_without_a_result(pending: Any, good: bool) -> None:
    """An empty list is like none: the protocol leaves it to the stream. One that cannot be read agrees with nothing."""
    assert (verdicts(*call(), outcome("success", pendingToolCallIds=pending)) == [GOOD]) is good


def test_a_pending_call_must_have_no_result() -> None:
    """And one with a result must not be pending."""
    result = event("RESULT", "c2", messageId="m", content="1")
    events = [*call(), *call("c2"), result]
    assert verdicts(*events, outcome("success", pendingToolCallIds=["c1"])) == [
        GOOD,
        ("reject", "sdk_execution_observed"),
    ]


def test_chunks_open_continue_and_close_calls() -> None:
    """Without an id they continue; another id, or another event, closes."""
    events = [
        chunk(TEXT[:3], toolCallId="c1", toolCallName="f"),
        {"type": "RAW", "event": {}},
        chunk(TEXT[3:]),
        chunk("{", toolCallId="c2", toolCallName="g"),
        chunk("}", toolCallId="c2"),
        {"type": "TEXT_MESSAGE_START", "messageId": "m"},
    ]
    assert executed(judged("ag_ui", [START, *events, FINISH])) == [("c1", "f", {"a": 1}), ("c2", "g", {})]
    assert verdicts(*events, chunk(" ", toolCallId="c2"), FINISH)[1] == ("reject", "protocol_violation")
    assert verdicts(chunk("{}"), FINISH) == []


@pytest.mark.parametrize(("first", "second"), [("s", "t"), ("s", None), (None, "s")])
def test_a_chunk_without_an_id_is_not_of_another_sub_agents_call(first: str | None, second: str | None) -> None:
    """It cannot be attributed; with an id it opens a call of its own."""
    opened = chunk('{"a":1', toolCallId="c1", toolCallName="f", subagentRunId=first)
    assert verdicts(opened, chunk("}", subagentRunId=first), FINISH) == [GOOD]
    assert verdicts(opened, chunk("}", subagentRunId=second), FINISH) == [("reject", "protocol_violation")]
    whole = [chunk(TEXT, toolCallId="c1", toolCallName="f", subagentRunId=one) for one in (first, second)]
    assert len(verdicts(*whole, FINISH)) == 2


def test_a_chunk_must_not_rename_its_call() -> None:
    """A second name is a contradiction."""
    events = [chunk(TEXT, toolCallId="c1", toolCallName="f"), chunk("", toolCallName="g"), FINISH]
    assert verdicts(*events) == [("reject", "protocol_violation")]


def test_sub_agents_are_told_apart() -> None:
    """The same id in two of them; one fails."""
    failed = {"type": "SUBAGENT_ERROR", "subagentRunId": "s", "message": "x"}
    got = verdicts(*call("c1", subagentRunId="s"), *call("c2"), failed, FINISH)
    assert got == [("reject", "provider_error"), GOOD]


def test_runs_follow_one_another() -> None:
    """Each ends for itself."""
    assert verdicts(*call(), FINISH, START, *call("c2"), outcome("cancelled")) == [GOOD, ("retry", "stream_incomplete")]
    assert verdicts(FINISH, *call()) == [("reject", "protocol_violation")]
