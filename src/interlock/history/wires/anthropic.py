"""`anthropic`: the messages of the Messages API, also through Bedrock invoke and Vertex.

API: Anthropic Messages, version 2023-06-01; https://docs.anthropic.com/en/api/messages (read 2026-11).

One call and its answer::

    {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}]}
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "done"}]}

The server joins neighbouring messages of one role, so a turn is a run of messages.
`server_tool_use` and `mcp_tool_use` are run by the provider; their results
(`..._tool_result`) stand in the same assistant turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final, Literal

from interlock.history.demands import demands_of, thinking_of
from interlock.history.spans import UNKNOWN, Places, Scan, onward
from interlock.history.turns import Call, Media, Message, Opaque, Part, Reasoning, Result, Role, Text
from interlock.history.wires.base import Asked, Wire, as_id, as_string, opaque_message, read_content, role_in
from interlock.history.wires.chat_shape import OF_CHAT_RESULTS, as_blocks, chat_result, strays

__all__ = ["Anthropic"]

_ROLES: Mapping[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
_MEDIA = {"image": "image", "document": "document", "search_result": "document", "container_upload": "file"}


#: Type of block -> where it has the id of a call that the client runs.
_ID_KEYS: Final = {"tool_use": "id", "tool_result": "tool_use_id"}


class Anthropic(Wire):
    """The Messages API; see the module's text."""

    name: ClassVar[str] = "anthropic"
    provider: ClassVar[str | None] = "anthropic"
    result_role: ClassVar[Role] = "user"
    roles: ClassVar[Mapping[str, Role]] = _ROLES
    turn: ClassVar[Literal["message", "run", "calls"]] = "run"
    server_tools: ClassVar[bool] = True

    def read_message(self, native: Any, at: int) -> Message:
        """Return the view of one message."""
        role = role_in(native, _ROLES)
        if role is None:
            return opaque_message(native, at)
        form, held = read_content(native, _block)
        return Message(role, tuple(held), native, (at,), form)

    def scanner(self, context: Any) -> Scan | None:
        """Know the healthy histories of agents: text, signed thinking, calls, and their results up front."""
        demands = demands_of(context)
        if demands is None:
            return None
        fits, id_fits, longest = demands.name_fits, demands.id_fits or str.__len__, demands.longest
        after, once = demands.after, demands.once
        runs, reasons = demands.runs, demands.reasons
        own = context.profile.name == "anthropic"  # it takes its own thinking, and words behind results
        switch = thinking_of(context.options)

        def scan(messages: Sequence[Any], start: int, places: Places) -> tuple[int, int]:
            names = places.names
            waiting: set[str] = set()
            at = opened = start
            kind, allowed = "", after["?" if start else "^"]
            ours = False  # the message ahead is the assistant's
            led = True  # the assistant's turn begins with thinking
            try:
                for at, message in onward(messages, start):
                    role, content = message["role"], message["content"]
                    if len(message) != 2 or not content:
                        return (opened if waiting else at), at
                    if role == "user":
                        kind = "u"
                        if type(content) is str:
                            if waiting:
                                if not places.lose(opened, at, waiting):
                                    return opened, at
                                waiting, allowed = set(), after["t"]
                            if content.isspace():
                                return at, at
                        elif type(content) is not list:
                            return (opened if waiting else at), at
                        else:
                            kind = _answers(content, waiting, reasons)
                            if not kind or (kind == "tu" and not own):
                                return opened, at
                            if waiting:
                                if not places.lose(opened, at + 1, waiting):
                                    return opened, at + 1
                                waiting = set()
                                allowed = after["t"] if kind == "u" else allowed
                        ours = False
                    elif role == "assistant":
                        if not ours:
                            led = False
                        kind = "a"
                        if waiting and not runs:
                            if not places.lose(opened, at, waiting):
                                return opened, at
                            waiting, allowed, ours = set(), after["t"], False
                        thinking = not waiting  # nothing but thinking so far
                        if thinking:
                            opened = at
                        if type(content) is str:
                            if content.isspace():
                                return opened, at
                        elif type(content) is not list:
                            return opened, at
                        else:
                            word = ""
                            for block in content:
                                word = block["type"]
                                if word == "tool_use":
                                    call_id, name = block["id"], block["name"]
                                    if places.setdefault(call_id, at) != at:
                                        places.again(call_id, at)
                                        if once:
                                            return opened, at
                                    if call_id in waiting or len(call_id) > longest:
                                        return opened, at
                                    if type(block["input"]) is not dict or not id_fits(call_id):
                                        return opened, at
                                    if name not in names:
                                        if not fits(name):
                                            return opened, at
                                        names.add(name)
                                    waiting.add(call_id)
                                    thinking = False
                                    kind = "c"
                                elif word == "text":
                                    text = block["text"]
                                    thinking = False
                                    if type(text) is not str or not text or text.isspace():
                                        return opened, at
                                elif word == "thinking":
                                    if not thinking or not block["signature"] or type(block["signature"]) is not str:
                                        return opened, at
                                    if len(block) != 3 or "thinking" not in block or not own or switch == "disabled":
                                        return opened, at
                                    led = led or not ours
                                    continue
                                else:
                                    return opened, at
                                if len(block) > 2 and not _usual(block):
                                    return opened, at
                            if word == "thinking":
                                return opened, at
                        ours = True
                    else:
                        return (opened if waiting else at), at
                    if kind[0] not in allowed:
                        return (opened if waiting else at), at
                    allowed = after[kind[-1]]
            except UNKNOWN:
                return (opened if waiting else at), at
            if waiting:
                if not places.lose(opened, len(messages), waiting):
                    return opened, len(messages)
                kind, allowed = "t", after["t"]
            if "$" not in allowed:
                return at, len(messages)
            if switch == "enabled" and kind == "t" and not led:
                return opened, len(messages)
            return len(messages), len(messages)

        return scan

    def is_word(self, native: Any) -> bool:
        """Say whether a message is the user's and holds text only."""
        if not isinstance(native, dict) or native.get("role") != "user":
            return False
        content = native.get("content")
        if isinstance(content, list):
            return all(isinstance(block, dict) and block.get("type") == "text" for block in content)
        return isinstance(content, str)

    def with_call(self, part: Call, **changes: Any) -> Call:
        """Return the call with another id, name or input."""
        native: dict[str, Any] = dict(part.native)
        for key, field in (("call_id", "id"), ("name", "name"), ("arguments", "input")):
            if key in changes:
                native[field] = changes[key]
        return replace(part, native=native, **changes)

    def with_result(self, part: Result, **changes: Any) -> Result:
        """Return the result with another id, content or error flag; results carry no name here."""
        native: dict[str, Any] = dict(part.native)
        for key, field in (("call_id", "tool_use_id"), ("content", "content"), ("is_error", "is_error")):
            if key in changes:
                native[field] = changes[key]
        changes.pop("name", None)
        return replace(part, native=native, **changes)

    def served_call(self, call: Call) -> Call | None:
        """A `srvtoolu_` id is a server's, whatever the type says."""
        if call.native.get("type") != "tool_use" or not (call.call_id or "").startswith("srvtoolu_"):
            return None
        return replace(call, native={**call.native, "type": "server_tool_use"}, server=True)

    def fits(self, call: Call, result: Result) -> bool:
        """A result's type names its tool."""
        if call.native.get("type") == "mcp_tool_use":
            return bool(result.native.get("type") == "mcp_tool_result")
        due = _RESULTS.get(call.name or "")
        return due is None or result.native.get("type") == due

    def with_ids(self, native: Any, ids: Mapping[str, str], ahead: Any) -> Any:  # noqa: ARG002
        """Return a message with other ids for its calls and results."""
        content = native["content"]
        if type(content) is str:
            return native
        changed: list[Any] | None = None
        for at, block in enumerate(content):
            key = _ID_KEYS.get(block["type"])
            if key is None or (new := ids[block[key]]) == block[key]:
                continue
            changed = changed or [*content]
            changed[at] = {**block, key: new}
        return native if changed is None else {**native, "content": changed}

    plain_stubs: ClassVar[bool] = True

    def asked(self, native: Any) -> Sequence[Asked]:
        """Return place, id and tool of each call."""
        content = native["content"]
        if type(content) is str:
            return ()
        return [(at, one["id"], one["name"]) for at, one in enumerate(content) if one["type"] == "tool_use"]

    def stub(self, call_id: Any, name: Any, text: str, *, is_error: bool) -> Any:  # noqa: ARG002  results have no name
        """Return a `tool_result` block."""
        native: dict[str, Any] = {"type": "tool_result", "tool_use_id": call_id, "content": text}
        if is_error:
            native["is_error"] = True
        return native

    def held(self, native: Any) -> tuple[list[Any], int]:
        """Return the blocks of a message, and how many results it begins with."""
        content = native["content"]
        if type(content) is str:
            return [{"type": "text", "text": content}], 0
        return content, sum(block["type"] == "tool_result" for block in content)

    def new_result(self, call: Call, text: str, *, is_error: bool = True) -> Result:
        """Return a `tool_result` block."""
        native = self.stub(call.call_id, call.name, text, is_error=is_error)
        return Result(native=native, call_id=call.call_id, name=None, content=text, is_error=is_error or None)

    def retyped(self, message: Message, part: Part) -> Part | None:  # noqa: ARG002
        """Take text under the names that other APIs use."""
        native = part.native
        if type(part) is Opaque and part.type in ("input_text", "output_text") and isinstance(native.get("text"), str):
            return Text(native={"type": "text", "text": native["text"]}, text=native["text"], index=part.index)
        return None

    def is_broken(self, part: Opaque) -> bool:
        """A block is an object that says its type, and a text has words."""
        return part.slot == "content" and part.type in (None, "text")

    def stray_fields(self, native: Any, part: Part | None) -> tuple[str, ...]:
        """Keys that only stream events and responses carry: "Extra inputs are not permitted"."""
        found = super().stray_fields(native, part)
        if not isinstance(native, dict):
            return found
        if part is None:
            return tuple(dict.fromkeys((*found, *[key for key in native if key in _OF_RESPONSES], *strays(native))))
        none = ("caller",) if "caller" in native and native["caller"] is None else ()
        return (*found, *[key for key in ("index", "partial_json") if key in native], *none)

    def with_role(self, message: Message, role: Role) -> Message | None:
        """Return the message with another role; a `tool` message of Chat Completions as a `tool_result`."""
        result = chat_result(message.native) if role == "user" else None
        if result is None:
            return super().with_role(message, role)
        block = {"type": "tool_result", "tool_use_id": result[0], "content": result[1]}
        native = {key: message.native[key] for key in message.native if key not in OF_CHAT_RESULTS}
        return self._reread({**native, "role": "user", "content": [block]}, message)

    def divided(self, message: Message, context: Any) -> tuple[Message, ...] | None:  # noqa: ARG002
        """Take the `tool_calls` of Chat Completions as blocks."""
        if message.role != "assistant":
            return None
        native = as_blocks(
            message.native,
            lambda text: {"type": "text", "text": text},
            lambda call_id, name, given: {"type": "tool_use", "id": call_id, "name": name, "input": given},
        )
        return None if native is None else (self._reread(native, message),)

    def _reread(self, native: dict[str, Any], message: Message) -> Message:
        new = self.read_message(native, message.origins[0] if message.origins else 0)
        return replace(new, origins=message.origins, changed=True)

    def joined_results(self, first: Result, second: Result) -> Result:
        """Return one result whose content is the list of both bodies' blocks."""
        blocks: list[Any] = []
        for content in (first.content, second.content):
            if isinstance(content, str):
                blocks += [{"type": "text", "text": content}] if content.strip() else []
            elif isinstance(content, list):
                blocks += content
        return self.with_result(first, content=blocks)


