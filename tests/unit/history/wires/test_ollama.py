"""Messages of Ollama's API: object arguments, string content, results paired by name and order."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest

from interlock.history.engine import heal
from interlock.history.stubs import NO_RESULT
from interlock.history.turns import Call, Media, Reasoning, Text
from interlock.history.wires.ollama import Ollama
from support.long_way import read_whole

WIRE = Ollama()
USER = {"role": "user", "content": "q"}


def asks(*names: str, **more: Any) -> dict[str, Any]:
    calls = [{"function": {"name": name, "arguments": {}}} for name in names]
    return {"role": "assistant", "content": "", "tool_calls": calls, **more}


def said(name: str | None, content: str = "x") -> dict[str, Any]:
    return {"role": "tool", "content": content} | ({"tool_name": name} if name else {})


def test_a_message_reads_as_its_fields() -> None:
    message = asks("f", thinking="hm", images=["AAAA"])
    view = WIRE.read_message(message, 0)
    assert [type(part) for part in view.parts] == [Reasoning, Text, Media, Call]
    assert WIRE.assemble(view) == message


@pytest.mark.parametrize(
    "answers",
    [
        (said("f"), said("g")),
        (said("g"), said("f")),
        (said(None), said(None)),
        ({"role": "tool", "content": "x", "name": "f"}, said("g")),
    ],
)
def test_results_are_paired_by_name_then_by_order(answers: tuple[dict[str, Any], ...]) -> None:
    messages = [USER, asks("f", "g"), *answers, USER]
    assert heal(messages, wire="ollama").messages is messages


def test_a_result_is_early_only_right_ahead_of_its_call() -> None:
    early = [said("f", "1"), said("g", "2")]
    near = heal([USER, *early, asks("f", "g"), USER], wire="ollama")
    assert near.messages == [USER, asks("f", "g"), *early, USER]
    far = heal([USER, *early, USER, asks("f", "g"), USER], wire="ollama")
    stubs = [said("f", NO_RESULT), said("g", NO_RESULT)]
    assert far.messages == [USER, USER, asks("f", "g"), *stubs, USER]


def test_a_missing_result_gets_a_stub_that_names_the_tool() -> None:
    healed = heal([USER, asks("f", "g"), said("g"), USER], wire="ollama").messages
    assert healed == [USER, asks("f", "g"), said("g"), said("f", NO_RESULT), USER]


def test_a_late_result_is_moved_to_the_only_open_call_of_its_name() -> None:
    messages = [USER, asks("f"), {"role": "user", "content": "and?"}, said("f", "real")]
    assert heal(messages, wire="ollama").messages == [USER, asks("f"), said("f", "real"), messages[2]]


def test_a_stray_result_with_two_open_calls_of_its_name_is_not_guessed() -> None:
    messages = [USER, asks("f"), USER, asks("f"), {"role": "user", "content": "and?"}, said("f", "real")]
    result = heal(messages, wire="ollama")
    assert [one.rule for one in result.repairs].count("orphan-tool-result") == 1
    assert "real" not in str(result.messages)


@pytest.mark.parametrize("behind", [[], [USER]])
def test_a_result_that_names_nothing_is_not_guessed_where_another_is_lost(behind: list[Any]) -> None:
    """It answers the first call as well as the second."""
    history = [USER, asks("f", "f"), said(None), *behind]
    result = heal(history, "ollama")
    with read_whole():
        assert heal(history, "ollama") == result
    assert [(one.rule, one.lossy) for one in result.repairs] == [
        ("orphan-tool-result", True),
        ("orphan-tool-call", False),
        ("orphan-tool-call", False),
    ]


def test_a_stub_far_away_gives_way_too() -> None:
    """Where all else is healthy; and where there is no stub, no more is read than the turn at hand."""
    far = [asks("f"), said("f", NO_RESULT), {"role": "assistant", "content": "a"}]
    near = [asks("g"), said("g"), {"role": "assistant", "content": "a"}]
    history = [USER, *far, *[one for _ in range(9) for one in (USER, *near)], USER, said("f", "real"), USER]
    result = heal(history, "ollama")
    with read_whole():
        assert heal(history, "ollama") == result
    assert said("f", "real") in result.messages
    assert said("f", NO_RESULT) not in result.messages
    other = [USER, *[one for _ in range(9) for one in (USER, *near)], USER, said("f", "real"), USER]
    with patch.object(Ollama, "read", side_effect=AssertionError("read as a whole")):
        assert [one.rule for one in heal(other, "ollama").repairs] == ["orphan-tool-result"]


def test_ids_of_newer_servers_are_kept_in_step() -> None:
    call = {"id": "call_1", "function": {"name": "f", "arguments": {}}}
    messages = [USER, {"role": "assistant", "content": "", "tool_calls": [call]}, USER]
    stub = {"role": "tool", "tool_name": "f", "content": NO_RESULT, "tool_call_id": "call_1"}
    assert heal(messages, wire="ollama").messages == [*messages[:2], stub, USER]


@pytest.mark.parametrize(("given", "sent"), [([{"type": "text", "text": "a"}], "a"), ({"a": 1}, '{"a": 1}'), (5, "5")])
def test_a_result_is_a_string(given: Any, sent: str) -> None:
    messages = [USER, asks("f"), {**said("f"), "content": given}]
    assert heal(messages, wire="ollama").messages[2] == said("f", sent)


def test_a_list_of_blocks_becomes_a_string_and_images() -> None:
    """As the server says: "json: cannot unmarshal array into Go struct field ... of type string"."""
    content = [
        {"type": "text", "text": "look"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "text", "text": "well"},
    ]
    healed = heal([{"role": "user", "content": content}], wire="ollama").messages
    assert healed == [{"role": "user", "content": "look\n\nwell", "images": ["AAAA"]}]


@pytest.mark.parametrize("name", ["server.tool", "a b", "n" * 80])
def test_any_name_is_taken(name: str) -> None:
    messages = [USER, asks(name), said(name), USER]
    assert heal(messages, wire="ollama").messages is messages
