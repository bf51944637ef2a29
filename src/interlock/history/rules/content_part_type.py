"""IL024 content-part-type: a part has a type that its role, or the target, does not take.

What it finds:
    A text under another API's name (`input_text`, `output_text`); a call that stands both in the
    content and in `tool_calls`; a list of texts for a server that wants one string; a part, or a call, by
    itself where a list is due; media that the model cannot take, inside results too; null, an empty
    object, a text without words and whatever else is no part, or no call, of the format. Images, calls
    and results in another API's words; words beside calls that Cohere has as `tool_plan`; an output
    whose type is not its call's (Responses).
Why it matters:
    "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'."; "Content blocks
    are expected to be either text or image_url type."; "This model doesn't support the video content
    block that you provided."; "json: cannot unmarshal array into Go struct field ChatRequest.messages
    of type string".
    Source: tinyhumansai/openhuman#3624, recorded refusals of OpenAI and Bedrock, ollama/ollama#6451.

Example:
    before: user [{"type": "input_text", "text": "Hi"}]
    after:  user [{"type": "text", "text": "Hi"}]
Fix:
    convert (default)        the type, the field or the message that is due; texts are joined; media that
                             the model cannot take become a marked note that says what was there; null
                             and an empty object go, if anything else is left; what else is no part,
                             or has no form in the format, is reported
    convert-results          as convert, but media of the user's are left alone and reported
    report-media             as convert, but all media are
    keep                     left alone, not reported
Loss:
    convert                  lossy: only the media, the user's too, a call's other copy and the word that a
                             result is an error where there is none for it: the audit record holds them
    convert-results          lossy: only the media
    report-media             lossless
Known limits:
    Which media a model takes is known for few models; where it is not known nothing is said. Blocks of
    other formats are told where the target is known to refuse them: OpenAI (not a gateway in its
    format), Mistral, Cohere, Ollama.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from interlock.history.arguments import object_in
from interlock.history.edits import DropPart, Edit, ReplaceMessage, ReplacePart
from interlock.history.media import kind_of
from interlock.history.rules.base import Context, Finding, Rule
from interlock.history.stubs import MARK
from interlock.history.turns import Call, Media, Message, Opaque, Part, Result, Text
from interlock.history.wires.base import Wire
from interlock.history.wires.objects import with_fields

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each part of a wrong type."""
    profile, wire = context.profile, context.wire
    if wire.typed_pairs:
        yield from _mispaired(messages, context)
    for message in context.doubted(messages):
        if message.form == "null" and _stands_alone(message, wire):
            yield Finding(
                message=message,
                action="replaced-part",
                lossy=False,
                edits=(ReplaceMessage(message=message, new=(replace(message, form="parts", changed=True),)),),
                reason="the content is a part by itself where a list of parts is due",
            )
            continue  # the next round looks at the part
        if (slot := _single_entry(message, wire)) is not None:
            listed = replace(
                message, native=with_fields(message.native, **{slot: [message.native[slot]]}), changed=True
            )
            yield Finding(
                message=message,
                action="replaced-part",
                lossy=False,
                edits=(ReplaceMessage(message=message, new=(listed,)),),
                reason=f"{slot!r} is one entry by itself where a list is due",
            )
            continue  # the next round looks at the entry
        if (slot := _unlisted(message, wire)) is not None:
            yield Finding(message=message, reason=f"{slot!r} holds no list, and cannot be read")
        divided = wire.divided(message, context)
        if divided is not None:
            yield Finding(
                message=message,
                action="replaced-part",
                lossy=any(_says_error(part) for part in message.parts),
                edits=(ReplaceMessage(message=message, new=divided),),
                reason=f"{_DIVIDED[message.role == 'user']} stand where this format has another place for them",
            )
            continue  # the next round looks at the messages
        asked: dict[str | None, Call] | None = None
        for part in message.parts:
            new = wire.retyped(message, part)
            if new is not None and not (profile.untyped_calls and _lacks_type_only(part, new)):
                if asked is None:
                    asked = _asked(message)
                yield _retyped(message, part, new, asked, context)
            elif type(part) is Media and _refused(part.media, part.native, context):
                yield _note(message, part, part.media, context)
            elif type(part) is Result and not part.server:
                refused = [one for one in wire.media_in(part) if _refused(*one, context, inside=True)]
                if refused:
                    yield _inside(message, part, refused, context)
                elif (reason := wire.unfit(part, context)) is not None:
                    yield Finding(message=message, part=part, call_id=part.call_id, reason=reason)
            elif type(part) is Opaque and wire.is_broken(part):
                yield _broken(message, part)
            elif (reason := wire.unfit(part, context)) is not None:
                yield Finding(message=message, part=part, reason=reason)
        due = profile.string_content and wire.string_content and message.role != "tool"
        if message.form != "parts" or not (due or message.role in wire.string_roles):
            continue
        texts = [part for part in message.parts if part.slot == "content"]
        if not due and any(isinstance(part.native, dict) and part.native.keys() - {"type", "text"} for part in texts):
            yield Finding(message=message, reason="the content is a list of parts where one string is due")
        elif all(type(part) is Text for part in texts):
            words = "\n\n".join(part.text for part in texts if isinstance(part, Text) and part.text)
            one = wire.new_text(words, role=message.role)
            rest = [part for part in message.parts if part.slot != "content"]
            held = (one, *rest) if texts else tuple(rest)
            new_message = replace(message, parts=held, form="string", changed=True)
            yield Finding(
                message=message,
                action="replaced-part",
                lossy=False,
                edits=(ReplaceMessage(message=message, new=(new_message,)),),
                reason=f"the content is {'a list of texts' if texts else 'an empty list'} where one string is due",
            )


