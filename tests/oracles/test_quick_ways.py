"""Looking only where something is wrong gives what looking at everything gives."""

from __future__ import annotations

import contextlib
import json
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interlock.history.engine import heal
from interlock.history.wires import WIRES as REGISTRY
from support.histories import (
    MUTATIONS,
    TOOLS,
    ImpossibleError,
    Reply,
    System,
    User,
    conversations,
    render,
    sample,
    torn,
    with_ids,
)
from support.long_way import read_whole

QUICK = ("openai_chat", "openai_responses", "anthropic", "gemini", "bedrock_converse", "mistral", "cohere_v2", "ollama")
PROVIDERS = {"openai_chat": ("openai", "deepseek"), "bedrock_converse": ("bedrock", "bedrock-anthropic")}


def numbered(steps: list[Any], offset: int) -> list[Any]:
    """Give the calls of one part of a long conversation ids of their own, and let it say no system words."""
    out = [step for step in with_ids(steps, lambda one: _moved(one.id, offset)) if not isinstance(step, System)]
    return [*out, Reply("I see.")] if offset else out


def _moved(own: str, offset: int) -> str:
    return f"call_{int(own.removeprefix('call_')) + offset}"


@st.composite
def long_conversations(draw: st.DrawFn) -> list[Any]:
    """A conversation of several parts, of which few are damaged; now and then two parts use the same ids."""
    steps: list[Any] = []
    parts = draw(st.integers(3, 8))
    for number in range(parts):
        fresh = draw(st.integers(0, 9)) > 0
        part = numbered(draw(conversations(thinking=draw(st.booleans()))), 100 * (number + 1) if fresh else 100)
        if draw(st.integers(0, 3)) == 0:
            name = draw(st.sampled_from(sorted(MUTATIONS)))
            with contextlib.suppress(ImpossibleError):
                part = MUTATIONS[name](part, lambda count: draw(st.integers(0, count - 1)))
        steps += part
    return steps


def compare(messages: list[Any], wire: str) -> None:
    """Heal with the quick look and without: the same messages, the same account."""
    for provider in PROVIDERS.get(wire, (None,)):
        quick = heal(messages, wire=wire, provider=provider, tools=list(TOOLS))
        with read_whole():
            slow = heal(messages, wire=wire, provider=provider, tools=list(TOOLS))
        assert json.dumps(quick.messages) == json.dumps(slow.messages)
        assert [one.to_json() for one in quick.repairs] == [one.to_json() for one in slow.repairs]
        assert [one.to_json() for one in quick.remaining] == [one.to_json() for one in slow.remaining]
        assert quick.positions == slow.positions
        assert (quick.ids, quick.names) == (slow.ids, slow.names)


@pytest.mark.parametrize("wire", QUICK)
def test_one_fault_in_a_long_conversation_is_healed_without_reading_it_all(wire: str) -> None:
    """The control of the test below: there is a quick way, and a long history takes it."""
    steps = [step for number in range(8) for step in numbered(sample(), 10 * number + 10)]
    broken = MUTATIONS["interrupted"](numbered(sample(), 900), lambda count: 0)
    messages = render([*steps, *broken, *numbered(sample(), 990)], wire)
    with patch.object(type(REGISTRY[wire]), "read", side_effect=AssertionError("read as a whole")):
        result = heal(messages, wire=wire, tools=list(TOOLS))
    assert {one.rule for one in result.repairs} >= {"orphan-tool-call"}
    assert result.messages[: len(messages) // 2] == messages[: len(messages) // 2]


@pytest.mark.parametrize("wire", QUICK)
def test_a_history_that_is_healthy_now_is_not_judged_again(wire: str) -> None:
    """The quick look is proof enough, in one span and in a history that is read as a whole."""
    broken = [
        [*MUTATIONS["interrupted"](numbered(sample(), 10 * at), lambda count: count - 1), Reply("I see.")]
        for at in range(1, 9)
    ]
    for steps in (broken[0], [step for part in broken for step in part]):
        messages = render([*numbered(sample(), 900), *steps, User("Thanks.")], wire)
        with patch("interlock.history.engine.reread", side_effect=AssertionError("another round")):
            result = heal(messages, wire=wire, tools=list(TOOLS))
        assert "orphan-tool-call" in {one.rule for one in result.repairs}
        assert heal(result.messages, wire=wire, tools=list(TOOLS)).messages is result.messages


@pytest.mark.parametrize("wire", QUICK)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(steps=long_conversations())
def test_a_close_look_at_spans_finds_what_a_close_look_at_everything_finds(wire: str, steps: list[Any]) -> None:
    compare(render(steps, wire), wire)


@pytest.mark.parametrize("wire", QUICK)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_the_quick_look_takes_nothing_torn_for_healthy(wire: str, data: st.DataObject) -> None:
    ahead, behind = (render(numbered(sample(), offset) * 2, wire) for offset in (500, 700))
    compare([*ahead, *data.draw(torn(wire)), *behind], wire)
