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
