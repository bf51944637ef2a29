"""pydantic-ai: part events, what a run does with the calls, and the response that ends them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from interlock.stream.wires.pydantic_ai import END_REASONS, STATES
from support.judging import executed, judged

TEXT = '{"a":1}'
GOOD = ("execute", "complete")


def part(id: str | None = "c1", name: str = "f", args: Any = "", kind: str = "tool-call") -> dict[str, Any]:
    """A part that is a call."""
    return {"part_kind": kind, "tool_name": name, "tool_call_id": id, "args": args}


def start(index: int = 0, **fields: Any) -> dict[str, Any]:
    """A part begins."""
    return {"event_kind": "part_start", "index": index, "part": part(**fields)}


def delta(args: Any = None, index: int = 0, name: str | None = None, id: str | None = None) -> dict[str, Any]:
    """More of a part."""
    inner = {"part_delta_kind": "tool_call", "args_delta": args, "tool_name_delta": name, "tool_call_id": id}
    return {"event_kind": "part_delta", "index": index, "delta": inner}


def call(index: int = 0, id: str = "c1") -> list[Any]:
    """A whole call."""
    end = {"event_kind": "part_end", "index": index, "part": part(id, args=TEXT)}
    return [start(index, id=id), delta(TEXT[:3], index), delta(TEXT[3:], index), end]


def response(
    *parts: Any, reason: Any = "tool_call", native: Any = "tool_calls", state: str = "complete"
) -> dict[str, Any]:
    """The response itself."""
    details = {"finish_reason": native} if native else None
    given = list(parts) or [part(args=TEXT)]
    return {
        "kind": "response",
        "parts": given,
        "finish_reason": reason,
        "provider_details": details,
        "state": state,
    }


def event(kind: str, id: str | None = "c1", **fields: Any) -> dict[str, Any]:
    """What the framework does with a call."""
    return {"event_kind": kind, "part": {"tool_call_id": id}, **fields}


def deferred(calls: tuple[str, ...] = (), approvals: tuple[str, ...] = ()) -> dict[str, Any]:
    """Calls that the run hands out."""
    requests = {"calls": [part(id) for id in calls], "approvals": [part(id) for id in approvals]}
    return {"event_kind": "deferred_tool_requests", "requests": requests}


def verdicts(*events: Any, **options: Any) -> list[tuple[str, str]]:
    """Action and reason of each decision."""
    return [(one.action, one.reason) for one in judged("pydantic_ai", events, **options).decisions]


@pytest.mark.parametrize("word", [*END_REASONS, "brand_new", None])
def test_only_listed_words_confirm(word: Any) -> None:
    """Each documented reason, one that is not, and none."""
    assert (verdicts(*call(), response(reason=word)) == [GOOD]) is (word in ("stop", "tool_call"))


@pytest.mark.parametrize("state", [*STATES, "brand_new"])
def test_a_state_that_is_not_complete_never_confirms(state: str) -> None:
    """Each documented state, and one that is not."""
    assert verdicts(*call(), response(state=state)) == [("retry", "stream_incomplete")]
    assert verdicts(*call(), response(state=state), confirm_on_done=True) == [("retry", "stream_incomplete")]


@pytest.mark.parametrize(
    ("state", "end"),
    [("incomplete", "unknown"), ("suspended", "paused"), ("interrupted", "cancelled"), ("x", "unknown")],
)
def test_a_state_is_told_as_what_it_means(state: str, end: str) -> None:
    """With the layer's own word."""
    (decision,) = judged("pydantic_ai", [*call(), response(state=state)]).decisions
    assert (decision.evidence.end_reason, decision.evidence.provider_reason) == (end, state)


@pytest.mark.parametrize("native", ["length", "pause_turn", "SAFETY", "MALFORMED_FUNCTION_CALL", "incomplete"])
def test_the_providers_own_word_wins(native: str) -> None:
    """What the unified reason hides."""
    assert verdicts(*call(), response(native=native))[0] != GOOD


def test_a_reason_without_the_providers_word_is_made_up() -> None:
    """It confirms by opt-in only."""
    assert verdicts(*call(), response(native=None)) == [("retry", "stream_incomplete")]
    assert verdicts(*call(), response(native=None), confirm_on_done=True) == [GOOD]


