"""From a provider's words to the rule."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from interlock.history.diagnose import _TABLE, diagnose
from interlock.history.rules import BY_NAME
from support.shared import needs_shared, shared_files

SERVER_ONLY = {"foreign-encrypted-content", "thinking-modified", "media-needs-text"}

# Sentences as quoted in public reports, each with the rule that it is about.
QUOTES = [
    (one["says"], one["rule"]) for one in json.loads(Path(__file__).with_name("provider_errors.json").read_text())
]


@pytest.mark.parametrize(("said", "rule"), QUOTES, ids=[rule for _, rule in QUOTES])
def test_a_quoted_sentence_names_its_rule(said: str, rule: str) -> None:
    """Plain, wrapped in a provider's prefix, in an SDK's exception, and inside a gateway's body."""
    inner = json.dumps({"error": {"message": said}})
    body = {"error": {"message": "Provider returned error", "metadata": {"raw": inner}}}
    prefixed = f"ValidationException: The model returned the following errors: {said}"
    for error in (said, prefixed, body, ValueError(said)):
        found = diagnose(error)
        assert rule == found.rule
        assert (found.code is None) == (rule in SERVER_ONLY)
    assert diagnose(said).to_json()["rule"] == rule


def test_every_rule_of_the_table_is_a_rule_or_known_to_be_the_providers() -> None:
    """No line leads nowhere."""
    assert {rule for rule, _ in _TABLE} <= {*BY_NAME, *SERVER_ONLY}


def test_the_place_and_the_repair_are_named() -> None:
    """With the history at hand the finding itself is shown."""
    history = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}]},
        {"role": "user", "content": "are you there?"},
    ]
    error = "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1."
    found = diagnose(error, history)
    assert (found.rule, found.code, found.message_index, found.ids) == ("orphan-tool-call", "IL001", 1, ("toolu_1",))
    assert found.healable is True
    assert [one.call_id for one in found.findings] == ["toolu_1"]
    assert "stub-result (default)" in found.fix


def test_what_cannot_be_healed_is_said() -> None:
    """Nothing is promised that an edit of the history cannot do."""
    signature = diagnose("messages.5.content.1: `thinking` blocks in the latest assistant message cannot be modified")
    assert signature.healable is False
    assert "only the provider" in signature.says
    history = [{"role": "user", "content": "q"}]
    clean = diagnose("No tool output found for function call call_9.", history, wire="openai_chat")
    assert clean.healable is False
    assert "nothing in this history" in clean.says
    unknown = diagnose("The server is on fire.")
    assert unknown.rule is None
    assert unknown.healable is None


@pytest.mark.shared
@needs_shared
def test_the_errors_of_the_reported_failures_are_known() -> None:
    """Each reported failure of a history that came with a provider's text leads to a rule."""
    unknown = []
    for path in shared_files("cases/*.json"):
        case = json.loads(path.read_text())
        error = case.get("provider_error")
        if case["side"] == "outbound" and error and case["expected"]["faults"] and diagnose(error).rule is None:
            unknown.append((case["id"], error))
    assert unknown == []
