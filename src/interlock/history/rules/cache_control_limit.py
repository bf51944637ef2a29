"""IL054 cache-control-limit: more cache markers than a request may hold.

What it finds:
    More than four `cache_control` markers in tools, system and messages together, those inside results
    and documents too. One for the whole request counts, unless the last block is marked.
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
    More than four in tools and system alone are reported: they are no part of the history.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from interlock.history.cachemarks import marks, outside, without_marks
from interlock.history.edits import Edit, ReplacePart
from interlock.history.rules.base import Context, Finding, Rule, without
from interlock.history.turns import Message, Part, Result
from interlock.history.wires.base import Wire

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each marker above the limit, oldest first."""
    limit = context.profile.cache_marks or 0
    beside = outside(context.options) + _automatic(messages, context)
    if beside > limit:
        yield Finding(
            message=None, reason=f"{beside} cache markers in tools, system and the request alone; the limit is {limit}"
        )
        return
    doubted = context.doubted(messages)  # no other message has one
    marked = [(message, part, count) for message in doubted for part in message.parts if (count := marks(part.native))]
    total = sum(count for _, _, count in marked) + beside
    surplus = total - limit
    for message, part, count in marked:
        if surplus <= 0:
            return
        off = min(count, surplus)
        surplus -= off
        edits: tuple[Edit, ...] = (ReplacePart(message=message, part=part, new=_bare(part, off, context.wire)),)
        for _ in range(off):
            yield Finding(
                message=message,
                part=part,
                action="replaced-part",
                edits=edits,
                reason=f"{total} cache markers; the limit is {limit}",
            )


def _automatic(messages: Sequence[Message], context: Context) -> int:
    """Return 1 where the request marks its own end and the last block is not marked already."""
    last = next((part for message in reversed(messages) for part in reversed(message.parts)), None)
    return context.options.get("cache_control") is not None and not (last is not None and marks(last.native))


def _bare(part: Part, count: int, wire: Wire) -> Part:
    """Return a part without its first markers."""
    native, _ = without_marks(part.native, count)
    own = part.native.get("cache_control") is not None and native.get("cache_control") is None
    new = without(part, "cache_control") if own else part
    if isinstance(new, Result) and native.get("content") is not part.native.get("content"):
        return wire.with_result(new, content=native["content"])
    for key in ("source", "content"):
        if native.get(key) is not part.native.get(key):
            new = replace(new, native={**new.native, key: native[key]})
    return new


RULE: Final = Rule(
    code="IL054",
    name="cache-control-limit",
    policies={"remove-oldest": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.cache_marks is not None,
)
