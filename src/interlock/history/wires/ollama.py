"""`ollama`: the messages of Ollama's native `/api/chat`.

API: Ollama REST, `/api/chat`; https://docs.ollama.com/api and ollama-python 0.6.3 (read 2026-11).

One call and its answer::

    {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]}
    {"role": "tool", "tool_name": "f", "content": "done"}

Arguments are an object, content is a string, images stand beside it. Calls need
no ids: a result belongs to the turn ahead of it, and names the tool at most.
Newer servers send an `id` and take `tool_call_id`; both are kept in step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final, Literal

from interlock.history.demands import demands_of
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

__all__ = ["Ollama"]

_ROLES: Mapping[str, Role] = {"system": "system", "user": "user", "assistant": "assistant", "tool": "tool"}


class Ollama(Wire):
    """Ollama's chat API; see the module's text."""

    name: ClassVar[str] = "ollama"
    omits_nulls: ClassVar[bool] = True
    provider: ClassVar[str | None] = "ollama"
    results_share: ClassVar[bool] = False
    roles: ClassVar[Mapping[str, Role]] = _ROLES
    has_ids: ClassVar[bool] = False
    string_content: ClassVar[bool] = True
    chat_blocks: ClassVar[bool] = True
    names_agree: ClassVar[bool] = True
    arguments: ClassVar[Literal["object", "text", "either"]] = "object"
    list_slots: ClassVar[tuple[str, ...]] = ("content", "images", "tool_calls")
    single_slots: ClassVar[tuple[str, ...]] = ("thinking",)
    common_slots: ClassVar[tuple[str, ...]] = ("images",)

    def read_message(self, native: Any, at: int) -> Message:
        """Return the view of one message."""
        role = role_in(native, _ROLES)
        if role is None:
            return opaque_message(native, at)
        if role == "tool":
            return Message("tool", (_result(native),), native, (at,), "item")
        held: list[Part] = []
        thinking = native.get("thinking")
        if role == "assistant" and thinking is not None:
            held.append(Reasoning(native=thinking, slot="thinking", text=as_string(thinking) or ""))
        form, content = read_content(native, _block)
        held += content
        images = native.get("images")
        if isinstance(images, str) and images:
            held.append(Media(native=images, slot="images", index=0, media="image"))
        elif isinstance(images, list):
            held += [Media(native=image, slot="images", index=i, media="image") for i, image in enumerate(images)]
        if role == "assistant":
            held += [_call(entry, i) for i, entry in enumerate(entries(native.get("tool_calls")))]
        return Message(role, tuple(held), native, (at,), form)

    def scanner(self, context: Any) -> Scan | None:
        """Know the healthy histories of agents: text, calls, and their results right behind, in the same order."""
        demands = demands_of(context)
        if demands is None:
            return None
        fits, id_fits, longest = demands.name_fits, demands.id_fits, demands.longest
        after, once, filled, visible = demands.after, demands.once, demands.filled, demands.visible
        instructs = "system" in demands.instructs
        usual = _USUAL if demands.target == "ollama" else _PLAIN  # whose thinking it is nobody knows

        def scan(messages: Sequence[Any], start: int, places: Places) -> tuple[int, int]:
            names = places.names
            due: list[tuple[str | None, str]] = []  # id and name of each call that has no result yet, last one first
            own: set[str] = set()  # the ids in the message at hand
            unsaid = False  # a result has said nothing of its call, so that it is anybody's where others are lost
            at = opened = start
            allowed = after["?" if start else "^"]
            try:
                for at, message in onward(messages, start):
                    role, content = message["role"], message["content"]
                    if role == "tool":
                        call_id, name = due.pop()
                        if message.get("tool_name", name) != name or message.get("tool_call_id") != call_id:
                            return opened, at
                        if type(content) is not str or not message.keys() <= _RESULT:
                            return opened, at
                        if call_id is None and "tool_name" not in message:
                            unsaid = True
                        allowed = after["t"]
                        continue
                    if due:
                        if unsaid or not places.lose(opened, at, (), len(due)):
                            return opened, at
                        due.clear()
                        allowed = after["t"]
                    opened = at
                    if type(content) is not str:
                        return at, at
                    if role == "user" or (role == "system" and instructs):
                        kind = "u" if role == "user" else "s"
                        if len(message) != 2 or (filled and kind == "u" and (not content or content.isspace())):
                            return at, at
                        if kind not in allowed:
                            return at, at
                        allowed = after[kind]
                        continue
                    if role != "assistant" or not message.keys() <= usual:
                        return at, at
                    entries, thinking = message.get("tool_calls"), message.get("thinking")
                    kind = "c" if entries else "a"
                    if (not entries or visible) and (content.isspace() or not (content or entries)):
                        return at, at
                    if kind not in allowed:
                        return at, at
                    allowed = after[kind]
                    if thinking is not None and type(thinking) is not str:
                        return at, at
                    own.clear()
                    unsaid = False
                    if entries and type(entries) is not list:
                        return at, at
                    for entry in entries or ():
                        function = entry["function"]
                        name, call_id = function["name"], entry.get("id")
                        if type(function["arguments"]) is not dict or not entry.keys() <= _ENTRY:
                            return at, at
                        if name not in names:
                            if not fits(name):
                                return at, at
                            names.add(name)
                        if call_id is not None:
                            if type(call_id) is not str or not 0 < len(call_id) <= longest or call_id in own:
                                return at, at
                            if id_fits is not None and not id_fits(call_id):
                                return at, at
                            own.add(call_id)
                            if places.setdefault(call_id, at) != at:
                                places.again(call_id, at)
                                if once:
                                    return at, at
                        due.append((call_id, name))
                    due.reverse()
            except UNKNOWN:
                return (opened if due else at), at
            if due:
                if unsaid or not places.lose(opened, len(messages), (), len(due)):
                    return opened, len(messages)
                allowed = after["t"]
            if "$" not in allowed:
                return at, len(messages)
            return len(messages), len(messages)

        return scan

    def _was_read(self, slot: str, value: Any) -> bool:
        if slot == "images":
            return isinstance(value, (list, str)) and bool(value)
        return isinstance(value, list) and bool(value) if slot in self.list_slots else value is not None

    def put_content(self, native: dict[str, Any], message: Message, held: Sequence[Part]) -> None:
        """Fill the content field; texts that were put together become one string, the only type it has."""
        if len(held) > 1 and message.form != "parts" and all(type(part) is Text for part in held):
            native["content"] = "\n\n".join(part.text for part in held if type(part) is Text)
        else:
            super().put_content(native, message, held)

    def with_call(self, part: Call, **changes: Any) -> Call:
        """Return the call with another id, name or arguments."""
        native: dict[str, Any] = dict(part.native)
        if "call_id" in changes:
            native["id"] = changes["call_id"]
        body = {key: changes[key] for key in ("name", "arguments") if key in changes}
        if body:
            native["function"] = {**native["function"], **body}
        return replace(part, native=native, **changes)

    def with_result(self, part: Result, **changes: Any) -> Result:
        """Return the result with another id, name or content; this wire has no error flag."""
        native: dict[str, Any] = dict(part.native)
        name = "name" if "name" in native and "tool_name" not in native else "tool_name"
        for key, field in (("call_id", "tool_call_id"), ("name", name), ("content", "content")):
            if key in changes:
                native[field] = changes[key]
        return replace(part, native=native, **changes)

    plain_stubs: ClassVar[bool] = True

    def asked(self, native: Any) -> Sequence[Asked]:
        """Return place, id and tool of each call."""
        return [(at, one.get("id"), one["function"]["name"]) for at, one in enumerate(native.get("tool_calls") or ())]

    def stub(self, call_id: Any, name: Any, text: str, *, is_error: bool) -> Any:  # noqa: ARG002  no such flag here
        """Return a `tool` message."""
        native: dict[str, Any] = {"role": "tool", "tool_name": name, "content": text}
        if call_id is not None:
            native["tool_call_id"] = call_id
        return native

    def new_result(self, call: Call, text: str, *, is_error: bool = True) -> Result:
        """Return a `tool` message."""
        native = self.stub(call.call_id, call.name, text, is_error=is_error)
        return Result(native=native, slot="self", call_id=call.call_id, name=call.name, content=text)

    def shaped_result(self, part: Result) -> Result | None:
        """Return the result with a string as its body: the words of a list of texts, else its JSON text."""
        content = part.content
        if content is None or isinstance(content, str):
            return None
        words = isinstance(content, list) and all(type(_block(one, 0)) is Text for one in content)
        return self.with_result(part, content=self.result_text(part) if words and content else as_json(content))

    def retyped(self, message: Message, part: Part) -> Part | None:  # noqa: ARG002
        """Take an image of another API's list of blocks as an entry of `images`, when it is given as base64."""
        native = part.native
        if type(part) is not Media or part.slot != "content" or not isinstance(native, dict):
            return None
        given = native.get("image_url")
        url = given.get("url") if isinstance(given, dict) else given
        if not isinstance(url, str) or not url.startswith("data:"):
            return None
        _, comma, data = url.partition(";base64,")
        return Media(native=data, slot="images", index=part.index, media="image") if comma else None

    def unfit(self, part: Part, context: Any) -> str | None:  # noqa: ARG002
        """Name what a list of blocks holds beside words, and `images` cannot hold."""
        if type(part) is Media and part.slot == "content":
            return f"{part.media} in the content, which is a string; `images` holds base64 only"
        return None

    def is_broken(self, part: Opaque) -> bool:
        """Content is a string, and a call has a `function`."""
        return part.slot in ("content", "tool_calls")


