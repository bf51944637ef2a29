"""IL027 empty-history: there is no message at all.

What it finds:
    A history without messages.
Why it matters:
    "Invalid 'messages': empty array. Expected an array with minimum length 1"; "Conversation must have
    at least one message".
    Source: CopilotKit/CopilotKit#529, Calcium-Ion/new-api-horizon#24.

Example:
    before: []
    after:  the same; reported
Fix:
    report (default)   nothing is changed: a user's message cannot be made up
    keep               left alone, not reported
Loss:
    report             lossless
Known limits:
    With `previous_response_id` or a prompt kept by the provider, nothing is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.rules.base import Context, Finding, Rule
from interlock.history.turns import Message

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for an empty history."""
    if not messages and not context.stateful:
        yield Finding(message=None, reason="the history holds no message")


RULE: Final = Rule(
    code="IL027",
    name="empty-history",
    policies={"report": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.empty_history,
)
