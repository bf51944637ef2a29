"""The normalized events themselves, one JSON object a line.

Every event of `interlock.stream.events` is an object with `type` and the
event's fields: what the other wires are translated into, for recording, tests
and wires of your own::

    {"type": "call_start", "key": "a", "id": "call_1", "name": "f"}
    {"type": "arguments_delta", "key": "a", "text": "{}"}
    {"type": "call_end", "key": "a"}
    {"type": "stream_end", "reason": "complete", "provider_reason": "stop"}

Identity: `key`. End of a call: `call_end`, which may be left out. End of a
turn: `turn_end`; of the stream: `stream_end`; one of them confirms. An event
that is not understood is a protocol violation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar, Final

from interlock.stream.access import get
from interlock.stream.events import EVENT_TYPES, Sink
from interlock.stream.wires import Traits
from interlock.vocabulary import END_REASONS as OUR_END_REASONS
from interlock.vocabulary import EndReason, SourceEnd

__all__ = ["END_REASONS", "SOURCE_KEY", "Adapter", "recognises"]

SOURCE_KEY: Final = "the event's `key`"

END_REASONS: Final[Mapping[str, EndReason]] = {reason: reason for reason in OUR_END_REASONS}

_FAULTS = (
    None,
    "internal",
    "executed",
    "limit",
    "provider_error",
    "content_filtered",
    "protocol",
    "malformed",
)
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "key": (str,),
    "id": (str, type(None)),
    "index": (int, type(None)),
    "name": (str, type(None)),
    "turn": (str, type(None)),
    "text": (str,),
    "message": (str,),
    "code": (str,),
    "kind": (str,),
    "server_executed": (bool,),
    "provider_reason": (str, type(None)),
    "fault": (str, type(None)),
    "reason": (str,),
    "value": (object,),
    "path": (list, tuple),
    "more": (bool,),
    "own": (bool,),
    "output_tokens": (int,),
}


def recognises(event: Any) -> int:
    """Rate how well an event fits this wire: 0 not at all, 1 maybe, 2 surely."""
    return 2 if get(event, "type") in EVENT_TYPES else 0


class Adapter:
    """Passes normalized events on, after checking their shape."""

    traits: ClassVar[Traits] = Traits(framing="ndjson", calls_end=False, ends="turn", repeats_text=True)

    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    def push(self, event: Any) -> None:
        """Pass on one event: a dict, or one of the records."""
        kind = get(event, "type")
        record = EVENT_TYPES.get(kind) if isinstance(kind, str) else None
        if record is None:
            self._refuse(f"an event has the type {kind!r}; expected one of {', '.join(EVENT_TYPES)}")
            return
        given: dict[str, Any] = {}
        for field in fields(record):
            value = get(event, field.name)
            if value is None and not (isinstance(event, dict) and field.name in event and field.name == "value"):
                continue
            if not isinstance(value, _TYPES[field.name]) or (field.name == "index" and isinstance(value, bool)):
                self._refuse(f"{kind}: {field.name} is {value!r}")
                return
            given[field.name] = value
        if given.get("fault") not in _FAULTS:
            self._refuse(f"{kind}: fault is {given['fault']!r}")
            return
        if given.get("reason", "complete") not in END_REASONS:
            given["reason"] = "unknown"  # a word that nobody knows never confirms
        try:
            if kind == "turn_end" or kind == "turn_replaced":
                given.setdefault("turn", "")
            getattr(self._sink, str(kind))(**given)
        except TypeError:
            self._refuse(f"{kind}: a required field is missing; got {', '.join(sorted(given)) or 'none'}")

    def source_ended(self, end: SourceEnd) -> None:
        """Conclude nothing."""

    def _refuse(self, message: str) -> None:
        self._sink.provider_diagnostic("E_NORMALIZED_EVENT", message, fault="protocol")
