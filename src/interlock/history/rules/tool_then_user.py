"""IL032 tool-then-user: a user message follows tool results directly.

What it finds:
    Results, and then the user, with no word of the assistant between.
Why it matters:
    "Unexpected role 'user' after role 'tool'"; "conversation roles must alternate user and assistant
    roles except for tool calls and results."
    Source: avante-corp/avante.nvim#2562, NousResearch/hermes-agent#20154, mistral-common up to 1.11.0.

Example:
    before: tool call_1 "A" / user "n"
    after:  tool call_1 "A" / assistant "OK." / user "n"
Fix:
    bridge (default)   a short assistant message between the two
    keep               left alone, not reported
Loss:
    bridge             lossless
Known limits:
    The bridge is a text that the model had not said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from interlock.history.edits import Edit, InsertMessage, ReplaceMessage
from interlock.history.rules.base import Context, Finding, Rule
from interlock.history.stubs import BRIDGE
from interlock.history.turns import Message, Result

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each place where a bridge is missing."""
    wire = context.wire

    def bridge() -> Message:
        return wire.new_message("assistant", (wire.new_text(BRIDGE, role="assistant"),))

    for at, message in enumerate(messages):
        answers = tuple(part for part in message.parts if type(part) is Result and not part.server)
        if not answers or message.role not in ("tool", "user"):
            continue
        rest = tuple(part for part in message.parts if type(part) is not Result)
        after = messages[at + 1] if at + 1 < len(messages) else None
        if message.role == "user" and rest:
            edits: tuple[Edit, ...] = (
                ReplaceMessage(
                    message=message,
                    new=(
                        replace(message, parts=answers, origins=(), changed=True),
                        bridge(),
                        replace(message, parts=rest, changed=True),  # the message's place is that of its words
                    ),
                ),
            )
        elif after is not None and after.role == "user" and not any(type(part) is Result for part in after.parts):
            edits = (InsertMessage(after=message, new=bridge()),)
        else:
            continue
        yield Finding(
            message=message, action="inserted-message", edits=edits, reason="the user follows tool results directly"
        )


RULE: Final = Rule(
    code="IL032",
    name="tool-then-user",
    policies={"bridge": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.tool_then_user,
)
