"""LangChain: chunks, whole messages, and what graphs wrap them in."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock import Guard
from interlock.stream.wires.langchain import END_REASONS, recognises
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
        ({"finish_reason": "stop"}, True),
        ({"finish_reason": "stop", "object": "chat.completion", "status": "odd"}, True),
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
        ([end(), {"data": {"messages": []}, "interrupts": {"messages": [1]}}], [GOOD]),  # nodes of these names
        ([end(), {"ns": {"messages": []}, "interrupts": {"messages": [1]}}], [GOOD]),
        ([chunk(content=[{"type": "refusal", "refusal": "no"}]), end()], [("reject", "content_filtered")]),
        ([chunk(additional_kwargs={"refusal": "no"}), end()], [("reject", "content_filtered")]),
    ],
)
def test_what_follows_a_whole_call(events: list[Any], want: list[tuple[str, str]]) -> None:
    """Ends, results, interrupts, refusals."""
    assert verdicts(*CALL, *events) == want


@pytest.mark.parametrize(
    "refusal", [{"content": [{"type": "refusal", "refusal": "no"}]}, {"additional_kwargs": {"refusal": "no"}}]
)
def test_a_refusal_counts_where_nothing_else_ends_the_message(refusal: Any) -> None:
    """By the callers word that a stream that ran out was whole."""
    assert verdicts(*CALL, confirm_on_done=True) == [GOOD]
    assert verdicts(*CALL, chunk(**refusal), confirm_on_done=True) == [("reject", "content_filtered")]


@pytest.mark.parametrize(
    "wrap",
    [
        lambda one: (one, {"langgraph_node": "model"}),
        lambda one: [one, {}],
        lambda one: ("messages", (one, {})),
        lambda one: (("node:1",), "messages", (one, {})),
        lambda one: ((), (one, {})),
        lambda one: [["node:1"], [one, {"langgraph_node": "model", "langgraph_triggers": ["x"]}]],
        lambda one: {"type": "messages", "ns": (), "data": (one, {})},
        lambda one: {"event": "on_chat_model_stream", "data": {"chunk": one}},
    ],
)
def test_what_graphs_wrap_messages_in_is_unwrapped(wrap: Any) -> None:
    """Stream modes and events."""
    assert executed(judged("langchain", [wrap(one) for one in (*CALL, end())])) == [("c1", "f", {"a": 1})]


RESULT: Any = {"type": "tool", "content": "1", "tool_call_id": "c1"}
WHOLE: Any = {
    "type": "ai",
    "id": "lc_run--9",
    "content": "",
    "response_metadata": {"finish_reason": "tool_calls"},
    "tool_calls": [{"name": "f", "args": {"a": 1}, "id": "c1", "type": "tool_call"}],
}
RAN = ("reject", "sdk_execution_observed")
PAUSED = ("retry", "stream_incomplete")


def part(mode: str, data: Any, **more: Any) -> dict[str, Any]:
    """What a graph streams with `version="v2"`."""
    return {"type": mode, "ns": (), "data": data, **more}


def chain(kind: str, **data: Any) -> dict[str, Any]:
    """An event of `astream_events` about a chain."""
    return {"event": f"on_chain_{kind}", "name": "LangGraph", "run_id": "r", "data": data}


MARKED: Any = {"__interrupt__": ({"value": "?", "id": "i"},)}
TASK: Any = {"id": "t", "name": "tools", "error": None, "result": {}, "interrupts": [{"value": "?"}]}


@pytest.mark.parametrize(
    "event",
    [
        MARKED,
        {"__interrupt__": ()},
        ("updates", MARKED),
        ["updates", {"__interrupt__": []}],
        ((), MARKED),
        (("node:1",), MARKED),
        (("node:1",), "updates", MARKED),
        [MARKED],
        [("updates", MARKED)],
        part("updates", MARKED),
        part("values", {"messages": []}, interrupts=({"value": "?"},)),
        ("values", {"messages": [WHOLE], **MARKED}),
        {"messages": [WHOLE], **MARKED},
        TASK,
        ("tasks", TASK),
        ("debug", {"type": "task_result", "payload": TASK}),
        chain("stream", chunk=MARKED),
        chain("stream", chunk=("updates", MARKED)),
        chain("end", output={"messages": [WHOLE], **MARKED}),
    ],
)
def test_an_interrupt_pauses_wherever_a_graph_shows_it(event: Any) -> None:
    """Once, or twice as of a graph within a graph; what a node beside it streams afterwards is no fault."""
    assert verdicts(*CALL, end(), event) == [PAUSED]
    assert verdicts(*CALL, end(), event, event) == [PAUSED]
    assert verdicts(event, *CALL, end()) == [PAUSED]


def test_an_interrupt_after_the_sources_end_is_a_fault() -> None:
    """It is not lost."""
    guard = Guard("langchain")
    for event in (*CALL, end()):
        guard.push(event)
    guard.source_ended("eof")
    guard.push(MARKED)
    assert [one.action for one in guard.finish().decisions] == ["reject"]


JUNK = st.recursive(
    st.sampled_from([None, 1, "x", object(), set(), CALL[0], RESULT, WHOLE, MARKED, TASK, 1.5])
    | st.sampled_from(["on_chain_end", "on_tool_end", "on_chat_model_stream", "updates", "values", "AIMessageChunk"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(
            st.sampled_from(
                ["a", "messages", "data", "chunk", "output", "update", "type", "event", "ns", "payload", 1]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(junk=JUNK)
def test_nothing_that_is_pushed_or_looked_at_raises(junk: Any) -> None:
    """Whatever its shape; and no call gets authority from it that the chunks do not give."""
    assert recognises(junk) in (0, 1, 2)
    report = judged("langchain", [junk, *CALL[1:], junk])
    assert "E_INTERNAL" not in {one.code for one in report.diagnostics}
    assert executed(report) == []


@pytest.mark.parametrize(
    "event",
    [
        part("values", {"messages": []}, interrupts=()),
        ("tasks", {**TASK, "interrupts": []}),
        ("values", {"messages": [], "result": 1, "interrupts": [1]}),
        {"event": "on_chain_start", "data": {"input": MARKED}},
    ],
)
def test_no_interrupt_is_none(event: Any) -> None:
    """Empty fields, a state of that name, and what a run was resumed with."""
    assert verdicts(*CALL, end(), event) == [GOOD]


@pytest.mark.parametrize(
    "event",
    [
        {"tools": {"messages": RESULT}},
        {"tools": {"history": [RESULT]}},
        {"tools": {"messages": [{"role": "tool", "content": "1", "tool_call_id": "c1"}]}},
        {"tools": [{"update": {"messages": [RESULT]}}, {"messages": []}]},
        {"tools": RESULT},
        ("updates", {"tools": {"messages": RESULT}}),
        ("updates", {"tools": RESULT}),
        (("node:1",), {"tools": {"messages": RESULT}}),
        part("updates", {"tools": {"messages": RESULT}}),
        part("messages", (RESULT, {"langgraph_node": "tools"})),
        ("values", {"messages": [WHOLE, RESULT]}),
        {"messages": [WHOLE, RESULT]},
        ("checkpoints", {"values": {"messages": [WHOLE, RESULT]}, "tasks": []}),
        ("tasks", {**TASK, "result": {"messages": [RESULT]}, "interrupts": []}),
        chain("stream", chunk={"messages": RESULT}),
        chain("stream", chunk={"tools": {"messages": [RESULT]}}),
        chain("end", output=[{"messages": [RESULT]}]),
        chain("start", input={"messages": [WHOLE, RESULT]}),
        [WHOLE, RESULT],
        (WHOLE, RESULT),
        [end(), RESULT],
    ],
)
def test_a_result_is_found_wherever_a_graph_shows_it(event: Any) -> None:
    """And an older call's says nothing."""
    assert verdicts(*CALL, end(), event) == [RAN]


