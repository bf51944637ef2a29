"""The wires: one file each, loaded when its wire is used.

A wire's file holds `END_REASONS` (each documented word and its class; a word
that is not there is `unknown`, never complete), `SOURCE_KEY` (a sentence on
what identifies a call) and `Adapter`. A newcomer adds a wire by adding a file,
a line in `WIRES`, and recordings.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, Final, Literal, Protocol, cast

from interlock.errors import UnknownWireError
from interlock.stream.events import Sink
from interlock.vocabulary import SourceEnd

__all__ = ["WIRES", "Adapter", "Traits", "adapter_class"]

Framing = Literal["sse", "ndjson", "aws_event_stream", "sse_or_json", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What the decision has to know about a wire.

    Attributes:
        framing: How events are framed in raw bytes; `none`: there is no byte form.
        calls_end: Each call has an end event of its own; without it a call is not whole.
        ends: What shows that nothing more will come: `turn`, a turn's own end event is enough; `stream`, an
            event that ends the whole stream is needed as well; `source`, no event ends the stream, so the
            source must have ended cleanly (or sent its end marker).
        empty_is_object: A call that ended properly without any argument text means `{}`.
        repeats_text: The wire states the whole argument text again, so the deltas are kept to compare.
        takes_lists: An event may be a list or a tuple.
        alternative: How the last part of a turn's key begins when turns are alternatives of one response (choices,
            candidates), of which the caller can follow one; empty: turns follow each other.
    """

    framing: Framing = "sse"
    calls_end: bool
    ends: Literal["turn", "stream", "source"]
    empty_is_object: bool = False
    repeats_text: bool = False
    takes_lists: bool = False
    alternative: str = ""


class Adapter(Protocol):
    """Translates one wire's events for a `Sink`."""

    traits: ClassVar[Traits]

    def __init__(self, sink: Sink) -> None: ...

    def push(self, event: Any) -> None:
        """Translate one event: a dict, or the SDK's own object."""

    def source_ended(self, end: SourceEnd) -> None:
        """Tell what the wire concludes from the end of its source, before the guard notes it."""


# wire -> the module that holds its adapter
WIRES: Final[dict[str, str]] = {
    "ag_ui": "interlock.stream.wires.ag_ui",
    "ai_python": "interlock.stream.wires.ai_python",
    "ai_sdk": "interlock.stream.wires.ai_sdk",
    "ai_sdk_ui": "interlock.stream.wires.ai_sdk_ui",
    "anthropic": "interlock.stream.wires.anthropic",
    "bedrock_converse": "interlock.stream.wires.bedrock_converse",
    "claude_agent": "interlock.stream.wires.claude_agent",
    "cohere_v2": "interlock.stream.wires.cohere_v2",
    "gemini": "interlock.stream.wires.gemini",
    "langchain": "interlock.stream.wires.langchain",
    "mistral": "interlock.stream.wires.mistral",
    "normalized": "interlock.stream.wires.normalized",
    "ollama": "interlock.stream.wires.ollama",
    "openai_agents": "interlock.stream.wires.openai_agents",
    "openai_chat": "interlock.stream.wires.openai_chat",
    "openai_realtime": "interlock.stream.wires.openai_realtime",
    "openai_responses": "interlock.stream.wires.openai_responses",
    "openrouter": "interlock.stream.wires.openrouter",
    "pydantic_ai": "interlock.stream.wires.pydantic_ai",
}


def adapter_class(wire: str) -> type[Adapter]:
    """Return the adapter of a wire.

    Raises:
        UnknownWireError: no wire of that name; the message lists those that there are.
    """
    module = WIRES.get(wire)
    if module is None:
        known = sorted(WIRES)
        raise UnknownWireError(f"no wire is called {wire!r}; the wires are {', '.join(known)}", wire=wire, known=known)
    return cast("type[Adapter]", import_module(module).Adapter)
