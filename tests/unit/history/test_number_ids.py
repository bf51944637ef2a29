"""Ids that a table keeps as numbers or UUIDs pair calls and results as their text does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

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


def kept(value: Any, change: Callable[[str], Any]) -> Any:
    """Return a history in which the ids are of another type."""
    if isinstance(value, dict):
        return {key: kept(inner, change) for key, inner in value.items()}
    if isinstance(value, list):
        return [kept(inner, change) for inner in value]
    return change(value) if value in ("11", "12") else value


def long(number: str) -> str:
    """Return a UUID's text."""
    return str(UUID(int=int(number)))


IDS = [name for name in WIRES if name != "ollama"]  # which is written without ids


@pytest.mark.parametrize("name", [*IDS, "ai_sdk", "ai_sdk_ui", "langchain", "pydantic_ai", "openai_agents"])
def test_ids_pair_by_their_text(name: str) -> None:
    """The healed history is the one that has text in their place, and is then left alone."""
    wire, write = FORMS.get(name, (name, None))
    text = render(STEPS, wire) if write is None else write(STEPS)
    for expected, history in (
        (text, kept(text, int)),
        (kept(text, long), kept(text, lambda number: UUID(long(number)))),
    ):
        result = heal(history, wire)
        assert result.messages == heal(expected, wire).messages
        assert {one.rule for one in result.repairs} >= {"missing-tool-call-id"}
        assert not heal(result.messages, wire).changed


def test_numbers_as_ids_are_seen_where_nothing_else_is_wrong() -> None:
    """Call and response agree, and the API still takes text only."""
    history = kept(render(STEPS, "gemini"), int)
    whole = [*history[:2], {"role": "user", "parts": history[2]["parts"][::-1]}, *history[3:]]
    assert heal(whole, "gemini").changed
