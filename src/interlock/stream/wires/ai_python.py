r"""AI SDK for Python (PyPI `ai` 0.8): the events of `ai.stream` and of `Agent.run`.

One call on the wire::

    {"kind": "stream_start", "message": {"id": "msg_1"}}
    {"kind": "tool_start", "tool_call_id": "c1", "tool_name": "f"}
    {"kind": "tool_delta", "tool_call_id": "c1", "chunk": "{\"a\":1}"}
    {"kind": "tool_end", "tool_call_id": "c1", "tool_call": {"tool_name": "f", "tool_args": "{\"a\":1}"}}
    {"kind": "stream_end", "finish_reason": "tool_call"}

Identity: the model response (from one `stream_start` to its `stream_end`) and
`tool_call_id`. End of a call: `tool_end`, which repeats the text; some adapters
send it at the call's own end, others at the response's, for cut calls too. End
of the turn: `stream_end`. It comes even when the body broke off, then without a
reason: unknown. `provider_metadata` keeps the provider's own word where the
unified one hides it, and the Responses item with its status; what speaks
against completion there wins.

The agent's loop runs a tool on `tool_end`, before the response's end is known:
`tool_call_result` and `partial_tool_call_result` are evidence of that. A `hook`
that waits holds its call, or every call of the response when it names none.
`retry` withdraws the current response. Events with `replay` are history that is
told again: they are left out. `builtin_tool_*` calls are the provider's; one of
these events for a call of the client is a contradiction.

Source:
    The package `ai` 0.8.0: ai/types/events.py and the providers' protocols.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from interlock.stream.access import get, items, text_of, word
from interlock.stream.events import Sink
from interlock.stream.wires import Traits
from interlock.stream.wires.fragments import refuse_misplaced
from interlock.stream.wires.native import worse
from interlock.vocabulary import EndReason, SourceEnd

__all__ = ["END_REASONS", "SOURCE_KEY", "Adapter", "recognises"]

SOURCE_KEY: Final = "the model response and `tool_call_id`"

END_REASONS: Final[Mapping[str, EndReason]] = {
    "stop": "complete",
    "tool_call": "complete",
    "length": "length",
    "content_filter": "content_filtered",
    "error": "provider_error",
    "other": "unknown",  # a provider's word without an equivalent
}

_KINDS = frozenset(
    {
        "stream_start",
        "stream_end",
        "tool_start",
        "tool_delta",
        "tool_end",
        "builtin_tool_start",
        "builtin_tool_delta",
        "builtin_tool_end",
        "tool_call_result",
        "run_blocked",
    }
)
_BUILTIN = frozenset({"builtin_tool_start", "builtin_tool_delta", "builtin_tool_end", "builtin_tool_result"})
_MAYBE = frozenset({"text_start", "text_delta", "reasoning_start", "reasoning_delta", "hook", "retry"})


def recognises(event: Any) -> int:
    """Rate how well an event fits this wire: 0 not at all, 1 maybe, 2 surely."""
    kind = text_of(get(event, "kind"))
    if kind in _KINDS:
        return 2
    return 1 if kind in _MAYBE else 0


class Adapter:
    """Translates the events of one stream, of a model or of an agent."""

    traits: ClassVar[Traits] = Traits(framing="none", calls_end=True, ends="turn", repeats_text=True)

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._responses = 0
        self._turn = "response-0"
        self._live = False  # a response has started and not ended
        self._over = False  # the current response has ended
        self._names: dict[str, str | None] = {}  # source key -> name, for the calls of the current response
        self._own: set[str] = set()  # keys of its calls that are not the provider's
        self._replay_noted = False

    def push(self, event: Any) -> None:
        """Translate one event."""
        kind = get(event, "kind")
        if get(event, "replay") is True:
            self._replayed()
            return
        if text_of(kind) in _BUILTIN:
            self._check_executor(event)
        if kind == "tool_delta" or kind == "builtin_tool_delta":
            chunk = get(event, "chunk")
            # Anything but a string is passed on as well: the call's arguments are not whole then.
            if chunk or type(chunk) is not str:
                self._sink.arguments_delta(f"{self._turn}/{get(event, 'tool_call_id')}", chunk)
        elif kind == "tool_start":
            self._start(event, server=False)
        elif kind == "builtin_tool_start":
            self._start(event, server=True)
        elif kind == "tool_end":
            self._end(event)
        elif kind == "builtin_tool_end":
            key = self._key(event)
            if key not in self._names:
                self._start(event, server=True)
            self._sink.call_end(key)
        elif kind == "stream_start":
            if self._live:
                self._sink.turn_replaced(self._turn)
            self._begin()
            self._live = True
        elif kind == "stream_end":
            reason, said = _reason(event)
            self._live = False
            self._over = True
            self._sink.turn_end(self._turn, reason, said)
        elif kind == "retry":
            self._withdraw()
        elif kind == "tool_call_result":
            self._results(event)
        elif kind == "partial_tool_call_result":
            # Without an id the value comes from another source than a tool.
            id = text_of(get(event, "tool_call_id"))
            if id is not None:
                self._sink.tool_executed(id)
        elif kind == "text_delta" or kind == "reasoning_delta":
            if self._over:
                self._sink.provider_diagnostic(
                    "E_LATE_EVENT", f"{kind} after stream_end", turn=self._turn, fault="protocol"
                )
        elif kind == "hook":
            self._hook(get(event, "hook"))
        elif kind == "run_blocked":
            for hook in items(get(event, "hooks")):
                self._hook(hook)

    def source_ended(self, end: SourceEnd) -> None:
        """Conclude nothing: only `stream_end` ends a response."""

    # -- inside --------------------------------------------------------------

    def _begin(self) -> None:
        self._responses += 1
        self._turn = f"response-{self._responses}"
        self._over = False
        self._names = {}
        self._own = set()

    def _replayed(self) -> None:
        if not self._replay_noted:
            self._replay_noted = True
            self._sink.provider_diagnostic("W_REPLAY", "replayed history is in the stream; its calls are left out")

    def _key(self, event: Any) -> str:
        return f"{self._turn}/{get(event, 'tool_call_id')}"

    def _start(self, event: Any, *, server: bool) -> None:
        id = text_of(get(event, "tool_call_id"))
        if id is None:
            self._sink.provider_diagnostic(
                "E_CALL_ID", "a tool event has no tool_call_id", turn=self._turn, fault="protocol"
            )
            return
        self._live = True
        key = f"{self._turn}/{id}"
        name = text_of(get(event, "tool_name")) or text_of(get(get(event, "tool_call"), "tool_name"))
        if key not in self._names:
            self._names[key] = name
            if not server:
                self._own.add(key)
        self._sink.call_start(key, id=id, name=name, turn=self._turn, server_executed=server)

    def _end(self, event: Any) -> None:
        key = self._key(event)
        if key not in self._names:
            self._start(event, server=False)
            if key not in self._names:
                return
        call = get(event, "tool_call")
        name = text_of(get(call, "tool_name"))
        # Events that no message was built from carry a placeholder without id and name.
        if get(call, "tool_call_id") == get(event, "tool_call_id") and name is not None:
            known = self._names[key]
            if known is None:
                self._names[key] = name
                self._sink.name_delta(key, name)
            elif known != name:
                self._conflict(key, f"the call has two names: {known!r} and {name!r}")
            text = get(call, "tool_args")
            if isinstance(text, str):
                self._sink.arguments_final(key, text)
            elif text is not None:
                self._sink.arguments_value(key, text)
            else:
                refuse_misplaced(self._sink, key, call, "tool_args")
        item = get(get(get(event, "provider_metadata"), "openai"), "raw_item")
        text = get(item, "arguments")
        if isinstance(text, str):
            self._sink.arguments_final(key, text)
        # The Responses adapter closes a cut item too; then its status says so.
        status = word(get(item, "status"))
        self._sink.call_end(key, "complete" if status in (None, "completed") else "unknown")

    def _check_executor(self, event: Any) -> None:
        """Refuse a call that began as the client's and is the provider's by a later event: it may have run."""
        key = self._key(event)
        if key in self._own:
            self._sink.provider_diagnostic(
                "E_EXECUTOR_CONFLICT",
                f"the call {get(event, 'tool_call_id')!r} is the provider's after all",
                key=key,
                fault="protocol",
            )

    def _conflict(self, key: str, message: str) -> None:
        self._sink.provider_diagnostic("E_NAME_CONFLICT", message, key=key, fault="protocol")

    def _withdraw(self) -> None:
        for key in self._names:
            self._sink.call_held(key, "cancelled")
        if self._live:
            self._sink.turn_replaced(self._turn)
        self._begin()
        self._live = False

    def _results(self, event: Any) -> None:
        results = items(get(event, "results"))
        if not results:
            self._sink.tool_executed(None)
        for result in results:
            id = text_of(get(result, "tool_call_id"))
            if get(result, "is_hook_deferred") is True:
                self._hold(id, "paused")  # a placeholder: the call waits for its hook
            else:
                self._sink.tool_executed(id)

    def _hook(self, hook: Any) -> None:
        status = get(hook, "status")
        if status == "pending" or status == "cancelled":
            self._hold(text_of(get(hook, "tool_call_id")), "paused" if status == "pending" else "cancelled")

    def _hold(self, id: str | None, reason: EndReason) -> None:
        for held in [id] if id is not None else list(self._names):  # one that names no call may be any
            self._sink.call_held(held, reason)


def _reason(event: Any) -> tuple[EndReason, str | None]:
    said = word(get(event, "finish_reason"))
    reason = END_REASONS.get(said or "", "unknown")
    metadata = get(event, "provider_metadata")
    for native in metadata.values() if isinstance(metadata, Mapping) else ():
        for field in ("finish_reason", "stop_reason", "status"):
            raw = word(get(native, field))
            combined = worse(reason, raw)
            if combined != reason:
                return combined, raw
    return reason, said
