"""What a type checker tells a user: the package is typed, and its types are of use."""

import importlib
from importlib.util import find_spec
from pathlib import Path

import pytest

import interlock

SOURCE = Path(interlock.__file__).parents[1]

PROGRAM = """
from collections.abc import AsyncIterator, Iterator
from typing import Any, assert_type

import interlock
from interlock import Decision, Doomed, ExecuteDecision, Execution, Guard, Repair


class Event: ...


def sync(events: Iterator[Event], unknown: Any) -> dict[str, Any] | None:
    guard = Guard("anthropic", tools={"f": {}})
    for event in guard.watch(events):
        assert_type(event, Event)
    for some in guard.watch(events, announce_doomed=True):
        assert_type(some, Event | Doomed)
    for one in guard.watch(unknown):
        assert_type(one, Any)
    for decision in guard.finish().decisions:
        assert_type(decision, Decision)
        if isinstance(decision, ExecuteDecision):
            print(decision.value)
        assert_type(guard.take(decision.internal_id), Execution | None)
    return None


async def later(events: AsyncIterator[Event]) -> None:
    async for event in Guard("anthropic").watch(events):
        assert_type(event, Event)


def out(messages: list[dict[str, Any]]) -> None:
    assert_type(interlock.heal(messages).repairs, tuple[Repair, ...])
    assert_type(interlock.check(messages).valid, bool)
    assert_type(interlock.infer_provider("gpt-4o"), str | None)
    Guard("anthropic").finish().decisions[0].value
"""


def test_the_package_says_that_it_is_typed():
    assert (SOURCE / "interlock" / "py.typed").is_file()


@pytest.mark.skipif(find_spec("mypy") is None, reason="mypy is not installed")
def test_a_strictly_typed_program_is_understood(tmp_path, monkeypatch):
    """All its lines are right but for the last: what does not execute has no value, for a type checker too."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    monkeypatch.setenv("MYPYPATH", str(SOURCE))
    monkeypatch.chdir(tmp_path)
    run = importlib.import_module("mypy.api").run
    out, err, _ = run(["--strict", "--no-error-summary", "--follow-imports=silent", program.name])
    last = PROGRAM.count("\n")
    assert (out, err) == (f'program.py:{last}: error: "Decision" has no attribute "value"  [attr-defined]\n', "")
