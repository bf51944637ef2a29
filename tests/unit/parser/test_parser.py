"""The parser's API: what it hands out, what it keeps to itself, and what it refuses."""

from __future__ import annotations

import copy
import dataclasses
import gc
import weakref

import pytest

from interlock.errors import InvalidOptionError, ParserFinishedError
from interlock.limits import Limits
from interlock.parser import (
    ContainerClosed,
    ContainerOpened,
    DiagnosticRecorded,
    DocumentComplete,
    Parser,
    RepairApplied,
    StreamFinished,
    StringProgress,
    ValueCommitted,
)

REASONS = ["complete", "length", "network_error", "provider_error", "cancelled", "unknown"]


def parsed(*chunks, **options):
    parser = Parser(**options)
    for chunk in chunks:
        parser.push(chunk)
    return parser


def test_a_document_that_ended_on_its_own_terms_is_executable():
    result = parsed('{"path": "a.p', 'y", "lines": [1, 2]}').finish("complete")
    assert (result.outcome, result.executable) == ("valid", True)
    assert result.value == {"path": "a.py", "lines": [1, 2]}
    assert result.value is result.value
    assert (result.bytes_received, result.bytes_accepted) == (33, 33)


@pytest.mark.parametrize("reason", REASONS[1:])
def test_the_same_document_with_another_reason_has_no_value(reason):
    result = parsed('{"path": "a.py"}').finish(reason)
    assert (result.outcome, result.executable, result.reason) == ("valid", False, reason)
    assert not hasattr(result, "value")
    with pytest.raises(AttributeError, match=f"valid document that ended with '{reason}' has no value"):
        _ = result.value
    assert result.stable_value == {"path": "a.py"}


OUTCOMES = [
    ("{}", "valid"),
    (" [1] \n", "valid"),
    ("[", "salvaged"),
    ("{", "salvaged"),
    ("[1 ", "salvaged"),
    ('{"a":[{"b":"c"}', "salvaged"),
    ("[1", "truncated"),
    ("[1,", "truncated"),
    ("[true", "truncated"),
    ('{"a"', "truncated"),
    ('{"a":', "truncated"),
    ('{"a":1,', "truncated"),
    ('["a', "truncated"),
    ('["a\\', "truncated"),
    ("", "truncated"),
    (" ", "truncated"),
    ("tru", "truncated"),
    ("-", "truncated"),
    ("1.", "truncated"),
    ("]", "invalid"),
    ("{}x", "invalid"),
    ('{"a":1,"a":2', "invalid"),
    ('{"a":1,"a":2}', "invalid"),
    ("1e999", "invalid"),
]


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize(("text", "outcome"), OUTCOMES)
def test_the_outcome_says_what_is_missing(text, outcome, reason):
    """Only closing brackets: salvaged. A value or part of one: truncated. An error: invalid."""
    if text == "1e999" and reason != "complete":
        outcome = "truncated"  # more digits of the exponent may have been cut, or a minus
    result = parsed(text).finish(reason)
    assert result.outcome == outcome
    assert result.executable == (outcome == "valid" and reason == "complete")


@pytest.mark.parametrize(
    ("text", "value"), [("12", 12), ("-0.5", -0.5), ("true", True), ("null", None), ("1e2", 100.0)]
)
def test_at_the_root_the_end_of_a_complete_input_ends_a_number_or_literal(text, value):
    """12 may become 123: only the input's end says that it does not."""
    parser = parsed(text)
    assert not parser.root_complete
    assert parser.stable_value is None
    result = parser.finish("complete")
    assert result.executable
    assert repr(result.value) == repr(value)
    assert parser.root_complete
    assert parser.snapshot().state == "done"
    assert parser.snapshot().pending == ()
    committed, complete, finished = parser.drain_events()
    assert (committed.value, committed.start, committed.end) == (value, 0, len(text))
    assert (complete.start, complete.end) == (0, len(text))
    assert finished.executable
    cut = parsed(text).finish("length")
    assert (cut.outcome, cut.stable_value) == ("truncated", None)


