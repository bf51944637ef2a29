"""IL002 orphan-tool-result: a result that no call asked for.

What it finds:
    A result whose id no call carries, or whose call is not in the history any more.
Why it matters:
    Trimming or compaction removed the call: "messages.12.content.0: unexpected `tool_use_id`
    found in `tool_result` blocks"; "messages with role 'tool' must be a response to a
    preceeding message with 'tool_calls'."; "No tool call found for function call output".
    Source: anthropics/claude-code#13460, miurla/morphic#136, continuedev/continue#10092.

Example:
    before: user "q" / tool call_9 "A" / assistant "Answer"
    after:  user "q" / assistant "Answer"
Fix:
    drop (default)  the result goes, and its message if nothing else is in it
    to-text         it becomes a user's text that says what it is
    keep            left alone, not reported
Loss:
    drop     lossy: the result's body; the audit record holds it
    to-text  lossless
Known limits:
    With `previous_response_id` or `conversation` the call may be kept by the provider; then
    nothing is reported. A result of what has its id but is no call of the format stays, and is
    reported with it; so does one behind an object that cannot be read, where its call may stand.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from interlock.history.edits import DropPart, Edit, ReplaceMessage, ReplacePart
from interlock.history.rules.base import Context, Finding, Rule, drop_part_action, origins_of
from interlock.history.stubs import MARK
from interlock.history.turns import Call, Message, Opaque, Text

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each result without a call."""
    if context.stateful or context.wire.refers(messages):
        return  # the call may be among what the provider keeps
    policy = context.policy[RULE.name]
    unread: frozenset[str] | None = None
    mute = next((at for at, one in enumerate(messages) if one.role == "opaque" and _is_mute(one.native)), None)
    for bound in context.pairing(messages).orphans:
        message, part = bound.message, bound.result
        if unread is None:
            unread = frozenset(_unread(messages))
        if part.call_id in unread:
            reason = f"{context.result_in_words(part)} answers what is no call of this format"
            yield Finding(message=message, part=part, call_id=part.call_id, reason=reason)
            continue
        if mute is not None and mute < bound.at:
            reason = f"{context.result_in_words(part)} has no call, unless it stands in an object that cannot be read"
            yield Finding(message=message, part=part, call_id=part.call_id, reason=reason)
            continue
        body = context.wire.result_text(part)
        action = drop_part_action(message)
        edits: tuple[Edit, ...] = (DropPart(message=message, part=part),)
        if policy == "to-text" and body.strip():
            text = context.wire.new_text(
                f"{MARK} Result of an earlier tool call ({part.name or part.call_id}): {body}", role="user"
            )
            text = replace(text, origins=origins_of(part, message))
            action = "replaced-part"
            if message.role == "user":
                edits = (ReplacePart(message=message, part=part, new=text),)
            elif len(message.parts) == 1:
                edits = (ReplaceMessage(message=message, new=(_said(text, message, context),)),)
            else:
                rest = (DropPart(message=message, part=part),)
                edits = (*rest, *context.insert_after(message, "user", (text,)))
        yield Finding(
            message=message,
            part=part,
            call_id=part.call_id,
            action=action,
            edits=edits,
            reason=f"{context.result_in_words(part)} has no call",
        )


def _said(text: Text, message: Message, context: Context) -> Message:
    """Return the user's message that stands in place of one."""
    return replace(context.wire.new_message("user", (text,)), origins=message.origins)


def _is_mute(native: Any) -> bool:
    """Say whether what stands in place of a message is an object of which nothing can be known."""
    return not (native is None or isinstance(native, (dict, list, tuple, str, bool, int, float)))


def _unread(messages: Sequence[Message]) -> Iterator[str]:
    """Yield the ids of calls that could not be read: what they asked for is there, so their results stay too."""
    for message in messages:
        for part in message.parts:
            if type(part) is Opaque or (type(part) is Call and message.role != "assistant"):
                yield from _ids(part.native)
        if isinstance(message.native, dict):
            for field in _CALLS:
                if not (message.role == "assistant" and isinstance(message.native.get(field), list)):
                    yield from _ids(message.native.get(field))


def _ids(native: Any, depth: int = 8) -> Iterator[str]:
    """Yield the ids that a value holds, in whatever shape; JSON text is looked into."""
    if isinstance(native, str):
        try:
            native = json.loads(native) if native[:1] in ("{", "[") else None
        except (ValueError, RecursionError):
            return
    if isinstance(native, dict) and depth:
        yield from (one for key in _IDS if isinstance(one := native.get(key), str))
        native = list(native.values())
    if isinstance(native, list) and depth:
        for one in native:
            if isinstance(one, (dict, list)):
                yield from _ids(one, depth - 1)


#: Fields that hold calls, in one format or another.
_CALLS: Final = ("tool_calls", "invalid_tool_calls", "function_call")


#: Where a call has its id, in one format or another.
_IDS: Final = ("id", "call_id", "tool_call_id", "toolCallId", "toolUseId")


RULE: Final = Rule(
    code="IL002",
    name="orphan-tool-result",
    policies={"drop": "lossy", "to-text": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
)
