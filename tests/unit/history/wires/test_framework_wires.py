"""What holds for every framework's format and form: nothing is lost, copied without need, or found in vain."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.history.detect import detect_wire
from interlock.history.engine import _context, _run, check, heal
from interlock.history.spans import Places
from interlock.history.wires import WIRES
from support.framework_histories import FORMS, nine, plain
from support.histories import conversations, damaged, json_values, said, sample
from support.long_way import read_whole

PROVIDERS = (None, "openai", "anthropic", "google", "bedrock", "mistral", "deepseek", "strict_template")
QUICK = ("ai_python", "ai_sdk", "ai_sdk_ui", "langchain", "pydantic_ai")
_forms = pytest.mark.parametrize("form", FORMS)


@_forms
@given(case=damaged())
@settings(max_examples=25, deadline=None)
def test_a_message_that_is_read_can_be_written(form: str, case: Any) -> None:
    wire, render = FORMS[form]
    for native in render(case[0]):
        view = WIRES[wire].read_message(native, 0)
        assert plain(WIRES[wire].assemble(view)) == plain(native)
    history = render(case[0])
    written, _ = WIRES[wire].write(WIRES[wire].read(history))
    assert [id(one) for one in written] == [id(one) for one in history]


@_forms
@given(steps=conversations(), data=st.data())
@settings(max_examples=25, deadline=None)
def test_a_healthy_history_comes_back_as_the_same_object(form: str, steps: Any, data: st.DataObject) -> None:
    wire, render = FORMS[form]
    providers = [*PROVIDERS]
    if form == "langchain-blocks":
        providers.remove("strict_template")  # which takes no lists of blocks
    if wire == "openai_agents":
        providers = [None, "openai"]  # its system messages are the developer's
    provider = data.draw(st.sampled_from(providers))
    history = render(nine(steps))
    result = heal(history, wire=wire, provider=provider)
    assert result.repairs == () and result.remaining == (), [one.reason for one in result.repairs + result.remaining]
    assert result.messages is history
    assert result.positions == tuple(range(len(history)))


@_forms
@given(case=damaged(), provider=st.sampled_from(PROVIDERS))
@settings(max_examples=40, deadline=None)
def test_one_pass_heals_and_copies_only_what_it_changes(form: str, case: Any, provider: str | None) -> None:
    wire, render = FORMS[form]
    steps, _ = case
    history = render(steps)
    before = [plain(copy.deepcopy(message)) for message in history]
    result = heal(history, wire=wire, provider=provider)
    assert [plain(message) for message in history] == before, "the input was changed"
    again = heal(result.messages, wire=wire, provider=provider)
    assert again.repairs == (), [(one.rule, one.reason) for one in again.repairs]
    assert [one.rule for one in again.remaining] == [one.rule for one in result.remaining]
    after = [plain(message) for message in result.messages]
    for old, new in enumerate(result.positions):
        if new is not None and before[old] == after[new] and result.positions.count(new) == 1:
            assert result.messages[new] is history[old], f"message {old} was copied"
    assert len({type(message) for message in result.messages}) <= len({type(message) for message in history}) + 1
    assert result.undo() is history
    found = check(history, wire=wire, provider=provider)
    assert len(found.findings) == len(result.repairs) + len(result.remaining)


@_forms
@given(case=damaged() | conversations().map(lambda steps: (steps, [])))
@settings(max_examples=40, deadline=None)
def test_a_quick_look_says_healthy_only_where_the_rules_find_nothing(form: str, case: Any) -> None:
    wire, render = FORMS[form]
    history = render(case[0])
    context = _context(WIRES[wire], None, None, None, None, (), {})
    if wire in QUICK:
        assert WIRES[wire].scanner(context) is not None
    outcome = _run(WIRES[wire].read(history), context)
    scan = WIRES[wire].scanner(context)
    passed = scan is not None and scan(history, 0, Places())[0] == len(history)
    if passed:
        assert (outcome.repairs, outcome.remaining) == ((), ())
    elif wire in QUICK and not outcome.repairs and not case[1]:
        raise AssertionError("a common healthy history takes the long way")


@_forms
@given(before=conversations(), case=damaged(), behind=conversations())
@settings(max_examples=20, deadline=None)
def test_a_quick_look_changes_nothing_in_the_result(form: str, before: Any, case: Any, behind: Any) -> None:
    wire, render = FORMS[form]
    history = render([*before, *before, *case[0], *behind, *behind])
    quick = heal(history, wire=wire)
    with read_whole():
        slow = heal(history, wire=wire)
    assert [plain(one) for one in quick.messages] == [plain(one) for one in slow.messages]
    assert [one.to_json() for one in quick.repairs] == [one.to_json() for one in slow.repairs]
    assert (quick.positions, quick.ids, quick.names) == (slow.positions, slow.ids, slow.names)


@_forms
@given(case=damaged())
@settings(max_examples=25, deadline=None)
def test_what_people_and_models_said_is_kept_in_order(form: str, case: Any) -> None:
    wire, render = FORMS[form]
    steps, _ = case
    result = heal(render(steps), wire=wire)
    text = json.dumps([plain(message) for message in result.messages], ensure_ascii=False)
    at = 0
    for words in said(steps):
        at = text.index(json.dumps(words, ensure_ascii=False)[1:-1], at)


@_forms
def test_equal_histories_heal_to_equal_bytes(form: str) -> None:
    wire, render = FORMS[form]
    steps = [step for at, step in enumerate(sample()) if at not in (2, 6)]
    one, two = (json.dumps([plain(message) for message in heal(render(steps), wire=wire).messages]) for _ in range(2))
    assert one == two
    start = heal(render(steps[:4]), wire=wire).messages
    assert json.loads(one)[: len(start)] == [plain(message) for message in start]


@_forms
def test_the_format_is_told_from_the_data(form: str) -> None:
    wire, render = FORMS[form]
    same = {"openai_agents": "openai_responses"}  # nothing tells the SDK's items from the API's
    assert detect_wire(render(sample())) == same.get(wire, wire)


@pytest.mark.parametrize("wire", sorted({wire for wire, _ in FORMS.values()}))
@given(history=st.lists(json_values(), max_size=4))
@settings(max_examples=80, deadline=None)
def test_no_json_value_makes_healing_fail(wire: str, history: Any) -> None:
    before = copy.deepcopy(history)
    result = heal(history, wire=wire, provider="anthropic")
    assert history == before
    assert heal(result.messages, wire=wire, provider="anthropic").repairs == ()
    written, places = WIRES[wire].write(WIRES[wire].read(history))
    assert written == history and len(places) == len(WIRES[wire].read(history))
