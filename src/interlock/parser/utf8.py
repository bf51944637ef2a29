"""From chunks of bytes or text to clean text: what is split waits, what is wrong is named."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["SURROGATE", "Fault", "decode", "half_pair", "join_surrogates"]

SURROGATE: Final = re.compile("[\ud800-\udfff]")
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")


class Fault:
    """A byte sequence that is not UTF-8, in the place where text should follow."""

    __slots__ = ("ignored", "message")

    def __init__(self, message: str, ignored: int) -> None:
        self.message = message
        self.ignored = ignored  # bytes of the chunk from the fault on


def decode(data: bytes) -> tuple[str, bytes, Fault | None]:
    """Decode as much as is whole.

    Returns:
        The text, the bytes of a code point that is still open, and what is wrong after the text.

    Source:
        RFC 3629, section 3: no overlong forms, no surrogates, nothing above U+10FFFF.
    """
    try:
        return data.decode(), b"", None
    except UnicodeDecodeError as error:
        text = data[: error.start].decode()
        rest = data[error.start :]
        if error.reason == "unexpected end of data":
            return text, rest, None
        found = " ".join(f"{byte:02x}" for byte in data[error.start : error.end])
        return text, b"", Fault(f"{found} (hex), which is not UTF-8", len(rest))


def half_pair(character: str) -> str:
    """Name half of a surrogate pair."""
    return f"half of a surrogate pair (U+{ord(character):04X})"


def join_surrogates(text: str) -> tuple[str, str, Fault | None]:
    """Join surrogate pairs that reached us as two characters.

    Some sources cut text between the two halves of a UTF-16 pair, so that each half
    arrives in a chunk of its own.

    Returns:
        The text, a first half at the end that waits for its second, and what is wrong after the text.
    """
    text = _PAIR.sub(lambda match: match[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
    found = SURROGATE.search(text)
    if found is None:
        return text, "", None
    at = found.start()
    if at == len(text) - 1 and found[0] < "\udc00":
        return text[:at], found[0], None
    ignored = len(text[at:].encode("utf-8", "surrogatepass"))
    return text[:at], "", Fault(half_pair(found[0]), ignored)
