"""`heal` and `check`: arguments, results, records."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import interlock
from interlock.errors import AmbiguousWireError, HistoryRepairedError, InvalidOptionError, UnknownWireError
from interlock.history import engine
from interlock.history.engine import HealResult, check, heal
from interlock.vocabulary import REPAIR_ACTIONS
from support.framework_histories import FORMS
from support.histories import Answer, Ask, Reply, Results, Step, User, render

CALL = {"role": "assistant", "content": None, "tool_calls": [
    {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}  # fmt: skip
ORPHAN = [{"role": "user", "content": "q"}, CALL, {"role": "user", "content": "n"}]


def test_the_facade_names_the_functions() -> None:
    """Users see the contract's names."""
    assert interlock.heal is heal
    assert interlock.check is check


def test_the_result_for_a_healthy_history_has_all_fields() -> None:
    """It is made without the constructor."""
    history = [{"role": "user", "content": "q"}]
    result = heal(history)
    made = HealResult(messages=history, wire="openai_chat", provider="openai", _source=history)
    assert dataclasses.asdict(result) == dataclasses.asdict(made)
    assert (result, repr(result)) == (made, repr(made))
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.changed = True  # type: ignore[misc]


@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one)), dataclasses.replace],
    ids=["copy", "deepcopy", "pickle", "replace"],
)
def test_the_records_of_stubs_can_be_asked_for_at_any_time(copied: Callable[[HealResult], HealResult]) -> None:
    """They are written when somebody asks: also of a copy, and whatever becomes of the messages by then."""
    history: list[Any] = copy.deepcopy(ORPHAN)
    told: list[Any] = []
    asked = heal(history, "openai_chat", on_repair=told.append)
    assert "repairs" in vars(asked)
    result = heal(history, "openai_chat")
    assert "repairs" not in vars(result)
    later = copied(result)
    history[1]["tool_calls"][0]["id"] = "another"
    assert [one.to_json() for one in later.repairs] == [one.to_json() for one in told]
    assert (repr(result), result.repairs) == (repr(asked), asked.repairs)
    with pytest.raises(AttributeError, match="'HealResult' object has no attribute 'mesages'"):
        result.mesages  # type: ignore[attr-defined]  # noqa: B018


def test_a_record_has_the_contract_s_keys() -> None:
    """The JSON of a repair is exactly what the contract shows."""
    result = heal(ORPHAN)
    assert result.to_json() == {
        "wire": "openai_chat",
        "provider": "openai",
        "changed": True,
        "messages": result.messages,
        "repairs": [
            {
                "code": "IL001",
                "rule": "orphan-tool-call",
                "message_index": 1,
                "part_index": 0,
                "action": "inserted-message",
                "reason": "no result for call 'call_1' ('f')",
                "call_id": "call_1",
                "lossy": False,
            }
        ],
    }
    assert check(ORPHAN).to_json() == {
        "wire": "openai_chat",
        "provider": "openai",
        "changed": True,
        "findings": result.to_json()["repairs"],
    }
    assert result.repairs[0].action in REPAIR_ACTIONS


def test_positions_and_undo() -> None:
    """Every input message can be found in the result, and the input can be had back."""
    result = heal(ORPHAN)
    assert result.positions == (0, 1, 3)
    assert [result.messages[at] is message for at, message in zip(result.positions, ORPHAN, strict=True)] == [True] * 3
    assert result.undo() is ORPHAN
    merged = heal([{"role": "user", "content": "a"}, {"role": "user", "content": "b"}], provider="strict_template")
    assert merged.positions == (0, 0)
    gone = heal([{"role": "user", "content": "a"}, {"role": "assistant", "content": ""}])
    assert gone.positions == (0, None)


def test_a_request_body_keeps_its_shape() -> None:
    """What is not the history is the same objects."""
    tools = [{"type": "function", "function": {"name": "f", "parameters": {}}}]
    body = {"model": "gpt-5", "temperature": 1, "messages": ORPHAN, "tools": tools}
    before = copy.deepcopy(body)
    result = heal(body)
    assert before == body
    assert list(result.request) == list(body)
    assert result.request["tools"] is tools
    assert result.request["messages"] is result.messages
    assert "messages" not in result.to_json()
    healthy = {"model": "gpt-5", "messages": [{"role": "user", "content": "q"}]}
    assert heal(healthy).request is healthy


