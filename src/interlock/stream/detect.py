"""Which wire is this? Told from the first events of a stream."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from interlock.errors import AmbiguousWireError, UnknownWireError
from interlock.stream.access import get
from interlock.stream.wires import WIRES

__all__ = ["detect", "rate"]


def rate(event: Any) -> dict[str, int]:
    """Return the wires that an event fits, with how well: 1 maybe, 2 surely, 3 more special than another."""
    scores: dict[str, int] = {}
    kind = get(event, "type")
    if kind is not None and not isinstance(kind, str):
        return scores  # where a wire has a type, it is a word
    for wire, module in WIRES.items():
        score = import_module(module).recognises(event)
        if score:
            scores[wire] = score
    return scores


def detect(events: Iterable[Any]) -> str:
    """Return the wire of a stream's first events.

    A wire is as likely as its best event; the search ends as soon as an event is surely one wire's, and no
    other wire is as likely.

    Raises:
        UnknownWireError: nothing fits.
        AmbiguousWireError: several fit equally well; `.candidates` names them.
    """
    totals: dict[str, int] = {}
    winners: list[str] = []
    for event in events:
        for wire, score in rate(event).items():
            totals[wire] = max(totals.get(wire, 0), score)
        best = max(totals.values(), default=0)
        winners = sorted(wire for wire, score in totals.items() if score == best)
        if best >= 2 and len(winners) == 1:
            break
    if not winners:
        known = sorted(WIRES)
        raise UnknownWireError(
            f"the data fits no wire that is known here; name one with `wire=` (or --wire): {', '.join(known)}",
            known=known,
        )
    if len(winners) > 1:
        raise AmbiguousWireError(winners)
    return winners[0]
