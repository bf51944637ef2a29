"""The words that streams, decisions and histories share. It holds no function.

Where a word has a meaning on several wires, the meaning is the one of the
glossary in the documentation.
"""

from __future__ import annotations

from typing import Final, Literal, get_args

__all__ = [
    "ACTIONS",
    "END_REASONS",
    "HISTORY_WIRES",
    "REASONS",
    "REPAIR_ACTIONS",
    "SOURCE_ENDS",
    "STREAM_WIRES",
    "Action",
    "EndReason",
    "FinishReason",
    "HistoryWire",
    "Outcome",
    "Reason",
    "RepairAction",
    "SourceEnd",
    "StreamWire",
]

Action = Literal["execute", "retry", "reject"]
ACTIONS: Final[tuple[Action, ...]] = get_args(Action)

Reason = Literal[
    "complete",
    "truncated",
    "stream_incomplete",
    "schema_invalid",
    "malformed",
    "protocol_violation",
    "projection_only",
    "resource_limit",
    "provider_error",
    "content_filtered",
    "sdk_execution_observed",
    "server_executed",
    "unknown_tool",
    "unknown",
]
REASONS: Final[tuple[Reason, ...]] = get_args(Reason)

# Why a stream, or the part of it that a call belongs to, stopped. Only `complete` can confirm.
EndReason = Literal[
    "complete",  # the provider says that generation ended on its own terms
    "length",  # an output or context limit cut it
    "content_filtered",  # a filter, refusal or guardrail ended it
    "provider_error",  # the provider says that it failed
    "network_error",  # the transport broke, or fell silent
    "cancelled",  # somebody stopped it
    "paused",  # the turn is not over: it must be handed back to the server to go on
    "unknown",  # no terminal event, or a word that no table lists
]
END_REASONS: Final[tuple[EndReason, ...]] = get_args(EndReason)

# How the source of a stream stopped, as the reader of the source saw it.
SourceEnd = Literal["eof", "error", "timeout", "cancelled", "still_open"]
SOURCE_ENDS: Final[tuple[SourceEnd, ...]] = get_args(SourceEnd)

# What a document's end is told to the JSON parser with.
FinishReason = Literal["complete", "length", "network_error", "provider_error", "cancelled", "unknown"]
Outcome = Literal["valid", "truncated", "salvaged", "invalid"]

StreamWire = Literal[
    "ag_ui",
    "ai_python",
    "ai_sdk",
    "ai_sdk_ui",
    "anthropic",
    "bedrock_converse",
    "claude_agent",
    "cohere_v2",
    "gemini",
    "langchain",
    "mistral",
    "normalized",
    "ollama",
    "openai_agents",
    "openai_chat",
    "openai_realtime",
    "openai_responses",
    "openrouter",
    "pydantic_ai",
]
STREAM_WIRES: Final[tuple[StreamWire, ...]] = get_args(StreamWire)

HistoryWire = Literal[
    "ai_python",
    "ai_sdk",
    "ai_sdk_ui",
    "anthropic",
    "bedrock_converse",
    "cohere_v2",
    "gemini",
    "langchain",
    "mistral",
    "ollama",
    "openai_agents",
    "openai_chat",
    "openai_responses",
    "pydantic_ai",
]
HISTORY_WIRES: Final[tuple[HistoryWire, ...]] = get_args(HistoryWire)

RepairAction = Literal[
    "dropped-message",
    "dropped-part",
    "inserted-message",
    "inserted-part",
    "replaced-part",
    "reordered-parts",
    "renamed",
    "coerced-input",
    "merged-messages",
]
REPAIR_ACTIONS: Final[tuple[RepairAction, ...]] = get_args(RepairAction)
