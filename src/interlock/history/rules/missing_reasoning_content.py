"""IL052 missing-reasoning-content: thinking is on, and a tool-calling message does not carry its reasoning.

What it finds:
    An assistant message with calls, of whatever turn, without `reasoning_content`, for a server that wants
    it back.
Why it matters:
    "The `reasoning_content` in the thinking mode must be passed back to the API."; "thinking is enabled
    but reasoning_content is missing in assistant tool call message at index N".
    Source: NousResearch/hermes-agent#15228, continuedev/continue#11600; for earlier turns too:
    https://api-docs.deepseek.com/guides/thinking_mode ("in all subsequent requests"), litellm 1.110.2.

Example:
    before: assistant [call_1]
    after:  assistant [call_1], reasoning_content ""
Fix:
    fill (default)   the filler that the server takes; restore the real text where the client has it
    keep             left alone, not reported
Loss:
    fill             lossless
Known limits:
    Only when the model is named and thinking is not turned off, and only on formats that have the field.
    Messages without calls are left alone: DeepSeek documents that it does without theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import InsertParts
from interlock.history.rules.base import Context, Finding, Rule, thinking_setting
from interlock.history.turns import Call, Message, Reasoning

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each message without the field."""
    wanted = context.profile.reasoning_field
    if wanted is None or thinking_setting(context) == "disabled":
        return
    field, filler = wanted
    if field not in context.wire.single_slots:
        return  # the format has no such field: whoever makes the request from it has to add it
    for message in messages:
        native = message.native
        if (
            message.role != "assistant"
            or not isinstance(native, dict)
            or any(one.slot == field for one in message.parts)
        ):
            continue
        if any(type(part) is Call for part in message.parts):
            new = Reasoning(native=filler, slot=field, text=filler)
            yield Finding(
                message=message,
                action="inserted-part",
                edits=(InsertParts(message=message, at=0, new=(new,)),),
                reason=f"thinking is on, and the message has calls but no `{field}`",
            )


RULE: Final = Rule(
    code="IL052",
    name="missing-reasoning-content",
    policies={"fill": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.reasoning_field is not None,
)
