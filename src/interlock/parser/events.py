"""What the parser reports, in order. An event is never taken back.

Replaying `ContainerOpened` and `ValueCommitted` in order rebuilds the stable
value. `number` counts from 0 and has no gaps. `path` is a JSON Pointer
(RFC 6901), `""` for the root. `start` and `end` are UTF-8 byte offsets from
the start of the document, `end` exclusive.

An event holds its place as a chain that it shares with its neighbours, and makes
the pointer when it is asked: a long key is not copied into every event below it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from interlock.diagnostics import Diagnostic

__all__ = [
    "ContainerClosed",
    "ContainerOpened",
    "DiagnosticRecorded",
    "DocumentComplete",
    "Event",
    "RepairApplied",
    "StreamFinished",
    "StringProgress",
    "ValueCommitted",
]

ContainerKind = Literal["object", "array"]

# The way from a value up to the root: (the way of its container, its key or index); the
# root's is None.
Chain = tuple[Any, "str | int"] | None


def escape_pointer(part: str) -> str:
    """Escape one part of a JSON Pointer (RFC 6901, section 3)."""
    return part.replace("~", "~0").replace("/", "~1")


def pointer(chain: Chain) -> str:
    """Return the JSON Pointer of a chain."""
    parts: list[str] = []
    while chain is not None:
        chain, key = chain
        parts.append("/" + escape_pointer(str(key)))
    return "".join(reversed(parts))


class _Located:
    """An event with a place."""

    __slots__ = ()
    chain: Chain

    @property
    def path(self) -> str:
        """JSON Pointer of the value concerned, `""` for the root."""
        return pointer(self.chain)


@dataclass(frozen=True, slots=True)
class ContainerOpened(_Located):
    """An object or array began; it shows as an empty one until members commit."""

    kind: ClassVar = "container_opened"
    number: int
    chain: Chain = field(repr=False)
    container: ContainerKind
    start: int


@dataclass(frozen=True, slots=True)
class ValueCommitted(_Located):
    """A string, number, true, false or null is whole and will not change."""

    kind: ClassVar = "value_committed"
    number: int
    chain: Chain = field(repr=False)
    value: str | int | float | bool | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ContainerClosed(_Located):
    """An object or array is whole; all its members were reported before."""

    kind: ClassVar = "container_closed"
    number: int
    chain: Chain = field(repr=False)
    container: ContainerKind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class StringProgress(_Located):
    """Text was added to a string that is still open. For display: it is not final.

    The `text` of all progress events of one path, joined, is the string that is
    committed in the end. Only sent with `string_progress=True`. How the text is
    cut depends on the chunks.
    """

    kind: ClassVar = "string_progress"
    final: ClassVar = False
    number: int
    chain: Chain = field(repr=False)
    text: str


@dataclass(frozen=True, slots=True)
class RepairApplied(_Located):
    """The parser tolerated something; `code` is the warning that says what."""

    kind: ClassVar = "repair_applied"
    number: int
    chain: Chain = field(repr=False)
    code: str
    start: int


@dataclass(frozen=True, slots=True)
class DiagnosticRecorded:
    """A diagnostic was added."""

    kind: ClassVar = "diagnostic"
    number: int
    diagnostic: Diagnostic


@dataclass(frozen=True, slots=True)
class DocumentComplete:
    """The root value is whole. Whether it may be used is known after `finish`."""

    kind: ClassVar = "document_complete"
    number: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class StreamFinished:
    """`finish` was called."""

    kind: ClassVar = "stream_finished"
    number: int
    reason: str
    outcome: str
    executable: bool


Event = (
    ContainerOpened
    | ValueCommitted
    | ContainerClosed
    | StringProgress
    | RepairApplied
    | DiagnosticRecorded
    | DocumentComplete
    | StreamFinished
)

# What the queue holds: (constructor, field values after the number). The record is only
# made when somebody drains.
Queued = tuple[Any, ...]
