"""`ai_sdk`: `ModelMessage` of the Vercel AI SDK, v5 to v7.

Types: npm `ai`, `packages/provider-utils/src/types/*-model-message.ts` (read 2026-11, main at ed857f5).

One call and its answer::

    {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "f", "input": {}}]}
    {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c1", "toolName": "f",
                                  "output": {"type": "text", "value": "done"}}]}

A `tool-approval-request` in the assistant message asks a human; the answer is a
`tool-approval-response` in a `tool` message. `providerExecuted` marks a call that
the provider ran; its result stands in the assistant message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

from interlock.history.demands import demands_of
from interlock.history.spans import UNKNOWN, Places, Scan, onward
from interlock.history.turns import (
    Approval,
    Call,
    Media,
    Message,
    Opaque,
    Part,
    Reasoning,
    Result,
    Role,
    Text,
)
from interlock.history.wires.base import (
    Asked,
    Wire,
    as_id,
    as_json,
    as_string,
    opaque_message,
    plain_text,
    read_content,
    role_in,
    with_ids_in,
)
from interlock.history.wires.chat_shape import as_blocks

__all__ = ["AISDK", "media_kind", "reasoning_part"]

_ROLES: Mapping[str, Role] = {"system": "system", "user": "user", "assistant": "assistant", "tool": "tool"}


class AISDK(Wire):
    """`ModelMessage`; see the module's text."""

    name: ClassVar[str] = "ai_sdk"
    roles: ClassVar[Mapping[str, Role]] = _ROLES
    turn: ClassVar[Literal["message", "run", "calls"]] = "run"
    results_named: ClassVar[bool] = True
    refuses_null: ClassVar[tuple[Role, ...]] = ("system", "user", "tool")
    string_roles: ClassVar[tuple[Role, ...]] = ("system",)

    def read_message(self, native: Any, at: int) -> Message:
        """Return the view of one model message."""
        role = role_in(native, _ROLES)
        if role is None:
            return opaque_message(native, at)
        form, held = read_content(native, _block, role)
        if role == "assistant":
            own = {part.call_id for part in held if type(part) is Call and not part.server and part.call_id}
            # A result of the provider's answers a call of the provider's.
            held = [
                replace(part, server=False) if type(part) is Result and part.call_id in own else part for part in held
            ]
        return Message(role, tuple(held), native, (at,), form)

    def scanner(self, context: Any) -> Scan | None:
        """Know the healthy histories of agents: text, client calls, and a `tool` message right behind."""
        demands = demands_of(context)
        if demands is None:
            return None
        longest, fits, id_fits = demands.longest, demands.name_fits, demands.id_fits
        after, once = demands.after, demands.once
        filled, visible, instructs = demands.filled, demands.visible, "system" in demands.instructs
        runs, step = demands.runs, demands.results_next

        def scan(messages: Sequence[Any], start: int, places: Places) -> tuple[int, int]:
            names = places.names
            waiting: dict[str, str] = {}
            at = opened = start
            allowed = after["?" if start else "^"]
            try:
                for at, message in onward(messages, start):
                    role, content = message["role"], message["content"]
                    if len(message) != 2:
                        return (opened if waiting else at), at
                    if role == "tool":
                        for part in content:
                            if part["type"] != "tool-result" or waiting.pop(part["toolCallId"]) != part["toolName"]:
                                return opened, at
                            output = part["output"]
                            if len(part) != 4 or type(output["type"]) is not str:
                                return opened, at
                            if visible and output["type"] != "text" and output["type"] != "json":
                                return opened, at
                        if not content:
                            return opened, at
                        if waiting:
                            if not places.lose(opened, at + 1, waiting):
                                return opened, at + 1
                            waiting = {}
                        allowed = after["t"]
                        continue
                    if not waiting:
                        opened = at
                    elif role != "assistant" or not runs:
                        if not places.lose(opened, at, waiting):
                            return opened, at
                        waiting, allowed, opened = {}, after["t"], at
                    if role == "assistant":
                        kind = "a"
                    elif role == "user" or (role == "system" and instructs):
                        kind = "u" if role == "user" else "s"
                    else:
                        return opened, at
                    if type(content) is str:
                        if (not content or content.isspace()) and (kind == "a" or (filled and kind == "u")):
                            return opened, at
                    elif type(content) is not list or kind == "s":
                        return opened, at
                    else:
                        blank = True
                        for part in content:
                            word = part["type"]
                            if word == "text":
                                text = part["text"]
                                if len(part) != 2 or type(text) is not str:
                                    return opened, at
                                empty = not text or text.isspace()
                                if visible and empty:
                                    return opened, at
                                blank = blank and empty
                            elif word == "tool-call" and role == "assistant":
                                call_id, name = part["toolCallId"], part["toolName"]
                                if type(part["input"]) is not dict or len(part) != 4 or call_id in waiting:
                                    return opened, at
                                if type(call_id) is not str or not 0 < len(call_id) <= longest:
                                    return opened, at
                                if id_fits is not None and not id_fits(call_id):
                                    return opened, at
                                if name not in names:
                                    if not fits(name):
                                        return opened, at
                                    names.add(name)
                                waiting[call_id] = name
                                if places.setdefault(call_id, at) != at:
                                    places.again(call_id, at)
                                    if once:
                                        return opened, at
                                blank = False
                                kind = "c"
                            else:
                                return opened, at
                        if blank and (filled or kind == "a"):
                            return opened, at
                    if step and kind == "a" and waiting:
                        if not places.lose(opened, at, waiting):
                            return opened, at
                        waiting, allowed, opened = {}, after["t"], at
                    if kind not in allowed:
                        return opened, at
                    allowed = after[kind]
            except UNKNOWN:
                return (opened if waiting else at), at
            if waiting:
                if not places.lose(opened, len(messages), waiting):
                    return opened, len(messages)
                allowed = after["t"]
            if "$" not in allowed:
                return at, len(messages)
            return len(messages), len(messages)

        return scan

    def is_word(self, native: Any) -> bool:
        """Say whether a message is the user's and holds text only."""
        if not isinstance(native, dict) or native.get("role") != "user":
            return False
        content = native.get("content")
        if isinstance(content, list):
            return all(isinstance(part, dict) and part.get("type") == "text" for part in content)
        return isinstance(content, str)

    def with_call(self, part: Call, **changes: Any) -> Call:
        """Return the call with another id, name or input."""
        native: dict[str, Any] = dict(part.native)
        arguments = "args" if "args" in native and "input" not in native else "input"
        for key, field in (("call_id", "toolCallId"), ("name", "toolName"), ("arguments", arguments)):
            if key in changes:
                native[field] = changes[key]
        return replace(part, native=native, **changes)

    def with_result(self, part: Result, **changes: Any) -> Result:
        """Return the result with another id, name or output."""
        native: dict[str, Any] = dict(part.native)
        for key, field in (("call_id", "toolCallId"), ("name", "toolName"), ("content", "output")):
            if key in changes:
                native[field] = changes[key]
        return replace(part, native=native, **changes)

    def with_ids(self, native: Any, ids: Mapping[str, str], ahead: Any) -> Any:  # noqa: ARG002
        """Return a message with other ids for its calls and results."""
        return native if type(native["content"]) is str else with_ids_in(native, "content", "toolCallId", ids)

    plain_stubs: ClassVar[bool] = True

    def asked(self, native: Any) -> Sequence[Asked]:
        """Return place, id and tool of each call."""
        content = native["content"]
        if type(content) is str:
            return ()
        return [
            (at, one["toolCallId"], one["toolName"]) for at, one in enumerate(content) if one["type"] == "tool-call"
        ]

    def stub(self, call_id: Any, name: Any, text: str, *, is_error: bool) -> Any:
        """Return a `tool-result` part."""
        output = {"type": "error-text" if is_error else "text", "value": text}
        return {"type": "tool-result", "toolCallId": call_id, "toolName": name, "output": output}

    def held(self, native: Any) -> tuple[list[Any], int]:
        """Return the parts of a `tool` message: all are results."""
        return native["content"], len(native["content"])

    def new_result(self, call: Call, text: str, *, is_error: bool = True) -> Result:
        """Return a `tool-result` part with a text, or an error text, as output."""
        native = self.stub(call.call_id, call.name, text, is_error=is_error)
        content = native["output"]
        return Result(native=native, call_id=call.call_id, name=call.name, content=content, is_error=is_error)

    def denied_result(self, call: Call, reason: str | None) -> Result:
        """Return the SDK's own answer for a call that a human refused."""
        output: dict[str, Any] = {"type": "execution-denied"}
        if reason is not None:
            output["reason"] = reason
        native = {"type": "tool-result", "toolCallId": call.call_id, "toolName": call.name, "output": output}
        return Result(native=native, call_id=call.call_id, name=call.name, content=output, is_error=True)

    def result_text(self, part: Result) -> str:
        """Return the words of an output."""
        output = part.content
        if isinstance(output, dict):
            return plain_text(output.get("value"))
        return plain_text(output)

    def joined_results(self, first: Result, second: Result) -> Result:
        """Return one `content` output that shows both outputs in order."""
        value = [*_as_content(first), *_as_content(second)]
        return self.with_result(first, content={"type": "content", "value": value})

    def shaped_result(self, part: Result) -> Result | None:
        """Wrap a bare output as `{type, value}`, and move version 4's `result` to `output`."""
        output = part.content
        if isinstance(output, dict) and isinstance(output.get("type"), str) and "output" in part.native:
            return None
        if (
            isinstance(output, dict)
            and isinstance(output.get("type"), str)
            and ("value" in output or "reason" in output)
        ):
            shaped = output
        else:
            shaped = {"type": "text" if isinstance(output, str) else "json", "value": output}
        native = {key: value for key, value in part.native.items() if key not in ("result", "isError")}
        if part.native.get("isError") is True and shaped is not output:
            shaped["type"] = "error-text" if isinstance(output, str) else "error-json"
        native["output"] = shaped
        return replace(part, native=native, content=shaped)

    def retyped(self, message: Message, part: Part) -> Part | None:
        """Take version 4's fields, an image of the assistant's as a file, and words in a tool message as a result."""
        native = part.native
        if type(part) is Text and message.role == "tool":
            output = {"type": "text", "value": part.text}
            call_id, name = (as_string(message.native.get(key)) for key in ("tool_call_id", "name"))
            block = {"type": "tool-result", "toolCallId": call_id, "toolName": name, "output": output}
            return Result(native=block, index=part.index, call_id=call_id, name=name, content=output)
        if not isinstance(native, dict):
            return None
        if type(part) is Call and "args" in native and "input" not in native:
            return replace(part, native={("input" if key == "args" else key): native[key] for key in native})
        if type(part) is Media and as_string(native.get("mimeType")) and "mediaType" not in native:
            block = {("mediaType" if key == "mimeType" else key): native[key] for key in native}
            return replace(part, native=_file(block) if message.role == "assistant" else block)
        if type(part) is Media and message.role == "assistant" and native.get("type") == "image":
            return replace(part, native=_file(native))
        return None

    def divided(self, message: Message, context: Any) -> tuple[Message, ...] | None:  # noqa: ARG002
        """Take the `tool_calls` of Chat Completions as parts."""
        if message.role != "assistant":
            return None
        native = as_blocks(
            message.native,
            lambda text: {"type": "text", "text": text},
            lambda call_id, name, given: {
                "type": "tool-call",
                "toolCallId": call_id,
                "toolName": name,
                "input": given,
            },
        )
        if native is None:
            return None
        new = self.read_message(native, message.origins[0] if message.origins else 0)
        return (replace(new, origins=message.origins, changed=True),)

    def stray_fields(self, native: Any, part: Part | None) -> tuple[str, ...]:
        """Optional fields that are null are refused by the SDK's own types."""
        found = super().stray_fields(native, part)
        if part is None or not isinstance(native, dict):
            return found
        optional = ("providerExecuted", "providerOptions", "providerMetadata", "dynamic", "title", "reason")
        return (*found, *[key for key in optional if key in native and native[key] is None])

    def new_message(self, role: Role, parts: Any) -> Message:
        """Return a new message; only a system message's content is a string by type."""
        message = super().new_message(role, parts)
        return replace(message, form="string" if role == "system" else "parts")


