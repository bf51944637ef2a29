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

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice, repeat
from typing import Any, ClassVar

from interlock.history.spans import Scan
from interlock.history.turns import Message
from interlock.history.wires.objects import Fields, fields_of, source_of
from interlock.history.wires.openai_responses import OpenAIResponses

__all__ = ["OpenAIAgents"]


class OpenAIAgents(OpenAIResponses):
    """Items of the Agents SDK; see the module's text."""

    name: ClassVar[str] = "openai_agents"

    def read_message(self, native: Any, at: int) -> Message:
        """Return the view of one item."""
        return super().read_message(_opened(native), at)

    def scanner(self, context: Any) -> Scan | None:
        """Return the walk over items, that sees an object as its fields."""
        scan = super().scanner(context)
        if scan is None:
            return None

        def over(messages: Sequence[Any], start: int, places: dict[str, int]) -> int:
            return scan(_Items(messages, start), start, places)

        return over

    def write(self, views: Sequence[Message]) -> tuple[list[Any], Sequence[int]]:
        """Return the items; an object that nothing changed is the same object."""
        natives, places = super().write(views)
        return [source_of(native) for native in natives], places

    def assemble(self, message: Message) -> Any:
        """Return the item of a view whose parts have changed."""
        return source_of(super().assemble(message))


class _Items(Sequence[Any]):
    """Items of which objects are opened one by one; those ahead of `start` are passed over."""

    def __init__(self, messages: Sequence[Any], start: int) -> None:
        self._messages, self._start = messages, start

    def __len__(self) -> int:
        return len(self._messages)

    def __getitem__(self, at: Any) -> Any:
        return _opened(self._messages[at])

    def __iter__(self) -> Iterator[Any]:
        rest = islice(self._messages, self._start, None)
        return chain(repeat(None, self._start), (one if type(one) is dict else _opened(one) for one in rest))


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
