"""IL025 unknown-field: a field that the endpoint does not know.

What it finds:
    Fields that only stream events or answers carry (the `id`, `model` and `usage` of a response that
    was appended whole), optional fields that are null where the format refuses null, and the caller's
    own notes (names that begin with `_`). Where messages have fields of their own only (Anthropic, Bedrock,
    Gemini, Mistral, Groq, Cerebras): null and empty ones, a store's ids and times (`id`, `created_at`,
    `timestamp`), and other formats' fields.
Why it matters:
    "Extra inputs are not permitted"; "Unknown parameter: 'input[273].status'."; "Invalid prompt: The
    messages must be a ModelMessage[]."
    "property 'timestamp' is unsupported"
    Source: Wei-Shaw/sub2api#225, earendil-works/pi#8208, microsoft/autogen#3034, RooCodeInc/Roo-Code#11429,
    Gage-Technologies/mistral-go#2, ServiceStack/llms#17.

Example:
    before: tool-call {..., "providerExecuted": null}
    after:  tool-call {...}
Fix:
    remove (default)   the field goes
    keep               left alone, not reported
Loss:
    remove             lossless: what the provider would not have read; lossy where a target refuses a
                       field that says something, such as a speaker's `name`: its record says so
Known limits:
    Only known fields are taken out: a field that is new with the provider stays. Calls in another format's
    field that cannot be read are reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from interlock.history.edits import ReplaceMessage, ReplacePart
from interlock.history.rules.base import Context, Finding, Rule, without
from interlock.history.turns import Message, Opaque, Part
from interlock.history.wires.chat_shape import says, strays

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each message or part with fields that must not be sent."""
    for message in context.doubted(messages):
        if message.role == "assistant" and (field := _unread_calls(message, context)) is not None:
            yield Finding(message=message, reason=f"calls in {field!r}, which this format does not read")
        own = context.wire.stray_fields(message.native, None) if message.form != "item" else ()
        refused = _refused(message, context)
        if message.form != "item":
            own = tuple(dict.fromkeys((*own, *refused)))
        stray = [
            (part, fields)
            for part in message.parts
            if type(part) is not Opaque
            and (fields := (*context.wire.stray_fields(part.native, part), *(refused if part.slot == "self" else ())))
        ]
        if not own and not stray:
            continue
        bare = {id(part): without(part, *fields) for part, fields in stray}
        found: dict[int, tuple[Part, list[str]]] = {}  # a call and its result may be one fragment
        for part, fields in stray:
            found.setdefault(id(part.native), (part, []))[1].extend(fields)
        if own:
            native = {key: value for key, value in message.native.items() if key not in own}
            held = tuple(bare.get(id(part), part) for part in message.parts)
            new = replace(message, native=native, parts=held, changed=True)
            names = [*own, *(name for _, fields in found.values() for name in fields)]
            yield Finding(
                message=message,
                action="replaced-part",
                lossy=True if says(message.native, own) else None,
                edits=(ReplaceMessage(message=message, new=(new,)),),
                reason=_reason(message.native, names),
            )
            continue
        for place, (first, names) in found.items():
            same = [part for part in message.parts if id(part.native) == place and id(part) in bare]
            yield Finding(
                message=message,
                part=first,
                call_id=getattr(first, "call_id", None),
                action="replaced-part",
                lossy=True if says(first.native, names) else None,
                edits=tuple(ReplacePart(message=message, part=part, new=bare[id(part)]) for part in same),
                reason=_reason(first.native, names),
            )


def _refused(message: Message, context: Context) -> tuple[str, ...]:
    """Return the fields that the target refuses, but for those in which something was said and read."""
    fields = (context.profile.own_fields or {}).get(message.role)
    if fields is None or not isinstance(message.native, dict):
        return ()
    if message.native.get("prefix", True) is None:
        fields -= {"prefix"}  # "Input should be a valid boolean"
    unknown = [name for name in context.profile.unknown_fields if name in message.native and name not in fields]
    read = {part.slot for part in message.parts}
    if message.role == "assistant":
        # A field that held a part, which another rule has taken out, goes with it.
        read |= {slot for slot in context.wire.single_slots if message.native.get(slot)}
    return tuple(name for name in dict.fromkeys((*unknown, *strays(message.native, fields))) if name not in read)


def _unread_calls(message: Message, context: Context) -> str | None:
    """Return the field in which another format keeps calls, where it stays: they could not be read."""
    wire, native = context.wire, message.native
    if wire.name not in ("anthropic", "bedrock_converse", "ai_sdk") or not isinstance(native, dict):
        return None
    return next((field for field in ("tool_calls", "function_call") if native.get(field)), None)


def _reason(native: Any, fields: Sequence[str]) -> str:
    names = ", ".join(repr(name) for name in dict.fromkeys(fields))
    if all(name.startswith("_") for name in fields):
        return f"notes of the caller's, which are not sent: {names}"
    if all(name in native and native[name] is None for name in fields):
        return f"null in fields that may only be left out: {names}"
    return f"fields that must not be sent: {names}"


RULE: Final = Rule(
    code="IL025",
    name="unknown-field",
    policies={"remove": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
)
