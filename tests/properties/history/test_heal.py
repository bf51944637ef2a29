"""What holds for every history, healthy, damaged or no history at all."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.history.engine import check, heal
from interlock.history.providers import PROFILES
from interlock.history.rules import invalid_tool_name
from interlock.history.rules.base import Context
from interlock.history.spans import stretch
from interlock.history.wires import WIRES
from interlock.history.wires.base import Wire
from properties.history.generate import BODIES, JSON, RENDERERS, damaged, fail, plans, results_in
from support.long_way import read_whole

TARGETS = st.one_of(st.none(), st.sampled_from(sorted(PROFILES)))
# What else a caller may say: models and settings switch rules on.
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "model": st.sampled_from(["claude-sonnet-5", "deepseek-v4", "gemini-3-pro", "kimi-k2.5", "llama-4"]),
        "tools": st.sampled_from([[], ["read_file"]]),
        "options": st.sampled_from([{"store": False}, {"thinking": {"type": "disabled"}}, {"thinking": True}]),
        "pending": st.just("keep"),
    },
)
FORMATS = sorted(name for name in RENDERERS if name in WIRES)


def texts(value: Any) -> list[str]:
    """Return the words of user and assistant that stand in `text` or string content, in order."""
    out: list[str] = []
    if isinstance(value, dict):
        for key in ("content", "text", "parts"):
            inner = value.get(key)
            if isinstance(inner, str):
                out.append(inner)
            else:
                out += texts(inner)
    elif isinstance(value, list):
        for inner in value:
            out += texts(inner)
    return out


@pytest.mark.parametrize("wire", FORMATS)
@given(plan=plans())
@settings(max_examples=25, deadline=None)
def test_a_healthy_history_comes_back_as_the_same_object(wire: str, plan: Any) -> None:
    """Silence on what the provider accepts."""
    history = RENDERERS[wire](plan)
    result = heal(history, wire=wire)
    assert result.messages is history, [record.reason for record in result.repairs]
    assert not result.changed and not result.remaining


@pytest.mark.parametrize("wire", FORMATS)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_healing_is_pure_total_and_a_fix_point(wire: str, data: st.DataObject) -> None:
    """A damaged history heals in one call, without a trace on the input."""
    history = data.draw(damaged(RENDERERS[wire](data.draw(plans()))))
    options = {"wire": wire, "provider": data.draw(TARGETS), **data.draw(SETTINGS)}
    before = copy.deepcopy(history)
    result = heal(history, **options)
    assert before == history, "the input was changed"
    again = heal(result.messages, **options)
    assert not again.changed, [(record.rule, record.reason) for record in again.repairs]
    assert again.messages is result.messages
    assert [record.rule for record in result.remaining] == [record.rule for record in again.remaining]
    found = check(history, **options)
    assert [r.to_json() for r in (*result.repairs, *result.remaining)] == [r.to_json() for r in found.findings]
    assert json.dumps(result.messages) == json.dumps(heal(before, **options).messages)
    assert not result.changed or json.dumps(result.messages) != json.dumps(history), "a repair that changes nothing"
    assert not [one.reason for one in found.findings if re.search(r"\bNone\b", one.reason)]
    assert result.undo() is history
    assert len(history) == len(result.positions)
    assert all(new is None or 0 <= new < len(result.messages) for new in result.positions)


@pytest.mark.parametrize("wire", sorted(WIRES))
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_no_json_value_makes_healing_raise(wire: str, data: st.DataObject) -> None:
    """Garbage is reported or left alone, and stays what it is on the second run."""
    history = data.draw(st.one_of(st.lists(JSON, max_size=5), JSON))
    target = data.draw(TARGETS)
    before = copy.deepcopy(history)
    result = heal(history, wire=wire, provider=target)
    assert before == history
    again = heal(result.messages, wire=wire, provider=target)
    assert not again.changed, [(record.rule, record.reason) for record in again.repairs]


@pytest.mark.parametrize("wire", FORMATS)
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_moved_results_lose_nothing_between(wire: str, data: st.DataObject) -> None:
    """However messages are shuffled, every word of user and assistant is still there, in order."""
    plan = data.draw(plans())
    for number, turn in enumerate(plan):
        for key in ("user", "assistant"):
            if key in turn:
                turn[key] = f"word {number}"
    history = RENDERERS[wire](plan)
    order = data.draw(st.permutations(range(len(history))))
    shuffled = [history[at] for at in order]
    said = [text for text in texts(shuffled) if text.startswith("word ")]
    healed = [text for text in texts(heal(shuffled, wire=wire).messages) for text in text.split("\n\n")]
    assert said == [text for text in healed if text.startswith("word ")]


@pytest.mark.parametrize("wire", sorted(WIRES))
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_a_history_read_as_another_format_loses_no_word_in_silence(wire: str, data: st.DataObject) -> None:
    """Whatever it is taken for: words of user and assistant stay, or a record says that they go; the user's stay."""
    plan = data.draw(plans())
    for number, turn in enumerate(plan):
        for key in ("user", "assistant"):
            if key in turn:
                turn[key] = f"{key} {number}."
    cut = data.draw(st.integers(0, len(plan)))  # a history may be one format's up to here and another's behind
    history = [
        message for part in (plan[:cut], plan[cut:]) for message in RENDERERS[data.draw(st.sampled_from(FORMATS))](part)
    ]
    result = heal(history, wire, data.draw(TARGETS))
    given, text = json.dumps(history), json.dumps(result.messages)
    lossy = any(record.lossy for record in result.repairs)
    for number, turn in enumerate(plan):
        for key in ("user", "assistant"):
            word = f"{key} {number}."
            if key in turn and word in given:
                assert word in text or (lossy and key == "assistant"), [one.reason for one in result.repairs]


