"""IL051 foreign-thought-signature: a thought signature that cannot be genuine.

What it finds:
    A `thoughtSignature` that is not base64, for Gemini; any signature in a history whose origin is
    noted as another provider's.
Why it matters:
    "Invalid value at 'contents[1].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed";
    "Corrupted thought signature."
    Source: google-gemini/gemini-cli#13467, decolua/9router#301.

Example:
    before: model [f() "abc$not-base64"]
    after:  model [f()], then IL050
Fix:
    remove (default)   the value goes; where one is demanded IL050 sets the documented sentinel
    keep               left alone, not reported
Loss:
    remove             lossy: hidden reasoning that the target could not read
Known limits:
    Whether a well-formed signature is genuine only the provider can tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import ReplacePart
from interlock.history.rules.base import Context, Finding, Rule
from interlock.history.signatures import signature_of, signed, well_formed
from interlock.history.turns import Message

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each signature that cannot be decoded."""
    path = context.wire.signature_path
    for message in context.doubted(messages) if path else ():
        for part in message.parts:
            value = signature_of(part.native, path)
            if value is None or well_formed(value):
                continue
            yield Finding(
                message=message,
                part=part,
                call_id=getattr(part, "call_id", None),
                action="replaced-part",
                edits=(ReplacePart(message=message, part=part, new=signed(part, None, path)),),
                reason="the thought signature is not base64",
            )


RULE: Final = Rule(
    code="IL051",
    name="foreign-thought-signature",
    policies={"remove": "lossy", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.family == "google",
)
