"""IL046 duplicate-item: an item id appears twice.

What it finds:
    A second item with an id that an earlier one has.
Why it matters:
    "Duplicate item found with id rs_.... Remove duplicate items from your input and try again."
    Source: OpenRouterTeam/ai-sdk-provider#254.

Example:
    before: reasoning rs_1 / function_call fc_1 / reasoning rs_1
    after:  reasoning rs_1 / function_call fc_1
Fix:
    dedupe (default)   an equal item goes; one that differs is sent without its id
    keep               left alone, not reported
Loss:
    dedupe             lossless
Known limits:
    Items that a `conversation` holds already cannot be seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from interlock.history.edits import DropMessage, Edit, ReplaceMessage
from interlock.history.rules.base import Context, Finding, Rule, item_without
from interlock.history.turns import Message

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:  # noqa: ARG001
    """Yield one finding for each repeated item."""
    seen: dict[str, Any] = {}
    for message in messages:
        native = message.native
        own = native.get("id") if isinstance(native, dict) else None
        if not isinstance(own, str) or not own:
            continue
        if own not in seen:
            seen[own] = native
            continue
        equal = bool(seen[own] == native)
        edit: Edit = DropMessage(message=message)
        if not equal:
            edit = ReplaceMessage(message=message, new=(item_without(message, "id"),))
        yield Finding(
            message=message,
            part=message.parts[0] if message.parts else None,
            action="dropped-message" if equal else "replaced-part",
            edits=(edit,),
            reason=f"the item id {own!r} appears twice",
        )


RULE: Final = Rule(
    code="IL046",
    name="duplicate-item",
    policies={"dedupe": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.items,
)
