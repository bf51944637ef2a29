"""IL061 foreign-server-tool: a tool that one provider ran itself, in a history that goes to another.

What it finds:
    Calls and results of tools that the provider of the format ran (web search, code execution, its MCP
    calls), and items that only its server can read, where the target is another provider.
Why it matters:
    No other provider has these blocks: "Unhandled item type or structure", "tag: Input should be
    'text'", or they are dropped without a word.
    Source: openai-agents 0.24.0 models/chatcmpl_converter.py, anthropic-sdk 2.14.0 types.

Example:
    before: assistant [web search call, its result, "It rains."] sent to mistral
    after:  assistant ["[interlock] The provider ran web_search({...})", "[interlock] ... answered: ...", "It rains."]
Fix:
    flatten (default)   call and result become texts that keep name, input and output; an item that
                        only names what a server holds is reported
    drop                the parts go
    keep                left alone, not reported
Loss:
    flatten             lossy: the structure, and what is encrypted
    drop                lossy: the calls and the results
Known limits:
    The frameworks' formats belong to no provider, so nothing is said about them; nor for `bedrock`
    without a model's name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from interlock.history.edits import DropPart, Edit, ReplaceMessage, ReplacePart
from interlock.history.providers import SERVERS, profile_for
from interlock.history.rules.base import Context, Finding, Rule, drop_part_action
from interlock.history.stubs import MARK
from interlock.history.turns import Call, Message, Part, Result
from interlock.history.wires.base import as_json

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each part that another provider ran or holds."""
    wire, profile = context.wire, context.profile
    owner = profile_for(wire.provider, wire=wire.name).family if wire.provider and wire.server_tools else None
    if owner is None or owner == profile.family or profile.name in SERVERS:
        return
    for message in context.doubted(messages):
        if message.role != "assistant":
            continue
        for part in message.parts:
            held = wire.is_held(part)
            ran = (isinstance(part, (Call, Result)) and part.server) or wire.is_served(part)
            if not (held or ran):
                continue
            drop = context.policy[RULE.name] == "drop"
            edits: tuple[Edit, ...] = ()
            if drop:
                edits = (DropPart(message=message, part=part),)
            elif not held:
                text = wire.new_text(f"{MARK} {_words(part)}", role="assistant")
                if message.form == "item":
                    said = replace(wire.new_message("assistant", (text,)), origins=message.origins)
                    edits = (ReplaceMessage(message=message, new=(said,)),)
                else:
                    edits = (ReplacePart(message=message, part=part, new=text),)
            yield Finding(
                message=message,
                part=part,
                call_id=part.call_id if isinstance(part, (Call, Result)) else None,
                action=drop_part_action(message) if drop else "replaced-part" if edits else None,
                edits=edits,
                reason=f"only {owner!r} can read this; the history goes elsewhere",
            )


def _words(part: Part) -> str:
    if isinstance(part, Call):
        return f"The provider ran {part.name}({_shown(part.arguments)})"
    if isinstance(part, Result):
        return f"The provider's tool answered: {_shown(part.content)}"
    return f"The provider ran a tool: {_shown(part.native)}"


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else as_json(_plain(value))


def _plain(value: Any) -> Any:
    """Return the value without what only its maker can read."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items() if not (isinstance(key, str) and "encrypted" in key)}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


RULE: Final = Rule(
    code="IL061",
    name="foreign-server-tool",
    policies={"flatten": "lossy", "drop": "lossy", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.family is not None,
)
