# ruff: noqa: E501  (a table reads best with a case a line)
"""Every diagnostic code: when, where to the byte, line and column, which path, and what was expected."""

from __future__ import annotations

import pytest

from interlock.errors import ParserFinishedError
from interlock.limits import Limits
from interlock.parser import CODES, Parser
from interlock.parser.machine import Core

LIMITS = Limits(input_bytes=40, depth=2, string_bytes=8, number_bytes=6, queued_events=3, trailing_bytes=4)


def bad(code, text, *, at, line=1, column=None, path="", found, expected, reason="complete", events=False, **options):
    column = at + 1 if column is None else column
    name = f"{code} {text[:24]!r}"
    return pytest.param(code, text, at, line, column, path, found, expected, reason, events, options, id=name)


CASES = [
    # what the grammar forbids
    bad("E_UNEXPECTED_TOKEN", "x", at=0, found="'x'", expected="a value"),
    bad("E_UNEXPECTED_TOKEN", "\x07", at=0, found="U+0007", expected="a value"),
    bad("E_UNEXPECTED_TOKEN", "\ufeff{}", at=0, found="U+FEFF", expected="a value"),
    bad("E_UNEXPECTED_TOKEN", "[}", at=1, path="/0", found="'}'", expected="a value or `]`"),
    bad("E_UNEXPECTED_TOKEN", "[1,]", at=3, path="/1", found="']'", expected="a value"),
    bad("E_UNEXPECTED_TOKEN", "[1 2]", at=3, found="'2'", expected="`,` or `]`"),
    bad("E_UNEXPECTED_TOKEN", '{"a":[1}', at=7, path="/a", found="'}'", expected="`,` or `]`"),
    bad("E_UNEXPECTED_TOKEN", "{1", at=1, found="'1'", expected="a key in double quotes or `}`"),
    bad("E_UNEXPECTED_TOKEN", '{"a":1,}', at=7, found="'}'", expected="a key in double quotes"),
    bad("E_UNEXPECTED_TOKEN", '{"a" 1', at=5, found="'1'", expected="`:`"),
    bad("E_UNEXPECTED_TOKEN", '{"a":}', at=5, path="/a", found="'}'", expected="a value"),
    bad("E_UNEXPECTED_TOKEN", '{"a":1 "b"', at=7, found="'\"'", expected="`,` or `}`"),
    bad("E_UNEXPECTED_TOKEN", '{"a":1]', at=6, found="']'", expected="`,` or `}`"),
    bad("E_UNEXPECTED_TOKEN", '{"é/~": [\n\n "世", ]}', at=20, line=3, column=7, path="/é~1~0/1", found="']'", expected="a value"),
    bad("E_UNEXPECTED_TOKEN", "[\n1,\n  x", at=7, line=3, column=3, path="/1", found="'x'", expected="a value"),
    bad("E_UNEXPECTED_TOKEN", "[01]", at=2, path="/0", found="'1'", expected="the number's end"),
    bad("E_UNEXPECTED_TOKEN", "[1.x", at=3, path="/0", found="'x'", expected="a digit"),
    bad("E_UNEXPECTED_TOKEN", "[-]", at=2, path="/0", found="']'", expected="a digit"),
    bad("E_UNEXPECTED_TOKEN", "[1e]", at=3, path="/0", found="']'", expected="a digit, + or -"),
    bad("E_UNEXPECTED_TOKEN", "[1e+]", at=4, path="/0", found="']'", expected="a digit"),
    bad("E_UNEXPECTED_TOKEN", "[1.5x]", at=4, path="/0", found="'x'", expected="the number's end"),
    bad("E_UNEXPECTED_TOKEN", "[nul]", at=4, path="/0", found="']'", expected="the rest of `null`"),
    bad("E_UNEXPECTED_TOKEN", "[truex]", at=5, path="/0", found="'x'", expected="the end of `true`"),
    bad("E_UNEXPECTED_TOKEN", "[false1]", at=6, path="/0", found="'1'", expected="the end of `false`"),
    bad("E_UNEXPECTED_TOKEN", '{"a":"b\nc"}', at=7, path="/a", found="unescaped control character U+000A in a string", expected="an escape"),
    bad("E_UNEXPECTED_TOKEN", '{"a\tb":1}', at=3, found="unescaped control character U+0009 in a string", expected="an escape"),
    bad("E_UNEXPECTED_TOKEN", '["\\x"]', at=3, path="/0", found="'x'", expected='one of " \\ / b f n r t u after the backslash'),
    bad("E_DUPLICATE_KEY", '{"a":1, "a":2}', at=8, path="/a", found="key 'a' for the second time in one object", expected="each key once"),
    bad("E_DUPLICATE_KEY", '[{"b":{}},\n{"~":1,"~":[[1]]}]', at=18, line=2, column=8, path="/1/~0", found="key '~' for the second time in one object", expected="each key once"),
    bad("E_DUPLICATE_KEY", '{"é\\n":1, "\\u00e9\\n":2}', at=11, column=11, path="/é\n", found="key 'é\\n' for the second time in one object", expected="each key once"),
    bad("E_NUMBER_RANGE", "[1, 1e400]", at=4, path="/1", found="a number that a double holds only as infinity", expected="one below 1.8e308 in size"),
    bad("E_NUMBER_RANGE", "-1E999", at=0, found="a number that a double holds only as infinity", expected="one below 1.8e308 in size"),
    bad("E_NUMBER_RANGE", "1E999 ", at=0, found="a number that a double holds only as infinity", expected="one below 1.8e308 in size"),
    bad("E_TRAILING_DATA", "{} \n x", at=5, line=2, column=2, found="'x' after the document", expected="nothing but white space"),
    bad("E_TRAILING_DATA", "[1]]", at=3, found="']' after the document", expected="nothing but white space"),
    bad("E_TRAILING_DATA", "1,", at=1, found="',' after the document", expected="nothing but white space"),
    # escapes
    bad("E_INVALID_UNICODE_ESCAPE", '"\\u12x4"', at=5, found="'x'", expected="four hex digits after \\u"),
    bad("E_INVALID_UNICODE_ESCAPE", '{"\\u"', at=4, found="'\"'", expected="four hex digits after \\u"),
    bad("E_UNPAIRED_SURROGATE", '"a\\udc00"', at=2, found="the second half of a pair, \\udc00", expected="its first half before it"),
    bad("E_UNPAIRED_SURROGATE", '"a\\uD83Dx"', at=2, found="the first half of a pair, \\uD83D", expected="its second half after it"),
    bad("E_UNPAIRED_SURROGATE", '["\\ud83d\\u0041"]', at=2, path="/0", found="the first half of a pair, \\ud83d", expected="its second half after it"),
    bad("E_UNPAIRED_SURROGATE", '["\\ud83d\\n"]', at=2, path="/0", found="the first half of a pair, \\ud83d", expected="its second half after it"),
    # limits
    bad("E_LIMIT_DEPTH", "[[[", at=2, path="/0/0", found="level 3 of open containers", expected="at most limits.depth (2 levels)", limits=LIMITS),
    bad("E_LIMIT_INPUT_BYTES", " " * 39 + "éé", at=39, column=40, found="more than limits.input_bytes (40 bytes)", expected="the input's end", limits=LIMITS),
    bad("E_LIMIT_INPUT_BYTES", "[]" + " " * 5, at=6, found="more than limits.trailing_bytes (4 bytes) after the document", expected="the input's end", limits=LIMITS),
    bad("E_LIMIT_NUMBER_BYTES", "[1234567]", at=7, path="/0", found="a number longer than limits.number_bytes (6 bytes)", expected="its end", limits=LIMITS),
    bad("E_LIMIT_STRING_BYTES", '["a\\n世xyz"]', at=10, column=9, path="/0", found="a string longer than limits.string_bytes (8 bytes)", expected="its closing quote", limits=LIMITS),
    bad("E_LIMIT_STRING_BYTES", '{"123456789":1}', at=10, found="a string longer than limits.string_bytes (8 bytes)", expected="its closing quote", limits=LIMITS),
    bad("E_LIMIT_EVENT_QUEUE", "[1,2,3,4]", at=6, path="/2", found="3 events that nobody drained", expected="at most limits.queued_events (3)", limits=LIMITS, events=True),
    bad("E_LIMIT_EVENT_QUEUE", "[1,2,[]]", at=5, path="/2", found="3 events that nobody drained", expected="at most limits.queued_events (3)", limits=LIMITS, events=True),
    bad("E_LIMIT_EVENT_QUEUE", "[1,2]", at=4, found="3 events that nobody drained", expected="at most limits.queued_events (3)", limits=LIMITS, events=True),
    # the input's end
    bad("E_STREAM_TRUNCATED", "", at=0, found="the input's end (complete)", expected="a value"),
    bad("E_STREAM_TRUNCATED", ' {"a":\n', at=7, line=2, column=1, path="/a", found="the input's end (length)", expected="a value", reason="length"),
    bad("E_STREAM_TRUNCATED", '{"a":[1,2', at=9, path="/a/1", found="the input's end (unknown)", expected="a value", reason="unknown"),
    bad("E_STREAM_TRUNCATED", '{"a":[1,2 ', at=10, path="/a", found="the input's end (complete)", expected="`,` or `]`"),
    bad("E_UNTERMINATED_STRING", '["abc', at=5, path="/0", found="the input's end inside a string", expected="its closing quote"),
    bad("E_UNTERMINATED_STRING", '{"ab', at=4, found="the input's end inside a string", expected="its closing quote"),
    bad("E_UNTERMINATED_STRING", '["a\\', at=4, path="/0", found="the input's end inside a string", expected="its closing quote"),
    bad("E_INCOMPLETE_UNICODE_ESCAPE", '["a\\u0', at=6, path="/0", found="the input's end inside a \\u escape", expected="the rest of it"),
    bad("E_INCOMPLETE_UNICODE_ESCAPE", '["\\ud83d', at=8, path="/0", found="the input's end inside a \\u escape", expected="the rest of it"),
    bad("E_INCOMPLETE_NUMBER", "[12", at=3, path="/0", found="the input's end", expected="what shows that the number is whole"),
    bad("E_INCOMPLETE_NUMBER", "1.", at=2, found="the input's end", expected="what shows that the number is whole"),
    bad("E_INCOMPLETE_NUMBER", "12", at=2, found="the input's end", expected="what shows that the number is whole", reason="length"),
    bad("E_INCOMPLETE_LITERAL", "[true", at=5, path="/0", found="the input's end", expected="what shows that the literal is whole"),
    bad("E_INCOMPLETE_LITERAL", "nul", at=3, found="the input's end", expected="what shows that the literal is whole"),
    # tolerated
    bad("W_RAW_CONTROL_CHARACTER", '{"a": "x\ty\n"}', at=8, path="/a", found="unescaped control character U+0009, which was kept", expected="an escape", control_characters="keep"),
    bad("W_TRAILING_TEXT_ISOLATED", "{} \n so", at=5, line=2, column=2, found="'s' after the document, which was set aside", expected="nothing but white space", trailing="isolate"),
]  # fmt: skip


