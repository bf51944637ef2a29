"""JSONTestSuite (Nicolas Seriot, MIT), at every single split of every short file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from interlock.parser import Parser
from support.json_documents import observe
from support.shared import needs_shared, shared_files
from support.strict_json import same, standard

FILES = shared_files("json_test_suite/test_parsing/*.json")
# Valid JSON, but an object has a key twice: refused on purpose.
TWICE = {"y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json"}
TABLE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "json-conformance.md"


def result_of(pieces):
    parser = Parser()
    for piece in pieces:
        parser.push(piece)
        _ = parser.failed  # a look: each piece is read by itself
    return parser.finish("complete")


@needs_shared
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_verdict_and_value_are_right(path):
    """Whole and a byte at a time: every `y_` file has the standard library's value, no `n_` file is executable."""
    data = path.read_bytes()
    pieces = [data[at : at + 1] for at in range(len(data))] if len(data) < 10_000 else [data]
    for result in (result_of([data]), result_of(pieces)):
        if path.name in TWICE:
            assert [diagnostic.code for diagnostic in result.diagnostics] == ["E_DUPLICATE_KEY"]
            assert not result.executable
        elif path.name.startswith("y_"):
            assert result.executable
            assert same(result.value, standard(data.decode())[1])
        elif path.name.startswith("n_"):
            assert not result.executable
            assert result.outcome != "valid"


@needs_shared
@pytest.mark.parametrize("path", [path for path in FILES if path.stat().st_size < 2000], ids=lambda path: path.name)
def test_no_split_changes_anything(path):
    """Value, events, diagnostics and views are the same at every single split."""
    data = path.read_bytes()
    whole = observe([data])
    for at in range(1, len(data)):
        assert observe([data[:at], data[at:]]) == whole


@needs_shared
def test_the_table_of_the_implementations_choices_is_true():
    """Each `i_` file's outcome is the one that the reference page states."""
    stated = dict(re.findall(r"^\| `(i_[^`]+)` \| ([^|]+?) \|", TABLE.read_text(), re.MULTILINE))
    found = {}
    for path in FILES:
        if path.name.startswith("i_"):
            result = result_of([path.read_bytes()])
            codes = " ".join(f"`{diagnostic.code}`" for diagnostic in result.diagnostics)
            found[path.name] = f"{result.outcome} {codes}".strip()
    assert stated == found
