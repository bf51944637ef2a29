r"""Cohere Chat v2, streamed.

One call on the wire::

    {"type": "tool-call-start", "index": 0, "delta": {"message": {"tool_calls": {"id": "c1", "type": "function",
                                                     "function": {"name": "f", "arguments": ""}}}}}
    {"type": "tool-call-delta", "index": 0, "delta": {"message": {"tool_calls": {"function":
                                                     {"arguments": "{\"a\":1}"}}}}}
    {"type": "tool-call-end", "index": 0}
    {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}}

`tool_calls` is one object, not a list. Identity: `index`; the id comes with the
start only. End of a call: `tool-call-end`. End of the turn: `message-end`; an
`error` in it speaks against any reason.

Empty arguments mean `{}` only when the tool's registered schema accepts `{}`:
the API sends none for a tool without parameters (recording
`cohere-empty-tool-call`), but does not say so.

Source:
    docs.cohere.com/v2/docs/streaming and /reference/chat-stream (read
    2026-11-30); types of the Python SDK cohere 7.3.1; v1's reasons for servers
    that still send them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from interlock.stream.access import get, text_of, word
from interlock.stream.events import Sink
from interlock.stream.wires import Traits
from interlock.stream.wires.fragments import plain_error, refuse_misplaced, refuse_untyped
from interlock.vocabulary import EndReason, SourceEnd

__all__ = ["END_REASONS", "SOURCE_KEY", "Adapter", "recognises"]

SOURCE_KEY: Final = "the tool call's `index`"

END_REASONS: Final[Mapping[str, EndReason]] = {
    "COMPLETE": "complete",
    "TOOL_CALL": "complete",
    "MAX_TOKENS": "length",
    "ERROR": "provider_error",
    "TIMEOUT": "provider_error",
    "ERROR_LIMIT": "length",  # v1
    "ERROR_TOXIC": "content_filtered",  # v1
    "USER_CANCEL": "cancelled",  # v1
    # A stop string ends a text on its own terms, but may cut a call in the middle; see `Adapter`.
    "STOP_SEQUENCE": "complete",
}

_EVENTS: Final = ("tool-plan-delta", "tool-call-start", "tool-call-delta", "tool-call-end", "message-end")
_CONTENT: Final = ("content-start", "content-delta", "tool-plan-delta")
_MAYBE: Final = ("message-start", "content-start", "content-delta", "content-end", "citation-start")


def recognises(event: Any) -> int:
    """Rate how well an event fits this wire: 0 not at all, 1 maybe, 2 surely."""
    kind = get(event, "type")
    if kind in _EVENTS:
        return 2
    return 1 if kind in _MAYBE else 0


class Adapter:
    """Translates the events of one chat stream."""

    traits: ClassVar[Traits] = Traits(calls_end=True, ends="turn")

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._turn = "message-0"
        self._calls = False
        self._begun = False
        self._over = False

    def push(self, event: Any) -> None:
        """Translate one event."""
        kind = get(event, "type")
        if kind == "tool-call-delta":
            text = get(get(_call(event), "function"), "arguments")
            # Anything but a string is passed on as well: the call's arguments are not whole then.
            if text or type(text) is not str:
                self._sink.arguments_delta(_key(get(event, "index")), text)
        elif kind == "tool-call-start":
            self._start(get(event, "index"), _call(event))
        elif kind == "tool-call-end":
            self._sink.call_end(_key(get(event, "index")))
        elif kind == "message-end":
            self._end(get(event, "delta"))
        elif kind == "message-start":
            if self._begun:
                self._violation("E_SECOND_START", "a second message-start")
            self._begun = True
            message = get(get(event, "delta"), "message")
            if get(message, "role") == "tool":
                self._sink.tool_executed(text_of(get(message, "tool_call_id")))
        elif kind in _CONTENT:
            if self._over:
                self._violation("E_LATE_EVENT", f"{kind} after message-end")
        elif kind == "error" or kind is None:
            # The API's errors are plain objects: {"message": ..., "id": ...}.
            said = plain_error(event)
            if kind == "error" or said is not None:
                self._sink.stream_end("provider_error", said or "error")
            else:
                refuse_untyped(self._sink, kind, event, "delta")
        else:
            refuse_untyped(self._sink, kind, event, "delta")

    def source_ended(self, end: SourceEnd) -> None:
        """Conclude nothing: only `message-end` ends a message."""

    # -- inside --------------------------------------------------------------

    def _start(self, index: Any, call: Any) -> None:
        if type(index) is not int or index < 0:
            self._violation("E_CALL_INDEX", f"a tool call has the index {index!r}; expected a whole number")
            return
        self._calls = True
        function = get(call, "function")
        key = _key(index)
        self._sink.call_start(
            key, id=text_of(get(call, "id")), index=index, name=text_of(get(function, "name")), turn=self._turn
        )
        text = get(function, "arguments")
        if text:
            self._sink.arguments_delta(key, text)
        else:
            refuse_misplaced(self._sink, key, function, "arguments")
            refuse_misplaced(self._sink, key, call)

    def _end(self, delta: Any) -> None:
        said = word(get(delta, "finish_reason"))
        reason = END_REASONS.get(said or "", "unknown")
        tokens = get(get(get(delta, "usage"), "tokens"), "output_tokens")
        if type(tokens) is int or (type(tokens) is float and tokens.is_integer()):  # the SDK makes it a float
            self._sink.usage(int(tokens))
        error = get(delta, "error")
        if error:
            reason, said = "provider_error", said or str(error)[:80]
        elif said == "STOP_SEQUENCE" and self._calls:
            reason = "unknown"
        self._over = True
        self._sink.turn_end(self._turn, reason, said)

    def _violation(self, code: str, message: str) -> None:
        self._sink.provider_diagnostic(code, message, turn=self._turn, fault="protocol")


def _key(index: Any) -> str:
    # "0" and True are not the calls 0 and 1.
    return f"{index}" if type(index) is int else f"{index!r:.60}, unknown"


def _call(event: Any) -> Any:
    """Return the one call of an event; some gateways wrap it in a list."""
    call = get(get(get(event, "delta"), "message"), "tool_calls")
    return call[0] if isinstance(call, list) and len(call) == 1 else call
