"""The authority itself: what it shows."""

from __future__ import annotations

import pytest

from interlock.gate.authority import Execution
from interlock.gate.decision import Evidence

EVIDENCE = Evidence(
    provider="normalized",
    provider_reason="stop",
    end_reason="complete",
    terminal_confirmed=True,
    structurally_complete=True,
    parser_executable=True,
    schema_valid=True,
    received_bytes=2,
)


@pytest.mark.parametrize(("call_id", "shown"), [("call_1", "<Execution f call_1>"), (None, "<Execution f call-0>")])
def test_an_execution_shows_the_tool_and_the_call(call_id: str | None, shown: str) -> None:
    """By the provider's id, or by the guard's own where there is none; never the arguments."""
    execution = Execution(
        internal_id="call-0", call_id=call_id, name="f", value={"secret": 1}, typed_value=None, evidence=EVIDENCE
    )
    assert repr(execution) == shown
    assert (execution.internal_id, execution.call_id, execution.name) == ("call-0", call_id, "f")
    assert (execution.value, execution.typed_value, execution.evidence) == ({"secret": 1}, None, EVIDENCE)


@pytest.mark.parametrize("change", ["name", "brand_new"])
def test_neither_old_nor_new_attributes_can_be_set(change: str) -> None:
    """The error names what was tried."""
    execution = Execution(internal_id="i", call_id=None, name="f", value={}, typed_value=None, evidence=EVIDENCE)
    with pytest.raises(AttributeError, match=f"tried to set '{change}'"):
        setattr(execution, change, 1)
    with pytest.raises(AttributeError, match=f"tried to delete '{change}'"):
        delattr(execution, change)
    assert not hasattr(execution, "__dict__")
