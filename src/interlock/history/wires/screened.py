"""A quick look at a whole history, for formats whose messages are not read one by one.

The look knows the common shapes only and is made for the requirements that all
targets share. It says "healthy" or nothing; then the history is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from interlock.history.wires.base import Wire

__all__ = ["Fits", "ScreenedWire"]

Fits = Callable[[str], object]


class ScreenedWire(Wire):
    """Base of these formats."""

    def healthy(self, messages: Sequence[Any], fits: Fits) -> bool:
        """Say for certain that no rule would find anything.

        Args:
            messages: The native messages.
            fits: Says whether a tool name is one that is accepted.

        Raises:
            AttributeError, KeyError, TypeError: As good as `False`: a shape that the look does not know.
        """
        raise NotImplementedError

    def scanner(self, context: Any) -> Callable[[Sequence[Any], int, dict[str, int]], int] | None:
        """Return a walk that goes to the end or not at all."""
        if context.profile.name != "generic":
            return None
        fits = re.compile(context.profile.name_pattern).fullmatch

        def scan(messages: Sequence[Any], start: int, places: dict[str, int]) -> int:  # noqa: ARG001
            try:
                return len(messages) if not start and self.healthy(messages, fits) else start
            except (AttributeError, KeyError, TypeError):
                return start

        return scan

    def is_word(self, native: Any) -> bool:  # noqa: ARG002
        """Nothing: such a history is read whole or not at all."""
        return False
