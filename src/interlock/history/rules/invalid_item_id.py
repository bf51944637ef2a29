"""IL047 invalid-item-id: an item's id is empty or of the wrong kind.

What it finds:
    An `id` that is empty, null or has another prefix than its type's (`rs_`, `fc_`, `msg_`).
Why it matters:
    "Invalid 'input[n].id': ''. Expected an ID that begins with 'rs'."
    Source: langchain-ai/langchainjs#11045, continuedev/continue#11785.

Example:
    before: function_call "" call_1
    after:  function_call call_1
Fix:
    remove (default)   the id goes: it is optional on input; what reasoning led to goes without its id too (IL044)
    keep               left alone, not reported
Loss:
    remove             lossless
Known limits:
    None.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import ReplaceMessage
from interlock.history.rules.base import Context, Finding, Rule, item_without, leave_behind
from interlock.history.turns import Message

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each id that the server would refuse."""
    nameless: list[Message] = []
    for message in context.doubted(messages):
        native = message.native
        if not isinstance(native, dict) or "id" not in native or not ("type" in native or "role" in native):
            continue
        own, kind = native["id"], native.get("type", "message")
        prefix = _PREFIXES.get(kind) if isinstance(kind, str) else None
        if prefix is None or (isinstance(own, str) and own.startswith(prefix)):
            continue
        if kind == "reasoning":
            nameless.append(message)
        yield Finding(
            message=message,
            part=message.parts[0] if message.parts else None,
            action="replaced-part",
            edits=(ReplaceMessage(message=message, new=(item_without(message, "id"),)),),
            reason=f"the id {own!r} of a {kind} item does not begin with {prefix!r}"
            if isinstance(own, str)
            else f"the id of a {kind} item is no text",
        )
    leave_behind(messages, nameless, context)


_PREFIXES: Final = {"reasoning": "rs_", "function_call": "fc_", "message": "msg_"}


RULE: Final = Rule(
    code="IL047",
    name="invalid-item-id",
    policies={"remove": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.items,
)
