"""The recordings of agent frameworks: the events as JSON, and as the frameworks' own objects."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from support.judging import events_of

RECORDINGS = Path(__file__).resolve().parents[1] / "recordings"
WIRES = ("ag_ui", "ai_python", "ai_sdk_ui", "claude_agent", "langchain", "openai_agents", "pydantic_ai")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One recorded stream and what is to be said of it."""

    wire: str
    name: str
    events: list[Any]
    end: Any
    calls: list[dict[str, Any]]

    def __str__(self) -> str:
        return f"{self.wire}/{self.name}"


def recordings() -> Iterator[Recording]:
    """Yield every recording of every framework."""
    for wire in WIRES:
        folder = RECORDINGS / wire
        for name, told in json.loads((folder / "all.expected.json").read_text()).items():
            events = events_of(folder / f"{name}.jsonl")
            yield Recording(wire=wire, name=name, events=events, end=told["end"], calls=told["calls"])


ALL = tuple(recordings())
each_recording = pytest.mark.parametrize("recording", ALL, ids=str)


# The event that must be there before a call may execute, read off each framework's documentation.
TERMINALS: dict[str, Callable[[Any], bool]] = {
    "ag_ui": lambda event: event["type"] == "RUN_FINISHED",
    "ai_python": lambda event: event["kind"] == "stream_end",
    "ai_sdk_ui": lambda event: event != "[DONE]" and event["type"] == "finish",
    "claude_agent": lambda event: event["type"] == "result",
    "langchain": lambda event: bool(
        {"finish_reason", "stop_reason", "status"} & set(event.get("response_metadata", {}))
    ),
    "openai_agents": lambda event: event.get("data", {}).get("type") == "response.completed",
    "pydantic_ai": lambda event: event.get("kind") == "response",
}


def _langchain() -> Callable[[Any], Any]:
    messages = pytest.importorskip("langchain_core.messages")

    def build(event: Any) -> Any:
        known = {"AIMessageChunk": messages.AIMessageChunk, "ai": messages.AIMessage, "tool": messages.ToolMessage}
        if event["type"] == "AIMessageChunk":  # it derives these from the chunks
            event = {key: value for key, value in event.items() if key not in ("tool_calls", "invalid_tool_calls")}
        return known[event["type"]](**{"content": "", **event})

    return build


def _pydantic_ai() -> Callable[[Any], Any]:
    pydantic = pytest.importorskip("pydantic")
    messages = pytest.importorskip("pydantic_ai.messages")
    events = pydantic.TypeAdapter(messages.AgentStreamEvent)
    response = pydantic.TypeAdapter(messages.ModelResponse)

    def build(event: Any) -> Any:
        if "event_kind" not in event:
            return response.validate_python(event)
        if event["event_kind"] == "final_result":
            event = {"tool_name": None, "tool_call_id": None, **event}
        return events.validate_python(event)

    return build


def _openai_agents() -> Callable[[Any], Any]:
    pydantic = pytest.importorskip("pydantic")
    agents = pytest.importorskip("agents")
    from openai.types.responses import ResponseFunctionToolCall, ResponseStreamEvent

    raw_events = pydantic.TypeAdapter(ResponseStreamEvent)
    agent = agents.Agent(name="a")

    def build(event: Any) -> Any:
        if event["type"] == "raw_response_event":
            data = event["data"]
            try:
                built = raw_events.validate_python(data)
            except pydantic.ValidationError:  # the SDK builds some events without checking them
                built = type("Event", (SimpleNamespace,), {})(**data)
            return agents.RawResponsesStreamEvent(data=built)
        if event["type"] == "agent_updated_stream_event":
            return agents.AgentUpdatedStreamEvent(new_agent=agent)
        raw = event["item"]["raw_item"]
        if event["name"] == "tool_output":
            item = agents.ToolCallOutputItem(agent=agent, raw_item=raw, output=raw.get("output"))
        elif event["name"] == "tool_called":
            item = agents.ToolCallItem(agent=agent, raw_item=ResponseFunctionToolCall.model_construct(**raw))
        else:
            return SimpleNamespace(type=event["type"], name=event["name"], item=SimpleNamespace(**event["item"]))
        return agents.RunItemStreamEvent(name=event["name"], item=item)

    return build


def _ag_ui() -> Callable[[Any], Any]:
    pydantic = pytest.importorskip("pydantic")
    core = pytest.importorskip("ag_ui.core")
    return pydantic.TypeAdapter(core.Event).validate_python


def _ai_sdk_ui() -> Callable[[Any], Any]:
    types = pytest.importorskip("pydantic_ai.ui.vercel_ai.response_types")
    classes = {
        kind.model_fields["type"].default: kind
        for kind in vars(types).values()
        if isinstance(kind, type) and issubclass(kind, types.BaseChunk) and "type" in kind.model_fields
    }

    def build(event: Any) -> Any:
        return event if isinstance(event, str) else classes[event["type"]].model_validate(event)

    return build


def _claude_agent() -> Callable[[Any], Any]:
    parser = pytest.importorskip("claude_agent_sdk._internal.message_parser")

    def build(event: Any) -> Any:
        return parser.parse_message({"uuid": "u", "session_id": "s", **event})

    return build


def _ai_python() -> Callable[[Any], Any]:
    pydantic = pytest.importorskip("pydantic")
    events = pytest.importorskip("ai.types.events")  # needs Python 3.12
    return pydantic.TypeAdapter(events.AgentEvent).validate_python


BUILDERS: dict[str, Callable[[], Callable[[Any], Any]]] = {
    "ag_ui": cache(_ag_ui),
    "ai_python": cache(_ai_python),
    "ai_sdk_ui": cache(_ai_sdk_ui),
    "claude_agent": cache(_claude_agent),
    "langchain": cache(_langchain),
    "openai_agents": cache(_openai_agents),
    "pydantic_ai": cache(_pydantic_ai),
}
