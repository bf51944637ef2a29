"""IL011 server-tool-pairing: a call that the provider ran, and its result, do not stand together.

What it finds:
    A `server_tool_use` whose result is not in the same turn (client results may stand between) or stands
    ahead of it, and such a result without its call. A call of this kind with the type of a client's. Two
    results for one call, two calls with one id, a result of another tool's type. A call at the end of the
    history is a paused turn and stays.
Why it matters:
    "`code_execution` tool use with id `srvtoolu_...` was found without a corresponding
    `code_execution_tool_result` block"; "Each `advisor_tool_result` block must have a corresponding
    `server_tool_use` block before it."
    Source: vercel/ai#13040, anthropics/claude-code#64383, danny-avila/LibreChat#12639.

Example:
    before: assistant ["Searching", server call] / user "never mind"
    after:  assistant ["Searching"] / user "never mind"
Fix:
    drop (default)   a result goes right behind its call, a `tool_use` with a `srvtoolu_` id gets the type of
                     its result's; a half that stands alone goes: a provider's result cannot be made up; so
                     does a copy of a result
    keep             left alone, not reported
Loss:
    drop             lossy: the call, or the result, that stands alone; else lossless
Known limits:
    Two different results for one call, two calls with one id, and a result of another tool's type are
    reported: which of them is right nothing tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from interlock.history.edits import DropPart, InsertParts, ReplacePart
from interlock.history.rules.base import Context, Finding, Rule, drop_part_action
from interlock.history.turns import Call, Message, Result

__all__ = ["RULE"]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a part stands: its message, the number of the turn, and how many parts stand ahead of it."""

    message: Message
    turn: int
    at: int


@dataclass(slots=True)
class _Pair:
    """The calls and the results of one id."""

    calls: list[tuple[Call, _Place]] = field(default_factory=list)
    results: list[tuple[Result, _Place]] = field(default_factory=list)


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each call or result that is not as its other half demands."""
    doubted = (part for message in context.doubted(messages) for part in message.parts)  # no other message has one
    if not any(isinstance(part, (Call, Result)) and part.server for part in doubted):
        return
    pairs: dict[str | None, _Pair] = {}
    turn = 0
    own: list[tuple[Message, Call]] = []
    for message in messages:
        if message.role == "assistant":
            for at, part in enumerate(message.parts):
                if isinstance(part, (Call, Result)) and part.server:
                    pair, place = pairs.setdefault(part.call_id, _Pair()), _Place(message, turn, at)
                    if isinstance(part, Call):
                        pair.calls.append((part, place))
                    else:
                        pair.results.append((part, place))
                elif type(part) is Call:
                    own.append((message, part))
        elif any(type(part) is not Result for part in message.parts):
            turn += 1
    order = {id(message): at for at, message in enumerate(messages)} if pairs else {}
    for message, call in own:
        known = pairs.get(call.call_id)
        served = context.wire.served_call(call) if known is not None and known.results and not known.calls else None
        if known is not None and served is not None:
            known.calls.append((served, _Place(message, -1, -1)))  # the next round looks at where they stand
            yield Finding(
                message=message,
                part=call,
                call_id=call.call_id,
                action="replaced-part",
                lossy=False,
                edits=(ReplacePart(message=message, part=call, new=served),),
                reason=f"the {context.call_in_words(call)} has a result of the provider's, "
                "and the type of a client's call",
            )
    for pair in pairs.values():
        if not pair.calls or not pair.results:
            yield from _alone(pair, turn)
        elif pair.calls[0][1].turn >= 0 and pair.calls[0][0].call_id is not None:
            yield from _both(pair, context, order)


def _alone(pair: _Pair, last: int) -> Iterator[Finding]:
    """Yield one finding for each half without the other; a call in the last turn is paused."""
    halves: list[tuple[Call | Result, _Place]] = [*pair.calls, *pair.results]
    for part, place in halves:
        if isinstance(part, Call) and place.turn == last:
            continue
        yield Finding(
            message=place.message,
            part=part,
            call_id=part.call_id,
            action=drop_part_action(place.message),
            edits=(DropPart(message=place.message, part=part),),
            reason=f"the provider's {part.kind} {repr(part.call_id) if part.call_id else 'without an id'} "
            "has no other half",
        )


def _both(pair: _Pair, context: Context, order: dict[int, int]) -> Iterator[Finding]:
    """Yield what is wrong with calls and results of one id."""
    call, place = pair.calls[0]
    for other, there in pair.calls[1:]:
        reason = f"two calls of the provider's have the id {call.call_id!r}"
        yield Finding(message=there.message, part=other, call_id=call.call_id, reason=reason)
    if len(pair.calls) > 1:
        return
    fitting = [one for one in pair.results if context.wire.fits(call, one[0])]
    result, there = (fitting or pair.results)[0]
    if not fitting:
        reason = f"the result of the provider's call {call.call_id!r} has the type of another tool's"
        yield Finding(message=there.message, part=result, call_id=call.call_id, reason=reason)
    for more, elsewhere in pair.results:
        if more is result:
            continue
        same = more.native == result.native
        yield Finding(
            message=elsewhere.message,
            part=more,
            call_id=call.call_id,
            action=drop_part_action(elsewhere.message) if same else None,
            lossy=False,
            edits=(DropPart(message=elsewhere.message, part=more),) if same else (),
            reason=f"the provider's call {call.call_id!r} has {'the same result twice' if same else 'two results'}",
        )
    ahead = (order[id(there.message)], there.at) < (order[id(place.message)], place.at)
    if ahead or there.turn != place.turn:
        yield Finding(
            message=there.message,
            part=result,
            call_id=call.call_id,
            action="reordered-parts",
            lossy=False,
            edits=(
                DropPart(message=there.message, part=result),
                InsertParts(message=place.message, at=place.at + 1, new=(result,)),
            ),
            reason=f"the result of the provider's call {call.call_id!r} stands "
            + ("ahead of it" if ahead else "in another turn"),
        )


RULE: Final = Rule(
    code="IL011",
    name="server-tool-pairing",
    policies={"drop": "lossy", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.server_pairs,
)
