"""Long sessions of agents with a few faults: what only the stretches around the faults tell is what the whole tells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.history.engine import heal
from interlock.history.providers import PROFILES
from properties.history.generate import damaged
from support.framework_histories import FORMS, plain
from support.histories import WIRES, Answer, Ask, Reply, Results, Step, User, render
from support.long_way import read_whole

WRITERS: dict[str, tuple[str, Callable[[list[Step]], list[Any]]]] = {
    **{wire: (wire, lambda steps, wire=wire: render(steps, wire)) for wire in WIRES},
    **{name: form for name, form in FORMS.items() if not name.endswith("-objects")},
}
PLACES = st.integers(0, 1_000)


@st.composite
def sessions(draw: st.DrawFn) -> list[Step]:
    """Turns of several rounds of calls; ids are new each time, or counted anew in each round."""
    counted = draw(st.sampled_from(["call{0:03}abc", "call{1:03}abc"]))
    number = 0
    steps: list[Step] = []
    for turn in range(draw(st.integers(4, 7))):
        steps.append(User(f"question {turn}"))
        for _ in range(draw(st.integers(1, 3))):
            ids = []
            for at in range(draw(st.integers(1, 2))):
                ids.append(counted.format(number, at))
                number += 1
            steps.append(Reply("", tuple(Ask(one, "f", {"path": one}) for one in ids)))
            steps.append(Results(tuple(Answer(one, "f", f"result {one}") for one in ids)))
        if draw(st.integers(0, 3)):
            steps.append(Reply(f"answer {turn}"))
    return [*steps, User("thanks")]


def _of(steps: list[Step], kind: type, at: int) -> int | None:
    found = [place for place, step in enumerate(steps) if isinstance(step, kind)]
    return found[at % len(found)] if found else None


def lost(steps: list[Step], at: int) -> list[Step]:
    """Lose one answer, and its message with the last one."""
    place = _of(steps, Results, at)
    if place is None:
        return steps
    step = steps[place]
    assert isinstance(step, Results)
    left = step.answers[1:] if at % 2 else step.answers[:-1]
    return [*steps[:place], *([Results(left)] if left else []), *steps[place + 1 :]]


def gone(steps: list[Step], at: int) -> list[Step]:
    """Lose a message."""
    place = at % len(steps)
    return [*steps[:place], *steps[place + 1 :]]


def twice(steps: list[Step], at: int) -> list[Step]:
    """Repeat a message."""
    place = at % len(steps)
    return [*steps[: place + 1], *steps[place:]]


def moved(steps: list[Step], at: int) -> list[Step]:
    """Put a message further back."""
    place = at % len(steps)
    rest = [*steps[:place], *steps[place + 1 :]]
    behind = min(place + 1 + at // 100, len(rest))
    return [*rest[:behind], steps[place], *rest[behind:]]


def blank(steps: list[Step], at: int) -> list[Step]:
    """Empty what somebody said."""
    place = _of(steps, User if at % 2 else Reply, at)
    if place is None:
        return steps
    return [*steps[:place], User("") if at % 2 else Reply(" "), *steps[place + 1 :]]


def misnamed(steps: list[Step], at: int) -> list[Step]:
    """Give a call a name that no provider takes."""
    place = _of(steps, Reply, at)
    step = None if place is None else steps[place]
    if place is None or not isinstance(step, Reply):
        return steps
    return [*steps[:place], replace(step, calls=tuple(replace(c, name="a b") for c in step.calls)), *steps[place + 1 :]]


def second(steps: list[Step], at: int) -> list[Step]:
    """Use a tool whose name is what a bad one becomes."""
    place = _of(steps, Reply, at)
    step = None if place is None else steps[place]
    if place is None or not isinstance(step, Reply):
        return steps
    ids = {one.id for one in step.calls}
    steps = [
        *steps[:place],
        replace(step, calls=tuple(replace(c, name="a_b") for c in step.calls)),
        *steps[place + 1 :],
    ]
    if place + 1 < len(steps) and isinstance(follows := steps[place + 1], Results):
        answers = tuple(replace(one, name="a_b") if one.id in ids else one for one in follows.answers)
        steps[place + 1] = replace(follows, answers=answers)
    return steps


def reused(steps: list[Step], at: int) -> list[Step]:
    """Give a call, and what answers it, the id of another one."""
    places = [place for place, step in enumerate(steps) if isinstance(step, Reply) and step.calls]
    if len(places) < 2:
        return steps
    place, other = places[at % len(places)], places[at // 7 % len(places)]
    step, source = steps[place], steps[other]
    assert isinstance(step, Reply)
    assert isinstance(source, Reply)
    old, new = step.calls[0].id, source.calls[-1].id
    out = [*steps]
    out[place] = replace(step, calls=(replace(step.calls[0], id=new), *step.calls[1:]))
    if place + 1 < len(out) and isinstance(follows := out[place + 1], Results):
        answers = tuple(replace(one, id=new) if one.id == old else one for one in follows.answers)
        out[place + 1] = replace(follows, answers=answers)
    return out


def cut(steps: list[Step], at: int) -> list[Step]:
    """End a call in the middle of its arguments."""
    place = _of(steps, Reply, at)
    step = None if place is None else steps[place]
    if place is None or not isinstance(step, Reply):
        return steps
    return [
        *steps[:place],
        replace(step, calls=tuple(replace(c, arguments="{") for c in step.calls)),
        *steps[place + 1 :],
    ]


FAULTS = st.sampled_from([lost, lost, lost, gone, twice, moved, blank, misnamed, second, reused, cut])


#: What another format's client would have appended, under an id of the session's.
FOREIGN: list[list[Any]] = [
    [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "call000abc", "type": "function", "function": {"name": "f", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "call000abc", "content": "r"},
    ],
    [{"role": "tool", "tool_call_id": "call000abc", "content": "late"}],
    [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call000abc", "content": "late"}]}],
]
MODELS = [None, "gpt-5", "o1-mini", "claude-opus-4-6", "gemini-3-pro", "gemini-2.5-flash", "deepseek-reasoner"]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"store": False},
    {"previous_response_id": "resp_1"},
    {"tools": []},
    {"thinking": {"type": "enabled"}},
    {"stub_text": "none"},
]


@pytest.mark.parametrize("form", WRITERS)
@given(steps=sessions(), faults=st.lists(st.tuples(FAULTS, PLACES), min_size=1, max_size=3), data=st.data())
@settings(max_examples=25, deadline=None)
def test_what_stands_around_the_faults_tells_all(form: str, steps: Any, faults: Any, data: st.DataObject) -> None:
    wire, write = WRITERS[form]
    for fault, at in faults:
        steps = fault(steps, at)
    history = write(steps)
    if data.draw(st.booleans()):
        history = data.draw(damaged(history, most=2))
    if data.draw(st.integers(0, 9)) == 0:
        history = [*history, *data.draw(st.sampled_from(FOREIGN))]
    assert_both_ways_agree(
        history,
        {
            "model": data.draw(st.sampled_from(MODELS)),
            "options": data.draw(st.sampled_from(OPTIONS)),
            "wire": wire,
            "provider": data.draw(st.none() | st.sampled_from([*PROFILES])),
            "pending": data.draw(st.sampled_from([(), "keep", ("call003abc",)])),
            "policy": data.draw(st.sampled_from([{}, {"orphan-tool-call": "drop-call"}])),
        },
    )


@st.composite
def interrupted(draw: st.DrawFn) -> list[Step]:
    """A session in which results are lost, from one to all, and nothing else is wrong."""
    out: list[Step] = []
    thinks = draw(st.booleans())
    for step in draw(sessions()):
        if isinstance(step, Reply) and step.calls:
            words, thought = draw(st.sampled_from(["", "look"])), draw(st.sampled_from(["", "hm"]))
            step = replace(step, text=words, thinking=thought if thinks else "")
        if not isinstance(step, Results):
            out.append(step)
            continue
        left = tuple(answer for answer in step.answers if draw(st.booleans()))
        out += [Results(left)] if left else []
    return out


@pytest.mark.parametrize("form", WRITERS)
@given(steps=interrupted(), data=st.data())
@settings(max_examples=25, deadline=None)
def test_words_for_lost_results_are_those_that_the_rules_put_in(form: str, steps: Any, data: st.DataObject) -> None:
    wire, write = WRITERS[form]
    options = {
        "model": data.draw(st.none() | st.sampled_from(MODELS)),
        "options": data.draw(st.sampled_from([{}, {"stub_is_error": False}, {"stub_text": "none"}, {"store": False}])),
        "wire": wire,
        "provider": data.draw(st.none() | st.sampled_from([*PROFILES])),
        "pending": data.draw(st.sampled_from([(), (), ("another",)])),  # a word of the caller's asks for the rules
    }
    assert_both_ways_agree(write(steps), options)


def assert_both_ways_agree(history: list[Any], options: dict[str, Any]) -> None:
    """Heal with the quick look and without it."""
    short = heal(history, **options)
    with read_whole():
        whole = heal(history, **options)
    assert [one.to_json() for one in short.repairs] == [one.to_json() for one in whole.repairs]
    assert [one.to_json() for one in short.remaining] == [one.to_json() for one in whole.remaining]
    assert [plain(one) for one in short.messages] == [plain(one) for one in whole.messages]
    assert (short.positions, short.ids, short.names) == (whole.positions, whole.ids, whole.names)
    assert heal(short.messages, **options).messages is short.messages
