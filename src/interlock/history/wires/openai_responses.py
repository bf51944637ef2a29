"""`openai_responses`: the input items of the Responses API.

API: OpenAI Responses, `input`; https://platform.openai.com/docs/api-reference/responses and openai-python 3.57.0
(read 2026-11).

One call and its answer::

    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "..."}
    {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f", "arguments": "{}"}
    {"type": "function_call_output", "call_id": "call_1", "output": "done"}

A list of items, of which messages are only one kind: each item is a view of its
own, and all but messages are their own only part. Calls of the built-in tools that
a client runs (shell, patches, the computer, tool search) pair with output types of
their own; calls that OpenAI runs carry their result inside, or stand beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final, Literal

from interlock.history.arguments import is_object_text, value_at
from interlock.history.demands import demands_of
from interlock.history.naming import MINTED
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
    entries,
    opaque_message,
    plain_text,
    read_content,
)

__all__ = ["OpenAIResponses"]

_ROLES: Mapping[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "developer": "developer"}
_TEXTS: Final = ("input_text", "output_text", "text")
_MEDIA: Final = {
    "input_image": "image",
    "image_url": "image",
    "input_file": "file",
    "file": "file",
    "input_audio": "audio",
    "computer_screenshot": "image",
}
_FILE_KINDS: Final[Mapping[str, frozenset[str]]] = {
    "document": frozenset({"application/pdf", "pdf"}),
    "audio": frozenset({"mp3", "wav", "ogg", "flac", "m4a", "aac"}),
    "video": frozenset({"mp4", "mov", "webm", "mkv", "mpeg", "avi"}),
}
#: Call item -> (output item, the output's field for the body, its field for the call's id).
_PAIRS: Final[Mapping[str, tuple[str, str, str]]] = {
    "function_call": ("function_call_output", "output", "call_id"),
    "custom_tool_call": ("custom_tool_call_output", "output", "call_id"),
    "shell_call": ("shell_call_output", "output", "call_id"),
    "local_shell_call": ("local_shell_call_output", "output", "id"),
    "apply_patch_call": ("apply_patch_call_output", "output", "call_id"),
    "computer_call": ("computer_call_output", "output", "call_id"),
    "tool_search_call": ("tool_search_output", "tools", "call_id"),
    "program": ("program_output", "result", "call_id"),
}
_OUTPUTS: Final[Mapping[str, tuple[str, str]]] = {kind: (body, key) for kind, body, key in _PAIRS.values()}

_HOSTED: Final = frozenset(
    {"web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call"}
    | {"mcp_list_tools"}
)


class OpenAIResponses(Wire):
    """The Responses API; see the module's text."""

    name: ClassVar[str] = "openai_responses"
    provider: ClassVar[str | None] = "openai"
    body_key: ClassVar[str] = "input"
    results_share: ClassVar[bool] = False
    roles: ClassVar[Mapping[str, Role]] = _ROLES
    arguments: ClassVar[Literal["object", "text", "either"]] = "text"
    turn: ClassVar[Literal["message", "run", "calls"]] = "calls"
    server_tools: ClassVar[bool] = True
    typed_pairs: ClassVar[bool] = True

    # -- reading ---------------------------------------------------------------------------------

    def read_message(self, native: Any, at: int) -> Message:
        """Return the view of one item."""
        if not isinstance(native, dict):
            return opaque_message(native, at)
        kind = native.get("type")
        if kind is None or kind == "message":
            return self._message(native, at)
        if not isinstance(kind, str):
            return opaque_message(native, at)
        if kind in _PAIRS:
            return _item("assistant", _call(native, kind), native, at)
        if kind in _OUTPUTS:
            result = _result(native, kind)
            return _item("assistant" if result.server else "tool", result, native, at)
        if kind == "reasoning":
            return _item("assistant", _reasoning(native), native, at)
        if kind == "mcp_approval_request":
            # An id that no call has: the call behind the question is the server's.
            approval_id = as_string(native.get("id"))
            asked = Approval(native=native, slot="self", index=0, approval_id=approval_id, call_id=approval_id)
            return _item("assistant", asked, native, at)
        if kind == "mcp_approval_response":
            approval_id = as_string(native.get("approval_request_id"))
            answered = Approval(
                native=native,
                slot="self",
                index=0,
                approval_id=approval_id,
                call_id=approval_id,
                approved=native.get("approve") is True,
                reason=as_string(native.get("reason")),
            )
            return _item("user", answered, native, at)
        # References, what OpenAI ran itself, compactions, tools loaded on the way: all of it stands inside
        # the model's turn, and none of it needs an answer.
        return _item("assistant", Opaque(native=native, slot="self", index=0, type=kind), native, at)

    def _message(self, native: dict[str, Any], at: int) -> Message:
        word = native.get("role")
        if word == "tool" and "tool_call_id" in native:
            # Chat Completions' way to give a result: paired as one, and rewritten by `retyped`.
            return _item("tool", _chat_result(native), native, at)
        role = _ROLES.get(word) if isinstance(word, str) else None
        if role is None:
            if (
                word is None and native.keys() == {"id"} and isinstance(native["id"], str)
            ):  # an `item_reference` may leave its type out
                held = Opaque(native=native, slot="self", index=0, type="item_reference")
                return _item("assistant", held, native, at)
            return opaque_message(native, at)
        form, parts = read_content(native, _block)
        return Message(role, tuple(parts), native, (at,), form)

    def scanner(self, context: Any) -> Scan | None:
        """Know the healthy histories of agents: words, reasoning with what it led to, calls and their outputs."""
        demands = demands_of(context)
        if demands is None:
            return None
        longest, fits, id_fits = demands.longest, demands.name_fits, demands.id_fits or len
        id_any, id_words, id_nine = demands.id_fits is None, demands.id_words, demands.id_nine
        after, once = demands.after, demands.once
        behind_calls, behind_results = after["c"], after["t"]
        instructs, opened_item = demands.instructs, self.opened
        own = context.profile.items  # items have ids, and reasoning among them
        visible = not own
        adjacent = context.profile.results_adjacent
        keeps = context.options.get("store") is not False

        def scan(messages: Sequence[Any], start: int, places: Places) -> tuple[int, int]:
            names, first_place = places.names, places.setdefault
            waiting: set[str] = set()
            at = opened = start
            allowed = after["?" if start else "^"]
            thought = reasoned = False
            try:
                for at, item in onward(messages, start):
                    if type(item) is not dict:
                        item = opened_item(item)
                    kind = item.get("type")
                    if kind == "function_call_output":
                        waiting.remove(item["call_id"])
                        if thought or type(item["output"]) is not str or len(item) != 3:
                            return opened, at
                        allowed = behind_results
                        continue
                    if kind == "function_call":
                        if not waiting:
                            opened = at
                        elif adjacent and allowed is behind_results:
                            if not places.lose(opened, at, waiting):
                                return opened, at
                            waiting, opened = set(), at
                        call_id, name, arguments = item["call_id"], item["name"], item["arguments"]
                        if len(item) != 4:
                            if not item.keys() <= _USUAL:
                                return opened, at
                            if "id" in item:
                                if not (reasoned and keeps and _seen(item["id"], "fc_", at, places)):
                                    return opened, at
                            elif thought and keeps:
                                return opened, at
                        elif thought and keeps:
                            return opened, at
                        if type(call_id) is not str or not 0 < len(call_id) <= longest:
                            return opened, at
                        if id_words:
                            if not (call_id.isidentifier() and call_id.isascii()) and not id_fits(call_id):
                                return opened, at
                        elif id_nine:
                            if not (len(call_id) == MINTED and call_id.isalnum() and call_id.isascii()):
                                return opened, at
                        elif not (id_any or id_fits(call_id)):
                            return opened, at
                        if name not in names:
                            if not fits(name):
                                return opened, at
                            names.add(name)
                        if (arguments[0] != "{" or value_at(arguments, 0)[1] != len(arguments)) and not is_object_text(
                            arguments
                        ):
                            return opened, at
                        if first_place(call_id, at) != at:
                            places.again(call_id, at)
                            if once or call_id in waiting:
                                return opened, at
                        waiting.add(call_id)
                        if "c" not in allowed:
                            return opened, at
                        allowed = behind_calls
                        thought = False
                        continue
                    if waiting:
                        if not places.lose(opened, at, waiting):
                            return opened, at
                        waiting, allowed = set(), behind_results
                    if kind == "reasoning":
                        if thought:
                            return opened, at
                        opened = at
                        thought = reasoned = True
                        if not own or not item.keys() <= _THOUGHT or item.get("content"):
                            return at, at
                        if keeps:
                            if not _seen(item["id"], "rs_", at, places):
                                return at, at
                        elif "id" in item or not (item["encrypted_content"] and type(item["encrypted_content"]) is str):
                            return at, at
                        continue
                    if not thought:
                        opened = at
                    role, content = item["role"], item["content"]
                    if len(item) == 2 or (len(item) == 3 and kind == "message"):
                        if thought and keeps:
                            return opened, at  # the message behind reasoning needs its id
                    elif not item.keys() <= _USUAL or (kind is not None and kind != "message"):
                        return opened, at
                    elif "id" not in item:
                        if thought and keeps:
                            return opened, at
                    elif not keeps or not _seen(item["id"], "msg_", at, places):
                        return opened, at
                    if role == "assistant":
                        word, due = "a", "output_text"
                    elif thought or (role != "user" and role not in instructs):
                        return opened, at
                    else:
                        reasoned = False
                        word, due = "u" if role == "user" else "s", "input_text"
                    if type(content) is not str:
                        if not _words(content, due, visible):
                            return opened, at
                    elif visible and (not content or content.isspace()):
                        return opened, at
                    thought = False
                    if word not in allowed:
                        return opened, at
                    allowed = after[word]
            except UNKNOWN:
                return (opened if waiting or thought else at), at
            if thought:
                return opened, len(messages)
            if waiting:
                if not places.lose(opened, len(messages), waiting):
                    return opened, len(messages)
                allowed = behind_results
            if "$" not in allowed:
                return at, len(messages)
            return len(messages), len(messages)

        return scan

    def opened(self, item: Any) -> Any:
        """Return something that is no dict as the scan can look at it."""
        return item

    def is_word(self, native: Any) -> bool:
        """Say whether an item is a message of the user that holds text only, as a string or in blocks."""
        if not isinstance(native, dict) or native.get("role") != "user":
            return False
        try:
            return _words(native.get("content"), "input_text", visible=False)
        except (KeyError, TypeError, AttributeError):
            return False

    def leads(self, native: Any) -> bool:
        """Say whether an item is the assistant's."""
        return _field(native, "type") in ("function_call", "reasoning") or _field(native, "role") == "assistant"

    def cuts(self, history: Sequence[Any], at: int) -> bool:
        """Say whether there is no reasoning either from there back to the user's words: its turn may need it."""
        if not super().cuts(history, at):
            return False
        for place in range(at, max(at - _NEAR, -1), -1):
            if _field(history[place], "type") == "reasoning":
                return False
            if _field(history[place], "role") == "user":
                return True
        return at < _NEAR

    # -- fragments -------------------------------------------------------------------------------

    def with_call(self, part: Call, **changes: Any) -> Call:
        """Return the call with another id; name and arguments only where the item has them."""
        native: dict[str, Any] = dict(part.native)
        if "call_id" in changes:
            native["call_id"] = changes["call_id"]
        if "name" in changes and native.get("type") in ("function_call", "custom_tool_call"):
            native["name"] = changes["name"]
        if "arguments" in changes and native.get("type") == "function_call":
            native["arguments"] = changes["arguments"]
        return replace(part, native=native, **changes)

    def with_result(self, part: Result, **changes: Any) -> Result:
        """Return the output with another id or body; this wire has no error flag."""
        native: dict[str, Any] = dict(part.native)
        body, key = _OUTPUTS.get(native.get("type", ""), ("content", "tool_call_id"))
        key = "call_id" if "call_id" in native else key
        if "call_id" in changes:
            native[key] = changes["call_id"]
        if "name" in changes and "name" in native:
            native["name"] = changes["name"]
        if "content" in changes:
            native[body] = changes["content"]
        return replace(part, native=native, **changes)

    def with_ids(self, native: Any, ids: Mapping[str, str], ahead: Any) -> Any:
        """Return an item with another id for the call that it is, or that it answers."""
        if type(native) is not dict:
            return super().with_ids(native, ids, ahead)
        old = native.get("call_id")
        return native if old is None or (new := ids[old]) == old else {**native, "call_id": new}

    plain_stubs: ClassVar[bool] = True

    def asked(self, native: Any) -> Sequence[Asked]:
        """Return place, id and tool of a call."""
        return ((0, native["call_id"], native["name"]),) if native.get("type") == "function_call" else ()

    def stub(self, call_id: Any, name: Any, text: str, *, is_error: bool) -> Any:  # noqa: ARG002  neither is in it
        """Return the output item of a function's call."""
        return {"type": "function_call_output", "call_id": call_id, "output": text}

    def new_result(self, call: Call, text: str, *, is_error: bool = True) -> Result:
        """Return the output item of the call's own type, with this text in its body.

        A tool search that the client runs may be answered by a function's output (recorded), which
        holds words; the list of tools in its own output type would say that none was found.
        """
        kind = call.native.get("type") if isinstance(call.native, dict) else None
        content: Any = text
        native: dict[str, Any] = {"type": "function_call_output", "call_id": call.call_id}
        if kind == "custom_tool_call":
            native["type"] = "custom_tool_call_output"
        elif kind == "local_shell_call":
            native = {"type": "local_shell_call_output", "id": call.call_id}
        elif kind == "shell_call":
            native["type"] = "shell_call_output"
            outcome = {"type": "exit", "exit_code": 1 if is_error else 0}
            content = [{"stdout": "", "stderr": text, "outcome": outcome}]
        elif kind == "apply_patch_call":
            native |= {"type": "apply_patch_call_output", "status": "failed" if is_error else "completed"}
        native["output"] = content
        return Result(native=native, slot="self", call_id=call.call_id, name=None, content=content)

    def answerable(self, call: Call) -> bool:
        """A screenshot cannot be made up: a call of the computer is answered by nothing else."""
        return not (isinstance(call.native, dict) and call.native.get("type") == "computer_call")

    def refers(self, messages: Sequence[Message]) -> bool:
        """Say whether an item is named by its id alone: it may be the call that an output answers."""
        return any(
            type(part) is Opaque and part.type == "item_reference" for message in messages for part in message.parts
        )

    def is_served(self, part: Part) -> bool:
        """Say whether an item is a call that OpenAI ran, which carries its result."""
        return type(part) is Opaque and part.slot == "self" and part.type in _HOSTED

    def is_held(self, part: Part) -> bool:
        """Say whether an item is a reference, or a summary that only OpenAI can read."""
        return type(part) is Opaque and part.slot == "self" and part.type in ("item_reference", "compaction")

    def text_block(self, text: str, *, role: Role) -> Any:
        """Return a text block: what the model said is `output_text`, all else is `input_text`."""
        if role == "assistant":
            return {"type": "output_text", "text": text, "annotations": []}
        return {"type": "input_text", "text": text}

    def result_text(self, part: Result) -> str:
        """Return the words of an output; of a shell's output its streams."""
        content = part.content
        if isinstance(content, list):
            words: list[str] = []
            for block in content:
                if isinstance(block, dict):
                    words += [block[key] for key in ("text", "stdout", "stderr") if isinstance(block.get(key), str)]
            return "\n".join(word for word in words if word)
        return plain_text(content)

    def joined_results(self, first: Result, second: Result) -> Result:
        """Return one output with the bodies of both, where the type of the body allows for it."""
        a, b = first.content, second.content
        if isinstance(a, list) and isinstance(b, list):
            return self.with_result(first, content=[*a, *b])
        if isinstance(a, str) and isinstance(b, str):
            return self.with_result(first, content=f"{a}\n\n{b}")
        if isinstance(a, (str, list)) and isinstance(b, (str, list)):
            return self.with_result(first, content=[*_output_blocks(a), *_output_blocks(b)])
        return first

    def with_approval(self, part: Approval, call_id: str) -> Approval:  # noqa: ARG002
        """Return the approval as it is: it names the server's own call."""
        return part

    def media_in(self, part: Result) -> list[tuple[str, Any]]:
        """Return the images and files in an output that is a list of blocks."""
        blocks = part.content if isinstance(part.content, list) else []
        return [(_media(one), one) for one in blocks if _kind(one) in _MEDIA]

    # -- shapes ----------------------------------------------------------------------------------

    def shaped_result(self, part: Result) -> Result | None:
        """Return a function's output as a string or a list of blocks; the other types have bodies of their own."""
        if part.native.get("type") not in ("function_call_output", "custom_tool_call_output"):
            return None
        if isinstance(part.content, (str, list)):
            return None
        return self.with_result(part, content="" if part.content is None else as_json(part.content))

    def retyped(self, message: Message, part: Part) -> Part | None:
        """Give a text or an image the type that its role takes, and a chat result the type of an item."""
        native = part.native
        if not isinstance(native, dict):
            return None
        if type(part) is Result:
            if "type" in native or native.get("role") != "tool":
                return None
            body = native.get("content")
            content = body if isinstance(body, (str, list)) or body is None else as_json(body)
            item = {"type": "function_call_output", "call_id": part.call_id, "output": content}
            return replace(part, native=item, content=content)
        kind = native.get("type")
        if type(part) is Text:
            block = self.text_block(part.text, role=message.role)
            if kind == block["type"]:
                return None
            rest = {key: value for key, value in native.items() if key not in ("annotations", "logprobs")}
            return replace(part, native={**rest, **block})
        if kind == "image_url" and message.role != "assistant":
            given = native.get("image_url")
            image = dict(given) if isinstance(given, dict) else {"url": given}
            url = image.pop("url", None)
            if isinstance(url, str):
                return replace(part, native={"type": "input_image", "image_url": url, **image})
        return None

    def paired(self, call: Call, result: Result) -> Result | str | None:
        """Give the output of a function or a custom tool the other's type; other outputs have bodies of their own."""
        kind, have = call.native.get("type"), result.native.get("type")
        if kind not in _PAIRS or have is None or have == (want := _PAIRS[kind][0]):
            return None
        words = ("function_call_output", "custom_tool_call_output")
        if have in words and want in words:
            return replace(result, native={**result.native, "type": want})
        if kind == "tool_search_call" and have == "function_call_output":
            return None  # recorded as accepted
        return f"an item of the type {have!r} answers a {kind!r}, for which {want!r} is due"

    def divided(self, message: Message, context: Any) -> tuple[Message, ...] | None:  # noqa: ARG002
        """Take the `tool_calls` of a chat message, and Anthropic's blocks of calls and results, as items."""
        native = message.native
        if message.form == "parts" and any(_as_item(part, message.role) for part in message.parts):
            views = self._items(message)
            stays = any(view.form == "parts" for view in views)
            return views if stays or self.unread(message) is None else None
        if message.role != "assistant" or message.form == "item" or not isinstance(native, dict):
            return None
        calls = entries(native.get("tool_calls"))
        items = [_chat_call(entry) for entry in calls]
        rest = {key: value for key, value in native.items() if key != "tool_calls"}
        said = replace(message, native=rest, changed=True)
        silent = all(self.is_blank(part) for part in message.parts)
        if not items or None in items or (silent and self.unread(said) is not None):
            return None
        at = message.origins[0] if message.origins else 0
        made = [replace(self.read_message(item, at), origins=message.origins, changed=True) for item in items]
        return (*(() if silent else (said,)), *made)

    def _items(self, message: Message) -> tuple[Message, ...]:
        """Return a message whose blocks of calls and results are items, in order."""
        out: list[Message] = []
        for part in message.parts:
            item = _as_item(part, message.role)
            if item is not None:
                view = self.read_message(item, message.origins[0] if message.origins else 0)
                out.append(replace(view, origins=message.origins, changed=True))
            elif out and out[-1].role == message.role and out[-1].form == "parts":
                out[-1] = replace(out[-1], parts=(*out[-1].parts, part))
            else:
                # An id names one item: the first one keeps it.
                native = message.native if not out else {**message.native, "id": None}
                native = {key: value for key, value in native.items() if key != "id" or value is not None}
                out.append(replace(message, native=native, parts=(part,), changed=True))
        return tuple(out)

    def stray_fields(self, native: Any, part: Part | None) -> tuple[str, ...]:  # noqa: ARG002
        """Name the fields that only answers and their parsers carry: "Unknown parameter"."""
        if not isinstance(native, dict):
            return ()
        stray = _NOTES if "role" in native else _ANSWERED
        return tuple([key for key in native if isinstance(key, str) and (key[:1] == "_" or key in stray)])

    # -- messages --------------------------------------------------------------------------------

    def new_message(self, role: Role, parts: Iterable[Part]) -> Message:
        """Return a new item: a whole item when the part is one, else a message."""
        held = tuple(parts)
        if len(held) == 1 and held[0].slot == "self":
            return Message(role=role, parts=held, native=held[0].native, form="item", changed=True)
        return super().new_message(role, held)


