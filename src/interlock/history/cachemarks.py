"""Anthropic's cache markers: where they stand in a block, and how to take them off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["marks", "outside", "without_marks"]


def marks(value: Any) -> int:
    """Return how many markers a block has: its own, and those of the blocks inside it; of a list, of all in it."""
    if isinstance(value, list):
        return sum(marks(one) for one in value)
    if not isinstance(value, dict):
        return 0
    own = value.get("cache_control") is not None
    return own + marks(value.get("content")) + marks(value.get("source"))


def outside(options: Mapping[str, Any]) -> int:
    """Return how many markers a request's tools and system have."""
    given = (options.get("tools"), options.get("system"))
    return sum(marks(one) for blocks in given if isinstance(blocks, list) for one in blocks)


def without_marks(value: Any, count: int) -> tuple[Any, int]:
    """Return a copy of a block without its first markers, and how many of `count` are left over.

    Those of the blocks inside stand ahead of its own.
    """
    if count <= 0 or not marks(value):
        return value, count
    if isinstance(value, list):
        out = []
        for one in value:
            new, count = without_marks(one, count)
            out.append(new)
        return out, count
    held = dict(value)
    for key in ("source", "content"):
        if key in held:
            held[key], count = without_marks(held[key], count)
    if count and held.get("cache_control") is not None:
        del held["cache_control"]
        count -= 1
    return held, count
