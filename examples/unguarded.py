"""What a loop without a guard runs: join the fragments, parse what is there, call the tool.

This is what is done in the wild: `jiter` with `partial_mode` is the parser that the
official clients use for the arguments of a running stream; agent frameworks close open
strings and brackets in the same way. Nothing here looks at how the stream ended.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import jiter

Call = tuple[str, dict[str, Any]]


def anthropic_calls(events: Iterable[Any]) -> list[Call]:
    """Return the calls in the events of a Messages stream."""
    blocks: dict[int, list[str]] = {}
    for event in events:
        if event.type == "content_block_start" and event.content_block.type == "tool_use":
            blocks[event.index] = [event.content_block.name, ""]
        elif event.type == "content_block_delta" and event.delta.type == "input_json_delta":
            blocks[event.index][1] += event.delta.partial_json
    return [(name, _parse(text)) for name, text in blocks.values()]


def openai_calls(chunks: Iterable[Any]) -> list[Call]:
    """Return the calls in the chunks of a Chat Completions stream."""
    calls: dict[int, list[str]] = {}
    for chunk in chunks:
        for choice in chunk.choices:
            for delta in choice.delta.tool_calls or ():
                call = calls.setdefault(delta.index, ["", ""])
                call[0] += delta.function.name or ""
                call[1] += delta.function.arguments or ""
    return [(name, _parse(text)) for name, text in calls.values()]


def _parse(text: str) -> dict[str, Any]:
    value: dict[str, Any] = jiter.from_json(text.encode(), partial_mode="trailing-strings")
    return value
