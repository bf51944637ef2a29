"""IL025 unknown-field: a field that the endpoint does not know.

What it finds:
    Fields that only stream events or answers carry, optional fields that are null where the format
    refuses null, and the caller's own notes (names that begin with `_`).
Why it matters:
    "Extra inputs are not permitted"; "Unknown parameter: 'input[273].status'."; "Invalid prompt: The
    messages must be a ModelMessage[]."
    Source: Wei-Shaw/sub2api#225, earendil-works/pi#8208.

Example:
    before: tool-call {..., "providerExecuted": null}
    after:  tool-call {...}
Fix:
    remove (default)   the field goes
    keep               left alone, not reported
Loss:
    remove             lossless: what the provider would not have read
Known limits:
    Only known fields are taken out: a field that is new with the provider stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from interlock.history.edits import ReplaceMessage
from interlock.history.rules.base import Context, Finding, Rule
from interlock.history.turns import Message, Opaque, Part

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each message or part with fields that must not be sent."""
    for message in messages:
        found: list[str] = []
        new_message = message
        if message.form != "item":
            stray = context.wire.stray_fields(message.native, None)
            if stray:
                found += stray
                new_message = replace(message, native=_without(message.native, stray), changed=True)
        held: list[Part] = []
        for part in message.parts:
            stray = context.wire.stray_fields(part.native, part) if type(part) is not Opaque else ()
            if stray:
                found += stray
                held.append(replace(part, native=_without(part.native, stray)))
            else:
                held.append(part)
        if found:
            bare = replace(new_message, parts=tuple(held), changed=True)
            names = ", ".join(repr(name) for name in dict.fromkeys(found))
            yield Finding(
                message=message,
                action="replaced-part",
                edits=(ReplaceMessage(message=message, new=(bare,)),),
                reason=f"fields that must not be sent: {names}",
            )


def _without(native: Any, stray: Sequence[str]) -> Any:
    return {key: value for key, value in native.items() if key not in stray}


RULE: Final = Rule(
    code="IL025",
    name="unknown-field",
    policies={"remove": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
)