def _asked(message: Message) -> dict[str | None, Call]:
    """Return the first call of each id in `tool_calls`."""
    out: dict[str | None, Call] = {}
    for part in message.parts:
        if type(part) is Call and part.slot == "tool_calls":
            out.setdefault(part.call_id, part)
    return out


def _lacks_type_only(part: Part, new: Part) -> bool:
    """Say whether nothing is due to a call but its type."""
    return type(part) is Call and {**new.native, "type": None} == {**part.native, "type": None}


def _retyped(message: Message, part: Part, new: Part, asked: Mapping[str | None, Call], context: Context) -> Finding:
    """Return the finding for a part with another format's type; a call that stands there twice loses its copy."""
    twin: Call | None = None
    if type(new) is Call and type(part) is not Call:
        twin = asked.get(new.call_id)
    edits: tuple[Edit, ...] = (ReplacePart(message=message, part=part, new=new),)
    reason = "a call does not say its type" if type(part) is Call else "a part of another format's type"
    lossy = False
    if twin is not None and isinstance(new, Call):
        edits = (DropPart(message=message, part=part),)
        reason = "a block of another format repeats a call"
        if twin.arguments is None or twin.arguments == "":
            full = context.wire.with_call(twin, arguments=new.arguments)
            edits = (*edits, ReplacePart(message=message, part=twin, new=full))
            reason += ", and alone has its arguments"
        else:
            lossy = _value(twin.arguments) != _value(new.arguments)
    return Finding(
        message=message,
        part=part,
        call_id=new.call_id if isinstance(new, (Call, Result)) else None,
        action="replaced-part" if twin is None else "dropped-part",
        lossy=lossy,
        edits=edits,
        reason=reason,
    )


def _value(arguments: Any) -> Any:
    held = object_in(arguments) if isinstance(arguments, str) else arguments
    return arguments if held is None else held


