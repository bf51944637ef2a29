"""IL057 media-role: media stand in a message whose role may not hold them.

What it finds:
    An image, document or other media in an assistant or system message, and in a result where results
    hold words only.
Why it matters:
    Service documentation of Bedrock's `Message.content`: images and documents only in user messages;
    OpenAI's assistant messages take text and refusals only, its results text; "Unexpected content chunk
    types in tool message: ['ImageURLChunk']".
    Source: botocore 1.44.8 documentation, openai and cohere types, mistral-common 1.13.1.

Example:
    before: assistant ["Here:", image] / user "?"
    after:  assistant ["Here:"] / user [image] / user "?"
Fix:
    move (default)   the media go into a user message right behind, or behind the results that follow;
                     those of a result are marked as such
    keep             left alone, not reported
Loss:
    move             lossless
Known limits:
    Media that stand beside nothing but a field that is not read are reported, for the message would go.
    Some of Mistral's newest models take images in results; the form that all of them take is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from interlock.history.edits import DropPart, InsertMessage, ReplacePart
from interlock.history.rules.base import Context, Finding, Rule
from interlock.history.stubs import FROM_RESULT, MOVED
from interlock.history.turns import Media, Message, Result, Text
from interlock.history.wires.base import Wire

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each part in the wrong message, and for each result with media."""
    allowed, wire = context.profile.media_roles or (), context.wire
    ends: dict[int, Message] = {}  # for each message the last one of the results right behind it, or itself
    last: Message | None = None
    doubted = context.doubted(messages)
    for message in reversed(messages if doubted else ()):
        ends[id(message)] = last or message
        last = (last or message) if message.role == "tool" else None
    for message in doubted:
        if message.role in allowed or message.role == "opaque":
            continue
        behind = ends[id(message)]
        left = message.form == "item" or not all(type(part) is Media for part in message.parts)
        field = None if left else context.wire.unread(message)
        for part in message.parts:
            if type(part) is Media and field is not None:
                yield Finding(
                    message=message,
                    part=part,
                    reason=f"{part.media} in a message of the role {message.role!r}, beside {field!r} alone",
                )
            elif type(part) is Media:
                yield Finding(
                    message=message,
                    part=part,
                    action="reordered-parts",
                    edits=(
                        DropPart(message=message, part=part),
                        InsertMessage(after=behind, new=wire.new_message("user", (part,)), shares=True),
                    ),
                    reason=f"{part.media} in a message of the role {message.role!r}",
                )
            elif type(part) is Result and not part.server and (shown := wire.media_in(part)):
                yield _moved(message, part, shown, behind, wire)


def _moved(message: Message, part: Result, shown: Sequence[tuple[str, Any]], behind: Message, wire: Wire) -> Finding:
    """Return the finding for a result whose media go into the user's message behind the results."""
    gone = {id(native) for _, native in shown}
    rest = [block for block in part.content if id(block) not in gone]
    words = wire.text_block(FROM_RESULT, role="user")
    held = (Text(native=words, text=FROM_RESULT), *(Media(native=native, media=media) for media, native in shown))
    return Finding(
        message=message,
        part=part,
        call_id=part.call_id,
        action="reordered-parts",
        edits=(
            ReplacePart(message=message, part=part, new=wire.with_result(part, content=rest or MOVED)),
            InsertMessage(after=behind, new=wire.new_message("user", held), shares=True),
        ),
        reason=f"{shown[0][0]} in a result, which holds words only",
    )


RULE: Final = Rule(
    code="IL057",
    name="media-role",
    policies={"move": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.media_roles is not None,
)
