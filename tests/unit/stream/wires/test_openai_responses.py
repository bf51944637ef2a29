"""OpenAI Responses: four copies of the arguments, statuses, terminal events."""

from __future__ import annotations

from typing import Any

import pytest

from support.judging import executed, judged

TEXT = '{"a": 1}'


def item(arguments: str = TEXT, status: Any = "completed", **more: Any) -> dict[str, Any]:
    """A function call item."""
    out = {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "call_1",
        "name": "f",
        "arguments": arguments,
        "status": status,
        **more,
    }
    return {key: value for key, value in out.items() if value is not ...}


def added(index: int = 0, **more: Any) -> dict[str, Any]:
    """The item opens."""
    return {"type": "response.output_item.added", "output_index": index, "item": item("", "in_progress", **more)}


def added_with(text: str) -> dict[str, Any]:
    """The item opens, and holds text already."""
    return {"type": "response.output_item.added", "output_index": 0, "item": item(text, "in_progress")}


def delta(text: str, index: int = 0, id: Any = "fc_1") -> dict[str, Any]:
    """An argument fragment."""
    return {"type": "response.function_call_arguments.delta", "output_index": index, "item_id": id, "delta": text}


def arguments_done(text: str = TEXT, index: int = 0, id: Any = "fc_1") -> dict[str, Any]:
    """The whole text."""
    return {"type": "response.function_call_arguments.done", "output_index": index, "item_id": id, "arguments": text}


def item_done(index: int = 0, **more: Any) -> dict[str, Any]:
    """The item closes."""
    return {"type": "response.output_item.done", "output_index": index, "item": item(**more)}


def completed(*output: Any, status: Any = "completed", **more: Any) -> dict[str, Any]:
    """The response completes."""
    return {
        "type": "response.completed",
        "response": {"id": "resp_1", "status": status, "output": list(output), **more},
    }


def incomplete(reason: Any) -> dict[str, Any]:
    """The response is incomplete."""
    details = {"reason": reason} if reason else None
    return {
        "type": "response.incomplete",
        "response": {"id": "resp_1", "status": "incomplete", "incomplete_details": details, "output": []},
    }


