"""A call's arguments: read once, and held against the tool's schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from interlock.diagnostics import Diagnostic
from interlock.gate.facts import Arguments, EvidenceKind
from interlock.parser import Parser
from interlock.stream.access import plain
from interlock.stream.assembly import Assembly
from interlock.stream.calls import MISSING, Call, same_json
from interlock.stream.lifecycle import CallState
from interlock.stream.wires import Traits
from interlock.tools.validators import Toolset
from interlock.vocabulary import EndReason, FinishReason

__all__ = ["Reader"]

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


@dataclass(slots=True)
class Reading:
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


class Reader:
    """Reads the arguments of one stream's calls, and keeps what it read."""

    def __init__(self, traits: Traits, toolset: Toolset | None, *, trust_projections: bool, unwrap: bool) -> None:
        self._traits = traits
        self._toolset = toolset
        self._trust_projections = trust_projections
        self._unwrap = unwrap
        self._readings: dict[str, Reading] = {}

    def read(self, call: Call, reason: EndReason, *, certain: bool) -> Reading:
        """Return the arguments of a call of a finished stream.

        Args:
            call: The call.
            reason: Why its turn ended; `complete` when that lets it run.
            certain: The provider's own word is `complete`, so that no arguments can mean that none are needed.
        """
        reading = self._readings.get(call.key)
        if reading is None:
            # Whatever breaks the reading off, and whoever asks in the middle of it, finds a call that cannot run.
            self._readings[call.key] = Reading(arguments="malformed", kind="none", diagnostics=(_unread(call),))
            try:
                reading = self._read_arguments(call, reason, certain)
                self._validate(call, reading)
            except Exception as error:
                call.remark("E_INTERNAL", f"{call.label} could not be read: {type(error).__name__}", "internal")
                return self._readings[call.key]
            self._readings[call.key] = reading
        return reading

    def peek(self, call: Call) -> Reading:
        """Read a call while the stream runs; nothing is whole before the end."""
        if call.kind == "text":
            return Reading(arguments="open", kind="text")
        if call.assembly is not None:
            return Reading(arguments="open", kind="assembled", stable=call.assembly.read()[0])
        if call.parser is None or call.received_bytes == 0:
            kind: EvidenceKind = "none" if call.projection is MISSING else "projection"
            if self._trust_projections and kind == "projection":
                kind = "trusted_projection"
            return Reading(arguments="open", kind=kind)
        snapshot = call.parser.snapshot()
        return Reading(
            arguments="malformed" if call.parser.failed else "open",
            kind="raw",
            stable=snapshot.stable_value,
            diagnostics=tuple(snapshot.diagnostics),
        )

    def _read_arguments(self, call: Call, reason: EndReason, certain: bool) -> Reading:
        if call.kind == "text":
            return self._read_text(call, reason)
        if call.assembly is not None:
            return self._read_pieces(call, call.assembly, reason)
        if call.received_bytes == 0 and not (call.parser is not None and call.parser.failed):
            # `{}` is then what the layer makes of no arguments, and not of some that it could not parse.
            nothing = call.projection is MISSING or (call.ended_empty and call.projection == {})
            if nothing and certain and self._empty_means_object(call):
                return Reading(arguments="whole", kind="raw", value={}, stable={}, parser_executable=True)
            if call.projection is not MISSING:
                kind: EvidenceKind = "trusted_projection" if self._trust_projections else "projection"
                whole = isinstance(call.projection, dict)
                return Reading(
                    arguments="whole" if whole else "malformed",
                    kind=kind,
                    value=call.projection,
                    stable=call.projection,
                    diagnostics=() if whole else (_not_object(call, call.projection),),
                )
            return Reading(arguments="empty", kind="none")
        parser = call.parser
        assert parser is not None  # text came
        result = parser.finish(_PARSER_REASON[reason])
        if result.executable:
            reading = Reading(arguments="whole", kind="raw", value=result.value, parser_executable=True)
        elif result.outcome == "invalid":
            reading = Reading(arguments="malformed", kind="raw")
        elif parser.root_complete:
            reading = Reading(arguments="whole", kind="raw", value=result.stable_value)
        else:
            reading = Reading(arguments="salvaged" if result.outcome == "salvaged" else "cut", kind="raw")
        reading.stable = result.stable_value
        reading.diagnostics = tuple(result.diagnostics)
        _compare_projection(call, reading, f"{call.received_bytes} bytes of raw text")
        return reading

    def _read_pieces(self, call: Call, assembly: Assembly, reason: EndReason) -> Reading:
        if call.parser is not None and call.parser.bytes_received:
            call.remark("E_ARGUMENT_FORMS", f"{call.label} has arguments as pieces and as text", "protocol")
        value, state = assembly.read()
        if state == "whole" and self._traits.calls_end and call.state is not CallState.ENDED:
            state = "cut"  # another member may follow
        reading = Reading(
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

    def _read_text(self, call: Call, reason: EndReason) -> Reading:
        text = call.text.getvalue() if call.text is not None else ""
        # Free text is not prefix-free: only the wire's own repetition says that it is whole.
        whole = call.text_confirmed and call.state is CallState.ENDED
        return Reading(
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

    def _validate(self, call: Call, reading: Reading) -> None:
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

    def _ask(self, call: Call, reading: Reading) -> bool | None:
        if self._toolset is None or call.name is None or not self._toolset.known(call.name):
            return None
        verdict = self._toolset.validate(call.name, plain(reading.value))
        reading.schema_valid = verdict.valid
        reading.typed_value = verdict.typed_value
        reading.diagnostics += tuple(verdict.diagnostics)
        return verdict.valid

    def _unwrap_members(self, call: Call, reading: Reading) -> None:
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


def _compare_projection(call: Call, reading: Reading, source: str) -> None:
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
