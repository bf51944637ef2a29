r"""IL031 role-alternation: two messages of one role follow each other.

What it finds:
    Neighbouring messages of the user, or of the assistant, for a target that wants them to take turns.
    Tool messages do not count as breaking a turn.
Why it matters:
    "After the optional system message, conversation roles must alternate
    user/assistant/user/assistant/..."; "does not support successive user or assistant messages".
    Source: vllm-project/vllm#6862, open-webui/open-webui#9266, FoundationAgents/OpenManus#580.

Example:
    before: user "x" / user "hello"
    after:  user "x\n\nhello"
Fix:
    merge (default)   they become one message; texts are joined by an empty line
    keep              left alone, not reported
Loss:
    merge             lossless; lossy where the messages name different speakers: the names go; and
                      where they have different values in a field beside the content: the first stays
Known limits:
    Two messages that each hold what one message can hold once (`audio`) are reported and left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from interlock.history.edits import DropMessage, Edit, ReplaceMessage
from interlock.history.rules.base import Context, Finding, Rule, both_hold, contradicts, joined_text, speaker
from interlock.history.turns import Message
from interlock.history.wires.base import Wire

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each message that joins the one ahead of it, or cannot."""
    wire = context.wire
    run: list[Message] = []
    held: dict[str, Any] = {}
    for message in [*messages, None]:
        fits = message is not None and message.form != "item" and message.role in ("user", "assistant")
        if message is not None and fits and run and message.role == run[-1].role:
            # Two steps of one message: joined they would be written as they are, and read as two again.
            steps = wire.shares_messages and bool(message.origins) and message.origins == run[-1].origins
            field = None if steps else both_hold(run, held, message, wire)
            if field is None and not steps:
                run.append(message)
                held.update(_once(message, wire))
                continue
            why = "they are steps of one message" if steps else f"their `{field}` cannot be joined"
            yield Finding(
                message=message, reason=f"two messages of the role {message.role!r} follow each other, and {why}"
            )
        if len(run) > 1:
            edits: tuple[Edit, ...] = (ReplaceMessage(message=run[0], new=(joined_text(run, wire),)),)
            for one in run[1:]:
                edits = (*edits, DropMessage(message=one))
                yield Finding(
                    message=one,
                    lossy=True if speaker(one) != speaker(run[0]) or contradicts(run[0], one, wire) else None,
                    action="merged-messages",
                    edits=edits,
                    reason=f"two messages of the role {one.role!r} follow each other",
                )
                edits = ()
        run = [message] if message is not None and fits else []
        held = {} if message is None else _once(message, wire)


def _once(message: Message, wire: Wire) -> dict[str, Any]:
    """Return what a message holds in fields of one value."""
    return {part.slot: part.native for part in message.parts if part.slot in wire.single_slots}


RULE: Final = Rule(
    code="IL031",
    name="role-alternation",
    policies={"merge": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.alternates,
)
