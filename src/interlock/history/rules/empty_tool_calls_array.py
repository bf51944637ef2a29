"""IL023 empty-tool-calls-array: `tool_calls` is an empty list.

What it finds:
    An assistant message with `tool_calls: []`.
Why it matters:
    "Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, but got an
    empty array instead."
    Source: openai/openai-python#2061, home-assistant/core#118577.

Example:
    before: {"role": "assistant", "content": "Hi", "tool_calls": []}
    after:  {"role": "assistant", "content": "Hi"}
Fix:
    remove (default)   the key goes
    keep               left alone, not reported
Loss:
    remove             lossless
Known limits:
    Not looked at for Mistral, which takes an empty list, nor in Cohere's format, where no refusal
    of one is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from interlock.history.edits import ReplaceMessage
from interlock.history.rules.base import Context, Finding, Rule
from interlock.history.turns import Message

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each empty list of calls."""
    if not context.wire.refuses_empty_calls or context.profile.empty_calls:
        return
    for message in context.doubted(messages):
        native = message.native
        if message.role == "assistant" and isinstance(native, dict) and native.get("tool_calls") == []:
            if any(part.slot == "tool_calls" for part in message.parts):
                continue
            bare = {key: value for key, value in native.items() if key != "tool_calls"}
            yield Finding(
                message=message,
                action="replaced-part",
                edits=(ReplaceMessage(message=message, new=(replace(message, native=bare, changed=True),)),),
                reason="`tool_calls` is an empty list",
            )


RULE: Final = Rule(
    code="IL023",
    name="empty-tool-calls-array",
    policies={"remove": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
)
