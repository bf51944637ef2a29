"""Small histories in which something real once went, or a fault went unsaid: the smallest of each sort."""

from __future__ import annotations

import json
from typing import Any

import pytest

from interlock.history.engine import heal

GO: dict[str, Any] = {"role": "user", "content": "Go"}


def healed(history: list[Any], wire: str, *args: Any, **options: Any) -> Any:
    """Return the result of healing, which healing again finds nothing to do in."""
    before = json.dumps(history)
    result = heal(history, wire, *args, **options)
    assert json.dumps(history) == before
    again = heal(result.messages, wire, *args, **options)
    assert not again.changed, [record.reason for record in again.repairs]
    return result


def chat_call(call_id: str | None = "c", arguments: str = "{}") -> dict[str, Any]:
    """Return an entry of `tool_calls`."""
    call = {"id": call_id, "type": "function", "function": {"name": "f", "arguments": arguments}}
    return call if call_id is not None else {key: value for key, value in call.items() if key != "id"}


@pytest.mark.parametrize(
    ("args", "raw", "expected", "lossy", "kept"),
    [
        (None, '{"city": "OSLO"}', {"city": "OSLO"}, False, True),
        ("", '{"city": "OSLO"}', {"city": "OSLO"}, False, True),
        ('{"city": "OS', '{"city": "OSLO"}', {"city": "OSLO"}, True, True),
        (None, '{"city": "OS', {"raw": '{"city": "OS'}, False, True),
        ("one", "two", {"raw": "one"}, True, False),
    ],
)
def test_arguments_come_from_whichever_copy_of_a_call_has_them(
    args: Any, raw: str, expected: dict[str, str], lossy: bool, kept: bool
) -> None:
    beside = {"tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": raw}}]}
    asking = {"type": "ai", "content": "", "tool_calls": [{"name": "f", "args": args, "id": "c"}]}
    history = [
        {"type": "human", "content": "q"},
        {**asking, "additional_kwargs": beside},
        {"type": "tool", "content": "s", "tool_call_id": "c"},
    ]
    result = healed(history, "langchain")
    message = result.messages[1]
    assert message["tool_calls"][0]["args"] == expected
    assert json.loads(message["additional_kwargs"]["tool_calls"][0]["function"]["arguments"]) == expected
    (record,) = result.repairs
    assert record.lossy is lossy
    assert kept or json.dumps(raw) in json.dumps(record.before)


@pytest.mark.parametrize(
    ("wire", "asking", "back"),
    [
        (
            "openai_chat",
            {"role": "assistant", "tool_calls": chat_call()},
            {"role": "tool", "tool_call_id": "c", "content": "R"},
        ),
        (
            "cohere_v2",
            {"role": "assistant", "tool_calls": chat_call()},
            {"role": "tool", "tool_call_id": "c", "content": "R"},
        ),
        (
            "ollama",
            {"role": "assistant", "content": "", "tool_calls": {"function": {"name": "f", "arguments": {}}}},
            {"role": "tool", "content": "R"},
        ),
        (
            "langchain",
            {"type": "ai", "content": "", "tool_calls": {"name": "f", "args": {}, "id": "c"}},
            {"type": "tool", "tool_call_id": "c", "content": "R"},
        ),
        (
            "langchain",
            {"type": "ai", "data": {"type": "ai", "content": "", "tool_calls": {"name": "f", "args": {}, "id": "c"}}},
            {"type": "tool", "data": {"type": "tool", "tool_call_id": "c", "content": "R"}},
        ),
    ],
)
def test_a_call_by_itself_is_a_list_of_one(wire: str, asking: dict[str, Any], back: dict[str, Any]) -> None:
    user = {"type": "human", "content": "Go"} if wire == "langchain" else GO
    if "data" in asking:
        user = {"type": "human", "data": {"type": "human", "content": "Go"}}
        listed: Any = {**asking, "data": {**asking["data"], "tool_calls": [asking["data"]["tool_calls"]]}}
    else:
        listed = {**asking, "tool_calls": [asking["tool_calls"]]}
    result = healed([user, asking, back], wire)
    assert result.messages == [user, listed, back]
    assert [(one.rule, one.lossy) for one in result.repairs] == [("content-part-type", False)]


def test_an_image_of_ollama_by_itself_is_a_list_of_one() -> None:
    result = healed([{"role": "user", "content": "q", "images": "AAAA"}], "ollama")
    assert result.messages == [{"role": "user", "content": "q", "images": ["AAAA"]}]


@pytest.mark.parametrize("calls", [json.dumps([chat_call()]), {"0": chat_call()}, [[chat_call()]]])
def test_calls_that_cannot_be_read_are_reported_and_keep_their_results(calls: Any) -> None:
    back = {"role": "tool", "tool_call_id": "c", "content": "R"}
    history = [GO, {"role": "assistant", "content": None, "tool_calls": calls}, back]
    result = healed(history, "openai_chat")
    assert result.messages[-1] == back
    assert not any(one.lossy for one in result.repairs)
    assert "orphan-tool-result" in [one.rule for one in result.remaining]