def _as_content(part: Result) -> list[Any]:

    output = part.content
    if isinstance(output, dict):
        value = output.get("value")
        if output.get("type") == "content" and isinstance(value, list):
            return value
        return [{"type": "text", "text": value if isinstance(value, str) else as_json(value)}]
    return [{"type": "text", "text": output if isinstance(output, str) else as_json(output)}]


def _block(block: Any, at: int, role: Role) -> Part:
    if not isinstance(block, dict):
        return Opaque(native=block, index=at)
    kind = block.get("type")
    if kind == "text" and isinstance(block.get("text"), str):
        return Text(native=block, text=block["text"], index=at)
    if kind == "tool-call":
        return Call(
            native=block,
            index=at,
            call_id=as_id(block.get("toolCallId")),
            name=as_string(block.get("toolName")),
            arguments=block.get("input", block.get("args")),
            server=block.get("providerExecuted") is True,
        )
    if kind == "tool-result":
        output = block.get("output", block.get("result"))
        word = output.get("type") if isinstance(output, dict) else None
        return Result(
            native=block,
            index=at,
            call_id=as_id(block.get("toolCallId")),
            name=as_string(block.get("toolName")),
            content=output,
            is_error=word in ("error-text", "error-json", "execution-denied"),
            # In an assistant message a result is one that the provider produced, unless a client's call asked for it.
            server=role == "assistant",
        )
    if kind == "reasoning":
        return reasoning_part(block, at)
    if kind in ("tool-approval-request", "tool-approval-response"):
        answer = kind == "tool-approval-response"
        return Approval(
            native=block,
            index=at,
            approval_id=as_string(block.get("approvalId")),
            call_id=as_id(block.get("toolCallId")),
            approved=block.get("approved") is True if answer else None,
            reason=as_string(block.get("reason")),
        )
    if kind == "image":
        return Media(native=block, media="image", index=at)
    if kind == "file":
        return Media(native=block, media=media_kind(block.get("mediaType", block.get("mimeType"))), index=at)
    return Opaque(native=block, index=at, type=as_string(kind))


