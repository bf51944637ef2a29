"""Reading arguments that were stored as text."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

__all__ = ["is_object_text", "object_in", "value_at"]


def is_object_text(text: str) -> bool:
    """Say whether a text is a JSON object to every reader; a repeated key is the readers' affair."""
    try:
        # The scanner alone, for the usual text without white space around it: half the cost of `decode`.
        if text[:1] == "{" and _SCAN(text, 0)[1] == len(text):
            return True
        return isinstance(_DECODER.decode(text), dict)
    except (ValueError, RecursionError, StopIteration):
        return False


def object_in(text: str) -> dict[str, Any] | None:
    """Return the object that a JSON text holds; `None` when it is not one that all readers agree on."""
    try:
        value = json.loads(text, parse_constant=_refuse, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _refuse(word: str) -> Any:
    raise ValueError(word)


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse)
_SCAN: Final[Any] = _DECODER.scan_once  # type: ignore[attr-defined]
#: Reads the JSON value at a place of a text, and returns it with where it ends.
#: Raises `ValueError`, `RecursionError` or `StopIteration` where there is none.
value_at: Final[Callable[[str, int], tuple[Any, int]]] = _SCAN


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise ValueError("a key is repeated")
    return out