REFUSING = {"type": "message", "id": "msg_1", "content": [{"type": "refusal", "refusal": "no"}]}
CREATED = {"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}}
BODY = (CREATED, added(), delta('{"a"'), delta(": 1}"), arguments_done(), item_done())
GOT = [("call_1", "f", {"a": 1})]


def numbered(*events: dict[str, Any]) -> list[dict[str, Any]]:
    """The events with sequence numbers."""
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


@pytest.mark.parametrize(
    "events",
    [
        (*BODY, completed()),
        (*BODY, completed(item())),
        numbered(*BODY, completed(item())),
        (CREATED, added(), arguments_done(), item_done(), completed()),
        (CREATED, added(), item_done(), completed()),
        (CREATED, item_done(), completed()),
        (CREATED, added(), delta(TEXT), item_done(status=...), completed()),
        (CREATED, added(), delta(TEXT), arguments_done(), completed()),
        (CREATED, added(id=...), delta(TEXT, id=None), item_done(id=...), completed(item(id=...))),
        (CREATED, added(), delta(TEXT, index=None), item_done(), completed()),
        (*BODY, {"type": "response.brand_new"}, completed(status=...)),
        (CREATED, added(namespace="f"), delta(TEXT), item_done(namespace="f"), completed(item())),
        (CREATED, added(), delta(TEXT), item_done(namespace="f"), completed()),
        (CREATED, added_with("{}"), delta(TEXT), item_done(), completed()),
        (CREATED, added_with('{"a"'), delta(TEXT), item_done(), completed()),
        (CREATED, added_with(TEXT), item_done(), completed()),
        (*BODY, completed({"type": "reasoning", "id": "rs"}, item())),
        (*BODY[:-1], item_done(status="in_progress", caller={"type": "program"}), completed()),
    ],
)
def test_healthy_streams_execute(events: Any) -> None:
    """Copies that are there agree; copies that are not there are no evidence against."""
    for event in events:
        for value in list(event.get("response", {}).items()):
            if value[1] is ...:
                del event["response"][value[0]]
    assert executed(judged("openai_responses", events)) == GOT


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ((*BODY[:4], arguments_done('{"a": 2}'), item_done(), completed()), "protocol_violation"),
        ((*BODY[:5], item_done(arguments='{"a": 2}'), completed()), "protocol_violation"),
        ((*BODY, completed(item('{"a": 2}'))), "protocol_violation"),
        ((*BODY, completed(item(call_id="call_9"))), "protocol_violation"),
        ((*BODY, completed(item(name="g"))), "protocol_violation"),
        ((*BODY[:5], item_done(name="g"), completed()), "protocol_violation"),
        ((*BODY[:5], item_done(call_id="call_9"), completed()), "protocol_violation"),
        ((*BODY, completed(item(id="fc_9", call_id="call_9"))), "protocol_violation"),
        ((*BODY, completed(item(), item(id="fc_9", call_id="call_9"))), "protocol_violation"),
        ((*BODY, completed({"type": "message", "id": "msg"})), "protocol_violation"),
        ((*BODY, item_done(), completed()), "protocol_violation"),
        ((*BODY, delta(" "), completed()), "protocol_violation"),
        ((*BODY[:5], delta(" "), item_done(), completed()), "protocol_violation"),
        ((*BODY[:5], arguments_done(), item_done(), completed()), "protocol_violation"),
        ((*BODY[:4], delta(" ", index=4, id="fc_4"), *BODY[4:], completed()), "protocol_violation"),
        ((*BODY[:4], delta(" ", id="fc_4"), *BODY[4:], completed()), "protocol_violation"),
        ((*BODY, added(), completed()), "protocol_violation"),
        ((*BODY, completed(), completed()), "protocol_violation"),
        ((*BODY, completed(), delta(" ")), "protocol_violation"),
        ((*BODY, completed(id="resp_9")), "protocol_violation"),
        ((*BODY, completed(status="incomplete")), "stream_incomplete"),
        ((*BODY, completed(incomplete_details={"reason": "max_output_tokens"})), "stream_incomplete"),
        ((*BODY, completed(error={"code": "server_error"})), "stream_incomplete"),
        ((*BODY, incomplete("max_output_tokens")), "stream_incomplete"),
        ((*BODY, incomplete("max_messages")), "stream_incomplete"),
        ((*BODY, incomplete("steered")), "stream_incomplete"),
        ((*BODY, incomplete("brand_new")), "stream_incomplete"),
        ((*BODY, incomplete(None)), "stream_incomplete"),
        ((*BODY, incomplete("content_filter")), "content_filtered"),
        ((*BODY, {"type": "response.refusal.delta", "delta": "no"}, completed()), "content_filtered"),
        ((*BODY[:5], item_done(type="mcp_call"), completed()), "protocol_violation"),
        ((*BODY[:5], item_done(type="custom_tool_call", input=TEXT), completed()), "protocol_violation"),
        ((*BODY, completed(item(type="mcp_call"))), "protocol_violation"),
        ((*BODY, completed(item(type="mcp_call"), item())), "protocol_violation"),
        ((*BODY[:5], item_done(namespace="crm"), completed()), "protocol_violation"),
        ((CREATED, added(namespace="crm"), delta(TEXT), item_done(namespace="erp"), completed()), "protocol_violation"),
        ((*BODY, completed(item(status="incomplete"))), "protocol_violation"),
        ((*BODY[:5], completed(item(status="incomplete"))), "stream_incomplete"),
        ((CREATED, added_with('{"a": 2}'), *BODY[2:], completed()), "protocol_violation"),
        ((CREATED, added_with('{"a": 2}'), delta(TEXT), item_done(arguments=None), completed()), "protocol_violation"),
        ((*BODY[:2], arguments_done(""), item_done(), completed()), "protocol_violation"),
        ((*BODY, completed(REFUSING, item())), "content_filtered"),
        ((*BODY, completed(), {"type": "response.refusal.delta", "delta": "no"}), "content_filtered"),
        ((*BODY, {**item_done(), "output_index": 1, "item": REFUSING}, completed()), "content_filtered"),
        (
            (*BODY, {"type": "response.content_part.added", "part": {"type": "refusal", "refusal": ""}}, completed()),
            "content_filtered",
        ),
        ((*BODY, {"type": "response.failed", "response": {"error": {"code": "server_error"}}}), "provider_error"),
        ((*BODY, {"type": "response.failed", "response": {"error": {"code": "bio_policy"}}}), "content_filtered"),
        ((*BODY, {"type": "response.failed", "response": {}}), "provider_error"),
        ((*BODY, {"type": "error", "code": "server_error", "message": "m"}), "provider_error"),
        ((*BODY, completed(), {"type": "error", "code": "server_error"}), "provider_error"),
        (BODY, "stream_incomplete"),
        ((*BODY[:5], item_done(status="in_progress"), completed()), "stream_incomplete"),
        ((*BODY[:5], item_done(status="incomplete"), completed()), "stream_incomplete"),
        ((*BODY[:4], completed()), "stream_incomplete"),
        ((*BODY[:3], item_done(arguments='{"a"'), completed()), "truncated"),
        ((*BODY[:3], incomplete("max_output_tokens")), "truncated"),
        ((CREATED, added(), item_done(arguments=""), completed()), "truncated"),
        ([event for event in numbered(*BODY, completed()) if event["sequence_number"] != 3], "stream_incomplete"),
    ],
)
def test_what_speaks_against_a_call(events: Any, reason: str) -> None:
    """Each deviation, alone, with the reason it gets; nothing executes."""
    report = judged("openai_responses", events)
    assert executed(report) == []
    # A hole in the deltas shows as a contradiction as well.
    assert report.decisions[0].reason in (reason, "protocol_violation"), report.to_json()
    if not (isinstance(events, list)):
        assert report.decisions[0].reason == reason


