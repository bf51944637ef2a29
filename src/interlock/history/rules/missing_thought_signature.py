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
    Only when the model is named: older models do without. The histories of frameworks are left alone:
    what makes a request of them sets the value itself. On OpenAI's format the signature stands in
    `extra_content.google.thought_signature` of the call.
    Gemini asks for signatures in the open turn only and accepts earlier calls without one, so these are left
    alone, and a call that got the value goes without it again once its turn is over: the cached beginning of
    a prompt ends there, unless the healed history is the one that is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import ReplacePart
from interlock.history.rules.base import Context, Finding, Rule
from interlock.history.signatures import SENTINEL, open_steps, signature_of, signed
from interlock.history.turns import Message

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each step whose first call is unsigned."""
    path = context.wire.signature_path
    for message, part in open_steps(messages) if path else ():
        if not signature_of(part.native, path):
            yield Finding(
                message=message,
                part=part,
                call_id=part.call_id,
                action="replaced-part",
                edits=(ReplacePart(message=message, part=part, new=signed(part, SENTINEL, path)),),
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
