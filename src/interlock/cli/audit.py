"""How findings and repairs are shown."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.cli.screen import Cell, Screen
from interlock.history.records import Repair

__all__ = ["Tally", "place", "show_audit", "show_tally"]

# rule -> how many conversations have it, how many findings, how many of them lossy, how many not healed
Tally = dict[str, list[int]]


def place(record: Repair) -> str:
    """Say where in the history a finding is."""
    if record.message_index is None:
        return "(whole)"
    part = "" if record.part_index is None else f", part {record.part_index}"
    return f"message {record.message_index}{part}"


def show_audit(out: Screen, records: Sequence[Repair], *, done: bool) -> None:
    """Show findings one by one: as repairs when they were `done`, else as what could be done."""
    if records:
        out.table(
            ("where", "rule", "repair" if done else "finding", "why"),
            [
                (
                    Cell(place(record)),
                    Cell(f"{record.code} {record.rule}", "strong"),
                    Cell(_what(record), "bad" if not record.healed else "careful" if record.lossy else "good"),
                    Cell(record.reason),
                )
                for record in records
            ],
        )


def _what(record: Repair) -> str:
    if not record.healed:
        return "cannot be healed"
    return f"{record.action}{' (lossy)' if record.lossy else ''}"


def show_tally(out: Screen, tally: Tally) -> None:
    """Show how often each rule found something in many conversations."""
    if tally:
        out.table(
            ("rule", "conversations", "findings", "lossy", "not healed"),
            [
                (Cell(rule, "strong"), *(Cell(f"{count:,}") for count in counts))
                for rule, counts in sorted(tally.items())
            ],
        )
