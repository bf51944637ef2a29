"""What was changed, as the next reader will see it.

A rule works on views, and a view that rules have changed need not be the one that
its native message is read as: a request that has lost its last tool result is the
user's, fields that nothing was read from may count now. So each round of rules works
on what reading the result of the round before gives, and the last one, which finds
nothing, is the proof that healing the result again finds nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from interlock.history.spans import stretch, written
from interlock.history.turns import Message, Part
from interlock.history.wires.base import Wire

__all__ = ["reread"]

#: Of a part: its place in its message of the input, and which messages of the input it comes from.
_Place = tuple[int | None, tuple[int, ...] | None]


def reread(views: Sequence[Message], wire: Wire) -> list[Message]:
    """Return the views of the native messages that these views are written as.

    Args:
        views: The conversation, with stand-ins for healthy stretches.
        wire: The format.

    Returns:
        Views that know where in the input they come from. Those that nothing has changed
        are the same objects, where a message is one view.
    """
    out: list[Message] = []
    run: list[Message] = []
    ahead: Message | None = None
    for view in views:
        if stretch(view) is None:
            run.append(view)
            continue
        out += _read(run, wire, ahead, view)
        out.append(view)
        run, ahead = [], view
    return out + _read(run, wire, ahead, None)


def _read(run: Sequence[Message], wire: Wire, ahead: Message | None, behind: Message | None) -> list[Message]:
    if not any(view.changed for view in run) and not wire.shares_messages:
        return list(run)
    natives, places = written(run, wire, ahead, behind)
    held: list[list[Message]] = [[] for _ in natives]
    for place, view in zip(places, run, strict=True):
        held[place].append(view)
    out: list[Message] = []
    for at, (native, old) in enumerate(zip(natives, held, strict=True)):
        if len(old) == 1 and not old[0].changed and not wire.shares_messages:
            out += old
            continue
        origins = tuple(dict.fromkeys(origin for view in old for origin in view.origins))
        known: dict[int, list[_Place]] = {}
        for one in old:
            for part in one.parts:
                place = part.index, one.origins if part.origins is None else part.origins
                known.setdefault(id(part.native), []).append(place)
        for view in wire.read_at(native, at):
            # Nobody else has seen it yet; its group knows it by identity.
            view.origins = origins
            view.parts = tuple(_placed(part, known) for part in view.parts)
            out.append(view)
    return out


def _placed(part: Part, known: dict[int, list[_Place]]) -> Part:
    """Return the part with its place in the input; one object may stand in several, which are given out in order."""
    places = known.get(id(part.native), [(None, None)])
    index, origins = places.pop(0) if len(places) > 1 else places[0]
    return replace(part, index=index, origins=origins)
