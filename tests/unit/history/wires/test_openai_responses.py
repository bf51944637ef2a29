"""Items of the Responses API: which item answers which, what a stub looks like, what is left alone."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.history.engine import heal
from interlock.history.stubs import NO_RESULT
from interlock.history.turns import Approval, Call, Media, Opaque, Reasoning, Result, Text
from interlock.history.wires.openai_responses import OpenAIResponses

WIRE = OpenAIResponses()
USER = {"role": "user", "content": "q"}
NEXT = {"role": "user", "content": "next"}


def streams(out: str, error: str, code: int) -> list[dict[str, Any]]:
    return [{"stdout": out, "stderr": error, "outcome": {"type": "exit", "exit_code": code}}]


SCREEN = {"type": "computer_screenshot", "image_url": "data:,"}
#: Call, its output, and the output that stands in for a missing one.
PAIRS: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any] | None]] = {
    "function_call": (
        {"name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "done"},
        {"type": "function_call_output", "call_id": "c", "output": NO_RESULT},
    ),
    "custom_tool_call": (
        {"name": "f", "input": "free text, {not json"},
        {"type": "custom_tool_call_output", "call_id": "c", "output": "done"},
        {"type": "custom_tool_call_output", "call_id": "c", "output": NO_RESULT},
    ),
    "shell_call": (
        {"action": {"commands": ["ls"]}, "environment": {"type": "local"}},
        {"type": "shell_call_output", "call_id": "c", "output": streams("a", "", 0)},
        {"type": "shell_call_output", "call_id": "c", "output": streams("", NO_RESULT, 1)},
    ),
    "local_shell_call": (
        {"id": "lsh_1", "action": {"type": "exec", "command": ["ls"], "env": {}}, "status": "completed"},
        {"type": "local_shell_call_output", "id": "c", "output": "a"},
        {"type": "local_shell_call_output", "id": "c", "output": NO_RESULT},
    ),
    "apply_patch_call": (
        {"operation": {"type": "delete_file", "path": "a"}, "status": "completed"},
        {"type": "apply_patch_call_output", "call_id": "c", "status": "completed"},
        {"type": "apply_patch_call_output", "call_id": "c", "status": "failed", "output": NO_RESULT},
    ),
    "computer_call": (
        {"id": "cu_1", "action": {"type": "screenshot"}, "pending_safety_checks": [], "status": "completed"},
        {"type": "computer_call_output", "call_id": "c", "output": SCREEN},
        None,
    ),
    "tool_search_call": (
        {"arguments": {"queries": ["x"]}, "execution": "client", "status": "completed"},
        {"type": "tool_search_output", "call_id": "c", "execution": "client", "status": "completed", "tools": []},
        {"type": "function_call_output", "call_id": "c", "output": NO_RESULT},
    ),
}


def call_item(kind: str) -> dict[str, Any]:
    return {"type": kind, "call_id": "c", **PAIRS[kind][0]}


@pytest.mark.parametrize("kind", PAIRS)
def test_each_kind_of_call_is_answered_by_its_own_kind_of_output(kind: str) -> None:
    items = [USER, call_item(kind), PAIRS[kind][1], NEXT]
    result = heal(items, wire="openai_responses")
    assert result.messages is items, [one.reason for one in result.repairs]


@pytest.mark.parametrize("kind", PAIRS)
def test_an_open_call_gets_a_stub_of_the_fitting_kind_or_goes(kind: str) -> None:
    stub = PAIRS[kind][2]
    result = heal([USER, call_item(kind), NEXT], wire="openai_responses")
    assert [one.rule for one in result.repairs] == ["orphan-tool-call"]
    if stub is None:
        assert result.messages == [USER, NEXT]
        assert result.repairs[0].lossy and result.repairs[0].before == call_item(kind)
    else:
        assert result.messages == [USER, call_item(kind), stub, NEXT]
        assert not result.repairs[0].lossy


@pytest.mark.parametrize("kind", [kind for kind in PAIRS if PAIRS[kind][2] is not None])
def test_a_real_output_that_comes_late_takes_the_place_of_the_stub(kind: str) -> None:
    healed = heal([USER, call_item(kind), NEXT], wire="openai_responses").messages
    result = heal([*healed, PAIRS[kind][1]], wire="openai_responses")
    assert result.messages == [USER, call_item(kind), PAIRS[kind][1], NEXT]


@pytest.mark.parametrize("kind", PAIRS)
def test_an_output_without_its_call_goes(kind: str) -> None:
    assert heal([USER, PAIRS[kind][1], NEXT], wire="openai_responses").messages == [USER, NEXT]


@pytest.mark.parametrize("kind", PAIRS)
def test_a_long_id_changes_in_both_items_alike(kind: str) -> None:
    output = {key: "x" * 90 if value == "c" else value for key, value in PAIRS[kind][1].items()}
    items = [USER, {**call_item(kind), "call_id": "x" * 90}, output]
    _, call, answer = heal(items, wire="openai_responses").messages
    new = call["call_id"]
    assert len(new) <= 64
    assert answer == {key: new if value == "x" * 90 else value for key, value in output.items()}
    assert call == {**items[1], "call_id": new}


@pytest.mark.parametrize(
    "item",
    [
        {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "q"}},
        {"type": "file_search_call", "id": "fs_1", "queries": [], "status": "completed"},
        {"type": "code_interpreter_call", "id": "ci_1", "code": "1", "container_id": "c", "outputs": None},
        {"type": "image_generation_call", "id": "ig_1", "result": None, "status": "completed"},
        {"type": "mcp_call", "id": "mcp_1", "name": "f", "arguments": "{}", "server_label": "s"},
        {"type": "mcp_list_tools", "id": "mcpl_1", "server_label": "s", "tools": []},
        {"type": "compaction", "id": "cmp_1", "encrypted_content": "x"},
        {"type": "additional_tools", "role": "developer", "tools": []},
        {"type": "item_reference", "id": "msg_1"},
        {"id": "msg_1"},
        {"type": "something_new", "call_id": "c"},
        {"type": "shell_call", "call_id": "s", "action": {}, "environment": {"type": "container_reference"}},
        {"type": "tool_search_call", "call_id": None, "arguments": {}, "execution": "server"},
        {"type": "program", "id": "p", "call_id": "p", "code": "1", "fingerprint": "f"},
        {"type": "mcp_approval_request", "id": "mcpr_1", "name": "f", "arguments": "{}", "server_label": "s"},
        {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True},
    ],
    ids=lambda item: item.get("type", "bare id"),
)
def test_items_that_need_no_answer_are_left_alone(item: dict[str, Any]) -> None:
    items = [USER, item, NEXT]
    result = heal(items, wire="openai_responses")
    assert result.messages is items
    assert not result.remaining


def test_an_output_whose_call_is_a_reference_stays_as_long_as_the_server_keeps_items() -> None:
    items = [USER, {"type": "item_reference", "id": "fc_1"}, PAIRS["function_call"][1]]
    assert heal(items, wire="openai_responses").messages is items
    assert heal(items, wire="openai_responses", options={"store": False}).messages == [USER]


def test_a_message_reads_as_its_parts() -> None:
    content = [
        {"type": "input_text", "text": "look"},
        {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
        {"type": "input_file", "filename": "A.PDF", "file_id": "f"},
        {"type": "input_file", "file_url": "https://example.com/a.mp3"},
        {"type": "input_file", "file_data": "data:video/mp4;base64,AAAA"},
        {"type": "input_file", "file_id": "f"},
        {"type": "refusal", "refusal": "no"},
        7,
    ]
    parts = WIRE.read_message({"role": "user", "content": content}, 0).parts
    assert [type(part) for part in parts] == [Text, Media, Media, Media, Media, Media, Opaque, Opaque]
    assert [part.media for part in parts if isinstance(part, Media)] == ["image", "document", "audio", "video", "file"]


def test_reasoning_and_approvals_read_as_what_they_are() -> None:
    item = {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "hm"}],
        "encrypted_content": "x",
    }
    (thought,) = WIRE.read_message(item, 0).parts
    assert isinstance(thought, Reasoning) and (thought.text, thought.signature) == ("hm", "x")
    (asked,) = WIRE.read_message({"type": "mcp_approval_request", "id": "mcpr_1"}, 0).parts
    (said,) = WIRE.read_message(
        {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": False}, 0
    ).parts
    assert isinstance(asked, Approval) and isinstance(said, Approval)
    assert (asked.approved, said.approved, asked.approval_id) == (None, False, said.approval_id)


@pytest.mark.parametrize(
    ("role", "given", "sent"),
    [
        ("user", {"type": "output_text", "text": "a", "annotations": []}, {"type": "input_text", "text": "a"}),
        ("user", {"type": "text", "text": "a"}, {"type": "input_text", "text": "a"}),
        ("assistant", {"type": "input_text", "text": "a"}, {"type": "output_text", "text": "a", "annotations": []}),
        ("developer", {"type": "text", "text": "a", "x": 1}, {"type": "input_text", "text": "a", "x": 1}),
        (
            "user",
            {"type": "image_url", "image_url": {"url": "https://e.com/a.png", "detail": "low"}},
            {"type": "input_image", "image_url": "https://e.com/a.png", "detail": "low"},
        ),
    ],
)
def test_a_part_gets_the_type_that_its_role_takes(role: str, given: dict[str, Any], sent: dict[str, Any]) -> None:
    """As the API says: "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'"."""
    items = [{"role": role, "content": [given]}, NEXT]
    assert heal(items, wire="openai_responses").messages == [{"role": role, "content": [sent]}, NEXT]


def test_a_chat_result_becomes_an_output_item() -> None:
    """As the API says: "Invalid value: 'tool'. Supported values are: 'assistant', 'system', ..."."""
    items = [USER, call_item("function_call"), {"role": "tool", "tool_call_id": "c", "content": "done"}, NEXT]
    healed = heal(items, wire="openai_responses").messages
    assert healed == [USER, call_item("function_call"), PAIRS["function_call"][1], NEXT]


def test_a_free_text_input_is_not_taken_for_broken_json() -> None:
    call = WIRE.read_message(call_item("custom_tool_call"), 0).parts[0]
    assert isinstance(call, Call)
    renamed = WIRE.with_call(call, name="g", arguments='{"raw": 1}')
    assert renamed.native == {**call_item("custom_tool_call"), "name": "g"}


def words(text: str) -> dict[str, str]:
    return {"type": "input_text", "text": text}


@pytest.mark.parametrize(
    ("one", "two", "both"),
    [
        ("a", "b", "a\n\nb"),
        ([words("a")], "b", [words("a"), words("b")]),
        ([words("a")], [words("b")], [words("a"), words("b")]),
        (SCREEN, "b", SCREEN),
    ],
)
def test_two_outputs_join_where_their_bodies_can(one: Any, two: Any, both: Any) -> None:
    natives = [{"type": "function_call_output", "call_id": "c", "output": body} for body in (one, two)]
    first, second = (Result(native=one, call_id="c", name=None, content=one["output"]) for one in natives)
    joined = WIRE.joined_results(first, second)
    assert joined.content == joined.native["output"] == both


def test_a_call_without_a_name_gets_one() -> None:
    call = {"type": "function_call", "call_id": "c", "arguments": "{}"}
    result = heal([USER, call, PAIRS["function_call"][1]], wire="openai_responses")
    assert result.messages[1] == {**call, "name": "unnamed_tool"}


def test_an_item_of_a_healthy_stretch_that_comes_again_elsewhere_is_found() -> None:
    """Only what looks wrong is read closely; an id that stands outside as well is still seen twice."""
    said = {"type": "message", "role": "assistant", "id": "msg_1", "status": "completed", "content": "a"}
    items = [USER, said, *[USER, {"role": "assistant", "content": "b"}] * 20, USER, said, NEXT]
    assert [one.rule for one in heal(items, wire="openai_responses").repairs] == ["duplicate-item"]
