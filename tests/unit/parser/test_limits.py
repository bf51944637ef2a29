"""Each limit at its value and one past it, and what adversarial input costs."""

from __future__ import annotations

import itertools
import math
import re
import sys
import tracemalloc

import pytest

from interlock.errors import InvalidOptionError
from interlock.limits import Limits
from interlock.parser import Parser, tokens
from support.json_documents import observe

FIELDS = ["input_bytes", "depth", "string_bytes", "number_bytes", "queued_events", "trailing_bytes"]


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, True, False, 0, -1, 10.0, "10", None])
def test_a_limit_that_is_not_a_whole_number_above_zero_is_refused(field, value):
    with pytest.raises(InvalidOptionError, match=f"limits.{field} is"):
        Limits(**{field: value})


AT_THE_LIMIT = [
    ("input_bytes", 10, '["abcdef"]', '["abcdefg"]'),
    ("input_bytes", 10, '["a世bc"]', '["a世bcd"]'),
    ("input_bytes", 10, '["a世é"]', '["a世世"]'),
    ("depth", 3, '[{"a":[]}]', '[{"a":[[]]}]'),
    ("depth", 3, '[{"a":[{}]}]'.replace("{}", "1"), '[{"a":[{}]}]'),
    ("string_bytes", 6, '["abcdef"]', '["abcdefg"]'),
    ("string_bytes", 6, '["世é1"]', '["世é12"]'),
    ("string_bytes", 6, '["\\u0041"]', '["\\u0041x"]'),
    ("string_bytes", 6, '{"abcdef":1}', '{"abcdefg":1}'),
    ("string_bytes", 6, '{"a":"abcd\\n"}', '{"a":"abcde\\n"}'),
    ("string_bytes", 6, '"abcdef"', '"abcdefg"'),
    ("number_bytes", 6, "[123456]", "[1234567]"),
    ("number_bytes", 6, "[-1.5e7]", "[-1.5e78]"),
    ("number_bytes", 6, '{"a":123456,"b":1}', '{"a":1234567,"b":1}'),
    ("number_bytes", 6, "123456", "1234567"),
    ("trailing_bytes", 5, "{}" + " " * 5, "{}" + " " * 6),
    ("trailing_bytes", 5, "1 \n" + " " * 3, "1 \n" + " " * 4),
]
CODES = {
    "input_bytes": "E_LIMIT_INPUT_BYTES",
    "depth": "E_LIMIT_DEPTH",
    "string_bytes": "E_LIMIT_STRING_BYTES",
    "number_bytes": "E_LIMIT_NUMBER_BYTES",
    "trailing_bytes": "E_LIMIT_INPUT_BYTES",
}


@pytest.mark.parametrize("events", [True, False])
@pytest.mark.parametrize("step", [1, 3, 100])
@pytest.mark.parametrize(("field", "value", "fits", "passes"), AT_THE_LIMIT)
def test_a_limit_is_passed_by_one_more(field, value, fits, passes, step, events):
    """What fits is executable; one more is a diagnostic, after which nothing is read."""
    for text, code in ((fits, None), (passes, CODES[field])):
        parser = Parser(limits=Limits(**{field: value}), events=events)
        for at in range(0, len(text), step):
            parser.push(text[at : at + step])
            _ = parser.failed
        result = parser.finish("complete")
        assert [diagnostic.code for diagnostic in result.diagnostics] == ([code] if code else [])
        assert result.executable == (code is None)


@pytest.mark.parametrize("waiting", [0, 1])
def test_events_that_nobody_drains_are_limited(waiting):
    """Three events fit; draining makes room again."""
    parser = Parser(limits=Limits(queued_events=3))
    parser.push("[1,2" + "," * waiting)
    assert parser.events_waiting == 2 + waiting
    assert not parser.failed
    parser.drain_events()
    parser.push("3]" if waiting else "]")
    assert parser.finish("complete").executable


@pytest.mark.parametrize("queued", range(1, 14))
def test_a_full_queue_is_the_same_on_every_way_through_the_grammar(queued):
    """Whole, a record at a time and a character at a time lead to the same state."""
    text = '[["a", {"": 0}, {"id": "b", "c\\n": "d\\n", "e": true}], "a", [1], []]'
    limits = Limits(queued_events=queued)
    whole = observe([text], limits=limits)
    for step in (1, 2, 3, 5, 9, 20):
        assert observe([text[at : at + step] for at in range(0, len(text), step)], limits=limits) == whole


def test_progress_counts_as_events():
    parser = Parser(limits=Limits(queued_events=3), string_progress=True)
    for character in '["abcdef':
        parser.push(character)
        _ = parser.failed
    assert [diagnostic.code for diagnostic in parser.diagnostics] == ["E_LIMIT_EVENT_QUEUE"]
    assert parser.events_waiting == 4  # the fourth is the diagnostic


