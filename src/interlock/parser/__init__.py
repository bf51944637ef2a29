"""JSON (RFC 8259) in chunks: strict, prefix-safe, with constant work a chunk.

`Parser` never shows a value that the input has not finished, and never says
that a document may be used before `finish` told it why the input ended.
"""

from __future__ import annotations

from interlock.parser.codes import CODES, Code
from interlock.parser.events import (
    ContainerClosed,
    ContainerOpened,
    DiagnosticRecorded,
    DocumentComplete,
    Event,
    RepairApplied,
    StreamFinished,
    StringProgress,
    ValueCommitted,
)
from interlock.parser.parser import Parser
from interlock.parser.results import FinalResult, Outcome, ParserRepair, Phase, PushResult, Reason, Snapshot

__all__ = [
    "CODES",
    "Code",
    "ContainerClosed",
    "ContainerOpened",
    "DiagnosticRecorded",
    "DocumentComplete",
    "Event",
    "FinalResult",
    "Outcome",
    "Parser",
    "ParserRepair",
    "Phase",
    "PushResult",
    "Reason",
    "RepairApplied",
    "Snapshot",
    "StreamFinished",
    "StringProgress",
    "ValueCommitted",
]
