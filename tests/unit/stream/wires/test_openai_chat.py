"""OpenAI Chat Completions: who a fragment belongs to, and what ends a choice."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.judging import executed, judged

DONE = "[DONE]"
EMPTY_OK = {"f": {"type": "object"}, "g": {"type": "object"}}


def fragment(index: Any = 0, id: Any = ..., name: Any = ..., arguments: Any = ...) -> dict[str, Any]:
    """One entry of `delta.tool_calls`; what is not given is not on the wire."""
    function = {k: v for k, v in (("name", name), ("arguments", arguments)) if v is not ...}
    out = {k: v for k, v in (("index", index), ("id", id)) if v is not ...}
    return {**out, "function": function} if function else out


def chunk(*fragments: dict[str, Any], choice: Any = 0, finish: Any = None, **delta: Any) -> dict[str, Any]:
    """One chunk."""
    if fragments:
        delta["tool_calls"] = list(fragments)
    return {
        "object": "chat.completion.chunk",
        "choices": [{"index": choice, "delta": delta, "finish_reason": finish}],
    }


FIRST = fragment(0, "call_1", "f", '{"a": 1}')
END = chunk(finish="tool_calls")


def verdicts(*events: Any, **options: Any) -> list[tuple[Any, ...]]:
    """(id, name, action, reason) of each decision."""
    return [(d.call_id, d.name, d.action, d.reason) for d in judged("openai_chat", events, **options).decisions]


@pytest.mark.parametrize(
    "rest",
    [
        fragment(0, arguments=": 1}"),
        fragment(0, None, None, ": 1}"),
        fragment(0, "", "", ": 1}"),
        fragment(0, "null", "f", ": 1}"),
        fragment(0, "call_1", "f", ": 1}"),
        fragment(..., "call_1", arguments=": 1}"),
        fragment(..., arguments=": 1}"),
        fragment(None, None, arguments=": 1}"),
    ],
)
def test_every_way_to_continue_a_call(rest: dict[str, Any]) -> None:
    """Id and name absent, null, empty, the text "null", or repeated; index absent with one open call."""
    report = judged("openai_chat", [chunk(fragment(0, "call_1", "f", '{"a"')), chunk(rest), END, DONE])
    assert executed(report) == [("call_1", "f", {"a": 1})]


def test_a_name_in_fragments_is_joined_before_the_arguments() -> None:
    """Some servers split the name."""
    events = [
        chunk(fragment(0, "call_1", "get_", "")),
        chunk(fragment(0, name="weather", arguments='{"a"')),
        chunk(fragment(0, arguments=": 1}")),
        END,
    ]
    assert executed(judged("openai_chat", events)) == [("call_1", "get_weather", {"a": 1})]


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ([chunk(FIRST), chunk(fragment(0, name="g", arguments="")), END], "protocol_violation"),
        ([chunk(FIRST), END, chunk(fragment(0, arguments=" "))], "protocol_violation"),
        ([chunk(FIRST), END, chunk(fragment(1, "call_2", "g", "{}"))], "protocol_violation"),
        ([chunk(FIRST), END, chunk(finish="stop")], "protocol_violation"),
        ([chunk(FIRST), END, chunk(finish="length")], "protocol_violation"),
        ([chunk(FIRST), chunk(fragment(1, "call_1", "f", '{"a": 1}')), END], "protocol_violation"),
        ([chunk(FIRST), chunk(fragment(1, "call_1", "f", '{"a": 2}')), END], "protocol_violation"),
        ([chunk(FIRST), chunk(fragment(-1, arguments="")), END], "protocol_violation"),
        ([chunk(FIRST), chunk(fragment("0", arguments="")), END], "protocol_violation"),
        ([chunk(FIRST), chunk(fragment(True, arguments="")), END], "protocol_violation"),
        ([chunk(FIRST), chunk(fragment(..., name="g", arguments="{}")), END], "protocol_violation"),
        ([chunk(FIRST), chunk(function_call={"name": "g", "arguments": "{}"}), END], "protocol_violation"),
        ([chunk(FIRST), chunk(choice=None, finish="tool_calls")], "protocol_violation"),
        ([chunk(FIRST), chunk(choice=True), END], "protocol_violation"),
        ([chunk(FIRST), {"choices": [*END["choices"], *END["choices"]]}], "protocol_violation"),
        ([chunk(FIRST, refusal="I must not"), END], "content_filtered"),
        ([chunk(FIRST), chunk(finish="content_filter")], "content_filtered"),
        ([chunk(FIRST), {"error": {"message": "m", "code": 502}}], "provider_error"),
        ([chunk(FIRST), END, {"error": "late"}], "provider_error"),
        ([chunk(FIRST), {"choices": [], "x_groq": {"error": "stopped"}}, END], "provider_error"),
        ([chunk(FIRST), chunk(finish="error")], "provider_error"),
        ([chunk(FIRST), chunk(finish="insufficient_system_resource")], "provider_error"),
        ([chunk(FIRST), chunk(finish="length")], "stream_incomplete"),
        ([chunk(FIRST), chunk(finish="brand_new")], "stream_incomplete"),
        ([chunk(FIRST), chunk(finish="eos")], "stream_incomplete"),
        ([chunk(FIRST), DONE], "stream_incomplete"),
        ([chunk(FIRST)], "stream_incomplete"),
        ([chunk(FIRST), {"raw": '{"choi'}, END, DONE], "stream_incomplete"),
        ([chunk(fragment(0, "call_1", "f", '{"a')), END], "truncated"),
        ([chunk(fragment(0, "call_1", "f", '{"a')), chunk(finish="length")], "truncated"),
        ([chunk(fragment(0, "call_1", "f", "")), END], "truncated"),
        ([chunk(fragment(0, "call_1", "f", '{"a": 1, "a": 2}')), END], "malformed"),
        ([chunk(fragment(0, "call_1", "f", '{}{"a": 1}')), END], "malformed"),
        ([chunk(fragment(0, "call_1", ..., '{"a": 1}')), END], "malformed"),
        ([chunk(fragment(0, "call_1", "f", {"a": 1})), END], "projection_only"),
    ],
)
def test_what_speaks_against_a_call(events: list[Any], reason: str) -> None:
    """Each deviation, alone, with the reason it gets; nothing executes."""
    report = judged("openai_chat", events)
    assert report.decisions[0].reason == reason, report.to_json()
    assert executed(report) == []


@pytest.mark.parametrize("words", [("stop",), ("tool_calls",), ("function_call",)])
def test_the_words_that_confirm(words: tuple[str]) -> None:
    """`stop` ends a forced tool choice, and every call on many servers."""
    assert executed(judged("openai_chat", [chunk(FIRST), chunk(finish=words[0]), DONE]))


def test_the_same_finish_reason_again_with_the_usage_adds_nothing() -> None:
    """OpenRouter repeats it in the chunk that carries the usage."""
    events = [chunk(FIRST), END, {**chunk(content="", finish="tool_calls"), "usage": {"total_tokens": 1}}, DONE]
    assert executed(judged("openai_chat", events))


def test_a_native_reason_that_says_otherwise_wins() -> None:
    """A gateway that rewrites the reason but passes the provider's word through."""
    end = chunk(finish="tool_calls")
    end["choices"][0]["native_finish_reason"] = "MAX_TOKENS"
    assert verdicts(chunk(FIRST), end) == [("call_1", "f", "retry", "stream_incomplete")]
    end["choices"][0]["native_finish_reason"] = "completed"
    assert verdicts(chunk(FIRST), end) == [("call_1", "f", "execute", "complete")]


