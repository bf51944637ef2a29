"""What the guard answers: decisions, the evidence behind them, and the report of a stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from interlock.diagnostics import Diagnostic
from interlock.gate.facts import EvidenceKind
from interlock.vocabulary import Action, EndReason, Reason, StreamWire

__all__ = ["Decision", "Evidence", "ExecuteDecision", "Report"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a decision rests on; for reading only, it is never an input.

    Attributes:
        provider: The wire that the evidence came on.
        provider_reason: The provider's own word for the end, `None` when none came.
        end_reason: That word in ours.
        terminal_confirmed: The provider's own terminal event for this call's turn was seen, whatever it said.
        structurally_complete: The arguments are one whole JSON value.
        parser_executable: The strict parser found nothing wrong, and the end was a complete one.
        schema_valid: The validator's answer, `None` when it was not asked.
        received_bytes: Bytes of arguments that arrived (UTF-8).
        kind: What the arguments were taken from.
        confirmed_by: `provider`, or `done` / `eof` where the caller opted in to weaker confirmation.
        unwrapped: The arguments were JSON inside a JSON string and were decoded once, by opt-in.
    """

    provider: StreamWire
    provider_reason: str | None
    end_reason: EndReason
    terminal_confirmed: bool
    structurally_complete: bool
    parser_executable: bool
    schema_valid: bool | None
    received_bytes: int
    kind: EvidenceKind = "raw"
    confirmed_by: str | None = None
    unwrapped: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the evidence as a JSON object; what is not out of the ordinary is left out."""
        out: dict[str, Any] = {
            "provider_reason": self.provider_reason,
            "terminal_confirmed": self.terminal_confirmed,
            "structurally_complete": self.structurally_complete,
            "parser_executable": self.parser_executable,
            "schema_valid": self.schema_valid,
            "received_bytes": self.received_bytes,
        }
        if self.kind in ("text", "assembled", "projection", "trusted_projection"):
            out["kind"] = "projection" if self.kind == "trusted_projection" else self.kind
        if self.confirmed_by in ("done", "eof"):
            out["confirmed_by"] = self.confirmed_by
        if self.unwrapped:
            out["unwrapped"] = True
        return out


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The verdict on one call. Only an `ExecuteDecision` has a `value`.

    Attributes:
        internal_id: The guard's own id of the call; what `Guard.take` wants.
        call_id: The provider's id, `None` when it sent none.
        index: The call's index on its wire, `None` when it has none.
        name: The tool's name, `None` when none came.
        turn: The model response that the call belongs to, in the wire's words: with several choices or
            candidates, calls of different turns are alternatives, not one plan.
        action: `execute`, `retry` or `reject`.
        reason: Why, in one word of `interlock.vocabulary.REASONS`.
        stable_value: The part of the arguments that cannot change any more, a private copy; `None` when
            nothing is certain yet. It is for display and logs, never for running the tool.
        evidence: What the verdict rests on.
        diagnostics: Remarks on this call.
    """

    internal_id: str
    call_id: str | None
    index: int | None
    name: str | None
    turn: str
    action: Action
    reason: Reason
    stable_value: Any
    evidence: Evidence
    diagnostics: tuple[Diagnostic, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the decision as a JSON object; `value` is there when the call executes, and only then."""
        out: dict[str, Any] = {
            "internal_id": self.internal_id,
            "call_id": self.call_id,
            "index": self.index,
            "name": self.name,
            "action": self.action,
            "reason": self.reason,
            "stable_value": self.stable_value,
            "evidence": self.evidence.to_json(),
            "diagnostics": [diagnostic.to_json() for diagnostic in self.diagnostics],
        }
        if isinstance(self, ExecuteDecision):
            out["value"] = self.value
        return out


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecuteDecision(Decision):
    """The verdict that a call may run, once, by `Guard.take`.

    Attributes:
        value: The whole arguments, a private copy.
        typed_value: The validator's model of them, when the guard was told to coerce; else `None`.
    """

    value: Any
    typed_value: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The diagnosis of a stream. Reading it, or asking for it again, gives out no authority.

    Attributes:
        wire: The wire that was judged.
        end_reason: Why the stream stopped.
        decisions: One verdict a call, in order of appearance.
        diagnostics: Remarks on the stream as a whole.
    """

    wire: StreamWire
    end_reason: EndReason
    decisions: tuple[Decision, ...]
    diagnostics: tuple[Diagnostic, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the report in the shape of `interlock judge --json`."""
        return {
            "wire": self.wire,
            "end_reason": self.end_reason,
            "decisions": [decision.to_json() for decision in self.decisions],
            "diagnostics": [diagnostic.to_json() for diagnostic in self.diagnostics],
        }