def _file(native: Mapping[str, Any]) -> dict[str, Any]:
    """Return an image as a file, which the assistant's messages take; the media type is the SDK's own for images."""
    if native.get("type") != "image":
        return dict(native)
    block = {("data" if key == "image" else key): native[key] for key in native}
    return {**block, "type": "file", "mediaType": native.get("mediaType", "image/*")}


def media_kind(media_type: Any) -> str:
    """Return the kind of media that a MIME type stands for."""
    if not isinstance(media_type, str):
        return "file"
    top = media_type.partition("/")[0]
    if top in ("image", "audio", "video"):
        return top
    return "document" if media_type == "application/pdf" or top == "text" else "file"


def reasoning_part(block: dict[str, Any], at: int) -> Reasoning:
    """Return the view of a `reasoning` part; the provider's proof is in its options."""
    signature: str | None = None
    origin: str | None = None
    redacted = False
    # Earlier releases kept the provider's data under `providerMetadata`.
    for key in ("providerOptions", "providerMetadata", "provider_metadata"):
        options = block.get(key)
        if not isinstance(options, Mapping):
            continue
        for provider, held in options.items():
            if not isinstance(held, Mapping):
                continue
            origin = origin or as_string(provider)
            for field in ("signature", "thoughtSignature", "reasoningEncryptedContent"):
                signature = signature or as_string(held.get(field))
            data = as_string(held.get("redactedData"))
            if data:
                signature, redacted = signature or data, True
    return Reasoning(
        native=block,
        index=at,
        text=as_string(block.get("text")) or "",
        signature=signature,
        redacted=redacted,
        origin=origin,
    )
