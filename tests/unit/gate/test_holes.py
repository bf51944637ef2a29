"""Ways around the guard that were found once, each kept as its smallest input."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import itertools
import json
import sys
from collections import OrderedDict, UserDict
from collections.abc import AsyncIterator
from typing import Any

import pydantic
import pytest

from interlock import Guard, Limits
from interlock.errors import InvalidOptionError
from interlock.stream.calls import same_json
from support.judging import executed, judged, judged_bytes

START = {"type": "call_start", "key": "a", "id": "call_1", "name": "f"}
END = {"type": "stream_end", "reason": "complete", "provider_reason": "stop"}


def arguments(text: str, key: str = "a") -> dict[str, Any]:
    """A delta."""
    return {"type": "arguments_delta", "key": key, "text": text}


def chat(arguments_text: str | None = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    """A chat chunk."""
    delta = {}
    if arguments_text is not None:
        delta = {"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "f", "arguments": arguments_text}}]}
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish, **more}]}


CHAT = [chat('{"a":1}'), chat(finish="tool_calls")]


@pytest.mark.parametrize("options", [{}, {"confirm_on_done": True}])
def test_leaving_an_async_loop_early_is_no_clean_end(options: dict[str, Any]) -> None:
    """An abandoned asynchronous generator is closed later; `finish` must not take that for a clean end."""

    async def source() -> AsyncIterator[Any]:
        for event in (*CHAT, {"error": {"code": 500}}):
            yield event

    async def run() -> str:
        guard = Guard("openai_chat", **options)
        async for event in guard.watch(source()):
            if event is CHAT[-1]:
                break
        return guard.finish().end_reason

    assert asyncio.run(run()) == "cancelled"


def test_an_iterator_that_is_kept_in_the_middle_is_no_clean_end() -> None:
    """The same without asyncio; saying how it ended is possible."""
    guard = Guard("openai_chat")
    reader = iter(guard.watch(iter([*CHAT, "more"])))
    assert [next(reader), next(reader)] == CHAT
    assert guard.finish().decisions[0].action == "retry"
    del reader


ANTHROPIC_EMPTY = [
    {"type": "message_start", "message": {}},
    {
        "type": "content_block_start",
        "index": 0,
        "content_block": {"type": "tool_use", "id": "t", "name": "f", "input": {}},
    },
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}},
    {"type": "message_stop"},
]


def test_keep_closed_needs_the_text_of_an_object() -> None:
    """A block's end is sent for cut blocks too: no text at all proves nothing under a length cut."""
    assert judged("anthropic", ANTHROPIC_EMPTY, on_length="keep_closed").decisions[0].action == "retry"
    pieces = [
        START,
        {"type": "arguments_piece", "key": "a", "path": ["p"], "value": "/srv"},
        {"type": "call_end", "key": "a"},
        {"type": "stream_end", "reason": "length"},
    ]
    assert judged("normalized", pieces, on_length="keep_closed").decisions[0].action == "retry"


def test_an_unconfirmed_end_never_makes_empty_arguments_an_object() -> None:
    """`confirm_on_done` is about calls that are whole; nothing at all is not."""
    tools = {"f": {"type": "object"}}
    assert judged("openai_chat", [chat("")], confirm_on_done=True, tools=tools).decisions[0].action == "retry"
    assert judged("openai_chat", [chat(""), chat(finish="stop")], tools=tools).decisions[0].action == "execute"


def test_a_replayed_call_gets_no_second_authority() -> None:
    """The same id in a later turn repeats a call: the first keeps its right, the repetition gets none."""

    def turn(key: str) -> list[dict[str, Any]]:
        return [
            {**START, "key": key, "turn": key},
            arguments("{}", key),
            {"type": "turn_end", "turn": key, "reason": "complete"},
        ]

    report = judged("normalized", [*turn("a"), *turn("b")])
    assert [(d.action, d.reason) for d in report.decisions] == [
        ("execute", "complete"),
        ("reject", "protocol_violation"),
    ]
    restarted = [START, arguments("{}"), {"type": "turn_replaced", "turn": ""}, *turn("b")]
    assert [d.action for d in judged("normalized", restarted).decisions] == ["retry", "execute"]


