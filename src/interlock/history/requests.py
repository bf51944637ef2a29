"""Whole request bodies: where the history is, what is declared beside it, and putting a healed one back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

__all__ = ["BODY_KEYS", "history_key", "renamed_tools", "tool_names"]

BODY_KEYS: Final = ("messages", "input", "contents")


def history_key(data: Any) -> str | None:
    """Return the field of a request body that holds the history; `None` when it is not a body.

    Of the Responses API's `input` a text alone is one, too: all that it says is the user's.
    """
    if type(data) is list:
        return None
    if isinstance(data, Mapping):
        for key in BODY_KEYS:
            if isinstance(data.get(key), (list, tuple)):
                return key
        if isinstance(data.get("input"), str):
            return "input"
    return None


def tool_names(tools: Any) -> list[str] | None:
    """Return the names of declared tools; `None` when nothing is declared that could be read.

    Args:
        tools: A provider's tools array in any of the known forms, a mapping from name to
            schema, a list of names, or Bedrock's `toolConfig`.
    """
    if isinstance(tools, Mapping):
        inner = tools.get("tools")
        if isinstance(inner, (list, tuple)):
            return tool_names(inner)
        return [name for name in tools if isinstance(name, str)]
    if not isinstance(tools, Sequence) or isinstance(tools, (str, bytes)):
        return None
    return [name for tool in tools for name in _names(tool)]


def _names(tool: Any) -> Iterator[str]:
    if isinstance(tool, str):
        yield tool
    elif isinstance(tool, Mapping):
        if isinstance(tool.get("name"), str):
            yield tool["name"]
        for key in ("function", "custom", "toolSpec"):
            inner = tool.get(key)
            if isinstance(inner, Mapping) and isinstance(inner.get("name"), str):
                yield inner["name"]
        for key in ("functionDeclarations", "function_declarations", "tools"):
            inner = tool.get(key)
            if isinstance(inner, (list, tuple)):
                for one in inner:
                    yield from _names(one)


_TOOL_FIELDS: Final = ("tools", "toolConfig", "tool_config", "tool_choice", "toolChoice", "functions", "function_call")
_NAME_FIELDS: Final = frozenset({"name"})
_NAME_LISTS: Final = frozenset({"allowedFunctionNames", "allowed_function_names"})
#: What a tool's own schema holds is not ours to rename in.
_SCHEMAS: Final = frozenset(
    {"parameters", "input_schema", "inputSchema", "parametersJsonSchema", "parameters_json_schema", "output_schema"}
)


def renamed_tools(body: Mapping[str, Any], new_names: Mapping[str, str]) -> dict[str, Any]:
    """Return those fields of a request body that declare or choose tools, with the tools renamed.

    Args:
        body: The request body.
        new_names: Name in the input -> the name to send. Names that stay are left out.

    Returns:
        Only the fields that changed.
    """
    out: dict[str, Any] = {}
    for key in _TOOL_FIELDS:
        if key in body:
            new = _renamed(body[key], new_names, named=key == "tools")
            if new is not body[key]:
                out[key] = new
    return out


def _renamed(value: Any, new_names: Mapping[str, str], *, named: bool = False) -> Any:
    if isinstance(value, Mapping):
        changed = False
        copy: dict[Any, Any] = {}
        for key, inner in value.items():
            new = inner
            if key in _NAME_FIELDS and isinstance(inner, str):
                new = new_names.get(inner, inner)
            elif key in _NAME_LISTS and isinstance(inner, (list, tuple)):
                new = [new_names.get(one, one) if isinstance(one, str) else one for one in inner]
                new = inner if list(inner) == new else new
            elif key not in _SCHEMAS:
                new = _renamed(inner, new_names, named=key == "tools")
            copy[key] = new
            changed = changed or new is not inner
        return copy if changed else value
    if isinstance(value, (list, tuple)):
        items = [
            new_names.get(one, one) if named and isinstance(one, str) else _renamed(one, new_names) for one in value
        ]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    return value
