"""IL038 thinking-last: an assistant turn ends in thinking.

What it finds:
    Thinking at the end of a turn that holds something else too.
Why it matters:
    "messages.1: The final block in an assistant message cannot be `thinking`."
    Source: tailcallhq/forgecode#2107.

Example:
    before: assistant ["Answer", thinking]
    after:  assistant ["Answer"]
Fix:
    drop-reasoning (default)   the thinking at the end goes
    keep                       left alone, not reported
Loss:
    drop-reasoning             lossy: the thinking
Known limits:
    A turn that is nothing but thinking is IL039's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import DropPart
from interlock.history.rules.base import Context, Finding, Rule, assistant_turns, drop_part_action
from interlock.history.turns import Message, Reasoning

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each thinking part at the end of a turn."""
    for turn in assistant_turns(messages, context):
        held = [(message, part) for message in turn for part in message.parts]
        while held and type(held[-1][1]) is Reasoning and len(held) > 1:
            message, part = held.pop()
            if part.slot not in ("content", "parts") or all(one.kind == "reasoning" for _, one in held):
                break
            yield Finding(
                message=message,
                part=part,
                action=drop_part_action(message),
                edits=(DropPart(message=message, part=part),),
                reason="the assistant turn ends in thinking",
            )


RULE: Final = Rule(
    code="IL038",
    name="thinking-last",
    policies={"drop-reasoning": "lossy", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.signed_thinking,
)
