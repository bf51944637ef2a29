"""What several wires do with arguments that may be text or a value, and with errors that have no shape of their own."""

from __future__ import annotations

from typing import Any, Final

from interlock.stream.access import get, word
from interlock.stream.events import Sink

__all__ = ["PLACES", "misplaced", "plain_error", "push_arguments", "refuse_misplaced", "refuse_untyped"]

# Where servers write arguments that belong elsewhere.
PLACES: Final = ("arguments", "args", "input", "parameters", "params", "partial_json", "tool_args")
# What gateways and frameworks in front of a model call an error, in an object without any of the wire's own fields.
_ERRORS: Final = ("error", "errors", "error_code", "error_message", "detail")


def push_arguments(sink: Sink, key: str, arguments: Any) -> None:
    """Pass on arguments that are a string, the model's own text, or a value that somebody else parsed."""
    if isinstance(arguments, str):
        if arguments:
            sink.arguments_delta(key, arguments)
    elif arguments is not None:
        sink.arguments_value(key, arguments)


def misplaced(holder: Any, place: str | None = None) -> str | None:
    """Return the field that holds arguments where the wire has none; `place` is the one where they belong."""
    return next((name for name in PLACES if name != place and get(holder, name)), None)


def refuse_misplaced(sink: Sink, key: str, holder: Any, place: str | None = None) -> None:
    """Refuse a call whose arguments may be in the wrong field: without them it would seem to need none."""
    found = misplaced(holder, place)
    if found is not None:
        sink.provider_diagnostic(
            "E_ARGUMENTS_PLACE",
            f"the call has something in {found!r}, where this wire has no arguments",
            key=key,
            fault="protocol",
        )


def refuse_untyped(sink: Sink, kind: Any, event: Any, *fields: str) -> None:
    """Count an event whose type is no word as lost, when it has a field of those that carry calls."""
    if (isinstance(kind, str) and kind) or all(get(event, field) is None for field in fields):
        return
    sink.events_lost(f"an event has the type {kind!r:.60}, and a field of events that carry calls")


def plain_error(event: Any) -> str | None:
    """Return the word of an error that is a plain object, `None` when an event without a type is none."""
    for name in _ERRORS:
        error = get(event, name)
        if error:
            if isinstance(error, str):
                return error[:200]
            return word(get(error, "code")) or word(get(error, "type")) or "error"
    message = get(event, "message")  # an object where a wire has a message
    return message[:200] if isinstance(message, str) and message else None