def test_free_text_does_not_pass_a_schema_for_objects() -> None:
    """A custom tool's text is held against the check that was registered under its name."""
    item = {"type": "custom_tool_call", "id": "c", "call_id": "k", "name": "f"}
    events = [
        {"type": "response.created", "response": {"id": "r"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {
            "type": "response.output_item.done",
            "output_index": 0,
            "item": {**item, "input": "rm", "status": "completed"},
        },
        {"type": "response.completed", "response": {"id": "r", "status": "completed"}},
    ]
    assert judged("openai_responses", events, tools={"f": {"type": "object"}}).decisions[0].reason == "schema_invalid"
    assert judged("openai_responses", events, tools={"f": {"type": "string"}}).decisions[0].action == "execute"
    assert judged("openai_responses", events).decisions[0].action == "execute"


@pytest.mark.parametrize("text", ["5", '"x"', "[1]", "null", "true"])
@pytest.mark.parametrize("schema", [{}, True])
def test_a_schema_that_allows_anything_still_needs_an_object(text: str, schema: Any) -> None:
    """A bare number is a prefix of another one, so its text proves nothing."""
    (decision,) = judged("normalized", [START, arguments(text), END], tools={"f": schema}).decisions
    assert (decision.action, decision.reason) == ("reject", "malformed")


def test_a_depth_that_values_cannot_be_copied_at_is_refused() -> None:
    """The bound is checked when the guard is made, and at the bound nothing raises."""
    with pytest.raises(InvalidOptionError, match=r"limits\.depth is 201"):
        Guard("normalized", limits=Limits(depth=201))
    text = '{"a":' * 199 + "1" + "}" * 199
    report = judged("normalized", [START, arguments(text), END], limits=Limits(depth=200))
    assert report.decisions[0].action == "execute"


def test_a_number_that_python_cannot_print_is_a_limit() -> None:
    """Python refuses to write integers of more than 4,300 digits."""
    fine = judged("normalized", [START, arguments('{"a": ' + "9" * 4300 + "}"), END])
    assert fine.decisions[0].action == "execute" and str(fine.decisions[0].to_json())
    assert (
        judged("normalized", [START, arguments('{"a": ' + "9" * 4301 + "}"), END]).decisions[0].reason
        == "resource_limit"
    )


def test_after_a_passed_limit_nothing_more_is_read() -> None:
    """What comes costs nothing any more, and the reason stays."""
    guard = Guard("openai_chat", limits=Limits(calls=1))
    for index in range(3):
        guard.push(
            {
                "choices": [
                    {
                        "index": 0,
                        "delta": {"tool_calls": [{"index": index, "id": str(index), "function": {"name": "f"}}]},
                    }
                ]
            }
        )
    before = guard.snapshot().diagnostics
    for _ in range(1000):
        guard.push({"error": {"code": 500}})
    assert guard.snapshot().diagnostics == before
    assert {d.reason for d in guard.finish().decisions} == {"resource_limit"}


def test_remarks_do_not_keep_what_a_peer_wrote() -> None:
    """A message holds the beginning and the end of a long text."""
    (decision,) = judged(
        "normalized", [{**START, "id": "x" * 9000}, {"type": "call_identity", "key": "a", "id": "y" * 90_000}, END]
    ).decisions
    assert all(len(d.message) < 600 for d in decision.diagnostics)


def test_a_typed_value_is_the_takers_own() -> None:
    """Changing the model in a report changes nothing of what `take` hands out."""

    class Arguments(pydantic.BaseModel):
        a: int

    guard = Guard("openai_chat", tools={"f": Arguments}, coerce=True)
    for event in CHAT:
        guard.push(event)
    guard.finish().decisions[0].typed_value.a = 999  # type: ignore[attr-defined]
    execution = guard.take("call-0")
    assert execution is not None and execution.typed_value == Arguments(a=1) and execution.value == {"a": 1}


@pytest.mark.parametrize("thing", [{1}, 7, 2.5, True, None])
def test_something_that_is_no_event_is_a_hole_in_the_stream(thing: Any) -> None:
    """What cannot be read could have been anything."""
    assert judged("normalized", [START, arguments("{}"), thing, END]).decisions[0].reason == "stream_incomplete"


def test_a_body_that_ends_inside_an_event_did_not_end_cleanly() -> None:
    """An unfinished line after the finish reason: an error event may have been cut there."""
    body = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in CHAT)
    assert executed(judged_bytes("openai_chat", [body]))
    for tail in (b"data: [DONE]", b"data: [DONE]\n", b": comment", b"retry: 10\n", b"\n"):
        assert executed(judged_bytes("openai_chat", [body + tail])), tail
    assert not executed(judged_bytes("openai_chat", [body + b'data: {"error":{"message":"bo']))
    assert not executed(judged_bytes("openai_chat", [body + b'data: {"error":{}}\n']))


def test_a_key_that_comes_twice_in_an_event_is_unreadable() -> None:
    """Two finish reasons in one object: neither counts."""
    first = b"data: " + json.dumps(CHAT[0]).encode() + b"\n\n"
    twice = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"length","finish_reason":"tool_calls"}]}\n\n'
    assert not executed(judged_bytes("openai_chat", [first, twice, b"data: [DONE]\n\n"]))


