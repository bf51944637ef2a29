"""A recorded stream, cut at every place: after each event, and at each byte of its body.

A body that is cut gives its decoder's events so far, and what the decoder says when it is closed there. Equal
answers are judged once, so that every byte position is covered without judging a long body thousands of times.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

from interlock import Limits
from interlock.stream.framing import decoder_for
from interlock.stream.wires import adapter_class
from support.judging import executed, judged

ENDS = ("eof", "error", "timeout", "cancelled")


def check_event_cuts(wire: str, events: list[Any], *, end: str = "eof", **options: Any) -> int:
    """Cut after each event, the last one left out, and check that only confirmed calls execute.

    Returns:
        How many cut streams were judged.
    """
    whole = executed(judged(wire, events, end=end, **options))
    count = 0
    for cut in range(len(events)):
        _check(wire, events[:cut], whole, options, end)
        count += 2
    return count


def check_byte_cuts(wire: str, body: bytes, events: list[Any], **options: Any) -> int:
    """Cut a body at each byte, and check the same.

    Returns:
        How many byte positions were judged.
    """
    whole = executed(judged(wire, events, **options))
    seen: set[str] = set()
    for got, closing in byte_states(wire, body):
        state = f"{len(got)} {json.dumps(closing)}"
        if state not in seen:
            seen.add(state)
            _check(wire, [*got, *closing], whole, options, "eof")
    return len(body)


def byte_states(wire: str, body: bytes) -> Iterator[tuple[list[Any], list[Any]]]:
    """Yield, for each byte position, the events so far and what closing the body there adds."""
    framing = adapter_class(wire).traits.framing
    decoder = decoder_for(wire, framing, Limits())
    # The end of a body never completes a server-sent event; copying its decoder at each byte would only be slow.
    silent = framing == "sse" or (framing == "sse_or_json" and body.lstrip()[:1] not in (b"[", b"{"))
    got: list[Any] = []
    for at in range(len(body)):
        yield got, [] if silent else copy.deepcopy(decoder).close()
        more = decoder.feed(body[at : at + 1])
        got = [*got, *more] if more else got
    assert not silent or decoder.close() == []


def _check(wire: str, events: list[Any], whole: list[Any], options: dict[str, Any], end: str) -> None:
    got = executed(judged(wire, events, end=end, **options))
    assert all(one in whole for one in got), (len(events), got)
    if got:
        assert any(_ends_a_turn(event) for event in events), (len(events), got)
    assert executed(judged(wire, events, end="error", **options)) == [], len(events)


def _ends_a_turn(event: Any) -> bool:
    """Tell whether an event is a terminal one, read off the providers' documentation and not off an adapter."""
    text = json.dumps(event)
    return any(
        word in text
        for word in (
            '"message_stop"',
            '"finish_reason": "',
            '"response.completed"',
            '"response.done"',
            '"conversation.response.done"',
            '"finishReason": "',
            '"finish-step"',
            '"messageStop"',
            '"message-end"',
            '"done": true',
            '"turnComplete": true',
        )
    )
