r"""LangChain messages (langchain-core 1.8): the `AIMessageChunk`s of a model or of a graph.

One call on the wire::

    {"type": "AIMessageChunk", "id": "lc_run--1", "tool_call_chunks": [{"index": 0, "id": "c1", "name": "f"}]}
    {"type": "AIMessageChunk", "id": "lc_run--1", "tool_call_chunks": [{"index": 0, "args": "{\"a\":1}"}]}
    {"type": "AIMessageChunk", "id": "lc_run--1", "response_metadata": {"finish_reason": "tool_calls"}}

Push every chunk as it comes, not their sum. What a graph wraps messages in is
unwrapped: `(chunk, metadata)`, `(mode, item)`, `(namespace, item)`, `(namespace,
mode, item)`, the parts of `version="v2"`, the dicts of its mode `updates` and the
events of `astream_events`. Of a list, every entry is read; one that is not
understood is an event that was lost.

Identity: the message `id` and, within it, the `index` and `id` of a tool call
chunk, by the same rules as on the wire `openai_chat`: another id at a used
index is another call. Messages without an id are taken for one, until a fragment
could be of two calls. `tool_calls` of a chunk are never read: they are made anew
after each chunk by a parser that closes what was cut.

End of a call: none. End of the turn (a message): the provider's own word in
`response_metadata`: `finish_reason`, `stop_reason`, `stopReason`, `done_reason`,
or `status` with `incomplete_details`. It is looked up in the tables of all
provider wires; a word that merging made (`stopstop`) is in none of them, so the
sum of chunks that repeat their reason is unknown. `chunk_position` is made up
by the framework: it is no evidence. End of the stream: the clean end of the
source.

A whole `AIMessage` (a model that does not stream) holds parsed calls only: a
projection. Its `invalid_tool_calls` are malformed; those of a chunk are only
what is not whole yet, unless they carry an `error`. Content after a message's
end speaks against its calls. Server-side tools are told from the content blocks.

A `ToolMessage` is evidence that something ran the call, and so are `on_tool_start`,
`on_tool_end` and `on_tool_error`, which speak against every call where they name
none. The state (modes `values` and `checkpoints`) and what the events of a chain
carry hold the history as well: only the results of this stream's calls count
there, and no call is opened.

An interrupt of the graph pauses it, and none of its calls executes. It is shown
in the modes `updates`, `values`, `tasks` and `debug`, and by `astream_events`:
`stream_mode="messages"` alone cannot show it, so a graph that may wait for
somebody's approval must be streamed with `updates` too. `interrupt_before` and
`interrupt_after` show in `updates` and the events only.

Source:
    langchain-core 1.8.3 (messages/ai.py, messages/tool.py), langchain-openai
    1.7.4, langchain-anthropic 1.7.10.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, ClassVar, Final

from interlock.stream.access import get, items, text_of, word
from interlock.stream.events import Sink
from interlock.stream.wires import WIRES, Traits, openai_chat, openai_responses
from interlock.vocabulary import EndReason, SourceEnd

__all__ = ["END_REASONS", "SOURCE_KEY", "Adapter", "recognises"]

SOURCE_KEY: Final = "the message `id`, and the tool call chunk's `index` and `id` within it"


_PROVIDERS: Final = (
    "openai_chat",
    "openai_responses",
    "anthropic",
    "gemini",
    "bedrock_converse",
    "mistral",
    "cohere_v2",
    "ollama",
)


def _all_words() -> dict[str, EndReason]:
    """Join the tables of the provider wires; a word that means two things is unknown."""
    words: dict[str, EndReason] = {}
    for wire in _PROVIDERS:
        for said, reason in import_module(WIRES[wire]).END_REASONS.items():
            if "." not in said:  # with a dot it is the name of an event
                words[said] = reason if words.get(said, reason) == reason else "unknown"
    # A stop string ends a text on its own terms, but may cut a call; the providers' wires look at that too.
    return {**words, "stop_sequence": "unknown", "STOP_SEQUENCE": "unknown"}


END_REASONS: Final[Mapping[str, EndReason]] = _all_words()

_FIELDS = ("finish_reason", "stop_reason", "stopReason", "done_reason")
_CHUNKS = frozenset({"AIMessageChunk"})
_RESULTS = frozenset({"tool", "ToolMessageChunk"})
_MESSAGES = frozenset({"ai", "human", "HumanMessageChunk", "SystemMessageChunk"}) | _CHUNKS | _RESULTS
_STATES = frozenset({"values", "checkpoints", "custom"})  # modes whose items hold the history, or anything
_UPDATES = frozenset({"updates", "tasks", "debug"})  # modes whose items are what nodes gave back
_NO_NODES = ("type", "triggers", "next")  # of a debug event, a task that starts, a checkpoint
_MODES = frozenset({"messages"}) | _UPDATES | _STATES
_MAX_DEPTH = 6  # levels of an update or a state that are searched for messages
_SERVER_BLOCKS = frozenset(
    {
        "server_tool_use",
        "mcp_tool_use",
        "server_tool_call",
        "server_tool_call_chunk",
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_call",
    }
)


def recognises(event: Any) -> int:
    """Rate how well an event fits this wire: 0 not at all, 1 maybe, 2 surely."""
    for message in _shown(event):
        kind = text_of(get(message, "type"))
        if kind in _CHUNKS:
            return 2
        if kind in _MESSAGES and get(message, "response_metadata") is not None:
            return 2
    return 0


class _Message:
    """One message: a turn of its own."""

    __slots__ = ("at", "calls", "indexes", "late", "number", "reason", "refused", "servers")

    def __init__(self, number: int) -> None:
        self.number = number  # what the chunks are told to the inner adapter as: a choice
        self.at: dict[Any, set[str]] = {}  # of messages without an id: index -> ids of the calls that opened there
        self.calls = False
        self.indexes: dict[str, int] = {}  # indexes that are text, as numbers
        self.reason: str | None = None
        self.refused = False
        self.late = False  # content came after the reason
        self.servers: set[str] = set()

    @property
    def turn(self) -> str:
        """The name of the turn, as the inner adapter gives it."""
        return f"choice-{self.number}"


class Adapter:
    """Translates the messages of one stream; the fragments of calls go through the adapter of `openai_chat`."""

    traits: ClassVar[Traits] = Traits(framing="none", calls_end=False, ends="source", takes_lists=True)

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._fragments = openai_chat.Adapter(sink)
        self._by_id: dict[str | None, _Message] = {}
        self._ids: dict[str, int] = {}  # of all calls that came -> the number of their message
        self._running: set[str] = set()  # runs of tools that have started and not come back
        self._ran: set[str] = set()  # ids of the calls whose results were found in the state
        self._paused = False
        self._over = False

    def push(self, event: Any) -> None:
        """Translate one message, or what a graph wraps it in."""
        kind = get(event, "type")
        if isinstance(kind, str) and kind in _CHUNKS:
            self._chunk(event)
        else:
            self._item(event)

    def source_ended(self, end: SourceEnd) -> None:
        """Count a tool that was started, and never came back, as run; which call it was for is not known."""
        self._fragments.source_ended(end)
        if self._running:
            self._sink.tool_executed()
        self._over = True
        if self._paused:
            self._sink.stream_end("paused", "__interrupt__")

    # -- inside --------------------------------------------------------------

    def _item(self, event: Any, depth: int = 0) -> None:
        """Take what a graph or a caller wraps messages in."""
        mode, item = _unwrapped(event)
        if _interrupted(event) or _interrupted(item):
            self._pause()
        if mode in _STATES and not _is_message(item):
            self._results(item)
        elif _is_message(item):
            self._message_of(item, again=False)
        elif isinstance(item, list | tuple) and depth < _MAX_DEPTH:
            for entry in item:
                self._item(entry, depth + 1)
        elif isinstance(get(item, "event"), str):
            self._event(get(item, "event"), item)
        elif isinstance(item, Mapping) and items(item.get("tool_call_chunks")):
            self._sink.events_lost(f"a chunk has the type {item.get('type')!r:.60}; expected AIMessageChunk")
        elif isinstance(item, Mapping) or get(item, "update") is not None:
            self._update(item, labelled=mode in _UPDATES)
        elif mode not in _UPDATES and get(item, "type") is None and (depth or item is not event):
            self._sink.events_lost(f"a {type(item).__name__} in a list or tuple; expected a message or an update")

    def _pause(self) -> None:
        """Pause the graph when its source ends: nodes beside the one that waits go on, outer graphs tell it again."""
        self._paused = True
        if self._over:
            self._sink.stream_end("paused", "__interrupt__")  # too late, which is a fault

    def _message_of(self, message: Any, *, again: bool) -> None:
        """Take one message; `again` is set where the chunks of a message may have come before their sum."""
        kind = text_of(get(message, "type"))
        if kind in _RESULTS or get(message, "role") == "tool":
            self._sink.tool_executed(text_of(get(message, "tool_call_id")))
        elif kind == "ai":
            self._whole(message)
        elif kind in _CHUNKS:
            id, calls = text_of(get(message, "id")), items(get(message, "tool_call_chunks"))
            known = id in self._by_id if id is not None else any(text_of(get(c, "id")) in self._ids for c in calls)
            if not (again and known):
                self._chunk(message)

    def _update(self, item: Any, *, labelled: bool) -> None:
        """Take the update of a node, or of several; what may be the state shows results only."""
        task = _task(item)
        if task is not None:
            item = {"": get(task, "result")}
        elif any(isinstance(get(item, one), str) or _is_namespace(get(item, one)) for one in _NO_NODES):
            self._results(item)
            return
        if not isinstance(item, Mapping):
            item = {"": item}
        for update in item.values():
            direct = _is_message(update) or any(_is_message(one) for one in items(update))
            if direct and not labelled:
                self._results(update)
                continue
            for message in _found(update):
                self._message_of(message, again=True)

    def _results(self, state: Any) -> None:
        """Find results of this stream's calls among older ones."""
        for id in _answered(state):
            if id in self._ids and id not in self._ran:
                self._ran.add(id)
                self._sink.tool_executed(id)

    def _event(self, kind: str, event: Any) -> None:
        """Take one event of `astream_events`."""
        data = get(event, "data")
        if kind == "on_chat_model_stream":
            self._item(get(data, "chunk"))
        elif kind == "on_chat_model_end" and get(get(data, "output"), "type") == "ai":
            self._whole(get(data, "output"))
        elif kind.startswith("on_tool_"):
            self._tool_event(kind, f"{get(event, 'run_id')}", data)
        elif kind.startswith("on_chain_"):
            for field in ("chunk", "output", "input"):
                carried = get(data, field)
                if field != "input" and _interrupted(_unwrapped(carried)[1]):
                    self._pause()
                self._results(carried)

    def _tool_event(self, kind: str, run: str, data: Any) -> None:
        """Take the start of a tool (it does not say for which call), or its result or error."""
        if kind == "on_tool_start":
            self._sink.crowded()
            self._running.add(run)
        elif kind in ("on_tool_end", "on_tool_error"):
            self._running.discard(run)
            id = text_of(get(data, "tool_call_id"))
            for one in {id} if id is not None else _named(get(data, "output")) or [None]:
                self._sink.tool_executed(one)

    def _fresh(self) -> _Message:
        """Make a message that nothing more can come for."""
        self._sink.crowded()
        message = self._by_id[f"\0{len(self._by_id)}"] = _Message(len(self._by_id))
        return message

    def _message(self, raw: Any) -> _Message:
        id = text_of(get(raw, "id"))
        message = self._by_id.get(id)
        if message is None:
            self._sink.crowded()
            message = self._by_id[id] = _Message(len(self._by_id))
        return message

    def _chunk(self, raw: Any) -> None:
        message = self._message(raw)
        if message.reason is not None and not message.late and text_of(get(raw, "id")) is not None:
            message.late = openai_chat.says(get(raw, "content"))
            if message.late:
                self._sink.provider_diagnostic(
                    "E_LATE_EVENT",
                    f"content after the message's end ({message.reason})",
                    turn=message.turn,
                    fault="protocol",
                )
        fragments = [
            {
                "index": _number(message, get(entry, "index")),
                "id": get(entry, "id"),
                "function": {"name": get(entry, "name"), "arguments": get(entry, "args")},
            }
            for entry in items(get(raw, "tool_call_chunks"))
        ]
        if fragments:
            if text_of(get(raw, "id")) is None:
                self._attribute(message, fragments)
            self._feed(message, fragments)
        # While chunks come, the framework lists here what is not whole yet; with an `error` it is somebody's verdict.
        self._invalid(message.number, items(get(raw, "invalid_tool_calls")), errors_only=True)
        self._content(message, raw)
        self._end(message, get(raw, "response_metadata"), carries=bool(fragments))

    def _whole(self, raw: Any) -> None:
        """Take a message that did not come in chunks; one that did adds nothing."""
        valid, invalid = items(get(raw, "tool_calls")), items(get(raw, "invalid_tool_calls"))
        calls = [*valid, *invalid]
        own = text_of(get(raw, "id"))
        known = self._by_id.get(own)
        if own is None and calls and all(text_of(get(call, "id")) is not None for call in calls):
            known = None  # messages without an id are not one; their calls tell a repetition
        if known is not None or any(text_of(get(call, "id")) in self._ids for call in calls):
            self._invalid(None if known is None else known.number, invalid, errors_only=True)
            return
        message = self._message(raw) if own is not None or None not in self._by_id else self._fresh()
        parsed = [
            {
                "index": at,
                "id": get(call, "id"),
                "function": {"name": get(call, "name"), "arguments": get(call, "args")},
            }
            for at, call in enumerate(calls)
        ]
        if parsed:
            self._feed(message, parsed)
        self._invalid(message.number, invalid, first=len(valid))
        self._content(message, raw)
        self._end(message, get(raw, "response_metadata"), carries=False)

    def _invalid(self, number: int | None, calls: list[Any], *, first: int = 0, errors_only: bool = False) -> None:
        """Refuse the calls that the framework could not parse."""
        for at, call in enumerate(calls, first):
            error = get(call, "error")
            if errors_only and error is None:
                continue
            id = text_of(get(call, "id"))
            where = self._ids.get(id or "", number)
            self._sink.provider_diagnostic(
                "E_SDK_INVALID",
                f"the framework could not parse the call {id!r}: {error}",
                key=None if where is None else self._fragments.find(where, id, at),
                turn=None if where is None else f"choice-{where}",
                fault="malformed",
            )

    def _attribute(self, message: _Message, fragments: list[dict[str, Any]]) -> None:
        """Refuse a fragment that may belong to either of two messages, as neither its message nor its call is named."""
        for fragment in fragments:
            index, id = fragment["index"], text_of(fragment["id"])
            opened = message.at.setdefault(index if isinstance(index, int) else None, set())
            if id is not None:
                opened.add(id)
            elif len(opened) > 1:
                self._sink.provider_diagnostic(
                    "E_FRAGMENT_UNNAMED",
                    f"a fragment at index {index!r} names neither its message nor its call, and {len(opened)} calls "
                    "opened there; expected the id of either",
                    turn=message.turn,
                    fault="protocol",
                )

    def _feed(self, message: _Message, fragments: list[dict[str, Any]]) -> None:
        message.calls = True
        for fragment in fragments:
            id = text_of(fragment["id"])
            if id is not None:
                self._ids.setdefault(id, message.number)
        self._fragments.push({"choices": [{"index": message.number, "delta": {"tool_calls": fragments}}]})

    def _content(self, message: _Message, raw: Any) -> None:
        """Find refusals, and tools that the provider runs."""
        if get(get(raw, "additional_kwargs"), "refusal"):
            self._refuse(message)
        content = get(raw, "content")
        if type(content) is not list:
            return
        for block in content:
            kind = text_of(get(block, "type"))
            if kind == "refusal":
                self._refuse(message)
            elif kind in _SERVER_BLOCKS:
                id = text_of(get(block, "id"))
                name = f"{id or get(block, 'index')}"
                if name not in message.servers:
                    message.servers.add(name)
                    self._sink.call_start(
                        f"{message.turn}/server:{name}",
                        id=id,
                        name=text_of(get(block, "name")) or str(kind),
                        turn=message.turn,
                        server_executed=True,
                    )

    def _refuse(self, message: _Message) -> None:
        message.refused = True
        self._sink.turn_said(message.turn, "content_filtered", "refusal")

    def _end(self, message: _Message, metadata: Any, *, carries: bool) -> None:
        reason, said = _reason(metadata)
        if said is None or (said == message.reason and not carries):
            return
        if message.refused and message.calls:
            self._sink.provider_diagnostic(
                "E_REFUSED",
                "the message holds a refusal and a tool call",
                turn=message.turn,
                fault="content_filtered",
            )
        message.reason = said
        self._fragments.settle(message.number)
        self._sink.turn_end(message.turn, reason, said)


