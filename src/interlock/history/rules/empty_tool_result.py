"""IL019 empty-tool-result: a result holds empty text, or nothing where something is due.

What it finds:
    A blank text block inside a result; an error result without a body, for a target that wants one.
Why it matters:
    "The content field at messages.N.content.0.toolResult cannot be empty when status value is error.";
    "text content blocks must be non-empty" counts blocks inside results too.
    Source: aws-samples/sample-multi-agent-orchestration-chat-on-agentcore#15, anthropics/claude-
    code#23440.

Example:
    before: result t1 [""]
    after:  result t1 ["(no output)"]
Fix:
    fill (default)   blank blocks go; when none is left, a text says that there was no output
    keep             left alone, not reported
Loss:
    fill             lossless
Known limits:
    None.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from interlock.history.edits import ReplacePart
from interlock.history.rules.base import Context, Finding, Rule
from interlock.history.stubs import NO_OUTPUT
from interlock.history.turns import Call, Message, Result

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each result whose body has to be filled."""
    profile, wire = context.profile, context.wire
    for message in context.doubted(messages):
        for part in message.parts:
            if type(part) is not Result or part.server:
                continue
            blocks = part.content
            empty = profile.error_needs_text and part.is_error is True and not blocks
            kept: list[Any] = []
            if isinstance(blocks, list) and profile.empty_text and wire.result_blocks:
                kept = [block for block in blocks if not _blank(block, strict=profile.blank_text)]
                if len(kept) == len(blocks) and not empty:
                    continue
            elif not empty:
                continue
            content: Any = kept
            if not kept:
                asked = Call(native=part.native, call_id=part.call_id, name=part.name, arguments={})
                content = wire.new_result(asked, NO_OUTPUT, is_error=False).content
                if isinstance(blocks, list) and blocks and isinstance(content, str):
                    content = [wire.text_block(content, role="user")]
            yield Finding(
                message=message,
                part=part,
                call_id=part.call_id,
                action="replaced-part",
                edits=(ReplacePart(message=message, part=part, new=wire.with_result(part, content=content)),),
                reason=f"the {context.result_in_words(part)} holds nothing but blank text",
            )


def _blank(block: Any, *, strict: bool) -> bool:
    if not isinstance(block, dict) or block.get("type", "text") != "text":
        return False
    text = block.get("text")
    return isinstance(text, str) and not (text.strip() if strict else text)


RULE: Final = Rule(
    code="IL019",
    name="empty-tool-result",
    policies={"fill": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.empty_text or profile.error_needs_text,
)
