"""The guard: what it hands out, when, and that it hands it out once."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import pydantic
import pytest

from interlock import Guard, Limits
from interlock.errors import AuthorityCopyError, InvalidOptionError, UnknownWireError
from interlock.gate.decision import ExecuteDecision

START = {"type": "call_start", "key": "a", "id": "call_1", "name": "f"}
WHOLE = {"type": "arguments_delta", "key": "a", "text": '{"x": [1, {"y": 2}]}'}
END = {"type": "stream_end", "reason": "complete", "provider_reason": "stop"}
CLEAN = (START, WHOLE, {"type": "call_end", "key": "a"}, END)
SECOND = (
    {"type": "call_start", "key": "b", "id": "call_2", "name": "g"},
    {"type": "arguments_delta", "key": "b", "text": "{}"},
)


def guard_with(*events: Any, **options: Any) -> Guard:
    """A guard on the normalized wire that got these events."""
    guard = Guard("normalized", **options)
    for event in events:
        guard.push(event)
    return guard


def test_a_clean_call_executes_with_its_arguments() -> None:
    """Positive proof on all counts: the call executes, and only then has a value."""
    (decision,) = guard_with(*CLEAN).finish().decisions
    assert isinstance(decision, ExecuteDecision)
    assert decision.value == {"x": [1, {"y": 2}]}
    assert decision.evidence.to_json() == {
        "provider_reason": "stop",
        "terminal_confirmed": True,
        "structurally_complete": True,
        "parser_executable": True,
        "schema_valid": None,
        "received_bytes": len(WHOLE["text"]),
    }


def test_the_evidence_of_a_cut_call_says_so() -> None:
    """Nothing is claimed that was not seen."""
    (decision,) = guard_with(START, {**WHOLE, "text": '{"x": "é'}).finish().decisions
    assert decision.stable_value == {}
    assert decision.evidence.to_json() == {
        "provider_reason": None,
        "terminal_confirmed": False,
        "structurally_complete": False,
        "parser_executable": False,
        "schema_valid": None,
        "received_bytes": 9,
    }
    (decision,) = (
        guard_with(START, WHOLE, {"type": "stream_end", "reason": "length", "provider_reason": "max"})
        .finish()
        .decisions
    )
    evidence = decision.evidence
    assert (evidence.terminal_confirmed, evidence.structurally_complete, evidence.parser_executable) == (
        True,
        True,
        False,
    )


def test_a_decision_that_does_not_execute_has_no_value_attribute() -> None:
    """There is nothing to read by mistake."""
    (decision,) = guard_with(START, WHOLE).finish().decisions
    assert (decision.action, decision.reason) == ("retry", "stream_incomplete")
    assert not hasattr(decision, "value")
    assert decision.stable_value == {"x": [1, {"y": 2}]}
    assert "value" not in decision.to_json()


def test_take_works_once_only_after_finish_and_per_call() -> None:
    """Before finish nothing; after it each call once; another call's authority is untouched."""
    guard = guard_with(START, WHOLE, *SECOND, END)
    assert guard.take("call-0") is None
    assert [d.action for d in guard.snapshot().decisions] == ["retry", "retry"]
    guard.finish()
    first = guard.take("call-0")
    assert first is not None and (first.name, first.call_id, first.value) == ("f", "call_1", {"x": [1, {"y": 2}]})
    assert guard.take("call-0") is None
    assert guard.take("no such call") is None
    second = guard.take("call-1")
    assert second is not None and second.value == {}


def test_finish_can_be_read_again_and_gives_nothing_out() -> None:
    """The report is a diagnosis: equal each time, and it consumes no authority."""
    guard = guard_with(*CLEAN)
    assert guard.finish().to_json() == guard.finish().to_json() == guard.snapshot().to_json()
    assert guard.take("call-0") is not None
    assert guard.finish().decisions[0].action == "execute"


def test_mutating_what_was_handed_out_changes_nothing_inside() -> None:
    """Every value is a private copy."""
    guard = guard_with(*CLEAN)
    decision = guard.finish().decisions[0]
    assert isinstance(decision, ExecuteDecision)
    decision.value["x"].append("spoilt")
    decision.stable_value.clear()
    assert guard.finish().decisions[0].to_json()["value"] == {"x": [1, {"y": 2}]}
    execution = guard.take("call-0")
    assert execution is not None and execution.value == {"x": [1, {"y": 2}]}


