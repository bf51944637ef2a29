"""Streams of every wire, damaged at random: never an exception, never a call that the original had not.

What is damaged are whole events (lost, doubled, swapped, cut off) and fields of events (lost). The fragments of
arguments are cut inside their words, so that a lost one never leaves another valid document by accident.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock import Guard, Report
from interlock.gate.decision import ExecuteDecision
from support import frameworks
from support.soak import examples
from support.wires import CLEAN, STREAMS

TEXT = {"type": "string"}
TOOLS = {
    "write_file": {"type": "object", "properties": {"path": TEXT, "content": TEXT}, "required": ["path", "content"]},
    "mcp__t__write_file": {"type": "object", "required": ["path", "content"]},
    "web_search": {"type": "object"},
    "f": {"type": "object", "properties": {"city": TEXT, "days": {"type": "array"}}, "required": ["city", "days"]},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """A stream of which something executes, and the places of the events that end it."""

    wire: str
    name: str
    events: list[Any]
    terminals: frozenset[int]


def streams() -> Iterator[Stream]:
    """Yield one stream of each provider, and every recording of a framework of which something executes."""
    for name, (wire, make) in STREAMS.items():
        if name == "gemini_pieces":
            continue  # a lost piece of a string leaves no trace on that wire: nothing is numbered or repeated
        events, others = make(CLEAN[name]), make("brand_new")
        # The events that tell why the model stopped are those that another reason makes differ.
        terminals = frozenset(at for at, (one, other) in enumerate(zip(events, others, strict=True)) if one != other)
        yield Stream(wire=wire, name=name, events=events, terminals=terminals)
    for recording in frameworks.ALL:
        if any(call["action"] == "execute" for call in recording.calls):
            ends = frameworks.TERMINALS[recording.wire]
            terminals = frozenset(at for at, event in enumerate(recording.events) if ends(event))
            yield Stream(wire=recording.wire, name=str(recording), events=recording.events, terminals=terminals)


ALL = tuple(streams())
BY_WIRE: dict[str, list[Stream]] = {}
for one in ALL:
    BY_WIRE.setdefault(one.wire, []).append(one)


def judge(stream: Stream, events: list[Any], end: Any = "eof") -> Report:
    """Push everything into a new guard, which must understand all of it."""
    guard = Guard(stream.wire, tools=TOOLS, trust_projections=stream.wire in ("gemini", "ollama"))
    for event in events:
        guard.push(event)
    report = guard.finish(end)
    assert "E_INTERNAL" not in {diagnostic.code for diagnostic in report.diagnostics}, report.diagnostics
    return report


def runs(report: Report) -> list[tuple[str | None, Any]]:
    """Return name and arguments of what executes."""
    return [(one.name, one.value) for one in report.decisions if isinstance(one, ExecuteDecision)]


def fields(event: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of all fields of an event."""
    members = event.items() if isinstance(event, dict) else enumerate(event) if isinstance(event, list) else ()
    for key, value in members:
        yield (*path, key)
        if key not in ("arguments", "args"):  # of a value that the server parsed nothing shows that a part is gone
            yield from fields(value, (*path, key))


@st.composite
def damaged(draw: st.DrawFn, events: list[Any]) -> list[Any]:
    """Damage a list of events in one to three places."""
    out = list(events)
    for _ in range(draw(st.integers(1, 3))):
        if not out:
            break
        at = draw(st.integers(0, len(out) - 1))
        how = draw(st.sampled_from(["drop", "double", "swap", "cut", "strip", "repeat-late"]))
        if how == "drop":
            del out[at]
        elif how == "double":
            out.insert(at, copy.deepcopy(out[at]))
        elif how == "swap":
            other = draw(st.integers(0, len(out) - 1))
            out[at], out[other] = out[other], out[at]
        elif how == "cut":
            del out[at:]
        elif how == "repeat-late":
            out.append(copy.deepcopy(out[at]))
        else:
            paths = list(fields(out[at]))
            if paths:
                out[at] = copy.deepcopy(out[at])
                *way, last = draw(st.sampled_from(paths))
                holder = out[at]
                for step in way:
                    holder = holder[step]
                del holder[last]
    return out


@pytest.mark.parametrize("wire", BY_WIRE)
def test_the_whole_streams_execute(wire: str) -> None:
    """Or the other tests could not fail."""
    for stream in BY_WIRE[wire]:
        assert stream.terminals
        assert runs(judge(stream, stream.events)), stream.name


@pytest.mark.parametrize("wire", BY_WIRE)
@settings(max_examples=examples(25), deadline=None)
@given(data=st.data())
def test_damage_never_changes_what_executes(wire: str, data: st.DataObject) -> None:
    """Only names and arguments of the original, or nothing."""
    stream = data.draw(st.sampled_from(BY_WIRE[wire]), label="stream")
    whole = runs(judge(stream, stream.events))
    events = data.draw(damaged(stream.events), label="events")
    end = data.draw(st.sampled_from(["eof", "error", "timeout", "cancelled", "still_open"]))
    for got in runs(judge(stream, events, end)):
        assert got in whole, (stream.name, got)


@pytest.mark.parametrize("wire", BY_WIRE)
@settings(max_examples=examples(12), deadline=None)
@given(data=st.data())
def test_without_its_terminal_nothing_executes(wire: str, data: st.DataObject) -> None:
    """Whatever else is damaged."""
    stream = data.draw(st.sampled_from(BY_WIRE[wire]), label="stream")
    rest = [event for at, event in enumerate(stream.events) if at not in stream.terminals]
    assert runs(judge(stream, rest)) == []
    assert runs(judge(stream, data.draw(damaged(rest) if rest else st.just([]), label="events"))) == []


JUNK = st.sampled_from([None, True, 0, -1, 2**70, 0.5, "", "x", "\ud800", [], [[]], {}, {"type": {}}, [None, 7]]).map(
    copy.deepcopy
)


@pytest.mark.parametrize("wire", BY_WIRE)
@settings(max_examples=examples(20), deadline=None)
@given(data=st.data())
def test_junk_in_any_field_is_always_understood(wire: str, data: st.DataObject) -> None:
    """No event, however wrong its fields, makes the guard give up on the stream."""
    stream = data.draw(st.sampled_from(BY_WIRE[wire]), label="stream")
    events = copy.deepcopy([event for event in stream.events if not isinstance(event, str)])
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(events) - 1))
        *way, last = data.draw(st.sampled_from(list(fields(events[at])) or [(None,)]))
        holder = events[at]
        for step in way:
            holder = holder[step]
        if last is not None:
            holder[last] = data.draw(JUNK)
        else:
            events[at] = data.draw(JUNK.filter(lambda junk: not isinstance(junk, str)))
    judge(stream, events)
