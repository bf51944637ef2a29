"""The code of each contradiction that a wire itself finds: programs read it, so it has to be the right one."""

from __future__ import annotations

from typing import Any

import pytest

from support.judging import judged


def chat(*choices: Any) -> dict[str, Any]:
    """A chunk."""
    return {"object": "chat.completion.chunk", "choices": list(choices)}


def choice(*calls: Any, index: Any = 0, finish: Any = None, **delta: Any) -> dict[str, Any]:
    """A choice with fragments of calls."""
    return {"index": index, "finish_reason": finish, "delta": {**delta, **({"tool_calls": [*calls]} if calls else {})}}


def fragment(index: Any = 0, id: Any = None, name: Any = None, arguments: Any = None) -> dict[str, Any]:
    """A fragment of a call."""
    return {"index": index, "id": id, "function": {"name": name, "arguments": arguments}}


FIRST = fragment(0, "c1", "f", "{}")
BLOCK = {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "c", "name": "f"}}
STOPPED = {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}
TOOL_START: Any = {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"}
RUN = {"type": "RUN_STARTED", "runId": "r", "threadId": "t"}
COHERE_END = {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}}
SDK_CALL = {"type": "tool-call", "toolCallId": "c", "toolName": "f", "input": {}}
UI_CALL = {"type": "tool-input-available", "toolCallId": "c", "toolName": "f", "input": {}}
MISTRAL: Any = {"type": "function.call.delta", "tool_call_id": "a", "name": "f", "arguments": "{}"}

ROWS: list[tuple[str, list[Any], str]] = [
    ("openai_chat", [{"choices": {"a": 1}}], "E_CHOICES"),
    ("openai_chat", [chat(choice(index="0"))], "E_CHOICE_INDEX"),
    ("openai_chat", [chat(choice(index=-1))], "E_CHOICE_INDEX"),
    ("openai_chat", [chat(choice(), choice())], "E_CHOICE_INDEX"),
    ("openai_chat", [chat(choice(tool_calls={"a": 1}))], "E_TOOL_CALLS"),
    ("openai_chat", [chat(choice(fragment("0")))], "E_CALL_INDEX"),
    ("openai_chat", [chat(choice(fragment(-1)))], "E_CALL_INDEX"),
    ("openai_chat", [chat(choice(FIRST, fragment(1, "c2", "g"))), chat(choice(fragment(None)))], "E_CALL_UNATTRIBUTED"),
    ("openai_chat", [chat(choice(FIRST, function_call={"name": "g"}))], "E_CALL_FORMS"),
    ("openai_chat", [chat(choice(function_call={"name": "g"})), chat(choice(FIRST))], "E_CALL_FORMS"),
    ("openai_chat", [chat(choice(FIRST)), chat(choice(fragment(0, None, "g")))], "E_NAME_CONFLICT"),
    ("openai_chat", [chat(choice(FIRST, refusal="no")), chat(choice(finish="stop"))], "E_REFUSED"),
    ("openai_chat", [chat(choice(FIRST, finish="stop")), chat(choice(refusal="no"))], "E_REFUSED"),
    ("openai_chat", [chat(choice({"index": 0, "id": "c", "custom": {"name": "f"}}))], "E_FREE_TEXT"),
    ("anthropic", [BLOCK, STOPPED, {**BLOCK, "index": 1}], "E_LATE_EVENT"),
    ("anthropic", [{"type": "message_start"}, {"type": "message_stop"}, {"type": "message_start"}], "E_LATE_EVENT"),
    ("anthropic", [BLOCK, BLOCK], "E_SECOND_START"),
    (
        "bedrock_converse",
        [{"contentBlockStart": {"contentBlockIndex": "0", "start": {"toolUse": {}}}}],
        "E_BLOCK_INDEX",
    ),
    (
        "bedrock_converse",
        [{"messageStop": {"stopReason": "end_turn"}}, {"contentBlockStop": {"contentBlockIndex": 5}}],
        "E_LATE_EVENT",
    ),
    ("anthropic", [{**BLOCK, "index": "0"}], "E_BLOCK_INDEX"),
    ("anthropic", [{**BLOCK, "index": -1}], "E_BLOCK_INDEX"),
    ("anthropic", [STOPPED, {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}], "E_SECOND_TERMINAL"),
    ("cohere_v2", [{"type": "tool-call-start", "index": "0", "delta": {}}], "E_CALL_INDEX"),
    ("cohere_v2", [{"type": "message-start"}, {"type": "message-start"}], "E_SECOND_START"),
    ("cohere_v2", [COHERE_END, {"type": "content-delta", "index": 0}], "E_LATE_EVENT"),
    ("ag_ui", [RUN, {**TOOL_START, "toolCallId": None}], "E_CALL_ID"),
    ("ai_python", [{"kind": "tool_start", "tool_name": "f"}], "E_CALL_ID"),
    ("ai_sdk", [{"type": "tool-call", "toolName": "f"}], "E_CALL_ID"),
    ("ai_sdk", [SDK_CALL, {**SDK_CALL, "toolName": "g"}], "E_NAME_CONFLICT"),
    ("ai_sdk", [SDK_CALL, {**SDK_CALL, "providerExecuted": True}], "E_EXECUTOR_CONFLICT"),
    ("ai_sdk", [{**SDK_CALL, "invalid": True}], "E_SDK_INVALID"),
    ("ai_sdk_ui", [{**UI_CALL, "toolCallId": None}], "E_CALL_ID"),
    ("ai_sdk_ui", [{**UI_CALL, "type": "tool-input-start"}, {**UI_CALL, "toolName": "g"}], "E_NAME_CONFLICT"),
    (
        "ai_sdk_ui",
        [{**UI_CALL, "type": "tool-input-start"}, {**UI_CALL, "providerExecuted": True}],
        "E_EXECUTOR_CONFLICT",
    ),
    ("ai_sdk_ui", [{**UI_CALL, "type": "tool-input-error"}], "E_SDK_INVALID"),
    ("mistral", [{**MISTRAL, "tool_call_id": "null"}], "E_CALL_ID"),
    ("mistral", [MISTRAL, {**MISTRAL, "name": "g"}], "E_NAME_CONFLICT"),
    ("normalized", [{"type": "brand_new"}], "E_NORMALIZED_EVENT"),
    ("gemini", [{"candidates": [{"index": "0", "content": {"parts": []}}]}], "E_CANDIDATE_INDEX"),
    ("gemini", [{"candidates": [{"content": {"parts": [{"functionCall": {"args": {}}}]}}]}], "E_GEMINI_CALL"),
    (
        "openai_responses",
        [{"type": "response.output_item.added", "output_index": "0", "item": {"type": "function_call"}}],
        "E_RESPONSES_CONTRADICTION",
    ),
    (
        "openai_realtime",
        [{"type": "response.function_call_arguments.delta", "response_id": "r", "item_id": "i", "delta": "{"}],
        "E_REALTIME_CONTRADICTION",
    ),
]


@pytest.mark.parametrize(("wire", "events", "code"), ROWS)
def test_a_contradiction_has_its_code(wire: str, events: list[Any], code: str) -> None:
    """Whatever else is found on the way; and nothing executes."""
    report = judged(wire, events)
    found = [*report.diagnostics, *(remark for one in report.decisions for remark in one.diagnostics)]
    assert code in {remark.code for remark in found}, found
    assert all(one.action != "execute" for one in report.decisions)
