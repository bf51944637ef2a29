"""Messages of Cohere's API: the plan beside the calls, documents as results."""

from __future__ import annotations

from interlock.history.engine import heal
from interlock.history.stubs import NO_RESULT
from interlock.history.turns import Call, Result, Text
from interlock.history.wires.cohere_v2 import CohereV2

WIRE = CohereV2()
USER = {"role": "user", "content": "q"}
CALL = {"id": "f_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
ASKS = {"role": "assistant", "tool_plan": "I will look.", "tool_calls": [CALL], "citations": []}
DOCUMENT = {"type": "document", "document": {"id": "1", "data": {"sum": 61}}}


def result(content: object) -> Result:
    (part,) = WIRE.read_message({"role": "tool", "tool_call_id": "f_1", "content": content}, 0).parts
    assert isinstance(part, Result)
    return part


def test_a_plan_is_words_and_stays_in_its_field() -> None:
    view = WIRE.read_message(ASKS, 0)
    assert [type(part) for part in view.parts] == [Text, Call]
    assert WIRE.assemble(view) == ASKS
    messages = [USER, ASKS, USER]
    stub = {"role": "tool", "tool_call_id": "f_1", "content": NO_RESULT}
    assert heal(messages, wire="cohere_v2").messages == [USER, ASKS, stub, USER]


def test_a_plan_whose_call_was_dropped_is_kept() -> None:
    healed = heal([USER, ASKS, USER], wire="cohere_v2", policy={"orphan-tool-call": "drop-call"}).messages
    assert healed == [USER, {"role": "assistant", "tool_plan": "I will look.", "citations": []}, USER]


def test_documents_are_results_and_their_data_are_words() -> None:
    assert WIRE.result_text(result([DOCUMENT, {"type": "text", "text": "a"}])) == '{"sum": 61}\na'
    assert WIRE.result_text(result([{"type": "document", "document": {"data": "plain"}}])) == "plain"
    assert WIRE.result_text(result("plain")) == "plain"
    messages = [USER, ASKS, {"role": "tool", "tool_call_id": "f_1", "content": [DOCUMENT]}, USER]
    assert heal(messages, wire="cohere_v2").messages is messages


def test_two_results_for_one_call_become_one_with_all_blocks() -> None:
    joined = WIRE.joined_results(result([DOCUMENT]), result("words"))
    assert joined.content == joined.native["content"] == [DOCUMENT, {"type": "text", "text": "words"}]


def test_a_role_of_other_servers_is_not_taken_for_this_apis() -> None:
    healed = heal([{"role": "developer", "content": "d"}, USER], wire="cohere_v2").messages
    assert healed == [{"role": "system", "content": "d"}, USER]
