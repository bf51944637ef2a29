"""`langchain`: messages of LangChain and LangGraph: objects, and the dict forms they are stored in.

Types: langchain-core 1.8.3, `messages/ai.py`, `messages/tool.py` (read 2026-11).

One call and its answer, in the three dict forms::

    {"type": "ai", "content": "", "tool_calls": [{"id": "c1", "name": "f", "args": {}, "type": "tool_call"}]}
    {"type": "tool", "data": {"content": "done", "tool_call_id": "c1", "status": "success", "type": "tool"}}
    {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "ToolMessage"],
     "kwargs": {"content": "done", "tool_call_id": "c1", "type": "tool"}}

One call may be kept three times: in `tool_calls` (or, when its arguments did not
parse, in `invalid_tool_calls`), as a block of `content`, and raw in
`additional_kwargs`. It is read as one call, and what changes in one place
changes in all three.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final

from interlock.history.turns import Call, ContentForm, Media, Message, Opaque, Part, Reasoning, Result, Role, Text
from interlock.history.wires.base import Asked, as_id, as_json, as_string, entries, opaque_message, plain_text
from interlock.history.wires.objects import Fields, class_beside, fields_of, with_fields
from interlock.history.wires.screened import Look, ScreenedWire

__all__ = ["LangChain"]

_ROLES: Final[Mapping[str, Role]] = {
    "human": "user",
    "HumanMessageChunk": "user",
    "user": "user",
    "ai": "assistant",
    "AIMessageChunk": "assistant",
    "assistant": "assistant",
    "system": "system",
    "SystemMessageChunk": "system",
    "developer": "developer",
    "tool": "tool",
    "ToolMessageChunk": "tool",
    "function": "tool",
    "FunctionMessageChunk": "tool",
}
_WORDS: Final[Mapping[str, str]] = {
    "user": "human",
    "assistant": "ai",
    "system": "system",
    "developer": "system",
    "tool": "tool",
}
_CLASSES: Final[Mapping[str, str]] = {
    "human": "HumanMessage",
    "ai": "AIMessage",
    "system": "SystemMessage",
    "tool": "ToolMessage",
    "function": "FunctionMessage",
}
_CLASS_WORDS: Final[Mapping[str, str]] = {name: word for word, name in _CLASSES.items()} | {
    "AIMessageChunk": "ai",
    "HumanMessageChunk": "human",
    "SystemMessageChunk": "system",
    "ToolMessageChunk": "tool",
}
_MEDIA: Final[Mapping[str, str]] = {
    "image": "image",
    "image_url": "image",
    "input_image": "image",
    "audio": "audio",
    "input_audio": "audio",
    "video": "video",
    "file": "file",
    "input_file": "file",
    "document": "document",
    "text-plain": "document",
}
_CALL_BLOCKS: Final = frozenset({"tool_use", "tool_call", "function_call", "invalid_tool_call"})
_LISTS: Final = ("tool_calls", "invalid_tool_calls")
_REASONING: Final = ("reasoning_content", "reasoning")
_BESIDE: Final = frozenset({"tool_calls", "function_call", "refusal"})  # what OpenAI's own responses leave there
_KEPT: Final = ("content", "id", "name", "additional_kwargs", "response_metadata")


class _Entry(dict[str, Any]):
    """An entry of `tool_calls`, with the other places where the same call is kept.

    Attributes:
        source: The entry as it was.
        block: The block of `content`, if there is one.
        raw: The entry of `additional_kwargs["tool_calls"]`, if there is one.
        order: Sorts entries of one or several messages in the order of the input.
        raw_order: The same for the raw entries.
    """

    __slots__ = ("block", "order", "raw", "raw_order", "source")
    source: Any
    block: dict[str, Any] | None
    raw: dict[str, Any] | None
    order: tuple[int, int]
    raw_order: tuple[int, int]


class LangChain(ScreenedWire):
    """LangChain messages; see the module's text."""

    name: ClassVar[str] = "langchain"
    reads_objects: ClassVar[bool] = True
    results_share: ClassVar[bool] = False
    roles: ClassVar[Mapping[str, Role]] = _ROLES
    string_content: ClassVar[bool] = True
    list_slots: ClassVar[tuple[str, ...]] = ("content", "tool_calls", "invalid_tool_calls")
    single_slots: ClassVar[tuple[str, ...]] = ("function_call", *_REASONING)

    # -- reading ---------------------------------------------------------------------------------

    def read_message(self, native: Any, at: int) -> Message:
        """Return the view of one message, whichever form it has."""
        body, kind, form = _opened(native)
        role = _ROLES.get(kind) if kind is not None else None
        if body is None or kind is None:
            return opaque_message(native, at)
        if kind in ("chat", "ChatMessageChunk"):
            said = body.get("role")
            role = _ROLES.get(said) if isinstance(said, str) else None
        if role is None:
            return opaque_message(native, at)
        extra = {"source": native, "form": form, "kind": kind}
        content = body.get("content")
        if role == "tool":
            result = Result(
                native=body,
                slot="self",
                index=0,
                call_id=as_id(body.get("tool_call_id")),
                name=as_string(body.get("name")),
                content=content,
                is_error=body.get("status") == "error",
            )
            return Message(role="tool", parts=(result,), native=body, origins=(at,), form="item", extra=extra)
        shape: ContentForm
        held: list[Part] = []
        if isinstance(content, str):
            shape = "string"
            if content:  # an empty string is how LangChain says "no text"
                held.append(Text(native=content, text=content, index=0))
        elif isinstance(content, list):
            shape = "parts"
            held += [_block(block, i) for i, block in enumerate(content)]
            if role == "user" and any(type(part) is Result for part in held):
                role = "tool"  # results in the words of another API
        else:
            shape = "null" if "content" in body else "absent"
            if content is not None:
                held.append(_block(content, 0))
        if role == "assistant":
            maker = _maker(body)
            if maker is not None:
                held = [replace(part, origin=maker) if type(part) is Reasoning else part for part in held]
            held, extra["loose"] = _with_calls(held, body, at)
        return Message(role=role, parts=tuple(held), native=body, origins=(at,), form=shape, extra=extra)

    def healthy(self, message: Any, look: Look) -> str:
        """Know text, parsed calls, and a tool message right behind for each."""
        if type(message) is not dict:
            body = message.__dict__
        elif "lc" in message:
            body = message["kwargs"]
            if type(body) is not dict:
                return ""
        elif "content" in message:
            body = message
        else:
            body = message["data"]
            if type(body) is not dict or message["type"] != body["type"]:
                return ""
        kind, content, marks = body["type"], body["content"], look.demands.marks
        if (marks and "cache_control" in body) or (look.demands.prefix and "prefix" in body):
            return ""
        if kind == "tool":
            name = look.waiting.pop(body["tool_call_id"])
            if type(content) is not str or body.get("name") not in (None, name):
                return ""
            return "t" if content or body.get("status") != "error" else ""
        if look.waiting:
            return ""
        beside = body.get("additional_kwargs")
        if kind == "human" or kind == "system":
            if body.get("tool_calls") or (beside and ("tool_calls" in beside or "function_call" in beside)):
                return ""
            if type(content) is not str or not content or content.isspace():
                return ""
            return "u" if kind == "human" else "s" if kind in look.demands.instructs else ""
        if kind != "ai" or body.get("invalid_tool_calls"):
            return ""
        calls = body.get("tool_calls") or []
        if type(calls) is not list:
            return ""
        for call in calls:
            if type(call) is not dict or type(call["args"]) is not dict or not look.call(call["id"], call["name"]):
                return ""
            if marks and "cache_control" in call:
                return ""
        if beside and not calls and ("tool_calls" in beside or "function_call" in beside):
            return ""
        if beside and look.demands.bare and not beside.keys() <= _BESIDE:
            return ""
        if type(content) is str:
            if calls:
                return "" if look.demands.visible and content.isspace() else "c"
            return "a" if content and not content.isspace() else ""
        if type(content) is not list or not look.demands.lists or not (content or look.demands.null):
            return ""
        twins: set[str] = set()
        for block in content:
            word = block["type"]
            if marks and "cache_control" in block:
                return ""
            if word == "tool_use" or word == "tool_call":
                if block["id"] not in look.waiting or block["id"] in twins:
                    return ""
                twins.add(block["id"])
            elif word != "text" or type(block["text"]) is not str or not block["text"] or block["text"].isspace():
                return ""
        return "c" if calls else "a" if content else ""

    def calls_of(self, native: Any) -> Iterable[Call]:
        """Return the calls in a message that a look has passed."""
        body = _opened(native)[0] if type(native) is dict else native.__dict__
        if body is None or type(body["content"]) is list:
            return super().calls_of(native)  # in the order of their blocks
        return [
            Call(native=one, slot="tool_calls", index=at, call_id=one["id"], name=one["name"], arguments=one["args"])
            for at, one in enumerate(body.get("tool_calls") or ())
        ]

    def asked(self, native: Any) -> Sequence[Asked]:
        """Return place, id and tool of each call in a message that a look has passed."""
        body = _opened(native)[0] if type(native) is dict else native.__dict__
        if body is None or type(body["content"]) is list:
            return super().asked(native)
        if body["type"] != "ai":
            return ()
        return [(at, one["id"], one["name"]) for at, one in enumerate(body.get("tool_calls") or ())]

    def is_word(self, native: Any) -> bool:
        """Say whether a message is the user's and holds words only."""
        body, kind, _ = _opened(native)
        return kind == "human" and body is not None and isinstance(body.get("content"), str)

    def leads(self, native: Any) -> bool:
        """Say whether a message is the assistant's."""
        return _opened(native)[1] == "ai"

    # -- fragments -------------------------------------------------------------------------------

    def with_ids(self, native: Any, ids: Mapping[str, str], ahead: Any) -> Any:
        """Return a message with other ids for its calls, or for the call that it answers."""
        if type(native) is not dict:
            return super().with_ids(native, ids, ahead)
        own = "kwargs" if "lc" in native else "data" if "content" not in native else None
        body = native if own is None else native[own]
        if body["type"] == "tool":
            old = body["tool_call_id"]
            changes: dict[str, Any] = {} if (new := ids[old]) == old else {"tool_call_id": new}
        elif not body.get("tool_calls"):
            return native
        elif type(body["content"]) is not str or "tool_calls" in (body.get("additional_kwargs") or ()):
            return super().with_ids(native, ids, ahead)
        else:
            calls = body["tool_calls"]
            changed = [one if (new := ids[one["id"]]) == one["id"] else {**one, "id": new} for one in calls]
            changes = {} if changed == calls else {"tool_calls": changed}
        if not changes:
            return native
        body = {**body, **changes}
        return body if own is None else {**native, own: body}

    def with_call(self, part: Call, **changes: Any) -> Call:
        """Return the call with another id, name or arguments, in each place where it is kept."""
        native = part.native
        if isinstance(native, _Entry):
            new = _Entry(_changed_raw(native, changes) if part.slot == "raw" else native)
            for key, field in (("call_id", "id"), ("name", "name"), ("arguments", "args")):
                if key in changes and part.slot != "raw":
                    new[field] = changes[key]
            new.source, new.order, new.raw_order = None, native.order, native.raw_order
            new.block = None if native.block is None else _changed_block(native.block, changes)
            new.raw = None if native.raw is None else _changed_raw(native.raw, changes)
            return replace(part, native=new, **changes)
        if part.slot == "content":
            return replace(part, native=_changed_block(native, changes), **changes)
        return replace(part, native=_changed_function(native, changes), **changes)

    def copied_arguments(self, part: Call) -> list[Any]:
        """Return the arguments in the block of the content and in `additional_kwargs`, as what they stand for."""
        native = part.native
        if not isinstance(native, _Entry) or part.slot == "raw":
            return []
        found = [] if native.block is None else [_block_fields(native.block)[2]]
        if native.raw is not None:
            function = native.raw.get("function")
            inner = function if isinstance(function, dict) else native.raw
            found.append(_parsed(inner.get("arguments", inner.get("args"))))
        return found

    def with_result(self, part: Result, **changes: Any) -> Result:
        """Return the result with another id, name, content or status."""
        fields: dict[str, Any] = {}
        ids = "tool_use_id" if part.slot == "content" else "tool_call_id"
        for key, field in (("call_id", ids), ("name", "name"), ("content", "content")):
            if key in changes:
                fields[field] = changes[key]
        if "is_error" in changes:
            if part.slot == "content":
                fields["is_error"] = changes["is_error"] is True
            else:
                fields["status"] = "error" if changes["is_error"] else "success"
        return replace(part, native=with_fields(part.native, **fields), **changes)

    def new_result(self, call: Call, text: str, *, is_error: bool = True) -> Result:
        """Return a `ToolMessage`; a `FunctionMessage` for a call in the older form."""
        native: dict[str, Any]
        if call.slot == "function_call":
            native = {"type": "function", "name": call.name, "content": text}
        else:
            status = "error" if is_error else "success"
            native = {"type": "tool", "tool_call_id": call.call_id, "content": text, "status": status}
        name = as_string(native.get("name"))
        return Result(native=native, slot="self", call_id=call.call_id, name=name, content=text, is_error=is_error)

    def is_broken(self, part: Opaque) -> bool:
        """A block is a string or an object; integrations have blocks without a type."""
        return part.slot == "content" and (not isinstance(part.native, dict) or not part.native)

    def stray_fields(self, native: Any, part: Part | None) -> tuple[str, ...]:  # noqa: ARG002
        """Nothing: integrations build the request from the fields that they know."""
        return ()

    # -- writing ---------------------------------------------------------------------------------

    def new_message(self, role: Role, parts: Iterable[Part]) -> Message:
        """Return a message that was not in the input, as a plain dict; `write` gives it the history's form."""
        message = super().new_message(role, parts)
        if message.form == "item":
            return message
        return replace(message, native={"type": _WORDS[role]}, extra={"kind": _WORDS[role]})

    def with_role(self, message: Message, role: Role) -> Message | None:
        """Return the message with another role."""
        if role not in _WORDS or message.role not in _WORDS:
            return None
        native = {"type": _WORDS[role], **{key: message.native[key] for key in _KEPT if key in message.native}}
        new = self.read_message(native, message.origins[0] if message.origins else 0)
        return replace(new, origins=message.origins, changed=True, extra={"kind": _WORDS[role]})

    def write(self, views: Sequence[Message], ahead: Any = None, behind: Any = None) -> tuple[list[Any], Sequence[int]]:
        """Return the native messages; new ones have the form of the one ahead, or else of the first one behind."""
        known = [(view.extra["form"], view.extra.get("source")) for view in views if "form" in view.extra]
        if ahead is not None:
            known.insert(0, (_opened(ahead)[2], ahead))
        if behind is not None:
            known.append((_opened(behind)[2], behind))
        form: str = known[0][0] if known else "flat"
        specimen = next((source for own, source in known if own == "object"), None)
        out: list[Any] = []
        for view in views:
            form = view.extra.get("form", form)
            if form == "object":
                specimen = view.extra.get("source", specimen)
            out.append(self._written(view, form, specimen))
        return out, range(len(views))

    def assemble(self, message: Message) -> Any:
        """Return the native message of a view, in the form it was read from."""
        return self._written(replace(message, changed=True), message.extra.get("form", "flat"), None)

    def _written(self, view: Message, form: str, specimen: Any) -> Any:
        if not view.changed:
            return view.extra.get("source", view.native)
        body = self._body(view)
        source = view.extra.get("source")
        kind = view.extra.get("kind") or body.get("type") or body.get("role")
        own = view.extra.get("form", form)
        if isinstance(body, Fields):
            return body.source
        if own == "flat" or not isinstance(kind, str) or kind not in {*_CLASSES, *_ROLES}:
            return body
        if own == "data":
            head = source if isinstance(source, dict) else {"type": kind}
            return {**head, "data": body if source is not None else {**body, "type": kind}}
        name = _CLASSES.get(kind, kind)
        if own == "dumped":
            head = source if isinstance(source, dict) else {"lc": 1, "type": "constructor", "id": [*_PATH, name]}
            return {**head, "kwargs": body if source is not None else {**body, "type": kind}}
        cls = class_beside(specimen if source is None else source, name, ("langchain_core.messages",))
        if cls is None:
            return body
        return cls(**{key: value for key, value in body.items() if key != "type"})

    def _body(self, view: Message) -> dict[str, Any]:
        if view.form == "item":
            item = view.parts[0].native if view.parts else view.native
            return item if isinstance(item, dict) else {}
        body: dict[str, Any] = view.native
        changes: dict[str, Any] = {}
        self._put_content(view, body, changes)
        asking = [part for part in view.parts if type(part) is Call and isinstance(part.native, _Entry)]
        for slot in _LISTS:
            held = sorted((part.native for part in asking if part.slot == slot), key=lambda one: one.order)
            new = [one.source if one == one.source else dict(one) for one in held]
            old = body.get(slot)
            known = entries(old)
            if new != [one for one in known if isinstance(one, dict)]:
                changes[slot] = new + [one for one in known if not isinstance(one, dict)]
        kwargs = body.get("additional_kwargs")
        beside = dict(kwargs) if isinstance(kwargs, dict) else {}
        self._put_beside(view, asking, beside)
        if beside != (kwargs if isinstance(kwargs, dict) else {}):
            changes["additional_kwargs"] = beside
        if all(key in body and body[key] == value for key, value in changes.items()):
            return body
        return with_fields(body, **changes)

    def _put_content(self, view: Message, body: Mapping[str, Any], changes: dict[str, Any]) -> None:
        held: list[Any] = []
        alone = body.get("content") if isinstance(body.get("content"), dict) else None
        listed = view.form == "parts" or alone is not None
        for part in view.parts:
            if part.slot == "content":
                held.append(part.native)
            elif isinstance(part.native, _Entry) and part.native.block is not None and listed:
                held.append(part.native.block)
        if view.form != "parts" and alone is not None and len(held) == 1 and held[0] is alone:
            return  # a block by itself: it stays what it is
        if not held and view.form in ("null", "absent") and body.get("content") is None:
            return
        if not held:
            changes["content"] = [] if view.form == "parts" else ""
        elif len(held) == 1 and isinstance(held[0], str) and view.form != "parts":
            changes["content"] = held[0]
        else:
            changes["content"] = held  # a list may hold strings as they are
        if changes["content"] == body.get("content"):
            del changes["content"]

    @staticmethod
    def _put_beside(view: Message, asking: Sequence[Call], beside: dict[str, Any]) -> None:
        raw: list[tuple[tuple[int, int], Any]] = [
            (part.native.raw_order, part.native.raw) for part in asking if part.native.raw is not None
        ]
        raw += view.extra.get("loose", ())
        if raw and [one for _, one in raw] != [beside.get("tool_calls")]:
            beside["tool_calls"] = [one for _, one in sorted(raw, key=lambda pair: pair[0])]
        elif not raw and beside.get("tool_calls"):
            del beside["tool_calls"]
        for slot in ("function_call", *_REASONING):
            found = next((part for part in view.parts if part.slot == slot), None)
            if found is not None:
                beside[slot] = found.native
            elif slot == "function_call" or isinstance(beside.get(slot), str):
                beside.pop(slot, None)


