"""What a guard must say of a list of normalized events, read off the reference behaviour.

A naive replay: it keeps every event, and derives the verdict on each call from the whole list, rule by rule in
the documented order. It shares no code with the coordinator, the parser or the decision table.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from support.strict_json import reference, standard

MAX_CALLS = 4
MAX_NAME = 6


@dataclass
class Turn:
    """One model response."""

    end: str | None = None
    replaced: bool = False
    faults: set[str] = field(default_factory=set)

    @property
    def closed(self) -> bool:
        """Nothing more of it may come."""
        return self.end is not None or self.replaced


@dataclass
class Call:
    """One call, as the events told it."""

    key: str
    turn: Turn
    server: bool
    id: str | None = None
    index: int | None = None
    name: str = ""
    text: str = ""
    text_in_time: str = ""  # the part of it that did not come too late
    values: list[Any] = field(default_factory=list)
    ended: bool = False
    end: str = "complete"
    held: bool = False
    executed: bool = False
    faults: set[str] = field(default_factory=set)


class Oracle:
    """Replays events; `verdicts` is asked once the source has ended."""

    def __init__(self) -> None:
        self.calls: dict[str, Call] = {}
        self.turns: dict[str, Turn] = {}
        self.faults: set[str] = set()
        self.executed: set[str] = set()
        self.held_early: dict[str, str] = {}  # what was held before it came
        self.owners: dict[str, Call] = {}  # id -> the call that it belongs to
        self.end: str | None = None
        self.source: str | None = None
        self.lost = False
        self.full = False  # a bound on the whole stream was passed: nothing more is read

    def finish(self, how: str) -> None:
        """Note how the source ended; the first word counts, but for a break after a good end."""
        if self.source is None:
            self.source = how
            self._doubt()
        elif self.source in ("eof", "still_open") and how in ("error", "timeout"):
            self.source = how

    def push(self, event: dict[str, Any]) -> None:
        """Take one event."""
        if self.full:
            return
        over = self.end is not None or self.source is not None
        kind = event["type"]
        if self.source not in (None, "still_open"):
            self.faults.add("protocol")  # the guard was told that nothing more comes
        if kind == "events_lost":
            self.lost = True
            return
        if over and not (kind == "provider_diagnostic" and event.get("fault") is None):
            self.faults.add("protocol")  # whatever comes after the end
        getattr(self, f"_{kind}")(event, over)

    def _turn(self, name: str) -> Turn:
        return self.turns.setdefault(name, Turn())

    def _call_of(self, event: dict[str, Any]) -> Call | None:
        call = self.calls.get(event["key"])
        if call is None:
            self.faults.add("protocol")  # something about a call that never started
        elif call.turn.closed:
            call.turn.faults.add("protocol")
        return call

    def _call_start(self, event: dict[str, Any], over: bool) -> None:
        turn = self._turn(event.get("turn", ""))
        if turn.closed:
            turn.faults.add("protocol")
        known = self.calls.get(event["key"])
        if known is not None:
            known.faults.add("protocol")
            return
        if len(self.calls) >= MAX_CALLS:
            self.faults.add("limit")
            self.full = True
            return
        call = Call(event["key"], turn, event.get("server_executed", False))
        self.calls[call.key] = call
        if call.key in self.held_early:
            self._hold(call, self.held_early[call.key])
        self._identify(call, event)
        if event.get("name"):
            self._name(call, event["name"])

    def _call_identity(self, event: dict[str, Any], over: bool) -> None:
        call = self._call_of(event)
        if call is not None:
            self._identify(call, event)

    def _identify(self, call: Call, event: dict[str, Any]) -> None:
        id, index = event.get("id"), event.get("index")
        if id is not None:
            if call.id not in (None, id):
                call.faults.add("malformed")
            elif call.id is None:
                call.id = id
                if id in self.held_early:
                    self._hold(call, self.held_early[id])
                first = self.owners.setdefault(id, call)
                if first.turn.replaced or first.held:
                    self.owners[id] = call  # the one before can never run
                elif first is not call:
                    # In one turn they cannot be told apart; a later turn repeats what ran.
                    call.faults.add("protocol")
                    if first.turn is call.turn:
                        first.faults.add("protocol")
        if index is not None:
            if call.index not in (None, index):
                call.faults.add("malformed")
            call.index = index if call.index is None else call.index

    def _name_delta(self, event: dict[str, Any], over: bool) -> None:
        call = self._call_of(event)
        if call is None:
            return
        late = event["text"] and call.name and (call.text_in_time or call.values)
        if call.ended or late:
            call.faults.add("protocol")  # its arguments have been held against another tool by then
        else:
            self._name(call, event["text"])

    def _name(self, call: Call, text: str) -> None:
        if len((call.name + text).encode()) > MAX_NAME:
            call.faults.add("limit")
        else:
            call.name += text

    def _arguments_delta(self, event: dict[str, Any], over: bool) -> None:
        call = self._call_of(event)
        if call is None:
            return
        if call.ended:
            call.faults.add("protocol")
        else:
            call.text += event["text"]
            call.text_in_time += "" if over or call.turn.closed else event["text"]

    def _arguments_final(self, event: dict[str, Any], over: bool) -> None:
        call = self._call_of(event)
        if call is None:
            return
        if not call.text and not call.ended:
            call.text = event["text"]  # it is the text, with which nothing has to agree; what follows joins it
            call.text_in_time = "" if over or call.turn.closed else event["text"]
        elif event["text"] != call.text:
            call.faults.add("protocol")

    def _arguments_value(self, event: dict[str, Any], over: bool) -> None:
        call = self._call_of(event)
        if call is not None:
            call.values.append(event["value"])

    def _call_end(self, event: dict[str, Any], over: bool) -> None:
        call = self._call_of(event)
        if call is None:
            return
        if call.ended:
            call.faults.add("protocol")
            return
        call.ended = True
        if not call.held:
            call.end = event.get("reason", "complete")

    def _call_held(self, event: dict[str, Any], over: bool) -> None:
        found = [call for call in self.calls.values() if event["key"] in (call.key, call.id)]
        if not found:
            self.held_early[event["key"]] = event["reason"]
        for call in found:
            self._hold(call, event["reason"])

    def _hold(self, call: Call, reason: str) -> None:
        call.held = True
        call.end = reason if reason != "complete" else "unknown"

    def _tool_executed(self, event: dict[str, Any], over: bool) -> None:
        if event.get("key") is None:
            self.faults.add("executed")
            return
        self.executed.add(event["key"])
        if not any(event["key"] in (call.key, call.id) for call in self.calls.values()):
            for call in self.calls.values():
                if call.id is None and call.name and not call.server:
                    call.faults.add("executed")

    def _provider_diagnostic(self, event: dict[str, Any], over: bool) -> None:
        fault = event.get("fault")
        if fault is None:
            return
        call = self.calls.get(event.get("key", ""))
        if call is not None:
            call.faults.add(fault)
        elif event.get("turn") is not None:
            self._turn(event["turn"]).faults.add(fault)
        else:
            self.faults.add(fault)

    def _turn_end(self, event: dict[str, Any], over: bool) -> None:
        turn = self._turn(event.get("turn", ""))
        if turn.closed:
            turn.faults.add("protocol")
        else:
            turn.end = event["reason"]

    def _turn_replaced(self, event: dict[str, Any], over: bool) -> None:
        self._turn(event.get("turn", "")).replaced = True

    def _stream_end(self, event: dict[str, Any], over: bool) -> None:
        if self.end is None:
            self.end = event["reason"]

    def _doubt(self) -> None:
        """Hold arguments that are nobody's, or broken, against their turn and against calls that have none."""
        strays = [call for call in self.calls.values() if self._stray(call)]
        for turn in self.turns.values():
            its = [call for call in self.calls.values() if call.turn is turn]
            if len(its) > 1 and any(call in strays for call in its):
                turn.faults.add("protocol")
            if any(call.turn is not turn and not call.turn.closed for call in strays) and any(c.name for c in its):
                turn.faults.add("protocol")
            broken = [call for call in its if not call.server and self._broken(call)]
            if (turn.end or self.end) == "complete" and (strays or broken):
                for call in its:
                    if call.name and not (call.server or call.text or call.values or self._broken(call)):
                        call.faults.add("protocol")

    def _stray(self, call: Call) -> bool:
        return not (call.name or call.server) and bool(call.text or call.values)

    def _broken(self, call: Call) -> bool:
        if call.faults & {"protocol", "malformed"}:
            return True
        if any(value != call.values[0] for value in call.values):
            return True
        return bool(call.text) and (not standard(call.text)[0] or call.text.strip()[-1:].isdigit())

    # -- verdicts ------------------------------------------------------------

    def verdicts(self) -> dict[str, tuple[str, str]]:
        """Return action and reason by source key."""
        return {key: self._verdict(call) for key, call in self.calls.items()}

    def value(self, key: str) -> Any:
        """Return the arguments of a call that executes."""
        return json.loads(self.calls[key].text)

    def _verdict(self, call: Call) -> tuple[str, str]:
        faults = self.faults | call.turn.faults | call.faults
        end = self._end_of(call)
        text = _read(call.text)
        if "executed" in faults or {call.key, call.id} & self.executed:
            return "reject", "sdk_execution_observed"
        if call.server:
            return "reject", "server_executed"
        if "internal" in faults:
            return "reject", "unknown"
        if "limit" in faults:
            return "reject", "resource_limit"
        if "provider_error" in faults or end == "provider_error":
            return "reject", "provider_error"
        if "content_filtered" in faults or end == "content_filtered":
            return "reject", "content_filtered"
        if "protocol" in faults or self._contradicts(call, text):
            return "reject", "protocol_violation"
        if not call.text and call.values:
            return "reject", "projection_only"
        if text == "wrong" or "malformed" in faults or (not call.name and end == "complete"):
            return "reject", "malformed"
        if text in ("cut", "empty"):
            return "retry", "truncated"
        if text == "whole" and end == "complete":
            return "execute", "complete"
        return "retry", "stream_incomplete"

    def _contradicts(self, call: Call, text: str) -> bool:
        """Whether a value disagrees with the whole text, or with another value."""
        if any(value != call.values[0] for value in call.values):
            return True
        return text == "whole" and bool(call.values) and call.values[0] != json.loads(call.text)

    def _end_of(self, call: Call) -> str:
        """Return the end reason; `complete` only when the provider confirmed this call."""
        turn = call.turn
        if self.end not in (None, "complete"):
            return str(self.end)
        if self.lost or self.source in ("error", "timeout"):
            return turn.end if turn.end not in (None, "complete") else "network_error"  # type: ignore[return-value]
        if turn.replaced and turn.end is None:
            return "unknown"
        reason = turn.end or self.end
        if reason is None:
            return "unknown"
        return call.end if call.end != "complete" and reason in ("complete", "length") else reason


def _read(text: str) -> str:
    """Return what a text is: empty, whole, salvaged, cut or wrong."""
    if not text:
        return "empty"
    good, value = standard(text)
    if good:
        return "whole" if isinstance(value, dict) else "wrong"
    status = reference(text)[0]
    if status == "wrong":
        return "wrong"
    # Only closing brackets are missing when adding them, and nothing else, makes a document.
    return "salvaged" if _closes(text) else "cut"


def _closes(text: str) -> bool:
    depth: list[str] = []
    in_string = escaped = False
    for letter in text:
        if in_string:
            escaped = letter == "\\" and not escaped
            if letter == '"' and not escaped:
                in_string = False
        elif letter == '"':
            in_string = True
        elif letter in "{[":
            depth.append("}" if letter == "{" else "]")
        elif letter in "}]" and depth:
            depth.pop()
    ends_in_scalar = text[-1:].isdigit() or text[-1:].isalpha()  # a number or literal may go on
    return not in_string and not ends_in_scalar and bool(depth) and standard(text + "".join(reversed(depth)))[0]
