"""The AI SDK for Python: model events, and what the agent's loop adds."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.stream.wires.ai_python import END_REASONS
from support.judging import executed, judged

TEXT = '{"a":1}'
GOOD = ("execute", "complete")
START: Any = {"kind": "stream_start", "message": {"id": "m1"}}
END: Any = {"kind": "stream_end", "finish_reason": "tool_call"}


def event(kind: str, id: Any = "c1", **fields: Any) -> dict[str, Any]:
    """An event about a call."""
    return {"kind": kind, "tool_call_id": id, **fields}


def tool_end(id: str = "c1", name: str = "f", text: str = TEXT, **fields: Any) -> dict[str, Any]:
    """A call's own end."""
    return event("tool_end", id, tool_call={"tool_call_id": id, "tool_name": name, "tool_args": text}, **fields)


def call(id: str = "c1") -> list[Any]:
    """A whole call."""
    deltas = [event("tool_delta", id, chunk=chunk) for chunk in ("", TEXT[:3], TEXT[3:])]
    return [event("tool_start", id, tool_name="f"), *deltas, tool_end(id)]


def verdicts(*events: Any, **options: Any) -> list[tuple[str, str]]:
    """Action and reason of each decision."""
    return [(one.action, one.reason) for one in judged("ai_python", events, **options).decisions]


@pytest.mark.parametrize("word", [*END_REASONS, "brand_new", None])
def test_only_listed_words_confirm(word: str | None) -> None:
    """Each documented reason, one that is not, and none."""
    got = verdicts(START, *call(), {"kind": "stream_end", "finish_reason": word})
    assert (got == [GOOD]) is (word in ("stop", "tool_call"))


@pytest.mark.parametrize(
    "native",
    [
        {"anthropic": {"stop_reason": "pause_turn"}},
        {"openai": {"status": "incomplete"}},
        {"x": {"finish_reason": "length"}},
    ],
)
def test_the_providers_own_word_wins(native: Any) -> None:
    """What the unified reason hides."""
    assert verdicts(START, *call(), {**END, "provider_metadata": native})[0][0] == "retry"


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ([{"kind": "tool_call_result", "results": [{"tool_call_id": "c1", "result": 1}]}], "sdk_execution_observed"),
        ([{"kind": "tool_call_result", "results": []}], "sdk_execution_observed"),
        ([event("partial_tool_call_result", value=1)], "sdk_execution_observed"),
        (
            [{"kind": "tool_call_result", "results": [{"tool_call_id": "c1", "is_hook_deferred": True}]}],
            "stream_incomplete",
        ),
        ([{"kind": "hook", "hook": {"status": "pending", "tool_call_id": "c1"}}], "stream_incomplete"),
        ([{"kind": "hook", "hook": {"status": "pending"}}], "stream_incomplete"),
        ([{"kind": "hook", "hook": {"status": "cancelled", "tool_call_id": "c1"}}], "stream_incomplete"),
        ([{"kind": "run_blocked", "hooks": [{"status": "pending", "tool_call_id": "c1"}]}], "stream_incomplete"),
        ([{"kind": "retry"}], "stream_incomplete"),
        ([event("tool_delta", chunk=" ")], "protocol_violation"),
        ([tool_end()], "protocol_violation"),
        ([event("tool_start", tool_name="f")], "protocol_violation"),
    ],
)
def test_evidence_before_and_after_the_end_disqualifies(events: list[Any], reason: str) -> None:
    """The loop runs tools while the model still streams."""
    assert [got for _, got in verdicts(START, *call(), *events, END)][:1] == [reason]
    assert [got for _, got in verdicts(START, *call(), END, *events)][:1] == [reason]


@pytest.mark.parametrize("status", ["pending", "resolved"])
def test_a_resolved_hook_says_nothing(status: str) -> None:
    """Only one that waits holds the call."""
    got = verdicts(START, *call(), END, {"kind": "hook", "hook": {"status": status, "tool_call_id": "c1"}})
    assert (got == [GOOD]) is (status == "resolved")


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        (tool_end(text='{"a":2}'), "protocol_violation"),
        (tool_end(name="g"), "protocol_violation"),
        (tool_end(provider_metadata={"openai": {"raw_item": {"arguments": '{"a":2}'}}}), "protocol_violation"),
        (tool_end(provider_metadata={"openai": {"raw_item": {"status": "incomplete"}}}), "stream_incomplete"),
        (event("tool_end", tool_call={"tool_call_id": "", "tool_name": "", "tool_args": ""}), "complete"),
        ({"kind": "text_start"}, "stream_incomplete"),
    ],
)
def test_the_repeated_text_must_agree(last: Any, reason: str) -> None:
    """A placeholder repeats nothing; a missing end leaves the call open."""
    assert verdicts(START, *call()[:-1], last, END)[0][1] == reason


def test_replayed_history_is_left_out() -> None:
    """Nothing of it is judged, and what is new stands."""
    replay = [{**one, "replay": True} for one in (START, *call("old"), END)]
    report = judged("ai_python", [*replay, START, *call(), END])
    assert executed(report) == [("c1", "f", {"a": 1})]
    assert len(report.decisions) == 1
    assert [diagnostic.code for diagnostic in report.diagnostics] == ["W_REPLAY"]


def test_a_retried_response_may_use_the_same_ids() -> None:
    """The first is withdrawn, whether it had ended or not."""
    for first in ([START, *call()], [START, *call(), END]):
        got = verdicts(*first, {"kind": "retry"}, START, *call(), END)
        assert got == [("retry", "stream_incomplete"), GOOD]


def test_a_response_that_another_replaces_is_not_confirmed() -> None:
    """A second start without an end."""
    assert verdicts(START, *call(), START, *call("c2"), END) == [("retry", "stream_incomplete"), GOOD]


def test_the_providers_tools_are_reported() -> None:
    """`builtin_tool_*`."""
    events = [
        event("builtin_tool_start", "s", tool_name="web_search"),
        event("builtin_tool_delta", "s", chunk="{}"),
        event("builtin_tool_end", "s", tool_call={}),
        event("builtin_tool_result", "s", result={}),
    ]
    assert verdicts(START, *events, *call(), END) == [("reject", "server_executed"), GOOD]


@pytest.mark.parametrize("kind", ["start", "delta", "end", "result"])
def test_a_call_that_a_later_event_gives_to_the_provider_is_refused(kind: str) -> None:
    """Instead of its end, before it, and after it."""
    later = event(f"builtin_tool_{kind}", tool_name="f", chunk="", tool_call={})
    for at in (3, 4, 5):
        opened = call()
        opened.insert(at, later)
        assert verdicts(START, *opened, END) == [("reject", "protocol_violation")]
    assert verdicts(START, *call()[:-1], event("builtin_tool_end"), END) == [("reject", "protocol_violation")]
    assert verdicts(START, *call(), END, later) == [("reject", "protocol_violation")]