@pytest.mark.parametrize("text", ["12 ", "null\n", '"a"'])
def test_at_the_root_a_value_that_shows_its_end_is_complete_at_once(text):
    assert parsed(text).root_complete


def test_finishing_again_says_the_same():
    parser = parsed("{}")
    first = parser.finish("complete")
    assert parser.finish("complete") is first
    with pytest.raises(ParserFinishedError, match=r"finish\('length'\) after finish\('complete'\)"):
        parser.finish("length")
    with pytest.raises(ParserFinishedError):
        parser.push(b"")


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"limits": 3}, "limits"),
        ({"control_characters": "drop"}, "control_characters"),
        ({"trailing": "keep"}, "trailing"),
        ({"events": False, "string_progress": True}, "string_progress"),
    ],
)
def test_an_option_that_cannot_be_used_is_refused(options, name):
    with pytest.raises(InvalidOptionError, match=f"option '{name}'"):
        Parser(**options)


def test_a_reason_that_is_none_is_refused_and_ends_nothing():
    parser = parsed("{}")
    with pytest.raises(InvalidOptionError, match="'stop' is not one of complete, length"):
        parser.finish("stop")
    assert parser.finish("complete").executable


@pytest.mark.parametrize("chunk", [None, 3, ["{}"], {"a": 1}])
def test_what_is_neither_text_nor_bytes_is_refused_and_changes_nothing(chunk):
    parser = parsed('{"a"')
    with pytest.raises(TypeError, match=type(chunk).__name__):
        parser.push(chunk)
    parser.push(": 1}")
    assert parser.finish("complete").value == {"a": 1}


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_all_kinds_of_bytes_are_taken(kind):
    data = '{"é": "世"}'.encode()
    parser = Parser()
    for at in range(len(data)):
        parser.push(kind(data[at : at + 1]))
    assert parser.finish("complete").value == {"é": "世"}


def test_a_subclass_of_str_is_text():
    class Text(str):
        __slots__ = ()

    result = parsed(Text('{"a": "b'), Text('c"}')).finish("complete")
    assert result.value == {"a": "bc"}
    assert type(result.value["a"]) is str


def test_a_push_answers_for_all_that_was_pushed():
    parser = Parser()
    result = parser.push('{"é": 1')
    assert (result.bytes_received, result.bytes_accepted) == (8, 8)
    assert (result.events_waiting, result.failed, result.root_complete) == (1, False, False)
    result = parser.feed("}x")
    assert (result.bytes_received, result.bytes_accepted) == (10, 9)
    assert (result.events_waiting, result.failed, result.root_complete) == (5, True, True)


def test_counts_are_of_bytes_and_include_what_waits():
    parser = parsed(b'["\xe4\xb8')
    assert (parser.bytes_received, parser.bytes_accepted) == (4, 4)
    parser = parsed('["\ud83d')
    assert parser.bytes_received == 5
    parser.push("\ude00")
    assert parser.bytes_received == 6


PENDING = [
    ("", "empty", "value", ()),
    (" ", "open", "value", ()),
    ("[", "open", "first_item", ("array",)),
    ("{", "open", "first_key", ("object",)),
    ('{"a', "open", "key_string", ("object", "key")),
    ('{"a"', "open", "colon", ("object",)),
    ('{"a":', "open", "value", ("object",)),
    ('{"a":[1', "open", "first_item", ("object", "array", "number")),
    ('{"a":[1 ', "open", "after_item", ("object", "array")),
    ('{"a":[1,t', "open", "value", ("object", "array", "literal")),
    ('{"a":1,', "open", "key", ("object",)),
    ('{"a":{} ', "open", "after_member", ("object",)),
    ('["b', "open", "string", ("array", "string")),
    ('["b\\', "open", "string", ("array", "string", "escape")),
    ('["b\\u1', "open", "string", ("array", "string", "escape")),
    ("[]", "complete", "done", ()),
    ("[]x", "failed", "done", ()),
    ("12", "open", "value", ("number",)),
]


