"""IL008 duplicate-tool-call-id: one call id is used by two calls.

What it finds:
    A call whose id an earlier call has: in the same turn, or, for a target that wants ids unique in the
    whole request, in any turn. An exact copy of a call in its own turn. For a provider that never gives
    an id twice, an exchange that stands there twice.
Why it matters:
    "messages.1.content.1: `tool_use` ids must be unique"; "The toolUse blocks at messages.2.content
    contain duplicate Ids: N".
    Source: BerriAI/litellm#23510, NVIDIA-NeMo/Switchyard#502 (ids like `call_0` in each turn),
    bvcyber/Cyber-AutoAgent-ng#72.

Example:
    before: assistant d f(a) / result d "A" / assistant d f(b) / result d "B"
    after:  assistant d f(a) / result d "A" / assistant X f(b) / result X "B"
Fix:
    rename (default)   the later call and the results that answer it get a new id, the same on each
                       run; a copy without a result of its own goes
    keep               left alone, not reported
Loss:
    rename             lossless: `result.ids` leads back
Known limits:
    Two tools called in two turns under one random id were seen to be accepted; that is left alone.
    Calls are told apart by position, so a wrong pairing that was stored stays wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import DropPart
from interlock.history.naming import IdMap
from interlock.history.pairing import Open, Turn
from interlock.history.rules.base import Context, Finding, Rule, drop_part_action, renamed_call
from interlock.history.turns import Call, Message

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each call that has to get another id, or is only a copy."""
    asked = (part for message in messages for part in message.parts if type(part) is Call and not part.server)
    given = [part.call_id for part in asked if part.call_id]
    if len(set(given)) == len(given):
        return  # nothing to pair for
    scope = context.profile.unique_ids
    pairing = context.pairing(messages)
    ids, count = IdMap(), dict[str, int]()
    tools: dict[str, set[str | None]] = {}
    copied: set[int] = set()
    if context.profile.server_ids:
        for earlier, later in zip(pairing.turns, pairing.turns[1:], strict=False):
            if id(earlier) not in copied and earlier.answer_end == later.first and _same(earlier, later):
                copied.add(id(later))
    for turn in pairing.turns:
        first: dict[str, Open] = {}
        if scope == "message":
            ids.taken.clear()
        for call in turn.calls:
            old = call.call.call_id
            if not old:
                continue
            ordinal = count[old] = count.get(old, -1) + 1
            twin = first.setdefault(old, call)
            if id(turn) in copied or (twin is not call and not call.answers and _equal(twin, call)):
                for message, part in ((call.message, call.call), *((one.message, one.result) for one in call.answers)):
                    yield Finding(
                        message=message,
                        part=part,
                        call_id=old,
                        action=drop_part_action(message),
                        edits=(DropPart(message=message, part=part),),
                        lossy=False,
                        reason=f"an exact copy of an earlier {part.kind} {context.id_in_words(old)}",
                    )
                continue
            users = tools.setdefault(old, set())
            tolerated = twin is call and call.call.name not in users and not _COUNTED.match(old)
            users.add(call.call.name)
            if old not in ids.taken or tolerated:
                ids.taken.add(old)
                continue
            reason = f"the id {context.id_in_words(old)} is used by an earlier call"
            yield renamed_call(call, ids.mint(old, ordinal), reason, context)


# A recorded request in which two turns called two tools under one id of another provider
# (`0usajhl5`) was accepted. What was seen to be refused: ids that are counted anew in each
# turn, Anthropic's own ids, and one tool called twice under one id.
_COUNTED: Final = re.compile(r"toolu_|.*[_:.-]\d{1,4}$")


#: Where calls that are no functions have what they ask for.
_INPUTS: Final = ("input", "custom", "action", "operation")


def _equal(one: Open, other: Open) -> bool:
    if one.call.name != other.call.name or one.call.arguments != other.call.arguments:
        return False
    if not (isinstance(one.call.native, dict) and isinstance(other.call.native, dict)):
        return True
    return all(one.call.native.get(field) == other.call.native.get(field) for field in _INPUTS)


def _same(one: Turn, other: Turn) -> bool:
    """Say whether two turns make the same calls under the same ids and got the same answers."""
    if len(one.calls) != len(other.calls):
        return False
    for left, right in zip(one.calls, other.calls, strict=True):
        if not left.call.call_id or left.call.call_id != right.call.call_id or not _equal(left, right):
            return False
        if [bound.result.content for bound in left.answers] != [bound.result.content for bound in right.answers]:
            return False
    return True


RULE: Final = Rule(
    code="IL008",
    name="duplicate-tool-call-id",
    policies={"rename": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.unique_ids is not None or profile.server_ids,
)
