"""IL053 unsupported-reasoning-field: a reasoning field that the server refuses.

What it finds:
    `reasoning_content` or `reasoning_details` in a message to a server that does not know them, and
    `reasoning_content` of earlier turns for DeepSeek R1, which is not to be sent it.
Why it matters:
    "property 'reasoning_content' is unsupported"; "messages.2.assistant.reasoning_content: property ...
    is unsupported" (`wrong_api_format`).
    Source: NousResearch/hermes-agent#11089, vercel/ai#8057, CherryHQ/cherry-studio#16790.

Example:
    before: assistant "Hi", reasoning_content "hm"
    after:  assistant "Hi", reasoning "hm"
Fix:
    convert (default)   the field gets the server's own name, or goes where it has none
    keep                left alone, not reported
Loss:
    convert             lossy: the reasoning, where the server has no field for it
Known limits:
    DeepSeek R1 takes `reasoning_content` of the open turn only, so that of a turn goes once it is over: the
    cached beginning of a prompt ends there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from interlock.history.edits import DropPart, Edit, ReplacePart
from interlock.history.rules.base import Context, Finding, Rule, drop_part_action
from interlock.history.turns import Message, Reasoning

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each refused field."""
    stale = context.profile.stale_field
    last = max((at for at, message in enumerate(messages) if message.role == "user"), default=-1) if stale else -1
    for at, message in enumerate(messages):
        for part in message.parts:
            if type(part) is not Reasoning:
                continue
            if part.slot == stale and at < last:
                yield Finding(
                    message=message,
                    part=part,
                    action=drop_part_action(message),
                    edits=(DropPart(message=message, part=part),),
                    reason=f"`{stale}` of an earlier turn is not sent back to this model",
                )
                continue
            for field, own in context.profile.refused_fields:
                if part.slot != field:
                    continue
                free = (
                    own is not None
                    and isinstance(part.native, str)
                    and not any(one.slot == own for one in message.parts)
                )
                edit: Edit = DropPart(message=message, part=part)
                if free and own is not None:
                    edit = ReplacePart(message=message, part=part, new=replace(part, slot=own))
                yield Finding(
                    message=message,
                    part=part,
                    action="renamed" if free else drop_part_action(message),
                    edits=(edit,),
                    lossy=not free,
                    reason=f"the server does not know `{field}`",
                )


RULE: Final = Rule(
    code="IL053",
    name="unsupported-reasoning-field",
    policies={"convert": "lossy", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: bool(profile.refused_fields or profile.stale_field),
)