@pytest.mark.parametrize(
    ("last", "want"),
    [
        (response(part(args='{"a":2}')), [("reject", "protocol_violation")]),
        (response(part(args={"a": 2})), [("reject", "protocol_violation")]),
        (response(part(args={"a": 1})), [GOOD]),
        (response(part(name="g", args=TEXT)), [("reject", "protocol_violation")]),
        (response(part(args=TEXT), part("c2", args=TEXT)), [("reject", "protocol_violation")]),
        (response({"part_kind": "text", "content": "x"}), [("reject", "protocol_violation")]),
        (response({"part_kind": "text", "content": "x"}, part(args=TEXT)), [GOOD]),
    ],
)
def test_the_response_must_hold_what_was_streamed(last: Any, want: list[tuple[str, str]]) -> None:
    """The same calls, names and arguments."""
    assert verdicts(*call(), last) == want


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ([event("function_tool_call", args_valid=True), event("function_tool_result")], "sdk_execution_observed"),
        ([event("output_tool_result")], "sdk_execution_observed"),
        ([event("function_tool_result", None)], "sdk_execution_observed"),
        ([event("function_tool_call", args_valid=True)], "sdk_execution_observed"),
        ([event("function_tool_call", args_valid=None)], "sdk_execution_observed"),
        ([event("function_tool_call")], "sdk_execution_observed"),
        ([event("function_tool_call", None)], "sdk_execution_observed"),
        ([event("function_tool_call", args_valid=False)], "complete"),
        ([event("function_tool_call", args_valid=True), deferred(calls=("c1",))], "complete"),
        ([event("function_tool_call", args_valid=True), deferred(approvals=("c1",))], "stream_incomplete"),
    ],
)
def test_what_a_run_does_with_the_call_counts(events: list[Any], reason: str) -> None:
    """Before its response is known, and after."""
    assert verdicts(*call(), *events, response())[0][1] == reason
    assert verdicts(*call(), response(), *events)[0][1] == reason


BUILTIN = part(args=TEXT, kind="builtin-tool-call")
RETURN = {"part_kind": "builtin-tool-return", "tool_name": "f", "tool_call_id": "c1", "content": "1"}


@pytest.mark.parametrize(
    "event",
    [
        response(BUILTIN),
        response(part(args=TEXT), RETURN),
        {"event_kind": "part_end", "index": 0, "part": BUILTIN},
        {"event_kind": "part_start", "index": 1, "part": RETURN},
        {"event_kind": "builtin_tool_call", "part": BUILTIN},
        {"event_kind": "builtin_tool_result", "result": RETURN},
    ],
)
def test_a_call_that_a_later_copy_gives_to_the_provider_is_refused(event: Any) -> None:
    """It may have run; one whose id came late as well."""
    late = [start(id=None), delta(TEXT, id="c1")]
    for opened in (call(), late):
        assert verdicts(*opened, event, *([] if "kind" in event else [response()])) == [
            ("reject", "protocol_violation")
        ]


def test_a_name_in_many_pieces_is_compared_as_a_whole() -> None:
    """The whole of it is compared with the response's."""
    pieces = [start(name=""), *(delta(name="n") for _ in range(100)), delta(TEXT)]
    assert verdicts(*pieces, response(part(name="n" * 100, args=TEXT))) == [GOOD]
    assert verdicts(*pieces, response(part(name="n" * 99, args=TEXT))) == [("reject", "protocol_violation")]


def test_a_replaced_part_is_withdrawn() -> None:
    """A second start at a used index."""
    events = [start(0, id="c0"), delta("{"), *call(), response()]
    assert verdicts(*events)[0][0] == "retry"
    assert executed(judged("pydantic_ai", events)) == [("c1", "f", {"a": 1})]


def test_a_replaced_part_may_begin_again_under_its_id() -> None:
    """The first is withdrawn, the second is judged by itself; in a later response it is a repetition."""
    assert verdicts(*call(), *call(), response()) == [("retry", "stream_incomplete"), GOOD]
    assert verdicts(*call(), response(), *call(), response())[0] == GOOD
    assert len(executed(judged("pydantic_ai", [*call(), response(), *call(), response()]))) == 1