def _number(message: _Message, index: Any) -> Any:
    """Return an index as the inner adapter takes it; the framework's own indexes are text (`lc_...`)."""
    return message.indexes.setdefault(index, 100_000 + len(message.indexes)) if isinstance(index, str) else index


def _is_message(value: Any) -> bool:
    """Tell a message from an update, a state or an event; a node may also return one as `{"role": "tool"}`."""
    return text_of(get(value, "type")) in _MESSAGES or (
        get(value, "role") == "tool" and get(value, "tool_call_id") is not None
    )


def _is_namespace(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(part, str) for part in value)


def _unwrapped(event: Any) -> tuple[str | None, Any]:
    """Return the item that a graph streams, and its mode where that is told; JSON makes lists of its tuples."""
    mode: str | None = None
    for _ in range(_MAX_DEPTH):
        if isinstance(event, list | tuple):
            size = len(event)
            if size == 2 and isinstance(event[0], str):
                mode, event = event
            elif size == 3 and _is_namespace(event[0]) and isinstance(event[1], str):
                _, mode, event = event
            elif size == 2 and _is_namespace(event[0]):
                event = event[1]
            elif size == 2 and isinstance(event, tuple) and _is_message(event[0]) and _is_metadata(event[1]):
                event = event[0]
            else:
                break
        elif isinstance(event, Mapping) and "ns" in event and "data" in event and text_of(get(event, "type")) in _MODES:
            mode, event = get(event, "type"), event["data"]
        else:
            break
    return mode, event


