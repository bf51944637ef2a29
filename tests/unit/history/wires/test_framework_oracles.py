"""The frameworks' own checks judge healed histories: Pydantic AI, LangGraph, LangChain, the package `ai`."""

from __future__ import annotations

import asyncio
import warnings
from typing import Any

import pytest
from hypothesis import given, settings

from interlock.history.engine import heal
from support.framework_histories import FORMS, ai_python_objects, langchain_objects, pydantic_ai, pydantic_ai_objects
from support.histories import MUTATIONS, Reply, Results, User, damaged, sample

OPEN = ("one-result-missing", "results-missing", "interrupted")


def broken(name: str) -> Any:
    return MUTATIONS[name](sample(), lambda _: 0)


class TestPydanticAI:
    @pytest.fixture(autouse=True)
    def _needed(self) -> None:
        pytest.importorskip("pydantic_ai")

    @staticmethod
    def pairs(history: Any) -> list[tuple[str, str]]:
        return [
            (part.part_kind, part.tool_call_id)
            for message in history
            for part in message.parts
            if part.part_kind in ("tool-call", "tool-return")
        ]

    @given(case=damaged())
    @settings(max_examples=30, deadline=None)
    def test_its_own_repair_finds_no_pair_to_mend(self, case: Any) -> None:
        from pydantic_ai.messages import ModelMessagesTypeAdapter, repair_messages

        healed = heal(pydantic_ai_objects(case[0]), wire="pydantic_ai").messages
        assert self.pairs(repair_messages(healed)) == self.pairs(healed)
        stored = heal(pydantic_ai(case[0]), wire="pydantic_ai").messages
        assert self.pairs(ModelMessagesTypeAdapter.validate_python(stored)) == self.pairs(healed)

    @pytest.mark.parametrize("name", OPEN)
    def test_its_own_repair_would_have_mended_the_damage(self, name: str) -> None:
        from pydantic_ai.messages import repair_messages

        history = pydantic_ai_objects(broken(name))
        assert self.pairs(repair_messages(history)) != self.pairs(history)

    def test_an_agent_refuses_an_open_history_and_takes_the_healed_one(self) -> None:
        from pydantic_ai import Agent, UserError
        from pydantic_ai.models.test import TestModel

        agent = Agent(TestModel(call_tools=[]))
        history = pydantic_ai_objects(sample()[:2])
        with pytest.raises(UserError, match="unprocessed tool calls"):
            asyncio.run(agent.run("Go on.", message_history=history))
        healed = heal(history).messages
        seen = asyncio.run(agent.run("Go on.", message_history=healed)).all_messages()
        assert self.pairs(seen) == self.pairs(healed)

    @given(case=damaged())
    @settings(max_examples=15, deadline=None)
    def test_an_agent_takes_every_healed_history(self, case: Any) -> None:
        from pydantic_ai import Agent
        from pydantic_ai.models.test import TestModel

        healed = heal(pydantic_ai_objects(case[0]), wire="pydantic_ai").messages
        asyncio.run(Agent(TestModel(call_tools=[])).run("Go on.", message_history=healed))

    def test_a_stub_has_the_time_of_its_turn_and_the_framework_s_own_mark(self) -> None:
        history = pydantic_ai_objects(sample()[:2])
        stubs = heal(history).messages[-1].parts
        assert [stub.tool_call_id for stub in stubs] == ["call_1", "call_2"]
        assert {stub.timestamp for stub in stubs} == {history[1].timestamp}
        assert all(stub.metadata == {"pydantic_ai_synthesized_tool_return": True} for stub in stubs)

    def test_parts_of_the_provider_stay_as_they_are(self) -> None:
        from pydantic_ai.messages import ModelRequest, ModelResponse, NativeToolCallPart, TextPart, UserPromptPart

        native = NativeToolCallPart(tool_name="web_search", args={"q": "x"}, tool_call_id="ws_1")
        history = [ModelRequest([UserPromptPart("q")]), ModelResponse([native, TextPart("found")])]
        assert heal(history).messages is history

    def test_calls_of_a_live_run_stay_open(self) -> None:
        history = pydantic_ai_objects(sample()[:2])
        assert heal(history, pending="keep").messages is history
        closed = heal(history, pending=["call_1"]).messages
        assert [part.tool_call_id for part in closed[-1].parts] == ["call_2"]

    def test_a_prompt_of_several_items_keeps_them(self) -> None:
        from pydantic_ai.messages import ImageUrl, ModelRequest, ModelResponse, ToolCallPart, UserPromptPart

        image = ImageUrl("https://example.com/a.png")
        prompt = UserPromptPart(["Look:", image, " "])
        history = [
            ModelRequest([UserPromptPart("q")]),
            ModelResponse([ToolCallPart("f", {}, "c1")]),
            ModelRequest([prompt]),
        ]
        healed = heal(history).messages
        assert healed[2].parts[0].tool_call_id == "c1" and healed[2].parts[1] is prompt
        bare = heal(history, provider="anthropic").messages
        assert bare[2].parts[1].content == ["Look:", image] and bare[2].parts[1].content[1] is image

    def test_an_output_tool_is_a_tool_like_any_other(self) -> None:
        from pydantic import BaseModel
        from pydantic_ai import Agent
        from pydantic_ai.models.test import TestModel

        class Answer(BaseModel):
            text: str

        history = asyncio.run(Agent(TestModel(), output_type=Answer).run("q")).all_messages()
        assert heal(history).messages is history