@pytest.mark.parametrize("way", ["whole", "characters", "bytes"])
@pytest.mark.parametrize(
    ("code", "text", "at", "line", "column", "path", "found", "expected", "reason", "events", "options"), CASES
)
def test_a_diagnostic_says_what_where_and_what_was_expected(
    code, text, at, line, column, path, found, expected, reason, events, options, way
):
    """The same to the byte, however the text is cut."""
    data = text.encode()
    pieces = {"whole": [text], "characters": list(text), "bytes": [bytes((byte,)) for byte in data]}[way]
    parser = Parser(events=events, **options)
    for piece in pieces:
        parser.push(piece)
        _ = parser.failed  # look, so that nothing is gathered
    diagnostics = parser.finish(reason).diagnostics
    place = f"byte {at} ({path})" if path else f"byte {at}"
    assert code in [diagnostic.code for diagnostic in diagnostics]
    diagnostic = next(diagnostic for diagnostic in diagnostics if diagnostic.code == code)
    assert diagnostic.message == f"{place}: found {found}; expected {expected}"
    assert (diagnostic.byte_offset, diagnostic.line, diagnostic.column, diagnostic.path) == (at, line, column, path)
    assert diagnostic.severity == ("error" if code[0] == "E" else "warning")


UTF8_CASES = [
    ("E_INVALID_UTF8", b'["\xc3\xa9\xff"]', 4, 4, "/0", "ff"),
    ("E_INVALID_UTF8", b'["\xc0\xaf"]', 2, 3, "/0", "c0"),
    ("E_INVALID_UTF8", b'["\xed\xa0\x80"]', 2, 3, "/0", "ed"),
    ("E_INVALID_UTF8", b'["\xe4\xb8 "]', 2, 3, "/0", "e4 b8"),
    ("E_INVALID_UTF8", b'["\xf4\x90\x80\x80"]', 2, 3, "/0", "f4"),
    ("E_INVALID_UTF8", b"\x80", 0, 1, "", "80"),
    ("E_INVALID_UTF8", b"[12\xff]", 3, 4, "/0", "ff"),
]


