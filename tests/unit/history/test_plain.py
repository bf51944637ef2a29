"""Messages that clients returned as objects stand in a history as their JSON would."""

from __future__ import annotations

import copy
import dataclasses
from types import MappingProxyType
from typing import Any

import pytest

from interlock import heal
from interlock.history.plain import as_plain

USER = {"role": "user", "content": "Go."}
CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
TOOL_USE = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}}
ANSWER = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "done"}]}


def openai_chat() -> tuple[list[Any], list[Any]]:
    module = pytest.importorskip("openai.types.chat")
    message = {"role": "assistant", "content": None, "refusal": None, "annotations": [], "tool_calls": [CALL]}
    return [USER, module.ChatCompletionMessage.model_validate(message)], [
        {"role": "tool", "tool_call_id": "call_1", "content": "done"}
    ]


def openai_parsed() -> tuple[list[Any], list[Any]]:
    module = pytest.importorskip("openai.types.chat")
    function = {**CALL["function"], "parsed_arguments": {"a": 1}}
    message = {"role": "assistant", "content": None, "tool_calls": [{**CALL, "function": function}]}
    return [USER, module.ParsedChatCompletionMessage[None].model_validate(message)], [
        {"role": "tool", "tool_call_id": "call_1", "content": "done"}
    ]


def openai_responses() -> tuple[list[Any], list[Any]]:
    module = pytest.importorskip("openai.types.responses")
    call = {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}", "id": "fc_1"}
    return [
        USER,
        module.ResponseReasoningItem.model_validate({"type": "reasoning", "id": "rs_1", "summary": []}),
        module.ResponseFunctionToolCall.model_validate(call),
    ], [{"type": "function_call_output", "call_id": "call_1", "output": "done"}]


def anthropic() -> tuple[list[Any], list[Any]]:
    module = pytest.importorskip("anthropic.types")
    content = [
        module.ThinkingBlock(type="thinking", thinking="hm", signature="c2ln"),
        module.ToolUseBlock.model_validate(TOOL_USE),
    ]
    return [USER, {"role": "assistant", "content": content}], [ANSWER]


def gemini() -> tuple[list[Any], list[Any]]:
    types = pytest.importorskip("google.genai.types")
    call = types.Part(function_call=types.FunctionCall(name="f", args={}), thought_signature=b"sig")
    answer = types.Part(function_response=types.FunctionResponse(name="f", response={"a": 1}))
    return [
        types.Content(role="user", parts=[types.Part(text="Go.")]),
        types.Content(role="model", parts=[types.Part(text="hm", thought=True), call]),
    ], [types.Content(role="user", parts=[answer])]


def ollama() -> tuple[list[Any], list[Any]]:
    module = pytest.importorskip("ollama")
    call = {"function": {"name": "f", "arguments": {"a": 1}}}
    return [USER, module.Message(role="assistant", content="", thinking=None, tool_calls=[call])], [
        {"role": "tool", "tool_name": "f", "content": "done"}
    ]


def cohere() -> tuple[list[Any], list[Any]]:
    module = pytest.importorskip("cohere.types")
    message = {"role": "assistant", "tool_plan": "I will.", "tool_calls": [CALL]}
    return [USER, module.AssistantMessageResponse.model_validate(message)], [
        {"role": "tool", "tool_call_id": "call_1", "content": "done"}
    ]


def mistral() -> tuple[list[Any], list[Any]]:
    module = pytest.importorskip("mistralai.client.models")
    call = module.ToolCall(id="abcdefghi", function=module.FunctionCall(name="f", arguments="{}"))
    asked = [module.UserMessage(content="Go."), module.AssistantMessage(content="", tool_calls=[call])]
    return asked, [module.ToolMessage(tool_call_id="abcdefghi", name="f", content="done")]


def cohere_given() -> tuple[list[Any], list[Any]]:
    module = pytest.importorskip("cohere")
    call = module.ToolCallV2(id="call_1", function=module.ToolCallV2Function(name="f", arguments="{}"))
    asked = [module.UserChatMessageV2(content="Go."), module.AssistantChatMessageV2(tool_calls=[call], tool_plan="I.")]
    return asked, [module.ToolChatMessageV2(tool_call_id="call_1", content="done")]


CLIENTS = {
    "mistral": mistral,
    "cohere_v2-given": cohere_given,
    "openai_chat": openai_chat,
    "openai_chat-parsed": openai_parsed,
    "openai_responses": openai_responses,
    "anthropic": anthropic,
    "gemini": gemini,
    "ollama": ollama,
    "cohere_v2": cohere,
}


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_s_own_objects_are_read(name: str, named: bool) -> None:
    """A whole exchange is silent; one that lost its result gets a stub, and the objects stay what they are."""
    wire = name.partition("-")[0]
    if wire == "mistral" and not named:
        wire = "openai_chat"  # its plain shape
    asked, answered = CLIENTS[name]()
    kind = {"wire": wire} if named else {}
    history = [*asked, *answered]
    result = heal(history, **kind)
    assert result.messages is history and not result.remaining
    assert result.wire == wire
    before = copy.deepcopy(asked)
    broken = heal(asked, **kind)
    assert [one.rule for one in broken.repairs] == ["orphan-tool-call"] and not broken.remaining
    assert broken.messages[: len(asked)] == before
    assert all(new is old for new, old in zip(broken.messages, asked, strict=False))
    assert not heal(broken.messages, **kind).changed
    assert asked == before and broken.undo() is asked


