"""IL020 empty-text: a text part without a visible character.

What it finds:
    An empty text part beside other content (for some targets also one of white space only).
Why it matters:
    "messages: text content blocks must be non-empty"; "messages: text content blocks must contain non-
    whitespace text"; "The text field in the ContentBlock object at messages.15.content.0 is blank."
    Source: anthropics/claude-code#23440, NousResearch/hermes-agent#41985 (a single space is refused
    too), boto/botocore#3525.

Example:
    before: assistant ["", toolu_1]
    after:  assistant [toolu_1]
Fix:
    drop (default)   the part goes; the message keeps the rest
    keep             left alone, not reported
Loss:
    drop             lossless: white space at most
Known limits:
    A message with nothing else in it is IL021's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import DropPart
from interlock.history.rules.base import Context, Finding, Rule
from interlock.history.turns import Message, Text

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each empty text part that has company."""
    for message in context.doubted(messages):
        blank = [part for part in message.parts if context.wire.is_blank(part)]
        if not context.profile.blank_text:
            blank = [part for part in blank if type(part) is Text and not part.text]
        if len(blank) == len(message.parts):
            continue
        for part in blank:
            alone = message.form == "string" and sum(one.slot == part.slot for one in message.parts) == 1
            if alone and type(part) is Text and not part.text:
                continue  # `content: ""` beside calls or images is no part: there is nothing to drop
            if part.slot == "content" or part.slot == "parts":
                yield Finding(
                    message=message,
                    part=part,
                    action="dropped-part",
                    edits=(DropPart(message=message, part=part),),
                    reason="a text part without a visible character",
                )


RULE: Final = Rule(
    code="IL020",
    name="empty-text",
    policies={"drop": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.empty_text,
)
