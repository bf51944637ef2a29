"""`bedrock_converse`: the messages of Amazon Bedrock's Converse and ConverseStream.

API: Bedrock Runtime `Converse`, 2023-09-30, service model of botocore 1.44.8 (read 2026-11).

One call and its answer::

    {"role": "assistant", "content": [{"toolUse": {"toolUseId": "tooluse_1", "name": "f", "input": {}}}]}
    {"role": "user", "content": [{"toolResult": {"toolUseId": "tooluse_1", "content": [{"text": "done"}],
                                                 "status": "success"}}]}

A block is an object with one member, whose name says what it is. A `toolUse` of
type `server_tool_use` was run by the service; its `toolResult` stands in the same
assistant message. SDKs hold binary data as bytes: blocks need not be JSON.
"""

from __future__ import annotations

import base64
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
    opaque_message,
    read_content,
    role_in,
    with_ids_below,
)
from interlock.history.wires.chat_shape import OF_CHAT_RESULTS, as_blocks, chat_result, strays

__all__ = ["BedrockConverse"]

#: What answers, of Converse and of other APIs, carry beside the role and content of their message.
_OF_ANSWERS: Final = frozenset(
    {"id", "type", "model", "stopReason", "usage", "metrics", "trace", "additionalModelResponseFields"}
    | {"performanceConfig", "serviceTier", "stop_reason", "stop_sequence"}
)
_ROLES: Mapping[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
_MEDIA = {"image": "image", "document": "document", "video": "video", "audio": "audio", "searchResult": "document"}


class BedrockConverse(Wire):
    """The Converse API; see the module's text."""

    name: ClassVar[str] = "bedrock_converse"
    provider: ClassVar[str | None] = "bedrock"
    result_role: ClassVar[Role] = "user"
    roles: ClassVar[Mapping[str, Role]] = _ROLES
    turn: ClassVar[Literal["message", "run", "calls"]] = "run"

    def read_message(self, native: Any, at: int) -> Message:
        """Return the view of one message."""
        role = role_in(native, _ROLES)
        if role is None:
            return opaque_message(native, at)
        form, held = read_content(native, _block, role)
        return Message(role, tuple(held), native, (at,), form)

    def scanner(self, context: Any) -> Scan | None:
        """Know the healthy histories of agents: turns that alternate, calls, and one message that answers."""
        demands = demands_of(context)
        if demands is None:
            return None
        fits, id_fits, longest = demands.name_fits, demands.id_fits or str.__len__, demands.longest
        everywhere, after = demands.once, demands.after
        foreign = demands.target not in ("bedrock", "bedrock-anthropic")
        alone = context.profile.results_alone or foreign

        def scan(messages: Sequence[Any], start: int, places: Places) -> tuple[int, int]:
            names = places.names
            waiting: set[str] = set()
            at = opened = start
            role = before = ""
            try:
                for at, message in onward(messages, start):
                    before, role = role, message["role"]
                    content = message["content"]
                    if len(message) != 2 or not content:
                        return (opened if waiting else at), at
                    if role == before:
                        if not waiting:
                            return max(at - 1, start), at
                        if demands.runs or not places.lose(opened, at, waiting):
                            return opened, at
                        waiting = set()
                    if role == "user":
                        spoken = False
                        for block in content:
                            if len(block) != 1:
                                return (opened if waiting else at), at
                            if "text" in block:
                                text, spoken = block["text"], True
                                if type(text) is not str or not text or text.isspace():
                                    return (opened if waiting else at), at
                                continue
                            result = block["toolResult"]
                            waiting.remove(result["toolUseId"])
                            if spoken or not _plain_result(result):
                                return opened, at
                        if waiting:
                            if (foreign and spoken) or not places.lose(opened, at + 1, waiting):
                                return opened, at + 1
                            waiting = set()
                        if alone and spoken and len(content) > 1 and any("toolResult" in block for block in content):
                            return at, at
                    elif role == "assistant":
                        if not before and not at:
                            return at, at
                        opened = at
                        for block in content:
                            if len(block) != 1:
                                return at, at
                            if "text" in block:
                                text = block["text"]
                                if type(text) is not str or not text or text.isspace():
                                    return at, at
                                continue
                            call = block["toolUse"]
                            call_id, name = call["toolUseId"], call["name"]
                            if len(call) != 3 or type(call["input"]) is not dict or not id_fits(call_id):
                                return at, at
                            reused = places.setdefault(call_id, at) != at
                            if reused:
                                places.again(call_id, at)
                            if len(call_id) > longest or call_id in waiting or (everywhere and reused):
                                return at, at
                            if name not in names:
                                if not fits(name):
                                    return at, at
                                names.add(name)
                            waiting.add(call_id)
                    else:
                        return (opened if waiting else at), at
            except UNKNOWN:
                return (opened if waiting else at), at
            if waiting:
                if not places.lose(opened, len(messages), waiting):
                    return opened, len(messages)
                role = "user"
            if role == "assistant" and "$" not in after["a"]:
                return at, len(messages)
            return len(messages), len(messages)

        return scan

    def is_word(self, native: Any) -> bool:
        """Say whether a message is the user's and holds text only."""
        if not isinstance(native, dict) or native.get("role") != "user" or not isinstance(native.get("content"), list):
            return False
        return all(isinstance(block, dict) and block.keys() == {"text"} for block in native["content"])

    def with_call(self, part: Call, **changes: Any) -> Call:
        """Return the call with another id, name or input."""
        body: dict[str, Any] = dict(part.native["toolUse"])
        for key, field in (("call_id", "toolUseId"), ("name", "name"), ("arguments", "input")):
            if key in changes:
                body[field] = changes[key]
        return replace(part, native={**part.native, "toolUse": body}, **changes)

    def with_result(self, part: Result, **changes: Any) -> Result:
        """Return the result with another id, content or status; text becomes a block. Results carry no name."""
        body: dict[str, Any] = dict(part.native["toolResult"])
        changes.pop("name", None)
        if isinstance(changes.get("content"), str):
            changes["content"] = [{"text": changes["content"]}]
        if "call_id" in changes:
            body["toolUseId"] = changes["call_id"]
        if "content" in changes:
            body["content"] = changes["content"]
        if changes.get("is_error") is not None:
            body["status"] = "error" if changes["is_error"] else "success"
        return replace(part, native={**part.native, "toolResult": body}, **changes)

    def with_ids(self, native: Any, ids: Mapping[str, str], ahead: Any) -> Any:  # noqa: ARG002
        """Return a message with other ids for its calls and results."""
        return with_ids_below(native, "content", ("toolUse", "toolResult"), "toolUseId", ids)

    plain_stubs: ClassVar[bool] = True

    def asked(self, native: Any) -> Sequence[Asked]:
        """Return place, id and tool of each call."""
        return [
            (at, one["toolUse"]["toolUseId"], one["toolUse"]["name"])
            for at, one in enumerate(native["content"])
            if "toolUse" in one
        ]

    def stub(self, call_id: Any, name: Any, text: str, *, is_error: bool) -> Any:  # noqa: ARG002  results have no name
        """Return a `toolResult` block."""
        body: dict[str, Any] = {"toolUseId": call_id, "content": [{"text": text}]}
        if is_error:
            body["status"] = "error"
        return {"toolResult": body}

    def held(self, native: Any) -> tuple[list[Any], int]:
        """Return the blocks of a message, and how many results it begins with."""
        return native["content"], sum("toolResult" in block for block in native["content"])

    def new_result(self, call: Call, text: str, *, is_error: bool = True) -> Result:
        """Return a `toolResult` block with one text."""
        native = self.stub(call.call_id, call.name, text, is_error=is_error)
        content = native["toolResult"]["content"]
        return Result(native=native, call_id=call.call_id, name=None, content=content, is_error=is_error or None)

    def stray_fields(self, native: Any, part: Part | None) -> tuple[str, ...]:
        """A message has a role and content; what else an answer carries is refused by the service model."""
        found = super().stray_fields(native, part)
        if part is not None or not isinstance(native, dict):
            return found
        return tuple(dict.fromkeys((*found, *[key for key in native if key in _OF_ANSWERS], *strays(native))))

    def with_role(self, message: Message, role: Role) -> Message | None:
        """Return the message with another role; a `tool` message of Chat Completions as a `toolResult`."""
        result = chat_result(message.native) if role == "user" else None
        if result is None:
            return super().with_role(message, role)
        block = {"toolResult": {"toolUseId": result[0], "content": _result_blocks(result[1])}}
        native = {key: message.native[key] for key in message.native if key not in OF_CHAT_RESULTS}
        return self._reread({**native, "role": "user", "content": [block]}, message)

    def divided(self, message: Message, context: Any) -> tuple[Message, ...] | None:  # noqa: ARG002
        """Take the `tool_calls` of Chat Completions as blocks."""
        if message.role != "assistant":
            return None
        native = as_blocks(
            message.native,
            lambda text: {"text": text},
            lambda call_id, name, given: {"toolUse": {"toolUseId": call_id, "name": name, "input": given}},
        )
        return None if native is None else (self._reread(native, message),)

    def _reread(self, native: dict[str, Any], message: Message) -> Message:
        new = self.read_message(native, message.origins[0] if message.origins else 0)
        return replace(new, origins=message.origins, changed=True)

    def text_block(self, text: str, *, role: Role) -> Any:  # noqa: ARG002
        """Return a text block."""
        return {"text": text}

    def new_text(self, text: str, *, role: Role) -> Text:  # noqa: ARG002
        """Return a text block: content is never a plain string here."""
        return Text(native={"text": text}, text=text)

    def result_text(self, part: Result) -> str:
        """Return the words of a result's blocks; a `json` block counts by its JSON text."""
        if not isinstance(part.content, list):
            return part.content if isinstance(part.content, str) else ""
        return "\n".join(_words(block) for block in part.content)

    def joined_results(self, first: Result, second: Result) -> Result:
        """Return one result with the blocks of both."""
        return self.with_result(first, content=[*_result_blocks(first.content), *_result_blocks(second.content)])

    def media_in(self, part: Result) -> list[tuple[str, Any]]:
        """Return the images, documents and videos in a result."""
        blocks = part.content if isinstance(part.content, list) else []
        return [(_MEDIA[key], one) for one in blocks if isinstance(one, dict) for key in one if key in _MEDIA]

    def shaped_result(self, part: Result) -> Result | None:
        """Return the result as a list of blocks whose `json` members are objects."""
        blocks = _result_blocks(part.content)
        if isinstance(part.content, list) and all(new is old for new, old in zip(blocks, part.content, strict=True)):
            return None
        return self.with_result(part, content=blocks)

    def retyped(self, message: Message, part: Part) -> Part | None:  # noqa: ARG002
        """Take text under the names that other APIs use, and a plain string, as a text block."""
        native = part.native
        if isinstance(native, str):
            return Text(native={"text": native}, text=native, index=part.index)
        if type(part) is Opaque and part.type in ("text", "input_text", "output_text"):
            text = native.get("text")
            if isinstance(text, str):
                return Text(native={"text": text}, text=text, index=part.index)
        return None

    def is_broken(self, part: Opaque) -> bool:
        """A block is an object with one member, which has a value of its type."""
        if part.slot != "content" or not isinstance(part.native, dict):
            return part.slot == "content"
        return all(value is None for value in part.native.values()) or not _TYPED.isdisjoint(part.native)


#: Members of a block that hold an object, or a string; a block with one of them that could not be read has another
#: type there. `type` is other APIs' word.
_TYPED = frozenset({"text", "toolUse", "toolResult", "reasoningContent", "type"})


def _plain_result(result: dict[str, Any]) -> bool:
    """Say whether a result's body is a list of texts that are not blank, or of JSON objects."""
    if type(result["content"]) is not list or (result.get("status") == "error" and not result["content"]):
        return False
    for one in result["content"]:
        if len(one) != 1:
            return False
        if "text" in one:
            if type(one["text"]) is not str or not one["text"] or one["text"].isspace():
                return False
        elif type(one["json"]) is not dict:
            return False
    return not result.keys() - {"toolUseId", "content", "status"}


def _block(block: Any, at: int, role: Role) -> Part:
    if not isinstance(block, dict):
        return Opaque(native=block, index=at)
    if "type" in block:  # another API's block
        return Opaque(native=block, index=at, type=as_string(block["type"]))
    text = block.get("text")
    if isinstance(text, str) and len(block) == 1:
        return Text(native=block, text=text, index=at)
    use = block.get("toolUse")
    if isinstance(use, dict):
        return Call(
            native=block,
            index=at,
            call_id=as_id(use.get("toolUseId")),
            name=as_string(use.get("name")),
            arguments=use.get("input"),
            server=use.get("type") == "server_tool_use",
        )
    result = block.get("toolResult")
    if isinstance(result, dict):
        status = result.get("status")
        return Result(
            native=block,
            index=at,
            call_id=as_id(result.get("toolUseId")),
            name=None,
            content=result.get("content"),
            is_error=status == "error" if status in ("error", "success") else None,
            # The service's own results carry a type and stand in the assistant's message.
            server=role == "assistant" and "type" in result,
        )
    thinking = block.get("reasoningContent")
    if isinstance(thinking, dict):
        return _reasoning(block, thinking, at)
    for member, media in _MEDIA.items():
        if member in block:
            return Media(native=block, index=at, media=media)
    if isinstance(text, str):
        return Text(native=block, text=text, index=at)
    return Opaque(native=block, index=at, type=next((key for key in block if isinstance(key, str)), None))


def _reasoning(block: dict[str, Any], thinking: dict[str, Any], at: int) -> Reasoning:
    given = thinking.get("reasoningText")
    if isinstance(given, dict):
        return Reasoning(
            native=block,
            index=at,
            text=as_string(given.get("text")) or "",
            signature=as_string(given.get("signature")),
        )
    data = thinking.get("redactedContent")
    if isinstance(data, (bytes, bytearray)):
        data = base64.b64encode(data).decode("ascii")
    return Reasoning(native=block, index=at, text="", signature=as_string(data), redacted=True)


def _words(block: Any) -> str:
    if not isinstance(block, dict):
        return ""
    if "json" in block:
        return as_json(block["json"])
    text = block.get("text")
    return text if isinstance(text, str) else ""


def _result_blocks(content: Any) -> list[Any]:
    if content is None:
        return []
    if isinstance(content, str):
        return [{"text": content}]
    if not isinstance(content, list):
        return [{"json": content if isinstance(content, dict) else {"value": content}}]
    out: list[Any] = []
    for block in content:
        if isinstance(block, str):
            out.append({"text": block})
        elif isinstance(block, dict) and "json" in block and not isinstance(block["json"], dict):
            out.append({**block, "json": {"value": block["json"]}})
        elif isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str):
            out.append({"text": block["text"]})
        else:
            out.append(block)
    return out
