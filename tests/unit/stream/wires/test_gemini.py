"""Gemini's oddities: paths, streamed arguments, several candidates, Live messages, ADK events."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock import Guard
from interlock.stream.wires.gemini import parse_path
from support.judging import executed, judged, judged_bytes

TRUST = {"trust_projections": True}
STOP = {"candidates": [{"finishReason": "STOP"}]}


def part(*parts: Any, index: int | None = None, **more: Any) -> Any:
    """One chunk with one candidate."""
    at = {} if index is None else {"index": index}
    return {"candidates": [{**at, "content": {"role": "model", "parts": list(parts)}, **more}]}


def call(**fields: Any) -> Any:
    """A chunk with one functionCall."""
    return part({"functionCall": fields})


def piece(path: str, *, more: bool = False, **value: Any) -> dict[str, Any]:
    """One partial argument."""
    return {"jsonPath": path, **value, **({"willContinue": True} if more else {})}


def streamed(*pieces: Any, end: Any = ({},), name: str = "f") -> list[Any]:
    """A streamed call with each piece in a chunk of its own."""
    middle = [call(partialArgs=[one], willContinue=True) for one in pieces]
    return [call(name=name, willContinue=True), *middle, *(call(**one) for one in end)]


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("$", ()),
        ("$.a", ("a",)),
        ("$.a.b[0].c", ("a", "b", 0, "c")),
        ("$['a']", ("a",)),
        ('$["a.b"][12]', ("a.b", 12)),
        (r"$['it\'s']", ("it's",)),
        (r"""$['a"b']""", ('a"b',)),
        (r"""$["a\"b"]""", ('a"b',)),
        (r"$['\\']", ("\\",)),
        (r"$['é\n']", ("é\n",)),
        (r"$['\ud83d\ude00']", ("😀",)),
        ("$['']", ("",)),
        ("$.ключ-1", ("ключ-1",)),
        ("$['a']['b']", ("a", "b")),
    ],
)
def test_a_path_that_names_one_place_is_read(text: str, steps: Any) -> None:
    """Members in both spellings, and indexes."""
    assert parse_path(text) == steps


@pytest.mark.parametrize(
    "text",
    [
        "", "a", ".a", "$.", "$..a", "$.*", "$[*]", "$[-1]", "$[01]", "$[1:2]", "$[0,1]", "$[?@.a]", "$['a','b']",
        "$['a'", "$[\"a']", "$.a b", " $.a", "$.a ", "$[ 0 ]", "$['\\x']", "$['\\ud83d']", "$a", "@.a", "$[9999999999]",
        None, 1, ["$"], {},
    ],
)  # fmt: skip
def test_any_other_path_is_refused(text: Any) -> None:
    """Wildcards, slices, filters, unions, negative indexes, garbage."""
    assert parse_path(text) is None


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=6) | st.integers(0, 999), max_size=4))
def test_every_normalized_path_is_read(steps: list[Any]) -> None:
    """RFC 9535, section 2.7: written with single quotes; and with double quotes as well."""
    single = "$" + "".join(
        f"[{s}]" if isinstance(s, int) else "['" + json.dumps(s)[1:-1].replace('\\"', '"').replace("'", "\\'") + "']"
        for s in steps
    )
    double = "$" + "".join(f"[{s}]" if isinstance(s, int) else f"[{json.dumps(s)}]" for s in steps)
    assert parse_path(single) == parse_path(double) == tuple(steps)


X = piece("$.x", stringValue="a")
GOOD: dict[str, tuple[list[Any], Any]] = {
    "all kinds": (
        streamed(
            piece("$.s", stringValue="a", more=True),
            piece("$.n", numberValue=-1.5),
            piece("$.s", stringValue="b"),
            piece("$.t", boolValue=True),
            piece("$.f", boolValue=False),
            piece("$.z", nullValue=None),
            piece("$.zz", nullValue="NULL_VALUE"),
            piece("$.e", stringValue=""),
            piece("$.o.p[1]", stringValue="2"),
            piece("$.o.p[0]", stringValue="1"),
        ),
        {"s": "ab", "n": -1.5, "t": True, "f": False, "z": None, "zz": None, "e": "", "o": {"p": ["1", "2"]}},
    ),
    "closed by its last piece": (streamed(end=[{"partialArgs": [X]}]), {"x": "a"}),
    "the first part has pieces": ([call(name="f", partialArgs=[X], willContinue=True), call()], {"x": "a"}),
    "one part only": ([call(name="f", partialArgs=[X])], {"x": "a"}),
    "args repeat the value": (streamed(X, end=[{"args": {"x": "a"}}]), {"x": "a"}),
    "empty args are a placeholder": ([call(name="f", args={}, willContinue=True), *streamed(X)[1:]], {"x": "a"}),
    "the id comes late": (streamed(X, end=[{"id": "late"}]), {"x": "a"}),
}


@pytest.mark.parametrize("name", GOOD)
def test_streamed_arguments_are_evidence_of_their_own(name: str) -> None:
    """They need no trust in projections, and the decision says what they were taken from."""
    events, value = GOOD[name]
    (decision,) = judged("gemini", [*events, STOP]).decisions
    assert decision.action == "execute" and decision.value == value  # type: ignore[attr-defined]
    assert decision.evidence.kind == "assembled" and decision.to_json()["evidence"]["kind"] == "assembled"
    assert decision.evidence.received_bytes > 0


CUT, MALFORMED, CONTRADICTS = ("retry", "truncated"), ("reject", "malformed"), ("reject", "protocol_violation")
BAD: dict[str, tuple[list[Any], tuple[str, str]]] = {
    "the call was never closed": (streamed(X, end=[]), CUT),
    "a value was never closed": (streamed(piece("$.x", stringValue="a", more=True)), CUT),
    "a number was never closed": (streamed(piece("$.x", numberValue=1, more=True)), CUT),
    "another call began first": ([*streamed(X, end=[]), *streamed(X, name="g")], CONTRADICTS),
    "no pieces at all": (streamed(), CUT),
    "written twice": (streamed(X, X), CONTRADICTS),
    "written twice in two spellings": (streamed(X, piece("$['x']", stringValue="")), CONTRADICTS),
    "under a value": (streamed(X, piece("$.x.y", stringValue="")), MALFORMED),
    "a hole": (streamed(piece("$.x[1]", stringValue="")), MALFORMED),
    "no path": (streamed({"stringValue": "a"}), MALFORMED),
    "a wildcard": (streamed(piece("$.x[*]", stringValue="a")), MALFORMED),
    "the whole": (streamed(piece("$", stringValue="{}")), MALFORMED),
    "an array as the whole": (streamed(piece("$[0]", stringValue="a")), MALFORMED),
    "no value": (streamed(piece("$.x")), MALFORMED),
    "two values": (streamed(piece("$.x", stringValue="a", numberValue=1)), MALFORMED),
    "a value that is no scalar": (streamed(piece("$.x", stringValue={"a": 1})), MALFORMED),
    "args differ": (streamed(X, end=[{"args": {"x": "b"}}]), CONTRADICTS),
    "pieces after the end": ([*streamed(X), call(partialArgs=[piece("$.y", stringValue="b")])], CONTRADICTS),
    "a second end": ([*streamed(X), call()], CONTRADICTS),
    "another name": ([call(name="f", id="a", willContinue=True), call(name="g", id="a", partialArgs=[X])], CONTRADICTS),
    "another id": (
        [call(name="f", id="a", willContinue=True), call(id="b", partialArgs=[X])],
        MALFORMED,
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_streamed_arguments_are_never_completed_by_guess(name: str) -> None:
    """The first call of each stream; the candidate ended well each time."""
    events, want = BAD[name]
    decision = judged("gemini", [*events, STOP], **TRUST).decisions[0]
    assert (decision.action, decision.reason) == want, decision.to_json()


@pytest.mark.parametrize(
    "value",
    [
        {"numberValue": "Infinity"},
        {"numberValue": True},
        {"stringValue": 5},
        {"boolValue": "no"},
        {"boolValue": 1},
        {"nullValue": False},
    ],
)
def test_a_value_of_another_type_than_its_field_is_malformed(value: Any) -> None:
    """It is never taken as what it is, nor as what it may have been."""
    decision = judged("gemini", [*streamed(piece("$.x", **value)), STOP]).decisions[0]
    assert (decision.action, decision.reason) == MALFORMED


def test_the_certain_part_is_shown_while_the_stream_runs() -> None:
    """Closed values only."""
    guard = Guard("gemini")
    for event in streamed(X, piece("$.y", stringValue="b", more=True), end=[]):
        guard.push(event)
    (decision,) = guard.snapshot().decisions
    assert decision.action == "retry" and decision.stable_value == {"x": "a"}


def test_a_call_without_arguments_asks_the_schema() -> None:
    """Whole or streamed: `{}` only where the tool takes it."""
    for events in ([call(name="f")], streamed()):
        assert executed(judged("gemini", [*events, STOP], tools={"f": {"type": "object"}})) == [(None, "f", {})]
        strict = {"f": {"type": "object", "required": ["x"]}}
        assert judged("gemini", [*events, STOP], tools=strict).decisions[0].reason == "truncated"


def test_candidates_are_alternatives_with_ends_of_their_own() -> None:
    """Interleaved; one was cut, one was filtered, one is good, one never ended."""
    events = [
        {"candidates": [{"index": n, "content": {"parts": [{"functionCall": {"name": "f", "args": {"n": n}}}]}}]}
        for n in range(4)
    ]
    ends = [{"index": 2, "finishReason": "STOP"}, {"index": 0, "finishReason": "MAX_TOKENS"}]
    events += [{"candidates": ends}, {"candidates": [{"index": 1, "finishReason": "SAFETY"}]}]
    report = judged("gemini", events, **TRUST)
    assert [d.reason for d in report.decisions] == [
        "stream_incomplete",
        "content_filtered",
        "complete",
        "stream_incomplete",
    ]


@pytest.mark.parametrize("index", [-1, "0", 1.5, True, [], {}])
def test_a_candidate_without_a_usable_index_spoils_the_stream(index: Any) -> None:
    """Nothing can be attributed."""
    events = [call(name="f", args={}), part({"text": "x"}, index=index), STOP]
    assert judged("gemini", events, **TRUST).decisions[0].reason == "protocol_violation"
    twice = {"candidates": [{"finishReason": "STOP"}, {"finishReason": "STOP"}]}
    assert judged("gemini", [call(name="f", args={}), twice], **TRUST).decisions[0].reason == "protocol_violation"


def test_the_default_finish_reason_says_nothing_and_a_repeated_one_adds_nothing() -> None:
    """Protos carry the former on every chunk, some servers send the latter with the usage."""
    unset = {"candidates": [{"finishReason": "FINISH_REASON_UNSPECIFIED"}]}
    assert executed(judged("gemini", [call(name="f", args={}), unset], **TRUST)) == []
    assert executed(judged("gemini", [unset, call(name="f", args={}), STOP, STOP], **TRUST)) == [(None, "f", {})]


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        ({"error": {"code": 503, "status": "UNAVAILABLE", "message": "x"}}, "provider_error"),
        ({"promptFeedback": {"blockReason": "SAFETY"}}, "content_filtered"),
        (part({"functionResponse": {"id": "c", "name": "f", "response": {}}}), "sdk_execution_observed"),
        (part({"functionResponse": {"name": "f", "response": {}}}), "sdk_execution_observed"),
        ({**STOP, "automaticFunctionCallingHistory": [{"parts": []}]}, "sdk_execution_observed"),
        ({**STOP, "error": {"code": 503, "status": "UNAVAILABLE"}}, "provider_error"),
        ({**STOP, "promptFeedback": {"blockReason": "SAFETY"}}, "content_filtered"),
        (call(name="f", args={"b": 1}), "protocol_violation"),
        (call(partialArgs=[X]), "protocol_violation"),
    ],
)
def test_what_comes_after_the_end_takes_a_call_back(event: Any, reason: str) -> None:
    """An error, a block, a result, another call."""
    events = [call(name="f", id="c", args={"a": 1}), STOP, event]
    assert judged("gemini", events, **TRUST).decisions[0].reason == reason


def test_a_second_response_is_a_turn_of_its_own() -> None:
    """Automatic function calling reads several responses in one stream; they are told apart by their ids."""
    one = {**call(name="f", args={"a": 1}), "responseId": "r1"}
    two = {**call(name="f", args={"a": 2}), "responseId": "r2"}
    ends = [{**STOP, "responseId": name} for name in ("r1", "r2")]
    assert len(executed(judged("gemini", [one, ends[0], two, ends[1]], **TRUST))) == 2
    assert [d.reason for d in judged("gemini", [one, ends[0], two], **TRUST).decisions] == [
        "complete",
        "stream_incomplete",
    ]
    # One that begins before the first was over leaves that one unconfirmed.
    assert [d.reason for d in judged("gemini", [one, two, ends[1]], **TRUST).decisions] == [
        "stream_incomplete",
        "complete",
    ]
    assert executed(judged("gemini", [one, two, ends[0]], **TRUST)) == []


def test_a_name_that_is_repeated_within_an_open_call_makes_both_readings_uncertain() -> None:
    """It may be the rest of one call, or the whole of another."""
    events = [
        call(name="f", partialArgs=[X], willContinue=True),
        call(name="f", partialArgs=[piece("$.y", boolValue=True)]),
    ]
    assert {d.reason for d in judged("gemini", [*events, STOP]).decisions} == {"protocol_violation"}


def test_the_output_limit_counts_thoughts_too() -> None:
    """A response that used it up was cut, whatever its reason says; the default block reason says nothing."""
    last = {**STOP, "usageMetadata": {"candidatesTokenCount": 6, "thoughtsTokenCount": 4}}
    events = [call(name="f", args={"a": 1}), {**last, "promptFeedback": {"blockReason": "BLOCK_REASON_UNSPECIFIED"}}]
    for limit, good in ((10, False), (11, True)):
        assert bool(executed(judged("gemini", events, max_output_tokens=limit, **TRUST))) is good


def test_thoughts_are_no_calls() -> None:
    """Whatever they hold."""
    assert judged("gemini", [part({"thought": True, "functionCall": {"name": "f", "args": {}}}), STOP]).decisions == ()


@pytest.mark.parametrize("size", [1, 10, 10_000])
def test_the_streamed_array_is_judged_like_sse(size: int) -> None:
    """Without `alt=sse`; a body that lacks its last bracket was cut."""
    events = [*streamed(X), STOP]
    body = json.dumps(events, indent=1).encode()
    sse = b"".join(b"data: " + json.dumps(event).encode() + b"\r\n\r\n" for event in events)
    for whole in (body, sse):
        pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
        assert executed(judged_bytes("gemini", pieces)) == [(None, "f", {"x": "a"})]
    assert executed(judged_bytes("gemini", [body[:-1]])) == []


LIVE = [
    {"setupComplete": {}},
    {"toolCall": {"functionCalls": [{"id": n, "name": "f", "args": {"n": n}} for n in ("a", "b")]}},
]
DONE = {"serverContent": {"turnComplete": True}}
CANCEL = {"toolCallCancellation": {"ids": ["b", "x"]}}
TURN: Any = {"serverContent": {"turnComplete": True, "turnCompleteReason": "MALFORMED_FUNCTION_CALL"}}


@pytest.mark.parametrize(
    ("events", "end", "reasons"),
    [
        ([], "eof", ["stream_incomplete", "stream_incomplete"]),
        ([], "still_open", ["complete", "complete"]),
        ([], "error", ["stream_incomplete", "stream_incomplete"]),
        ([DONE], "eof", ["complete", "complete"]),
        ([DONE], "error", ["stream_incomplete", "stream_incomplete"]),
        ([CANCEL], "still_open", ["complete", "stream_incomplete"]),
        ([CANCEL, DONE], "eof", ["complete", "stream_incomplete"]),
        ([DONE, CANCEL], "eof", ["complete", "stream_incomplete"]),
        ([{"serverContent": {"interrupted": True}}, DONE], "eof", ["stream_incomplete", "stream_incomplete"]),
        ([TURN], "eof", ["provider_error", "provider_error"]),
    ],
)
def test_live_calls_are_confirmed_by_the_turn_or_the_living_connection(
    events: list[Any], end: Any, reasons: list[str]
) -> None:
    """And taken back by a cancellation, before or after that."""
    report = judged("gemini", [*LIVE, *events], end=end, **TRUST)
    assert [d.reason for d in report.decisions] == reasons, report.to_json()


@pytest.mark.parametrize("events", [[*LIVE, LIVE[1], CANCEL, DONE], [CANCEL, *LIVE, DONE]])
def test_a_cancellation_counts_for_each_call_of_its_id(events: list[Any]) -> None:
    """Where the hand-out came twice, and where it overtook the hand-out."""
    assert [one[0] for one in executed(judged("gemini", events, **TRUST))] == ["a"]


def test_a_live_call_is_revoked_after_it_was_decided() -> None:
    """The cancellation came after `finish`, before `take`."""
    guard = Guard("gemini", **TRUST)
    for event in LIVE:
        guard.push(event)
    _, second = guard.finish("still_open").decisions
    guard.push(CANCEL)
    assert guard.take(second.internal_id) is None


def adk(*calls: Any, **more: Any) -> Any:
    """One ADK event."""
    return {"author": "a", "content": {"role": "model", "parts": [{"functionCall": one} for one in calls]}, **more}


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        ({"finishReason": "STOP"}, "complete"),
        ({"finish_reason": "STOP"}, "complete"),
        ({}, "stream_incomplete"),
        ({"finishReason": "MAX_TOKENS"}, "stream_incomplete"),
        ({"finishReason": "SAFETY"}, "content_filtered"),
        ({"errorCode": "SAFETY"}, "content_filtered"),
        ({"errorCode": "STOP"}, "provider_error"),
        ({"errorCode": "UNKNOWN_ERROR", "finishReason": "STOP"}, "provider_error"),
        ({"interrupted": True, "finishReason": "STOP"}, "stream_incomplete"),
    ],
)
def test_an_adk_event_is_a_turn(event: Any, reason: str) -> None:
    """Partial ones are left out; a result of a call means that ADK ran it."""
    call_ = {"id": "adk-2", "name": "f", "args": {"a": 1}}
    events = [adk({**call_, "id": "adk-1"}, partial=True), adk(call_, partial=False, **event)]
    (decision,) = judged("gemini", events, **TRUST).decisions
    assert (decision.call_id, decision.reason) == ("adk-2", reason)
    answer = {"author": "a", "content": {"parts": [{"functionResponse": {"id": "adk-2", "name": "f"}}]}}
    assert judged("gemini", [*events, answer], **TRUST).decisions[0].reason == "sdk_execution_observed"


@pytest.mark.parametrize("name", [*GOOD, *BAD])
def test_the_sdks_objects_are_read_like_dicts(name: str) -> None:
    """google-genai's own types, which name the fields in another way."""
    from google.genai.types import GenerateContentResponse

    events = [*(GOOD.get(name) or BAD[name])[0], STOP]
    try:
        objects = [GenerateContentResponse.model_validate(copy.deepcopy(event)) for event in events]
    except ValueError:
        return  # the SDK refuses what the stream holds
    want, got = judged("gemini", events, **TRUST), judged("gemini", objects, **TRUST)
    assert [d.to_json() for d in got.decisions] == [d.to_json() for d in want.decisions]


