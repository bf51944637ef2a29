"""`pydantic_ai`: `ModelMessage` of Pydantic AI: objects, and their JSON from `ModelMessagesTypeAdapter`.

Types: pydantic-ai-slim 2.68.0, `pydantic_ai/messages.py` (read 2026-11).

One call and its answer::

    {"kind": "response", "parts": [
        {"part_kind": "tool-call", "tool_name": "f", "args": "{}", "tool_call_id": "c1"}]}
    {"kind": "request", "parts": [
        {"part_kind": "tool-return", "tool_name": "f", "content": "done", "tool_call_id": "c1"},
        {"part_kind": "user-prompt", "content": "And now?"}]}

A request holds system prompts, prompts and tool returns in one list; a provider
gets them as messages of several roles. It is read in that way, and put together
again when it is written. Thinking without a signature, or of another provider, is
sent as text by Pydantic AI itself and is left alone. `builtin-tool-...` parts belong to the provider and stay
as they are. Arguments may be text, an object or nothing: text that does not parse
is shown to the provider by Pydantic AI in its own way and is no fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, ClassVar, Final, Literal, Self

from interlock.history.arguments import object_in
from interlock.history.turns import Call, Media, Message, Opaque, Part, Reasoning, Result, Role, Text
from interlock.history.wires.base import Asked, as_id, as_string, opaque_message, with_ids_in
from interlock.history.wires.grouped import Draft, Group, GroupedWire
from interlock.history.wires.objects import class_beside, fields_of, source_of, with_fields
from interlock.history.wires.screened import Look

__all__ = ["PydanticAI"]

_PART_CLASSES: Final[Mapping[str, str]] = {
    "text": "TextPart",
    "tool-call": "ToolCallPart",
    "tool-return": "ToolReturnPart",
    "user-prompt": "UserPromptPart",
    "system-prompt": "SystemPromptPart",
}
_MODULES: Final = ("pydantic_ai.messages",)
#: The mark by which Pydantic AI itself knows a return that was made up.
_SYNTHETIC: Final[Mapping[str, Any]] = {"pydantic_ai_synthesized_tool_return": True}
_MEDIA: Final[Mapping[str, str]] = {
    "image-url": "image",
    "audio-url": "audio",
    "video-url": "video",
    "document-url": "document",
    "uploaded-file": "file",
}


class PydanticAI(GroupedWire):
    """Pydantic AI's messages; see the module's text."""

    name: ClassVar[str] = "pydantic_ai"
    reads_objects: ClassVar[bool] = True
    roles: ClassVar[Mapping[str, Role]] = {}
    arguments: ClassVar[Literal["object", "text", "either"]] = "either"
    results_named: ClassVar[bool] = True
    result_blocks: ClassVar[bool] = False
    content_key: ClassVar[str] = "parts"

    # -- reading ---------------------------------------------------------------------------------

    def group(self, native: Any, at: int) -> Group:
        """Return the views: one for a response; for a request, one for each run of parts of one role."""
        group = Group(native)
        body = fields_of(native)
        held = body.get("parts") if body is not None else None
        kind = body.get("kind") if body is not None else None
        if body is None or kind not in ("request", "response") or not isinstance(held, (list, tuple)):
            group.views.append(opaque_message(native, at))
            return group
        extra = {"group": group, "kind": kind}
        if not held:
            # It may be empty: it only says whose turn it is.
            parts: tuple[Part, ...] = (Opaque(native=None, slot="nothing"),)
            role_: Role = "assistant" if kind == "response" else "user"
            group.views.append(Message(role=role_, parts=parts, native=body, origins=(at,), extra=extra))
            return group
        if kind == "response":
            read = tuple(_response_part(part, i) for i, part in enumerate(held))
            group.views.append(Message(role="assistant", parts=read, native=body, origins=(at,), extra=extra))
            return group
        run: list[Part] = []
        role: Role | None = None
        for i, native_part in enumerate(held):
            own, found = _request_part(native_part, i)
            if own is not None and role is not None and own != role:
                group.views.append(Message(role=role, parts=tuple(run), native=body, origins=(at,), extra=dict(extra)))
                run = []
            role = own or role
            run += found
        group.views.append(Message(role=role or "user", parts=tuple(run), native=body, origins=(at,), extra=extra))
        return group

    def healthy(self, message: Any, look: Look) -> str:
        """Know text, prompts, calls, and a request that begins with their returns right behind."""
        body = message if type(message) is dict else message.__dict__
        kind, held = body["kind"], body["parts"]
        if not held or (look.waiting and kind != "request") or (look.demands.prefix and "prefix" in body):
            return ""
        kinds = ""
        marks = look.demands.marks
        for native in held:
            part = native if type(native) is dict else native.__dict__
            if marks and "cache_control" in part:
                return ""
            word = part["part_kind"]
            if kind == "request":
                if word == "tool-return":
                    if kinds not in ("", "t") or look.waiting.pop(part["tool_call_id"]) != part["tool_name"]:
                        return ""
                    if look.demands.reasons and not part["content"]:
                        return ""
                    kinds = "t"
                    continue
                text = part["content"]
                if word != "user-prompt" and (word != "system-prompt" or "system" not in look.demands.instructs):
                    return ""
                if type(text) is not str or not text or text.isspace():
                    return ""
                own = "u" if word == "user-prompt" else "s"
                if kinds[-1:] != own:
                    kinds += own
            elif word == "text":
                if type(part["content"]) is not str or not part["content"] or part["content"].isspace():
                    return ""
                kinds = kinds or "a"
            else:
                given = part.get("args")
                # Text that does not parse is shown by the framework in its own way.
                if word != "tool-call" or not (given is None or type(given) is dict or type(given) is str):
                    return ""
                if not look.call(part["tool_call_id"], part["tool_name"]):
                    return ""
                kinds = "c"
        if kind == "request":
            look.lacking += look.waiting
        return kinds if kind in ("request", "response") else ""

    def calls_of(self, native: Any) -> Iterable[Call]:
        """Return the calls in a message that a look has passed."""
        body = native if type(native) is dict else native.__dict__
        read = [_response_part(part, at) for at, part in enumerate(body["parts"])]
        return [part for part in read if type(part) is Call]

    def asked(self, native: Any) -> Sequence[Asked]:
        """Return place, id and tool of each call in a message that a look has passed."""
        body = native if type(native) is dict else native.__dict__
        held = [part if type(part) is dict else part.__dict__ for part in body["parts"]]
        return [
            (at, part["tool_call_id"], part["tool_name"])
            for at, part in enumerate(held)
            if part["part_kind"] == "tool-call"
        ]

    def is_word(self, native: Any) -> bool:
        """Say whether a message is a request with prompts only."""
        body = fields_of(native) or {}
        held = body.get("parts")
        if body.get("kind") != "request" or not isinstance(held, (list, tuple)) or not held:
            return False
        return all((fields_of(part) or {}).get("part_kind") == "user-prompt" for part in held)

    def leads(self, native: Any) -> bool:
        """Say whether a message is a response."""
        return (fields_of(native) or {}).get("kind") == "response"

    # -- fragments -------------------------------------------------------------------------------

    def with_ids(self, native: Any, ids: Mapping[str, str], ahead: Any) -> Any:
        """Return a message with other ids for its calls and results."""
        if type(native) is not dict or {*map(type, native["parts"])} != {dict}:
            return super().with_ids(native, ids, ahead)
        if native["kind"] == "request" and not all("timestamp" in part for part in native["parts"]):
            return super().with_ids(native, ids, ahead)  # which gives them one
        return with_ids_in(native, "parts", "tool_call_id", ids)

    def with_call(self, part: Call, **changes: Any) -> Call:
        """Return the call with another id, name or arguments."""
        fields = _renamed(changes, {"call_id": "tool_call_id", "name": "tool_name", "arguments": "args"})
        return replace(part, native=with_fields(part.native, **fields), **changes)

    def with_result(self, part: Result, **changes: Any) -> Result:
        """Return the result with another id, name, content or outcome."""
        fields = _renamed(changes, {"call_id": "tool_call_id", "name": "tool_name", "content": "content"})
        if "is_error" in changes and part.native.get("part_kind") == "tool-return":
            fields["outcome"] = "failed" if changes["is_error"] else "success"
        return replace(part, native=with_fields(part.native, **fields), **changes)

    def with_text(self, part: Text, text: str) -> Text:
        """Return the text part with other words."""
        native = text if isinstance(part.native, str) else with_fields(part.native, content=text)
        return replace(part, native=native, text=text)

    def new_text(self, text: str, *, role: Role) -> Text:
        """Return a text part for a request or a response."""
        kind = {"assistant": "text", "system": "system-prompt"}.get(role, "user-prompt")
        return Text(native={"content": text, "part_kind": kind}, text=text)

    def new_result(self, call: Call, text: str, *, is_error: bool = True) -> Result:
        """Return a `tool-return`, marked as Pydantic AI marks those that it adds itself."""
        return self._return(call, text, "interrupted" if is_error else "success")

    def denied_result(self, call: Call, reason: str | None) -> Result:
        """Return the answer for a call that a human refused."""
        return self._return(call, reason or "The tool call was denied.", "denied")

    @staticmethod
    def _return(call: Call, text: str, outcome: str) -> Result:
        native: dict[str, Any] = {"tool_name": call.name, "content": text, "tool_call_id": call.call_id}
        kind = call.native.get("tool_kind")
        if kind is not None:
            native["tool_kind"] = kind
        native |= {"metadata": dict(_SYNTHETIC), "outcome": outcome, "part_kind": "tool-return"}
        failed = outcome != "success"
        return Result(native=native, call_id=call.call_id, name=call.name, content=text, is_error=failed)

    def stray_fields(self, native: Any, part: Part | None) -> tuple[str, ...]:  # noqa: ARG002
        """Nothing: a request is built from the fields that Pydantic AI knows."""
        return ()

    def new_message(self, role: Role, parts: Any) -> Message:
        """Return a request or a response that was not in the input."""
        return Message(role=role, parts=tuple(parts), native={}, changed=True)

    def with_role(self, message: Message, role: Role) -> Message | None:
        """Return a system message of a request as a prompt, or the other way round."""
        if not {message.role, role} <= {"system", "user"}:
            return None
        held = tuple(self.new_text(part.text, role=role) if type(part) is Text else part for part in message.parts)
        return replace(message, role=role, parts=held, changed=True)

    def unread(self, message: Message) -> str | None:  # noqa: ARG002
        """Nothing: what a request says is in its parts, and its instructions are those of the last one."""
        return None

    # -- writing ---------------------------------------------------------------------------------

    def joins(self, draft: Draft, view: Message) -> bool:
        """All views between two responses that are not messages of their own make one request."""
        if view.form == "item" or (draft.parts and draft.parts[0].slot == "self"):
            return False
        group = view.extra.get("group")
        if group is not None and group is draft.group:
            return True
        if draft.role == "assistant" or view.role == "assistant":
            return False
        if draft.group is None:
            # What was put in ahead of a request becomes its beginning.
            draft.group, draft.head = group, view.native
            return True
        return group is None

    def ahead(self, native: Any) -> Any:
        """Return the time that a message gives."""
        body = native if isinstance(native, dict) else getattr(native, "__dict__", None)
        return body.get("timestamp") if isinstance(body, dict) else None

    def specimen(self, native: Any) -> Any:
        """Return the message when it is an object."""
        found = source_of(native)
        return None if isinstance(found, dict) else found

    def put_together(self, draft: Draft, ahead: Any, specimen: Any) -> Any:
        """Return the request or response; new parts have the time of what they answer, never that of the clock."""
        stamp = ahead
        held = [self._native_part(one, specimen, stamp) for one in _regrouped(draft.parts)]
        head = draft.head
        if head:
            return source_of(with_fields(head, parts=held))
        kind = "response" if draft.role == "assistant" else "request"
        native: dict[str, Any] = {"parts": held, "kind": kind}
        cls = None if specimen is None else class_beside(specimen, f"Model{kind.title()}", _MODULES)
        if cls is None:
            if kind == "response" and stamp is not None:
                native["timestamp"] = stamp
            return native
        times = {"timestamp": stamp or datetime.fromtimestamp(0, UTC)} if kind == "response" else {}
        return cls(parts=held, **times)

    def _native_part(self, native: Any, specimen: Any, stamp: Any) -> Any:
        kind = native.get("part_kind") if type(native) is dict else None
        stamped = kind in ("tool-return", "user-prompt", "system-prompt")
        if specimen is None or not isinstance(kind, str):
            if stamped and stamp is not None and "timestamp" not in native:
                return {**native, "timestamp": stamp}
            return source_of(native)
        cls = class_beside(specimen, _PART_CLASSES.get(kind, ""), _MODULES)
        if cls is None:
            return native
        fields = {key: value for key, value in native.items() if key != "part_kind"}
        if stamped:
            fields.setdefault("timestamp", stamp or datetime.fromtimestamp(0, UTC))
        return cls(**fields)


def _response_part(native: Any, at: int) -> Part:
    body = fields_of(native)
    if body is None:
        return Opaque(native=native, index=at)
    kind = body.get("part_kind")
    if kind == "text" and isinstance(body.get("content"), str):
        return Text(native=body, index=at, text=body["content"])
    if kind == "thinking" and body.get("signature"):
        text, redacted = as_string(body.get("content")) or "", body.get("id") == "redacted_thinking"
        return Reasoning(native=body, index=at, text=text, signature=as_string(body["signature"]), redacted=redacted)
    if kind in ("tool-call", "builtin-tool-call"):
        given = body.get("args")
        return Call(
            native=body,
            index=at,
            call_id=as_id(body.get("tool_call_id")),
            name=as_string(body.get("tool_name")),
            arguments={} if given is None or given == "" else given,
            server=kind == "builtin-tool-call",
            malformed=isinstance(given, str) and given != "" and object_in(given) is None,
        )
    if kind == "builtin-tool-return":
        return _result(body, at, server=True)
    if kind == "file":
        return Media(native=body, index=at, media="file")
    return Opaque(native=body, index=at, type=as_string(kind))


def _request_part(native: Any, at: int) -> tuple[Role | None, list[Part]]:
    """Return who says a part of a request, and its views; no role for a part that goes with its neighbours."""
    body = fields_of(native)
    kind = body.get("part_kind") if body is not None else None
    if body is None:
        return None, [Opaque(native=native, index=at)]
    if kind == "tool-return":
        return "tool", [_result(body, at)]
    if kind == "retry-prompt":
        if isinstance(body.get("tool_name"), str):
            return "tool", [_result(body, at)]
        return "user", [Opaque(native=body, index=at, type=kind)]
    if kind == "system-prompt" and isinstance(body.get("content"), str):
        return "system", [Text(native=body, index=at, text=body["content"])]
    if kind == "user-prompt":
        content = body.get("content")
        if isinstance(content, str):
            return "user", [Text(native=body, index=at, text=content)]
        if isinstance(content, (list, tuple)) and content:
            box = _Box(body)
            return "user", [_item(item, at, box) for item in content]
        return "user", [Opaque(native=body, index=at, type=kind)]
    if kind == "retry-feedback":
        return "user", [Opaque(native=body, index=at, type=kind)]
    return None, [Opaque(native=body, index=at, type=as_string(kind))]


class _Box(str):
    """The slot of an item of a prompt: which prompt it belongs to.

    Attributes:
        prompt: The prompt's fields.
    """

    __slots__ = ("prompt",)
    prompt: dict[str, Any]

    def __new__(cls, prompt: dict[str, Any]) -> Self:
        """Return the slot for the items of one prompt."""
        out = super().__new__(cls, "parts")
        out.prompt = prompt
        return out


def _item(native: Any, at: int, box: _Box) -> Part:
    if isinstance(native, str):
        return Text(native=native, slot=box, index=at, text=native)
    body = fields_of(native)
    kind = body.get("kind") if body is not None else None
    if body is not None and kind in ("text-content", "structured-content") and isinstance(body.get("content"), str):
        return Text(native=body, slot=box, index=at, text=body["content"])
    if body is not None and kind == "binary":
        top = str(body.get("media_type")).partition("/")[0]
        return Media(native=body, slot=box, index=at, media=top if top in ("image", "audio", "video") else "document")
    if body is not None and isinstance(kind, str) and kind in _MEDIA:
        return Media(native=body, slot=box, index=at, media=_MEDIA[kind])
    return Opaque(native=native if body is None else body, slot=box, index=at, type=as_string(kind))


def _regrouped(held: Sequence[Part]) -> list[Any]:
    """Return the native parts, with the items of one prompt in that prompt again."""
    out: list[Any] = []
    at = 0
    while at < len(held):
        box = held[at].slot
        if box == "nothing":
            at += 1
            continue
        if not isinstance(box, _Box):
            native = held[at].native
            out.append(
                {"content": native, "part_kind": "user-prompt"}
                if type(held[at]) is Text and isinstance(native, str)
                else native
            )
            at += 1
            continue
        items: list[Any] = []
        while at < len(held) and held[at].slot is box:
            items.append(source_of(held[at].native))
            at += 1
        old = box.prompt["content"]
        same = len(items) == len(old) and all(new is one for new, one in zip(items, old, strict=True))
        out.append(box.prompt if same else with_fields(box.prompt, content=items))
    return out


def _result(body: dict[str, Any], at: int, *, server: bool = False) -> Result:
    outcome = body.get("outcome")
    return Result(
        native=body,
        index=at,
        call_id=as_id(body.get("tool_call_id")),
        name=as_string(body.get("tool_name")),
        content=body.get("content"),
        is_error=body.get("part_kind") == "retry-prompt" or outcome not in (None, "success"),
        server=server,
    )


def _renamed(changes: Mapping[str, Any], fields: Mapping[str, str]) -> dict[str, Any]:
    return {fields[key]: value for key, value in changes.items() if key in fields}
