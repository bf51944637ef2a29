"""What the coordinator makes of each odd event: the remark, where it is kept, and the verdict."""

from __future__ import annotations

from typing import Any

import pytest

from interlock import Guard, Limits
from interlock.stream.calls import MAX_DIAGNOSTICS, MAX_MESSAGE, MISSING, same_json, shortened
from interlock.stream.coordinator import Coordinator
from support.judging import judged

START = {"type": "call_start", "key": "a", "id": "i", "index": 0, "name": "f"}
WHOLE = {"type": "arguments_delta", "key": "a", "text": '{"x": 1}'}
CALL_END = {"type": "call_end", "key": "a"}
TURN_END = {"type": "turn_end", "reason": "complete", "provider_reason": "done"}
END = {"type": "stream_end", "reason": "complete", "provider_reason": "stop"}
TEXT = {**START, "kind": "text"}
B = {"type": "call_start", "key": "b", "name": "g"}
FINAL = {"type": "arguments_final", "key": "a", "text": '{"x": 1}'}
VALUE = {"type": "arguments_value", "key": "a", "value": {"x": 1}}
PIECE = {"type": "arguments_piece", "key": "a", "path": ["x"], "value": 1}
HELD = {"type": "call_held", "key": "a", "reason": "paused"}
AGAIN = {"type": "call_identity", "key": "a", "id": "i", "index": 0}
NOTE = {"type": "provider_diagnostic", "code": "W_X", "message": "m"}
RAN = {"type": "tool_executed", "key": "a"}
GOOD = ("execute", "complete")
OPEN = ("retry", "stream_incomplete")
CUT = ("retry", "truncated")


def no(reason: str) -> tuple[str, str]:
    """A rejection."""
    return "reject", reason


