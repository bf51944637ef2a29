"""Every rule's cases: a file per rule, a case per policy, seven checks a case."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from interlock.history.engine import check, heal
from interlock.history.rules import BY_NAME, RULES

CASES = Path(__file__).resolve().parents[3] / "cases" / "rules"


def load() -> list[Any]:
    """Return one pytest parameter for each case."""
    out = []
    for path in sorted(CASES.glob("*.json")):
        out += [pytest.param(case, path.stem, id=f"{path.stem}/{case['id']}") for case in json.loads(path.read_text())]
    return out


def arguments(case: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of `heal` for a case."""
    names = ("wire", "provider", "model", "tools", "options", "policy")
    out = {name: case[name] for name in names if name in case}
    return {**out, "pending": case.get("pending", ())}


@pytest.mark.parametrize(("case", "stem"), load())
def test_the_case_heals_as_written(case: dict[str, Any], stem: str) -> None:
    """Result, audit, purity, fix point, identity, check before and check after agree."""
    options = arguments(case)
    before = copy.deepcopy(case["before"])
    result = heal(before, **options)
    audit = [
        {key: record.to_json()[key] for key in expected}
        for record, expected in zip(result.repairs, case["repairs"], strict=False)
    ]
    assert case["repairs"] == audit, [record.to_json() for record in result.repairs]
    assert len(case["repairs"]) == len(result.repairs), [record.to_json() for record in result.repairs]
    healed = result.messages if result.request is None else result.request
    assert case["after"] == healed
    assert case["before"] == before, "the input was changed"
    again = heal(healed, **options)
    assert not again.changed, [record.reason for record in again.repairs]
    history = (
        before
        if isinstance(before, list)
        else next(before[key] for key in ("messages", "input", "contents") if key in before)
    )
    for old, new in enumerate(result.positions):
        if new is not None and history[old] == result.messages[new] and result.positions.count(new) == 1:
            assert history[old] is result.messages[new], f"message {old} was copied"
    found = check(before, **options)
    remaining = case.get("remaining", [])
    assert [record.to_json() for record in (*result.repairs, *result.remaining)] == [
        record.to_json() for record in found.findings
    ]
    assert remaining == [record.rule for record in result.remaining]
    assert check(healed, **options).valid or remaining
    assert result.undo() is before
    if not case["repairs"]:
        assert not result.changed
        assert healed is before


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_every_rule_has_a_case_for_each_policy_and_one_that_stays(rule: Any) -> None:
    """No policy is without a case, and each rule shows a history that it leaves alone."""
    path = CASES / f"{rule.code}_{rule.name.replace('-', '_')}.json"
    cases = json.loads(path.read_text())
    followed = {case.get("policy", {}).get(rule.name, rule.default) for case in cases}
    assert set(rule.policies) <= followed
    healthy = [case for case in cases if not case["repairs"] and rule.name not in case.get("policy", {})]
    assert healthy, "no case that must stay untouched"
    acting = [
        case
        for case in cases
        if any(record["rule"] == rule.name for record in case["repairs"]) or rule.name in case.get("remaining", [])
    ]
    assert acting, "no case in which the rule acts"


def test_every_case_file_belongs_to_a_rule() -> None:
    """A case file that no rule owns would be a rule without an entry."""
    expected = {f"{rule.code}_{name.replace('-', '_')}" for name, rule in BY_NAME.items()}
    assert expected == {path.stem for path in CASES.glob("*.json")}
