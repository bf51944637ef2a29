"""What stands in a history as a client's own object, as the JSON that the client sends for it.

Every vendor's guide appends what its client returned (`messages.append(response.choices[0].message)`,
`{"role": "assistant", "content": response.content}`, `input += response.output`), and the clients
write such objects down themselves. Nothing is imported: an object is told by its methods.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["as_plain", "is_plain"]

_SCALARS: Final = frozenset({str, int, float, bool, type(None), bytes})
_DEEP: Final = 10  # levels: no format keeps an object further down, and what contains itself ends here
_MANY: Final = 10_000  # dicts and lists that one message may hold for the quick way


def is_plain(value: Any) -> bool:
    """Say quickly whether `as_plain` has nothing to do; false when it takes a longer look to tell."""
    if type(value) is not dict:
        return False
    left = [value.values()]
    for held in left:
        for one in held:
            kind = type(one)
            if kind in _SCALARS:
                continue
            if kind is dict:
                left.append(one.values())
            elif kind is list:
                left.append(one)
            else:
                return False
        if len(left) > _MANY:
            return False
    return True


def as_plain(value: Any, *, nulls: bool = True, depth: int = _DEEP) -> Any:
    """Return a value in which dicts and lists stand for objects and tuples; the value itself where none is in it.

    Args:
        value: A message, a part of one, or anything else.
        nulls: Keep the fields of an object that were set to `None`, as most clients do.
        depth: How many levels down to look.
    """
    kind = type(value)
    if kind in _SCALARS or not depth:
        return value
    if kind is list:
        return _items(value, nulls, depth)
    if kind is dict:
        return _fields(value, nulls, depth)
    if isinstance(value, dict):
        return _fields(value, nulls, depth)
    if isinstance(value, list):
        return _items(value, nulls, depth)
    if isinstance(value, tuple):
        return _items(list(value), nulls, depth)
    if isinstance(value, str):
        return str.__str__(value)  # a member of an enumeration, which is sent as its text
    said = _said(value, nulls)
    return value if said is None else as_plain(said, nulls=nulls, depth=depth)


def _items(value: list[Any], nulls: bool, depth: int) -> list[Any]:
    new: list[Any] | None = None
    for at, one in enumerate(value):
        if type(one) in _SCALARS:
            continue
        plain = as_plain(one, nulls=nulls, depth=depth - 1)
        if plain is not one:
            new = new if new is not None else [*value]
            new[at] = plain
    return value if new is None else new


def _fields(value: dict[Any, Any], nulls: bool, depth: int) -> dict[Any, Any]:
    new: dict[Any, Any] | None = None
    for key, one in value.items():
        if type(one) in _SCALARS:
            continue
        plain = as_plain(one, nulls=nulls, depth=depth - 1)
        if plain is not one:
            new = new if new is not None else {**value}
            new[key] = plain
    return value if new is None else new


def _said(value: Any, nulls: bool) -> dict[Any, Any] | None:
    """Return the fields of an object; `None` for one that is no record of fields."""
    if isinstance(value, type):
        return None
    if isinstance(value, Mapping):
        return dict(value)
    dump = getattr(value, "model_dump", None)
    try:
        if callable(dump):
            # A client's helper adds fields that are not sent.
            how = {"mode": "json", "by_alias": True, "exclude": getattr(value, "__api_exclude__", None)}
            full = dump(**how, exclude_none=True, warnings=False)
            given = dump(**how, exclude_unset=True, warnings=False) if nulls else {}
            return _united(given, full) if isinstance(full, dict) else None
        if dataclasses.is_dataclass(value):
            return {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
    except Exception:  # an object's own code: what cannot be read is carried along
        return None
    return None


def _united(given: Any, full: Any) -> Any:
    """Return what was given, nulls too, and the defaults that say something: in some clients the role is one."""
    if isinstance(given, dict) and isinstance(full, dict):
        return {**full, **{key: _united(one, full.get(key)) for key, one in given.items()}}
    if isinstance(given, list) and isinstance(full, list) and len(given) == len(full):
        return [_united(one, other) for one, other in zip(given, full, strict=True)]
    return full if given is None else given
