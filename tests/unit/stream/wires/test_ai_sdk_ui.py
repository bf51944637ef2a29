"""The AI SDK's UI message stream: what a browser gets."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.stream.wires.ai_sdk_ui import END_REASONS
from support.judging import executed, judged


def part(kind: str, id: Any = "c1", **fields: Any) -> dict[str, Any]:
    """A chunk about a call."""
    return {"type": kind, "toolCallId": id, **fields}


def call(id: str = "c1", **fields: Any) -> list[Any]:
    """A whole call."""
    return [
        part("tool-input-start", id, toolName="f", **fields),
        part("tool-input-delta", id, inputTextDelta='{"a"'),
        part("tool-input-delta", id, inputTextDelta=":1}"),
        part("tool-input-available", id, toolName="f", input={"a": 1}, **fields),
    ]


START = [{"type": "start", "messageId": "m"}, {"type": "start-step"}]
STEP_END = {"type": "finish-step"}
FINISH = {"type": "finish", "finishReason": "tool-calls"}
GOOD = ("execute", "complete")


def verdicts(*events: Any, **options: Any) -> list[tuple[str, str]]:
    """Action and reason of each decision."""
    return [(one.action, one.reason) for one in judged("ai_sdk_ui", [*START, *events], **options).decisions]


@pytest.mark.parametrize("word", [*END_REASONS, "brand-new"])
def test_only_listed_words_confirm(word: str) -> None:
    """Each documented reason, and one that is not."""
    got = verdicts(*call(), STEP_END, {"type": "finish", "finishReason": word})
    good = END_REASONS.get(word) == "complete"
    assert (got == [GOOD]) is good
    assert good is (word in ("stop", "tool-calls"))


def test_a_finish_without_a_reason_confirms_by_opt_in_only() -> None:
    """Senders of v5 leave it out."""
    events = [*call(), STEP_END, {"type": "finish"}, "[DONE]"]
    assert verdicts(*events) == [("retry", "stream_incomplete")]
    assert verdicts(*events, confirm_on_done=True) == [GOOD]
    assert verdicts(*events, {"type": "start-step"}, confirm_on_done=True) == [("reject", "protocol_violation")]


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ([part("tool-output-available", output=1)], "sdk_execution_observed"),
        ([part("tool-output-available", output=1, preliminary=True)], "sdk_execution_observed"),
        ([part("tool-output-error", errorText="x")], "sdk_execution_observed"),
        ([{"type": "tool-output-available", "output": 1}], "sdk_execution_observed"),
        ([part("tool-approval-request", approvalId="p")], "stream_incomplete"),
        ([part("tool-output-denied")], "stream_incomplete"),
        ([{"type": "tool-approval-request", "approvalId": "p"}], "stream_incomplete"),
        ([{"type": "reset-step"}], "stream_incomplete"),
        ([STEP_END, {"type": "start-step"}], "stream_incomplete"),
        ([{"type": "abort"}], "stream_incomplete"),
        ([{"type": "error", "errorText": "x"}], "provider_error"),
        ([part("tool-input-delta", inputTextDelta=" ")], "protocol_violation"),
        ([part("tool-input-available", toolName="f", input={"a": 1})], "protocol_violation"),
        ([part("tool-input-start", toolName="f")], "protocol_violation"),
        ([part("tool-input-error", toolName="f", input="{", errorText="x")], "protocol_violation"),
        ([FINISH], "protocol_violation"),
    ],
)
def test_later_evidence_disqualifies(events: list[Any], reason: str) -> None:
    """Between a whole call and a good finish."""
    assert [got for _, got in verdicts(*call(), *events, STEP_END, FINISH)] == [reason]


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        (part("tool-input-available", toolName="f", input={"a": 2}), "protocol_violation"),
        (part("tool-input-available", toolName="f", input={"a": True}), "protocol_violation"),
        (part("tool-input-available", toolName="g", input={"a": 1}), "protocol_violation"),
        (part("tool-input-available", toolName="f", input={"a": 1}, providerExecuted=True), "protocol_violation"),
        (part("tool-input-error", toolName="f", input="{", errorText="x"), "malformed"),
    ],
)
def test_the_final_part_must_agree(last: Any, reason: str) -> None:
    """The value, the name, who runs it."""
    assert [got for _, got in verdicts(*call()[:-1], last, STEP_END, FINISH)] == [reason]


def test_a_value_without_text_is_a_projection() -> None:
    """Nothing was streamed."""
    events = [call()[-1], STEP_END, FINISH]
    assert verdicts(*events) == [("reject", "projection_only")]
    assert verdicts(*events, trust_projections=True) == [GOOD]


def test_an_input_that_never_became_available_is_not_whole() -> None:
    """The text alone proves nothing."""
    assert verdicts(*call()[:-1], STEP_END, FINISH) == [("retry", "stream_incomplete")]


def test_the_providers_calls_are_reported_and_their_results_ignored() -> None:
    """A result of the provider's call says nothing of the client's."""
    events = [
        *call("s", providerExecuted=True),
        part("tool-output-available", "s", output=1, providerExecuted=True),
        *call(),
    ]
    assert verdicts(*events, STEP_END, FINISH) == [("reject", "server_executed"), GOOD]


def test_a_step_that_is_done_again_may_use_the_same_ids() -> None:
    """What was withdrawn stays so; the new call stands on its own."""
    report = judged("ai_sdk_ui", [*START, *call(), {"type": "reset-step"}, *call(), STEP_END, FINISH])
    assert [one.action for one in report.decisions] == ["retry", "execute"]
    assert executed(report) == [("c1", "f", {"a": 1})]


def test_a_call_after_a_finished_step_is_of_the_next_one() -> None:
    """Also without a `start-step`, and when it comes whole; the first one's end is not known."""
    for begun in ([], [{"type": "start-step"}]):
        events = [*call(), STEP_END, *begun, *call("c2"), STEP_END, FINISH]
        assert verdicts(*events) == [("retry", "stream_incomplete"), GOOD]
        events[5 + len(begun) : -2] = [call("c2")[-1]]
        assert verdicts(*events, trust_projections=True) == [("retry", "stream_incomplete"), GOOD]


def test_a_held_call_holds_no_other() -> None:
    """The approval names one of two."""
    events = [*call(), *call("c2"), part("tool-approval-request", approvalId="p"), STEP_END, FINISH]
    assert verdicts(*events) == [("retry", "stream_incomplete"), GOOD]


@pytest.mark.parametrize(
    ("late", "good"),
    [
        ({"type": "data-title", "data": "x", "transient": True}, True),
        ({"type": "message-metadata", "messageMetadata": {}}, True),
        ({"type": "source-url", "sourceId": "s", "url": "u"}, True),
        ({"type": "source-document", "sourceId": "s", "mediaType": "m", "title": "t"}, True),
        ({"type": "text-delta", "id": "t", "delta": "x"}, False),
        ({"type": "finish-step"}, False),
        ({"type": "brand-new"}, False),
        ({"type": None}, False),
    ],
)
def test_parts_of_the_sender_may_follow_a_finish_without_a_reason(late: Any, good: bool) -> None:
    """They are no model's."""
    events = [*call(), STEP_END, {"type": "finish"}, late, "[DONE]"]
    assert verdicts(*events, confirm_on_done=True) == [GOOD if good else ("reject", "protocol_violation")]
