"""The decision table over the whole product of what it reads."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, get_args

from interlock.gate.facts import Arguments, EvidenceKind, Facts, Tool
from interlock.gate.table import DECISION_TABLE, decide
from interlock.vocabulary import ACTIONS, REASONS, EndReason

FLAGS = (
    "internal_fault",
    "execution_observed",
    "server_executed",
    "limit_passed",
    "provider_error",
    "content_filtered",
    "protocol_violated",
    "identity_broken",
    "confirmed",
)
REST: dict[str, tuple[Any, ...]] = {
    "tool": get_args(Tool),
    "evidence": get_args(EvidenceKind),
    "schema_valid": (True, False, None),
    "arguments": get_args(Arguments),
    "end_reason": get_args(EndReason),
}
# For each field, the values that speak against a call.
UNSAFE: dict[str, tuple[Any, ...]] = {
    **{flag: (True,) for flag in FLAGS if flag != "confirmed"},
    "confirmed": (False,),
    "tool": ("unknown", "unnamed"),
    "evidence": ("projection", "none"),
    "schema_valid": (False,),
    "arguments": ("empty", "cut", "salvaged", "malformed", "open"),
    "end_reason": tuple(word for word in get_args(EndReason) if word not in ("complete", "length")),
}


def states() -> Iterator[Facts]:
    """Every combination of facts there is."""
    for flags in product((False, True), repeat=len(FLAGS)):
        given = dict(zip(FLAGS, flags, strict=True))
        for rest in product(*REST.values()):
            yield Facts(**given, **dict(zip(REST, rest, strict=True)))


def reference(facts: Facts) -> tuple[str, str]:
    """The order of the reference behaviour, written out by hand and not from the table."""
    order = [
        (facts.execution_observed, "sdk_execution_observed"),
        (facts.server_executed, "server_executed"),
        (facts.internal_fault, "unknown"),
        (facts.limit_passed, "resource_limit"),
        (facts.provider_error or facts.end_reason == "provider_error", "provider_error"),
        (facts.content_filtered or facts.end_reason == "content_filtered", "content_filtered"),
        (facts.protocol_violated, "protocol_violation"),
        (facts.tool == "unknown", "unknown_tool"),
        (facts.evidence == "projection", "projection_only"),
        (facts.schema_valid is False, "schema_invalid"),
        (facts.arguments == "malformed" or facts.identity_broken, "malformed"),
    ]
    for holds, reason in order:
        if holds:
            return "reject", reason
    if facts.arguments in ("cut", "empty"):
        return "retry", "truncated"
    sure = facts.confirmed and facts.end_reason in ("complete", "length") and facts.arguments == "whole"
    if sure and facts.evidence != "none" and facts.tool in ("known", "any"):
        return "execute", "complete"
    return "retry", "stream_incomplete"


def test_the_whole_product_follows_the_reference_and_no_unsafe_fact_ever_executes() -> None:
    """All combinations: the verdict is the reference's, and an executing state holds no unsafe value.

    The second half is monotonicity: adding unsafe evidence sets a field to an unsafe value, and no state
    that has one executes, so nothing unsafe can move a call towards execution.
    """
    seen: set[int] = set()
    execute_rows: set[int] = set()
    rows = {id(row): number for number, row in enumerate(DECISION_TABLE)}
    (positive,) = (row for row in DECISION_TABLE if row.action == "execute")
    for facts in states():
        row = decide(facts)
        assert (row.action, row.reason) == reference(facts), facts
        seen.add(rows[id(row)])
        if row.action == "execute":
            execute_rows.add(rows[id(row)])
        if positive.when(facts):  # also where an earlier row decides: it would be safe alone
            assert not [name for name, bad in UNSAFE.items() if getattr(facts, name) in bad], facts
    assert seen == set(range(len(DECISION_TABLE)))
    assert len(execute_rows) == 1


def test_one_row_executes_and_every_word_is_used() -> None:
    """One positive row, only the catch-all after it; every action and reason occurs."""
    executing = [number for number, row in enumerate(DECISION_TABLE) if row.action == "execute"]
    assert executing == [len(DECISION_TABLE) - 2]
    assert {row.action for row in DECISION_TABLE} == set(ACTIONS)
    assert {row.reason for row in DECISION_TABLE} == set(REASONS)


def test_every_row_but_the_last_needs_its_own_fact() -> None:
    """No earlier row swallows a later one: with all facts clean, only the last two rows can match."""
    clean = dict.fromkeys(FLAGS, False) | {
        "tool": "any",
        "evidence": "raw",
        "schema_valid": None,
        "arguments": "whole",
        "end_reason": "complete",
    }
    assert decide(Facts(**clean)).reason == "stream_incomplete"
    assert decide(Facts(**(clean | {"confirmed": True}))).action == "execute"
