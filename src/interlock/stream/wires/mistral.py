r"""Mistral: Chat Completions and Conversations (Agents), streamed (API v1).

Chat is shaped like `openai_chat`, whose adapter reads it::

    {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "abc", "function":
                  {"name": "f", "arguments": "{\"a\":1}"}}]}, "finish_reason": "tool_calls"}]}

It differs: calls mostly come whole, in one chunk, often with the finish reason;
`arguments` is a string or an object (a projection); the id `"null"` and, in the
SDK's objects, the index 0 are fillers for what was not sent. So an index never
tells two calls apart that carry different ids, and no id is made of `"null"`.

Conversations send typed events::

    {"type": "function.call.delta", "tool_call_id": "t1", "name": "f", "arguments": "{\"a\":", "output_index": 0}
    {"type": "function.call.delta", "tool_call_id": "t1", "name": "f", "arguments": "1}", "output_index": 0}
    {"type": "conversation.response.done", "usage": {...}}

Identity there: `tool_call_id`; every event repeats the name. There is no end of
a call; `conversation.response.done` ends the turn, and carries no reason.
`confirmation_status` other than `allowed` holds the call. `tool.execution.*` are
connectors that Mistral runs. `function.result` comes from the SDK's own runner:
evidence that it ran the call.

A call without arguments is refused when some came after it for another
`tool_call_id` with the same name and `output_index`: one call under two ids
looks the same. So is a legal pair of such calls, the first of which has no
arguments; pairs in the other order, or at places of their own, pass.

The SDK wraps each event in an object with `data`.

Source:
    docs.mistral.ai/api (chat and beta conversations, read 2026-11-30); types of
    the Python SDK mistralai 3.7.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from interlock.stream.access import get, text_of, word
from interlock.stream.events import Sink
from interlock.stream.wires import openai_chat
from interlock.stream.wires.fragments import push_arguments, refuse_misplaced
from interlock.vocabulary import EndReason

__all__ = ["END_REASONS", "SOURCE_KEY", "Adapter", "recognises"]

SOURCE_KEY: Final = "chat: the choice's `index` with the tool call's `id` and `index`; conversations: `tool_call_id`"

END_REASONS: Final[Mapping[str, EndReason]] = {
    "stop": "complete",
    "tool_calls": "complete",
    "length": "length",
    "model_length": "length",
    "error": "provider_error",
    "conversation.response.done": "complete",
    "conversation.response.error": "provider_error",
}

_TURN: Final = "response"
_OWN: Final = ("function.call.", "tool.execution.", "conversation.response.", "message.output.", "agent.handoff.")


def recognises(event: Any) -> int:
    """Rate how well an event fits this wire: 0 not at all, 1 maybe, 2 surely."""
    data = get(event, "data")
    if data is not None:
        event = data
    kind = get(event, "type")
    if isinstance(kind, str) and kind.startswith(_OWN):
        return 2
    # Chat chunks are recognised as `openai_chat`, except for what only the SDK or this API sends.
    choices = get(event, "choices")
    if not isinstance(choices, list) or not choices:
        return 0
    content = get(get(choices[0], "delta"), "content")
    return 3 if data is not None or isinstance(content, list) else 0


class Adapter(openai_chat.Adapter):
    """Translates the events of one Mistral stream."""

    end_reasons: ClassVar[Mapping[str, EndReason]] = END_REASONS

    def __init__(self, sink: Sink) -> None:
        super().__init__(sink)
        self._names: dict[str, str | None] = {}  # tool_call_id -> name, in a conversation
        self._places: dict[str, tuple[int | None, str | None]] = {}  # tool_call_id -> output_index and name
        self._bare: dict[tuple[int | None, str | None], set[str]] = {}  # place -> its calls without arguments so far
        self._doubted: set[str] = set()  # those of them after which arguments came for another id in their place
        self._executions = 0

    def push(self, event: Any) -> None:
        """Translate one chunk or event."""
        data = get(event, "data")
        if data is not None:
            event = data
        kind = get(event, "type")
        if kind is None or get(event, "choices") is not None:
            super().push(event)
        elif kind == "function.call.delta":
            self._function_call(event)
        elif kind == "tool.execution.started":
            self._execution(event)
        elif kind == "function.result":  # the SDK's own runner tells what it ran
            self._sink.tool_executed(text_of(get(event, "tool_call_id")))
        elif kind == "conversation.response.done":
            self._usage(get(event, "usage"))
            self._settle_functions()
            self._sink.turn_end(_TURN, "complete", kind)
            self._sink.done_marker()
        elif kind == "conversation.response.error":
            self._sink.stream_end("provider_error", word(get(event, "code")) or "error")
        else:
            super().push(event)

    def _function_call(self, event: Any) -> None:
        id, name = text_of(get(event, "tool_call_id")), text_of(get(event, "name"))
        if id is None or id == "null":
            self._sink.provider_diagnostic(
                "E_CALL_ID", "a function.call.delta has no tool_call_id", turn=_TURN, fault="protocol"
            )
            return
        if id not in self._names:
            index = get(event, "output_index")
            self._names[id] = name
            place = self._places[id] = (index if type(index) is int else None, name)
            self._bare.setdefault(place, set()).add(id)
            self._sink.call_start(id, id=id, name=name, turn=_TURN)
        elif name is not None and name != self._names[id]:
            self._sink.provider_diagnostic(
                "E_NAME_CONFLICT",
                f"the call {id!r} has two names: {self._names[id]!r} and {name!r}",
                key=id,
                fault="protocol",
            )
        status = get(event, "confirmation_status")
        if status and word(status) != "allowed":
            self._sink.call_held(id, "cancelled" if status == "denied" else "paused")
        arguments = get(event, "arguments")
        push_arguments(self._sink, id, arguments)
        if arguments:
            bare = self._bare[self._places[id]]
            bare.discard(id)
            self._doubted |= bare
        else:
            refuse_misplaced(self._sink, id, event, "arguments")

    def _settle_functions(self) -> None:
        """Refuse a call without arguments when some came for another id in its place: they may be its own."""
        for id, place in self._places.items():
            if id in self._doubted and id in self._bare[place]:
                self._sink.provider_diagnostic(
                    "E_STRAY_ARGUMENTS",
                    f"the call {id!r} has no arguments, and another id took its place with some",
                    key=id,
                    fault="protocol",
                )

    def _execution(self, event: Any) -> None:
        """Report a connector that Mistral runs by itself."""
        key = f"execution-{self._executions}"
        self._executions += 1
        self._sink.call_start(
            key, id=text_of(get(event, "id")), name=text_of(get(event, "name")), turn=_TURN, server_executed=True
        )
        push_arguments(self._sink, key, get(event, "arguments"))
