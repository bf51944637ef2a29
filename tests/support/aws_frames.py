"""AWS event stream frames, encoded after the published encoding and not after any decoder."""

from __future__ import annotations

import json
import struct
from binascii import crc32
from typing import Any


def frame(name: str, payload: bytes, kind: str = "event") -> bytes:
    """Encode one frame."""
    header = b""
    pairs = {":message-type": kind, ":content-type": "application/json"}
    pairs[{"event": ":event-type", "exception": ":exception-type", "error": ":error-code"}[kind]] = name
    for key, value in pairs.items():
        header += struct.pack("B", len(key)) + key.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()
    prelude = struct.pack(">II", 16 + len(header) + len(payload), len(header))
    message = prelude + struct.pack(">I", crc32(prelude)) + header + payload
    return message + struct.pack(">I", crc32(message))


def body_of(events: list[dict[str, Any]]) -> bytes:
    """Encode events of the shape that boto3 hands out."""
    return b"".join(
        frame(name, json.dumps(payload).encode(), "exception" if name.endswith("Exception") else "event")
        for event in events
        for name, payload in event.items()
    )
