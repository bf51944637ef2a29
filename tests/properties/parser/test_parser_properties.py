"""What holds for every document and every way to cut it."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import json
import os

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from interlock.limits import Limits
from interlock.parser import Parser, StringProgress, ValueCommitted
from interlock.parser.events import ContainerClosed
from support.json_documents import SCALARS, broken, cut, observe, raw, replay, texts
from support.strict_json import reference, same, standard

SMALL = Limits(input_bytes=60, depth=2, string_bytes=7, number_bytes=5, queued_events=6, trailing_bytes=3)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "limits": st.just(SMALL),
        "control_characters": st.just("keep"),
        "trailing": st.just("isolate"),
    },
)
REASONS = st.sampled_from(["complete", "length", "network_error", "provider_error", "cancelled", "unknown"])
MANY = settings(max_examples=int(os.environ.get("INTERLOCK_EXAMPLES", "200")), deadline=None)


@MANY
@given(st.data(), raw(), OPTIONS, REASONS)
def test_any_split_gives_the_same_state(data, whole, options, reason):
    """The same bytes, cut in any way, give the same value, events, diagnostics and byte ranges."""
    assert observe([whole], reason, **options) == observe(data.draw(cut(whole)), reason, **options)


@MANY
@given(st.data(), broken(), OPTIONS, REASONS)
def test_text_gives_the_same_state_as_its_bytes(data, whole, options, reason):
    """Text cut in any way gives what its UTF-8 bytes give."""
    assert observe([whole.encode()], reason, **options) == observe(data.draw(cut(whole)), reason, **options)


def looked_at(pieces, reason, looks, **options):
    """Like `observe`, without events, and with a look after every piece if `looks`."""
    parser = Parser(events=False, **options)
    for piece in pieces:
        parser.push(piece)
        if looks:
            _ = parser.failed
    look = parser.snapshot()
    views = repr((look.stable_value, look.preview))
    result = parser.finish(reason)
    return look, views, result, repr(result.value) if result.executable else None, repr(result.stable_value)


RECORD = [
    '{"a":1}',
    '{"a": "b", "c": null}',
    '{"a":1,"a":2}',
    '{"a" :1,"a":":"}',
    '{"a":"\\n"}',
    '{"a":1e999}',
    '{"a":[1]}',
    '{"a":{}}',
    "[]",
    "1",
    '"{"',
    '"}"',
    '{"a":NaN}',
    '{"a":-Infinity}',
    '{"a":"\x00"}',
    "{}",
    "{",
    '{"a":"\\ud800"}',
    '{"a":"é"}',
    '{"a":1e5}',
    '{"a":12345678}',
    '{"a":"abcdefghi"}',
    "{1:2}",
    '{"a":01}',
    '{"a":"b","a":"b"}',
    '{"a":1} ',
]
# Records, whole containers and short documents are read by a quicker way when there are no events.
MANY_RECORDS = st.one_of(
    texts(st.lists(st.dictionaries(st.sampled_from(["a", "b", ":", "{"]), SCALARS, max_size=3), min_size=1)),
    st.lists(st.sampled_from(RECORD)).map(lambda records: "[" + ", ".join(records) + "]"),
)
NESTED = st.recursive(
    st.sampled_from(RECORD),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda items: "[" + ",".join(items) + "]"),
        st.lists(st.tuples(st.sampled_from("abc"), inner), max_size=3).map(
            lambda members: "{" + ", ".join(f'"{key}": {value}' for key, value in members) + "}"
        ),
    ),
    max_leaves=12,
)
# The quick way is for long chunks.
RECORDS = st.builds(lambda text, blanks: " " * blanks + text, MANY_RECORDS | NESTED, st.sampled_from([0, 64, 2100]))


@MANY
@given(st.data(), st.one_of(broken(), RECORDS), OPTIONS, REASONS, st.booleans())
def test_doing_without_events_changes_nothing_else(data, whole, options, reason, looks):
    """Cut in any way, and looked at or not, the value, views and diagnostics are those with events."""
    if "limits" in options:
        options = {**options, "limits": dataclasses.replace(SMALL, queued_events=10**6)}
    _, look, views, result, value, stable, _ = observe([whole], reason, **options)
    pieces = data.draw(cut(whole))
    assert looked_at(pieces, reason, looks, **options) == (look, views, result, value, stable)


@MANY
@given(st.data(), texts(), st.booleans())
def test_a_valid_document_has_the_value_of_the_standard_library(data, text, looks):
    """A strict document is executable, with the value and types that the standard library finds."""
    valid, value = standard(text)
    assert valid
    parser = Parser()
    for piece in data.draw(cut(text)):
        parser.push(piece)
        if looks:
            _ = parser.failed
    result = parser.finish("complete")
    assert result.executable
    assert same(result.value, value)


@MANY
@given(broken())
@example("[1.0e+]")
@example('{"a":1,"a":2,}')
@example("1000e306")
def test_verdict_and_place_of_an_error_are_those_of_the_reference_reader(text):
    """Valid, cut or wrong, and the first wrong byte: as an independent reader finds them."""
    verdict, where = reference(text)
    parser = Parser()
    parser.push(text)
    failed = parser.failed
    number_at_the_root = parser.snapshot().pending == ("number",)  # only the end shows that it is whole
    result = parser.finish("complete")
    assert (verdict == "valid") == result.executable
    assert (verdict == "wrong") == (result.outcome == "invalid")
    assert (verdict == "wrong") == failed or number_at_the_root
    if verdict == "wrong":
        assert result.diagnostics[0].byte_offset == len(text[:where].encode())


@MANY
@given(raw(), REASONS)
def test_only_a_strict_document_that_ended_by_itself_is_executable(data, reason):
    """Executable means: the standard library accepts it, and the reason is `complete`."""
    try:
        valid, value = standard(data.decode())
    except UnicodeDecodeError:
        valid, value = False, None
    result_of = Parser()
    result_of.push(data)
    result = result_of.finish(reason)
    assert result.executable == (valid and reason == "complete")
    if result.executable:
        assert same(result.value, value)
    else:
        with pytest.raises(AttributeError):
            _ = result.value


def contains(whole, part):
    """`part` is `whole` with members left out at the ends of its containers, and never a part of a scalar."""
    if type(whole) is not type(part):
        return False
    if isinstance(part, dict):
        keys = list(part)
        return list(whole)[: len(keys)] == keys and all(contains(whole[key], part[key]) for key in keys)
    if isinstance(part, list):
        return len(part) <= len(whole) and all(map(contains, whole, part))
    return part == whole


@MANY
@given(texts(), st.integers(1, 5))
def test_a_stable_value_is_part_of_the_final_value(text, step):
    """What was shown stays, and no string or number is shown before it is whole."""
    parser = Parser()
    shown = []
    for at in range(0, len(text), step):
        parser.push(text[at : at + step])
        if (stable := parser.snapshot().stable_value) is not None:
            shown.append(copy.deepcopy(stable))
    value = parser.finish("complete").value
    for earlier, later in itertools.pairwise([*shown, value]):
        assert contains(later, earlier)


@MANY
@given(broken(), st.integers(1, 5))
def test_replaying_the_events_rebuilds_the_stable_value(text, step):
    """At any time the events so far say what is stable, and they are numbered without gaps."""
    parser = Parser()
    events = []
    for at in range(0, len(text), step):
        parser.push(text[at : at + step])
        events += parser.drain_events()
        assert same(replay(events), parser.snapshot().stable_value)
    parser.finish("complete")
    events += parser.drain_events()
    assert [event.number for event in events] == list(range(len(events)))
    assert same(replay(events), parser.snapshot().stable_value)


@MANY
@given(broken())
def test_byte_ranges_hold_the_text_of_the_value(text):
    """The bytes between an event's start and end, read alone, give the event's value."""
    data = text.encode()
    parser = Parser()
    parser.push(data)
    stable = parser.snapshot().stable_value
    for event in parser.drain_events():
        if isinstance(event, ValueCommitted):
            found = event.value
        elif isinstance(event, ContainerClosed):
            found = stable
            for part in event.path.split("/")[1:]:
                part = part.replace("~1", "/").replace("~0", "~")
                found = found[int(part)] if isinstance(found, list) else found[part]
            if not standard(data[event.start : event.end].decode())[0]:
                continue  # a duplicate key inside
        else:
            continue
        assert same(standard(data[event.start : event.end].decode())[1], found)


@MANY
@given(broken(), st.integers(1, 4))
def test_the_preview_is_the_stable_value_plus_open_text(text, step):
    """Without the open string, the preview is the stable value; the open string starts the final one."""
    parser = Parser()
    for at in range(0, len(text), step):
        parser.push(text[at : at + step])
        look = parser.snapshot()
        preview, stable = copy.deepcopy(look.preview), look.stable_value
        if not same(preview, stable):
            assert look.pending[-1] in ("string", "escape")
            if isinstance(preview, str):
                assert stable is None
                continue
            inner = preview
            while True:
                last = next(reversed(inner)) if isinstance(inner, dict) else -1
                if isinstance(inner[last], (dict, list)) and inner[last]:
                    inner = inner[last]
                else:
                    break
            assert isinstance(inner.pop(last), str)
            assert same(preview, stable)


@MANY
@given(st.data(), texts())
def test_progress_adds_up_to_the_string(data, text):
    """The texts of one path's progress, joined, are the string that is committed."""
    parser = Parser(string_progress=True)
    for piece in data.draw(cut(text)):
        parser.push(piece)
        _ = parser.failed
    added: dict[str, str] = {}
    for event in parser.drain_events():
        if isinstance(event, StringProgress):
            assert event.text
            added[event.path] = added.get(event.path, "") + event.text
        elif isinstance(event, ValueCommitted) and isinstance(event.value, str):
            assert added.pop(event.path, "") == event.value
    assert not added