_PATH: Final = ["langchain", "schema", "messages"]


def _opened(native: Any) -> tuple[dict[str, Any] | None, str | None, str]:
    """Return a message's fields, its type and the form it is stored in."""
    if not isinstance(native, dict):
        fields = fields_of(native)
        kind = None if fields is None else fields.get("type")
        return fields, kind if isinstance(kind, str) and "content" in (fields or ()) else None, "object"
    inner = native.get("kwargs")
    if "lc" in native and isinstance(inner, dict):
        kind, path = inner.get("type"), native.get("id")
        if not isinstance(kind, str) and isinstance(path, list) and path and isinstance(path[-1], str):
            kind = _CLASS_WORDS.get(path[-1])
        return inner, as_string(kind), "dumped"
    inner = native.get("data")
    if isinstance(inner, dict) and "content" not in native:
        return inner, as_string(native.get("type")), "data"
    return native, as_string(native.get("type", native.get("role"))), "flat"


def _block(block: Any, at: int) -> Part:
    if isinstance(block, str):
        return Text(native=block, text=block, index=at)
    if not isinstance(block, dict):
        return Opaque(native=block, index=at)
    kind = block.get("type")
    if not isinstance(kind, str):
        return Opaque(native=block, index=at)
    if kind in ("text", "output_text", "input_text") and isinstance(block.get("text"), str):
        return Text(native=block, text=block["text"], index=at)
    if kind in _MEDIA:
        return Media(native=block, media=_MEDIA[kind], index=at)
    if kind in ("thinking", "reasoning"):
        text = block.get("thinking", block.get("reasoning"))
        extras = block.get("extras")
        signature = block.get("signature") or (extras.get("signature") if isinstance(extras, dict) else None)
        return Reasoning(
            native=block,
            index=at,
            text=text if isinstance(text, str) else plain_text(block.get("summary")),
            signature=as_string(signature) or as_string(block.get("encrypted_content")),
        )
    if kind == "redacted_thinking":
        return Reasoning(native=block, index=at, text="", signature=as_string(block.get("data")), redacted=True)
    if kind in _CALL_BLOCKS or kind in ("server_tool_use", "server_tool_call", "mcp_tool_use"):
        call_id, name, given = _block_fields(block)
        server = kind not in _CALL_BLOCKS
        return Call(native=block, index=at, call_id=call_id, name=name, arguments=given, server=server)
    if kind == "tool_result" or kind.endswith("_tool_result"):
        return Result(
            native=block,
            index=at,
            call_id=as_id(block.get("tool_use_id", block.get("tool_call_id"))),
            name=None,
            content=block.get("content", block.get("output")),
            is_error=block.get("is_error") if isinstance(block.get("is_error"), bool) else None,
            server=kind != "tool_result",
        )
    return Opaque(native=block, index=at, type=kind)


