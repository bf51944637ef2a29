"""The portable fixtures, and the runner that others use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from interlock.testing.conformance import fixtures, judge, main, run
from interlock.vocabulary import REASONS


@pytest.mark.parametrize("fixture", [pytest.param(one, id=one["id"]) for one in fixtures()])
def test_fixture(fixture: dict[str, Any]) -> None:
    """Every call of the fixture's stream gets its decision, and `take` gives exactly what executes."""
    assert judge(fixture) == fixture["expected"], fixture["says"]


def test_every_reason_but_the_internal_ones_has_a_fixture() -> None:
    """`resource_limit` needs megabytes, `unknown` a fault of the package itself."""
    seen = {verdict["reason"] for one in fixtures() for verdict in one["expected"]}
    assert seen == set(REASONS) - {"resource_limit", "unknown"}


def test_ids_are_unique_and_texts_are_there() -> None:
    """A fixture is found by its id and explains itself."""
    ids = [one["id"] for one in fixtures()]
    assert len(ids) == len(set(ids))
    assert all(one["says"].endswith(".") for one in fixtures())


def test_the_runner_reports_a_wrong_implementation(capsys: pytest.CaptureFixture[str]) -> None:
    """One that runs everything that parses fails; the package's own passes."""
    passed, failures = run(fixtures(), lambda one: [{"action": "execute"} for _ in one["expected"]])
    assert passed == 0 and len(failures) > 60
    assert main([]) == 0
    assert capsys.readouterr().out.endswith("passed, 0 failed\n")


@pytest.mark.parametrize("text", [None, b"", b"\xff", b"{}", b"[1]", b'[{"id": "x"}]'])
def test_a_file_without_fixtures_is_one_line(
    text: bytes | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither a missing file nor one of something else ends in a traceback."""
    path = tmp_path / "a.json"
    if text is not None:
        path.write_bytes(text)
    assert main([str(path)]) == 2
    ran = capsys.readouterr()
    assert ran.out == "" and ran.err.startswith("conformance: ") and ran.err.count("\n") == 1
