"""IL055 cache-control-target: a cache marker on a block that cannot carry one.

What it finds:
    `cache_control` on thinking, or on empty text.
Why it matters:
    "cache_control cannot be set for empty text blocks"; "thinking.cache_control: Extra inputs are not
    permitted"
    Source: NousResearch/hermes-agent#1216, Wei-Shaw/sub2api#225.

Example:
    before: assistant ["Hi", thinking (marked)]
    after:  assistant ["Hi" (marked), thinking]
Fix:
    move (default)   the marker moves to the nearest earlier block of the message that can carry it,
                     or goes
    keep             left alone, not reported
Loss:
    move             lossless
Known limits:
    None.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from interlock.history.edits import Edit, ReplacePart
from interlock.history.rules.base import Context, Finding, Rule, without
from interlock.history.turns import Message, Part, Reasoning

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each marker in a wrong place."""
    for message in context.doubted(messages):
        target: Part | None = None
        for part in message.parts:
            native = part.native
            wrong = type(part) is Reasoning or context.wire.is_blank(part)
            if not isinstance(native, dict) or part.slot != "content":
                continue
            if not wrong:
                target = part
            elif native.get("cache_control") is not None:
                edits: list[Edit] = [ReplacePart(message=message, part=part, new=without(part, "cache_control"))]
                if target is not None and target.native.get("cache_control") is None:
                    marked = {**target.native, "cache_control": native["cache_control"]}
                    edits.append(ReplacePart(message=message, part=target, new=replace(target, native=marked)))
                yield Finding(
                    message=message,
                    part=part,
                    action="replaced-part",
                    edits=tuple(edits),
                    reason=f"a cache marker on {'thinking' if type(part) is Reasoning else 'empty text'}",
                )


RULE: Final = Rule(
    code="IL055",
    name="cache-control-target",
    policies={"move": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.cache_marks is not None,
)