@pytest.mark.parametrize(("text", "phase", "state", "pending"), PENDING)
def test_a_snapshot_says_what_is_open(text, phase, state, pending):
    look = parsed(text).snapshot()
    assert (look.phase, look.state, look.pending) == (phase, state, pending)
    assert look.executable is False
    assert look.root_complete == (phase == "complete" or text == "[]x")


@pytest.mark.parametrize(("piece", "text"), [(b'["\xe4', '["'), ('["\ud83d', '["'), (b"\xe4", "")])
def test_a_snapshot_says_that_a_code_point_is_open(piece, text):
    look = parsed(piece).snapshot()
    assert look.pending == (*parsed(text).snapshot().pending, "utf8")
    assert look.phase == "open"


def test_a_snapshot_after_finish_says_so():
    parser = parsed("{}")
    parser.finish("complete")
    look = parser.snapshot()
    assert (look.phase, look.executable, look.stable_value) == ("finished", False, {})


SHOWN = [
    ('"ab', None, "ab"),
    ('["ab', [], ["ab"]),
    ('{"a": {"b": [1, "x', {"a": {"b": [1]}}, {"a": {"b": [1, "x"]}}),
    ('{"a": "\\u00e9\\', {}, {"a": "é"}),
    ('{"a": "x\\ud83d', {}, {"a": "x"}),
    ('{"a": tru', {}, {}),
    ("[12", [], []),
    ('{"ab', {}, {}),
    ('{"a": 1, "a": [2, "x', {"a": 1}, {"a": 1}),
    ('{"a": 1, "a": "x', {"a": 1}, {"a": 1}),
    ('{"a": {"b": 1, "b": {"c": "x', {"a": {"b": 1}}, {"a": {"b": 1}}),
    ('{"a": [], "a": {"b": [1]}, "c": ["d', {"a": [], "c": []}, {"a": [], "c": ["d"]}),
]


@pytest.mark.parametrize(("text", "stable", "preview"), SHOWN)
def test_the_views_show_what_is_whole_and_what_is_being_written(text, stable, preview):
    """Also when they are read after every character, and both ways round."""
    parser = Parser()
    for character in text:
        parser.push(character)
        _ = parser.preview, parser.stable_value
    assert (parser.stable_value, parser.preview) == (stable, preview)
    look = parsed(text).snapshot()
    assert (look.preview, look.stable_value) == (preview, stable)


def test_what_a_caller_does_to_a_view_stays_there():
    """Views are plain containers of the caller's; the parser's value is its own."""
    parser = parsed('{"a": [1, {"b": "x')
    for view in (parser.stable_value, parser.preview):
        assert type(view) is dict
        view["a"][1]["evil"] = True
        view["a"].append("evil")
        view["z"] = "evil"
    parser.push('"}, 2], "c": "d"}')
    _ = parser.stable_value, parser.preview
    parser.stable_value.clear()
    parser.preview["a"].clear()
    result = parser.finish("complete")
    result.stable_value.clear()
    assert result.value == {"a": [1, {"b": "x"}, 2], "c": "d"}


def test_a_view_that_was_emptied_by_its_owner_does_no_harm():
    parser = parsed('["a')
    parser.preview.clear()
    parser.push('b", {"k": "c')
    view = parser.preview
    view[-1].clear()
    parser.push('d"}, 1]')
    _ = parser.preview
    assert parser.finish("complete").value == ["ab", {"k": "cd"}, 1]


def test_a_view_grows_and_a_copy_of_it_stays():
    parser = parsed('{"a": [1')
    view, kept = parser.stable_value, copy.deepcopy(parser.stable_value)
    parser.push(", 2]}")
    assert parser.stable_value is view
    assert (view, kept) == ({"a": [1, 2]}, {"a": []})


