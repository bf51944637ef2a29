r"""AG-UI, the Agent User Interaction Protocol (1.0).

One call on the wire::

    {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
    {"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "f"}
    {"type": "TOOL_CALL_ARGS", "toolCallId": "c1", "delta": "{\"a\":1}"}
    {"type": "TOOL_CALL_END", "toolCallId": "c1"}
    {"type": "RUN_FINISHED", "outcome": {"type": "success", "pendingToolCallIds": ["c1"]}}

Identity: the run, the sub-agent (`subagentRunId`) and `toolCallId`. End of a
call: `TOOL_CALL_END`, the producer's claim. `TOOL_CALL_CHUNK` stands for start,
arguments and end: without an id it continues the call of its sub-agent that is
open. Any event closes it, but for `RAW`, the activities, `REASONING_ENCRYPTED_VALUE`
and `SUBAGENT_STARTED`. End of the turn (a run): `RUN_FINISHED`, by its `outcome`,
or `RUN_ERROR`.

The protocol has no field for the model's finish reason: a producer that does not
turn a cut response into `RUN_ERROR` hides it. What there is, is read: a word in
the event's `metadata` (such as `tanstack.finishReason`) or in the provider's own
event that it carries along (`rawEvent`, `RAW`), when it speaks against completion;
what the model was given (`input`, `messages`, `history`) and the events of LangChain
that are not a model's output hold older words, and are not read. An
outcome that is not known is unknown here, though the protocol's own consumers
read success.

A call is the client's when the run leaves it without a result: a
`TOOL_CALL_RESULT`, or a tool message in a snapshot, is evidence that the
producer ran it. `pendingToolCallIds`, where given and not empty, names exactly
the calls without a result. An interrupt pauses the whole run, also where it is only
a `CUSTOM` event, as of LangGraph's bridge (`on_interrupt`); a suspended sub-agent
pauses its own calls; `SUBAGENT_ERROR` is an error for them.

The arguments in a `MESSAGES_SNAPSHOT` are what the producer made of a value: they
are compared as a value with what was streamed, and prove nothing alone.

The events of the Python package are read as well; they spell the fields in
snake_case.

Source:
    docs.ag-ui.com/concepts/events (read 2026-11-30); ag-ui-protocol 1.0.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final

from interlock.parser import Parser
from interlock.stream.access import camel, get, items, text_of, word
from interlock.stream.events import Sink
from interlock.stream.wires import Traits
from interlock.stream.wires.fragments import plain_error, refuse_misplaced, refuse_untyped
from interlock.stream.wires.native import worse
from interlock.vocabulary import EndReason, SourceEnd

__all__ = ["END_REASONS", "SOURCE_KEY", "Adapter", "recognises"]

SOURCE_KEY: Final = "the run, `subagentRunId` and `toolCallId`"

# `outcome.type` of `RUN_FINISHED` (none means success), and `RUN_ERROR`.
END_REASONS: Final[Mapping[str, EndReason]] = {
    "success": "complete",
    "interrupt": "paused",
    "cancelled": "cancelled",
    "RUN_ERROR": "provider_error",
}

_PREFIXES = ("TEXT_MESSAGE_", "TOOL_CALL_", "REASONING_", "STATE_", "ACTIVITY_", "SUBAGENT_", "STEP_")
_OTHERS = frozenset({"RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "MESSAGES_SNAPSHOT", "RAW", "CUSTOM"})

_CONTENT = frozenset({"TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK", "REASONING_MESSAGE_CONTENT"})

# The protocol's own client leaves an open chunk open at these.
_PASSING = frozenset({"RAW", "ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA", "REASONING_ENCRYPTED_VALUE", "SUBAGENT_STARTED"})

# What bridges call the `CUSTOM` event of an interrupt.
_INTERRUPTS = frozenset({"on_interrupt", "LangGraphInterruptEvent", "CopilotKitLangGraphInterruptEvent"})

# Where producers and providers write why a model stopped.
_WORD_FIELDS = frozenset({"finishReason", "finish_reason", "stopReason", "stop_reason", "done_reason"})
_GIVEN = frozenset({"input", "messages", "history"})  # what a model was given: the words there are older ones
_OUTPUTS = ("on_chat_model_stream", "on_chat_model_end", "on_llm_stream", "on_llm_end")
_MAX_RAW_DEPTH = 6  # levels of `metadata` and `rawEvent` that are searched; providers' events need four


def recognises(event: Any) -> int:
    """Rate how well an event fits this wire: 0 not at all, 1 maybe, 2 surely."""
    kind = word(get(event, "type"))
    if kind is None:
        return 0
    return 2 if kind.startswith(_PREFIXES) or kind in _OTHERS else 0


class _Call:
    """One call of the current run."""

    __slots__ = ("answered", "ended", "id", "key", "name", "subagent")

    def __init__(self, key: str, id: str, name: str | None, subagent: str | None) -> None:
        self.key = key
        self.id = id
        self.name = name
        self.subagent = subagent
        self.ended = False
        self.answered = False  # a result of it came


class Adapter:
    """Translates the events of one stream of runs."""

    traits: ClassVar[Traits] = Traits(calls_end=True, ends="turn", repeats_text=True)

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._runs = 0
        self._turn = "run-0"
        self._over = False
        self._calls: dict[tuple[str | None, str], _Call] = {}  # (subagentRunId, toolCallId) -> call
        self._by_id: dict[str, list[_Call]] = {}  # the same calls by toolCallId: sub-agents may share one
        self._chunked: _Call | None = None  # the call that chunks have open
        self._given: set[str] = set()  # keys of the calls that arguments came for
        self._paused = False
        self._against: tuple[EndReason, str] | None = None  # a provider's word that speaks against completion

    def push(self, event: Any) -> None:
        """Translate one event."""
        kind = get(event, "type")
        if kind == "TOOL_CALL_ARGS":
            delta = get(event, "delta")
            # Anything but a string is passed on as well: the call's arguments are not whole then.
            if delta or type(delta) is not str:
                key = self._key(event)
                self._given.add(key)
                self._sink.arguments_delta(key, delta)
        elif kind == "TOOL_CALL_CHUNK":
            self._chunk(event)
        elif (said := word(kind) or "") not in _PASSING:
            self._close_chunks()
            handler = _HANDLERS.get(said)
            if handler is not None:
                handler(self, event)
            elif self._over and kind in _CONTENT:
                self._violation("E_LATE_EVENT", f"{kind} after the run's end")
            elif kind in (None, "error") and plain_error(event) is not None:
                self._sink.stream_end("provider_error", "error")
            else:
                refuse_untyped(self._sink, kind, event, "toolCallId")
        raw = camel(event, "rawEvent") or (get(event, "event") if kind == "RAW" else None)
        if raw is not None:
            self._note_words(raw)

    def source_ended(self, end: SourceEnd) -> None:
        """Conclude nothing: only `RUN_FINISHED` or `RUN_ERROR` ends a run."""

    # -- calls ---------------------------------------------------------------

    def _key(self, event: Any) -> str:
        subagent = text_of(camel(event, "subagentRunId"))
        return f"{self._turn}/{subagent or ''}/{camel(event, 'toolCallId')}"

    def _start(self, event: Any) -> None:
        self._open(event)

    def _open(self, event: Any) -> _Call | None:
        id = text_of(camel(event, "toolCallId"))
        if id is None:
            self._violation("E_CALL_ID", "a tool call event has no toolCallId")
            return None
        subagent = text_of(camel(event, "subagentRunId"))
        call = _Call(self._key(event), id, text_of(camel(event, "toolCallName")), subagent)
        self._sink.call_start(call.key, id=id, name=call.name, turn=self._turn)
        known = self._calls.setdefault((subagent, id), call)
        if known is call:
            self._by_id.setdefault(id, []).append(call)
        return known

    def _end(self, event: Any) -> None:
        call = self._calls.get((text_of(camel(event, "subagentRunId")), text_of(camel(event, "toolCallId")) or ""))
        if call is not None:
            call.ended = True
        self._sink.call_end(self._key(event))

    def _chunk(self, event: Any) -> None:
        """Take a chunk: of the open call, or of a new one, which closes the open one."""
        id, subagent = text_of(camel(event, "toolCallId")), text_of(camel(event, "subagentRunId"))
        call = self._chunked
        if call is None or (id is not None and id != call.id) or subagent != call.subagent:
            # A chunk without an id goes on with its own sub-agent's call: with another's, or the run's, it is nobody's.
            self._close_chunks()
            call = self._chunked = self._open(event)
            if call is None:
                return
        else:
            name = text_of(camel(event, "toolCallName"))
            if name is not None and name != call.name:
                self._sink.provider_diagnostic(
                    "E_NAME_CONFLICT",
                    f"the call {call.id!r} has two names: {call.name!r} and {name!r}",
                    key=call.key,
                    fault="protocol",
                )
        delta = get(event, "delta")
        if delta:
            self._given.add(call.key)
            self._sink.arguments_delta(call.key, delta)
        else:
            refuse_misplaced(self._sink, call.key, event)

    def _close_chunks(self) -> None:
        call, self._chunked = self._chunked, None
        if call is not None:
            call.ended = True
            self._sink.call_end(call.key)

    def _result(self, event: Any) -> None:
        self._answered(text_of(camel(event, "toolCallId")))

    def _answered(self, id: str | None) -> None:
        for call in self._by_id.get(id or "", ()):
            call.answered = True
        self._sink.tool_executed(id)

    def _snapshot(self, event: Any) -> None:
        """Hold a snapshot of all messages against what was streamed."""
        for message in items(get(event, "messages")):
            if get(message, "role") == "tool":
                id = text_of(camel(message, "toolCallId"))
                if id in self._by_id:
                    self._answered(id)
            for raw in items(camel(message, "toolCalls")):
                function = get(raw, "function")
                for call in self._by_id.get(text_of(get(raw, "id")) or "", ()):
                    if get(function, "name") != call.name:
                        self._violation("E_NAME_CONFLICT", f"a snapshot names the call {call.id!r} otherwise")
                    text = get(function, "arguments")
                    if call.ended and isinstance(text, str):
                        self._repeated(call, text)

    def _repeated(self, call: _Call, text: str) -> None:
        """Hold the arguments of a snapshot against the streamed ones: producers write a value's text anew."""
        parser = Parser()
        parser.push(text)
        read = parser.finish("complete")
        if read.executable and (call.key in self._given or read.value == {}):
            self._sink.arguments_value(call.key, read.value)
        else:
            self._sink.arguments_final(call.key, text)  # no JSON, or arguments that were not streamed

    def _custom(self, event: Any) -> None:
        if text_of(get(event, "name")) not in _INTERRUPTS:
            return
        self._paused = True
        self._sink.turn_said(self._turn, "paused", "interrupt")
        if self._over:
            for call in self._calls.values():
                self._sink.call_held(call.key, "paused")

    # -- sub-agents and runs -------------------------------------------------

    def _subagent_ended(self, event: Any) -> None:
        if word(get(get(event, "outcome"), "type")) not in (None, "success"):
            for call in self._of_subagent(event):
                self._sink.call_held(call.key, "paused")

    def _subagent_failed(self, event: Any) -> None:
        for call in self._of_subagent(event):
            self._sink.provider_diagnostic(
                "E_SUBAGENT_ERROR", "the sub-agent of the call failed", key=call.key, fault="provider_error"
            )

    def _of_subagent(self, event: Any) -> list[_Call]:
        subagent = text_of(camel(event, "subagentRunId"))
        return [call for call in self._calls.values() if call.subagent == subagent]

    def _begin(self, event: Any) -> None:  # noqa: ARG002 - one of the handlers
        if self._calls or self._over:
            if not self._over:
                self._sink.turn_replaced(self._turn)
            self._runs += 1
            self._turn = f"run-{self._runs}"
        self._over = False
        self._calls = {}
        self._by_id = {}
        self._given = set()
        self._paused = False
        self._against = None

    def _finish(self, event: Any) -> None:
        outcome = get(event, "outcome")
        said = word(get(outcome, "type")) if outcome is not None else None
        self._note_words(get(event, "metadata"))
        self._note_words(camel(event, "rawEvent"))
        reason = "complete" if outcome is None else END_REASONS.get(said or "", "unknown")
        if reason == "complete" and (self._paused or get(event, "interrupt") is not None):
            reason, said = "paused", "interrupt"
        if reason == "complete" and self._against is not None:
            reason, said = self._against
        self._check_pending(camel(outcome, "pendingToolCallIds"))
        self._over = True
        self._sink.turn_end(self._turn, reason, said or "RUN_FINISHED")

    def _fail(self, event: Any) -> None:
        self._over = True
        self._sink.turn_end(self._turn, END_REASONS["RUN_ERROR"], word(get(event, "code")) or "RUN_ERROR")

    def _check_pending(self, pending: Any) -> None:
        """Compare the calls that the producer says it left with those that the stream left."""
        if not items(pending):
            return  # absent and empty mean the same: the producer named none, and the stream tells
        named = {id for id in items(pending) if isinstance(id, str)}
        for call in self._calls.values():
            if (call.id in named) == call.answered:
                self._sink.provider_diagnostic(
                    "E_PENDING_CONFLICT",
                    f"pendingToolCallIds and the stream disagree on the call {call.id!r}",
                    key=call.key,
                    fault="protocol",
                )
        for id in sorted(named - self._by_id.keys()):
            self._violation("E_PENDING_CONFLICT", f"pendingToolCallIds names the call {id!r}, which never came")

    def _note_words(self, raw: Any) -> None:
        name = get(raw, "event")  # of LangChain's `astream_events`
        if isinstance(name, str) and name.startswith("on_") and name not in _OUTPUTS:
            return
        for said in _words(raw, _MAX_RAW_DEPTH):
            reason = worse("complete", said)
            if reason != "complete":
                self._against = (reason, said)
                self._sink.turn_said(self._turn, reason, said)

    def _violation(self, code: str, message: str) -> None:
        self._sink.provider_diagnostic(code, message, turn=self._turn, fault="protocol")


_HANDLERS: Final = {
    "TOOL_CALL_START": Adapter._start,
    "TOOL_CALL_END": Adapter._end,
    "TOOL_CALL_RESULT": Adapter._result,
    "MESSAGES_SNAPSHOT": Adapter._snapshot,
    "SUBAGENT_FINISHED": Adapter._subagent_ended,
    "SUBAGENT_ERROR": Adapter._subagent_failed,
    "CUSTOM": Adapter._custom,
    "RUN_STARTED": Adapter._begin,
    "RUN_FINISHED": Adapter._finish,
    "RUN_ERROR": Adapter._fail,
}


def _words(raw: Any, depth: int) -> Iterator[str]:
    """Find the reasons that a producer's metadata, or a provider's own event, gives."""
    if depth == 0:
        return
    if isinstance(raw, Mapping):
        for key, value in raw.items():
            if key in _GIVEN:
                continue
            if key in _WORD_FIELDS and isinstance(value, str):
                yield value
            elif key == "incomplete_details" and value is not None:
                yield word(get(value, "reason")) or "incomplete"
            elif isinstance(value, Mapping | list):
                yield from _words(value, depth - 1)
    elif isinstance(raw, list):
        for value in raw:
            yield from _words(value, depth - 1)
