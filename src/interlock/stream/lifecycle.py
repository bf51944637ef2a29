"""What may happen to a call that was started, as a table. A pair that is absent is a protocol violation."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

__all__ = ["CALL_LIFECYCLE", "CallInput", "CallState"]


class CallState(Enum):
    """Where a call stands on its wire."""

    OPEN = "open"
    ENDED = "ended"


class CallInput(Enum):
    """What the wire says about a call."""

    IDENTITY = "call_identity"
    NAME = "name_delta"
    ARGUMENTS = "arguments_delta"
    FINAL = "arguments_final"
    VALUE = "arguments_value"
    END = "call_end"


_OPEN, _ENDED = CallState.OPEN, CallState.ENDED

CALL_LIFECYCLE: Final[Mapping[tuple[CallState, CallInput], CallState]] = {
    (_OPEN, CallInput.IDENTITY): _OPEN,  # a conflicting one is told apart by the coordinator
    (_OPEN, CallInput.NAME): _OPEN,
    (_OPEN, CallInput.ARGUMENTS): _OPEN,
    (_OPEN, CallInput.FINAL): _OPEN,
    (_OPEN, CallInput.VALUE): _OPEN,
    (_OPEN, CallInput.END): _ENDED,
    # Protocols repeat id and value after a call's end; a repetition adds nothing and is compared.
    (_ENDED, CallInput.IDENTITY): _ENDED,
    (_ENDED, CallInput.FINAL): _ENDED,
    (_ENDED, CallInput.VALUE): _ENDED,
}