@pytest.mark.parametrize("wire", FORMATS)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_a_longer_history_heals_its_beginning_to_the_same_bytes(wire: str, data: st.DataObject) -> None:
    """Prompt caches stay warm: what is added at the end does not change what was sent before."""
    plan = data.draw(plans(least=2))
    for turn in plan:
        for call in turn.get("calls", ()):
            call["id"] = data.draw(st.sampled_from(["call_0", "a:1", "a.1", "x" * 70, call["id"]]))
            call["name"] = data.draw(st.sampled_from(["a b", "a!b", "a_b", call["name"]]))
    whole = heal(RENDERERS[wire](plan), wire=wire).messages
    cut = max(at for at, turn in enumerate(plan[:-1]) if "user" in turn)
    part = heal(RENDERERS[wire](plan[: cut + 1]), wire=wire).messages
    assert json.dumps(part) == json.dumps(whole[: len(part)])


@pytest.mark.parametrize("wire", FORMATS)
@given(plan=plans(), body=BODIES)
@settings(max_examples=5, deadline=None)
def test_a_tool_that_failed_without_a_word_heals_for_every_target(wire: str, plan: Any, body: Any) -> None:
    """Two things at once that single faults hardly ever bring about, and that only some targets refuse."""
    history = RENDERERS[wire](plan)
    for result in results_in(history):
        fail(result, body)
    for target in (None, *PROFILES):
        healed = heal(history, wire, target)
        again = heal(healed.messages, wire, target)
        assert again.messages is healed.messages, [record.reason for record in again.repairs]


SCANNED = sorted(name for name in FORMATS if type(WIRES[name]).scanner is not Wire.scanner)