def test_a_lost_event_without_any_repetition_is_noticed_by_its_number() -> None:
    """The sequence numbers have a gap; what is there looks whole."""
    events = numbered(
        CREATED, {"type": "response.in_progress", "response": {}}, added(), delta(TEXT), item_done(), completed()
    )
    assert executed(judged("openai_responses", events)) == GOT
    del events[1]
    report = judged("openai_responses", events)
    assert report.decisions[0].reason == "stream_incomplete" and report.end_reason == "network_error"


def test_free_text_input_counts_only_when_the_wire_repeats_it() -> None:
    """A custom tool's input is not JSON: no text is a prefix-free proof of itself."""
    custom = {"type": "custom_tool_call", "id": "ct_1", "call_id": "call_1", "name": "sql"}
    begin = {"type": "response.output_item.added", "output_index": 0, "item": {**custom, "input": ""}}
    piece = {"type": "response.custom_tool_call_input.delta", "item_id": "ct_1", "output_index": 0, "delta": "SELECT 1"}
    whole = {"type": "response.output_item.done", "output_index": 0, "item": {**custom, "input": "SELECT 1"}}
    assert executed(judged("openai_responses", [CREATED, begin, piece, whole, completed()])) == [
        ("call_1", "sql", "SELECT 1")
    ]
    cut = {**whole, "item": {**custom, "input": "SELECT"}}
    assert judged("openai_responses", [CREATED, begin, piece, cut, completed()]).decisions[0].action == "reject"
    assert judged("openai_responses", [CREATED, begin, piece, completed()]).decisions[0].action == "retry"


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ({"type": "web_search_call", "id": "ws_1"}, "server_executed"),
        ({"type": "code_interpreter_call", "id": "ci_1"}, "server_executed"),
        ({"type": "mcp_call", "id": "mcp_1", "name": "ask", "arguments": "{}"}, "server_executed"),
        ({"type": "mcp_approval_request", "id": "mcpr_1", "name": "ask", "arguments": "{}"}, "server_executed"),
        (
            {"type": "shell_call", "id": "sh_1", "action": {}, "environment": {"type": "container_reference"}},
            "server_executed",
        ),
        ({"type": "tool_search_call", "id": "ts_1", "arguments": {}, "execution": "server"}, "server_executed"),
        ({"type": "tool_search_call", "id": "ts_1", "arguments": {}, "execution": "client"}, "projection_only"),
        ({"type": "local_shell_call", "id": "ls_1", "action": {"command": ["ls"]}}, "projection_only"),
        ({"type": "apply_patch_call", "id": "ap_1", "operation": {"type": "delete_file"}}, "projection_only"),
    ],
)
def test_whose_call_it_is(raw: dict[str, Any], reason: str) -> None:
    """Provider-run calls are never given out; calls with fields of their own are projections."""
    events = [
        CREATED,
        {"type": "response.output_item.added", "output_index": 0, "item": raw},
        {"type": "response.output_item.done", "output_index": 0, "item": {**raw, "status": "completed"}},
        completed(),
    ]
    assert judged("openai_responses", events).decisions[0].reason == reason