def test_a_preview_of_an_agents_call_is_noted_and_nothing_else() -> None:
    """A partial event's call is no call yet; its text is nothing to note."""
    preview = {"author": "agent", "partial": True, "content": {"parts": [{"functionCall": {"id": "c1", "name": "f"}}]}}
    text = {"author": "agent", "partial": True, "content": {"parts": [{"text": "x"}]}}
    assert judged("gemini", [text]).diagnostics == ()
    report = judged("gemini", [text, preview])
    assert report.decisions == () and [d.code for d in report.diagnostics] == ["I_PARTIAL_CALL"]
    assert "previews the call 'c1' of 'f'" in report.diagnostics[0].message


@pytest.mark.parametrize(
    ("fields", "fine"),
    [
        ({"id": "a"}, True),
        ({"name": "f", "id": "a"}, True),
        ({"name": "g", "id": "a"}, False),
        ({"name": "f"}, False),
        ({"name": "f", "id": "b"}, False),
        ({"id": "b"}, False),
    ],
)
def test_a_later_piece_may_repeat_the_id_and_the_name(fields: Any, fine: bool) -> None:
    """The id says which call goes on; a name alone could open another one."""
    first = call(name="f", id="a", partialArgs=[piece("$.x", stringValue="a")], willContinue=True)
    later = call(**fields, partialArgs=[piece("$.y", stringValue="b")], willContinue=True)
    got = executed(judged("gemini", [first, later, call(), STOP], **TRUST))
    assert got == ([("a", "f", {"x": "a", "y": "b"})] if fine else [])


@pytest.mark.parametrize(
    ("raw", "name", "value"),
    [
        ({"executableCode": {"id": "s", "language": "PYTHON", "code": "1"}}, "code_execution", {"code": "1"}),
        ({"toolCall": {"id": "s", "toolType": "GOOGLE_SEARCH", "args": {"q": "x"}}}, "GOOGLE_SEARCH", {"q": "x"}),
        ({"toolCall": {"id": "s", "toolType": "GOOGLE_SEARCH"}}, "GOOGLE_SEARCH", None),
    ],
)
def test_what_the_server_runs_is_shown_with_its_arguments(raw: Any, name: str, value: Any) -> None:
    """For whoever logs it; it is no authority, and no evidence against the client's calls."""
    (server,) = judged("gemini", [part(raw), STOP], **TRUST).decisions
    assert (server.call_id, server.name, server.reason) == ("s", name, "server_executed")
    assert server.stable_value == value and server.diagnostics == ()
    both = judged("gemini", [part(raw, {"functionCall": {"name": "f", "args": {"a": 1}}}), STOP], **TRUST)
    assert [one.reason for one in both.decisions] == ["server_executed", "complete"]