@pytest.mark.parametrize("step", [1, 2, 100])
@pytest.mark.parametrize(("code", "data", "at", "column", "path", "shown"), UTF8_CASES)
def test_bytes_that_are_not_utf8_are_named(code, data, at, column, path, shown, step):
    """At their first byte, also when a split hides it; what follows is only counted."""
    parser = Parser()
    for start in range(0, len(data), step):
        parser.push(data[start : start + step])
        _ = parser.failed
    result = parser.finish("complete")
    (diagnostic,) = result.diagnostics
    place = f"byte {at} ({path})" if path else f"byte {at}"
    assert diagnostic.code == code
    assert diagnostic.message == f"{place}: found {shown} (hex), which is not UTF-8; expected UTF-8"
    assert (diagnostic.byte_offset, diagnostic.line, diagnostic.column) == (at, 1, column)
    assert (result.bytes_received, result.bytes_accepted) == (len(data), at)


def test_a_document_may_not_end_inside_a_code_point():
    parser = Parser()
    parser.push(b'["\xe4\xb8')
    result = parser.finish("complete")
    assert [diagnostic.code for diagnostic in result.diagnostics] == ["E_INCOMPLETE_UTF8", "E_STREAM_TRUNCATED"]
    assert result.diagnostics[0].byte_offset == 2
    assert result.diagnostics[0].message == (
        "byte 2 (/0): found the input's end inside a code point; expected the rest of it"
    )
    assert (result.outcome, result.bytes_received) == ("truncated", 4)


