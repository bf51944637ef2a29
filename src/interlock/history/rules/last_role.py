"""IL030 last-role: the conversation ends with the assistant, and the target wants the user last.

What it finds:
    A last message of the assistant that is a finished turn, for a model without prefill or a server
    that wants the user, or a result, last.
Why it matters:
    "This model does not support assistant message prefill. The conversation must end with a user
    message."; "Expected last role User or Tool (or Assistant with prefix) for serving but got
    assistant".
    Source: ericc-ch/copilot-api#261 (Claude behind Copilot), huggingface/smolagents#757, BerriAI/litellm#8090.

Example:
    before: user "q" / assistant "Partial answer"
    after:  user "q" / assistant "Partial answer" / user "Continue."
Fix:
    append (default)   a short user message
    drop               the last assistant message goes
    keep               left alone, not reported
Loss:
    append             lossless
    drop               lossy: what the assistant had said
Known limits:
    A history of nothing but instructions, for chat templates that want a user, is reported.
    A paused turn, an open call and a message with `prefix: true` are left alone. `options={"prefill":
    True}` says that the end is meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import DropMessage, Edit, InsertMessage
from interlock.history.rules.base import Context, Finding, Rule
from interlock.history.stubs import CONTINUE
from interlock.history.turns import Call, Message, Result

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield a finding when the assistant speaks last."""
    message = messages[-1] if messages else None
    if message is not None and context.profile.first_user and all(one.role in _ABOVE for one in messages):
        yield Finding(message=message, reason="nobody has said anything: there are only instructions")
        return
    if message is None or message.role != "assistant" or context.options.get("prefill") is True:
        return
    native = message.native
    if context.profile.prefix and isinstance(native, dict) and native.get("prefix") is True:
        return
    answered = {part.call_id for part in message.parts if type(part) is Result}
    if any(type(part) is Call and part.call_id not in answered for part in message.parts):
        return
    if context.policy[RULE.name] == "drop":
        edits: tuple[Edit, ...] = (DropMessage(message=message),)
    else:
        new = context.wire.new_message("user", (context.wire.new_text(CONTINUE, role="user"),))
        edits = (InsertMessage(after=message, new=new),)
    yield Finding(
        message=message,
        action="dropped-message" if context.policy[RULE.name] == "drop" else "inserted-message",
        edits=edits,
        reason="the conversation ends with the assistant, which the target does not take",
    )


_ABOVE: Final = ("system", "developer")


RULE: Final = Rule(
    code="IL030",
    name="last-role",
    policies={"append": "lossless", "drop": "lossy", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.last == "user",
)
