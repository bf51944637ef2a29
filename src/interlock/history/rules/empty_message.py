"""IL021 empty-message: a message that says nothing.

What it finds:
    A message without parts, or with nothing but white space, in a role that the target
    refuses when empty (the assistant's everywhere, the user's for most).
Why it matters:
    "messages.0: all messages must have non-empty content except for the optional final
    assistant message"; "Invalid request: the message at position N with role 'assistant'
    must not be empty".
    Source: anthropics/claude-code#6774, MoonshotAI/kimi-code#1985.

Example:
    before: user "q" / assistant "" / user "hello?"
    after:  user "q" / user "hello?"
Fix:
    drop (default)  the message goes: it carries nothing; a user's message that is the last
                    one, or that parts two of the assistant's, becomes "(empty message)"
    placeholder     every one becomes "(empty message)"
    keep            left alone, not reported
Loss:
    drop         lossless: white space at most
    placeholder  lossless: white space at most
Known limits:
    Anthropic takes an empty last message of the assistant ("" or []); it is left alone there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from interlock.history.edits import DropMessage, Edit, ReplaceMessage
from interlock.history.rules.base import Context, Finding, Rule, is_blank
from interlock.history.stubs import EMPTY
from interlock.history.turns import Message, Text

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each empty message."""
    profile, wire = context.profile, context.wire
    for at, message in enumerate(messages):
        bare = not message.parts and message.role in wire.filled_roles
        if not (bare or message.role in profile.empty_roles) or not is_blank(message, wire):
            continue
        if message.parts and message.role not in profile.blank_roles:
            continue
        last = at == len(messages) - 1
        if last and message.role == "assistant" and profile.last_may_be_empty and _is_void(message):
            continue
        between = not last and at > 0 and messages[at - 1].role == "assistant" == messages[at + 1].role
        stays = context.policy[RULE.name] == "placeholder" or (message.role == "user" and (last or between))
        edits: tuple[Edit, ...] = (DropMessage(message=message),)
        if stays:
            filler = replace(message, parts=(wire.new_text(EMPTY, role=message.role),), changed=True)
            edits = (ReplaceMessage(message=message, new=(filler,)),)
        yield Finding(
            message=message,
            action="replaced-part" if stays else "dropped-message",
            edits=edits,
            reason=f"the {message.role} message holds nothing but white space",
        )


def _is_void(message: Message) -> bool:
    """Say whether a message is an empty string or an empty list, which white space and an empty text are not."""
    return message.form in ("string", "parts") and not any(
        message.form == "parts" or not isinstance(part, Text) or part.text for part in message.parts
    )


RULE: Final = Rule(
    code="IL021",
    name="empty-message",
    policies={"drop": "lossless", "placeholder": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
)