def _block_fields(block: Mapping[str, Any]) -> tuple[str | None, str | None, Any]:
    ids = "call_id" if block.get("type") == "function_call" and "call_id" in block else "id"
    given = block.get("input", block.get("args", block.get("arguments")))
    return as_string(block.get(ids)), as_string(block.get("name")), _parsed(given)


def _maker(body: Mapping[str, Any]) -> str | None:
    """Return the provider that answered, as the integration notes it (`google_genai`, `anthropic`)."""
    noted = body.get("response_metadata")
    name = as_string(noted.get("model_provider")) if isinstance(noted, dict) else None
    return None if name is None else name.replace("_", "-").removesuffix("-genai")


def _parsed(given: Any) -> Any:
    """Return arguments that are kept as JSON text as the object that they stand for."""
    if isinstance(given, str):
        try:
            value = json.loads(given) if given.strip() else {}
        except (ValueError, RecursionError):
            return given
        return value if isinstance(value, dict) else given
    return given


def _with_calls(
    held: list[Part], body: Mapping[str, Any], at: int
) -> tuple[list[Part], list[tuple[tuple[int, int], Any]]]:
    """Return the parts with one call for each that the message makes, and the raw calls that are none of them."""
    kwargs = body.get("additional_kwargs")
    beside = kwargs if isinstance(kwargs, dict) else {}
    raws: dict[int, Any] = dict(enumerate(entries(beside.get("tool_calls"))))
    # The blocks and the raw calls of each id, the last one first.
    twins: dict[str | None, list[int]] = {}
    for at_raw in reversed(raws):
        twins.setdefault(_raw_id(raws[at_raw]), []).append(at_raw)
    blocks: dict[str | None, list[Call]] = {}
    for part in reversed(held):
        if type(part) is Call and not part.server:
            blocks.setdefault(part.call_id, []).append(part)
    linked: dict[int, Call] = {}
    behind: list[Part] = []
    order = 0
    for slot in _LISTS:
        for index, entry in enumerate(entries(body.get(slot))):
            if not isinstance(entry, dict):
                continue
            native = _Entry(entry)
            native.source, native.order, native.raw_order = entry, (at, order), (at, order)
            order += 1
            call_id = as_id(entry.get("id"))
            same = blocks.get(call_id)
            block = same.pop() if same else None
            native.block = None if block is None else block.native
            named = twins.get(call_id) if call_id is not None else None
            twin = named.pop() if named else None
            native.raw = None
            if twin is not None:
                native.raw = raws.pop(twin)
                native.raw_order = (at, twin)
            call = Call(
                native=native,
                slot=slot,
                index=index,
                call_id=call_id,
                name=as_string(entry.get("name")),
                arguments=entry.get("args"),
                malformed=slot == "invalid_tool_calls",
            )
            if block is None:
                behind.append(call)
            else:
                linked[id(block)] = call
    out: list[Part] = [linked.get(id(part), part) for part in held]
    for field in _REASONING:
        if isinstance(beside.get(field), str):
            out.insert(0, Reasoning(native=beside[field], slot=field, text=beside[field]))
    out += behind
    if order == 0:
        # Raw calls count only when nothing was parsed from them.
        out += [_raw_call(entry, at, index) for index, entry in raws.items() if isinstance(entry, dict)]
        raws = {index: entry for index, entry in raws.items() if not isinstance(entry, dict)}
    if isinstance(beside.get("function_call"), dict) and order == 0:
        function = beside["function_call"]
        out.append(
            Call(
                native=function,
                slot="function_call",
                index=0,
                call_id=None,
                name=as_string(function.get("name")),
                arguments=_parsed(function.get("arguments")),
            )
        )
    return out, [((at, index), entry) for index, entry in raws.items()]


