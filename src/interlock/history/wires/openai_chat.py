"""`openai_chat`: the messages of Chat Completions, and of all servers that speak it.

API: OpenAI Chat Completions, `messages`; https://platform.openai.com/docs/api-reference/chat (read 2026-11).

One call and its answer::

    {"role": "assistant", "content": null, "tool_calls": [
        {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}
    {"role": "tool", "tool_call_id": "call_1", "content": "done"}

A result is a message of its own. The older `function_call` with a `function`
message is read too. Servers add fields of their own beside the content, of which
`reasoning_content`, `reasoning` and `reasoning_details` are read as reasoning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final, Literal

from interlock.history.arguments import is_object_text, value_at
from interlock.history.demands import Demands, demands_of
from interlock.history.spans import UNKNOWN, Places, Scan, onward
from interlock.history.turns import Call, Media, Message, Opaque, Part, Reasoning, Result, Role, Text
from interlock.history.wires.base import (
    Asked,
    Wire,
    as_id,
    as_json,
    as_string,
    entries,
    opaque_message,
    plain_text,
    read_content,
    role_in,
)

__all__ = ["OpenAIChat"]

_ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "developer",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
_MEDIA = {
    "image_url": "image",
    "image": "image",
    "input_audio": "audio",
    "audio": "audio",
    "video_url": "video",
    "file": "file",
    "document_url": "document",
    "document": "document",
}
_REASONING = ("reasoning_content", "reasoning", "reasoning_details")
_ASIDE = ("refusal", "audio")  # what the assistant said without `content`


class OpenAIChat(Wire):
    """Chat Completions; see the module's text."""

    name: ClassVar[str] = "openai_chat"
    provider: ClassVar[str | None] = "openai"
    results_share: ClassVar[bool] = False
    roles: ClassVar[Mapping[str, Role]] = _ROLES
    string_content: ClassVar[bool] = True
    refuses_empty_calls: ClassVar[bool] = True
    arguments: ClassVar[Literal["object", "text", "either"]] = "text"
    list_slots: ClassVar[tuple[str, ...]] = ("content", "tool_calls")
    #: https://ai.google.dev/gemini-api/docs/thought-signatures, "OpenAI compatibility".
    signature_path: ClassVar[tuple[str, ...]] = ("extra_content", "google", "thought_signature")
    single_slots: ClassVar[tuple[str, ...]] = ("function_call", *_ASIDE, *_REASONING)
    chat_blocks: ClassVar[bool] = True
    #: An entry of `tool_calls` says its type.
    typed_calls: ClassVar[bool] = True

    def read_message(self, native: Any, at: int) -> Message:
        """Return the view of one chat message."""
        role = role_in(native, _ROLES)
        if role is None:
            return opaque_message(native, at)
        if role == "tool":
            return Message("tool", (self._result(native),), native, (at,), "item")
        held: list[Part] = []
        if role == "assistant":
            for slot in _REASONING:
                value = native.get(slot)
                if value is not None:
                    held.append(_field_reasoning(slot, value))
        form, content = read_content(native, _block)
        held += content
        if role == "assistant":
            for slot in _ASIDE:
                value = native.get(slot)
                if value is not None and not _is_void(value):
                    held.append(Opaque(native=value, slot=slot, type=slot))
            held += [self._call(entry, i) for i, entry in enumerate(entries(native.get("tool_calls")))]
            legacy = native.get("function_call")
            if isinstance(legacy, dict):
                held.append(
                    Call(
                        native=legacy,
                        slot="function_call",
                        index=0,
                        call_id=None,
                        name=as_string(legacy.get("name")),
                        arguments=legacy.get("arguments"),
                    )
                )
        return Message(role, tuple(held), native, (at,), form)

    plain_stubs: ClassVar[bool] = True

    def asked(self, native: Any) -> Sequence[Asked]:
        """Return place, id and tool of each call."""
        return [(at, one["id"], one["function"]["name"]) for at, one in enumerate(native.get("tool_calls") or ())]

    def stub(self, call_id: Any, name: Any, text: str, *, is_error: bool) -> Any:  # noqa: ARG002  no such flag here
        """Return a `tool` message."""
        return {"role": "tool", "tool_call_id": call_id, "content": text}

    def with_ids(self, native: Any, ids: Mapping[str, str], ahead: Any) -> Any:  # noqa: ARG002
        """Return a message with other ids for its calls, or for the call that it answers."""
        if native["role"] == "tool":
            old = native["tool_call_id"]
            new = ids[old]
            return native if new == old else {**native, "tool_call_id": new}
        entries = native.get("tool_calls")
        if not entries:
            return native
        changed = [one if (new := ids[one["id"]]) == one["id"] else {**one, "id": new} for one in entries]
        return native if changed == entries else {**native, "tool_calls": changed}

    def scanner(self, context: Any) -> Scan | None:
        """Know the healthy histories of agents: text, calls, and a `tool` message right behind for each."""
        demands = demands_of(context)
        if demands is None:
            return None
        longest, fits, id_fits = demands.longest, demands.name_fits, demands.id_fits
        after, behind_results = demands.after, demands.after["t"]
        instructs = demands.instructs if "developer" in self.roles else demands.instructs - {"developer"}
        once, filled, visible = demands.once, demands.filled, demands.visible
        null, absent = demands.null, demands.null or demands.absent
        parsed = self.arguments == "either"
        usual, planned, shown = self.known_fields(demands), "tool_plan" in self.single_slots, self.shown_kinds(demands)
        lists = demands.lists and self.name != "mistral"

        def scan(messages: Sequence[Any], start: int, places: Places) -> tuple[int, int]:
            names = places.names
            waiting: set[str] = set()
            at = start
            opened = -1
            allowed = after["?" if start else "^"]
            try:
                for at, message in onward(messages, start):
                    role = message["role"]
                    if role == "tool":
                        waiting.remove(message["tool_call_id"])
                        content = message["content"]
                        if type(content) is not str and (type(content) is not list or not _only(content, shown)):
                            return opened, at
                        if len(message) != 3 and (len(message) != 4 or message["name"] not in names):
                            return opened, at
                        allowed = behind_results
                        continue
                    if waiting:
                        if not places.lose(opened, at, waiting):
                            return opened, at
                        waiting, allowed = set(), behind_results
                    content = message.get("content")
                    if role == "assistant":
                        entries = message.get("tool_calls")
                        kind = "a" if entries is None else "c"
                        if not (len(message) == 2 and content) and not (
                            message.keys() <= _PLAIN or _known(message, usual)
                        ):
                            return at, at
                        if type(content) is str:
                            if (not entries or visible) and (content.isspace() or not (content or entries)):
                                return at, at
                        elif content is None:
                            if not entries or not (null if "content" in message else absent):
                                return at, at
                        elif not lists or not _words(content):
                            return at, at
                        if planned and ((content and entries) or type(message.get("tool_plan", "")) is not str):
                            return at, at
                    elif role == "user" or role in instructs:
                        kind = "u" if role == "user" else "s"
                        if len(message) != 2:
                            return at, at
                        if type(content) is not str:
                            if not lists or not _words(content):
                                return at, at
                        elif filled and (not content or content.isspace()) and kind == "u":
                            return at, at
                        entries = None
                    else:
                        return at, at
                    if kind not in allowed:
                        return at, at
                    allowed = after[kind]
                    if entries is None:
                        continue
                    opened = at
                    if type(entries) is not list:
                        return at, at
                    for entry in entries:
                        function, call_id = entry["function"], entry["id"]
                        name, arguments = function["name"], function["arguments"]
                        if len(entry) != 3 or "type" not in entry:
                            return at, at
                        if id_fits is None:
                            if type(call_id) is not str or not 0 < len(call_id) <= longest:
                                return at, at
                        elif not id_fits(call_id) or len(call_id) > longest:
                            return at, at
                        if name not in names:
                            if not fits(name):
                                return at, at
                            names.add(name)
                        if (
                            arguments != "{}"
                            and not (parsed and type(arguments) is dict)
                            and (arguments[0] != "{" or value_at(arguments, 0)[1] != len(arguments))
                            and not is_object_text(arguments)
                        ):
                            return at, at
                        waiting.add(call_id)
                        if places.setdefault(call_id, at) != at:
                            places.again(call_id, at)
                            if once:
                                return at, at
                    if not entries or len(waiting) != len(entries):
                        return at, at
            except UNKNOWN:
                return (opened if waiting else at), at
            if waiting:
                if not places.lose(opened, len(messages), waiting):
                    return opened, len(messages)
                allowed = behind_results
            if "$" not in allowed:
                return at, len(messages)
            return len(messages), len(messages)

        return scan

    def known_fields(self, demands: Demands) -> frozenset[str]:
        """Return the fields of the assistant's messages that the look knows."""
        return _PLAIN if demands.bare else _USUAL

    def shown_kinds(self, demands: Demands) -> tuple[str, ...]:  # noqa: ARG002
        """Return the types of the blocks that a result may be a list of."""
        return ()

    def _was_read(self, slot: str, value: Any) -> bool:
        """Say whether a field held parts; a refusal without words is none."""
        return not _is_void(value) if slot in _ASIDE else super()._was_read(slot, value)

    @staticmethod
    def _call(entry: Any, at: int) -> Part:
        function = entry.get("function") if isinstance(entry, dict) else None
        if not isinstance(function, dict):
            kind = entry.get("type") if isinstance(entry, dict) else None
            custom = entry.get("custom") if isinstance(entry, dict) else None
            if kind == "custom" and isinstance(custom, dict):
                # A custom tool's input is free text by design: nothing to parse, but it needs its answer.
                return Call(
                    native=entry,
                    slot="tool_calls",
                    index=at,
                    call_id=as_id(entry.get("id")),
                    name=as_string(custom.get("name")),
                    arguments="{}",
                )
            return Opaque(native=entry, slot="tool_calls", index=at, type=as_string(kind))
        return Call(
            native=entry,
            slot="tool_calls",
            index=at,
            call_id=as_id(entry.get("id")),
            name=as_string(function.get("name")),
            arguments=function.get("arguments"),
        )

    @staticmethod
    def _result(native: dict[str, Any]) -> Result:
        return Result(
            native=native,
            slot="self",
            index=0,
            call_id=as_id(native.get("tool_call_id")),
            name=as_string(native.get("name")),
            content=native.get("content"),
        )

    def with_call(self, part: Call, **changes: Any) -> Call:
        """Return the call with another id, name or arguments."""
        native: dict[str, Any] = dict(part.native)
        if part.slot == "function_call":
            for key in ("name", "arguments"):
                if key in changes:
                    native[key] = changes[key]
        else:
            if "call_id" in changes:
                native["id"] = changes["call_id"]
            inner = "custom" if "custom" in native and "function" not in native else "function"
            body = {key: changes[key] for key in ("name", "arguments") if key in changes}
            if body:
                native[inner] = {**native[inner], **body}
        return replace(part, native=native, **changes)

    def with_result(self, part: Result, **changes: Any) -> Result:
        """Return the result with another id, name or content; this wire has no error flag."""
        native: dict[str, Any] = dict(part.native)
        for key, field in (("call_id", "tool_call_id"), ("name", "name"), ("content", "content")):
            if key in changes:
                native[field] = changes[key]
        return replace(part, native=native, **changes)

    def new_result(self, call: Call, text: str, *, is_error: bool = True) -> Result:
        """Return a `tool` message, or a `function` message for a legacy call."""
        native = (
            {"role": "function", "name": call.name, "content": text}
            if call.slot == "function_call"
            else self.stub(call.call_id, call.name, text, is_error=is_error)
        )
        return Result(
            native=native, slot="self", call_id=call.call_id, name=as_string(native.get("name")), content=text
        )

    def retyped(self, message: Message, part: Part) -> Part | None:
        """Take bare strings in a list, text under the names that other APIs use, and calls under Anthropic's."""
        native = part.native
        if type(part) is Opaque and isinstance(native, str) and part.slot == "content":
            return Text(native={"type": "text", "text": native}, text=native, index=part.index)
        if type(part) is Call and part.slot == "tool_calls" and self.typed_calls and "type" not in native:
            kind = "function" if "function" in native else "custom"
            return replace(part, native={**native, "type": kind})
        if type(part) is Result and isinstance(part.content, list):
            blocks = [_as_chat(block) for block in part.content]
            same = all(new is old for new, old in zip(blocks, part.content, strict=True))
            return None if same else self.with_result(part, content=blocks)
        if type(part) in (Media, Opaque) and message.role != "opaque" and (block := _as_chat(native)) is not native:
            return replace(_block(block, 0), index=part.index)
        if type(part) is not Opaque or not isinstance(native, dict):
            return None
        if part.type in ("input_text", "output_text", "text") and isinstance(native.get("text"), str):
            block = {**native, "type": "text"}
            block.pop("annotations", None)
            return Text(native=block, text=block["text"], index=part.index)
        if part.type == "tool_use" and message.role == "assistant":
            call_id, name, given = as_string(native.get("id")), as_string(native.get("name")), native.get("input")
            arguments = given if isinstance(given, str) else as_json({} if given is None else given)
            entry = {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
            return Call(
                native=entry, slot="tool_calls", index=part.index, call_id=call_id, name=name, arguments=arguments
            )
        return None

    def media_in(self, part: Result) -> list[tuple[str, Any]]:
        """Return the media in a result that is a list of blocks."""
        blocks = part.content if isinstance(part.content, list) else []
        read = [(block, _block(block, 0)) for block in blocks]
        return [(one.media, block) for block, one in read if type(one) is Media]

    def unfit(self, part: Part, context: Any) -> str | None:
        """Name the blocks of other formats for which there is none here."""
        if not context.profile.strict_parts:
            return None
        refused = _REFUSED.get(context.profile.name, frozenset())
        if type(part) is Result and isinstance(part.content, list):
            kinds = [as_string(one.get("type")) if isinstance(one, dict) else None for one in part.content]
            wrong = next((one for one in kinds if one is None or one == "thinking" or one in refused), "")
            named = "a part without a type" if wrong is None else f"a part of the type {wrong!r}"
            return None if wrong == "" else f"{named} is no part of a result"
        if part.slot in context.profile.unknown_fields and type(part) is not Reasoning:
            return f"{part.slot!r} is no field of this target's, and says something"
        if part.slot != "content":
            return None
        kind = part.native.get("type") if isinstance(part.native, dict) else None
        if kind == "file" and context.profile.name == "mistral" and "file" in part.native:
            return "a file is not given like this"
        foreign = type(part) in (Media, Opaque) and kind in refused
        return f"a part of the type {kind!r} is no part of this format" if foreign else None

    def divided(self, message: Message, context: Any) -> tuple[Message, ...] | None:
        """Take the `tool_result` blocks of a user's message as the messages that they are here, ahead of the rest.

        A refusal becomes words of the content, where there is no field for it.
        """
        if any(_is_refusal(part) for part in message.parts) and "refusal" in context.profile.unknown_fields:
            parts = [
                Text(native=part.native, text=part.native) if _is_refusal(part) else part for part in message.parts
            ]
            native = {key: value for key, value in message.native.items() if key != "refusal"}
            return (replace(message, native=native, parts=tuple(parts), changed=True),)
        if message.role != "user":
            return None
        found = {id(part): part for part in message.parts if type(part) is Opaque and _is_result(part.native)}
        if not found:
            return None
        made: list[Message] = []
        for part in found.values():
            given = part.native.get("content")
            body = [_as_chat(block) for block in given] if isinstance(given, list) else given
            content = "" if body is None else body if isinstance(body, (str, list)) else as_json(body)
            native = {"role": "tool", "tool_call_id": part.native["tool_use_id"], "content": content}
            held = replace(self._result(native), index=part.index)
            made.append(replace(self.new_message("tool", (held,)), origins=message.origins))
        rest = tuple(part for part in message.parts if id(part) not in found)
        if not rest and self.unread(message) is not None:
            return None
        return (*made, replace(message, parts=rest, changed=True)) if rest else tuple(made)

    def put_content(self, native: dict[str, Any], message: Message, held: Sequence[Part]) -> None:
        """Fill the content field; a list that has lost its last block beside calls, or the like, is null."""
        if not held and message.form == "parts" and message.parts and native.get("content"):
            native["content"] = None
        else:
            super().put_content(native, message, held)

    def is_broken(self, part: Opaque) -> bool:
        """A block says its type, and a text has words; a call has a `function`, or a `custom`."""
        if part.slot == "tool_calls":
            return part.type in (None, "function", "custom")
        return part.slot == "content" and part.type in (None, "text")


#: Blocks of other formats; what is in no list here may be new.
_FOREIGN: Final = frozenset(
    {"input_image", "input_file", "image", "document", "document_url", "tool_use", "tool_result", "server_tool_use"}
    | {"tool-call", "tool-result", "tool_call", "function_call", "redacted_thinking", "reasoning", "toolCall"}
)
#: What each target refuses for certain.
_REFUSED: Final[Mapping[str, frozenset[str]]] = {
    "openai": _FOREIGN,
    "mistral": _FOREIGN - {"document_url"},
    "cohere": (_FOREIGN | {"file", "input_audio", "audio", "video_url"}) - {"document"},
}
#: Targets of which the scan knows all requirements.
_PLAIN: Final = frozenset({"role", "content", "tool_calls"})
_USUAL: Final = frozenset({"role", "content", "tool_calls", "reasoning_content", "reasoning", "refusal", "name"})


def _is_refusal(part: Part) -> bool:
    """Say whether a part is the words of a refusal."""
    return part.slot == "refusal" and isinstance(part.native, str) and not _is_void(part.native)


def _is_result(native: Any) -> bool:
    """Say whether a block is a result in Anthropic's words."""
    return isinstance(native, dict) and native.get("type") == "tool_result" and type(native.get("tool_use_id")) is str


def _as_chat(block: Any) -> Any:
    """Return an image or a file in another API's words as a block of this one; anything else as it is."""
    if not isinstance(block, dict):
        return block
    kind = block.get("type")
    if kind in ("input_text", "output_text") and isinstance(block.get("text"), str):
        return {key: "text" if key == "type" else value for key, value in block.items() if key != "annotations"}
    rest = {key: value for key, value in block.items() if key not in ("type", "source", "image_url", "detail")}
    if kind == "image" and isinstance(source := block.get("source"), dict):
        url = source.get("url")
        if source.get("type") == "base64" and isinstance(data := source.get("data"), str):
            url = f"data:{source.get('media_type') or 'image/png'};base64,{data}"
        return {"type": "image_url", "image_url": {"url": url}, **rest} if isinstance(url, str) else block
    if kind == "input_image" and isinstance(url := block.get("image_url"), str):
        detail = {"detail": block["detail"]} if isinstance(block.get("detail"), str) else {}
        return {"type": "image_url", "image_url": {"url": url, **detail}, **rest}
    if kind == "input_file" and not isinstance(block.get("file_url"), str):
        named = {key: block[key] for key in ("file_id", "file_data", "filename") if isinstance(block.get(key), str)}
        return {"type": "file", "file": named} if named else block
    return block


def _known(message: dict[str, Any], fields: frozenset[str]) -> bool:
    """Say whether a message has these fields only, and none of them holds fields of its own."""
    return message.keys() <= fields and not any(type(value) is dict for value in message.values())


def _only(content: list[Any], kinds: tuple[str, ...]) -> bool:
    """Say whether all blocks are of these types."""
    return bool(kinds) and all(block["type"] in kinds for block in content)


def _words(content: Any) -> bool:
    """Say whether content is a list of texts and nothing else.

    Raises:
        KeyError, TypeError: It is nothing of the kind.
    """
    for block in content:
        text = block["text"]
        if len(block) != 2 or block["type"] != "text" or type(text) is not str or not text or text.isspace():
            return False
    return type(content) is list and len(content) > 0


def _is_void(value: Any) -> bool:
    return not value or (isinstance(value, str) and value.isspace())


def _field_reasoning(slot: str, value: Any) -> Reasoning:
    text = value if isinstance(value, str) else plain_text(value)
    return Reasoning(native=value, slot=slot, index=None, text=text)


def _block(block: Any, at: int) -> Part:
    if not isinstance(block, dict):
        return Opaque(native=block, index=at)
    kind = block.get("type")
    if kind == "text" and isinstance(block.get("text"), str):
        return Text(native=block, text=block["text"], index=at)
    if isinstance(kind, str) and kind in _MEDIA:
        return Media(native=block, media=_MEDIA[kind], index=at)
    if kind == "redacted_thinking":
        return Reasoning(native=block, index=at, text="", signature=as_string(block.get("data")), redacted=True)
    if kind == "thinking":
        thinking = block.get("thinking")
        return Reasoning(
            native=block,
            index=at,
            text=thinking if isinstance(thinking, str) else plain_text(thinking),
            signature=as_string(block.get("signature")),
        )
    return Opaque(native=block, index=at, type=as_string(kind))
