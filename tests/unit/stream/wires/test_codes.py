"""The code of each contradiction that a wire itself finds: programs read it, so it has to be the right one."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from interlock.stream import wires
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
FINISHED: Any = {"type": "RUN_FINISHED", "runId": "r", "threadId": "t"}
BEDROCK: Any = {"contentBlockStart": {"contentBlockIndex": 0, "start": {"toolUse": {"toolUseId": "c", "name": "f"}}}}
PYTHON_CALL = {"kind": "tool_start", "tool_call_id": "c", "tool_name": "f"}
TOOL_USE = {"type": "tool_use", "id": "c", "name": "f", "input": {}}
ASSISTANT: Any = {"type": "assistant", "message": {"id": "m", "content": [TOOL_USE]}}
STREAMED = [
    {"type": "stream_event", "event": {"type": "message_start", "message": {"id": "m"}}},
    {"type": "stream_event", "event": BLOCK},
]
CHUNK: Any = {"type": "AIMessageChunk", "id": "m", "content": ""}
LANGCHAIN = {"index": 0, "id": "c", "name": "f", "args": "{}", "type": "tool_call_chunk"}
RESPONSES = {"type": "function_call", "id": "i", "call_id": "c", "name": "f", "arguments": ""}
PART = {"part_kind": "tool-call", "tool_name": "f", "args": "{}", "tool_call_id": "c"}
START = {"event_kind": "part_start", "index": 0, "part": PART}

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
    ("openai_chat", [chat(choice(FIRST, finish="stop")), chat(choice(content="x"))], "E_LATE_EVENT"),
    (
        "openai_chat",
        [chat({**choice(FIRST, finish="stop"), "content_filter_results": {"hate": {"filtered": True}}})],
        "E_FILTERED",
    ),
    (
        "openai_chat",
        [{"id": id, **chat(choice(fragment(0, None, None, "{")))} for id in "AAB"],
        "E_SECOND_RESPONSE",
    ),
    (
        "openai_chat",
        [
            chat(choice(fragment(0, "c1", "f"), fragment(0, "c2", "f", "{"))),
            chat(choice(finish="tool_calls")),
        ],
        "E_STRAY_ARGUMENTS",
    ),
    ("openai_chat", [chat(choice({"index": 0, "id": "c", "parameters": "{}"}))], "E_ARGUMENTS_PLACE"),
    (
        "anthropic",
        [BLOCK, {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "{"}}],
        "E_BLOCK_DELTA",
    ),
    ("anthropic", [BLOCK, {**STOPPED, "delta": {"stop_details": {"type": "refusal"}}}], "E_REFUSED"),
    (
        "anthropic",
        [BLOCK, {"type": "content_block_stop", "index": 0}, {**BLOCK, "index": 1}, STOPPED],
        "E_BLOCK_OPEN",
    ),
    (
        "bedrock_converse",
        [BEDROCK, {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "{"}}}],
        "E_BLOCK_DELTA",
    ),
    (
        "bedrock_converse",
        [
            BEDROCK,
            {"contentBlockStop": {"contentBlockIndex": 0}},
            {"contentBlockStart": {**BEDROCK["contentBlockStart"], "contentBlockIndex": 1}},
            {"messageStop": {"stopReason": "tool_use"}},
        ],
        "E_BLOCK_OPEN",
    ),
    ("ag_ui", [RUN, TOOL_START, FINISHED, {"type": "TEXT_MESSAGE_CONTENT", "delta": "x"}], "E_LATE_EVENT"),
    (
        "ag_ui",
        [
            RUN,
            {**TOOL_START, "type": "TOOL_CALL_CHUNK"},
            {**TOOL_START, "type": "TOOL_CALL_CHUNK", "toolCallName": "g"},
        ],
        "E_NAME_CONFLICT",
    ),
    (
        "ag_ui",
        [
            RUN,
            TOOL_START,
            {"type": "MESSAGES_SNAPSHOT", "messages": [{"toolCalls": [{"id": "c", "function": {"name": "g"}}]}]},
        ],
        "E_NAME_CONFLICT",
    ),
    (
        "ag_ui",
        [RUN, {**TOOL_START, "subagentRunId": "s"}, {"type": "SUBAGENT_ERROR", "subagentRunId": "s"}],
        "E_SUBAGENT_ERROR",
    ),
    (
        "ag_ui",
        [RUN, TOOL_START, {**FINISHED, "outcome": {"type": "success", "pendingToolCallIds": ["c", "d"]}}],
        "E_PENDING_CONFLICT",
    ),
    (
        "ag_ui",
        [
            RUN,
            TOOL_START,
            {**TOOL_START, "toolCallId": "d"},
            {**FINISHED, "outcome": {"type": "success", "pendingToolCallIds": ["c"]}},
        ],
        "E_PENDING_CONFLICT",
    ),
    (
        "ai_python",
        [{"kind": "tool_start", "tool_call_id": "c", "tool_name": "f"}, {"kind": "stream_end"}, {"kind": "text_delta"}],
        "E_LATE_EVENT",
    ),
    (
        "ai_python",
        [PYTHON_CALL, {"kind": "tool_end", "tool_call_id": "c", "tool_call": {"tool_call_id": "c", "tool_name": "g"}}],
        "E_NAME_CONFLICT",
    ),
    ("ai_python", [{**PYTHON_CALL, "replay": True}], "W_REPLAY"),
    ("ai_python", [PYTHON_CALL, {**PYTHON_CALL, "kind": "builtin_tool_result"}], "E_EXECUTOR_CONFLICT"),
    ("ai_sdk", [SDK_CALL, {"type": "finish", "finishReason": "stop"}, {"type": "text-delta"}], "E_LATE_EVENT"),
    ("ai_sdk_ui", [UI_CALL, {"type": "finish", "finishReason": "stop"}, {"type": "text-delta"}], "E_LATE_EVENT"),
    ("claude_agent", [{"type": "stream_event", "event": BLOCK}], "E_LATE_EVENT"),
    ("claude_agent", [{"type": "result", "subtype": "success"}, {**ASSISTANT, "message": {}}], "E_LATE_EVENT"),
    ("claude_agent", [{**ASSISTANT, "error": "rate_limit"}], "E_PROVIDER_ERROR"),
    ("claude_agent", [*STREAMED[:1], ASSISTANT], "E_CALL_NOT_STREAMED"),
    (
        "claude_agent",
        [*STREAMED, {**ASSISTANT, "message": {"id": "m", "content": [{**TOOL_USE, "type": "server_tool_use"}]}}],
        "E_EXECUTOR_CONFLICT",
    ),
    (
        "claude_agent",
        [*STREAMED, {**ASSISTANT, "message": {"id": "m", "content": [{**TOOL_USE, "name": "g"}]}}],
        "E_NAME_CONFLICT",
    ),
    (
        "gemini",
        [{"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "partialArgs": [{}]}}]}}]}],
        "E_PIECE_MALFORMED",
    ),
    (
        "langchain",
        [
            {**CHUNK, "tool_call_chunks": [LANGCHAIN], "response_metadata": {"finish_reason": "stop"}},
            {**CHUNK, "content": "x"},
        ],
        "E_LATE_EVENT",
    ),
    ("langchain", [{**CHUNK, "type": "ai", "invalid_tool_calls": [{**LANGCHAIN, "error": "x"}]}], "E_SDK_INVALID"),
    (
        "langchain",
        [
            {"type": "AIMessageChunk", "content": "", "tool_call_chunks": [one]}
            for one in (LANGCHAIN, {**LANGCHAIN, "id": "d"}, {**LANGCHAIN, "id": None, "name": None})
        ],
        "E_FRAGMENT_UNNAMED",
    ),
    (
        "langchain",
        [
            {**CHUNK, "tool_call_chunks": [LANGCHAIN], "additional_kwargs": {"refusal": "no"}},
            {**CHUNK, "response_metadata": {"finish_reason": "stop"}},
        ],
        "E_REFUSED",
    ),
    (
        "mistral",
        [
            {**MISTRAL, "arguments": None},
            {**MISTRAL, "tool_call_id": "b", "arguments": "{"},
            {"type": "conversation.response.done", "usage": {}},
        ],
        "E_STRAY_ARGUMENTS",
    ),
    (
        "ollama",
        [
            {"message": {"tool_calls": [{"function": {"name": "f", "arguments": {}}}]}, "done": True},
            {"message": {"content": "x"}},
        ],
        "E_LATE_EVENT",
    ),
    ("ollama", [{"message": {"tool_calls": {"function": {"name": "f"}}}}], "E_TOOL_CALLS"),
    (
        "openai_agents",
        [
            {"type": "raw_response_event", "data": one}
            for one in (
                {"type": "response.created", "response": {"id": "__fake_id__"}},
                {"type": "response.output_item.added", "output_index": 0, "item": RESPONSES},
                {"type": "response.refusal.delta"},
            )
        ],
        "E_REFUSED",
    ),
    ("openai_realtime", [{"type": "error", "error": {"code": "x"}}], "W_CLIENT_EVENT_REFUSED"),
    (
        "openai_responses",
        [
            {"type": "response.output_item.added", "output_index": 0, "item": RESPONSES},
            {"type": "response.refusal.delta"},
            {"type": "response.completed", "response": {"status": "completed"}},
        ],
        "E_REFUSED",
    ),
    (
        "openai_responses",
        [
            {"type": "response.output_item.added", "output_index": 0, "item": RESPONSES},
            {"type": "response.function_call_arguments.delta", "output_index": 0, "item_id": "other", "delta": "{"},
        ],
        "W_ITEM_ID",
    ),
    ("pydantic_ai", [{"event_kind": "part_start", "index": "0", "part": PART}], "E_PART_INDEX"),
    (
        "pydantic_ai",
        [START, {"event_kind": "part_end", "index": 0, "part": {**PART, "part_kind": "builtin-tool-call"}}],
        "E_EXECUTOR_CONFLICT",
    ),
    (
        "pydantic_ai",
        [START, {"event_kind": "part_delta", "index": 1, "delta": {"part_delta_kind": "tool_call"}}],
        "E_UNKNOWN_CALL",
    ),
    (
        "pydantic_ai",
        [START, {"kind": "response", "parts": [PART, {**PART, "tool_call_id": "d"}]}],
        "E_CALL_NOT_STREAMED",
    ),
    ("pydantic_ai", [START, {"kind": "response", "parts": []}], "E_CALL_NOT_IN_RESPONSE"),
    ("pydantic_ai", [START, {"kind": "response", "parts": [{**PART, "tool_name": "g"}]}], "E_NAME_CONFLICT"),
]


@pytest.mark.parametrize(("wire", "events", "code"), ROWS)
def test_a_contradiction_has_its_code(wire: str, events: list[Any], code: str) -> None:
    """Whatever else is found on the way; and nothing executes."""
    report = judged(wire, events)
    found = [*report.diagnostics, *(remark for one in report.decisions for remark in one.diagnostics)]
    assert code in {remark.code for remark in found}, found
    assert all(one.action != "execute" for one in report.decisions)


def test_each_code_of_each_wire_has_its_row() -> None:
    """What several wires share is in the row of one of them."""
    rows = {(wire, code) for wire, _, code in ROWS}
    missing = []
    for path in sorted(Path(wires.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            code = node.value if isinstance(node, ast.Constant) else None
            if isinstance(code, str) and code.startswith(("E_", "W_")) and code.isupper():
                owner = (path.stem, code) in rows or (path.stem == "fragments" and code in {one for _, one in rows})
                missing += [] if owner else [f"{path.stem}:{node.lineno} {code}"]
    assert missing == []
