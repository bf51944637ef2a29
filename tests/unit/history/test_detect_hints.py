"""Messages that look the same everywhere: the named provider or model decides whose format they are."""

from __future__ import annotations

from typing import Any

import pytest

import interlock

PLAIN = [
    {"role": "user", "content": "hi"},
    {"role": "assistant", "content": "hello"},
    {"role": "user", "content": "on"},
]
SYSTEM = [{"role": "system", "content": "be brief"}, *PLAIN]
CALLS = [
    {"role": "user", "content": "hi"},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "abcdefghi", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "abcdefghi", "content": "x"},
]


@pytest.mark.parametrize(
    ("messages", "hints", "wire"),
    [
        (PLAIN, {}, "openai_chat"),
        (PLAIN, {"model": "claude-sonnet-4-5"}, "anthropic"),
        (PLAIN, {"provider": "anthropic"}, "anthropic"),
        (PLAIN, {"model": "mistral-large-latest"}, "openai_chat"),
        (PLAIN, {"model": "command-r-plus"}, "cohere_v2"),
        (PLAIN, {"model": "gpt-5"}, "openai_chat"),
        (SYSTEM, {"model": "claude-sonnet-4-5"}, "openai_chat"),
        (CALLS, {}, "openai_chat"),
        (CALLS, {"model": "mistral-large-latest"}, "openai_chat"),
        (CALLS, {"model": "claude-sonnet-4-5"}, "openai_chat"),
        (CALLS, {"model": "command-r-plus"}, "cohere_v2"),
        ({"model": "mistral-small", "messages": CALLS}, {}, "openai_chat"),
        ({"model": "claude-sonnet-4-5", "messages": PLAIN}, {}, "anthropic"),
    ],
)
def test_hints_decide_where_the_messages_do_not(messages: Any, hints: dict[str, Any], wire: str) -> None:
    """And a healthy history stays healthy under the format that was chosen."""
    result = interlock.heal(messages, **hints)
    assert result.wire == wire
    assert not result.changed and not result.remaining


def test_a_mistral_model_brings_mistrals_rules() -> None:
    """Its endpoint speaks the chat format; a user straight after a tool is refused there and nowhere else."""
    messages = [*CALLS, {"role": "user", "content": "and?"}]
    assert interlock.check(messages, model="gpt-5").valid
    result = interlock.check(messages, model="mistral-large-latest")
    assert result.provider == "mistral"
    assert [finding.rule for finding in result.findings] == ["tool-then-user"]
