"""`interlock judge`: the decisions on a recorded stream."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from interlock.cli.failure import Failure
from interlock.cli.progress import progress
from interlock.cli.screen import Cell, screen
from interlock.cli.sources import STDIN, label, read_document, shown
from interlock.cli.streams import read_events
from interlock.cli.terminal import compact
from interlock.errors import ToolDefinitionError, WireError
from interlock.gate.decision import Decision, Report
from interlock.gate.guard import Guard
from interlock.gate.table import DECISION_TABLE
from interlock.stream.detect import detect, rate

__all__ = ["run"]

_LOOKED_AT: Final = 1000  # events that the wire is told from,
_LOOKED_AT_BYTES: Final = 16 * 1024 * 1024  # but not more bytes than this
_ARRIVED: Final = 200  # characters of a stable value that are shown
_WHOLE: Final = 40  # characters of a name or an id that are not broken over two lines
_STYLES: Final = {"execute": "good", "retry": "careful", "reject": "bad"}
_SAYS: Final = {row.reason: row.says for row in DECISION_TABLE}


def run(options: Namespace) -> int:
    """Judge a file; 0 when every call executes, and none is missing, else 1."""
    report = _judge(options)
    if options.json:
        print(json.dumps(report.to_json()))
    else:
        _show(report, options.file)
    if not report.decisions:
        return 1 if _has_fault(report) else 0
    return 0 if all(decision.action == "execute" for decision in report.decisions) else 1


def _has_fault(report: Report) -> bool:
    """Say whether something was wrong with the stream itself, so that a call may have been in it."""
    return any(diagnostic.code.startswith("E_") for diagnostic in report.diagnostics)


def _judge(options: Namespace) -> Report:
    path: str = options.file
    tools = None if options.tools is None else read_document(options.tools)
    if options.wire is not None:
        _guard(options, options.wire, tools)  # what cannot be used is said before the file is read
    read: list[Any] = []
    readable = 0
    with closing(read_events(path, options.end)) as events, progress("judging", _size(path)) as advance:
        done = 0
        for event, done in events:
            read.append(event)
            readable += isinstance(event, dict) and set(event) != {"raw"}
            if len(read) == _LOOKED_AT or done > _LOOKED_AT_BYTES:
                break
        advance(done)
        if not readable:
            first = f"; found {str(read[0]['raw'])[:60]!r}" if read and isinstance(read[0], dict) else ""
            raise Failure(f"{label(path)} holds no event{first}")
        wire = options.wire or _wire_of(read, path)
        guard = _guard(options, wire, tools)
        for event in read:
            guard.push(event)
        for event, position in events:
            guard.push(event)
            advance(position - done)
            done = position
    report = guard.finish(options.end)
    if options.wire is not None and not report.decisions:
        _refuse_other_wire(read, wire, path)
    return report


def _wire_of(events: list[Any], path: str) -> str:
    try:
        return detect(events)
    except WireError as error:
        if all(isinstance(event, dict) and ("role" in event or "messages" in event) for event in events):
            raise Failure(
                f"{label(path)} looks like a history; `interlock check` and `interlock heal` read those"
            ) from None
        raise Failure(f"{label(path)}: {error}") from None


def _guard(options: Namespace, wire: str, tools: Any) -> Guard:
    try:
        return Guard(
            wire,
            tools=tools,
            allow_unknown_tools=options.allow_unknown_tools,
            trust_projections=options.trust_projections,
            confirm_on_done=options.confirm_on_done,
            on_length=options.on_length,
            unwrap_double_encoding=options.unwrap_double_encoding,
            check_formats=options.check_formats,
            control_characters=options.control_characters,
        )
    except ToolDefinitionError as error:
        raise Failure(f"--tools {label(options.tools)}: {error}") from None


def _refuse_other_wire(events: list[Any], wire: str, path: str) -> None:
    """Refuse a recording of another wire: read as this one it has no call, and nothing would be wrong with it."""
    if any(wire in rate(event) for event in events):
        return
    try:
        found = detect(events)
    except WireError:
        return
    raise Failure(f"{label(path)} is no recording of wire {wire!r}; it looks like {found!r}")


def _size(path: str) -> int | None:
    try:
        return None if path == STDIN else Path(path).stat().st_size
    except (OSError, ValueError):
        return None


def _show(report: Report, path: str) -> None:
    out = screen(sys.stdout)
    out.line(f"{shown(path)}: wire {report.wire}, ended {report.end_reason}")
    if report.decisions:
        out.table(
            ("call", "decision", "what arrived", "why"),
            [
                (
                    Cell("\n".join(_identity(decision)), "strong", whole=_is_short(decision)),
                    Cell(f"{decision.action}\n{decision.reason}", _STYLES[decision.action]),
                    Cell(_arrived(decision)),
                    Cell("\n".join(_why(decision))),
                )
                for decision in report.decisions
            ],
        )
    for diagnostic in report.diagnostics:
        out.line(f"{diagnostic.code}: {diagnostic.message}", "careful")
    out.line(_summary(report), "strong")


def _identity(decision: Decision) -> Iterator[str]:
    yield decision.name or "(no name)"
    yield decision.call_id or f"({decision.internal_id})"


def _is_short(decision: Decision) -> bool:
    return max(map(len, _identity(decision))) <= _WHOLE


def _arrived(decision: Decision) -> str:
    size = decision.evidence.received_bytes
    text = f"{size:,} byte{'' if size == 1 else 's'}"
    return text if decision.stable_value is None else f"{text}\n{compact(decision.stable_value, _ARRIVED)}"


def _why(decision: Decision) -> Iterator[str]:
    yield _SAYS.get(decision.reason, "")
    for diagnostic in decision.diagnostics:
        yield f"{diagnostic.code}: {diagnostic.message}"


def _summary(report: Report) -> str:
    if not report.decisions:
        return "No tool call could be read." if _has_fault(report) else "No tool call."
    count = len(report.decisions)
    actions = [decision.action for decision in report.decisions]
    parts = [f"{actions.count(action)} {action}" for action in _STYLES if action in actions]
    return f"{count} call{'' if count == 1 else 's'}: {', '.join(parts)}."
