r"""pydantic-ai stream events (pydantic-ai 2.68), and the `ModelResponse` that ends them.

One call on the wire::

    {"event_kind": "part_start", "index": 0, "part": {"part_kind": "tool-call", "tool_name": "f",
                                                      "tool_call_id": "c1", "args": ""}}
    {"event_kind": "part_delta", "index": 0, "delta": {"part_delta_kind": "tool_call", "args_delta": "{\"a\":1}"}}
    {"event_kind": "part_end", "index": 0, "part": {...}}
    {"kind": "response", "finish_reason": "tool_call", "parts": [{"part_kind": "tool-call", "args": "{\"a\":1}", ...}]}

Identity: the model response and the part's `index`. `tool_call_id` is made up by
the framework when the provider sent none. A second `part_start` at a used index
replaces the part: the first call is withdrawn.

The events do not say why the response ended, and `part_end` is derived from the
order of parts (with interleaved calls it comes before the deltas): neither ends
a call. The `ModelResponse` does, for all calls that it holds: push it after its
events (`stream.get()` of a model request, `node.model_response` of a run). Push
the events one by one then, too: when `watch` has seen the end of them, a response
comes too late, and its calls are refused.
`AgentRunResultEvent` brings the responses of its run with it. All copies of the
arguments must agree, and the response must hold the calls that were streamed.

`finish_reason` is unified, and made up where the provider sent none: a Chat
Completions body that ends without a reason becomes `stop` (recording
`chat-eof`). So it counts only together with the provider's own word in
`provider_details["finish_reason"]`; without one, nothing confirms, unless the
caller opts in with `confirm_on_done`. A word, or a `state`, that speaks against
completion wins.

`args` that are a dict were parsed by the provider's SDK (Gemini): a projection.
`function_tool_result` and the like are evidence that the framework ran the call,
and so is an announced call (`function_tool_call`, unless its arguments are not
valid) that the run did not defer. Calls that were deferred for approval are held; those that
were deferred to be run outside are the caller's. `builtin-tool-call` parts are
the provider's; a call that a later copy makes one of them is nobody's.

Source:
    pydantic-ai-slim 2.68.0: pydantic_ai/messages.py, run.py; "Deferred tools"
    and "Streaming events" in its documentation (read 2026-11-30).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from interlock.stream.access import get, items, text_of, word
from interlock.stream.events import Sink
from interlock.stream.wires import Traits
from interlock.stream.wires.native import worse
from interlock.vocabulary import EndReason, SourceEnd

__all__ = ["END_REASONS", "SOURCE_KEY", "STATES", "Adapter", "recognises"]

SOURCE_KEY: Final = "the model response and the part's `index`"

END_REASONS: Final[Mapping[str, EndReason]] = {
    "stop": "complete",
    "tool_call": "complete",
    "length": "length",
    "content_filter": "content_filtered",
    "error": "provider_error",
}

# `ModelResponse.state`, where it is not `complete`.
STATES: Final[Mapping[str, EndReason]] = {
    "incomplete": "unknown",
    "suspended": "paused",
    "interrupted": "cancelled",
}

_EVENTS = frozenset(
    {
        "part_start",
        "part_delta",
        "part_end",
        "final_result",
        "function_tool_call",
        "function_tool_result",
        "output_tool_call",
        "output_tool_result",
        "builtin_tool_call",
        "builtin_tool_result",
        "deferred_tool_requests",
        "deferred_tool_results",
        "agent_run_result",
    }
)
_CALLS = frozenset({"tool-call", "builtin-tool-call"})
_SERVER = frozenset({"builtin-tool-call", "builtin-tool-return"})


def recognises(event: Any) -> int:
    """Rate how well an event fits this wire: 0 not at all, 1 maybe, 2 surely."""
    if text_of(get(event, "event_kind")) in _EVENTS:
        return 2
    return 2 if get(event, "kind") == "response" and isinstance(get(event, "parts"), list | tuple) else 0


class _Part:
    """A part that is a call."""

    __slots__ = ("id", "key", "names", "server")

    def __init__(self, key: str, id: str | None, name: str | None, server: bool) -> None:
        self.key = key
        self.id = id
        self.names = [name or ""]  # the pieces of the name, joined only when it is compared
        self.server = server  # the provider runs it


class _Turn:
    """One model response, from its first part to its `ModelResponse`."""

    __slots__ = ("key", "number", "over", "parts", "settled")

    def __init__(self, number: int) -> None:
        self.key = f"response-{number}"
        self.number = number
        self.parts: dict[int, _Part] = {}  # the calls, by part index
        self.over = False  # its `ModelResponse` came, or the framework went on to its calls
        self.settled = False  # its `ModelResponse` came


class Adapter:
    """Translates the events of one model request, or of one run."""

    traits: ClassVar[Traits] = Traits(framing="none", calls_end=True, ends="turn", repeats_text=True)

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._count = 0
        self._turn = _Turn(0)
        self._by_call: dict[str, _Turn] = {}  # `tool_call_id` -> the first turn that waits for its `ModelResponse`
        self._ids: set[str] = set()  # the `tool_call_id` of every call that came
        self._own: dict[str, str] = {}  # of every call that is not the provider's: `tool_call_id` -> source key
        self._running: set[str] = set()  # announced as run, neither answered nor deferred

    def push(self, event: Any) -> None:
        """Translate one event, or the response itself."""
        kind = get(event, "event_kind")
        if kind == "part_delta":
            self._delta(get(event, "index"), get(event, "delta"))
        elif kind == "part_start":
            self._start(get(event, "index"), get(event, "part"))
        elif kind is None:
            if get(event, "kind") == "response":
                self._response(event)
        elif kind == "agent_run_result":
            self._result(get(event, "result"))
        elif kind == "part_end":
            self._check_executor(get(event, "part"))
        else:
            self._tool_event(kind, event)

    def source_ended(self, end: SourceEnd) -> None:  # noqa: ARG002 - the protocol's signature
        """Count a call that was announced as run, and never answered, as run."""
        for id in sorted(self._running):
            self._sink.tool_executed(id or None)

    # -- the parts -----------------------------------------------------------

    def _start(self, index: Any, raw: Any) -> None:
        if self._turn.over:
            self._next()
        kind = text_of(get(raw, "part_kind"))
        if type(index) is not int or index < 0:
            self._violation("E_PART_INDEX", f"a part has the index {index!r}; expected a whole number")
            return
        old = self._turn.parts.pop(index, None)
        if old is not None:
            self._sink.call_held(old.key, "cancelled")
        if kind in _SERVER:
            self._check_executor(raw)
        if kind in _CALLS:
            self._open(f"{self._turn.key}/{index}" if old is None else f"{old.key}+", index, raw)

    def _next(self) -> None:
        self._count += 1
        self._turn = _Turn(self._count)

    def _open(self, key: str, index: int, raw: Any) -> _Part:
        name, server = text_of(get(raw, "tool_name")), get(raw, "part_kind") != "tool-call"
        part = _Part(key, text_of(get(raw, "tool_call_id")), name, server)
        self._turn.parts[index] = part
        self._remember(part)
        self._sink.call_start(key, id=part.id, index=index, name=name, turn=self._turn.key, server_executed=server)
        self._arguments(part, get(raw, "args"))
        return part

    def _remember(self, part: _Part) -> None:
        if part.id is not None:
            self._ids.add(part.id)
            known = self._by_call.get(part.id)
            if known is None or known.settled:
                self._by_call[part.id] = self._turn
            if not part.server:
                self._own[part.id] = part.key

    def _check_executor(self, raw: Any) -> None:
        """Refuse a call that a later copy, or a result, says the provider ran."""
        key = self._own.get(text_of(get(raw, "tool_call_id")) or "")
        if key is not None and text_of(get(raw, "part_kind")) in _SERVER:
            self._sink.provider_diagnostic(
                "E_EXECUTOR_CONFLICT",
                f"the call {get(raw, 'tool_call_id')!r} is the provider's after all",
                key=key,
                fault="protocol",
            )

    def _arguments(self, part: _Part, args: Any) -> None:
        """Take arguments that are raw text, or a value that somebody parsed."""
        if isinstance(args, str):
            if args:
                self._sink.arguments_delta(part.key, args)
        elif args is not None:
            self._sink.arguments_value(part.key, args)

    def _delta(self, index: Any, delta: Any) -> None:
        if get(delta, "part_delta_kind") != "tool_call":
            return
        part = self._turn.parts.get(index) if type(index) is int else None
        if part is None or self._turn.over:
            self._violation("E_UNKNOWN_CALL", f"a delta for part {index!r}, which is no open call")
            return
        name = text_of(get(delta, "tool_name_delta"))
        if name is not None:
            part.names.append(name)
            self._sink.name_delta(part.key, name)
        self._arguments(part, get(delta, "args_delta"))
        id = text_of(get(delta, "tool_call_id"))
        if id is not None and id != part.id:
            if part.id is None:
                part.id = id
                self._remember(part)
            self._sink.call_identity(part.key, id=id)

    # -- what the framework does with the calls ------------------------------

    def _tool_event(self, kind: Any, event: Any) -> None:
        id = text_of(get(get(event, "part"), "tool_call_id"))
        if kind in ("function_tool_call", "output_tool_call"):
            self._turn.over = True
            if get(event, "args_valid") is not False:
                self._sink.crowded()
                self._running.add(id or "")
        elif kind in ("function_tool_result", "output_tool_result"):
            self._turn.over = True
            self._running.discard(id or "")
            self._sink.tool_executed(id)
        elif kind in ("builtin_tool_call", "builtin_tool_result"):
            self._check_executor(get(event, "part") or get(event, "result"))
        elif kind == "deferred_tool_requests":
            self._turn.over = True
            requests = get(event, "requests")
            for call in items(get(requests, "calls")):
                self._running.discard(text_of(get(call, "tool_call_id")) or "")
            for call in items(get(requests, "approvals")):
                id = text_of(get(call, "tool_call_id")) or ""
                self._running.discard(id)
                self._sink.call_held(id, "paused")

    # -- the responses -------------------------------------------------------

    def _result(self, result: Any) -> None:
        """Take the responses that a finished run brings with it."""
        messages = getattr(result, "new_messages", None)
        for message in items(messages() if callable(messages) else None):
            turn = self._turn_of(message)
            if turn is not None:
                self._settle(turn, message)

    def _response(self, response: Any) -> None:
        """Take a response that was pushed itself: of the turn that its calls name, else of the current one."""
        turn = self._turn_of(response)
        if turn is None:
            if self._ids & _ids(response) and (self._turn.over or not self._turn.parts):
                return  # a response that came before
            if self._turn.over:
                self._next()
            turn = self._turn
        self._settle(turn, response)

    def _turn_of(self, response: Any) -> _Turn | None:
        """Return the first turn that waits for its response and streamed a call of this one."""
        ids = _ids(response) if get(response, "kind") == "response" else set()
        found = (turn for id in ids if (turn := self._by_call.get(id)) is not None and not turn.settled)
        return min(found, key=lambda turn: turn.number, default=None)

    def _settle(self, turn: _Turn, response: Any) -> None:
        """Hold a response against what was streamed of it, and end its turn."""
        streamed = bool(turn.parts)
        missing = dict(turn.parts)
        for index, raw in enumerate(items(get(response, "parts"))):
            self._check_executor(raw)
            if text_of(get(raw, "part_kind")) not in _CALLS:
                continue
            id = text_of(get(raw, "tool_call_id"))
            at = next((at for at, part in missing.items() if part.id == id), None)
            if at is not None:
                part = missing.pop(at)
                self._compare(part, raw)
            elif not streamed:
                part = self._open(f"{turn.key}/{index}", index, raw)
            else:
                self._violation("E_CALL_NOT_STREAMED", f"the response holds a call {id!r} that was not streamed")
                continue
            self._sink.call_end(part.key)
        for part in missing.values():
            self._sink.provider_diagnostic(
                "E_CALL_NOT_IN_RESPONSE",
                f"the call {part.id!r} was streamed, but is not in the response",
                key=part.key,
                fault="protocol",
            )
        turn.over = turn.settled = True
        reason, said = _reason(response)
        if said is not None:
            self._sink.turn_end(turn.key, reason, said)
        elif (raw := word(get(get(response, "provider_details"), "finish_reason"))) is not None:
            against = worse("complete", raw)
            self._sink.turn_said(turn.key, against if against != "complete" else "unknown", raw)

    def _compare(self, part: _Part, raw: Any) -> None:
        name, streamed = text_of(get(raw, "tool_name")), "".join(part.names)
        if name is not None and name != streamed:
            self._sink.provider_diagnostic(
                "E_NAME_CONFLICT",
                f"the call {part.id!r} has two names: {streamed!r:.80} and {name!r:.80}",
                key=part.key,
                fault="protocol",
            )
        args = get(raw, "args")
        if isinstance(args, str):
            self._sink.arguments_final(part.key, args)
        elif args is not None:
            self._sink.arguments_value(part.key, args)

    def _violation(self, code: str, message: str) -> None:
        self._sink.provider_diagnostic(code, message, turn=self._turn.key, fault="protocol")


def _ids(response: Any) -> set[str]:
    ids = (text_of(get(part, "tool_call_id")) for part in items(get(response, "parts")))
    return {id for id in ids if id is not None}


def _reason(response: Any) -> tuple[EndReason, str | None]:
    """Return why the response ended; without the provider's own word, a good end is none at all."""
    said = word(get(response, "finish_reason"))
    reason = END_REASONS.get(said or "", "unknown")
    state = word(get(response, "state"))
    if state not in (None, "complete"):
        return (STATES.get(str(state), "unknown"), state) if reason in ("complete", "unknown") else (reason, said)
    raw = word(get(get(response, "provider_details"), "finish_reason"))
    if raw is None:
        return (reason, said) if reason != "complete" else ("unknown", None)
    combined = worse(reason, raw)
    return combined, raw if combined != reason else said
