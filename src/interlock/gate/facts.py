"""What a decision reads about one call: each field is one observation, computed in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from interlock.vocabulary import EndReason

__all__ = ["Arguments", "EvidenceKind", "Facts", "Tool"]

# raw: text that was streamed. text: free text that the wire repeated as a whole. assembled: put
# together from values that the wire addressed and closed one by one. projection: a value that
# somebody else parsed, which the caller does not trust. trusted_projection: one that the caller
# does trust. none: nothing came.
EvidenceKind = Literal["raw", "text", "assembled", "projection", "trusted_projection", "none"]

# whole: one complete value, nothing after it. empty: no text at all. cut: a value or container
# was cut. salvaged: only closing brackets are missing. malformed: no valid JSON can come of it.
# open: the stream still runs.
Arguments = Literal["whole", "empty", "cut", "salvaged", "malformed", "open"]

# any: no tools were declared. unnamed: the call has no name.
Tool = Literal["known", "any", "unknown", "unnamed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The observations on one call at one moment.

    Attributes:
        internal_fault: an event of the stream could not be judged.
        execution_observed: something else ran the call, or ran a call that it does not name.
        server_executed: the provider runs this call itself.
        limit_passed: a resource limit was passed.
        provider_error: the provider reported an error.
        content_filtered: a filter or refusal ended the turn.
        protocol_violated: the events contradict the protocol or each other.
        tool: whether the call names a tool that was offered.
        evidence: what kind of evidence there is for the arguments.
        schema_valid: the validator's answer; `None` when there is none, or nothing whole to ask about.
        identity_broken: the call's identity contradicts itself.
        arguments: what the arguments' text is.
        end_reason: why the call's turn ended.
        confirmed: the provider's own terminal event confirms the call, nothing can follow, and the strict parser
            was told so and agrees (a value that somebody else parsed has none).
    """

    internal_fault: bool
    execution_observed: bool
    server_executed: bool
    limit_passed: bool
    provider_error: bool
    content_filtered: bool
    protocol_violated: bool
    tool: Tool
    evidence: EvidenceKind
    schema_valid: bool | None
    identity_broken: bool
    arguments: Arguments
    end_reason: EndReason
    confirmed: bool