def test_same_index_with_another_id_is_another_call() -> None:
    """Ollama and several bridges send index 0 for every call; repeated ids find their call again."""
    events = [
        chunk(fragment(0, "call_1", "f", '{"a"')),
        chunk(fragment(0, "call_2", "g", '{"b"')),
        chunk(fragment(0, "call_1", arguments=": 1}")),
        chunk(fragment(0, "call_2", arguments=": 2}")),
        END,
    ]
    assert executed(judged("openai_chat", events)) == [("call_1", "f", {"a": 1}), ("call_2", "g", {"b": 2})]


def test_indices_need_not_begin_at_zero_nor_be_dense() -> None:
    """Bridges pass other positions through."""
    events = [chunk(fragment(3, "call_1", "f", "{}"), fragment(7, "call_2", "g", "{}")), END]
    assert [one[0] for one in executed(judged("openai_chat", events))] == ["call_1", "call_2"]


def test_calls_without_index_go_by_id() -> None:
    """Gemini's compatible endpoint omits the index."""
    events = [chunk(fragment(..., "call_1", "f", "{}"), fragment(..., "call_2", "g", "{}")), END]
    assert [one[0] for one in executed(judged("openai_chat", events))] == ["call_1", "call_2"]


def test_choices_are_judged_each_by_its_own_end() -> None:
    """Two alternatives: one complete, one cut by length."""
    events = [
        chunk(FIRST, choice=0),
        chunk({**FIRST, "id": "call_2"}, choice=1),
        chunk(choice=1, finish="length"),
        chunk(choice=0, finish="tool_calls"),
        DONE,
    ]
    assert verdicts(*events) == [
        ("call_1", "f", "execute", "complete"),
        ("call_2", "f", "retry", "stream_incomplete"),
    ]