@pytest.mark.parametrize(
    "event",
    [
        ("values", {"messages": [WHOLE, RESULT]}),
        {"messages": [WHOLE, RESULT]},
        ("tasks", {"id": "t", "name": "agent", "input": {"messages": [WHOLE, RESULT]}, "triggers": ()}),
        {"id": "t", "name": "agent", "input": {"messages": [WHOLE, RESULT]}, "triggers": ()},
        {"config": {}, "values": {"messages": [WHOLE, RESULT]}, "next": ["agent"], "tasks": []},
        chain("start", input={"messages": [WHOLE, RESULT]}),
        chain("end", output={"messages": [WHOLE, RESULT]}, input={"messages": [WHOLE]}),
        {"agent": {"tools": [{"type": "tool", "name": "f"}], "scores": [1.0, b"", None]}},
        ("custom", "anything"),
        ("updates", {"agent": None}),
    ],
)
def test_the_history_opens_no_call_and_speaks_against_none(event: Any) -> None:
    """Of the calls `c1` that was run before, and of `c2`."""
    call = chunk(entry('{"a":1}', id="c2", name="f"))
    assert verdicts(event, call, end(), event, trust_projections=True) == [GOOD]


@pytest.mark.parametrize(
    "event",
    [
        {"agent": {"messages": WHOLE}},
        {"agent": [{"messages": [WHOLE]}]},
        {"next": {"messages": [WHOLE]}},
        ("updates", {"agent": {"messages": WHOLE}}),
        (("node:1",), {"agent": {"messages": [WHOLE]}}),
        part("updates", {"agent": {"messages": WHOLE}}),
        {"event": "on_chat_model_end", "data": {"output": WHOLE}},
    ],
)
def test_a_whole_message_is_found_in_an_update_once(event: Any) -> None:
    """Where the model did not stream; where it did, it adds nothing."""
    assert verdicts(event, event, trust_projections=True) == [GOOD]
    assert verdicts(*CALL, end(), event) == [GOOD]


