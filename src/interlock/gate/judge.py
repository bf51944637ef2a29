"""From the coordinator's evidence to facts, and from facts to decisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from interlock.diagnostics import Diagnostic
from interlock.gate.decision import Decision, Evidence, ExecuteDecision, Report
from interlock.gate.facts import Arguments, EvidenceKind, Facts, Tool
from interlock.gate.table import decide
from interlock.parser import Parser
from interlock.stream.access import plain
from interlock.stream.assembly import Assembly
from interlock.stream.coordinator import MISSING, Call, Coordinator, same_json
from interlock.stream.lifecycle import CallState
from interlock.stream.wires import Traits
from interlock.tools.validators import Toolset, Verdict
from interlock.vocabulary import EndReason, FinishReason

__all__ = ["Judge"]

# What the parser is told for each of our end reasons.
_PARSER_REASON: dict[EndReason, FinishReason] = {
    "complete": "complete",
    "length": "length",
    "content_filtered": "cancelled",
    "provider_error": "provider_error",
    "network_error": "network_error",
    "cancelled": "cancelled",
    "paused": "unknown",
    "unknown": "unknown",
}

# When turns ended differently, the report names the worst end.
_WORST_FIRST: tuple[EndReason, ...] = (
    "provider_error",
    "content_filtered",
    "network_error",
    "length",
    "cancelled",
    "paused",
    "unknown",
    "complete",
)


@dataclass(frozen=True, slots=True)
class _End:
    """Why a call's turn ended, and who says so."""

    reason: EndReason
    provider_reason: str | None
    seen: bool  # the provider's own terminal event arrived
    confirmed_by: str | None  # provider, done or eof, when the reason confirms


@dataclass(slots=True)
class _Reading:
    """What a call's arguments are, read once when the stream has finished."""

    arguments: Arguments
    kind: EvidenceKind
    value: Any = MISSING
    stable: Any = None
    parser_executable: bool = False
    unwrapped: bool = False
    schema_valid: bool | None = None
    typed_value: Any = None
    diagnostics: tuple[Diagnostic, ...] = ()