def test_an_object_that_has_to_change_becomes_what_its_client_would_send() -> None:
    types = pytest.importorskip("anthropic.types")
    whole = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": [TOOL_USE],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    for message in (types.Message.model_validate(whole), whole):
        history = [USER, message, ANSWER]
        result = heal(history)
        assert result.wire == "anthropic"
        assert result.messages == [USER, {"role": "assistant", "content": [TOOL_USE]}, ANSWER]
        assert result.messages[2] is ANSWER and result.undo() is history


@dataclasses.dataclass
class Said:
    role: str
    content: Any


def test_records_mappings_and_tuples_stand_for_dicts_and_lists() -> None:
    block = MappingProxyType(TOOL_USE)
    history = [Said("user", "Go."), Said("assistant", (block,)), ANSWER]
    result = heal(history, "anthropic")
    assert result.messages is history and not result.remaining
    broken = heal(history[:2], "anthropic")
    assert [one.rule for one in broken.repairs] == ["orphan-tool-call"]
    assert broken.messages[1] is history[1]
    renamed = heal([Said("user", "Go."), Said("assistant", ({**TOOL_USE, "name": "a b"},)), ANSWER], "anthropic")
    assert renamed.messages[1] == {"role": "assistant", "content": [{**TOOL_USE, "name": "a_b"}]}


def test_what_is_no_record_of_fields_is_carried_along() -> None:
    class Loud:
        def model_dump(self, **options: Any) -> Any:
            raise RuntimeError("no")

    for odd in (Loud(), Loud, Said, object(), {1, 2}, 3.5):
        assert as_plain(odd) is odd
        history = [USER, odd]
        result = heal(history, "openai_chat")
        assert result.messages is history
        assert [one.rule for one in result.remaining] == ["unknown-role"]


def test_what_contains_itself_ends() -> None:
    loop: dict[str, Any] = {"role": "user"}
    loop["content"] = [loop]
    assert heal([loop], "openai_chat").remaining
    assert as_plain(loop) is loop


def test_a_tuple_that_the_quick_look_passes_is_read_where_the_whole_history_is() -> None:
    call = {"functionCall": {"id": "c1", "name": "f", "args": {}}, "thoughtSignature": "c2ln"}
    answer = {"functionResponse": {"id": "c1", "name": "f", "response": {}}}
    history = [
        {"role": "user", "parts": [{"text": "Go."}]},
        {"role": "model", "parts": (call,)},
        {"role": "user", "parts": [answer]},
        {"role": "user", "parts": [{"text": "And?"}]},
        {"role": "model", "parts": [{"functionCall": {}}]},
    ]
    result = heal(history, "gemini")
    assert result.messages[:4] == history[:4]
    assert not heal(result.messages, "gemini").changed


def test_a_result_behind_an_object_that_cannot_be_read_may_be_its_calls_and_stays() -> None:
    """Ahead of the object it cannot be."""

    class Mute:
        pass

    chat = {"role": "tool", "tool_call_id": "call_1", "content": "done"}
    for wire, answer in (("openai_chat", chat), ("anthropic", ANSWER)):
        behind = [USER, Mute(), answer, {"role": "assistant", "content": "Done."}]
        result = heal(behind, wire)
        assert result.messages is behind
        assert [one.rule for one in result.remaining] == ["unknown-role", "orphan-tool-result"]
        ahead = heal([USER, answer, {"role": "assistant", "content": "Done."}, Mute()], wire)
        assert "orphan-tool-result" in [one.rule for one in ahead.repairs]


WHOLE = {
    "openai_chat": (
        {
            "object": "chat.completion",
            "choices": [{"index": 0, "message": {"role": "assistant", "tool_calls": [CALL]}}],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "done"},
    ),
    "gemini": (
        {"candidates": [{"content": {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "f"}}]}}]},
        {"role": "user", "parts": [{"functionResponse": {"id": "c1", "name": "f", "response": {}}}]},
    ),
}


@pytest.mark.parametrize("wire", WHOLE)
def test_the_result_of_a_call_in_a_whole_response_is_not_dropped(wire: str) -> None:
    """A response is no message, and is reported; what answers a call in it is kept until that is put right."""
    history = [
        {"role": "user", "content": "Go."} if wire == "openai_chat" else {"role": "user", "parts": [{"text": "Go."}]}
    ]
    result = heal([*history, *WHOLE[wire]], wire)
    assert not result.changed
    assert [one.rule for one in result.remaining] == ["unknown-role", "orphan-tool-result"]
