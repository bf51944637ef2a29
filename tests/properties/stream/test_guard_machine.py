"""All events in any order, before and after `finish` and between takes: the guard says what the oracle says."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from interlock import Guard, Limits
from interlock.vocabulary import END_REASONS
from support.soak import examples
from support.stream_oracle import MAX_CALLS, MAX_NAME, Oracle

KEYS = st.sampled_from(["a", "b", "c", "d", "e"])
IDS = st.sampled_from([None, "i1", "i2"])
INDEXES = st.sampled_from([None, 0, 1])
NAMES = st.sampled_from([None, "f", "gg"])
TURNS = st.sampled_from(["", "t"])
GOOD = '{"a":1,"b":[true,"x"]}'
PIECES = st.sampled_from(
    [GOOD, GOOD, "{", '{"a":', "1", ',"b":', '[true,"x"]', "}", '"', "\\u00", '{"a":1,"a":2}', "[]", "{} {", " "]
)
VALUES = st.sampled_from([{"a": 1, "b": [True, "x"]}, {"a": 1}, {}, [], None, {"a": True, "b": [True, "x"]}])
REASONS = st.sampled_from(["complete", "complete", "complete", *END_REASONS])
FAULTS = st.sampled_from(
    [None, "internal", "executed", "limit", "provider_error", "content_filtered", "protocol", "malformed"]
)
SOURCE_ENDS = st.sampled_from(["eof", "eof", "eof", "error", "timeout", "cancelled", "still_open"])


def _without_none(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None or name == "value"}


class GuardMachine(RuleBasedStateMachine):
    """One guard on the wire `normalized`, and the oracle beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.guard = Guard("normalized", limits=Limits(calls=MAX_CALLS, name_bytes=MAX_NAME))
        self.oracle = Oracle()
        self.finished = False
        self.taken: set[str] = set()
        self.log: list[Any] = []

    def push(self, kind: str, **fields: Any) -> None:
        """Give one event to both."""
        event = _without_none(type=kind, **fields)
        self.log.append(event)
        self.guard.push(event)
        self.oracle.push(event)

    @rule(key=KEYS, id=IDS, index=INDEXES, name=NAMES, turn=TURNS, server=st.sampled_from([False, False, False, True]))
    def start(self, key: str, id: Any, index: Any, name: Any, turn: str, server: bool) -> None:
        """A call begins."""
        self.push("call_start", key=key, id=id, index=index, name=name, turn=turn, server_executed=server)

    @rule(key=KEYS, turn=TURNS, cut=st.integers(0, len(GOOD)), end=st.booleans())
    def good_call(self, key: str, turn: str, cut: int, end: bool) -> None:
        """A whole call at once, so that enough of them execute."""
        self.push("call_start", key=key, name="f", turn=turn)
        self.push("arguments_delta", key=key, text=GOOD[:cut])
        self.push("arguments_delta", key=key, text=GOOD[cut:])
        if end:
            self.push("call_end", key=key)

    @rule(key=KEYS, id=IDS, index=INDEXES)
    def identity(self, key: str, id: Any, index: Any) -> None:
        """A late or repeated id or index."""
        self.push("call_identity", key=key, id=id, index=index)

    @rule(key=KEYS, text=st.sampled_from(["f", "gg", "hhhh"]))
    def name(self, key: str, text: str) -> None:
        """More of a name."""
        self.push("name_delta", key=key, text=text)

    @rule(key=KEYS, text=PIECES)
    def delta(self, key: str, text: str) -> None:
        """More arguments."""
        self.push("arguments_delta", key=key, text=text)

    @rule(key=KEYS, text=PIECES, same=st.booleans())
    def final(self, key: str, text: str, same: bool) -> None:
        """The whole text, the right one or another."""
        call = self.oracle.calls.get(key)
        self.push("arguments_final", key=key, text=call.text if same and call is not None else text)

    @rule(key=KEYS, value=VALUES)
    def value(self, key: str, value: Any) -> None:
        """A parsed value."""
        self.push("arguments_value", key=key, value=value)

    @rule(key=KEYS, reason=REASONS)
    def end(self, key: str, reason: str) -> None:
        """A call's own end."""
        self.push("call_end", key=key, reason=reason)

    @rule(key=st.sampled_from(["a", "b", "i1"]), reason=st.sampled_from(["paused", "cancelled", "complete"]))
    def held(self, key: str, reason: str) -> None:
        """A call waits, or was taken back."""
        self.push("call_held", key=key, reason=reason)

    @rule(key=st.sampled_from([None, "a", "b", "i1", "i2", "z"]))
    def executed(self, key: Any) -> None:
        """Something else ran it."""
        self.push("tool_executed", key=key)

    @rule(fault=FAULTS, key=st.none() | KEYS, turn=st.none() | TURNS)
    def diagnostic(self, fault: Any, key: Any, turn: Any) -> None:
        """A provider's remark."""
        self.push("provider_diagnostic", code="E_X", message="m", key=key, turn=turn, fault=fault)

    @rule(turn=TURNS, reason=REASONS)
    def turn_end(self, turn: str, reason: str) -> None:
        """A turn ends."""
        self.push("turn_end", turn=turn, reason=reason)

    @rule(turn=TURNS)
    def replaced(self, turn: str) -> None:
        """A turn begins anew."""
        self.push("turn_replaced", turn=turn)

    @rule(reason=REASONS)
    def stream_end(self, reason: str) -> None:
        """The stream ends."""
        self.push("stream_end", reason=reason)

    @rule(lose=st.sampled_from([False, False, True]))
    def lost(self, lose: bool) -> None:
        """A hole."""
        if lose:
            self.push("events_lost", message="m")

    @rule(how=SOURCE_ENDS)
    def finish(self, how: Any) -> None:
        """The source ends; again and again it changes nothing."""
        self.log.append(f"finish {how}")
        self.guard.finish(how)
        self.oracle.finish(how)
        self.finished = True

    @precondition(lambda self: self.finished)
    @rule(data=st.data())
    def take(self, data: st.DataObject) -> None:
        """Authority comes once, and only as long as everything holds."""
        key = data.draw(st.sampled_from(sorted(self.oracle.calls) or ["a"]))
        self.take_one(key)

    def take_one(self, key: str) -> None:
        """Take a call by its place in the stream."""
        at = list(self.oracle.calls).index(key) if key in self.oracle.calls else 99
        execution = self.guard.take(f"call-{at}")
        expected = self.oracle.verdicts().get(key, ("", ""))[0] == "execute" and key not in self.taken
        assert (execution is not None) is expected, (key, self.log)
        if execution is not None:
            assert execution.value == self.oracle.value(key)
            assert (execution.name, execution.call_id) == (self.oracle.calls[key].name, self.oracle.calls[key].id)
            self.taken.add(key)

    @precondition(lambda self: not self.finished)
    @rule(data=st.data())
    def take_too_early(self, data: st.DataObject) -> None:
        """Before `finish` nothing is given out."""
        assert self.guard.take(f"call-{data.draw(st.integers(0, 5))}") is None

    @invariant()
    def nothing_executes_before_finish(self) -> None:
        """A snapshot during the stream never says execute."""
        if not self.finished:
            assert all(one.action != "execute" for one in self.guard.snapshot().decisions)

    @invariant()
    def the_oracle_agrees(self) -> None:
        """Action and reason of every call, in order."""
        if self.finished:
            keys = list(self.oracle.calls)
            report = self.guard.finish()
            got = {keys[int(one.internal_id[5:])]: (one.action, one.reason) for one in report.decisions}
            want = self.oracle.verdicts()
            assert got == {key: verdict for key, verdict in want.items() if key in got}, self.log
            # An entry without id, name and arguments is nothing; text that comes after the end is not taken.
            for key in want.keys() - got.keys():
                call = self.oracle.calls[key]
                assert (call.id, call.name, call.text_in_time) == (None, "", ""), self.log

    def teardown(self) -> None:
        """Whatever happened, each call can be taken at most once."""
        self.finish("eof")
        self.the_oracle_agrees()
        for key in list(self.oracle.calls) * 2:
            self.take_one(key)


TestGuardMachine = GuardMachine.TestCase
TestGuardMachine.settings = settings(
    max_examples=examples(60), stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