@pytest.mark.parametrize("double", [copy.copy, copy.deepcopy, pickle.dumps])
def test_authority_and_guard_cannot_be_doubled(double: Callable[[Any], Any]) -> None:
    """Copying or pickling either is refused with a clear error."""
    guard = guard_with(*CLEAN)
    guard.finish()
    execution = guard.take("call-0")
    for one in (guard, execution):
        with pytest.raises(AuthorityCopyError, match="cannot be copied or pickled"):
            double(one)


def test_an_execution_cannot_be_changed() -> None:
    """Its name and value are fixed."""
    guard = guard_with(*CLEAN)
    guard.finish()
    execution = guard.take("call-0")
    with pytest.raises(AttributeError, match="cannot be changed"):
        execution.name = "rm"  # type: ignore[union-attr]
    with pytest.raises(AttributeError, match="cannot be changed"):
        del execution.value  # type: ignore[union-attr]


def test_sixty_four_threads_get_one_authority() -> None:
    """`take` is atomic."""
    for _ in range(20):
        guard = guard_with(*CLEAN)
        guard.finish()
        with ThreadPoolExecutor(64) as pool:
            taken = list(pool.map(guard.take, ["call-0"] * 64))
        assert sum(one is not None for one in taken) == 1


LATE = {
    "a delta": (WHOLE, "protocol_violation"),
    "a new call": (SECOND[0], "protocol_violation"),
    "a second equal end": (END, "protocol_violation"),
    "a second end that differs": ({"type": "stream_end", "reason": "length"}, "protocol_violation"),
    "a turn's end": ({"type": "turn_end", "reason": "complete"}, "protocol_violation"),
    "an error": (
        {"type": "provider_diagnostic", "code": "E", "message": "m", "fault": "provider_error"},
        "provider_error",
    ),
    "a result of the call": ({"type": "tool_executed", "key": "call_1"}, "sdk_execution_observed"),
    "a result of no named call": ({"type": "tool_executed"}, "sdk_execution_observed"),
    "another id": ({"type": "call_identity", "key": "a", "id": "other"}, "protocol_violation"),
    "something unknown": ({"type": "??"}, "protocol_violation"),
    "a lost event": ({"raw": "{"}, "stream_incomplete"),
}


@pytest.mark.parametrize("name", LATE)
@pytest.mark.parametrize("moment", ["after the terminal", "after finish", "between two takes"])
def test_late_evidence_revokes(name: str, moment: str) -> None:
    """Whatever comes after the stream's end takes the authority back, at every later moment."""
    event, reason = LATE[name]
    guard = guard_with(START, WHOLE, *SECOND, END)
    if moment != "after the terminal":
        assert {d.action for d in guard.finish().decisions} == {"execute"}
    if moment == "between two takes":
        assert guard.take("call-1") is not None
    guard.push(event)
    report = guard.finish()
    assert report.decisions[0].action != "execute"
    if reason == "stream_incomplete" and moment != "after the terminal":
        reason = "protocol_violation"  # whatever it is, it came after `finish`
    assert report.decisions[0].reason == reason
    assert guard.take("call-0") is None
    assert guard.take("call-1") is None


def test_evidence_is_sticky() -> None:
    """A clean end after a fault does not heal it."""
    guard = guard_with(
        START, {"type": "provider_diagnostic", "code": "E", "message": "m", "fault": "protocol"}, *CLEAN[1:]
    )
    assert guard.finish().decisions[0].reason == "protocol_violation"


def test_two_guards_share_nothing() -> None:
    """Equal call ids in two guards: one's fault is not the other's."""
    first, second = guard_with(*CLEAN), guard_with(*CLEAN, END)
    assert first.finish().decisions[0].action == "execute"
    assert second.finish().decisions[0].action == "reject"
    assert first.take("call-0") is not None and second.take("call-0") is None


