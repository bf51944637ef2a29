"""Ways around the wires that were found once, each kept as its smallest input."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock import Guard
from support.judging import executed, judged, judged_bytes

TOOLS = {"f": {"type": "object"}}  # accepts `{}`
TEXT = '{"a": 1}'
DONE = "[DONE]"
CHAT = ("openai_chat", "openrouter", "mistral")


def reasons(wire: str, *events: Any, **options: Any) -> list[str]:
    """Reason of each decision, where tools take anything; the first one is of the call that matters."""
    return [d.reason for d in judged(wire, events, tools=TOOLS, **options).decisions]


def chunk(delta: Any = None, finish: Any = None, choice: int = 0) -> dict[str, Any]:
    """A chat chunk."""
    return {"choices": [{"index": choice, "delta": delta or {}, "finish_reason": finish}]}


def call(arguments: Any = None, name: Any = None, **identity: Any) -> dict[str, Any]:
    """A fragment of a chat call."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    return chunk({"tool_calls": [{**identity, "function": function}]})


OPEN = call("", "f", index=0, id="A")
END = (chunk(finish="tool_calls"), DONE)
WHOLE = (call(TEXT, "f", index=0, id="A"), *END)


# -- arguments that came for no call -----------------------------------------

ASTRAY = {
    "under another id": [OPEN, call(TEXT, index=0, id="B")],
    "under an id for each chunk": [OPEN, call(TEXT[:4], index=0, id="B"), call(TEXT[4:], index=0, id="C")],
    "with the name again": [OPEN, call(TEXT[:4], "f", index=0, id="B"), call(TEXT[4:], "f", index=0, id="C")],
    "whole, with the name again": [OPEN, call(TEXT, "f", index=0, id="B")],
    "at another index": [OPEN, call(TEXT, index=1)],
    "at an index, after a start without": [call("", "f", id="A"), call(TEXT, index=0)],
    "after the filler": [call({}, "f", index=0, id="A"), call(TEXT, index=0, id="B")],
    "in another choice": [OPEN, chunk({"tool_calls": [{"index": 0, "function": {"arguments": TEXT}}]}, choice=1)],
    "beside the function": [
        chunk({"tool_calls": [{"index": 0, "id": "A", "function": {"name": "f"}, "arguments": TEXT}]})
    ],
    "as parameters": [chunk({"tool_calls": [{"index": 0, "id": "A", "function": {"name": "f", "parameters": TEXT}}]})],
    "as custom input": [OPEN, chunk({"tool_calls": [{"index": 0, "custom": {"input": TEXT}}]})],
    "in a message": [OPEN, {"choices": [{"index": 0, "delta": {}, "message": {"tool_calls": [{"id": "A"}]}}]}],
    "as parameters of a function_call": [chunk({"function_call": {"name": "f", "parameters": TEXT}})],
}


@pytest.mark.parametrize("wire", CHAT)
@pytest.mark.parametrize("name", ASTRAY)
def test_arguments_elsewhere_never_leave_an_empty_object(wire: str, name: str) -> None:
    """A call that got none of them does not seem to need none."""
    report = judged(wire, [*ASTRAY[name], *END], tools=TOOLS)
    assert report.decisions[0].action == "reject"
    assert {} not in [value for _, _, value in executed(report)]


def test_a_call_without_arguments_still_runs() -> None:
    """Alone, and beside another that is whole or has none either."""
    assert reasons("openai_chat", OPEN, *END) == ["complete"]
    for other in (TEXT, ""):
        assert reasons("openai_chat", OPEN, call(other, "f", index=1, id="B"), *END) == ["complete", "complete"]


IDS = st.sampled_from([None, "A", "null", "B", "C"])
# A name at another index is another call, as far as anybody can tell.
PIECE = st.tuples(st.sampled_from([None, 0, 1, 7]), IDS, st.none()) | st.tuples(
    st.sampled_from([None, 0]), IDS, st.just("f")
)
PIECES = st.lists(PIECE, min_size=1, max_size=4)


