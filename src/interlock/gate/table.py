"""The decision table: ordered rows, the first match decides.

One row executes. It names every positive fact that it needs, so that it would
not match too much even if it stood alone; the rows above it take what speaks
against a call, the last row takes the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from interlock.gate.facts import Facts
from interlock.vocabulary import Action, Reason

__all__ = ["DECISION_TABLE", "Row", "decide"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table.

    Attributes:
        when: the condition, on `Facts` alone.
        action: what to do with the call.
        reason: the word that goes with it.
        says: the sentence that the documentation prints.
    """

    when: Callable[[Facts], bool]
    action: Action
    reason: Reason
    says: str


def _executable(facts: Facts) -> bool:
    return (
        facts.confirmed
        and facts.end_reason in ("complete", "length")  # length only by the option `on_length`
        and facts.arguments == "whole"
        and facts.evidence in ("raw", "text", "assembled", "trusted_projection")
        and facts.schema_valid is not False
        and facts.tool in ("known", "any")
        and not (
            facts.internal_fault
            or facts.execution_observed
            or facts.server_executed
            or facts.limit_passed
            or facts.provider_error
            or facts.content_filtered
            or facts.protocol_violated
            or facts.identity_broken
        )
    )


DECISION_TABLE: Final[tuple[Row, ...]] = (
    Row(
        when=lambda facts: facts.execution_observed,
        action="reject",
        reason="sdk_execution_observed",
        says="Something else already ran this call: a tool result or a tool error is in the stream, for this "
        "call or naming none.",
    ),
    Row(
        when=lambda facts: facts.server_executed,
        action="reject",
        reason="server_executed",
        says="The provider runs this call itself; running it again would be a second side effect.",
    ),
    Row(
        when=lambda facts: facts.internal_fault,
        action="reject",
        reason="unknown",
        says="An event of the stream could not be judged; nothing of this stream may run.",
    ),
    Row(
        when=lambda facts: facts.limit_passed,
        action="reject",
        reason="resource_limit",
        says="A resource limit was passed.",
    ),
    Row(
        when=lambda facts: facts.provider_error or facts.end_reason == "provider_error",
        action="reject",
        reason="provider_error",
        says="The provider reported an error.",
    ),
    Row(
        when=lambda facts: facts.content_filtered or facts.end_reason == "content_filtered",
        action="reject",
        reason="content_filtered",
        says="A content filter, a refusal or a guardrail ended the turn.",
    ),
    Row(
        when=lambda facts: facts.protocol_violated,
        action="reject",
        reason="protocol_violation",
        says="The events contradict the protocol or each other: a delta before the start or after the end, a "
        "second start, end or terminal event, a repeated value that differs, an event after the end.",
    ),
    Row(
        when=lambda facts: facts.tool == "unknown",
        action="reject",
        reason="unknown_tool",
        says="The call names a tool that was not offered.",
    ),
    Row(
        when=lambda facts: facts.evidence == "projection",
        action="reject",
        reason="projection_only",
        says="The arguments came only as a value that somebody else parsed; there is no raw text to check.",
    ),
    Row(
        when=lambda facts: facts.schema_valid is False,
        action="reject",
        reason="schema_invalid",
        says="The arguments are whole, but the registered schema or validator says no, or failed.",
    ),
    Row(
        when=lambda facts: facts.arguments == "malformed" or facts.identity_broken,
        action="reject",
        reason="malformed",
        says="The arguments' text is no valid JSON object (a bad token, a duplicate key, a bad escape), or the "
        "call's identity contradicts itself.",
    ),
    Row(
        when=lambda facts: facts.arguments in ("cut", "empty"),
        action="retry",
        reason="truncated",
        says="A value or a container was cut, or no arguments came and nothing says that none are needed.",
    ),
    Row(
        when=_executable,
        action="execute",
        reason="complete",
        says="The arguments are whole, the provider's own terminal event confirms them, the schema, if one was "
        "registered, holds, and nothing speaks against the call.",
    ),
    Row(
        when=lambda _: True,
        action="retry",
        reason="stream_incomplete",
        says="Anything else: nothing wrong arrived, but there is no trustworthy whole (closed but unconfirmed, "
        "only closing brackets missing, cancelled, paused, end reason unknown, still collecting).",
    ),
)


def decide(facts: Facts) -> Row:
    """Return the first row whose condition holds."""
    return next(row for row in DECISION_TABLE if row.when(facts))