def test_the_sum_of_chunks_in_an_update_adds_nothing() -> None:
    """A node may give back what it summed up itself; without the chunks it is the call."""
    whole = chunk(entry('{"a":1}', id="c1", name="f"), response_metadata={"finish_reason": "tool_calls"})
    update = ("updates", {"agent": {"messages": [whole]}})
    assert verdicts(*CALL, end(), update) == [GOOD]
    assert verdicts(update, update) == [GOOD]
    assert verdicts(update, ("updates", {"agent": {"messages": [{**whole, "id": None}]}})) == [GOOD]


def test_whole_messages_without_an_id_are_not_one() -> None:
    """The second call is not lost; a repetition adds nothing."""
    first, second = (
        {**WHOLE, "id": None, "tool_calls": [{"name": "f", "args": {"a": 1}, "id": id}]} for id in ("c1", "c2")
    )
    assert verdicts(first, second, first, trust_projections=True) == [GOOD, GOOD]


@pytest.mark.parametrize(
    "event",
    [
        (1, 2),
        ["x"],
        (None, CALL[0]),
        ("user", "hi"),
        [object()],
        ((), 7),
        [[[[[[[CALL[0]]]]]]]],
    ],
)
def test_a_list_that_is_not_understood_is_an_event_that_was_lost(event: Any) -> None:
    """What it holds may be anything."""
    report = judged("langchain", [*CALL, end(), event])
    assert [one.action for one in report.decisions] == ["retry"]
    assert "E_EVENTS_LOST" in {one.code for one in report.diagnostics}


def test_a_tools_own_output_may_hold_other_calls_results() -> None:
    """As of an agent that is a tool: which call it was for is not known."""
    over = {"event": "on_tool_end", "run_id": "r", "data": {"output": {"messages": [{**RESULT, "tool_call_id": "x"}]}}}
    assert verdicts(*CALL, end(), over) == [RAN]


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


def streamed(answers: Any, **how: Any) -> list[Any]:
    """What a real graph streams whose model calls `f`, and whose hand-written node `tools` does as it is told."""
    graphs = pytest.importorskip("langgraph.graph")
    memory = pytest.importorskip("langgraph.checkpoint.memory")
    messages = pytest.importorskip("langchain_core.messages")
    models = pytest.importorskip("langchain_core.language_models.chat_models")
    outputs = pytest.importorskip("langchain_core.outputs")

    class Model(models.BaseChatModel):  # type: ignore[misc, name-defined]
        _llm_type = "x"

        def _generate(self, *_: Any, **__: Any) -> Any:
            whole = messages.AIMessage(**{**WHOLE, "id": None})
            return outputs.ChatResult(generations=[outputs.ChatGeneration(message=whole)])

        def _stream(self, *_: Any, **__: Any) -> Any:
            for fields in (
                {"tool_call_chunks": [entry("", id="c1", name="f")]},
                {"tool_call_chunks": [entry('{"a":1}')]},
                {"response_metadata": {"finish_reason": "tool_calls"}},
            ):
                yield outputs.ChatGenerationChunk(message=messages.AIMessageChunk(content="", **fields))

    graph = graphs.StateGraph(graphs.MessagesState)
    graph.add_node("agent", lambda state: {"messages": Model().invoke(state["messages"])})
    graph.add_edge(graphs.START, "agent")
    if answers is not None:
        graph.add_node("tools", lambda _: answers(messages.ToolMessage("1", tool_call_id="c1")))
        graph.add_edge("agent", "tools")
    ready = graph.compile(checkpointer=memory.MemorySaver())
    asked, config = {"messages": [("user", "hi")]}, {"configurable": {"thread_id": "t"}}
    if how:
        return list(ready.stream(asked, config, **how))

    async def events() -> list[Any]:
        return [one async for one in ready.astream_events(asked, config, version="v2")]

    return asyncio.run(events())


def asks(_: Any) -> Any:
    """Wait for somebody's approval."""
    return pytest.importorskip("langgraph.types").interrupt("may I?")


def commands(result: Any) -> Any:
    """Answer with a list."""
    command = pytest.importorskip("langgraph.types").Command
    return [command(update={"messages": [result]}), command(update={})]


@pytest.mark.parametrize(
    "how",
    [
        {"stream_mode": mode, "subgraphs": subgraphs, "version": version}
        for mode in ("updates", ["updates"], ["messages", "updates"], ["messages", "values", "tasks"])
        for subgraphs in (False, True)
        for version in ("v1", "v2")
    ]
    + [{}],
)
def test_a_real_graph_that_ran_a_call_or_waits_is_told_from_one_that_left_it(how: Any) -> None:
    """In every mode that shows it, as tuples, parts and events."""
    for answers, want in (
        (None, GOOD),
        (asks, PAUSED),
        (lambda result: {"messages": result}, RAN),
        (lambda result: {"messages": [result]}, RAN),
        (commands, RAN),
    ):
        assert verdicts(*streamed(answers, **how), trust_projections=True) == [want], answers
