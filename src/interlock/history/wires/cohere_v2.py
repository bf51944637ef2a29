"""`cohere_v2`: the messages of Cohere's `/v2/chat`.

API: Cohere Chat v2; https://docs.cohere.com/v2/reference/chat and cohere-python 7.3.1 (read 2026-11).

One call and its answer::

    {"role": "assistant", "tool_plan": "I will add.",
     "tool_calls": [{"id": "add_1", "type": "function", "function": {"name": "add", "arguments": "{}"}}]}
    {"role": "tool", "tool_call_id": "add_1",
     "content": [{"type": "document", "document": {"id": "1", "data": {"sum": 61}}}]}

The model's words beside its calls stand in `tool_plan`; a result is a string or a
list of `text` and `document` blocks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Final

from interlock.history.arguments import is_object_text
from interlock.history.turns import Call, ContentForm, Message, Opaque, Part, Result, Role, Text
from interlock.history.wires.base import as_json, opaque_message
from interlock.history.wires.openai_chat import OpenAIChat
from interlock.history.wires.screened import Look, ScreenedWire

__all__ = ["CohereV2"]

_ROLES: Mapping[str, Role] = {"system": "system", "user": "user", "assistant": "assistant", "tool": "tool"}


class CohereV2(ScreenedWire, OpenAIChat):
    """Cohere's chat API; see the module's text."""

    name: ClassVar[str] = "cohere_v2"
    provider: ClassVar[str | None] = "cohere"
    roles: ClassVar[Mapping[str, Role]] = _ROLES
    refuses_empty_calls: ClassVar[bool] = False
    typed_calls: ClassVar[bool] = False
    single_slots: ClassVar[tuple[str, ...]] = ("tool_plan",)

    def read_message(self, native: Any, at: int) -> Message:
        """Return the view of one message; the plan is the model's words and stands ahead of the rest."""
        message = super().read_message(native, at)
        if message.role == "opaque":
            return message
        if native["role"] not in _ROLES:
            return opaque_message(native, at)
        plan = native.get("tool_plan")
        if message.role == "assistant":
            held = tuple(part for part in message.parts if part.slot in ("content", "tool_calls"))
            if plan is not None:
                text = plan if isinstance(plan, str) else ""
                ahead: Part = (
                    Text(native=plan, slot="tool_plan", text=text)
                    if isinstance(plan, str)
                    else Opaque(native=plan, slot="tool_plan")
                )
                held = (ahead, *held)
            message.parts = held  # nobody else has seen it yet
        return message

    def healthy(self, message: Any, look: Look) -> str:
        """Know words, calls with text for arguments, and a `tool` message right behind for each."""
        role, content, demands = message["role"], message.get("content"), look.demands
        if type(content) is list and not demands.lists:
            return ""
        if role == "tool":
            del look.waiting[message["tool_call_id"]]
            if len(message) != 3 or type(content) is str:
                return "t" if len(message) == 3 else ""
            kinds = ("text", "document") if demands.target == "cohere" else ("text",)
            return "t" if type(content) is list and all(block["type"] in kinds for block in content) else ""
        if look.waiting:
            return ""
        if role == "user" or role in demands.instructs:
            if len(message) != 2 or role == "developer":
                return ""
            if type(content) is not str:
                return role[0] if _words_only(content) else ""
            return "" if demands.filled and (not content or content.isspace()) and role == "user" else role[0]
        if role != "assistant" or not message.keys() <= _USUAL:
            return ""
        plan, calls = message.get("tool_plan"), message.get("tool_calls")
        if calls and type(calls) is not list:
            return ""
        for call in calls or ():
            function = call["function"]
            arguments = function["arguments"]
            if len(call) != 3 or "type" not in call or not look.call(call["id"], function["name"]):
                return ""
            if arguments != "{}" and not is_object_text(arguments):
                return ""
        if (calls and content) or (plan is not None and (type(plan) is not str or demands.bare)):
            return ""
        if content is None and not (demands.null if "content" in message else demands.null or demands.absent):
            return ""
        said = content or plan
        kind = "c" if calls else "a"
        if type(content) is list:
            return kind if _words_only(content) else ""
        if content is not None and type(content) is not str:
            return ""
        return kind if calls or (said and not said.isspace()) else ""

    def is_word(self, native: Any) -> bool:
        """Say whether a message is the user's and holds words only."""
        if not isinstance(native, dict) or native.get("role") != "user":
            return False
        content = native.get("content")
        return isinstance(content, str) or _words_only(content)

    def result_text(self, part: Result) -> str:
        """Return the words of a result: its string, its texts and the data of its documents."""
        if not isinstance(part.content, list):
            return super().result_text(part)
        return "\n".join(_words(block) for block in part.content)

    def divided(self, message: Message, context: Any) -> tuple[Message, ...] | None:
        """Take words beside calls as the plan that they are here."""
        parts = message.parts
        words = [part for part in parts if part.slot == "content" and type(part) is Text and part.text.strip()]
        if not words or not any(type(part) is Call for part in parts):
            return super().divided(message, context)
        plan = [part for part in parts if part.slot == "tool_plan"]
        if any(type(part) is not Text for part in plan):
            return None
        text = "\n\n".join(part.text for part in (*plan, *words) if type(part) is Text and part.text.strip())
        rest = [part for part in parts if part.slot != "tool_plan" and type(part) is not Text]
        form: ContentForm = "parts" if any(part.slot == "content" for part in rest) else "absent"
        held = (Text(native=text, slot="tool_plan", text=text), *rest)
        return (replace(message, parts=held, form=form, changed=True),)

    def is_broken(self, part: Opaque) -> bool:
        """A plan is a string."""
        return part.slot == "tool_plan" or super().is_broken(part)

    def media_in(self, part: Result) -> list[tuple[str, Any]]:
        """Return the media in a result; a document is what a tool gives back."""
        return [(media, native) for media, native in super().media_in(part) if native["type"] != "document"]

    def joined_results(self, first: Result, second: Result) -> Result:
        """Return one result with the blocks of both."""
        return self.with_result(first, content=[*_blocks(first.content), *_blocks(second.content)])


_USUAL: Final = frozenset({"role", "content", "tool_plan", "tool_calls", "citations"})


def _words_only(content: Any) -> bool:
    """Say whether content is a list of texts that are not blank."""
    if type(content) is not list or not content:
        return False
    for block in content:
        if type(block) is not dict or len(block) != 2 or block.get("type") != "text":
            return False
        text = block.get("text")
        if type(text) is not str or not text or text.isspace():
            return False
    return True


def _words(block: Any) -> str:
    if not isinstance(block, dict):
        return ""
    document = block.get("document")
    if isinstance(document, dict):
        data = document.get("data")
        return data if isinstance(data, str) else as_json(data)
    text = block.get("text")
    return text if isinstance(text, str) else ""


def _blocks(content: Any) -> list[Any]:
    if isinstance(content, list):
        return content
    return [{"type": "text", "text": content if isinstance(content, str) else as_json(content)}]
