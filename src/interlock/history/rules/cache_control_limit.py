"""IL054 cache-control-limit: more cache markers than a request may hold.

What it finds:
    More than four `cache_control` markers in tools, system and messages together.
Why it matters:
    "A maximum of 4 blocks with cache_control may be provided. Found 5."
    Source: Wei-Shaw/sub2api#176, tghamm/Anthropic.SDK#50.

Example:
    before: five marked blocks
    after:  the oldest mark in the messages is gone
Fix:
    remove-oldest (default)   the oldest markers in the messages go; those of tools and system stay
    keep                      left alone, not reported
Loss:
    remove-oldest             lossless: no content; a part of the prompt is not cached
Known limits:
    None.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from interlock.history.edits import ReplacePart
from interlock.history.rules.base import Context, Finding, Rule, without
from interlock.history.turns import Message

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each marker above the limit, oldest first."""
    marked = [
        (message, part)
        for message in messages
        for part in message.parts
        if isinstance(part.native, dict) and part.native.get("cache_control") is not None
    ]
    outside = sum(_marks(context.options.get(key)) for key in ("tools", "system"))
    surplus = len(marked) + outside - (context.profile.cache_marks or 0)
    for message, part in marked[: max(surplus, 0)]:
        yield Finding(
            message=message,
            part=part,
            action="replaced-part",
            edits=(ReplacePart(message=message, part=part, new=without(part, "cache_control")),),
            reason=f"{len(marked) + outside} cache markers; the limit is {context.profile.cache_marks}",
        )


def _marks(blocks: Any) -> int:
    if not isinstance(blocks, list):
        return 0
    return sum(isinstance(one, dict) and one.get("cache_control") is not None for one in blocks)


RULE: Final = Rule(
    code="IL054",
    name="cache-control-limit",
    policies={"remove-oldest": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.cache_marks is not None,
)
