"""IL018 invalid-tool-result-shape: the body of a result is not of the type that the format demands.

What it finds:
    An object or a number where text or blocks are due; a bare value where the format wants an object or
    a typed output; an outcome in a UI message's part whose state says that the call has not ended, an
    output that was undefined and so left out, a denial by nobody.
Why it matters:
    "The format of the value at messages.28.content.0.toolResult.content.0.json is invalid. Provide a
    json object"; SDK type errors.
    Source: deepset-ai/haystack-core-integrations#3766, BerriAI/litellm#3351, google-genai types.

Example:
    before: tool call_1 {"temp": 20}
    after:  tool call_1 '{"temp": 20}'
Fix:
    wrap (default)   the value is shown as JSON text, or wrapped as the format has it
    keep             left alone, not reported
Loss:
    wrap             lossless
Known limits:
    None.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import ReplacePart
from interlock.history.rules.base import Context, Finding, Rule
from interlock.history.turns import Message, Result

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each result whose body has the wrong type."""
    for message in context.doubted(messages):
        for part in message.parts:
            if type(part) is not Result or (part.server and not context.wire.shapes_served):
                continue
            new = context.wire.shaped_result(part)
            if new is not None:
                yield Finding(
                    message=message,
                    part=part,
                    call_id=part.call_id,
                    action="replaced-part",
                    edits=(ReplacePart(message=message, part=part, new=new),),
                    reason=_reason(context.result_in_words(part), part, new),
                )


def _reason(what: str, part: Result, new: Result) -> str:
    if new.content is not part.content:
        return f"the body of the {what} has the wrong type"
    if isinstance(part.native, dict) and part.native.get("state") == "output-available":
        return f"the {what} has no `output`"
    return f"the {what} is there, but its part says that the call has not ended"


RULE: Final = Rule(
    code="IL018",
    name="invalid-tool-result-shape",
    policies={"wrap": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
)