def test_a_layer_that_parses_no_arguments_to_an_empty_object() -> None:
    """AI SDK: no delta, and the parsed input is `{}`: whole where the schema accepts it."""
    events = [
        {"type": "tool-input-start", "id": "c", "toolName": "f"},
        {"type": "tool-input-end", "id": "c"},
        {"type": "tool-call", "toolCallId": "c", "toolName": "f", "input": {}},
        {"type": "finish-step", "finishReason": "tool-calls"},
        {"type": "finish", "finishReason": "tool-calls"},
    ]
    assert executed(judged("ai_sdk", events, tools={"f": {"type": "object"}})) == [("c", "f", {})]
    assert judged("ai_sdk", events).decisions[0].reason == "projection_only"
    assert judged("ai_sdk", events[2:], tools={"f": {"type": "object"}}).decisions[0].reason == "projection_only"


WHOLE_EMPTY = {
    "gemini": [
        {"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "args": {}}}]}, "finishReason": "STOP"}]}
    ],
    "ollama": [
        {"message": {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]}, "done": False},
        {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"},
    ],
    "langchain": [
        {
            "type": "ai",
            "id": "m",
            "content": "",
            "tool_calls": [{"id": "c", "name": "f", "args": {}}],
            "response_metadata": {"finish_reason": "tool_calls"},
        }
    ],
    "claude_agent": [
        {
            "type": "assistant",
            "message": {
                "id": "m",
                "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}],
                "stop_reason": "tool_use",
            },
        },
        {"type": "result", "subtype": "success"},
    ],
}


@pytest.mark.parametrize("wire", WHOLE_EMPTY)
def test_an_empty_object_that_somebody_parsed_is_a_projection_like_any_other(wire) -> None:
    """Layers put `{}` where they could not parse; the tool would run with its defaults."""
    tools = {"f": {"type": "object"}}
    (decision,) = judged(wire, WHOLE_EMPTY[wire], tools=tools).decisions
    assert (decision.action, decision.reason) == ("reject", "projection_only")
    (decision,) = judged(wire, WHOLE_EMPTY[wire], tools=tools, trust_projections=True).decisions
    assert decision.action == "execute" or wire == "claude_agent"


def test_numbers_that_javascript_rounds_are_the_same_number() -> None:
    """The copy keeps 53 bits; the raw text stays the value."""
    assert same_json(1234567890123456789, 1234567890123456800)
    assert same_json(9007199254740993, 9007199254740992)
    assert same_json(123456789012345678901234, 1.2345678901234568e23)
    assert not same_json(9007199254740992, 9007199254740991)
    assert not same_json(1234567890123456789, 1234567890123457000)
    assert not same_json(9007199254740991, 9007199254740990)
    assert not same_json(10**400, 10**400 + 1)


def test_money_is_a_multiple_of_a_cent() -> None:
    """JSON numbers are decimals, whatever their nearest floats say."""
    tools = {"f": {"type": "object", "properties": {"a": {"multipleOf": 0.01}}}}
    for number, fine in (("19.99", True), ("4.35", True), ("0", True), ("1e2", True), ("4.355", False)):
        report = judged("normalized", [START, arguments(f'{{"a": {number}}}'), END], tools=tools)
        assert (report.decisions[0].action == "execute") == fine, number


def test_text_does_not_use_up_the_bound_on_events() -> None:
    """Only events about calls count: a long answer ahead of a call is no resource limit."""
    text = {"choices": [{"index": 0, "delta": {"content": "word"}, "finish_reason": None}]}
    assert executed(judged("openai_chat", [*[text] * 50, *CHAT], limits=Limits(stream_events=5)))


def test_nobody_is_told_no_early_where_a_string_may_be_unwrapped() -> None:
    """With the opt-in, a string where an array is due can still become one."""
    guard = Guard(
        "openai_chat",
        tools={"f": {"type": "object", "properties": {"x": {"type": "array"}}}},
        unwrap_double_encoding=True,
    )
    for event in (chat('{"x":"[1,2]"}'), chat(finish="tool_calls")):
        guard.push(event)
        assert not guard.doomed
    assert guard.finish().decisions[0].action == "execute"


def test_a_decision_names_its_alternative() -> None:
    """Calls of several choices are alternatives; the decision says which one it belongs to."""
    events = [{"choices": [{**chat("{}")["choices"][0], "index": index}]} for index in (0, 1)]
    events[1]["choices"][0]["delta"]["tool_calls"][0]["id"] = "c2"
    assert [d.turn for d in judged("openai_chat", events).decisions] == ["choice-0", "choice-1"]


class Says:
    """A validator that does something first, and then says no."""

    def __init__(self, *deeds) -> None:
        self.deeds = list(deeds)

    def validate(self, value):
        if self.deeds:
            self.deeds.pop(0)()
        return False


def whole(**options) -> Guard:
    guard = Guard("normalized", **options)
    for event in (START, arguments('{"a": 1}'), END):
        guard.push(event)
    return guard


def interrupt() -> None:
    raise KeyboardInterrupt


def test_a_validation_that_was_interrupted_is_no_yes() -> None:
    guard = whole(tools={"f": Says(interrupt)})
    with pytest.raises(KeyboardInterrupt):
        guard.finish()
    assert guard.take("call-0") is None
    assert guard.finish().decisions[0].action == "reject"


def test_a_validator_that_asks_for_the_authority_gets_none() -> None:
    got = []
    guard = whole(tools={"f": Says(lambda: got.append(guard.take("call-0")))})
    guard.finish()
    assert got == [None]
    assert guard.take("call-0") is None


def test_a_model_that_asks_for_the_authority_while_it_is_made_gets_none() -> None:
    got = []

    class F(pydantic.BaseModel):
        a: int

        @pydantic.field_validator("a")
        @classmethod
        def ask(cls, a):
            if finished:
                got.append(guard.take("call-0"))
            return a

    finished = False
    guard = whole(tools={"f": F}, coerce=True)
    guard.finish()
    finished = True
    assert guard.take("call-0") is not None
    assert got == [None]
    assert guard.take("call-0") is None


NESTED = "[" * 60 + "]" * 60


@pytest.mark.parametrize("bare", [True, False])
def test_running_out_of_stack_in_the_end_is_no_yes(bare) -> None:
    """At whatever depth the reading broke off: the schema says no, so nothing may come out, and no `{}` either."""
    guards = []

    def deed() -> None:
        guards[-1].finish()

    def prepared() -> None:
        guards.append(Guard("normalized", tools={"f": {"properties": {"path": {"const": "/tmp"}}}}))
        for event in (START, arguments('{"path": "/etc", "x": ' + ("1" if bare else NESTED) + "}"), END):
            guards[-1].push(event)

    def dive(left: int) -> None:
        if left:
            dive(left - 1)
        else:
            deed()

    room = sys.getrecursionlimit() - len(inspect.stack()) - 15
    for depth in range(0, 200, 4):
        prepared()
        with contextlib.suppress(RecursionError):
            dive(room - depth)
        assert guards[-1].take("call-0") is None, depth
        assert guards[-1].finish().decisions[0].action == "reject", depth
        assert guards[-1].take("call-0") is None, depth


@pytest.mark.parametrize("wire", ["chat", "bytes", "watch"])
def test_evidence_that_there_was_no_stack_for_is_not_forgotten(wire) -> None:
    """An error event after the end: wherever there was no room to note it, nothing runs later."""
    body = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in CHAT)
    bad: dict[str, Any] = {"error": {"message": "overloaded", "code": 529}}

    def source(bad_at):
        yield from CHAT
        bad_at()

    def dive(left: int, deed) -> None:
        if left:
            dive(left - 1, deed)
        else:
            deed()

    def raise_it() -> None:
        raise ConnectionError("reset")

    room = sys.getrecursionlimit() - len(inspect.stack()) - 10
    for depth in range(0, 120, 2):
        guard = Guard("openai_chat")
        if wire == "watch":
            reader = iter(guard.watch(source(raise_it)))
            next(reader), next(reader)
            deed = lambda reader=reader: next(reader)  # noqa: E731
        elif wire == "bytes":
            guard.push_bytes(body)
            deed = lambda guard=guard: guard.push_bytes(b"data: " + json.dumps(bad).encode() + b"\n\n")  # noqa: E731
        else:
            for event in CHAT:
                guard.push(event)
            deed = lambda guard=guard: guard.push(bad)  # noqa: E731
        reached = False
        try:
            dive(room - depth, deed)
            reached = True
        except ConnectionError:
            reached = True
        except RecursionError as error:
            # The guard's own frames are in the traceback where it was reached at all.
            at = error.__traceback__
            while at is not None:
                reached |= at.tb_frame.f_code.co_filename.endswith(("guard.py",))
                at = at.tb_next
        guard.finish()
        if reached:
            assert guard.take("call-0") is None, depth


