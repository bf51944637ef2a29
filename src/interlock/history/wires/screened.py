"""The quick look at a history message by message, where calls carry ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from interlock.history.demands import Demands, demands_of
from interlock.history.spans import UNKNOWN, Places, Scan, onward
from interlock.history.wires.base import Wire

__all__ = ["Look", "ScreenedWire"]


@dataclass(slots=True)
class Look:
    """What a look remembers from message to message.

    Attributes:
        demands: What the target demands.
        names: Tool names that are known to be accepted.
        waiting: Calls that have no result yet: id -> the tool's name.
        ids: Ids of the calls in the message at hand.
        lacking: Calls that have no results in that message, or behind it; nothing else is wrong with it.
    """

    demands: Demands
    names: set[str]
    waiting: dict[str, str] = field(default_factory=dict)
    ids: list[str] = field(default_factory=list)
    lacking: list[str] = field(default_factory=list)

    def call(self, call_id: Any, name: Any) -> bool:
        """Note a call; false when its id or its name needs a closer look."""
        demands = self.demands
        if type(call_id) is not str or not 0 < len(call_id) <= demands.longest or call_id in self.waiting:
            return False
        if demands.id_fits is not None and not demands.id_fits(call_id):
            return False
        if name not in self.names:
            if not demands.name_fits(name):
                return False
            self.names.add(name)
        self.waiting[call_id] = name
        self.ids.append(call_id)
        return True


class ScreenedWire(Wire):
    """Base of these formats."""

    def healthy(self, message: Any, look: Look) -> str:
        """Return the kinds of the messages that one stands for, when surely nothing is wrong with it.

        The letters of `interlock.history.demands`, one for each view; none when it needs a closer look.

        Raises:
            AttributeError, KeyError, TypeError: As good as an empty text: a shape that the look does not know.
        """
        raise NotImplementedError

    def scanner(self, context: Any) -> Scan | None:
        """Return the walk, for the targets that the look knows."""
        demands = demands_of(context)
        if demands is None:
            return None
        after, once = demands.after, demands.once
        healthy = self.healthy

        def scan(messages: Sequence[Any], start: int, places: Places) -> tuple[int, int]:
            names = places.names
            look = Look(demands, names)
            waiting, ids = look.waiting, look.ids
            at = opened = start
            allowed = after["?" if start else "^"]
            try:
                for at, message in onward(messages, start):
                    if not waiting:
                        opened = at
                    kinds = healthy(message, look)
                    if not kinds:
                        if not waiting or not places.lose(opened, at, waiting):
                            return opened, at
                        # It may be healthy where results stand ahead of it.
                        look = Look(demands, names)
                        waiting, ids = look.waiting, look.ids
                        opened, allowed = at, after["t"]
                        kinds = healthy(message, look)
                        if not kinds:
                            return opened, at
                    if ids:
                        if once and len(set(ids)) != len(ids):
                            return opened, at  # in two steps of one message
                        for call_id in ids:
                            if places.setdefault(call_id, at) != at:
                                places.again(call_id, at)
                                if once:
                                    return opened, at
                        ids.clear()
                    if look.lacking and kinds[0] in "us":
                        allowed = after["t"]  # the results that it lacks would stand ahead
                    for kind in kinds:
                        if kind not in allowed:
                            return opened, at
                        allowed = after[kind]
                    if look.lacking:
                        if not places.lose(opened, at + 1, look.lacking):
                            return opened, at + 1
                        look.lacking = []
                        waiting.clear()
            except UNKNOWN:
                return opened, at
            if waiting:
                if not places.lose(opened, len(messages), waiting):
                    return opened, len(messages)
                allowed = after["t"]
            if "$" not in allowed:
                return at, len(messages)
            return len(messages), len(messages)

        return scan
