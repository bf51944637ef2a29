"""AWS event stream frames, decoded from bytes that are cut anywhere, with botocore's decoder.

Source:
    Amazon Transcribe developer guide, "Event stream encoding" (read 2026-11-30),
    and botocore.eventstream: a prelude with both lengths and a CRC, headers, a
    payload, a CRC over all. `:message-type` is `event`, `exception` or `error`.
"""

from __future__ import annotations

from typing import Any, Final

from interlock.errors import MissingExtraError
from interlock.stream.framing.payload import event_of

__all__ = ["AWSEventStreamDecoder"]

_PRELUDE: Final = 12  # bytes: two lengths, and their CRC


class AWSEventStreamDecoder:
    """Decodes each frame to `{"<event type>": payload}`, the shape that boto3 hands out.

    Args:
        limit: Bytes that one frame may take. Passing it stops the decoder and sets `overflowed`.

    Raises:
        MissingExtraError: botocore is not installed.
    """

    def __init__(self, limit: int) -> None:
        try:
            from botocore.eventstream import EventStreamBuffer
        except ImportError as error:
            raise MissingExtraError(
                "the binary event stream of Bedrock", package="botocore", extra="bedrock"
            ) from error
        self.overflowed = False
        self._limit = limit
        self._buffer: Any = EventStreamBuffer()
        self._pieces: list[bytes] = []  # of what the buffer gets next
        self._missing = _PRELUDE  # bytes of it that have not come
        self._waiting = 0  # bytes of a frame that has not ended
        self._broken = False

    def feed(self, chunk: bytes) -> list[Any]:
        """Return the events that this piece completes."""
        events: list[Any] = []
        at = 0
        # The buffer copies all that it holds for every frame and every piece: it is given a frame's prelude, which
        # tells the length, then the rest of that frame at once.
        while at < len(chunk) and not (self._broken or self.overflowed):
            piece = chunk[at : at + self._missing]
            at += len(piece)
            self._pieces.append(piece)
            self._missing -= len(piece)
            self._waiting += len(piece)
            if self._waiting > self._limit:
                self.overflowed = True
            elif not self._missing:
                self._take(events)
        return events

    def close(self) -> list[Any]:
        """Return a piece that cannot be read when the body ended inside a frame."""
        if self._broken or self.overflowed or not self._waiting:
            return []
        self._broken = True
        return [{"raw": f"an event stream frame that was cut after {self._waiting} bytes"}]

    def _take(self, events: list[Any]) -> None:
        data = b"".join(self._pieces)
        self._pieces.clear()
        prelude = self._waiting == _PRELUDE
        self._missing = int.from_bytes(data[:4], "big") - _PRELUDE if prelude else _PRELUDE
        try:
            self._buffer.add_data(data)
            events.extend(map(_event_of, self._buffer))
            if prelude and self._missing <= 0:
                raise ValueError(f"a frame of {self._missing + _PRELUDE} bytes")
        except Exception as error:  # whatever the bytes made the decoder raise
            # Where the next frame would begin is not known any more.
            self._broken = True
            events.append({"raw": f"an event stream frame: {error}"})
        if not prelude:
            self._waiting = 0


def _event_of(frame: Any) -> Any:
    headers = frame.headers
    kind = headers.get(":message-type")
    if kind == "error":
        return {"error": {"code": headers.get(":error-code"), "message": headers.get(":error-message")}}
    name = headers.get(":event-type" if kind == "event" else ":exception-type")
    payload = event_of(frame.payload) if frame.payload else {}
    if not isinstance(name, str) or not isinstance(payload, dict) or "raw" in payload:
        return {"raw": f"an event stream frame of type {kind!r}, {name!r}"}
    return {name: payload}
