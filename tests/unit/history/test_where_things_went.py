"""The account of a healing speaks of the input: where each message is now, and calls under the ids that it has."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.history.engine import heal


def asks(call_id: str | None, name: str = "f") -> dict[str, Any]:
    """Return an assistant's message that makes a call, in Anthropic's format."""
    block = {"type": "tool_use", "id": call_id, "name": name, "input": {}}
    return {"role": "assistant", "content": [{key: value for key, value in block.items() if value is not None}]}


def answers(*ids: str) -> dict[str, Any]:
    """Return a message with results, in Anthropic's format."""
    blocks = [{"type": "tool_result", "tool_use_id": one, "content": f"R{one}"} for one in ids]
    return {"role": "user", "content": blocks}


def said(text: str, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": text}


def test_a_message_is_where_its_result_is_when_another_has_come_to_its_place() -> None:
    """The place of a message is no answer to where it went when nothing of it is there any more."""

    def call(call_id: str) -> dict[str, Any]:
        part = {"type": "tool-call", "toolCallId": call_id, "toolName": "f", "input": {}}
        return {"role": "assistant", "content": [part]}

    def result(call_id: str) -> dict[str, Any]:
        body = {"type": "text", "value": f"R{call_id}"}
        part = {"type": "tool-result", "toolCallId": call_id, "toolName": "f", "output": body}
        return {"role": "tool", "content": [part]}

    history = [
        *(said("q"), call("a"), said("mid"), call("b"), result("a")),
        *(said("t", "assistant"), result("b")),
    ]
    assert heal(history, "ai_sdk").positions == (0, 1, 3, 4, 2, 6, 5)


other = answers("a")
other["content"][0]["content"] = "another"
HISTORIES: dict[str, tuple[list[Any], dict[str, str], tuple[int | None, ...]]] = {
    "each result one turn early": ([answers("a"), asks("a"), answers("b"), asks("b")], {}, (1, 0, 3, 2)),
    "the first of several places": (
        [said("q"), asks("a"), said("m"), asks("b"), said("n"), asks("c"), answers("a", "b"), asks("d"), answers("c")],
        {},
        (0, 1, 2, 3, 4, 5, 2, 7, 6),
    ),
    "where its own words stay": (
        [
            said("q"),
            asks("a"),
            said("m"),
            {**answers("a"), "content": [*answers("a")["content"], {"type": "text", "text": "n"}]},
        ],
        {},
        (0, 1, 2, 3),
    ),
    "a result that goes, and one that comes to its place": (
        [said("q"), asks("a"), answers("x"), said("m", "assistant"), answers("a")],
        {},
        (0, 1, None, 2, 3),
    ),
    "words in place of a message": (
        [said("q"), answers("x"), said("m", "assistant")],
        {"orphan-tool-result": "to-text"},
        (0, 1, 2),
    ),
    "two results that become one": (
        [said("q"), asks("a"), said("m"), answers("a"), said("n", "assistant"), other],
        {"duplicate-tool-result": "merge"},
        (0, 1, 2, 2, 3, 2),
    ),
}


@pytest.mark.parametrize("name", HISTORIES)
def test_each_message_is_found_again(name: str) -> None:
    """Also when it was taken apart, joined, or written in words."""
    history, policy, positions = HISTORIES[name]
    assert heal(history, "anthropic", policy=policy).positions == positions


def test_a_record_names_the_message_that_a_moved_result_came_from() -> None:
    """What a later rule finds with a result is said of its message of the input, and of its place there."""
    blank = {"type": "tool_result", "tool_use_id": "b", "content": [{"type": "text", "text": ""}]}
    history = [said("q"), asks("a"), said("m"), asks("b"), answers("a"), said("t", "assistant")]
    history.append({"role": "user", "content": [{"type": "text", "text": "w"}, blank]})
    found = [one for one in heal(history, "anthropic", "anthropic").repairs if one.rule == "empty-tool-result"]
    assert [(one.message_index, one.part_index, one.before) for one in found] == [(6, 1, blank)]


def test_a_call_that_was_renamed_is_named_as_the_input_names_it() -> None:
    """In the records of all later rules, and in their words."""
    result = heal([asks("call_2"), asks("call_2", "g")], "anthropic")
    assert [(one.rule, one.call_id) for one in result.repairs] == [
        ("duplicate-tool-call-id", "call_2"),
        ("orphan-tool-call", "call_2"),
        ("orphan-tool-call", "call_2"),
    ]
    assert result.repairs[2].reason == "no result for call 'call_2' ('g')"
    assert [*result.ids.values()] == ["call_2"]


def test_a_call_without_an_id_has_none_in_later_records() -> None:
    """It has got one by then, which the input knows nothing of."""
    result = heal([said("q"), asks(None)], "anthropic")
    assert {one.rule for one in result.repairs} == {"missing-tool-call-id", "orphan-tool-call"}
    assert {one.call_id for one in result.repairs} == {None}
    assert "no result for a call of 'f'" in [one.reason for one in result.repairs]
    assert [*result.ids.values()] == [None]


def test_an_id_that_is_given_twice_in_a_row_leads_to_the_input() -> None:
    """A call without an id takes its result's, which may not fit the target."""
    odd = {"role": "assistant", "tool_calls": [{"type": "function", "function": {"name": "f", "arguments": "{}"}}]}
    history = [said("q"), odd, {"role": "tool", "tool_call_id": "an odd id!", "content": "r"}]
    result = heal(history, "openai_chat", "mistral")
    new = result.messages[1]["tool_calls"][0]["id"]
    assert result.messages[2]["tool_call_id"] == new
    assert result.ids[new] is None
