"""From raw bytes, cut anywhere, to wire events."""

from __future__ import annotations

from typing import Any, Protocol

from interlock.errors import InvalidOptionError
from interlock.limits import Limits

__all__ = ["Decoder", "decoder_for"]


class Decoder(Protocol):
    """Turns pieces of a body into events: dicts, `"[DONE]"`, or `{"raw": text}` for data that is no JSON."""

    @property
    def overflowed(self) -> bool:
        """Whether one event passed `limits.frame_bytes`; nothing is decoded any more."""

    def feed(self, chunk: bytes) -> list[Any]:
        """Return the events that this piece completes."""

    def close(self) -> list[Any]:
        """Return what the end of the body completes."""


def decoder_for(wire: str, framing: str, limits: Limits) -> Decoder:
    """Return a new decoder for a wire's framing.

    Raises:
        InvalidOptionError: the wire has no byte form.
        MissingExtraError: the framing needs an optional package that is not installed.
    """
    if framing == "sse":
        from interlock.stream.framing.sse import SSEDecoder

        return SSEDecoder(limits.frame_bytes)
    if framing == "ndjson":
        from interlock.stream.framing.ndjson import NDJSONDecoder

        return NDJSONDecoder(limits.frame_bytes)
    if framing == "sse_or_json":
        from interlock.stream.framing.json_array import SSEOrJSONDecoder

        return SSEOrJSONDecoder(limits.frame_bytes)
    if framing == "aws_event_stream":
        from interlock.stream.framing.aws_event_stream import AWSEventStreamDecoder

        return AWSEventStreamDecoder(limits.frame_bytes)
    raise InvalidOptionError(f"wire {wire!r} has no byte form; push its events instead")
