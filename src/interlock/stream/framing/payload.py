"""The text of one event to the event itself."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["event_of"]

_decode = json.JSONDecoder().raw_decode


def event_of(data: bytes) -> Any:
    """Return the JSON value of one event's data, `"[DONE]"`, or `{"raw": text}` when it is no JSON.

    Nothing is replaced silently: data that is not UTF-8 is no JSON either.
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
