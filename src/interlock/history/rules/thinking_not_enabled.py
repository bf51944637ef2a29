"""IL042 thinking-not-enabled: thinking is off, and the final assistant message holds thinking.

What it finds:
    Thinking in the last assistant message while the request turns thinking off (`thinking.type` is
    `disabled`).
Why it matters:
    "When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`.
    To use thinking blocks, enable `thinking` in your request."
    Source: tailcallhq/forgecode#1853.

Example:
    before: thinking off / assistant [thinking, toolu_1] / user [result]
    after:  assistant [toolu_1] / user [result]
Fix:
    drop-reasoning (default)   the thinking goes, for this request
    keep                       left alone, not reported
Loss:
    drop-reasoning             lossy: the thinking; keep the stored history as it is
Known limits:
    Anthropic refuses thinking in the final assistant message only and accepts it in earlier ones, so these
    are left alone, and thinking that was dropped is sent again as soon as another answer follows: the cached
    beginning of a prompt ends there, unless the healed history is the one that is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import DropPart
from interlock.history.rules.base import Context, Finding, Rule, drop_part_action, thinking_setting
from interlock.history.turns import Message, Reasoning

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each thinking part of the last assistant message."""
    if thinking_setting(context) != "disabled":
        return
    last = next((message for message in reversed(messages) if message.role == "assistant"), None)
    for part in last.parts if last is not None else ():
        if last is not None and type(part) is Reasoning and part.slot in ("content", "parts"):
            yield Finding(
                message=last,
                part=part,
                action=drop_part_action(last),
                edits=(DropPart(message=last, part=part),),
                reason="thinking is off, and the final assistant message holds thinking",
            )


RULE: Final = Rule(
    code="IL042",
    name="thinking-not-enabled",
    policies={"drop-reasoning": "lossy", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.signed_thinking,
)