class Judge:
    """Decides calls; it holds the options and what was read once."""

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
        self._trust_projections = trust_projections
        self._confirm_on_done = confirm_on_done
        self._keep_closed = keep_closed
        self._unwrap = unwrap
        self._max_output_tokens = max_output_tokens
        self._readings: dict[str, _Reading] = {}
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
            end_reason=self._end_reason(),
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

    # -- the end -------------------------------------------------------------

    def _end_of(self, call: Call) -> _End:
        stream = self._coordinator
        turn = call.turn
        word = stream.provider_reason if turn.provider_reason is None else turn.provider_reason
        seen = turn.reason is not None or stream.reason is not None
        if stream.reason is not None and stream.reason != "complete":
            return _End(stream.reason, stream.provider_reason or word, True, None)
        source = stream.source_end
        if stream.lost or source in ("error", "timeout"):
            # What the provider said against the turn before that stays said.
            against = turn.reason if turn.reason != "complete" else None
            return _End(against or "network_error", word, seen, None)
        if turn.replaced and turn.reason is None:
            return _End("unknown", None, False, None)
        reason = stream.reason if turn.reason is None else turn.reason
        confirmed_by = "provider"
        if reason is None:
            if self._confirm_on_done and source == "eof":
                reason, confirmed_by = "complete", "done" if stream.done else "eof"
            else:
                return _End("cancelled" if source == "cancelled" else "unknown", None, False, None)
        elif self._still_going():
            # The turn has ended, but nothing says that the stream has: more may follow.
            return _End("cancelled" if source == "cancelled" else "unknown", word, seen, None)
        if reason == "complete" and self._at_token_limit():
            reason = "length"
        if call.end_reason is not None and call.end_reason != "complete" and reason in ("complete", "length"):
            reason = call.end_reason
        return _End(reason, word, seen, confirmed_by)

    def _at_token_limit(self) -> bool:
        """Whether the usage says what the end reason hides: several servers rewrite `length`."""
        limit, stream = self._max_output_tokens, self._coordinator
        # With several turns (choices), the count is their sum and says nothing of one.
        return limit is not None and len(stream.turns) == 1 and stream.output_tokens >= limit

    def _still_going(self) -> bool:
        stream = self._coordinator
        if self._traits.ends == "stream":
            return stream.reason is None
        return self._traits.ends == "source" and stream.source_end != "eof" and not stream.done

    def _end_reason(self) -> EndReason:
        stream = self._coordinator
        if stream.reason is not None and stream.reason != "complete":
            return stream.reason
        if stream.lost or stream.source_end in ("error", "timeout"):
            return "network_error"
        if self._still_going():
            return "cancelled" if stream.source_end == "cancelled" else "unknown"
        ends = {turn.reason for turn in stream.turns.values() if not (turn.replaced and turn.reason is None)}
        if not ends - {None}:
            if stream.reason is not None:
                return stream.reason
            return "cancelled" if stream.source_end == "cancelled" else "unknown"
        worst = next(reason for reason in _WORST_FIRST if (reason in ends or (reason == "unknown" and None in ends)))
        return "length" if worst == "complete" and self._at_token_limit() else worst

    # -- the arguments -------------------------------------------------------

    def _read(self, call: Call, end: _End) -> _Reading:
        reading = self._readings.get(call.key)
        if reading is None:
            accepted = "complete" if self._accepted(call, end) else end.reason
            certain = end.reason == "complete" and end.confirmed_by == "provider" and accepted == "complete"
            # Whatever breaks the reading off, and whoever asks in the middle of it, finds a call that cannot run.
            self._readings[call.key] = _Reading(arguments="malformed", kind="none", diagnostics=(_unread(call),))
            try:
                reading = self._read_arguments(call, accepted, certain)
                self._validate(call, reading)
            except Exception as error:
                call.remark("E_INTERNAL", f"{call.label} could not be read: {type(error).__name__}", "internal")
                return self._readings[call.key]
            self._readings[call.key] = reading
        return reading

    def _accepted(self, call: Call, end: _End) -> bool:
        """Whether the end lets a whole call execute."""
        if end.confirmed_by is None:
            return False
        if self._traits.calls_end and call.state is not CallState.ENDED:
            return False
        if end.reason == "complete":
            return True
        # A call's own end event is sent for a cut call too. Only the text of an object proves that it is whole:
        # no part of one is an object. Nothing at all, pieces and free text prove nothing.
        as_text = call.kind == "json" and call.assembly is None and call.received_bytes > 0
        return (
            end.reason == "length"
            and self._keep_closed
            and self._traits.calls_end
            and call.end_reason == "complete"
            and as_text
        )

    def _read_arguments(self, call: Call, reason: EndReason, certain: bool) -> _Reading:
        if call.kind == "text":
            return self._read_text(call, reason)
        if call.assembly is not None:
            return self._read_pieces(call, call.assembly, reason)
        if call.received_bytes == 0 and not (call.parser is not None and call.parser.failed):
            # `{}` is then what the layer makes of no arguments, and not of some that it could not parse.
            nothing = call.projection is MISSING or (call.ended_empty and call.projection == {})
            if nothing and certain and self._empty_means_object(call):
                return _Reading(arguments="whole", kind="raw", value={}, stable={}, parser_executable=True)
            if call.projection is not MISSING:
                kind: EvidenceKind = "trusted_projection" if self._trust_projections else "projection"
                whole = isinstance(call.projection, dict)
                return _Reading(
                    arguments="whole" if whole else "malformed",
                    kind=kind,
                    value=call.projection,
                    stable=call.projection,
                    diagnostics=() if whole else (_not_object(call, call.projection),),
                )
            return _Reading(arguments="empty", kind="none")
        parser = call.parser
        assert parser is not None  # text came
        result = parser.finish(_PARSER_REASON[reason])
        if result.executable:
            reading = _Reading(arguments="whole", kind="raw", value=result.value, parser_executable=True)
        elif result.outcome == "invalid":
            reading = _Reading(arguments="malformed", kind="raw")
        elif parser.root_complete:
            reading = _Reading(arguments="whole", kind="raw", value=result.stable_value)
        else:
            reading = _Reading(arguments="salvaged" if result.outcome == "salvaged" else "cut", kind="raw")
        reading.stable = result.stable_value
        reading.diagnostics = tuple(result.diagnostics)
        _compare_projection(call, reading, f"{call.received_bytes} bytes of raw text")
        return reading

    def _read_pieces(self, call: Call, assembly: Assembly, reason: EndReason) -> _Reading:
        if call.parser is not None and call.parser.bytes_received:
            call.remark("E_ARGUMENT_FORMS", f"{call.label} has arguments as pieces and as text", "protocol")
        value, state = assembly.read()
        if state == "whole" and self._traits.calls_end and call.state is not CallState.ENDED:
            state = "cut"  # another member may follow
        reading = _Reading(
            arguments=state,
            kind="assembled",
            value=value if state == "whole" else MISSING,
            stable=value,
            parser_executable=state == "whole" and reason == "complete",
        )
        if state == "malformed" and assembly.problem is None:
            call.remark("E_PIECE_MALFORMED", f"the pieces of {call.label} leave a hole in an array", "malformed")
        _compare_projection(call, reading, "pieces")
        return reading

    def _read_text(self, call: Call, reason: EndReason) -> _Reading:
        text = call.text.getvalue() if call.text is not None else ""
        # Free text is not prefix-free: only the wire's own repetition says that it is whole.
        whole = call.text_confirmed and call.state is CallState.ENDED
        return _Reading(
            arguments="whole" if whole else "cut",
            kind="text",
            value=text if whole else MISSING,
            stable=text if whole else None,
            parser_executable=whole and reason == "complete",
        )

    def _empty_means_object(self, call: Call) -> bool:
        if self._traits.empty_is_object:
            return True
        return (
            self._toolset is not None and call.name is not None and self._toolset.validate(call.name, {}).valid is True
        )

    def _validate(self, call: Call, reading: _Reading) -> None:
        if reading.arguments != "whole":
            return
        verdict = self._ask(call, reading)
        if call.kind == "text":
            return  # no schema was registered, or it has refused the text
        if not isinstance(reading.value, dict):
            inner = _decoded(reading.value)
            if self._unwrap and isinstance(inner, dict):
                reading.value, reading.unwrapped = inner, True
                reading.diagnostics = ()
                self._ask(call, reading)
                return
            reading.diagnostics += (
                _double_encoded(call) if isinstance(inner, dict) else _not_object(call, reading.value),
            )
            if isinstance(inner, dict) or verdict is not False:
                reading.arguments, reading.schema_valid = "malformed", None
        elif verdict is False and self._unwrap:
            self._unwrap_members(call, reading)

    def _ask(self, call: Call, reading: _Reading) -> bool | None:
        if self._toolset is None or call.name is None or not self._toolset.known(call.name):
            return None
        verdict = self._toolset.validate(call.name, plain(reading.value))
        reading.schema_valid = verdict.valid
        reading.typed_value = verdict.typed_value
        reading.diagnostics += tuple(verdict.diagnostics)
        return verdict.valid

    def _unwrap_members(self, call: Call, reading: _Reading) -> None:
        """Decode members that are JSON inside a string, where the schema refused that string, once."""
        assert self._toolset is not None and call.name is not None
        value = plain(reading.value)
        changed = False
        for diagnostic in reading.diagnostics:
            if diagnostic.path:
                changed = _decode_at(value, diagnostic.path) or changed
        if not changed:
            return
        verdict = self._toolset.validate(call.name, plain(value))
        if verdict.valid is True:
            reading.value, reading.unwrapped = value, True
            reading.schema_valid, reading.typed_value = True, verdict.typed_value
            reading.diagnostics = tuple(verdict.diagnostics)

    # -- the decision --------------------------------------------------------

    def _decide(self, call: Call, *, finished: bool) -> Decision:
        end = self._end_of(call)
        reading = self._read(call, end) if finished else self._peek(call)
        accepted = finished and self._accepted(call, end)
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
            confirmed=accepted,
        )
        row = decide(facts)
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
            "diagnostics": (*reading.diagnostics, *call.diagnostics),
        }
        if row.action != "execute":
            return Decision(**common)
        return ExecuteDecision(**common, value=plain(reading.value), typed_value=reading.typed_value)

    def _peek(self, call: Call) -> _Reading:
        """Read a call while the stream runs; nothing is whole before the end."""
        if call.kind == "text":
            return _Reading(arguments="open", kind="text")
        if call.assembly is not None:
            return _Reading(arguments="open", kind="assembled", stable=call.assembly.read()[0])
        if call.parser is None or call.received_bytes == 0:
            kind: EvidenceKind = "none" if call.projection is MISSING else "projection"
            if self._trust_projections and kind == "projection":
                kind = "trusted_projection"
            return _Reading(arguments="open", kind=kind)
        snapshot = call.parser.snapshot()
        return _Reading(
            arguments="malformed" if call.parser.failed else "open",
            kind="raw",
            stable=snapshot.stable_value,
            diagnostics=tuple(snapshot.diagnostics),
        )

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