def test_a_choice_without_its_own_reason_is_not_confirmed_by_another() -> None:
    """The other choice's finish reason is no evidence."""
    events = [
        chunk(FIRST, choice=0),
        chunk({**FIRST, "id": "call_2"}, choice=1),
        chunk(choice=1, finish="tool_calls"),
        DONE,
    ]
    assert [v[2] for v in verdicts(*events)] == ["retry", "execute"]


def test_legacy_function_call() -> None:
    """One call a choice, no id, no index."""
    events = [
        chunk(function_call={"name": "f", "arguments": ""}),
        chunk(function_call={"arguments": '{"a": 1}'}),
        chunk(finish="function_call"),
    ]
    assert executed(judged("openai_chat", events)) == [(None, "f", {"a": 1})]


def test_an_open_socket_or_a_broken_one_confirms_nothing() -> None:
    """No event ends this stream, so its source has to."""
    for end, want in (
        ("still_open", "retry"),
        ("cancelled", "retry"),
        ("timeout", "retry"),
        ("error", "retry"),
        ("eof", "execute"),
    ):
        assert verdicts(chunk(FIRST), END, end=end)[0][2] == want
    # [DONE] says that nothing follows.
    assert verdicts(chunk(FIRST), END, DONE, end="cancelled")[0][2] == "execute"


def test_hosts_without_a_finish_reason_need_an_opt_in() -> None:
    """`confirm_on_done` accepts `[DONE]` or a clean end, and the evidence says which."""
    for events, by in (([chunk(FIRST), DONE], "done"), ([chunk(FIRST)], "eof")):
        report = judged("openai_chat", events, confirm_on_done=True)
        assert report.decisions[0].action == "execute"
        assert report.decisions[0].to_json()["evidence"]["confirmed_by"] == by
        assert not executed(judged("openai_chat", events, confirm_on_done=True, end="error"))
    assert not executed(judged("openai_chat", [chunk(FIRST), chunk(finish="length")], confirm_on_done=True))


def test_empty_arguments_need_a_schema_that_accepts_an_object() -> None:
    """No argument text and a complete end: `{}` only where the schema says yes."""
    events = [chunk(fragment(0, "call_1", "f", "")), END, DONE]
    assert executed(judged("openai_chat", events, tools=EMPTY_OK)) == [("call_1", "f", {})]
    cut = [events[0], chunk(finish="length"), DONE]
    assert verdicts(*cut, tools=EMPTY_OK)[0][2:] == ("retry", "truncated")