@pytest.mark.parametrize("wire", [*CHAT, "langchain"])
@settings(max_examples=60, deadline=None)
@given(pieces=PIECES, start=st.sampled_from([{"index": 0, "id": "A"}, {"index": 0}, {"id": "A"}]))
def test_however_fragments_are_named_only_the_whole_text_executes(
    wire: str, pieces: list[tuple[Any, Any, Any]], start: dict[str, Any]
) -> None:
    """One call, whose fragments carry any index, id and name: all of it, or nothing."""
    events = [call("", "f", **start)]
    for at, (index, id, name) in enumerate(pieces):
        cut = slice(at * len(TEXT) // len(pieces), (at + 1) * len(TEXT) // len(pieces))
        events.append(call(TEXT[cut], name, **({} if index is None else {"index": index}), id=id))
    if wire == "langchain":
        events = [as_message(event) for event in events]
        end: tuple[Any, ...] = (message(response_metadata={"finish_reason": "tool_calls"}),)
    else:
        end = END
    assert all(value == {"a": 1} for _, _, value in executed(judged(wire, [*events, *end], tools=TOOLS)))


def message(**more: Any) -> dict[str, Any]:
    """A LangChain chunk."""
    return {"type": "AIMessageChunk", "id": "m", "content": "", **more}


def as_message(event: dict[str, Any]) -> dict[str, Any]:
    """The same fragment as LangChain tells it."""
    (fragment,) = event["choices"][0]["delta"]["tool_calls"]
    entry = {"index": fragment.get("index"), "id": fragment.get("id"), "name": fragment["function"].get("name")}
    return message(tool_call_chunks=[{**entry, "args": fragment["function"].get("arguments")}])


BLOCK = {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "A", "name": "f"}}
STOP = (
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
    {"type": "message_stop"},
)


def added(at: int = 0, **item: Any) -> dict[str, Any]:
    """A Responses item."""
    given = {"type": "function_call", "id": f"fc_{at}", "call_id": f"c{at}", "name": "f", "arguments": "", **item}
    return {"type": "response.output_item.added", "output_index": at, "item": given}


def done(at: int = 0, **item: Any) -> dict[str, Any]:
    """Its end."""
    return {**added(at, **item), "type": "response.output_item.done"}


COMPLETED = {"type": "response.completed", "response": {"status": "completed", "output": []}}
STARTED = {"event_id": "e", "type": "response.output_item.added", "response_id": "r"}
HELD = {"type": "function_call", "name": "f"}