@pytest.mark.parametrize("wire", SCANNED)
@given(data=st.data())
@settings(max_examples=80, deadline=None)
def test_the_short_way_finds_what_the_long_way_finds(wire: str, data: st.DataObject) -> None:
    """Reading only suspicious spans gives the same history, the same records, the same places."""
    history = RENDERERS[wire](data.draw(plans(least=3)))
    if data.draw(st.booleans()):
        history = history + RENDERERS[wire](data.draw(plans(least=3)))
    history = data.draw(damaged(history, most=3))
    options = {"wire": wire, "provider": data.draw(TARGETS)}
    short = heal(history, **options)
    with read_whole():
        long = heal(history, **options)
    assert [one.to_json() for one in long.repairs] == [one.to_json() for one in short.repairs]
    assert [one.to_json() for one in long.remaining] == [one.to_json() for one in short.remaining]
    assert json.dumps(long.messages) == json.dumps(short.messages)
    assert long.positions == short.positions
    assert (long.ids, long.names) == (short.ids, short.names)


@pytest.mark.parametrize("wire", SCANNED)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_what_the_quick_look_has_passed_need_not_be_looked_at_again(wire: str, data: st.DataObject) -> None:
    """A rule that is told which messages are in doubt says what it says when it is told that all are."""
    history = RENDERERS[wire](data.draw(plans(least=3)))
    history = data.draw(damaged(history, most=4))
    keep = data.draw(st.lists(st.booleans(), min_size=len(history), max_size=len(history)))
    if data.draw(st.booleans()):  # what is left of a pruned history
        history = [message for message, kept in zip(history, keep, strict=True) if kept] or history
    options = {"wire": wire, "provider": data.draw(TARGETS)}
    told = heal(history, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Context, "doubted", lambda self, messages: [one for one in messages if stretch(one) is None])
        doubting = heal(history, **options)
    assert [one.to_json() for one in doubting.repairs] == [one.to_json() for one in told.repairs]
    assert [one.to_json() for one in doubting.remaining] == [one.to_json() for one in told.remaining]
    assert json.dumps(doubting.messages) == json.dumps(told.messages)


@pytest.mark.parametrize("wire", FORMATS)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_a_quick_no_to_new_names_is_what_the_rule_finds(wire: str, data: st.DataObject) -> None:
    """Where no name has to change, working out each one finds nothing either."""
    plan = data.draw(plans())
    for turn in plan:
        for call in turn.get("calls", ()):
            call["name"] = data.draw(st.sampled_from(["a b", "a_b", "", call["name"], call["name"]]))
    history = data.draw(damaged(RENDERERS[wire](plan)))
    options = {"wire": wire, "provider": data.draw(TARGETS), "tools": data.draw(st.sampled_from([None, ["a b"]]))}
    quick = heal(history, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(invalid_tool_name, "_all_fit", lambda messages, context: False)
        slow = heal(history, **options)
    assert [one.to_json() for one in slow.repairs] == [one.to_json() for one in quick.repairs]
    assert json.dumps(slow.messages) == json.dumps(quick.messages)


def shared(value: Any, seen: dict[str, Any]) -> Any:
    """Return an equal value in which equal objects and lists are one."""
    if isinstance(value, dict):
        value = {key: shared(one, seen) for key, one in value.items()}
    elif isinstance(value, list):
        value = [shared(one, seen) for one in value]
    else:
        return value
    return seen.setdefault(json.dumps(value), value)


@pytest.mark.parametrize("wire", FORMATS)
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_one_object_in_several_places_is_judged_like_copies(wire: str, data: st.DataObject) -> None:
    """A retry that appends the same message again, a constant that is used twice."""
    plan = data.draw(plans())
    history = data.draw(damaged(RENDERERS[wire](plan + plan)))
    seen: dict[str, Any] = {}
    one, other = heal(history, wire=wire), heal([shared(message, seen) for message in history], wire=wire)
    assert [record.to_json() for record in other.repairs] == [record.to_json() for record in one.repairs]
    assert [record.to_json() for record in other.remaining] == [record.to_json() for record in one.remaining]
    assert json.dumps(other.messages) == json.dumps(one.messages)
    assert other.positions == one.positions
