"""Server-sent events, decoded from bytes that are cut anywhere.

Source:
    WHATWG HTML, section 9.2.6 "Interpreting an event stream" (read 2026-11-30):
    lines end in LF, CR or CRLF; one leading byte order mark is skipped; a line
    that begins with a colon is a comment; several data lines are joined by LF;
    one space after the colon is dropped; an event is dispatched by a blank
    line, so what stands after the last blank line is no event.

Differences, on purpose: bytes that are not UTF-8 are not replaced by U+FFFD,
such data is reported as unreadable; an event named `error` is dispatched without
data too, as the clients of Anthropic and OpenAI take it; the field `error` is
such an event (llama.cpp up to 2025); and a line that begins like JSON or HTML is
no unknown field, but a body that something else has put into the stream.
"""

from __future__ import annotations

from typing import Any

from interlock.stream.framing.payload import error_of, event_of

__all__ = ["SSEDecoder"]

_BOM = b"\xef\xbb\xbf"
_ERROR = (b"event: error", b"event:error")
_NO_FIELD = (b"{", b"[", b"<")


class SSEDecoder:
    """Decodes the `data` of each event; of its other fields only the name `error` says what the data may not.

    Args:
        limit: Bytes that one event may take. Passing it stops the decoder and sets `overflowed`.
    """

    def __init__(self, limit: int) -> None:
        self.overflowed = False
        self._limit = limit
        self._line: list[bytes] = []  # pieces of a line that has not ended
        self._data: list[bytes] = []  # data lines of an event that has not ended
        self._size = 0  # bytes in `_data`
        self._line_size = 0  # bytes in `_line`
        self._error = False  # the event that has not ended is named `error`
        self._begun = False  # fields of an event came, and not its end
        self._skip_lf = False  # the last chunk ended in CR; an LF now belongs to it
        self._start: bytes | None = b""  # up to three bytes, until it is clear whether a BOM leads

    def feed(self, chunk: bytes) -> list[Any]:
        """Return the events that this piece completes."""
        if self._start is not None:
            chunk = self._start + chunk
            if len(chunk) < 3 and _BOM.startswith(chunk):
                self._start = chunk
                return []
            self._start = None
            if chunk.startswith(_BOM):
                chunk = chunk[3:]
        if self._skip_lf and chunk:
            self._skip_lf = False
            if chunk[:1] == b"\n":
                chunk = chunk[1:]
        if not chunk or self.overflowed:
            return []
        lines = chunk.splitlines()
        events: list[Any] = []
        last = chunk[-1]
        tail = b"" if last == 10 or last == 13 else lines.pop()
        self._skip_lf = last == 13
        if lines and self._line:
            self._line.append(lines[0])
            lines[0] = b"".join(self._line)
            self._line.clear()
            self._line_size = 0
        for line in lines:
            if line:
                if line.startswith(b"data:"):
                    data = line[6:] if line[5:6] == b" " else line[5:]
                    self._data.append(data)
                    self._size += len(data) + 1
                elif line in _ERROR:
                    self._error = True
                elif line == b"data":
                    self._data.append(b"")
                    self._size += 1
                elif line.startswith(b"error:"):
                    events.append(error_of(line[6:].strip()))
                elif line.startswith(_NO_FIELD):
                    events.append(_beside(line))
                elif not line.startswith((b":", b"retry")):
                    self._begun = True
            else:
                self._begun = False
                if self._error:
                    events.append(error_of(b"\n".join(self._data)))
                    self._data.clear()
                    self._error = False
                elif self._data:
                    data = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
                    self._data.clear()
                    if data:
                        events.append(event_of(data))
                self._size = 0
        if tail:
            self._line.append(tail)
            self._line_size += len(tail)
        if self._size + self._line_size > self._limit:
            self.overflowed = True
            self._data.clear()
            self._line.clear()
        return events

    def close(self) -> list[Any]:
        """Return what no blank line closed as unreadable, when it holds data: the body was cut there.

        By the standard it is no event. That it is there still says that the source did not end cleanly.
        """
        self._line, line = [], b"".join(self._line)
        self._data, data = [], self._data
        if line.startswith(_NO_FIELD) and not (data or self._error or self.overflowed):
            return [_beside(line)]
        if line.startswith(b"data:"):
            data.append(line[5:])
        elif line and not line.startswith(b":"):
            data.append(line)
        if self._error:
            data.append(b"an event named error")
        if self._begun and not data:
            data.append(b"an event that has not ended")
        self._begun = False
        text = b"\n".join(data).strip()
        return (
            [] if text in (b"", b"[DONE]") or self.overflowed else [{"raw": text.decode("utf-8", "backslashreplace")}]
        )


def _beside(line: bytes) -> dict[str, Any]:
    """Return the event of a line that is no field: an error when it is JSON that says so, else unreadable."""
    event = event_of(line)
    if isinstance(event, dict) and (event.get("error") or event.get("type") == "error"):
        return error_of(line)
    return {"raw": line.decode("utf-8", "backslashreplace")}
