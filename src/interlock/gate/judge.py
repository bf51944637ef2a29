"""From the coordinator's evidence to facts, and from facts to decisions."""

from __future__ import annotations

from typing import Any

from interlock.diagnostics import Diagnostic
from interlock.gate.decision import Decision, Evidence, ExecuteDecision, Report
from interlock.gate.ending import Ends
from interlock.gate.facts import Facts, Tool
from interlock.gate.reading import Reader
from interlock.gate.table import decide
from interlock.stream.access import plain
from interlock.stream.calls import MISSING, Call, not_offered
from interlock.stream.coordinator import Coordinator
from interlock.stream.wires import Traits
from interlock.tools.validators import Toolset, Verdict

__all__ = ["Judge"]


class Judge:
    """Decides the calls of one stream."""

    def __init__(
        self,
        wire: Any,
        traits: Traits,
        coordinator: Coordinator,
        toolset: Toolset | None,
        *,
        allow_unknown_tools: bool,
        trust_projections: bool,
        confirm_on_done: bool,
        keep_closed: bool,
        unwrap: bool,
        max_output_tokens: int | None,
    ) -> None:
        self._wire = wire
        self._traits = traits
        self._coordinator = coordinator
        self._toolset = toolset
        self._allow_unknown_tools = allow_unknown_tools
        self._reader = Reader(traits, toolset, trust_projections=trust_projections, unwrap=unwrap)
        self._ends = Ends(
            traits,
            coordinator,
            confirm_on_done=confirm_on_done,
            keep_closed=keep_closed,
            max_output_tokens=max_output_tokens,
        )
        self.broken = False  # an event was not read to its end: nothing of the stream may run

    def validate(self, name: str, value: Any) -> Verdict:
        """Ask a tool's validator anew."""
        assert self._toolset is not None  # only a validator makes a typed value
        return self._toolset.validate(name, plain(value))

    def report(self, *, finished: bool) -> Report:
        """Judge every call."""
        calls = list(self._coordinator.calls.values())
        return Report(
            wire=self._wire,
            end_reason=self._ends.of_stream(),
            decisions=tuple(self._decide(call, finished=finished) for call in calls if not _is_ghost(call)),
            diagnostics=(
                *self._coordinator.diagnostics,
                *(_ghost_note(call) for call in calls if _is_ghost(call)),
            ),
        )

    def decide_one(self, internal_id: str) -> Decision | None:
        """Judge one call of a finished stream; `None`: there is no such call, or its right is used up."""
        for call in list(self._coordinator.calls.values()):
            if call.internal_id == internal_id:
                return None if call.answered else self._decide(call, finished=True)
        return None

    def response(self, turn: str) -> str | None:
        """Return the response that a turn is an alternative of, `None` when it is none."""
        word = self._traits.alternative
        head, _, last = turn.rpartition("/")
        return head if word and last.startswith(word) else None

    def _decide(self, call: Call, *, finished: bool) -> Decision:
        end = self._ends.of_call(call)
        accepted = finished and self._ends.lets_run(call, end)
        if finished:
            certain = end.reason == "complete" and end.confirmed_by == "provider"
            reading = self._reader.read(call, "complete" if accepted else end.reason, certain=certain)
        else:
            reading = self._reader.peek(call)
        # What was read before the end that would confirm it came is not read again: nothing upgrades a call.
        sound = reading.parser_executable or reading.kind == "trusted_projection"
        tool = self._tool(call)
        faults = self._coordinator.faults | call.turn.faults | call.faults
        codes = {diagnostic.code for diagnostic in reading.diagnostics}
        facts = Facts(
            internal_fault=self.broken or "internal" in faults,
            execution_observed=call.executed or "executed" in faults,
            server_executed=call.server_executed or self._declared_server_side(call),
            limit_passed="limit" in faults or any(code.startswith("E_LIMIT") for code in codes),
            provider_error="provider_error" in faults,
            content_filtered="content_filtered" in faults,
            protocol_violated="protocol" in faults,
            tool=tool,
            evidence=reading.kind,
            schema_valid=reading.schema_valid,
            identity_broken="malformed" in faults or (tool == "unnamed" and accepted),
            arguments=reading.arguments,
            end_reason=end.reason,
            confirmed=accepted and sound,
        )
        row = decide(facts)
        unknown = [not_offered(call, self._toolset)] if tool == "unknown" and self._toolset is not None else ()
        common: dict[str, Any] = {
            "internal_id": call.internal_id,
            "call_id": call.id,
            "index": call.index,
            "name": call.name,
            "turn": call.turn.key,
            "action": row.action,
            "reason": row.reason,
            "stable_value": _copy(reading.stable),
            "evidence": Evidence(
                provider=self._wire,
                provider_reason=end.provider_reason,
                end_reason=end.reason,
                terminal_confirmed=end.seen,
                structurally_complete=reading.arguments == "whole",
                parser_executable=reading.parser_executable,
                schema_valid=reading.schema_valid,
                received_bytes=call.received_bytes,
                kind=reading.kind,
                confirmed_by=end.confirmed_by if finished else None,
                unwrapped=reading.unwrapped,
            ),
            "diagnostics": (*reading.diagnostics, *call.diagnostics, *unknown),
        }
        if row.action != "execute":
            return Decision(**common)
        return ExecuteDecision(**common, value=plain(reading.value), typed_value=reading.typed_value)

    def _declared_server_side(self, call: Call) -> bool:
        return self._toolset is not None and call.name is not None and self._toolset.server_executed(call.name)

    def _tool(self, call: Call) -> Tool:
        if call.name is None:
            return "unnamed"
        if self._toolset is None or self._allow_unknown_tools:
            return "any"
        if self._toolset.known(call.name):
            return "known"
        # A name that may still grow is not unknown yet.
        settled = call.received_bytes > 0 or call.projection is not MISSING or not call.accepts
        return "unknown" if settled else "any"


def _copy(value: Any) -> Any:
    return None if value is MISSING else plain(value)


def _is_ghost(call: Call) -> bool:
    """Some servers open calls that never get an id, a name or an argument: they are nothing."""
    return (
        call.id is None
        and call.name is None
        and call.received_bytes == 0
        and call.projection is MISSING
        and not call.faults
    )


def _ghost_note(call: Call) -> Diagnostic:
    return Diagnostic(
        code="W_GHOST_CALL",
        message=f"the entry {call.key!r} has no id, no name and no arguments; it was left out",
    )
