"""IL004 split-tool-results: the results of one turn stand in several messages where one is demanded.

What it finds:
    A result of a turn that is not in the first message behind it, for a target that wants all of them
    there.
Why it matters:
    "Please ensure that the number of function response parts is equal to the number of function call
    parts of the function call turn."; "Expected toolResult blocks at messages.2.content for the
    following Ids".
    Source: google-gemini/gemini-cli#16415, genkit-ai/aws-bedrock-js-plugin#664.

Example:
    before: model [w(1), w(2)] / user [w -> 1] / user [w -> 2]
    after:  model [w(1), w(2)] / user [w -> 1, w -> 2]
Fix:
    merge (default)   the results move into the first message behind the turn, in call order; other
                      content stays where it is
    keep              left alone, not reported
Loss:
    merge             lossless
Known limits:
    Messages without results are not joined on the way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import DropPart, Edit, InsertMessage, InsertParts
from interlock.history.rules.base import Context, Finding, Rule, leading_results
from interlock.history.turns import Message

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each result that stands in a message of its own."""
    if context.wire.result_role != "user":
        return
    for turn in context.pairing(messages).turns:
        block = messages[turn.last + 1 : turn.answer_end]
        answers = [bound for call in turn.calls for bound in call.answers if turn.last < bound.at < turn.answer_end]
        apart = [bound for bound in answers if bound.at != turn.last + 1]
        if not apart:
            continue
        home = block[0]
        lead = leading_results(home)
        for bound in apart:
            put: Edit
            if lead:
                put = InsertParts(message=home, at=lead, new=(bound.result,))
            else:
                new = context.wire.new_message("user", (bound.result,))
                put = InsertMessage(after=messages[turn.last], new=new, shares=True)
            yield Finding(
                message=bound.message,
                part=bound.result,
                call_id=bound.result.call_id,
                action="reordered-parts",
                edits=(DropPart(message=bound.message, part=bound.result), put),
                reason=f"the {context.result_in_words(bound.result)} is not in the one message that answers its turn",
            )


RULE: Final = Rule(
    code="IL004",
    name="split-tool-results",
    policies={"merge": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: not profile.merges_users,
)
