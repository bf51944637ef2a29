"""What hangs on reasoning that goes: ids of items, the fields of earlier turns, in long histories as in short ones."""

from __future__ import annotations

import json
from typing import Any

import pytest

from interlock.history.engine import heal
from support.long_way import read_whole

DIGITS = "68c42de022c881948db7ed1cc2529f2e0202c9ad459e0d23"
USER = {"role": "user", "content": "q"}


def call(number: int, **fields: Any) -> dict[str, Any]:
    own = f"{DIGITS[:-4]}{number:04x}"
    return {
        "type": "function_call",
        "id": f"fc_{own}",
        "call_id": f"c{number}",
        "name": "f",
        "arguments": "{}",
        **fields,
    }


def output(number: int) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": f"c{number}", "output": "R"}


def reasoning(number: int, **fields: Any) -> dict[str, Any]:
    own = f"{DIGITS[:-4]}{number:04x}"
    return {"type": "reasoning", "id": f"rs_{own}", "summary": [], "encrypted_content": "ZW5j", **fields}


def turn(number: int, **fields: Any) -> list[Any]:
    return [{**USER}, reasoning(number, **fields), call(number), output(number)]


FOREIGN = {"_origin": {"provider": "openai", "organization": "o1"}}
OWN: dict[str, Any] = {"wire": "openai_responses", "options": {"organization": "o2"}}


@pytest.mark.parametrize("place", [0, 7, 15])
def test_one_turn_of_a_long_history_loses_its_ids_and_no_other(place: int) -> None:
    """The look at spans and the look at the whole agree, and healthy items are the same objects."""
    history = [item for number in range(16) for item in turn(number, **(FOREIGN if number == place else {}))]
    result = heal(history, **OWN)
    with read_whole():
        assert heal(history, **OWN).messages == result.messages
    assert not heal(result.messages, **OWN).changed
    kept = [item for at, item in enumerate(history) if at // 4 != place]
    assert [id(item) for item in result.messages if any(item is one for one in kept)] == [*map(id, kept)]
    assert [item.get("id") for item in result.messages].count(f"fc_{DIGITS[:-4]}{place:04x}") == 0
    assert [(one.rule, one.message_index) for one in result.repairs] == [
        ("foreign-encrypted-content", place * 4 + 1),
        ("item-without-reasoning", place * 4 + 2),
    ]


def test_a_search_and_the_message_behind_it_lose_their_ids() -> None:
    """What the reasoning led to is all up to the next one; nothing of it is lost."""
    search = {"type": "web_search_call", "id": f"ws_{DIGITS}", "status": "completed", "action": {"type": "search"}}
    said = {
        "type": "message",
        "id": f"msg_{DIGITS}",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "T"}],
    }
    result = heal([USER, reasoning(1, **FOREIGN), search, said, USER], **OWN)
    bare = [{key: value for key, value in item.items() if key != "id"} for item in (search, said)]
    assert result.messages == [USER, *bare, USER]
    assert [one.lossy for one in result.repairs] == [True, False, False]


def test_an_id_that_stays_by_policy_stays() -> None:
    """Rules that are told to keep take no part."""
    history = turn(1, **FOREIGN)
    kept = heal(history, policy={"foreign-encrypted-content": "keep"}, **OWN)
    assert kept.messages[2] is history[2]
    alone = heal(history, policy={"item-without-reasoning": "keep"}, **OWN)
    assert alone.messages[1] is history[2]


def test_earlier_turns_on_the_server_do_not_help_a_call_whose_reasoning_went() -> None:
    """`previous_response_id` excuses a call without reasoning, not one that has lost it."""
    result = heal(
        turn(1, **FOREIGN), wire="openai_responses", options={"organization": "o2", "previous_response_id": "r"}
    )
    assert "id" not in result.messages[1]


@pytest.mark.parametrize("kind", [[], {}, 3, None, "no_such_item", "mcp_approval_request", "item_reference"])
def test_what_is_nothing_without_its_id_keeps_it(kind: Any) -> None:
    """Healing never raises, and leaves alone what it does not know."""
    history = [USER, reasoning(1, **FOREIGN), {"type": kind, "id": "x_1", "content": "a"}, call(1), output(1), USER]
    result = heal(history, **OWN)
    assert result.messages[1] is history[2]
    assert not heal(result.messages, **OWN).changed


@pytest.mark.parametrize(("model", "provider"), [("deepseek-v4", "deepseek"), ("kimi-k2.5", "moonshot")])
def test_a_history_without_reasoning_content_that_grows_keeps_its_beginning(model: str, provider: str) -> None:
    """The same prefix heals to the same bytes, whatever turns follow it."""
    asked = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    history: list[Any] = []
    for number in range(4):
        own = {**asked, "id": f"c{number}"}
        history += [
            USER,
            {"role": "assistant", "content": "", "tool_calls": [own]},
            {"role": "tool", "tool_call_id": own["id"], "content": "R"},
            {"role": "assistant", "content": "ok"},
        ]
    whole = [*map(json.dumps, heal(history, wire="openai_chat", provider=provider, model=model).messages)]
    assert sum("reasoning_content" in one for one in whole) == 4
    for end in range(3, len(history) + 1):
        if end % 4 != 2:  # not between a call and its result
            part = heal(history[:end], wire="openai_chat", provider=provider, model=model)
            assert [*map(json.dumps, part.messages)] == whole[:end]