def _raw_id(entry: Any) -> str | None:
    return as_id(entry.get("id")) if isinstance(entry, dict) else None


def _raw_call(entry: dict[str, Any], at: int, index: int) -> Call:
    function = entry.get("function")
    inner = function if isinstance(function, dict) else entry
    native = _Entry(entry)
    native.source, native.raw, native.block = entry, entry, None
    native.order = native.raw_order = (at, index)
    return Call(
        native=native,
        slot="raw",
        index=index,
        call_id=_raw_id(entry),
        name=as_string(inner.get("name")),
        arguments=_parsed(inner.get("arguments", inner.get("args"))),
    )


def _changed_block(block: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    out = dict(block)
    if "call_id" in changes:
        out["call_id" if block.get("type") == "function_call" and "call_id" in block else "id"] = changes["call_id"]
    if "name" in changes:
        out["name"] = changes["name"]
    if "arguments" in changes:
        field = next((key for key in ("input", "args", "arguments") if key in block), "input")
        given = changes["arguments"]
        out[field] = as_json(given) if field == "arguments" and not isinstance(given, str) else given
    return out


def _changed_function(function: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    out = dict(function)
    if "name" in changes:
        out["name"] = changes["name"]
    if "arguments" in changes:
        given = changes["arguments"]
        out["arguments"] = given if isinstance(given, str) else as_json(given)
    return out


def _changed_raw(raw: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    out = dict(raw)
    if "call_id" in changes:
        out["id"] = changes["call_id"]
    if isinstance(raw.get("function"), dict):
        out["function"] = _changed_function(raw["function"], changes)
    elif "name" in changes or "arguments" in changes:
        out = {**_changed_function(raw, changes), **({"id": out["id"]} if "id" in out else {})}
    return out
