"""Reading files: whole documents, lines, and what kind of file it is. Every trouble is one clear line."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from math import isfinite
from pathlib import Path
from typing import Any, Final, NoReturn, cast

from interlock.cli.failure import Failure

__all__ = [
    "DOCUMENT_BYTES",
    "STDIN",
    "decode",
    "label",
    "lines",
    "megabytes",
    "opened",
    "parse",
    "parse_strictly",
    "read_all",
    "read_document",
    "shown",
    "why",
]

STDIN: Final = "-"

# Bytes of one document or one conversation. No provider takes a request of more than 50 MB.
DOCUMENT_BYTES: Final = 64 * 1024 * 1024

_UTF8_BOM: Final = b"\xef\xbb\xbf"


def label(path: str) -> str:
    """Name a file in a message."""
    return "standard input" if path == STDIN else repr(path)


def shown(path: str) -> str:
    """Name a file in a report."""
    return "standard input" if path == STDIN else path


def megabytes(size: int) -> str:
    """Return a number of bytes for people."""
    return f"{size / 1024 / 1024:,.0f} MiB" if size >= 1024 * 1024 else f"{size:,} bytes"


@contextmanager
def opened(path: str) -> Iterator[BufferedReader]:
    """Open a file, or standard input, for reading bytes; a file that cannot be opened is a `Failure`."""
    if path == STDIN:
        if sys.stdin is None:
            raise Failure("standard input is closed")
        yield cast(BufferedReader, sys.stdin.buffer)
        return
    try:
        file = Path(path).open("rb")  # noqa: SIM115 - only the opening is tried here
    except OSError as error:
        raise Failure(f"cannot read {label(path)}: {why(error)}") from None
    except ValueError as error:  # a NUL byte in the path
        raise Failure(f"cannot read {label(path)}: {error}") from None
    with file:
        yield file


def read_all(file: BufferedReader, path: str, limit: int = DOCUMENT_BYTES) -> bytes:
    """Read a whole file of at most `limit` bytes, which must not be empty."""
    data = file.read(limit + 1)
    if len(data) > limit:
        raise Failure(f"{label(path)} is larger than {megabytes(limit)}, the most that one document may have")
    if not data.strip():
        raise Failure(f"{label(path)} is empty")
    return data


def read_document(path: str, limit: int = DOCUMENT_BYTES) -> Any:
    """Read a whole JSON file."""
    with opened(path) as file:
        data = read_all(file, path, limit)
    return parse_strictly(data, label(path))


def lines(file: BufferedReader, path: str, limit: int) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank, with their numbers, ends included; one may have `limit` bytes."""
    number = 0
    while line := file.readline(limit + 1):
        number += 1
        if len(line) > limit:
            raise Failure(f"{label(path)}, line {number}: longer than {megabytes(limit)}")
        if number == 1 and line.startswith(_UTF8_BOM):
            line = line[len(_UTF8_BOM) :]
        if line.strip():
            yield number, line


def decode(data: bytes, where: str) -> str:
    """Return the text of UTF-8 bytes; a leading byte order mark is dropped."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise Failure(f"{where} is UTF-16; expected UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Failure(f"{where} is not UTF-8: byte {error.start:,} is 0x{data[error.start]:02x}") from None


def parse(data: bytes, where: str) -> Any:
    """Return the JSON value of a document.

    Stricter than `json.loads` where a value could not be written out again: NaN, infinities, numbers out of range.
    """
    return _load(data, where, None)


def parse_strictly(data: bytes, where: str) -> Any:
    """Do as `parse` and refuse an object with the same key twice, of which only one value would survive."""

    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(members)
        if len(value) != len(members):
            seen: set[str] = set()
            twice = next(key for key, _ in members if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            raise Failure(f"{where} is not valid JSON: the key {twice!r} is there twice in one object")
        return value

    return _load(data, where, pairs)


def _load(data: bytes, where: str, pairs: Any) -> Any:
    text = decode(data, where)

    def constant(word: str) -> NoReturn:
        raise Failure(f"{where} is not valid JSON: {word} is no JSON value")

    def number(digits: str) -> float:
        value = float(digits)
        if not isfinite(value):
            raise Failure(f"{where} holds the number {digits[:40]}, which is out of range")
        return value

    try:
        return json.loads(text, object_pairs_hook=pairs, parse_constant=constant, parse_float=number)
    except json.JSONDecodeError as error:
        at = f"line {error.lineno}, column {error.colno}" if "\n" in text.strip() else f"column {error.colno:,}"
        what = error.msg.removesuffix(" starting at")
        cut = error.pos >= len(text.rstrip()) or what == "Unterminated string"
        raise Failure(f"{where} is not valid JSON: {what} at {at}{'; it is cut short' if cut else ''}") from None
    except RecursionError:
        raise Failure(f"{where} is nested too deeply") from None
    except ValueError:  # only `int` is left to complain
        raise Failure(f"{where} holds an integer of more than {sys.get_int_max_str_digits():,} digits") from None


def why(error: OSError) -> str:
    """Say in words what the system refused."""
    reasons = {
        FileNotFoundError: "there is no such file",
        IsADirectoryError: "it is a directory",
        PermissionError: "permission denied",
    }
    return reasons.get(type(error)) or error.strerror or str(error)
