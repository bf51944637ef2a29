"""A result that comes late ends up where it would have, had nobody healed the history before it came."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interlock.history.engine import heal
from interlock.history.pairing import ORDINALS
from interlock.history.stubs import NO_RESULT
from interlock.history.turns import Call, Result
from interlock.history.wires import WIRES as REGISTRY
from support.framework_histories import FORMS
from support.histories import WIRES, Answer, Ask, Reply, Results, Step, User, render, with_ids
from support.long_way import read_whole


def without_ids(messages: list[Any]) -> list[Any]:
    """Gemini's contents without ids."""
    for message in messages:
        for part in message["parts"]:
            for member in ("functionCall", "functionResponse"):
                part.get(member, {}).pop("id", None)
    return messages


def with_names(messages: list[Any], steps: list[Step]) -> list[Any]:
    """Results that name their tools, where they need not."""
    names = iter([answer.name for step in steps if isinstance(step, Results) for answer in step.answers])
    return [{**one, "name": next(names)} if "tool_call_id" in one else one for one in messages]


def own_id(one: Ask | Answer) -> str:
    """An id for each call: where results may stand anywhere nothing else tells whose they are."""
    return f"c{one.arguments['at']}" if isinstance(one, Ask) else f"c{one.text[1:]}"


WRITTEN: dict[str, tuple[str, Callable[[list[Step]], list[Any]]]] = {
    **{wire: (wire, lambda steps, wire=wire: render(steps, wire)) for wire in WIRES},
    **{form: FORMS[form] for form in ("ai_python", "ai_sdk", "langchain", "pydantic_ai")},
    "openai_responses": ("openai_responses", lambda steps: render(with_ids(steps, own_id), "openai_responses")),
    "openai_agents": ("openai_agents", lambda steps: render(with_ids(steps, own_id), "openai_responses")),
    "gemini-no-ids": ("gemini", lambda steps: without_ids(render(steps, "gemini"))),
    "openai_chat-names": ("openai_chat", lambda steps: with_names(render(steps, "openai_chat"), steps)),
    "langchain-names": ("langchain", lambda steps: with_names(FORMS["langchain"][1](steps), steps)),
}
TOOLS = ("f", "g", "h")


def answered(messages: list[Any], wire: str) -> list[tuple[Any, str]]:
    """Return each call's tool, and what answers it: in a healed history by id, or where there is none by order."""
    out: list[tuple[Any, str]] = []
    waiting: list[tuple[int, Call]] = []
    for message in REGISTRY[wire].read(messages):
        for part in message.parts:
            if type(part) is Call:
                waiting.append((len(out), part))
                out.append((part.name, ""))
            elif type(part) is Result:
                fits = [
                    one
                    for one in waiting
                    if one[1].call_id == part.call_id and (part.call_id is not None or one[1].name == part.name)
                ]
                waiting.remove(fits[0])
                text = REGISTRY[wire].result_text(part)
                out[fits[0][0]] = fits[0][1].name, "" if text.startswith(NO_RESULT) else text
    return out


@st.composite
def late(draw: st.DrawFn) -> tuple[list[Step], list[Step]]:
    """A conversation of which results are lost, and how it goes on: with results of these, and turns of its own."""
    number = 0
    lost: list[Ask] = []
    ids = [f"call_{at}" for at in range(6) for _ in range(ORDINALS)]

    def turn(least: int) -> list[Step]:
        nonlocal number
        calls = tuple(
            Ask(
                ids.pop(draw(st.integers(0, min(len(ids) - 1, 2)))),
                draw(st.sampled_from(TOOLS)),
                {"at": number * 10 + at},
            )
            for at in range(draw(st.integers(1, 3)))
        )
        number += 1
        kept = [call for call in calls if draw(st.integers(0, 2)) >= least]
        lost.extend(call for call in calls if call not in kept)
        results = tuple(Answer(call.id, call.name, f"{call.name}{call.arguments['at']}") for call in kept)
        return [User("q"), Reply("Let me see.", calls), *([Results(results)] if results else []), *rest()]

    def rest() -> list[Step]:
        return [User("And?"), Reply("Yes.")] * draw(st.integers(0, 1))

    before = [step for _ in range(draw(st.integers(1, 3))) for step in turn(1)] + [User("u"), Reply("ok")]
    behind: list[Step] = []
    for _ in range(draw(st.integers(1, 2))):
        if draw(st.booleans()):
            behind += [*turn(0), User("u"), Reply("ok")]
        some = [call for call in draw(st.permutations(lost)) if draw(st.booleans())]
        lost = [call for call in lost if call not in some]
        if some:
            behind.append(Results(tuple(Answer(c.id, c.name, f"{c.name}{c.arguments['at']}") for c in some)))
        behind += [User("x"), Reply("y")]
    return before, [*behind, User("z")]


@pytest.mark.parametrize("form", WRITTEN)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(given_=late())
def test_healing_early_loses_nothing_that_comes_late(form: str, given_: tuple[list[Step], list[Step]]) -> None:
    before, behind = given_
    wire, write = WRITTEN[form]
    raw = heal(write([*before, *behind]), wire=wire)
    early = [*heal(write(before), wire=wire).messages, *write(behind)]
    result = heal(early, wire=wire)
    assert answered(result.messages, wire) == answered(raw.messages, wire)
    assert heal(result.messages, wire=wire).messages is result.messages
    with read_whole():
        assert heal(early, wire=wire).messages == result.messages
