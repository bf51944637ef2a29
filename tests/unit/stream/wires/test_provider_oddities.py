"""Bedrock, Cohere, Mistral, Ollama, OpenRouter: what each wire does that no other does."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.judging import executed, judged, judged_bytes
from support.wires import ARGUMENTS, HALVES, TEXT, bedrock, chat, cohere, mistral, ollama, realtime

TRUST = {"trust_projections": True}


def reason(wire: str, events: list[Any], **options: Any) -> str:
    """The reason of the first decision."""
    return judged(wire, events, **options).decisions[0].reason


def block(index: Any, **start: Any) -> Any:
    """A Bedrock block's start."""
    return {"contentBlockStart": {"contentBlockIndex": index, "start": start}}


def fragment(index: Any, text: Any) -> Any:
    """A Bedrock argument fragment."""
    return {"contentBlockDelta": {"contentBlockIndex": index, "delta": {"toolUse": {"input": text}}}}


GOOD = bedrock("tool_use")
START, STOP = GOOD[1], GOOD[-2]


@pytest.mark.parametrize(
    ("events", "want"),
    [
        ([*GOOD, {"metadata": {"usage": {}}}], "complete"),
        ([*GOOD[:-1], {"metadata": {"usage": {}}}, GOOD[-1]], "complete"),
        (bedrock("end_turn"), "complete"),
        (GOOD[1:], "complete"),
        ([*GOOD[:3], *GOOD], "truncated"),
        ([*GOOD, GOOD[0]], "protocol_violation"),
        ([*GOOD[:2], START, *GOOD[2:]], "protocol_violation"),
        ([*GOOD[:-1], STOP, GOOD[-1]], "protocol_violation"),
        ([GOOD[0], *GOOD[2:3], *GOOD[1:2], *GOOD[3:]], "protocol_violation"),
        ([*GOOD[:-2], GOOD[-1]], "stream_incomplete"),
        ([*GOOD[:-1], {"throttlingException": {"message": "x"}}], "provider_error"),
        ([*GOOD, {"internalServerException": {"message": "x"}}], "provider_error"),
        ([*GOOD[:-1], {**GOOD[-1], "modelStreamErrorException": {"message": "x"}}], "provider_error"),
        ([*GOOD, {"contentBlockDelta": {"contentBlockIndex": 5, "delta": {"text": "x"}}}], "protocol_violation"),
        ([*GOOD, {"contentBlockStop": {"contentBlockIndex": 5}}], "protocol_violation"),
        ([*GOOD, block(5)], "protocol_violation"),
        ([*GOOD[:-1], block(2, toolUse={"toolUseId": "c2", "name": "g"}), GOOD[-1]], "protocol_violation"),
        ([*GOOD[:-2], fragment("0", " "), *GOOD[-2:]], "protocol_violation"),
        ([*GOOD[:-2], fragment(0, {}), *GOOD[-2:]], "malformed"),
        ([*GOOD[:-2], fragment(0, None), *GOOD[-2:]], "malformed"),
        ([*GOOD[:-1], {"error": {"code": "InternalError"}}], "provider_error"),
        ([*GOOD, block(5, toolUse={"toolUseId": "c2", "name": "g"})], "protocol_violation"),
        ([*GOOD[:-1], block(2, toolResult={"toolUseId": "c1"}), GOOD[-1]], "sdk_execution_observed"),
        ([*GOOD[:-1], block("2", toolUse={"toolUseId": "c2", "name": "g"}), GOOD[-1]], "protocol_violation"),
    ],
)  # fmt: skip
def test_bedrock(events: list[Any], want: str) -> None:
    """Order, repetition, exceptions as events, results in the stream."""
    assert reason("bedrock_converse", events) == want


def test_bedrock_runs_server_tools_itself() -> None:
    """Their result is no evidence against the client's calls."""
    server = {"toolUseId": "s1", "name": "search", "type": "server_tool_use"}
    events = [
        GOOD[0],
        block(7, toolUse=server),
        {"contentBlockDelta": {"contentBlockIndex": 7, "delta": {"toolUse": {"input": "{}"}}}},
        {"contentBlockStop": {"contentBlockIndex": 7}},
        block(8, toolResult={"toolUseId": "s1"}),
        *GOOD[1:],
    ]
    assert [d.reason for d in judged("bedrock_converse", events).decisions] == ["server_executed", "complete"]