@MANY
@given(st.lists(st.one_of(raw(), st.text(max_size=20), st.text('\ud83d\ude00["a\\', max_size=8)), max_size=6), OPTIONS)
def test_nothing_raises(pieces, options):
    """Any bytes and any text, mixed, give a diagnostic at most."""
    parser = Parser(**options)
    size = 0
    for piece in pieces:
        result = parser.push(piece)
        size += len(piece) if isinstance(piece, bytes) else len(piece.encode("utf-8", "surrogatepass"))
        assert result.bytes_accepted >= 0
        json.dumps(parser.snapshot().preview)
    result = parser.finish("unknown")
    assert not result.executable
    assert result.bytes_accepted <= result.bytes_received


@MANY
@given(texts().filter(lambda text: not text.isascii()), st.data())
def test_surrogate_pairs_that_come_in_halves_are_joined(text, data):
    """Text from a source that cuts UTF-16 pairs gives what the whole characters give."""
    halves = "".join(
        character
        if character <= "\uffff"
        else "".join(
            map(chr, (0xD800 + ((ord(character) - 0x10000) >> 10), 0xDC00 + ((ord(character) - 0x10000) & 0x3FF)))
        )
        for character in text
    )
    whole, pieces = observe([text]), observe(data.draw(cut(halves)))
    assert whole == pieces
