"""IL037 thinking-order: text stands ahead of the thinking in an assistant message.

What it finds:
    An assistant message that begins with text and holds thinking behind it.
Why it matters:
    "If an assistant message contains any thinking blocks, the first block must be thinking or
    redacted_thinking. Found text."
    Source: anthropics/claude-code#20705.

Example:
    before: assistant ["note", thinking, toolu_1]
    after:  assistant [thinking, "note", toolu_1]
Fix:
    reorder (default)   the text moves behind the thinking; the thinking itself is not touched
    keep                left alone, not reported
Loss:
    reorder             lossless
Known limits:
    Thinking between tool blocks is healthy and stays; models that think where they want are not checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import SetParts
from interlock.history.rules.base import Context, Finding, Rule
from interlock.history.turns import Message, Reasoning, Text

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each message that begins with text and then thinks."""
    for message in context.doubted(messages):
        if message.role != "assistant":
            continue
        held = message.parts
        lead = 0
        while lead < len(held) and type(held[lead]) is Text and held[lead].slot in ("content", "parts"):
            lead += 1
        end = lead
        while end < len(held) and type(held[end]) is Reasoning and held[end].slot in ("content", "parts"):
            end += 1
        if lead and end > lead:
            new = (*held[lead:end], *held[:lead], *held[end:])
            yield Finding(
                message=message,
                part=held[lead],
                action="reordered-parts",
                edits=(SetParts(message=message, parts=new),),
                reason="text stands ahead of the thinking",
            )


RULE: Final = Rule(
    code="IL037",
    name="thinking-order",
    policies={"reorder": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.thinking_first,
)
