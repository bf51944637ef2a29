"""The official clients' own response objects, put into a history as their documentation does."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from importlib.util import find_spec
from typing import Any

import pytest

from interlock import check, diagnose, heal
from support.long_way import read_whole

USER: Any = {"role": "user", "content": "Weather in Paris?"}
CALL: Any = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'}}
RESULT: Any = {"role": "tool", "tool_call_id": "call_1", "content": "Sunny."}


def openai_chat() -> tuple[list[Any], Any]:
    from openai.types.chat import ChatCompletion

    message = {"role": "assistant", "content": None, "refusal": None, "annotations": [], "tool_calls": [CALL]}
    choice = {"index": 0, "finish_reason": "tool_calls", "logprobs": None, "message": message}
    response = ChatCompletion.model_validate(
        {"id": "x", "object": "chat.completion", "created": 1, "model": "gpt-4o", "choices": [choice]}
    )
    return [USER, response.choices[0].message], RESULT


def openai_chat_calls() -> tuple[list[Any], Any]:
    (_, message), result = openai_chat()
    return [USER, {"role": "assistant", "content": message.content, "tool_calls": message.tool_calls}], result


def openai_responses() -> tuple[list[Any], Any]:
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseReasoningItem

    text = {"type": "output_text", "text": "I look.", "annotations": [], "logprobs": []}
    output = [
        ResponseReasoningItem.model_validate({"type": "reasoning", "id": "rs_1", "summary": [], "status": None}),
        ResponseOutputMessage.model_validate(
            {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}
        ),
        ResponseFunctionToolCall.model_validate(
            {
                "type": "function_call",
                "id": "fc_1",
                "call_id": "call_1",
                "name": "get_weather",
                "arguments": "{}",
                "status": "completed",
            }
        ),
    ]
    return [USER, *output], {"type": "function_call_output", "call_id": "call_1", "output": "Sunny."}


def anthropic() -> tuple[list[Any], Any]:
    from anthropic.types import Message

    content = [
        {"type": "thinking", "thinking": "Hm.", "signature": "c2lnbmF0dXJl"},
        {"type": "text", "text": "I look.", "citations": None},
        {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Paris"}},
    ]
    response = Message.model_validate(
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-6",
            "content": content,
            "stop_reason": "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
    )
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "Sunny."}
    return [USER, {"role": "assistant", "content": response.content}], {"role": "user", "content": [result]}


def gemini() -> tuple[list[Any], Any]:
    from google.genai import types

    call = {"functionCall": {"name": "get_weather", "args": {"city": "Paris"}}, "thoughtSignature": "c2lnbmF0dXJl"}
    response = types.GenerateContentResponse.model_validate(
        {"candidates": [{"content": {"role": "model", "parts": [call]}, "finishReason": "STOP"}]}
    )
    assert response.candidates is not None
    answer = types.Part.from_function_response(name="get_weather", response={"output": "Sunny."})
    user = types.Content(role="user", parts=[types.Part(text="Weather in Paris?")])
    return [user, response.candidates[0].content], types.Content(role="user", parts=[answer])


def mistral() -> tuple[list[Any], Any]:
    from mistralai.client.models import AssistantMessage

    call = {"id": "abcdefghi", "function": CALL["function"]}
    message = AssistantMessage.model_validate({"role": "assistant", "content": "", "tool_calls": [call]})
    return [USER, message], {**RESULT, "tool_call_id": "abcdefghi", "name": "get_weather"}


def cohere() -> tuple[list[Any], Any]:
    from cohere import AssistantMessageResponse

    message = AssistantMessageResponse(role="assistant", tool_plan="I look.", tool_calls=[CALL])
    return [USER, message], RESULT


def ollama() -> tuple[list[Any], Any]:
    from ollama import Message

    call = {"function": {"name": "get_weather", "arguments": {"city": "Paris"}}}
    message = Message.model_validate({"role": "assistant", "content": "", "tool_calls": [call]})
    return [USER, message], {"role": "tool", "tool_name": "get_weather", "content": "Sunny."}


def litellm() -> tuple[list[Any], Any]:
    from litellm import Message

    return [USER, Message(role="assistant", content=None, tool_calls=[CALL])], RESULT


CLIENTS: list[tuple[str, str, Callable[[], tuple[list[Any], Any]]]] = [
    ("openai", "openai_chat", openai_chat),
    ("openai", "openai_chat", openai_chat_calls),
    ("openai", "openai_responses", openai_responses),
    ("anthropic", "anthropic", anthropic),
    ("google.genai", "gemini", gemini),
    ("mistralai", "mistral", mistral),
    ("cohere", "cohere_v2", cohere),
    ("ollama", "ollama", ollama),
    ("litellm", "openai_chat", litellm),
]


def installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # of the package above
        return False


EACH = pytest.mark.parametrize(
    ("wire", "turn"),
    [
        pytest.param(wire, turn, id=turn.__name__, marks=pytest.mark.skipif(not installed(package), reason=package))
        for package, wire, turn in CLIENTS
    ],
)


@EACH
@pytest.mark.filterwarnings("default")  # what the clients say of themselves on import
def test_a_healthy_turn_of_objects_comes_back_as_it_was_given(wire: str, turn: Callable[[], Any]) -> None:
    start, result = turn()
    history = [*start, result]
    for named in (wire, None) if wire in ("openai_chat", "openai_responses", "anthropic", "gemini") else (wire,):
        healed = heal(history, named)
        assert healed.wire == wire
        assert healed.messages is history, healed.repairs
        assert healed.remaining == ()
        assert check(history, named).valid


@EACH
@pytest.mark.filterwarnings("default")
def test_an_open_call_in_an_object_gets_its_stub_and_the_object_stays(wire: str, turn: Callable[[], Any]) -> None:
    start, _ = turn()
    history = [*start, start[0]]
    healed = heal(history, wire)
    assert [one.rule for one in healed.repairs][:1] == ["orphan-tool-call"]
    assert all(new is old for new, old in zip(healed.messages, start, strict=False))
    assert type(healed.messages[len(start)]) is dict
    assert healed.undo() is history
    assert not heal(healed.messages, wire).changed


@pytest.mark.skipif(not installed("openai"), reason="openai")
def test_a_request_body_keeps_its_objects_and_an_error_is_found_in_it() -> None:
    start, _ = openai_chat()
    body = {"model": "gpt-4o", "messages": [*start, USER]}
    healed = heal(body)
    assert healed.request["model"] == "gpt-4o"
    assert healed.request["messages"] is healed.messages and healed.messages[1] is start[1]
    assert healed.undo() is body
    assert heal({**body, "messages": [*start, RESULT]}).request["messages"][1] is start[1]
    assert diagnose("No tool output found for function call call_1.", body["messages"]).rule == "orphan-tool-call"


@pytest.mark.parametrize("pending", [iter(["call_1"]), ("call_1",), "call_1"])
@pytest.mark.skipif(not installed("openai"), reason="openai")
def test_an_iterator_of_pending_ids_is_read_once(pending: Any) -> None:
    start, _ = openai_chat()
    assert not heal([*start, USER], pending=pending).changed


def test_a_result_object_whose_class_has_no_field_for_the_id_is_healed_once() -> None:
    """LangChain's `FunctionMessage` and `ChatMessage` keep it among the fields that they do not name."""
    messages = pytest.importorskip("langchain_core.messages")
    call = messages.AIMessage(content="", tool_calls=[{"name": "f", "args": {}, "id": "a"}])
    history = [messages.HumanMessage("q"), call, messages.FunctionMessage(name="f", content="x")]
    result = heal(history, "langchain")
    assert [one.rule for one in result.repairs] == ["missing-tool-call-id"]
    assert not heal(result.messages, "langchain").changed
    history[2] = messages.ChatMessage(role="tool", tool_call_id="a", content="x")
    assert heal(history, "langchain").messages is history


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("beside", [0, 1, 3])
def test_a_new_message_of_pydantic_ai_is_made_like_the_one_ahead(beside: int, whole: bool) -> None:
    """A history may hold dicts and objects; an object far away says nothing, whether it is read or not."""
    messages = pytest.importorskip("pydantic_ai.messages")
    part = {"part_kind": "tool-call", "tool_name": "f", "args": {}, "tool_call_id": "a"}
    asked = messages.ModelRequest(parts=[messages.UserPromptPart(content="x")])
    history: list[Any] = [
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "x"}]},
        {"kind": "response", "parts": [part]},
        {"kind": "response", "parts": [{"part_kind": "text", "content": "done"}]},
    ]
    history.insert(beside, asked)
    with read_whole() if whole else nullcontext():
        healed = heal(history, "pydantic_ai").messages
    assert [type(one) is dict for one in healed if one is not asked] == [True] * 4
