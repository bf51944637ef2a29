"""Ids that a table or a client keeps as numbers pair calls and results as their digits do."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from interlock import heal
from support.framework_histories import FORMS
from support.histories import WIRES, Answer, Ask, Reply, Results, User, render

STEPS = [
    User("Go."),
    Reply("", (Ask("11", "f", {}), Ask("12", "f", {}))),
    # In another order: bound by order, each would answer the other's call.
    Results((Answer("12", "f", "of twelve"), Answer("11", "f", "of eleven"))),
    User("And?"),
]


def numbered(value: Any) -> Any:
    """Return a history in which the ids are numbers."""
    if isinstance(value, dict):
        return {key: numbered(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [numbered(inner) for inner in value]
    return int(value) if value in ("11", "12") else value


IDS = [name for name in WIRES if name != "ollama"]  # which is written without ids


@pytest.mark.parametrize("name", [*IDS, "ai_sdk", "ai_sdk_ui", "langchain", "pydantic_ai", "openai_agents"])
def test_numbers_pair_by_number(name: str) -> None:
    """The healed history is the one that has text in their place, and is then left alone."""
    wire, write = FORMS.get(name, (name, None))
    text = render(STEPS, wire) if write is None else write(STEPS)
    history = numbered(copy.deepcopy(text))
    result = heal(history, wire)
    assert result.messages == heal(text, wire).messages
    assert {one.rule for one in result.repairs} >= {"missing-tool-call-id"}
    assert not heal(result.messages, wire).changed
