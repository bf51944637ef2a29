"""The parser's records: fixed once made, without room for more, and nothing of the inside in what is shown."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import pytest

import interlock.parser
from interlock import Parser
from support.records import records

FOUND = records(interlock.parser)


@pytest.mark.parametrize("record", FOUND, ids=lambda record: record.__qualname__)
def test_a_record_cannot_be_changed_or_extended(record: type[Any]) -> None:
    assert record.__dataclass_params__.frozen
    assert not hasattr(object.__new__(record), "__dict__")


@pytest.mark.parametrize("record", FOUND, ids=lambda record: record.__qualname__)
def test_what_is_inside_is_neither_shown_nor_compared(record: type[Any]) -> None:
    for field in dataclasses.fields(record):
        inside = field.name.startswith("_") or field.name == "chain"
        assert field.repr is not inside
        assert field.compare is not field.name.startswith("_")


def test_results_are_made_by_name_only() -> None:
    made = {record.__name__: record for record in FOUND}
    for name in ("FinalResult", "ParserRepair", "Snapshot"):
        assert all(field.kw_only for field in dataclasses.fields(made[name]))


def test_options_are_given_by_name_only() -> None:
    parameters = [*inspect.signature(Parser).parameters.values()]
    assert parameters
    assert all(parameter.kind is inspect.Parameter.KEYWORD_ONLY for parameter in parameters)
