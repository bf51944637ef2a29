"""One conversation, or one a line?"""

from __future__ import annotations

import json
from io import BufferedReader
from pathlib import Path
from typing import Final

from interlock.cli.sources import STDIN

__all__ = ["is_many"]

_LOOKED_AT: Final = 64 * 1024  # bytes


def is_many(file: BufferedReader, path: str) -> bool:
    """Tell whether a file holds one conversation a line.

    The suffix says so. Where there is none that does, the beginning does: a first line that is a whole JSON
    array or object, with something behind it.
    """
    suffix = "" if path == STDIN else Path(path).suffix.lower()
    if suffix in (".jsonl", ".ndjson"):
        return True
    if suffix == ".json":
        return False
    line, newline, rest = file.peek(_LOOKED_AT).partition(b"\n")
    if not newline or not rest.strip():
        return False
    try:
        return isinstance(json.loads(line), (dict, list))
    except (ValueError, RecursionError):
        return False
