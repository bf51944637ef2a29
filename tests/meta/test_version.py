"""One version, everywhere."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import interlock

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text()
HEADINGS = {"Added", "Breaking", "Changed", "Deprecated", "Executes more", "Fixed", "Removed", "Security"}


def test_package_project_and_installation_agree():
    assert interlock.__version__ == PROJECT["version"] == version("interlock")


def test_the_changelog_knows_the_version_and_is_in_order():
    releases = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$", CHANGELOG, re.MULTILINE)
    assert CHANGELOG.count("\n## [Unreleased]\n") == 1
    assert releases[0][0] == interlock.__version__
    order = [tuple(map(int, number.split("."))) for number, _ in releases]
    assert order == sorted(order, reverse=True)
    dates = [date for _, date in releases]
    assert dates == sorted(dates, reverse=True)


def test_the_changelog_uses_known_headings_only():
    assert set(re.findall(r"^### (.+)$", CHANGELOG, re.MULTILINE)) <= HEADINGS


def test_every_extra_that_a_message_names_exists():
    extras = set(PROJECT["optional-dependencies"])
    named = {
        found
        for path in (ROOT / "src").rglob("*.py")
        for found in re.findall(r"package=\"[^\"]+\", extra=\"([a-z]+)\"", path.read_text())
    }
    assert named
    assert named <= extras