_USUAL: Final = frozenset({"type", "role", "content", "id", "call_id", "name", "arguments", "status", "phase"})


_THOUGHT: Final = frozenset({"type", "id", "summary", "encrypted_content", "content", "status"})
_ANSWERED: Final = frozenset({"parsed", "parsed_arguments", "created_by"})
#: What a store notes of a message: "Unknown parameter: 'input[1].metadata'." microsoft/agent-framework#2203.
_NOTES: Final = _ANSWERED | {"metadata", "created_at", "createdAt", "updated_at", "updatedAt", "timestamp"}
_TEXT_KEYS: Final = frozenset({"type", "text", "annotations", "logprobs"})


def _words(content: Any, kind: str, visible: bool) -> bool:
    """Say whether content is a string, or blocks of text of the type that its role takes.

    Args:
        content: The content.
        kind: The type.
        visible: Texts may not be blank.
    """
    if type(content) is str:
        return not visible or (content != "" and not content.isspace())
    if type(content) is not list or not content:
        return False
    for block in content:
        text = block["text"]
        if block["type"] != kind or type(text) is not str or (visible and (not text or text.isspace())):
            return False
        if len(block) != 2 and not block.keys() <= _TEXT_KEYS:
            return False
    return True


_NEAR: Final = 50  # items; a longer turn is looked at as a whole


