"""What holds on every provider's wire: one good call, every end reason, every cut, any damage."""

from __future__ import annotations

import copy
import importlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock import Guard
from interlock.stream.wires import WIRES
from support.judging import executed, judged
from support.wires import ARGUMENTS, CLEAN, HALVES, STREAMS

TRUST = {"trust_projections": True}
every = pytest.mark.parametrize("name", STREAMS)
PROJECTIONS = {"gemini", "ollama"}
ACTIONS = {
    "complete": ("execute", "complete"),
    "length": ("retry", "stream_incomplete"),
    "content_filtered": ("reject", "content_filtered"),
    "provider_error": ("reject", "provider_error"),
    "cancelled": ("retry", "stream_incomplete"),
    "paused": ("retry", "stream_incomplete"),
    "unknown": ("retry", "stream_incomplete"),
}
# Words that end a text on its own terms but say nothing of a call.
NOT_FOR_CALLS = {"stop_sequence", "STOP_SEQUENCE"}
# Words of other fields than the one that the streams here set.
ELSEWHERE = {"conversation.response.done", "conversation.response.error"}


def stream(name: str, reason: Any = "clean") -> tuple[str, list[Any]]:
    """Return a wire and its good call, ended by a word (the wire's own good one when left out).

    Every string is a new object, as from a socket: words have to be compared by what they say.
    """
    wire, build = STREAMS[name]
    return wire, list(json.loads(json.dumps(build(CLEAN[name] if reason == "clean" else reason))))


def table(wire: str) -> dict[str, str]:
    """The wire's table of end reasons."""
    return dict(importlib.import_module(WIRES[wire]).END_REASONS)


@every
def test_a_good_call_executes_once_with_its_exact_arguments(name: str) -> None:
    """With the id and the provider's word in the evidence; a projection needs the caller's trust."""
    wire, events = stream(name)
    guard = Guard(wire, **TRUST)
    for event in events:
        guard.push(event)
        assert all(d.action != "execute" for d in guard.snapshot().decisions)
    (decision,) = guard.finish().decisions
    assert (decision.call_id, decision.name, decision.action) == ("c1", "f", "execute")
    assert decision.evidence.provider_reason == CLEAN[name] and decision.evidence.terminal_confirmed
    taken = guard.take(decision.internal_id)
    assert taken is not None and taken.value == ARGUMENTS and guard.take(decision.internal_id) is None
    (careful,) = judged(wire, events).decisions
    assert careful.reason == ("projection_only" if name in PROJECTIONS else "complete")
    assert judged(wire, copy.deepcopy(events), **TRUST).to_json() == guard.finish().to_json()


@pytest.mark.parametrize(
    ("name", "word"), [(name, word) for name in STREAMS for word in table(STREAMS[name][0]) if word not in ELSEWHERE]
)
def test_every_documented_end_reason_has_the_decision_of_its_class(name: str, word: str) -> None:
    """A call that is whole and closed: only a complete end lets it run."""
    wire, events = stream(name, word)
    kind = table(wire)[word]
    if name == "openai_responses" and kind in ("cancelled", "provider_error"):
        return  # these are words of other terminal events
    (decision,) = judged(wire, events, **TRUST).decisions
    want = ACTIONS["unknown" if word in NOT_FOR_CALLS else kind]
    assert (decision.action, decision.reason) == want, word


@every
@given(word=st.text(max_size=12) | st.sampled_from(["Stop", "TOOL_CALLS", "done", "ok", "null", "COMPLETED "]))
@settings(max_examples=40)
def test_a_word_that_no_table_lists_never_confirms(name: str, word: str) -> None:
    """Whatever it is."""
    wire, events = stream(name, word)
    if word not in table(wire):
        assert executed(judged(wire, events, **TRUST)) == []