class TestLangChain:
    @pytest.fixture(autouse=True)
    def _needed(self) -> None:
        pytest.importorskip("langchain_core")

    @staticmethod
    def validate(history: Any) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = pytest.importorskip("langgraph.prebuilt.chat_agent_executor")
        module._validate_chat_history(history)

    @given(case=damaged())
    @settings(max_examples=30, deadline=None)
    def test_langgraph_takes_every_healed_history(self, case: Any) -> None:
        self.validate(heal(langchain_objects(case[0]), wire="langchain").messages)

    @pytest.mark.parametrize("name", OPEN)
    def test_langgraph_refuses_the_damage(self, name: str) -> None:
        with pytest.raises(ValueError, match="corresponding ToolMessage"):
            self.validate(langchain_objects(broken(name)))

    @given(case=damaged())
    @settings(max_examples=30, deadline=None)
    def test_healed_messages_survive_storing(self, case: Any) -> None:
        from langchain_core.messages import convert_to_messages, messages_from_dict, messages_to_dict

        healed = heal(langchain_objects(case[0]), wire="langchain").messages
        assert messages_from_dict(messages_to_dict(healed)) == healed
        stored = heal(FORMS["langchain-data"][1](case[0]), wire="langchain").messages
        assert messages_from_dict(stored) == healed
        flat = convert_to_messages(heal(FORMS["langchain"][1](case[0]), wire="langchain").messages)
        for key in ("type", "content", "tool_calls", "tool_call_id", "status"):
            assert [getattr(one, key, None) for one in flat] == [getattr(one, key, None) for one in healed]

    @given(case=damaged())
    @settings(max_examples=30, deadline=None)
    def test_the_wire_that_langchain_makes_of_it_is_healthy(self, case: Any) -> None:
        from langchain_core.messages import convert_to_openai_messages

        healed = heal(langchain_objects(case[0]), wire="langchain", provider="openai").messages
        sent = convert_to_openai_messages(healed)
        pairs = [one for one in heal(sent, wire="openai_chat").repairs if "tool" in one.rule]
        # What did not parse is answered, but this conversion does not send it.
        answered = {call["id"] for message in healed for call in getattr(message, "invalid_tool_calls", ())}
        assert [one for one in pairs if one.call_id not in answered] == []

    def test_a_dumped_history_loads_again(self) -> None:
        from langchain_core.load import dumpd, load

        history = [dumpd(message) for message in langchain_objects(sample()[:2])]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            healed = [load(message) for message in heal(history).messages]
        assert [message.type for message in healed] == ["human", "ai", "tool", "tool"]
        assert {message.status for message in healed[2:]} == {"error"}


class TestOpenAIAgents:
    @pytest.fixture(autouse=True)
    def _needed(self) -> None:
        pytest.importorskip("agents")

    @staticmethod
    def chat(items: Any) -> Any:
        from agents.models.chatcmpl_converter import Converter

        return Converter.items_to_messages(items)

    @given(case=damaged())
    @settings(max_examples=30, deadline=None)
    def test_the_chat_that_the_sdk_makes_of_it_is_paired(self, case: Any) -> None:
        items = [item for item in FORMS["openai_agents"][1](case[0]) if item.get("type") != "item_reference"]
        healed = heal(items, wire="openai_agents", provider="deepseek").messages
        sent = self.chat(healed)
        assert [one.reason for one in heal(sent, wire="openai_chat").repairs if "tool" in one.rule] == []

    @pytest.mark.parametrize("name", [*OPEN, "late-results", "foreign-result"])
    def test_the_sdk_itself_pairs_nothing(self, name: str) -> None:
        sent = self.chat(FORMS["openai_agents"][1](broken(name)))
        assert [one.rule for one in heal(sent, wire="openai_chat").repairs if "tool" in one.rule] != []

    def test_an_object_that_nothing_changed_is_the_same_object(self) -> None:
        history = FORMS["openai_agents-objects"][1](sample()[:2])
        healed = heal(history, wire="openai_agents").messages
        assert healed[: len(history)] == history
        assert all(new is old for new, old in zip(healed, history, strict=False))
        assert [item["type"] for item in healed[len(history) :]] == ["function_call_output"] * 2


