r"""OpenAI Responses, streamed.

One call on the wire::

    response.output_item.added              {"output_index": 0, "item": {"type": "function_call", "id": "fc_1",
                                             "call_id": "call_1", "name": "f", "arguments": ""}}
    response.function_call_arguments.delta  {"output_index": 0, "item_id": "fc_1", "delta": "{\"a\":1}"}
    response.function_call_arguments.done   {"output_index": 0, "item_id": "fc_1", "arguments": "{\"a\":1}"}
    response.output_item.done               {"output_index": 0, "item": {..., "status": "completed"}}
    response.completed                      {"response": {"status": "completed", "output": [...]}}

Identity: the response and the item (`output_index`, with `item_id`, which must
agree). Results are answered to `call_id`. End of a call:
`response.output_item.done`; a `status` other than `completed` says that the
call was cut. End of the turn: the response's terminal event, which is
`response.completed`, `.incomplete` or `.failed`. Some backends (Codex) send
`response.done` instead, or after it: its `status` tells what it ends, and none
tells nothing. After another terminal event it is a repetition, which must agree.

The protocol states the arguments up to four times (deltas, `arguments.done`,
`output_item.done`, the terminal event's `output`). All copies that are there
must be equal; an empty `output` is absence, not disagreement. The kind of an
item, its id, its `name` and `namespace` must agree as well. `sequence_number`,
where given, has no gap: a gap means that events were lost. Each response may
count anew.

A `namespace` is part of the tool's name: `f` in `crm` is `crm.f`. Tools that a
tool search loaded one by one have their own name as namespace, and stay `f`.

GitHub Copilot gives every event of an item another `item_id`, known nowhere
else. The `output_index` then names the item, and the ids are a remark, on three
conditions: the index is there and known, the id is no other item's, and a copy
of its own states the whole arguments. So an event of another response, or of an item at a
wrong index, cannot slip in: its text makes the deltas differ from the copy, and
its id, once it opened an item, contradicts the index. An unknown id without a
known index names nothing, and is a violation. The copy has the item's own id or
its `call_id`, as `output_item.done` and the final output do: one that has only
the index may be of the same stranger as the deltas. An item that opened with a
`call_id` alone is treated alike.

A result (`function_call_output` and everything else that ends in
`_call_output`) of a call that the provider does not run is evidence that a
proxy ran it. What comes after the terminal event, before the next
`response.created`, is late.

Events with a `stream_id` are those of several responses at once: each id has a
state of its own.

Whose call: `function_call` and `custom_tool_call` (free text) are the client's.
Calls with fields of their own in place of arguments (`local_shell_call`,
`apply_patch_call`, `computer_call`, client-side `shell_call` and
`tool_search_call`) come as objects only: projections. Everything else that ends
in `_call` is run by the provider, and so is an MCP call that waits for approval.

Source:
    platform.openai.com/docs/api-reference/responses-streaming (read 2026-11-30);
    types of the Python SDK openai 3.57.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from interlock.stream.access import get, items, text_of, word
from interlock.stream.events import Sink
from interlock.stream.wires import Traits
from interlock.stream.wires.fragments import plain_error, refuse_misplaced
from interlock.vocabulary import EndReason, SourceEnd

__all__ = ["END_REASONS", "FAILURES", "SOURCE_KEY", "Adapter", "recognises"]

SOURCE_KEY: Final = "the response and the item's `output_index`, which `item_id` must agree with"

# The `reason` of `response.incomplete`, and the `status` of the terminal response.
END_REASONS: Final[Mapping[str, EndReason]] = {
    "completed": "complete",
    "max_output_tokens": "length",
    "max_messages": "length",
    "content_filter": "content_filtered",
    "steered": "cancelled",  # stopped at a safe boundary; a successor follows
    "cancelled": "cancelled",
    "failed": "provider_error",
}

# The `error.code` of `response.failed`, where it is a policy's doing; any other code is a provider error.
FAILURES: Final[Mapping[str, EndReason]] = {
    "bio_policy": "content_filtered",
    "misalignment_policy_violation": "content_filtered",
    "image_content_policy_violation": "content_filtered",
    "invalid_prompt": "content_filtered",
}

# Items with fields of their own: the field that says what to do.
_ITEM_CALLS: Final[Mapping[str, str]] = {
    "local_shell_call": "action",
    "shell_call": "action",
    "apply_patch_call": "operation",
    "computer_call": "action",
    "tool_search_call": "arguments",
}
_BEGINNINGS: Final = ("response.created", "response.in_progress", "response.queued")
_TERMINALS: Final = ("response.completed", "response.incomplete", "response.failed", "response.done")
# What `response.done` stands for, by its status.
_DONE: Final[Mapping[str | None, str]] = {
    "completed": "response.completed",
    "incomplete": "response.incomplete",
    "failed": "response.failed",
}


def recognises(event: Any) -> int:
    """Rate how well an event fits this wire: 0 not at all, 1 maybe, 2 surely."""
    kind = get(event, "type")
    if not isinstance(kind, str):
        return 0
    # The same words are used by the realtime wire, whose events carry an event id and no number.
    if not kind.startswith("response.") or kind == "response.done" or get(event, "event_id") is not None:
        return 0
    return 1 if kind in _BEGINNINGS and get(event, "sequence_number") is None else 2


class _Item:
    """A call item while its events come."""

    __slots__ = (
        "adrift",
        "arguments_done",
        "call_id",
        "client",
        "ended",
        "given",
        "id",
        "key",
        "kind",
        "name",
        "namespace",
        "position",
        "reported",
        "server",
        "stated",
        "whole",
    )

    def __init__(self, key: str, position: int) -> None:
        self.key = key
        self.position = position
        self.id: str | None = None
        self.call_id: str | None = None
        self.kind: str | None = None
        self.name: str | None = None
        self.namespace: str | None = None
        self.client = False  # a call that the client runs, with arguments as text
        self.server = False  # a call that the provider runs
        self.given: str | None = None  # text that the item opened with, not yet found in the whole text
        self.whole: str | None = None  # the last copy of the whole text
        self.arguments_done = False
        self.ended = False
        self.reported = False  # the sink knows it as a call
        self.adrift = False  # events named it by ids that are known nowhere else
        self.stated = False  # the whole text was stated, by a copy with the item's own id or its call_id


class Adapter:
    """Translates the events of one Responses stream.

    Args:
        sink: Who is told.
        scope: A prefix for turns and source keys, for a wire that carries several such streams.
    """

    traits: ClassVar[Traits] = Traits(calls_end=True, ends="turn", repeats_text=True)

    def __init__(self, sink: Sink, scope: str = "") -> None:
        self._sink = sink
        self._scope = scope
        self._response: str | None = None
        self._responses = 0
        self._turn = f"{scope}response-0"
        self._ended = False
        self._end_reason: EndReason = "unknown"  # of the response that ended last
        self._refused = False
        self._client = False  # the response holds a call that the client runs
        self._refusal_told = False
        self._server_ids: set[str | None] = set()  # `id` and `call_id` of what the provider runs
        self._outputs: set[str | None] = set()  # `call_id` of each result that was told
        self._items: dict[int, _Item] = {}
        self._by_id: dict[str, _Item] = {}
        self._sequence: int | None = None
        self._lane: Any = None  # the `stream_id` of the events that this adapter reads
        self._lanes: dict[str, Adapter] = {}  # the others

    def push(self, event: Any) -> None:
        """Translate one event."""
        lane = get(event, "stream_id")
        if lane is not None and lane != self._lane:
            if self._lane is not None:
                self._other_lane(f"{lane}").push(event)
                return
            self._lane = lane
        kind = get(event, "type")
        number = get(event, "sequence_number")
        if type(number) is int:
            last = self._sequence
            if last is not None and number != last + 1 and not (number < last and self._begins_anew(kind, event)):
                self._sink.events_lost(f"sequence_number {number} follows {last}: events are missing")
            self._sequence = number
        if kind == "response.function_call_arguments.delta" or kind == "response.custom_tool_call_input.delta":
            item = self._item_of(event)
            if item is not None and item.reported:
                if item.arguments_done:
                    self._violation(f"a delta for item {item.position} after its arguments were done", item)
                delta = get(event, "delta")
                # Anything but a string is passed on as well: the call's arguments are not whole then.
                if delta or type(delta) is not str:
                    self._sink.arguments_delta(item.key, delta)
        elif kind == "response.output_item.added":
            self._added(get(event, "output_index"), get(event, "item"))
        elif kind == "response.function_call_arguments.done":
            self._arguments_done(event, get(event, "arguments"))
        elif kind == "response.custom_tool_call_input.done":
            self._arguments_done(event, get(event, "input"))
        elif kind == "response.output_item.done":
            self._item_done(get(event, "output_index"), get(event, "item"))
        elif kind in _TERMINALS:
            self._terminal(kind, get(event, "response"))
        elif kind == "response.created" or kind == "response.in_progress" or kind == "response.queued":
            self._begin(text_of(get(get(event, "response"), "id")))
        elif kind == "response.refusal.delta" or kind == "response.refusal.done":
            self._refusal()
        elif kind == "response.content_part.added" or kind == "response.content_part.done":
            if get(get(event, "part"), "type") == "refusal":
                self._refusal()
        elif kind == "error":
            error = get(event, "error") or event
            self._sink.stream_end("provider_error", word(get(error, "code")) or word(get(error, "type")) or "error")
        elif kind is None:
            said = plain_error(event)
            if said is not None:
                self._sink.stream_end("provider_error", said)
        elif isinstance(kind, str) and kind.startswith("response."):
            self._other(kind, event)

    def source_ended(self, end: SourceEnd) -> None:
        """Conclude nothing: only a terminal event ends a response."""

    # -- inside --------------------------------------------------------------

    def _other_lane(self, lane: str) -> Adapter:
        known = self._lanes.get(lane)
        if known is None:
            self._sink.crowded()
            known = self._lanes[lane] = Adapter(self._sink, f"{self._scope}lane-{lane}/")
            known._lane = lane
        return known

    def _other(self, kind: str, event: Any) -> None:
        """Take an event that is about no client's call: such a call's own arguments in it, or one that is late."""
        if kind.startswith("response.mcp_call_arguments."):
            index, id = get(event, "output_index"), text_of(get(event, "item_id"))
            item = (self._items.get(index) if type(index) is int else None) or self._by_id.get(id or "")
            if item is not None and item.client:
                self._violation(f"{kind} for item {item.position}, which is the client's call", item)
        elif self._ended and kind.endswith((".delta", ".added", ".done")):
            self._violation(f"{kind} after the response's end")

    def _is_new(self, id: str | None) -> bool:
        """Tell whether an event with this response id, which begins a response, begins another one."""
        return self._ended or (id is not None and self._response is not None and id != self._response)

    def _begins_anew(self, kind: Any, event: Any) -> bool:
        return kind in _BEGINNINGS and self._is_new(text_of(get(get(event, "response"), "id")))

    def _refusal(self) -> None:
        self._refused = True
        self._sink.turn_said(self._turn, "content_filtered", "refusal")
        if self._ended:
            self._report_refusal()

    def _report_refusal(self) -> None:
        if self._client and not self._refusal_told:
            self._refusal_told = True
            self._sink.provider_diagnostic(
                "E_REFUSED",
                "the response holds a refusal and a tool call",
                turn=self._turn,
                fault="content_filtered",
            )

    def _begin(self, id: str | None) -> None:
        if self._is_new(id):
            if not self._ended:
                self._sink.turn_replaced(self._turn)
            self._responses += 1
            self._turn = f"{self._scope}response-{self._responses}"
            self._ended = False
            self._refused = False
            self._client = False
            self._refusal_told = False
            self._items = {}
            self._by_id = {}
        self._response = id or self._response

    def _item_of(self, event: Any) -> _Item | None:
        index = get(event, "output_index")
        id = text_of(get(event, "item_id"))
        by_index = self._items.get(index) if type(index) is int else None
        by_id = self._by_id.get(id) if id is not None else None
        item = by_index or by_id
        if item is None:
            self._violation(f"an event for item {id or index!r}, which was never added")
        elif by_id is not None and by_id is not item:
            for one in (item, by_id):
                self._violation(f"output_index {index} and item_id {id!r} name different items", one)
        elif id is not None and id != item.id:
            self._name(item, id)
        return item

    def _name(self, item: _Item, id: str) -> None:
        """Take an id for an item that its position names; one that is known nowhere else is only odd."""
        if item.id is None and item.call_id is None:
            return  # it opened as nobody: what comes is all that it has
        known = self._by_id.get(id)
        if known is not None and known is not item:
            self._violation(f"item {item.position} is named {id!r}, as item {known.position} is", item)
        elif not item.adrift:
            item.adrift = True
            if item.reported:
                self._sink.provider_diagnostic(
                    "W_ITEM_ID",
                    f"item {item.position} opened as {item.id!r:.60} and goes on under other ids, known nowhere else; "
                    "its output_index names it",
                    key=item.key,
                )

    def _added(self, index: Any, raw: Any) -> _Item | None:
        if type(index) is not int or index < 0:
            self._violation(f"an item has the output_index {index!r}; expected a whole number")
            return None
        if index in self._items:
            self._violation(f"two items have the output_index {index}", self._items[index])
            return None
        if self._ended:
            self._violation(f"an item was added at {index} after the response's end")
        if self._sink.crowded():
            return None
        item = self._items[index] = _Item(f"{self._turn}/{index}", index)
        item.id = text_of(get(raw, "id"))
        if item.id is not None:
            self._by_id.setdefault(item.id, item)
        kind = item.kind = word(get(raw, "type"))
        if kind == "function_call" or kind == "custom_tool_call":
            item.client = self._client = True
        elif not _is_call(kind):
            self._result(kind, raw)
            return item
        item.reported = True
        item.call_id = text_of(get(raw, "call_id"))
        item.name = text_of(get(raw, "name")) or (None if item.client else kind)
        item.server = not item.client and not _client_item(kind, raw)
        if item.server:
            self._server_ids |= {item.id, item.call_id}
        name = item.name
        if item.client:
            item.namespace = text_of(get(raw, "namespace"))
            item.given = text_of(get(raw, _argument_field(raw)))
            name = _qualified(item)
        self._sink.call_start(
            item.key,
            id=item.call_id or (item.id if item.server else None),
            index=index,
            name=name,
            turn=self._turn,
            kind="text" if kind == "custom_tool_call" else "json",
            server_executed=item.server,
        )
        if item.client:
            self._oddities(item, raw)
        return item

    def _oddities(self, item: _Item, raw: Any) -> None:
        """Take arguments of a client's call that are no text, or in the wrong field."""
        field = _argument_field(raw)
        value = get(raw, field)
        if value is not None and not isinstance(value, str):
            self._sink.arguments_value(item.key, _as_dict(value))
        elif not value:
            refuse_misplaced(self._sink, item.key, raw, field)

    def _result(self, kind: str | None, raw: Any) -> None:
        """Report that a call was run, unless the provider's own was."""
        if kind is None or not (
            kind.endswith("_call_output") or (kind == "tool_search_output" and get(raw, "execution") == "client")
        ):
            return
        id = text_of(get(raw, "call_id"))
        if id not in self._outputs and (id is None or id not in self._server_ids):
            self._outputs.add(id)
            self._sink.tool_executed(id)

    def _arguments_done(self, event: Any, text: Any) -> None:
        item = self._item_of(event)
        if item is None or not item.reported:
            return
        if item.arguments_done:
            self._violation(f"the arguments of item {item.position} were done twice", item)
        own = _is_own(item, get(event, "item_id"), event)
        self._same(item, "name", text_of(get(event, "name")))
        self._same(item, "call_id", text_of(get(event, "call_id")))
        if isinstance(text, str):
            self._final(item, text, own=own)
        elif text is not None:
            self._sink.arguments_value(item.key, _as_dict(text))
        else:
            refuse_misplaced(self._sink, item.key, event)
        item.arguments_done = True

    def _item_done(self, index: Any, raw: Any) -> None:
        item = self._items.get(index) if type(index) is int else None
        if item is None:
            item = self._added(index, raw)
            if item is None:
                return
        if any(get(part, "type") == "refusal" for part in items(get(raw, "content"))):
            self._refusal()
        self._same_kind(item, raw)
        if not item.reported:
            self._result(word(get(raw, "type")), raw)
            if self._ended:
                self._violation(f"item {index!r} was done after the response's end")
            return
        if item.ended:
            self._violation(f"item {item.position} was done twice", item)
            return
        item.ended = True
        if item.client:
            id = text_of(get(raw, "id"))
            if id is not None and id != item.id:
                self._name(item, id)
            self._compare(item, raw)
            self._end(item, _finished(raw))
            return
        kind = word(get(raw, "type"))
        if _client_item(kind, raw):
            late = text_of(get(raw, "call_id"))
            if late is not None and item.call_id is None:
                item.call_id = late
                self._sink.call_identity(item.key, id=late)
            value = get(raw, _ITEM_CALLS[str(kind)])
            if value is not None:
                self._sink.arguments_value(item.key, _as_dict(value))
        else:
            # For whoever approves or logs what the provider runs; it is no authority.
            text = get(raw, "arguments")
            if isinstance(text, str) and text:
                self._sink.arguments_final(item.key, text)
        self._sink.call_end(item.key)

    def _same_kind(self, item: _Item, raw: Any) -> None:
        """Hold the kind of a later copy, and so who runs it, against what the item opened as."""
        kind = word(get(raw, "type"))
        if kind is not None and kind != item.kind and (item.reported or _is_call(kind)):
            self._violation(f"item {item.position} is a {item.kind!r}, and a {kind!r} in a later copy", item)
        elif item.reported and not item.client and not item.server and not _client_item(item.kind, raw):
            self._violation(f"item {item.position} is the client's to run, and not in a later copy", item)

    def _final(self, item: _Item, text: str, *, own: bool) -> None:
        """Take a copy of the whole text; the coordinator compares it with the deltas."""
        if item.whole == "" and text:
            self._violation(f"the arguments of item {item.position} are empty, and not in a later copy", item)
        item.whole = text
        item.stated |= own
        # An empty object is a filler, not a statement.
        if item.given is not None and item.given != "{}" and not text.startswith(item.given):
            self._violation(f"the arguments that item {item.position} opened with differ from its later ones", item)
        item.given = None
        self._sink.arguments_final(item.key, text)

    def _end(self, item: _Item, finished: bool) -> None:
        if item.given is not None and item.given != "{}":
            self._violation(f"item {item.position} opened with arguments that no later copy repeats", item)
        if item.adrift and not item.stated:
            self._violation(
                f"item {item.position} goes under several ids, and no copy with its own id or its call_id states its "
                "arguments",
                item,
            )
        self._sink.call_end(item.key, "complete" if finished else "unknown")

    def _compare(self, item: _Item, raw: Any) -> None:
        """Hold a later copy of an item against what came before."""
        own = _is_own(item, get(raw, "id"), raw)
        namespace = text_of(get(raw, "namespace"))
        if namespace is not None and namespace != item.namespace:
            if item.name is None:
                item.namespace = namespace
            elif item.namespace is not None or namespace != item.name:
                self._violation(
                    f"item {item.position} has two values of namespace: {item.namespace!r} and {namespace!r}", item
                )
        self._same(item, "name", text_of(get(raw, "name")))
        self._same(item, "call_id", text_of(get(raw, "call_id")))
        text = get(raw, _argument_field(raw))
        if isinstance(text, str):
            self._final(item, text, own=own)
        self._oddities(item, raw)

    def _same(self, item: _Item, field: str, value: str | None) -> None:
        if value is None:
            return
        known = getattr(item, field)
        if known is None:
            setattr(item, field, value)
            if field == "name":
                self._sink.name_delta(item.key, _qualified(item) or value)
            else:
                self._sink.call_identity(item.key, id=value)
        elif known != value:
            self._violation(f"item {item.position} has two values of {field}: {known!r} and {value!r}", item)

    def _terminal(self, kind: str, response: Any) -> None:
        self._begin_unless_known(response)
        reason, said = self._reason(kind, response)
        if self._ended:
            if kind == "response.done":
                self._repetition(response, reason, said)
                return
            self._sink.turn_end(self._turn, reason, said)  # a second end
            return
        tokens = get(get(response, "usage"), "output_tokens")
        if type(tokens) is int:
            self._sink.usage(tokens)
        output = items(get(response, "output"))
        if output:
            self._compare_output(output, reason)
        for item in self._items.values():
            if item.client and item.arguments_done and not item.ended:
                item.ended = True
                self._end(item, True)
        if self._refused:
            self._report_refusal()
        self._ended = True
        self._end_reason = reason
        self._sink.turn_end(self._turn, reason, said)

    def _repetition(self, response: Any, reason: EndReason, said: str) -> None:
        """Hold a `response.done` against the terminal event before it."""
        if get(response, "status") is not None and reason != self._end_reason:
            self._violation(f"response.done says {said!r}, and the response ended as {self._end_reason!r}")
        for raw in items(get(response, "output")):
            self._result(word(get(raw, "type")), raw)
            if get(raw, "type") not in ("function_call", "custom_tool_call"):
                continue
            said_of = (text_of(get(raw, "call_id")), text_of(get(raw, "name")), get(raw, _argument_field(raw)))
            if not any(
                all(value in (None, known) for value, known in zip(said_of, known_of, strict=True))
                for known_of in ((item.call_id, item.name, item.whole) for item in self._items.values() if item.client)
            ):
                self._violation(f"response.done holds a call {said_of[0]!r} that differs from what came before")

    def _begin_unless_known(self, response: Any) -> None:
        id = text_of(get(response, "id"))
        if self._response is None:
            self._response = id
        elif id is not None and id != self._response:
            self._violation(f"the terminal event is of response {id!r}, the stream of {self._response!r}")

    def _reason(self, kind: str, response: Any) -> tuple[EndReason, str]:
        status = word(get(response, "status"))
        detail = word(get(get(response, "incomplete_details"), "reason"))
        if kind == "response.done":
            kind = _DONE.get(status, kind)
        if kind == "response.failed":
            code = word(get(get(response, "error"), "code")) or "failed"
            return FAILURES.get(code, "provider_error"), code
        if kind == "response.incomplete":
            return END_REASONS.get(detail or "", "unknown"), detail or status or "incomplete"
        if kind == "response.done":
            # No status, or another word: it cannot confirm.
            reason = END_REASONS.get(status or "", "unknown")
            return ("unknown" if reason == "complete" else reason), status or "done"
        if status in (None, "completed") and detail is None and get(response, "error") is None:
            return "complete", status or "completed"
        # It says completed and something else at once.
        return "unknown", detail or status or "completed"

    def _compare_output(self, output: list[Any], reason: EndReason) -> None:
        rest = {item.position: item for item in self._items.values() if item.client}
        by_id: dict[str, _Item] = {}
        by_call_id: dict[str, _Item] = {}
        for item in rest.values():
            if item.id is not None:
                by_id.setdefault(item.id, item)
            if item.call_id is not None:
                by_call_id.setdefault(item.call_id, item)
        for raw in output:
            found = by_id.get(text_of(get(raw, "id")) or "")
            if get(raw, "type") not in ("function_call", "custom_tool_call"):
                if any(get(part, "type") == "refusal" for part in items(get(raw, "content"))):
                    self._refused = True
                self._result(word(get(raw, "type")), raw)
                if found is not None:
                    self._same_kind(found, raw)
                continue
            if found is None or found.position not in rest:
                found = by_call_id.get(text_of(get(raw, "call_id")) or "")
            if found is None or found.position not in rest:
                self._violation(f"the final output holds a call {get(raw, 'call_id')!r} that was never streamed")
                continue
            del rest[found.position]
            self._same_kind(found, raw)
            self._compare(found, raw)
            if not _finished(raw):
                self._unfinished(found, word(get(raw, "status")), reason)
        for item in rest.values():
            self._violation(f"item {item.position} was streamed, but is not in the final output", item)

    def _unfinished(self, item: _Item, status: str | None, reason: EndReason) -> None:
        """Take a final copy that says its call is not whole."""
        if not item.ended:
            item.ended = True
            self._sink.call_end(item.key, "unknown")
        elif reason == "complete":
            self._violation(f"a completed response holds a call that is {status!r}", item)

    def _violation(self, message: str, item: _Item | None = None) -> None:
        if item is not None and item.reported:
            self._sink.provider_diagnostic("E_RESPONSES_CONTRADICTION", message, key=item.key, fault="protocol")
        else:
            self._sink.provider_diagnostic("E_RESPONSES_CONTRADICTION", message, turn=self._turn, fault="protocol")