def _field(item: Any, name: str) -> Any:
    return item.get(name) if isinstance(item, dict) else getattr(item, name, None)


def _seen(own: Any, prefix: str, at: int, places: Places) -> bool:
    """Say whether an item id is of its kind and new, and remember it."""
    if type(own) is not str:
        return False
    if places.setdefault(own, at) != at:
        places.again(own, at)
        return False
    return own.startswith(prefix)


def _item(role: Role, part: Part, native: dict[str, Any], at: int) -> Message:
    return Message(role, (part,), native, (at,), "item")


def _call(native: dict[str, Any], kind: str) -> Call:
    server = kind == "program"
    if kind == "tool_search_call":
        server = native.get("execution") != "client"
    elif kind == "shell_call":
        where = native.get("environment")
        server = isinstance(where, dict) and where.get("type") not in ("local", None)
    named = kind in ("function_call", "custom_tool_call")
    return Call(
        native=native,
        slot="self",
        index=0,
        call_id=as_id(native.get("call_id")),
        name=as_string(native.get("name")) if named else kind.removesuffix("_call"),
        # Only a function's arguments are JSON text; the others' inputs have types of their own.
        arguments=native.get("arguments") if kind == "function_call" else "{}",
        server=server,
    )


def _result(native: dict[str, Any], kind: str) -> Result:
    body, key = _OUTPUTS[kind]
    key = "call_id" if "call_id" in native else key  # some clients name a local shell's call so
    server = kind == "program_output" or (kind == "tool_search_output" and native.get("execution") != "client")
    return Result(
        native=native,
        slot="self",
        index=0,
        call_id=as_id(native.get(key)),
        name=as_string(native.get("name")),
        content=native.get(body),
        server=server,
    )


