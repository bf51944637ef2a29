"""Server-sent events against the WHATWG rules, whole, byte by byte, and at drawn splits."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.stream.framing.sse import SSEDecoder

A, B = {"a": 1}, {"b": "zwei\u2028\n"}
DATA_A, DATA_B = json.dumps(A), json.dumps(B, ensure_ascii=False)
BODIES = {
    "LF": f"data: {DATA_A}\n\ndata: {DATA_B}\n\n",
    "CR": f"data: {DATA_A}\r\rdata: {DATA_B}\r\r",
    "CRLF": f"data: {DATA_A}\r\n\r\ndata: {DATA_B}\r\n\r\n",
    "mixed": f"data: {DATA_A}\r\n\rdata: {DATA_B}\n\r\n",
    "CRLF and then LF": f"data: {DATA_A}\r\n\ndata: {DATA_B}\r\n\n",
    "a byte order mark": f"\ufeffdata: {DATA_A}\n\ndata: {DATA_B}\n\n",
    "comments": f": OPENROUTER PROCESSING\n\n:\ndata: {DATA_A}\n: mid\n\n:\n\ndata: {DATA_B}\n\n:\n",
    "other fields": f"event: x\nid: 7\nretry: 10\ndata: {DATA_A}\nfoo: bar\nbaz\n\nevent: y\ndata:{DATA_B}\n\n",
    "data over several lines": f'data: {{"a":\ndata:  1}}\n\ndata: {DATA_B}\n\n',
    "data over several lines, CR": f'data: {{"a":\rdata:  1}}\r\rdata: {DATA_B}\r\r',
    "data over several lines, CRLF": f'data: {{"a":\r\ndata:  1}}\r\n\r\ndata: {DATA_B}\r\n\r\n',
    "no space after the colon": f"data:{DATA_A}\n\ndata:{DATA_B}\n\n",
    "events without data": f"event: ping\n\ndata\n\ndata:\n\ndata: {DATA_A}\n\ndata: {DATA_B}\n\n",
    "blank lines": f"\n\n\ndata: {DATA_A}\n\n\n\ndata: {DATA_B}\n\n\n",
    "an event that no blank line closes": f"data: {DATA_A}\n\ndata: {DATA_B}\n\ndata: {DATA_A}\n",
    "a line that has no end": f"data: {DATA_A}\n\ndata: {DATA_B}\n\ndata: {DATA_A}",
}


# Data that no blank line closed is no event, but a sign that the body was cut.
TAILS = {
    "an event that no blank line closes": [{"raw": DATA_A}],
    "a line that has no end": [{"raw": DATA_A}],
}


def decode(chunks: list[bytes], limit: int = 10_000) -> list[object]:
    """All events of a body in pieces."""
    decoder = SSEDecoder(limit)
    return [event for chunk in chunks for event in decoder.feed(chunk)] + decoder.close()


@pytest.mark.parametrize("name", BODIES)
def test_the_two_events_come_out_whole_and_byte_by_byte(name: str) -> None:
    """Every framing gives the same two events."""
    body = BODIES[name].encode()
    want = [A, B, *TAILS.get(name, [])]
    assert decode([body]) == want
    assert decode([body[at : at + 1] for at in range(len(body))]) == want
    for at in range(len(body)):
        assert decode([body[:at], b"", body[at:]]) == want


@settings(max_examples=200)
@given(st.sampled_from(sorted(BODIES)), st.lists(st.integers(0, 200)))
def test_any_split_gives_the_same_events(name: str, cuts: list[int]) -> None:
    """The events do not depend on where the body was cut."""
    body = BODIES[name].encode()
    edges = [0, *sorted(cut for cut in cuts if cut < len(body)), len(body)]
    assert decode([body[a:b] for a, b in pairwise(edges)]) == [A, B, *TAILS.get(name, [])]


@pytest.mark.parametrize(
    ("data", "event"),
    [
        (b"[DONE]", "[DONE]"),
        (b"[DONE] ", "[DONE]"),
        (b'{"a": 1', {"raw": '{"a": 1'}),
        (b'{"a": 1} x', {"raw": '{"a": 1} x'}),
        (b'{"a": "\xff"}', {"raw": '{"a": "\\xff"}'}),
        (b"[1]", {"raw": "[1]"}),
        (b'{"a": 1, "a": 2}', {"raw": '{"a": 1, "a": 2}'}),
        (b'{"a": {"b": 1, "b": 1}}', {"raw": '{"a": {"b": 1, "b": 1}}'}),
        (b"7", {"raw": "7"}),
        (b"[" * 100_000, {"raw": "[" * 100_000}),
    ],
)
def test_data_that_is_no_object(data: bytes, event: object) -> None:
    """What cannot be read is reported, never dropped or repaired."""
    assert decode([b"data: " + data + b"\n\n"], 1_000_000) == [event]


def test_an_event_over_the_limit_stops_the_decoder() -> None:
    """At the limit fine, one byte past it the decoder gives up and holds nothing."""
    body = b"data: " + b'"' + b"x" * 98 + b'"'
    decoder = SSEDecoder(len(body))
    assert decoder.feed(body) == [] and not decoder.overflowed
    assert decoder.feed(b"\n\n") == [{"raw": '"' + "x" * 98 + '"'}]
    decoder = SSEDecoder(len(body) - 1)
    assert decoder.feed(body) == [] and decoder.overflowed
    assert decoder.feed(b"\n\ndata: {}\n\n") == []


@given(st.lists(st.binary(max_size=30), max_size=8))
def test_any_bytes_are_survived(chunks: list[bytes]) -> None:
    """Rubbish gives events or nothing, never an exception, and the same at any split."""
    whole = b"".join(chunks)
    assert decode(chunks) == decode([whole]) == decode([whole[at : at + 1] for at in range(len(whole))])


@pytest.mark.parametrize("step", [1, 2, 3, 7, 50, 1000])
@pytest.mark.parametrize("data", ["data: ", "data:", "data: {\ndata:"])
def test_only_the_event_at_hand_counts_against_the_limit(step: int, data: str) -> None:
    """Many events, together far longer than the limit, in pieces of any size; what was dispatched is let go."""
    event = f'{data}{{"a": 1}}\n\n'.replace("{\ndata:{", "{\ndata:").encode()
    body = b": comment\n" + event * 200
    limit = len(event) + step
    decoder = SSEDecoder(limit)
    got = [one for at in range(0, len(body), step) for one in decoder.feed(body[at : at + step])]
    assert got == [{"a": 1}] * 200 and not decoder.overflowed and decoder.close() == []


@pytest.mark.parametrize("line", ["data: x", "data:x", "data"])
def test_lines_without_end_are_counted_one_by_one(line: str) -> None:
    """Each line of data counts with its end, also an empty one; the first too long is the last."""
    text = line.removeprefix("data").lstrip(": ")
    decoder, lines = SSEDecoder(100), 0
    while not decoder.overflowed:
        assert decoder.feed(f"{line}\n".encode()) == []
        lines += 1
    assert lines == 100 // (len(text) + 1) + 1
    assert decoder.feed(b"\n\n") == [] and decoder.close() == []


def test_what_is_left_at_the_end_is_no_event() -> None:
    """What began an event without its blank line is unreadable, once; an end marker or blank data is nothing."""
    for tail, left in (
        (b'data: {"a": 1}\ndata: x', [{"raw": '{"a": 1}\n x'}]),
        (b'data: {"a": 1}\n', [{"raw": '{"a": 1}'}]),
        (b"data: [DONE]", []),
        (b"data: [DONE]\n", []),
        (b"data: \n", []),
        (b": comm", []),
        (b"retry: 10\n", []),
        (b"event: x", [{"raw": "event: x"}]),
        (b"event: x\n", [{"raw": "an event that has not ended"}]),
        (b"event: x\ndata: [DONE]\n", []),
        (b"dat", [{"raw": "dat"}]),
        (b"data: \xff", [{"raw": "\\xff"}]),
    ):
        decoder = SSEDecoder(1000)
        assert decoder.feed(b"data: {}\n\n" + tail) == [{}]
        assert decoder.close() == left
        assert decoder.close() == []


def test_only_the_event_that_is_named_an_error_is_one() -> None:
    """Not those behind it, of which the first has no data."""
    decoder = SSEDecoder(1000)
    got = decoder.feed(
        b'event: error\ndata: {"a": 1}\n\nevent: x\n\ndata: {"a": 1}\n\nevent:error\n\ndata: {"b": 1}\n\n'
    )
    assert len(got) == 4
    assert [one.get("type") for one in got] == ["error", None, "error", None]


@pytest.mark.parametrize("step", [1, 1000])
def test_what_something_else_writes_between_the_events_is_seen(step: int) -> None:
    """llama.cpp's field `error`, and bodies of JSON or HTML that a gateway appends."""
    body = b'data: {"a": 1}\n\nerror: {"code": 500}\n\n{"b": 2}\n<html>\nid: 5\nunknown: x\n\ndata: {"c": 3}\n\n'
    decoder = SSEDecoder(1000)
    got = [one for at in range(0, len(body), step) for one in decoder.feed(body[at : at + step])]
    error = {"type": "error", "error": {"code": 500}}
    assert got == [{"a": 1}, error, {"raw": '{"b": 2}'}, {"raw": "<html>"}, {"c": 3}]
    assert decoder.close() == []


@pytest.mark.parametrize("start", [b"\xef", b"\xef\xbb", b"\xef\xbbdata: {}\n\n", b"\xefdata: {}\n\n"])
def test_half_a_byte_order_mark_is_no_mark(start: bytes) -> None:
    """It is a line that is no field, wherever it is cut."""
    rest = b"\n\ndata: {}\n\n"
    for pieces in ([start + rest], [bytes([byte]) for byte in start + rest]):
        assert decode(pieces)[-1] == {}


@pytest.mark.parametrize(
    ("kept", "open_line", "fits"), [(50, 50, True), (50, 51, False), (60, 41, False), (99, 2, False)]
)
def test_the_lines_of_an_event_and_the_open_line_count_together(kept: int, open_line: int, fits: bool) -> None:
    """What is held of one event, wherever it was cut."""
    decoder = SSEDecoder(100)
    assert decoder.feed(b"data:" + b"x" * (kept - 1) + b"\n") == []
    for at in range(open_line):
        assert not decoder.overflowed
        assert decoder.feed(b"data:"[at : at + 1] or b"x") == []
    assert decoder.overflowed is not fits