def test_the_arguments_of_a_provider_run_call_are_shown() -> None:
    """An MCP call that waits for approval: a person has to see what it would do."""
    raw = {"type": "mcp_approval_request", "id": "mcpr_1", "name": "ask", "arguments": '{"a": 1}'}
    events = [
        CREATED,
        {"type": "response.output_item.added", "output_index": 0, "item": raw},
        {"type": "response.output_item.done", "output_index": 0, "item": raw},
        completed(),
    ]
    (decision,) = judged("openai_responses", events).decisions
    assert (decision.reason, decision.stable_value) == ("server_executed", {"a": 1})


def test_a_steered_successor_is_a_turn_of_its_own() -> None:
    """A new response after the first one's end does not disturb it, and confirms only its own calls."""
    second = {"type": "response.created", "response": {"id": "resp_2", "status": "in_progress"}}
    report = judged(
        "openai_responses", [*BODY, completed(), second, added(id="fc_2", call_id="call_2"), delta(TEXT, id="fc_2")]
    )
    assert [(d.call_id, d.action) for d in report.decisions] == [("call_1", "execute"), ("call_2", "retry")]


def test_a_second_response_may_count_its_events_anew() -> None:
    """Its first number is lower than the last one of the first response; a gap inside is still a gap."""
    second = [
        {"type": "response.created", "response": {"id": "resp_2"}},
        added(id="fc_2", call_id="call_2"),
        delta(TEXT, id="fc_2"),
        item_done(id="fc_2", call_id="call_2"),
        completed(id="resp_2"),
    ]
    events = [*numbered(*BODY, completed()), *numbered(*second)]
    assert [d.action for d in judged("openai_responses", events).decisions] == ["execute", "execute"]
    del events[8]
    assert "execute" not in [d.action for d in judged("openai_responses", events).decisions][1:]
    replayed = [*numbered(*BODY), {**BODY[-1], "sequence_number": 0}, completed()]
    assert executed(judged("openai_responses", replayed)) == []


def test_a_namespace_is_part_of_the_name() -> None:
    """The tool `f` of a namespace is not the plain tool `f`."""
    events = (CREATED, added(namespace="crm"), delta(TEXT), item_done(namespace="crm"), completed(item()))
    assert executed(judged("openai_responses", events)) == [("call_1", "crm.f", {"a": 1})]
    plain: Any = [{"type": "function", "name": "f", "parameters": {"type": "object"}}]
    assert judged("openai_responses", events, tools=plain).decisions[0].reason == "unknown_tool"
    grouped: Any = [{"type": "namespace", "name": "crm", "description": "CRM.", "tools": plain}]
    assert executed(judged("openai_responses", events, tools=grouped)) == [("call_1", "crm.f", {"a": 1})]
    assert judged("openai_responses", (*BODY, completed()), tools=grouped).decisions[0].reason == "unknown_tool"


def test_each_lane_has_a_state_of_its_own() -> None:
    """The end of one stream says nothing about another one's call."""

    def lane(id: str, *events: dict[str, Any]) -> list[dict[str, Any]]:
        return [{**event, "stream_id": id} for event in events]

    one, two = lane("a", *BODY, completed()), lane("b", CREATED, completed())
    assert executed(judged("openai_responses", [*one[:3], *two, *one[3:]])) == GOT
    assert executed(judged("openai_responses", [*one[:-1], *two])) == []
    assert executed(judged("openai_responses", [*one[:3], two[0], *one[3:-1], two[1]])) == []


def test_a_namespace_may_come_with_a_late_name() -> None:
    """The item opens with neither; its later copy holds both, and no bare name is taken meanwhile."""
    bare = added()
    del bare["item"]["name"]
    events = (CREATED, bare, delta(TEXT), item_done(namespace="crm"), completed(item(namespace="crm")))
    assert executed(judged("openai_responses", events)) == [("call_1", "crm.f", {"a": 1})]
    other = (CREATED, bare, delta(TEXT), item_done(namespace="crm"), completed(item(namespace="erp")))
    assert judged("openai_responses", other).decisions[0].reason == "protocol_violation"
    same = (CREATED, bare, delta(TEXT), item_done(namespace="f"), completed(item()))
    assert executed(judged("openai_responses", same)) == [("call_1", "f", {"a": 1})]


