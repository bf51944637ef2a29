"""IL040 thinking-missing: thinking is on, and the open tool turn does not begin with thinking.

What it finds:
    The assistant turn that the last results answer, without thinking at its start, while the request
    turns thinking on (`thinking.type` is `enabled`). For DeepSeek V4 on Anthropic's format: any assistant
    message without thinking, unless thinking is turned off.
Why it matters:
    "Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a
    final `assistant` message must start with a thinking block (preceeding the lastmost set of
    `tool_use` and `tool_result` blocks)."; "The `content[].thinking` in the thinking mode must be passed
    back to the API."
    Source: anomalyco/opencode#3077, n8n-io/n8n#22550, leookun/cursor-byok#276.

Example:
    before: thinking on / user "q" / assistant toolu_1 / user [result]
    after:  the same; reported
Fix:
    fill (default)     an empty thinking block, where the server takes one (DeepSeek); elsewhere as report:
                       a thinking block cannot be made; turn thinking off for this request
    report             nothing is changed
    keep               left alone, not reported
Loss:
    fill               lossless: restore the real thinking where the client has it
    report             lossless
Known limits:
    Except for DeepSeek no edit of the history can help. DeepSeek's model has to be named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import Edit, InsertParts
from interlock.history.rules.base import Context, Finding, Rule, thinking_setting
from interlock.history.turns import Message, Reasoning, Result

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield a finding when the open tool turn has no thinking, or for each message that could have empty thinking."""
    if context.profile.empty_thinking:
        yield from _without(messages, context)
        return
    if thinking_setting(context) != "enabled":
        return
    turns = context.pairing(messages).turns
    if not turns or turns[-1].answer_end < len(messages):
        return
    turn = turns[-1]
    behind = [part for message in messages[turn.last + 1 :] for part in message.parts]
    if not behind or any(type(part) is not Result for part in behind):
        return
    first = next((part for message in messages[turn.first : turn.last + 1] for part in message.parts), None)
    if first is not None and type(first) is not Reasoning:
        yield Finding(
            message=messages[turn.first],
            part=first,
            reason="thinking is on, and the turn that the last results answer does not begin with thinking; "
            "turn thinking off for this request",
        )


def _without(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each message of the assistant without thinking."""
    if thinking_setting(context) == "disabled":
        return
    for message in messages:
        if message.role != "assistant" or any(type(part) is Reasoning for part in message.parts):
            continue
        edits: tuple[Edit, ...] = ()
        if context.policy[RULE.name] == "fill":
            block = Reasoning(native={"type": "thinking", "thinking": ""}, text="")
            edits = (InsertParts(message=message, at=0, new=(block,)),)
        yield Finding(
            message=message,
            action="inserted-part" if edits else None,
            edits=edits,
            reason="thinking is on, and the message does not begin with thinking",
        )


RULE: Final = Rule(
    code="IL040",
    name="thinking-missing",
    policies={"fill": "lossless", "report": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.signed_thinking or profile.empty_thinking,
)
