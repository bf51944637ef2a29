"""Two independent readers of JSON that the parser is held against.

`standard` is the standard library with its leniencies taken out. `reference` is a
recursive-descent reader, one character at a time, that also tells a document which is
only cut from one that is wrong, and where.
"""

from __future__ import annotations

import json
import math
from typing import Any


class DuplicateKeyError(ValueError):
    pass


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise DuplicateKeyError
    return value


def _constant(word: str) -> Any:
    raise ValueError(word)


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_float)


def standard(text: str) -> tuple[bool, Any]:
    """Whether the text is one strict JSON document, and its value."""
    try:
        value = _DECODER.decode(text)
        json.dumps(value, ensure_ascii=False).encode()  # no half of a surrogate pair
    except ValueError:
        return False, None
    return True, value


def same(left: Any, right: Any) -> bool:
    """Equal, with the same types all the way down: 1, 1.0 and True differ."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return list(left) == list(right) and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, float):
        return math.copysign(1, left) == math.copysign(1, right) and left == right
    return bool(left == right)


class Cut(Exception):  # noqa: N818
    """The text ended where the grammar wants more."""


class Wrong(Exception):  # noqa: N818
    """The character at `.at` is not allowed."""

    def __init__(self, at: int) -> None:
        self.at = at


def reference(text: str) -> tuple[str, Any]:
    """Return ("valid", value), ("cut", None) or ("wrong", index of the first wrong character).

    A duplicate key is wrong at the quote that opens it, but only when nothing before the
    document's end is wrong: reading goes on behind it.
    """
    reader = _Reader(text)
    try:
        value = reader.document()
    except Cut:
        return ("cut", None) if reader.duplicate is None else ("wrong", reader.duplicate)
    except Wrong as error:
        return "wrong", error.at if reader.duplicate is None else reader.duplicate
    return ("valid", value) if reader.duplicate is None else ("wrong", reader.duplicate)


_HEX = "0123456789abcdefABCDEF"


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.duplicate: int | None = None

    def peek(self) -> str:
        if self.at == len(self.text):
            raise Cut
        return self.text[self.at]

    def take(self, allowed: str) -> str:
        character = self.peek()
        if character not in allowed:
            raise Wrong(self.at)
        self.at += 1
        return character

    def white(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in " \t\n\r":
            self.at += 1

    def document(self) -> Any:
        self.white()
        value = self.value(root=True)
        self.white()
        if self.at < len(self.text):
            raise Wrong(self.at)
        return value

    def value(self, *, root: bool = False) -> Any:
        character = self.peek()
        if character == "{":
            return self.object()
        if character == "[":
            return self.array()
        if character == '"':
            return self.string()
        if character in "tfn":
            return self.word({"t": "true", "f": "false", "n": "null"}[character], root)
        return self.number(root)

    def object(self) -> dict[str, Any]:
        members: dict[str, Any] = {}
        self.take("{")
        self.white()
        if self.peek() == "}":
            self.at += 1
            return members
        while True:
            self.white()
            quote = self.at
            key = self.string()
            if key in members and self.duplicate is None:
                self.duplicate = quote
            self.white()
            self.take(":")
            self.white()
            members[key] = self.value()
            self.white()
            if self.take(",}") == "}":
                return members

    def array(self) -> list[Any]:
        items: list[Any] = []
        self.take("[")
        self.white()
        if self.peek() == "]":
            self.at += 1
            return items
        while True:
            self.white()
            items.append(self.value())
            self.white()
            if self.take(",]") == "]":
                return items

    def string(self) -> str:
        self.take('"')
        out: list[str] = []
        while True:
            character = self.peek()
            if character < " ":
                raise Wrong(self.at)
            self.at += 1
            if character == '"':
                return "".join(out)
            if character != "\\":
                out.append(character)
                continue
            escape = self.take('"\\/bfnrtu')
            if escape == "u":
                out.append(self.code_point(self.at - 2))
            else:
                out.append(dict(zip('"\\/bfnrt', '"\\/\b\f\n\r\t', strict=True))[escape])

    def code_point(self, begin: int) -> str:
        code = int("".join(self.take(_HEX) for _ in range(4)), 16)
        if 0xDC00 <= code <= 0xDFFF:
            raise Wrong(begin)
        if not 0xD800 <= code <= 0xDBFF:
            return chr(code)
        try:
            low = [self.take(allowed) for allowed in ("\\", "u", "dD", "cdefCDEF", _HEX, _HEX)]
        except Wrong:
            raise Wrong(begin) from None
        return chr(0x10000 + (code - 0xD800) * 0x400 + int("".join(low[2:]), 16) - 0xDC00)

    def word(self, word: str, root: bool) -> Any:
        for character in word:
            self.take(character)
        self.ended(root)
        return {"true": True, "false": False, "null": None}[word]

    def ended(self, root: bool) -> None:
        # What shows that a number or literal is whole; at the root the end does, too.
        if root and self.at == len(self.text):
            return
        if self.peek() not in " \t\n\r,]}":
            raise Wrong(self.at)

    def digits(self) -> None:
        self.take("0123456789")
        while self.at < len(self.text) and self.text[self.at] in "0123456789":
            self.at += 1

    def number(self, root: bool) -> Any:
        begin = self.at
        if self.peek() == "-":
            self.at += 1
        if self.take("0123456789") != "0":
            while self.at < len(self.text) and self.text[self.at] in "0123456789":
                self.at += 1
        whole = True
        if self.at < len(self.text) and self.text[self.at] == ".":
            whole = False
            self.at += 1
            self.digits()
        if self.at < len(self.text) and self.text[self.at] in "eE":
            whole = False
            self.at += 1
            if self.peek() in "+-":
                self.at += 1
            self.digits()
        self.ended(root)
        token = self.text[begin : self.at]
        if whole:
            return _long_int(token)
        if math.isinf(float(token)):
            raise Wrong(begin)
        return float(token)


def _long_int(token: str) -> int:
    # int() refuses long strings unless the process allows them.
    value = 0
    for digit in token.lstrip("-"):
        value = value * 10 + ord(digit) - ord("0")
    return -value if token[0] == "-" else value
