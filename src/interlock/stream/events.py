"""The normalized events: what every wire says about tool calls, in one set of words.

A wire's file translates provider events into calls of a `Sink`. The records
below are the same events as data: one JSON object a line on the wire
`normalized`.

`key` is a call's source key: the string that identifies the call on its wire
(content block index, choice and tool index, item id). `turn` names the model
response that the call belongs to (a choice, a candidate, a response, a step):
one turn ends once, and its end is evidence for its own calls only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

from interlock.vocabulary import EndReason

__all__ = [
    "EVENT_TYPES",
    "ArgumentsDelta",
    "ArgumentsFinal",
    "ArgumentsPiece",
    "ArgumentsValue",
    "CallEnd",
    "CallHeld",
    "CallIdentity",
    "CallStart",
    "EventsLost",
    "Fault",
    "NameDelta",
    "NormalizedEvent",
    "ProviderDiagnostic",
    "Sink",
    "StreamEnd",
    "ToolExecuted",
    "TurnEnd",
    "TurnReplaced",
    "Usage",
]

CallKind = Literal["json", "text"]

# What a diagnostic means for the decision. Each is sticky: nothing takes it back.
Fault = Literal["internal", "executed", "limit", "provider_error", "content_filtered", "protocol", "malformed"]


class Sink(Protocol):
    """What a wire's adapter tells; the coordinator decides what it is worth."""

    def call_start(
        self,
        key: str,
        *,
        id: str | None = None,
        index: int | None = None,
        name: str | None = None,
        turn: str = "",
        kind: CallKind = "json",
        server_executed: bool = False,
    ) -> None:
        """Open a call. `kind` is `text` when its input is free text and not JSON."""

    def call_identity(self, key: str, *, id: str | None = None, index: int | None = None) -> None:
        """Add an id or index that came late, or repeat it."""

    def name_delta(self, key: str, text: str) -> None:
        """Append to the tool's name."""

    def arguments_delta(self, key: str, text: str | bytes) -> None:
        """Append raw text to the arguments."""

    def arguments_final(self, key: str, text: str) -> None:
        """State the whole raw text of the arguments, as a protocol that repeats it does."""

    def arguments_value(self, key: str, value: Any) -> None:
        """State the arguments as a value that somebody else parsed: a projection, not raw text."""

    def arguments_piece(self, key: str, path: Sequence[str | int], value: Any, *, more: bool = False) -> None:
        """State one value of the arguments, or a piece of a string, and where it belongs.

        `more` says that the wire announced more of the same value; a value is certain when it did not.
        """

    def call_end(self, key: str, reason: EndReason = "complete") -> None:
        """Close a call by its own end event."""

    def call_held(self, key: str, reason: EndReason) -> None:
        """Withdraw what a call's own end said: it waits for somebody (`paused`), or was taken back (`cancelled`).

        `key` is the source key or the provider's id.
        """

    def tool_executed(self, key: str | None = None, *, own: bool = False) -> None:
        """Report evidence that the call was run; `None`: it names no call.

        `own` says that it is the reader's own answer, which the wire repeats to it. After the turn's end that
        is how a conversation goes on: it only uses up the right to run the call.
        """

    def provider_diagnostic(
        self,
        code: str,
        message: str,
        *,
        key: str | None = None,
        turn: str | None = None,
        fault: Fault | None = None,
    ) -> None:
        """Add a remark about a call, a turn, or (neither given) the whole stream."""

    def turn_end(self, turn: str, reason: EndReason, provider_reason: str | None = None) -> None:
        """End one turn, with the provider's own word."""

    def turn_said(self, turn: str, reason: EndReason, provider_reason: str | None = None) -> None:
        """Note what was said of a turn's end without ending it: if nothing ends the turn, it counts against it."""

    def turn_replaced(self, turn: str) -> None:
        """Note that the provider began the turn anew before it ended: its calls can never be confirmed."""

    def stream_end(self, reason: EndReason, provider_reason: str | None = None) -> None:
        """End the whole stream, with the provider's own word."""

    def usage(self, output_tokens: int) -> None:
        """State how many tokens the provider says it generated so far."""

    def done_marker(self, *, goes_on: bool = False) -> None:
        """Note the transport's own end marker, such as `[DONE]`: a courtesy, not evidence.

        What is said of a call after it is late, unless the wire `goes_on`, as a connection with many turns does.
        """

    def crowded(self) -> bool:
        """Count something that a wire keeps in mind besides calls (a choice, an item); tell if that was too much."""

    def events_lost(self, message: str) -> None:
        """Note that a part of the stream could not be read: nothing after it can confirm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallStart:
    """A call opens."""

    type: ClassVar[str] = "call_start"
    key: str
    id: str | None = None
    index: int | None = None
    name: str | None = None
    turn: str = ""
    kind: CallKind = "json"
    server_executed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CallIdentity:
    """A late or repeated id or index."""

    type: ClassVar[str] = "call_identity"
    key: str
    id: str | None = None
    index: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NameDelta:
    """More of the tool's name."""

    type: ClassVar[str] = "name_delta"
    key: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentsDelta:
    """More raw text of the arguments."""

    type: ClassVar[str] = "arguments_delta"
    key: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentsFinal:
    """The whole raw text again."""

    type: ClassVar[str] = "arguments_final"
    key: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentsValue:
    """The arguments as somebody else's value."""

    type: ClassVar[str] = "arguments_value"
    key: str
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentsPiece:
    """One value of the arguments, or a piece of a string, with its place."""

    type: ClassVar[str] = "arguments_piece"
    key: str
    path: Sequence[str | int]
    value: Any
    more: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEnd:
    """The call's own end event."""

    type: ClassVar[str] = "call_end"
    key: str
    reason: EndReason = "complete"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallHeld:
    """The call waits for somebody, or was taken back."""

    type: ClassVar[str] = "call_held"
    key: str
    reason: EndReason


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolExecuted:
    """Something ran this call (or, without a key, some call)."""

    type: ClassVar[str] = "tool_executed"
    key: str | None = None
    own: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderDiagnostic:
    """A remark, with what it means for the decision."""

    type: ClassVar[str] = "provider_diagnostic"
    code: str
    message: str
    key: str | None = None
    turn: str | None = None
    fault: Fault | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnd:
    """One turn ended."""

    type: ClassVar[str] = "turn_end"
    reason: EndReason
    turn: str = ""
    provider_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnReplaced:
    """The provider began a turn anew before it ended."""

    type: ClassVar[str] = "turn_replaced"
    turn: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamEnd:
    """The whole stream ended."""

    type: ClassVar[str] = "stream_end"
    reason: EndReason
    provider_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens generated so far, as the provider counts them."""

    type: ClassVar[str] = "usage"
    output_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EventsLost:
    """A part of the stream could not be read."""

    type: ClassVar[str] = "events_lost"
    message: str


NormalizedEvent = (
    CallStart
    | CallIdentity
    | NameDelta
    | ArgumentsDelta
    | ArgumentsFinal
    | ArgumentsPiece
    | ArgumentsValue
    | CallEnd
    | CallHeld
    | ToolExecuted
    | ProviderDiagnostic
    | TurnEnd
    | TurnReplaced
    | StreamEnd
    | EventsLost
    | Usage
)

EVENT_TYPES: dict[str, type[NormalizedEvent]] = {
    cls.type: cls
    for cls in (
        CallStart,
        CallIdentity,
        NameDelta,
        ArgumentsDelta,
        ArgumentsFinal,
        ArgumentsPiece,
        ArgumentsValue,
        CallEnd,
        CallHeld,
        ToolExecuted,
        ProviderDiagnostic,
        TurnEnd,
        TurnReplaced,
        StreamEnd,
        EventsLost,
        Usage,
    )
}
