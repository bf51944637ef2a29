"""IL057 media-role: media stand in a message whose role may not hold them.

What it finds:
    An image, document or other media in an assistant or system message.
Why it matters:
    Service documentation of Bedrock's `Message.content`: images and documents only in user messages;
    OpenAI's assistant messages take text and refusals only.
    Source: botocore 1.44.8 documentation, openai TypedDicts.

Example:
    before: assistant ["Here:", image] / user "?"
    after:  assistant ["Here:"] / user [image] / user "?"
Fix:
    move (default)   the media go into a user message right behind
    keep             left alone, not reported
Loss:
    move             lossless
Known limits:
    None.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import DropPart, InsertMessage
from interlock.history.rules.base import Context, Finding, Rule
from interlock.history.turns import Media, Message

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each part in the wrong message."""
    allowed = context.profile.media_roles or ()
    for message in messages:
        if message.role in allowed or message.role == "opaque":
            continue
        for part in message.parts:
            if type(part) is Media:
                yield Finding(
                    message=message,
                    part=part,
                    action="reordered-parts",
                    edits=(
                        DropPart(message=message, part=part),
                        InsertMessage(after=message, new=context.wire.new_message("user", (part,)), shares=True),
                    ),
                    reason=f"{part.media} in a message of the role {message.role!r}",
                )


RULE: Final = Rule(
    code="IL057",
    name="media-role",
    policies={"move": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.media_roles is not None,
)
