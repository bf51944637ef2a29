"""IL050 missing-thought-signature: the first call of a step in the open turn has no thought signature.

What it finds:
    For Gemini 3 and later: the first `functionCall` of each model turn since the user's last words,
    without `thoughtSignature`.
Why it matters:
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to
    work correctly".
    Source: vercel/ai#10344, massgen/MassGen#529; https://ai.google.dev/gemini-api/docs/thought-
    signatures.

Example:
    before: model [f()] / user [f -> 1]
    after:  model [f() skip_thought_signature_validator] / user [f -> 1]
Fix:
    sentinel (default)   the documented value that skips the check
    keep                 left alone, not reported
Loss:
    sentinel             lossless
Known limits:
    Only when the model is named: older models do without.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import ReplacePart
from interlock.history.rules.base import Context, Finding, Rule
from interlock.history.signatures import SENTINEL, open_steps, signature_of, signed
from interlock.history.turns import Message

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:  # noqa: ARG001
    """Yield one finding for each step whose first call is unsigned."""
    for message, part in open_steps(messages):
        if not signature_of(part.native):
            yield Finding(
                message=message,
                part=part,
                call_id=part.call_id,
                action="replaced-part",
                edits=(ReplacePart(message=message, part=part, new=signed(part, SENTINEL)),),
                reason=f"the first call of the step ({part.name!r}) has no thought signature",
            )


RULE: Final = Rule(
    code="IL050",
    name="missing-thought-signature",
    policies={"sentinel": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.thought_signatures,
)