def _mispaired(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each result that is of another kind than its call's."""
    for call in context.pairing(messages).calls():
        for bound in call.answers:
            new = context.wire.paired(call.call, bound.result)
            if new is None:
                continue
            at, part = bound.message, bound.result
            yield Finding(
                message=at,
                part=part,
                call_id=part.call_id,
                action=None if isinstance(new, str) else "replaced-part",
                lossy=False,
                edits=() if isinstance(new, str) else (ReplacePart(message=at, part=part, new=new),),
                reason=new if isinstance(new, str) else "the result is of another kind than its call",
            )


def _stands_alone(message: Message, wire: Wire) -> bool:
    """Say whether the content is one part, not a list of parts."""
    native = message.native
    if wire.single_part or not isinstance(native, dict):
        return False
    content = native.get(wire.content_key)
    if not isinstance(content, dict) or not content:
        return False
    held = [part for part in message.parts if part.slot == "content"]  # none: the part is a call that is read elsewhere
    return not held or any(not (type(part) is Opaque and wire.is_broken(part)) for part in held)


_DIVIDED: Final = ("words or calls", "results")


def _says_error(part: Part) -> bool:
    """Say whether a block says that a tool failed, for which its new form may have no field."""
    return type(part) is Opaque and isinstance(part.native, dict) and part.native.get("is_error") is True


def _single_entry(message: Message, wire: Wire) -> str | None:
    """Return the field that holds its only entry instead of a list of entries."""
    native = message.native
    if message.form == "item" or not isinstance(native, dict):
        return None
    for slot in wire.list_slots:
        if slot != "content" and slot in native and not isinstance(native[slot], list):
            for part in message.parts:
                if part.slot == slot:
                    return slot
    return None


def _unlisted(message: Message, wire: Wire) -> str | None:
    """Return the field of calls that holds text or the like, from which nothing was read."""
    native = message.native
    if message.role != "assistant" or message.form == "item" or not isinstance(native, dict):
        return None
    fields = (slot for slot in wire.list_slots if slot not in ("content", wire.content_key))
    return next((slot for slot in fields if native.get(slot) and not isinstance(native[slot], (list, dict))), None)


def _refused(media: str, native: Any, context: Context, *, inside: bool = False) -> bool:
    profile = context.profile
    if profile.media is not None and kind_of(native, media) not in profile.media:
        return True
    sources = profile.media_sources + (profile.result_media_sources if inside else ())
    return any(_has_key(native, key, depth=4) for key in sources)


def _has_key(value: Any, key: str, *, depth: int) -> bool:
    if not isinstance(value, dict) or not depth:
        return False
    return key in value or any(_has_key(inner, key, depth=depth - 1) for inner in value.values())


def _broken(message: Message, part: Part) -> Finding:
    """Return the finding for a fragment that is no part: one that holds nothing goes, if anything is left."""
    native = part.native
    void = native is None or native == {}
    found = "null" if native is None else "an empty object" if void else "what stands here"
    goes = void and any(other.native is not None and other.native != {} for other in message.parts)
    return Finding(
        message=message,
        part=part,
        action="dropped-part" if goes else None,
        lossy=False,
        edits=(DropPart(message=message, part=part),) if goes else (),
        reason=f"{found} is no {'call' if part.slot == 'tool_calls' else 'part'} of this format",
    )


def _words(media: str) -> str:
    return f"{MARK} Content of the kind {media!r} was left out here: the model does not take it."


def _note(message: Message, part: Part, media: str, context: Context) -> Finding:
    edits: tuple[Edit, ...] = ()
    policy = context.policy[RULE.name]
    if policy == "convert" or (policy == "convert-results" and message.role != "user"):
        text = context.wire.new_text(_words(media), role=message.role)
        edits = (ReplacePart(message=message, part=part, new=text),)
    return Finding(
        message=message,
        part=part,
        action="replaced-part" if edits else None,
        edits=edits,
        reason=f"the target does not take {media!r} given like this",
    )


def _inside(message: Message, part: Result, refused: Sequence[tuple[str, Any]], context: Context) -> Finding:
    edits: tuple[Edit, ...] = ()
    if context.policy[RULE.name] != "report-media":
        gone = {id(native): media for media, native in refused}
        content = [
            context.wire.text_block(_words(gone[id(block)]), role="user") if id(block) in gone else block
            for block in part.content
        ]
        new = context.wire.with_result(part, content=content)
        edits = (ReplacePart(message=message, part=part, new=new),)
    return Finding(
        message=message,
        part=part,
        call_id=part.call_id,
        action="replaced-part" if edits else None,
        edits=edits,
        reason=f"the target does not take {refused[0][0]!r} given like this, inside a result",
    )


RULE: Final = Rule(
    code="IL024",
    name="content-part-type",
    policies={"convert": "lossy", "convert-results": "lossy", "report-media": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
)
