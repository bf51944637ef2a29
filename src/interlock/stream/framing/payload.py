"""The text of one event to the event itself."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["error_of", "event_of"]


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object, unless a key comes twice: two answers to one question are none."""
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key comes twice")
    return made


_decode = json.JSONDecoder(object_pairs_hook=_object).raw_decode


def event_of(data: bytes) -> Any:
    """Return the JSON object of one event's data, `"[DONE]"`, or `{"raw": text}` when it is no such thing.

    Nothing is replaced or chosen silently: data that is not UTF-8, or that holds a key twice, is unreadable.
    """
    try:
        text = data.decode("utf-8").strip(" \t\r\n")
        value, end = _decode(text)
        if end == len(text):
            return value if type(value) is dict else {"raw": text}
    except (ValueError, RecursionError):
        pass
    if data.strip() == b"[DONE]":
        return "[DONE]"
    return {"raw": data.decode("utf-8", "backslashreplace")}


def error_of(data: bytes) -> dict[str, Any]:
    """Return the event of data that the transport itself calls an error, in the shape that every wire reads."""
    event = event_of(data)
    if isinstance(event, dict):
        if event.get("error") and event.get("type") in (None, "error"):
            return event
        if "raw" not in event:
            return {"type": "error", "error": event}
    return {"type": "error", "error": {"message": data.decode("utf-8", "backslashreplace")}}
