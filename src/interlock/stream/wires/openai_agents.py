r"""OpenAI Agents SDK stream events (openai-agents 0.24).

One call on the wire::

    {"type": "raw_response_event", "data": {"type": "response.output_item.added", ...}}
    {"type": "raw_response_event", "data": {"type": "response.function_call_arguments.delta", ...}}
    {"type": "raw_response_event", "data": {"type": "response.completed", ...}}
    {"type": "run_item_stream_event", "name": "tool_called", "item": {...}}
    {"type": "run_item_stream_event", "name": "tool_output", "item": {"raw_item": {"call_id": "call_1", ...}}}

`data` is an event of the wire `openai_responses`, whose rules hold for each
response of the run. Each `response.created` begins one, with its own numbering.

Identity: the response of the run, and the item (`output_index`, with `item_id`,
which must agree). End of a call: `response.output_item.done`. End of the turn (a
response): its terminal event. All copies of the arguments must agree.

Behind a Chat Completions model the SDK makes these events up. Its handler ends
every stream with `response.completed`, whatever the finish reason, and gives
all items one made-up id (`__fake_id__`), by which such a response is known
here. Of it only the deltas, `call_id` and `name` can be trusted: its terminal
event is taken as none, so that nothing is confirmed. To judge such a model,
guard the Chat Completions chunks themselves, or, for a host that you know to
end with an error when it cuts, opt in with `confirm_on_done`.

The SDK runs the tools itself: `tool_output` and a handoff's output are evidence
of that. A tool that needs approval shows nothing in the events; push the items
of `result.interruptions` to hold its call.

Source:
    openai-agents 0.24.0: agents/stream_events.py, items.py,
    models/chatcmpl_stream_handler.py.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from interlock.stream.access import get, items, text_of, word
from interlock.stream.events import Sink
from interlock.stream.wires import Traits, openai_responses
from interlock.stream.wires.openai_responses import END_REASONS
from interlock.vocabulary import EndReason, SourceEnd

__all__ = ["END_REASONS", "SOURCE_KEY", "Adapter", "recognises"]

SOURCE_KEY: Final = "the response of the run and the item's `output_index`, which `item_id` must agree with"

_FAKE_ID = "__fake_id__"
_TERMINALS = frozenset({"response.completed", "response.incomplete", "response.failed"})
_OUTPUTS = frozenset({"tool_call_output_item", "handoff_output_item", "tool_search_output_item"})


def recognises(event: Any) -> int:
    """Rate how well an event fits this wire: 0 not at all, 1 maybe, 2 surely."""
    kinds = ("raw_response_event", "run_item_stream_event", "agent_updated_stream_event")
    return 2 if get(event, "type") in kinds else 0


class _Unnamed:
    """A view of a made-up event without its made-up ids."""

    __slots__ = ("_raw",)

    def __init__(self, raw: Any) -> None:
        self._raw = raw

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name == "id" or name == "item_id":
            return None
        value = get(self._raw, name)
        return _Unnamed(value) if name == "item" else value


class Adapter:
    """Translates the events of one run; each response goes through an adapter of `openai_responses`."""

    traits: ClassVar[Traits] = Traits(framing="none", calls_end=True, ends="turn", repeats_text=True)

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._responses = 0
        self._scope = "run-0/"
        self._inner = openai_responses.Adapter(sink, self._scope)
        self._live = False  # a response has begun and not ended
        self._made_up = False

    def push(self, event: Any) -> None:
        """Translate one event, or an item of `result.interruptions`."""
        kind = get(event, "type")
        if kind == "raw_response_event":
            self._raw(get(event, "data"))
        elif kind == "run_item_stream_event":
            item = get(event, "item")
            if text_of(get(item, "type")) in _OUTPUTS:
                raw = get(item, "raw_item")
                self._sink.tool_executed(text_of(get(raw, "call_id")) or text_of(get(raw, "id")))
        elif kind == "tool_approval_item":
            raw = get(event, "raw_item")
            self._sink.call_held(f"{text_of(get(raw, 'call_id')) or get(raw, 'id')}", "paused")

    def source_ended(self, end: SourceEnd) -> None:
        """Conclude nothing: only a response's own terminal event ends it."""

    # -- inside --------------------------------------------------------------

    def _raw(self, data: Any) -> None:
        kind = text_of(get(data, "type"))
        if kind == "response.created":
            self._begin(get(get(data, "response"), "id") == _FAKE_ID)
        if self._made_up:
            if kind in _TERMINALS:
                self._live = False
                self._doubt(kind, get(data, "response"))
                return
            if kind == "response.refusal.delta":
                self._sink.provider_diagnostic(
                    "E_REFUSED",
                    "the response holds a refusal",
                    turn=f"{self._scope}response-0",
                    fault="content_filtered",
                )
            data = _Unnamed(data)
        elif kind in _TERMINALS:
            self._live = False
            response = get(data, "response")
            if get(response, "id") == _FAKE_ID or any(
                get(item, "id") == _FAKE_ID for item in items(get(response, "output"))
            ):
                self._doubt(kind, response)
                return
        self._inner.push(data)

    def _doubt(self, kind: str, response: Any) -> None:
        """Note a made-up end that speaks against the response; a good one says nothing."""
        if kind != "response.completed":
            said = word(get(get(response, "incomplete_details"), "reason")) or kind.removeprefix("response.")
            reason: EndReason = "provider_error" if kind == "response.failed" else END_REASONS.get(said, "unknown")
            self._sink.turn_said(f"{self._scope}response-0", reason, said)

    def _begin(self, made_up: bool) -> None:
        if self._live:
            self._sink.turn_replaced(f"{self._scope}response-0")
        if self._responses:
            self._scope = f"run-{self._responses}/"
            self._inner = openai_responses.Adapter(self._sink, self._scope)
        self._responses += 1
        self._live = True
        self._made_up = made_up