@pytest.mark.parametrize("key", ["input", "contents"])
def test_the_other_bodies(key: str) -> None:
    """A Responses body and a Gemini body are bodies too."""
    item = {"input": {"role": "user", "content": "q"}, "contents": {"role": "user", "parts": [{"text": "q"}]}}[key]
    body = {key: [item]}
    assert heal(body).request is body
    assert heal(body).wire == {"input": "openai_responses", "contents": "gemini"}[key]


def test_renamed_tools_are_renamed_in_the_body() -> None:
    """History, declaration and choice agree; the record says so; schemas are not touched."""
    schema = {"type": "object", "properties": {"name": {"const": "my tool"}}}
    body = {
        "model": "gpt-5",
        "messages": [{"role": "user", "content": "q"}],
        "tools": [{"type": "function", "function": {"name": "my tool", "parameters": schema}}],
        "tool_choice": {"type": "function", "function": {"name": "my tool"}},
    }
    result = heal(body)
    assert result.names == {"my_tool": "my tool"}
    assert result.request["tools"][0]["function"] == {"name": "my_tool", "parameters": schema}
    assert result.request["tool_choice"]["function"]["name"] == "my_tool"
    assert result.messages is body["messages"]
    (record,) = result.repairs
    assert (record.rule, record.message_index, record.action) == ("invalid-tool-name", None, "renamed")
    assert not heal(result.request).changed


def test_strict_raises_with_the_records() -> None:
    """A healthy history passes; a finding raises."""
    assert heal([{"role": "user", "content": "q"}], strict=True).changed is False
    with pytest.raises(HistoryRepairedError) as caught:
        heal(ORPHAN, strict=True)
    assert [one.rule for one in caught.value.repairs] == ["orphan-tool-call"]


def test_a_raising_hook_does_not_break_healing() -> None:
    """The hook sees every repair, and what it raises is its own affair."""
    seen = []

    def hook(repair: Any) -> None:
        seen.append(repair.rule)
        raise RuntimeError("no")

    assert heal(ORPHAN, on_repair=hook).changed
    assert seen == ["orphan-tool-call"]


def test_a_finding_that_was_reported_is_not_announced_again() -> None:
    """Against an earlier result, its records, or their JSON."""
    first = heal(ORPHAN)
    longer = [*ORPHAN, {"role": "assistant", "content": ""}, {"role": "user", "content": "m"}]
    second = heal(longer)
    assert [one.rule for one in second.new_repairs(first)] == ["empty-message"]
    assert second.new_repairs(first) == second.new_repairs(first.repairs)
    assert second.new_repairs(first) == second.new_repairs([one.to_json() for one in first.repairs])


def test_pending_takes_ids_one_id_or_keep() -> None:
    """A call that is being answered is not an orphan."""
    history = ORPHAN[:2]
    assert heal(history).changed
    for pending in (["call_1"], ("call_1",), {"call_1"}, "call_1", "keep"):
        assert not heal(history, pending=pending).changed
    assert not heal(history, options={"pending": ["call_1"]}).changed


@pytest.mark.parametrize(
    ("provider", "call_id"), [("mistral", "b"), ("anthropic", "x:1"), ("openai", "y" * 50), ("mistral", "call00001")]
)
@pytest.mark.parametrize("wire", ["openai_chat", "anthropic", "openai_responses", "ai_sdk", "ai_sdk_ui", "langchain"])
def test_a_pending_call_that_gets_another_id_is_still_pending(wire: str, provider: str, call_id: str) -> None:
    """In the same healing and in the next one."""
    write = FORMS[wire][1] if wire in FORMS else partial(render, wire=wire)
    history = write([User("q"), Reply("", (Ask(call_id, "f", {}),))])
    result = heal(history, wire, provider, pending=[call_id])
    assert {one.rule for one in result.repairs} <= {"invalid-tool-call-id", "tool-call-id-too-long"}
    assert heal(result.messages, wire, provider, pending=[call_id]).messages == result.messages
    assert "orphan-tool-call" in {one.rule for one in heal(history, wire, provider).repairs}