@pytest.mark.parametrize(("wire", "build"), [("bedrock_converse", bedrock), ("cohere_v2", cohere)])
def test_a_call_without_arguments_asks_the_schema(wire: str, build: Any) -> None:
    """`{}` only where the tool takes it; without tools nobody can say."""
    word = {"bedrock_converse": "tool_use", "cohere_v2": "TOOL_CALL"}[wire]
    events = [event for event in build(word) if not any(half[2:7] in repr(event) for half in HALVES)]
    assert len(events) == len(build(word)) - 2
    assert executed(judged(wire, events, tools={"f": {"type": "object"}})) == [("c1", "f", {})]
    assert reason(wire, events) == "truncated"
    assert reason(wire, events, tools={"f": {"type": "object", "required": ["city"]}}) == "truncated"


COHERE = cohere("TOOL_CALL")


def cohere_end(used: float) -> Any:
    """The end of a message, with its usage."""
    end = {"finish_reason": "TOOL_CALL", "usage": {"tokens": {"output_tokens": used}}}
    return {"type": "message-end", "delta": end}


@pytest.mark.parametrize(
    ("events", "want"),
    [
        ([*COHERE[:-1], {**COHERE[-1], "delta": {"finish_reason": "TOOL_CALL", "error": "x"}}], "provider_error"),
        ([*COHERE[:-1], {"type": "message-end", "delta": {}}], "stream_incomplete"),
        ([*COHERE[:-1], {"message": "internal error", "id": "1"}], "provider_error"),
        ([*COHERE[:-2], COHERE[-1]], "stream_incomplete"),
        ([*COHERE[:2], COHERE[0], *COHERE[2:]], "protocol_violation"),
        ([*COHERE[:2], COHERE[1], *COHERE[2:]], "protocol_violation"),
        ([*COHERE[:-1], cohere_end(float("nan"))], "complete"),
        ([*COHERE[:-1], cohere_end(float("inf"))], "complete"),
        ([*COHERE[:-1], {"type": "debug", "prompt": "x"}, COHERE[-1]], "complete"),
        ([*COHERE[:-1], {"type": "citation-start", "index": 0}, COHERE[-1]], "complete"),
    ],
)  # fmt: skip
def test_cohere(events: list[Any], want: str) -> None:
    """An error beside any reason, events that are not about calls."""
    assert reason("cohere_v2", events) == want


@pytest.mark.parametrize("at", [2, -2])
def test_cohere_takes_no_other_type_for_an_index(at: int) -> None:
    """A fragment or an end of the call "0" is not one of the call 0."""
    events = [*COHERE]
    events[at] = {**events[at], "index": "0"}
    assert reason("cohere_v2", events) == "protocol_violation"


@pytest.mark.parametrize("arguments", [{}, None, 0])
def test_cohere_arguments_are_text(arguments: Any) -> None:
    """A fragment that is none leaves the call malformed."""
    odd = {"type": "tool-call-delta", "index": 0, "delta": {"message": {"tool_calls": {"function": {}}}}}
    odd["delta"]["message"]["tool_calls"]["function"]["arguments"] = arguments
    assert reason("cohere_v2", [*COHERE[:-2], odd, *COHERE[-2:]]) == "malformed"


@pytest.mark.parametrize("index", [None, "0", -1, 0.0, True])
def test_cohere_needs_a_usable_index(index: Any) -> None:
    """Nothing can be attributed."""
    events = [*COHERE[:-1], {**COHERE[1], "index": index}, COHERE[-1]]
    assert reason("cohere_v2", events) == "protocol_violation"


def test_cohere_gateways_wrap_the_call_in_a_list() -> None:
    """Of one."""
    events = [
        {**event, "delta": {"message": {"tool_calls": [event["delta"]["message"]["tool_calls"]]}}}
        if event["type"] in ("tool-call-start", "tool-call-delta")
        else event
        for event in COHERE
    ]
    assert executed(judged("cohere_v2", events)) == [("c1", "f", ARGUMENTS)]


