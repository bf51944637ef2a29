"""IL034 prefix-position: `prefix: true` on a message that is not the last.

What it finds:
    An assistant message that is marked as a prefix and has another message behind it.
Why it matters:
    "Assistant message with prefix True must be last message"
    Source: mistral-common validators.

Example:
    before: assistant "Sure" (prefix) / user "n"
    after:  assistant "Sure" / user "n"
Fix:
    remove (default)   the flag goes
    keep               left alone, not reported
Loss:
    remove             lossless
Known limits:
    None.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import ReplaceMessage
from interlock.history.rules.base import Context, Finding, Rule, item_without
from interlock.history.turns import Message

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:  # noqa: ARG001
    """Yield one finding for each flag in the wrong place."""
    for message in messages[:-1]:
        native = message.native
        if message.role == "assistant" and isinstance(native, dict) and native.get("prefix") is True:
            yield Finding(
                message=message,
                action="replaced-part",
                edits=(ReplaceMessage(message=message, new=(item_without(message, "prefix"),)),),
                reason="`prefix` is true on a message that is not the last",
            )


RULE: Final = Rule(
    code="IL034",
    name="prefix-position",
    policies={"remove": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.prefix,
)
