"""IL059 document-needs-text: a message with a document has no text.

What it finds:
    A message that holds a document and no text.
Why it matters:
    "A text block must be included when using documents."
    Source: archestra-ai/archestra#4220, botocore documentation of `Message.content`.

Example:
    before: user [document]
    after:  user [document, "See the attached document."]
Fix:
    add-text (default)   a short text that points to the document
    keep                 left alone, not reported
Loss:
    add-text             lossless
Known limits:
    None.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.rules.base import Context, Finding, Rule, with_words
from interlock.history.stubs import ATTACHED
from interlock.history.turns import Media, Message, Text

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each document without words."""
    for message in context.doubted(messages):
        kinds = {part.media for part in message.parts if type(part) is Media}
        if "document" not in kinds or any(isinstance(part, Text) and part.text.strip() for part in message.parts):
            continue
        yield with_words(message, ATTACHED, "a message with a document has no text", context)


RULE: Final = Rule(
    code="IL059",
    name="document-needs-text",
    policies={"add-text": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.document_needs_text,
)
