"""AWS event stream frames: decoded wherever they are cut, and never trusted once a byte is wrong."""

from __future__ import annotations

import struct
import sys
from binascii import crc32
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock import Guard
from interlock.errors import MissingExtraError
from interlock.stream.framing.aws_event_stream import AWSEventStreamDecoder
from support.aws_frames import body_of, frame

LIMIT = 1 << 20
EVENTS = [
    {"messageStart": {"role": "assistant"}},
    {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "Grüße"}}},
    {"messageStop": {"stopReason": "end_turn"}},
]


def decode(body: bytes, cuts: Any = ()) -> list[Any]:
    """Feed a body in pieces, and close."""
    decoder = AWSEventStreamDecoder(LIMIT)
    at = sorted({min(cut, len(body)) for cut in cuts})
    pieces = [body[a:b] for a, b in zip([0, *at], [*at, len(body)], strict=True)]
    return [event for piece in pieces for event in decoder.feed(piece)] + decoder.close()


@given(st.lists(st.integers(0, 600), max_size=8))
def test_any_split_gives_the_events(cuts: list[int]) -> None:
    """The frames are those of `EVENTS`."""
    assert decode(body_of(EVENTS), cuts) == EVENTS


def test_a_body_that_is_cut_is_noticed_at_every_byte() -> None:
    """A prefix of the events; inside a frame a piece that cannot be read as well."""
    body = body_of(EVENTS)
    ends = [len(body_of(EVENTS[:count])) for count in range(len(EVENTS) + 1)]
    for at in range(len(body)):
        got = decode(body[:at])
        count = sum(end <= at for end in ends) - 1
        assert got[:count] == EVENTS[:count]
        assert [set(event) for event in got[count:]] == ([] if at in ends else [{"raw"}])


@settings(max_examples=200)
@given(st.data())
def test_a_byte_that_changed_is_never_taken_for_an_event(data: st.DataObject) -> None:
    """Both checksums see to that: what is decoded is a prefix of the truth, then at most one remark."""
    body = bytearray(body_of(EVENTS))
    at = data.draw(st.integers(0, len(body) - 1))
    body[at] ^= data.draw(st.integers(1, 255))
    decoder = AWSEventStreamDecoder(LIMIT)
    got = [event for start in range(0, len(body), 7) for event in decoder.feed(bytes(body[start : start + 7]))]
    got += [] if decoder.overflowed else decoder.close()
    whole = [event for event in got if set(event) != {"raw"}]
    assert whole == EVENTS[: len(whole)] and len(whole) < len(EVENTS)
    assert len(got) - len(whole) <= 1 and (decoder.overflowed or len(got) > len(whole))


def test_exceptions_and_errors_keep_their_names() -> None:
    """They are frames of their own types."""
    body = frame("throttlingException", b'{"message":"slow"}', "exception") + frame("InternalError", b"", "error")
    assert decode(body) == [
        {"throttlingException": {"message": "slow"}},
        {"error": {"code": "InternalError", "message": None}},
    ]


@pytest.mark.parametrize("payload", [b"[]", b"{", b"\xff", b"null", b'"x"'])
def test_a_payload_that_is_no_object_cannot_be_read(payload: bytes) -> None:
    """The frame is fine, its content is not."""
    assert [set(event) for event in decode(frame("messageStop", payload))] == [{"raw"}]


def test_a_frame_without_end_is_bounded() -> None:
    """A prelude that announces more than the limit."""
    decoder = AWSEventStreamDecoder(1000)
    body = frame("contentBlockDelta", b'{"a":"' + b"x" * 5000 + b'"}')
    for at in range(0, 3000, 100):
        assert decoder.feed(body[at : at + 100]) == []
    assert decoder.overflowed and decoder.close() == []


@pytest.mark.parametrize("length", range(16))
def test_a_frame_that_says_it_is_shorter_than_a_frame_can_be_is_broken(length: int) -> None:
    """With a checksum that fits; nothing behind it is read, and reading ends."""
    prelude = struct.pack(">II", length, 0)
    short = prelude + struct.pack(">I", crc32(prelude))
    for body in (short, short + body_of(EVENTS)):
        assert {key for event in decode(body) for key in event} == {"raw"}


def test_without_botocore_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Events that were decoded elsewhere are judged all the same."""
    monkeypatch.setitem(sys.modules, "botocore.eventstream", None)
    guard = Guard("bedrock_converse")
    guard.push({"messageStart": {}})
    with pytest.raises(MissingExtraError, match=r"pip install 'interlock\[bedrock\]'") as caught:
        guard.push_bytes(b"x")
    assert (caught.value.package, caught.value.extra) == ("botocore", "bedrock")
