"""Whatever was broken, the healed history passes the provider's own checks, and nothing that was said is lost."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from interlock.history.engine import heal
from interlock.history.wires import WIRES
from support.histories import MUTATIONS, TOOLS, Reply, Results, User, conversations, damaged, sample
from support.oracles import FORMS, JUDGES, PACKAGES, RefusedError, written
from support.shared import needs_shared, shared_files

for package in PACKAGES:
    pytest.importorskip(package)

CASES = Path(__file__).resolve().parents[1] / "cases" / "rules"
#: Damage after which not every result has exactly one call that asked for it.
UNPAIRED = frozenset({"calls-missing", "doubled-result", "foreign-result", "reused-id", "same-id-in-turn"})
#: Cases with blocks that no release of the packages knows yet; they are left alone.
UNKNOWN = frozenset({"a-tool-that-is-new"})
#: Damage that is healed by moving or folding what was said.
MOVING = frozenset({"late-results", "early-results", "late-system"})


def tagged(steps: list[Any]) -> list[Any]:
    """Give each thing that is said a mark, by which it is found again wherever it went."""
    out = []
    for at, step in enumerate(steps):
        if isinstance(step, (User, Reply)) and step.text.strip():
            step = replace(step, text=f"⟦said {at}⟧{step.text}")
        elif isinstance(step, Results):
            step = Results(
                tuple(replace(one, text=f"⟦result {at}.{i}⟧{one.text}") for i, one in enumerate(step.answers))
            )
        out.append(step)
    return out


def strings(value: Any) -> Iterator[str]:
    """Yield every string in a JSON value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def marks(messages: list[Any], kind: str) -> list[str]:
    """Return the marks of one kind in the order in which they stand."""
    text = "\x00".join(strings(messages))
    return [piece.split("⟧")[0] for piece in text.split("⟦")[1:] if piece.startswith(kind)]


def check(messages: list[Any], target: tuple[str, str]) -> Any:
    """Heal, judge, and hold the promises that have nothing to do with the provider."""
    wire, provider = target
    before = copy.deepcopy(messages)
    result = heal(messages, wire=wire, provider=provider, tools=list(TOOLS))
    assert messages == before, "the input was changed"
    assert result.undo() is messages
    if all(message.get("role") == "system" for message in result.messages) and result.remaining:
        # There was nothing but results of nobody's calls, or nothing but instructions.
        assert [one.rule for one in result.remaining] in (["empty-history"], ["first-role"], ["last-role"])
    else:
        assert not result.remaining, [one.reason for one in result.remaining]
        for judge in JUDGES[target]:
            judge(result.messages)
    again = heal(result.messages, wire=wire, provider=provider, tools=list(TOOLS))
    assert not again.changed, [one.reason for one in again.repairs]
    return result


@pytest.mark.parametrize("target", JUDGES, ids="-".join)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(drawn=damaged())
def test_a_damaged_conversation_heals_to_what_the_provider_takes(
    target: tuple[str, str], drawn: tuple[list[Any], list[str]]
) -> None:
    steps, names = tagged(drawn[0]), drawn[1]
    messages = written(steps, target)
    result = check(messages, target)
    said = marks(messages, "said")
    left = marks(result.messages, "said")
    assert sorted(left) == sorted(said), "words of a user or a model were lost"
    if MOVING.isdisjoint(names):
        assert left == said, "the order changed"
    kept = Counter(marks(result.messages, "result"))
    recorded = Counter(marks([one.before for one in result.repairs if one.lossy], "result"))
    lost = Counter(marks(messages, "result")) - kept
    assert lost <= recorded, "a result was lost without a word"
    # Where ids are missing and several things are wrong, nothing may tell whose a result is.
    if UNPAIRED.isdisjoint(names) and (WIRES[target[0]].has_ids or len(names) < 2):
        assert not lost, "a result was lost"


@pytest.mark.parametrize("target", JUDGES, ids="-".join)
@settings(max_examples=15, deadline=None)
@given(steps=conversations())
def test_a_healthy_conversation_comes_back_as_the_same_object(target: tuple[str, str], steps: list[Any]) -> None:
    messages = written(steps, target)
    result = check(messages, target)
    assert not result.repairs
    assert result.messages is messages


@pytest.mark.parametrize("target", JUDGES, ids="-".join)
def test_each_damage_alone_is_found_where_a_judge_finds_it(target: tuple[str, str]) -> None:
    for name, mutation in MUTATIONS.items():
        for place in (lambda count: 0, lambda count: count - 1):
            messages = written(mutation(sample(), place), target)
            refused = False
            for judge in JUDGES[target]:
                try:
                    judge(messages)
                except RefusedError:
                    refused = True
            assert check(messages, target).changed or not refused, name


@pytest.mark.parametrize(("name", "target", "damage"), FORMS, ids=lambda one: getattr(one, "__name__", None))
def test_a_broken_form_heals(name: str, target: tuple[str, str], damage: Any) -> None:
    messages = written(sample(), target)
    damage(messages)
    assert check(messages, target).changed


def own_cases(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the cases of a rule."""
    yield from json.loads(path.read_text())


def reported_cases(path: Path) -> Iterator[dict[str, Any]]:
    """Yield a reported failure in the form of the project's own cases."""
    case = json.loads(path.read_text())
    if case["side"] == "outbound":
        given, asked = case["input"], case["input"].get("options", {})
        settings = {"options": asked, "model": asked.get("model"), "pending": asked.get("pending")}
        yield {"wire": case["wire"], "before": given["messages"], **settings} | {
            "id": path.stem,
            "tools": given.get("tools"),
            "provider": given.get("target"),
        }


def judged(case: dict[str, Any]) -> bool:
    """Heal a case; say whether there are judges for its target that all took it.

    A caller that asked for something else than a history fit to send, a provider that keeps
    part of it, and what no edit can heal are not for the judges.
    """
    options = case.get("options") or {}
    if (
        case["id"] in UNKNOWN
        or case.get("policy")
        or case.get("pending")
        or {"previous_response_id", "conversation"} & options.keys()
    ):
        return False
    names = ("wire", "provider", "model", "tools", "options")
    result = heal(copy.deepcopy(case["before"]), **{name: case[name] for name in names if case.get(name)})
    judges = JUDGES.get((result.wire, result.provider or ""), ())
    if result.remaining or not judges:
        return False
    for judge in judges:
        try:
            judge(result.messages)
        except RefusedError as error:
            raise AssertionError(f"{case['id']}: {judge.__name__}: {error}") from None
    return True


def test_the_healed_cases_of_all_rules_pass_the_judges() -> None:
    took = [judged(case) for path in sorted(CASES.glob("*.json")) for case in own_cases(path)]
    assert sum(took) > 100


@needs_shared
def test_the_healed_reported_failures_pass_the_judges() -> None:
    took = [judged(case) for path in shared_files("cases/*.json") for case in reported_cases(path)]
    assert sum(took) > 30
