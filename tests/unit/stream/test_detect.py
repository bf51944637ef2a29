"""Recognising a wire: whatever the events are, the answer is a wire or an error that says why not."""

from __future__ import annotations

import copy
from contextlib import suppress
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from interlock import Guard
from interlock.errors import WireError
from interlock.stream.wires import WIRES
from support.wires import CLEAN, STREAMS

EVENTS = [(wire, event) for name, (wire, build) in STREAMS.items() for event in build(CLEAN[name])]
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)


@settings(max_examples=300)
@given(st.sampled_from(EVENTS), st.data())
def test_no_event_makes_recognition_fail_in_another_way(chosen: tuple[str, Any], data: st.DataObject) -> None:
    """A real event with one field overwritten, at any depth."""
    event: Any = copy.deepcopy(chosen[1])
    holder: Any = event
    while True:
        at = data.draw(st.sampled_from(sorted(holder) if isinstance(holder, dict) else list(range(len(holder)))))
        if not isinstance(holder[at], dict | list) or not holder[at] or data.draw(st.booleans()):
            break
        holder = holder[at]
    holder[at] = data.draw(values)
    with suppress(WireError):
        assert Guard.detect(event) in WIRES
