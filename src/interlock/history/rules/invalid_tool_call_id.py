"""IL013 invalid-tool-call-id: a call id has characters, or a length, that the provider does not take.

What it finds:
    An id outside the target's pattern: letters, digits, `_` and `-` for Anthropic, exactly nine letters
    or digits for Mistral.
Why it matters:
    "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"; "Tool call id was N but must be a-z,
    A-Z, 0-9, with a length of 9."
    Source: maximhq/bifrost#5097 (`functions.Bash:0`), QwenLM/qwen-code#8160, mistral-common validators.

Example:
    before: assistant "functions.f:0" / result "functions.f:0"
    after:  assistant "aB3dE6gH9" / result "aB3dE6gH9"
Fix:
    rename (default)   call and results get a new id of nine letters and digits, which every provider
                       takes; the same id gets the same new one on each run
    keep               left alone, not reported
Loss:
    rename             lossless: `result.ids` leads back
Known limits:
    None.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from interlock.history.naming import matcher
from interlock.history.providers import Profile
from interlock.history.rules.base import Context, Finding, Rule, renamed_calls
from interlock.history.turns import Message

__all__ = ["RULE", "unfit"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Return one finding for each call whose id has to change; its results change with it."""
    return renamed_calls(messages, context, partial(unfit, profile=context.profile))


def unfit(call_id: str, profile: Profile) -> str | None:
    """Return the sentence for an id that has to change; `None` for one that fits."""
    pattern = profile.id_pattern
    if pattern is None or matcher(pattern)(call_id):
        return None
    return f"the id {call_id!r} does not match {pattern}"


RULE: Final = Rule(
    code="IL013",
    name="invalid-tool-call-id",
    policies={"rename": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.id_pattern is not None,
)
