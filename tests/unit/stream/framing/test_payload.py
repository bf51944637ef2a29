"""What the data of one event stands for."""

from __future__ import annotations

import pytest

from interlock.stream.framing.payload import error_of


@pytest.mark.parametrize(
    ("data", "event"),
    [
        (b'{"error": {"code": 529}}', {"error": {"code": 529}}),
        (b'{"type": "error", "error": {"code": 529}}', {"type": "error", "error": {"code": 529}}),
        (
            b'{"type": "message_stop", "error": {}}',
            {"type": "error", "error": {"type": "message_stop", "error": {}}},
        ),
        (b'{"message": "overloaded"}', {"type": "error", "error": {"message": "overloaded"}}),
        (b"{}", {"type": "error", "error": {}}),
        (b"overloaded", {"type": "error", "error": {"message": "overloaded"}}),
        (b"[1]", {"type": "error", "error": {"message": "[1]"}}),
        (b"[DONE]", {"type": "error", "error": {"message": "[DONE]"}}),
        (b"\xff", {"type": "error", "error": {"message": "\\xff"}}),
        (b"", {"type": "error", "error": {"message": ""}}),
    ],
)
def test_what_is_named_an_error_is_one_in_every_wires_words(data: bytes, event: object) -> None:
    assert error_of(data) == event
