"""JSON text of whatever stands in a history: of Python's own values too, at any depth."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date, time
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

__all__ = ["as_json"]


def as_json(value: Any) -> str:
    """Return a value as JSON text; what JSON cannot hold is shown as text: a time in ISO form, others by `repr`.

    Nothing is left out and nothing raises: keys become text, an integer that Python would
    not print is given as hexadecimal text, and what contains itself is marked as such.
    """
    try:
        return json.dumps(value, ensure_ascii=False, default=_shown)
    except (TypeError, ValueError, RecursionError):
        return "".join(_tokens(value))


def _shown(value: Any) -> str:
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, (Decimal, UUID)):
        return str(value)
    try:
        return repr(value)
    except (ValueError, RecursionError):  # what is too long or too deep for Python itself
        return hex(value) if isinstance(value, int) else f"<{type(value).__name__}>"


def _tokens(value: Any) -> Iterator[str]:
    """Yield the text piece by piece, without recursion."""
    stack: list[tuple[Iterator[tuple[str, Any]], str, int]] = []
    entered: set[int] = set()
    lead, following = "", value
    while True:
        yield lead
        inner = _inner(following)
        if inner is None or id(following) in entered:
            yield _scalar(following) if inner is None else json.dumps(_CIRCULAR)
        else:
            entered.add(id(following))
            items, opening, closing = inner
            yield opening
            stack.append((items, closing, id(following)))
        while stack:
            items, closing, own = stack[-1]
            found = next(items, None)
            if found is not None:
                lead, following = found
                break
            yield closing
            entered.discard(own)
            stack.pop()
        else:
            return


_CIRCULAR: Final = "(contains itself)"


def _inner(value: Any) -> tuple[Iterator[tuple[str, Any]], str, str] | None:
    """Return what a container holds, each with what stands ahead of it, and its brackets."""
    if isinstance(value, Mapping):
        # Keys that only differ in type stay two keys: a repeated one would hide the other.
        return _entries(value), "{", "}"
    if isinstance(value, (list, tuple)):
        return ((", " if at else "", one) for at, one in enumerate(value)), "[", "]"
    return None


def _entries(value: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    taken = {key for key in value if isinstance(key, str)}
    for at, (key, inner) in enumerate(value.items()):
        name = key
        if not isinstance(key, str):
            name = _scalar(key) if key is None or isinstance(key, (bool, int, float)) else _shown(key)
            name = name.strip('"')
            while name in taken:
                name += "_"
            taken.add(name)
        yield f"{', ' if at else ''}{json.dumps(name, ensure_ascii=False)}: ", inner


def _scalar(value: Any) -> str:
    if value is None or isinstance(value, (bool, int, float, str)):
        try:
            return json.dumps(value, ensure_ascii=False)
        except ValueError:
            pass  # an integer of more digits than Python prints
    return json.dumps(_shown(value), ensure_ascii=False)
