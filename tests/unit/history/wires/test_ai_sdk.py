"""The AI SDK's model messages: where the assistant goes on speaking before its call is answered."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.history.engine import heal
from support.long_way import read_whole

USER: dict[str, Any] = {"role": "user", "content": "q"}
LATER: dict[str, Any] = {"role": "assistant", "content": "later"}
ASK = {"type": "tool-approval-request", "approvalId": "p", "toolCallId": "a"}
ALLOW = {"type": "tool-approval-response", "approvalId": "p", "approved": True}
#: Targets of which some refuse a result behind the assistant's later words, and one whose converter joins neighbours.
NEXT = (None, "generic", "openai", "azure", "mistral")


def calls(*ids: str, words: str = "", more: tuple[Any, ...] = ()) -> dict[str, Any]:
    held = [{"type": "text", "text": words}] if words else []
    held += [{"type": "tool-call", "toolCallId": one, "toolName": "f", "input": {}} for one in ids]
    return {"role": "assistant", "content": [*held, *more]}


def results(*ids: str) -> dict[str, Any]:
    held = [
        {"type": "tool-result", "toolCallId": one, "toolName": "f", "output": {"type": "text", "value": f"R {one}"}}
        for one in ids
    ]
    return {"role": "tool", "content": held}


A, B = "a00000000", "b00000000"  # ids that every target takes
#: What stands wrong, and what comes of it.
APART: dict[str, tuple[list[Any], list[Any]]] = {
    "one": ([USER, calls(A), LATER, results(A), USER], [USER, calls(A), results(A), LATER, USER]),
    "at the end": ([USER, calls(A), LATER, USER, results(A)], [USER, calls(A), results(A), LATER, USER]),
    "parts": (
        [USER, calls(A), calls(words="later"), results(A), USER],
        [USER, calls(A), results(A), calls(words="later"), USER],
    ),
    "both behind the second step": (
        [USER, calls(A), LATER, calls(B), results(A, B), LATER, USER],
        [USER, calls(A), results(A), LATER, calls(B), results(B), LATER, USER],
    ),
    "some are there": (
        [USER, calls(A, B), results(A), LATER, results(B), USER],
        [USER, calls(A, B), results(A, B), LATER, USER],
    ),
}


@pytest.mark.parametrize("provider", NEXT)
@pytest.mark.parametrize("name", APART)
def test_a_result_behind_the_assistants_later_words_moves_to_its_call(name: str, provider: str | None) -> None:
    """In a short history, and between turns with which nothing is wrong."""
    history, want = APART[name]
    healthy = [
        message for at in range(9) for message in (USER, calls(f"h0000000{at}"), results(f"h0000000{at}"), LATER)
    ]
    for ahead in ([], healthy):
        given = [*ahead, *history]
        result = heal(given, wire="ai_sdk", provider=provider)
        assert {one.rule for one in result.repairs} <= {"misplaced-tool-result", "tool-then-user", "last-role"}
        assert [one for one in result.messages if one["content"] != "OK."][: len(ahead) + len(want)] == [*ahead, *want]
        assert not any(one.lossy for one in result.repairs)
        assert heal(result.messages, wire="ai_sdk", provider=provider).messages is result.messages
        with read_whole():
            assert heal(given, wire="ai_sdk", provider=provider).messages == result.messages


@pytest.mark.parametrize("provider", NEXT[:4])
def test_words_for_a_lost_result_stand_ahead_of_what_was_said_later(provider: str | None) -> None:
    for history in ([USER, calls(A), LATER, USER], [USER, calls(A), LATER], [USER, calls(A), LATER, LATER, USER]):
        result = heal(history, wire="ai_sdk", provider=provider)
        assert [one.rule for one in result.repairs] == ["orphan-tool-call"]
        assert result.messages[:2] == history[:2] and result.messages[3:] == history[2:]
        assert result.messages[2]["role"] == "tool"
        with read_whole():
            assert heal(history, wire="ai_sdk", provider=provider).messages == result.messages
        again = heal([*result.messages, results(A), USER], wire="ai_sdk", provider=provider)
        assert again.messages[2] == results(A)


@pytest.mark.parametrize("provider", [None, "openai", "anthropic"])
def test_calls_that_neighbours_make_are_answered_behind_them(provider: str | None) -> None:
    """They are one step of the model's, written down call by call: Responses items, Claude's blocks."""
    for first in (calls(A), calls(A, words="I look.")):
        history = [USER, LATER, first, calls(B), results(A, B), LATER, USER]
        assert heal(history, wire="ai_sdk", provider=provider).messages is history


def test_where_the_converter_joins_neighbours_nothing_moves() -> None:
    """Claude gets one message that holds the call and the words, with the result right behind."""
    for history, _ in APART.values():
        if history[3]["role"] == "tool" and history[2] is LATER:
            assert heal(history, wire="ai_sdk", provider="anthropic").messages is history


@pytest.mark.parametrize("provider", [None, "openai"])
@pytest.mark.parametrize(
    "history",
    [
        [USER, calls("a", more=(ASK,)), LATER],
        [USER, calls("a"), LATER, calls(more=(ASK,)), LATER],
        [USER, calls("a", more=(ASK,)), LATER, {"role": "tool", "content": [ALLOW]}],
    ],
)
def test_what_a_human_is_asked_is_left_alone_though_words_follow(history: list[Any], provider: str | None) -> None:
    """The model says why it asks, and the conversation has not gone on."""
    assert heal(history, wire="ai_sdk", provider=provider).messages is history
    gone_on = heal([*history, USER], wire="ai_sdk", provider=provider)
    assert "orphan-tool-call" in {one.rule for one in gone_on.repairs}


def test_a_call_that_is_waited_for_may_have_words_behind_it() -> None:
    for pending in (["a"], "keep"):
        history = [USER, calls("a"), LATER]
        result = heal(history, wire="ai_sdk", pending=pending)  # type: ignore[arg-type]
        assert result.messages is history and not result.remaining
    assert heal([*history, USER], wire="ai_sdk", pending=["a"]).remaining


def test_a_run_of_many_steps_is_read_once() -> None:
    """Each with words, an open question, and no result: time grows with their number."""
    history: list[Any] = [USER]
    for at in range(1500):
        ask = {"type": "tool-approval-request", "approvalId": f"p{at}", "toolCallId": f"c{at}"}
        history += [calls(f"c{at}", more=(ask,)), LATER]
    assert heal(history, wire="ai_sdk").messages is history
    healed = heal([*history, USER], wire="ai_sdk")
    assert len(healed.messages) == 1500 * 3 + 2
