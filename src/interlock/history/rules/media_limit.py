"""IL056 media-limit: an image is larger, or a message holds more media, than the provider takes.

What it finds:
    An image in base64 with a side above 8000 pixels, or above 2000 when the request holds more than 20
    images; more than 10 MiB of base64. The sizes are read from the image's header. On Bedrock's Converse:
    more than 20 images, or more than 5 documents, in one message; an image above 3.75 MiB, a document
    above 4.5 MiB.
Why it matters:
    "At least one of the image dimensions exceed max allowed size: 8000 pixels"; "... max allowed size
    for many-image requests: 2000 pixels"
    Source: anthropics/claude-code#11576, can1357/oh-my-pi#10633, botocore 1.44.8 documentation of
    `Message.content`.

Example:
    before: user [image 9000 x 100]
    after:  the same; reported
Fix:
    report (default)   nothing is changed: send a smaller copy, or fewer
    note               the image becomes a marked note that says what was there; the oldest do where they
                       are too many
    keep               left alone, not reported
Loss:
    report             lossless
    note               destructive: the image; the audit record holds it
Known limits:
    PNG, JPEG and GIF only; images given by address or file id are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import Edit, ReplacePart
from interlock.history.media import base64_of, bytes_of, image_size
from interlock.history.rules.base import Context, Finding, Rule
from interlock.history.stubs import MARK
from interlock.history.turns import Media, Message

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each image above a limit, and for each piece of media above a number."""
    for message in messages if context.profile.most_media else ():
        yield from _too_many(message, context)
    if not context.profile.image_limits:
        return
    images = [
        (message, part)
        for message in messages
        for part in message.parts
        if type(part) is Media and part.media == "image"
    ]
    most = 8000 if len(images) <= 20 else 2000
    for message, part in images:
        data = base64_of(part.native)
        if data is None:
            continue
        size = image_size(data)
        if len(data) <= 10 * 1024 * 1024 and (size is None or max(size) <= most):
            continue
        seen = f"{size[0]} x {size[1]} pixels" if size else f"{len(data)} characters of base64"
        reason = f"an image of {seen}; the limit is {most} pixels a side and 10 MiB"
        yield _finding(message, part, "An image was left out here: it is too large.", reason, context)


def _too_many(message: Message, context: Context) -> Iterator[Finding]:
    """Yield one finding for each of the oldest that are too many, and for each that is too large."""
    for kind, most, largest in context.profile.most_media:
        held = [part for part in message.parts if type(part) is Media and part.media == kind]
        for part in held[max(len(held) - most, 0) :]:
            size = bytes_of(part.native)
            if size is not None and size > largest:
                words = f"Content of the kind {kind!r} was left out here: it is too large."
                reason = f"{size} bytes of the kind {kind!r}; the limit is {largest}"
                yield _finding(message, part, words, reason, context)
        for part in held[: max(len(held) - most, 0)]:
            words = f"Content of the kind {kind!r} was left out here: the message held too many."
            reason = f"{len(held)} pieces of the kind {kind!r} in one message; the limit is {most}"
            yield _finding(message, part, words, reason, context)


def _finding(message: Message, part: Media, words: str, reason: str, context: Context) -> Finding:
    edits: tuple[Edit, ...] = ()
    if context.policy[RULE.name] == "note":
        text = context.wire.new_text(f"{MARK} {words}", role="user")
        edits = (ReplacePart(message=message, part=part, new=text),)
    return Finding(message=message, part=part, action="replaced-part" if edits else None, edits=edits, reason=reason)


RULE: Final = Rule(
    code="IL056",
    name="media-limit",
    policies={"report": "lossless", "note": "destructive", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.image_limits or bool(profile.most_media),
)
