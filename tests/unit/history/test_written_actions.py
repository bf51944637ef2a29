"""A record speaks of native messages, also where one of them is read as several."""

from __future__ import annotations

from typing import Any

import interlock

USER = {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "m"}]}
CALL = {
    "kind": "response",
    "parts": [{"part_kind": "tool-call", "tool_name": "z", "args": "{}", "tool_call_id": "c9"}],
}
RETURN = {"part_kind": "tool-return", "tool_name": "z", "content": "late", "tool_call_id": "c9"}
TEXT = {"kind": "response", "parts": [{"part_kind": "text", "content": "ok"}]}


def actions(*messages: Any, wire: str = "pydantic_ai") -> list[str | None]:
    """What was done, and that the numbers of messages agree with it."""
    result = interlock.heal(list(messages), wire=wire)
    done = [repair.action for repair in result.repairs]
    assert len(result.messages) == len(messages) + done.count("inserted-message") - done.count("dropped-message")
    return done


def test_dropping_a_part_of_a_request_is_no_dropped_message() -> None:
    """The request keeps its other part."""
    assert actions(USER, TEXT, {**USER, "parts": [RETURN, *USER["parts"]]}) == ["dropped-part"]
    assert actions(USER, TEXT, {**USER, "parts": [RETURN]}, TEXT)[0] == "dropped-message"


def test_a_stub_in_the_next_request_is_an_inserted_part() -> None:
    """Where a request follows, the stub goes into it."""
    assert actions(USER, CALL, USER) == ["inserted-part"]


def test_a_stub_of_a_part_that_holds_both_call_and_result_adds_no_message() -> None:
    """The pages' tool parts are call and result in one."""
    text = {"type": "text", "text": "q"}
    part = {"type": "tool-z", "toolCallId": "c", "state": "input-available", "input": {}}
    messages = [
        {"id": "1", "role": "user", "parts": [text]},
        {"id": "2", "role": "assistant", "parts": [part]},
        {"id": "3", "role": "user", "parts": [text]},
    ]
    assert actions(*messages, wire="ai_sdk_ui") == ["inserted-part"]
