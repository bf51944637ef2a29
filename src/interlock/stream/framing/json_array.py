"""A streamed JSON array of events, or single objects, decoded from bytes that are cut anywhere.

Source:
    ai.google.dev/api/generate-content (read 2026-11-30): without `alt=sse` the
    response of `streamGenerateContent` is one JSON array whose elements come
    one by one; an error may be a bare object. Which of the two framings a body
    has shows in its first byte that is no white space: `[` or `{` is JSON.
"""

from __future__ import annotations

import re
from typing import Any, Final

from interlock.stream.framing.payload import event_of
from interlock.stream.framing.sse import SSEDecoder

__all__ = ["JSONArrayDecoder", "SSEOrJSONDecoder"]

_BOM: Final = b"\xef\xbb\xbf"
_SPACE: Final = b" \t\r\n"
_OUTSIDE: Final = re.compile(rb'["{}\[\]]')  # what counts in an element, outside its strings
_INSIDE: Final = re.compile(rb'["\\]')  # what counts inside a string

# Between elements: where we are -> the byte that may come -> where that leads.
_BETWEEN: Final[dict[str, dict[bytes, str]]] = {
    "start": {b"[": "first", b"{": "end"},
    "first": {b"{": "after", b"]": "end"},
    "after": {b",": "next", b"]": "end"},
    "next": {b"{": "after"},
    "end": {},
}


class JSONArrayDecoder:
    """Decodes one event an element; only objects are elements.

    Args:
        limit: Bytes that one element may take. Passing it stops the decoder and sets `overflowed`.
    """

    def __init__(self, limit: int) -> None:
        self.overflowed = False
        self._limit = limit
        self._at = "start"
        self._broken = False
        self._pieces: list[bytes] = []  # of an element that has not ended
        self._size = 0
        self._depth = 0  # 0: between elements
        self._string = False
        self._escaped = False  # the last byte was a backslash inside a string

    def feed(self, chunk: bytes) -> list[Any]:
        """Return the events that this piece completes."""
        events: list[Any] = []
        at = 0
        while at < len(chunk) and not (self.overflowed or self._broken):
            at = self._element(chunk, at, events) if self._depth else self._between(chunk, at, events)
        return events

    def close(self) -> list[Any]:
        """Return a piece that is no JSON when the array, or an element, was not closed: the body was cut."""
        if self._broken or self.overflowed or (self._at in ("start", "end") and not self._depth):
            return []
        self._broken = True
        return [{"raw": b"".join(self._pieces).decode("utf-8", "backslashreplace") or "an array that was not closed"}]

    # -- inside --------------------------------------------------------------

    def _between(self, chunk: bytes, at: int, events: list[Any]) -> int:
        byte = chunk[at : at + 1]
        if byte in _SPACE:
            return at + 1
        follows = _BETWEEN[self._at].get(byte)
        if follows is None:
            self._broken = True
            events.append({"raw": chunk[at : at + 80].decode("utf-8", "backslashreplace")})
            return at
        self._at = follows
        if byte == b"{":
            self._depth = 1
            self._size = 1
            self._pieces = [byte]
        return at + 1

    def _element(self, chunk: bytes, start: int, events: list[Any]) -> int:
        at = start
        if self._escaped:
            self._escaped = False
            at += 1
        while self._depth:
            match = (_INSIDE if self._string else _OUTSIDE).search(chunk, at)
            if match is None:
                at = len(chunk)
                break
            byte, at = match[0], match.end()
            if byte == b'"':
                self._string = not self._string
            elif byte == b"\\":
                if at == len(chunk):
                    self._escaped = True
                    break
                at += 1
            else:
                self._depth += 1 if byte in b"{[" else -1
        self._pieces.append(chunk[start:at])
        self._size += at - start
        if self._size > self._limit:
            self.overflowed = True
            self._pieces.clear()
        elif not self._depth:
            events.append(event_of(b"".join(self._pieces)))
            self._pieces.clear()
        return at


class SSEOrJSONDecoder:
    """Decodes whichever of the two framings the first byte shows.

    Args:
        limit: Bytes that one event may take.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._start = b""
        self._decoder: JSONArrayDecoder | SSEDecoder | None = None

    @property
    def overflowed(self) -> bool:
        """Whether one event passed the limit."""
        return self._decoder is not None and self._decoder.overflowed

    def feed(self, chunk: bytes) -> list[Any]:
        """Return the events that this piece completes."""
        if self._decoder is not None:
            return self._decoder.feed(chunk)
        if self._start in (b"", _BOM) and not chunk.strip(_SPACE):
            return []
        self._start += chunk
        text = self._start.removeprefix(_BOM).lstrip(_SPACE)
        if not text:
            self._start = _BOM  # the space after it is not kept: it would be looked at again with every piece
        if not text or _BOM.startswith(self._start):
            return []
        if text[:1] in (b"[", b"{"):
            self._decoder = JSONArrayDecoder(self._limit)
            return self._decoder.feed(text)
        self._decoder = SSEDecoder(self._limit)
        return self._decoder.feed(self._start)

    def close(self) -> list[Any]:
        """Return what the end of the body completes."""
        return [] if self._decoder is None else self._decoder.close()
