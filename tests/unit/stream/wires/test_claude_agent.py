"""Claude Agent SDK: Anthropic's events inside a query, and what the command line did."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.stream.wires.claude_agent import END_REASONS
from support.judging import codes, executed, judged
from support.wires import ARGUMENTS, anthropic

GOOD = ("execute", "complete")
CUT = ("retry", "stream_incomplete")


def stream(events: list[Any], parent: str | None = None) -> list[Any]:
    """Stream events of one agent."""
    return [{"type": "stream_event", "event": event, "parent_tool_use_id": parent} for event in events]


def message(reason: str | None = "tool_use", parent: str | None = None, id: str = "c1") -> list[Any]:
    """One streamed message with a call."""
    events = stream(anthropic(reason), parent)
    for one in events:
        if one["event"]["type"] == "content_block_start":
            one["event"]["content_block"]["id"] = id
    return events


def assistant(value: Any = ARGUMENTS, id: str = "c1", message_id: str = "m1", **fields: Any) -> dict[str, Any]:
    """The same call as a parsed value."""
    block = {"type": "tool_use", "id": id, "name": "f", "input": value}
    inner = {"id": message_id, "content": [block], "stop_reason": fields.pop("stop_reason", None)}
    return {"type": "assistant", "parent_tool_use_id": None, "message": inner, **fields}


def result(subtype: str = "success", **fields: Any) -> dict[str, Any]:
    """The end of the query."""
    return {"type": "result", "subtype": subtype, "is_error": False, "terminal_reason": "completed", **fields}


def answered(id: str | None = "c1") -> dict[str, Any]:
    """A tool result."""
    return {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": id, "content": "1"}]}}


def verdicts(*events: Any, **options: Any) -> list[tuple[str, str]]:
    """Action and reason of each decision."""
    return [(one.action, one.reason) for one in judged("claude_agent", events, **options).decisions]


def test_a_call_needs_its_message_and_the_result() -> None:
    """Either one alone confirms nothing."""
    assert executed(judged("claude_agent", [*message(), result()])) == [("c1", "f", ARGUMENTS)]
    assert verdicts(*message()) == [CUT]
    assert verdicts(*message()[:-1], result()) == [CUT]
    assert verdicts(*message("max_tokens"), result()) == [CUT]
    assert verdicts(*message("refusal"), result()) == [("reject", "content_filtered")]


@pytest.mark.parametrize("word", [*END_REASONS, "brand_new", None])
def test_only_listed_ends_of_the_query_confirm(word: str | None) -> None:
    """By the terminal reason, and by the subtype."""
    good = {"completed", "success", "tool_use", "end_turn"}
    assert (verdicts(*message(), result(terminal_reason=word)) == [GOOD]) is (word in good or word is None)
    assert (verdicts(*message(), result(str(word), terminal_reason=None)) == [GOOD]) is (word == "success")


@pytest.mark.parametrize(
    ("events", "want"),
    [
        ([answered(), result()], ("reject", "sdk_execution_observed")),
        ([answered(None), result()], ("reject", "sdk_execution_observed")),
        (
            [{"type": "user", "message": {"content": "x"}, "tool_use_result": {}}, result()],
            ("reject", "sdk_execution_observed"),
        ),
        ([{"type": "user", "message": {"content": "x"}}, result()], GOOD),
        ([result(deferred_tool_use={"id": "c1"})], CUT),
        ([result(permission_denials=[{"tool_use_id": "c1"}])], CUT),
        ([result(is_error=True)], ("reject", "provider_error")),
        ([result(), result()], ("reject", "protocol_violation")),
        ([assistant(error="rate_limit"), result()], ("reject", "provider_error")),
        ([assistant(), result()], GOOD),
        ([assistant({"city": "other"}), result()], ("reject", "protocol_violation")),
        ([assistant(id="c9"), result()], ("reject", "protocol_violation")),
        ([{"type": "system", "subtype": "status"}, result()], GOOD),
    ],
)
def test_what_follows_a_message_counts(events: list[Any], want: tuple[str, str]) -> None:
    """Results, repetitions, errors, ends."""
    assert verdicts(*message(), *events) == [want]


def test_a_message_may_fail_more_than_once() -> None:
    """The second error adds nothing."""
    error = {"type": "stream_event", "event": {"type": "error", "error": {"type": "overloaded_error"}}}
    report = judged("claude_agent", [*message()[:-1], error, error, result()])
    assert [(one.reason, one.evidence.provider_reason) for one in report.decisions] == [
        ("provider_error", "overloaded_error")
    ]
    assert codes(report) == []


@pytest.mark.parametrize(("said", "word"), [(None, "deferred_tool_use"), ("tool_deferred", "tool_deferred")])
def test_a_deferred_call_pauses_in_the_querys_word(said: str | None, word: str) -> None:
    """Or in the field's name where it has none."""
    end = result(deferred_tool_use={"id": "c1"}, terminal_reason=said)
    (decision,) = judged("claude_agent", [*message(), end]).decisions
    assert (decision.evidence.end_reason, decision.evidence.provider_reason) == ("paused", word)


@pytest.mark.parametrize(
    "change", [{"type": "server_tool_use"}, {"type": "mcp_tool_use"}, {"name": "g"}, {"name": None}]
)
def test_a_repetition_must_agree_on_who_runs_what(change: dict[str, Any]) -> None:
    """Streamed as a call of `f` for the client."""
    whole = message()
    again = assistant()
    again["message"]["content"][0].update(change)
    assert verdicts(*whole[:-2], again, *whole[-2:], result()) == [("reject", "protocol_violation")]
    assert verdicts(*whole, again, result()) == [("reject", "protocol_violation")]


def test_a_repetition_may_come_before_or_after_the_messages_end() -> None:
    """And after the next message has begun: then it adds nothing."""
    whole = message()
    assert verdicts(*whole[:-2], assistant(), *whole[-2:], result()) == [GOOD]
    text = stream([{"type": "message_start", "message": {"id": "m2"}}, {"type": "message_stop"}])
    assert verdicts(*whole, *text, assistant(message_id="m3"), result(), trust_projections=True) == [GOOD]


def test_whole_messages_are_projections() -> None:
    """Without stream events, and ended by a stop reason that is often absent."""
    assert verdicts(assistant(), result()) == [("reject", "projection_only")]
    assert verdicts(assistant(), result(), trust_projections=True) == [CUT]
    ended = [assistant(), assistant(id="c2", stop_reason="tool_use")]
    assert verdicts(*ended, result(), trust_projections=True) == [GOOD, GOOD]
    assert verdicts(assistant(stop_reason="max_tokens"), result(), trust_projections=True) == [CUT]


def test_sub_agents_stream_in_between() -> None:
    """Each with its own messages and block indexes."""
    mine, theirs = message(), message("max_tokens", "toolu_task", "c2")
    mixed = [one for pair in zip(mine, theirs, strict=True) for one in pair]
    assert verdicts(*mixed, result()) == [GOOD, CUT]


def test_an_error_event_ends_its_message_only() -> None:
    """The command line tries again."""
    error = stream([{"type": "error", "error": {"type": "overloaded_error"}}])
    again = message(id="c2")
    assert verdicts(*message()[:-2], *error, *again, result()) == [("reject", "provider_error"), GOOD]


def test_a_message_that_begins_anew_withdraws_the_first() -> None:
    """No end came in between."""
    assert verdicts(*message()[:-2], *message(), result()) == [CUT, GOOD]


def test_events_outside_of_a_message_are_a_violation() -> None:
    """A delta after `message_stop`."""
    assert verdicts(*message(), message()[3], result()) == [("reject", "protocol_violation")]
