"""Recorded streams: from a file to wire events.

A recording is one of four kinds, told by its suffix and, where that says
nothing (`-`, `.txt`), by its first bytes:

    sse    the body as received, server-sent events
    jsonl  one event a line; `"[DONE]"`; `{"raw": "..."}` for data that was no JSON
    json   one array of events
    bin    an AWS event stream
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Generator, Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any, Final, Literal

from interlock.cli.failure import Failure
from interlock.cli.sources import STDIN, label, lines, megabytes, opened, parse, read_all
from interlock.limits import DEFAULT_LIMITS
from interlock.stream.framing import Decoder, decoder_for
from interlock.stream.framing.payload import event_of
from interlock.vocabulary import SourceEnd

__all__ = ["Kind", "kind_of", "read_events"]

Kind = Literal["sse", "jsonl", "json", "bin"]

_SUFFIXES: Final[dict[str, Kind]] = {
    ".sse": "sse",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".bin": "bin",
}
_CHUNK: Final = 64 * 1024  # bytes read at a time
_SSE_START: Final = re.compile(rb"(?:data|event|id|retry)?:")


def read_events(path: str, end: SourceEnd = "eof") -> Generator[tuple[Any, int]]:
    """Yield the events of a recording, each with the number of bytes read so far.

    `end` says how the source stopped: only after a clean end is what stands unfinished at the end a fault.

    Raises:
        Failure: the file cannot be read, is empty, or one event is larger than `Limits.frame_bytes`.
    """
    with opened(path) as file:
        head = file.peek(64)
        if not head:
            raise Failure(f"{label(path)} is empty")
        kind = (_SUFFIXES.get(Path(path).suffix.lower()) if path != STDIN else None) or kind_of(head)
        if kind == "sse" and kind_of(head) == "json":
            kind = "json"  # a body of Gemini without `alt=sse`
        if kind is None:
            raise Failure(
                f"{label(path)} is no recorded stream that can be recognised; "
                "expected server-sent events, one JSON event a line, or an AWS event stream"
            )
        if kind == "json":
            data = read_all(file, path)
            yield from ((event, len(data)) for event in _array(data, path))
        elif kind == "jsonl":
            done = 0
            for _, line in lines(file, path, DEFAULT_LIMITS.frame_bytes):
                done += len(line)
                yield event_of_line(line), done
        else:
            yield from _decoded(file, path, kind, end)


def kind_of(head: bytes) -> Kind | None:
    """Tell the kind of a recording from its first bytes; `None` when nothing tells."""
    # AWS event stream: lengths of the message and of its headers, then the CRC-32 of those eight bytes.
    if len(head) >= 12 and zlib.crc32(head[:8]) == int.from_bytes(head[8:12], "big"):
        return "bin"
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] == b"[" and not text.startswith(b"[DONE]"):
        return "json"
    if text[:1] in (b"{", b'"'):
        return "jsonl"
    return "sse" if _SSE_START.match(text) else None


def event_of_line(line: bytes) -> Any:
    """Return the event of one line; what is no JSON object is `{"raw": line}`."""
    text = line.strip()
    return "[DONE]" if text == b'"[DONE]"' else event_of(text)


def _array(data: bytes, path: str) -> Iterator[Any]:
    value = parse(data, label(path))
    if not isinstance(value, list):
        raise Failure(f"{label(path)} holds {_kind(value)}; expected an array of events")
    if not value:
        raise Failure(f"{label(path)} holds no event")
    for event in value:
        yield event if isinstance(event, dict) or event == "[DONE]" else {"raw": str(event)}


def _decoded(file: BufferedReader, path: str, kind: Kind, end: SourceEnd) -> Iterator[tuple[Any, int]]:
    decoder: Decoder
    if kind == "sse":
        from interlock.stream.framing.sse import SSEDecoder

        decoder = SSEDecoder(DEFAULT_LIMITS.frame_bytes)
    else:
        decoder = decoder_for("bedrock_converse", "aws_event_stream", DEFAULT_LIMITS)
    done = 0
    while chunk := file.read(_CHUNK):
        done += len(chunk)
        for event in decoder.feed(chunk):
            yield event, done
        if decoder.overflowed:
            raise Failure(f"{label(path)}: one event is larger than {megabytes(DEFAULT_LIMITS.frame_bytes)}")
    if end == "eof":
        for event in decoder.close():
            yield event, done


def _kind(value: Any) -> str:
    return {dict: "an object", str: "a string", bool: "a boolean", type(None): "null"}.get(type(value), "a number")
