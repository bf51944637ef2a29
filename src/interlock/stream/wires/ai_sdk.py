r"""Vercel AI SDK `fullStream` parts (v5, v6, v7; `result.stream` in v7).

One call on the wire::

    {"type": "tool-input-start", "id": "c1", "toolName": "f"}
    {"type": "tool-input-delta", "id": "c1", "delta": "{\"a\":1}"}
    {"type": "tool-input-end", "id": "c1"}
    {"type": "tool-call", "toolCallId": "c1", "toolName": "f", "input": {"a": 1}}
    {"type": "finish-step", "finishReason": "tool-calls"}
    {"type": "finish", "finishReason": "tool-calls"}

Identity: `id` of the `tool-input-*` parts, which equals `toolCallId`. End of a
call: `tool-call`; an input without one was not finished. Its `input` is a value
that the SDK parsed: without deltas it is a projection, with deltas both must
agree (a tool schema that transforms its input makes them differ: declare such
tools with a schema that only validates).

A step is a turn, ended by `finish-step`; the run is ended by `finish`, `abort`
or `error`. A call needs the run's end, and where its step's end came (some
consumers filter the step parts out), that as well. `tool-call` is published before the step's
reason is known, so it confirms nothing. The unified reason hides the
provider's: `rawFinishReason` (v6 and later) is read too, and a word that speaks
against completion wins.

`tool-result` and `tool-error` of a call that the provider does not run are
evidence that the SDK ran it. Parts of one call that differ in
`providerExecuted` contradict each other. `tool-output-denied`, and a
`tool-approval-response` that does not approve, withdraw the call.

Source:
    vercel/ai, packages/ai (ai@7.0.77, ai@6.0.264, ai@5.0.244), TextStreamPart.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from interlock.stream.access import get, text_of, word
from interlock.stream.events import Sink
from interlock.stream.wires import Traits
from interlock.stream.wires.fragments import plain_error, refuse_misplaced
from interlock.stream.wires.native import worse
from interlock.vocabulary import EndReason, SourceEnd

__all__ = ["END_REASONS", "SOURCE_KEY", "Adapter", "recognises"]

SOURCE_KEY: Final = "`id` of the tool-input parts, which is the `toolCallId`"

END_REASONS: Final[Mapping[str, EndReason]] = {
    "stop": "complete",
    "tool-calls": "complete",
    "length": "length",
    "content-filter": "content_filtered",
    "error": "provider_error",
    # "other", and "unknown" of v5, are the SDK's words for a reason that it does not know or never got.
    "other": "unknown",
    "unknown": "unknown",
}

_SURE = frozenset({"finish-step", "start-step", "tool-call", "tool-result", "tool-error", "tool-input-end"})
_CONTENT = frozenset({"start", "start-step", "text-delta", "text", "reasoning-delta", "reasoning"})
_MAYBE = frozenset({"start", "finish", "abort", "raw", "reasoning-start", "text-start", "text-delta", "text"})


def recognises(event: Any) -> int:
    """Rate how well an event fits this wire: 0 not at all, 1 maybe, 2 surely."""
    kind = get(event, "type")
    if kind in ("tool-input-start", "tool-input-delta"):
        return 2 if get(event, "id") is not None else 0
    if kind in ("start-step", "finish-step"):
        # The UI message stream has these parts too, without any field.
        return 2 if get(event, "finishReason") is not None or get(event, "request") is not None else 1
    if kind in _SURE:
        return 2
    return 1 if kind in _MAYBE else 0


class Adapter:
    """Translates the parts of one `fullStream`."""

    traits: ClassVar[Traits] = Traits(calls_end=True, ends="stream", framing="sse")

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._step = 0
        self._turn = "step-0"
        self._calls: dict[str, bool] = {}  # toolCallId -> whether the provider runs it
        self._names: dict[str, str] = {}
        self._approvals: dict[str, str] = {}  # approvalId -> toolCallId
        self._over = False

    def push(self, event: Any) -> None:
        """Translate one part."""
        kind = get(event, "type")
        if kind == "tool-input-delta":
            delta = get(event, "delta")
            # Anything but a string is passed on as well: the call's arguments are not whole then.
            if delta or type(delta) is not str:
                self._sink.arguments_delta(f"{get(event, 'id')}", delta)
        elif kind == "tool-input-start":
            self._start(text_of(get(event, "id")), event)
        elif kind == "tool-call":
            self._call(event)
        elif kind == "tool-result" or kind == "tool-error":
            self._result(event)
        elif kind == "tool-output-denied":
            self._denied(text_of(get(event, "toolCallId")))
        elif kind == "tool-approval-request":
            asked, id = text_of(get(event, "approvalId")), _approved_call(event)
            if asked is not None and id is not None and not self._sink.crowded():
                self._approvals[asked] = id
        elif kind == "tool-approval-response":
            if get(event, "approved") is not True:
                self._denied(self._approvals.get(f"{get(event, 'approvalId')}") or _approved_call(event))
        elif kind == "finish-step":
            # The run's `totalUsage` counts all steps; a bound on tokens is one of each request.
            tokens = get(get(event, "usage"), "outputTokens")
            if type(tokens) is int:
                self._sink.usage(tokens)
            reason, said = _reason(event)
            self._sink.turn_end(self._turn, reason, said)
            self._step += 1
            self._turn = f"step-{self._step}"
        elif kind == "finish":
            reason, said = _reason(event)
            self._over = True
            self._sink.stream_end(reason, said)
        elif kind == "abort":
            self._sink.stream_end("cancelled", "abort")
        elif kind == "error" or (kind is None and plain_error(event) is not None):
            self._sink.stream_end("provider_error", "error")
        elif self._over and kind in _CONTENT:
            self._sink.provider_diagnostic("E_LATE_EVENT", f"{kind} after finish", fault="protocol")

    def source_ended(self, end: SourceEnd) -> None:
        """Conclude nothing: only `finish`, `abort` or `error` ends the run."""

    # -- inside --------------------------------------------------------------

    def _start(self, id: str | None, event: Any) -> None:
        if id is None:
            self._sink.provider_diagnostic(
                "E_CALL_ID", "a tool-input-start has no id", turn=self._turn, fault="protocol"
            )
            return
        provider = get(event, "providerExecuted") not in (None, False)  # what says it badly says it too
        self._calls[id] = provider
        name = text_of(get(event, "toolName"))
        if name is not None:
            self._names[id] = name
        self._sink.call_start(id, id=id, name=name, turn=self._turn, server_executed=provider)

    def _call(self, event: Any) -> None:
        id = text_of(get(event, "toolCallId"))
        streamed = id in self._calls
        if not streamed:
            self._start(id, event)
            if id is None:
                return
        assert id is not None
        name = text_of(get(event, "toolName"))
        if name is not None and self._names.setdefault(id, name) != name:
            self._sink.provider_diagnostic(
                "E_NAME_CONFLICT",
                f"the call {id!r} has two names: {self._names[id]!r} and {name!r}",
                key=id,
                fault="protocol",
            )
        if not self._calls[id] and get(event, "providerExecuted") not in (None, False):
            self._sink.provider_diagnostic(
                "E_EXECUTOR_CONFLICT", f"the call {id!r} is the provider's after all", key=id, fault="protocol"
            )
        if streamed:
            self._sink.call_end(id)  # before the input: without a delta, there are no arguments
        if get(event, "invalid") is True:
            self._sink.provider_diagnostic(
                "E_SDK_INVALID",
                "the SDK could not parse or validate this call's input",
                key=id,
                fault="malformed",
            )
        else:
            value = get(event, "input")
            if value is not None:
                self._sink.arguments_value(id, value)
            else:
                refuse_misplaced(self._sink, id, event, "input")
        if not streamed:
            self._sink.call_end(id)

    def _result(self, event: Any) -> None:
        id = text_of(get(event, "toolCallId"))
        provider = self._calls.get(id) if id is not None else None
        # Only a call that this stream does not hold is taken to be whose the result says.
        if provider is True or (provider is None and get(event, "providerExecuted") is True):
            return
        self._sink.tool_executed(id)

    def _denied(self, id: str | None) -> None:
        for held in [id] if id is not None else list(self._calls):  # one that names no call may be any
            self._sink.call_held(held, "cancelled")


def _approved_call(event: Any) -> str | None:
    return text_of(get(get(event, "toolCall"), "toolCallId")) or text_of(get(event, "toolCallId"))


def _reason(event: Any) -> tuple[EndReason, str | None]:
    said = word(get(event, "finishReason"))
    raw = word(get(event, "rawFinishReason"))
    reason = END_REASONS.get(said or "", "unknown")
    combined = worse(reason, raw)
    return combined, raw if combined != reason else said