def test_interleaved_calls_are_told_apart() -> None:
    """The first one's `part_end` comes before its arguments."""
    end = {"event_kind": "part_end", "index": 0, "part": part("c1", args="")}
    events = [start(0, id="c1"), end, start(1, id="c2"), delta("{", 0), delta("{", 1), delta("}", 1), delta("}", 0)]
    assert verdicts(*events, response(part("c1", args="{}"), part("c2", args="{}"))) == [GOOD, GOOD]


def test_a_response_alone_is_judged_too() -> None:
    """A model that does not stream; pushing it again adds nothing."""
    parts = (part("c1", args=TEXT), part("c2", "g", {"b": 2}))
    assert verdicts(response(*parts)) == [GOOD, ("reject", "projection_only")]
    assert executed(judged("pydantic_ai", [response(part(args=TEXT)), response(part(args=TEXT))])) == [
        ("c1", "f", {"a": 1})
    ]


def test_the_result_of_a_run_ends_its_responses() -> None:
    """It brings them with it, the ones without calls too."""
    text = response({"part_kind": "text", "content": "done"}, reason="stop")
    result = SimpleNamespace(new_messages=lambda: [{"kind": "request"}, response(), text])
    done = {"event_kind": "agent_run_result", "result": result}
    deferral = [event("function_tool_call", args_valid=True), deferred(calls=("c1",))]
    assert verdicts(*call(), *deferral, done) == [GOOD]
    assert verdicts(*call(), event("function_tool_result"), done) == [("reject", "sdk_execution_observed")]
    assert verdicts(*call(), {"event_kind": "agent_run_result", "result": None}) == [("retry", "stream_incomplete")]


def test_parts_of_the_next_response_do_not_mix_with_the_last() -> None:
    """Indexes begin anew with each response."""
    events = [*call(), event("function_tool_result"), *call(0, "c2"), response(part("c2", args=TEXT))]
    assert verdicts(*events) == [("reject", "sdk_execution_observed"), GOOD]


def test_values_that_were_parsed_are_projections() -> None:
    """As Gemini's arguments are."""
    events = [start(0, args={"a": 1}), response(part(args={"a": 1}))]
    assert verdicts(*events) == [("reject", "projection_only")]
    assert verdicts(*events, trust_projections=True) == [GOOD]
    assert verdicts(start(0), delta({"a": 1}), delta({"b": 1}), response(part(args={"b": 1})))[0][0] == "reject"


def test_names_and_ids_may_come_late_and_must_not_change() -> None:
    """In deltas."""
    late = [start(0, id=None, name=""), delta(name="f"), delta(TEXT, id="c1")]
    assert executed(judged("pydantic_ai", [*late, response()])) == [("c1", "f", {"a": 1})]
    assert verdicts(*late, delta(id="c2"), response()) == [("reject", "malformed")]


def test_the_providers_tools_are_reported() -> None:
    """`builtin-tool-call` parts."""
    server = start(0, id="s", name="web_search", kind="builtin-tool-call")
    last = response(part("s", "web_search", "", "builtin-tool-call"), part(args=TEXT))
    assert verdicts(server, *call(1), last) == [("reject", "server_executed"), GOOD]


def test_each_response_that_is_pushed_alone_is_a_turn_of_its_own() -> None:
    """One after the other, whole; the reason of one says nothing of another."""
    second = response(part("c2", args=TEXT), reason="length", native="length")
    third = response(part("c3", args=TEXT))
    assert verdicts(response(), second, third) == [GOOD, ("retry", "stream_incomplete"), GOOD]
    turns = {one.turn for one in judged("pydantic_ai", [response(), second, third]).decisions}
    assert len(turns) == 3


def test_a_result_ends_its_response_also_when_nothing_said_that_the_call_was_run() -> None:
    """No part of that response can grow any more."""
    result = {"event_kind": "function_tool_result", "part": {"part_kind": "tool-return", "tool_call_id": "c1"}}
    second = call(1, id="c2")
    whole = response(part(args=TEXT), part("c2", args=TEXT))
    assert verdicts(*call(), *second, result, whole) == [("reject", "sdk_execution_observed"), GOOD]
    assert verdicts(*call(), *second[:2], result, *second[2:], whole)[1] == ("reject", "protocol_violation")
