"""Telling a call that is still being answered from one that never will be."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.history.pairing import Open
from interlock.history.rules.base import Context
from interlock.history.turns import Approval, Message

__all__ = ["asked", "denial", "is_pending"]


def is_pending(messages: Sequence[Message], call: Open, context: Context) -> bool:
    """Say whether an unanswered call is not an orphan.

    True when the caller says so (`pending`), and when a human has been asked about
    the call, or has just allowed it, and the conversation has not gone on since.
    """
    at_end = call.turn.answer_end >= len(messages)
    if context.pending == "keep":
        if at_end:
            return True
    elif call.call.call_id is not None and call.call.call_id in context.pending:
        return True
    if not at_end:
        return False
    request, response = _approval(messages, call)
    return request is not None and (response is None or response.approved is True)


def asked(messages: Sequence[Message], call: Open) -> bool:
    """Say whether a human was asked about a call and has not answered."""
    request, response = _approval(messages, call)
    return request is not None and response is None


def denial(messages: Sequence[Message], call: Open) -> Approval | None:
    """Return the human's refusal of a call, if there was one."""
    _, response = _approval(messages, call)
    return response if response is not None and response.approved is False else None


def _approval(messages: Sequence[Message], call: Open) -> tuple[Approval | None, Approval | None]:
    turn = call.turn
    if turn.approvals is None:
        parts = (part for message in messages[turn.first : turn.answer_end] for part in message.parts)
        asked_, answered = turn.approvals = ({}, {})
        for at, part in enumerate(parts):
            if type(part) is not Approval:
                continue
            if part.approved is None:
                asked_[part.call_id] = (at, part)
            else:
                answered[part.approval_id] = (at, part)
    requests, responses = turn.approvals
    at, request = requests.get(call.call.call_id, (0, None))
    if request is None:
        return None, None
    behind, response = responses.get(request.approval_id, (-1, None))
    return request, response if behind > at else None
