"""IL026 trailing-whitespace: the last assistant text ends in white space.

What it finds:
    A history that ends with an assistant message whose last text ends in white space.
Why it matters:
    "messages: final assistant content cannot end with trailing whitespace"
    Source: tailcallhq/forgecode#1872; langchain-ai/langchain-google#1733 (only the last text block,
    never thinking).

Example:
    before: assistant "Once upon " (last)
    after:  assistant "Once upon" (last)
Fix:
    strip (default)   white space at the end of that one text goes
    keep              left alone, not reported
Loss:
    strip             lossless: white space
Known limits:
    None.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import ReplacePart
from interlock.history.rules.base import Context, Finding, Rule
from interlock.history.turns import Message, Text

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield a finding when the last text ends in white space."""
    message = messages[-1] if messages else None
    if message is None or message.role != "assistant" or not message.parts:
        return
    part = message.parts[-1]
    if type(part) is Text and part.text.strip() and part.text != part.text.rstrip():
        new = context.wire.with_text(part, part.text.rstrip())
        yield Finding(
            message=message,
            part=part,
            action="replaced-part",
            edits=(ReplacePart(message=message, part=part, new=new),),
            reason="the final assistant text ends in white space",
        )


RULE: Final = Rule(
    code="IL026",
    name="trailing-whitespace",
    policies={"strip": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.trailing_space,
)
