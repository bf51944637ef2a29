"""What each wire does in its rarer corners, wire by wire: what counts as run, what begins anew, what is passed on."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from interlock import Guard, Limits
from interlock.stream.wires import WIRES
from support.judging import codes, executed, judged, judged_bytes

OBJECT = {"type": "object"}
LANGCHAIN = {"index": 0, "id": "c", "name": "f", "args": "{}", "type": "tool_call_chunk"}


def reasons(report: Any) -> list[str]:
    return [one.reason for one in report.decisions]


# -- any event, first -----------------------------------------------------------

ODD: list[Any] = [
    {},
    {"type": "x"},
    {"type": None},
    {"kind": "text_delta"},
    {"kind": "reasoning_delta"},
    {"event_kind": "part_end"},
    SimpleNamespace(),
    SimpleNamespace(type="content_block_delta"),
    SimpleNamespace(type=None, index=0),
    {"message": None, "done": True},
    {"choices": None},
    {"choices": [None]},
    {"candidates": [None]},
    {"data": None},
    {"type": "response.done", "response": None},
    {"type": "response.done", "response": {"output": [{"type": "message"}, {"type": "function_call"}]}},
]


@pytest.mark.parametrize("wire", sorted(WIRES))
@pytest.mark.parametrize("event", ODD, ids=[str(at) for at in range(len(ODD))])
def test_no_event_breaks_an_adapter_that_has_seen_nothing(wire: str, event: Any) -> None:
    report = judged(wire, [event, event])
    assert "E_INTERNAL" not in {one.code for one in report.diagnostics}


# -- a response that begins anew --------------------------------------------------

BLOCKS = [
    {"type": "message_start", "message": {"id": "m"}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "t", "name": "f"}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": '{"a":1}'}},
    {"type": "content_block_stop", "index": 0},
]
PYTHON = [
    {"kind": "stream_start"},
    {"kind": "tool_start", "tool_call_id": "c", "tool_name": "f"},
    {"kind": "tool_delta", "tool_call_id": "c", "chunk": '{"a":1}'},
    {"kind": "tool_end", "tool_call_id": "c"},
]
GEMINI = [
    {"responseId": "r1", "candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "args": {"a": 1}}}]}}]}
]
BEGIN_ANEW: list[tuple[str, list[Any], list[Any]]] = [
    ("anthropic", BLOCKS, [{"type": "message_start", "message": {"id": "n"}}]),
    ("ai_python", PYTHON, [{"kind": "stream_start"}]),
    ("gemini", GEMINI, [{"responseId": "r2", "candidates": [{"content": {"parts": [{"text": "x"}]}}]}]),
    (
        "ag_ui",
        [
            {"type": "RUN_STARTED"},
            {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"},
            {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": '{"a":1}'},
            {"type": "TOOL_CALL_END", "toolCallId": "c"},
        ],
        [{"type": "RUN_STARTED"}],
    ),
]


@pytest.mark.parametrize(("wire", "first", "again"), BEGIN_ANEW)
def test_what_came_before_a_new_beginning_is_never_confirmed(wire: str, first: list[Any], again: list[Any]) -> None:
    """Not by a clean end either, which the control run shows to confirm it without the new beginning."""
    options: dict[str, Any] = {"confirm_on_done": True, "trust_projections": True}
    assert executed(judged(wire, first, **options))
    assert not executed(judged(wire, [*first, *again], **options))


def test_a_later_response_of_the_ai_package_repeats_no_call() -> None:
    end = {"kind": "stream_end", "finish_reason": "tool_call", "provider_metadata": {}}
    report = judged("ai_python", [*PYTHON, end, *PYTHON, end])
    assert len(report.decisions) == 2
    assert executed(report) == [("c", "f", {"a": 1})]


# -- values and who runs a call ----------------------------------------------------


def test_a_call_of_the_ai_sdk_that_was_not_streamed_ends_by_itself() -> None:
    call = {"type": "tool-call", "toolCallId": "c", "toolName": "f", "input": {"a": 1}}
    end = [{"type": "finish-step", "finishReason": "tool-calls"}, {"type": "finish", "finishReason": "tool-calls"}]
    assert executed(judged("ai_sdk", [call, *end], trust_projections=True)) == [("c", "f", {"a": 1})]


@pytest.mark.parametrize("given", ['{"a":1}', {"a": 1}])
def test_input_in_the_start_of_bedrocks_block_counts(given: Any) -> None:
    start = {"toolUse": {"toolUseId": "c", "name": "f", "input": given}}
    events = [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockStart": {"contentBlockIndex": 0, "start": start}},
        {"contentBlockStop": {"contentBlockIndex": 0}},
        {"messageStop": {"stopReason": "tool_use"}},
    ]
    assert executed(judged("bedrock_converse", events, trust_projections=True)) == [("c", "f", {"a": 1})]


def test_a_message_of_a_tool_on_coheres_wire_counts_as_run() -> None:
    message = {"role": "tool", "tool_call_id": "c"}
    start = {
        "index": 0,
        "delta": {"message": {"tool_calls": {"id": "c", "function": {"name": "f", "arguments": "{}"}}}},
    }
    events = [
        {"type": "message-start", "delta": {"message": message}},
        {"type": "tool-call-start", **start},
        {"type": "tool-call-end", "index": 0},
        {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}},
    ]
    assert reasons(judged("cohere_v2", events)) == ["sdk_execution_observed"]
    assert executed(judged("cohere_v2", events[1:])) == [("c", "f", {})]


@pytest.mark.parametrize("index", ["0", True, None])
def test_what_is_no_index_of_cohere_is_nobodys(index: Any) -> None:
    delta = {"message": {"tool_calls": {"function": {"arguments": "{}"}}}}
    report = judged("cohere_v2", [{"type": "tool-call-delta", "index": index, "delta": delta}])
    assert "E_UNKNOWN_CALL" in {one.code for one in report.diagnostics}


@pytest.mark.parametrize("kind", ["created", "added", "done"])
def test_an_answer_on_a_realtime_connection_uses_up_the_call(kind: str) -> None:
    item = {"id": "i", "type": "function_call", "call_id": "c", "name": "f", "arguments": "{}", "status": "completed"}
    events = [
        {"type": "response.created", "response": {"id": "r"}},
        {
            "type": "response.output_item.added",
            "response_id": "r",
            "output_index": 0,
            "item": {**item, "arguments": ""},
        },
        {
            "type": "response.function_call_arguments.done",
            "response_id": "r",
            "item_id": "i",
            "output_index": 0,
            "call_id": "c",
            "arguments": "{}",
        },
        {"type": "response.output_item.done", "response_id": "r", "output_index": 0, "item": item},
        {"type": "response.done", "response": {"id": "r", "status": "completed", "output": [item]}},
    ]
    answer = {"type": f"conversation.item.{kind}", "item": {"type": "function_call_output", "call_id": "c"}}
    guard = Guard("openai_realtime")
    for event in events:
        guard.push(event)
    assert executed(guard.finish("still_open"))
    guard.push(answer)
    assert guard.take("call-0") is None


def test_a_call_that_a_realtime_response_ends_without_is_refused() -> None:
    item = {"id": "i", "type": "function_call", "call_id": "c", "name": "f", "arguments": "{}", "status": "completed"}
    other = {**item, "id": "j", "call_id": "d"}
    events = [{"type": "response.created", "response": {"id": "r"}}]
    for at, one in enumerate((item, other)):
        events.append(
            {
                "type": "response.output_item.added",
                "response_id": "r",
                "output_index": at,
                "item": {**one, "arguments": ""},
            }
        )
        events.append({"type": "response.output_item.done", "response_id": "r", "output_index": at, "item": one})
    events.append({"type": "response.done", "response": {"id": "r", "status": "completed", "output": [item]}})
    report = judged("openai_realtime", events)
    assert reasons(report)[1] == "protocol_violation"


def test_a_connector_of_mistrals_is_the_providers_own() -> None:
    events = [
        {"type": "tool.execution.started", "id": "x", "name": "web_search", "arguments": '{"q":1}'},
        {"type": "conversation.response.done", "usage": {}},
    ]
    (decision,) = judged("mistral", events).decisions
    assert (decision.reason, decision.evidence.received_bytes) == ("server_executed", 7)


@pytest.mark.parametrize("status", ["".join(("den", "ied")), "pending"])
def test_a_call_of_mistrals_that_waits_or_was_denied_is_held(status: str) -> None:
    call = {"type": "function.call.delta", "tool_call_id": "c", "name": "f", "arguments": "{}"}
    events = [{**call, "confirmation_status": status}, {"type": "conversation.response.done", "usage": {}}]
    (decision,) = judged("mistral", events).decisions
    assert decision.evidence.end_reason == ("cancelled" if status == "denied" else "paused")


@pytest.mark.parametrize("status", ["new_word", 1, True])
def test_a_status_of_mistrals_that_is_no_known_word_holds_the_call(status: object) -> None:
    call = {"type": "function.call.delta", "tool_call_id": "c", "name": "f", "arguments": "{}"}
    end = {"type": "conversation.response.done", "usage": {}}
    assert executed(judged("mistral", [{**call, "confirmation_status": status}, end])) == []
    assert executed(judged("mistral", [{**call, "confirmation_status": "allowed"}, end])) == [("c", "f", {})]


def test_an_event_of_mistral_with_a_type_and_choices_is_a_chunk() -> None:
    call = {"index": 0, "id": "c", "function": {"name": "f", "arguments": "{}"}}
    chunk = {"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}
    assert executed(judged("mistral", [{"type": "function.call.delta", "choices": [chunk]}])) == [("c", "f", {})]


@pytest.mark.parametrize(
    "kind",
    [
        *("server_tool_use", "mcp_tool_use", "server_tool_call", "server_tool_call_chunk", "web_search_call"),
        *("file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call"),
    ],
)
def test_each_word_of_langchain_for_a_providers_tool(kind: str) -> None:
    chunk = {"type": "AIMessageChunk", "id": "m", "content": [{"type": kind, "id": "s", "name": "g", "index": 0}]}
    end = {"type": "AIMessageChunk", "id": "m", "content": "", "response_metadata": {"finish_reason": "stop"}}
    assert reasons(judged("langchain", [chunk, end])) == ["server_executed"]


# -- what the agents' sdk makes up ---------------------------------------------------


@pytest.mark.parametrize("known_from", ["created", "terminal"])
@pytest.mark.parametrize(
    ("kind", "details", "reason"),
    [
        ("response.failed", None, "provider_error"),
        ("response.incomplete", {"reason": "max_output_tokens"}, "length"),
        ("response.incomplete", {"reason": "content_filter"}, "content_filtered"),
        ("response.incomplete", None, "unknown"),
    ],
)
def test_a_made_up_end_that_speaks_against_the_response_is_believed(
    kind: str, details: Any, reason: str, known_from: str
) -> None:
    item = {"type": "function_call", "id": "i", "call_id": "c", "name": "f", "arguments": "{}"}
    fake = "__fake_id__"
    events = [
        {"type": "response.created", "response": {"id": fake if known_from == "created" else "r"}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "arguments": ""}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": kind, "response": {"id": fake, "incomplete_details": details}},
    ]
    raw = [{"type": "raw_response_event", "data": event} for event in events]
    assert executed(judged("openai_agents", raw[:-1], confirm_on_done=True))
    (decision,) = judged("openai_agents", raw, confirm_on_done=True).decisions
    assert (decision.action != "execute", decision.evidence.end_reason) == (True, reason)


# -- words of errors, and sizes -------------------------------------------------------


@pytest.mark.parametrize("length", [10, 199, 200, 201, 5000])
def test_a_providers_error_that_is_a_text_is_shown_in_part(length: int) -> None:
    said = "x" * length
    start = {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "c"}]}}]}
    for error in ({"error": said}, {"message": said}, {"detail": said}):
        (decision,) = judged("openai_chat", [start, error]).decisions
        assert decision.evidence.provider_reason == said[:200]


def test_lines_of_json_as_long_as_the_limit_are_read() -> None:
    line = json.dumps({"message": {"content": "x" * 50}, "done": False}).encode()
    for size, code in ((len(line), set()), (len(line) - 1, {"E_LIMIT_FRAME_BYTES"})):
        chunks = [line[at : at + 7] for at in range(0, len(line), 7)] + [b"\n"]
        for body in (chunks, chunks * 3):
            report = judged_bytes("ollama", body, limits=Limits(frame_bytes=size))
            assert {one.code for one in report.diagnostics} & {"E_LIMIT_FRAME_BYTES"} == code


def test_a_projection_is_shown_while_the_stream_runs() -> None:
    guard = Guard("normalized", tools={"f": OBJECT})
    guard.push({"type": "call_start", "key": "a", "id": "c", "name": "f"})
    guard.push({"type": "arguments_value", "key": "a", "value": {"a": 1}})
    (decision,) = guard.snapshot().decisions
    assert (decision.action, decision.reason, decision.evidence.kind) == ("reject", "projection_only", "projection")


# -- made-up ids ------------------------------------------------------------------------


@pytest.mark.parametrize("added", [{}, {"id": "__fake_id__"}])
def test_the_made_up_id_names_nothing_wherever_it_stands(added: dict[str, Any]) -> None:
    """A message and two calls have it, or get it at their ends."""
    call = {"type": "function_call", "name": "f", "arguments": '{"a":1}'}
    items: list[Any] = [{"type": "message", "content": []}, {**call, "call_id": "c"}, {**call, "call_id": "d"}]
    response = {"id": "__fake_id__"}
    events: list[Any] = [{"type": "response.created", "response": response}]
    for index, item in enumerate(items):
        empty = {"arguments": ""} if "arguments" in item else {}
        given = added if item.get("call_id") == "d" else response
        events.append({"type": "response.output_item.added", "output_index": index, "item": {**item, **given, **empty}})
    for index, item in enumerate(items):
        events.append({"type": "response.output_item.done", "output_index": index, "item": {**item, **response}})
    events.append({"type": "response.completed", "response": {**response, "output": []}})
    report = judged(
        "openai_agents", [{"type": "raw_response_event", "data": event} for event in events], confirm_on_done=True
    )
    assert [id for id, _, _ in executed(report)] == ["c", "d"]
    assert [one.code for decision in report.decisions for one in decision.diagnostics] == []


# -- who is not known -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "told"),
    [({"item_id": "i"}, "'i'"), ({"item_id": "i", "output_index": 3}, "'i'"), ({"output_index": 3}, "3")],
)
def test_an_event_for_an_item_that_was_never_added_says_which(names: dict[str, Any], told: str) -> None:
    delta = {"type": "response.function_call_arguments.delta", "delta": "{}", **names}
    (found,) = judged("openai_responses", [delta]).diagnostics
    assert f"item {told}," in found.message


@pytest.mark.parametrize(
    ("response", "word"),
    [
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "max_output_tokens"),
        ({"status": "incomplete"}, "incomplete"),
        ({"status": "odd"}, "odd"),
        ({}, "incomplete"),
    ],
)
def test_an_incomplete_response_ends_in_its_own_words(response: dict[str, Any], word: str) -> None:
    call = {"type": "function_call", "id": "i", "call_id": "c", "name": "f", "arguments": ""}
    begun = {"type": "response.output_item.added", "output_index": 0, "item": call}
    (decision,) = judged("openai_responses", [begun, {"type": "response.incomplete", "response": response}]).decisions
    assert decision.evidence.provider_reason == word


# -- an interrupt -----------------------------------------------------------------------


def test_an_interrupt_inside_the_decoder_leaves_nothing_that_executes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it had read when it was broken off is not known."""
    end = [{"type": "message_delta", "delta": {"stop_reason": "tool_use"}}, {"type": "message_stop"}]
    body = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in [*BLOCKS, *end])
    whole = Guard("anthropic")
    whole.push_bytes(body)
    assert executed(whole.finish())

    def interrupted(self: Any, chunk: bytes) -> Any:
        raise KeyboardInterrupt

    guard = Guard("anthropic")
    guard.push_bytes(body)
    monkeypatch.setattr("interlock.stream.framing.sse.SSEDecoder.feed", interrupted)
    with pytest.raises(KeyboardInterrupt):
        guard.push_bytes(b"\n")
    assert not executed(guard.finish())