def _is_metadata(value: Any) -> bool:
    return value is None or (isinstance(value, Mapping) and not _is_message(value))


def _task(item: Any) -> Any:
    """Return the result of a task, of the modes `tasks` and `debug`, or `None`."""
    task = get(item, "payload") if get(item, "type") == "task_result" else item
    return task if isinstance(task, Mapping) and task.keys() >= {"id", "name", "result", "interrupts"} else None


def _interrupted(item: Any) -> bool:
    """Tell whether an item of a graph says that it waits."""
    if not isinstance(item, Mapping):
        return False
    if "__interrupt__" in item:
        return True  # also without any: `interrupt_before` gives none
    if _task(item) is None and not ("ns" in item and "data" in item):
        return False
    return bool(get(_task(item) or item, "interrupts"))


def _found(value: Any, depth: int = _MAX_DEPTH) -> list[Any]:
    """Return the messages in an update or a state: one, a list of them, in commands, in fields of any name."""
    if depth == 0 or value is None or isinstance(value, str | bytes | int | float):
        return []
    if isinstance(value, Mapping):
        if _is_message(value):
            # A user's own data may have such a type.
            return [value] if "content" in value or "tool_call_id" in value or "tool_calls" in value else []
        inner: Any = value.values()
    elif isinstance(value, list | tuple):
        inner = value
    elif _is_message(value):
        return [value]
    else:
        inner = [get(value, field) for field in ("update", "messages", "value")]
    return [message for one in inner for message in _found(one, depth - 1)]


