"""Reasons that layers pass through from the provider behind them.

A layer's own end reason may hide the provider's: a gateway rewrites `length`
to `tool_calls`, a framework maps `pause_turn` to `stop`. Where the layer passes
the provider's word through as well, a word that speaks against completion wins.
Words that are not listed say nothing here: the layer's own table decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from interlock.vocabulary import EndReason

__all__ = ["worse"]

# Lower-cased words of OpenAI, Anthropic, Gemini, Bedrock, Mistral, Cohere and DeepSeek that never confirm.
_AGAINST: Final[Mapping[str, EndReason]] = {
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "max_messages": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "continuation": "length",
    "error_limit": "length",
    "content_filter": "content_filtered",
    "content_filtered": "content_filtered",
    "content-filter": "content_filtered",
    "guardrail_intervened": "content_filtered",
    "refusal": "content_filtered",
    "safety": "content_filtered",
    "recitation": "content_filtered",
    "blocklist": "content_filtered",
    "prohibited_content": "content_filtered",
    "spii": "content_filtered",
    "language": "content_filtered",
    "model_armor": "content_filtered",
    "error_toxic": "content_filtered",
    "pause_turn": "paused",
    "compaction": "paused",
    "steered": "cancelled",
    "cancelled": "cancelled",
    "abort": "cancelled",
    "error": "provider_error",
    "failed": "provider_error",
    "timeout": "provider_error",
    "insufficient_system_resource": "provider_error",
    "malformed_function_call": "provider_error",
    "malformed_response": "provider_error",
    "malformed_model_output": "provider_error",
    "malformed_tool_use": "provider_error",
    "unexpected_tool_call": "provider_error",
    "too_many_tool_calls": "provider_error",
    "missing_thought_signature": "provider_error",
    "incomplete": "unknown",
    "other": "unknown",
}


def worse(reason: EndReason, native: str | None) -> EndReason:
    """Return the layer's reason, or what the provider's own word says against it."""
    if reason != "complete" or native is None:
        return reason
    return _AGAINST.get(native.lower(), reason)
