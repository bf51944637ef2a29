"""Failures from public reports: each rebuilt stream is judged as the report's readers would want."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from interlock.gate.decision import ExecuteDecision
from interlock.stream.wires import WIRES
from support.judging import judged
from support.shared import needs_shared, shared_files

pytestmark = needs_shared

# The cases speak of `adk`; its events wrap Gemini's.
WIRE_NAMES = {"adk": "gemini"}
# Cases whose expected execution rests on a value that somebody else parsed: right for a caller who trusts
# projections, rejected as projection_only by default.
NEED_TRUST = {
    "036-input-only-in-start-block",
    "053-finish-in-later-empty-chunk",
    "055-adk-partial-and-final-ids-differ",
    "065-ollama-arguments-array",
}


def cases() -> list[Any]:
    """One parameter a case."""
    out = []
    for path in shared_files("cases/*.json"):
        case = json.loads(Path(path).read_text())
        wire = WIRE_NAMES.get(case["wire"], case["wire"])
        if case["side"] == "inbound" and wire in WIRES:
            out.append(pytest.param(case, wire, id=case["id"]))
    return out


@pytest.mark.parametrize(("case", "wire"), cases())
def test_case(case: dict[str, Any], wire: str) -> None:
    """Every expected call is reported with an acceptable decision, and nothing else executes."""
    given = case["input"]
    report = judged(
        wire,
        given["events"],
        end=given.get("end", "eof"),
        tools=given.get("tools"),
        trust_projections=case["id"] in NEED_TRUST,
    )
    decisions = list(report.decisions)
    for call in case["expected"].get("calls", []):
        found = [d for d in decisions if d.name == call["name"] and (call.get("id") is None or d.call_id == call["id"])]
        assert found, (call, report.to_json())
        decision = found[0]
        decisions.remove(decision)
        assert decision.action in (call["decision"], *call.get("also_acceptable", ())), report.to_json()
        if isinstance(decision, ExecuteDecision):
            assert decision.value == call["arguments"]
    assert not [d for d in decisions if d.action == "execute"]