#: The type of the result of each tool that Anthropic runs.
_RESULTS: Final[Mapping[str, str]] = {
    **{
        name: f"{name}_tool_result"
        for name in ("web_search", "web_fetch", "code_execution", "bash_code_execution", "text_editor_code_execution")
    },
    "tool_search_tool_bm25": "tool_search_tool_result",
    "tool_search_tool_regex": "tool_search_tool_result",
    "advisor": "advisor_tool_result",
}
#: What a response holds beside the role and content of its message.
_OF_RESPONSES: Final = frozenset(
    {"id", "type", "model", "stop_reason", "stop_sequence", "stop_details", "usage", "container"}
    | {"context_management", "diagnostics"}
)
_USUAL: Final = frozenset(
    {"type", "text", "id", "name", "input", "tool_use_id", "content", "is_error"} | {"citations", "caller"}
)


def _answers(content: list[Any], waiting: set[str], reasons: bool) -> str:
    """Return what a message of the user's holds: results (`t`), words (`u`), or both; empty where it is anything else.

    Args:
        content: The blocks.
        waiting: The ids of the calls that have no result yet; those with one here are taken out.
        reasons: A failed result may not be empty.

    Raises:
        KeyError, TypeError: A shape that is not known.
    """
    kind = ""
    for block in content:
        word = block["type"]
        if word == "tool_result":
            waiting.remove(block["tool_use_id"])
            if kind > "t" or not _plain_result(block) or (reasons and not block.get("content")):
                return ""
            kind = "t"
        elif word == "text":
            text = block["text"]
            if type(text) is not str or not text or text.isspace():
                return ""
            kind = "tu" if kind[:1] == "t" else "u"
        else:
            return ""
        if len(block) > 2 and not _usual(block):
            return ""
    return kind


