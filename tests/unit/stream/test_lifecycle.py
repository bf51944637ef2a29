"""What may happen to a call, as the coordinator's users see it."""

from __future__ import annotations

from interlock.stream.events import EVENT_TYPES
from interlock.stream.lifecycle import CALL_LIFECYCLE, CallInput, CallState


def test_what_may_follow_is_written_out_by_hand() -> None:
    """An open call takes everything and its end; an ended one takes only what repeats."""
    table = {(state.value, what.value): after.value for (state, what), after in CALL_LIFECYCLE.items()}
    goes_on = ("call_identity", "name_delta", "arguments_delta", "arguments_final", "arguments_value")
    repeats = ("call_identity", "arguments_final", "arguments_value")
    assert table == {
        **{("open", what): "open" for what in goes_on},
        ("open", "call_end"): "ended",
        **{("ended", what): "ended" for what in repeats},
    }


def test_inputs_have_the_names_of_the_events() -> None:
    """Messages quote them."""
    assert {what.value for what in CallInput} <= EVENT_TYPES.keys()
    assert [state.value for state in CallState] == ["open", "ended"]
