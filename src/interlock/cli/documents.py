"""A history file: reading it, and writing it again in its own style."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from interlock.cli.failure import Failure
from interlock.cli.sources import decode, parse_strictly
from interlock.history.requests import BODY_KEYS, history_key

__all__ = ["Document", "Style", "check_history", "document_of", "history_of"]

_INDENT = re.compile(r"^\s*[\[{]\r?\n([ \t]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How a JSON document is laid out.

    Attributes:
        indent: The white space of one level; `None` for a document on one line.
        ascii: Other characters are written as escapes.
        tight: No space behind a colon or a comma.
        newline: What ends a line.
        end: What stands behind the document.
    """

    indent: str | None = None
    ascii: bool = True
    tight: bool = False
    newline: str = "\n"
    end: str = "\n"

    @classmethod
    def of(cls, text: str) -> Style:
        """Tell the style of a document."""
        found = _INDENT.match(text)
        return cls(
            indent=found[1] if found else None,
            ascii=text.isascii(),
            tight=not re.search(r'": ', text),
            newline="\r\n" if "\r\n" in text else "\n",
            end=text[len(text.rstrip()) :],
        )

    def write(self, value: Any) -> bytes:
        """Return a document in this style, as UTF-8."""
        separators = (",", ":") if self.tight else (",", ": ") if self.indent else (", ", ": ")
        text = json.dumps(value, indent=self.indent, ensure_ascii=self.ascii, separators=separators)
        if self.newline != "\n":
            text = text.replace("\n", self.newline)  # inside strings a line feed is an escape
        try:
            return (text + self.end).encode()
        except UnicodeEncodeError:  # half of a surrogate pair, which only an escape can hold
            return Style(indent=self.indent, tight=self.tight, newline=self.newline, end=self.end).write(value)


@dataclass(frozen=True, slots=True)
class Document:
    """A history as it was read."""

    value: Any
    style: Style


def document_of(data: bytes, where: str) -> Document:
    """Return the history in a document's bytes.

    Raises:
        Failure: it is no JSON, or no history.
    """
    try:
        value = parse_strictly(data, where)
    except Failure:
        from interlock.cli.streams import kind_of

        if kind_of(data[:64]) in ("sse", "bin"):
            raise Failure(f"{where} looks like a recorded stream; `interlock judge` reads those") from None
        raise
    check_history(value, where)
    return Document(value, Style.of(decode(data, where)))


def check_history(value: Any, where: str) -> None:
    """Raise a `Failure` when a value is neither an array of messages nor a request body."""
    messages = history_of(value)
    if not isinstance(messages, list):
        held = next((key for key in BODY_KEYS if isinstance(value, dict) and key in value), None)
        if held is not None:
            kind = f"an object whose {held!r} is no array"
        elif isinstance(value, dict):
            kind = f"an object without {', '.join(BODY_KEYS[:-1])} or {BODY_KEYS[-1]}"
        else:
            kind = "no array and no object"
        raise Failure(f"{where} is {kind}; expected an array of messages, or a request body")
    for at, message in enumerate(messages):
        if not isinstance(message, dict):
            raise Failure(f"message {at} of {where} is no object")


def history_of(value: Any) -> Any:
    """Return the array of messages in a document; something else when it has none."""
    key = history_key(value)
    held = value if key is None else value[key]
    return [] if isinstance(held, str) and key is not None else held  # the Responses API takes a text alone