BEDROCK = [
    {"contentBlockStart": {"contentBlockIndex": 0, "start": {"toolUse": {"toolUseId": "t", "name": "f"}}}},
    {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"toolUse": {"input": '{"a":1}'}}}},
    {"contentBlockStop": {"contentBlockIndex": 0}},
]
ITEM = {"type": "function_call", "id": "i", "call_id": "t", "name": "f", "arguments": '{"a":1}'}
RESPONSE = [
    {"type": "response.output_item.added", "output_index": 0, "item": {**ITEM, "arguments": ""}},
    {"type": "response.output_item.done", "output_index": 0, "item": ITEM},
]
COHERE = [
    {
        "type": "tool-call-start",
        "index": 0,
        "delta": {"message": {"tool_calls": {"id": "t", "function": {"name": "f", "arguments": '{"a":1}'}}}},
    },
    {"type": "tool-call-end", "index": 0},
]
AG_UI = [
    {"type": "TOOL_CALL_START", "toolCallId": "t", "toolCallName": "f"},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "t", "delta": '{"a":1}'},
    {"type": "TOOL_CALL_END", "toolCallId": "t"},
]


def chat_chunk(index: int, id: str, arguments: str) -> dict[str, Any]:
    call = {"index": index, "id": id, "function": {"name": "f", "arguments": arguments}}
    return {"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}


def renamed(events: Any, index: str) -> Any:
    """The same events for a second call."""
    text = json.dumps(events).replace('"t"', '"u"').replace('"c"', '"u"').replace('"i"', '"j"')
    return json.loads(text.replace(f'"{index}": 0', f'"{index}": 1'))


CUT_TURNS = {
    "anthropic": (BLOCKS, renamed(BLOCKS[1:], "index")),
    "bedrock_converse": (BEDROCK, renamed(BEDROCK, "contentBlockIndex")),
    "openai_responses": (RESPONSE, renamed(RESPONSE, "output_index")),
    "cohere_v2": (COHERE, renamed(COHERE, "index")),
    "ag_ui": (AG_UI, renamed(AG_UI, "x")),
    "ai_python": (PYTHON, renamed(PYTHON[1:], "x")),
    "openai_chat": ([chat_chunk(0, "t", '{"a":1}')], [chat_chunk(1, "u", '{"a":'), chat_chunk(1, "", "1}")]),
}


@pytest.mark.parametrize("wire", CUT_TURNS)
def test_a_call_that_never_ended_says_that_its_turn_did_not_end_either(wire: str) -> None:
    """Where the caller says that a body that ran out was whole: not the calls ahead of it."""
    first, second = CUT_TURNS[wire]
    assert len(executed(judged(wire, [*first, *second], confirm_on_done=True))) == 2
    for count in range(1, len(second)):
        report = judged(wire, [*first, *second[:count]], confirm_on_done=True)
        assert [one.action for one in report.decisions] == ["retry", "retry"]


@pytest.mark.parametrize(
    ("wire", "end"),
    [
        ("anthropic", [{"type": "message_delta", "delta": {"stop_reason": "stop_sequence"}}, {"type": "message_stop"}]),
        ("bedrock_converse", [{"messageStop": {"stopReason": "stop_sequence"}}]),
        ("cohere_v2", [{"type": "message-end", "delta": {"finish_reason": "STOP_SEQUENCE"}}]),
    ],
)
def test_a_stop_sequence_ends_an_answer_and_may_cut_a_call(wire: str, end: Any) -> None:
    """Without calls it is an end like any other."""
    first, _ = CUT_TURNS[wire]
    assert judged(wire, end).end_reason == "complete"
    (decision,) = judged(wire, [*first, *end]).decisions
    assert (decision.action, decision.evidence.end_reason) == ("retry", "unknown")


def test_a_block_of_a_message_that_was_begun_anew_does_not_speak_against_the_next_one() -> None:
    """Only its own open blocks do."""
    begin, end = {"messageStart": {"role": "assistant"}}, {"messageStop": {"stopReason": "tool_use"}}
    second = renamed(BEDROCK, "x")
    report = judged("bedrock_converse", [begin, *BEDROCK[:-1], begin, *second, end])
    assert [id for id, _, _ in executed(report)] == ["u"] and codes(report) == []
    further = json.loads(json.dumps(second).replace('"contentBlockIndex": 0', '"contentBlockIndex": 1'))
    report = judged("bedrock_converse", [begin, *BEDROCK[:-1], begin, *further, end])
    assert [id for id, _, _ in executed(report)] == ["u"] and codes(report) == []


def test_a_graphs_update_of_several_nodes_is_read_whole() -> None:
    """A result in the second one counts, whatever the first one holds."""
    call = {"type": "AIMessageChunk", "id": "run-1", "content": "", "tool_call_chunks": [LANGCHAIN]}
    end = {"type": "AIMessageChunk", "id": "run-1", "content": "", "response_metadata": {"finish_reason": "stop"}}
    answer = {"type": "tool", "tool_call_id": "c", "content": "1"}
    for first in (
        [{"type": "human", "content": "x"}],
        {"messages": [{"type": "human", "content": "x"}]},
        {"type": "human", "content": "x"},
        None,
    ):
        report = judged("langchain", [call, end, {"a": first, "b": {"messages": [answer]}}])
        assert reasons(report) == ["sdk_execution_observed"]
        assert reasons(judged("langchain", [call, end, {"a": first}])) == ["complete"]


@pytest.mark.parametrize("at", [0, 2])
@pytest.mark.parametrize("flag", [None, False, True, 1, "true", "false", {}])
@pytest.mark.parametrize("wire", ["ai_sdk", "ai_sdk_ui"])
def test_only_a_plain_no_says_that_the_provider_does_not_run_a_call(wire: str, flag: Any, at: int) -> None:
    """At the call's start, and where it says so later."""
    if wire == "ai_sdk":
        events: list[Any] = [
            {"type": "tool-input-start", "id": "c", "toolName": "f"},
            {"type": "tool-input-delta", "id": "c", "delta": "{}"},
            {"type": "tool-call", "toolCallId": "c", "toolName": "f", "input": {}},
            {"type": "finish", "finishReason": "tool-calls"},
        ]
    else:
        events = [
            {"type": "tool-input-start", "toolCallId": "c", "toolName": "f"},
            {"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": "{}"},
            {"type": "tool-input-available", "toolCallId": "c", "toolName": "f", "input": {}},
            {"type": "finish", "finishReason": "tool-calls"},
        ]
    events[at]["providerExecuted"] = flag
    assert bool(executed(judged(wire, events))) is (flag is None or flag is False)


def test_a_message_may_begin_without_saying_so_and_is_replaced_all_the_same() -> None:
    """By one that does say so."""
    begin, end = {"messageStart": {"role": "assistant"}}, {"messageStop": {"stopReason": "tool_use"}}
    assert executed(judged("bedrock_converse", [*BEDROCK, end]))
    report = judged("bedrock_converse", [*BEDROCK, begin, *renamed(BEDROCK, "x"), end])
    assert [id for id, _, _ in executed(report)] == ["u"]


@pytest.mark.parametrize("id", ["R", "1", "__", "__fake_id", "__fake_id_", "__fake_id__", "__fake_id___", "r", None])
def test_only_the_made_up_id_makes_a_response_a_made_up_one(id: str | None) -> None:
    """Whatever ids a server gives."""
    events: list[Any] = [
        *RESPONSE,
        {"type": "response.completed", "response": {"id": id, "status": "completed", "output": [ITEM]}},
    ]
    report = judged("openai_agents", [{"type": "raw_response_event", "data": event} for event in events])
    assert bool(executed(report)) is (id != "__fake_id__")


@pytest.mark.parametrize(
    ("error", "word"), [({"type": "overloaded_error", "message": "m"}, "overloaded_error"), ({"message": "m"}, "error")]
)
def test_an_error_event_of_anthropic_ends_the_stream_in_its_own_word(error: Any, word: str) -> None:
    (decision,) = judged("anthropic", [*BLOCKS, {"type": "error", "error": error}]).decisions
    assert (decision.reason, decision.evidence.provider_reason) == ("provider_error", word)


@pytest.mark.parametrize(("field", "late"), [("content", True), ("thinking", True), ("role", False)])
def test_what_ollama_says_after_the_end_counts_where_it_says_something(field: str, late: bool) -> None:
    call = {"message": {"tool_calls": [{"function": {"name": "f", "arguments": {}}}]}, "done": False}
    end = {"message": {"content": ""}, "done": True, "done_reason": "stop"}
    report = judged("ollama", [call, end, {"message": {field: "assistant"}, "done": False}], trust_projections=True)
    assert bool(executed(report)) is not late


@pytest.mark.parametrize("wire", ["ai_sdk", "ai_sdk_ui"])
def test_an_error_part_of_the_ai_sdk_is_the_providers(wire: str) -> None:
    start = {"type": "tool-input-start", "id": "c", "toolCallId": "c", "toolName": "f"}
    error = json.loads('{"type": "error", "error": "x", "errorText": "x"}')  # new strings, as from a socket
    (decision,) = judged(wire, [start, error]).decisions
    assert (decision.reason, decision.evidence.provider_reason) == ("provider_error", "error")


@pytest.mark.parametrize("arguments", ['{"a": 1}', '{"a": 2}', "x"])
def test_a_snapshot_says_nothing_of_a_call_that_has_not_ended(arguments: str) -> None:
    """It may be of the time before its arguments, or hold half of them."""
    function = {"name": "f", "arguments": arguments}
    snapshot = {
        "type": "MESSAGES_SNAPSHOT",
        "messages": [{"role": "assistant", "toolCalls": [{"id": "t", "function": function}]}],
    }
    end = {"type": "RUN_FINISHED"}
    assert executed(judged("ag_ui", [{"type": "RUN_STARTED"}, *AG_UI[:2], snapshot, AG_UI[2], end]))
    report = judged("ag_ui", [{"type": "RUN_STARTED"}, *AG_UI, snapshot, end])
    assert bool(executed(report)) is (arguments == '{"a": 1}')


# -- what must not be lost ----------------------------------------------------------------


@pytest.mark.parametrize("place", ["args", "input", "parameters", "params", "partial_json", "tool_args"])
def test_arguments_in_another_apis_field_are_seen(place: str) -> None:
    call = {"message": {"tool_calls": [{"function": {"name": "f", place: {"a": 1}}}]}, "done": False}
    end = {"message": {"content": ""}, "done": True, "done_reason": "stop"}
    report = judged("ollama", [call, end], trust_projections=True, tools={"f": OBJECT})
    assert codes(report) == ["E_ARGUMENTS_PLACE"] and not executed(report)
    python = [{**event, "tool_call": {"tool_call_id": "c", "tool_name": "f", place: "{}"}} for event in PYTHON[-1:]]
    if place != "tool_args":
        end = {"kind": "stream_end", "finish_reason": "tool_call", "provider_metadata": {}}
        assert "E_ARGUMENTS_PLACE" in codes(judged("ai_python", [*PYTHON[:-1], *python, end]))


def test_a_message_that_was_begun_anew_confirms_nothing_by_opt_in_either() -> None:
    begin = {"messageStart": {"role": "assistant"}}
    events = [begin, *BEDROCK, begin, *renamed(BEDROCK, "x")]
    assert [id for id, _, _ in executed(judged("bedrock_converse", events, confirm_on_done=True))] == ["u"]


def test_a_refusal_of_the_client_s_own_objects_counts_in_the_middle_too() -> None:
    chunks = pytest.importorskip("openai.types.chat")

    def chunk(**choice: Any) -> Any:
        fields = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        return chunks.ChatCompletionChunk.model_validate(
            {**fields, "choices": [{"index": 0, "finish_reason": None, **choice}]}
        )

    call = {"index": 0, "id": "t", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    text = {"index": 0, "function": {"arguments": ""}}
    whole = [
        chunk(delta={"tool_calls": [call]}),
        chunk(delta={"tool_calls": [text]}),
        chunk(delta={}, finish_reason="stop"),
    ]
    assert executed(judged("openai_chat", whole))
    for refusal in ({"refusal": "no"}, {"refusal": "no", "tool_calls": [text]}):
        report = judged("openai_chat", [*whole[:2], chunk(delta=refusal), whole[2]])
        assert not executed(report) and "E_REFUSED" in codes(report)


def test_of_calls_that_share_an_id_only_one_executes_when_the_first_was_replaced() -> None:
    def turn(key: str, end: str) -> list[Any]:
        return [
            {"type": "call_start", "key": key, "id": "i", "name": "f", "turn": key},
            {"type": "arguments_delta", "key": key, "text": "{}"},
            {"type": "call_end", "key": key},
            {"type": end, "turn": key, **({"reason": "complete"} if end == "turn_end" else {})},
        ]

    events = [*turn("1", "turn_replaced"), *turn("2", "turn_end"), *turn("3", "turn_end")]
    assert [one.action for one in judged("normalized", events).decisions] == ["retry", "execute", "reject"]


@pytest.mark.parametrize("approved", [True, False, None])
def test_an_answer_names_its_call_by_the_request_that_it_answers(approved: bool | None) -> None:
    events = [
        {"type": "tool-input-start", "id": "c", "toolName": "f"},
        {"type": "tool-input-delta", "id": "c", "delta": "{}"},
        {"type": "tool-call", "toolCallId": "c", "toolName": "f", "input": {}},
        {"type": "tool-approval-request", "approvalId": "a", "toolCallId": "c"},
        {"type": "tool-approval-response", "approvalId": "a", "approved": approved},
        {"type": "finish", "finishReason": "tool-calls"},
    ]
    assert bool(executed(judged("ai_sdk", events))) is (approved is True)


def test_an_output_of_a_run_names_its_call_by_the_calls_id() -> None:
    """And not by its own, where it has both: the other call stays."""
    second = renamed(RESPONSE, "output_index")
    items = [ITEM, second[1]["item"]]
    done = {"type": "response.completed", "response": {"status": "completed", "output": items}}
    raw = [{"type": "raw_response_event", "data": event} for event in (*RESPONSE, *second, done)]
    output = {"type": "tool_call_output_item", "raw_item": {"type": "function_call_output", "id": "o", "call_id": "t"}}
    report = judged("openai_agents", [*raw, {"type": "run_item_stream_event", "name": "tool_output", "item": output}])
    assert [id for id, _, _ in executed(report)] == ["u"]


@pytest.mark.parametrize("fault", ["malformed", "protocol", "content_filtered", "provider_error"])
def test_a_fault_of_the_normalized_wire_is_what_it_says(fault: str) -> None:
    start = {"type": "call_start", "key": "a", "id": "i", "name": "f"}
    text = {"type": "arguments_delta", "key": "a", "text": "{}"}
    end = {"type": "stream_end", "reason": "complete"}
    note = {"type": "provider_diagnostic", "code": "E_X", "message": "m", "fault": fault}
    report = judged("normalized", [start, text, note, end])
    assert not executed(report) and codes(report) == ["E_X"]


def test_a_name_of_half_characters_is_a_name() -> None:
    start = {"type": "call_start", "key": "a", "id": "i", "name": "\ud800"}
    text = {"type": "arguments_delta", "key": "a", "text": "{}"}
    report = judged("normalized", [start, text, {"type": "stream_end", "reason": "complete"}])
    assert [one.name for one in report.decisions] == ["\ud800"]


def test_an_error_of_the_agent_kit_counts_without_content() -> None:
    assert judged("gemini", [{"author": "a", "errorCode": "SAFETY"}]).end_reason == "content_filtered"


@pytest.mark.parametrize(("status", "end"), [("pending", "paused"), ("cancelled", "cancelled"), ("resolved", None)])
def test_a_hook_of_the_package_ai_holds_its_call(status: str, end: str | None) -> None:
    hook = json.loads(json.dumps({"kind": "hook", "hook": {"status": status, "tool_call_id": "c"}}))
    last = {"kind": "stream_end", "finish_reason": "tool_call", "provider_metadata": {}}
    (decision,) = judged("ai_python", [*PYTHON, hook, last]).decisions
    assert (decision.action == "execute", decision.evidence.end_reason) == (end is None, end or "complete")