@pytest.mark.parametrize(
    ("arguments", "options", "want"),
    [
        (ARGUMENTS, {}, "projection_only"),
        (ARGUMENTS, TRUST, "complete"),
        ([1], TRUST, "malformed"),
        (None, TRUST, "truncated"),
        ({}, TRUST, "complete"),
        (TEXT, {}, "complete"),
        (TEXT[:-1], {}, "stream_incomplete"),
        (TEXT[:-3], {}, "truncated"),
        ("", {}, "truncated"),
    ],
)
def test_ollama_arguments(arguments: Any, options: Any, want: str) -> None:
    """An object is the server's value, a string the model's text."""
    events = ollama("stop")
    events[0]["message"]["tool_calls"][0]["function"]["arguments"] = arguments
    assert reason("ollama", events, **options) == want


def test_ollama_calls_without_ids_are_counted() -> None:
    """Equal names, equal arguments, the same line or not: each is a call of its own."""
    one = {"function": {"name": "f", "arguments": {"a": 1}}}
    last = ollama("stop")[-1]
    events = [{"message": {"tool_calls": [one, one]}, "done": False}, {"message": {"tool_calls": [one]}}, last]
    assert executed(judged("ollama", events, **TRUST)) == [(None, "f", {"a": 1})] * 3
    late = [*events, {"message": {"tool_calls": [one]}, "done": False}]
    assert executed(judged("ollama", late, **TRUST)) == []


@pytest.mark.parametrize("error", ["model requires more memory", {"message": "x"}])
def test_ollama_errors_are_lines(error: Any) -> None:
    """After HTTP 200, before or after the last line; the last line may lack its end."""
    good = ollama("stop")
    assert reason("ollama", [good[0], {"error": error}], **TRUST) == "provider_error"
    assert reason("ollama", [*good, {"error": error}], **TRUST) == "provider_error"
    body = b"\n".join(json.dumps(event).encode() for event in good)
    assert executed(judged_bytes("ollama", [body], **TRUST)) == [("c1", "f", ARGUMENTS)]


def delta(id: str, arguments: Any, **more: Any) -> Any:
    """A function call event of a Mistral conversation."""
    return {"type": "function.call.delta", "tool_call_id": id, "name": "f", "arguments": arguments, **more}


END = {"type": "conversation.response.done", "usage": {}}


@pytest.mark.parametrize(
    ("events", "want"),
    [
        ([delta("a", "{"), delta("a", "}"), END], "complete"),
        ([delta("a", "{}")], "stream_incomplete"),
        ([delta("a", "{"), END], "stream_incomplete"),
        ([delta("a", '{"a":"'), END], "truncated"),
        ([delta("a", {}), END], "projection_only"),
        ([delta("a", "{}"), {"type": "conversation.response.error", "code": 500}], "provider_error"),
        ([delta("a", "{}", confirmation_status="pending"), END], "stream_incomplete"),
        ([delta("a", "{}", confirmation_status="denied"), END], "stream_incomplete"),
        ([delta("a", "{}", confirmation_status="allowed"), END], "complete"),
        ([delta("a", "{}", confirmation_status="new"), END], "stream_incomplete"),
        ([delta("a", "{"), delta("a", "}", name="g"), END], "protocol_violation"),
        ([delta("a", "{}"), delta("null", "{}"), END], "protocol_violation"),
        ([delta("a", "{}"), END, END], "protocol_violation"),
        ([delta("a", "{}"), END, delta("a", " ")], "protocol_violation"),
        ([{"type": "tool.execution.started", "id": "x", "name": "search", "arguments": "{}"}, END], "server_executed"),
    ],
)  # fmt: skip
def test_mistral_conversations(events: list[Any], want: str) -> None:
    """Typed events; the SDK wraps each in an object with `data`."""
    assert reason("mistral", events) == want
    assert reason("mistral", [{"event": event["type"], "data": event} for event in events]) == want