@pytest.mark.parametrize(
    ("limits", "events", "code"),
    [
        ({"calls": 1}, [START, WHOLE, SECOND[0], END], "E_LIMIT_CALLS"),
        ({"name_bytes": 3}, [{**START, "name": "four"}, WHOLE, END], "E_LIMIT_NAME_BYTES"),
        ({"stream_events": 3}, CLEAN, "E_LIMIT_STREAM_EVENTS"),
        ({"input_bytes": 9}, CLEAN, "E_LIMIT_INPUT_BYTES"),
        ({"depth": 2}, CLEAN, "E_LIMIT_DEPTH"),
    ],
)
def test_a_passed_limit_rejects(limits: dict[str, int], events: list[Any], code: str) -> None:
    """Each bound of a stream, passed by one."""
    report = guard_with(*events, limits=Limits(**limits)).finish()
    assert report.decisions[0].reason == "resource_limit"
    assert code in {d.code for d in (*report.diagnostics, *report.decisions[0].diagnostics)}


def test_limits_at_their_value_are_fine() -> None:
    """The same stream with each bound at exactly what it needs."""
    limits = Limits(calls=1, name_bytes=1, stream_events=4, input_bytes=len(WHOLE["text"]), depth=3)
    assert guard_with(*CLEAN, limits=limits).finish().decisions[0].action == "execute"


def test_an_oversized_frame_is_a_resource_limit() -> None:
    """A body that never ends an event does not fill the memory."""
    guard = Guard("anthropic", limits=Limits(frame_bytes=1000))
    for _ in range(3):
        guard.push_bytes(b"data: " + b"x" * 500)
    report = guard.finish()
    assert [d.code for d in report.diagnostics] == ["E_LIMIT_FRAME_BYTES"] * len(report.diagnostics) != []


def test_doomed_says_no_early_and_tells_the_hook_once() -> None:
    """A duplicate key: the call is doomed while the stream still runs."""
    told: list[Any] = []
    guard = Guard("normalized", on_doomed=lambda internal_id, diagnostic: told.append((internal_id, diagnostic.code)))
    for event in (START, {**WHOLE, "text": '{"a": 1, "a"'}):
        assert guard.doomed == {}
        guard.push(event)
    guard.push({**WHOLE, "text": ": 2}"})
    assert set(guard.doomed) == {"call-0"}
    assert told == [("call-0", "E_DUPLICATE_KEY")]
    guard.push(END)
    assert guard.finish().decisions[0].reason == "malformed"


def test_unknown_tools_are_rejected_unless_allowed() -> None:
    """A name that was not offered; without `tools` any name passes."""
    tools = {"other": {"type": "object"}}
    assert guard_with(*CLEAN, tools=tools).finish().decisions[0].reason == "unknown_tool"
    assert guard_with(*CLEAN, tools=tools, allow_unknown_tools=True).finish().decisions[0].action == "execute"
    assert guard_with(*CLEAN).finish().decisions[0].action == "execute"


def test_schemas_hold() -> None:
    """Whole arguments that the schema refuses are rejected with the path."""
    schema = {"type": "object", "properties": {"x": {"type": "string"}}}
    (decision,) = guard_with(*CLEAN, tools={"f": schema}).finish().decisions
    assert (decision.action, decision.reason, decision.evidence.schema_valid) == ("reject", "schema_invalid", False)
    assert decision.diagnostics[0].path == "/x"


@pytest.mark.parametrize(
    ("tokens", "limit", "action"), [(64, 64, "retry"), (65, 64, "retry"), (63, 64, "execute"), (64, None, "execute")]
)
def test_usage_at_the_limit_counts_as_a_cut(tokens: int, limit: int | None, action: str) -> None:
    """The end says complete, the provider's own count says that the limit was reached."""
    events = (START, WHOLE, {"type": "turn_end", "reason": "complete"}, {"type": "usage", "output_tokens": tokens})
    report = guard_with(*events, max_output_tokens=limit).finish()
    assert report.decisions[0].action == action
    assert report.end_reason == ("complete" if action == "execute" else "length")


EMPTY = (START, {"type": "call_end", "key": "a"}, END)