class BadKey(str):
    """Never found in a set."""

    __slots__ = ()
    _next = itertools.count()

    def __hash__(self) -> int:
        return next(self._next)


def test_the_right_is_used_up_whatever_the_key_that_was_asked_with() -> None:
    guard = whole()
    guard.finish()
    assert guard.take(BadKey("call-0")) is not None
    assert guard.take(BadKey("call-0")) is None
    assert guard.take("call-0") is None


class UnspeakableError(Exception):
    """An exception that raises when it is looked at."""

    def __str__(self) -> str:
        raise RuntimeError("no words")

    @property
    def response(self):
        raise RuntimeError("there was no request")


def test_a_source_that_breaks_in_an_unspeakable_way_is_broken() -> None:
    def source():
        yield from (START, arguments('{"a": 1}'), END)
        raise UnspeakableError

    guard = Guard("normalized")
    with pytest.raises(UnspeakableError):
        list(guard.watch(source()))
    assert guard.finish().end_reason == "network_error"
    assert guard.take("call-0") is None


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize(
    "event",
    [
        OrderedDict(raw="{"),
        UserDict(raw="{"),
        Text("data: {"),
        frozenset(),
        1j,
        [{"type": "response_error", "message": "no"}],
        ({"type": "response_error"},),
    ],
    ids=repr,
)
def test_what_is_no_event_is_a_hole_in_the_stream(event) -> None:
    guard = Guard("normalized")
    for one in (START, arguments('{"a": 1}'), event, END):
        guard.push(one)
    assert [d.reason for d in guard.finish().decisions] == ["stream_incomplete"]
    guard.push(event)  # late, and still it does not raise


