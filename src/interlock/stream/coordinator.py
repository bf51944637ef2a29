"""One source key, one call, one parser: the evidence of a stream, collected.

The coordinator is the `Sink` that the wires talk to. It keeps what was said,
refuses what the lifecycle does not allow, and never takes anything back:
a fault once recorded stays. It decides nothing; `interlock.gate` does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from io import StringIO
from typing import Any, Final, Literal

from interlock.diagnostics import Diagnostic
from interlock.limits import DEFAULT_LIMITS, Limits
from interlock.parser import Parser
from interlock.stream.access import NotJSONError, plain
from interlock.stream.assembly import Assembly, Path
from interlock.stream.calls import MAX_DIAGNOSTICS, MISSING, Call, Missing, Turn, not_offered, same_json, shortened
from interlock.stream.events import CallKind, Fault
from interlock.stream.lifecycle import CALL_LIFECYCLE, CallInput, CallState
from interlock.tools.schema_watch import EarlyChecker
from interlock.tools.validators import Toolset
from interlock.vocabulary import EndReason, SourceEnd

__all__ = ["Coordinator"]

# Characters of arguments between two looks at whether a call is doomed, when nobody waits for the answer: a
# look makes the parser read what it gathered. It also bounds the events that a watched parser queues.
LOOK_AFTER = 1024

# Providers' words for an end at which calls wait.
_ANNOUNCING = frozenset({"tool_use", "tool_calls", "tool_call", "tool-calls", "function_call"})


class Coordinator:
    """Collects the evidence of one stream.

    Args:
        limits: Bounds on calls, names, arguments.
        keep_text: Keep each call's raw text, for wires that repeat it at the end.
        control_characters: What the parsers do with raw control characters in strings.
        tools: The tools that were offered.
        watch_schemas: Hold the arguments against the tool's schema while they arrive.
        allow_unknown: A call to a tool that is not among them is no bad sign.
        on_fault: Called with a call (`None`: the whole stream) and the remark when it gets a fault.
    """

    def __init__(
        self,
        limits: Limits = DEFAULT_LIMITS,
        *,
        keep_text: bool = False,
        control_characters: Literal["reject", "keep"] = "reject",
        tools: Toolset | None = None,
        watch_schemas: bool = True,
        allow_unknown: bool = False,
        on_fault: Callable[[Call | None, Diagnostic], None] | None = None,
    ) -> None:
        self.limits = limits
        # Events are drained after every slice, so that the bound on queued ones is never met.
        self._watched_limits = replace(limits, queued_events=max(limits.queued_events, 8 * LOOK_AFTER))
        self._tools = tools
        self._watch_schemas = watch_schemas
        self._allow_unknown = allow_unknown
        self.eager = False  # look after every delta
        self._events = 0
        self._max_events = limits.stream_events
        self._control_characters = control_characters
        self.calls: dict[str, Call] = {}
        self.turns: dict[str, Turn] = {}
        self._ids: dict[str, Call] = {}  # provider id -> the first call that carried it
        self.faults: set[Fault] = set()
        self.diagnostics: list[Diagnostic] = []
        self.reason: EndReason | None = None
        self.provider_reason: str | None = None
        self.source_end: SourceEnd | None = None
        self.done = False
        self._marked = False  # an end marker came after which nothing is in time
        self.output_tokens = 0
        self.lost = False
        self.executed_keys: set[str] = set()
        self._held_keys: dict[str, EndReason] = {}  # held before they came
        self._keep_text = keep_text
        self._on_fault = on_fault

    # -- the sink ------------------------------------------------------------

    def call_start(
        self,
        key: str,
        *,
        id: str | None = None,
        index: int | None = None,
        name: str | None = None,
        turn: str = "",
        kind: CallKind = "json",
        server_executed: bool = False,
    ) -> None:
        """Open a call; a second start of one key is a protocol violation."""
        where = self._open_turn(turn, "call_start")
        call = self.calls.get(key)
        if call is not None:
            self._violation(call, "E_SECOND_START", f"{call.label} was started a second time (source key {key!r})")
            return
        if len(self.calls) >= self.limits.calls:
            self._stream_fault(
                "E_LIMIT_CALLS", f"more than limits.calls ({self.limits.calls}) calls in one stream", "limit"
            )
            return
        call = Call(f"call-{len(self.calls)}", key, where, kind)
        self.calls[key] = call
        where.calls.append(call)
        call.server_executed = server_executed
        if self._keep_text or kind == "text":
            call.text = StringIO()
        if self.reason is not None or self.source_end is not None or self._marked or where.closed:
            call.accepts = False
        call.executed = key in self.executed_keys
        if key in self._held_keys:
            _hold(call, self._held_keys[key])
        if id is not None or index is not None:
            self._identify(call, id, index)
        if name:
            self._set_name(call, name)

    def call_identity(self, key: str, *, id: str | None = None, index: int | None = None) -> None:
        """Add or repeat an id or index; a conflicting one makes the call invalid."""
        call = self._step(key, CallInput.IDENTITY)
        if call is not None:
            self._identify(call, id, index)

    def name_delta(self, key: str, text: str) -> None:
        """Append to the tool's name."""
        call = self._step(key, CallInput.NAME)
        if call is None:
            return
        if text and call.name and call.given:
            # Its arguments have been held against the tool that the name was by then.
            self._violation(call, "E_NAME_CONFLICT", f"the name of {call.label} goes on after its arguments began")
            return
        self._set_name(call, text)

    def _set_name(self, call: Call, text: str) -> None:
        name = (call.name or "") + text
        if len(name.encode("utf-8", "surrogatepass")) > self.limits.name_bytes:
            self._call_fault(
                call,
                "E_LIMIT_NAME_BYTES",
                f"a name passes limits.name_bytes ({self.limits.name_bytes})",
                "limit",
            )
            return
        call.name = name

    def arguments_delta(self, key: str, text: str | bytes) -> None:
        """Append raw text to the arguments."""
        call = self.calls.get(key)
        if call is None or not call.accepts:
            self._step(key, CallInput.ARGUMENTS)  # records why it is not welcome
            return
        try:
            if call.quick is not None:
                call.quick(text)
            elif not self._feed(call, text):
                return
        except TypeError:
            self._no_text(call, text)
            return
        self._events += 1
        if self._events > self._max_events:
            self._too_many()
        call.unseen += len(text)
        if call.unseen >= LOOK_AFTER or self.eager:
            self._look(call)

    def arguments_final(self, key: str, text: str) -> None:
        """Take the whole text when no delta came, else compare it with what came."""
        call = self._step(key, CallInput.FINAL)
        if call is None:
            return
        if call.received_bytes == 0:
            if text:
                if call.state is CallState.ENDED:
                    self._violation(
                        call,
                        "E_FINAL_MISMATCH",
                        f"{call.label} ended without arguments, then the wire repeated {len(text)} characters of them",
                    )
                    return
                self.arguments_delta(key, text)
            call.text_confirmed = True
            return
        if call.text is None or call.mismatched:
            return
        # Looked at only where it can be equal: a repetition of a few characters must not cost the whole text.
        if call.text.tell() == len(text) and call.text.getvalue() == text:
            call.text_confirmed = True
            return
        call.mismatched = True
        got = call.text.getvalue()
        at = next((i for i, (a, b) in enumerate(zip(got, text, strict=False)) if a != b), min(len(got), len(text)))
        self._violation(
            call,
            "E_FINAL_MISMATCH",
            f"the repeated arguments of {call.label} differ from the deltas at character {at}: "
            f"{len(got)} characters came as deltas, {len(text)} in the repetition",
        )

    def arguments_value(self, key: str, value: Any) -> None:
        """Keep a private copy of a value that somebody else parsed."""
        # An empty object may be what a wire concludes when its source ends, after the marker.
        call = self._step(key, CallInput.VALUE, marked=self._marked and value != {})
        if call is None:
            return
        try:
            copy = plain(value)
        except (NotJSONError, RecursionError) as error:
            self._call_fault(
                call, "E_PROJECTION_NOT_JSON", f"the parsed arguments of {call.label}: {error}", "malformed"
            )
            return
        if call.projection is not MISSING and not same_json(call.projection, copy):
            self._violation(
                call,
                "E_FINAL_MISMATCH",
                f"the parsed arguments of {call.label} came twice, with different values",
            )
            return
        if call.projection is MISSING:
            call.ended_empty = call.state is CallState.ENDED and call.received_bytes == 0
        call.projection = copy

    def arguments_piece(self, key: str, path: Sequence[str | int], value: Any, *, more: bool = False) -> None:
        """Place one value; a piece that contradicts what came is a fault."""
        call = self._step(key, CallInput.ARGUMENTS)
        if call is None:
            return
        if call.assembly is None:
            if call.received_bytes:
                self._violation(call, "E_ARGUMENT_FORMS", f"{call.label} has arguments as text and as pieces")
                return
            call.assembly = Assembly(self.limits)
            self._meet(call)
        place = tuple(path)
        problem = call.assembly.write(place, value, more=more)
        if problem is not None:
            self._call_fault(call, problem.code, f"{call.label}: {problem.message}", problem.fault)
        elif call.early is not None and call.assembly.problem is None and not call.refused:
            # A string whose pieces are still coming is only looked at as one: joining them each time would cost.
            known = call.assembly.at(place) if not more else _STRING if isinstance(value, str) else MISSING
            self._refuse(call, _look_at_piece(call.early, place, known))

    def call_end(self, key: str, reason: EndReason = "complete") -> None:
        """Close a call by its own end event; a second one is a protocol violation."""
        call = self._step(key, CallInput.END)
        if call is None:
            return
        call.accepts = False
        if not call.held:
            call.end_reason = reason

    def call_held(self, key: str, reason: EndReason) -> None:
        """Note that a call waits for somebody, or was taken back; nothing lets it go again.

        That may come at any time before the stream's end, also after the end of the call or of its turn.
        """
        self._live("call_held")
        found = [call for call in self.calls.values() if key in (call.key, call.id)]
        for call in found:
            _hold(call, reason)
        if not found:
            self._held_keys[key] = reason
            self._note("W_UNKNOWN_CALL", f"the call {key!r} is held, but was not streamed")

    def tool_executed(self, key: str | None = None, *, own: bool = False) -> None:
        """Poison the named call, or every call when none is named; an own answer in its time only uses it up."""
        self._live("tool_executed")
        if key is None:
            self._stream_fault("E_EXECUTION_OBSERVED", "a tool result that names no call is in the stream", "executed")
            return
        self.executed_keys.add(key)
        found = [call for call in self.calls.values() if key in (call.key, call.id)]
        if not found and not own:
            # What it names may be a call that came without an id.
            found = [
                call
                for call in self.calls.values()
                if call.id is None and call.name is not None and not call.server_executed
            ]
        for call in found:
            if own and call.turn.closed:
                if not call.answered:
                    call.answered = True
                    call.remark("I_CALL_ANSWERED", f"the answer to {call.label} is on the wire: it was run")
            else:
                call.executed = True
                self._call_fault(call, "E_EXECUTION_OBSERVED", f"a result of {call.label} is in the stream", "executed")

    def provider_diagnostic(
        self,
        code: str,
        message: str,
        *,
        key: str | None = None,
        turn: str | None = None,
        fault: Fault | None = None,
    ) -> None:
        """Record a remark about a call, a turn or the stream."""
        if fault is not None:
            self._live(code)
        call = self.calls.get(key) if key is not None else None
        if call is not None:
            self._call_fault(call, code, message, fault)
        elif turn is not None:
            if turn not in self.turns:
                self._count()
            self._turn_fault(self._turn(turn), code, message, fault)
        else:
            self._stream_fault(code, message, fault)

    def turn_end(self, turn: str, reason: EndReason, provider_reason: str | None = None) -> None:
        """End a turn; a second end is a protocol violation."""
        self._live("turn_end")
        where = self._turn(turn)
        if where.closed:
            self._turn_fault(
                where,
                "E_SECOND_TERMINAL",
                f"the turn ended a second time: {provider_reason or reason!r} after "
                f"{where.provider_reason or where.reason or 'it was replaced'!r}",
                "protocol",
            )
            return
        self._strays(where)
        if not where.calls and provider_reason is not None and provider_reason.lower() in _ANNOUNCING:
            self._turn_fault(
                where,
                "E_CALL_MISSING",
                f"the turn ended with {provider_reason!r}, and no call of it could be read",
                "protocol",
            )
        where.reason = reason
        where.provider_reason = provider_reason
        for call in where.calls:
            call.accepts = False

    def turn_said(self, turn: str, reason: EndReason, provider_reason: str | None = None) -> None:
        """Keep what was said of a turn's end without ending it: the first word against it stays."""
        if turn not in self.turns:
            self._count()
        where = self._turn(turn)
        if where.doubt is None and reason != "complete":
            where.doubt = reason, provider_reason

    def turn_replaced(self, turn: str) -> None:
        """Close a turn that another one took the place of: its calls can never be confirmed."""
        self._live("turn_replaced")
        where = self._turn(turn)
        where.replaced = True
        for call in where.calls:
            call.accepts = False

    def stream_end(self, reason: EndReason, provider_reason: str | None = None) -> None:
        """End the stream; a second end is a protocol violation."""
        if self.reason is not None:
            self._count()
            self._stream_fault(
                "E_SECOND_TERMINAL",
                f"the stream ended a second time: {provider_reason or reason!r} after "
                f"{self.provider_reason or self.reason!r}",
                "protocol",
            )
            return
        self._live("stream_end")
        self.reason = reason
        self.provider_reason = provider_reason
        self._close()

    def usage(self, output_tokens: int) -> None:
        """Note the provider's count of generated tokens; it usually comes after the end."""
        self.output_tokens = max(self.output_tokens, output_tokens)

    def done_marker(self, *, goes_on: bool = False) -> None:
        """Note `[DONE]`; what is said of a call after it is late."""
        self.done = True
        if not goes_on and not self._marked:
            self._marked = True
            self._close()

    def crowded(self) -> bool:
        """Count what a wire keeps in mind like an event about calls."""
        self._count()
        return self._events > self._max_events

    def events_lost(self, message: str) -> None:
        """Note a hole in the stream."""
        self.lost = True
        self._tell(None, self._note("E_EVENTS_LOST", message))

    # -- for the guard -------------------------------------------------------

    def look(self) -> None:
        """See whether any open call is doomed by what has come so far."""
        for call in list(self.calls.values()):
            if call.unseen:
                self._look(call)

    def source_ended(self, end: SourceEnd) -> None:
        """Note how the source stopped. What comes after it is late."""
        for turn in self.turns.values():
            if not turn.closed:
                self._strays(turn)
                self._strays_elsewhere(turn)
        self._doubt_empty()
        self.source_end = end
        self._close()

    def internal_fault(self, message: str) -> None:
        """Note that an event could not be judged: nothing of this stream may run."""
        self._stream_fault("E_INTERNAL", message, "internal")

    def limit_passed(self, code: str, message: str) -> None:
        """Note that the stream passed a bound."""
        self._stream_fault(code, message, "limit")

    # -- inside --------------------------------------------------------------

    def _meet(self, call: Call) -> None:
        """Find a call's tool when its first arguments come: by then its name is whole."""
        if self._tools is not None and call.name is not None:
            if self._watch_schemas:
                call.early = self._tools.early(call.name)
            if not self._allow_unknown and not self._tools.known(call.name):
                self._tell(call, not_offered(call, self._tools))

    def _begin(self, call: Call) -> Parser:
        """Make a call's parser when its first text comes."""
        self._meet(call)
        watched = call.early is not None
        call.parser = Parser(
            limits=self._watched_limits if watched else self.limits,
            control_characters=self._control_characters,
            events=watched,
        )
        if not watched and call.text is None:
            call.quick = call.parser.push
        return call.parser

    def _feed(self, call: Call, text: str | bytes) -> bool:
        """Feed a call that nothing is known of yet, or that more than its parser wants to see; tell if it has one."""
        if call.kind == "text":
            self._free_text(call, text)
            return False
        if not isinstance(text, str | bytes):
            raise TypeError  # told by the caller; an empty list or object would pass the slices unseen
        parser = call.parser or self._begin(call)
        for at in range(0, len(text), LOOK_AFTER):
            parser.push(text[at : at + LOOK_AFTER])
            if call.early is not None and len(text) > LOOK_AFTER:
                self._look(call)
        if call.text is not None:
            call.text.write(text if isinstance(text, str) else text.decode("utf-8", "surrogateescape"))
        return True

    def _look(self, call: Call) -> None:
        """See whether what has come so far settles that the call cannot execute."""
        call.unseen = 0
        parser, early = call.parser, call.early
        if parser is None:
            return
        if early is not None:
            for event in parser.drain_events():
                if call.refused:
                    break
                self._refuse(call, early.on_event(event))
            place = None if call.refused else parser.open_value()
            if place is not None and place != call.place:
                call.place = place
                steps, string = place
                no = early.on_open(steps, "string") if string else early.on_key(steps[:-1], str(steps[-1]))
                self._refuse(call, no)
        if parser.failed and not call.spoilt:
            call.spoilt = True
            self._tell(call, parser.diagnostics[-1])

    def _refuse(self, call: Call, no: Diagnostic | None) -> None:
        if no is not None:
            call.refused = True
            self._tell(call, replace(no, call_id=call.id))

    def _too_many(self) -> None:
        if "limit" not in self.faults:
            self.limit_passed(
                "E_LIMIT_STREAM_EVENTS",
                f"more than limits.stream_events ({self.limits.stream_events}) events about calls in one stream",
            )

    def _no_text(self, call: Call, text: Any) -> None:
        call.untyped = True
        self._call_fault(
            call, "E_ARGUMENTS_TYPE", f"a fragment of {call.label} is {text!r:.60}; expected a string", "malformed"
        )

    def _free_text(self, call: Call, text: str | bytes) -> None:
        if isinstance(text, str):
            text = text.encode("utf-8", "surrogatepass")
        elif not isinstance(text, bytes):
            self._no_text(call, text)
            return
        call.text_bytes += len(text)
        if call.text_bytes > self.limits.input_bytes:
            self._call_fault(
                call,
                "E_LIMIT_INPUT_BYTES",
                f"a text input passes limits.input_bytes ({self.limits.input_bytes})",
                "limit",
            )
            call.accepts = False
        elif call.text is not None:
            call.text.write(text.decode("utf-8", "surrogatepass"))

    def _close(self) -> None:
        for call in self.calls.values():
            call.accepts = False

    def _strays(self, turn: Turn) -> None:
        """Hold arguments that came for no named call against their turn: they may belong to any of its calls."""
        if len(turn.calls) < 2:
            return  # a single call without a name is nobody's, and says so itself
        stray = next((call for call in turn.calls if call.stray), None)
        if stray is not None:
            self._turn_fault(
                turn,
                "E_STRAY_ARGUMENTS",
                f"{stray.label} has arguments and no name: they may be another call's, whose own are missing",
                "protocol",
            )

    def _strays_elsewhere(self, turn: Turn) -> None:
        """Hold them against the calls of other turns too, where nobody ended their own."""
        stray = next((call for call in turn.calls if call.stray), None)
        if stray is None:
            return
        for other in self.turns.values():
            if other is not turn and any(call.name is not None for call in other.calls):
                self._turn_fault(
                    other,
                    "E_STRAY_ARGUMENTS",
                    f"{stray.label} has arguments, no name, and a turn that did not end: they may be another call's, "
                    "whose own are missing",
                    "protocol",
                )

    def _doubt_empty(self) -> None:
        """Refuse calls that seem to need no arguments beside one whose arguments are nobody's, or are broken.

        Where parts of one call went to two source keys, one has no arguments and the other has no whole ones.
        """
        astray = any(call.stray for call in self.calls.values())
        for turn in self.turns.values():
            if (self.reason if turn.reason is None else turn.reason) != "complete":
                continue
            if astray or any(call.broken for call in turn.calls if not call.server_executed):
                for call in turn.calls:
                    if call.name is not None and not (call.given or call.broken or call.server_executed):
                        self._violation(
                            call,
                            "E_STRAY_ARGUMENTS",
                            f"{call.label} has no arguments, and some came for no call, or are broken: they may be its "
                            "own",
                        )

    def _turn(self, key: str) -> Turn:
        turn = self.turns.get(key)
        if turn is None:
            turn = self.turns[key] = Turn(key)
        return turn

    def _open_turn(self, key: str, what: str) -> Turn:
        self._live(what)
        turn = self._turn(key)
        if turn.closed:
            self._turn_fault(
                turn,
                "E_LATE_EVENT",
                f"{what} after the turn's end ({turn.provider_reason or turn.reason or 'replaced'})",
                "protocol",
            )
        return turn

    def _live(self, what: str) -> None:
        """Whatever comes after the stream's end speaks against every call."""
        self._count()
        if self.reason is not None:
            self._stream_fault(
                "E_LATE_EVENT",
                f"{what} after the stream's end ({self.provider_reason or self.reason})",
                "protocol",
            )
        elif self.source_end is not None:
            self._stream_fault("E_LATE_EVENT", f"{what} after the source had ended ({self.source_end})", "protocol")
        elif self._marked:
            self._stream_fault("E_LATE_EVENT", f"{what} after the end marker", "protocol")

    def _count(self) -> None:
        self._events += 1
        if self._events > self._max_events:
            self._too_many()

    def _step(self, key: str, what: CallInput, *, marked: bool | None = None) -> Call | None:
        self._count()
        marked = self._marked if marked is None else marked
        call = self.calls.get(key)
        if call is None:
            self._live(what.value)
            self._stream_fault("E_UNKNOWN_CALL", f"{what.value} for {key!r}, which was never started", "protocol")
            return None
        if self.reason is not None or self.source_end is not None or marked or call.turn.closed:
            self._open_turn(call.turn.key, what.value)
        state = CALL_LIFECYCLE.get((call.state, what))
        if state is None:
            self._violation(call, "E_CALL_ORDER", f"{what.value} for {call.label}, which had {call.state.value}")
            return None
        call.state = state
        return call

    def _identify(self, call: Call, id: str | None, index: int | None) -> None:
        if id is not None:
            if call.id is None:
                call.id = id
                other = self._ids.setdefault(id, call)
                if other.turn.replaced or other.held:
                    self._ids[id] = call  # that one can never run
                elif other is not call:
                    # In one turn neither can be told from the other. A later turn repeats an earlier call, as a
                    # replayed run does: the first one keeps its right, the repetition gets none.
                    for one in (other, call) if other.turn is call.turn else (call,):
                        self._violation(one, "E_DUPLICATE_CALL_ID", f"two calls carry the id {id!r}")
                if id in self.executed_keys:
                    call.executed = True
                if id in self._held_keys:
                    _hold(call, self._held_keys[id])
            elif call.id != id:
                self._call_fault(
                    call, "E_IDENTITY_CONFLICT", f"a call has two ids: {call.id!r} and {id!r}", "malformed"
                )
        if index is not None:
            if call.index is None:
                call.index = index
            elif call.index != index:
                self._call_fault(
                    call,
                    "E_IDENTITY_CONFLICT",
                    f"a call has two indexes: {call.index} and {index}",
                    "malformed",
                )

    def _violation(self, call: Call, code: str, message: str) -> None:
        self._call_fault(call, code, message, "protocol")

    def _call_fault(self, call: Call, code: str, message: str, fault: Fault | None) -> None:
        diagnostic = call.remark(code, message, fault)
        if fault is not None:
            self._tell(call, diagnostic)

    def _turn_fault(self, turn: Turn, code: str, message: str, fault: Fault | None) -> None:
        diagnostic = self._note(code, message)
        if fault is not None:
            turn.faults.add(fault)
            for call in turn.calls:
                self._tell(call, diagnostic)

    def _stream_fault(self, code: str, message: str, fault: Fault | None) -> None:
        diagnostic = self._note(code, message)
        if fault is not None:
            self.faults.add(fault)
            self._tell(None, diagnostic)

    def _note(self, code: str, message: str) -> Diagnostic:
        diagnostic = Diagnostic(code=code, message=shortened(message))
        if len(self.diagnostics) < MAX_DIAGNOSTICS:
            self.diagnostics.append(diagnostic)
        return diagnostic

    def _tell(self, call: Call | None, diagnostic: Diagnostic) -> None:
        if self._on_fault is not None:
            self._on_fault(call, diagnostic)


def _hold(call: Call, reason: EndReason) -> None:
    call.held = True
    call.end_reason = reason if reason != "complete" else "unknown"


_STRING: Final = Missing()  # a string that is not whole yet


def _look_at_piece(early: EarlyChecker, place: Path, value: Any) -> Diagnostic | None:
    """Ask about the containers and names on the way to a piece, and about what is known of the value."""
    for at, step in enumerate(place):
        no = early.on_open(place[:at], "array" if isinstance(step, int) else "object")
        if no is None and isinstance(step, str):
            no = early.on_key(place[:at], step)
        if no is not None:
            return no
    if value is MISSING:
        return None
    return early.on_open(place, "string") if value is _STRING else early.on_value(place, value)
