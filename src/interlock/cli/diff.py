"""What `heal` changed, message by message: linear in the length of the history."""

from __future__ import annotations

import json
from collections.abc import Iterator
from difflib import unified_diff
from typing import Any

from interlock.history.engine import HealResult

__all__ = ["diff"]


def diff(result: HealResult, before: list[Any]) -> Iterator[tuple[str, str]]:
    """Yield the lines of a diff with a style each: `bad` for what went, `good` for what came.

    Args:
        result: The healed history.
        before: The messages that were given.
    """
    after = result.messages if isinstance(result.messages, (list, tuple)) else []
    sources: dict[int, list[int]] = {}
    for at, to in enumerate(result.positions):
        if to is not None:
            sources.setdefault(to, []).append(at)
    dropped = [at for at, to in enumerate(result.positions) if to is None]
    seen = -1
    for to, message in enumerate(after):
        origins = sources.get(to, [])
        while dropped and origins and dropped[0] < origins[0]:
            yield from _hunk(f"message {dropped[0]} was dropped", before[dropped.pop(0)], None)
        if not origins:
            yield from _hunk(f"message {to} is new", None, message)
        elif len(origins) > 1:
            joined = [before[at] for at in origins]
            yield from _hunk(f"messages {', '.join(map(str, origins))} became message {to}", joined, [message])
        elif message is not before[origins[0]]:
            yield from _hunk(f"message {origins[0]}", before[origins[0]], message)
        elif origins[0] < seen:
            yield f"@@ message {origins[0]} moved to {to} @@", "strong"
        seen = max(seen, *origins) if origins else seen
    for at in dropped:
        yield from _hunk(f"message {at} was dropped", before[at], None)


def _hunk(title: str, old: Any, new: Any) -> Iterator[tuple[str, str]]:
    yield f"@@ {title} @@", "strong"
    for line in list(unified_diff(_lines(old), _lines(new), lineterm="", n=3))[2:]:
        if not line.startswith("@@"):
            yield line, {"-": "bad", "+": "good"}.get(line[:1], "")


def _lines(value: Any) -> list[str]:
    return [] if value is None else json.dumps(value, indent=2, ensure_ascii=False).splitlines()
