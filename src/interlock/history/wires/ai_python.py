"""`ai_python`: `Message` of the PyPI package `ai`: objects, and their JSON.

Types: PyPI `ai` 0.8.0, `ai/types/messages.py`, `ai/providers/history_utils.py` (read 2026-11).

One call and its answer::

    {"role": "assistant", "parts": [
        {"kind": "tool_call", "tool_call_id": "c1", "tool_name": "f", "tool_args": "{}"}]}
    {"role": "tool", "parts": [
        {"kind": "tool_result", "tool_call_id": "c1", "tool_name": "f", "result": "done"}]}

Messages of the role `internal` and `hook` parts are never sent. A hook that is
pending is a human who is being asked about a call.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final, Literal

from interlock.history.arguments import is_object_text, value_at
from interlock.history.turns import Approval, Call, Media, Message, Opaque, Part, Result, Role, Text
from interlock.history.wires.ai_sdk import media_kind, reasoning_part
from interlock.history.wires.base import Asked, as_id, as_string, opaque_message, with_ids_in
from interlock.history.wires.objects import Fields, class_beside, fields_of, source_of, with_fields
from interlock.history.wires.screened import Look, ScreenedWire

__all__ = ["AIPython"]

_ROLES: Final[Mapping[str, Role]] = {"system": "system", "user": "user", "assistant": "assistant", "tool": "tool"}
_CLASSES: Final[Mapping[str, str]] = {
    "text": "TextPart",
    "tool_call": "ToolCallPart",
    "tool_result": "ToolResultPart",
}
_MODULES: Final = ("ai.types.messages",)


class AIPython(ScreenedWire):
    """Messages of the package `ai`; see the module's text."""

    name: ClassVar[str] = "ai_python"
    reads_objects: ClassVar[bool] = True
    roles: ClassVar[Mapping[str, Role]] = _ROLES
    arguments: ClassVar[Literal["object", "text", "either"]] = "text"
    results_named: ClassVar[bool] = True
    result_blocks: ClassVar[bool] = False
    content_key: ClassVar[str] = "parts"

    def read_message(self, native: Any, at: int) -> Message:
        """Return the view of one message."""
        body = fields_of(native)
        role = body.get("role") if body is not None else None
        held = body.get("parts") if body is not None else None
        if body is None or not isinstance(role, str) or not isinstance(held, (list, tuple)):
            return opaque_message(native, at)
        if role not in _ROLES and role != "internal":
            return opaque_message(native, at)
        read = tuple(_part(part, i) for i, part in enumerate(held))
        # What is internal is never sent; where hooks stand, behind a turn, it counts to the turn's answer.
        neutral = _ROLES.get(role, "tool")
        return Message(role=neutral, parts=read, native=body, origins=(at,), extra={"source": native})

    def healthy(self, message: Any, look: Look) -> str:
        """Know text, calls, and a tool message with their results right behind."""
        body = message if type(message) is dict else message.__dict__
        role, held, marks = body["role"], body["parts"], look.demands.marks
        if (marks and "cache_control" in body) or (look.demands.prefix and "prefix" in body):
            return ""
        if role == "tool":
            for native in held:
                part = native if type(native) is dict else native.__dict__
                if part["kind"] != "tool_result" or look.waiting.pop(part["tool_call_id"]) != part["tool_name"]:
                    return ""
                if marks and "cache_control" in part:
                    return ""
                if look.demands.reasons and not part["result"]:
                    return ""
            look.lacking += look.waiting
            return "t" if held else ""
        if role not in _ROLES or look.waiting or not held:
            return ""
        if role == "system" and role not in look.demands.instructs:
            return ""
        kind = str(role[0])
        for native in held:
            part = native if type(native) is dict else native.__dict__
            word = part["kind"]
            if marks and "cache_control" in part:
                return ""
            if word == "text":
                if type(part["text"]) is not str or not part["text"] or part["text"].isspace():
                    return ""
            elif word == "tool_call" and role == "assistant":
                given = part["tool_args"]
                if not look.call(part["tool_call_id"], part["tool_name"]):
                    return ""
                if (
                    given != "{}"
                    and (given[0] != "{" or value_at(given, 0)[1] != len(given))
                    and not is_object_text(given)
                ):
                    return ""
                kind = "c"
            else:
                return ""
        return kind

    def calls_of(self, native: Any) -> Iterable[Call]:
        """Return the calls in a message that a look has passed."""
        body = native if type(native) is dict else native.__dict__
        read = [_part(part, at) for at, part in enumerate(body["parts"])]
        return [part for part in read if type(part) is Call]

    def asked(self, native: Any) -> Sequence[Asked]:
        """Return place, id and tool of each call in a message that a look has passed."""
        body = native if type(native) is dict else native.__dict__
        held = [part if type(part) is dict else part.__dict__ for part in body["parts"]]
        return [
            (at, part["tool_call_id"], part["tool_name"]) for at, part in enumerate(held) if part["kind"] == "tool_call"
        ]

    def is_word(self, native: Any) -> bool:
        """Say whether a message is the user's and holds words only."""
        body = fields_of(native) or {}
        held = body.get("parts")
        words = isinstance(held, (list, tuple)) and all((fields_of(part) or {}).get("kind") == "text" for part in held)
        return body.get("role") == "user" and words

    def leads(self, native: Any) -> bool:
        """Say whether a message is the assistant's."""
        return (fields_of(native) or {}).get("role") == "assistant"

    def with_ids(self, native: Any, ids: Mapping[str, str], ahead: Any) -> Any:
        """Return a message with other ids for its calls and results."""
        if type(native) is not dict or {*map(type, native["parts"])} != {dict}:
            return super().with_ids(native, ids, ahead)
        return with_ids_in(native, "parts", "tool_call_id", ids)

    def with_call(self, part: Call, **changes: Any) -> Call:
        """Return the call with another id, name or arguments."""
        fields = _renamed(changes, {"call_id": "tool_call_id", "name": "tool_name", "arguments": "tool_args"})
        return replace(part, native=with_fields(part.native, **fields), **changes)

    def with_result(self, part: Result, **changes: Any) -> Result:
        """Return the result with another id, name, value or kind."""
        fields = _renamed(changes, {"call_id": "tool_call_id", "name": "tool_name", "content": "result"})
        if "is_error" in changes or "content" in changes:
            failed = changes.get("is_error", part.is_error) is True
            fields["result_kind"] = "error" if failed else "json"
        native = with_fields(part.native, **fields)
        if "content" in changes and "model_input" in part.native:
            # What the model sees was worked out from the old value.
            native = with_fields(native, model_input=changes["content"])
        return replace(part, native=native, **changes)

    def with_approval(self, part: Approval, call_id: str) -> Approval:
        """Return the hook for a call that has a new id."""
        return replace(part, native=with_fields(part.native, tool_call_id=call_id), call_id=call_id)

    def new_text(self, text: str, *, role: Role) -> Text:  # noqa: ARG002
        """Return a text part."""
        return Text(native={"id": _minted("part", text), "text": text, "kind": "text"}, text=text)

    def new_result(self, call: Call, text: str, *, is_error: bool = True) -> Result:
        """Return a `tool_result` part."""
        native: dict[str, Any] = {
            "id": _minted("part", f"{call.call_id}:{call.name}"),
            "tool_call_id": call.call_id,
            "tool_name": call.name,
            "result": text,
            "result_kind": "error" if is_error else "json",
            "kind": "tool_result",
        }
        return Result(native=native, call_id=call.call_id, name=call.name, content=text, is_error=is_error)

    def with_text(self, part: Text, text: str) -> Text:
        """Return the text part with other words."""
        return replace(part, native=with_fields(part.native, text=text), text=text)

    def stray_fields(self, native: Any, part: Part | None) -> tuple[str, ...]:  # noqa: ARG002
        """Nothing: a request is built from the fields that the package knows."""
        return ()

    def new_message(self, role: Role, parts: Any) -> Message:
        """Return a message that was not in the input; its id is made from what it holds."""
        held = tuple(parts)
        given = [part.native.get("id") for part in held if isinstance(part.native, dict)]
        seed = "/".join(one for one in given if isinstance(one, str))
        native: dict[str, Any] = {"role": role, "parts": [], "id": _minted("msg", f"{role}:{seed}")}
        return Message(role=role, parts=held, native=native, changed=True)

    def with_role(self, message: Message, role: Role) -> Message | None:
        """Return the message with another role."""
        if role not in _ROLES:
            return None
        return replace(message, role=role, native=with_fields(message.native, role=role), changed=True)

    def write(
        self,
        views: Sequence[Message],
        ahead: Any = None,
        behind: Any = None,
    ) -> tuple[list[Any], Sequence[int]]:
        """Return the native messages; a new one is an object where the one ahead of it, or the first one behind, is."""
        out: list[Any] = []
        places: list[int] = []
        if ahead is None:
            ahead = next((view.native for view in views if view.origins), behind)
        for view in views:
            places.append(len(out))
            if not view.changed:
                out.append(_held(view))
                continue
            like = source_of(view.native if view.origins else out[-1] if out else ahead)
            specimen = None if like is None or isinstance(like, dict) else like
            answers = tuple(part for part in view.parts if type(part) is Result)
            if view.native.get("role") == "internal" and answers:
                # What is internal is never sent, so an answer that was put there gets a message of its own.
                rest = tuple(part for part in view.parts if type(part) is not Result)
                out.append(self._written(replace(view, parts=rest), specimen))
                view = self.new_message("tool", answers)
            out.append(self._written(view, specimen))
        return out, places

    def assemble(self, message: Message) -> Any:
        """Return the native message of a view whose parts have changed."""
        specimen = message.native.source if isinstance(message.native, Fields) else None
        return message.native if message.form == "item" else self._written(message, specimen)

    def _written(self, view: Message, specimen: Any) -> Any:
        held = [
            part.native
            if isinstance(part, Opaque) and isinstance(part.native, str)
            else self._native_part(part.native, specimen)
            for part in view.parts
        ]
        body = with_fields(view.native, parts=held)
        if isinstance(body, Fields) or specimen is None:
            return source_of(body)
        cls = class_beside(specimen, "Message", _MODULES)
        return body if cls is None else cls(**body)

    @staticmethod
    def _native_part(native: Any, specimen: Any) -> Any:
        if isinstance(native, str):
            native = {"id": _minted("part", native), "text": native, "kind": "text"}
        kind = native.get("kind") if type(native) is dict else None
        cls = None
        if specimen is not None and isinstance(kind, str):
            cls = class_beside(specimen, _CLASSES.get(kind, ""), _MODULES)
        return source_of(native) if cls is None else cls(**native)


