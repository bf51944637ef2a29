"""The gate's records: fixed once made, made by name only, and without room for more."""

from __future__ import annotations

from typing import Any

import pytest

import interlock.gate
from support.records import check_record, records

FOUND = records(interlock.gate)


@pytest.mark.parametrize("record", FOUND, ids=lambda record: record.__qualname__)
def test_a_record_cannot_be_changed_or_filled_by_position(record: type[Any]) -> None:
    """What was written down stays as it was."""
    check_record(record)


def test_all_are_found() -> None:
    """By name."""
    assert {record.__name__ for record in FOUND} == {
        *("Evidence", "Decision", "ExecuteDecision", "Report", "Facts", "Doomed", "Row"),
    }
