"""Feeding recorded streams to a guard, and reading what it says."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import interlock
from interlock import Guard
from interlock.gate.decision import ExecuteDecision


def events_of(path: Path) -> list[Any]:
    """Return the events of a `.jsonl` recording."""
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def judged(wire: str, events: Iterable[Any], *, end: Any = "eof", **options: Any) -> interlock.Report:
    """Push all events and finish; nothing inside may break."""
    guard = Guard(wire, **options)
    for event in events:
        guard.push(event)
    report = guard.finish(end)
    assert "E_INTERNAL" not in codes(report), report
    return report


def codes(report: interlock.Report) -> list[str]:
    """Return the codes of all remarks, those on the stream first."""
    return [
        one.code
        for some in (report.diagnostics, *(decision.diagnostics for decision in report.decisions))
        for one in some
    ]


def judged_bytes(wire: str, chunks: Iterable[bytes], *, end: Any = "eof", **options: Any) -> interlock.Report:
    """Push raw bytes and finish; nothing inside may break."""
    guard = Guard(wire, **options)
    for chunk in chunks:
        guard.push_bytes(chunk)
    report = guard.finish(end)
    assert "E_INTERNAL" not in codes(report), report
    return report


def executed(report: interlock.Report) -> list[tuple[str | None, str | None, Any]]:
    """Return (call id, name, value) of every call that executes."""
    return [(d.call_id, d.name, d.value) for d in report.decisions if isinstance(d, ExecuteDecision)]
