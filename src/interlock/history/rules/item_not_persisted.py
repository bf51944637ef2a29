"""IL045 item-not-persisted: an item is sent as an id that the server has not kept.

What it finds:
    With `store` false: an `item_reference`; reasoning without encrypted content; ids of items that were
    not kept.
Why it matters:
    "Item with id 'rs_...' not found. Items are not persisted when `store` is set to false. Try again
    with `store` set to true, or remove this item from your input."
    Said of reasoning that carries its encrypted content as well, as long as its id stands beside it.
    Source: can1357/oh-my-pi#41, anomalyco/opencode#7724, maximhq/bifrost#5410, Wei-Shaw/sub2api#3588.

Example:
    before: store false / reasoning rs_1 (no content) / item_reference msg_1
    after:  (both gone)
Fix:
    resolve (default)   a bare reference goes; an item that is there in full is sent without its id
    keep                left alone, not reported
Loss:
    resolve             lossy: what only the server had
Known limits:
    Without the setting nothing is reported: items are kept by default. Some routes take an id beside
    encrypted content; without it the item is taken everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import DropMessage, ReplaceMessage
from interlock.history.rules.base import Context, Finding, Rule, item_without, leave_behind
from interlock.history.turns import Message, Reasoning

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each item that the server cannot find."""
    if context.options.get("store") is not False:
        return
    dropped: list[Message] = []
    for message in context.doubted(messages):
        native = message.native
        if not isinstance(native, dict) or not message.parts:
            continue
        kind, own, part = native.get("type"), native.get("id"), message.parts[0]
        if kind == "item_reference" or (type(part) is Reasoning and not native.get("encrypted_content")):
            if kind != "item_reference":
                dropped.append(message)
            yield Finding(
                message=message,
                part=part,
                action="dropped-message",
                edits=(DropMessage(message=message),),
                reason=f"the item {own!r} is only an id, and the server keeps nothing",
            )
        elif isinstance(own, str) and kind in ("reasoning", "function_call", "message", "function_call_output"):
            yield Finding(
                message=message,
                part=part,
                call_id=getattr(part, "call_id", None),
                action="replaced-part",
                lossy=False,
                edits=(ReplaceMessage(message=message, new=(item_without(message, "id"),)),),
                reason=f"the id {own!r} means nothing to a server that keeps nothing",
            )
    leave_behind(messages, dropped, context)


RULE: Final = Rule(
    code="IL045",
    name="item-not-persisted",
    policies={"resolve": "lossy", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.items,
)
