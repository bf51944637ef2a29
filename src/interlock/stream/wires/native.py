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

# Lower-cased words that never confirm: all that the wires' own tables refuse, since a layer may stand in
# front of any of them, and `stop_sequence`, which may cut a call in the middle.
_AGAINST: Final[Mapping[str, EndReason]] = {
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "max_messages": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "continuation": "length",
    "error_limit": "length",
    "max_turns": "length",
    "error_max_turns": "length",
    "error_max_budget_usd": "length",
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
    "escalation": "content_filtered",
    "image_safety": "content_filtered",
    "image_prohibited_content": "content_filtered",
    "image_recitation": "content_filtered",
    "pause_turn": "paused",
    "compaction": "paused",
    "paused": "paused",
    "interrupt": "paused",
    "tool_deferred": "paused",
    "steered": "cancelled",
    "cancelled": "cancelled",
    "abort": "cancelled",
    "cancel": "cancelled",
    "user_cancel": "cancelled",
    "client_cancelled": "cancelled",
    "turn_detected": "cancelled",
    "aborted_streaming": "cancelled",
    "aborted_tools": "cancelled",
    "error": "provider_error",
    "failed": "provider_error",
    "provider_error": "provider_error",
    "run_error": "provider_error",
    "conversation.response.error": "provider_error",
    "error_during_execution": "provider_error",
    "error_max_structured_output_retries": "provider_error",
    "timeout": "provider_error",
    "insufficient_system_resource": "provider_error",
    "malformed_function_call": "provider_error",
    "malformed_response": "provider_error",
    "malformed_model_output": "provider_error",
    "malformed_tool_use": "provider_error",
    "unexpected_tool_call": "provider_error",
    "too_many_tool_calls": "provider_error",
    "missing_thought_signature": "provider_error",
    "image_other": "provider_error",
    "no_image": "provider_error",
    "pup_limited_disabled": "provider_error",
    "network_error": "network_error",
    "incomplete": "unknown",
    "in_progress": "unknown",
    "load": "unknown",
    "unload": "unknown",
    "stop_sequence": "unknown",
    "other": "unknown",
    "unknown": "unknown",
}


def worse(reason: EndReason, native: str | None) -> EndReason:
    """Return the layer's reason, or what the provider's own word says against it."""
    if reason != "complete" or native is None:
        return reason
    return _AGAINST.get(native.lower(), reason)
