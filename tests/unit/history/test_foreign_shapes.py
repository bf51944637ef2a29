"""Small histories of another shape than their format has: nothing that was said goes, and nothing raises."""

from __future__ import annotations

import json
from typing import Any

import pytest

from interlock.errors import InvalidOptionError
from interlock.history.engine import heal

USER: dict[str, Any] = {"role": "user", "content": "q"}


@pytest.mark.parametrize(
    ("kind", "content"), [("tool-return", ""), ("retry-prompt", ""), ("retry-prompt", []), ("tool-return", [])]
)
def test_a_failed_return_of_pydantic_ai_without_a_body_is_filled(kind: str, content: Any) -> None:
    failed = {"outcome": "failed"} if kind == "tool-return" else {}
    back = {"part_kind": kind, "tool_name": "f", "content": content, "tool_call_id": "c1", **failed}
    history = [
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "q"}]},
        {"kind": "response", "parts": [{"part_kind": "tool-call", "tool_name": "f", "args": {}, "tool_call_id": "c1"}]},
        {"kind": "request", "parts": [back]},
    ]
    result = heal(history, "pydantic_ai", "bedrock")
    assert result.messages[2]["parts"] == [{**back, "content": "(no output)"}]


def test_a_failed_call_of_the_ui_without_a_reason_is_filled() -> None:
    part = {"type": "tool-f", "toolCallId": "c1", "state": "output-error", "input": {}, "errorText": ""}
    history = [{"id": "1", "role": "user", "parts": [{"type": "text", "text": "q"}]}]
    history.append({"id": "2", "role": "assistant", "parts": [part]})
    result = heal(history, "ai_sdk_ui", "bedrock")
    assert result.messages[1]["parts"] == [{**part, "errorText": "(no output)"}]


@pytest.mark.parametrize("kind", ["tool_search_output", "additional_tools"])
@pytest.mark.parametrize(
    ("tools", "sent"),
    [
        (["a b"], ["a_b"]),
        ([{"type": "namespace", "name": "n", "tools": [{"name": "a b"}]}], [{"name": "a_b"}]),
    ],
)
def test_tools_that_an_item_declares_are_renamed(kind: str, tools: list[Any], sent: list[Any]) -> None:
    result = heal([USER, {"type": kind, "tools": tools}], "openai_responses")
    held = result.messages[1]["tools"]
    assert (held if "namespace" not in str(tools) else held[0]["tools"]) == sent
    assert result.names == {"a_b": "a b"}


@pytest.mark.parametrize("wrong", [{"options": [1]}, {"model": 5}, {"model": object()}])
def test_settings_of_another_type_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidOptionError, match=f"{next(iter(wrong))} is "):
        heal([USER], **wrong)


def test_a_model_object_is_known_by_its_name() -> None:
    class Model:
        __hash__ = None  # type: ignore[assignment]
        model_name = "claude-sonnet-5"

    assert (
        heal([USER], "openai_chat", model=Model()).provider
        == heal([USER], "openai_chat", model="claude-sonnet-5").provider
    )
    assert heal([USER], "langchain", model=Model()).provider == "anthropic"


_USE = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
_ENTRIES = [{"id": "call00001", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
_CHAT_RESULT = {"role": "tool", "tool_call_id": "call00001", "content": "42"}
#: For each format: a word of the user, what stands in a message beside its role, the result.
_ASKS: dict[str, tuple[Any, dict[str, Any], Any]] = {
    "anthropic": (
        USER,
        {"content": [_USE]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "42"}]},
    ),
    "openai_chat": (USER, {"content": None, "tool_calls": _ENTRIES}, _CHAT_RESULT),
    "mistral": (USER, {"content": "", "tool_calls": _ENTRIES}, _CHAT_RESULT),
    "cohere_v2": (USER, {"tool_calls": _ENTRIES}, _CHAT_RESULT),
    "ollama": (
        USER,
        {"content": "", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]},
        {"role": "tool", "tool_name": "f", "content": "42"},
    ),
    "gemini": (
        {"role": "user", "parts": [{"text": "q"}]},
        {"parts": [{"functionCall": {"name": "f", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"output": "42"}}}]},
    ),
    "bedrock_converse": (
        {"role": "user", "content": [{"text": "q"}]},
        {"content": [{"toolUse": {"toolUseId": "t1", "name": "f", "input": {}}}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "t1", "content": [{"text": "42"}]}}]},
    ),
}


@pytest.mark.parametrize("role", ["user", "system", "tool", "function", "human", "narrator", None])
@pytest.mark.parametrize("wire", sorted(_ASKS))
def test_who_makes_calls_is_the_assistant(wire: str, role: str | None) -> None:
    word, asks, result = _ASKS[wire]
    named = asks if role is None else {"role": role, **asks}
    healed = heal([word, named, result], wire)
    assistant = "model" if wire == "gemini" else "assistant"
    assert healed.messages == [word, {**asks, "role": assistant}, result]
    assert [(one.rule, one.lossy) for one in healed.repairs] == [("unknown-role", False)]
    assert not healed.remaining
    assert healed.messages[2] is result
    assert not heal(healed.messages, wire).changed


@pytest.mark.parametrize("wire", sorted(_ASKS))
def test_a_call_among_words_of_the_user_gets_a_message_of_its_own(wire: str) -> None:
    word, asks, result = _ASKS[wire]
    key = "parts" if wire == "gemini" else "content"
    held = asks.get(key)
    both = {**asks, "role": "user", key: [*word[key], *held] if isinstance(held, list) else "my words"}
    if wire == "anthropic":
        both["content"] = [{"type": "text", "text": "my words"}, _USE]
    healed = heal([word, both, result], wire)
    assert "unknown-role" in [one.rule for one in healed.repairs]
    assert not any(one.lossy for one in healed.repairs)
    assert not healed.remaining
    assert healed.messages[-1] is result
    assert not heal(healed.messages, wire).changed
    sent = json.dumps(healed.messages)
    assert json.dumps(asks.get("tool_calls", held))[1:-1] in sent
    assert ("my words" if "my words" in json.dumps(both) else json.dumps(word[key])[1:-1]) in sent


