"""LangChain: chunks, whole messages, and what graphs wrap them in."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.stream.wires.langchain import END_REASONS
from support.judging import executed, judged

GOOD = ("execute", "complete")


def chunk(*entries: dict[str, Any], id: Any = "lc_run--1", **fields: Any) -> dict[str, Any]:
    """A message chunk."""
    return {"type": "AIMessageChunk", "id": id, "content": "", "tool_call_chunks": list(entries), **fields}


def entry(args: Any = None, *, index: Any = 0, id: str | None = None, name: str | None = None) -> dict[str, Any]:
    """A fragment of a call."""
    return {"index": index, "id": id, "name": name, "args": args, "type": "tool_call_chunk"}


CALL = [chunk(entry("", id="c1", name="f")), chunk(entry('{"a"')), chunk(entry(":1}"))]


def end(word: Any = "tool_calls", field: str = "finish_reason", **fields: Any) -> dict[str, Any]:
    """The chunk with the provider's word."""
    return chunk(response_metadata={"model_provider": "x", field: word}, **fields)


def verdicts(*events: Any, **options: Any) -> list[tuple[str, str]]:
    """Action and reason of each decision."""
    return [(one.action, one.reason) for one in judged("langchain", events, **options).decisions]


COMPLETE = {
    "stop",
    "tool_calls",
    "function_call",
    "tool_use",
    "end_turn",
    "completed",
    "STOP",
    "COMPLETE",
    "TOOL_CALL",
}


@pytest.mark.parametrize("field", ["finish_reason", "stop_reason", "stopReason", "done_reason"])
@pytest.mark.parametrize("word", [*END_REASONS, "brand_new", "stopstop", "tool_callstool_calls"])
def test_only_listed_words_confirm(word: str, field: str) -> None:
    """Every word of every provider, and words that merging makes."""
    assert (verdicts(*CALL, end(word, field)) == [GOOD]) is (word in COMPLETE)


@pytest.mark.parametrize(
    ("metadata", "good"),
    [
        ({"status": "completed"}, True),
        ({"status": "completed", "incomplete_details": {"reason": "max_output_tokens"}}, False),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, False),
        ({"status": "incomplete", "incomplete_details": {"reason": "brand_new"}}, False),
        ({"status": "incomplete"}, False),
        ({"status": "in_progress"}, False),
        ({"status": "completed", "error": {"code": "server_error"}}, False),
        ({"status": "failed", "error": {"code": "server_error"}}, False),
        ({"status": "failed", "error": {"code": "bio_policy"}}, False),
        ({"status": "cancelled"}, False),
    ],
)
def test_the_status_of_a_response_is_read_with_its_details(metadata: Any, good: bool) -> None:
    """Behind the Responses API."""
    assert (verdicts(*CALL, chunk(response_metadata={"object": "response", **metadata})) == [GOOD]) is good


def test_the_sum_of_chunks_that_repeat_their_reason_is_unknown() -> None:
    """Merging concatenates the words."""
    merged = chunk(entry('{"a":1}', id="c1", name="f"), response_metadata={"finish_reason": "stopstop"})
    assert verdicts(merged) == [("retry", "stream_incomplete")]


@pytest.mark.parametrize(
    ("events", "want"),
    [
        ([], [("retry", "stream_incomplete")]),
        ([chunk(chunk_position="last")], [("retry", "stream_incomplete")]),
        ([end(), end()], [GOOD]),
        ([end("stop"), end("tool_calls")], [("reject", "protocol_violation")]),
        ([end("stop"), end("length")], [("reject", "protocol_violation")]),
        ([end(), chunk(entry(" "))], [("reject", "protocol_violation")]),
        ([end(), {"type": "tool", "content": "1", "tool_call_id": "c1"}], [("reject", "sdk_execution_observed")]),
        ([end(), {"type": "tool", "content": "1"}], [("reject", "sdk_execution_observed")]),
        (
            [end(), {"tools": {"messages": [{"type": "tool", "tool_call_id": "c1"}]}}],
            [("reject", "sdk_execution_observed")],
        ),
        (
            [end(), {"event": "on_tool_end", "data": {"output": {"type": "tool", "tool_call_id": "c1"}}}],
            [("reject", "sdk_execution_observed")],
        ),
        ([end(), {"__interrupt__": [{"value": "?"}]}], [("retry", "stream_incomplete")]),
        ([chunk(content=[{"type": "refusal", "refusal": "no"}]), end()], [("reject", "content_filtered")]),
        ([chunk(additional_kwargs={"refusal": "no"}), end()], [("reject", "content_filtered")]),
    ],
)
def test_what_follows_a_whole_call(events: list[Any], want: list[tuple[str, str]]) -> None:
    """Ends, results, interrupts, refusals."""
    assert verdicts(*CALL, *events) == want


@pytest.mark.parametrize(
    "wrap",
    [
        lambda one: (one, {"langgraph_node": "model"}),
        lambda one: [one, {}],
        lambda one: ("messages", (one, {})),
        lambda one: (("node:1",), "messages", (one, {})),
        lambda one: {"event": "on_chat_model_stream", "data": {"chunk": one}},
    ],
)
def test_what_graphs_wrap_messages_in_is_unwrapped(wrap: Any) -> None:
    """Stream modes and events."""
    assert executed(judged("langchain", [wrap(one) for one in (*CALL, end())])) == [("c1", "f", {"a": 1})]


