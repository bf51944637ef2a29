"""Small streams shaped like real traffic: judged as expected, and safe wherever they are cut."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pytest

from interlock import Guard
from interlock.stream.events import EVENT_TYPES, Sink
from interlock.stream.wires import adapter_class
from support.cutting import check_byte_cuts, check_event_cuts
from support.judging import events_of, executed, judged, judged_bytes

RECORDINGS = Path(__file__).resolve().parents[2] / "recordings"
MANIFEST: dict[str, Any] = json.loads((RECORDINGS / "manifest.json").read_text())
files = pytest.mark.parametrize("name", MANIFEST)


def given(name: str) -> tuple[str, list[Any], dict[str, Any]]:
    """Return a recording's wire, events and options."""
    entry = MANIFEST[name]
    return entry["wire"], events_of(RECORDINGS / name), {"end": entry.get("end", "eof"), **entry.get("options", {})}


@files
def test_exactly_the_expected_calls_execute(name: str) -> None:
    """Ids, names and values; every other call of the stream has another decision."""
    wire, events, options = given(name)
    report = judged(wire, events, **options)
    assert [list(one) for one in executed(report)] == MANIFEST[name]["executes"], report.to_json()
    assert "E_INTERNAL" not in {diagnostic.code for diagnostic in report.diagnostics}


@files
def test_no_cut_executes_what_was_not_confirmed(name: str) -> None:
    """After each event."""
    wire, events, options = given(name)
    assert check_event_cuts(wire, events, **options) == 2 * len(events)


@files
def test_the_wire_is_recognised(name: str) -> None:
    """OpenRouter's stream, and Mistral's chat as long as nothing of its own comes, are `openai_chat` streams."""
    wire, events, _ = given(name)
    detected = Guard.detect(*events)
    assert detected == wire or (wire in ("openrouter", "mistral") and detected == "openai_chat")


@pytest.mark.parametrize("name", [name for name in MANIFEST if (RECORDINGS / name).with_suffix(".bin").is_file()])
def test_the_binary_body_is_judged_like_its_events(name: str) -> None:
    """Whole, in single bytes, and cut at every byte."""
    wire, events, options = given(name)
    body = (RECORDINGS / name).with_suffix(".bin").read_bytes()
    want = judged(wire, events, **options)
    for pieces in ([body], [body[at : at + 1] for at in range(len(body))]):
        assert judged_bytes(wire, pieces, **options).to_json() == want.to_json()
    options.pop("end")
    assert check_byte_cuts(wire, body, events, **options) == len(body)


@files
def test_an_event_after_finish_revokes_everything(name: str) -> None:
    """Late evidence: the stream's own events once more."""
    wire, events, options = given(name)
    end = options.pop("end")
    guard = Guard(wire, **options)
    for event in events:
        guard.push(event)
    ids = [d.internal_id for d in guard.finish(end).decisions if d.action == "execute"]
    for event in events:
        guard.push(event)
    assert all(d.action != "execute" for d in guard.finish().decisions)
    assert all(guard.take(internal_id) is None for internal_id in ids)


class Recorder:
    """A sink that writes down what it is told, as the JSON objects of the wire `normalized`."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def __getattr__(self, name: str) -> Any:
        signature = inspect.signature(getattr(Sink, name))

        def tell(*args: Any, **more: Any) -> None:
            given = signature.bind(self, *args, **more).arguments
            if name in EVENT_TYPES:  # the transport's own end marker is no event
                self.lines.append(json.dumps({"type": name, **{k: v for k, v in given.items() if k != "self"}}))

        return tell


@files
def test_the_normalized_events_say_the_same(name: str) -> None:
    """What the wire's file tells, written down as JSON and read back on the wire `normalized`."""
    wire, events, options = given(name)
    recorder = Recorder()
    adapter = adapter_class(wire)(recorder)
    for event in events:
        if not isinstance(event, str):
            adapter.push(event)
    adapter.source_ended(options["end"])
    got = judged("normalized", [json.loads(line) for line in recorder.lines], **options)
    want = judged(wire, events, **options)
    assert executed(got) == executed(want)
    assert [(d.call_id, d.name, d.action) for d in got.decisions] == [
        (d.call_id, d.name, d.action) for d in want.decisions
    ]
