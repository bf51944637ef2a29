"""OpenAI Agents SDK: responses inside a run, and what the run did."""

from __future__ import annotations

from typing import Any

import pytest

from support.judging import executed, judged
from support.wires import ARGUMENTS, responses

GOOD = ("execute", "complete")
CUT = ("retry", "stream_incomplete")
FAKE = "__fake_id__"


def raw(data: Any) -> dict[str, Any]:
    """A model's event."""
    return {"type": "raw_response_event", "data": data}


def run(reason: str | None = "completed") -> list[Any]:
    """One response of a run."""
    return [raw(data) for data in responses(reason)]


def item(kind: str, name: str = "tool_output", **fields: Any) -> dict[str, Any]:
    """A run item."""
    return {"type": "run_item_stream_event", "name": name, "item": {"type": kind, "raw_item": fields}}


def made_up(*call_ids: str) -> list[Any]:
    """What the SDK makes of a Chat Completions stream: one id for everything, always completed."""
    at = list(enumerate(call_ids))
    items = [
        {"id": FAKE, "type": "function_call", "call_id": id, "name": "f", "arguments": '{"a":1}'} for id in call_ids
    ]
    response = {"id": FAKE, "object": "response", "output": []}
    events: list[Any] = [{"type": "response.created", "response": response}]
    events += [
        {"type": "response.output_item.added", "output_index": index, "item": {**items[index], "arguments": ""}}
        for index, _ in at
    ]
    for text in ('{"a"', ":1}"):
        events += [
            {"type": "response.function_call_arguments.delta", "item_id": FAKE, "output_index": index, "delta": text}
            for index, _ in at
        ]
    events += [{"type": "response.output_item.done", "output_index": index, "item": items[index]} for index, _ in at]
    events.append({"type": "response.completed", "response": {**response, "output": items}})
    return [raw({**event, "sequence_number": number}) for number, event in enumerate(events)]


def verdicts(*events: Any, **options: Any) -> list[tuple[str, str]]:
    """Action and reason of each decision."""
    return [(one.action, one.reason) for one in judged("openai_agents", events, **options).decisions]


def test_a_response_is_judged_as_on_its_own_wire() -> None:
    """Its terminal event confirms it."""
    assert executed(judged("openai_agents", run())) == [("c1", "f", ARGUMENTS)]
    assert verdicts(*run()[:-1]) == [CUT]
    assert verdicts(*run("max_output_tokens")) == [CUT]
    assert verdicts(*run("content_filter")) == [("reject", "content_filtered")]


@pytest.mark.parametrize(
    "output",
    [
        item("tool_call_output_item", call_id="c1", output="1"),
        item("handoff_output_item", "handoff_occured", call_id="c1"),
        item("tool_search_output_item", "tool_search_output_created", id="c1"),
        item("tool_call_output_item"),
    ],
)
def test_an_output_is_evidence_that_the_sdk_ran_the_call(output: Any) -> None:
    """Named, or naming none."""
    assert verdicts(*run(), output) == [("reject", "sdk_execution_observed")]


def test_items_that_only_report_the_call_say_nothing() -> None:
    """`tool_called` comes before the call is run."""
    agent = {"type": "agent_updated_stream_event", "new_agent": {}}
    assert verdicts(agent, *run(), item("tool_call_item", "tool_called", call_id="c1")) == [GOOD]


def test_an_interruption_holds_its_call() -> None:
    """An item of `result.interruptions`."""
    waiting = {"type": "tool_approval_item", "raw_item": {"call_id": "c1"}}
    assert verdicts(*run(), waiting) == [CUT]
    assert verdicts(*run(), {**waiting, "raw_item": {"call_id": "other"}}) == [GOOD]


def test_each_response_of_a_run_is_a_turn_of_its_own() -> None:
    """The numbering begins anew, the indexes too."""
    output = item("tool_call_output_item", call_id="c1")
    assert verdicts(*run(), output, *run("max_output_tokens")) == [("reject", "sdk_execution_observed")] * 2
    assert verdicts(*run()[:-1], *run()) == [CUT, GOOD]
    assert verdicts(*run()[:-1], *run(), confirm_on_done=True) == [CUT, GOOD]


def test_a_made_up_terminal_confirms_nothing() -> None:
    """Behind a Chat Completions model; the calls are told apart all the same."""
    events = made_up("c1", "c2")
    assert verdicts(*events) == [CUT, CUT]
    assert executed(judged("openai_agents", events, confirm_on_done=True)) == [
        ("c1", "f", {"a": 1}),
        ("c2", "f", {"a": 1}),
    ]
    assert verdicts(*events, *made_up("c3")) == [CUT, CUT, CUT]
    assert verdicts(*events[1:], confirm_on_done=True) != [GOOD, GOOD]  # it did not begin as such a response


def test_a_refusal_in_a_made_up_response_counts() -> None:
    """Even where the caller opted in."""
    events = made_up("c1")
    refusal = raw({"type": "response.refusal.delta", "delta": "no", "sequence_number": 5})
    assert verdicts(*events[:5], refusal, confirm_on_done=True) == [("reject", "content_filtered")]


@pytest.mark.parametrize("where", ["response", "output"])
def test_a_made_up_terminal_confirms_nothing_of_a_response_that_began_as_a_real_one(where: str) -> None:
    """Whether the response or an item in it carries the made-up id."""
    *events, terminal = responses("completed")
    response = terminal["response"]
    if where == "response":
        response = {**response, "id": FAKE}
    else:
        response = {**response, "output": [{**one, "id": FAKE} for one in response["output"]]}
    assert verdicts(*map(raw, events), raw({**terminal, "response": response})) == [CUT]
    assert verdicts(*run()) == [GOOD]


def test_one_made_up_response_after_another_replaces_nothing() -> None:
    """Each had its terminal, though that confirms nothing by itself."""
    events = [*made_up("c1"), *made_up("c2")]
    report = judged("openai_agents", events, confirm_on_done=True)
    assert [call_id for call_id, *_ in executed(report)] == ["c1", "c2"]
    cut = [*made_up("c1")[:-1], *made_up("c2")]
    assert [call_id for call_id, *_ in executed(judged("openai_agents", cut, confirm_on_done=True))] == ["c2"]