class TestAIPython:
    """The package needs Python 3.12."""

    @given(case=damaged())
    @settings(max_examples=30, deadline=None)
    def test_its_own_check_finds_nothing(self, case: Any) -> None:
        utils = pytest.importorskip("ai.providers.history_utils")
        healed = heal(ai_python_objects(case[0]), wire="ai_python", provider="anthropic").messages
        assert utils.inspect(healed) == []

    @pytest.mark.parametrize("name", [*OPEN, "late-results", "foreign-result", "reused-id"])
    def test_its_own_check_knows_the_damage(self, name: str) -> None:
        utils = pytest.importorskip("ai.providers.history_utils")
        assert utils.inspect(ai_python_objects(broken(name))) != []


def test_a_langchain_call_is_renamed_wherever_it_is_kept() -> None:
    name = "functions.calc v2"
    message = {
        "type": "ai",
        "content": [
            {"type": "text", "text": "I will look."},
            {"type": "tool_use", "id": "a:1", "name": name, "input": {"x": 1}},
            {"type": "text", "text": "Wait."},
        ],
        "tool_calls": [{"name": name, "args": {"x": 1}, "id": "a:1", "type": "tool_call"}],
        "additional_kwargs": {
            "tool_calls": [{"id": "a:1", "type": "function", "function": {"name": name, "arguments": '{"x": 1}'}}]
        },
        "response_metadata": {"kept": True},
    }
    history = [
        {"type": "human", "content": "q"},
        message,
        {"type": "tool", "content": "1", "tool_call_id": "a:1", "artifact": {"kept": True}},
    ]
    result = heal(history, wire="langchain", provider="anthropic")
    new, answer = result.messages[1], result.messages[2]
    call = new["tool_calls"][0]
    assert call["name"] == "functions_calc_v2" and call["id"] != "a:1"
    assert [block.get("id") for block in new["content"]] == [None, call["id"], None]
    assert new["content"][1]["name"] == call["name"]
    raw = new["additional_kwargs"]["tool_calls"][0]
    assert (raw["id"], raw["function"]["name"]) == (call["id"], call["name"])
    assert raw["function"]["arguments"] == '{"x": 1}'
    assert new["response_metadata"] == {"kept": True}
    assert answer["tool_call_id"] == call["id"] and answer["artifact"] == {"kept": True}
    assert result.ids[call["id"]] == "a:1" and result.names[call["name"]] == name


def test_a_langchain_call_that_is_dropped_is_gone_everywhere() -> None:
    steps = [User("q"), sample()[1], User("no")]
    for form in ("langchain", "langchain-blocks", "langchain-raw"):
        history = FORMS[form][1](steps)
        healed = heal(history, wire="langchain", policy={"orphan-tool-call": "drop-call"}).messages
        assert "call_1" not in str(healed) and "call_2" not in str(healed)
        assert len(healed) == 3 and "I will look." in str(healed)


def test_an_unread_call_is_answered_as_one() -> None:
    cut = Reply("", (replace_arguments(sample()[1].calls[0], '{"city": "Be'),))
    for form in ("langchain", "pydantic_ai", "ai_sdk"):
        wire, render = FORMS[form]
        result = heal(render([User("q"), cut, User("again")]), wire=wire)
        assert "orphan-tool-call" in [one.rule for one in result.repairs]
        assert '{"city": "Be' in str(result.messages).replace('\\"', '"').replace("\\'", "'")


def replace_arguments(call: Any, arguments: Any) -> Any:
    from dataclasses import replace

    return replace(call, arguments=arguments)


def test_results_in_another_order_stay_with_their_calls() -> None:
    steps = sample()
    swapped = [*steps[:2], Results(tuple(reversed(steps[2].answers))), *steps[3:]]
    for wire, render in FORMS.values():
        if wire != "ai_python":
            assert heal(render(swapped), wire=wire).repairs == ()


def test_reasoning_of_another_provider_is_known_by_langchains_own_note() -> None:
    def history(maker: str) -> list[Any]:
        thought = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
        content = [thought, {"type": "text", "text": "Yes."}]
        noted = {"model_provider": maker}
        return [
            {"type": "human", "content": "q"},
            {"type": "ai", "content": content, "response_metadata": noted},
            {"type": "human", "content": "Sure?"},
        ]

    def rules(maker: str, provider: str) -> list[str]:
        return [one.rule for one in heal(history(maker), wire="langchain", provider=provider).repairs]

    assert rules("anthropic", "anthropic") == rules("google_genai", "google") == []
    assert rules("anthropic", "google") == rules("google_genai", "anthropic") == ["foreign-thinking"]


def test_pydantic_ai_is_left_to_show_reasoning_that_nobody_signed() -> None:
    thought = {"part_kind": "thinking", "content": "hm"}
    history = [
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "q"}]},
        {"kind": "response", "parts": [thought, {"part_kind": "text", "content": "Yes."}]},
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "Sure?"}]},
    ]
    for provider in (None, "anthropic", "openai", "google"):
        assert heal(history, provider=provider).messages is history