def _held(view: Message) -> Any:
    return view.extra.get("source", view.native)


def _part(native: Any, at: int) -> Part:
    body = fields_of(native)
    if body is None:
        return Opaque(native=native, index=at)
    kind = body.get("kind")
    if kind == "text" and isinstance(body.get("text"), str):
        return Text(native=body, index=at, text=body["text"])
    if kind in ("tool_call", "builtin_tool_call"):
        return Call(
            native=body,
            index=at,
            call_id=as_id(body.get("tool_call_id")),
            name=as_string(body.get("tool_name")),
            arguments=body.get("tool_args"),
            server=kind == "builtin_tool_call",
        )
    if kind in ("tool_result", "builtin_tool_return"):
        failed = body.get("result_kind") == "error" or body.get("is_error") is True
        return Result(
            native=body,
            index=at,
            call_id=as_id(body.get("tool_call_id")),
            name=as_string(body.get("tool_name")),
            content=body.get("result"),
            is_error=failed,
            server=kind == "builtin_tool_return",
        )
    if kind == "reasoning":
        return reasoning_part(body, at)
    if kind == "file":
        return Media(native=body, index=at, media=media_kind(body.get("media_type")))
    if kind == "hook":
        return _hook(body, at)
    return Opaque(native=body, index=at, type=as_string(kind))


def _hook(body: dict[str, Any], at: int) -> Part:
    call_id, status = as_id(body.get("tool_call_id")), body.get("status")
    if call_id is None:
        return Opaque(native=body, index=at, type="hook")
    answer = fields_of(body.get("resolution")) or {}
    granted = answer.get("granted")
    approved = None if status == "pending" else granted if isinstance(granted, bool) else status == "resolved"
    return Approval(
        native=body,
        index=at,
        approval_id=as_string(body.get("hook_id")),
        call_id=call_id,
        approved=approved,
        reason=as_string(answer.get("reason")),
    )


def _renamed(changes: Mapping[str, Any], fields: Mapping[str, str]) -> dict[str, Any]:
    return {fields[key]: value for key, value in changes.items() if key in fields}


def _minted(prefix: str, seed: str) -> str:
    """Return an id in the package's own style, always the same for the same words."""
    digest = hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{prefix}_{digest[:12]}"
