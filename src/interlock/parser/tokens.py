"""Tokens: the patterns that skip over them, and the values that they stand for."""

from __future__ import annotations

import re
import sys
from typing import Final

from interlock.parser.codes import Code

# Text that reaches these patterns has no surrogates (see utf8.py), so plain text is
# everything but the quote, the backslash and, unless the caller keeps them, control characters.
_PLAIN: Final = r'[^"\\\x00-\x1f]'
_PLAIN_OR_CONTROL: Final = r'[^"\\]'
_WS: Final = r"[ \t\n\r]*"
_INT: Final = r"-?(?:0|[1-9][0-9]*)"
_FRACTION: Final = r"(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?"

WHITE: Final = re.compile(_WS)
CONTROL: Final = re.compile(r"[\x00-\x1f]")

# A whole key with its colon, and a whole scalar with what shows that it is whole: the
# common case in one step. What they do not match goes through the grammar's table.
KEY_COLON: Final = re.compile(rf'{_WS}"({_PLAIN}*)"{_WS}:{_WS}')
SCALAR_END: Final = re.compile(rf'(?:"({_PLAIN}*)"|({_INT})({_FRACTION})|(true|false|null)){_WS}([,\]}}]){_WS}')

# The longest start of a number (RFC 8259, section 6) and the whole of one.
NUMBER_START: Final = re.compile(
    r"-?(?:(?:0|[1-9][0-9]*)(?:\.(?:[0-9]+(?:[eE](?:[-+]?[0-9]*))?)?|[eE](?:[-+]?[0-9]*))?)?"
)
NUMBER: Final = re.compile(_INT + _FRACTION)
_INTEGER: Final = re.compile(_INT)

LITERALS: Final = {"true": True, "false": False, "null": None}
_LITERAL_OF: Final = {word[0]: word for word in LITERALS}

# A run of a string's inside: plain text and whole escapes. A pair of \u escapes for one
# code point counts as one escape; half a pair does not match.
_ESCAPE: Final = (
    r'\\(?:["\\/bfnrt]|u(?:[0-9a-cefA-CEF][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2}'
    r"|[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}))"
)
RUN: Final = re.compile(rf"(?:{_PLAIN}+|{_ESCAPE})*")
RUN_OR_CONTROL: Final = re.compile(rf"(?:{_PLAIN_OR_CONTROL}+|{_ESCAPE})*")
RUN_WINDOW: Final = 8192  # characters; the pattern's own memory grows with what one match covers

_ESCAPES: Final = re.compile(_ESCAPE)
# What the start of an escape may look like when the chunk ends.
_OPEN_ESCAPE: Final = re.compile(
    r"\\(?:u(?:[0-9a-fA-F]{0,3}|[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u(?:[dD](?:[c-fC-F][0-9a-fA-F]?)?)?)?)?)?)?"
)
_HIGH: Final = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}")
_LOW: Final = re.compile(r"\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_HEX: Final = re.compile(r"[0-9a-fA-F]*")
_SIMPLE: Final = {
    r"\"": '"',
    r"\\": "\\",
    r"\/": "/",
    r"\b": "\b",
    r"\f": "\f",
    r"\n": "\n",
    r"\r": "\r",
    r"\t": "\t",
}

# int(str) refuses long strings unless the process allows them; below this it never does.
_SAFE_DIGITS: Final = sys.int_info.str_digits_check_threshold


def _replace(match: re.Match[str]) -> str:
    escape = match[0]
    simple = _SIMPLE.get(escape)
    if simple is not None:
        return simple
    code = int(escape[2:6], 16)
    if len(escape) == 12:
        code = 0x10000 + ((code - 0xD800) << 10) + int(escape[8:12], 16) - 0xDC00
    return chr(code)


def unescape(run: str) -> str:
    """Return the text that a run of valid escapes and plain text stands for."""
    return _ESCAPES.sub(_replace, run)


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
    if len(integer) <= _SAFE_DIGITS:
        return int(integer)
    sign, digits = (-1, integer[1:]) if integer[0] == "-" else (1, integer)
    return sign * _long_int(digits, {})


def _long_int(digits: str, powers: dict[int, int]) -> int:
    # Halving is exact, takes fewer steps than digit by digit, and leaves the process's
    # limit on digits alone.
    if len(digits) <= _SAFE_DIGITS:
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
