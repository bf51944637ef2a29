"""What is known of a stream's turns and calls, and what is said about them."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from typing import Any

from interlock.diagnostics import Diagnostic
from interlock.parser import Parser
from interlock.stream.assembly import Assembly
from interlock.stream.events import CallKind, Fault
from interlock.stream.lifecycle import CallState
from interlock.tools.schema_watch import EarlyChecker
from interlock.tools.validators import Toolset
from interlock.vocabulary import EndReason

__all__ = [
    "MAX_DIAGNOSTICS",
    "MAX_MESSAGE",
    "MISSING",
    "Call",
    "Missing",
    "Turn",
    "not_offered",
    "same_json",
    "shortened",
]

MAX_MESSAGE = 500  # characters of a remark; a provider's own text in it may be megabytes
MAX_DIAGNOSTICS = 100  # remarks kept for one call, or one stream; the first ones say what went wrong


class Missing:
    """The sort of `MISSING`: no value was given (`None` is a JSON value)."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = Missing()


class Turn:
    """One model response: a choice, a candidate, a response, a step."""

    __slots__ = ("calls", "doubt", "faults", "key", "provider_reason", "reason", "replaced")

    def __init__(self, key: str) -> None:
        self.key = key
        self.reason: EndReason | None = None  # None until the turn's own terminal event
        self.provider_reason: str | None = None
        self.doubt: tuple[EndReason, str | None] | None = None  # what speaks against the turn, if nothing ends it
        self.faults: set[Fault] = set()
        self.calls: list[Call] = []
        self.replaced = False  # another turn took its place before it ended

    @property
    def closed(self) -> bool:
        """Whether anything more about this turn comes too late."""
        return self.reason is not None or self.replaced


class Call:
    """One tool call as the stream told it."""

    __slots__ = (
        "accepts",
        "answered",
        "assembly",
        "diagnostics",
        "early",
        "end_reason",
        "ended_empty",
        "executed",
        "faults",
        "held",
        "id",
        "index",
        "internal_id",
        "key",
        "kind",
        "mismatched",
        "name",
        "parser",
        "place",
        "projection",
        "quick",
        "refused",
        "server_executed",
        "spoilt",
        "state",
        "text",
        "text_bytes",
        "text_confirmed",
        "turn",
        "unseen",
        "untyped",
    )

    def __init__(self, internal_id: str, key: str, turn: Turn, kind: CallKind) -> None:
        self.internal_id = internal_id
        self.key = key
        self.turn = turn
        self.kind = kind
        self.id: str | None = None
        self.index: int | None = None
        self.name: str | None = None
        self.state = CallState.OPEN
        self.accepts = True  # deltas are welcome: the call is open, and so are its turn and stream
        self.server_executed = False
        self.executed = False
        self.answered = False  # the reader's own result is on the wire: the right to run it is used up
        self.faults: set[Fault] = set()
        self.diagnostics: list[Diagnostic] = []
        self.parser: Parser | None = None  # made for a call of kind `json` when its first text comes
        self.quick: Callable[[str | bytes], object] | None = None  # the parser's push, where nobody else wants the text
        self.early: EarlyChecker | None = None  # watches the arguments while they come
        self.refused = False  # it said that they can never be valid
        self.place: tuple[list[str | int], bool] | None = None  # the value that it was asked about before it was whole
        self.unseen = 0  # characters since the last look at whether the call is doomed
        self.spoilt = False  # the parser's failure was told
        self.text_bytes = 0  # of a call of kind `text`
        self.text: StringIO | None = None  # the raw text, kept only where the wire repeats it
        self.untyped = False  # a fragment of it was no text
        self.text_confirmed = False  # the wire stated the whole text, and it agreed
        self.mismatched = False  # the wire stated a text that differs
        self.projection: Any = MISSING
        self.ended_empty = False  # it had ended without arguments when the projection came
        self.assembly: Assembly | None = None  # where the wire sends the arguments in addressed pieces
        self.held = False  # it waits for somebody, or was taken back
        self.end_reason: EndReason | None = None

    def remark(self, code: str, message: str, fault: Fault | None = None) -> Diagnostic:
        """Record a diagnostic, and the fault that it stands for."""
        if fault is not None:
            self.faults.add(fault)
        diagnostic = Diagnostic(code=code, message=shortened(message), call_id=self.id, tool=self.name)
        if len(self.diagnostics) < MAX_DIAGNOSTICS:
            self.diagnostics.append(diagnostic)
        return diagnostic

    @property
    def received_bytes(self) -> int:
        """UTF-8 bytes of arguments that came."""
        if self.assembly is not None:
            return self.assembly.size
        return self.text_bytes if self.parser is None else self.parser.bytes_received

    @property
    def given(self) -> bool:
        """Whether any arguments came, as text or as a value."""
        return self.received_bytes > 0 or self.projection is not MISSING

    @property
    def inside(self) -> bool:
        """Whether the text of its arguments has begun, and not come to its end."""
        return self.parser is not None and not (self.parser.failed or self.parser.root_complete)

    @property
    def stray(self) -> bool:
        """Whether arguments came for a call that nobody named."""
        return self.name is None and not self.server_executed and self.given

    @property
    def broken(self) -> bool:
        """Whether what came of it contradicts itself, or is no whole text."""
        if "protocol" in self.faults:
            return True
        if "malformed" in self.faults:
            # Named free text of which nothing was taken holds no other call's arguments.
            return self.kind != "text" or self.name is None or self.untyped or self.given
        return self.parser is not None and (self.parser.failed or not self.parser.root_complete)

    @property
    def label(self) -> str:
        """What to call it in a message."""
        return f"call {self.id or self.internal_id!r}"


def not_offered(call: Call, tools: Toolset) -> Diagnostic:
    """Return the remark on a call of a tool that is not among the offered ones."""
    offered = ", ".join(map(repr, tools.names)) or "no tool"
    message = f"{call.label} names {call.name!r}, which was not offered; offered: {offered}"
    return Diagnostic(code="E_UNKNOWN_TOOL", message=shortened(message), call_id=call.id, tool=call.name)


def shortened(message: str) -> str:
    """Return a message without the middle of what makes it too long."""
    if len(message) <= MAX_MESSAGE:
        return message
    half = MAX_MESSAGE // 2
    return f"{message[:half]} ... {message[-half:]}"


def same_json(left: Any, right: Any) -> bool:
    """Tell whether two JSON values are equal; `true` is not `1`, and `1.0` equals `1` as in JSON."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same_json(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(same_json(a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, int | float) and isinstance(right, int | float) and min(abs(left), abs(right)) >= 2**53:
        # JavaScript and others keep 53 bits: their copy of a longer number is the nearest that they have.
        try:
            return float(left) == float(right)
        except OverflowError:
            return left == right
    return bool(left == right)
