"""The realtime wire's oddities: copies that disagree, several responses at once, the client's own answers."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from interlock import Guard
from support.judging import executed, judged
from support.wires import ARGUMENTS, TEXT, realtime

GOOD = realtime("completed")
CREATED, ADDED, FIRST, SECOND, ARGUMENTS_DONE, ITEM_DONE, DONE = range(7)
ANSWER = {"type": "conversation.item.added", "item": {"type": "function_call_output", "call_id": "c1", "output": "x"}}


def changed(at: int, change: Callable[[Any], Any]) -> list[Any]:
    """The good stream with one event changed."""
    events = copy.deepcopy(GOOD)
    change(events[at])
    return events


CONTRADICTIONS: dict[str, list[Any]] = {
    "arguments.done differs": changed(ARGUMENTS_DONE, lambda e: e.update(arguments="{}")),
    "item.done differs": changed(ITEM_DONE, lambda e: e["item"].update(arguments="{}")),
    "the final output differs": changed(DONE, lambda e: e["response"]["output"][0].update(arguments="{}")),
    "the final output says incomplete": changed(DONE, lambda e: e["response"]["output"][0].update(status="incomplete")),
    "the final output has another call": changed(DONE, lambda e: e["response"]["output"][0].update(id="i2")),
    "the deltas alone differ": changed(SECOND, lambda e: e.update(delta=e["delta"].replace("2", "3"))),
    "a delta alone is missing": [*GOOD[:SECOND], *GOOD[ARGUMENTS_DONE:]],
    "another call_id": changed(SECOND, lambda e: e.update(call_id="c2")),
    "another call_id at the end": changed(DONE, lambda e: e["response"]["output"][0].update(call_id="c2")),
    "another name": changed(ARGUMENTS_DONE, lambda e: e.update(name="g")),
    "another name when the item is done": changed(ITEM_DONE, lambda e: e.update(item={**e["item"], "name": "g"})),
    "another name in the final output": changed(
        DONE, lambda e: e["response"].update(output=[{**e["response"]["output"][0], "name": "g"}])
    ),
    "another call_id when the item is done": changed(ITEM_DONE, lambda e: e.update(item={**e["item"], "call_id": "x"})),
    "another output_index": changed(SECOND, lambda e: e.update(output_index=3)),
    "a delta for an item that was never added": changed(SECOND, lambda e: e.update(item_id="i9")),
    "added twice": [*GOOD[:FIRST], GOOD[ADDED], *GOOD[FIRST:]],
    "arguments done twice": [*GOOD[:ITEM_DONE], GOOD[ARGUMENTS_DONE], *GOOD[ITEM_DONE:]],
    "a delta after the arguments were done": [*GOOD[:ITEM_DONE], GOOD[FIRST], *GOOD[ITEM_DONE:]],
    "the item done twice": [*GOOD[:DONE], GOOD[ITEM_DONE], *GOOD[DONE:]],
    "the item is the server's at its end": changed(ITEM_DONE, lambda e: e["item"].update(type="mcp_call")),
    "the item is the server's in the final output": changed(
        DONE, lambda e: e["response"]["output"].insert(0, {"id": "i1", "type": "mcp_call", "name": "f"})
    ),
    "the arguments are done as the server's": changed(
        ARGUMENTS_DONE, lambda e: e.update(type="response.mcp_call_arguments.done")
    ),
    "empty arguments that are there later": [
        *GOOD[:FIRST],
        {**GOOD[ARGUMENTS_DONE], "arguments": ""},
        *GOOD[ITEM_DONE:],
    ],
    "the response done twice": [*GOOD, GOOD[DONE]],
    "an event after the response's end": [*GOOD, GOOD[SECOND]],
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_what_contradicts_itself_is_rejected(name: str) -> None:
    """The protocol says everything several times; all of it has to agree."""
    report = judged("openai_realtime", CONTRADICTIONS[name], end="still_open")
    assert {d.reason for d in report.decisions} == {"protocol_violation"}, report.to_json()


@pytest.mark.parametrize(
    "events",
    [
        GOOD,
        changed(DONE, lambda e: e["response"].update(output=[])),
        changed(DONE, lambda e: e["response"].pop("output")),
        changed(ITEM_DONE, lambda e: e["item"].pop("status")),
        [GOOD[CREATED], GOOD[ARGUMENTS_DONE], GOOD[DONE]],
        [*GOOD[:ITEM_DONE], GOOD[DONE]],
        [*GOOD[:FIRST], *GOOD[ARGUMENTS_DONE:]],
        [GOOD[CREATED], GOOD[ITEM_DONE], GOOD[DONE]],
        [{"type": "error", "event_id": "e", "error": {"type": "invalid_request_error"}}, *GOOD],
        [*GOOD, {"type": "error", "event_id": "e", "error": {"type": "invalid_request_error"}}],
    ],
)
def test_what_a_server_leaves_out_is_no_contradiction(events: list[Any]) -> None:
    """Some servers send whole calls only; an `error` is about a client event."""
    assert executed(judged("openai_realtime", events, end="still_open")) == [("c1", "f", ARGUMENTS)]


@pytest.mark.parametrize("status", ["incomplete", "in_progress", "cancelled", "new"])
def test_an_item_that_was_cut_does_not_run_in_a_completed_response(status: str) -> None:
    """`output_item.done` is sent for an interrupted item, too."""
    events = changed(ITEM_DONE, lambda e: e["item"].update(status=status))
    events[DONE]["response"]["output"] = []
    assert executed(judged("openai_realtime", events, end="still_open")) == []


def test_responses_of_one_connection_do_not_mix() -> None:
    """Two in flight, item ids equal; one of them is cancelled."""

    def renamed(events: list[Any], response: str, call: str) -> list[Any]:
        text = json.dumps(events).replace('"r1"', f'"{response}"').replace('"c1"', f'"{call}"')
        return list(json.loads(text))

    one, two = renamed(GOOD, "ra", "ca"), renamed(realtime("cancelled"), "rb", "cb")
    mixed = [event for pair in zip(one, two, strict=True) for event in pair]
    report = judged("openai_realtime", mixed, end="still_open")
    assert [(d.call_id, d.reason) for d in report.decisions] == [("ca", "complete"), ("cb", "stream_incomplete")]


def test_an_answer_before_the_end_means_that_somebody_ran_the_call_too_early() -> None:
    """At every place before `response.done`."""
    for at in range(ADDED + 1, DONE + 1):
        events = [*GOOD[:at], ANSWER, *GOOD[at:]]
        assert judged("openai_realtime", events, end="still_open").decisions[0].reason == "sdk_execution_observed"


def test_an_answer_after_the_end_uses_up_the_right_to_run_the_call() -> None:
    """A whole recorded connection is judged as it was; nothing is handed out a second time."""
    guard = Guard("openai_realtime")
    for event in [*GOOD, ANSWER, {**ANSWER, "type": "conversation.item.done"}]:
        guard.push(event)
    (decision,) = guard.finish("still_open").decisions
    assert decision.action == "execute"
    assert [d.code for d in decision.diagnostics] == ["I_CALL_ANSWERED"]
    assert guard.take(decision.internal_id) is None


def test_an_answer_to_another_call_changes_nothing() -> None:
    """A call of an earlier response, which this guard never saw."""
    other = {**ANSWER, "item": {**ANSWER["item"], "call_id": "c0"}}
    guard = Guard("openai_realtime")
    for event in [other, *GOOD]:
        guard.push(event)
    (decision,) = guard.finish("still_open").decisions
    taken = guard.take(decision.internal_id)
    assert taken is not None and taken.value == ARGUMENTS


def test_a_call_of_the_server_is_reported_as_such() -> None:
    """MCP calls stream their arguments with events of their own."""
    item = {"id": "i1", "type": "mcp_call", "name": "f", "server_label": "s"}
    at = {"response_id": "r1", "item_id": "i1", "output_index": 0}
    events = [
        {"type": "response.output_item.added", "response_id": "r1", "output_index": 0, "item": item},
        {"type": "response.mcp_call_arguments.delta", **at, "delta": TEXT},
        {"type": "response.mcp_call_arguments.done", **at, "arguments": TEXT},
        {"type": "response.output_item.done", "response_id": "r1", "output_index": 0, "item": item},
        {"type": "response.done", "response": {"id": "r1", "status": "completed", "output": [item]}},
    ]
    assert judged("openai_realtime", events, end="still_open").decisions[0].reason == "server_executed"


SPOKEN = ("text", "output_text", "audio_transcript", "output_audio_transcript", "audio", "output_audio")


@pytest.mark.parametrize("kind", SPOKEN)
def test_text_after_a_responses_own_end_speaks_against_its_calls(kind: str) -> None:
    """Text before it, of another response, or of one without calls does not."""
    said = {"type": f"response.{kind}.delta", "response_id": "r1", "item_id": "m1", "delta": "x"}
    assert judged("openai_realtime", [*GOOD, said]).decisions[0].reason == "protocol_violation"
    for events in (
        [*GOOD[:DONE], said, GOOD[DONE]],
        [*GOOD, {**said, "response_id": "r2"}],
        [{**GOOD[DONE], "response": {"id": "r0", "status": "completed"}}, {**said, "response_id": "r0"}, *GOOD],
    ):
        assert executed(judged("openai_realtime", events)) == [("c1", "f", ARGUMENTS)]


def test_an_event_whose_type_is_no_word_is_passed_over() -> None:
    """It cannot even be looked up."""
    for kind in ([], {}, None, 7):
        assert executed(judged("openai_realtime", [{"type": kind}, *GOOD])) == [("c1", "f", ARGUMENTS)]
