"""Writing files so that nobody ever sees one half-written: write aside, then rename."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from interlock.cli.failure import Failure
from interlock.cli.sources import STDIN, why

__all__ = ["aside", "put_in_place", "target_of", "write"]


def write(path: str, data: bytes) -> None:
    """Write a file whole; `-`, and what is no regular file (a device, a pipe), is written to directly."""
    target = target_of(path)
    if target is None:
        _write_through(path, data)
        return
    part = aside(target, f"{os.getpid()}.part")
    try:
        with part.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        put_in_place(part, target)
    except OSError as error:
        raise Failure(f"cannot write {path!r}: {why(error)}") from None
    finally:
        part.unlink(missing_ok=True)


def target_of(path: str) -> Path | None:
    """Return the file that a path means, links followed; `None` for one that cannot be renamed into place."""
    if path == STDIN:
        return None
    target = Path(path).resolve()
    if target.is_dir():
        raise Failure(f"cannot write {path!r}: it is a directory")
    if not target.parent.is_dir():
        raise Failure(f"cannot write {path!r}: there is no directory {str(target.parent)!r}")
    return None if target.exists() and not target.is_file() else target


def aside(target: Path, suffix: str) -> Path:
    """Return a hidden name in the target's own directory, from where a rename is one step."""
    return target.with_name(f".{target.name}.{suffix}")


def put_in_place(part: Path, target: Path) -> None:
    """Give a finished file its name, with the mode of the file that it replaces."""
    if target.exists():
        part.chmod(stat.S_IMODE(target.stat().st_mode))
    part.replace(target)


def _write_through(path: str, data: bytes) -> None:
    if path == STDIN:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        with Path(path).open("wb") as file:
            file.write(data)
