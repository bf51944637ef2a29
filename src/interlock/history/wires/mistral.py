"""`mistral`: the messages of Mistral's own chat API, whose content may be a list of chunks.

API: Mistral `/v1/chat/completions`; https://docs.mistral.ai/api and mistral-common 1.13.1 (read 2026-11).

One call and its answer::

    {"role": "assistant", "content": [{"type": "thinking", "thinking": [{"type": "text", "text": "..."}]}],
     "tool_calls": [{"id": "D681PevKs", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}
    {"role": "tool", "tool_call_id": "D681PevKs", "name": "f", "content": "done"}

The envelope is that of Chat Completions. What differs: an empty `tool_calls` and
`prefix` are part of every stored answer, arguments may be an object, reasoning is
a `thinking` chunk, and results may repeat the tool's name.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from interlock.history.wires.openai_chat import OpenAIChat

__all__ = ["Mistral"]


class Mistral(OpenAIChat):
    """Mistral's chat API; see the module's text."""

    name: ClassVar[str] = "mistral"
    provider: ClassVar[str | None] = "mistral"
    arguments: ClassVar[Literal["object", "text", "either"]] = "either"
    refuses_empty_calls: ClassVar[bool] = False
    typed_calls: ClassVar[bool] = False

    def stub(self, call_id: Any, name: Any, text: str, *, is_error: bool) -> Any:
        """Return a `tool` message that repeats the tool's name, which older versions insist on."""
        made = super().stub(call_id, name, text, is_error=is_error)
        return made if name is None else {**made, "name": name}
