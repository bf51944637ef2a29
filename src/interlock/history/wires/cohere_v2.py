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

from interlock.history.demands import Demands
from interlock.history.turns import Call, ContentForm, Message, Opaque, Part, Result, Role, Text
from interlock.history.wires.base import as_json, opaque_message
from interlock.history.wires.openai_chat import OpenAIChat

__all__ = ["CohereV2"]

_ROLES: Mapping[str, Role] = {"system": "system", "user": "user", "assistant": "assistant", "tool": "tool"}


class CohereV2(OpenAIChat):
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

    def known_fields(self, demands: Demands) -> frozenset[str]:
        """Return the fields of the assistant's messages that the look knows."""
        return _PLAIN if demands.bare else _USUAL

    def shown_kinds(self, demands: Demands) -> tuple[str, ...]:
        """Return the types of the blocks that a result may be a list of: documents are the API's own way."""
        return ("text", "document") if demands.target == "cohere" else ("text",) if demands.lists else ()

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


_PLAIN: Final = frozenset({"role", "content", "tool_calls"})
_USUAL: Final = _PLAIN | {"tool_plan", "citations"}


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