def _usual(block: dict[str, Any]) -> bool:
    return block.keys() <= _USUAL and block.get("caller", block) is not None


def _plain_result(block: dict[str, Any]) -> bool:
    """Say whether a result's body is text, or a list of texts that are not blank."""
    content = block.get("content", "")
    if type(content) is str:
        return True
    if type(content) is not list:
        return False
    return all(len(one) == 2 and one["type"] == "text" and _is_text(one["text"]) for one in content)


def _is_text(text: Any) -> bool:
    return type(text) is str and bool(text) and not text.isspace()


def _block(block: Any, at: int) -> Part:
    if not isinstance(block, dict):
        return Opaque(native=block, index=at)
    kind = block.get("type")
    if kind == "text":
        text = block.get("text")
        if isinstance(text, str):
            return Text(native=block, text=text, index=at)
    elif kind == "tool_use":
        return _call(block, at, server=False)
    elif kind == "tool_result":
        return _result(block, at, server=False)
    elif kind == "thinking":
        return Reasoning(
            native=block,
            index=at,
            text=as_string(block.get("thinking")) or "",
            signature=as_string(block.get("signature")),
        )
    elif kind == "redacted_thinking":
        return Reasoning(native=block, index=at, text="", signature=as_string(block.get("data")), redacted=True)
    elif kind in ("server_tool_use", "mcp_tool_use"):
        return _call(block, at, server=True)
    elif isinstance(kind, str):
        if kind in _MEDIA:
            return Media(native=block, media=_MEDIA[kind], index=at)
        if kind.endswith("_tool_result"):
            return _result(block, at, server=True)
    return Opaque(native=block, index=at, type=as_string(kind))


def _call(block: dict[str, Any], at: int, *, server: bool) -> Call:
    return Call(
        native=block,
        index=at,
        call_id=as_id(block.get("id")),
        name=as_string(block.get("name")),
        arguments=block.get("input"),
        server=server,
    )


def _result(block: dict[str, Any], at: int, *, server: bool) -> Result:
    error = block.get("is_error")
    return Result(
        native=block,
        index=at,
        call_id=as_id(block.get("tool_use_id")),
        name=None,
        content=block.get("content"),
        is_error=error if isinstance(error, bool) else None,
        server=server,
    )
