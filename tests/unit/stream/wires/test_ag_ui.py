"""AG-UI: runs, chunks, sub-agents, snapshots, and the words that hide in them."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.stream.wires.ag_ui import END_REASONS
from support.judging import executed, judged

TEXT = '{"a":1}'
GOOD = ("execute", "complete")
PAUSED = ("retry", "stream_incomplete")
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
        {"rawEvent": {"event": {"data": {"chunk": {"candidates": [{"finishReason": "MAX_TOKENS"}]}}}}},
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


@pytest.mark.parametrize(
    "data",
    [
        {
            "event": "on_chain_start",
            "data": {"input": {"messages": [{"response_metadata": {"finish_reason": "length"}}]}},
        },
        {"event": "on_chain_end", "data": {"output": {"log": [{"response_metadata": {"finish_reason": "length"}}]}}},
        {"event": "on_chat_model_end", "data": {"input": {"messages": [[{"stop_reason": "stop_sequence"}]]}}},
        {"request": {"messages": [{"finish_reason": "length"}]}, "history": [{"finish_reason": "length"}]},
    ],
)
def test_the_words_of_what_a_model_was_given_are_old(data: Any) -> None:
    """An earlier answer in the history may have been cut; the model's own output may not."""
    raw = {"type": "RAW", "event": data}
    assert verdicts(raw, *call(), raw, {**FINISH, "rawEvent": data}) == [GOOD]
    cut = {"output": {"response_metadata": {"finish_reason": "length"}}}
    for event in ("on_chat_model_end", "on_llm_end", "brand_new"):
        assert verdicts(*call(), {"type": "RAW", "event": {"event": event, "data": cut}}, FINISH) == [PAUSED]


@pytest.mark.parametrize("name", ["on_interrupt", "LangGraphInterruptEvent", "CopilotKitLangGraphInterruptEvent"])
def test_an_interrupt_may_be_a_custom_event(name: str) -> None:
    """Of a bridge that then ends the run without an outcome; it holds for that run only."""
    asks = {"type": "CUSTOM", "name": name, "value": {"action_requests": [{"name": "f", "args": {"a": 1}}]}}
    state = {"type": "STATE_SNAPSHOT", "snapshot": {}}
    assert verdicts(*call(), asks, state, FINISH) == [PAUSED]
    assert verdicts(asks, *call(), outcome("success")) == [PAUSED]
    assert verdicts(*call(), FINISH, asks) == [PAUSED]
    assert verdicts(*call(), {**FINISH, "interrupt": {"id": "i"}}) == [PAUSED]
    assert verdicts(asks, FINISH, START, *call(), FINISH) == [GOOD]
    assert verdicts(*call(), {**asks, "name": "progress"}, FINISH) == [GOOD]


def test_an_interrupt_of_the_packages_own_events_pauses() -> None:
    """As the bridge of LangGraph sends them."""
    core = pytest.importorskip("ag_ui.core")
    events = [
        core.ToolCallStartEvent(tool_call_id="c1", tool_call_name="f"),
        core.ToolCallArgsEvent(tool_call_id="c1", delta=TEXT),
        core.ToolCallEndEvent(tool_call_id="c1"),
        core.MessagesSnapshotEvent(messages=[]),
        core.RunFinishedEvent(thread_id="t", run_id="r"),
    ]
    asks = core.CustomEvent(name="on_interrupt", value="?")
    assert verdicts(*events) == [GOOD]
    assert verdicts(*events[:3], asks, *events[3:]) == [PAUSED]


def snapshot(name: str, arguments: str) -> Any:
    """All messages: one call."""
    calls = [{"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}]
    return {"type": "MESSAGES_SNAPSHOT", "messages": [{"role": "assistant", "toolCalls": calls}]}


@pytest.mark.parametrize(
    ("streamed", "repeated", "good"),
    [
        (TEXT, '{"a": 1}', True),
        (' {"a":\n1.0} ', '{"a": 1}', True),
        ('{"a":"\u00e4","b":2}', '{"b": 2, "a": "\\u00e4"}', True),
        ("", "{}", True),
        ("", "", True),
        ("{}", "{ }", True),
        (TEXT, '{"a": true}', False),
        (TEXT, '{"a": 1', False),
        (TEXT, "{'a': 1}", False),
        (TEXT, '{"a": 1, "a": 1}', False),
        (TEXT, "", False),
        (TEXT, "{}", False),
        ("{}", TEXT, False),
        ("", TEXT, False),
        ("", "null", False),
    ],
)
@pytest.mark.parametrize("trusted", [False, True])
def test_a_snapshot_repeats_the_value_and_not_its_text(streamed: str, repeated: str, good: bool, trusted: bool) -> None:
    """Producers write it anew; another value, or no strict JSON, is a contradiction, and alone it proves nothing."""
    whole = [event("START", toolCallName="f"), event("ARGS", delta=streamed), event("END")]
    options = {"trust_projections": trusted, "tools": {"f": {"type": "object"}}}
    seen = snapshot("f", repeated)
    assert (verdicts(*whole, seen, FINISH, **options) == [GOOD]) is good
    assert (verdicts(*whole, seen, seen, FINISH, **options) == [GOOD]) is good
    shorthand = [chunk(streamed, toolCallId="c1", toolCallName="f"), seen]
    assert (verdicts(*shorthand, FINISH, **options) == [GOOD]) is good


def test_a_snapshot_must_agree() -> None:
    """With the name and the arguments."""
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


@pytest.mark.parametrize(
    "kind", ["RAW", "ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA", "REASONING_ENCRYPTED_VALUE", "SUBAGENT_STARTED"]
)
def test_some_events_leave_an_open_chunk_open(kind: str) -> None:
    """As the protocol's own client does; any other closes it, and the call is cut."""
    events = [chunk(TEXT[:3], toolCallId="c1", toolCallName="f"), {"type": kind}, chunk(TEXT[3:])]
    assert verdicts(*events, FINISH) == [GOOD]
    for other in ("STATE_DELTA", "CUSTOM", "STEP_STARTED", "ACTIVITY_OTHER", None, ["RAW"]):
        assert verdicts(events[0], {"type": other}, events[2], FINISH) != [GOOD]


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