@pytest.mark.parametrize("size", [100, 1_000])
def test_a_look_costs_what_was_added(size, monkeypatch):
    """Reading the views after every item copies each item once, however many there are."""
    from interlock.parser import views

    copied = 0
    extend = views._extend

    def counting(source, ours, count, wanted, made):
        nonlocal copied
        copied += len(source) - count
        extend(source, ours, count, wanted, made)

    monkeypatch.setattr(views, "_extend", counting)
    parser = parsed('{"a": {"b": [')
    for at in range(size):
        parser.push(f"{at},")
        assert parser.snapshot().stable_value["a"]["b"] == list(range(at + 1))
    assert copied == size


def test_events_come_in_order_with_places_and_are_not_kept():
    parser = parsed('{"a~/": ["é", {}], "b": -1.5}')
    events = parser.drain_events()
    assert parser.drain_events() == []
    assert [(type(event), event.number) for event in events] == [
        (ContainerOpened, 0),
        (ContainerOpened, 1),
        (ValueCommitted, 2),
        (ContainerOpened, 3),
        (ContainerClosed, 4),
        (ContainerClosed, 5),
        (ValueCommitted, 6),
        (ContainerClosed, 7),
        (DocumentComplete, 8),
    ]
    assert [event.path for event in events[:8]] == [
        "",
        "/a~0~1",
        "/a~0~1/0",
        "/a~0~1/1",
        "/a~0~1/1",
        "/a~0~1",
        "/b",
        "",
    ]
    assert [(event.start, event.end) for event in events if hasattr(event, "end")] == [
        (9, 13),
        (15, 17),
        (8, 18),
        (25, 29),
        (0, 30),
        (0, 30),
    ]
    assert [event.start for event in events if isinstance(event, ContainerOpened)] == [0, 8, 15]
    assert [event.container for event in events if hasattr(event, "container")] == [
        "object",
        "array",
        "object",
        "object",
        "array",
        "object",
    ]
    parser.finish("length")
    (finished,) = parser.drain_events()
    assert finished == StreamFinished(9, "length", "valid", False)
    assert {event.kind for event in [*events, finished]} == {
        "container_opened",
        "container_closed",
        "value_committed",
        "document_complete",
        "stream_finished",
    }


def test_progress_is_for_display_and_carries_the_text_that_was_added():
    parser = Parser(string_progress=True)
    seen = []
    for chunk in ('{"content": "ab', "cd\\", "n", "", "e", '", "k', 'ey": "whole"', ', "l": [["x', '"]]}'):
        parser.push(chunk)
        seen.append([(event.path, event.text) for event in parser.drain_events() if isinstance(event, StringProgress)])
    assert seen == [
        [("/content", "ab")],
        [("/content", "cd")],
        [("/content", "\n")],
        [],
        [("/content", "e")],
        [],
        [("/key", "whole")],
        [("/l/0/0", "x")],
        [],
    ]
    assert StringProgress.final is False


@pytest.mark.parametrize("queued", range(1, 8))
@pytest.mark.parametrize("text", ['["a",["b"],{"c":"d"}]', '["a\\n",["b\\n"]]', '{"a":"b","c":"d","e":"f"}'])
def test_progress_never_passes_the_limit_on_events(text, queued):
    """With progress, too, no more than the limit and one diagnostic are ever waiting."""
    parser = Parser(limits=Limits(queued_events=queued), string_progress=True)
    parser.push(text)
    assert parser.events_waiting == queued + 1
    assert [diagnostic.code for diagnostic in parser.diagnostics] == ["E_LIMIT_EVENT_QUEUE"]


def test_what_is_handed_out_cannot_be_changed():
    parser = parsed('{"a": "x\ny"} z', control_characters="keep", trailing="isolate", string_progress=True)
    parser.push(" more")
    records = [parser.snapshot(), parser.finish("length"), *parser.snapshot().repairs, *parser.drain_events()]
    assert len({type(record) for record in records}) == 11
    for record in records:
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(record, dataclasses.fields(record)[0].name, None)