def test_a_code_point_that_is_cut_after_the_document_is_wrong():
    parser = Parser()
    parser.push(b"{}\xe4")
    result = parser.finish("complete")
    assert [diagnostic.code for diagnostic in result.diagnostics] == ["E_INCOMPLETE_UTF8"]
    assert (result.outcome, result.executable) == ("invalid", False)


@pytest.mark.parametrize(
    ("pieces", "at", "shown"),
    [
        ([b'["\xe4', "x"], 2, "e4"),
        (['["\ud83d', b"x"], 2, None),
        (['["\ud83d', b"\xff"], 2, None),
        (['["\ud83d', "x"], 2, None),
        (['["\ude00'], 2, None),
        (['["' + chr(0xDC00)], 2, None),
    ],
)
def test_half_a_code_point_and_something_else_is_not_text(pieces, at, shown):
    """Half of one in bytes before text, or half a surrogate pair in text before anything else."""
    parser = Parser()
    for piece in pieces:
        parser.push(piece)
    assert parser.failed
    (diagnostic,) = parser.diagnostics
    assert (diagnostic.code, diagnostic.byte_offset) == ("E_INVALID_UTF8", at)
    if shown is None:
        assert (
            "half of a surrogate pair (U+D83D)" in diagnostic.message
            or f"(U+{ord(pieces[0][-1]):04X})" in diagnostic.message
        )
    else:
        assert f"found {shown} (hex)" in diagnostic.message
    assert parser.bytes_received == sum(
        len(piece) if isinstance(piece, bytes) else len(piece.encode("utf-8", "surrogatepass")) for piece in pieces
    )


