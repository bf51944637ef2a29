"""IL006 tool-result-mixed-content: results share their message with content that may not stand there.

What it finds:
    A user message that holds results and anything else, for a model family that wants results alone.
Why it matters:
    "Conversation blocks and tool result blocks cannot be provided in the same turn."; "tool call result
    does not follow tool call (2013)".
    Source: langchain-ai/langchain-aws#141, anomalyco/opencode#32609.

Example:
    before: assistant t1 / user [result t1, "go on"]
    after:  assistant t1 / user [result t1] / assistant "OK." / user "go on"
Fix:
    split (default)   the rest goes into a user message of its own; where roles have to alternate a
                      marked assistant message stands between
    keep              left alone, not reported
Loss:
    split             lossless
Known limits:
    The bridge is a text that the model had not said. Claude behind Converse is left alone: text, images and
    a document beside results were recorded as accepted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from interlock.history.edits import ReplaceMessage
from interlock.history.rules.base import Context, Finding, Rule
from interlock.history.stubs import BRIDGE
from interlock.history.turns import Message, Result

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each message that has to be split."""
    if context.wire.result_role != "user":
        return
    for message in context.doubted(messages):
        answers = tuple(part for part in message.parts if type(part) is Result and not part.server)
        rest = tuple(part for part in message.parts if part not in answers)
        if message.role != "user" or not answers or not rest:
            continue
        new = [replace(message, parts=answers, origins=(), changed=True)]
        if context.profile.alternates:
            new.append(context.wire.new_message("assistant", (context.wire.new_text(BRIDGE, role="assistant"),)))
        new.append(replace(message, parts=rest, changed=True))  # the message's place is that of its words
        yield Finding(
            message=message,
            part=rest[0],
            action="inserted-message",
            edits=(ReplaceMessage(message=message, new=tuple(new)),),
            reason="tool results share their message with other content",
        )


RULE: Final = Rule(
    code="IL006",
    name="tool-result-mixed-content",
    policies={"split": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.results_alone,
)