def _chat_call(entry: Any) -> dict[str, Any] | None:
    function = entry.get("function") if isinstance(entry, dict) else None
    if not isinstance(function, dict):
        return None
    given = function.get("arguments")
    arguments = given if isinstance(given, str) else as_json({} if given is None else given)
    return {"type": "function_call", "call_id": entry.get("id"), "name": function.get("name"), "arguments": arguments}


def _as_item(part: Part, role: Role) -> dict[str, Any] | None:
    """Return a block of another format's calls or results as the item that it is here; `None` for any other part."""
    block = part.native
    if type(part) is not Opaque or not isinstance(block, dict):
        return None
    if part.type == "tool_use" and role == "assistant":
        given = block.get("input")
        arguments = given if isinstance(given, str) else as_json({} if given is None else given)
        return {
            "type": "function_call",
            "call_id": block.get("id"),
            "name": block.get("name"),
            "arguments": arguments,
        }
    if part.type == "tool_result" and role == "user":
        body = block.get("content")
        if isinstance(body, list):
            body = [
                {"type": "input_text", "text": one["text"]} if _kind(one) == "text" and "text" in one else one
                for one in body
            ]
        return {
            "type": "function_call_output",
            "call_id": block.get("tool_use_id"),
            "output": "" if body is None else body,
        }
    return None


