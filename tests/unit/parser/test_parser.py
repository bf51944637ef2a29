"""The parser's API: what it hands out and what it refuses."""

from __future__ import annotations

import pytest

from interlock.errors import InvalidOptionError, ParserFinishedError
from interlock.parser import Parser


def test_a_document_that_ended_on_its_own_terms_is_executable():
    parser = Parser()
    parser.push('{"path": "a.p')
    parser.push('y", "lines": [1, 2]}')
    result = parser.finish("complete")
    assert (result.outcome, result.executable) == ("valid", True)
    assert result.value == {"path": "a.py", "lines": [1, 2]}


def test_the_same_document_cut_by_length_has_no_value():
    parser = Parser()
    parser.push('{"path": "a.py"}')
    result = parser.finish("length")
    assert (result.outcome, result.executable) == ("valid", False)
    assert not hasattr(result, "value")


def test_push_after_finish_is_the_callers_mistake():
    parser = Parser()
    parser.finish("complete")
    with pytest.raises(ParserFinishedError, match="E_PUSH_AFTER_FINISH"):
        parser.push("{}")


@pytest.mark.parametrize(
    "options",
    [
        {"limits": 3},
        {"control_characters": "drop"},
        {"trailing": "keep"},
        {"events": False, "string_progress": True},
    ],
)
def test_an_option_that_cannot_be_used_is_refused(options):
    with pytest.raises(InvalidOptionError):
        Parser(**options)
