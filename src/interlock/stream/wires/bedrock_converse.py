r"""Amazon Bedrock `ConverseStream` (API version 2023-09-30).

One call on the wire::

    {"contentBlockStart": {"contentBlockIndex": 1, "start": {"toolUse": {"toolUseId": "t1", "name": "f"}}}}
    {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"toolUse": {"input": "{\"a\":1}"}}}}
    {"contentBlockStop": {"contentBlockIndex": 1}}
    {"messageStop": {"stopReason": "tool_use"}}
    {"metadata": {...}}

as boto3 hands them out, or as the binary event stream (extra `bedrock`).

Identity: `contentBlockIndex`; `toolUseId` comes with the start only. Text
blocks have no start event. End of a call: `contentBlockStop`, which is sent for
a cut block too. End of the turn: `messageStop`; `metadata` comes before or
after it. A guardrail in asynchronous mode speaks in `messageStop` alone, after
whole tool blocks.

Empty arguments mean `{}` only when the tool's registered schema accepts `{}`:
the models behind the service differ.

`toolUse` of type `server_tool_use` is run by the provider. Exceptions come as
frames of a stream that began with 200: provider errors.

Source:
    docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream
    (read 2026-11-30); the service model of botocore 1.44.8.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from interlock.stream.access import get, text_of, word
from interlock.stream.events import Sink
from interlock.stream.wires import Traits
from interlock.stream.wires.fragments import plain_error, push_arguments, refuse_misplaced
from interlock.vocabulary import EndReason, SourceEnd

__all__ = ["END_REASONS", "SOURCE_KEY", "Adapter", "recognises"]

SOURCE_KEY: Final = "`contentBlockIndex` within its message"

END_REASONS: Final[Mapping[str, EndReason]] = {
    "tool_use": "complete",
    "end_turn": "complete",  # some hosted models say it for tool calls
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "guardrail_intervened": "content_filtered",
    "content_filtered": "content_filtered",
    "malformed_model_output": "provider_error",
    "malformed_tool_use": "provider_error",
    # A stop string ends a text on its own terms, but may cut a call in the middle; see `Adapter`.
    "stop_sequence": "complete",
}

_EVENTS: Final = ("contentBlockDelta", "contentBlockStart", "contentBlockStop", "messageStart", "messageStop")


def recognises(event: Any) -> int:
    """Rate how well an event fits this wire: 0 not at all, 1 maybe, 2 surely."""
    if any(get(event, name) is not None for name in _EVENTS):
        return 2
    return 1 if get(get(event, "metadata"), "metrics") is not None else 0


class Adapter:
    """Translates the events of one ConverseStream response."""

    traits: ClassVar[Traits] = Traits(framing="aws_event_stream", calls_end=True, ends="turn")

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._messages = 0
        self._turn = "message-0"
        self._live = False  # a message has started and not ended
        self._ended = False
        self._keys: dict[int, str] = {}  # block index -> source key, for tool blocks
        self._open: set[int] = set()  # those of them without their end
        self._client: set[str] = set()  # ids of the calls that the client runs

    def push(self, event: Any) -> None:
        """Translate one event."""
        if type(event) is not dict or len(event) > 1:  # an exception may stand beside another member
            failed = _failure(event)
            if failed is not None:
                self._sink.stream_end("provider_error", failed)
                return
        inner = get(event, "contentBlockDelta")
        if inner is not None:
            if self._ended:
                self._late("contentBlockDelta")
            tool = get(get(inner, "delta"), "toolUse")
            if tool is not None:
                index = get(inner, "contentBlockIndex")
                key = self._keys.get(index) if type(index) is int else None
                text = get(tool, "input")
                # Anything but a string is passed on as well: the call's arguments are not whole then.
                if text or type(text) is not str:
                    self._sink.arguments_delta(key or f"{self._turn}/{index!r:.60}, unknown", text)
            elif type(index := get(inner, "contentBlockIndex")) is int and index in self._keys:
                self._sink.provider_diagnostic(
                    "E_BLOCK_DELTA",
                    "a tool block has a delta without toolUse",
                    key=self._keys[index],
                    fault="protocol",
                )
            return
        inner = get(event, "contentBlockStart")
        if inner is not None:
            self._start(get(inner, "contentBlockIndex"), get(inner, "start"))
            return
        inner = get(event, "contentBlockStop")
        if inner is not None:
            if self._ended:
                self._late("contentBlockStop")
            index = get(inner, "contentBlockIndex")
            key = self._keys.get(index) if type(index) is int else None
            if key is not None:
                self._open.discard(index)
                self._sink.call_end(key)
            return
        inner = get(event, "messageStop")
        if inner is not None:
            self._stop(word(get(inner, "stopReason")))
            return
        if get(event, "messageStart") is not None:
            self._begin()
            return
        tokens = get(get(get(event, "metadata"), "usage"), "outputTokens")
        if type(tokens) is int:
            self._sink.usage(tokens)
            return
        failed = _failure(event)
        if failed is not None:
            self._sink.stream_end("provider_error", failed)

    def source_ended(self, end: SourceEnd) -> None:
        """Conclude nothing: only `messageStop` ends a message."""

    # -- inside --------------------------------------------------------------

    def _begin(self) -> None:
        if self._ended:
            self._sink.provider_diagnostic("E_LATE_EVENT", "messageStart after messageStop", fault="protocol")
            return
        if self._live:
            self._sink.turn_replaced(self._turn)
            self._messages += 1
            self._turn = f"message-{self._messages}"
        self._live = True
        self._keys = {}
        self._open = set()

    def _late(self, what: str) -> None:
        self._sink.provider_diagnostic("E_LATE_EVENT", f"{what} after messageStop", turn=self._turn, fault="protocol")

    def _start(self, index: Any, start: Any) -> None:
        if self._ended:
            self._late("contentBlockStart")
        self._live = True
        tool, result = get(start, "toolUse"), get(start, "toolResult")
        if result is not None:
            id = text_of(get(result, "toolUseId"))
            if id is None or id in self._client:
                self._sink.tool_executed(id)
        if tool is None:
            return
        if type(index) is not int or index < 0 or index in self._keys:
            self._sink.provider_diagnostic(
                "E_BLOCK_INDEX",
                f"a tool block has the contentBlockIndex {index!r}; expected a whole number that no other has",
                turn=self._turn,
                fault="protocol",
            )
            return
        key = self._keys[index] = f"{self._turn}/{index}"
        self._open.add(index)
        server = get(tool, "type") is not None  # the only word is `server_tool_use`
        id = text_of(get(tool, "toolUseId"))
        if id is not None and not server:
            self._client.add(id)
        self._sink.call_start(
            key, id=id, index=index, name=text_of(get(tool, "name")), turn=self._turn, server_executed=server
        )
        given = get(tool, "input")
        if given:
            push_arguments(self._sink, key, given)
        else:
            refuse_misplaced(self._sink, key, tool, "input")

    def _stop(self, said: str | None) -> None:
        reason = END_REASONS.get(said or "", "unknown")
        if said == "stop_sequence" and self._keys:
            reason = "unknown"
        if reason == "complete" and self._open:
            # A message that says it is whole, with a block that never ended: its other calls are in doubt.
            first = min(self._open)
            for index, key in self._keys.items():
                if index not in self._open:
                    self._sink.provider_diagnostic(
                        "E_BLOCK_OPEN",
                        f"content block {first} has no contentBlockStop before messageStop ({said})",
                        key=key,
                        fault="protocol",
                    )
        self._ended = True
        self._sink.turn_end(self._turn, reason, said)


def _failure(event: Any) -> str | None:
    """Return the name of an exception that came as an event."""
    if isinstance(event, Mapping):
        failed = next((str(name) for name in event if str(name).endswith("Exception")), None)
        if failed is not None:
            return failed
    return plain_error(event)