@pytest.mark.parametrize(
    ("tools", "action"),
    [
        (None, "retry"),
        ({"f": {"type": "object", "properties": {}}}, "execute"),
        ({"f": {"type": "object", "required": ["x"]}}, "retry"),
    ],
)
def test_empty_arguments_are_an_object_only_where_the_schema_says_so(tools: Any, action: str) -> None:
    """The protocol has no word for "no arguments", so the schema has to accept `{}`."""
    (decision,) = guard_with(*EMPTY, tools=tools).finish().decisions
    assert decision.action == action
    assert decision.reason == ("complete" if action == "execute" else "truncated")


OBJECT_TOOL = {"f": {"type": "object", "properties": {"x": {"type": "array"}}}}


@pytest.mark.parametrize("tools", [None, OBJECT_TOOL])
def test_double_encoding_is_named_and_unwrapped_only_on_request(tools: Any) -> None:
    """A JSON string that holds the object: malformed by default; decoded once by opt-in, and said so."""
    events = (START, {**WHOLE, "text": '"{\\"x\\": [1]}"'}, END)
    (decision,) = guard_with(*events, tools=tools).finish().decisions
    assert (decision.action, decision.reason) == ("reject", "malformed")
    assert "E_DOUBLE_ENCODED" in {d.code for d in decision.diagnostics}
    (decision,) = guard_with(*events, tools=tools, unwrap_double_encoding=True).finish().decisions
    assert isinstance(decision, ExecuteDecision) and decision.value == {"x": [1]}
    assert decision.evidence.unwrapped


def test_a_member_is_unwrapped_only_where_the_schema_refused_the_string() -> None:
    """A string that the schema allows is never touched, whatever it holds."""
    schema = {
        "type": "object",
        "properties": {"queries": {"type": "array"}, "note": {"type": "string"}},
    }
    events = (START, {**WHOLE, "text": '{"queries": "[\\"alpha\\"]", "note": "[1]"}'}, END)
    (decision,) = guard_with(*events, tools={"f": schema}).finish().decisions
    assert decision.reason == "schema_invalid"
    (decision,) = guard_with(*events, tools={"f": schema}, unwrap_double_encoding=True).finish().decisions
    assert isinstance(decision, ExecuteDecision)
    assert decision.value == {"queries": ["alpha"], "note": "[1]"}


def nested_tool(*path: str) -> Any:
    """A tool that wants an array at the end of a path, where `*` is any item of an array."""
    schema: Any = {"type": "array"}
    for step in reversed(path):
        schema = {"type": "array", "items": schema} if step == "*" else {"type": "object", "properties": {step: schema}}
    return {"f": schema}


@pytest.mark.parametrize(
    ("path", "value", "want"),
    [
        (("a",), {"a": "[1]"}, {"a": [1]}),
        (("a", "b"), {"a": {"b": "[1]"}}, {"a": {"b": [1]}}),
        (("a", "b", "c"), {"a": {"b": {"c": "[1]"}}}, {"a": {"b": {"c": [1]}}}),
        (("a", "*"), {"a": ["[1]", [2], "[3]"]}, {"a": [[1], [2], [3]]}),
        (("a", "*", "b"), {"a": [{"b": "[1]"}, {"b": []}]}, {"a": [{"b": [1]}, {"b": []}]}),
        (("a", "*", "*"), {"a": [[[]], ["[1]"]]}, {"a": [[[]], [[1]]]}),
        (("a/b", "~c"), {"a/b": {"~c": "[1]"}}, {"a/b": {"~c": [1]}}),
        (("0", "1"), {"0": {"1": "[1]"}}, {"0": {"1": [1]}}),
    ],
)
def test_a_member_is_unwrapped_at_any_depth(path: tuple[str, ...], value: Any, want: Any) -> None:
    """In objects, in arrays, under names that look like indexes or need escapes; everything else stays."""
    events = (START, {**WHOLE, "text": json.dumps(value)}, END)
    (decision,) = guard_with(*events, tools=nested_tool(*path)).finish().decisions
    assert (decision.reason, decision.evidence.unwrapped) == ("schema_invalid", False)
    (decision,) = guard_with(*events, tools=nested_tool(*path), unwrap_double_encoding=True).finish().decisions
    assert isinstance(decision, ExecuteDecision) and decision.value == want
    assert (decision.evidence.unwrapped, decision.evidence.schema_valid, decision.diagnostics) == (True, True, ())


