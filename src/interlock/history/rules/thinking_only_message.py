"""IL039 thinking-only-message: an assistant turn in which only reasoning is left.

What it finds:
    A turn (a message, or neighbours that the provider joins) that holds reasoning and nothing else.
Why it matters:
    "messages.1: The final block in an assistant message cannot be `thinking`."
    Source: tailcallhq/forgecode#2107.

Example:
    before: user "q" / assistant [thinking] / user "go on"
    after:  user "q" / user "go on"
Fix:
    drop-message (default)  the turn goes
    keep                    left alone, not reported
Loss:
    drop-message  lossy: the reasoning
Known limits:
    None.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import DropMessage
from interlock.history.rules.base import Context, Finding, Rule, assistant_turns
from interlock.history.turns import Message

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each message of a turn that is only reasoning."""
    for turn in assistant_turns(messages, context):
        held = [part for message in turn for part in message.parts]
        if held and all(part.kind == "reasoning" and part.slot != "reasoning_content" for part in held):
            for message in turn:
                yield Finding(
                    message=message,
                    action="dropped-message",
                    edits=(DropMessage(message=message),),
                    reason="the assistant turn holds reasoning and nothing else",
                )


RULE: Final = Rule(
    code="IL039",
    name="thinking-only-message",
    policies={"drop-message": "lossy", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.signed_thinking,
)
