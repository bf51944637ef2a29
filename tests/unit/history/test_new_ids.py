"""Where nothing but ids of calls does not fit the target, no rule is asked, and what comes out is the same."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interlock.history import engine, renames
from interlock.history.demands import demands_of
from interlock.history.engine import HealResult, heal
from interlock.history.naming import minted_id
from interlock.history.providers import PROFILES
from interlock.history.wires import WIRES as REGISTRY
from support.framework_histories import FORMS as FRAMEWORKS
from support.framework_histories import plain
from support.histories import WIRES, Answer, Ask, Reply, Results, Step, User, render
from support.long_way import read_whole

Write = Callable[[list[Step]], list[Any]]
NATIVE: dict[str, tuple[str, Write]] = {wire: (wire, lambda steps, wire=wire: render(steps, wire)) for wire in WIRES}
FORMS = {**NATIVE, **FRAMEWORKS}
#: Ollama's messages have no ids, and Mistral's are written with ids that fit.
_forms = pytest.mark.parametrize("form", sorted({*FORMS} - {"ollama", "mistral"}))

#: Ids as providers give them, which some of the others refuse; the last one fits all.
KINDS = (
    "functions.f:%d",
    "call_%d",
    "toolu_01%dAbCdEf",
    "x%d" + "y" * 70,
    "%d" * 9,
    "a b %d",
    "chatcmpl-tool-%d",
    "c%08d",
)


def named(kind: str, number: int) -> str:
    return kind.replace("%d", str(number)).replace("%08d", f"{number:08}")


def session(kinds: tuple[str, ...], *, turns: int = 3, lost: int | None = None) -> list[Step]:
    """Turns of two rounds of one or two calls, with ids of these kinds in turn; one may have lost its result."""
    steps: list[Step] = []
    number = 0
    for turn in range(turns):
        steps.append(User(f"question {turn}"))
        for size in (1, 2):
            ids = [
                kinds[at % len(kinds)].replace("%d", str(at)).replace("%08d", f"{at:08}")
                for at in range(number, number + size)
            ]
            steps.append(Reply("", tuple(Ask(one, "f", {"n": one}) for one in ids)))
            answers = tuple(Answer(one, "f", f"r{at}") for at, one in enumerate(ids, number) if at != lost)
            steps += [Results(answers)] if answers else []
            number += size
        steps.append(Reply(f"answer {turn}"))
    return [*steps, User("Thanks.")]


def told(result: HealResult) -> dict[str, Any]:
    """All that a result says, as values that can be compared."""
    return {
        "bytes": json.dumps([plain(message) for message in result.messages], default=str),
        "types": [type(message) for message in result.messages],
        "repairs": [one.to_json() for one in result.repairs],
        "remaining": [one.to_json() for one in result.remaining],
        "before": [plain(one.before) for one in result.repairs],
        "positions": result.positions,
        "maps": (result.ids, result.names),
    }


def never(*_: object) -> None:
    raise AssertionError("a rule was asked")


@_forms
@pytest.mark.parametrize("lost", [None, 4])
def test_no_rule_is_asked_where_ids_do_not_fit_and_nothing_else_is_wrong(
    form: str, lost: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire, write = FORMS[form]
    history = write(session(("call_%d", "c%08d"), lost=lost))
    with read_whole():
        slow = told(heal(history, wire, "mistral"))
    before = copy.deepcopy(history)
    monkeypatch.setattr(engine, "_run", never)
    result = heal(history, wire, "mistral")
    assert told(result) == slow
    assert [plain(one) for one in history] == [plain(one) for one in before]
    assert result.ids == {minted_id(f"call_{at}", 0): f"call_{at}" for at in (0, 2, 4, 6, 8)}
    again = heal(result.messages, wire, "mistral")
    assert again.messages is result.messages
    assert not again.changed
    kept = {id(message) for message in result.messages}
    changed = [at for at, message in enumerate(history) if id(message) not in kept]
    words = [at for at, message in enumerate(history) if "question" in str(message) or "answer" in str(message)]
    assert wire == "ai_sdk_ui" or not {*changed} & {*words}


@_forms
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=3),
    provider=st.sampled_from(["mistral", "anthropic", "bedrock", "openai", *PROFILES]),
    lost=st.one_of(st.none(), st.integers(0, 8)),
    twist=st.sampled_from(["none", "none", "minted", "name", "twice"]),
)
def test_the_short_way_does_what_the_rules_do(
    form: str, kinds: list[str], provider: str, lost: int | None, twist: str
) -> None:
    wire, write = FORMS[form]
    steps = session(tuple(kinds), lost=lost)
    if twist != "none":
        calls = {
            "minted": Ask(minted_id(named(kinds[0], 0), 0), "f", {}),  # what the first call may get
            "name": Ask("call00009", "a b", {}),
            "twice": Ask(named(kinds[0], 0), "f", {}),
        }
        one = calls[twist]
        steps += [Reply("", (one,)), Results((Answer(one.id, one.name, "r"),)), Reply("Yes."), User("Bye.")]
    try:
        history = write(steps)
    except ValueError:
        return  # objects that cannot be made
    with read_whole():
        slow = told(heal(history, wire, provider))
    assert told(heal(history, wire, provider)) == slow


@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one)), dataclasses.replace],
    ids=["copy", "deepcopy", "pickle", "replace"],
)
@pytest.mark.parametrize("lost", [None, 4])
def test_the_records_can_be_asked_for_at_any_time(lost: int | None, copied: Callable[[HealResult], HealResult]) -> None:
    """They are written when somebody asks: also of a copy, and whatever becomes of the messages by then."""
    history = render(session(("call_%d",), lost=lost), "openai_chat")
    records: list[Any] = []
    asked = heal(history, "openai_chat", "mistral", on_repair=records.append)
    assert "repairs" in vars(asked)
    result = heal(history, "openai_chat", "mistral")
    assert "repairs" not in vars(result)
    later = copied(result)
    history[1]["tool_calls"][0]["id"] = "another"
    del history[3]
    assert [one.to_json() for one in later.repairs] == [one.to_json() for one in records]
    assert result.repairs == asked.repairs


@pytest.mark.parametrize("calls", ["a", [{"id": "call_0", "name": "f", "args": {}}]])
def test_calls_in_a_message_that_makes_none_are_none(calls: Any) -> None:
    """LangChain's `ToolMessage` with a field that belongs to another."""
    history = FORMS["langchain"][1](session(("call_%d",), turns=1))
    history[2]["tool_calls"] = calls
    with read_whole():
        slow = told(heal(history, "langchain", "mistral"))
    assert told(heal(history, "langchain", "mistral")) == slow