def test_helper_events_of_the_official_client_are_unwrapped_or_ignored() -> None:
    """The `.stream()` helper yields `chunk` events and derived ones."""
    events = [
        {"type": "chunk", "chunk": chunk(FIRST), "snapshot": {}},
        {"type": "tool_calls.function.arguments.delta", "name": "f", "arguments": '{"a": 1}', "index": 0},
        {"type": "tool_calls.function.arguments.done", "name": "f", "arguments": '{"a": 1}', "index": 0},
        {"type": "chunk", "chunk": END, "snapshot": {}},
    ]
    assert executed(judged("openai_chat", events)) == [("call_1", "f", {"a": 1})]


def test_what_a_server_ran_itself_is_reported_and_not_given_out() -> None:
    """Groq's compound models report the tools that they executed."""
    tool = {"index": 0, "type": "search", "arguments": '{"query": "x"}'}
    events = [chunk(executed_tools=[tool]), chunk(executed_tools=[{**tool, "output": "y"}]), chunk(finish="stop"), DONE]
    assert verdicts(*events) == [(None, "search", "reject", "server_executed")]


def test_the_usage_unmasks_a_rewritten_length() -> None:
    """VLLM says `tool_calls` for a call that `max_tokens` cut; the count of tokens tells."""
    usage = {"object": "chat.completion.chunk", "choices": [], "usage": {"completion_tokens": 64}}
    events = [chunk(FIRST), END, usage, DONE]
    assert verdicts(*events)[0][2] == "execute"
    assert verdicts(*events, max_output_tokens=64)[0][2:] == ("retry", "stream_incomplete")
    assert verdicts(*events, max_output_tokens=65)[0][2] == "execute"


def test_calls_written_as_text_are_no_calls() -> None:
    """The text channel carries quoted and hostile text too."""
    assert verdicts(chunk(content='<tool_call>{"name": "rm"}</tool_call>'), chunk(finish="stop")) == []


def native(word: str) -> dict[str, Any]:
    """The same finish reason again, with the provider's word."""
    out = chunk(finish="tool_calls")
    out["choices"][0]["native_finish_reason"] = word
    return out


@pytest.mark.parametrize(
    ("late", "reason"),
    [
        (native("MAX_TOKENS"), "protocol_violation"),
        (chunk(refusal="no"), "content_filtered"),
        ({"object": "error", "message": "out of memory", "code": 500}, "provider_error"),
        (chunk(FIRST, finish="tool_calls"), "protocol_violation"),
    ],
)
def test_what_speaks_against_a_call_after_its_finish_reason(late: dict[str, Any], reason: str) -> None:
    """The finish reason is not the last word."""
    assert [v[3] for v in verdicts(chunk(FIRST), END, late, DONE)] == [reason]


def test_fillers_beside_a_repeated_finish_reason_add_nothing() -> None:
    """Null fields, and fragments without content."""
    for filler in (
        chunk(finish="tool_calls", function_call={"name": None, "arguments": None}),
        chunk(fragment(0, None, None, ""), finish="tool_calls"),
        native("tool_use"),
    ):
        assert executed(judged("openai_chat", [chunk(FIRST), END, filler, DONE]))
    assert executed(judged("openai_chat", [chunk(FIRST), native("tool_use"), END, DONE]))


def test_a_tool_call_that_is_no_list_is_a_violation() -> None:
    """A call that stands alone cannot be attributed, and must not be lost."""
    loose = chunk(finish=None)
    loose["choices"][0]["delta"]["tool_calls"] = FIRST
    assert [v[3] for v in verdicts(chunk(FIRST), loose, END, DONE)] == ["protocol_violation"]


