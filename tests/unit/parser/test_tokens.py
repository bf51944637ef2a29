"""The patterns and scanners below the grammar, one text at a time."""

from __future__ import annotations

import pytest

from interlock.parser import tokens as t

RECORDS = [
    ('{"a":1}', [{"a": 1}], 7),
    ('{"a": "b", "c": null}, {"d": [', [{"a": "b", "c": None}], 21),
    ('{"a":1}, {"a":2.5} , {}]}', None, None),
    ('{"a":1}, {"a":2.5} , {}]', [{"a": 1}, {"a": 2.5}, {}], 23),
    ('{"é":"世}"},{', [{"é": "世}"}], 10),
    ('{"é":"世"},{', [{"é": "世"}], 9),
    ('{"a":1', None, None),
    ("", None, None),
    ('{"a":[1]}', None, None),
    ('{"a":{}}', None, None),
    ('{"a":1},2,{"b":3}', None, None),
    ('{"a":"{"},2,{"b":3}', None, None),
    ('{"a":"{"}', None, None),
    ('{"a":"\\n"}', None, None),
    ('{"a":"\n"}', None, None),
    ('{"a":1,"a":2}', None, None),
    ('{"a" :1,"a":2}', None, None),
    ('{"a" :1,"a":":"}', None, None),
    ('{"a":"b","a":"b"}', None, None),
    ('{"a":"b","c":"d"}', [{"a": "b", "c": "d"}], 17),
    ('{"a":1e999}', None, None),
    ('{"a":-1e999}', None, None),
    ('{"a":1e99}', [{"a": 1e99}], 10),
    ('{"a":NaN}', None, None),
    ('{"a":Infinity}', None, None),
    ('{"a":1}]}', None, None),
    ('{"a":1} x}', None, None),
    ('{"a":01}', None, None),
    ("{1:2}", None, None),
]


@pytest.mark.parametrize(("text", "records", "end"), RECORDS)
def test_flat_records_are_read_at_once_or_not_at_all(text, records, end):
    """What needs a closer look is left to the grammar."""
    expected = None if records is None else (records, end + 2)
    assert t.scan_records("[ " + text, 2, 1000) == expected


def test_records_are_looked_for_in_a_window():
    text = '{"a":1},{"b":2},'
    assert t.scan_records(text, 0, 15) == ([{"a": 1}, {"b": 2}], 15)
    assert t.scan_records(text, 0, 14) == ([{"a": 1}], 7)
    assert t.scan_records(text, 0, 6) is None
    assert t.scan_records(text, 8, 100) == ([{"b": 2}], 15)


DOCUMENTS = [
    ("{}", {}, 2),
    (' \n{"a": [1, "x\\n", {"b": null}]} x', {"a": [1, "x\n", {"b": None}]}, 32),
    ("[1.5]", [1.5], 5),
    ("[[[]]]", [[[]]], 6),
    ("[[[[]]]]", None, None),
    ("1", None, None),
    ('"a"', None, None),
    ("", None, None),
    ("  ", None, None),
    ("[1", None, None),
    ("[1,]", None, None),
    ('{"a":1,"a":2}', None, None),
    ('[{"b":1,"b":1}]', None, None),
    ("[1e999]", None, None),
    ("[-1e999]", None, None),
    ("[NaN]", None, None),
    ("[-Infinity]", None, None),
    ('["\\u0041"]', None, None),
    ('["\\ud800"]', None, None),
    ('["\t"]', None, None),
    ('["\\x"]', None, None),
]


@pytest.mark.parametrize(("text", "value", "end"), DOCUMENTS)
def test_a_short_plain_document_is_read_at_once_or_not_at_all(text, value, end):
    assert t.scan_document(text, 3) == (None if end is None else (value, end))


def test_more_levels_than_the_interpreter_bears_are_left_to_the_grammar():
    assert t.scan_document("[" * 100_000 + "]" * 100_000, 10**6) is None


STRINGS = [
    ('"', "", 0),
    ('a\\n\\u00e9"b', "a\né", 9),
    ('\\ud83d\\ude00"', "😀", 12),
    ('\\ud83d"', None, None),
    ('\\ude00\\ud83d"', None, None),
    ("abc", None, None),
    ('abc\\"', None, None),
    ('a\tb"', None, None),
    ('a\\x"', None, None),
    ('é世"', "é世", 2),
]


@pytest.mark.parametrize(("text", "value", "end"), STRINGS)
def test_a_string_is_read_at_once_or_not_at_all(text, value, end):
    assert t.scan_string('"' + text, 1) == (None if end is None else (value, end + 1))


@pytest.mark.parametrize(("text", "value", "end"), [row for row in DOCUMENTS if row[0][:1] in ("[", "{")])
def test_a_container_is_read_at_once_or_not_at_all(text, value, end):
    scan = t.container_scanner({})
    expected = None if end is None else (value, end + 1)
    assert t.scan_container(scan, "," + text, 1, 3) == expected
    assert t.scan_container(scan, "," + text + ", [[[[", 1, 3) == expected


def test_equal_keys_of_one_container_after_the_other_are_one_object():
    names = {}
    scan = t.container_scanner(names)
    values = [t.scan_container(scan, text, 0, 9)[0] for text in ('{"first key":1}', '[{"first key":2}]')]
    assert next(iter(values[0])) is next(iter(values[1][0]))
    many = "{" + ",".join(f'"key {at}":0' for at in range(t.MAX_NAMES)) + "}"
    assert t.scan_container(scan, many, 0, 9)[0] == {f"key {at}": 0 for at in range(t.MAX_NAMES)}
    known = len(names)
    assert t.scan_container(scan, '{"another":1}', 0, 9) == ({"another": 1}, 13)
    assert t.scan_container(scan, '{"another":1,"another":1}', 0, 9) is None
    assert len(names) == known


@pytest.mark.parametrize("scanner", ["c_scanstring", "_scan", "_scan_carefully", "c_make_scanner"])
def test_without_a_scanner_in_c_everything_goes_the_long_way(monkeypatch, scanner):
    """Other interpreters have no such scanner, or a more lenient one."""
    monkeypatch.setattr(t, scanner, None)
    found = {
        "c_scanstring": t.scan_string('"a"', 1),
        "_scan": t.scan_records('{"a":1}', 0, 100),
        "_scan_carefully": t.scan_document("[]", 100),
        "c_make_scanner": t.scan_container(t.container_scanner({}), "[]", 0, 100),
    }
    assert [name for name, result in found.items() if result is None] == [scanner]


def test_a_span_includes_quotes_and_nothing_else():
    assert t.scalar_span(t.MEMBER.match(' "a" : "bc" ,')) == (7, 11)
    assert t.scalar_span(t.ITEM.match(" -1.5e3 ]")) == (1, 7)
    assert t.scalar_span(t.ITEM.match("true}")) == (0, 4)


@pytest.mark.parametrize(("token", "parts"), [("12", ("12", "")), ("-0.5e1", ("-0", ".5e1")), ("1E9", ("1", "E9"))])
def test_a_number_is_split_before_its_point_or_exponent(token, parts):
    assert t.split_number(token) == parts
