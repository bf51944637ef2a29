"""What Chat Completions puts into fields of its own, for formats that hold it as blocks."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any, Final

from interlock.history.arguments import object_in
from interlock.history.wires.base import as_json

__all__ = ["OF_CHAT_RESULTS", "as_blocks", "chat_result", "says", "strays"]

#: The fields of a `tool` message that its result says again.
OF_CHAT_RESULTS: Final = frozenset({"role", "content", "tool_call_id", "name"})


def chat_result(native: Any) -> tuple[str, Any] | None:
    """Return the call's id and the body in a `tool` message; `None` for anything else."""
    if not isinstance(native, dict) or native.get("role") not in ("tool", "function") or "content" not in native:
        return None
    call_id, body = native.get("tool_call_id"), native["content"]
    if not isinstance(call_id, str):
        return None
    texts = isinstance(body, list) and all(isinstance(one, dict) and one.get("type") == "text" for one in body)
    return call_id, body if texts or isinstance(body, str) else "" if body is None else as_json(body)


def as_blocks(
    native: Any, text: Callable[[str], Any], call: Callable[[str | None, str, Any], dict[str, Any]]
) -> dict[str, Any] | None:
    """Return a message whose `tool_calls` have become blocks of its content.

    Args:
        native: The message.
        text: Makes a block of a string.
        call: Makes a block of a call's id, name and arguments.

    Returns:
        The message; `None` when it has none, or one of them cannot be read: then all stay.
    """
    entries = native.get("tool_calls") if isinstance(native, dict) else None
    content = native.get("content") if isinstance(native, dict) else None
    if not isinstance(entries, list) or not entries or not (content is None or isinstance(content, (str, list))):
        return None
    blocks: list[Any] = [text(content)] if isinstance(content, str) and content.strip() else []
    blocks += content if isinstance(content, list) else []
    said: dict[str | None, list[dict[str, Any]]] = {}
    for block in blocks:
        if isinstance(block, dict):
            said.setdefault(_id_of(block), []).append(block)
    for entry in entries:
        function = entry.get("function") if isinstance(entry, dict) else None
        if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
            return None
        call_id, given = entry.get("id"), function.get("arguments")
        if not (call_id is None or isinstance(call_id, str)):
            return None
        arguments = object_in(given) if isinstance(given, str) else given
        shown = given if arguments is None and given else {} if arguments is None else arguments
        block = call(call_id, function["name"], shown)
        if not any(one.items() >= block.items() for one in said.get(_id_of(block), ())):
            blocks.append(block)  # some clients keep a call in both places
    return {**{key: value for key, value in native.items() if key != "tool_calls"}, "content": blocks}


def _id_of(block: Mapping[str, Any]) -> str | None:
    """Return the id of the call in a block of one of the formats."""
    inner = block.get("toolUse")
    found = block.get("id", block.get("toolCallId", inner.get("toolUseId") if isinstance(inner, Mapping) else None))
    return found if isinstance(found, str) else None


#: What other formats' messages say in fields of their own.
_FOREIGN: Final = frozenset(
    {"annotations", "name", "reasoning", "reasoning_content", "reasoning_details", "tool_call_id", "tool_plan"}
)
_SAYING: Final = _FOREIGN - {"tool_call_id"} | {"audio", "function_call", "metadata", "parsed", "refusal", "thinking"}
#: What a store or a page notes of a message: its own ids and times.
_NOTED: Final = re.compile(r"id|uuid|timestamp|created|updated|date|time|\w*(?:_id|Id|_at|At|_time|Time)").fullmatch


def strays(native: Mapping[Any, Any], own: Container[str] = ("role", "content")) -> tuple[str, ...]:
    """Return the fields of a message, beside its `own`, that say nothing, or that are known to belong elsewhere.

    That is: null and empty ones, those of other formats, and the notes of a store.
    """
    return tuple(
        key
        for key, value in native.items()
        if isinstance(key, str)
        and key not in own
        and (value is None or (isinstance(value, (str, list, dict)) and not value) or key in _FOREIGN or _NOTED(key))
    )


def says(native: Mapping[str, Any], fields: Iterable[str]) -> bool:
    """Tell whether something that somebody said, or who said it, stands in one of these fields."""
    return any(native[field] and field in _SAYING for field in fields)
