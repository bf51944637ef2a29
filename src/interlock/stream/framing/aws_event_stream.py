"""AWS event stream frames, decoded from bytes that are cut anywhere, with botocore's decoder.

Source:
    Amazon Transcribe developer guide, "Event stream encoding" (read 2026-11-30),
    and botocore.eventstream: a prelude with both lengths and a CRC, headers, a
    payload, a CRC over all. `:message-type` is `event`, `exception` or `error`.
"""

from __future__ import annotations

from typing import Any

from interlock.errors import MissingExtraError
from interlock.stream.framing.payload import event_of

__all__ = ["AWSEventStreamDecoder"]


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
        self._waiting = 0  # bytes that no frame has used yet
        self._broken = False

    def feed(self, chunk: bytes) -> list[Any]:
        """Return the events that this piece completes."""
        if self._broken or self.overflowed:
            return []
        events: list[Any] = []
        self._waiting += len(chunk)
        self._buffer.add_data(chunk)
        try:
            for frame in self._buffer:
                self._waiting -= frame.prelude.total_length
                events.append(_event_of(frame))
        except Exception as error:  # whatever the bytes made the decoder raise
            # Where the next frame would begin is not known any more.
            self._broken = True
            events.append({"raw": f"an event stream frame: {error}"})
        if self._waiting > self._limit:
            self.overflowed = True
        return events

    def close(self) -> list[Any]:
        """Return a piece that cannot be read when the body ended inside a frame."""
        if self._broken or self.overflowed or not self._waiting:
            return []
        self._broken = True
        return [{"raw": f"an event stream frame that was cut after {self._waiting} bytes"}]


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
