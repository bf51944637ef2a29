"""The normalized events as data: what has the wrong shape is refused, and never understood by half."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from interlock.stream.events import EVENT_TYPES
from support.judging import executed, judged

GOOD: dict[str, Any] = {
    "key": "a",
    "id": "c1",
    "index": 0,
    "name": "f",
    "turn": "",
    "kind": "json",
    "server_executed": False,
    "text": "{}",
    "value": {},
    "path": ["x"],
    "more": False,
    "reason": "complete",
    "own": False,
    "code": "E_X",
    "message": "m",
    "fault": None,
    "provider_reason": "stop",
    "output_tokens": 1,
}
BAD: dict[str, list[Any]] = {
    **{key: [7, ["a"], {"a": 1}, True] for key in ("key", "text", "kind", "reason", "code", "message")},
    **{key: [7, ["a"], False] for key in ("id", "name", "turn", "fault", "provider_reason")},
    "index": ["0", 1.5, True, False],
    **{key: [0, 1, "true"] for key in ("server_executed", "more", "own")},
    "path": ["x", {"x": 1}, 7],
    "output_tokens": ["1", 1.5],
    "value": [],  # any JSON value is one
}
CALL: list[Any] = [
    {"type": "call_start", "key": "a", "id": "c1", "name": "f"},
    {"type": "arguments_delta", "key": "a", "text": "{}"},
]
END = {"type": "stream_end", "reason": "complete", "provider_reason": "stop"}


def event(type_: str, /, **change: Any) -> dict[str, Any]:
    """A whole event of a type, with some fields changed."""
    fields = dataclasses.fields(EVENT_TYPES[type_])
    return {"type": type_, **{field.name: GOOD[field.name] for field in fields}, **change}


def remarks(broken: Any) -> list[str]:
    """The codes that one event adds to a good stream, which must not execute then."""
    report = judged("normalized", [*CALL, broken, END])
    assert executed(report) == [] and report.decisions[0].reason == "protocol_violation"
    return [diagnostic.code for diagnostic in report.diagnostics]


def test_the_good_stream_executes() -> None:
    """Or the other tests could not fail."""
    assert executed(judged("normalized", [*CALL, END])) == [("c1", "f", {})]


REQUIRED = [
    (name, field.name)
    for name, record in EVENT_TYPES.items()
    for field in dataclasses.fields(record)
    if field.default is dataclasses.MISSING
]


@pytest.mark.parametrize(("name", "field"), REQUIRED)
@pytest.mark.parametrize("none", [False, True])
def test_a_required_field_that_is_missing_is_a_violation(name: str, field: str, none: bool) -> None:
    """Left out, or `None`; only a value may be `None`."""
    broken = event(name)
    if none and field != "value":
        broken[field] = None
    else:
        del broken[field]
    assert remarks(broken) == ["E_NORMALIZED_EVENT"]


FIELDS = [
    (name, field.name, bad)
    for name, record in EVENT_TYPES.items()
    for field in dataclasses.fields(record)
    for bad in BAD[field.name]
]


@pytest.mark.parametrize(("name", "field", "bad"), FIELDS)
def test_a_field_of_the_wrong_kind_is_a_violation(name: str, field: str, bad: Any) -> None:
    """Named with what it is."""
    assert remarks(event(name, **{field: bad})) == ["E_NORMALIZED_EVENT"]


@pytest.mark.parametrize("kind", [None, 7, ["call_start"], "brand_new", ""])
def test_a_type_that_nobody_knows_is_a_violation(kind: Any) -> None:
    """The message lists the types that there are."""
    report = judged("normalized", [*CALL, {"type": kind}, END])
    assert [d.code for d in report.diagnostics] == ["E_NORMALIZED_EVENT"]
    assert all(name in report.diagnostics[0].message for name in ("call_start", "usage"))


@pytest.mark.parametrize("name", ["turn_end", "stream_end", "call_end"])
def test_a_reason_that_nobody_knows_never_confirms(name: str) -> None:
    """It counts as unknown."""
    events = [*CALL, {**event(name), "reason": "brand_new"}, *([END] if name == "call_end" else [])]
    (decision,) = judged("normalized", events).decisions
    assert (decision.action, decision.reason) == ("retry", "stream_incomplete")
    assert decision.evidence.end_reason == "unknown"


def test_a_fault_that_nobody_knows_is_a_violation() -> None:
    """What it would have meant cannot be told."""
    odd = event("provider_diagnostic", fault="brand_new", key=None, turn=None)
    assert remarks(odd) == ["E_NORMALIZED_EVENT"]
    (remark,) = judged("normalized", [odd]).diagnostics
    assert remark.message == "provider_diagnostic: fault is 'brand_new'"


def test_a_null_value_is_a_value() -> None:
    """And it is no object, so the call is malformed."""
    events = [CALL[0], {"type": "arguments_value", "key": "a", "value": None}, END]
    (decision,) = judged("normalized", events, trust_projections=True).decisions
    assert (decision.reason, decision.evidence.kind) == ("malformed", "trusted_projection")


@pytest.mark.parametrize("name", EVENT_TYPES)
def test_a_record_is_read_like_its_dict(name: str) -> None:
    """Two adapters of one stream may hand over either."""
    whole = event(name)
    record = EVENT_TYPES[name](**{key: value for key, value in whole.items() if key != "type"})
    assert judged("normalized", [*CALL, record]).to_json() == judged("normalized", [*CALL, whole]).to_json()


def test_the_turn_of_an_end_may_be_left_out() -> None:
    """A stream of one turn need not name it."""
    assert executed(judged("normalized", [*CALL, {"type": "turn_end", "reason": "complete"}]))
    assert not executed(judged("normalized", [*CALL, {"type": "turn_replaced"}, END]))
