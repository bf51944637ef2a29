"""IL056 media-limit: an image is larger than the provider takes.

What it finds:
    An image in base64 with a side above 8000 pixels, or above 2000 when the request holds more than 20
    images; more than 10 MiB of base64. The sizes are read from the image's header.
Why it matters:
    "At least one of the image dimensions exceed max allowed size: 8000 pixels"; "... max allowed size
    for many-image requests: 2000 pixels"
    Source: anthropics/claude-code#11576, can1357/oh-my-pi#10633.

Example:
    before: user [image 9000 x 100]
    after:  the same; reported
Fix:
    report (default)   nothing is changed: send a smaller copy
    note               the image becomes a marked note that says what was there
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
from interlock.history.media import base64_of, image_size
from interlock.history.rules.base import Context, Finding, Rule
from interlock.history.stubs import MARK
from interlock.history.turns import Media, Message

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each image above a limit."""
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
        edits: tuple[Edit, ...] = ()
        if context.policy[RULE.name] == "note":
            text = context.wire.new_text(f"{MARK} An image was left out here: it is too large.", role="user")
            edits = (ReplacePart(message=message, part=part, new=text),)
        seen = f"{size[0]} x {size[1]} pixels" if size else f"{len(data)} characters of base64"
        yield Finding(
            message=message,
            part=part,
            action="replaced-part" if edits else None,
            edits=edits,
            reason=f"an image of {seen}; the limit is {most} pixels a side and 10 MiB",
        )


RULE: Final = Rule(
    code="IL056",
    name="media-limit",
    policies={"report": "lossless", "note": "destructive", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.image_limits,
)
