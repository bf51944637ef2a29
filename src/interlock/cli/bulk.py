"""`check` and `heal` on files with one conversation a line: streamed, on all cores, interruptible."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from io import BufferedReader
from pathlib import Path
from typing import Final, TextIO

from interlock.cli.audit import Tally, place, show_tally
from interlock.cli.batches import Batch, Job, Outcome, batches
from interlock.cli.failure import Failure
from interlock.cli.pool import process
from interlock.cli.progress import progress
from interlock.cli.resume import Done, Output, mark_of
from interlock.cli.screen import screen
from interlock.cli.settings import Settings
from interlock.cli.sources import STDIN, label, shown
from interlock.cli.terminal import escape, is_terminal, shorten
from interlock.cli.writing import target_of

__all__ = ["check_lines", "heal_lines"]

_HELD: Final = 1000  # messages about unreadable lines that wait for the first readable one


def check_lines(file: BufferedReader, options: Namespace, settings: Settings) -> int:
    """Check every line; 0 when nothing is found, 1 when something is, 2 when a line could not be read."""
    job = Job(settings, heal=False, json=options.json)
    done = _run(file, options.file, job, _Through(None), sys.stdout)
    return 2 if done.bad else 1 if done.found else 0


def heal_lines(file: BufferedReader, options: Namespace, settings: Settings) -> int:
    """Heal every line; 0 when all are fit to send, 1 when one is not, 2 when a line could not be read."""
    job = Job(settings, heal=True, json=options.json, diff=options.diff and not options.json)
    path = options.file if options.write else options.output
    target = None if path is None else target_of(path)
    sink: Output | _Through
    if target is None:
        sink = _Through(path)
    else:
        sink = Output(target, None if options.file == STDIN else mark_of(options.file, settings.fingerprint()))
        if sink.done.consumed:
            file.seek(sink.done.consumed)
            print(f"interlock: going on behind line {sink.done.line:,} of an interrupted run", file=sys.stderr)
    out = sys.stderr if path == STDIN else sys.stdout
    done = _run(file, options.file, job, sink, out, unchanged_is_enough=options.write)
    if not options.json:
        lines = screen(out)
        if target is not None:
            lines.line(f"{path} was left as it is." if options.write and not done.found else f"Written to {path}.")
        elif path is None and done.found:
            lines.line("Nothing was written: --write replaces the file, --output FILE writes another.", "dim")
    failed = done.remaining or (done.found and options.exit_non_zero_on_fix)
    return 2 if done.bad else 1 if failed else 0


class _Through:
    """An output that cannot be continued: none at all, standard output, a device."""

    def __init__(self, path: str | None) -> None:
        self.done = Done()
        self._own = None if path in (None, STDIN) else Path(str(path)).open("wb")  # noqa: SIM115 - see `close`
        self._file = sys.stdout.buffer if path == STDIN else self._own

    def write(self, data: bytes) -> None:
        if self._file is not None:
            self._file.write(data)

    def step(self, done: Done) -> None:
        self.done = done

    def finish(self) -> None:
        if self._file is not None:
            self._file.flush()

    def abandon(self) -> None:
        pass

    def close(self) -> None:
        if self._own is not None:
            self._own.close()


def _run(
    file: BufferedReader,
    path: str,
    job: Job,
    sink: Output | _Through,
    out: TextIO,
    *,
    unchanged_is_enough: bool = False,
) -> Done:
    reporter = _Reporter(path, job, out)
    size = None if path == STDIN else Path(path).stat().st_size
    what = "healing" if job.heal else "checking"
    try:
        with (
            closing(process(job, batches(file, sink.done.line, inside=sink.done.inside))) as results,
            progress(what, size, sink.done.consumed) as advance,
        ):
            for batch, outcomes in results:
                for outcome in outcomes:
                    reporter.report(outcome)
                data = _healed(batch, outcomes)
                sink.write(data)
                sink.step(_further(sink.done, batch, outcomes, len(data)))
                advance(batch.size)
        if not sink.done.conversations:
            sink.abandon()
            reporter.fail()
        elif unchanged_is_enough and not sink.done.found:
            sink.abandon()
        else:
            sink.finish()
    except KeyboardInterrupt:
        if is_terminal(sys.stderr) and isinstance(sink, Output) and sink.done.line:
            print(f"interlock: interrupted behind line {sink.done.line:,}; the same command goes on", file=sys.stderr)
        raise
    finally:
        sink.close()
    if not job.json:
        _summary(sink.done, path, job, out)
    return sink.done


def _healed(batch: Batch, outcomes: Sequence[Outcome]) -> bytes:
    new = {outcome.number: outcome.healed for outcome in outcomes if outcome.healed is not None}
    return b"".join(new.get(line.number, line.data) for line in batch.lines)


def _further(done: Done, batch: Batch, outcomes: Sequence[Outcome], written: int) -> Done:
    """Return how far the run is after one more batch."""
    tally: Tally = {rule: list(counts) for rule, counts in done.tally.items()}
    for outcome in outcomes:
        seen: set[str] = set()
        for record in outcome.records:
            rule = f"{record.code} {record.rule}"
            counts = tally.setdefault(rule, [0, 0, 0, 0])
            counts[0] += rule not in seen
            counts[1] += 1
            counts[2] += record.lossy
            counts[3] += not record.healed
            seen.add(rule)
    bad = sum(outcome.bad is not None for outcome in outcomes)
    return replace(
        done,
        consumed=done.consumed + batch.size,
        written=done.written + written,
        line=batch.lines[-1].number,
        inside=batch.inside,
        conversations=done.conversations + len(outcomes) - bad,
        bad=done.bad + bad,
        found=done.found + sum(bool(outcome.records) for outcome in outcomes),
        remaining=done.remaining + sum(any(not one.healed for one in outcome.records) for outcome in outcomes),
        tally=tally,
    )


class _Reporter:
    """Prints what is to be said about single lines."""

    def __init__(self, path: str, job: Job, out: TextIO) -> None:
        self._path = path
        self._job = job
        self._lines = screen(out)
        self._held: list[Outcome] | None = []  # unreadable lines, until one could be read

    def report(self, outcome: Outcome) -> None:
        """Print one line's outcome."""
        if self._held is not None:
            if outcome.bad is not None and len(self._held) < _HELD:
                self._held.append(outcome)
                return
            held, self._held = self._held, None
            for earlier in held:
                self._print(earlier)
        self._print(outcome)

    def fail(self) -> None:
        """Raise the one message about a file of which no line could be read."""
        if self._held:
            raise Failure(f"{label(self._path)}: no line is a conversation; line {_bad(self._held[0])}")
        if self._held is not None:
            raise Failure(f"{label(self._path)} is empty")

    def _print(self, outcome: Outcome) -> None:
        if outcome.bad is not None:
            text = shorten(escape(_bad(outcome)), 1000)
            print(f"interlock: {escape(label(self._path))}, line {text}; kept as it is", file=sys.stderr)
            if self._job.json:
                print(json.dumps({"line": outcome.number, "error": outcome.bad}))
        elif outcome.json is not None:
            print(outcome.json)
        elif not self._job.heal:
            for record in outcome.records:
                self._lines.line(
                    f"line {outcome.number}, {place(record)}: {record.code} {record.rule}: {record.reason}"
                )
        elif outcome.diff:
            self._lines.line(f"line {outcome.number}", "strong")
            for line, style in outcome.diff:
                self._lines.line(line, style)


def _bad(outcome: Outcome) -> str:
    return f"{outcome.number}: {outcome.bad}"


def _summary(done: Done, path: str, job: Job, out: TextIO) -> None:
    lines = screen(out)
    show_tally(lines, done.tally)
    count = done.conversations
    parts = [f"{count:,} conversation{'' if count == 1 else 's'}"]
    parts.append(f"{done.found:,} {'repaired' if job.heal else 'with findings'}")
    if done.remaining:
        parts.append(f"{done.remaining:,} cannot be healed")
    if done.bad:
        parts.append(f"{done.bad:,} unreadable line{'' if done.bad == 1 else 's'}")
    lines.line(f"{shown(path)}: {', '.join(parts)}.", "strong")
