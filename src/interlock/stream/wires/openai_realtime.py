r"""OpenAI Realtime (GA and beta events; Azure and xAI speak it too), as JSON messages of a socket.

One call on the wire::

    response.created                        {"response": {"id": "r1"}}
    response.output_item.added              {"response_id": "r1", "output_index": 0, "item": {"id": "i1",
                                             "type": "function_call", "call_id": "c1", "name": "f"}}
    response.function_call_arguments.delta  {"response_id": "r1", "item_id": "i1", "call_id": "c1", "delta": "{}"}
    response.function_call_arguments.done   {"response_id": "r1", "item_id": "i1", "call_id": "c1", "arguments": "{}"}
    response.output_item.done               {"response_id": "r1", "item": {..., "status": "completed"}}
    response.done                           {"response": {"id": "r1", "status": "completed", "output": [...]}}

Identity: (`response_id`, `item_id`), since several responses may be in flight
on one connection; `output_index` and `call_id` must agree with them. End of a
call: `response.output_item.done`. That event and `arguments.done` are sent when
a response is interrupted, too: they say that nothing more follows, and no more.
End of the turn: `response.done`, which always comes; its `status` tells. Text or sound of
a response with calls, after its own end, contradicts it.

The protocol states the arguments up to four times; all copies that are there
must be equal, and so must be what the item is, which says who runs it. `error`
is about a client event and ends nothing.

The connection outlives its responses: finish a guard with `still_open`. The
server repeats every item of the conversation, so also the client's own
`function_call_output`: after the response's end that is how a conversation goes
on, and uses up the right to run the call; before it, or as an item of a response,
it says that something else ran the call. One without a `call_id` may be any call's.

Source:
    platform.openai.com/docs/api-reference/realtime-server-events (read
    2026-11-30); types of the Python SDK openai 3.57.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from interlock.stream.access import get, items, text_of, word
from interlock.stream.events import Sink
from interlock.stream.wires import Traits
from interlock.vocabulary import EndReason, SourceEnd

__all__ = ["END_REASONS", "SOURCE_KEY", "Adapter", "recognises"]

SOURCE_KEY: Final = "`response_id` and `item_id`, which `output_index` and `call_id` must agree with"

# The `status` of `response.done`, or for `incomplete` the `reason` of its `status_details`.
END_REASONS: Final[Mapping[str, EndReason]] = {
    "completed": "complete",
    "cancelled": "cancelled",
    "turn_detected": "cancelled",
    "client_cancelled": "cancelled",
    "max_output_tokens": "length",
    "content_filter": "content_filtered",
    "failed": "provider_error",
    "incomplete": "unknown",
    "in_progress": "unknown",
}

_CALLS: Final = ("function_call", "mcp_call")
# The model's words and its voice, in the beta and in the GA spelling.
_OUTPUT: Final = (
    "response.audio.delta",
    "response.output_audio.delta",
    "response.text.delta",
    "response.output_text.delta",
    "response.audio_transcript.delta",
    "response.output_audio_transcript.delta",
)
_OWN: Final = (
    "session.",
    "conversation.item.",
    "conversation.created",
    "input_audio_buffer.",
    "output_audio_buffer.",
    "rate_limits.",
)


def recognises(event: Any) -> int:
    """Rate how well an event fits this wire: 0 not at all, 1 maybe, 2 surely."""
    kind = get(event, "type")
    if not isinstance(kind, str):
        return 0
    if kind.startswith(_OWN) or kind == "response.done":
        return 2
    if not kind.startswith("response."):
        return 1 if kind in ("error", "ping") and get(event, "event_id") is not None else 0
    # The Responses wire has the same words; its events are numbered.
    if get(event, "sequence_number") is not None:
        return 0
    named = get(event, "event_id") is not None or get(event, "response_id") is not None
    return 3 if named else 1


class _Item:
    """A call item while its events come."""

    __slots__ = ("arguments_done", "call_id", "client", "empty", "ended", "key", "name", "position")

    def __init__(self, key: str, client: bool) -> None:
        self.key = key
        self.client = client
        self.position: int | None = None
        self.call_id: str | None = None
        self.name: str | None = None
        self.arguments_done = False
        self.empty = False  # the whole text was stated, as empty
        self.ended = False


class _Response:
    """One response: a turn of its own."""

    __slots__ = ("done", "items", "positions", "turn")

    def __init__(self, turn: str) -> None:
        self.turn = turn
        self.items: dict[str, _Item] = {}
        self.positions: dict[int, str] = {}  # output_index -> item id
        self.done = False


class Adapter:
    """Translates the events of one connection."""

    traits: ClassVar[Traits] = Traits(framing="none", calls_end=True, ends="turn", repeats_text=True)

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._responses: dict[str, _Response] = {}

    def push(self, event: Any) -> None:
        """Translate one event."""
        kind = get(event, "type")
        if kind == "response.function_call_arguments.delta" or kind == "response.mcp_call_arguments.delta":
            response, item = self._item_of(event)
            if item is None:
                self._violation(response, f"a delta for item {get(event, 'item_id')!r}, which was never added")
                return
            if item.arguments_done:
                self._violation(response, "a delta after the arguments were done", item)
            delta = get(event, "delta")
            # Anything but a string is passed on as well: the call's arguments are not whole then.
            if delta or type(delta) is not str:
                self._sink.arguments_delta(item.key, delta)
        elif kind == "response.output_item.added":
            self._output(get(event, "item"))
            self._item(event, get(event, "item"))
        elif kind == "response.function_call_arguments.done" or kind == "response.mcp_call_arguments.done":
            self._arguments_done(event, "function_call" if "function" in kind else "mcp_call")
        elif kind == "response.output_item.done":
            self._output(get(event, "item"))
            self._item_done(event, get(event, "item"))
        elif kind == "response.done":
            self._done(get(event, "response"))
        elif kind in _OUTPUT:
            known = self._responses.get(text_of(get(event, "response_id")) or "")
            if known is not None and known.done and known.items:
                self._violation(known, f"{kind} after the response's end")
        elif kind in ("conversation.item.created", "conversation.item.added", "conversation.item.done"):
            item = get(event, "item")
            if get(item, "type") == "function_call_output":
                self._sink.tool_executed(text_of(get(item, "call_id")), own=True)
        elif kind == "error":
            error = get(event, "error")
            said = word(get(error, "code")) or word(get(error, "type")) or "error"
            self._sink.provider_diagnostic("W_CLIENT_EVENT_REFUSED", f"the server reports {said!r} for a client event")

    def source_ended(self, end: SourceEnd) -> None:
        """Conclude nothing: only `response.done` ends a response."""

    # -- inside --------------------------------------------------------------

    def _output(self, item: Any) -> None:
        """Report a result among a response's own items: no client put it there."""
        kind = get(item, "type")
        if isinstance(kind, str) and kind.endswith("_call_output"):
            self._sink.tool_executed(text_of(get(item, "call_id")))

    def _response(self, id: Any) -> _Response:
        name = text_of(id) or ""
        response = self._responses.get(name)
        if response is None:
            self._sink.crowded()
            response = self._responses[name] = _Response(f"response-{name}")
        return response

    def _item_of(self, event: Any) -> tuple[_Response, _Item | None]:
        """Return the item that an event names, after holding its other names against it."""
        response = self._response(get(event, "response_id"))
        id = text_of(get(event, "item_id"))
        item = response.items.get(id or "")
        if item is not None:
            self._agree(response, item, event, id)
        return response, item

    def _agree(self, response: _Response, item: _Item, event: Any, id: str | None) -> None:
        position = get(event, "output_index")
        if type(position) is int:
            if item.position is None:
                item.position = position
                if response.positions.setdefault(position, id or "") != (id or ""):
                    self._violation(response, f"two items have the output_index {position}")
            elif item.position != position:
                self._violation(response, f"an item has the output_index {item.position} and {position}")
        self._same(response, item, "call_id", text_of(get(event, "call_id")))
        self._same(response, item, "name", text_of(get(event, "name")))

    def _same(self, response: _Response, item: _Item, field: str, value: str | None) -> None:
        if value is None:
            return
        known = getattr(item, field)
        if known is None:
            setattr(item, field, value)
            if field == "name":
                self._sink.name_delta(item.key, value)
            else:
                self._sink.call_identity(item.key, id=value)
        elif known != value:
            self._violation(response, f"an item has two values of {field}: {known!r} and {value!r}", item)

    def _item(self, event: Any, raw: Any, kind: str | None = None) -> _Item | None:
        """Open the call of an item, `None` when the item is no call."""
        kind = kind or get(raw, "type")
        if kind not in _CALLS:
            return None
        response = self._response(get(event, "response_id"))
        id = text_of(get(raw, "id")) or text_of(get(event, "item_id")) or ""
        if id in response.items:
            self._violation(response, f"the item {id!r} was added twice", response.items[id])
            return None
        client = kind == "function_call"
        item = response.items[id] = _Item(f"{response.turn}/{id}", client)
        position = get(event, "output_index")
        item.call_id = text_of(get(raw, "call_id")) or text_of(get(event, "call_id"))
        item.name = text_of(get(raw, "name")) or text_of(get(event, "name"))
        self._sink.call_start(
            item.key,
            id=item.call_id or (None if client else id),
            index=position if type(position) is int else None,
            name=item.name,
            turn=response.turn,
            server_executed=not client,
        )
        self._agree(response, item, event, id)
        return item

    def _arguments_done(self, event: Any, kind: str) -> None:
        response, item = self._item_of(event)
        if item is None:
            # The event names everything that a call needs; some servers send nothing else.
            item = self._item(event, None, kind)
            if item is None:
                return
        else:
            self._same_kind(response, item, kind)
        if item.arguments_done:
            self._violation(response, "the arguments of an item were done twice", item)
        item.arguments_done = True
        self._final(response, item, get(event, "arguments"))

    def _item_done(self, event: Any, raw: Any) -> None:
        response = self._response(get(event, "response_id"))
        item = response.items.get(text_of(get(raw, "id")) or "") or self._item(event, raw)
        if item is None:
            return
        if item.ended:
            self._violation(response, "an item was done twice", item)
            return
        self._compare(response, item, raw)
        self._end(item, raw)

    def _end(self, item: _Item, raw: Any) -> None:
        item.ended = True
        status = word(get(raw, "status"))
        self._sink.call_end(item.key, "complete" if status in (None, "completed") else "unknown")

    def _compare(self, response: _Response, item: _Item, raw: Any) -> None:
        """Hold a later copy of an item against what came before."""
        self._same_kind(response, item, word(get(raw, "type")))
        self._same(response, item, "call_id", text_of(get(raw, "call_id")))
        self._same(response, item, "name", text_of(get(raw, "name")))
        self._final(response, item, get(raw, "arguments"))

    def _same_kind(self, response: _Response, item: _Item, kind: str | None) -> None:
        known = _CALLS[0] if item.client else _CALLS[1]
        if kind not in (None, known):
            self._violation(response, f"an item is a {known!r}, and a {kind!r} in a later copy", item)

    def _final(self, response: _Response, item: _Item, text: Any) -> None:
        """Take a copy of the whole text; the coordinator compares it with the deltas."""
        if not isinstance(text, str):
            if text is not None:
                self._sink.arguments_value(item.key, text)
            return
        if item.empty and text:
            self._violation(response, "the arguments of an item are empty, and not in a later copy", item)
        item.empty = not text
        self._sink.arguments_final(item.key, text)

    def _done(self, raw: Any) -> None:
        response = self._response(get(raw, "id"))
        details = get(raw, "status_details")
        status = word(get(raw, "status"))
        said = word(get(details, "reason")) or status
        reason = END_REASONS.get(status or "", "unknown")
        if status == "incomplete":
            reason = END_REASONS.get(said or "", "unknown")
            reason = "unknown" if reason == "complete" else reason
        tokens = get(get(raw, "usage"), "output_tokens")
        if type(tokens) is int:
            self._sink.usage(tokens)
        output = items(get(raw, "output"))
        for one in output:
            self._output(one)
        if reason == "complete" and output:
            self._compare_output(response, output)
        for item in response.items.values():
            if item.arguments_done and not item.ended:
                item.ended = True
                self._sink.call_end(item.key)
        response.done = True
        self._sink.turn_end(response.turn, reason, said)

    def _compare_output(self, response: _Response, output: list[Any]) -> None:
        rest = {id: item for id, item in response.items.items() if item.client}
        for raw in output:
            if get(raw, "type") != "function_call":
                known = response.items.get(text_of(get(raw, "id")) or "")
                if known is not None:
                    self._same_kind(response, known, word(get(raw, "type")))
                continue
            item = rest.pop(text_of(get(raw, "id")) or "", None)
            if item is None:
                self._violation(
                    response, f"the final output holds a call {get(raw, 'call_id')!r} that was never streamed"
                )
                continue
            self._compare(response, item, raw)
            status = word(get(raw, "status"))
            if status not in (None, "completed"):
                self._violation(response, f"a completed response holds a call that is {status!r}", item)
        for item in rest.values():
            self._violation(response, "a call was streamed, but is not in the final output", item)

    def _violation(self, response: _Response, message: str, item: _Item | None = None) -> None:
        if item is None:
            self._sink.provider_diagnostic("E_REALTIME_CONTRADICTION", message, turn=response.turn, fault="protocol")
        else:
            self._sink.provider_diagnostic("E_REALTIME_CONTRADICTION", message, key=item.key, fault="protocol")