def _shown(event: Any) -> list[Any]:
    """Return the messages that an event shows at first sight, for detection."""
    item = _unwrapped(event)[1]
    if isinstance(get(item, "event"), str):
        item = _unwrapped(get(get(item, "data"), "chunk"))[1] if get(item, "event") == "on_chat_model_stream" else None
    if _is_message(item):
        return [item]
    return [] if get(item, "type") is not None else _found(item)


def _named(output: Any) -> list[str | None]:
    """Return the ids of the calls that a tool's output names; one of its own making may hold other calls' results."""
    given = output if isinstance(output, list | tuple) else [output]
    return _answered([one for one in given if _is_message(one) or get(one, "update") is not None])


def _answered(output: Any) -> list[str | None]:
    """Return the ids of the calls that the results in a value answer."""
    return [
        text_of(get(message, "tool_call_id"))
        for message in _found(output)
        if text_of(get(message, "type")) in _RESULTS or get(message, "role") == "tool"
    ]


def _reason(metadata: Any) -> tuple[EndReason, str | None]:
    """Return the class of the provider's word; of several words, one that is not complete."""
    if not metadata:
        return "unknown", None
    words = [said for field in _FIELDS if (said := word(get(metadata, field))) is not None]
    ends = [(END_REASONS.get(said, "unknown"), said) for said in words]
    status = word(get(metadata, "status"))
    if status is not None and get(metadata, "object") == "response":
        detail = word(get(get(metadata, "incomplete_details"), "reason"))
        said = detail or status
        if status == "completed" and detail is None and not get(metadata, "error"):
            ends.append(("complete", status))
        elif status == "failed":
            code = word(get(get(metadata, "error"), "code")) or status
            ends.append((openai_responses.FAILURES.get(code, "provider_error"), code))
        else:
            reason = openai_responses.END_REASONS.get(said, "unknown")
            ends.append((reason if reason != "complete" else "unknown", said))
    if not ends:
        return "unknown", None
    return next((end for end in ends if end[0] != "complete"), ends[0])
