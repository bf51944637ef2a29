r"""OpenRouter's Chat Completions stream: `openai_chat` with what the router adds.

The chunks, the identity of a call and its empty arguments are those of
`openai_chat`. OpenRouter adds, and this adapter reads:

- `native_finish_reason`, the word of the provider behind it: a word that speaks
  against completion wins over the router's `finish_reason`;
- an error in the middle of the stream: a normal chunk with an `error` beside
  `choices`, or in a choice, and the finish reason `error`;
- comments as keep-alive (`: OPENROUTER PROCESSING`), which the framing drops;
- a last chunk with the usage that repeats the finish reason, without content.

The `openai_chat` adapter reads all of this, since routers of this kind also
stand behind clients that only know that wire; the name `openrouter` is there
for those who know where their stream comes from.

Source:
    openrouter.ai/docs/api-reference/streaming and /errors-and-debugging (read
    2026-11-30).
"""

from __future__ import annotations

from typing import Any, Final

from interlock.stream.wires import openai_chat

__all__ = ["END_REASONS", "SOURCE_KEY", "Adapter", "recognises"]

SOURCE_KEY: Final = openai_chat.SOURCE_KEY
END_REASONS: Final = openai_chat.END_REASONS
Adapter = openai_chat.Adapter


def recognises(event: Any) -> int:  # noqa: ARG001
    """Rate nothing: such a stream is recognised as `openai_chat`, which is judged the same."""
    return 0
