"""The short way: what heals a history in which one thing is wrong, however often, without a rule.

Two things befall whole conversations: results are lost (`interlock.history.lost`), and a history goes on with
another provider, whose ids look otherwise (`interlock.history.renames`). Here is decided whether that is all. The
result is the one that the rules would give; where that is not certain they are asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from interlock.history import lost, renames
from interlock.history.providers import lenient
from interlock.history.records import Repair
from interlock.history.rules.base import Context
from interlock.history.spans import Places, Scan

__all__ = ["Records", "Written", "goes_on", "short_way"]

#: Native messages, and where each message of the input is among them.
Written = tuple[Any, tuple[int | None, ...]]
#: Writes the records, when somebody asks for them.
Records = Callable[[], tuple[Repair, ...]]

_NEAR: Final = 20  # messages ahead of an id, to tell whether it alone stands in the way
_FEW: Final = 200  # messages behind it, to tell whether there are many


def goes_on(context: Context) -> bool:
    """Say whether a look may go on behind lost results, as nothing else moves where words are put in for them.

    Signatures are due from the beginning of a turn on.
    """
    return context.policy["orphan-tool-call"] == "stub-result" and not context.profile.thought_signatures


def short_way(
    history: Sequence[Any], context: Context, scan: Scan, places: Places, bad: int, stuck: int
) -> tuple[Written, Records] | None:
    """Return what comes of a history that lacks results, or needs other ids, and nothing else.

    `None`: it is not as simple as that.

    Args:
        history: The native messages.
        context: What the rules know.
        scan: The look.
        places: What it has noted.
        bad: The first message that is not surely healthy.
        stuck: Where it has stopped.
    """
    if bad >= len(history):
        stubbed = lost.with_stubs(history, places, context, scan)
        return None if stubbed is None else (stubbed[1], partial(lost.records, stubbed[0]))
    if stuck >= len(history) or places.others or (look := _any_id(context)) is None:
        return None
    if not _is_id(history, context, look, bad, stuck) or not _are_many(history, context, scan, stuck):
        return None
    seen = _places(context)
    if look(history, 0, seen)[0] < len(history) or seen.others:
        return None
    answered: Sequence[Any] = history
    positions: tuple[int | None, ...] = tuple(range(len(history)))
    notes: Sequence[lost.Note] = ()
    if seen.lost:
        # As the rules do: first the words, so that they get the new ids together with the calls.
        stubbed = lost.with_stubs(history, seen, context, look)
        if stubbed is None:
            return None
        notes, (answered, positions) = stubbed
    new = renames.with_new_ids(answered, positions[bad] or 0, context, seen)
    if new is None:
        return None
    out, renamed, ids = new
    context.ids.update(ids)
    if notes:
        origins = {place: at for at, place in enumerate(positions)}
        renamed = [(origins[place], history[origins[place]], calls) for place, _, calls in renamed]
    write = partial(renames.records, context.wire, context.profile, renamed, ids)
    return (out, positions), partial(_both, notes, write)


def _both(notes: Sequence[lost.Note], write: Records) -> tuple[Repair, ...]:
    return (*lost.records(notes), *write())


def _any_id(context: Context) -> Scan | None:
    """Return a look for a target that takes any id; `None` where the target does."""
    profile = context.profile
    if profile.id_pattern is None and profile.id_length is None:
        return None
    return context.wire.scanner(replace(context, profile=lenient(profile, names=False)))


def _places(context: Context) -> Places:
    return Places([] if goes_on(context) else None)


def _is_id(history: Sequence[Any], context: Context, look: Scan, bad: int, stuck: int) -> bool:
    """Say whether it is an id that the look has stopped at: one that takes any passes the turn around it."""
    start = bad
    while start > max(bad - _NEAR, 0):
        start -= 1
        if context.wire.begins(history, start):
            break
    shown = history[max(start - 1, 0) : stuck + 1]
    return look(shown, min(start, 1), _places(context))[1] >= len(shown)


def _are_many(history: Sequence[Any], context: Context, scan: Scan, stuck: int) -> bool:
    """Say whether another such id is near: at few the rules look more cheaply than a look at all the rest."""
    if len(history) <= _FEW:
        return True
    start = stuck + 1
    while start < len(history) and not context.wire.begins(history, start):
        start += 1
    shown = [None, *history[start : start + _FEW]]
    return scan(shown, 1, _places(context))[1] < len(shown)