@every
def test_without_an_end_reason_nothing_executes(name: str) -> None:
    """The terminal event came without its word, or not at all; whatever the source's end."""
    wire, events = stream(name, None)
    if name == "openai_responses":
        events = events[:-1]  # there the event's type is the word
    for end in ("eof", "error", "timeout", "cancelled", "still_open"):
        assert executed(judged(wire, events, end=end, **TRUST)) == []
        for cut in range(len(events)):
            assert executed(judged(wire, stream(name)[1][:cut], end=end, **TRUST)) == []


@every
def test_a_broken_source_takes_back_a_confirmed_call(name: str) -> None:
    """All events arrived, then the reader saw an error."""
    wire, events = stream(name)
    for end in ("error", "timeout"):
        assert executed(judged(wire, events, end=end, **TRUST)) == []


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@st.composite
def damaged(draw: st.DrawFn) -> tuple[str, list[Any]]:
    """Draw a good stream with a few places overwritten, dropped, doubled or swapped."""
    wire, events = stream(draw(st.sampled_from(sorted(STREAMS))))
    events = copy.deepcopy(events)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(0, len(events) - 1)))
        what = draw(st.sampled_from(["replace", "replace", "drop", "double", "swap", "insert"]))
        if not events or what == "insert":
            events.insert(at, draw(json_values))
        elif what == "drop":
            del events[at]
        elif what == "double":
            events.insert(at, copy.deepcopy(events[at]))
        elif what == "swap":
            other = draw(st.integers(0, len(events) - 1))
            events[at], events[other] = events[other], events[at]
        else:
            _overwrite(draw, events, at)
    return wire, events


def _overwrite(draw: st.DrawFn, holder: Any, at: Any) -> None:
    while isinstance(holder[at], dict | list) and holder[at] and draw(st.integers(0, 4)):
        holder = holder[at]
        at = draw(st.sampled_from(sorted(holder) if isinstance(holder, dict) else list(range(len(holder)))))
    holder[at] = draw(json_values)


@given(damaged())
@settings(max_examples=400)
def test_damage_never_raises_and_is_always_understood(drawn: tuple[str, list[Any]]) -> None:
    """No exception reaches the caller, and none was swallowed inside either; the report can be written down."""
    wire, events = drawn
    report = judged(wire, events, **TRUST)
    assert "E_INTERNAL" not in {diagnostic.code for diagnostic in report.diagnostics}, report.to_json()
    json.dumps(report.to_json(), allow_nan=False)
    assert judged(wire, events, **TRUST).to_json() == report.to_json()


@every
@given(data=st.data())
@settings(max_examples=25)
def test_a_second_different_end_never_executes(name: str, data: st.DataObject) -> None:
    """After the end, another end with another word."""
    wire, events = stream(name)
    words = [word for word in table(wire) if table(wire)[word] != "complete" and word not in ELSEWHERE]
    last = stream(name, data.draw(st.sampled_from(words)))[1][-1]
    assert executed(judged(wire, [*events, last], **TRUST)) == []


@every
def test_a_late_call_event_spoils_the_stream(name: str) -> None:
    """The events of the call once more, after the end."""
    wire, events = stream(name)
    for event in events[:-1]:
        says_nothing = event.get("type") in ("ping", "response.created", "message_delta") or (
            wire in ("openai_chat", "openrouter") and event is events[0]
        )
        assert says_nothing or executed(judged(wire, [*events, event], **TRUST)) == [], event


@pytest.mark.parametrize("name", sorted(STREAMS.keys() - PROJECTIONS - {"gemini_pieces"}))
def test_a_fragment_of_text_that_is_lost_is_missed(name: str) -> None:
    """Also where later events repeat the whole text: what was streamed has to agree with it."""
    wire, events = stream(name)
    fragments = [at for at, event in enumerate(events) if _holds_a_half(event)]
    assert fragments
    for at in fragments:
        assert not executed(judged(wire, [*events[:at], *events[at + 1 :]], **TRUST)), events[at]


def _holds_a_half(value: Any) -> bool:
    """Whether a piece of the arguments is in an event, and not the whole."""
    if isinstance(value, dict):
        return any(map(_holds_a_half, value.values()))
    if isinstance(value, list):
        return any(map(_holds_a_half, value))
    return value in HALVES