def test_an_event_that_is_equal_to_nothing_is_only_late() -> None:
    class Odd:
        def __eq__(self, other: object) -> bool:
            raise ValueError("ambiguous")

        __hash__ = object.__hash__

    guard = whole()
    guard.finish()
    guard.push(Odd())
    assert guard.take("call-0") is None


def test_an_event_that_was_not_read_to_its_end_leaves_nothing_to_run() -> None:
    class Slow:
        @property
        def type(self):
            raise KeyboardInterrupt

    guard = whole()
    with pytest.raises(KeyboardInterrupt):
        guard.push(Slow())
    guard.finish()
    assert guard.take("call-0") is None


def test_calls_of_one_choice_are_handed_out_and_not_its_alternatives() -> None:
    """Both would pay: several choices are several answers to one question."""
    events = [{"choices": [{**chat('{"a":1}')["choices"][0], "index": index}]} for index in (0, 1)]
    for at, event in enumerate(events):
        event["choices"][0]["delta"]["tool_calls"][0]["id"] = f"c{at}"
    second = chat()
    second["choices"][0] |= {
        "delta": {"tool_calls": [{"index": 1, "id": "c2", "function": {"name": "g", "arguments": "{}"}}]}
    }
    events.append(second)
    events += [{"choices": [{**chat(finish="tool_calls")["choices"][0], "index": index}]} for index in (0, 1)]
    ids = ["call-0", "call-1", "call-2"]
    for order, taken in (
        (ids, ["call-0", "call-2"]),
        (ids[::-1], ["call-2", "call-0"]),
        (["call-1", "call-0", "call-2"], ["call-1"]),
    ):
        guard = Guard("openai_chat")
        for event in events:
            guard.push(event)
        assert [d.action for d in guard.finish().decisions] == ["execute"] * 3
        assert [id for id in order if guard.take(id) is not None] == taken


def test_candidates_of_one_response_are_alternatives_and_responses_are_not() -> None:
    def response(id: str, *indexes: int) -> dict[str, Any]:
        part = {"functionCall": {"name": "f", "args": {"a": 1}}}
        return {
            "responseId": id,
            "candidates": [{"index": index, "content": {"parts": [part]}, "finishReason": "STOP"} for index in indexes],
        }

    guard = Guard("gemini", trust_projections=True)
    guard.push(response("r1", 0, 1))
    guard.push(response("r2", 0))
    decisions = guard.finish().decisions
    assert [d.action for d in decisions] == ["execute"] * 3
    assert [guard.take(d.internal_id) is not None for d in decisions] == [True, False, True]