def test_progress_of_a_root_string_has_the_roots_path():
    parser = parsed('"ab', string_progress=True)
    assert [(event.path, event.text) for event in parser.drain_events()] == [("", "ab")]
    parser.push("c")
    assert [(event.path, event.text) for event in parser.drain_events()] == [("", "c")]


def test_nobody_hears_of_the_value_of_a_duplicate_key():
    parser = parsed('{"a": 1, "a": {"b": ["x", 2]}, "a": "y', string_progress=True)
    parser.push('z", "c": 3}')
    events = parser.drain_events()
    assert [event.path for event in events if isinstance(event, ValueCommitted)] == ["/a", "/c"]
    assert [event.path for event in events if isinstance(event, ContainerOpened)] == [""]
    assert [type(event) for event in events if isinstance(event, (DiagnosticRecorded, StringProgress))] == [
        DiagnosticRecorded
    ] * 2
    result = parser.finish("complete")
    assert (result.outcome, result.stable_value) == ("invalid", {"a": 1, "c": 3})


def test_nobody_hears_of_it_when_it_comes_in_pieces():
    """The same for strings that grow slowly, next to the key and deep below it."""
    parser = Parser(string_progress=True)
    for character in '{"a": "x", "a": ["in", {"b": "side"}], "a": "be", "c": "side"}':
        parser.push(character)
        _ = parser.failed
    events = parser.drain_events()
    assert [(event.path, event.text) for event in events if isinstance(event, StringProgress)] == [
        ("/a", "x"),
        *(("/c", character) for character in "side"),
    ]
    assert [(event.path, event.value) for event in events if isinstance(event, ValueCommitted)] == [
        ("/a", "x"),
        ("/c", "side"),
    ]


def test_kept_control_characters_are_a_repair_that_loses_nothing():
    parser = parsed('{"a": "x\ny\tz", "b\x00": "\x01"}', control_characters="keep")
    result = parser.finish("complete")
    assert result.value == {"a": "x\ny\tz", "b\x00": "\x01"}
    assert [(repair.path, repair.byte_offset, repair.lossy) for repair in result.repairs] == [
        ("/a", 8, False),
        ("", 17, False),
        ("/b\x00", 22, False),
    ]
    assert [event.path for event in parser.drain_events() if isinstance(event, RepairApplied)] == ["/a", "", "/b\x00"]


def test_isolated_text_is_kept_apart_and_rules_out_execution():
    parser = parsed('{"a": 1} \n', " So", " that\n", "is it.", trailing="isolate")
    assert parser.snapshot().trailing_text == "So that\nis it."
    result = parser.finish("complete")
    assert (result.outcome, result.executable, result.trailing_text) == ("salvaged", False, "So that\nis it.")
    assert result.stable_value == {"a": 1}
    assert [(repair.code, repair.lossy) for repair in result.repairs] == [("W_TRAILING_TEXT_ISOLATED", True)]
    assert [diagnostic.code for diagnostic in result.diagnostics] == ["W_TRAILING_TEXT_ISOLATED"]


def test_white_space_after_the_document_is_not_isolated():
    result = parsed("{} \n", trailing="isolate").finish("complete")
    assert (result.executable, result.trailing_text, result.repairs) == (True, "", ())


def test_without_events_there_is_nothing_to_drain():
    parser = parsed("[1]", events=False)
    assert parser.events_waiting == 0
    with pytest.raises(InvalidOptionError, match="events=False"):
        parser.drain_events()


def test_equal_keys_are_one_object():
    """A thousand records share their keys, however they are read."""
    for options in ({}, {"events": False}):
        parser = Parser(**options)
        for at in range(20):
            parser.push('[{"a_key":' if at == 0 else ',{"a_key":')
            parser.push("[1]}")
            _ = parser.failed
        parser.push("]")
        keys = {id(key) for record in parser.finish("complete").value for key in record}
        assert len(keys) == 1


