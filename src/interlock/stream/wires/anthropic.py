r"""Anthropic Messages, streamed (API version 2023-06-01).

One call on the wire::

    content_block_start  {"index": 1, "content_block": {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}}
    content_block_delta  {"index": 1, "delta": {"type": "input_json_delta", "partial_json": "{\"a\":1}"}}
    content_block_stop   {"index": 1}
    message_delta        {"delta": {"stop_reason": "tool_use"}}
    message_stop         {}

Identity: the block `index` within a message; the id comes with the start event
only. End of a call: `content_block_stop`, which is sent for a cut block too, so
it proves nothing alone. A message that says it is whole, with a block that never
ended, is held against its other calls, unless the block is text or thinking:
those hold no call's arguments, and some proxies leave them open.

End of the turn: `message_stop`; the reason is the last non-null `stop_reason` of
the `message_delta` events.

A `message_start` before `message_stop` begins the message anew (seen behind
gateways that retry, recording `spliced-message-start`): what came before it can
never be confirmed. One after `message_stop` is a protocol violation.

Empty arguments mean `{}`: the API sends no delta, or one empty delta, for a
tool without parameters. A delta of any other type in a tool block may be
arguments that a server misnamed, and contradicts the protocol. A non-empty `input` in the start event is a value that
some compatible servers send in place of deltas: a projection. When deltas come
as well, both must agree.

`server_tool_use` and `mcp_tool_use` blocks are run by the provider. A result
block (`tool_result`, or any `..._tool_result`) for another call is evidence that
something ran it.

Source:
    platform.claude.com/docs/en/build-with-claude/streaming and
    /handling-stop-reasons (read 2026-11-30); the event types of the Python SDK
    anthropic 2.14.0.
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

SOURCE_KEY: Final = "the content block's `index` within its message"

END_REASONS: Final[Mapping[str, EndReason]] = {
    "tool_use": "complete",
    "end_turn": "complete",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "pause_turn": "paused",  # to be sent back unchanged; client tools must not run now
    "compaction": "paused",
    "refusal": "content_filtered",
    # A stop string ends a text on its own terms, but may cut a call in the middle; see `Adapter`.
    "stop_sequence": "complete",
}

_CLIENT_BLOCKS = ("tool_use",)
_SERVER_BLOCKS = ("server_tool_use", "mcp_tool_use")
_TEXT_BLOCKS = ("text", "thinking", "redacted_thinking")


def recognises(event: Any) -> int:
    """Rate how well an event fits this wire: 0 not at all, 1 maybe, 2 surely."""
    kind = get(event, "type")
    if kind in ("message_start", "content_block_start", "content_block_delta", "message_delta"):
        return 2
    return (
        1
        if kind in ("content_block_stop", "message_stop", "ping")
        or (kind == "error" and get(get(event, "error"), "type"))
        else 0
    )


class Adapter:
    """Translates the events of one Messages stream.

    Args:
        sink: Who is told.
        scope: A prefix for turns and source keys, for a wire that carries several such streams.
    """

    traits: ClassVar[Traits] = Traits(calls_end=True, ends="turn", empty_is_object=True)

    def __init__(self, sink: Sink, scope: str = "") -> None:
        self._sink = sink
        self._delta = sink.arguments_delta  # looked up once: nearly every event needs it
        self._scope = scope
        self._messages = 0
        self._turn = f"{scope}message-0"
        self._live = False  # a message has started and not ended
        self._ended = False
        self._keys: dict[int, str] = {}  # block index -> source key, for tool blocks that may still grow
        self._tools: dict[int, str] = {}  # the same, of the whole message
        self._blocks: set[int] = set()
        self._open: set[int] = set()  # blocks without their end, that may hold a call's arguments
        self._server: set[str | None] = set()  # ids of the calls that the provider runs, in any message
        self._reason: str | None = None

    def push(self, event: Any) -> None:
        """Translate one event."""
        if type(event) is dict:
            kind = event.get("type")
        else:
            # The official client's own object: nearly every event is a delta, so its fields are read directly.
            try:
                kind = event.type
                if kind == "content_block_delta":
                    delta = event.delta
                    if delta.type == "input_json_delta":
                        text = delta.partial_json
                        if text and type(event.index) is int:
                            self._delta(self._keys[event.index], text)
                            return
                    elif self._reason is None and not self._ended and event.index not in self._keys:
                        return
            except (AttributeError, KeyError, TypeError):
                kind = get(event, "type")
        if kind == "content_block_delta":
            if self._reason is not None or self._ended:
                self._late(kind)
            delta = get(event, "delta")
            if get(delta, "type") == "input_json_delta":
                text = get(delta, "partial_json")
                # Anything but a string is passed on as well: the call's arguments are not whole then.
                if text or type(text) is not str:
                    self._delta(self._key(get(event, "index")), text)
            elif type(index := get(event, "index")) is int and index in self._tools:
                self._sink.provider_diagnostic(
                    "E_BLOCK_DELTA",
                    f"a tool block has a delta of type {get(delta, 'type')!r:.60}; expected input_json_delta",
                    key=self._tools[index],
                    fault="protocol",
                )
        elif kind == "content_block_start":
            self._start(get(event, "index"), get(event, "content_block"))
        elif kind == "content_block_stop":
            self._block_stop(get(event, "index"))
        elif kind == "message_delta":
            tokens = get(get(event, "usage"), "output_tokens")
            if type(tokens) is int:
                self._sink.usage(tokens)
            reason = word(get(get(event, "delta"), "stop_reason"))
            if reason is not None:
                if self._reason is not None and self._reason != reason:
                    self._sink.provider_diagnostic(
                        "E_SECOND_TERMINAL",
                        f"the message has two stop reasons: {self._reason!r} and {reason!r}",
                        turn=self._turn,
                        fault="protocol",
                    )
                elif self._reason is None:
                    self._reason = reason
                    self._keys = {}
                    self._unclosed(reason)
                self._sink.turn_said(self._turn, self._end(reason), reason)
            if get(get(get(event, "delta"), "stop_details"), "type") == "refusal":
                self._sink.provider_diagnostic(
                    "E_REFUSED",
                    "the details beside the stop reason name a refusal",
                    turn=self._turn,
                    fault="content_filtered",
                )
        elif kind == "message_stop":
            self._stop()
        elif kind == "message_start":
            self._begin()
        elif kind == "error":
            error = get(event, "error")
            self._sink.stream_end("provider_error", word(get(error, "type")) or "error")
        elif kind is None and (said := plain_error(event)) is not None:
            self._sink.stream_end("provider_error", said)
        else:
            refuse_untyped(self._sink, kind, event, "delta", "content_block")

    def source_ended(self, end: SourceEnd) -> None:  # noqa: ARG002 - the protocol's signature
        """Conclude nothing: only `message_stop` ends a message. A block that never ended says that it did not."""
        if self._open and not self._ended:
            self._sink.turn_said(self._turn, "unknown")

    def _key(self, index: Any) -> str:
        # "0" and True are not the blocks 0 and 1: no call has such a key.
        return f"{self._turn}/{index}" if type(index) is int else f"{self._turn}/?{index!r:.60}"

    def _late(self, what: str) -> None:
        after = "message_stop" if self._ended else f"the stop reason {self._reason!r}"
        self._sink.provider_diagnostic("E_LATE_EVENT", f"{what} after {after}", turn=self._turn, fault="protocol")

    def _block_stop(self, index: Any) -> None:
        if self._reason is not None or self._ended:
            self._late("content_block_stop")
        if type(index) is int:
            self._open.discard(index)
        if type(index) is not int or index in self._tools or index not in self._blocks:
            self._sink.call_end(self._key(index))

    def _unclosed(self, reason: str) -> None:
        """Hold a message that says it is whole, with a block that never ended, against its other calls."""
        if not self._open or END_REASONS.get(reason) != "complete":
            return
        first = min(self._open)
        for index, key in self._tools.items():
            if index not in self._open:
                self._sink.provider_diagnostic(
                    "E_BLOCK_OPEN",
                    f"content block {first} has no content_block_stop before the stop reason {reason!r}",
                    key=key,
                    fault="protocol",
                )

    def _begin(self) -> None:
        if self._ended:
            self._sink.provider_diagnostic("E_LATE_EVENT", "message_start after message_stop", fault="protocol")
            return
        if self._live:
            self._sink.turn_replaced(self._turn)
            self._messages += 1
            self._turn = f"{self._scope}message-{self._messages}"
        self._live = True
        self._keys = {}
        self._tools = {}
        self._blocks = set()
        self._open = set()
        self._reason = None

    def _start(self, index: Any, block: Any) -> None:
        kind = get(block, "type")
        if type(index) is not int or index < 0:
            self._sink.provider_diagnostic(
                "E_BLOCK_INDEX", f"a content block has the index {index!r}", turn=self._turn, fault="protocol"
            )
            return
        if self._reason is not None or self._ended:
            self._late("content_block_start")
        self._live = True
        key = f"{self._turn}/{index}"
        if index in self._blocks and (index in self._tools or kind in _CLIENT_BLOCKS):
            self._sink.provider_diagnostic(
                "E_SECOND_START", f"content block {index} started twice", turn=self._turn, fault="protocol"
            )
            return
        if isinstance(kind, str) and kind.endswith("tool_result"):
            self._result(kind, text_of(get(block, "tool_use_id")))
        if self._sink.crowded():
            return
        self._blocks.add(index)
        if kind not in _TEXT_BLOCKS:
            self._open.add(index)
        if kind not in _CLIENT_BLOCKS and kind not in _SERVER_BLOCKS:
            return
        if kind in _SERVER_BLOCKS:
            self._server.add(text_of(get(block, "id")))
        self._keys[index] = self._tools[index] = key
        self._sink.call_start(
            key,
            id=text_of(get(block, "id")),
            index=index,
            name=text_of(get(block, "name")),
            turn=self._turn,
            server_executed=kind in _SERVER_BLOCKS,
        )
        given = get(block, "input")
        if given is not None and given != {} and given != "":
            self._sink.arguments_value(key, given)
        else:
            refuse_misplaced(self._sink, key, block, "input")

    def _result(self, kind: str, id: str | None) -> None:
        """Report that a call was run, unless the provider's own tools were."""
        if id is None and kind != "tool_result":
            return
        if id is None or id not in self._server:
            self._sink.tool_executed(id)

    def _end(self, said: str | None) -> EndReason:
        if said == "stop_sequence" and self._tools:
            return "unknown"
        return END_REASONS.get(said or "", "unknown")

    def _stop(self) -> None:
        self._live = False
        self._ended = True
        self._sink.turn_end(self._turn, self._end(self._reason), self._reason)
