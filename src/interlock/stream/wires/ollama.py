r"""Ollama `/api/chat`, streamed as newline-delimited JSON.

One call on the wire::

    {"message": {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {"a": 1}}}]},
     "done": false}
    {"message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop"}

Identity: the call's ordinal in the stream; an `id` is there on newer servers
only. A call comes whole, in one line, and its end with it. `arguments` is a
value that the server parsed: a projection. End of the turn: the line with
`done: true`; without it the stream was cut, which the official client does not
notice. An object without `message` and with `error` is the server's failure.

A call that a server leaks as text, since its template is not parsed, is no call.
A message of the role `tool` is evidence that something ran a call; content after
`done: true` is late. A `done_reason` that is missing, or another word such as
`tool_calls` (some compatible servers), tells nothing: no call is confirmed.

Source:
    github.com/ollama/ollama/blob/main/docs/api.md (read 2026-11-30); types of
    the Python client ollama 0.6.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from interlock.stream.access import get, items, text_of, word
from interlock.stream.events import Sink
from interlock.stream.wires import Traits
from interlock.stream.wires.fragments import plain_error, push_arguments, refuse_misplaced
from interlock.vocabulary import EndReason, SourceEnd

__all__ = ["END_REASONS", "SOURCE_KEY", "Adapter", "recognises"]

SOURCE_KEY: Final = "the ordinal of the call in the stream"

END_REASONS: Final[Mapping[str, EndReason]] = {
    "stop": "complete",
    "length": "length",
    # The model was loaded or unloaded; nothing was generated.
    "load": "unknown",
    "unload": "unknown",
}

_TURN: Final = "response"


def recognises(event: Any) -> int:
    """Rate how well an event fits this wire: 0 not at all, 1 maybe, 2 surely."""
    return 2 if isinstance(get(event, "done"), bool) and get(event, "message") is not None else 0


class Adapter:
    """Translates the lines of one chat response."""

    traits: ClassVar[Traits] = Traits(framing="ndjson", calls_end=True, ends="turn")

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._calls = 0
        self._over = False

    def push(self, event: Any) -> None:
        """Translate one line."""
        message = get(event, "message")
        error = plain_error(event)
        if error is not None:
            self._sink.stream_end("provider_error", error[:80])
            return
        if get(message, "role") == "tool":
            self._sink.tool_executed(text_of(get(message, "tool_call_id")))
        if self._over and (get(message, "content") or get(message, "thinking")):
            self._sink.provider_diagnostic("E_LATE_EVENT", "content after `done`", turn=_TURN, fault="protocol")
        calls = get(message, "tool_calls")
        if calls:
            if not isinstance(calls, list | tuple):
                self._sink.provider_diagnostic(
                    "E_TOOL_CALLS", f"tool_calls is {calls!r:.60}; expected a list", turn=_TURN, fault="protocol"
                )
            for raw in items(calls):
                self._call(raw)
        if get(event, "done") is True:
            said = word(get(event, "done_reason"))
            tokens = get(event, "eval_count")
            if type(tokens) is int:
                self._sink.usage(tokens)
            self._over = True
            self._sink.turn_end(_TURN, END_REASONS.get(said or "", "unknown"), said)

    def source_ended(self, end: SourceEnd) -> None:
        """Conclude nothing: only the line with `done` ends a response."""

    def _call(self, raw: Any) -> None:
        function = get(raw, "function")
        key = f"{self._calls}"
        self._sink.call_start(
            key, id=text_of(get(raw, "id")), index=self._calls, name=text_of(get(function, "name")), turn=_TURN
        )
        self._calls += 1
        # Compatible servers send a string: the model's own text.
        arguments = get(function, "arguments")
        push_arguments(self._sink, key, arguments)
        if not arguments:
            refuse_misplaced(self._sink, key, function, "arguments")
            refuse_misplaced(self._sink, key, raw)
        self._sink.call_end(key)
