"""The quick look at a history message by message, where calls carry ids."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from interlock.history.naming import matcher
from interlock.history.spans import Places, Scan, onward
from interlock.history.wires.base import Wire

__all__ = ["Look", "ScreenedWire"]


@dataclass(slots=True)
class Look:
    """What a look remembers from message to message.

    Attributes:
        fits: Says whether a tool name is accepted.
        names: Tool names that are known to be.
        waiting: Calls that have no result yet: id -> the tool's name.
        ids: Ids of the calls in the message at hand.
    """

    fits: Callable[[str], object]
    names: set[str] = field(default_factory=set)
    waiting: dict[str, str] = field(default_factory=dict)
    ids: list[str] = field(default_factory=list)

    def call(self, call_id: Any, name: Any) -> bool:
        """Note a call; false when its id or its name needs a closer look."""
        if type(call_id) is not str or not call_id or call_id in self.waiting:
            return False
        if name not in self.names:
            if not self.fits(name):
                return False
            self.names.add(name)
        self.waiting[call_id] = name
        self.ids.append(call_id)
        return True


class ScreenedWire(Wire):
    """Base of these formats.

    Attributes:
        targets: Names of the profiles of which the look knows all requirements.
    """

    targets: ClassVar[frozenset[str]] = frozenset({"generic"})

    def healthy(self, message: Any, look: Look) -> bool | None:
        """Say for certain that no rule would find anything in a message.

        `None`: nothing but that calls have no results behind it, or in it.

        Raises:
            AttributeError, KeyError, TypeError: As good as `False`: a shape that the look does not know.
        """
        raise NotImplementedError

    def scanner(self, context: Any) -> Scan | None:
        """Return the walk, for the targets that the look knows."""
        if context.profile.name not in self.targets:
            return None
        fits = matcher(context.profile.name_pattern)
        names = context.fitting
        healthy = self.healthy

        def scan(messages: Sequence[Any], start: int, places: Places) -> tuple[int, int]:
            look = Look(fits, names)
            waiting, ids = look.waiting, look.ids
            at = opened = start
            try:
                for at, message in onward(messages, start):
                    if not waiting:
                        opened = at
                    good = healthy(message, look)
                    if not good and good is not None:
                        return opened, at
                    if ids:
                        for call_id in ids:
                            if places.setdefault(call_id, at) != at:
                                places.again(call_id, at)
                        ids.clear()
                    if good is None:
                        return opened, at + 1
            except (AttributeError, KeyError, TypeError):
                return opened, at
            return (opened if waiting else len(messages)), len(messages)

        return scan
