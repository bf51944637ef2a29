"""Real provider traffic: every recorded stream is judged as its manifest says, and every cut of it is safe."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from interlock.stream.wires import WIRES
from support.judging import events_of, executed, judged, judged_bytes
from support.shared import SHARED, needs_shared

pytestmark = needs_shared

# Reasons under which a provider confirms client calls, from the manifest's own words.
CONFIRMING = {
    "tool_use",
    "end_turn",
    "tool_calls",
    "stop",
    "function_call",
    "STOP",
    "TOOL_CALL",
    "COMPLETE",
    "completed",
}
OPTIONS: dict[str, dict[str, Any]] = {wire: {"trust_projections": True} for wire in WIRES}


@cache
def manifest() -> list[dict[str, Any]]:
    """The stream entries whose wire the package knows."""
    path = SHARED / "recordings/manifest.json"
    if not path.is_file():
        return []
    files = json.loads(path.read_text())["files"]
    return [entry for entry in files if entry["path"].startswith("streams/") and entry["wire"] in WIRES]


def recordings() -> list[Any]:
    """One parameter a recording."""
    return [pytest.param(entry, id=entry["path"].removeprefix("streams/")) for entry in manifest()]


def expected_calls(entry: dict[str, Any]) -> list[tuple[str | None, Any]]:
    """The client calls of a recording with a clean terminal, as (id, value)."""
    observed = entry["observed"]
    reasons = set(observed["finish_reasons"])
    if not observed["terminal_event_seen"] or not reasons or not reasons <= CONFIRMING:
        return []
    out = []
    for call in observed["tool_calls"]:
        # `create_short_url` is an MCP call that waits for approval: the provider runs it.
        if call["server_executed"] or call["name"] == "create_short_url" or call["form"] == "item":
            continue
        if call["parses_as_json"]:
            out.append((call["id"], json.loads(call["arguments_text"])))
    return out


@pytest.mark.parametrize("entry", recordings())
def test_clean_calls_execute_with_the_manifests_arguments(entry: dict[str, Any]) -> None:
    """A call whose recording has a clean terminal executes with exactly the manifest's arguments."""
    wire = entry["wire"]
    report = judged(wire, events_of(SHARED / "recordings" / entry["path"]), **OPTIONS[wire])
    got = executed(report)
    for call_id, value in expected_calls(entry):
        assert any((call_id is None or call_id == one[0]) and one[2] == value for one in got), report.to_json()
    server = {call["id"] for call in entry["observed"]["tool_calls"] if call["server_executed"]}
    assert not {one[0] for one in got} & server - {None}


@pytest.mark.parametrize("entry", recordings())
def test_nothing_executes_in_a_stream_that_was_cut(entry: dict[str, Any]) -> None:
    """Cut after any event: what executes had been confirmed by a terminal event before the cut."""
    wire = entry["wire"]
    events = events_of(SHARED / "recordings" / entry["path"])
    whole = executed(judged(wire, events, **OPTIONS[wire]))
    step = max(1, len(events) // 60)
    cuts = {*range(0, len(events), step), *range(max(0, len(events) - 12), len(events))}
    for cut in sorted(cuts):
        got = executed(judged(wire, events[:cut], **OPTIONS[wire]))
        assert all(one in whole for one in got), cut
        if got:
            assert any(_is_terminal(event) for event in events[:cut]), (cut, got)
        assert executed(judged(wire, events[:cut], end="error", **OPTIONS[wire])) == []


@pytest.mark.parametrize("entry", recordings())
def test_raw_bytes_give_the_same_decisions(entry: dict[str, Any]) -> None:
    """The recorded body, cut into small pieces, is judged like its events; a body cut short is safe."""
    wire = entry["wire"]
    path = SHARED / "recordings" / entry["path"]
    body_path = next((p for p in (path.with_suffix(".sse"), path.with_suffix(".bin")) if p.is_file()), None)
    if body_path is None:
        return  # the source kept the events only
    body = body_path.read_bytes()
    whole = judged(wire, events_of(path), **OPTIONS[wire])
    pieces = [body[at : at + 997] for at in range(0, len(body), 997)]
    raw = judged_bytes(wire, pieces, **OPTIONS[wire])
    assert [d.to_json() for d in raw.decisions] == [d.to_json() for d in whole.decisions]
    want = executed(whole)
    for at in range(0, len(body), max(1, len(body) // 25)):
        got = executed(judged_bytes(wire, [body[:at]], **OPTIONS[wire]))
        assert all(one in want for one in got)
        assert executed(judged_bytes(wire, [body[:at]], end="error", **OPTIONS[wire])) == []


def _is_terminal(event: Any) -> bool:
    text = json.dumps(event)
    return any(
        word in text
        for word in (
            '"message_stop"',
            '"finish_reason": "',
            '"response.completed"',
            '"response.done"',
            '"finishReason"',
            '"messageStop"',
            '"message-end"',
            '"done": true',
            '"turnComplete"',
        )
    )
