"""JSON text of Python's own values: it always parses, and nothing raises."""

from __future__ import annotations

import json
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.history.dumping import as_json
from interlock.history.engine import heal

_HUGE = st.none().map(lambda _: 10**5000)  # too long to be printed
_SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), _HUGE, st.text(max_size=3), st.binary(max_size=3)
) | st.one_of(st.decimals(allow_nan=False), st.datetimes(), st.uuids())
_KEYS = st.one_of(st.text(max_size=2), st.tuples(st.integers(0, 3)), st.integers(0, 3), st.none(), _HUGE)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner, inner),
        st.dictionaries(_KEYS, inner, max_size=3),
        st.frozensets(st.integers(), max_size=2),
    ),
    max_leaves=8,
)


@given(value=_VALUES)
@settings(max_examples=150, deadline=None)
def test_any_value_has_a_json_text(value: Any) -> None:
    read = json.loads(as_json(value))
    assert isinstance(read, dict) is isinstance(value, dict)
    if isinstance(value, (list, tuple)):
        assert len(read) == len(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (datetime(2026, 1, 2, 3, 4), '"2026-01-02T03:04:00"'),
        (date(2026, 1, 2), '"2026-01-02"'),
        (time(3, 4), '"03:04:00"'),
        (Decimal("1.50"), '"1.50"'),
        (UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
        (b"x", "\"b'x'\""),
        ({(1,): 2, "(1,)": 3}, '{"(1,)_": 2, "(1,)": 3}'),
        ([[], {}, [1, {"a": None}], {(): True}], '[[], {}, [1, {"a": null}], {"()": true}]'),
    ],
)
def test_what_stands_for_a_value_that_json_lacks(value: Any, text: str) -> None:
    assert as_json(value) == text


def test_neither_depth_nor_a_circle_nor_size_stops_it() -> None:
    deep: Any = []
    for _ in range(50_000):
        deep = [deep]
    assert as_json(deep) == "[" * 50_001 + "]" * 50_001
    circle: dict[str, Any] = {"a": 1}
    circle["self"] = [circle]
    assert json.loads(as_json(circle)) == {"a": 1, "self": ["(contains itself)"]}
    shared = [1]
    assert as_json({(): [shared, shared]}) == '{"()": [[1], [1]]}'
    assert json.loads(as_json({"n": 10**5000})) == {"n": hex(10**5000)}


@pytest.mark.parametrize("value", [{"at": datetime(2026, 1, 2)}, {(1, 2): 3}, {"n": 10**5000}, {"s": {1}}])
@pytest.mark.parametrize("wire", ["openai_chat", "cohere_v2", "openai_responses"])
def test_parsed_arguments_of_any_value_become_text(wire: str, value: Any) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": value}}
    history = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "x"},
    ]
    if wire == "openai_responses":
        history[1:] = [
            {"type": "function_call", "call_id": "c1", "name": "f", "arguments": value},
            {"type": "function_call_output", "call_id": "c1", "output": "x"},
        ]
    result = heal(history, wire)
    assert [one.rule for one in result.repairs] == ["invalid-tool-arguments"]
    made = result.messages[1]
    made = made if wire == "openai_responses" else made["tool_calls"][0]["function"]
    assert made["arguments"] == as_json(value)
