"""What the parser hands out: the result of a push, of a look, and of the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from interlock.diagnostics import Diagnostic

__all__ = ["FinalResult", "Outcome", "ParserRepair", "Phase", "PushResult", "Reason", "Snapshot"]

Reason = Literal["complete", "length", "network_error", "provider_error", "cancelled", "unknown"]
REASONS: tuple[Reason, ...] = ("complete", "length", "network_error", "provider_error", "cancelled", "unknown")
Outcome = Literal["valid", "truncated", "salvaged", "invalid"]
Phase = Literal["empty", "open", "complete", "failed", "finished"]


class PushResult(Protocol):
    """What can be asked after a push.

    It is a window on the parser, not a record: it always answers for all that was
    pushed so far. Nothing is read until it is asked, so that a push costs the same
    whether its result is looked at or not.
    """

    @property
    def bytes_received(self) -> int:
        """UTF-8 bytes that were pushed."""

    @property
    def bytes_accepted(self) -> int:
        """UTF-8 bytes that were read without an error that ends the document."""

    @property
    def events_waiting(self) -> int:
        """Events that nobody drained yet."""

    @property
    def failed(self) -> bool:
        """An error was recorded. Once true, it stays true."""

    @property
    def root_complete(self) -> bool:
        """The root value is whole. It may still be followed by something wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParserRepair:
    """Something that a strict reading forbids and an option allowed.

    Attributes:
        code: The warning that goes with it.
        byte_offset: Where it begins, in UTF-8 bytes.
        path: JSON Pointer of the value concerned.
        lossy: Something of the input is not in the value. A lossy repair rules out execution.
    """

    code: str
    byte_offset: int
    path: str
    lossy: bool


class _Views(Protocol):
    @property
    def stable_value(self) -> Any: ...
    @property
    def preview(self) -> Any: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The parser's state at one moment. Taking one costs the same however long the input is.

    The counts and words are those of the moment. The two views are live: they are
    made when they are first read, and the parser adds to the same objects as more
    arrives. They are display copies of plain `dict` and `list`: nothing that a
    caller does to them reaches the value that `finish` gives. To keep one as it
    is, copy it (`copy.deepcopy`). Reading a view costs as much as arrived since it
    was last read.

    Attributes:
        phase: `empty`, `open`, `complete` (the root is whole), `failed` or `finished`.
        state: What the grammar waits for, e.g. `after_member`.
        root_complete: The root value is whole.
        executable: Always False here: only `finish` knows why the input ended.
        pending: What is open, outermost first: `object`, `array`, then `string`,
            `key`, `number`, `literal`, `escape` or `utf8`.
        repairs: What was tolerated.
        diagnostics: All remarks so far.
        bytes_received: UTF-8 bytes that were pushed.
        bytes_accepted: UTF-8 bytes that were read without an error.
        trailing_text: What followed the document, with `trailing="isolate"`.
    """

    phase: Phase
    state: str
    root_complete: bool
    pending: tuple[str, ...]
    repairs: tuple[ParserRepair, ...]
    diagnostics: tuple[Diagnostic, ...]
    bytes_received: int
    bytes_accepted: int
    trailing_text: str
    executable: Literal[False] = False
    _parser: _Views = field(repr=False, compare=False)

    @property
    def stable_value(self) -> Any:
        """Only what can not change any more; None while nothing is committed. A live view."""
        return self._parser.stable_value

    @property
    def preview(self) -> Any:
        """The stable value plus the text so far of an open string. Not final, for display only. A live view."""
        return self._parser.preview


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalResult:
    """What the parser says once the input has ended.

    Attributes:
        outcome: `valid` (the document is whole and strict), `truncated` (cut inside a
            value or before one), `salvaged` (only closing brackets are missing) or
            `invalid` (an error).
        executable: The document is valid, the reason is `complete`, and nothing lossy was tolerated.
        reason: Why the input ended, as `finish` was told.
        stable_value: What arrived whole; a display copy of its own, free to be changed.
        diagnostics: All remarks.
        repairs: What was tolerated.
        bytes_received: UTF-8 bytes that were pushed.
        bytes_accepted: UTF-8 bytes that were read without an error.
        trailing_text: What followed the document, with `trailing="isolate"`.
    """

    outcome: Outcome
    executable: bool
    reason: Reason
    diagnostics: tuple[Diagnostic, ...]
    repairs: tuple[ParserRepair, ...]
    bytes_received: int
    bytes_accepted: int
    trailing_text: str
    _root: tuple[Any, ...] = field(repr=False, compare=False)
    _views: _Views = field(repr=False, compare=False)

    @property
    def stable_value(self) -> Any:
        """What arrived whole, as a copy for display: changing it does not change `value`."""
        return self._views.stable_value

    @property
    def value(self) -> Any:
        """The document, as plain `dict`, `list`, `str`, `int`, `float`, `bool` or None.

        The same object at every access; whoever hands it on to someone that may
        change it hands out a copy.

        Raises:
            AttributeError: The result is not executable, so there is no value.
        """
        if not self.executable:
            raise AttributeError(
                f"the {self.outcome} document that ended with {self.reason!r} has no value; see `stable_value`"
            )
        return self._root[0]