_PLAIN: Final = frozenset({"role", "content", "tool_calls"})
_USUAL: Final = _PLAIN | {"thinking"}
_RESULT: Final = frozenset({"role", "content", "tool_name", "tool_call_id"})
_ENTRY: Final = frozenset({"id", "type", "function"})


def _call(entry: Any, at: int) -> Part:
    function = entry.get("function") if isinstance(entry, dict) else None
    if not isinstance(function, dict):
        return Opaque(native=entry, slot="tool_calls", index=at)
    return Call(
        native=entry,
        slot="tool_calls",
        index=at,
        call_id=as_id(entry.get("id")),
        name=as_string(function.get("name")),
        arguments=function.get("arguments"),
    )


def _result(native: dict[str, Any]) -> Result:
    return Result(
        native=native,
        slot="self",
        index=0,
        call_id=as_id(native.get("tool_call_id")),
        name=as_string(native.get("tool_name", native.get("name"))),
        content=native.get("content"),
    )


def _block(block: Any, at: int) -> Part:
    """Read what other APIs put into a list; this one takes a string only."""
    kind = block.get("type") if isinstance(block, dict) else None
    if kind == "text" and isinstance(block.get("text"), str):
        return Text(native=block, text=block["text"], index=at)
    if kind == "image_url":
        return Media(native=block, media="image", index=at)
    if kind in ("thinking", "redacted_thinking"):
        said = block.get("thinking")
        return Reasoning(
            native=block,
            index=at,
            text=said if isinstance(said, str) else plain_text(said),
            signature=as_string(block.get("signature", block.get("data"))),
            redacted=kind == "redacted_thinking",
        )
    return Opaque(native=block, index=at, type=as_string(kind))
