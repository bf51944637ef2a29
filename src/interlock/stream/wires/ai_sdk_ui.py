r"""AI SDK UI message stream (`x-vercel-ai-ui-message-stream: v1`; senders of ai v5, v6, v7).

One call on the wire::

    {"type": "tool-input-start", "toolCallId": "c1", "toolName": "f"}
    {"type": "tool-input-delta", "toolCallId": "c1", "inputTextDelta": "{\"a\":1}"}
    {"type": "tool-input-available", "toolCallId": "c1", "toolName": "f", "input": {"a": 1}}
    {"type": "finish-step"}
    {"type": "finish", "finishReason": "tool-calls"}
    [DONE]

Identity: the step and `toolCallId`. End of a call: `tool-input-available`; its
`input` is a value that the sender parsed: without deltas it is a projection,
with deltas both must agree. End of the stream: `finish`, `abort` or `error`.

`finishReason` speaks for the last step only: a call of an earlier step is never
confirmed. A call that begins after a `finish-step` belongs to the next step, also
when no `start-step` says so. A sender of v5 leaves it out; nothing confirms then, unless the
caller knows the sender (`confirm_on_done`). The Python package `ai` writes
`stop` for a reason that it never got, so a truncation behind it can be hidden.
`[DONE]` is written by the sender's flush, after errors too: it is no evidence.
After such a `finish`, only parts that a sender adds by itself pass: `data-…`,
`source-…` and `message-metadata`.

`reset-step` (v7) withdraws everything of the current step. A call that waits
for an approval is held: the sender runs it once it is approved. One that was
denied is withdrawn. `tool-output-available` and `tool-output-error`, preliminary
ones included, are evidence that the sender ran the call, unless the provider
runs it (`providerExecuted`).

The objects of Python senders (the packages `ai` and `pydantic-ai`) are read as
well; they spell the fields in snake_case.

Source:
    ai-sdk.dev/docs/ai-sdk-ui/stream-protocol; vercel/ai, packages/ai
    (ai@7.0.77, ai@6.0.264, ai@5.0.244), UIMessageChunk; PyPI `ai` 0.8.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from interlock.stream.access import camel, get, text_of, word
from interlock.stream.events import Sink
from interlock.stream.wires import Traits
from interlock.stream.wires.fragments import plain_error, refuse_misplaced
from interlock.vocabulary import EndReason, SourceEnd

__all__ = ["END_REASONS", "SOURCE_KEY", "Adapter", "recognises"]

SOURCE_KEY: Final = "the step and `toolCallId`"

END_REASONS: Final[Mapping[str, EndReason]] = {
    "stop": "complete",
    "tool-calls": "complete",
    "length": "length",
    "content-filter": "content_filtered",
    "error": "provider_error",
    "other": "unknown",  # the SDK's word for a reason that it does not know or never got
    "unknown": "unknown",  # the same in v5
}

_TOOL_PARTS = frozenset(
    {
        "tool-input-start",
        "tool-input-delta",
        "tool-input-available",
        "tool-input-error",
        "tool-output-available",
        "tool-output-error",
        "tool-output-denied",
        "tool-approval-request",
    }
)
_CONTENT = frozenset({"start", "start-step", "text-delta", "reasoning-delta"})
_MAYBE = frozenset({"start", "start-step", "finish-step", "finish", "abort", "text-start", "reasoning-start"})


def recognises(event: Any) -> int:
    """Rate how well an event fits this wire: 0 not at all, 1 maybe, 2 surely."""
    kind = get(event, "type")
    if not isinstance(kind, str):
        return 0
    if kind in _TOOL_PARTS:
        return 2 if camel(event, "toolCallId") is not None else 0
    if kind in ("reset-step", "message-metadata") or kind.startswith("data-"):
        return 2
    if kind == "start" and camel(event, "messageId") is not None:
        return 2
    if kind in ("text-delta", "reasoning-delta"):
        return 2 if get(event, "delta") is not None else 0
    if kind == "error":
        return 2 if camel(event, "errorText") is not None else 0
    return 1 if kind in _MAYBE else 0


class _Call:
    """One call of the current step."""

    __slots__ = ("key", "name", "provider")

    def __init__(self, key: str, name: str | None, provider: bool) -> None:
        self.key = key
        self.name = name
        self.provider = provider  # the provider runs it


class Adapter:
    """Translates the chunks of one UI message stream."""

    traits: ClassVar[Traits] = Traits(calls_end=True, ends="stream")

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._steps = 0
        self._turn = "step-0"
        self._step_over = False  # the current step had its finish-step
        self._silent_finish = False  # a finish without a reason came
        self._over = False  # a finish with a reason came
        self._broken = False  # an abort or an error came
        self._calls: dict[str, _Call] = {}  # toolCallId -> its latest call

    def push(self, event: Any) -> None:
        """Translate one chunk."""
        kind = get(event, "type")
        if (self._silent_finish and not _is_beside(kind)) or (self._over and kind in _CONTENT):
            self._sink.provider_diagnostic("E_LATE_EVENT", f"{kind} after finish", turn=self._turn, fault="protocol")
        if kind == "tool-input-delta":
            delta = camel(event, "inputTextDelta")
            # Anything but a string is passed on as well: the call's arguments are not whole then.
            if delta or type(delta) is not str:
                self._sink.arguments_delta(self._key(event), delta)
        elif kind == "tool-input-start":
            self._start(event)
        elif kind == "tool-input-available":
            streamed = text_of(camel(event, "toolCallId")) in self._calls
            call = self._known(event)
            if call is not None:
                value = get(event, "input")
                if streamed:
                    self._sink.call_end(call.key)  # before the input: without a delta, there are no arguments
                if value is not None:
                    self._sink.arguments_value(call.key, value)
                else:
                    refuse_misplaced(self._sink, call.key, event, "input")
                if not streamed:
                    self._sink.call_end(call.key)
        elif kind == "tool-input-error":
            call = self._known(event)
            if call is not None:
                self._sink.provider_diagnostic(
                    "E_SDK_INVALID",
                    "the sender could not parse or validate this call's input",
                    key=call.key,
                    fault="malformed",
                )
                self._sink.call_end(call.key)
        elif kind == "tool-output-available" or kind == "tool-output-error":
            self._output(event)
        elif kind == "tool-approval-request":
            self._hold(event, "paused")
        elif kind == "tool-output-denied":
            self._hold(event, "cancelled")
        elif kind == "start-step":
            if self._step_over:
                self._next_step()
        elif kind == "finish-step":
            self._step_over = True
        elif kind == "reset-step":
            self._next_step()
        elif kind == "finish":
            self._finish(word(camel(event, "finishReason")))
        elif kind == "abort":
            self._broken = True
            self._sink.stream_end("cancelled", "abort")
        elif kind == "error" or (kind is None and plain_error(event) is not None):
            self._broken = True
            self._sink.stream_end("provider_error", "error")
        elif kind == "done":
            self._sink.done_marker()

    def source_ended(self, end: SourceEnd) -> None:
        """Conclude nothing: only `finish`, `abort` or `error` ends the message."""

    # -- inside --------------------------------------------------------------

    def _key(self, event: Any) -> str:
        id = camel(event, "toolCallId")
        call = self._calls.get(id) if isinstance(id, str) else None
        return f"{self._turn}/{id}" if call is None else call.key

    def _next_step(self) -> None:
        """Begin a step; what the one before it left unconfirmed stays so."""
        self._sink.turn_replaced(self._turn)
        self._steps += 1
        self._turn = f"step-{self._steps}"
        self._step_over = False

    def _start(self, event: Any) -> _Call | None:
        if self._step_over:
            self._next_step()  # a sender that leaves out `start-step`
        id = text_of(camel(event, "toolCallId"))
        if id is None:
            self._sink.provider_diagnostic(
                "E_CALL_ID", "a tool part has no toolCallId", turn=self._turn, fault="protocol"
            )
            return None
        provider = camel(event, "providerExecuted") not in (None, False)  # what says it badly says it too
        call = _Call(f"{self._turn}/{id}", text_of(camel(event, "toolName")), provider)
        self._calls[id] = call
        self._sink.call_start(call.key, id=id, name=call.name, turn=self._turn, server_executed=call.provider)
        return call

    def _known(self, event: Any) -> _Call | None:
        """Return the call of an event that carries its name, opening it when nothing of it came before."""
        id = text_of(camel(event, "toolCallId"))
        call = self._calls.get(id) if id is not None else None
        if call is None:
            return self._start(event)
        name = text_of(camel(event, "toolName"))
        if call.name is None and name is not None:
            call.name = name
            self._sink.name_delta(call.key, name)
        elif name is not None and name != call.name:
            self._sink.provider_diagnostic(
                "E_NAME_CONFLICT",
                f"the call {id!r} has two names: {call.name!r} and {name!r}",
                key=call.key,
                fault="protocol",
            )
        if not call.provider and camel(event, "providerExecuted") not in (None, False):
            self._sink.provider_diagnostic(
                "E_EXECUTOR_CONFLICT", f"the call {id!r} is the provider's after all", key=call.key, fault="protocol"
            )
        return call

    def _output(self, event: Any) -> None:
        id = text_of(camel(event, "toolCallId"))
        call = self._calls.get(id) if id is not None else None
        if camel(event, "providerExecuted") is True or (call is not None and call.provider):
            return
        self._sink.tool_executed(id)

    def _hold(self, event: Any, reason: EndReason) -> None:
        id = text_of(camel(event, "toolCallId"))
        for held in [id] if id is not None else list(self._calls):  # one that names no call may be any
            self._sink.call_held(held, reason)

    def _finish(self, said: str | None) -> None:
        if self._broken:
            return  # senders close what they aborted like any other message
        if said is None:
            self._silent_finish = True
        else:
            self._over = True
            self._sink.stream_end(END_REASONS.get(said, "unknown"), said)


def _is_beside(kind: Any) -> bool:
    """Tell whether a part is no model's: the sender adds it by itself, at any time."""
    if not isinstance(kind, str):
        return False
    return kind in ("done", "message-metadata") or kind.startswith(("data-", "source-"))
