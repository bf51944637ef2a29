"""What a piece of media is, and how large: read from names and headers; nothing is decoded as a picture."""

from __future__ import annotations

import base64
import binascii
import struct
from typing import Any, Final

__all__ = ["base64_of", "bytes_of", "image_size", "kind_of"]

_HEADER: Final = 64 * 1024  # base64 characters; a JPEG's size stands behind its EXIF block


_ENDINGS: Final = {
    ending: kind
    for kind, endings in (("audio", "aac flac m4a mp3 oga ogg wav"), ("video", "avi mkv mov mp4 mpeg webm"))
    for ending in endings.split()
}


def kind_of(native: Any, media: str) -> str:
    """Return what a file is by the ending of its name or address, where its type does not say.

    Args:
        native: The native part.
        media: What its type says; only `file` leaves a question.
    """
    if media != "file" or not isinstance(native, dict):
        return media
    inner = native.get("file")
    for holder in (native, inner if isinstance(inner, dict) else {}):
        for key in ("file_url", "filename", "url"):
            name = holder.get(key)
            if isinstance(name, str) and not name.startswith("data:"):
                ending = name.partition("?")[0].rpartition(".")[2].lower()
                return _ENDINGS.get(ending, media)
    return media


def base64_of(native: Any) -> str | None:
    """Return the base64 text of an image block in the forms of the known formats; `None` when there is none."""
    if not isinstance(native, dict):
        return None
    source = native.get("source")
    if isinstance(source, dict):
        data = source.get("data", source.get("bytes"))
        return data if isinstance(data, str) else None
    url = native.get("image_url")
    if isinstance(url, dict):
        url = url.get("url")
    if isinstance(url, str) and url.startswith("data:") and ";base64," in url[:80]:
        return url.partition(";base64,")[2]
    for key in ("image", "data"):
        data = native.get(key)
        if isinstance(data, str) and not data.startswith(("http:", "https:")):
            return data.partition(";base64,")[2] if data.startswith("data:") else data
    return None


def bytes_of(native: Any) -> int | None:
    """Return the number of bytes in an image or a document of Converse; `None` when they are not in it."""
    held = next(iter(native.values()), None) if isinstance(native, dict) and len(native) == 1 else None
    source = held.get("source") if isinstance(held, dict) else None
    data = source.get("bytes") if isinstance(source, dict) else None
    if isinstance(data, str):  # base64, as JSON holds it
        return len(data) * 3 // 4
    return len(data) if isinstance(data, (bytes, bytearray)) else None


def image_size(data: str) -> tuple[int, int] | None:
    """Return width and height in pixels of a PNG, JPEG or GIF; `None` when they cannot be read.

    Args:
        data: The image as base64 text. Only its beginning is decoded.
    """
    head = data[:_HEADER]
    try:
        raw = base64.b64decode(head[: len(head) // 4 * 4])
    except (binascii.Error, ValueError):
        return None
    if raw[:8] == b"\x89PNG\r\n\x1a\n" and len(raw) >= 24:
        width, height = struct.unpack(">II", raw[16:24])
        return width, height
    if raw[:6] in (b"GIF87a", b"GIF89a") and len(raw) >= 10:
        width, height = struct.unpack("<HH", raw[6:10])
        return width, height
    if raw[:2] == b"\xff\xd8":
        return _jpeg_size(raw)
    return None


def _jpeg_size(raw: bytes) -> tuple[int, int] | None:
    """Walk the segments up to the frame header (ITU T.81, B.2.2)."""
    at = 2
    while at + 9 <= len(raw):
        if raw[at] != 0xFF:
            return None
        marker = raw[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", raw[at + 5 : at + 9])
            return width, height
        if marker == 0xFF or 0xD0 <= marker <= 0xD9:
            at += 1 if marker == 0xFF else 2
            continue
        (length,) = struct.unpack(">H", raw[at + 2 : at + 4])
        at += 2 + length
    return None