def test_parsed_calls_of_a_chunk_are_never_read() -> None:
    """They are what a partial parser made of a cut text."""
    cut = chunk(entry('{"a":1', id="c1", name="f"), tool_calls=[{"name": "f", "args": {"a": 1}, "id": "c1"}])
    assert verdicts(cut, end()) == [("retry", "truncated")]


def test_a_whole_message_is_a_projection_unless_it_came_in_chunks() -> None:
    """And a message that did adds no second call."""
    whole = {
        "type": "ai",
        "id": "lc_run--9",
        "content": "",
        "response_metadata": {"finish_reason": "tool_calls"},
        "tool_calls": [{"name": "f", "args": {"a": 1}, "id": "c1", "type": "tool_call"}],
    }
    assert verdicts(whole) == [("reject", "projection_only")]
    assert verdicts(whole, trust_projections=True) == [GOOD]
    assert verdicts(*CALL, end(), whole, trust_projections=True) == [GOOD]
    assert verdicts(*CALL, end(), {**whole, "id": "lc_run--1"}, trust_projections=True) == [GOOD]


@pytest.mark.parametrize("index", [0, "lc_1", None])
def test_calls_that_share_an_index_are_told_apart_by_id(index: Any) -> None:
    """Some providers give no index of their own, or the same to all."""
    events = [
        chunk(entry('{"a":1}', index=index, id="c1", name="f"), entry("{}", index=index, id="c2", name="g")),
        end(),
    ]
    assert executed(judged("langchain", events)) == [("c1", "f", {"a": 1}), ("c2", "g", {})]


def test_messages_of_two_runs_do_not_mix() -> None:
    """Parallel nodes of a graph interleave."""
    other = [
        chunk(entry(args, id=id, name=name), id="lc_run--2") for args, id, name in (("{", "c2", "g"), ("}", None, None))
    ]
    events = [CALL[0], other[0], CALL[1], other[1], CALL[2], end("length", id="lc_run--2"), end()]
    assert verdicts(*events) == [GOOD, ("retry", "stream_incomplete")]


TOOL_START: Any = {"event": "on_tool_start", "run_id": "r1", "data": {"input": {"a": 1}}}


@pytest.mark.parametrize(
    ("data", "named"),
    [
        ({"output": {"type": "tool", "tool_call_id": "c1"}}, True),
        ({"output": {"update": {"messages": [{"type": "tool", "tool_call_id": "c1"}]}}}, True),
        ({"output": "1"}, False),
        ({"output": {"update": {"messages": []}}}, False),
        ({"error": "ValueError()", "tool_call_id": "c1"}, True),
        ({"error": "ValueError()", "tool_call_id": None}, False),
        (None, False),
    ],
)
def test_what_a_tool_gave_back_shows_that_it_ran(data: Any, named: bool) -> None:
    """The calls that it names, else every call; one that only started too."""
    both = [*CALL, chunk(entry('{"a":1}', index=1, id="c2", name="g")), end()]
    ran = ("reject", "sdk_execution_observed")
    if data is None:
        assert verdicts(*both, TOOL_START) == [ran, ran]
        return
    over = {"event": "on_tool_error" if "error" in data else "on_tool_end", "run_id": "r1", "data": data}
    assert verdicts(*both, TOOL_START, over) == [ran, GOOD if named else ran]


def test_a_fragment_that_names_neither_message_nor_call_must_not_be_of_two() -> None:
    """Messages without an id that interleave: whose is the rest? Named calls are told apart."""
    first, second = (chunk(entry('{"a"', id=id, name="f"), id=None) for id in ("c1", "c2"))
    stop = end(id=None)
    assert verdicts(first, chunk(entry(":1}"), id=None), stop) == [GOOD]
    rest = chunk(entry(":1}"), id=None)
    assert verdicts(first, second, rest, stop) == [("reject", "protocol_violation")] * 2
    whole = [chunk(entry('{"a":1}', id=id, name="f"), id=None) for id in ("c1", "c2")]
    assert verdicts(*whole, stop) == [GOOD, GOOD]


def test_the_providers_tools_are_reported() -> None:
    """Told from the content blocks, once each."""
    block = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}, "index": 0}
    assert verdicts(chunk(content=[block]), chunk(content=[block]), *CALL, end()) == [
        ("reject", "server_executed"),
        GOOD,
    ]
    for more, name in ({"name": "web_search"}, "web_search"), ({"name": None}, "server_tool_use"):
        decision = judged("langchain", [chunk(content=[{**block, **more}]), *CALL, end()]).decisions[0]
        assert (decision.call_id, decision.name) == ("s", name)


def test_of_several_words_the_one_that_speaks_against_the_call_is_told() -> None:
    """And where all are good, the first: the finish reason."""
    for fields, told in (
        ({"finish_reason": "tool_calls", "stop_reason": "tool_use"}, "tool_calls"),
        ({"finish_reason": "tool_calls", "stop_reason": "max_tokens"}, "max_tokens"),
        ({"finish_reason": "tool_calls", "object": "response", "status": "completed"}, "tool_calls"),
        ({"object": "response", "status": "completed"}, "completed"),
        ({"object": "response", "status": "incomplete", "incomplete_details": {"reason": "x"}}, "x"),
        ({"object": "response", "status": "failed", "error": {"code": "server_error"}}, "server_error"),
        ({"object": "response", "status": "failed"}, "failed"),
    ):
        (decision,) = judged("langchain", [*CALL, chunk(response_metadata=fields)]).decisions
        assert decision.evidence.provider_reason == told
        assert (decision.action == "execute") == (told in ("tool_calls", "completed"))
