"""Small histories of another shape than their format has: nothing that was said goes, and nothing raises."""

from __future__ import annotations

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
