"""Files that no command can use, each a kind of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

HUGE = 100 * 1024 * 1024


def _bytes(data: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(data)


def _huge(start: bytes) -> Callable[[Path], object]:
    """Make a file of 100 MiB without a line feed; the file system does not store its blanks."""

    def write(path: Path) -> None:
        with path.open("wb") as file:
            file.write(start)
            file.truncate(HUGE)

    return write


BAD_FILES: dict[str, Callable[[Path], object]] = {
    "missing": lambda path: None,
    "directory": lambda path: path.mkdir(),
    "empty": _bytes(b""),
    "blank": _bytes(b"\n \n\t\n"),
    "rubbish": _bytes(bytes(range(256)) * 40 + b"\n\x00\xff\n"),
    "utf-16": _bytes('[{"role": "user"}]'.encode("utf-16")),
    "invalid-utf-8": _bytes(b'[{"role": "user", "content": "\xff\xfe"}]\n'),
    "cut": _bytes(b'[{"role": "user", "content": "hel'),
    "deep": _bytes(b"[" * 200_000),
    "deep-object": _bytes(b'{"a":' * 200_000),
    "scalar": _bytes(b"17\n"),
    "huge-line": _huge(b"["),
    "huge-event": _huge(b'data: {"type": "'),
}
SUFFIXES = (".sse", ".jsonl", ".json", ".bin", ".txt")