def test_a_reused_id_is_pending_where_it_waits() -> None:
    call = ORPHAN[1]
    history = [ORPHAN[0], call, {"role": "tool", "tool_call_id": "call_1", "content": "r"}, ORPHAN[0], call]
    result = heal(history, "openai_chat", "anthropic", pending=["call_1"])
    assert [one.rule for one in result.repairs] == ["duplicate-tool-call-id"]


def test_many_calls_of_one_pending_id_are_pending_again() -> None:
    """However many turns have used the id."""
    call, answer = ORPHAN[1], {"role": "tool", "tool_call_id": "call_1", "content": "r"}
    history = [one for _ in range(7) for one in (ORPHAN[0], call, answer)] + [ORPHAN[0], call]
    result = heal(history, "openai_chat", "anthropic", pending=["call_1"])
    assert len(result.ids) == 7
    assert heal(result.messages, "openai_chat", "anthropic", pending=["call_1"]).messages is result.messages
    others = [f"call_{number}" for number in range(1000)]  # among so many, fewer older ids of each are tried for
    assert [one.rule for one in heal(history, "openai_chat", "anthropic", pending=others).repairs] == [
        "duplicate-tool-call-id"
    ] * 7


@pytest.mark.parametrize("wire", ["openai_chat", "anthropic", "gemini", "bedrock_converse", "ai_sdk", "langchain"])
def test_what_goes_with_a_message_that_others_were_joined_to_is_in_the_record(wire: str) -> None:
    write = FORMS[wire][1] if wire in FORMS else partial(render, wire=wire)
    history = write([User("q"), Reply("one"), Reply("two")])
    result = heal(history, wire, "strict_template", policy={"last-role": "drop"})
    assert len(result.messages) == 1
    lost = [one.to_json()["before"] for one in result.repairs if one.lossy]
    assert "one" in str(lost) and "two" in str(lost)


def test_a_converse_body_names_its_model() -> None:
    """Rules that depend on the model, and those on whole bodies, take `modelId` for it."""
    user: dict[str, Any] = {"role": "user", "content": [{"text": "q"}]}
    history = [user, {"role": "assistant", "content": [{"text": "x "}]}]
    claude = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
    by_model = heal(history, "bedrock_converse", model=claude)
    assert "trailing-whitespace" in {one.rule for one in by_model.repairs}
    by_body = heal({"modelId": claude, "messages": history}, "bedrock_converse")
    assert (by_body.repairs, by_body.provider) == (by_model.repairs, by_model.provider)
    calls = render(
        [User("q"), Reply("", (Ask("t1", "f", {}),)), Results((Answer("t1", "f", "r"),))], "bedrock_converse"
    )
    found = heal({"modelId": "amazon.nova-lite-v1:0", "messages": calls})
    assert "tools-not-declared" in {one.rule for one in (*found.repairs, *found.remaining)}


def test_a_text_alone_is_a_history_for_responses() -> None:
    """There is nothing in it to repair, but in the tools beside it."""
    body = {"model": "gpt-5", "input": "hello"}
    result = heal(body)
    assert (result.wire, result.changed, result.positions) == ("openai_responses", False, ())
    assert result.request is body
    assert check(body).valid
    named = heal({**body, "tools": [{"type": "function", "name": "a b", "parameters": {}}]})
    assert named.request["tools"][0]["name"] == "a_b"
    assert (named.request["input"], named.positions) == ("hello", ())
    with pytest.raises(UnknownWireError):
        heal("hello")


def test_the_stub_s_words_are_the_caller_s() -> None:
    """Text or function; a function that fails falls back to ours; a later run knows the stub."""
    assert heal(ORPHAN, options={"stub_text": "Stopped."}).messages[2]["content"] == "Stopped."
    named = heal(ORPHAN, options={"stub_text": lambda call: f"{call.name}: stopped"})
    assert named.messages[2]["content"] == "f: stopped"
    broken = heal(ORPHAN, options={"stub_text": lambda call: 1 / 0})
    assert broken.messages == heal(ORPHAN).messages
    late = [*heal(ORPHAN).messages, {"role": "tool", "tool_call_id": "call_1", "content": "real"}]
    healed = heal(late)
    assert [message["content"] for message in healed.messages if message["role"] == "tool"] == ["real"]


def test_the_error_flag_is_by_option() -> None:
    """A stub is an error unless the caller says otherwise."""
    history = [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
        {"role": "user", "content": "n"},
    ]
    assert heal(history).messages[1]["content"][0]["is_error"] is True
    assert "is_error" not in heal(history, options={"stub_is_error": False}).messages[1]["content"][0]


