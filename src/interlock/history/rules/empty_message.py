"""IL021 empty-message: a message that says nothing.

What it finds:
    An assistant message without parts, or with nothing but white space.
Why it matters:
    "messages.0: all messages must have non-empty content except for the optional final
    assistant message"; "Invalid request: the message at position N with role 'assistant'
    must not be empty".
    Source: anthropics/claude-code#6774, MoonshotAI/kimi-code#1985.

Example:
    before: user "q" / assistant "" / user "hello?"
    after:  user "q" / user "hello?"
Fix:
    drop (default)  the message goes: it carries nothing
    keep            left alone, not reported
Loss:
    drop  lossless: white space at most
Known limits:
    None.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import DropMessage
from interlock.history.rules.base import Context, Finding, Rule
from interlock.history.turns import Message, Text

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:  # noqa: ARG001
    """Yield one finding for each empty message."""
    for message in messages:
        if message.role == "assistant" and all(type(part) is Text and not part.text.strip() for part in message.parts):
            yield Finding(
                message=message,
                action="dropped-message",
                edits=(DropMessage(message=message),),
                reason="the assistant message holds nothing but white space",
            )


RULE: Final = Rule(
    code="IL021",
    name="empty-message",
    policies={"drop": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.empty_assistant,
)
