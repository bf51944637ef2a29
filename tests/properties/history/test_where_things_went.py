"""The account of a healing speaks of the input: where each message is now, and calls under the ids that it has."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.history.engine import HealResult, heal
from interlock.history.providers import PROFILES
from properties.history import generate
from support.framework_histories import FORMS, plain
from support.histories import MUTATIONS, WIRES, Ask, Reply, Results, Step, damaged, render

WRITERS: dict[str, tuple[str, Callable[[list[Step]], list[Any]]]] = {
    **{wire: (wire, lambda steps, wire=wire: render(steps, wire)) for wire in WIRES},
    **{name: form for name, form in FORMS.items() if not name.endswith("-objects")},
}
TARGETS = st.none() | st.sampled_from(sorted(PROFILES))
POLICIES = st.fixed_dictionaries(
    {},
    optional={
        "orphan-tool-result": st.just("to-text"),
        "duplicate-tool-result": st.just("merge"),
        "tools-not-declared": st.just("flatten"),
        "system-position": st.sampled_from(["hoist", "join"]),
    },
)
#: What breaks how calls and results stand together, so that results move and calls get other ids.
PAIRS = tuple(name for name in MUTATIONS if re.search("result|call|id|user|system|reply", name))


def marked(steps: list[Step]) -> list[Step]:
    """Return the conversation with a mark of its own in each thing that somebody says, asks or answers."""
    marks = iter(range(1000))

    def mark() -> str:
        return f"<mark {next(marks)}>"

    def asked(call: Ask) -> Ask:
        return replace(call, arguments={"a": mark()} if isinstance(call.arguments, dict) else [mark()])

    out: list[Step] = []
    for step in steps:
        if isinstance(step, Results):
            out.append(Results(tuple(replace(answer, text=mark()) for answer in step.answers)))
            continue
        if step.text.strip():
            step = replace(step, text=f"{step.text} {mark()}")
        out.append(replace(step, calls=tuple(map(asked, step.calls))) if isinstance(step, Reply) else step)
    return out


def marks(message: Any) -> set[str]:
    """Return the marks that stand in a native message."""
    return set(re.findall("<mark [0-9]+>", json.dumps(plain(message), default=str)))


def misplaced(history: list[Any], result: HealResult) -> Iterator[tuple[int, int | None, set[str]]]:
    """Yield each message that is not where the result says, with that place and what is left of it."""
    before, after = [*map(marks, history)], [*map(marks, result.messages)]
    assert len(result.positions) == len(before)
    for at, place in enumerate(result.positions):
        others = set().union(*before[:at], *before[at + 1 :])
        own = (before[at] - others).intersection(*[set().union(*after)])
        if own and (place is None or not before[at] & after[place]):
            yield at, place, own


def unknown_ids(history: list[Any], result: HealResult) -> list[str]:
    """Return the ids in the account that the input does not have."""
    text = json.dumps([plain(message) for message in history], default=str)
    named = [record.call_id for record in (*result.repairs, *result.remaining)] + [*result.ids.values()]
    wrong = [one for one in named if one is not None and json.dumps(one)[1:-1] not in text]
    new = [one for one in result.ids if json.dumps(one)[1:-1] not in text]
    return wrong + [
        one.reason for one in (*result.repairs, *result.remaining) if any(map(one.reason.__contains__, new))
    ]


@pytest.mark.parametrize("name", sorted(WRITERS))
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_the_account_speaks_of_the_input(name: str, data: st.DataObject) -> None:
    """Whatever moves: each message is found again where the result says, and each call by its id in the input."""
    wire, write = WRITERS[name]
    history = [plain(message) for message in write(marked(data.draw(damaged(names=PAIRS))[0]))]
    if data.draw(st.booleans()):
        history = data.draw(st.permutations(history))
    tools = data.draw(st.sampled_from([None, []]))
    result = heal(history, wire, data.draw(TARGETS), data.draw(POLICIES), tools=tools)
    assert not [*misplaced(history, result)]
    assert not unknown_ids(history, result)


@pytest.mark.parametrize("wire", sorted(generate.RENDERERS))
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_so_it_does_of_any_damage(wire: str, data: st.DataObject) -> None:
    """Also where fields are set, messages repeated and things stand in the wrong lists."""
    plan = data.draw(generate.plans())
    numbers = iter(range(1000))
    for turn in plan:
        for key in turn.keys() & {"user", "assistant"}:
            turn[key] = f"<mark {next(numbers)}>"
        for call in turn.get("calls", ()):
            call["args"], call["out"] = {"a": f"<mark {next(numbers)}>"}, f"<mark {next(numbers)}>"
    whole = generate.RENDERERS[wire](plan)
    history = data.draw(generate.damaged(whole))
    result = heal(history, wire, data.draw(TARGETS))
    assert not unknown_ids(history, result)
    # What damage has put into a message has no mark, and may be what stays in its place.
    assert not [found for found in misplaced(history, result) if history[found[0]] in whole]
