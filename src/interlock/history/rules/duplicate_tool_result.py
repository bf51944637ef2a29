"""IL007 duplicate-tool-result: more than one result for one call.

What it finds:
    A second result that is bound to the same call: in the same answer, or later.
Why it matters:
    "each tool_use must have a single result"; "Duplicate tool call id N in tool results".
    A retried tool, or a real result that was stored after a stub had been put in.
    Source: litellm prompt_templates/factory.py, mistral-common validators.

Example:
    before: assistant call_1 / tool call_1 "old" / tool call_1 "new"
    after:  assistant call_1 / tool call_1 "new"
Fix:
    dedupe-last (default)  the last one in the answer stays
    dedupe-first           the first one in the answer stays
    merge                  one result that holds all bodies, in order
    keep                   left alone, not reported
Loss:
    dedupe-last, dedupe-first  lossy: the other bodies, unless they are equal
    merge                      lossless
Known limits:
    Whatever the policy, a stub gives way to a real result, which takes its place; and a
    result that stands behind its call wins over one that was stored somewhere later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from interlock.history.edits import DropPart, Edit, ReplacePart
from interlock.history.pairing import Bound, Open
from interlock.history.rules.base import Context, Finding, Rule, drop_part_action, origins_of
from interlock.history.stubs import is_stub
from interlock.history.turns import Message

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each result that is one too many."""
    policy = context.policy[RULE.name]
    for call in context.pairing(messages).calls():
        if len(call.answers) < 2:
            continue
        real = [bound for bound in call.answers if not is_stub(bound.result, context, call.call)] or call.answers
        kept = _kept(call, real, policy)
        seat = next((bound for bound in call.answers if _in_place(bound, call)), kept)
        new = kept.result
        others = [bound for bound in call.answers if bound is not kept]
        if policy == "merge":
            texts = [bound for bound in real if bound is kept or not _equal(bound, kept)]
            new = texts[0].result
            for bound in texts[1:]:
                origins = (*origins_of(new, texts[0].message), *origins_of(bound.result, bound.message))
                new = replace(context.wire.joined_results(new, bound.result), origins=tuple(dict.fromkeys(origins)))
        seated = seat is not kept and not _in_place(kept, call)
        for bound in others:
            edits: list[Edit] = [DropPart(message=bound.message, part=bound.result)]
            if seated and bound is seat:
                # The real result takes the stub's place, and leaves its own.
                edits = [
                    ReplacePart(message=bound.message, part=bound.result, new=new),
                    DropPart(message=kept.message, part=kept.result),
                ]
            elif not seated and new is not kept.result and bound is others[0]:
                edits.append(ReplacePart(message=kept.message, part=kept.result, new=new))
            stub = is_stub(bound.result, context, call.call)
            yield Finding(
                message=bound.message,
                part=bound.result,
                call_id=bound.result.call_id,
                action="replaced-part" if seated and bound is seat else drop_part_action(bound.message),
                edits=tuple(edits),
                lossy=not (stub or policy == "merge" or _equal(bound, kept)),
                reason=f"{context.call_in_words(call.call)} has {len(call.answers)} results"
                + ("; this one is a stub" if stub and len(real) < len(call.answers) else ""),
            )


def _kept(call: Open, real: Sequence[Bound], policy: str) -> Bound:
    placed = [bound for bound in real if _in_place(bound, call)] or real
    return placed[0] if policy in ("dedupe-first", "merge") else placed[-1]


def _in_place(bound: Bound, call: Open) -> bool:
    return call.turn.last < bound.at < call.turn.answer_end


def _equal(one: Bound, other: Bound) -> bool:
    return bool(one.result.content == other.result.content)


RULE: Final = Rule(
    code="IL007",
    name="duplicate-tool-result",
    policies={"dedupe-last": "lossy", "dedupe-first": "lossy", "merge": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
)