@pytest.mark.parametrize("before", ["", "[", '"', '["', '["a', '["ab', '{"": "'])
def test_half_a_pair_at_the_end_waits_for_the_other_half(before):
    """At whatever place: it is neither an error nor lost."""
    parser = Parser()
    parser.push(before + "\ud83d")
    assert parser.snapshot().pending[-1] == "utf8"
    assert not parser.failed
    parser.push("\ude00")
    assert parser.bytes_received == len(before) + 4
    assert parser.failed == (before in ("", "["))
    if not parser.failed:
        assert str(parser.preview).count("\U0001f600") == 1


def test_push_after_finish_is_raised_and_not_recorded():
    parser = Parser()
    result = parser.finish("length")
    with pytest.raises(ParserFinishedError, match=r"^E_PUSH_AFTER_FINISH: push after finish\('length'\)"):
        parser.push("{}")
    assert parser.finish("length") is result
    assert parser.bytes_received == 0


def test_every_code_has_a_case():
    covered = {case.values[0] for case in CASES} | {case[0] for case in UTF8_CASES}
    assert covered | {"E_INCOMPLETE_UTF8", "E_INTERNAL", "E_PUSH_AFTER_FINISH"} == set(CODES)


def test_remarks_that_do_not_end_the_document_are_bounded():
    """A thousand duplicate keys are twenty records; an error after them is still recorded."""
    parser = Parser()
    parser.push("{" + '"a":1,' * 1000 + "]")
    codes = [diagnostic.code for diagnostic in parser.diagnostics]
    assert codes == ["E_DUPLICATE_KEY"] * 20 + ["E_UNEXPECTED_TOKEN"]


def test_kept_control_characters_are_bounded_too():
    parser = Parser(control_characters="keep")
    parser.push("[" + '"\n",' * 100 + "1]")
    result = parser.finish("complete")
    assert len(result.repairs) == len(result.diagnostics) == 20
    assert result.executable
    assert result.value == ["\n"] * 100 + [1]


def test_a_long_key_is_shortened_in_messages_only():
    parser = Parser()
    parser.push('{"' + "k" * 200 + '": {"a": 1, "a": 2}}')
    (diagnostic,) = parser.diagnostics
    assert diagnostic.path == "/" + "k" * 200 + "/a"
    assert len(diagnostic.message) < 250
    assert "k..." in diagnostic.message


@pytest.mark.parametrize("where", ["push", "look"])
def test_an_exception_in_the_middle_of_reading_ends_the_document(where):
    """Out of stack, out of memory, an interrupt: what was being read is lost, and nothing more is read."""

    class Interrupted(Core):
        def remark(self, *arguments, **options):
            raise KeyboardInterrupt

    parser = Parser()
    parser.push('{"a":1,')
    assert parser.stable_value == {"a": 1}
    parser._core.__class__ = Interrupted
    parser.push('"a":2')
    with pytest.raises(KeyboardInterrupt):
        _ = parser.failed
    parser._core.__class__ = Core
    parser.push("}" if where == "push" else b"}")
    if where == "look":
        assert parser.stable_value == {"a": 1}
    assert parser.failed
    result = parser.finish("complete")
    assert (result.outcome, result.executable) == ("invalid", False)
    (only,) = result.diagnostics
    assert (only.code, only.byte_offset) == ("E_INTERNAL", 7)
    assert only.message == "byte 7: found an exception that broke the reading off; expected to be read to the end"


@pytest.mark.parametrize("text", ['["é', '["世é', '{"a":\n "世', '["é",\n\n"a', '["\U0001f600', '{"é":["世",'])
@pytest.mark.parametrize("step", [1, 2, 100])
def test_the_end_of_a_cut_input_is_counted_in_characters(text, step):
    parser = Parser()
    for at in range(0, len(text), step):
        parser.push(text[at : at + step])
    found = parser.finish("length").diagnostics[-1]
    assert found.code == "E_STREAM_TRUNCATED"
    assert found.byte_offset == len(text.encode())
    assert (found.line, found.column) == (text.count("\n") + 1, len(text.rpartition("\n")[2]) + 1)
