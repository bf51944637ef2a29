"""IL011 server-tool-pairing: a call that the provider ran stands without its result, or a result without its call.

What it finds:
    A `server_tool_use` whose result is not in the same turn (client results may stand between), and
    such a result without its call. A call at the end of the history is a paused turn and stays.
Why it matters:
    "`code_execution` tool use with id `srvtoolu_...` was found without a corresponding
    `code_execution_tool_result` block".
    Source: vercel/ai#13040, anthropics/claude-code#64383.

Example:
    before: assistant ["Searching", server call] / user "never mind"
    after:  assistant ["Searching"] / user "never mind"
Fix:
    drop (default)   the half that stands alone goes: a provider's result cannot be made up
    keep             left alone, not reported
Loss:
    drop             lossy: the call, or the result
Known limits:
    None.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import DropPart
from interlock.history.rules.base import Context, Finding, Rule, drop_part_action
from interlock.history.turns import Call, Message, Result

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:  # noqa: ARG001
    """Yield one finding for each half without the other."""
    stretch: list[tuple[Message, Call | Result]] = []
    stretches = [stretch]
    for message in messages:
        if message.role == "assistant":
            stretch += [(message, part) for part in message.parts if isinstance(part, (Call, Result))]
        elif any(type(part) is not Result for part in message.parts):
            stretch = []
            stretches.append(stretch)
    for held in stretches:
        server = [(message, part) for message, part in held if part.server]
        asked = {part.call_id for _, part in server if type(part) is Call}
        given = {part.call_id for _, part in server if type(part) is Result}
        for message, part in server:
            if part.call_id in (given if type(part) is Call else asked):
                continue
            if type(part) is Call and held is stretches[-1]:
                continue
            yield Finding(
                message=message,
                part=part,
                call_id=part.call_id,
                action=drop_part_action(message),
                edits=(DropPart(message=message, part=part),),
                reason=f"the provider's {part.kind} {repr(part.call_id) if part.call_id else 'without an id'} "
                "has no other half",
            )


RULE: Final = Rule(
    code="IL011",
    name="server-tool-pairing",
    policies={"drop": "lossy", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.server_pairs,
)
