"""IL033 system-position: a system message stands where the target does not take one.

What it finds:
    A second system message, or one behind other messages, depending on the target.
Why it matters:
    "System message must be at the beginning."; "Unexpected role 'system' after role 'assistant'";
    "system messages are only supported at the beginning of the conversation".
    Source: ggml-org/llama.cpp#20733, mistral-common validators, vercel/ai google converter.

Example:
    before: system "a" / user "q" / system "c" / assistant "r"
    after:  system "a" / user "q" / user "<system>c</system>" / assistant "r"
Fix:
    fold (default)    leading ones are joined; a later one becomes a user's text in its place, tagged
                      as what it is
    hoist             later ones are joined to the first
    keep              left alone, not reported
Loss:
    fold              lossless
    hoist             lossless: the words stay, their place does not, and cached prompts do not match any more
Known limits:
    None.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from interlock.history.edits import DropMessage, Edit, InsertMessage, ReplaceMessage
from interlock.history.rules.base import Context, Finding, Rule, joined_text, role_changed
from interlock.history.turns import Message, Text

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each system message that has to move or change."""
    kind, wire = context.profile.system, context.wire
    lead: list[Message] = []
    for message in messages:
        if message.role not in ("system", "developer"):
            break
        lead.append(message)
    late: list[Message] = []
    behind = ""
    for message in messages[len(lead) :]:
        wrong = kind != "not-after-assistant" or behind in ("assistant", "tool")
        if wrong and message.role in ("system", "developer"):
            late.append(message)
        else:
            behind = message.role
    hoist = context.policy[RULE.name] == "hoist"
    joined = [*(lead if kind == "single" else lead[:1]), *(late if hoist else ())]
    if lead and len(joined) > 1:
        edits: tuple[Edit, ...] = (
            ReplaceMessage(message=lead[0], new=(joined_text(joined, wire),)),
            *(DropMessage(message=one) for one in joined[1:]),
        )
        for one in joined[1:]:
            yield Finding(
                message=one, action="merged-messages", edits=edits, reason="a system message that is not the first"
            )
    for message in late:
        if hoist and lead:
            continue
        new = role_changed(message, "user", wire)
        if new is None:
            yield Finding(message=message, reason="a system message behind other messages")
            continue
        if hoist:
            moved = (DropMessage(message=message), InsertMessage(after=None, new=message))
            yield Finding(
                message=message, action="reordered-parts", edits=moved, reason="a system message behind other messages"
            )
            continue
        tagged = tuple(
            wire.with_text(part, f"<system>{part.text}</system>") if isinstance(part, Text) else part
            for part in new.parts
        )
        yield Finding(
            message=message,
            action="replaced-part",
            edits=(ReplaceMessage(message=message, new=(replace(new, parts=tagged),)),),
            reason="a system message behind other messages",
        )


RULE: Final = Rule(
    code="IL033",
    name="system-position",
    policies={"fold": "lossless", "hoist": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.system != "anywhere",
)
