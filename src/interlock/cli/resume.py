"""An output that can be interrupted: written aside, with a note of how far it got, and renamed when it is whole."""

from __future__ import annotations

import hashlib
import json
import os
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Final

from interlock.cli.audit import Tally
from interlock.cli.failure import Failure
from interlock.cli.sources import why
from interlock.cli.writing import aside, put_in_place

__all__ = ["Done", "Output", "mark_of"]

_EVERY: Final = 2.0  # seconds between two notes: what a killed run has to do again


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """How far a run got. It is replaced as a whole, so that an interrupt never sees half a step.

    Attributes:
        consumed: Bytes of the input that are done.
        written: Bytes of the output that belong to them.
        line: Lines that are done.
        inside: The last of them has more to come.
        conversations: How many of them held a conversation.
        bad: How many could not be read.
        found: Conversations in which something was found.
        remaining: Conversations in which something cannot be healed.
        tally: What was found, by rule.
    """

    consumed: int = 0
    written: int = 0
    line: int = 0
    inside: bool = False
    conversations: int = 0
    bad: int = 0
    found: int = 0
    remaining: int = 0
    tally: Tally = field(default_factory=dict)


def mark_of(source: str, fingerprint: str) -> str:
    """Return what tells a run that is continued from another one: the input as it is now, and the settings."""
    from interlock import __version__

    path = Path(source).resolve()
    status = path.stat()
    parts = [__version__, str(path), status.st_size, status.st_mtime_ns, fingerprint]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class Output:
    """The file beside the target.

    Args:
        target: The file that is to come.
        mark: See `mark_of`; `None` for an input that cannot be read again, which is never continued.
    """

    def __init__(self, target: Path, mark: str | None) -> None:
        self.target = target
        self._mark = mark
        self._part = aside(target, "interlock-part")
        self._note = aside(target, "interlock-note")
        self._finished = False
        try:
            self._file: IO[bytes] = self._part.open("r+b" if self._part.exists() else "x+b")
        except OSError as error:
            raise Failure(f"cannot write {str(target)!r}: {why(error)}") from None
        if not _lock(self._file):
            self._file.close()
            raise Failure(f"another run is writing {str(target)!r}")
        self.done = self._earlier()
        self._file.truncate(self.done.written)
        self._file.seek(self.done.written)
        self._noted = time.monotonic()

    def _earlier(self) -> Done:
        """Return how far an earlier run got that this one can go on with."""
        try:
            note = json.loads(self._note.read_bytes())
            mark = note.pop("mark")
            done = Done(**note)
            size = os.fstat(self._file.fileno()).st_size
            if self._mark is not None and mark == self._mark and 0 <= done.written <= size:
                return done
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            pass  # no note, or one that this version did not write
        return Done()

    def write(self, data: bytes) -> None:
        """Add to the output."""
        self._file.write(data)

    def step(self, done: Done) -> None:
        """Take over how far the run got, all of it written; note it on the disk if the last note is old."""
        self.done = done
        if time.monotonic() - self._noted >= _EVERY:
            self._write_note()

    def _write_note(self) -> None:
        self._noted = time.monotonic()
        self._file.flush()
        os.fsync(self._file.fileno())
        new = self._note.with_name(f"{self._note.name}.new")
        new.write_text(json.dumps({"mark": self._mark, **asdict(self.done)}), encoding="utf-8")
        new.replace(self._note)

    def finish(self) -> None:
        """Give the output its name."""
        self._file.flush()
        os.fsync(self._file.fileno())
        put_in_place(self._part, self.target)
        self._finished = True

    def abandon(self) -> None:
        """Leave no output: there is nothing worth keeping."""
        self._part.unlink(missing_ok=True)
        self._finished = True

    def close(self) -> None:
        """Clean up behind a finished run; behind another one leave what the next run needs."""
        if not self._finished and (self._mark is None or not self.done.consumed):
            self.abandon()
        if self._finished:
            self._note.unlink(missing_ok=True)
        else:
            self._write_note()
        self._file.close()


def _lock(file: IO[bytes]) -> bool:
    """Keep a second run away; the lock goes with the process."""
    try:
        import fcntl
    except ImportError:  # not on this system
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
