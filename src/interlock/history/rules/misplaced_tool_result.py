"""IL003 misplaced-tool-result: call and result both exist, but the result is not behind its call.

What it finds:
    A result that comes after a later message of the user or the model, or ahead of its call.
Why it matters:
    "Followed by" is meant literally: an interposed message counts as no result at all, and most
    repairers then add a stub and throw the real result away.
    Source: github/copilot-cli#2323, leookun/cursor-byok#307.

Example:
    before: assistant call_1 / user "also check b" / tool call_1 "A"
    after:  assistant call_1 / tool call_1 "A" / user "also check b"
Fix:
    move (default)  the result goes right behind its call; what stood between stays, in order
    keep            left alone, not reported
Loss:
    move  lossless
Known limits:
    Where a target pairs by id alone, only a result that comes before its call is moved. Behind later words of the
    assistant a result stays where the target joins neighbouring messages: it stands right behind the joined one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import DropPart
from interlock.history.pairing import Bound, Open
from interlock.history.rules.base import Context, Finding, Rule, answer
from interlock.history.turns import Message

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each result that has to move."""
    if context.wire.result_role == "assistant":
        return
    for turn in context.pairing(messages).turns:
        for call in turn.calls:
            for bound in call.answers[:1]:
                if turn.last < bound.at and (bound.at < turn.answer_end or not context.profile.results_adjacent):
                    continue
                _, edits = answer(messages, turn, (bound.result,), context)
                yield Finding(
                    message=bound.message,
                    part=bound.result,
                    call_id=call.call.call_id,
                    action="reordered-parts",
                    edits=(DropPart(message=bound.message, part=bound.result), *edits),
                    reason=f"the result for {context.call_in_words(call.call)} stands " + _where(bound, call),
                )


def _where(bound: Bound, call: Open) -> str:
    if bound.message is call.message:
        return "in its call's own message"
    return "ahead of its call" if bound.at <= call.turn.last else "behind a later message"


RULE: Final = Rule(
    code="IL003",
    name="misplaced-tool-result",
    policies={"move": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
)