def test_what_was_pushed_is_counted_after_an_error():
    parser = Parser()
    for chunk in ("[x", "abc", "é世", b"\xff\xfe", b"\xe4", "\ud83d", "\ude00"):
        parser.push(chunk)
    result = parser.finish("complete")
    assert (result.bytes_received, result.bytes_accepted) == (2 + 3 + 5 + 2 + 1 + 4, 1)
    assert [diagnostic.code for diagnostic in result.diagnostics] == ["E_UNEXPECTED_TOKEN"]


def test_numbers_are_exact_whatever_the_process_allows():
    """The interpreter's limit on digits neither raises nor changes."""
    before = sys.get_int_max_str_digits()
    for allowed in (640, before):
        sys.set_int_max_str_digits(allowed)
        try:
            for digits in (639, 640, 641, 1281, 5000, 65_000):
                for text, tail in itertools.product(("[" + "7" * digits, "[-" + "7" * digits), ("]", ",1]")):
                    parser = Parser(limits=Limits(number_bytes=70_000))
                    for at in range(0, len(text), 999):
                        parser.push(text[at : at + 999])
                    parser.push(tail)
                    number = parser.finish("complete").value[0]
                    assert abs(number) == (10**digits - 1) // 9 * 7
                    assert (number < 0) == ("-" in text)
            assert sys.get_int_max_str_digits() == allowed
        finally:
            sys.set_int_max_str_digits(before)


# --- what adversarial input costs, counted --------------------------------------


class Counted:
    """A compiled pattern that counts its calls and the characters that a call may look at."""

    def __init__(self, pattern, count):
        self.pattern = pattern
        self.count = count

    def match(self, text, start=0, end=sys.maxsize):
        found = self.pattern.match(text, start, end)
        self.count["calls"] += 1
        self.count["characters"] += found.end() - start if found else looked_at(text, start)
        return found

    def search(self, text):
        self.count["characters"] += len(text)
        return self.pattern.search(text)

    def fullmatch(self, text):
        self.count["characters"] += len(text)
        return self.pattern.fullmatch(text)


def looked_at(text, start):
    # A pattern that does not match gave up at the latest behind the second string from here,
    # and at once when what follows white space is no string.
    end = re.compile(r"[ \t\n\r]*[^\",\[\]{}]*").match(text, start).end()
    if text[end : end + 1] == '"':
        for _ in range(4):
            end = text.find('"', end + 1)
            if end < 0:
                return len(text) - start
    return end - start + 1


@pytest.fixture
def count(monkeypatch):
    counted = {"calls": 0, "characters": 0}
    for name in ("RUN", "RUN_OR_CONTROL", "ITEM", "MEMBER", "WHITE", "NUMBER_START", "NUMBER", "CONTROL"):
        monkeypatch.setattr(tokens, name, Counted(getattr(tokens, name), counted))
    return counted


