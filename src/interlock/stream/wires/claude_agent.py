r"""Claude Agent SDK messages (claude-agent-sdk 0.2), and the JSON lines of its command line.

One call on the wire::

    {"type": "stream_event", "parent_tool_use_id": null, "event": {"type": "content_block_start", ...}}
    {"type": "stream_event", "parent_tool_use_id": null, "event": {"type": "content_block_delta", ...}}
    {"type": "assistant", "parent_tool_use_id": null, "message": {"content": [{"type": "tool_use", ...}]}}
    {"type": "stream_event", "parent_tool_use_id": null, "event": {"type": "message_stop"}}
    {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "toolu_1", ...}]}}
    {"type": "result", "subtype": "success", "terminal_reason": "completed"}

`event` is an event of the wire `anthropic`, whose rules hold for each message;
it comes with `include_partial_messages` only. Sub-agents stream in between:
they are told apart by `parent_tool_use_id`.

Identity: `parent_tool_use_id`, the message, and the block's `index`. End of a
call and of a message: as on the wire `anthropic`. An `assistant` message repeats
calls as parsed values, which must agree with the text, the name and the kind of
the block; without stream events they are a projection, and its `stop_reason`,
often absent, is all that ends the message. An `error` in it is a provider error.
End of the stream: `result`, by its `terminal_reason` and `subtype`; a call needs
it and its own message's end.
A `deferred_tool_use` pauses the stream.

The command line runs the tools: a `tool_result` in a `user` message is evidence
of that, also when the tool was denied. A call without one was left by a limit,
an interruption or a deferral, so little ever executes on this wire: its use is
to see what ran, and to hold what did not.

Source:
    claude-agent-sdk 0.2.189: types.py, message_parser.py;
    platform.claude.com/docs/en/agent-sdk/streaming-output (read 2026-11-30).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from interlock.stream.access import get, items, text_of, word
from interlock.stream.events import Sink
from interlock.stream.wires import Traits, anthropic
from interlock.stream.wires.fragments import plain_error
from interlock.vocabulary import EndReason, SourceEnd

__all__ = ["END_REASONS", "SOURCE_KEY", "Adapter", "recognises"]

SOURCE_KEY: Final = "`parent_tool_use_id`, the message, and the content block's `index` within it"

# `terminal_reason` and `subtype` of the result, and the `stop_reason` of a message.
END_REASONS: Final[Mapping[str, EndReason]] = {
    **anthropic.END_REASONS,
    "stop_sequence": "unknown",  # it may cut a call
    "completed": "complete",
    "success": "complete",
    "max_turns": "length",  # a limit of the loop, not of tokens: the last calls are whole, but were not run
    "aborted_streaming": "cancelled",
    "aborted_tools": "cancelled",
    "tool_deferred": "paused",
    "error_max_turns": "length",
    "error_during_execution": "provider_error",
    "error_max_budget_usd": "length",
    "error_max_structured_output_retries": "provider_error",
}

# The SDK's classes, by the type of the JSON line that each is made from.
_CLASSES: Final[Mapping[str, str]] = {
    "StreamEvent": "stream_event",
    "AssistantMessage": "assistant",
    "UserMessage": "user",
    "ResultMessage": "result",
}
_BLOCKS: Final[Mapping[str, str]] = {
    "ToolUseBlock": "tool_use",
    "ToolResultBlock": "tool_result",
    "ServerToolUseBlock": "server_tool_use",
}
_SERVER_BLOCKS = ("server_tool_use", "mcp_tool_use")


def recognises(event: Any) -> int:
    """Rate how well an event fits this wire: 0 not at all, 1 maybe, 2 surely."""
    kind = get(event, "type")
    if kind == "stream_event":
        return 2 if get(get(event, "event"), "type") is not None else 0
    if kind in ("assistant", "user"):
        return 2 if get(event, "message") is not None else 0
    if kind == "result" or kind == "system":
        return 2 if get(event, "subtype") is not None else 0
    return 2 if kind is None and _kind(event) is not None else 0


class _Call:
    """A call of the current message."""

    __slots__ = ("id", "key", "kind", "name")

    def __init__(self, id: str | None, key: str, name: str | None, kind: str | None) -> None:
        self.id = id
        self.key = key
        self.name = name
        self.kind = kind  # of its block


class _Agent:
    """The main agent, or a sub-agent: one message at a time."""

    __slots__ = ("calls", "inner", "live", "message_id", "messages", "reason", "scope", "stop", "streamed")

    def __init__(self, name: str) -> None:
        self.scope = f"{name}/"
        self.messages = 0
        self.inner: anthropic.Adapter | None = None
        self.message_id: str | None = None
        self.live = False  # a message has begun and its turn was not ended
        self.streamed = False  # it came as stream events
        self.stop: Any = None  # its `message_stop`, kept back until its `assistant` messages have come
        self.reason: str | None = None  # the stop reason that an `assistant` message gave
        self.calls: dict[str, _Call] = {}  # by tool use id, in the current message


class Adapter:
    """Translates the messages of one query; stream events go through an adapter of `anthropic` a message."""

    traits: ClassVar[Traits] = Traits(framing="ndjson", calls_end=True, ends="stream", empty_is_object=True)

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._agents: dict[str | None, _Agent] = {}
        self._ids: set[str | None] = set()  # of all calls that came
        self._over = False  # a result came

    def push(self, event: Any) -> None:
        """Translate one message: a JSON line, or the SDK's own object."""
        kind = _kind(event)
        if self._over and kind in ("stream_event", "assistant"):
            self._sink.provider_diagnostic("E_LATE_EVENT", f"{kind} after the result", fault="protocol")
        if kind == "stream_event":
            self._stream_event(self._agent(event), get(event, "event"))
        elif kind == "assistant":
            self._assistant(self._agent(event), event)
        elif kind == "user":
            self._user(event)
        elif kind == "result":
            self._result(event)
        elif kind == "error" or (kind is None and type(event) is dict and plain_error(event) is not None):
            self._sink.stream_end("provider_error", "error")

    def source_ended(self, end: SourceEnd) -> None:
        """Let go of the message ends that were kept back; only `result` ends the stream."""
        self._settle_all()
        for agent in self._agents.values():
            if agent.inner is not None and agent.live:
                agent.inner.source_ended(end)

    # -- inside --------------------------------------------------------------

    def _agent(self, event: Any) -> _Agent:
        parent = text_of(get(event, "parent_tool_use_id"))
        agent = self._agents.get(parent)
        if agent is None:
            self._sink.crowded()
            agent = self._agents[parent] = _Agent(parent or "main")
        return agent

    def _stream_event(self, agent: _Agent, event: Any) -> None:
        kind = get(event, "type")
        if kind == "content_block_delta":
            if agent.inner is not None and agent.stop is None:
                agent.inner.push(event)
            else:
                self._late(agent, kind)
            return
        if kind == "message_start":
            self._begin(agent, text_of(get(get(event, "message"), "id")), streamed=True)
        elif kind == "error":
            # It ends this message only: the command line may try again.
            if agent.live:
                agent.live = False
                error = word(get(get(event, "error"), "type")) or "error"
                self._sink.turn_end(self._turn(agent), "provider_error", error)
            return
        elif kind == "ping":
            return
        if agent.inner is None or agent.stop is not None:
            self._late(agent, kind)
            return
        if kind == "message_stop":
            agent.stop = event
            return
        if kind == "content_block_start":
            self._remember(agent, get(event, "content_block"), f"{self._turn(agent)}/{get(event, 'index')}")
        agent.inner.push(event)

    def _remember(self, agent: _Agent, block: Any, key: str) -> _Call:
        call = _Call(text_of(get(block, "id")), key, text_of(get(block, "name")), _block_kind(block))
        if call.id is not None:
            agent.calls[call.id] = call
            self._ids.add(call.id)
        return call

    def _turn(self, agent: _Agent) -> str:
        return f"{agent.scope}{agent.messages}/message-0"

    def _begin(self, agent: _Agent, id: str | None, *, streamed: bool) -> None:
        self._settle(agent)
        if agent.live:
            self._sink.turn_replaced(self._turn(agent))
        agent.messages += 1
        agent.inner = anthropic.Adapter(self._sink, f"{agent.scope}{agent.messages}/") if streamed else None
        agent.message_id = id
        agent.live = True
        agent.streamed = streamed
        agent.reason = None
        agent.calls = {}

    def _settle(self, agent: _Agent) -> None:
        """End the agent's message, when its end has come."""
        if not agent.live:
            return
        if agent.stop is not None and agent.inner is not None:
            agent.inner.push(agent.stop)
            agent.live = False
        elif not agent.streamed and agent.reason is not None:
            self._sink.turn_end(self._turn(agent), END_REASONS.get(agent.reason, "unknown"), agent.reason)
            agent.live = False
        agent.stop = None

    def _settle_all(self) -> None:
        if self._over:
            return
        for agent in self._agents.values():
            self._settle(agent)

    def _late(self, agent: _Agent, kind: Any) -> None:
        self._sink.provider_diagnostic(
            "E_LATE_EVENT", f"{kind} outside of a message", turn=self._turn(agent), fault="protocol"
        )

    def _assistant(self, agent: _Agent, event: Any) -> None:
        # The JSON line wraps the provider's message; the SDK's object is flat.
        message = get(event, "message") or event
        id = text_of(get(message, "id")) or text_of(get(message, "message_id"))
        blocks = items(get(message, "content"))
        if not agent.live or (id is not None and id != agent.message_id):
            self._begin(agent, id, streamed=False)
        for block in blocks:
            self._block(agent, block)
        agent.reason = word(get(message, "stop_reason")) or agent.reason
        error = word(get(event, "error"))
        if error is not None:
            self._sink.provider_diagnostic(
                "E_PROVIDER_ERROR",
                f"the message reports an error: {error}",
                turn=self._turn(agent),
                fault="provider_error",
            )

    def _block(self, agent: _Agent, block: Any) -> None:
        """Take a call that comes as a parsed value; one that was streamed is compared."""
        kind = _block_kind(block)
        if kind not in ("tool_use", *_SERVER_BLOCKS):
            return
        id = text_of(get(block, "id"))
        call = agent.calls.get(id or "")
        if call is not None:
            self._compare(call, kind, block)
        elif id in self._ids:
            return  # of a message that has ended: a repetition
        elif agent.streamed:
            self._sink.provider_diagnostic(
                "E_CALL_NOT_STREAMED",
                f"the message holds a call {id!r} that was not streamed",
                turn=self._turn(agent),
                fault="protocol",
            )
        else:
            turn = self._turn(agent)
            call = self._remember(agent, block, f"{turn}/{id}")
            self._sink.call_start(call.key, id=id, name=call.name, turn=turn, server_executed=kind in _SERVER_BLOCKS)
            self._sink.arguments_value(call.key, get(block, "input"))
            self._sink.call_end(call.key)

    def _compare(self, call: _Call, kind: str, block: Any) -> None:
        """Hold a repeated call against the first copy: who runs it, its name, its arguments."""
        name = text_of(get(block, "name"))
        if kind != call.kind:
            self._sink.provider_diagnostic(
                "E_EXECUTOR_CONFLICT",
                f"the call {call.id!r} came as {call.kind} and as {kind}",
                key=call.key,
                fault="protocol",
            )
        if name != call.name:
            self._sink.provider_diagnostic(
                "E_NAME_CONFLICT",
                f"the call {call.id!r} has two names: {call.name!r} and {name!r}",
                key=call.key,
                fault="protocol",
            )
        if kind == "tool_use":
            self._sink.arguments_value(call.key, get(block, "input"))

    def _user(self, event: Any) -> None:
        message = get(event, "message") or event
        content = get(message, "content")
        for block in items(content):
            if _block_kind(block) == "tool_result":
                self._sink.tool_executed(text_of(get(block, "tool_use_id")))
        if get(event, "tool_use_result") is not None and not any(
            _block_kind(block) == "tool_result" for block in items(content)
        ):
            self._sink.tool_executed(None)

    def _result(self, event: Any) -> None:
        self._settle_all()
        for agent in () if self._over else self._agents.values():
            if agent.live:  # the result speaks for the query; nothing speaks for this message any more
                agent.live = False
                self._sink.turn_replaced(self._turn(agent))
        self._over = True
        for denial in items(get(event, "permission_denials")):
            id = text_of(get(denial, "tool_use_id"))
            if id is not None:
                self._sink.call_held(id, "cancelled")
        subtype = word(get(event, "subtype"))
        terminal = word(get(event, "terminal_reason"))
        if get(event, "deferred_tool_use") is not None:
            self._sink.stream_end("paused", terminal or "deferred_tool_use")
            return
        for said in (terminal, subtype):
            reason = END_REASONS.get(said or "", "unknown")
            if said is not None and reason != "complete":
                self._sink.stream_end(reason, said)
                return
        if get(event, "is_error") is True:
            self._sink.stream_end("provider_error", "is_error")
        else:
            self._sink.stream_end("complete" if subtype == "success" else "unknown", terminal or subtype)


def _kind(event: Any) -> str | None:
    kind = get(event, "type")
    return kind if isinstance(kind, str) else _CLASSES.get(type(event).__name__)


def _block_kind(block: Any) -> str | None:
    kind = get(block, "type")
    return kind if isinstance(kind, str) else _BLOCKS.get(type(block).__name__)
