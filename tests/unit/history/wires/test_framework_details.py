"""What is special to one framework's format: states, forms, hooks, notes."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.history.engine import heal
from interlock.history.stubs import NO_RESULT
from support.framework_histories import FORMS
from support.histories import Ask, Reply, User, sample

ASK = {"id": "1", "role": "user", "parts": [{"type": "text", "text": "q"}]}


def page(*parts: dict[str, Any]) -> list[Any]:
    return [ASK, {"id": "2", "role": "assistant", "parts": list(parts), "metadata": {"kept": None}}]


class TestPages:
    def test_a_call_that_is_still_streaming_is_never_sent_and_never_touched(self) -> None:
        history = page({"type": "tool-f", "toolCallId": "c1", "state": "input-streaming", "rawInput": '{"a'})
        assert heal(history).messages is history
        assert heal([*history, ASK], provider="anthropic").repairs == ()

    def test_a_state_that_is_new_is_not_guessed_at(self) -> None:
        history = page({"type": "tool-f", "toolCallId": "c1", "state": "output-postponed", "input": {}})
        assert heal(history).messages is history

    def test_an_empty_answer_is_no_fault(self) -> None:
        for parts in ((), ({"type": "step-start"},), ({"type": "data-note", "data": 1},)):
            history = [*page(*parts), ASK]
            assert heal(history, provider="anthropic").messages is history

    def test_text_input_of_a_failed_call_is_shown_as_an_object(self) -> None:
        part = {"type": "tool-f", "toolCallId": "c1", "state": "output-error", "errorText": "bad", "rawInput": '{"a": '}
        healed = heal(page(part)).messages[1]["parts"][0]
        assert healed["input"] == {"raw": '{"a": '} and healed["rawInput"] == '{"a": ' and healed["errorText"] == "bad"

    @pytest.mark.parametrize("kind", [{"type": "tool-a b"}, {"type": "dynamic-tool", "toolName": "a b"}])
    def test_a_name_is_changed_where_the_part_keeps_it(self, kind: dict[str, str]) -> None:
        part = {**kind, "toolCallId": "c1", "state": "output-available", "input": {}, "output": {"a b": "a b"}}
        result = heal(page(part))
        healed = result.messages[1]["parts"][0]
        assert (healed.get("toolName") or healed["type"]) in ("a_b", "tool-a_b")
        assert healed["output"] == {"a b": "a b"} and healed.keys() == part.keys()
        assert result.names == {"a_b": "a b"} and result.messages[0] is ASK
        assert result.messages[1]["metadata"] == {"kept": None}

    def test_a_call_of_the_provider_needs_no_result_of_ours(self) -> None:
        part = {
            "type": "tool-web",
            "toolCallId": "c1",
            "state": "input-available",
            "input": {},
            "providerExecuted": True,
        }
        history = page(part)
        assert heal(history).messages is history

    def test_a_stub_that_is_no_error_is_an_output(self) -> None:
        part = {"type": "tool-f", "toolCallId": "c1", "state": "input-available", "input": {}}
        healed = heal(page(part), options={"stub_is_error": False}).messages[1]["parts"][0]
        assert healed == {**part, "state": "output-available", "output": NO_RESULT}

    def test_two_pages_of_a_user_become_one_for_a_strict_target(self) -> None:
        history = [ASK, {**ASK, "id": "2"}]
        result = heal(history, provider="strict_template")
        assert [message["id"] for message in result.messages] == ["1"]
        assert len(result.messages[0]["parts"]) == 2 and result.positions == (0, 0)

    def test_a_message_that_is_added_has_the_same_id_each_time(self) -> None:
        part = {"type": "tool-f", "toolCallId": "call00001", "state": "output-available", "input": {}, "output": 1}
        history = [*page({"type": "step-start"}, part), {**ASK, "id": "3"}]
        one, two = (heal(history, provider="mistral").messages for _ in range(2))
        assert one == two and [message["id"] for message in one] == ["1", "2", "2-interlock", "3"]


class TestLangChain:
    def test_new_messages_have_the_form_of_the_history(self) -> None:
        steps = [User("q"), Reply("", (Ask("call_1", "f", {}),)), User("Well?")]
        forms = {form: heal(FORMS[form][1](steps)).messages[2] for form in FORMS if form.startswith("langchain")}
        body = {"type": "tool", "tool_call_id": "call_1", "content": NO_RESULT, "status": "error"}
        assert forms["langchain"] == forms["langchain-raw"] == forms["langchain-blocks"] == body
        assert forms["langchain-data"] == {"type": "tool", "data": body}
        dumped = forms["langchain-dumped"]
        assert dumped["id"][-1] == "ToolMessage" and dumped["kwargs"] == body
        made = forms["langchain-objects"]
        assert (type(made).__name__, made.tool_call_id, made.status) == ("ToolMessage", "call_1", "error")

    def test_calls_that_are_kept_raw_only_are_calls(self) -> None:
        raw = [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}]
        history = [
            {"type": "human", "content": "q"},
            {"type": "ai", "content": "", "additional_kwargs": {"tool_calls": raw, "refusal": None}},
            {"type": "human", "content": "Well?"},
        ]
        healed = heal(history).messages
        assert healed[2]["tool_call_id"] == "c1" and healed[1] is history[1]
        renamed = heal(history, provider="mistral").messages[1]
        call = renamed["additional_kwargs"]["tool_calls"][0]
        assert call["id"] != "c1" and call["function"] == raw[0]["function"]
        assert renamed["additional_kwargs"]["refusal"] is None and "tool_calls" not in renamed

    def test_the_older_function_call_is_answered_in_its_own_way(self) -> None:
        called = {"function_call": {"name": "f", "arguments": "{}"}}
        history = [
            {"type": "human", "content": "q"},
            {"type": "ai", "content": "", "additional_kwargs": called},
            {"type": "human", "content": "Well?"},
        ]
        assert heal(history).messages[2] == {"type": "function", "name": "f", "content": NO_RESULT}

    def test_results_in_anthropics_words_are_results(self) -> None:
        history = [
            {"type": "human", "content": "q"},
            {"type": "ai", "content": [{"type": "tool_use", "id": "c1", "name": "f", "input": {}}]},
            {"type": "human", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "done"}]},
        ]
        assert heal(history).messages is history

    def test_an_unknown_message_is_carried_along(self) -> None:
        history = [{"type": "human", "content": "q"}, {"type": "remove", "content": "", "id": "m1"}]
        assert heal(history, wire="langchain").messages is history


class TestPackageAI:
    @staticmethod
    def hook(status: str, **fields: Any) -> dict[str, Any]:
        part = {"kind": "hook", "hook_id": "h1", "hook_type": "approval", "tool_call_id": "call_1", "status": status}
        return {"role": "internal", "parts": [{**part, **fields}], "id": "i1"}

    def test_a_hook_that_is_pending_keeps_its_call_open(self) -> None:
        asked = FORMS["ai_python"][1](sample()[:2])
        asked[1]["parts"] = asked[1]["parts"][:2]
        history = [*asked, self.hook("pending")]
        assert heal(history).messages is history
        gone_on = heal([*history, asked[0]]).messages
        assert [message["role"] for message in gone_on] == ["user", "assistant", "internal", "tool", "user"]
        assert gone_on[2] == history[2] and gone_on[3]["parts"][0]["tool_call_id"] == "call_1"
        assert heal(gone_on).messages is gone_on

    def test_what_is_made_up_has_ids_that_never_change(self) -> None:
        history = FORMS["ai_python"][1](sample()[:2])
        one, two = (heal(history).messages for _ in range(2))
        assert one == two and one[-1]["id"].startswith("msg_") and one[-1]["parts"][0]["id"].startswith("part_")
        assert one[-1]["parts"][0]["id"] != one[-1]["parts"][1]["id"]
