"""The records of gate and stream: fixed once made, made by name only, and without room for more."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from typing import Any

import pytest

import interlock.gate
import interlock.stream
from interlock.stream.events import EVENT_TYPES, Sink


def records() -> Iterator[type[Any]]:
    """Yield every public dataclass of both packages."""
    for package in (interlock.gate, interlock.stream):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            module = importlib.import_module(found.name)
            for name in getattr(module, "__all__", ()):
                value = getattr(module, name)
                if isinstance(value, type) and dataclasses.is_dataclass(value) and value.__module__ == found.name:
                    yield value


@pytest.mark.parametrize("record", list(records()), ids=lambda record: record.__qualname__)
def test_a_record_cannot_be_changed_or_filled_by_position(record: type[Any]) -> None:
    """Frozen, slotted, and every field by its name: evidence that was written down stays as it was."""
    assert record.__dataclass_params__.frozen
    assert "__slots__" in vars(record) and not hasattr(object.__new__(record), "__dict__")
    assert all(field.kw_only for field in dataclasses.fields(record))


def test_there_are_as_many_as_the_test_thinks() -> None:
    """The search finds them."""
    assert {"Facts", "Row", "Evidence", "Decision", "Report", "Doomed", "CallStart", "Problem", "Traits"} <= {
        record.__name__ for record in records()
    }


@pytest.mark.parametrize("name", EVENT_TYPES)
def test_an_event_has_the_fields_and_defaults_of_its_call(name: str) -> None:
    """What an event leaves out is what the sink's method takes when it is left out."""
    given = {
        field.name: inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default
        for field in dataclasses.fields(EVENT_TYPES[name])
    }
    wanted = {
        parameter.name: parameter.default
        for parameter in inspect.signature(getattr(Sink, name)).parameters.values()
        if parameter.name != "self"
    }
    if name in ("turn_end", "turn_replaced"):
        wanted["turn"] = ""  # the records of a stream with one turn need not name it
    assert given == wanted