def test_bad_options_list_what_is_allowed() -> None:
    """The message says what may be written instead."""
    with pytest.raises(UnknownWireError) as wire:
        heal(ORPHAN, wire="smoke_signals")
    assert "openai_chat" in wire.value.known
    with pytest.raises(InvalidOptionError, match="strict_template"):
        heal(ORPHAN, provider="nobody")
    with pytest.raises(InvalidOptionError, match="infer_provider"):
        heal(ORPHAN, provider=5)  # type: ignore[arg-type]
    with pytest.raises(InvalidOptionError, match="orphan-tool-call"):
        heal(ORPHAN, policy={"nothing": "keep"})


@pytest.mark.parametrize("data", [5, "text", None, [1, 2], {"a": 1}, [{"x": 1}]])
def test_what_is_no_history_is_said_to_be_none(data: Any) -> None:
    """Without a format there is nothing to go by; with one nothing raises."""
    with pytest.raises(UnknownWireError):
        heal(data)
    assert heal(data, wire="openai_chat").messages is data


def test_marks_of_two_formats_are_ambiguous() -> None:
    """The candidates are named."""
    history = [
        {"role": "user", "parts": [{"text": "q"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
    ]
    with pytest.raises(AmbiguousWireError) as caught:
        heal(history)
    assert caught.value.candidates == ("anthropic", "gemini")


def test_every_record_can_be_put_back_by_hand() -> None:
    """`before` holds the fragment as it was."""
    history = [
        {"role": "user", "content": "q"},
        {"role": "tool", "tool_call_id": "call_9", "content": "A"},
        {"role": "user", "content": "n"},
    ]
    result = heal(history)
    assert result.repairs[0].before is history[1]
    assert result.repairs[0].lossy


def test_one_history_for_another_provider() -> None:
    """Ids, order, roles and reasoning in one call, and nothing said is lost."""
    history = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
            {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": "A"}, {"type": "text", "text": "n"}]},
        {"role": "assistant", "content": "last"},
    ]  # fmt: skip
    result = heal(history, wire="anthropic", provider="mistral")
    assert [one.rule for one in result.repairs] == [
        "invalid-tool-call-id", "foreign-thinking", "tool-then-user", "last-role",
    ]  # fmt: skip
    assert [message["role"] for message in result.messages] == [
        "user", "assistant", "user", "assistant", "user", "assistant", "user",
    ]  # fmt: skip
    new = result.messages[1]["content"][0]["id"]
    assert result.ids == {new: "toolu_1"}
    assert len(new) == 9


def test_a_result_that_arrives_after_a_renaming_still_finds_its_call() -> None:
    """The healed history was stored, and the tool answered under the old id."""
    call = {"type": "tool_use", "id": "functions.f:0", "name": "f", "input": {}}
    history = [{"role": "user", "content": "q"}, {"role": "assistant", "content": [call]}]
    stored = heal(history, wire="anthropic").messages
    late = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "functions.f:0", "content": "real"}]}
    healed = heal([*stored, late], wire="anthropic").messages
    new = stored[1]["content"][0]["id"]
    assert [block["tool_use_id"] for message in healed[2:] for block in message["content"]] == [new]
    assert healed[2]["content"][0]["content"] == "real"


@pytest.mark.parametrize("wire", ["openai_chat", "openai_responses", "anthropic", "bedrock_converse", "cohere_v2"])
@pytest.mark.parametrize("left", [0, 1])
def test_no_rule_is_asked_where_results_are_lost_and_nothing_else_is_wrong(
    wire: str, left: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[Step] = []
    for at in range(4):
        asked = (Ask(f"call{at}0000", "f", {}), Ask(f"call{at}0001", "f", {}))
        steps += [User("q"), Reply("", asked)]
        steps += [Results((Answer(f"call{at}0000", "f", "r"),))] if left else []
        steps += [Reply("a")] if left else []
    history = render([*steps, User("q")], wire)
    with_rules = heal(history, wire, pending=["another"])  # the caller's word that some are not lost needs the rules

    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(engine, "_run", never)
    result = heal(history, wire)
    assert len(result.repairs) == 4 * (2 - left)
    assert result == with_rules
