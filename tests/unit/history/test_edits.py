"""Edits: applied together, never on the views that came in."""

from __future__ import annotations

from interlock.history.edits import (
    DropMessage,
    DropPart,
    InsertMessage,
    InsertParts,
    ReplaceMessage,
    ReplacePart,
    SetParts,
    apply,
)
from interlock.history.media import base64_of, image_size, kind_of
from interlock.history.turns import Message, Text


def said(*texts: str, at: int = 0) -> Message:
    """Return a message of the user."""
    held = tuple(Text(native=text, text=text, index=n) for n, text in enumerate(texts))
    return Message(role="user", parts=held, native={"role": "user"}, origins=(at,))


def texts(messages: list[Message]) -> list[list[str]]:
    """Return the words of each message."""
    return [[part.text for part in message.parts if isinstance(part, Text)] for message in messages]


def test_part_edits_of_one_message_do_not_disturb_each_other() -> None:
    """Drops, replacements and inserts name parts of the message as it was shown."""
    one, two = said("a", "b", "c"), said("x", at=1)
    new = Text(native="B", text="B")
    more = Text(native="+", text="+")
    out = apply(
        [one, two],
        [
            DropPart(message=one, part=one.parts[0]),
            ReplacePart(message=one, part=one.parts[1], new=new),
            InsertParts(message=one, at=3, new=(more,)),
            InsertParts(message=one, at=0, new=(more,)),
        ],
    )
    assert texts(out) == [["+", "B", "c", "+"], ["x"]]
    assert out[1] is two
    assert out[0].changed and not one.changed
    assert texts([one]) == [["a", "b", "c"]]


def test_a_message_that_loses_its_last_part_goes() -> None:
    """An empty shell is never left, and what was put behind it stays in its place."""
    one, two = said("a"), said("b", at=1)
    out = apply([one, two], [DropPart(message=one, part=one.parts[0]), InsertMessage(after=one, new=said("new"))])
    assert texts(out) == [["new"], ["b"]]


def test_messages_are_dropped_replaced_and_inserted_in_order() -> None:
    """Inserts behind one anchor keep their order; those that share become one message."""
    one, two = said("a"), said("b", at=1)
    out = apply(
        [one, two],
        [
            ReplaceMessage(message=one, new=(said("a1"), said("a2"))),
            InsertMessage(after=one, new=said("p"), shares=True),
            InsertMessage(after=one, new=said("q"), shares=True),
            InsertMessage(after=None, new=said("front")),
            DropMessage(message=two),
        ],
    )
    assert texts(out) == [["front"], ["a1"], ["a2"], ["p", "q"]]
    assert texts(apply([one, two], [InsertMessage(after=two, new=said("z"))])) == [["a"], ["b"], ["z"]]


def test_a_new_order() -> None:
    """A message can be given its parts in another order."""
    one = said("a", "b")
    assert texts(apply([one], [SetParts(message=one, parts=one.parts[::-1])])) == [["b", "a"]]


def test_an_image_s_size_is_read_from_its_header() -> None:
    """PNG, GIF and JPEG; anything else is not known."""
    import base64
    import struct

    def coded(raw: bytes) -> str:
        return base64.b64encode(raw).decode()

    png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 300, 20) + b"\x08\x02\0\0\0"
    jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x0b\x08" + struct.pack(">HH", 20, 300) + b"\x01\0\0\0"
    assert image_size(coded(png)) == (300, 20)
    assert image_size(coded(b"GIF89a" + struct.pack("<HH", 300, 20) + b"\0\0")) == (300, 20)
    assert image_size(coded(jpeg)) == (300, 20)
    for raw in (b"", b"nothing at all", png[:20], jpeg[:9], b"\xff\xd8\0\0\0\0\0\0\0\0\0\0"):
        assert image_size(coded(raw)) is None
    assert image_size("***") is None
    assert base64_of({"source": {"data": "QQ=="}}) == "QQ=="
    assert base64_of({"image_url": {"url": "data:image/png;base64,QQ=="}}) == "QQ=="
    assert base64_of({"image_url": {"url": "https://example.org/a.png"}}) is None
    assert base64_of(5) is None


def test_a_file_s_ending_tells_its_kind() -> None:
    """Only where the type says no more than `file`."""
    assert kind_of({"file_url": "https://example.org/a.mp3?x=1"}, "file") == "audio"
    assert kind_of({"file": {"filename": "b.MP4"}}, "file") == "video"
    assert kind_of({"filename": "c.pdf"}, "file") == "file"
    assert kind_of({"filename": "c.mp3"}, "image") == "image"
    assert kind_of(None, "file") == "file"
