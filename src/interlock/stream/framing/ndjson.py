"""Newline-delimited JSON, decoded from bytes that are cut anywhere.

Source:
    github.com/ndjson/ndjson-spec: one JSON text a line; LF ends a line, a CR
    before it is white space. The last line may lack its LF.
"""

from __future__ import annotations

from typing import Any

from interlock.stream.framing.payload import event_of

__all__ = ["NDJSONDecoder"]


class NDJSONDecoder:
    """Decodes one event a line.

    Args:
        limit: Bytes that one line may take. Passing it stops the decoder and sets `overflowed`.
    """

    def __init__(self, limit: int) -> None:
        self.overflowed = False
        self._limit = limit
        self._pieces: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> list[Any]:
        """Return the events that this piece completes."""
        if self.overflowed:
            return []
        lines = chunk.split(b"\n")
        tail = lines.pop()
        if lines:
            lines[0] = b"".join((*self._pieces, lines[0]))
            self._pieces.clear()
            self._size = 0
        if tail:
            self._pieces.append(tail)
            self._size += len(tail)
            if self._size > self._limit:
                self.overflowed = True
                self._pieces.clear()
        return [event_of(line) for line in lines if line.strip()]

    def close(self) -> list[Any]:
        """Return the event of a last line that lacks its LF: it counts when it is a whole JSON object."""
        line = b"".join(self._pieces)
        self._pieces.clear()
        return [event_of(line)] if line.strip() else []
