r"""JSON Schema's regular expressions, in Python's words.

A schema's patterns are ECMA-262's. Most read the same in Python, but not all that
decides: there `$` is the very end and not also the place before a last line break,
`\d` and `\w` are ASCII, `.` leaves out every line end, `[]` is empty. Read as Python's,
a pattern would let in what the schema refuses.

Source:
    JSON Schema 2020-12, core section 6.4; ECMA-262, section 22.2, without flags.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["Pattern", "in_python", "unread", "with_patterns"]

_DIGITS, _NO_DIGITS = "0-9", r"\x00-/:-\U0010ffff"
_WORDS, _NO_WORDS = "A-Za-z0-9_", r"\x00-/:-@\[-^`{-\U0010ffff"
_SPACES = r"\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_NO_SPACES = (
    r"\x00-\x08\x0e-\x1f!-\x9f\xa1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e\u2060-\u2fff"
    r"\u3001-\ufefe\uff00-\U0010ffff"
)
_CLASSES: Final = {
    "d": _DIGITS,
    "D": _NO_DIGITS,
    "w": _WORDS,
    "W": _NO_WORDS,
    "s": _SPACES,
    "S": _NO_SPACES,
}
_RANGES: Final = frozenset(_CLASSES.values())
_CHARACTER: Final = re.compile(r"\\u\{([0-9a-fA-F]{1,6})\}|\\c([A-Za-z])")
_REFERENCE: Final = re.compile(r"\\k<(\w+)>")


class Pattern(str):
    """A pattern in Python's words, which is equal to the one that the schema has.

    So `$ref` finds it among the keys of `patternProperties`, and data that look like a pattern stay the same data.

    Attributes:
        written: The pattern as the schema has it.
    """

    __slots__ = ("written",)
    written: str

    def __eq__(self, other: object) -> bool:
        return bool(self.written == (other.written if isinstance(other, Pattern) else other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.written)


def in_python(pattern: str) -> Pattern:
    r"""Return an ECMA-262 pattern as one for Python's `re.search`.

    Raises:
        re.error: Python cannot read it, such as `\p{L}`.
    """
    out: list[str] = []
    at, inside, start = 0, False, 0  # the place, whether it is in a class, and where that begins
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            text, at = _escape(pattern, at, inside)
            if inside and text in _RANGES and out[-1] == "-":
                out[-1] = "\\-"  # no range ends, or begins, with a class
            out.append(text)
            continue
        if inside:
            inside = char != "]"
            # Python warns of what might be sets of sets one day: `[`, `&&`, `--`. The first hyphen of two is a
            # range's sign, and the second its end, unless the first begins the class.
            ends = char == "-" and (
                out[-1] == "-" or out[-1] in _RANGES or (at == start and pattern.startswith("--", at))
            )
            out.append(f"\\{char}" if ends or char in "[&~|" else char)
        elif char == "[":
            if pattern.startswith("[]", at):
                out.append("(?!)")
                at += 1
            elif pattern.startswith("[^]", at):
                out.append(r"[\x00-\U0010ffff]")
                at += 2
            else:
                inside = True
                start = at + (2 if pattern.startswith("[^", at) else 1)
                out.append(char)
        elif char == "$":
            out.append(r"\Z")
        elif char == ".":
            out.append(r"[^\n\r\u2028\u2029]")
        elif pattern.startswith("(?<", at) and pattern[at + 3 : at + 4] not in ("=", "!"):
            out.append("(?P<")
            at += 2
        else:
            out.append(char)
        at += 1
    made = Pattern("".join(out))
    made.written = pattern
    re.compile(made)
    return made


def _escape(pattern: str, at: int, inside: bool) -> tuple[str, int]:
    """Return what an escape is in Python, and where it ends."""
    char = pattern[at + 1 : at + 2]
    ranges = _CLASSES.get(char)
    if ranges is not None:
        return (ranges if inside else f"[{ranges}]"), at + 2
    if char in ("b", "B") and not inside:
        return (r"(?a:\b)" if char == "b" else r"(?!(?a:\b))"), at + 2  # Python's own `\B` fits no empty text
    named = _CHARACTER.match(pattern, at)
    if named is not None:
        code = int(named[1], 16) if named[1] else ord(named[2]) & 31
        return (f"\\U{code:08x}" if code < 0x110000 else named[0]), named.end()
    reference = _REFERENCE.match(pattern, at)
    if reference is not None and not inside:
        return f"(?P={reference[1]})", reference.end()
    return pattern[at : at + 2], at + 2


def unread(schema: Mapping[str, Any]) -> str | None:
    """Return a pattern of a schema (not of those in it) that Python can read only as another pattern than it is."""
    named = schema.get("patternProperties")
    patterns = (schema.get("pattern"), *(named if isinstance(named, dict) else ()))
    return next((one for one in patterns if isinstance(one, str) and _is_another(one)), None)


def _is_another(pattern: str) -> bool:
    if isinstance(_readable(pattern), Pattern):
        return False
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False  # the check of the schema itself says so
    return True


def with_patterns(schema: Any) -> Any:
    """Return a schema with its patterns in Python's words; the schema itself is left as it is.

    All that looks like a pattern is one: a `$ref` may take any part of the document for a schema. A pattern that
    Python cannot read stays, see `unread`.
    """
    if isinstance(schema, list):
        return [with_patterns(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _member(key, value) for key, value in schema.items()}


def _member(key: str, value: Any) -> Any:
    if key == "pattern" and isinstance(value, str):
        return _readable(value)
    if key == "patternProperties" and isinstance(value, dict):
        return {_readable(name): _member(name, one) for name, one in value.items()}
    return with_patterns(value)


def _readable(pattern: str) -> str:
    if isinstance(pattern, Pattern):
        return pattern
    try:
        return in_python(pattern)
    except (re.error, OverflowError, RecursionError):
        return pattern