def _compare_projection(call: Call, reading: _Reading, source: str) -> None:
    """Hold a value that the wire stated as well against the one that was read."""
    if reading.arguments != "whole" or call.projection is MISSING or same_json(reading.value, call.projection):
        return
    call.remark("E_FINAL_MISMATCH", f"the parsed arguments of {call.label} differ from its {source}", "protocol")


def _unread(call: Call) -> Diagnostic:
    return Diagnostic(
        code="E_INTERNAL",
        message=f"reading {call.label} was broken off",
        call_id=call.id,
        tool=call.name,
    )


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


def _not_object(call: Call, value: Any) -> Diagnostic:
    kinds = {list: "an array", str: "a string", bool: "a boolean", int: "a number", float: "a number"}
    return Diagnostic(
        code="E_ARGUMENTS_NOT_OBJECT",
        message=f"the arguments are {kinds.get(type(value), 'null')}; expected a JSON object",
        path="",
        call_id=call.id,
        tool=call.name,
    )


def _double_encoded(call: Call) -> Diagnostic:
    return Diagnostic(
        code="E_DOUBLE_ENCODED",
        message="the arguments are a JSON string that holds a JSON object (encoded twice); expected the object "
        "itself. `unwrap_double_encoding=True` decodes it once",
        path="",
        call_id=call.id,
        tool=call.name,
    )


def _decoded(value: Any) -> Any:
    """Return what a string holds as strict JSON, `MISSING` when it holds none."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return MISSING
    parser = Parser(events=False)
    parser.feed(value)
    result = parser.finish("complete")
    return result.value if result.executable else MISSING


def _decode_at(root: Any, pointer: str) -> bool:
    """Decode the string at a JSON Pointer in place; tell whether there was something to decode."""
    at, steps = root, [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    for step in steps[:-1]:
        try:
            at = at[int(step)] if isinstance(at, list) else at[step]
        except (KeyError, IndexError, ValueError, TypeError):
            return False
    last: Any = int(steps[-1]) if isinstance(at, list) and steps[-1].isdigit() else steps[-1]
    try:
        inner = _decoded(at[last])
    except (KeyError, IndexError, TypeError):
        return False
    if inner is MISSING:
        return False
    at[last] = inner
    return True