def test_a_parser_is_freed_with_its_last_reference():
    """No cycle keeps a value in memory until the collector runs."""
    gc.disable()
    try:
        parser = parsed('{"a": [1]}')
        _ = parser.preview
        result = parser.finish("complete")
        core = weakref.ref(parser._core)
        del parser
        assert result.value == {"a": [1]}
        del result
        assert core() is None
    finally:
        gc.enable()


def test_what_is_shown_of_events_and_results_is_short_and_has_no_inside():
    """A representation ends up in logs: the place as a pointer's parts, and the value, are not in it twice."""
    parser = Parser(string_progress=True)
    parser.push('{"secret key": ["secret text", {"a": 1}]}')
    shown = repr(parser.drain_events())
    assert "chain" not in shown
    assert "secret key" not in shown
    snapshot, result = parser.snapshot(), parser.finish("complete")
    for record in (snapshot, result):
        assert "secret" not in repr(record)
        assert "=<" not in repr(record)


def test_two_results_that_say_the_same_are_equal():
    """The value is not part of what a result says, nor is the parser that it came from."""

    def result_of(text):
        parser = Parser()
        parser.push(text)
        return parser.finish("complete")

    assert result_of('{"a":1}') == result_of('{"b":2}')
    assert result_of('{"a":1}') != result_of('{"a":10}')


@pytest.mark.parametrize("text", ["", "[1,", '{"a":"b', "[1,2", "[1,x", '{"a":1,"a":2}', "[1] x"])
def test_a_snapshot_counts_as_the_parser_does(text):
    parser = Parser()
    parser.push(text)
    snapshot = parser.snapshot()
    assert (snapshot.bytes_received, snapshot.bytes_accepted) == (parser.bytes_received, parser.bytes_accepted)
    assert snapshot.bytes_received == len(text)
    result = parser.finish("complete")
    assert (result.bytes_received, result.bytes_accepted) == (snapshot.bytes_received, snapshot.bytes_accepted)


def test_what_is_open_is_named_from_the_outside_in():
    parser = Parser()
    for piece, kinds in (
        ("[0,", ["array"]),
        ('[{"":', ["array", "object"]),
        ('{"b":[', ["object", "array"]),
        ('[{"c":', ["array", "object"]),
    ):
        before = parser.snapshot().pending
        parser.push(piece)
        assert parser.snapshot().pending == (*before, *kinds)


def test_members_stand_in_the_order_in_which_they_came():
    """Also when several came between two looks."""
    parser = Parser()
    keys = [f"k{at}" for at in range(9)]
    parser.push("{" + ",".join(f'"{key}":{{"y":1,"x":2}}' for key in keys[:3]) + ",")
    assert list(parser.stable_value) == keys[:3]
    parser.push(",".join(f'"{key}":{{"y":1,"x":2}}' for key in keys[3:]) + ",")
    assert list(parser.stable_value) == keys
    assert all(list(member) == ["y", "x"] for member in parser.stable_value.values())


def test_a_look_copies_only_what_was_added():
    """What was copied once, and what its owner did to it, stays."""
    parser = Parser()
    parser.push("[[1,[2],")
    first = parser.stable_value
    first[0][1].append("mine")
    parser.push("[3],")
    assert parser.stable_value is first
    assert first == [[1, [2, "mine"], [3]]]
    parser.push("[4]],[")
    assert parser.stable_value is first
    assert first == [[1, [2, "mine"], [3], [4]], []]


def test_a_number_at_the_root_is_out_of_range_where_it_begins():
    for text in ("1e999", "  1e999", "\n\n   -1e999"):
        parser = Parser()
        parser.push(text)
        result = parser.finish("complete")
        (found,) = result.diagnostics
        assert found.code == "E_NUMBER_RANGE"
        assert found.byte_offset == len(text) - len(text.strip())
        assert found.column == found.byte_offset + 1 - text.count("\n")
        assert result.outcome == "invalid"


