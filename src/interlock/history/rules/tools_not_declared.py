"""IL010 tools-not-declared: the history holds calls while the request declares no tools.

What it finds:
    Calls or results in a history that is sent with an empty list of tools (`tools=[]`, or a whole
    request body without any).
Why it matters:
    "The toolConfig field must be defined when using toolUse and toolResult content blocks."
    Source: nearai/ironclaw#1629, litellm llms/anthropic/chat/transformation.py.

Example:
    before: tools [] / assistant toolu_1 read_file {"path": "a"} / user [result "A", "summarise"]
    after:  assistant "[interlock] Tool call ..." / user ["[interlock] Tool result ...", "summarise"]
Fix:
    flatten (default)   calls and results become texts that keep name, arguments, id and result
    report              nothing is changed: declare the tools that the history names
    keep                left alone, not reported
Loss:
    flatten             lossy: the structure; every word is kept
    report              lossless
Known limits:
    A request that was not given whole is taken to have tools.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from interlock.history.edits import DropPart, Edit, ReplaceMessage, ReplacePart
from interlock.history.rules.base import Context, Finding, Rule, origins_of
from interlock.history.stubs import MARK
from interlock.history.turns import Call, Message, Result, Role
from interlock.history.wires.base import as_json

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each call and result, or one for the history when it shall only be reported."""
    if context.tools or (context.tools is None and not context.whole):
        return
    wire = context.wire
    for message in messages:
        for part in message.parts:
            if type(part) is Call and not part.server:
                words = f"{MARK} Tool call {part.call_id}: {part.name}({_shown(part.arguments)})"
            elif type(part) is Result and not part.server:
                words = f"{MARK} Tool result {part.call_id}: {wire.result_text(part) or _shown(part.content)}"
            else:
                continue
            edits: tuple[Edit, ...] = ()
            if context.policy[RULE.name] == "flatten":
                role: Role = "assistant" if type(part) is Call else "user"
                text = replace(wire.new_text(words, role=role), origins=origins_of(part, message))
                if message.form == "item":
                    said = replace(wire.new_message(role, (text,)), origins=message.origins)
                    edits = (ReplaceMessage(message=message, new=(said,)),)
                elif message.role == "tool":
                    edits = (DropPart(message=message, part=part), *context.insert_after(message, "user", (text,)))
                else:
                    edits = (ReplacePart(message=message, part=part, new=text),)
            yield Finding(
                message=message,
                part=part,
                call_id=part.call_id,
                action="replaced-part" if edits else None,
                edits=edits,
                reason="the request declares no tools, and the history holds tool calls",
            )


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else as_json(value)


RULE: Final = Rule(
    code="IL010",
    name="tools-not-declared",
    policies={"flatten": "lossy", "report": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.tools_declared,
)