@pytest.mark.parametrize("inner", ["x", "[1", "1", '"[1]"', "[1] x", '{"a": 1, "a": 2}', "[1,]"])
def test_a_string_that_holds_no_whole_json_is_never_unwrapped(inner: str) -> None:
    """Nothing is repaired on the way, and nothing is decoded twice."""
    events = (START, {**WHOLE, "text": json.dumps({"a": inner})}, END)
    guard = guard_with(*events, tools={"f": nested_tool("a")["f"]}, unwrap_double_encoding=True)
    (decision,) = guard.finish().decisions
    assert (decision.reason, decision.evidence.unwrapped) == ("schema_invalid", False)
    assert decision.stable_value == {"a": inner}


@pytest.mark.parametrize(
    ("text", "reason"), [("12", "malformed"), ("[1]", "malformed"), ('"s"', "malformed"), ("null", "malformed")]
)
def test_arguments_that_are_no_object_never_execute(text: str, reason: str) -> None:
    """Every tool takes an object."""
    (decision,) = guard_with(START, {**WHOLE, "text": text}, END).finish().decisions
    assert (decision.action, decision.reason) == ("reject", reason)


def test_projections_are_rejected_unless_trusted_and_then_validated() -> None:
    """A value that somebody else parsed needs an opt-in, and the evidence says so."""
    events = (START, {"type": "arguments_value", "key": "a", "value": {"x": 1}}, END)
    assert guard_with(*events).finish().decisions[0].reason == "projection_only"
    (decision,) = guard_with(*events, trust_projections=True).finish().decisions
    assert isinstance(decision, ExecuteDecision) and decision.to_json()["evidence"]["kind"] == "projection"
    schema = {"f": {"type": "object", "properties": {"x": {"type": "string"}}}}
    assert guard_with(*events, trust_projections=True, tools=schema).finish().decisions[0].reason == "schema_invalid"


@pytest.mark.parametrize("value", [{"x": [1, {"y": 3}]}, {"x": [True, {"y": 2}]}, {}, None, "text"])
def test_a_repeated_value_that_differs_is_a_violation(value: Any) -> None:
    """Raw text and a parsed copy must say the same; `true` is not `1`."""
    events = (START, WHOLE, {"type": "arguments_value", "key": "a", "value": value}, END)
    (decision,) = guard_with(*events, trust_projections=True).finish().decisions
    assert decision.reason == "protocol_violation"


def test_a_repeated_value_that_agrees_is_fine() -> None:
    """The raw text stays the evidence."""
    events = (START, WHOLE, {"type": "arguments_value", "key": "a", "value": {"x": [1.0, {"y": 2}]}}, END)
    (decision,) = guard_with(*events).finish().decisions
    assert decision.action == "execute" and decision.evidence.kind == "raw"


def test_ghost_entries_are_left_out_and_noted() -> None:
    """An entry without id, name and arguments is no call."""
    guard = guard_with({"type": "call_start", "key": "ghost"}, *CLEAN)
    report = guard.finish()
    assert [d.name for d in report.decisions] == ["f"]
    assert [d.code for d in report.diagnostics] == ["W_GHOST_CALL"]


@pytest.mark.parametrize(
    ("end", "reason"), [("error", "network_error"), ("timeout", "network_error"), ("cancelled", "complete")]
)
def test_how_the_source_stopped_counts(end: Any, reason: str) -> None:
    """A broken source never confirms, whatever came before; a caller who stops reading after the end may."""
    guard = guard_with(*CLEAN)
    report = guard.finish(end)
    assert report.end_reason == reason
    assert (report.decisions[0].action == "execute") == (reason == "complete")


@pytest.mark.parametrize("value", ["false", "no", 0, 1, None, []])
@pytest.mark.parametrize(
    "option",
    [
        "allow_unknown_tools",
        "trust_projections",
        "confirm_on_done",
        "unwrap_double_encoding",
        "coerce",
        "check_formats",
    ],
)
def test_a_switch_is_true_or_false_and_nothing_that_is_true_to_python(option, value):
    with pytest.raises(InvalidOptionError, match=f"{option}.*expected True or False"):
        Guard("normalized", **{option: value})