@pytest.mark.parametrize("event", [{"type": "ping"}, {"type": "of next year"}, {}])
def test_whatever_comes_after_finish_is_late_evidence(event) -> None:
    """Even an event that says nothing: whoever pushes it had not read the source to its end."""
    guard = Guard("anthropic")
    block = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
    for one in (
        {"type": "message_start", "message": {}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        {"type": "message_stop"},
    ):
        guard.push(one)
    assert [d.action for d in guard.finish().decisions] == ["execute"]
    guard.push("[DONE]")
    assert [d.action for d in guard.finish().decisions] == ["execute"]
    guard.push(event)
    assert [d.reason for d in guard.finish().decisions] == ["protocol_violation"]
    assert guard.take("call-0") is None


BLOCK = [
    {"type": "message_start", "message": {"id": "m"}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "t", "name": "f"}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": '{"a":1}'}},
    {"type": "content_block_stop", "index": 0},
]


def stopped(reason: str, **more: Any) -> dict[str, Any]:
    """A `message_delta` with a stop reason."""
    return {"type": "message_delta", "delta": {"stop_reason": reason, **more}}


def returned(**more: Any) -> list[dict[str, Any]]:
    """A call of Pydantic AI, and the response that it is in."""
    part = {"part_kind": "tool-call", "tool_name": "f", "args": '{"a":1}', "tool_call_id": "c1"}
    return [
        {"event_kind": "part_start", "index": 0, "part": part},
        {"kind": "response", "parts": [part], **more},
    ]


RUN = [
    {"type": "RUN_STARTED"},
    {"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "f"},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "c1", "delta": '{"a":1}'},
    {"type": "TOOL_CALL_END", "toolCallId": "c1"},
]
ITEM = {"type": "function_call", "id": "fc", "call_id": "c1", "name": "f", "arguments": '{"a":1}'}
RESPONSE = [
    {"type": "response.created", "response": {"id": "r"}},
    {"type": "response.output_item.added", "output_index": 0, "item": {**ITEM, "arguments": ""}},
    {"type": "response.output_item.done", "output_index": 0, "item": ITEM},
]


def raw(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Events of the Agents SDK behind a Chat Completions model."""
    out = json.loads(json.dumps(events).replace('"id": "r"', '"id": "__fake_id__"').replace('"fc"', '"__fake_id__"'))
    return [{"type": "raw_response_event", "data": event} for event in out]


@pytest.mark.parametrize(
    ("wire", "events", "against"),
    [
        *(("anthropic", BLOCK, stopped(said)) for said in ("refusal", "max_tokens", "pause_turn", "new_word")),
        ("anthropic", BLOCK, {**BLOCK[1], "index": 1}),  # a second block that never ends
        ("openai_chat", CHAT[:1], {"choices": [{"index": 0, "delta": {"refusal": "no"}}]}),
        ("openai_chat", CHAT[:1], {"choices": [{"index": 0, "delta": {}, "native_finish_reason": "max_tokens"}]}),
        ("openai_responses", RESPONSE, {"type": "response.refusal.delta", "delta": "no"}),
        ("openai_agents", raw(RESPONSE), raw([{"type": "response.failed", "response": {"id": "r"}}])[0]),
        (
            "openai_agents",
            raw(RESPONSE),
            raw([{"type": "response.incomplete", "response": {"incomplete_details": {"reason": "max_output_tokens"}}}])[
                0
            ],
        ),
        ("ag_ui", RUN, {"type": "CUSTOM", "name": "on_interrupt"}),
        ("ag_ui", RUN, {"type": "RAW", "event": {"finish_reason": "length"}}),
    ],
)
def test_a_clean_end_confirms_no_turn_that_something_was_said_against(
    wire: str, events: list[dict[str, Any]], against: dict[str, Any]
) -> None:
    """The option is for turns of which nothing is said; the control run shows that it lets such a turn run."""
    assert executed(judged(wire, events, confirm_on_done=True))
    assert not executed(judged(wire, [*events, against], confirm_on_done=True))


@pytest.mark.parametrize("said", ["OTHER", "pause_turn", "new_word"])
def test_a_providers_word_that_pydantic_ai_does_not_know_confirms_nothing(said: str) -> None:
    assert executed(judged("pydantic_ai", returned(finish_reason=None), confirm_on_done=True))
    events = returned(finish_reason=None, provider_details={"finish_reason": said})
    assert not executed(judged("pydantic_ai", events, confirm_on_done=True))


def test_a_refusal_beside_the_stop_reason_counts() -> None:
    events = [*BLOCK, stopped("tool_use"), {"type": "message_stop"}]
    assert executed(judged("anthropic", events))
    for at, reason in ((4, "tool_use"), (6, "tool_use")):
        refused = [*events[:at], stopped(reason, stop_details={"type": "refusal"}), *events[at:]]
        assert not executed(judged("anthropic", refused))


def responded(response: str | None, *chunks: dict[str, Any]) -> list[dict[str, Any]]:
    """Chat chunks of one response."""
    return [chunk if response is None else {"id": response, **chunk} for chunk in chunks]


def test_two_responses_are_not_put_together() -> None:
    """A proxy that tries again sends a second response into the first one's stream."""
    first = responded("A", chat('{"to":"x",'), chat('"amount":1'))
    cases = {
        "goes on": [*first, *responded("B", chat("0}"), chat(finish="tool_calls"))],
        "ends": [*responded("A", chat('{"a":'), chat("1}")), *responded("B", chat(finish="stop"))],
        "again": [*responded("A", chat('{"a":'), chat("1}")), *responded("B", chat('{"a":1}'), CHAT[1])],
        "text": [*responded("A", chat('{"a":'), chat("1}")), *responded("B", {"choices": [{"index": 0}]}, CHAT[1])],
    }
    for name, events in cases.items():
        assert not executed(judged("openai_chat", events)), name


@pytest.mark.parametrize("ids", ["AAAA", "ABCD", "----", "-AAA", "AA-A"])
def test_chunks_of_one_response_may_have_one_id_or_each_its_own(ids: str) -> None:
    chunks = [chat('{"a":'), chat("1"), chat("}"), chat(finish="tool_calls")]
    events = [responded(None if id == "-" else id, chunk)[0] for id, chunk in zip(ids, chunks, strict=True)]
    assert executed(judged("openai_chat", events))


@pytest.mark.parametrize(
    "event",
    [
        {"type": "error", "code": "500", "message": "x"},
        {"choices": [], "object": "error", "message": "x"},
        {"choices": [{"index": 0, "delta": {}, "content_filter_results": {"hate": {"filtered": True}}}]},
    ],
)
@pytest.mark.parametrize("wire", ["openai_chat", "mistral"])
def test_an_error_or_a_filter_in_another_shape_counts_too(wire: str, event: dict[str, Any]) -> None:
    assert executed(judged(wire, CHAT))
    assert not executed(judged(wire, [CHAT[0], event, CHAT[1]]))
    assert not executed(judged(wire, [*CHAT, event]))


def test_the_field_error_of_a_body_counts() -> None:
    """llama.cpp wrote it up to 2025, with the status 200 and an end marker behind it."""
    body = [b"data: " + json.dumps(event).encode() + b"\n\n" for event in CHAT]
    for place in (1, 2):
        lines = [*body[:place], b'error: {"code":500,"message":"x"}\n\n', *body[place:], b"data: [DONE]\n\n"]
        assert not executed(judged_bytes("openai_chat", lines))


@pytest.mark.parametrize("role", ["tool", "function"])
def test_a_result_counts_in_the_clients_own_objects_too(role: str) -> None:
    types = pytest.importorskip("openai.types.chat")
    events = [CHAT[0], {"choices": [{"index": 0, "delta": {"role": role, "content": "r"}}]}, CHAT[1]]
    chunks = [types.ChatCompletionChunk.construct(**event) for event in events]
    for given in (events, chunks):
        assert judged("openai_chat", given).decisions[0].reason == "sdk_execution_observed"


def test_a_name_that_goes_on_after_the_arguments_began_is_a_violation() -> None:
    """Whatever was said of the call by then was said of another tool."""
    tools = {"get_weather": {"type": "object"}}
    late = [{**START, "name": "get_"}, arguments("{}"), {"type": "name_delta", "key": "a", "text": "weather"}, END]
    assert not executed(judged("normalized", late, tools=tools))
    assert executed(judged("normalized", [late[0], late[2], late[1], END], tools=tools))


def test_a_delta_of_pydantic_ai_with_name_and_arguments_dooms_nothing() -> None:
    part = {"part_kind": "tool-call", "tool_name": "get_", "args": None, "tool_call_id": "c1"}
    delta = {"part_delta_kind": "tool_call", "tool_name_delta": "weather", "args_delta": '{"a":1}'}
    whole = {**part, "tool_name": "get_weather", "args": '{"a":1}'}
    guard = Guard("pydantic_ai", tools={"get_weather": {"type": "object"}})
    guard.push({"event_kind": "part_start", "index": 0, "part": part})
    guard.push({"event_kind": "part_delta", "index": 0, "delta": delta})
    details = {"finish_reason": "tool_calls"}
    guard.push({"kind": "response", "parts": [whole], "finish_reason": "tool_call", "provider_details": details})
    assert guard.finish().decisions[0].action == "execute" and not guard.doomed


@pytest.mark.parametrize(
    ("wire", "events"),
    [
        ("openai_chat", [CHAT[1]]),
        ("openai_chat", [{"choices": [{"index": 0, "delta": {"tool_calls": {"id": "c1"}}}]}, CHAT[1]]),
        ("openai_chat", [{"choices": [{"index": 0, "message": {"tool_calls": [{"id": "c1"}]}}]}, chat(finish="stop")]),
        ("anthropic", [BLOCK[0], stopped("tool_use"), {"type": "message_stop"}]),
        ("ollama", [{"message": {"tool_calls": {"function": {"name": "f"}}}, "done": True, "done_reason": "stop"}]),
    ],
)
def test_a_call_that_cannot_be_read_leaves_a_word(wire: str, events: list[dict[str, Any]]) -> None:
    """Without a decision the stream would look like a final answer."""
    report = judged(wire, events)
    assert not report.decisions
    assert any(one.code.startswith("E_") for one in report.diagnostics)


def test_a_stream_of_another_wire_is_named() -> None:
    """Read as the wrong wire it has no call, and nothing would be wrong with it."""
    for wire in ("anthropic", "openai_responses", "gemini", "bedrock_converse"):
        report = judged(wire, CHAT)
        assert [one.code for one in report.diagnostics] == ["W_OTHER_WIRE"]
        assert "'openai_chat'" in report.diagnostics[0].message
    assert not judged("openai_chat", CHAT).diagnostics
    assert not judged("openai_chat", [{"choices": [{"index": 0, "delta": {"content": "x"}}]}]).diagnostics
    assert not judged("anthropic", [{"type": "ping"}, {"odd": 1}]).diagnostics
    assert not judged("anthropic", []).diagnostics


def test_a_tool_that_was_not_offered_is_named_beside_those_that_were() -> None:
    (decision,) = judged("openai_chat", CHAT, tools={"g": {"type": "object"}, "h": {"type": "object"}}).decisions
    assert decision.reason == "unknown_tool"
    assert [(one.code, one.tool) for one in decision.diagnostics] == [("E_UNKNOWN_TOOL", "f")]
    assert decision.diagnostics[0].message.endswith("'f', which was not offered; offered: 'g', 'h'")


def test_what_is_no_body_and_what_are_no_limits_are_refused() -> None:
    with pytest.raises(TypeError, match="takes bytes, not str"):
        Guard("openai_chat").push_bytes("data: {}")  # type: ignore[arg-type]
    with pytest.raises(InvalidOptionError, match="option 'limits' is"):
        Guard("openai_chat", limits={"calls": 1})  # type: ignore[arg-type]


@pytest.mark.parametrize("end", [b"", b"\n"])
@pytest.mark.parametrize("step", [1, 1000])
def test_an_error_in_place_of_a_stream_is_the_providers(end: bytes, step: int) -> None:
    """The body of a refused request is JSON, and no server-sent event."""
    for wire, error in (
        ("anthropic", {"type": "error", "error": {"type": "overloaded_error"}}),
        ("openai_chat", {"error": {"code": "500"}}),
    ):
        body = json.dumps(error).encode() + end
        chunks = [body[at : at + step] for at in range(0, len(body), step)]
        assert judged_bytes(wire, chunks).end_reason == "provider_error"
    assert judged_bytes("openai_chat", [b'{"id": "x"}' + end]).end_reason == "network_error"


def test_evidence_that_comes_while_a_validator_is_asked_again_revokes() -> None:
    """`take` makes a typed value of its own; what arrives in that time counts."""
    late: list[Any] = []

    class Arguments(pydantic.BaseModel):
        a: int

        @pydantic.field_validator("a")
        @classmethod
        def look(cls, value: int) -> int:
            for event in late:
                guard.push(event)
            return value

    guard = Guard("normalized", tools={"f": Arguments}, coerce=True)
    for event in (START, arguments('{"a":1}'), END):
        guard.push(event)
    assert guard.finish().decisions[0].action == "execute"
    late.append({"type": "tool_executed", "key": "a"})
    assert guard.take("call-0") is None


def test_a_hook_gets_no_authority_in_the_middle_of_an_event() -> None:
    """The rest of the same event may say that something else ran the call."""
    got: list[Any] = []

    def hook(*_: Any) -> None:
        guard.finish()
        got.append(guard.take("call-0"))

    def choice(index: int, finish: str | None = None, **delta: Any) -> dict[str, Any]:
        return {"index": index, "delta": delta, "finish_reason": finish}

    def calls(id: str, text: str) -> list[Any]:
        return [{"index": 0, "id": id, "function": {"name": "f", "arguments": text}}]

    guard = Guard("openai_chat", on_doomed=hook)
    whole, broken = choice(0, "tool_calls", tool_calls=calls("c1", "{}")), choice(1, tool_calls=calls("c2", "{{"))
    guard.push({"id": "r", "choices": [whole, broken, choice(2, role="tool", tool_call_id="c1", content="done")]})
    assert got and not any(got)
    assert guard.finish().decisions[0].reason == "sdk_execution_observed"


@pytest.mark.parametrize("text", ['{"a":1}', "{}"])
def test_an_end_marker_after_finish_upgrades_nothing(text: str) -> None:
    """What was read as unconfirmed stays so; an execution always rests on a parser that was told of the end."""
    guard = Guard("openai_chat")
    for event in (chat(text), chat(finish="tool_calls")):
        guard.push(event)
    assert guard.finish("still_open").decisions[0].action == "retry"
    guard.push("[DONE]")
    (decision,) = guard.finish().decisions
    assert (decision.action, decision.evidence.parser_executable) == ("retry", False)
    assert guard.take(decision.internal_id) is None