BROKEN = no("protocol_violation")
# name -> events, codes of the stream, codes of the first call, its verdict
ROWS: dict[str, tuple[list[Any], list[str], list[str], tuple[str, str]]] = {
    "clean": ([START, WHOLE, CALL_END, TURN_END, END], [], [], GOOD),
    "a second start": ([START, START, WHOLE, END], [], ["E_SECOND_START"], BROKEN),
    "a start after the turn": ([START, WHOLE, TURN_END, B], ["E_LATE_EVENT"], [], BROKEN),
    "a start after the stream": ([START, WHOLE, END, B], ["E_LATE_EVENT"], [], BROKEN),
    "a start in another turn": ([START, WHOLE, TURN_END, {**B, "turn": "2"}], [], [], GOOD),
    "a delta after the call": ([START, WHOLE, CALL_END, WHOLE, END], [], ["E_CALL_ORDER"], BROKEN),
    "an empty delta after the call": (
        [START, WHOLE, CALL_END, {**WHOLE, "text": ""}, END],
        [],
        ["E_CALL_ORDER"],
        BROKEN,
    ),
    "a delta after the turn": ([START, WHOLE, TURN_END, WHOLE], ["E_LATE_EVENT"], [], BROKEN),
    "a second call end": ([START, WHOLE, CALL_END, CALL_END, END], [], ["E_CALL_ORDER"], BROKEN),
    "a name after the call": (
        [START, WHOLE, CALL_END, {"type": "name_delta", "key": "a", "text": "g"}, END],
        [],
        ["E_CALL_ORDER"],
        BROKEN,
    ),
    "a piece after the call": ([START, PIECE, CALL_END, PIECE, END], [], ["E_CALL_ORDER"], BROKEN),
    "an end of no call": ([START, WHOLE, {**CALL_END, "key": "z"}, END], ["E_UNKNOWN_CALL"], [], BROKEN),
    "a delta of no call": ([START, WHOLE, {**WHOLE, "key": "z"}, END], ["E_UNKNOWN_CALL"], [], BROKEN),
    "an id of no call": (
        [START, WHOLE, {"type": "call_identity", "key": "z", "id": "i"}, END],
        ["E_UNKNOWN_CALL"],
        [],
        BROKEN,
    ),
    "the same id again": (
        [START, AGAIN, WHOLE, END],
        [],
        [],
        GOOD,
    ),
    "the same id after the call": (
        [START, WHOLE, CALL_END, AGAIN, END],
        [],
        [],
        GOOD,
    ),
    "another id": (
        [START, {"type": "call_identity", "key": "a", "id": "j"}, WHOLE, END],
        [],
        ["E_IDENTITY_CONFLICT"],
        no("malformed"),
    ),
    "another index": (
        [START, {"type": "call_identity", "key": "a", "index": 1}, WHOLE, END],
        [],
        ["E_IDENTITY_CONFLICT"],
        no("malformed"),
    ),
    "one id for two": ([START, WHOLE, {**B, "id": "i"}, END], [], ["E_DUPLICATE_CALL_ID"], BROKEN),
    "one id for two, one of them held": (
        [START, WHOLE, HELD, {**B, "id": "i"}, END],
        [],
        [],
        OPEN,
    ),
    "the text again": ([START, WHOLE, FINAL, END], [], [], GOOD),
    "the text again after the call": ([START, WHOLE, CALL_END, FINAL, END], [], [], GOOD),
    "only the text": ([START, FINAL, CALL_END, END], [], [], GOOD),
    "the text after an empty call": ([START, CALL_END, FINAL, END], [], ["E_FINAL_MISMATCH"], BROKEN),
    "no text after an empty call": ([START, CALL_END, {**FINAL, "text": ""}, END], [], [], CUT),
    "another text": ([START, WHOLE, {**FINAL, "text": '{"x": 2}'}, END], [], ["E_FINAL_MISMATCH"], BROKEN),
    "a longer text": ([START, WHOLE, {**FINAL, "text": '{"x": 1} '}, END], [], ["E_FINAL_MISMATCH"], BROKEN),
    "a shorter text": ([START, WHOLE, {**FINAL, "text": '{"x": 1'}, END], [], ["E_FINAL_MISMATCH"], BROKEN),
    "an empty text": ([START, WHOLE, {**FINAL, "text": ""}, END], [], ["E_FINAL_MISMATCH"], BROKEN),
    "the value as well": ([START, WHOLE, VALUE, END], [], [], GOOD),
    "the value after the call": ([START, WHOLE, CALL_END, VALUE, END], [], [], GOOD),
    "another value": ([START, WHOLE, {**VALUE, "value": {"x": 2}}, END], [], ["E_FINAL_MISMATCH"], BROKEN),
    "two equal values": ([START, VALUE, VALUE, END], [], [], no("projection_only")),
    "two values": ([START, VALUE, {**VALUE, "value": {"x": 2}}, END], [], ["E_FINAL_MISMATCH"], BROKEN),
    "a value that is no JSON": (
        [START, WHOLE, {**VALUE, "value": {1: 2}}, END],
        [],
        ["E_PROJECTION_NOT_JSON"],
        no("malformed"),
    ),
    "pieces": ([START, PIECE, END], [], [], GOOD),
    "pieces after text": ([START, WHOLE, PIECE, END], [], ["E_ARGUMENT_FORMS"], BROKEN),
    "text after pieces": ([START, PIECE, WHOLE, END], [], ["E_ARGUMENT_FORMS"], BROKEN),
    "a piece twice": ([START, PIECE, PIECE, END], [], ["E_PIECE_REPEATED"], BROKEN),
    "a piece that cannot be": ([START, {**PIECE, "path": [0]}, END], [], ["E_PIECE_MALFORMED"], no("malformed")),
    "held": ([START, WHOLE, CALL_END, HELD, END], [], [], OPEN),
    "held by its id": (
        [START, WHOLE, CALL_END, {**HELD, "key": "i"}, END],
        [],
        [],
        OPEN,
    ),
    "held, then ended": (
        [START, WHOLE, HELD, CALL_END, END],
        [],
        [],
        OPEN,
    ),
    "held with a good word": (
        [START, WHOLE, {**HELD, "reason": "complete"}, END],
        [],
        [],
        OPEN,
    ),
    "held after the stream": (
        [START, WHOLE, END, HELD],
        ["E_LATE_EVENT"],
        [],
        BROKEN,
    ),
    "held before it came": ([HELD, START, WHOLE, CALL_END, END], ["W_UNKNOWN_CALL"], [], OPEN),
    "its id held before it came": (
        [{**HELD, "key": "i"}, START, WHOLE, CALL_END, END],
        ["W_UNKNOWN_CALL"],
        [],
        OPEN,
    ),
    "another one held": (
        [START, WHOLE, {**HELD, "key": "z"}, END],
        ["W_UNKNOWN_CALL"],
        [],
        GOOD,
    ),
    "run": ([START, WHOLE, RAN, END], [], ["E_EXECUTION_OBSERVED"], no("sdk_execution_observed")),
    "run by its id": (
        [START, WHOLE, {**RAN, "key": "i"}, END],
        [],
        ["E_EXECUTION_OBSERVED"],
        no("sdk_execution_observed"),
    ),
    "run before it came": ([RAN, START, WHOLE, END], [], [], no("sdk_execution_observed")),
    "run by its id before it came": ([{**RAN, "key": "i"}, START, WHOLE, END], [], [], no("sdk_execution_observed")),
    "run by its id before the id came": (
        [
            {**RAN, "key": "late"},
            {**START, "id": None},
            {**AGAIN, "id": "late"},
            WHOLE,
            END,
        ],
        [],
        [],
        no("sdk_execution_observed"),
    ),
    "another one run": ([START, WHOLE, {**RAN, "key": "z"}, END], [], [], GOOD),
    "some call run": (
        [START, WHOLE, {"type": "tool_executed"}, END],
        ["E_EXECUTION_OBSERVED"],
        [],
        no("sdk_execution_observed"),
    ),
    "run after the stream": (
        [START, WHOLE, END, RAN],
        ["E_LATE_EVENT"],
        ["E_EXECUTION_OBSERVED"],
        no("sdk_execution_observed"),
    ),
    "the reader's own answer in time": ([START, WHOLE, TURN_END, {**RAN, "own": True}], [], ["I_CALL_ANSWERED"], GOOD),
    "the reader's own answer twice": (
        [START, WHOLE, TURN_END, {**RAN, "own": True}, {**RAN, "own": True}],
        [],
        ["I_CALL_ANSWERED"],
        GOOD,
    ),
    "the reader's own answer too early": (
        [START, WHOLE, {**RAN, "own": True}, TURN_END],
        [],
        ["E_EXECUTION_OBSERVED"],
        no("sdk_execution_observed"),
    ),
    "a second turn end": ([START, WHOLE, TURN_END, TURN_END], ["E_SECOND_TERMINAL"], [], BROKEN),
    "a second end of another turn": (
        [START, WHOLE, TURN_END, {**TURN_END, "turn": "2"}, {**TURN_END, "turn": "2"}],
        ["E_SECOND_TERMINAL"],
        [],
        GOOD,
    ),
    "a turn's end after it was replaced": (
        [START, WHOLE, {"type": "turn_replaced"}, TURN_END],
        ["E_SECOND_TERMINAL"],
        [],
        BROKEN,
    ),
    "replaced": ([START, WHOLE, {"type": "turn_replaced"}, END], [], [], OPEN),
    "a turn's end after the stream": ([START, WHOLE, END, TURN_END], ["E_LATE_EVENT"], [], BROKEN),
    "a second stream end": ([START, WHOLE, END, END], ["E_SECOND_TERMINAL"], [], BROKEN),
    "a remark on the call": (
        [START, WHOLE, {**NOTE, "key": "a"}, END],
        [],
        ["W_X"],
        GOOD,
    ),
    "a fault of the turn": (
        [
            START,
            WHOLE,
            {**NOTE, "code": "E_X", "turn": "", "fault": "protocol"},
            END,
        ],
        ["E_X"],
        [],
        BROKEN,
    ),
    "a fault of another turn": (
        [
            START,
            WHOLE,
            {**NOTE, "code": "E_X", "turn": "2", "fault": "protocol"},
            END,
        ],
        ["E_X"],
        [],
        GOOD,
    ),
    "a remark on the stream": (
        [START, WHOLE, NOTE, END],
        ["W_X"],
        [],
        GOOD,
    ),
    "a late remark": (
        [START, WHOLE, END, NOTE],
        ["W_X"],
        [],
        GOOD,
    ),
    "a late fault": (
        [
            START,
            WHOLE,
            END,
            {**NOTE, "code": "E_X", "key": "a", "fault": "limit"},
        ],
        ["E_LATE_EVENT"],
        ["E_X"],
        no("resource_limit"),
    ),
    "a hole": ([START, WHOLE, {"type": "events_lost", "message": "m"}, END], ["E_EVENTS_LOST"], [], OPEN),
    "free text": ([TEXT, WHOLE, FINAL, CALL_END, END], [], [], GOOD),
    "free text that is not repeated": ([TEXT, WHOLE, CALL_END, END], [], [], CUT),
    "free text without an end": ([TEXT, WHOLE, FINAL, END], [], [], CUT),
    "free text that differs": ([TEXT, WHOLE, {**FINAL, "text": "x"}, CALL_END, END], [], ["E_FINAL_MISMATCH"], BROKEN),
    "no name": ([{**START, "name": None}, WHOLE, END], [], [], no("malformed")),
    "a name in pieces": (
        [{**START, "name": "a"}, {"type": "name_delta", "key": "a", "text": "b"}, WHOLE, END],
        [],
        [],
        GOOD,
    ),
    "a ghost": ([START, WHOLE, {"type": "call_start", "key": "g"}, END], ["W_GHOST_CALL"], [], GOOD),
    "an array": ([START, {**WHOLE, "text": "[1]"}, END], [], ["E_ARGUMENTS_NOT_OBJECT"], no("malformed")),
    "an object in a string": (
        [START, {**WHOLE, "text": '"{\\"x\\": 1}"'}, END],
        [],
        ["E_DOUBLE_ENCODED"],
        no("malformed"),
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_an_odd_event_is_noted_where_it_belongs(name: str) -> None:
    """Every code, and what the call's verdict is."""
    events, stream, call, verdict = ROWS[name]
    report = judged("normalized", events)
    decision = report.decisions[0]
    got = [d.code for d in report.diagnostics], [d.code for d in decision.diagnostics]
    assert (*got, (decision.action, decision.reason)) == (stream, call, verdict)


def test_a_remark_names_its_call() -> None:
    """By the provider's id and the tool's name as far as they are known."""
    (decision,) = judged("normalized", [START, START, WHOLE, END]).decisions
    (remark,) = decision.diagnostics
    assert (remark.call_id, remark.tool) == ("i", "f")
    assert remark.message == "call 'i' was started a second time (source key 'a')"
    (decision,) = judged("normalized", [{**START, "id": None}] * 2).decisions
    assert decision.diagnostics[0].message.startswith("call 'call-0' was started")


def test_the_differing_character_is_named() -> None:
    """And how many came on either way."""
    (decision,) = judged("normalized", [START, WHOLE, {**FINAL, "text": '{"x": 23}'}, END]).decisions
    assert "differ from the deltas at character 6: 8 characters came as deltas, 9 in the repetition" in (
        decision.diagnostics[0].message
    )
    (decision,) = judged("normalized", [START, WHOLE, {**FINAL, "text": '{"x": 1'}, END]).decisions
    assert "at character 7: 8 characters came" in decision.diagnostics[0].message


def test_the_first_hundred_remarks_are_kept() -> None:
    """For a call, and for the stream; a fault that is not written down any more still counts."""
    assert (MAX_DIAGNOSTICS, MAX_MESSAGE) == (100, 500)
    harmless = NOTE
    fault = {**harmless, "fault": "protocol"}
    for where in ({}, {"key": "a"}):
        report = judged("normalized", [START, WHOLE, *[{**harmless, **where}] * 100, {**fault, **where}, END])
        kept = report.decisions[0].diagnostics if where else report.diagnostics
        assert len(kept) == 100 and report.decisions[0].reason == "protocol_violation"
        report = judged("normalized", [START, WHOLE, *[{**harmless, **where}] * 99, {**fault, **where}, END])
        kept = report.decisions[0].diagnostics if where else report.diagnostics
        assert len(kept) == 100 and "fault" not in kept[-1].to_json()


def test_a_long_message_loses_its_middle() -> None:
    """The beginning says what is wrong, the end may say why."""
    assert shortened("x" * 500) == "x" * 500
    assert shortened("a" * 300 + "b" * 300) == "a" * 250 + " ... " + "b" * 250


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (1, 1.0, True),
        (1, True, False),
        (True, True, True),
        (0, False, False),
        (None, None, True),
        (None, 0, False),
        (None, False, False),
        ("1", 1, False),
        ([1, [2]], [1, [2]], True),
        ([1], [1, 2], False),
        ([1, 2], [2, 1], False),
        ([], {}, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": 1}, {"b": 1}, False),
        ({"a": 1}, {"a": 1, "b": None}, False),
        (2**53 + 1, 2**53 + 2, False),
        (2**60, 2**60 + 1, True),
        (-(2**60), -(2**60) - 1, True),
        (2**60, -(2**60), False),
        (2**60, 1, False),
        (10**400, 10**400, True),
        (10**400, 10**400 + 1, False),
    ],
)
def test_two_values_are_the_same_json(left: Any, right: Any, same: bool) -> None:
    """Both ways round."""
    assert same_json(left, right) is same
    assert same_json(right, left) is same


def test_a_coordinator_alone_tells_nobody() -> None:
    """Without a listener it only collects."""
    alone = Coordinator()
    alone.call_start("a", name="f")
    alone.call_start("a")
    alone.internal_fault("m")
    assert alone.faults == {"internal"} and alone.calls["a"].faults == {"protocol"}
    assert repr(MISSING) == "MISSING"


def test_the_first_word_against_a_turn_stays_and_a_good_one_is_none() -> None:
    """Whatever is said before and after."""
    for said in ("complete", "length", "complete", "cancelled"):
        alone = Coordinator()
        alone.turn_said("t", "complete", "stop")
        assert alone.turns["t"].doubt is None
        alone.turn_said("t", said, said)
        alone.turn_said("t", "paused", "p")
        assert alone.turns["t"].doubt == (("paused", "p") if said == "complete" else (said, said))


@pytest.mark.parametrize(("said", "word"), [("stop", "stop"), (None, "complete")])
@pytest.mark.parametrize(("later", "told"), [("late", "late"), (None, "length")])
def test_an_end_is_told_in_the_providers_word_or_else_in_ours(said: Any, word: str, later: Any, told: str) -> None:
    """Where it is named again."""

    def messages(*events: Any) -> list[str]:
        report = judged("normalized", [START, WHOLE, *events])
        return [one.message for one in (*report.diagnostics, *report.decisions[0].diagnostics)]

    for kind, name in (("turn_end", "turn"), ("stream_end", "stream")):
        end = {"type": kind, "reason": "complete", "provider_reason": said}
        second = {"type": kind, "reason": "length", "provider_reason": later}
        assert messages(end, second) == [f"the {name} ended a second time: {told!r} after {word!r}"]
        assert messages(end, B)[0] == f"call_start after the {name}'s end ({word})"


def test_a_turn_that_was_replaced_has_no_end_to_tell() -> None:
    """Its late events and a late end say so."""
    alone = Coordinator()
    alone.call_start("a", name="f", turn="t")
    alone.turn_replaced("t")
    alone.arguments_delta("a", "{}")
    alone.call_start("b", name="f", turn="t")
    alone.turn_end("t", "complete", "stop")
    assert alone.calls["a"].received_bytes == 0
    found = [one.message for one in alone.diagnostics]
    assert found == [
        "arguments_delta after the turn's end (replaced)",
        "call_start after the turn's end (replaced)",
        "the turn ended a second time: 'stop' after 'it was replaced'",
    ]


@pytest.mark.parametrize("kind", ["json", "text"])
@pytest.mark.parametrize("bad", [None, 7, ["x"], {}, [], True])
def test_a_fragment_that_is_no_text_spoils_its_call(kind: Any, bad: Any) -> None:
    """Before and after good text, and no other call."""
    for before in ([], ["{}"]):
        alone = Coordinator()
        alone.call_start("a", name="f", kind=kind)
        for text in (*before, bad):
            alone.arguments_delta("a", text)
        assert alone.calls["a"].faults == {"malformed"} and alone.faults == set()
        assert [d.code for d in alone.calls["a"].diagnostics] == ["E_ARGUMENTS_TYPE"]


def test_free_text_is_bounded_and_counted_in_bytes() -> None:
    """At the bound fine, one byte past it the call is refused and takes no more."""
    for limit, reason in ((4, "complete"), (3, "resource_limit")):
        events = [TEXT, {**WHOLE, "text": "é"}, {**WHOLE, "text": "é"}, {**FINAL, "text": "éé"}, CALL_END, END]
        (decision,) = judged("normalized", events, limits=Limits(input_bytes=limit)).decisions
        assert decision.reason == reason and decision.evidence.received_bytes == 4


def doomed_by(*events: Any, **options: Any) -> list[tuple[str | None, str]]:
    """What the hook is told."""
    told: list[tuple[str | None, str]] = []
    guard = Guard("normalized", on_doomed=lambda key, diagnostic: told.append((key, diagnostic.code)), **options)
    for event in events:
        guard.push(event)
    assert [(key, diagnostic.code) for key, diagnostic in guard.doomed.items()] == told
    return told


def test_the_hook_hears_of_faults_and_of_nothing_else() -> None:
    """Once a call, once for the stream; a call that the provider runs is nobody's to cancel."""
    assert doomed_by(START, WHOLE, NOTE, CALL_END, END) == []
    assert doomed_by(START, WHOLE, CALL_END, CALL_END) == [("call-0", "E_CALL_ORDER")]
    assert doomed_by(START, B, TURN_END, TURN_END) == [("call-0", "E_SECOND_TERMINAL"), ("call-1", "E_SECOND_TERMINAL")]
    assert doomed_by(START, WHOLE, END, END, END) == [(None, "E_SECOND_TERMINAL")]
    assert doomed_by({**START, "server_executed": True}, CALL_END, CALL_END) == []
    assert doomed_by(START, {**WHOLE, "text": "x"}, {**WHOLE, "text": "y"}) == [("call-0", "E_UNEXPECTED_TOKEN")]
    assert doomed_by(START, WHOLE, tools={"g": {"type": "object"}}) == [("call-0", "E_UNKNOWN_TOOL")]
    assert doomed_by(START, WHOLE, tools={"g": {"type": "object"}}, allow_unknown_tools=True) == []


def test_a_turn_cannot_be_replaced_after_the_stream() -> None:
    """Nor can anything else happen."""
    alone = Coordinator()
    alone.call_start("a", name="f", turn="t")
    alone.stream_end("complete", "stop")
    alone.turn_replaced("t")
    assert [one.message for one in alone.diagnostics] == ["turn_replaced after the stream's end (stop)"]
    assert alone.faults == {"protocol"}


@pytest.mark.parametrize(
    "late",
    [
        {"type": "tool_executed", "key": "a"},
        {"type": "call_held", "key": "a", "reason": "paused"},
        {"type": "turn_end", "reason": "complete"},
        {"type": "call_start", "key": "b", "name": "g"},
        {"type": "call_identity", "key": "a", "id": "i"},
        {"type": "name_delta", "key": "a", "text": "g"},
        {"type": "arguments_delta", "key": "a", "text": "x"},
        {"type": "arguments_final", "key": "a", "text": '{"x": 1}'},
        {"type": "arguments_value", "key": "a", "value": {"x": 1}},
        {"type": "call_end", "key": "a"},
    ],
    ids=lambda late: late["type"],
)
def test_what_comes_after_the_stream_is_named(late: dict[str, Any]) -> None:
    """By the event's own name, first."""
    found = judged("normalized", [START, WHOLE, END, late]).diagnostics
    assert found[0].code == "E_LATE_EVENT"
    assert found[0].message == f"{late['type']} after the stream's end (stop)"


def test_a_turn_that_ended_for_calls_and_has_none_says_so() -> None:
    """And is no violation of calls elsewhere."""
    alone = Coordinator()
    alone.call_start("a", name="f", turn="1")
    alone.turn_end("1", "complete", "tool_calls")
    alone.turn_end("2", "complete", "tool_calls")
    assert [one.code for one in alone.diagnostics] == ["E_CALL_MISSING"]
    assert (alone.turns["1"].faults, alone.turns["2"].faults, alone.faults) == (set(), {"protocol"}, set())
