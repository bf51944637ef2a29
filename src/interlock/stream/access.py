"""Reading a wire event that may be a dict or an SDK's own object, without importing the SDK."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import cache
from math import isfinite
from typing import Any

__all__ = ["MAX_VALUE_DEPTH", "NotJSONError", "camel", "get", "items", "plain", "text_of", "word"]

MAX_VALUE_DEPTH = 200  # levels; the copies are recursive, and validators go deeper than their values


_NO = object()


def get(obj: Any, key: str) -> Any:
    """Return `obj[key]` of a dict or `obj.key` of an object, `None` when it has no such field.

    A Pydantic model is read through its `__dict__` and extras: asking it for an attribute that it
    lacks costs a microsecond, and most fields of most events are absent.
    """
    if type(obj) is dict:
        return obj.get(key)
    if obj is None:
        return None
    extra: Any = getattr(obj, "__pydantic_extra__", _NO)
    if extra is _NO:
        return obj.get(key) if isinstance(obj, Mapping) else getattr(obj, key, None)
    value = obj.__dict__.get(key)
    return extra.get(key) if value is None and extra else value


@cache
def _snake(key: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key)


def camel(obj: Any, key: str) -> Any:
    """Return the field `someKey` of a JSON object, or `some_key` of a Python object for the same."""
    value = get(obj, key)
    return get(obj, _snake(key)) if value is None else value


def items(obj: Any) -> list[Any]:
    """Return a list field's entries; anything that is not a list or tuple has none."""
    if type(obj) is list:
        return obj
    return list(obj) if isinstance(obj, tuple | list) else []


def word(value: Any) -> str | None:
    """Return a provider's word as a plain string: an enum gives its value, `None` and "" give `None`."""
    if value is None:
        return None
    if isinstance(value, Enum):
        value = value.value
    return str(value) or None


def text_of(value: Any) -> str | None:
    """Return a non-empty string, or `None`: several servers send `""` or the text `"null"` for "absent"."""
    return value if isinstance(value, str) and value else None


class NotJSONError(ValueError):
    """A value that an SDK handed out is no JSON value."""


def plain(value: Any, depth: int = 0) -> Any:
    """Return a private copy of a JSON value, made of `dict`, `list`, `str`, `int`, `float`, `bool`, `None` only.

    Raises:
        NotJSONError: it holds anything else, a number that is not finite, or more than `MAX_VALUE_DEPTH` levels.
    """
    if value is None or value is True or value is False:
        return value
    kind = type(value)
    if kind is str or kind is int:
        return value
    if kind is float:
        if not isfinite(value):
            raise NotJSONError(f"{value!r} is no JSON number")
        return value
    if depth >= MAX_VALUE_DEPTH:
        raise NotJSONError(f"more than {MAX_VALUE_DEPTH} levels")
    if isinstance(value, Mapping):
        out: dict[str, Any] = {}
        for key, member in value.items():
            if type(key) is not str:
                raise NotJSONError(f"the key {key!r} is no string")
            out[key] = plain(member, depth + 1)
        return out
    if isinstance(value, list | tuple):
        return [plain(member, depth + 1) for member in value]
    if isinstance(value, str):
        return str.__str__(value)
    raise NotJSONError(f"a {kind.__name__} is no JSON value")