@pytest.mark.parametrize("wire", sorted({*NATIVE} - {"ollama", "mistral"}))
def test_in_a_long_history_many_ids_are_healed_in_one_way_and_few_in_the_other(
    wire: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many: no rule is asked. Few: only what stands around them is looked at."""
    many = render(session(("call_%d",), turns=40), wire)
    few = render([*session(("c%08d",), turns=40), *exchange("x"), *session(("d%08d",), turns=40)], wire)
    assert len(many) > 200 and len(few) > 200
    expected = told(heal(many, wire, "mistral"))
    with monkeypatch.context() as patched:
        patched.setattr(engine, "_run", never)
        assert told(heal(many, wire, "mistral")) == expected
    monkeypatch.setattr(renames, "with_new_ids", never)
    monkeypatch.setattr(type(REGISTRY[wire]), "read", never)
    assert heal(few, wire, "mistral").ids


def agree(history: list[Any], wire: str, provider: str | None) -> HealResult:
    """Heal both ways, and return what came out."""
    with read_whole():
        slow = told(heal(history, wire, provider))
    result = heal(history, wire, provider)
    assert told(result) == slow
    return result


def exchange(call_id: Any) -> list[Step]:
    return [User("q"), Reply("", (Ask(call_id, "f", {}),)), Results((Answer(call_id, "f", "r"),)), Reply("a")]


@pytest.mark.parametrize("provider", ["anthropic", "mistral"])
@pytest.mark.parametrize("later", [False, True])
def test_an_id_that_is_in_use_is_not_given_to_another_call(later: bool, provider: str) -> None:
    """Whether the other call comes first or later."""
    steps = [exchange("a b"), exchange(minted_id("a b", 0))]
    history = render([*steps[not later], *steps[later], User("Bye.")], "openai_chat")
    agree(history, "openai_chat", provider)
    two = render([*exchange("a b"), *exchange("c d"), User("Bye.")], "openai_chat")
    assert len({*agree(two, "openai_chat", provider).ids}) == 2


@pytest.mark.parametrize("size", [39, 40, 41])
def test_the_longest_id_stays(size: int) -> None:
    history = render([*exchange("x" * size), *exchange("y" * 90), User("Bye.")], "openai_chat")
    assert len(agree(history, "openai_chat", "openai").ids) == 1 + (size > 40)


def test_one_id_in_two_steps_of_a_message_is_two_calls() -> None:
    part = {"type": "tool-f", "toolCallId": "a b", "state": "output-available", "input": {}, "output": "r"}
    step = {"type": "step-start"}
    history = [
        {"id": "1", "role": "user", "parts": [{"type": "text", "text": "q"}]},
        {"id": "2", "role": "assistant", "parts": [step, part, step, dict(part), step, {"type": "text", "text": "a"}]},
    ]
    result = agree(history, "ai_sdk_ui", "mistral")
    assert len({one["toolCallId"] for one in result.messages[1]["parts"] if "toolCallId" in one}) == 2


class _Id(str):
    __slots__ = ()


class _Entry(dict[str, Any]):
    pass


def test_what_a_client_would_send_is_what_stands_in_a_message_that_changes() -> None:
    """Dicts and texts of other classes become plain ones, as everywhere."""
    history = render([*exchange("a b"), User("Bye.")], "openai_chat")
    history[1]["tool_calls"] = [_Entry(history[1]["tool_calls"][0])]
    entry = agree(history, "openai_chat", "mistral").messages[1]["tool_calls"][0]
    assert type(entry) is dict
    history = render([*exchange(_Id("a b")), User("Bye.")], "anthropic")
    agree(history, "anthropic", "mistral")


@pytest.mark.parametrize("wire", ["openai_chat", "anthropic", "openai_responses"])
def test_a_whole_body_and_strict_get_the_same(wire: str) -> None:
    history = render(session(("call_%d",)), wire)
    key = REGISTRY[wire].body_key
    result = heal({key: history, "temperature": 0}, wire, "mistral")
    assert result.request == {key: heal(history, wire, "mistral").messages, "temperature": 0}
    assert {one.rule for one in result.repairs} == {"invalid-tool-call-id"}


def test_ids_stay_where_the_policy_says_so() -> None:
    history = render(session(("x%d" + "y" * 70,)), "openai_chat")
    for rule, provider in (("invalid-tool-call-id", "mistral"), ("tool-call-id-too-long", "openai")):
        assert heal(history, "openai_chat", provider).changed
        assert heal(history, "openai_chat", provider, policy={rule: "keep"}).messages is history


@given(st.text(max_size=12))
def test_what_is_told_of_ids_in_less_time_is_true(text: str) -> None:
    for provider in PROFILES:
        demands = demands_of(engine._context(REGISTRY["openai_responses"], provider, None, None, None, (), {}))
        if demands is None or demands.id_fits is None:
            continue
        for one in (text, "".join(filter(str.isalnum, text)), f"a{text}"[:9], text.encode("ascii", "ignore").decode()):
            if demands.id_words and one.isidentifier() and one.isascii():
                assert demands.id_fits(one)
            if demands.id_nine:
                assert bool(demands.id_fits(one)) == (len(one) == 9 and one.isalnum() and one.isascii())
