"""Tokens: the patterns that skip over them, and the values that they stand for."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from itertools import chain
from json.decoder import c_scanstring, scanstring  # type: ignore[attr-defined]
from json.scanner import c_make_scanner  # type: ignore[attr-defined]
from typing import Any, ClassVar, Final

from interlock.parser.codes import Code
from interlock.parser.utf8 import SURROGATE

# Text that reaches these patterns has no surrogates (see utf8.py), so plain text is
# everything but the quote, the backslash and, unless the caller keeps them, control characters.
_PLAIN: Final = r'[^"\\\x00-\x1f]'
_PLAIN_OR_CONTROL: Final = r'[^"\\]'
_WS: Final = r"[ \t\n\r]*"
_INT: Final = r"-?(?:0|[1-9][0-9]*)"
_FRACTION: Final = r"(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?"

WHITE: Final = re.compile(_WS)
CONTROL: Final = re.compile(r"[\x00-\x1f]")

# The common case in one step: a whole member or item, that is a scalar and what shows that
# it is whole, or the bracket or quote that opens anything else. Groups: key, string, integer,
# fraction, literal, end, opening. What these do not match goes through the grammar's table.
_ITEM: Final = rf'(?:(?:"({_PLAIN}*)"|({_INT})({_FRACTION})|(true|false|null)){_WS}([,\]}}]){_WS}|([\[{{]){_WS})'
ITEM: Final = re.compile(rf"{_WS}()" + _ITEM)
MEMBER: Final = re.compile(rf'{_WS}"({_PLAIN}*)"{_WS}:{_WS}' + _ITEM)

# The longest start of a number (RFC 8259, section 6) and the whole of one.
NUMBER_START: Final = re.compile(
    r"-?(?:(?:0|[1-9][0-9]*)(?:\.(?:[0-9]+(?:[eE](?:[-+]?[0-9]*))?)?|[eE](?:[-+]?[0-9]*))?)?"
)
NUMBER: Final = re.compile(_INT + _FRACTION)
_INTEGER: Final = re.compile(_INT)

_INFINITY: Final = float("inf")
LITERALS: Final = {"true": True, "false": False, "null": None}
_LITERAL_OF: Final = {word[0]: word for word in LITERALS}

# A run of a string's inside: plain text and whole escapes. A pair of \u escapes for one
# code point counts as one escape; half a pair does not match.
_ESCAPE: Final = (
    r'\\(?:["\\/bfnrt]|u(?:[0-9a-cefA-CEF][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2}'
    r"|[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}))"
)
RUN: Final = re.compile(rf"{_PLAIN}*(?:{_ESCAPE}{_PLAIN}*)*")
RUN_OR_CONTROL: Final = re.compile(rf"{_PLAIN_OR_CONTROL}*(?:{_ESCAPE}{_PLAIN_OR_CONTROL}*)*")
WORTHWHILE: Final = 64  # characters; in shorter chunks hardly any container is whole
WINDOW: Final = 2048  # characters; the pattern's own memory grows with what one match covers

# What the start of an escape may look like when the chunk ends.
_OPEN_ESCAPE: Final = re.compile(
    r"\\(?:u(?:[0-9a-fA-F]{0,3}|[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u(?:[dD](?:[c-fC-F][0-9a-fA-F]?)?)?)?)?)?)?"
)
_HIGH: Final = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}")
_LOW: Final = re.compile(r"\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_HEX: Final = re.compile(r"[0-9a-fA-F]*")
# int(str) refuses long strings unless the process allows them; below this it never does.
SAFE_DIGITS: Final = sys.int_info.str_digits_check_threshold


def unescape(run: str) -> str:
    """Return the text that a run of valid escapes and plain text stands for."""
    # The run was checked by `RUN`, so that only the decoding is left to the standard library.
    text: str = scanstring(run + '"', 0, False)[0]
    return text


def scan_string(buf: str, i: int) -> tuple[str, int] | None:
    """Return the text of the string whose inside begins at `i`, and the index of its closing quote.

    None when it is not whole, or when anything about it needs a closer look. The standard
    library's scanner is exact but for half surrogate pairs, which it lets pass; its
    version in Python is not, so that without the one in C this gives up.
    """
    if c_scanstring is None or buf.find('"', i) < 0:
        return None
    try:
        text, end = c_scanstring(buf, i, True)
    except ValueError:
        return None
    if text.isascii() or SURROGATE.search(text) is None:
        return text, end - 1
    return None


# Keys that are remembered, to share them.
MAX_NAMES: Final = 1024

# A scanner of the standard library: a text and an index in it -> the value there and its end.
Scanner = Callable[[str, int], tuple[Any, int]]


class _Strict:
    """What the standard library's scanner asks its owner."""

    strict = True
    parse_float: Any = float
    parse_int = int
    object_hook = None
    object_pairs_hook: Any = None
    memo: ClassVar[dict[str, str]] = {}

    @staticmethod
    def parse_constant(name: str) -> Any:
        raise ValueError(name)


