"""A history of the clients' own objects is judged like the JSON that the clients send of it."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.history.engine import check, heal
from interlock.history.wires import WIRES
from properties.history.generate import RENDERERS, damaged, plans

#: Frameworks have objects of their own, which their formats read themselves.
FORMATS = sorted(name for name in RENDERERS if name in WIRES and not WIRES[name].reads_objects)


class Spoken:
    """What a client's object looks like from outside: no mapping, and it can say itself."""

    def __init__(self, value: dict[str, Any]) -> None:
        self.value = value

    def model_dump(self, **options: Any) -> dict[str, Any]:
        assert options["mode"] == "json" and options["by_alias"]
        return copy.deepcopy(self.value)


def with_objects(value: Any, pick: Any, inside: bool = False) -> Any:
    """Put objects in the place of some messages, blocks and calls."""
    if isinstance(value, list):
        return [with_objects(one, pick, inside=True) for one in value]
    if isinstance(value, dict):
        if inside and pick():
            return Spoken(value)
        return {key: with_objects(one, pick) if isinstance(one, list) else one for key, one in value.items()}
    return value


def spoken(value: Any) -> Any:
    """Return the JSON of a history again."""
    if isinstance(value, Spoken):
        return value.value
    if isinstance(value, list):
        return [spoken(one) for one in value]
    return {key: spoken(one) for key, one in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize("wire", FORMATS)
@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_objects_are_judged_as_the_json_that_is_sent_of_them(wire: str, data: st.DataObject) -> None:
    history = data.draw(damaged(RENDERERS[wire](data.draw(plans()))))
    if not isinstance(history, list):
        return
    random = data.draw(st.randoms(use_true_random=False))
    objects = with_objects(history, lambda: random.random() < 0.4)
    shallow = list(objects)
    expected = heal(history, wire=wire)
    result = heal(objects, wire=wire)
    assert [one.to_json() for one in result.repairs] == [one.to_json() for one in expected.repairs]
    assert [one.to_json() for one in result.remaining] == [one.to_json() for one in expected.remaining]
    assert spoken(result.messages) == expected.messages
    assert result.positions == expected.positions
    assert result.undo() is objects and list(map(id, objects)) == list(map(id, shallow))
    assert (result.messages is objects) == (expected.messages is history)
    assert check(objects, wire=wire).findings == (*result.repairs, *result.remaining)
    kept = {at for at, place in enumerate(expected.positions) if place is not None
            and expected.messages[place] is history[at]}  # fmt: skip
    assert all(result.messages[result.positions[at]] is objects[at] for at in kept)  # type: ignore[index]
    assert not heal(result.messages, wire=wire).changed


@pytest.mark.parametrize("wire", FORMATS)
@given(plan=plans())
@settings(max_examples=5, deadline=None)
def test_a_healthy_history_of_objects_comes_back_as_the_same_object(wire: str, plan: Any) -> None:
    objects = [Spoken(one) if isinstance(one, dict) else one for one in RENDERERS[wire](plan)]
    result = heal(objects, wire=wire)
    assert result.messages is objects and not result.changed and not result.remaining