@pytest.mark.parametrize(
    ("events", "good"),
    [
        ([delta("b", '{"n":1}', output_index=0), delta("a", "", output_index=0)], ["a", "b"]),
        ([delta("a", "", output_index=1), delta("b", '{"n":1}', output_index=0)], ["a", "b"]),
        ([delta("a", "", output_index=0), delta("b", "", output_index=0)], ["a", "b"]),
        ([delta("a", "", output_index=0), delta("b", '{"n":1}', output_index=0)], ["b"]),
        (
            [delta("b", "{", output_index=0), delta("a", "", output_index=0), delta("b", '"n":1}', output_index=0)],
            ["b"],
        ),
        ([*(delta(id, "", output_index=0) for id in "ab"), delta("b", '{"n":1}', output_index=0)], ["b"]),
    ],
)
def test_mistral_arguments_after_a_call_without_any_may_be_its_own(events: list[Any], good: list[str]) -> None:
    """In the same place, under another id; those that came before it are not."""
    report = judged("mistral", [*events, END], tools={"f": {"type": "object"}})
    assert sorted(str(id) for id, _, _ in executed(report)) == good


def test_mistral_fillers_are_no_identity() -> None:
    """The id `"null"` and the index 0 stand for what was not sent."""

    def chunk(*calls: Any) -> Any:
        choice = {"index": 0, "delta": {"tool_calls": list(calls)}, "finish_reason": None}
        return {"object": "chat.completion.chunk", "choices": [choice]}

    def one(id: str, arguments: Any, name: str = "f") -> Any:
        return {"index": 0, "id": id, "function": {"name": name, "arguments": arguments}}

    last = mistral("tool_calls")[-1]
    two = [chunk(one("a", '{"n":1}'), one("b", '{"n":2}')), last]
    assert executed(judged("mistral", two)) == [("a", "f", {"n": 1}), ("b", "f", {"n": 2})]
    unnamed = [chunk(one("null", '{"n":1}')), chunk(one("null", '{"n":2}', "g")), last]
    assert executed(judged("mistral", unnamed)) == []
    assert executed(judged("mistral", [chunk(one("a", {"n": 1})), last], **TRUST)) == [("a", "f", {"n": 1})]
    assert executed(judged("mistral", mistral("content_filter"))) == []


@pytest.mark.parametrize(
    ("change", "want"),
    [
        ({"native_finish_reason": "tool_calls"}, "complete"),
        ({"native_finish_reason": "STOP"}, "complete"),
        ({"native_finish_reason": "length"}, "stream_incomplete"),
        ({"native_finish_reason": "MAX_TOKENS"}, "stream_incomplete"),
        ({"native_finish_reason": "SAFETY"}, "content_filtered"),
        ({"native_finish_reason": "pause_turn"}, "stream_incomplete"),
        ({"finish_reason": "error"}, "provider_error"),
        ({"error": {"code": 502}}, "provider_error"),
    ],
)
def test_openrouter_passes_the_providers_word_through(change: Any, want: str) -> None:
    """A word that speaks against completion wins over the router's own."""
    events = chat("tool_calls")
    events[-1]["choices"][0].update(change)
    assert reason("openrouter", events) == want


def told_tokens(wire: str, used: int) -> list[Any]:
    """A whole call, and how many tokens it took, where the wire says that."""
    if wire == "bedrock_converse":
        return [*GOOD, {"metadata": {"usage": {"inputTokens": 1, "outputTokens": used, "totalTokens": used + 1}}}]
    if wire == "cohere_v2":
        return [*COHERE[:-1], cohere_end(float(used))]
    if wire == "ollama":
        return [ollama("stop")[0], {**ollama("stop")[-1], "eval_count": used}]
    if wire == "openai_realtime":
        events = realtime("completed")
        events[-1]["response"]["usage"] = {"output_tokens": used}
        return events
    return [delta("a", "{}"), {**END, "usage": {"completion_tokens": used}}]


@pytest.mark.parametrize("wire", ["bedrock_converse", "cohere_v2", "ollama", "openai_realtime", "mistral"])
def test_a_used_up_bound_on_tokens_unmasks_a_cut(wire: str) -> None:
    """Whatever the reason says."""
    for used, want in ((63, "execute"), (64, "retry")):
        report = judged(wire, told_tokens(wire, used), max_output_tokens=64, trust_projections=True)
        assert report.decisions[0].action == want, report.to_json()