def _chat_result(native: dict[str, Any]) -> Result:
    return Result(
        native=native,
        slot="self",
        index=0,
        call_id=as_id(native.get("tool_call_id")),
        name=as_string(native.get("name")),
        content=native.get("content"),
    )


def _reasoning(native: dict[str, Any]) -> Reasoning:
    text = plain_text(native.get("summary")) or plain_text(native.get("content"))
    return Reasoning(
        native=native, slot="self", index=0, text=text, signature=as_string(native.get("encrypted_content"))
    )


def _block(block: Any, at: int) -> Part:
    if not isinstance(block, dict):
        return Opaque(native=block, index=at)
    kind = block.get("type")
    if kind in _TEXTS and isinstance(block.get("text"), str):
        return Text(native=block, text=block["text"], index=at)
    if _kind(block) in _MEDIA:
        return Media(native=block, media=_media(block), index=at)
    return Opaque(native=block, index=at, type=as_string(kind))


def _media(block: Mapping[str, Any]) -> str:
    """Return the kind of a media block; a file is what its name or its data URL says."""
    media = _MEDIA[block["type"]]
    if media == "file":
        data, _, _ = (as_string(block.get("file_data")) or "").partition(";base64,")
        named = (as_string(block.get(key)) or "" for key in ("filename", "file_url"))
        for word in (data.removeprefix("data:"), *(name.rpartition(".")[2].lower() for name in named)):
            for kind, words in _FILE_KINDS.items():
                if word in words or word.startswith(f"{kind}/"):
                    return kind
    return media


def _kind(block: Any) -> str:
    kind = block.get("type") if isinstance(block, dict) else None
    return kind if isinstance(kind, str) else ""


def _output_blocks(content: str | list[Any]) -> list[Any]:
    return content if isinstance(content, list) else [{"type": "input_text", "text": content}]
