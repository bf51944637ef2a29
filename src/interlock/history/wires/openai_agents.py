"""`openai_agents`: items of the OpenAI Agents SDK: `result.to_input_list()`, sessions, run items' raw forms.

Types: openai-agents 0.24.0, `TResponseInputItem`, `models/chatcmpl_converter.py` (read 2026-11).

One call and its answer::

    {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"}
    {"type": "function_call_output", "call_id": "call_1", "output": "done"}

The items are those of the Responses API, and the SDK turns them into chat messages
for other models. Output items may also be the client's own objects; one that has
to change becomes a dict, which the SDK takes just as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from interlock.history.turns import Message
from interlock.history.wires.base import Asked
from interlock.history.wires.objects import Fields, fields_of, source_of
from interlock.history.wires.openai_responses import OpenAIResponses

__all__ = ["OpenAIAgents"]


class OpenAIAgents(OpenAIResponses):
    """Items of the Agents SDK; see the module's text."""

    name: ClassVar[str] = "openai_agents"
    reads_objects: ClassVar[bool] = True
    plain_stubs: ClassVar[bool] = True

    def read_message(self, native: Any, at: int) -> Message:
        """Return the view of one item."""
        return super().read_message(_opened(native), at)

    def opened(self, item: Any) -> Any:
        """Return an object as its fields, and them as they are where they are plain."""
        if isinstance(item, dict):
            return item
        held = item.__dict__
        if type(held) is not dict:
            raise TypeError("a class is no item")
        fields = {key: value for key, value in held.items() if value is not None}
        return fields if type(fields.get("content", "")) is str else _opened(item)

    def asked(self, native: Any) -> Sequence[Asked]:
        """Return place, id and tool of a call."""
        return super().asked(self.opened(native))

    def write(self, views: Sequence[Message], ahead: Any = None, behind: Any = None) -> tuple[list[Any], Sequence[int]]:
        """Return the items; an object that nothing changed is the same object."""
        natives, places = super().write(views, ahead, behind)
        return [source_of(native) for native in natives], places

    def assemble(self, message: Message) -> Any:
        """Return the item of a view whose parts have changed."""
        return source_of(super().assemble(message))


def _opened(native: Any) -> Any:
    """Return an object as its fields; what it does not say is `None` there and is left out."""
    fields = fields_of(native)
    if not isinstance(fields, Fields):
        return native
    out = Fields(
        [(key, value if type(value) is str else _plain(value)) for key, value in fields.items() if value is not None]
    )
    out.source = native
    return out


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    inner = fields_of(value)
    if inner is None:
        return value
    if isinstance(inner, Fields) or isinstance(value, Mapping):
        return {key: _plain(one) for key, one in inner.items() if one is not None or not isinstance(inner, Fields)}
    return value