def test_one_string_has_one_warning_however_many_control_characters_and_chunks():
    parser = Parser(control_characters="keep")
    for piece in ('["a\tb', "c\nd", "\r", '", "e\t", "\t\t"]'):
        parser.push(piece)
        assert not parser.failed
    result = parser.finish("complete")
    assert [found.code for found in result.diagnostics] == ["W_RAW_CONTROL_CHARACTER"] * 3
    assert [repair.path for repair in result.repairs] == ["/0", "/1", "/2"]
    assert result.executable
    assert result.value == ["a\tbc\nd\r", "e\t", "\t\t"]


def test_members_that_were_copied_are_not_copied_again():
    """What the owner of the copy did to one stays, in objects as in arrays."""
    parser = Parser()
    parser.push('{"a":{"x":1},')
    copied = parser.stable_value
    copied["a"]["mine"] = True
    for key in "bcdefgh":
        parser.push(f'"{key}":[{{"y":2}}],')
        assert parser.stable_value is copied
        assert copied["a"] == {"x": 1, "mine": True}
    assert list(copied) == list("abcdefgh")


def test_an_interrupt_while_a_long_chunk_is_pushed_ends_the_document(monkeypatch):
    """Part of the chunk may have been read: nothing that follows makes the document whole."""
    parser = Parser()
    parser.push("[1,")

    def interrupted(text):
        raise KeyboardInterrupt

    monkeypatch.setattr(Parser, "_read", lambda self, text: interrupted(text))
    with pytest.raises(KeyboardInterrupt):
        parser.push("2," * 2000)
    assert parser.failed
    monkeypatch.undo()
    parser.push("3]")
    assert parser.failed
    result = parser.finish("complete")
    assert not result.executable
    assert [found.code for found in result.diagnostics] == ["E_INTERNAL"]