def test_a_hook_that_cannot_be_called_is_refused_when_it_is_given():
    with pytest.raises(InvalidOptionError, match="expected a function"):
        Guard("normalized", on_doomed=5)


@pytest.mark.parametrize(
    "options",
    [
        {"on_length": "keep"},
        {"control_characters": "escape"},
        {"max_output_tokens": 0},
        {"max_output_tokens": True},
        {"limits": None, "on_length": None},
    ],
)
def test_bad_options_are_refused(options: dict[str, Any]) -> None:
    """A word that the guard does not know is an error at construction."""
    with pytest.raises(InvalidOptionError):
        Guard("anthropic", **options)


def test_an_unknown_wire_names_those_that_there_are() -> None:
    """The error lists the wires."""
    with pytest.raises(UnknownWireError) as caught:
        Guard("antropic")
    assert caught.value.wire == "antropic" and "anthropic" in caught.value.known
    with pytest.raises(InvalidOptionError, match="expected one of eof"):
        Guard("anthropic").finish("done")  # type: ignore[arg-type]


class Source:
    """A stream of events that notes whether it was closed."""

    def __init__(self, *events: Any, error: BaseException | None = None) -> None:
        self.events = events
        self.error = error
        self.closed = False

    def __iter__(self) -> Iterator[Any]:
        yield from self.events
        if self.error is not None:
            raise self.error

    async def __aiter__(self) -> AsyncIterator[Any]:
        for event in self.events:
            yield event
        if self.error is not None:
            raise self.error

    def close(self) -> None:
        self.closed = True


class AsyncSource(Source):
    """The same, closed asynchronously."""

    async def close(self) -> None:  # type: ignore[override]
        self.closed = True


def test_watch_passes_the_same_objects_and_notes_a_clean_end() -> None:
    """Every event goes through untouched."""
    guard = Guard("normalized")
    passed = list(guard.watch(Source(*CLEAN)))
    assert all(got is sent for got, sent in zip(passed, CLEAN, strict=True))
    assert guard.finish().decisions[0].action == "execute"


def test_watch_works_async() -> None:
    """The same with `async for`."""

    async def run() -> str:
        guard = Guard("normalized")
        assert [event async for event in guard.watch(Source(*CLEAN))] == list(CLEAN)
        return guard.finish().decisions[0].action

    assert asyncio.run(run()) == "execute"


def test_breaking_out_closes_the_stream_and_confirms_nothing_new() -> None:
    """The caller stops reading: the source is closed, and what had not ended is cancelled."""
    guard, source = Guard("normalized"), Source(*CLEAN)
    for event in guard.watch(source):
        if event is WHOLE:
            break
    assert source.closed
    report = guard.finish()
    assert report.end_reason == "cancelled" and report.decisions[0].reason == "stream_incomplete"


def test_breaking_out_async_closes_the_stream() -> None:
    """The same with `async for`, where closing is awaited."""

    async def run() -> tuple[bool, str]:
        guard, source = Guard("normalized"), AsyncSource(*CLEAN)
        watched = guard.watch(source).__aiter__()
        async for event in watched:
            if event is WHOLE:
                break
        await watched.aclose()  # type: ignore[attr-defined]
        return source.closed, guard.finish().end_reason

    assert asyncio.run(run()) == (True, "cancelled")


class ReadTimeoutError(Exception):
    """Named like the transports' own."""


class APIError(Exception):
    """Shaped like the vendors' own: it carries the body of the error event."""

    body: ClassVar = {"message": "overloaded"}


