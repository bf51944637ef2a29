"""The work on many conversations that can run in another process: lines in, outcomes out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import BufferedReader
from typing import Final, Literal, NamedTuple

from interlock.cli.diff import diff
from interlock.cli.documents import Style, check_history, history_of
from interlock.cli.failure import Failure
from interlock.cli.settings import Settings
from interlock.cli.sources import DOCUMENT_BYTES, decode, megabytes, parse, parse_strictly
from interlock.errors import InterlockError
from interlock.history.engine import check, heal
from interlock.history.records import Repair

__all__ = ["Batch", "Job", "Line", "Outcome", "batches", "work"]

_BATCH_BYTES: Final = 1024 * 1024
_BATCH_LINES: Final = 512


class Line(NamedTuple):
    """One line of a file, its end included; or a piece of one that is too long to be read.

    Attributes:
        number: Counted from 1.
        data: The bytes.
        use: `read` it; `keep` it as it is (blank, or the rest of a line that is too long); it is too `long`.
    """

    number: int
    data: bytes
    use: Literal["read", "keep", "long"]


@dataclass(frozen=True, slots=True)
class Batch:
    """Some lines that follow each other."""

    lines: tuple[Line, ...]
    size: int

    @property
    def inside(self) -> bool:
        """The batch ends inside a line that is too long to be read."""
        return len(self.lines[-1].data) > DOCUMENT_BYTES and not self.lines[-1].data.endswith(b"\n")

    def to_read(self) -> list[Line]:
        """Return what a worker has to look at; bytes that are only copied need not travel."""
        return [line if line.use == "read" else line._replace(data=b"") for line in self.lines if line.use != "keep"]


@dataclass(frozen=True, slots=True)
class Job:
    """What to do with each line, in a form that a worker process can be given."""

    settings: Settings
    heal: bool
    json: bool = False
    diff: bool = False


class Outcome(NamedTuple):
    """What became of one line.

    Attributes:
        number: The line.
        bad: Why it could not be read; `None` when it could.
        healed: The line to write in its place; `None` when it stays as it is.
        records: What was found.
        json: The conversation's JSON object, where it was asked for.
        diff: The lines of its diff, where it was asked for.
    """

    number: int
    bad: str | None = None
    healed: bytes | None = None
    records: tuple[Repair, ...] = ()
    json: str | None = None
    diff: tuple[tuple[str, str], ...] = ()


def batches(file: BufferedReader, number: int = 0, *, inside: bool = False) -> Iterator[Batch]:
    """Yield the lines of a file in batches; no more than one batch and one line are held.

    Args:
        file: The file, at the place to go on from.
        number: How many lines were read before.
        inside: That place is inside the last of them, which is too long to be read.
    """
    held: list[Line] = []
    size = 0
    whole = not inside  # the last piece ended its line
    while data := file.readline(DOCUMENT_BYTES + 1):
        number += whole
        use: Literal["read", "keep", "long"] = "read" if len(data) <= DOCUMENT_BYTES else "long"
        if not whole or not data.strip():
            use = "keep"
        whole = data.endswith(b"\n")
        held.append(Line(number, data, use))
        size += len(data)
        if size > DOCUMENT_BYTES or (whole and (size >= _BATCH_BYTES or len(held) >= _BATCH_LINES)):
            yield Batch(tuple(held), size)
            held, size = [], 0
    if held:
        yield Batch(tuple(held), size)


def work(job: Job, lines: Sequence[Line]) -> list[Outcome]:
    """Heal or check the lines that are to be read."""
    outcomes = []
    for line in lines:
        if line.use == "long":
            outcomes.append(Outcome(line.number, bad=f"longer than {megabytes(DOCUMENT_BYTES)}"))
        elif line.use == "read":
            try:
                outcomes.append(_one(job, line))
            except (Failure, InterlockError) as error:
                outcomes.append(Outcome(line.number, bad=str(error)))
            except Exception as error:  # a defect of interlock costs one line, not the run
                outcomes.append(Outcome(line.number, bad=f"internal error: {type(error).__name__}: {error}"))
    return outcomes


def _one(job: Job, line: Line) -> Outcome:
    data = line.data
    value = parse(data, "it")
    check_history(value, "it")
    if not job.heal:
        found = check(value, **job.settings.arguments())
        return Outcome(
            line.number,
            records=_light(found.findings),
            json=json.dumps(found.to_json()) if job.json else None,
        )
    result = heal(value, **job.settings.arguments())
    healed = None
    if result.changed:
        parse_strictly(data, "it")  # of a key that is there twice, one value would not survive
        healed = Style.of(decode(data, "it")).write(result.messages if result.request is None else result.request)
    return Outcome(
        line.number,
        healed=healed,
        records=_light((*result.repairs, *result.remaining)),
        json=json.dumps(result.to_json()) if job.json else None,
        diff=tuple(diff(result, history_of(value))) if job.diff and result.changed else (),
    )


def _light(records: Sequence[Repair]) -> tuple[Repair, ...]:
    """Return records without what they keep for undoing: it need not travel between processes."""
    return tuple(replace(record, before=None) for record in records)
