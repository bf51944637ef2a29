"""The report in JSON: every field, and which are left out when there is nothing to say."""

from __future__ import annotations

from typing import Any

import pytest

from interlock import Guard
from interlock.gate.decision import Evidence, ExecuteDecision
from interlock.gate.facts import EvidenceKind
from interlock.stream.wires import Traits, normalized
from support.judging import judged

START = {"type": "call_start", "key": "a", "id": "call_1", "index": 0, "name": "f"}
WHOLE = {"type": "arguments_delta", "key": "a", "text": '{"x": 1}'}
END = {"type": "stream_end", "reason": "complete", "provider_reason": "stop"}


def test_the_whole_report_of_a_call_that_runs_and_one_that_was_cut() -> None:
    """The shape that the command prints."""
    cut = [{**START, "key": "b", "id": "call_2", "index": 1}, {**WHOLE, "key": "b", "text": '{"x": 1, "y": "'}]
    report = judged("normalized", [START, WHOLE, *cut, {"type": "call_start", "key": "ghost"}, END])
    evidence = {"provider_reason": "stop", "terminal_confirmed": True, "schema_valid": None}
    assert report.to_json() == {
        "wire": "normalized",
        "end_reason": "complete",
        "decisions": [
            {
                "internal_id": "call-0",
                "call_id": "call_1",
                "index": 0,
                "name": "f",
                "action": "execute",
                "reason": "complete",
                "stable_value": {"x": 1},
                "evidence": evidence | {"structurally_complete": True, "parser_executable": True, "received_bytes": 8},
                "diagnostics": [],
                "value": {"x": 1},
            },
            {
                "internal_id": "call-1",
                "call_id": "call_2",
                "index": 1,
                "name": "f",
                "action": "retry",
                "reason": "truncated",
                "stable_value": {"x": 1},
                "evidence": evidence
                | {"structurally_complete": False, "parser_executable": False, "received_bytes": 15},
                "diagnostics": [d.to_json() for d in report.decisions[1].diagnostics],
            },
        ],
        "diagnostics": [report.diagnostics[0].to_json()],
    }
    assert [d.code for d in report.diagnostics] == ["W_GHOST_CALL"]


FACTS: dict[str, Any] = {
    "provider": "normalized",
    "provider_reason": None,
    "end_reason": "complete",
    "terminal_confirmed": True,
    "structurally_complete": True,
    "parser_executable": False,
    "schema_valid": None,
    "received_bytes": 0,
}


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("raw", None),
        ("none", None),
        ("text", "text"),
        ("assembled", "assembled"),
        ("projection", "projection"),
        ("trusted_projection", "projection"),
    ],
)
def test_evidence_says_what_is_out_of_the_ordinary(kind: EvidenceKind, said: str | None) -> None:
    """Raw text, confirmed by the provider and not unwrapped, is the ordinary."""
    written = Evidence(**FACTS, kind=kind).to_json()
    assert written.get("kind") == said
    assert not {"confirmed_by", "unwrapped"} & written.keys()


def test_evidence_says_who_confirmed_and_what_was_unwrapped() -> None:
    """Only weaker words than the provider's own are worth a line."""
    for who in ("done", "eof"):
        assert Evidence(**FACTS, confirmed_by=who).to_json()["confirmed_by"] == who
    assert "confirmed_by" not in Evidence(**FACTS, confirmed_by="provider").to_json()
    assert Evidence(**FACTS, unwrapped=True).to_json()["unwrapped"] is True
    assert Evidence(**FACTS).kind == "raw"


@pytest.mark.parametrize(("done", "who"), [(True, "done"), (False, "eof")])
def test_the_evidence_names_the_weaker_confirmation(done: bool, who: str) -> None:
    """By opt-in; the provider's own word is still missing, and the evidence says so."""
    guard = Guard("normalized", confirm_on_done=True)
    for event in (START, WHOLE, *(["[DONE]"] if done else [])):
        guard.push(event)
    assert guard.snapshot().decisions[0].evidence.confirmed_by is None
    (decision,) = guard.finish().decisions
    assert isinstance(decision, ExecuteDecision) and decision.typed_value is None
    assert (decision.evidence.confirmed_by, decision.evidence.terminal_confirmed) == (who, False)
    (plain,) = judged("normalized", [START, WHOLE, END]).decisions
    assert plain.evidence.confirmed_by == "provider"


@pytest.mark.parametrize("reason", ["complete", "length", "unknown"])
@pytest.mark.parametrize("closed", [True, False])
def test_the_evidence_of_pieces_and_free_text(monkeypatch: pytest.MonkeyPatch, reason: str, closed: bool) -> None:
    """Whole where the wire closed them; good to run only under a complete end."""
    monkeypatch.setattr(normalized.Adapter, "traits", Traits(calls_end=True, ends="turn", repeats_text=True))
    events: list[Any] = [
        {"type": "call_start", "key": "p", "name": "f"},
        {"type": "arguments_piece", "key": "p", "path": ["x"], "value": "é"},
        {"type": "call_start", "key": "t", "name": "f", "kind": "text"},
        {"type": "arguments_delta", "key": "t", "text": "é"},
        {"type": "arguments_final", "key": "t", "text": "é"},
        *([{"type": "call_end", "key": key} for key in "pt"] if closed else []),
        {"type": "turn_end", "reason": reason},
    ]
    pieces, text = judged("normalized", events).decisions
    for decision, kind, size in ((pieces, "assembled", 3), (text, "text", 2)):
        evidence = decision.evidence
        assert (evidence.kind, evidence.structurally_complete, evidence.received_bytes) == (kind, closed, size)
        assert (decision.action == "execute") == (closed and reason == "complete")
        assert evidence.parser_executable == (closed and reason == "complete")
    assert (pieces.stable_value, text.stable_value) == ({"x": "é"}, "é" if closed else None)
