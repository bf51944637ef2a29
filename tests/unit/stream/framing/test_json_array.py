"""Streamed JSON arrays: the same events wherever the body is cut, and a cut body is noticed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.stream.framing.json_array import JSONArrayDecoder, SSEOrJSONDecoder

LIMIT = 1 << 20
keys = st.text(max_size=3) | st.sampled_from(['"', "\\", "{", "]", '\\"', "é", "\U0001f600"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | keys,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)
events = st.lists(st.dictionaries(keys, values, max_size=3), max_size=4)


def decode(decoder: Any, pieces: list[bytes]) -> list[Any]:
    """Feed all pieces and close."""
    return [event for piece in pieces for event in decoder.feed(piece)] + decoder.close()


def pieces_of(body: bytes, cuts: list[int]) -> list[bytes]:
    """Cut a body at some places."""
    at = sorted({min(cut, len(body)) for cut in cuts})
    return [body[a:b] for a, b in zip([0, *at], [*at, len(body)], strict=True)]


@given(events, st.sampled_from([None, 1, 2]), st.booleans(), st.lists(st.integers(0, 400), max_size=6))
def test_any_split_gives_the_elements(given_events: list[Any], indent: Any, ascii_only: bool, cuts: list[int]) -> None:
    """An independent encoder writes them, in several styles."""
    body = json.dumps(given_events, indent=indent, ensure_ascii=ascii_only).encode()
    assert decode(JSONArrayDecoder(LIMIT), pieces_of(body, cuts)) == given_events
    assert decode(SSEOrJSONDecoder(LIMIT), pieces_of(b"\xef\xbb\xbf \r\n" + body, cuts)) == given_events


@given(events)
def test_a_body_that_is_cut_ends_in_a_piece_that_is_no_json(given_events: list[Any]) -> None:
    """At every byte: a prefix of the events, and a remark unless nothing at all came."""
    body = json.dumps(given_events).encode()
    for at in range(len(body)):
        got = decode(JSONArrayDecoder(LIMIT), [body[:at]])
        whole = [event for event in got if set(event) != {"raw"} or event in given_events]
        assert whole == given_events[: len(whole)]
        assert len(got) == len(whole) + (at > 0)


@pytest.mark.parametrize(
    "body",
    [
        b'[{"a":1} {"b":2}]',
        b'[{"a":1},,{"b":2}]',
        b'[{"a":1},]',
        b'[{"a":1}]x',
        b'[{"a":1}][',
        b"[1]",
        b'["a"]',
        b"[[]]",
        b"[null]",
        b'{"a":1}{"b":2}',
        b'[{"a":}]',
        b'[{"a":"\xff"}]',
        b'[{"a":[}]}]',
        b"[,",
    ],
)
def test_what_is_no_array_of_objects_is_reported(body: bytes) -> None:
    """Whole or in single bytes; the events before it are kept."""
    for pieces in ([body], [body[at : at + 1] for at in range(len(body))]):
        got = decode(JSONArrayDecoder(LIMIT), pieces)
        assert [set(event) == {"raw"} for event in got].count(True) >= 1


def test_one_object_is_one_event() -> None:
    """The shape of an error's body."""
    assert decode(SSEOrJSONDecoder(LIMIT), [b' {"error": {"code": 429}}\n']) == [{"error": {"code": 429}}]


@pytest.mark.parametrize("first", [b"data: ", b": hi\n\ndata: ", b"\n\n  data: x\n\ndata: ", b"\xef\xbb\xbfdata: "])
def test_any_other_first_byte_is_sse(first: bytes) -> None:
    """Comments, blank lines and a byte order mark may lead."""
    body = first + b'{"a":1}\n\n'
    for pieces in ([body], [body[at : at + 1] for at in range(len(body))]):
        assert [e for e in decode(SSEOrJSONDecoder(LIMIT), pieces) if set(e) != {"raw"}] == [{"a": 1}]


@pytest.mark.parametrize("framing", [JSONArrayDecoder, SSEOrJSONDecoder])
def test_an_element_without_end_is_bounded(framing: Any) -> None:
    """Passing the limit stops it for good."""
    decoder = framing(1000)
    assert decoder.feed(b'[{"a":"') == []
    for _ in range(100):
        assert decoder.feed(b"x" * 100) == []
    assert decoder.overflowed
    assert decoder.feed(b'"}]') == [] and decoder.close() == []


def test_escapes_and_brackets_in_strings_at_every_split() -> None:
    """In two pieces, in three around each byte, and byte by byte."""
    body = rb' [ {"a\"b": "\\", "c": "\\\"}]{[", "d": [{"e": "\u00e9"}, []]} , {"\\\\": ["]", {}]} ] '
    want = json.loads(body)
    ways = [[body], [body[at : at + 1] for at in range(len(body))]]
    ways += [[body[:at], body[at:]] for at in range(len(body))]
    ways += [[body[:at], b"", body[at : at + 1], body[at + 1 :]] for at in range(len(body))]
    for pieces in ways:
        assert decode(JSONArrayDecoder(LIMIT), pieces) == want
        assert decode(SSEOrJSONDecoder(LIMIT), pieces) == want


@pytest.mark.parametrize("framing", [JSONArrayDecoder, SSEOrJSONDecoder])
@pytest.mark.parametrize("step", [1, 7, 1000])
def test_an_element_may_be_as_long_as_the_limit(framing: Any, step: int) -> None:
    """Each of several; one byte more is too long."""
    elements = [b'{"a":"' + b"x" * (100 - 8) + b'"}'] * 3
    body = b"[" + b" , ".join(elements) + b"]"
    pieces = [body[at : at + step] for at in range(0, len(body), step)]
    decoder = framing(100)
    assert len(decode(decoder, pieces)) == 3 and not decoder.overflowed
    decoder = framing(99)
    assert decode(decoder, pieces) == [] and decoder.overflowed


def test_white_space_without_end_is_bounded() -> None:
    """What may still be a byte order mark, or anything, is kept only up to the limit."""
    decoder = SSEOrJSONDecoder(10)
    for _ in range(100):
        assert decoder.feed(b" \r\n") == []
    assert len(decoder._start) <= 10 and not decoder.overflowed
    assert decode(decoder, [b'{"a":1}']) == [{"a": 1}]
    assert SSEOrJSONDecoder(10).close() == []


def test_what_broke_an_array_is_shown_shortly() -> None:
    """Eighty bytes of it, and nothing of what follows."""
    decoder = JSONArrayDecoder(LIMIT)
    assert decoder.feed(b'[{"a":1}' + b"x" * 200) == [{"a": 1}, {"raw": "x" * 80}]
    assert decoder.feed(b',{"b":2}]') == [] and decoder.close() == [] and not decoder.overflowed
    decoder = JSONArrayDecoder(LIMIT)
    assert decoder.feed(b'[{"a":1},') == [{"a": 1}]
    assert decoder.close() == [{"raw": "an array that was not closed"}]
    assert decoder.close() == []
    decoder = JSONArrayDecoder(LIMIT)
    assert [*decoder.feed(b'[{"a":'), *decoder.close()] == [{"raw": '{"a":'}]