MISPLACED = {
    "anthropic, a text delta": (
        "anthropic",
        [BLOCK, {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": TEXT}}, *STOP],
    ),
    "anthropic, a delta without a type": (
        "anthropic",
        [BLOCK, {"type": "content_block_delta", "index": 0, "delta": {"partial_json": TEXT}}, *STOP],
    ),
    "anthropic, beside input": (
        "anthropic",
        [{**BLOCK, "content_block": {**BLOCK["content_block"], "arguments": TEXT}}, *STOP],
    ),
    "bedrock, a text delta": (
        "bedrock_converse",
        [
            {"contentBlockStart": {"contentBlockIndex": 0, "start": {"toolUse": {"toolUseId": "A", "name": "f"}}}},
            {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": TEXT}}},
            {"contentBlockStop": {"contentBlockIndex": 0}},
            {"messageStop": {"stopReason": "tool_use"}},
        ],
    ),
    "cohere, as parameters": (
        "cohere_v2",
        [
            {
                "type": "tool-call-start",
                "index": 0,
                "delta": {"message": {"tool_calls": {"id": "A", "function": {"name": "f", "parameters": {"a": 1}}}}},
            },
            {"type": "tool-call-end", "index": 0},
            {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}},
        ],
    ),
    "gemini, as arguments": (
        "gemini",
        [
            {
                "candidates": [
                    {
                        "content": {"parts": [{"functionCall": {"name": "f", "arguments": {"a": 1}}}]},
                        "finishReason": "STOP",
                    }
                ]
            }
        ],
    ),
    "ollama, as parameters": (
        "ollama",
        [
            {"message": {"tool_calls": [{"function": {"name": "f", "parameters": {"a": 1}}}]}, "done": False},
            {"message": {}, "done": True, "done_reason": "stop"},
        ],
    ),
    "responses, an object": ("openai_responses", [added(), done(arguments={"a": 1}), COMPLETED]),
    "responses, as input": ("openai_responses", [added(arguments=None, input=TEXT), done(arguments=None), COMPLETED]),
    "responses, for an mcp call": (
        "openai_responses",
        [added(), {"type": "response.mcp_call_arguments.delta", "output_index": 0, "delta": TEXT}, done(), COMPLETED],
    ),
    "responses, a delta that is none": (
        "openai_responses",
        [
            added(),
            {"type": "response.function_call_arguments.delta", "output_index": 0, "arguments": TEXT},
            done(),
            COMPLETED,
        ],
    ),
    "realtime, an object": (
        "openai_realtime",
        [
            {**STARTED, "output_index": 0, "item": {**HELD, "id": "i", "call_id": "A"}},
            {
                **STARTED,
                "type": "response.output_item.done",
                "output_index": 0,
                "item": {**HELD, "id": "i", "call_id": "A", "arguments": {"a": 1}},
            },
            {"type": "response.done", "response": {"id": "r", "status": "completed"}},
        ],
    ),
    "ai_sdk, as args": (
        "ai_sdk",
        [
            {"type": "tool-call", "toolCallId": "A", "toolName": "f", "args": {"a": 1}},
            {"type": "finish-step", "finishReason": "tool-calls"},
            {"type": "finish", "finishReason": "tool-calls"},
        ],
    ),
    "ai_sdk_ui, as delta": (
        "ai_sdk_ui",
        [
            {"type": "tool-input-start", "toolCallId": "A", "toolName": "f"},
            {"type": "tool-input-delta", "toolCallId": "A", "delta": TEXT},
            {"type": "tool-input-available", "toolCallId": "A", "toolName": "f"},
            {"type": "finish", "finishReason": "tool-calls"},
        ],
    ),
    "ag_ui, as args": (
        "ag_ui",
        [
            {"type": "RUN_STARTED"},
            {"type": "TOOL_CALL_START", "toolCallId": "A", "toolCallName": "f"},
            {"type": "TOOL_CALL_ARGS", "toolCallId": "A", "args": TEXT},
            {"type": "TOOL_CALL_END", "toolCallId": "A"},
            {"type": "RUN_FINISHED"},
        ],
    ),
    "ai_python, an object": (
        "ai_python",
        [
            {"kind": "stream_start"},
            {"kind": "tool_start", "tool_call_id": "A", "tool_name": "f"},
            {
                "kind": "tool_end",
                "tool_call_id": "A",
                "tool_call": {"tool_call_id": "A", "tool_name": "f", "tool_args": {"a": 1}},
            },
            {"kind": "stream_end", "finish_reason": "tool_call"},
        ],
    ),
    "mistral conversations, under another id": (
        "mistral",
        [
            {"type": "function.call.delta", "tool_call_id": "A", "name": "f", "arguments": "", "output_index": 0},
            {"type": "function.call.delta", "tool_call_id": "B", "name": "f", "arguments": TEXT, "output_index": 0},
            {"type": "conversation.response.done"},
        ],
    ),
}


@pytest.mark.parametrize("name", MISPLACED)
def test_arguments_in_the_wrong_place_never_leave_an_empty_object(name: str) -> None:
    """On every wire that has the place."""
    wire, events = MISPLACED[name]
    assert judged(wire, events, tools=TOOLS).decisions[0].action == "reject"


def test_an_id_of_another_item_spoils_both() -> None:
    """What was meant for the one is missing in the other."""
    crossed = {"type": "response.function_call_arguments.delta", "output_index": 0, "item_id": "fc_1", "delta": TEXT}
    events = [added(), added(1), crossed, done(arguments=TEXT), done(1), COMPLETED]
    assert reasons("openai_responses", *events) == ["protocol_violation"] * 2


# -- results on the stream ---------------------------------------------------

OLLAMA = [
    {"message": {"tool_calls": [{"function": {"name": "f", "arguments": TEXT}}]}, "done": False},
    {"message": {}, "done": True, "done_reason": "stop"},
]
RESPONSES = [added(), done(arguments=TEXT)]


def realtime(*more: Any) -> list[Any]:
    """A whole realtime call, with events before the end of its response."""
    item = {**HELD, "id": "i", "call_id": "A", "arguments": TEXT}
    return [
        {**STARTED, "output_index": 0, "item": {**item, "arguments": ""}},
        {**STARTED, "type": "response.output_item.done", "output_index": 0, "item": item},
        *more,
        {"type": "response.done", "response": {"id": "r", "status": "completed"}},
    ]


def block(kind: str, id: str | None) -> list[Any]:
    """A result block of Anthropic."""
    given = {"type": kind, "tool_use_id": id}
    return [
        {"type": "content_block_start", "index": 1, "content_block": given},
        {"type": "content_block_stop", "index": 1},
    ]


RAN = {
    "chat, a tool's message": ("openai_chat", [WHOLE[0], chunk({"role": "tool", "tool_call_id": "A"}), *END]),
    "chat, after the finish reason": (
        "openai_chat",
        [*WHOLE[:2], chunk({"role": "tool", "tool_call_id": "A", "content": "x"})],
    ),
    "chat, a message that names none": ("openai_chat", [WHOLE[0], chunk({"role": "tool"}), *END]),
    "chat, LiteLLM's results": (
        "openai_chat",
        [WHOLE[0], chunk({"provider_specific_fields": {"mcp_call_results": [{"tool_call_id": "A"}]}}), *END],
    ),
    "anthropic": ("anthropic", [BLOCK, STOP[0], *block("tool_result", "A"), *STOP[1:]]),
    "anthropic, mcp": ("anthropic", [BLOCK, STOP[0], *block("mcp_tool_result", "A"), *STOP[1:]]),
    "anthropic, no id": ("anthropic", [BLOCK, STOP[0], *block("tool_result", None), *STOP[1:]]),
    "ollama": ("ollama", [OLLAMA[0], {"message": {"role": "tool", "content": "x"}, "done": False}, OLLAMA[1]]),
    "realtime, no id": (
        "openai_realtime",
        realtime({"type": "conversation.item.added", "item": {"type": "function_call_output"}}),
    ),
    "realtime, in the response": (
        "openai_realtime",
        realtime({**STARTED, "output_index": 1, "item": {"type": "function_call_output", "call_id": "A"}}),
    ),
    "bedrock, no id": (
        "bedrock_converse",
        [
            {"contentBlockStart": {"contentBlockIndex": 0, "start": {"toolUse": {"toolUseId": "A", "name": "f"}}}},
            {"contentBlockStop": {"contentBlockIndex": 0}},
            {"contentBlockStart": {"contentBlockIndex": 1, "start": {"toolResult": {}}}},
            {"messageStop": {"stopReason": "tool_use"}},
        ],
    ),
    "gemini, an id that the call lacks": (
        "gemini",
        [
            {"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "args": {}}}]}}]},
            {"candidates": [{"content": {"parts": [{"functionResponse": {"name": "f", "id": "A"}}]}}]},
            {"candidates": [{"finishReason": "STOP"}]},
        ],
    ),
    "mistral, the SDK's runner": (
        "mistral",
        [
            {"type": "function.call.delta", "tool_call_id": "A", "name": "f", "arguments": TEXT},
            {"type": "conversation.response.done"},
            {"type": "function.result", "tool_call_id": "A", "result": "x"},
        ],
    ),
    **{
        f"responses, {kind}, {where}": (
            "openai_responses",
            {
                "added": [*RESPONSES, added(1, type=kind, call_id="c0"), COMPLETED],
                "done": [*RESPONSES, done(1, type=kind, call_id="c0"), COMPLETED],
                "in the output": [
                    *RESPONSES,
                    {
                        **COMPLETED,
                        "response": {
                            "output": [RESPONSES[1]["item"], {"type": kind, "call_id": "c0"}],
                        },
                    },
                ],
            }[where],
        )
        for kind in ("function_call_output", "custom_tool_call_output", "local_shell_call_output")
        for where in ("added", "done", "in the output")
    },
}


def test_a_result_of_another_call_says_nothing() -> None:
    """The call has an id, and the result another one."""
    assert reasons("openai_chat", WHOLE[0], chunk({"role": "tool", "tool_call_id": "B"}), *END) == ["complete"]


@pytest.mark.parametrize("name", RAN)
def test_a_result_on_the_stream_says_that_the_call_was_run(name: str) -> None:
    """For the call that it names, or for all."""
    wire, events = RAN[name]
    assert reasons(wire, *events)[0] == "sdk_execution_observed"


def test_results_of_the_providers_own_tools_say_nothing_of_the_clients() -> None:
    """A search that the provider ran, beside a call."""
    server = {"type": "content_block_start", "index": 2, "content_block": {"type": "server_tool_use", "id": "S"}}
    stop = {"type": "content_block_stop", "index": 2}
    events = [BLOCK, STOP[0], server, stop, *block("web_search_tool_result", "S"), *STOP[1:]]
    assert reasons("anthropic", *events) == ["complete", "server_executed"]
    shell = {"type": "shell_call", "call_id": "S", "environment": {"type": "container_reference"}}
    output = added(2, type="shell_call_output", call_id="S")
    assert reasons("openai_responses", *RESPONSES, added(1, **shell), done(1, **shell), output, COMPLETED) == [
        "complete",
        "server_executed",
    ]


# -- what comes after the end ------------------------------------------------

LATE = {
    "chat, the answer": ("openai_chat", [*WHOLE[:1], chunk(finish="stop"), chunk({"content": "Sunny."})]),
    "chat, the answer and its end": (
        "openai_chat",
        [*WHOLE[:1], chunk(finish="stop"), chunk({"content": "Sunny."}), chunk(finish="stop"), DONE],
    ),
    "chat, reasoning": ("openai_chat", [*WHOLE, chunk({"reasoning_content": "x"})]),
    "mistral, parts": ("mistral", [*WHOLE, chunk({"content": [{"type": "text", "text": "x"}]})]),
    "chat, arguments after the marker": (
        "openai_chat",
        [call('{"a":', "f", index=0, id="A"), DONE, call("1}", index=0), chunk(finish="tool_calls")],
    ),
    "chat, a finish reason after the marker": ("openai_chat", [WHOLE[0], DONE, chunk(finish="tool_calls")]),
    "chat, a call after the marker": (
        "openai_chat",
        [*WHOLE, chunk({"tool_calls": [{"index": 0, "id": "B", "function": {"name": "f"}}]}, choice=1)],
    ),
    "responses": (
        "openai_responses",
        [*RESPONSES, COMPLETED, {"type": "response.output_text.delta", "output_index": 1, "delta": "x"}],
    ),
    "gemini": (
        "gemini",
        [
            {
                "candidates": [
                    {
                        "content": {"parts": [{"functionCall": {"name": "f", "args": {}}}]},
                        "finishReason": "STOP",
                    }
                ]
            },
            {"candidates": [{"content": {"parts": [{"text": "Sunny."}]}, "finishReason": "STOP"}]},
        ],
    ),
    "ollama": ("ollama", [*OLLAMA, {"message": {"content": "Sunny."}, "done": False}]),
    "ag_ui": (
        "ag_ui",
        [
            *MISPLACED["ag_ui, as args"][1][:2],
            {"type": "TOOL_CALL_END", "toolCallId": "A"},
            {"type": "RUN_FINISHED"},
            {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "x"},
        ],
    ),
    "ai_sdk": (
        "ai_sdk",
        [
            {"type": "tool-input-start", "id": "A", "toolName": "f"},
            {"type": "tool-input-delta", "id": "A", "delta": TEXT},
            {"type": "tool-call", "toolCallId": "A", "toolName": "f", "input": {"a": 1}},
            {"type": "finish", "finishReason": "tool-calls"},
            {"type": "text-delta", "text": "x"},
        ],
    ),
    "langchain": (
        "langchain",
        [
            as_message(call(TEXT, "f", index=0, id="A")),
            message(response_metadata={"finish_reason": "tool_calls"}),
            message(content="Sunny."),
        ],
    ),
    "claude_agent": (
        "claude_agent",
        [
            {"type": "stream_event", "event": {"type": "message_start", "message": {"id": "m"}}},
            *({"type": "stream_event", "event": event} for event in (BLOCK, *STOP)),
            {"type": "result", "subtype": "success"},
            {"type": "assistant", "message": {"id": "m2", "content": [{"type": "text", "text": "x"}]}},
        ],
    ),
}


@pytest.mark.parametrize("name", LATE)
def test_what_follows_a_turns_end_speaks_against_its_calls(name: str) -> None:
    """Somebody ran the call and went on, or the order is not what it seems; without the last event it runs."""
    wire, events = LATE[name]
    options = {"trust_projections": wire == "gemini"}
    assert reasons(wire, *events, **options)[0] == "protocol_violation"


@pytest.mark.parametrize(
    "more",
    [
        chunk({"content": ""}),
        chunk({"content": None, "reasoning": "", "reasoning_content": None}),
        chunk({"role": "assistant", "content": ""}, "tool_calls"),
        chunk({"content": []}),
        chunk({"content": [{"type": "text", "text": ""}]}),
        {"choices": [], "usage": {"completion_tokens": 1}},
        DONE,
        {"choices": [{"index": 0, "delta": {}, "content_filter_results": {}}]},
    ],
)
@pytest.mark.parametrize("marker", [[], [DONE]])
def test_what_adds_nothing_after_the_end_stays_harmless(more: Any, marker: list[Any]) -> None:
    """Usage, a second marker, empty fields."""
    assert executed(judged("openai_chat", [*WHOLE[:2], *marker, more])) == [("A", "f", {"a": 1})]


def test_content_after_the_end_is_seen_in_the_official_clients_chunks() -> None:
    """They have a way of their own through the adapter."""
    types = pytest.importorskip("openai.types.chat")

    def typed(event: dict[str, Any]) -> Any:
        frame = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        return types.ChatCompletionChunk.model_validate({**frame, **event})

    late = [*map(typed, (*WHOLE[:2], chunk({"content": "Sunny."})))]
    assert reasons("openai_chat", *late) == ["protocol_violation"]
    ran = [*map(typed, (WHOLE[0], chunk({"role": "tool", "content": "x"}), WHOLE[1]))]
    assert reasons("openai_chat", *ran) == ["sdk_execution_observed"]
    assert reasons("openai_chat", *map(typed, WHOLE[:2])) == ["complete"]


# -- LangChain's invalid calls -----------------------------------------------

INVALID = {"name": "f", "args": TEXT, "id": "A", "error": None}
ENDED = {"response_metadata": {"finish_reason": "tool_calls"}}


def test_invalid_calls_of_a_whole_message_are_malformed() -> None:
    """With an error or without; also those that an error stands beside in a chunk, or in the sum of streamed ones."""
    for error in (None, "no JSON"):
        whole = {"type": "ai", "id": "m", "content": "", "invalid_tool_calls": [{**INVALID, "error": error}], **ENDED}
        assert reasons("langchain", whole) == ["malformed"]
    streamed = as_message(call(TEXT, "f", index=0, id="A"))
    wrong = [{**INVALID, "error": "no JSON"}]
    assert reasons("langchain", {**streamed, "invalid_tool_calls": wrong}, message(**ENDED)) == ["malformed"]
    summed = {"type": "ai", "id": "m", "content": "", "invalid_tool_calls": wrong}
    assert reasons("langchain", streamed, message(**ENDED), summed) == ["malformed"]


def test_partial_calls_of_chunks_are_no_fault() -> None:
    """The framework lists what is not whole yet as invalid."""
    first = as_message(call(TEXT[:4], "f", index=0, id="A"))
    first["invalid_tool_calls"] = [{**INVALID, "args": TEXT[:4]}]
    rest = as_message(call(TEXT[4:], index=0))
    summed = {"type": "ai", "id": "m", "content": "", "invalid_tool_calls": [INVALID]}
    assert reasons("langchain", first, rest, message(**ENDED), summed) == ["complete"]


# -- errors by name, and in plain objects ------------------------------------


def sse(*events: tuple[str, Any]) -> bytes:
    """A body of named events."""
    return b"".join(f"event: {name}\ndata: {json.dumps(event)}\n\n".encode() for name, event in events)


ANTHROPIC = [BLOCK, *STOP]
BODIES = {
    "anthropic": sse(*((event["type"], event) for event in ANTHROPIC)),
    "openai_chat": sse(*(("message", event) for event in WHOLE[:2])),
    "openai_responses": sse(*((event["type"], event) for event in (*RESPONSES, COMPLETED))),
    "ai_sdk": sse(*(("x", event) for event in LATE["ai_sdk"][1][:-1])),
    "ag_ui": sse(*(("x", event) for event in LATE["ag_ui"][1][:-1])),
}


@pytest.mark.parametrize("wire", BODIES)
@pytest.mark.parametrize(
    "data",
    [
        b'data: {"message": "overloaded"}\n',
        b'data: {"type": "error", "error": {"type": "overloaded_error"}}\n',
        b'data: {"type": "error", "code": "x"}\n',
        b'data: {"choices": []}\n',
        b"data: overloaded\n",
        b"",
    ],
)
@pytest.mark.parametrize("name", [b"event: error\n", b"event:error\r\n"])
def test_an_event_named_error_is_the_providers_error(wire: str, data: bytes, name: bytes) -> None:
    """Whatever its data is; the vendors' clients raise on the name."""
    assert executed(judged_bytes(wire, [BODIES[wire]], tools=TOOLS))
    for order in (name + data, data + name):
        report = judged_bytes(wire, [BODIES[wire], order, b"\n"], tools=TOOLS)
        # A wire that an event has ended takes nothing else for the reason.
        ends = "protocol_violation" if wire == "ai_sdk" else "provider_error"
        assert [d.reason for d in report.decisions] == [ends]
    cut = judged_bytes(wire, [BODIES[wire], name.strip()], tools=TOOLS)
    assert not executed(cut)


def test_the_name_of_one_event_does_not_stick_to_the_next() -> None:
    """A name belongs to its own event."""
    guard = Guard("openai_chat", tools=TOOLS)
    guard.push_bytes(b"event: errors\n\nevent: message\n\n" + BODIES["openai_chat"])
    assert len(executed(guard.finish())) == 1


@pytest.mark.parametrize(
    ("wire", "events"),
    [
        ("anthropic", ANTHROPIC),
        ("openai_chat", WHOLE),
        ("openai_responses", [*RESPONSES, COMPLETED]),
        ("ollama", OLLAMA),
        ("ai_sdk", LATE["ai_sdk"][1][:-1]),
        ("ag_ui", LATE["ag_ui"][1][:-1]),
        ("cohere_v2", MISPLACED["cohere, as parameters"][1]),
    ],
)
@pytest.mark.parametrize(
    ("error", "word"),
    [
        ({"detail": "x"}, "x"),
        ({"error_code": "x"}, "x"),
        ({"error_message": "x"}, "x"),
        ({"errors": ["x"]}, "error"),
        ({"error": "x"}, "x"),
        ({"error": {"code": 5}}, "5"),
        ({"error": {"x": 5}}, "error"),
        ({"error": {"code": "c", "type": "t"}}, "c"),
        ({"error": {"type": "t"}}, "t"),
    ],
)
def test_a_plain_object_that_reports_an_error_is_one(wire: str, events: Any, error: Any, word: str) -> None:
    """As gateways and frameworks in front of a model write it, in a shape that is not the wire's."""
    assert reasons(wire, *events, error)[0] == ("protocol_violation" if wire == "ai_sdk" else "provider_error")
    if wire == "openai_chat":
        (decision,) = judged(wire, [*events[:1], error]).decisions
        assert decision.evidence.provider_reason == word


# -- GitHub Copilot's item ids -----------------------------------------------


def rotated(*, copies: bool = True, index: Any = 0, id: str = "x") -> list[Any]:
    """One call, whose every event has another id."""
    text = {"arguments": TEXT} if copies else {"arguments": None}
    delta = {"type": "response.function_call_arguments.delta", "output_index": index}
    done_text = {"type": "response.function_call_arguments.done", "output_index": index, "item_id": "z", **text}
    return [
        added(),
        {**delta, "item_id": id, "delta": TEXT[:4]},
        {**delta, "item_id": "y", "delta": TEXT[4:]},
        *([done_text] if copies else []),
        done(id="w", **text),
        {**COMPLETED, "response": {"output": [{**added()["item"], "id": "v", **text}]}},
    ]


def test_ids_that_are_known_nowhere_else_are_a_remark_where_the_index_tells() -> None:
    """All copies agree."""
    report = judged("openai_responses", rotated(), tools=TOOLS)
    assert executed(report) == [("c0", "f", {"a": 1})]
    assert [d.code for d in report.decisions[0].diagnostics] == ["W_ITEM_ID"]
    single = judged("openai_responses", [added(), done(id="w", arguments=TEXT), COMPLETED])
    assert executed(single) == [("c0", "f", {"a": 1})]


@pytest.mark.parametrize(
    "events",
    [
        rotated(copies=False),
        rotated(index=None),
        rotated(index=3),
        [added(1), *rotated(id="fc_1")],
        [*rotated()[:2], added(1, id="x"), {**rotated()[2], "item_id": "x"}, *rotated()[3:]],
        [*rotated()[:3], {**rotated()[1], "delta": " "}, *rotated()[3:]],  # more text than the copies have
        [*rotated()[:4], done(id="w", arguments='{"a": 2}'), COMPLETED],
        [*rotated()[:4], done(id="w", call_id="other", arguments=TEXT), COMPLETED],
    ],
)
def test_unknown_ids_prove_nothing_by_themselves(events: list[Any]) -> None:
    """Without a copy, without a known index, with an id of another item, or where a copy disagrees."""
    assert {d.reason for d in judged("openai_responses", events).decisions if d.call_id == "c0"} == {
        "protocol_violation"
    }


# -- what an event is ---------------------------------------------------------


def pieces(wire: str) -> tuple[str, list[dict[str, Any]]]:
    """A call in three pieces, and the word for what the events of the pieces are; whole without the middle one, too."""
    three = ('{"a":"x', "y", 'z"}')
    if wire == "anthropic":
        start = {"type": "tool_use", "id": "c1", "name": "f", "input": {}}
        deltas = [{"delta": {"type": "input_json_delta", "partial_json": one}, "index": 0} for one in three]
        end = [{"type": "message_delta", "delta": {"stop_reason": "tool_use"}}, {"type": "message_stop"}]
        kind, first = "content_block_delta", {"type": "content_block_start", "index": 0, "content_block": start}
        end = [{"type": "content_block_stop", "index": 0}, *end]
    elif wire == "cohere_v2":
        deltas = [{"index": 0, "delta": {"message": {"tool_calls": {"function": {"arguments": one}}}}} for one in three]
        made = {"id": "c1", "function": {"name": "f", "arguments": ""}}
        kind, first = "tool-call-delta", {"type": "tool-call-start", "index": 0}
        first["delta"] = {"message": {"tool_calls": made}}
        end = [{"type": "tool-call-end", "index": 0}, {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}}]
    elif wire == "ag_ui":
        deltas = [{"toolCallId": "c1", "delta": one} for one in three]
        kind, first = "TOOL_CALL_ARGS", {"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "f"}
        end = [{"type": "TOOL_CALL_END", "toolCallId": "c1"}, {"type": "RUN_FINISHED", "runId": "r", "threadId": "t"}]
    else:
        deltas = [{"id": "m", "tool_call_chunks": [{"index": 0, "args": one}]} for one in three]
        kind, first = "AIMessageChunk", {"type": "AIMessageChunk", "id": "m"}
        first["tool_call_chunks"] = [{"index": 0, "id": "c1", "name": "f", "args": ""}]
        end = [{"type": "AIMessageChunk", "id": "m", "response_metadata": {"finish_reason": "tool_calls"}}]
    return kind, [first, *({"type": kind, **delta} for delta in deltas), *end]


@pytest.mark.parametrize("wire", ["anthropic", "cohere_v2", "ag_ui", "langchain"])
@pytest.mark.parametrize("said", [..., None, "", 0, True])
def test_a_piece_of_a_call_in_an_event_without_a_word_is_lost(wire: str, said: Any) -> None:
    """What it says is missing in the middle, and nothing else would show that."""
    kind, events = pieces(wire)
    assert executed(judged(wire, events)) == [("c1", "f", {"a": "xyz"})]
    middle = {**events[2], "type": said}
    if said is ...:
        del middle["type"]
    assert events[2]["type"] == kind
    assert executed(judged(wire, [*events[:2], middle, *events[3:]])) == []


def test_a_piece_in_a_message_without_an_id_may_be_the_call_of_another() -> None:
    """LangChain adds chunks without an id to the message before them."""
    _, events = pieces("langchain")
    lost = {key: value for key, value in events[2].items() if key != "id"}
    report = judged("langchain", [*events[:2], lost, *events[3:]])
    assert executed(report) == [] and "E_STRAY_ARGUMENTS" in {one.code for one in report.diagnostics}


@pytest.mark.parametrize("said", ["new_word", True, "", {}])
def test_a_tool_block_of_another_sort_is_not_the_callers(said: Any) -> None:
    """Bedrock has one sort with a word, which the provider runs; the caller's have none."""
    start = {"contentBlockIndex": 0, "start": {"toolUse": {"toolUseId": "c1", "name": "f", "type": said}}}
    events = [
        {"contentBlockStart": start},
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"toolUse": {"input": "{}"}}}},
        {"contentBlockStop": {"contentBlockIndex": 0}},
        {"messageStop": {"stopReason": "tool_use"}},
    ]
    assert reasons("bedrock_converse", *events) == ["server_executed"]
    del start["start"]["toolUse"]["type"]  # type: ignore[index]
    assert reasons("bedrock_converse", *events) == ["complete"]
