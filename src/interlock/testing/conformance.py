"""Portable conformance fixtures: streams, and the decision that each of their calls must get.

A fixture is a JSON object::

    {"id": "truncated-valid-json", "profile": "normalized-gate", "says": "...",
     "events": [...], "end": "eof", "tools": {...},
     "expected": [{"call_id": "call_1", "action": "retry", "reason": "stream_incomplete"}]}

Profiles: `normalized-gate` (events of the wire `normalized`) and `wire`
(provider events as they are on the wire that `wire` names). `expected` has one
entry a call, in order of appearance; `value` is there when the call executes.

The fixtures need nothing of this package to be read. To run another
implementation on them, give `run` a function that judges one fixture.

Usage: python -m interlock.testing.conformance [FILE ...]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

__all__ = ["PROFILES", "Failure", "fixtures", "judge", "run"]

PROFILES = ("normalized-gate", "wire")

Verdicts = list[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A fixture that was judged otherwise than expected."""

    id: str
    expected: Verdicts
    got: Verdicts


def fixtures(profile: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield the package's fixtures, all or those of one profile."""
    for name in PROFILES:
        if profile in (None, name):
            text = resources.files("interlock.testing").joinpath(f"fixtures/{name}.json").read_text("utf-8")
            yield from json.loads(text)


def judge(fixture: dict[str, Any]) -> Verdicts:
    """Judge one fixture with this package's guard, in the shape of `expected`."""
    from interlock.gate.guard import Guard

    guard = Guard(fixture.get("wire", "normalized"), tools=fixture.get("tools"))
    for event in fixture["events"]:
        guard.push(event)
    verdicts = []
    for decision in guard.finish(fixture.get("end", "eof")).decisions:
        verdict: dict[str, Any] = {
            "call_id": decision.call_id,
            "action": decision.action,
            "reason": decision.reason,
        }
        execution = guard.take(decision.internal_id)
        if execution is not None:
            verdict["value"] = execution.value
        verdicts.append(verdict)
    return verdicts


def run(
    given: Iterable[dict[str, Any]], judged_by: Callable[[dict[str, Any]], Verdicts] = judge
) -> tuple[int, list[Failure]]:
    """Run fixtures; return how many passed, and the failures."""
    passed, failures = 0, []
    for fixture in given:
        got = judged_by(fixture)
        if got == fixture["expected"]:
            passed += 1
        else:
            failures.append(Failure(id=fixture["id"], expected=fixture["expected"], got=got))
    return passed, failures


def main(arguments: list[str]) -> int:
    """Run the files named, or the package's own fixtures; 1 when something failed, 2 when a file holds no fixtures."""
    given = list(fixtures()) if not arguments else []
    for name in arguments:
        try:
            given += _fixtures_of(Path(name).read_bytes())
        except (OSError, ValueError) as error:
            sys.stderr.write(f"conformance: {name!r}: {error}\n")
            return 2
    passed, failures = run(given)
    for failure in failures:
        sys.stdout.write(f"{failure.id}\n  expected {failure.expected}\n  got      {failure.got}\n")
    sys.stdout.write(f"{passed} passed, {len(failures)} failed\n")
    return 1 if failures else 0


def _fixtures_of(data: bytes) -> list[dict[str, Any]]:
    value = json.loads(data)
    if not isinstance(value, list) or not all(
        isinstance(one, dict) and {"id", "events", "expected"} <= one.keys() for one in value
    ):
        raise ValueError("it is no array of fixtures; each has id, events and expected")
    return value


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
