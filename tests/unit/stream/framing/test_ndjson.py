"""Newline-delimited JSON at any split."""

from __future__ import annotations

import pytest

from interlock.stream.framing.ndjson import NDJSONDecoder


def decode(chunks: list[bytes], limit: int = 1000) -> list[object]:
    """All events of a body in pieces."""
    decoder = NDJSONDecoder(limit)
    return [event for chunk in chunks for event in decoder.feed(chunk)] + decoder.close()


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b"\n\n"])
def test_lines_at_every_split(end: bytes) -> None:
    """LF and CRLF, blank lines, and a last line without its end."""
    body = b'{"a": 1}\r\n\n{"b": "\xc3\xa9"}' + end
    want = [{"a": 1}, {"b": "é"}]
    for at in range(len(body) + 1):
        assert decode([body[:at], body[at:]]) == want
    assert decode([body[at : at + 1] for at in range(len(body))]) == want


def test_a_cut_last_line_is_unreadable() -> None:
    """It is reported, not dropped."""
    assert decode([b'{"a": 1}\n{"b"']) == [{"a": 1}, {"raw": '{"b"'}]


def test_a_line_over_the_limit_stops_the_decoder() -> None:
    """Nothing is kept of it."""
    decoder = NDJSONDecoder(8)
    assert decoder.feed(b'{"a": 1}') == [] and not decoder.overflowed
    assert decoder.feed(b" ") == [] and decoder.overflowed
    assert decoder.feed(b"\n{}\n") == []


@pytest.mark.parametrize("step", [1, 2, 7, 50])
def test_only_the_line_at_hand_counts_against_the_limit(step: int) -> None:
    """Many lines, together far longer than the limit, in pieces of any size."""
    body = b'{"a": 1}\n' * 200
    decoder = NDJSONDecoder(8)
    got = [one for at in range(0, len(body), step) for one in decoder.feed(body[at : at + step])]
    assert got == [{"a": 1}] * 200 and not decoder.overflowed and decoder.close() == []
    decoder = NDJSONDecoder(7)
    got = [one for at in range(len(body)) for one in decoder.feed(body[at : at + 1])]
    assert got == [] and decoder.overflowed and decoder.close() == []


def test_a_last_line_is_given_once() -> None:
    """Closing again says nothing; white space is no line."""
    decoder = NDJSONDecoder(100)
    assert decoder.feed(b'{"a": 1}') == [] and decoder.close() == [{"a": 1}] and decoder.close() == []
    assert NDJSONDecoder(100).close() == []
    assert decode([b"{}\n \t\r"]) == [{}]
