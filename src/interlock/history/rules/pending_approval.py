"""IL012 pending-approval: a call is named as pending, but the conversation has gone on.

What it finds:
    A call that `pending` names and that has no result, with a later message of the user or the model
    behind it.
Why it matters:
    A call that waits for a human looks like an orphan, and a stub would override the human. But behind
    it nothing may come: every provider then asks for the result.
    Source: provider rules of all formats; vercel/ai convert-to-language-model-prompt.ts.

Example:
    before: assistant c1 (pending) / user "and now?"
    after:  the same; reported
Fix:
    report (default)   nothing is changed: answer the call, or take it out of `pending`
    keep               left alone, not reported
Loss:
    report             lossless
Known limits:
    No edit of the history can help.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.pending import is_named
from interlock.history.rules.base import Context, Finding, Rule
from interlock.history.turns import Message

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each pending call that is not at the end."""
    if context.pending == "keep":
        return
    for turn in context.pairing(messages).turns:
        if turn.reach >= len(messages):
            continue
        for call in turn.calls:
            if not call.answers and is_named(call.call.call_id, context):
                yield Finding(
                    message=call.message,
                    part=call.call,
                    call_id=call.call.call_id,
                    reason=f"{context.call_in_words(call.call)} is pending, but the conversation has gone on behind it",
                )


RULE: Final = Rule(
    code="IL012",
    name="pending-approval",
    policies={"report": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
)