@pytest.mark.parametrize("chunk", [b"2,", "2,"])
def test_an_interrupt_while_gathered_chunks_are_read_ends_the_document(monkeypatch, chunk):
    parser = Parser()
    parser.push("[1,")
    parser.push(b"\xc3" if isinstance(chunk, bytes) else "\ud83d")  # so that what follows is read at once
    assert not parser.failed

    def interrupted(self, data):
        raise KeyboardInterrupt

    monkeypatch.setattr(Parser, "_read", interrupted)
    monkeypatch.setattr(Parser, "_read_bytes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        parser.push(chunk)
    assert parser.failed
    monkeypatch.undo()
    assert not parser.finish("complete").executable


def test_words_are_compared_by_value():
    """A caller's words need not be the very objects that the source holds."""
    made = {word: "".join(list(word)) for word in ("keep", "isolate", "complete", "length")}
    parser = Parser(control_characters=made["keep"], trailing=made["isolate"])
    parser.push('["a\tb"] tail')
    result = parser.finish(made["complete"])
    assert (result.outcome, result.trailing_text) == ("salvaged", "tail")
    assert parser.finish("".join(list("complete"))) is result
    whole = Parser()
    whole.push("12")
    assert whole.finish("".join(list("complete"))).executable
    parser = Parser()
    parser.push("[1]")
    assert parser.finish("".join(list("complete"))).executable


def test_what_was_set_aside_makes_nothing_whole_that_is_cut():
    """The document is whole, and what follows it ends inside a code point."""
    parser = Parser(trailing="isolate")
    parser.push(b"{} x\xc3")
    assert parser.finish("complete").outcome == "invalid"


@pytest.mark.parametrize("rest", ["", "a", "abc", "é世"])
@pytest.mark.parametrize("half", [b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", "\ud83d"])
def test_text_after_half_a_character_is_counted(half, rest):
    """Bytes that wait for the rest of a code point, then text: all of it was received."""
    parser = Parser()
    parser.push('["')
    parser.push(half)
    if isinstance(half, bytes):
        parser.push(rest)
    else:
        parser.push(rest.encode())
    result = parser.finish("complete")
    size = len(half) if isinstance(half, bytes) else 3
    assert result.bytes_received == 2 + size + len(rest.encode())
    assert not result.executable


def test_escapes_and_control_characters_in_one_run_are_kept():
    parser = Parser(control_characters="keep")
    parser.push('["\\n\tb\\u0041\x01\\"", "\\t\t"]')
    assert parser.finish("complete").value == ['\n\tbA\x01"', "\t\t"]


@pytest.mark.parametrize("length", [78, 79, 80, 81, 200])
def test_a_long_name_in_a_message_is_cut_to_eighty_characters(length):
    from interlock.parser.machine import shorten

    shown = shorten("x" * length)
    assert shown == ("x" * length if length <= 80 else "x" * 77 + "...")


def test_options_are_named():
    with pytest.raises(TypeError):
        Parser(Limits())


@pytest.mark.parametrize("first", REASONS)
@pytest.mark.parametrize("second", REASONS)
def test_a_document_ends_once(first, second):
    parser = parsed("[1]")
    result = parser.finish(first)
    if first == second:
        assert parser.finish(second) is result
    else:
        with pytest.raises(ParserFinishedError):
            parser.finish(second)


@pytest.mark.parametrize("space", ["", " ", "\n ", "       "])
@pytest.mark.parametrize("text", ["1", "12", "-1.5e3", "true"])
def test_a_scalar_by_itself_says_where_it_stands(space, text):
    """Its end is the input's end, and its start is counted back from there."""
    parser = parsed(space, text)
    parser.finish("complete")
    committed, document = list(parser.drain_events())[:2]
    assert (committed.start, committed.end) == (document.start, document.end) == (len(space), len(space + text))


def test_what_is_set_aside_says_where_it_begins():
    result = parsed("\n{} \n é", trailing="isolate").finish("complete")
    assert [(one.byte_offset, one.lossy) for one in result.repairs] == [(6, True)]


def test_what_follows_a_container_under_a_repeated_key_is_shown():
    parser = parsed('{"a":1,"a":{"x":[]},"b":2,"a":3,"c":[4]}')
    assert parser.stable_value == {"a": 1, "b": 2, "c": [4]}


@pytest.mark.parametrize(
    "text",
    ['{"a":1,"b":[[],{}]}', '{"a":1,"a":[[],[[]],{"x":[]}]}', '{"a":[],"a":{"a":1,"a":[]},"b":["x"]}', "[1,[2,[3]]]"],
)
@pytest.mark.parametrize("step", [1, 100])
def test_a_queue_that_holds_all_events_is_long_enough(text, step):
    """What is shown to nobody takes no place in it."""
    chunks = [text[at : at + step] for at in range(0, len(text), step)]
    parser = parsed(*chunks)
    events = list(parser.drain_events())
    limited = parsed(*chunks, limits=Limits(queued_events=len(events)))
    assert list(limited.drain_events()) == events
    assert limited.finish("complete").diagnostics == parser.finish("complete").diagnostics


@pytest.mark.parametrize("chunk", [b"2,", "2,"])
def test_an_interrupt_while_a_chunk_itself_is_read_ends_the_document(monkeypatch, chunk):
    """What was gathered before has been read, and the chunk may have been in part."""
    parser = Parser()
    parser.push("[1,")
    parser.push(b"\xc3" if isinstance(chunk, bytes) else "\ud83d")
    assert not parser.failed
    for name, method in (("_read", Parser._read), ("_read_bytes", Parser._read_bytes)):

        def interrupted(self, data, whole=method):
            if data == chunk:
                raise KeyboardInterrupt
            whole(self, data)

        monkeypatch.setattr(Parser, name, interrupted)
    with pytest.raises(KeyboardInterrupt):
        parser.push(chunk)
    assert parser.failed
    assert not parser.finish("complete").executable
