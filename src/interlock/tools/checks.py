"""What every kind of check shares: its answer, and how a JSON value is named in a message."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Protocol

__all__ = ["Check", "Checked", "Problem", "excerpt", "json_type", "pointer", "same_json", "words"]

MAX_PROBLEMS: Final = 16  # per call; the first says what to fix, a thousand say no more
_MAX_EXCERPT: Final = 80  # characters of a value in a message


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong with a value: where (JSON Pointer) and what."""

    path: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What one check found: no problem means valid.

    Attributes:
        problems: What is wrong; empty when the value is valid.
        typed_value: The value as the author's type, when coercion was asked for and the value is valid.
    """

    problems: tuple[Problem, ...] = ()
    typed_value: Any = None


class Check(Protocol):
    """A compiled check of one tool's arguments."""

    def __call__(self, value: Any) -> Checked:
        """Check a plain JSON value; anything raised means that the check itself failed."""
        ...


def pointer(path: Iterable[str | int]) -> str:
    """Join the steps to a JSON Pointer (RFC 6901); no step is the root, `""`."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def words(text: str) -> frozenset[str]:
    """Split a list of words that is easier to read in lines of text."""
    return frozenset(text.split())


def json_type(value: Any) -> str:
    """Name a value's JSON type; what is not JSON is named by its Python type."""
    if value is None:
        return "null"
    for kind, word in _WORDS:
        if isinstance(value, kind):
            return word
    return type(value).__name__


_WORDS: Final[tuple[tuple[type, str], ...]] = (
    (bool, "boolean"),  # before int: True is an int in Python
    (int, "integer"),
    (float, "number"),
    (str, "string"),
    (list, "array"),
    (dict, "object"),
)


def excerpt(value: Any) -> str:
    """Show a value for a message: its type, and for a scalar the value itself, shortened."""
    if value is None:
        return "null"
    if isinstance(value, (dict, list)):
        return f"{json_type(value)} of {len(value)}"
    if isinstance(value, (bool, int, float, str)):
        return f"{json_type(value)} {shorten(literal(value))}"
    return json_type(value)


def literal(value: Any) -> str:
    """Write a value as JSON for a message."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):  # a number with more digits than Python writes, or no JSON
        return json_type(value)


def shorten(text: str, limit: int = _MAX_EXCERPT) -> str:
    """Cut a text for a message and say so."""
    return text if len(text) <= limit else f"{text[:limit]}... ({len(text)} characters)"


def same_json(left: Any, right: Any) -> bool:
    """Tell whether two JSON values are the same: `1`, `1.0` and `true` are three values."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return list(left) == list(right) and all(same_json(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same_json, left, right))
    return bool(left == right)
