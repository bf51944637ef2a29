"""IL001 orphan-tool-call: a tool call that no tool result answers.

What it finds:
    A call that no result is bound to: bound by position first, by id second, so that an id
    which is used again in another turn hides nothing.
Why it matters:
    An interrupted turn bricks the conversation: "`tool_use` ids were found without
    `tool_result` blocks immediately after"; "An assistant message with 'tool_calls' must be
    followed by tool messages responding to each 'tool_call_id'."
    Source: anthropics/claude-code#5060, router-for-me/CLIProxyAPI#2798, and most providers.

Example:
    before: user "Weather?" / assistant call_1 get_weather / user "Never mind"
    after:  user "Weather?" / assistant call_1 get_weather / tool call_1 (stub) / user "Never mind"
Fix:
    stub-result (default)  a marked error result in the turn's answer, behind the real ones
    drop-call              the call goes, and its message if nothing else is in it
    keep                   left alone, not reported
Loss:
    stub-result  lossless: the inserted text is marked and says only that no result was recorded
    drop-call    lossy: the call's name and arguments
Known limits:
    A call that is still being answered looks the same: name it in `pending`. A call whose
    approval is open, or was just given, and calls that the provider runs are left alone.
    A call that words cannot answer (the computer's needs a screenshot) is dropped by either policy.
    A stub in the caller's own words (`stub_text`) gives way to a late result where the same option is
    given again, or where `synthetic_outputs` names the words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import DropPart, Edit, InsertMessage, InsertParts
from interlock.history.pending import approval, is_pending
from interlock.history.rules.base import Context, Finding, Rule, answer, call_in_words, drop_part_action
from interlock.history.stubs import stub_text
from interlock.history.turns import Message

__all__ = ["RULE", "reason"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each call without a result, in order of appearance."""
    policy, wire = context.policy[RULE.name], context.wire
    flag = context.options.get("stub_is_error", True) is not False
    for turn in context.pairing(messages).turns:
        for call in turn.calls:
            if call.answers or is_pending(messages, call, context):
                continue
            edits: tuple[Edit, ...]
            lossy: bool | None = None
            request, response = approval(messages, call, context)
            if policy == "drop-call" or not wire.answerable(call.call):
                lossy = True
                action = drop_part_action(call.message)
                edits = (DropPart(message=call.message, part=call.call),)
            else:
                if response is not None and response.approved is False:
                    stub = wire.denied_result(call.call, response.reason)
                else:
                    stub = wire.new_result(call.call, stub_text(call.call, context), is_error=flag)
                action, edits = answer(messages, turn, (stub,), context)
                # Words for a call with which nothing is wrong: no rule has anything to say about them.
                target = edits[0].new if isinstance(edits[0], InsertMessage) else edits[0]
                if isinstance(target, (Message, InsertParts)):
                    target.sound = call.message.sound
            yield Finding(
                message=call.message,
                part=call.call,
                call_id=call.call.call_id,
                action=action,
                edits=edits,
                lossy=lossy,
                reason=reason(context.given_id(call.call.call_id), call.call.name)
                + ("" if request is None or response else ", which a human was asked about and did not answer"),
            )


def reason(call_id: str | None, name: str | None) -> str:
    """Return what is said of a call without a result."""
    return f"no result for {call_in_words(call_id, name)}"


RULE: Final = Rule(
    code="IL001",
    name="orphan-tool-call",
    policies={"stub-result": "lossless", "drop-call": "lossy", "keep": "lossless"},
    find=find,
    page=__doc__,
)
