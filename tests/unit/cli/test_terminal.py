"""Nothing that a peer sent steers a terminal."""

import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from interlock.cli.terminal import compact, escape, shorten

UNSAFE = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def test_escaped_are_all_characters_that_the_unicode_data_calls_control_or_invisible():
    wrong = [
        f"U+{point:04X}"
        for point in range(sys.maxunicode + 1)
        if unicodedata.category(chr(point)) in UNSAFE and escape(chr(point)) == chr(point)
    ]
    assert wrong == []


def test_letters_signs_and_spaces_stay_as_they_are():
    """But for the supplementary variation selectors: invisible, and in use for hidden text."""
    changed = {
        unicodedata.category(chr(point))
        for point in range(sys.maxunicode + 1)
        if unicodedata.category(chr(point)) not in UNSAFE | {"Cn"}
        and escape(chr(point)) != chr(point)
        and point not in range(0xE0100, 0xE01F0)
    }
    assert changed == set()


def test_an_escape_names_the_character():
    assert escape("a\x1b[2Jb\nc\u202ed") == r"a\x1b[2Jb\nc\u202ed"


@given(st.text(), st.integers(1, 20))
def test_shortened_text_fits_and_says_so(text, limit):
    short = shorten(text, limit)
    assert len(short) <= limit
    assert short == text or short == text[: limit - 1] + "…"


def test_a_value_is_shown_on_one_line():
    assert compact({"a": "x\ny"}, 100) == r'{"a": "x\ny"}'