class _Careful(_Strict):
    """The same with hooks that see what the scanner lets pass."""

    @staticmethod
    def parse_float(text: str) -> float:
        value = float(text)
        if value - value != 0:
            raise ValueError(text)
        return value

    @staticmethod
    def object_pairs_hook(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs):
            raise ValueError("a key twice")
        return value


class _CarefulWithNames(_Careful):
    """The same, for one call after the other: equal keys are one object."""

    def __init__(self, names: dict[str, str]) -> None:
        share = names.setdefault

        def hook(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
            if len(names) >= MAX_NAMES:
                return _Careful.object_pairs_hook(pairs)
            value = {share(key, key): member for key, member in pairs}
            if len(value) != len(pairs):
                raise ValueError("a key twice")
            return value

        self.object_pairs_hook = hook  # type: ignore[method-assign]


_scan: Final = None if c_make_scanner is None else c_make_scanner(_Strict)

_scan_carefully: Final = None if c_make_scanner is None else c_make_scanner(_Careful)


def container_scanner(names: dict[str, str]) -> Scanner | None:
    """Return a scanner for `scan_container` that shares keys in `names`; None when there is none in C."""
    return None if c_make_scanner is None else c_make_scanner(_CarefulWithNames(names))


def scan_document(text: str, depth: int) -> tuple[Any, int] | None:
    """Return a whole object or array and where it ends, if it is so plain that nothing can be wrong."""
    begin: int = WHITE.match(text).end()  # type: ignore[union-attr]
    if text[begin : begin + 1] not in ("{", "["):
        return None
    return scan_container(_scan_carefully, text, begin, depth)


def scan_container(scan: Scanner | None, text: str, i: int, depth: int) -> tuple[Any, int] | None:
    """Return the whole object or array that begins at `i`, and where it ends.

    None when anything in `text` needs a closer look: the same ground rules as for
    `scan_records`, but keys and floats are checked by hooks, for here there may be escapes.
    The number of brackets is at least the depth.
    """
    if "\\u" in text or scan is None:
        return None
    try:
        value, end = scan(text, i)
    except (ValueError, StopIteration, RecursionError):
        return None
    if text.count("{", i, end) + text.count("[", i, end) > depth:
        return None
    return value, end


def scan_records(buf: str, i: int, window: int) -> tuple[list[Any], int] | None:
    """Return the flat objects that follow each other from `i`, and where the last one ends.

    None when anything about them needs a closer look. What the standard library's scanner
    lets pass and the grammar does not is ruled out here. Half surrogate pairs: nothing with
    an escape is taken. A key twice: then there are more quotes than those of the keys and
    strings that were kept. Out of range: looked for. Constants: `parse_constant`.
    """
    end = buf.rfind("}", i, i + window) + 1
    text = buf[i:end]
    if not text or "\\" in text or "[" in text or _scan is None:
        return None
    try:
        records, stop = _scan(f"[{text}]", 0)
        members = [*chain.from_iterable(map(dict.values, records))]
    except (ValueError, StopIteration, TypeError):  # TypeError: one is not an object
        return None
    strings = [*map(type, members)].count(str)
    if (
        stop == len(text) + 2
        and text.count("{") == len(records)
        and text.count('"') == 2 * (sum(map(len, records)) + strings)
        and _INFINITY not in members
        and -_INFINITY not in members
    ):
        return records, end
    return None


def scalar_span(match: re.Match[str]) -> tuple[int, int]:
    """Return where the scalar that `ITEM` or `MEMBER` found begins and ends, a string's quotes included."""
    if match.start(2) >= 0:
        return match.start(2) - 1, match.end(2) + 1
    if match.start(3) >= 0:
        return match.start(3), match.end(4)
    return match.span(5)


def escape_is_open(rest: str) -> bool:
    """Tell whether `rest`, all that is left of the chunk, is the start of a valid escape."""
    return _OPEN_ESCAPE.fullmatch(rest) is not None


def escape_fault(text: str, at: int) -> tuple[Code, int, str, str]:
    """Say what is wrong with the escape at `at`.

    Returns:
        The code, the index of the first wrong character, what was found there, what was expected.
    """
    if _LOW.match(text, at):
        return "E_UNPAIRED_SURROGATE", at, f"the second half of a pair, {text[at : at + 6]}", "its first half before it"
    if _HIGH.match(text, at):
        return "E_UNPAIRED_SURROGATE", at, f"the first half of a pair, {text[at : at + 6]}", "its second half after it"
    if text[at + 1] == "u":
        wrong = _HEX.match(text, at + 2).end()  # type: ignore[union-attr]
        return "E_INVALID_UNICODE_ESCAPE", wrong, show(text[wrong]), "four hex digits after \\u"
    return "E_UNEXPECTED_TOKEN", at + 1, show(text[at + 1]), 'one of " \\ / b f n r t u after the backslash'


def literal_word(first: str) -> str:
    """Return the literal that begins with this character."""
    return _LITERAL_OF[first]


def number_value(integer: str, fraction: str) -> int | float | None:
    """Return a number's value; None when a double can only hold it as infinity.

    Args:
        integer: The part before the point or exponent, with its sign.
        fraction: The rest, `""` for a whole number.
    """
    if fraction:
        value = float(integer + fraction)
        return value if value - value == 0 else None
    if len(integer) <= SAFE_DIGITS:
        return int(integer)
    sign, digits = (-1, integer[1:]) if integer[0] == "-" else (1, integer)
    return sign * _long_int(digits, {})


def _long_int(digits: str, powers: dict[int, int]) -> int:
    # Halving is exact, takes fewer steps than digit by digit, and leaves the process's
    # limit on digits alone.
    if len(digits) <= SAFE_DIGITS:
        return int(digits)
    low = len(digits) // 2
    power = powers.get(low)
    if power is None:
        power = powers[low] = 10**low
    return _long_int(digits[:-low], powers) * power + _long_int(digits[-low:], powers)


def scalar_value(token: str) -> tuple[bool, str | int | float | bool | None]:
    """Return whether `token` is a whole number or literal, and its value."""
    if token in LITERALS:
        return True, LITERALS[token]
    if NUMBER.fullmatch(token):
        integer, fraction = split_number(token)
        value = number_value(integer, fraction)
        return True, value
    return False, None


def split_number(token: str) -> tuple[str, str]:
    """Split a whole number before its point or exponent."""
    whole: re.Match[str] = _INTEGER.match(token)  # type: ignore[assignment]
    return whole[0], token[whole.end() :]


def number_wants(token: str) -> str:
    """Say what may follow this start of a number that is not a whole one."""
    return "a digit, + or -" if token[-1] in "eE" else "a digit"


def show(character: str) -> str:
    """Return one character for a message."""
    return repr(character) if character.isprintable() else f"U+{ord(character):04X}"
