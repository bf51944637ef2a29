"""IL005 tool-results-not-first: something stands ahead of the results in the message that answers.

What it finds:
    Text or media ahead of a result in the user's message (or joined neighbours) behind a turn with
    calls.
Why it matters:
    "Messages following tool_use blocks must begin with a matching number of tool_result blocks."; the
    ids match, and the request is refused all the same.
    Source: langchain-ai/langchain-aws#451.

Example:
    before: assistant toolu_1 / user ["be brief", result toolu_1]
    after:  assistant toolu_1 / user [result toolu_1, "be brief"]
Fix:
    reorder (default)   a stable partition: results first, the rest behind
    keep                left alone, not reported
Loss:
    reorder             lossless
Known limits:
    None.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import DropPart, Edit, InsertParts, SetParts
from interlock.history.rules.base import Context, Finding, Rule, leading_results
from interlock.history.turns import Message, Result

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each message whose results do not come first."""
    if context.wire.result_role != "user":
        return
    for turn in context.pairing(messages).turns:
        block = list(messages[turn.last + 1 : turn.answer_end])
        if not context.profile.merges_users:
            block = block[:1]
        spoken: Message | None = None
        for message in block:
            held = message.parts
            lead = leading_results(message)
            late = [part for part in held if type(part) is Result]
            if late and (spoken is not None or len(late) != lead):
                if spoken is None:
                    rest = [part for part in held if type(part) is not Result]
                    edits: tuple[Edit, ...] = (SetParts(message=message, parts=(*late, *rest)),)
                else:
                    edits = (
                        *(DropPart(message=message, part=part) for part in late),
                        InsertParts(message=spoken, at=leading_results(spoken), new=tuple(late)),
                    )
                yield Finding(
                    message=message,
                    part=late[-1],
                    call_id=late[-1].call_id,
                    action="reordered-parts",
                    edits=edits,
                    reason="other content stands ahead of the tool results",
                )
            if spoken is None and len(late) != len(held):
                spoken = message


RULE: Final = Rule(
    code="IL005",
    name="tool-results-not-first",
    policies={"reorder": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.results_first,
)
