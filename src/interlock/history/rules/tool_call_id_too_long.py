"""IL014 tool-call-id-too-long: a call id is longer than the provider takes.

What it finds:
    An id above the target's limit: 40 characters for OpenAI's chat format, 64 for Responses and
    Bedrock.
Why it matters:
    "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40,
    but got a string with length 43 instead."
    Source: vercel/ai#5171, anomalyco/opencode#12653, AnswerDotAI/fastllm#45.

Example:
    before: assistant "xxxxxxxx...(86)" / result "xxxxxxxx...(86)"
    after:  assistant "aB3dE6gH9" / result "aB3dE6gH9"
Fix:
    rename (default)   call and results get a new id of nine letters and digits; cutting would make
                       `...tool-1` and `...tool-10` one
    keep               left alone, not reported
Loss:
    rename             lossless: `result.ids` leads back
Known limits:
    OpenAI's own route takes longer ids today; Azure, Copilot and gateways do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from interlock.history.providers import Profile
from interlock.history.rules.base import Context, Finding, Rule, renamed_calls
from interlock.history.turns import Message

__all__ = ["RULE", "unfit"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Return one finding for each call whose id has to change; its results change with it."""
    return renamed_calls(messages, context, partial(unfit, profile=context.profile))


def unfit(call_id: str, profile: Profile) -> str | None:
    """Return the sentence for an id that has to change; `None` for one that fits."""
    limit = profile.id_length
    if limit is None or len(call_id) <= limit:
        return None
    return f"the id has {len(call_id)} characters; the limit is {limit}"


RULE: Final = Rule(
    code="IL014",
    name="tool-call-id-too-long",
    policies={"rename": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.id_length is not None,
)
