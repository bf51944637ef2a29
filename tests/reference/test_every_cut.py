"""Real provider traffic, cut after every event and at every byte: nothing unconfirmed ever executes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from interlock.stream.wires import WIRES
from support.cutting import check_byte_cuts, check_event_cuts
from support.judging import events_of, executed, judged
from support.shared import SHARED, needs_shared

pytestmark = needs_shared

# The recordings name connections of Gemini Live apart; one adapter reads both.
NAMES = {"gemini_live": "gemini"}
TRUST = {"trust_projections": True}
MANIFEST = SHARED / "recordings/manifest.json"
STREAMS: list[Any] = [
    pytest.param(NAMES.get(entry["wire"], entry["wire"]), entry, id=entry["path"].removeprefix("streams/"))
    for entry in (json.loads(MANIFEST.read_text())["files"] if MANIFEST.is_file() else [])
    if entry["path"].startswith("streams/") and NAMES.get(entry["wire"], entry["wire"]) in WIRES
]
BODIES = [one for one in STREAMS if one.values[1].get("raw")]


@pytest.mark.parametrize(("wire", "entry"), STREAMS)
def test_cut_after_every_event(wire: str, entry: dict[str, Any], record_property: Any) -> None:
    """No event left out."""
    events = events_of(SHARED / "recordings" / entry["path"])
    record_property("cuts", check_event_cuts(wire, events, **TRUST))


@pytest.mark.parametrize(("wire", "entry"), BODIES)
def test_cut_at_every_byte(wire: str, entry: dict[str, Any], record_property: Any) -> None:
    """No byte position left out."""
    path = SHARED / "recordings" / entry["path"]
    body = (SHARED / "recordings" / entry["raw"]).read_bytes()
    record_property("cuts", check_byte_cuts(wire, body, events_of(path), **TRUST))


@pytest.mark.parametrize(("wire", "entry"), [one for one in STREAMS if one.values[1]["wire"] == "gemini_live"])
def test_live_calls_need_trust_and_a_turn(wire: str, entry: dict[str, Any]) -> None:
    """The value is the server's: rejected by default, the manifest's arguments when projections are trusted."""
    events = events_of(SHARED / "recordings" / entry["path"])
    assert executed(judged(wire, events)) == []
    want = [(call["id"], call["name"], json.loads(call["arguments_text"])) for call in entry["observed"]["tool_calls"]]
    assert executed(judged(wire, events, **TRUST)) == want
    handed = next(at for at, event in enumerate(events) if "toolCall" in event)
    assert executed(judged(wire, events[: handed + 1], **TRUST)) == []
    assert executed(judged(wire, events[: handed + 1], end="still_open", **TRUST)) == want
