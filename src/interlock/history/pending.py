"""Telling a call that is still being answered from one that never will be."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from interlock.history.naming import MINTED, minted_id
from interlock.history.pairing import ORDINALS, Open
from interlock.history.rules.base import Context
from interlock.history.turns import Approval, Message

__all__ = ["approval", "is_named", "is_pending"]


def is_pending(messages: Sequence[Message], call: Open, context: Context) -> bool:
    """Say whether an unanswered call is not an orphan.

    True when the caller says so (`pending`), and when a human has been asked about
    the call, or has just allowed it, and the conversation has not gone on since.
    """
    at_end = call.turn.reach >= len(messages)
    if context.pending == "keep":
        if at_end:
            return True
    elif is_named(call.call.call_id, context):
        return True
    if not at_end:
        return False
    request, response = approval(messages, call, context)
    return request is not None and (response is None or response.approved is True)


def is_named(call_id: str | None, context: Context) -> bool:
    """Say whether the caller names a call as pending: by its id in the input, or by the one from before a healing."""
    given, pending = context.given_id(call_id), context.pending
    if given is None or not pending or pending == "keep":
        return False
    return given in pending or (len(given) == MINTED and given in _minted(pending))


@lru_cache(maxsize=16)
def _minted(pending: frozenset[str]) -> frozenset[str]:
    """Return the ids that earlier healings may have given the calls."""
    each = max(_MINTED // len(pending), ORDINALS)
    return frozenset(minted_id(old, ordinal) for old in pending for ordinal in range(each))


_MINTED: Final = 1_000  # ids that are tried for, as long as few calls are pending


def approval(messages: Sequence[Message], call: Open, context: Context) -> tuple[Approval | None, Approval | None]:
    """Return what a human was asked about a call, and what the human answered; `None` where nothing was said."""
    turn = call.turn
    pairing = context.pairing(messages)
    if not pairing.approvals:
        return None, None
    if turn.reach not in pairing.said:
        held = messages[turn.opens : turn.reach]
        said = [part for message in held for part in message.parts if type(part) is Approval]
        asked, answered = pairing.said[turn.reach] = ({}, {})
        for at, part in enumerate(said):
            if part.approved is None:
                asked[part.call_id] = (at, part)
            else:
                answered[part.approval_id] = (at, part)
    requests, responses = pairing.said[turn.reach]
    at, request = requests.get(call.call.call_id, (0, None)) if requests else (0, None)
    if request is None:
        return None, None
    behind, response = responses.get(request.approval_id, (-1, None))
    return request, response if behind > at else None
