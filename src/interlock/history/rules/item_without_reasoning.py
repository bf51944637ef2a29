"""IL044 item-without-reasoning: an item carries a server id, but the reasoning it belongs to is not there.

What it finds:
    A call with an id that claims to be the server's (`fc_...`) but is not of the form that the
    server issues, and no reasoning item ahead of it in its turn.
Why it matters:
    "Item 'fc_...' of type 'function_call' was provided without its required 'reasoning' item: 'rs_...'."
    Source: VRSEN/agency-swarm#367, laravel/ai#1052.

Example:
    before: function_call fc_1 call_1
    after:  function_call call_1
Fix:
    strip-id (default)  the id goes; `call_id` still pairs the call with its output
    strip-always        the id of every call without reasoning ahead of it goes
    keep                left alone, not reported
Loss:
    strip-id      lossless
    strip-always  lossless
Known limits:
    Many calls of reasoning models come without any reasoning, and requests with their genuine ids
    are accepted: only the server knows. `strip-always` is for a client that drops reasoning.
    Reasoning that several parallel calls share counts for each of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import ReplacePart
from interlock.history.rules.base import Context, Finding, Rule, without
from interlock.history.turns import Call, Message, Reasoning

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each call that stands without its reasoning."""
    if context.stateful:
        return
    always = context.policy[RULE.name] == "strip-always"
    for turn in _stretches(messages):
        seen = False
        for message in turn:
            part = message.parts[0] if message.parts else None
            if type(part) is Reasoning:
                seen = True
            native = message.native
            if seen or type(part) is not Call or not isinstance(native, dict) or part.slot != "self":
                continue
            own = native.get("id")
            if not isinstance(own, str) or not own.startswith("fc_") or (_ISSUED.fullmatch(own) and not always):
                continue
            yield Finding(
                message=message,
                part=part,
                call_id=part.call_id,
                action="replaced-part",
                edits=(ReplacePart(message=message, part=part, new=without(part, "id")),),
                reason=f"the item {own!r} stands without the reasoning that led to it",
            )


#: Recorded ids: `fc_` and 32 to 50 hexadecimal digits.
_ISSUED: Final = re.compile(r"fc_[0-9a-f]{32,}")


def _stretches(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """Yield the items between one word of the user and the next."""
    held: list[Message] = []
    for message in messages:
        if message.role in ("user", "system", "developer"):
            if held:
                yield held
            held = []
        else:
            held.append(message)
    if held:
        yield held


RULE: Final = Rule(
    code="IL044",
    name="item-without-reasoning",
    policies={"strip-id": "lossless", "strip-always": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.items,
)