@pytest.mark.parametrize("late", [False, True])
def test_an_item_with_fields_of_its_own_has_the_call_id_of_either_copy(late: bool) -> None:
    """With it the caller answers the model."""
    raw = {"type": "local_shell_call", "id": "ls_1", "action": {"command": ["ls"]}}
    done = {**raw, "status": "completed", "call_id": "call_9"}
    events = [
        CREATED,
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": raw if late else {**raw, "call_id": "call_9"},
        },
        {"type": "response.output_item.done", "output_index": 0, "item": done},
        completed(),
    ]
    report = judged("openai_responses", events, trust_projections=True)
    assert executed(report) == [("call_9", "local_shell_call", {"command": ["ls"]})]


STRANGER = '{"a": 2}'


@pytest.mark.parametrize(
    ("opened", "copies", "good"),
    [
        ({}, (arguments_done(STRANGER, id="fc_B"), completed()), False),
        ({}, (arguments_done(STRANGER, id="fc_B"), item_done(id="fc_C", call_id=None, arguments=STRANGER)), False),
        ({"id": None}, (arguments_done(STRANGER, id="fc_B"), completed()), False),
        ({}, (arguments_done(STRANGER, id="fc_B"), completed(item())), False),
        ({}, (arguments_done(STRANGER, id="fc_B"), item_done(arguments=STRANGER)), True),
        ({}, (arguments_done(STRANGER, id="fc_B"), item_done(id="fc_C", arguments=STRANGER)), True),
        ({}, (arguments_done(STRANGER, id="fc_B"), completed(item(STRANGER, id="fc_C"))), True),
        ({}, (arguments_done(STRANGER), completed()), True),
        ({"id": None}, (arguments_done(STRANGER, id="fc_B"), item_done(id="fc_B", arguments=STRANGER)), True),
        ({"id": None, "call_id": None}, (item_done(id="fc_B", call_id="call_1", arguments=STRANGER),), True),
    ],
)
def test_a_copy_that_names_an_item_by_its_position_only_may_be_a_strangers(
    opened: dict[str, Any], copies: tuple[Any, ...], good: bool
) -> None:
    """The deltas of another response's item, and its own whole text, at the index of one whose events were lost."""
    last = () if copies[-1]["type"] == "response.completed" else (completed(),)
    report = judged("openai_responses", (CREATED, added(**opened), delta(STRANGER, id="fc_B"), *copies, *last))
    assert executed(report) == ([("call_1", "f", {"a": 2})] if good else [])
    assert good or report.decisions[0].reason == "protocol_violation"


def response_done(status: Any = "completed", *output: Any, **more: Any) -> dict[str, Any]:
    """The terminal event of other backends."""
    return {"type": "response.done", "response": {"status": status, "output": list(output), **more}}


CUT = {"incomplete_details": {"reason": "max_output_tokens"}}


@pytest.mark.parametrize(
    ("ends", "reason"),
    [
        ((response_done(),), "complete"),
        ((response_done("completed", item()),), "complete"),
        ((response_done("completed", item(STRANGER)),), "protocol_violation"),
        ((response_done(None),), "stream_incomplete"),
        ((response_done("done"),), "stream_incomplete"),
        ((response_done("cancelled"),), "stream_incomplete"),
        ((response_done("incomplete", **CUT),), "stream_incomplete"),
        ((response_done("completed", **CUT),), "stream_incomplete"),
        ((response_done("failed"),), "provider_error"),
        ((completed(), response_done()), "complete"),
        ((completed(), response_done(None)), "complete"),
        ((completed(item()), response_done("completed", item())), "complete"),
        ((completed(), response_done("completed", REFUSING, item())), "complete"),
        ((response_done(), response_done()), "complete"),
        ((completed(), response_done("completed", item(STRANGER))), "protocol_violation"),
        ((completed(), response_done("completed", item(name="g"))), "protocol_violation"),
        ((completed(), response_done("completed", item(call_id="call_2"))), "protocol_violation"),
        ((completed(), response_done("incomplete", **CUT)), "protocol_violation"),
        ((completed(), response_done("failed")), "protocol_violation"),
        ((completed(), response_done(id="resp_9")), "protocol_violation"),
        ((incomplete("max_output_tokens"), response_done()), "protocol_violation"),
        ((response_done(), completed()), "protocol_violation"),
    ],
)
def test_response_done_ends_a_response_or_repeats_its_end(ends: tuple[Any, ...], reason: str) -> None:
    """By its status; one that differs from the end before it is a contradiction."""
    report = judged("openai_responses", (*BODY, *ends))
    assert report.decisions[0].reason == reason
    assert executed(report) == (GOT if reason == "complete" else [])
