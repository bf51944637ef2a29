"""IL058 media-needs-text: a message of the user holds media and no words, for a model that wants words.

What it finds:
    A message of the user that holds an image, a sound, a video or a file, and no text, where the caller
    says that the model wants one: `options={"media_needs_text": True}`.
Why it matters:
    "Unable to submit request because it must have a text parameter. Add a text parameter and try again."
    Source: PublicAffairs/openai-gemini#31.

Example:
    before: user [image]
    after:  user [image, "See the attached file."]
Fix:
    add-text (default)   a short text that points to what is attached
    keep                 left alone, not reported
Loss:
    add-text             lossless
Known limits:
    Which models want a text is not known: without the option nothing is reported. With the provider's
    words `interlock explain --error` looks as if it were set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.rules.base import Context, Finding, Rule, with_words
from interlock.history.stubs import ATTACHED_FILE
from interlock.history.turns import Media, Message, Text

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each message of the user with media alone."""
    for message in messages if context.options.get("media_needs_text") is True else ():
        media = [part for part in message.parts if type(part) is Media]
        spoken = any(isinstance(part, Text) and part.text.strip() for part in message.parts)
        if message.role != "user" or spoken or len(media) != len(message.parts) or not media:
            continue
        yield with_words(message, ATTACHED_FILE, "a message with media has no text", context)


RULE: Final = Rule(
    code="IL058",
    name="media-needs-text",
    policies={"add-text": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
)
