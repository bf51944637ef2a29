"""IL035 unsigned-thinking: reasoning without the signature that the provider issues.

What it finds:
    A reasoning part with no signature and no encrypted data.
Why it matters:
    Only the text was stored, or the reasoning came from another provider:
    "messages.5.content.0: Invalid `signature` in `thinking` block";
    "messages.1.content.0.thinking.signature: Field required".
    Source: code-yeongyu/oh-my-openagent#2775, kaitranntt/ccs#415.

Example:
    before: assistant [thinking "Let me see"] "Answer 1"
    after:  assistant "Answer 1"
Fix:
    drop-reasoning (default)  the part goes; a signature cannot be made
    keep                      left alone, not reported
Loss:
    drop-reasoning  lossy: the reasoning's text
Known limits:
    Whether a signature that is there is still valid only the provider can tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import DropPart
from interlock.history.rules.base import Context, Finding, Rule, drop_part_action
from interlock.history.turns import Message, Reasoning

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each reasoning part without a signature."""
    for message in context.doubted(messages):
        for part in message.parts:
            if type(part) is Reasoning and part.slot in ("content", "parts") and not part.signature:
                yield Finding(
                    message=message,
                    part=part,
                    action=drop_part_action(message),
                    edits=(DropPart(message=message, part=part),),
                    reason="reasoning without a signature",
                )


RULE: Final = Rule(
    code="IL035",
    name="unsigned-thinking",
    policies={"drop-reasoning": "lossy", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.signed_thinking,
)