ADVERSARIAL = {
    "deep": lambda size: ("[" * 100 + "]" * 100 + ",") * (size // 201),
    "unclosed": lambda size: "[" * 100 + '{"a":' * 20 + "[1," * 3 + "1," * (size // 2),
    "one number": lambda size: "9" * size,
    "one exponent": lambda size: "1e" + "0" * size,
    "one literal again and again": lambda size: "true," * (size // 5),
    "keys": lambda size: "{" + "".join(f'"{at}":1,' for at in range(size // 8)),
    "the same key": lambda size: "{" + '"a":1,' * (size // 6),
    "keys that hold containers": lambda size: "{" + "".join(f'"{at}":{{"a":[1]}},' for at in range(size // 16)),
    "escapes": lambda size: '"' + "\\n" * (size // 2),
    "unicode escapes": lambda size: '"' + "\\u00e9" * (size // 6),
    "escaped quotes": lambda size: '"' + '\\"' * (size // 2),
    "one key": lambda size: '{"' + "k" * size,
    "a colon that does not come": lambda size: '{"a"' + " " * size,
    "white space": lambda size: "[" + " \n" * (size // 2),
    "white space between": lambda size: "[" + "1 \n, \r" * (size // 6),
    "short strings": lambda size: "[" + '"",' * (size // 3),
    "empty containers": lambda size: "[" + "{}," * (size // 3),
    "records": lambda size: "[" + '{"a":1,"b":"c"},' * (size // 16),
    "records that are not flat": lambda size: "[" + '{"a":[{}]},' * (size // 11),
    "records with escapes": lambda size: "[" + '{"a":"\\n"},' * (size // 11),
    "after the document": lambda size: "{}" + " " * size,
}
WIDE = Limits(
    input_bytes=10**9, string_bytes=10**9, number_bytes=10**9, queued_events=10**9, trailing_bytes=10**9, depth=1000
)


@pytest.mark.parametrize("step", [1, 7, 1000, 10**9])
@pytest.mark.parametrize("events", [False, True])
@pytest.mark.parametrize("kind", ADVERSARIAL)
def test_twice_the_input_takes_twice_the_steps(kind, step, events, count):
    """Pattern calls, and the characters that they look at, grow with the input and with nothing else."""
    prefix = "[" if kind in ("deep", "one literal again and again") else ""
    measured = []
    small = 2_000 if step == 1 else 20_000
    for size in (small, 2 * small):
        count.update(calls=0, characters=0)
        text = prefix + ADVERSARIAL[kind](size)
        parser = Parser(limits=WIDE, events=events)
        for at in range(0, len(text), step):
            parser.push(text[at : at + step])
            if step == 1:
                _ = parser.failed  # read every character by itself
        assert not (parser.failed and parser.diagnostics[0].code != "E_DUPLICATE_KEY")
        measured.append((count["calls"], count["characters"]))
    (calls, characters), (calls_of_twice, characters_of_twice) = measured
    assert calls_of_twice <= 2.2 * calls + 20
    assert characters_of_twice <= 2.2 * characters + 500
    assert calls_of_twice <= 2.5 * 2 * small + 50
    assert characters_of_twice <= 40 * 2 * small


@pytest.mark.parametrize("events", [False, True])
def test_a_million_empty_chunks_leave_nothing_behind(events):
    parser = Parser(events=events)
    parser.push('{"a": "b')
    for _ in range(1_000_000):
        parser.push("")
    tracemalloc.start()
    try:
        for _ in range(10_000):
            parser.push("")
            _ = parser.failed
        assert tracemalloc.get_traced_memory()[1] < 4_000
    finally:
        tracemalloc.stop()
    parser.push('"}')
    assert parser.finish("complete").value == {"a": "b"}


PASSES_A_LIMIT = {
    "deep": ("[", "[", "E_LIMIT_DEPTH"),
    "one number": ("", "1", "E_LIMIT_NUMBER_BYTES"),
    "one string": ('"', "x", "E_LIMIT_STRING_BYTES"),
    "escapes": ('"', "\\u00e9", "E_LIMIT_STRING_BYTES"),
    "white space": ("", " \n", "E_LIMIT_INPUT_BYTES"),
    "after the document": ("{}", " ", "E_LIMIT_INPUT_BYTES"),
    "items": ("[", "1,", "E_LIMIT_EVENT_QUEUE"),
    "the same key": ("{", '"a":' + " " * 90 + "1,", "E_LIMIT_INPUT_BYTES"),
}


@pytest.mark.parametrize("size", [100_000, 10**9])
@pytest.mark.parametrize("kind", PASSES_A_LIMIT)
def test_ten_megabytes_pass_a_default_limit(kind, size):
    prefix, again, code = PASSES_A_LIMIT[kind]
    text = prefix + again * (10_000_000 // len(again))
    parser = Parser()
    for at in range(0, len(text), size):
        parser.push(text[at : at + size])
    assert parser.diagnostics[-1].code == code
    assert len(parser.diagnostics) <= 21
    result = parser.finish("complete")
    assert not result.executable
    assert result.bytes_received == len(text)


@pytest.mark.parametrize("size", [1000, 10**9])
@pytest.mark.parametrize("kind", PASSES_A_LIMIT)
def test_what_passes_a_limit_is_not_held(kind, size):
    """A small copy of the above, with small limits, because counting memory is slow."""
    prefix, again, code = PASSES_A_LIMIT[kind]
    text = prefix + again * (100_000 // len(again))
    limits = Limits(
        input_bytes=80_000, string_bytes=40_000, queued_events=100, number_bytes=640, depth=64, trailing_bytes=640
    )
    chunks = [text[at : at + size] for at in range(0, len(text), size)]
    tracemalloc.start()
    try:
        parser = Parser(limits=limits)
        for chunk in chunks:
            parser.push(chunk)
        assert parser.diagnostics[-1].code == code
        assert not parser.finish("complete").executable
        current, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 2.5 * len(text) + 64_000
    assert current < limits.string_bytes + 64_000


@pytest.mark.parametrize("step", [5, 1000, 10**9])
@pytest.mark.parametrize("character", ["x", "é", "世", "👍"])
def test_a_string_is_held_about_once(character, step):
    """At its peak the parser holds less than two and a half times the bytes of the arguments."""
    text = '{"content": "' + character * (200_000 // len(character.encode())) + '"}'
    chunks = [text[at : at + step] for at in range(0, len(text), step)]
    tracemalloc.start()
    try:
        parser = Parser(events=False)
        for chunk in chunks:
            parser.push(chunk)
        result = parser.finish("complete")
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert result.executable
    assert most < 2.5 * len(text.encode()) + 64_000


@pytest.mark.parametrize("digits", [63, 64, 65, 66, 100, 129, 500])
@pytest.mark.parametrize("step", [1, 2, 3, 7, 64, 99])
@pytest.mark.parametrize("fraction", ["", "-", "1.", "-1."])
def test_a_long_number_fails_at_the_same_byte_however_it_is_cut(digits, step, fraction):
    """Each limit is exact: a number of so many characters passes, one more does not, in any pieces."""
    number = (fraction + "1" * digits)[:digits]
    for over in (0, 1):
        text = f"[{number}{'1' * over}]"
        found = []
        for size in (len(text), step):
            parser = Parser(limits=Limits(number_bytes=digits))
            for at in range(0, len(text), size):
                parser.push(text[at : at + size])
                assert not parser.failed or over
            result = parser.finish("complete")
            found.append((result.executable, result.bytes_accepted, result.diagnostics))
        assert found[0] == found[1]
        assert [one.code for one in found[1][2]] == ["E_LIMIT_NUMBER_BYTES"] * over


def outcomes(text, step, *, ask=False, **limits):
    """What is found in a text in pieces of a size, with nobody draining the events.

    Who asks after each piece has it read at once, and not with those that follow.
    """
    parser = Parser(limits=Limits(**limits))
    for at in range(0, len(text), step):
        parser.push(text[at : at + step])
        assert not (ask and parser.failed and not parser.snapshot().diagnostics)
    result = parser.finish("complete")
    return result.diagnostics, result.bytes_accepted, result.executable


LONG = {
    "string": '  ["{}"]'.format("a" * 300),
    "key": '{{"{}":1}}'.format("k" * 300),
    "wide": '["{}"]'.format("é世" * 100),
    "escapes": '["{}"]'.format("\\n\\u0041x" * 50),
    "number": " [{}]".format("7" * 300),
    "fraction": "     [-0.{}]".format("7" * 300),
    "root": "   {}".format("7" * 300),
    "root string": '"{}"'.format("a" * 300),
    "nested": "[" * 30 + '"x"' + "]" * 30,
    "mixed": '{"a":"x","b":[1,-2.5,true,null,"y"],"c":{"d":[],"e":{}}}',
}


@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("field", ["input_bytes", "string_bytes", "number_bytes", "depth", "queued_events"])
def test_a_limit_is_passed_at_the_same_byte_however_the_text_is_cut(name, field):
    """In the loops for long strings and numbers, in whole members and in single characters alike."""
    text = LONG[name]
    limits = {"depth": (2, 3, 4, 29), "queued_events": range(1, 12)}.get(field, (1, 2, 64, 65, 99, 100, 101, 255, 256))
    for limit in limits:
        expected = outcomes(text, len(text), **{field: limit})
        for step, ask in itertools.product((1, 3, 7, 64, 90), (False, True)):
            assert outcomes(text, step, ask=ask, **{field: limit}) == expected, (limit, step, ask)


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5])
def test_the_level_that_is_too_deep_is_named(limit):
    (found,) = outcomes("[" * 9, 9, depth=limit)[0]
    assert f"level {limit + 1:,} of open containers" in found.message


@pytest.mark.parametrize(("text", "value"), [('["v"]', 2), ('{"k":"v"}', 6), ('{ "k" : "v"}', 9)])
def test_a_queue_that_is_full_before_a_string_says_where_the_string_is(text, value):
    parser = Parser(limits=Limits(queued_events=1), string_progress=True)
    parser.push(text)
    (found,) = parser.finish("complete").diagnostics
    assert (found.code, found.byte_offset) == ("E_LIMIT_EVENT_QUEUE", value)


@pytest.mark.parametrize("at", range(1, 13))
def test_a_repeated_key_is_found_where_it_is_however_the_text_is_cut(at):
    """Also where its quote begins a piece that is read by itself."""
    text = '{"a":1,"a":2}'
    parser = Parser()
    parser.push(text[:at])
    assert not parser.failed or at > 7
    for char in (text[at : at + 3], text[at + 3 :]):
        parser.push(char)
        parser.snapshot()
    (found,) = parser.finish("complete").diagnostics
    assert (found.code, found.byte_offset, found.column) == ("E_DUPLICATE_KEY", 7, 8)