@pytest.mark.parametrize(
    ("error", "end_reason", "reason"),
    [
        (ConnectionResetError("reset"), "network_error", "stream_incomplete"),
        (ReadTimeoutError("slow"), "network_error", "stream_incomplete"),
        (APIError("overloaded"), "provider_error", "provider_error"),
        (KeyboardInterrupt(), "cancelled", "stream_incomplete"),
    ],
)
def test_an_exception_from_the_source_is_passed_on_and_confirms_nothing(
    error: BaseException, end_reason: str, reason: str
) -> None:
    """The guard notes what the exception means and lets it through."""
    guard = Guard("normalized")
    with pytest.raises(type(error)):
        list(guard.watch(Source(START, WHOLE, error=error)))
    report = guard.finish()
    assert report.end_reason == end_reason
    assert (report.decisions[0].action == "execute", report.decisions[0].reason) == (False, reason)
    assert guard.take("call-0") is None


class Boom:
    """An object whose every attribute raises something odd."""

    def __getattr__(self, name: str) -> Any:
        raise ZeroDivisionError(name)


def test_an_event_that_cannot_be_read_spoils_the_stream() -> None:
    """A hostile object raises nothing out of `push`, and nothing executes after it."""
    guard = guard_with(START, WHOLE, Boom(), END)
    (decision,) = guard.finish().decisions
    assert (decision.action, decision.reason) == ("reject", "unknown")


@pytest.mark.parametrize(
    "event", [None, 7, 2.5, [], [1], {}, {"type": 3}, {"type": []}, "x", "", b"\xff\xff\n\n", object()]
)
@pytest.mark.parametrize("wire", ["anthropic", "openai_chat", "openai_responses", "ai_sdk"])
def test_rubbish_never_raises(event: Any, wire: str) -> None:
    """Things that are no events at all."""
    guard = Guard(wire)
    guard.push(event)
    guard.finish()


@pytest.mark.parametrize(
    ("wire", "events", "again"),
    [
        (
            "openai_chat",
            [
                {
                    "choices": [
                        {
                            "index": 0,
                            "delta": {
                                "tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": "{}"}}]
                            },
                        }
                    ]
                },
                {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
            ],
            {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
        ),
        ("normalized", list(CLEAN), {"type": "usage", "output_tokens": 3}),
    ],
)
def test_any_event_after_finish_revokes_even_one_that_would_add_nothing(
    wire: str, events: list[Any], again: dict[str, Any]
) -> None:
    """`finish` said that the stream is over; whatever is pushed then contradicts it. `[DONE]` is no event."""
    guard = Guard(wire)
    for event in events:
        guard.push(event)
    assert guard.finish().decisions[0].action == "execute"
    guard.push("[DONE]")
    assert guard.finish().decisions[0].action == "execute"
    guard.push(again)
    assert guard.finish().decisions[0].reason == "protocol_violation"
    assert guard.take("call-0") is None


class Inner(pydantic.BaseModel):
    """A part of the arguments."""

    b: list[int]


class Outer(pydantic.BaseModel):
    """Arguments whose validator may name places that the value does not have."""

    a: list[int] | dict[str, int] | None = None
    c: Inner | None = None
    d: list[Inner] | None = None
    e: list[int]


@pytest.mark.parametrize(
    ("value", "want"),
    [
        ({"e": "[1]"}, {"e": [1]}),
        ({"e": "[1]", "c": {"b": "[2]"}}, {"e": [1], "c": {"b": [2]}}),
        ({"e": [1], "d": [{"b": [1]}, {"b": "[2]"}]}, {"e": [1], "d": [{"b": [1]}, {"b": [2]}]}),
        ({}, None),
        ({"e": [1], "c": {}}, None),
        ({"e": [1], "d": [{}]}, None),
        ({"e": [1], "a": "[1]"}, {"e": [1], "a": [1]}),
        ({"e": "[1]", "a": "x"}, None),
        ({"e": '["x"]'}, None),
    ],
)
def test_only_a_string_where_the_validator_points_is_unwrapped(value: Any, want: Any) -> None:
    """A member that is missing is no string, and one that stays wrong stays as it came."""
    events = (START, {**WHOLE, "text": json.dumps(value)}, END)
    (decision,) = guard_with(*events, tools={"f": Outer}, unwrap_double_encoding=True).finish().decisions
    if want is None:
        assert (decision.reason, decision.evidence.unwrapped) == ("schema_invalid", False)
        assert decision.stable_value == value
    else:
        assert isinstance(decision, ExecuteDecision) and decision.value == want
