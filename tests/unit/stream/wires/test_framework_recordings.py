"""What real agent frameworks made of model streams: judged as expected, from JSON and from their own objects."""

from __future__ import annotations

import json
from typing import Any

from interlock import Guard
from support.frameworks import BUILDERS, TERMINALS, Recording, each_recording
from support.judging import executed, judged


def verdicts(recording: Recording, events: list[Any]) -> list[dict[str, Any]]:
    """Return what the guard says of each call, in the form of the expectations."""
    report = judged(recording.wire, events, end=recording.end)
    assert "E_INTERNAL" not in {diagnostic.code for diagnostic in report.diagnostics}
    calls = []
    for decision in report.decisions:
        call = {"id": decision.call_id, "action": decision.action, "reason": decision.reason}
        if decision.action == "execute":
            call["value"] = decision.value
        calls.append(call)
    return calls


@each_recording
def test_every_call_is_judged_as_expected(recording: Recording) -> None:
    """From the JSON form."""
    assert verdicts(recording, recording.events) == recording.calls


@each_recording
def test_the_frameworks_own_objects_are_judged_alike(recording: Recording) -> None:
    """From the objects that the framework hands out."""
    build = BUILDERS[recording.wire]()
    assert verdicts(recording, [build(event) for event in recording.events]) == recording.calls


@each_recording
def test_no_cut_executes_what_the_terminal_did_not_confirm(recording: Recording) -> None:
    """After each event, for each way in which a source stops."""
    whole = [(call["id"], call["value"]) for call in recording.calls if call["action"] == "execute"]
    terminal = TERMINALS[recording.wire]
    for cut in range(len(recording.events)):
        events = recording.events[:cut]
        got = [(id, value) for id, _, value in executed(judged(recording.wire, events))]
        # A framework that ran the call by itself shows it after the terminal: only then is it too early to tell.
        ran = [call["id"] for call in recording.calls if call["reason"] == "sdk_execution_observed"]
        assert all(one in whole for one in got if one[0] not in ran), (cut, got)
        assert not got or any(map(terminal, events)), (cut, got)
        for end in ("error", "timeout"):
            assert executed(judged(recording.wire, events, end=end)) == [], (cut, end)


@each_recording
def test_the_wire_is_recognised(recording: Recording) -> None:
    """From the events alone."""
    assert Guard.detect(*recording.events) == recording.wire


@each_recording
def test_bytes_are_judged_like_events(recording: Recording) -> None:
    """Where the wire has a byte form."""
    framed = {
        "ag_ui": "data: {}\n\n",
        "ai_sdk_ui": "data: {}\n\n",
        "claude_agent": "{}\n",
    }.get(recording.wire)
    if framed is None:
        return
    guard = Guard(recording.wire)
    for event in recording.events:
        text = event if isinstance(event, str) else json.dumps(event)
        for byte in framed.format(text).encode():
            guard.push_bytes(bytes([byte]))
    assert (
        guard.finish(recording.end).to_json() == judged(recording.wire, recording.events, end=recording.end).to_json()
    )
