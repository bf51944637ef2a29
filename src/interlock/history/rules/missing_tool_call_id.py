"""IL015 missing-tool-call-id: a call or its result has no id.

What it finds:
    A call whose id is absent, empty or no text; an id that is a number or a UUID, as tables keep them; a result that
    names its call by the id from before an earlier healing; a result without an id, whose call is known by
    name or order; a call without one and the only result that can be its. On formats that work without ids: a
    pair of which only one half has one, or of which the halves have two.
Why it matters:
    "Tool call id has to be defined."; a result without an id cannot be matched.
    Source: mistral-common validators, openai TypedDicts, cohere ChatMessageV2.

Example:
    before: assistant "" get_time / result "" 12:00
    after:  assistant "aB3dE6gH9" get_time / result "aB3dE6gH9" 12:00
Fix:
    fill (default)   the result gets its call's id; a call without one gets a new id, the same on each
                     run; a number, or a UUID, becomes its text
    keep             left alone, not reported
Loss:
    fill             lossless
Known limits:
    When there are more results without an id than open calls, or fewer, they are orphans: nothing is
    guessed. So is a result with another id than the open call has, where ids match the two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import ReplacePart
from interlock.history.naming import IdMap
from interlock.history.rules.base import Context, Finding, Rule, renamed_call
from interlock.history.turns import Call, Message, Part, Result, parts
from interlock.history.wires.base import Wire

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each half that lacks its id."""
    ids, missing = IdMap(), 0
    wire = context.wire
    for message, part in parts(context.doubted(messages)):
        if isinstance(part, (Call, Result)) and (text := _as_text(part, wire)) is not None:
            yield Finding(
                message=message,
                part=part,
                call_id=part.call_id,
                action="renamed",
                edits=(ReplacePart(message=message, part=part, new=text),),
                reason=f"the id {part.call_id} is no text, as ids are",
            )
    for call in context.pairing(messages).calls():
        if call.call.slot == "function_call":  # the older form has no ids
            continue
        own = call.call.call_id
        if not own:
            given = next((bound.result.call_id for bound in call.answers if bound.result.call_id), None)
            if not wire.has_ids and given is None:
                continue
            new = given
            if new is None:
                new = ids.mint("", missing)
                missing += 1
            named = f"the call of {call.call.name!r} has no id"
            yield renamed_call(call, new, named if call.call.name else "a call has neither id nor name", context)
            continue
        ids.taken.add(own)
        for bound in call.answers:
            if bound.result.call_id != own:
                new_result = wire.with_result(bound.result, call_id=own)
                yield Finding(
                    message=bound.message,
                    part=bound.result,
                    call_id=own,
                    action="renamed",
                    edits=(ReplacePart(message=bound.message, part=bound.result, new=new_result),),
                    reason=f"the {context.result_in_words(new_result)} has "
                    + (f"another id, {context.id_in_words(bound.result.call_id)}" if bound.result.call_id else "no id"),
                )


def _as_text(part: Call | Result, wire: Wire) -> Part | None:
    """Return the part with its id as text; `None` where it is."""
    if part.call_id is None or not _KEPT(part.call_id):
        return None
    new = wire.with_call(part, call_id=part.call_id) if type(part) is Call else None
    new_result = wire.with_result(part, call_id=part.call_id) if type(part) is Result else None
    changed = new or new_result
    return changed if changed is not None and changed.native != part.native else None


#: What numbers and UUIDs look like as text.
_KEPT: Final = re.compile("-?[0-9]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}").fullmatch

RULE: Final = Rule(
    code="IL015",
    name="missing-tool-call-id",
    policies={"fill": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
)