def test_an_empty_object_before_the_text_is_a_filler() -> None:
    """Without text it is a value that somebody else parsed."""
    filler = chunk(fragment(0, "call_1", "f", {}))
    text = chunk(fragment(0, arguments='{"a": 1}'))
    assert executed(judged("openai_chat", [filler, text, END, DONE])) == [("call_1", "f", {"a": 1})]
    assert [v[3] for v in verdicts(filler, END, DONE)] == ["projection_only"]
    assert [v[3] for v in verdicts(filler, DONE, confirm_on_done=True)] == ["projection_only"]
    assert [v[3] for v in verdicts(text, filler, END, DONE)] == ["protocol_violation"]


def test_a_custom_tool_is_reported_with_its_name() -> None:
    """Its free text is stated only once, which proves nothing."""
    first = {"index": 0, "id": "call_1", "type": "custom", "custom": {"name": "sql", "input": ""}}
    more = {"index": 0, "custom": {"input": "SELECT 1"}}
    report = judged("openai_chat", [chunk(first), chunk(more), END, DONE])
    assert [(d.name, d.action, d.reason) for d in report.decisions] == [("sql", "reject", "malformed")]
    assert [d.code for d in report.decisions[0].diagnostics] == ["E_FREE_TEXT"]


@pytest.mark.parametrize(
    "told",
    [
        lambda end: {**end, "x_groq": {"usage": {"completion_tokens": 64}}},
        lambda end: {**end, "choices": [{**end["choices"][0], "usage": {"completion_tokens": 64}}]},
    ],
)
def test_the_usage_in_the_places_of_other_hosts(told: Any) -> None:
    """Groq and Moonshot."""
    assert verdicts(chunk(FIRST), told(END), DONE, max_output_tokens=64)[0][2] == "retry"
    assert verdicts(chunk(FIRST), told(END), DONE, max_output_tokens=65)[0][2] == "execute"


def test_the_usage_on_a_fragment_of_the_official_client() -> None:
    """Some hosts send it with every chunk; the short way for fragments must not skip it."""
    chunks = pytest.importorskip("openai.types.chat").ChatCompletionChunk
    base = {"id": "x", "created": 0, "model": "m"}
    usage = {"completion_tokens": 64, "prompt_tokens": 1, "total_tokens": 65}
    events = [
        {**base, **chunk(fragment(0, "call_1", "f", '{"a"'))},
        {**base, **chunk(fragment(0, arguments=": 1}")), "usage": usage},
        {**base, **END},
    ]
    events = [chunks.model_validate(event) for event in events]
    assert verdicts(*events, DONE, max_output_tokens=64)[0][2] == "retry"
    assert verdicts(*events, DONE, max_output_tokens=65)[0][2] == "execute"


