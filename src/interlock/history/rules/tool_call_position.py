"""IL009 tool-call-position: the history begins with a turn that makes calls.

What it finds:
    A first turn of the model that makes a call, with no user turn ahead of it.
Why it matters:
    "Please ensure that function call turn comes immediately after a user turn or after a function
    response turn."
    Source: google-gemini/gemini-cli#11814, lbjlaq/Antigravity-Manager#3396. Neighbouring model turns
    were seen to be accepted.

Example:
    before: model [f()] / user [f -> 1]
    after:  user "(...)" / model [f()] / user [f -> 1]
Fix:
    prepend (default)   a short user message that says where the conversation begins
    keep                left alone, not reported
Loss:
    prepend             lossless
Known limits:
    None.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import InsertMessage
from interlock.history.rules.base import Context, Finding, Rule
from interlock.history.stubs import START
from interlock.history.turns import Message

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield a finding when the first turn makes calls."""
    leading = 0
    while leading < len(messages) and messages[leading].role in ("system", "developer"):
        leading += 1
    for turn in context.pairing(messages).turns[:1]:
        if turn.first == leading and turn.calls:
            new = context.wire.new_message("user", (context.wire.new_text(START, role="user"),))
            yield Finding(
                message=messages[leading],
                action="inserted-message",
                edits=(InsertMessage(after=messages[leading - 1] if leading else None, new=new),),
                reason="the history begins with a turn that makes calls",
            )


RULE: Final = Rule(
    code="IL009",
    name="tool-call-position",
    policies={"prepend": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.first_call_behind_user,
)
