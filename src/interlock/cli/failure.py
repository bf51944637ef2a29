"""The one exception of the command line."""

from __future__ import annotations

__all__ = ["Failure"]


class Failure(Exception):  # noqa: N818 - it is what the user reads, not a fault of the program
    """Unreadable input or bad usage: one line for stderr, exit status 2."""