def _argument_field(raw: Any) -> str:
    return "input" if get(raw, "type") == "custom_tool_call" else "arguments"


def _is_own(item: _Item, id: Any, raw: Any) -> bool:
    """Tell whether a copy names the item by its own id or its call_id, not by its position alone."""
    call_id = text_of(get(raw, "call_id"))
    return (item.id is not None and id == item.id) or (call_id is not None and call_id == item.call_id)


def _is_call(kind: str | None) -> bool:
    return kind is not None and (kind.endswith("_call") or kind in ("mcp_approval_request", "program"))


def _qualified(item: _Item) -> str | None:
    """Return the name of a client's tool, with its namespace."""
    if item.name is None or item.namespace is None or item.namespace == item.name:
        return item.name
    return f"{item.namespace}.{item.name}"


def _finished(raw: Any) -> bool:
    """Tell whether a call item's status lets it count as whole; no status says nothing against it."""
    status = word(get(raw, "status"))
    if status == "in_progress":
        # A call made by a program item waits for its output: it is done, the program is in progress.
        return bool(get(get(raw, "caller"), "type") == "program")
    return status in (None, "completed")


def _client_item(kind: Any, raw: Any) -> bool:
    """Tell whether an item with fields of its own is the client's to run."""
    if not isinstance(kind, str) or kind not in _ITEM_CALLS:
        return False
    if kind == "shell_call":
        environment = get(raw, "environment")
        return environment is None or bool(get(environment, "type") == "local")
    if kind == "tool_search_call":
        return bool(get(raw, "execution") == "client")
    return True


def _as_dict(value: Any) -> Any:
    """Return an SDK's own object as a dict, where it offers that."""
    dump = getattr(value, "model_dump", None)
    return dump(mode="json", exclude_unset=True) if callable(dump) else value
