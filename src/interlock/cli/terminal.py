"""What reaches a terminal: nothing that a peer sent may steer it, and colour only where there is one."""

from __future__ import annotations

import re
from typing import Any, Final, TextIO

__all__ = ["PIPE_WIDTH", "compact", "escape", "is_terminal", "shorten"]

PIPE_WIDTH: Final = 100  # columns, where the output is no terminal and COLUMNS is not set

# Everything of the Unicode categories Cc, Cf, Cs, Zl and Zp: control characters, characters that reorder
# or hide text, halves of surrogate pairs, line and paragraph separators. A test compares it with `unicodedata`.
_UNSAFE: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\ud800-\udfff\ufeff\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def escape(text: str) -> str:
    r"""Return text that is safe on a terminal: control and invisible characters as `\x1b`, `\u202e`, `\n`."""
    return _UNSAFE.sub(lambda found: ascii(found[0])[1:-1], text)


def shorten(text: str, limit: int) -> str:
    """Return text of at most `limit` characters; what is left out is marked by an ellipsis."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def compact(value: Any, limit: int) -> str:
    """Return a JSON value on one line, of at most `limit` characters."""
    import json

    return shorten(json.dumps(value, ensure_ascii=False), limit)


def is_terminal(stream: TextIO) -> bool:
    """Tell whether a person sees this stream directly."""
    try:
        return stream.isatty()
    except ValueError:  # closed
        return False
