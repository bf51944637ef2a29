"""What the decision has to know about each wire, written out by hand."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from interlock import Guard
from interlock.errors import InvalidOptionError
from interlock.stream.wires import WIRES, Traits, adapter_class

# wire -> framing, each call has an end, what ends all, no text means {}, the wire repeats the text
TRAITS: dict[str, tuple[Any, ...]] = {
    "ag_ui": ("sse", True, "turn", False, True),
    "ai_python": ("none", True, "turn", False, True),
    "ai_sdk": ("sse", True, "stream", False, False),
    "ai_sdk_ui": ("sse", True, "stream", False, False),
    "anthropic": ("sse", True, "turn", True, False),
    "bedrock_converse": ("aws_event_stream", True, "turn", False, False),
    "claude_agent": ("ndjson", True, "stream", True, False),
    "cohere_v2": ("sse", True, "turn", False, False),
    "gemini": ("sse_or_json", True, "source", False, False),
    "langchain": ("none", False, "source", False, False),
    "mistral": ("sse", False, "source", False, False),
    "normalized": ("ndjson", False, "turn", False, True),
    "ollama": ("ndjson", True, "turn", False, False),
    "openai_agents": ("none", True, "turn", False, True),
    "openai_chat": ("sse", False, "source", False, False),
    "openai_realtime": ("none", True, "turn", False, True),
    "openai_responses": ("sse", True, "turn", False, True),
    "openrouter": ("sse", False, "source", False, False),
    "pydantic_ai": ("none", True, "turn", False, True),
}


@pytest.mark.parametrize("wire", WIRES)
def test_the_traits_of_a_wire(wire: str) -> None:
    """A change here changes what counts as proof."""
    names = ("framing", "calls_end", "ends", "empty_is_object", "repeats_text")
    alternative = {"gemini": "candidate-", **dict.fromkeys(("mistral", "openai_chat", "openrouter"), "choice-")}
    expected = Traits(
        **dict(zip(names, TRAITS[wire], strict=True)),
        takes_lists=wire == "langchain",
        alternative=alternative.get(wire, ""),
    )
    assert adapter_class(wire).traits == expected
    assert import_module(WIRES[wire]).SOURCE_KEY


@pytest.mark.parametrize("wire", WIRES)
def test_a_wire_takes_bytes_if_it_has_a_byte_form(wire: str) -> None:
    """The others say so."""
    guard = Guard(wire)
    if TRAITS[wire][0] == "none":
        with pytest.raises(InvalidOptionError, match=f"wire '{wire}' has no byte form; push its events"):
            guard.push_bytes(b"")
    else:
        guard.push_bytes(b"")
        assert guard.finish().decisions == ()
