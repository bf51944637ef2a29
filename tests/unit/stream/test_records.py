"""The stream's records: fixed once made, made by name only, and each event with the defaults of its call."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import pytest

import interlock.stream
from interlock.stream.events import EVENT_TYPES, Sink
from support.records import check_record, records

FOUND = records(interlock.stream)


@pytest.mark.parametrize("record", FOUND, ids=lambda record: record.__qualname__)
def test_a_record_cannot_be_changed_or_filled_by_position(record: type[Any]) -> None:
    """What was written down stays as it was."""
    check_record(record)


def test_all_are_found() -> None:
    """The events, and what is not an event."""
    assert {record.__name__ for record in FOUND} == {
        *(record.__name__ for record in EVENT_TYPES.values()),
        *("Problem", "Traits"),
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
