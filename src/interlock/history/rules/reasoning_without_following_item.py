"""IL043 reasoning-without-following-item: reasoning that is not followed by what it led to.

What it finds:
    A reasoning item at the end of an assistant turn; one with a server id that is followed by
    a message without one, so that the message is not what it had led to.
Why it matters:
    "Item 'rs_...' of type 'reasoning' was provided without its required following item."
    Source: openai/openai-node#1567, vercel/ai#8379, continuedev/continue#8933.

Example:
    before: user "q" / assistant [reasoning rs_1] / user "next"
    after:  user "q" / user "next"
Fix:
    drop-reasoning (default)  the reasoning item goes; items of its turn that may need it are sent without
                              their ids (IL044)
    keep                      left alone, not reported
Loss:
    drop-reasoning  lossy: hidden reasoning
Known limits:
    What an item had led to is known by position only. So an item that stands elsewhere in its turn is not
    put behind it: which one it is only the server knows, and the wrong one is refused as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import DropPart
from interlock.history.rules.base import Context, Finding, Rule, assistant_turns, drop_part_action, leave_behind
from interlock.history.turns import Message, Part, Reasoning, Text

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each reasoning part at the end of a turn."""
    dropped: list[Message] = []
    for turn in assistant_turns(messages, context):
        held = [(message, part) for message in turn for part in message.parts]
        last = len(held)
        while last and type(held[last - 1][1]) is Reasoning:
            last -= 1
        for at, (message, part) in enumerate(held):
            if type(part) is not Reasoning:
                continue
            if at < last and not (context.profile.items and _parted(part, held[at + 1])):
                continue
            dropped.append(message)
            yield Finding(
                message=message,
                part=part,
                action=drop_part_action(message),
                edits=(DropPart(message=message, part=part),),
                reason="reasoning without the item it led to",
            )
    leave_behind(messages, dropped, context, ahead=True)


def _parted(part: Reasoning, behind: tuple[Message, Part]) -> bool:
    """Say whether a reasoning item names itself to the server and the message behind it does not."""
    message, following = behind
    if type(following) is not Text or not isinstance(part.native, dict) or not isinstance(message.native, dict):
        return False
    own = part.native.get("id")
    return isinstance(own, str) and own.startswith("rs_") and not message.native.get("id")


RULE: Final = Rule(
    code="IL043",
    name="reasoning-without-following-item",
    policies={"drop-reasoning": "lossy", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.reasoning_needs_next,
)