@pytest.mark.parametrize("own", [{}, {"tool_call_id": "call00001"}, {"tool_call_id": "lost"}])
def test_a_function_message_that_answers_tool_calls_is_a_tool_message(own: dict[str, str]) -> None:
    asked = {"role": "assistant", "content": None, "tool_calls": _ENTRIES}
    history = [USER, asked, {"role": "function", "name": "f", "content": "r", **own}]
    healed = heal(history, "openai_chat")
    if own.get("tool_call_id") != "lost":
        assert healed.messages[2] == {"role": "tool", "name": "f", "content": "r", "tool_call_id": "call00001"}
    assert not [one for one in healed.messages if one["role"] == "function"]
    older = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
    history = [USER, older, {"role": "function", "name": "f", "content": "r"}]
    assert heal(history, "openai_chat").messages is history


_MIXED = [
    {"role": "user", "parts": [{"text": "q1"}]},
    {"role": "model", "parts": [{"text": "a1"}]},
    {"role": "user", "content": "delete nothing please"},
    {"role": "user", "parts": [{"text": "go on"}]},
]


@pytest.mark.parametrize(
    ("history", "wire", "at"),
    [
        (_MIXED, None, [2]),
        (_MIXED[:1], "anthropic", [0]),
        (_MIXED[:1], "bedrock_converse", [0]),
        (_MIXED[:1], "openai_chat", [0]),
        (_MIXED[:1], "openai_responses", [0]),
        ([_MIXED[3], _MIXED[0]], "bedrock_converse", [0, 1]),
        ([USER, {"role": "assistant", "text": "abc"}, USER], "openai_chat", [1]),
        ([USER, {"role": "assistant", "content": "", "text": "abc"}, USER], "openai_chat", [1]),
        ([{"role": "user", "content": None, "text": "abc"}], "openai_chat", [0]),
        ([USER, {"role": "assistant", "content": [], "tool_calls": [{"id": "c"}]}, USER], "anthropic", [1]),
        ([USER, {"role": "assistant", "content": "", "output": {"a": 1}}, USER], "cohere_v2", [1]),
    ],
)
def test_words_in_a_field_of_another_format_stay_and_are_reported(history: list[Any], wire: Any, at: list[int]) -> None:
    result = heal(history, wire)
    assert result.messages is history
    assert [one.message_index for one in result.remaining if one.rule == "unknown-role"] == at


@pytest.mark.parametrize("note", [{"id": "m1"}, {"created_at": "today"}, {"_seen": "yes"}, {"metadata": {"a": 1}}])
def test_what_is_only_noted_of_an_empty_message_does_not_keep_it(note: dict[str, Any]) -> None:
    result = heal([USER, {"role": "assistant", "content": "", **note}, USER], "openai_chat", "anthropic")
    assert result.messages == [USER, USER]
    assert not result.remaining


@pytest.mark.parametrize(
    ("wire", "part"),
    [
        ("openai_chat", {"type": "text", "text": "x"}),
        ("mistral", {"type": "text", "text": "x"}),
        ("cohere_v2", {"type": "text", "text": "x"}),
        ("anthropic", {"type": "text", "text": "x"}),
        ("bedrock_converse", {"text": "x"}),
        ("openai_responses", {"type": "input_text", "text": "x"}),
    ],
)
def test_a_part_by_itself_becomes_a_list_of_one(wire: str, part: dict[str, Any]) -> None:
    history = [{"role": "user", "content": part}]
    result = heal(history, wire)
    assert result.messages == [{"role": "user", "content": [part]}]
    assert [(one.rule, one.lossy) for one in result.repairs] == [("content-part-type", False)]
    assert result.undo() is history


def test_gemini_takes_a_part_by_itself() -> None:
    history = [{"role": "user", "parts": {"text": "x"}}]
    result = heal(history, "gemini")
    assert result.messages is history
    assert not result.remaining


@pytest.mark.parametrize("role", ["assistant", "system"])
def test_the_result_of_a_call_that_cannot_be_read_stays(role: str) -> None:
    function = {"function": {"name": "f", "arguments": "{}"}} if role == "system" else {}
    asking = {"role": role, "content": "x", "tool_calls": [{"id": "c1", "type": "function", **function}]}
    history = [USER, asking, {"role": "tool", "tool_call_id": "c1", "content": "ok"}, USER]
    result = heal(history, "openai_chat")
    assert result.messages is history
    assert "orphan-tool-result" in {one.rule for one in result.remaining}


def test_a_call_that_gets_its_results_id_leaves_the_result_alone() -> None:
    entry = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
    history = [USER, {"role": "assistant", "content": None, "tool_calls": [entry]}]
    history += [{"role": "tool", "tool_call_id": "c1", "content": "ok"}, USER]
    result = heal(history, "openai_chat")
    assert result.messages[1]["tool_calls"] == [{**entry, "id": "c1"}]
    assert all(result.messages[at] is history[at] for at in (0, 2, 3))


def test_a_part_of_a_result_with_a_type_that_is_no_word_raises_nothing() -> None:
    for wire in ("openai_chat", "mistral", "cohere_v2"):
        heal([{"role": "tool", "content": [{"type": []}, {"type": {}}, {"type": 5}]}], wire)
