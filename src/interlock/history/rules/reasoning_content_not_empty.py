"""IL049 reasoning-content-not-empty: a reasoning item carries content, which only an answer may.

What it finds:
    A reasoning item whose `content` is a list with entries, sent to OpenAI.
Why it matters:
    "Invalid 'input[39].content': array too long. Expected an array with maximum length 0, but got an
    array with length 1 instead."
    Source: musistudio/claude-code-router#1783, querymt/querymt#976.

Example:
    before: reasoning rs_1 {content: [...], summary: []}
    after:  reasoning rs_1 {summary: []}
Fix:
    remove (default)   `content` goes; summary and encrypted content stay as they are
    keep               left alone, not reported
Loss:
    remove             lossy: the raw reasoning text
Known limits:
    Servers that speak the same format and want the content back are not affected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import ReplaceMessage
from interlock.history.rules.base import Context, Finding, Rule, item_without
from interlock.history.turns import Message

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each reasoning item with content."""
    for message in context.doubted(messages):
        native = message.native
        if isinstance(native, dict) and native.get("type") == "reasoning" and native.get("content"):
            if context.model is not None and not _OWN.search(context.model):
                continue
            yield Finding(
                message=message,
                part=message.parts[0] if message.parts else None,
                action="replaced-part",
                edits=(ReplaceMessage(message=message, new=(item_without(message, "content"),)),),
                reason="a reasoning item carries content",
            )


#: OpenAI's own models; other servers' reasoning comes back with its content.
_OWN: Final = re.compile(r"gpt-|(?:^|/)o[0-9]|codex")


RULE: Final = Rule(
    code="IL049",
    name="reasoning-content-not-empty",
    policies={"remove": "lossy", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.items,
)