def some(**optional: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Some of these fields."""
    return st.fixed_dictionaries({}, optional=optional)


FUNCTIONS = some(
    name=st.sampled_from([None, "", "", "f", "g"]), arguments=st.sampled_from([None, "", '{"a"', ": 1}", "{}", "x"])
)
FRAGMENTS = st.fixed_dictionaries(
    {"index": st.sampled_from([0, 0, 0, 1])},
    optional={"id": st.sampled_from([None, "", "call_1", "call_2"]), "function": FUNCTIONS | FUNCTIONS | st.none()},
)
DELTAS = some(
    tool_calls=st.lists(FRAGMENTS, min_size=1, max_size=1) | st.lists(FRAGMENTS, max_size=2) | st.none(),
    content=st.sampled_from([None, "", "x"]),
)
ODD_DELTAS = some(
    refusal=st.sampled_from([None, "", "no"]),
    function_call=FUNCTIONS,
    executed_tools=st.just([{"index": 0, "type": "search", "arguments": "{}"}]),
)
CHOICES = st.builds(
    lambda choice, delta, odd: {**choice, "delta": {**delta, **odd}},
    st.fixed_dictionaries(
        {
            "index": st.sampled_from([0, 0, 0, 1]),
            "finish_reason": st.sampled_from([None] * 6 + ["tool_calls", "stop", "length"]),
        },
        optional={"native_finish_reason": st.sampled_from([None, "MAX_TOKENS"])},
    )
    | st.just({"index": 0, "finish_reason": None}),
    DELTAS,
    st.just({}) | st.just({}) | ODD_DELTAS,
)
CHUNKS = st.builds(
    lambda chunk, more: {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "m", **chunk, **more},
    st.fixed_dictionaries({"choices": st.lists(CHOICES, min_size=1, max_size=1) | st.lists(CHOICES, max_size=2)}),
    st.just({})
    | st.just({})
    | some(
        usage=st.none() | st.just({"completion_tokens": 64}),
        error=st.none() | st.just({"code": 500}),
        x_groq=st.just({"usage": {"completion_tokens": 64}}) | st.just({"error": "bad"}),
    ),
)


@settings(max_examples=300)
@given(st.lists(CHUNKS, min_size=1, max_size=6), st.booleans())
def test_the_official_clients_chunks_are_read_like_dicts(rest: list[Any], begun: bool) -> None:
    """The short way for its fragments takes what it may, and says the same of it."""
    kind = pytest.importorskip("openai.types.chat").ChatCompletionChunk
    base = {"id": "x", "created": 0, "model": "m"}
    start = [{**base, **chunk(fragment(0, "call_1", "f", '{"a"'))}] if begun else []
    events = [*start, *rest, {**base, **END}]
    as_dicts = judged("openai_chat", events, max_output_tokens=64)
    as_objects = judged("openai_chat", [kind.construct(**event) for event in events], max_output_tokens=64)
    assert as_objects.to_json() == as_dicts.to_json()


def test_a_fragment_of_the_official_client_continues_its_own_call() -> None:
    """The plainest stream, with text and usage between, and two choices."""
    kind = pytest.importorskip("openai.types.chat").ChatCompletionChunk
    base = {"id": "x", "created": 0, "model": "m"}
    events = [
        *(chunk(fragment(0, f"call_{at}", "f", '{"a"'), choice=at) for at in (0, 1)),
        chunk(content="x"),
        *(chunk(fragment(0, arguments=f": {at}}}"), choice=at) for at in (0, 1)),
        *(chunk(choice=at, finish="tool_calls") for at in (0, 1)),
    ]
    report = judged("openai_chat", [kind.construct(**base, **event) for event in events])
    assert executed(report) == [("call_0", "f", {"a": 0}), ("call_1", "f", {"a": 1})]


def test_a_name_without_end_costs_no_more_than_its_length() -> None:
    """Fragments past the limit are not collected."""
    from interlock.stream.coordinator import Coordinator
    from interlock.stream.wires.openai_chat import _TRACKED_NAME, Adapter

    adapter = Adapter(Coordinator())
    for number in range(200):
        adapter.push(chunk(fragment(0, "call_1", f"{number:01024}")))
    assert len(adapter._choices[0].calls[0].name) < _TRACKED_NAME + 1024


def test_a_name_after_the_arguments_is_not_taken() -> None:
    """The contradiction is noted once, and the call keeps the name that it had."""
    report = judged("openai_chat", [chunk(FIRST), chunk(fragment(0, None, "g")), END, DONE])
    assert [(one.name, one.reason) for one in report.decisions] == [("f", "protocol_violation")]
    assert [d.code for d in report.diagnostics] == ["E_NAME_CONFLICT"]


def repeated(*calls: Any) -> dict[str, Any]:
    """MiniMax's last chunk, which repeats the calls in a message."""
    message = {"role": "assistant", "content": "", "tool_calls": list(calls)}
    return {"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]}


@pytest.mark.parametrize("arguments", ["", None, {}, "{}", ...])
def test_calls_repeated_in_a_message_without_arguments_say_nothing(arguments: Any) -> None:
    """Beside one whose own arguments came, under its id."""
    bare, whole = fragment(0, "call_1", "g", ""), fragment(1, "call_2", "f", '{"a": 1}')
    last = repeated(fragment(id="call_1", name="g", arguments=arguments), whole)
    report = judged("openai_chat", [chunk(bare), chunk(whole), last, DONE], tools=EMPTY_OK)
    assert executed(report) == [("call_1", "g", {}), ("call_2", "f", {"a": 1})]
    early = judged("openai_chat", [chunk(bare), chunk(whole), END, last, DONE], tools=EMPTY_OK)
    assert executed(early) == executed(report)


@pytest.mark.parametrize(
    "call",
    [
        fragment(id="call_1", name="g", arguments='{"a": 1}'),
        fragment(id="call_1", name="g", arguments={"a": 1}),
        fragment(id="call_9", name="g", arguments='{"a": 1}'),
        {"id": "call_1", "function": {"name": "g", "parameters": {"a": 1}}},
        {"id": "call_1", "function": {"name": "g"}, "input": {"a": 1}},
        {"id": "call_1", "custom": {"name": "g", "input": "x"}},
        {"id": "call_1"},
    ],
)
def test_arguments_in_a_message_may_be_those_of_a_call_without_any(call: dict[str, Any]) -> None:
    """It is said once."""
    report = judged("openai_chat", [chunk(fragment(0, "call_1", "g", "")), repeated(call), DONE], tools=EMPTY_OK)
    assert [(d.reason, [one.code for one in d.diagnostics]) for d in report.decisions] == [
        ("protocol_violation", ["E_STRAY_ARGUMENTS"])
    ]


def custom(index: Any = 0, id: Any = "call_1", name: Any = "sql", text: Any = "x") -> dict[str, Any]:
    """A fragment of a custom tool's call."""
    return {"index": index, "id": id, "type": "custom", "custom": {"name": name, "input": text}}


def test_a_custom_call_spoils_no_function_beside_it() -> None:
    """Its free text is no function's arguments."""
    for first, second in ((custom(), fragment(1, "call_2", "g", "")), (fragment(0, "call_2", "g", ""), custom(1))):
        report = judged("openai_chat", [chunk(first), chunk(second), END, DONE], tools={**EMPTY_OK, "sql": {}})
        assert executed(report) == [("call_2", "g", {})]
        assert {d.reason for d in report.decisions} == {"malformed", "complete"}


@pytest.mark.parametrize(
    "other",
    [
        [custom(1, name="")],  # nobody's
        [custom(1), fragment(1, arguments='{"a": 1}')],  # a function's text for it
        [custom(1), fragment(1, arguments={"a": 1})],
        [custom(0, "call_9", "g")],  # the same tool, in the function's place
        [custom(0, None, None)],  # the function itself
        [{"index": 0, "function": {"arguments": ""}, "custom": {"input": "x"}}],
    ],
)
def test_a_custom_call_that_may_hold_a_functions_arguments_spoils_it(other: list[Any]) -> None:
    """The function has none of its own."""
    events = [chunk(fragment(0, "call_2", "g", "")), *(chunk(one) for one in other), END, DONE]
    assert executed(judged("openai_chat", events, tools={**EMPTY_OK, "sql": {}})) == []


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ({"status_code": 1004, "status_msg": "login fail"}, "provider_error"),
        ({"status_code": 1004}, "provider_error"),
        ({"status_code": "1004"}, "provider_error"),
        ({"status_code": 0, "status_msg": ""}, "complete"),
        ({}, "complete"),
        (None, "complete"),
    ],
)
@pytest.mark.parametrize("choices", [[], None])
def test_a_status_beside_the_choices_is_an_error(status: Any, reason: str, choices: Any) -> None:
    """MiniMax's way to say it, with the code 200 of HTTP."""
    last = {"choices": choices, "base_resp": status}
    assert [v[3] for v in verdicts(chunk(FIRST), END, last, DONE)] == [reason]
    assert [v[3] for v in verdicts(chunk(FIRST), {**END, "base_resp": status}, DONE)] == [reason]
    if reason == "provider_error":
        (decision,) = judged("openai_chat", [chunk(FIRST), last]).decisions
        said = status.get("status_msg") or f"status_code {status['status_code']!r}"
        assert decision.evidence.provider_reason == said
