"""`Parser`: push, look, drain, finish."""

from __future__ import annotations

from typing import Any, Final, Literal

from interlock.diagnostics import Diagnostic
from interlock.errors import InvalidOptionError, ParserFinishedError
from interlock.limits import DEFAULT_LIMITS, Limits
from interlock.parser import grammar as g
from interlock.parser.codes import Code
from interlock.parser.events import DocumentComplete, Event, StreamFinished, ValueCommitted
from interlock.parser.machine import NUMBER_RANGE, Core, Message, machine
from interlock.parser.results import REASONS, FinalResult, Outcome, Phase, PushResult, Reason, Snapshot
from interlock.parser.tokens import scalar_value
from interlock.parser.utf8 import SURROGATE, Fault, decode, half_pair, join_surrogates
from interlock.parser.views import Views

__all__ = ["Parser"]

# Characters. Short chunks are gathered up to here before they are read, or until somebody
# looks: starting to read, and what a chunk's end cuts, cost as much as a hundred characters.
GATHER: Final = 2048

# States in which nothing but closing brackets is missing.
_CLOSABLE = frozenset((g.AFTER_ITEM, g.AFTER_MEMBER, g.FIRST_ITEM, g.FIRST_KEY))


class Parser:
    """An incremental parser for one JSON document (RFC 8259).

    Work per chunk is constant: nothing is read twice, and memory holds the value, what a
    chunk's end cut, and events that nobody drained. Malformed input is recorded as
    a diagnostic and never raised. After an error the rest of the input is counted and
    ignored, except after `E_DUPLICATE_KEY`: the first value stays and reading goes on.

    Numbers and literals commit when the next character shows that they are whole; at the
    root, also when `finish("complete")` says that there is no next character.

    The value is private to the parser until `finish`: views are copies, see `Snapshot`.

    Args:
        limits: Bounds; the defaults of `Limits` when left out.
        control_characters: `reject` them in strings, as the RFC says, or `keep` them as they
            are, each string with a `W_RAW_CONTROL_CHARACTER`.
        events: Queue events for `drain_events`. Without, they cost nothing; with,
            somebody must drain them before `limits.queued_events` are waiting.
        string_progress: Also queue a `StringProgress` for text added to an open string.
        trailing: `reject` what follows the document, or `isolate` it as `trailing_text`.
            A document with isolated text is never executable.

    Raises:
        InvalidOptionError: An option has a value that it cannot have.
    """

    __slots__ = (
        "_core",
        "_high",
        "_number",
        "_ready",
        "_result",
        "_send",
        "_tail",
        "_views",
        "_waiting",
    )

    def __init__(
        self,
        *,
        limits: Limits | None = None,
        control_characters: Literal["reject", "keep"] = "reject",
        events: bool = True,
        string_progress: bool = False,
        trailing: Literal["reject", "isolate"] = "reject",
    ) -> None:
        if limits is None:
            limits = DEFAULT_LIMITS
        elif not isinstance(limits, Limits):
            raise InvalidOptionError(f"option 'limits' is {limits!r}; expected interlock.limits.Limits")
        if control_characters not in ("reject", "keep"):
            raise InvalidOptionError(
                f"option 'control_characters' is {control_characters!r}; expected 'reject' or 'keep'"
            )
        if trailing not in ("reject", "isolate"):
            raise InvalidOptionError(f"option 'trailing' is {trailing!r}; expected 'reject' or 'isolate'")
        if string_progress and not events:
            raise InvalidOptionError("option 'string_progress' needs events=True")
        self._core = Core(
            limits,
            keep_controls=control_characters == "keep",
            isolate=trailing == "isolate",
            events=events,
            string_progress=string_progress,
        )
        self._waiting = ""  # chunks that were not read yet
        process = machine(self._core)
        next(process)
        self._send = process.send
        self._ready = True  # no code point is open and `finish` was not called
        self._tail = b""  # bytes of an open code point
        self._high = ""  # the first half of a surrogate pair that came as text
        self._number = 0  # of the next event
        self._views = Views(self._core)
        self._result: FinalResult | None = None

    def push(self, chunk: str | bytes | bytearray | memoryview) -> PushResult:
        """Take the next piece of the document; any split is allowed, inside a code point too.

        Malformed input is recorded as a diagnostic and never raised. Short chunks are
        gathered and read together, at the latest when somebody looks at the parser or at
        the result; nothing that can be asked tells the difference.

        Args:
            chunk: Text, or UTF-8 bytes. An empty chunk is allowed and changes nothing.

        Returns:
            A window on the parser's state, for all that was pushed so far.

        Raises:
            ParserFinishedError: `finish` was called before.
            TypeError: `chunk` is neither `str` nor bytes-like.

        Source:
            RFC 8259, section 8.1 (UTF-8); overlong forms: RFC 3629, section 3.
        """
        if chunk.__class__ is str and self._ready:
            waiting = self._waiting + chunk
            if len(waiting) < GATHER:
                self._waiting = waiting
            else:
                self._waiting = ""
                try:
                    self._read(waiting)
                except BaseException:
                    self._core.failed, self._send = True, _broken_off
                    raise
        else:
            self._push_slowly(chunk)
        return self

    feed = push  # a name for callers that do not look at the result

    @property
    def failed(self) -> bool:
        """An error was recorded. Once true, it stays true."""
        if self._waiting:
            self._catch_up()
        return self._core.failed

    @property
    def root_complete(self) -> bool:
        """The root value is whole. It may still be followed by something wrong."""
        if self._waiting:
            self._catch_up()
        return self._core.root_complete

    @property
    def events_waiting(self) -> int:
        """Events that nobody drained yet."""
        if self._waiting:
            self._catch_up()
        return len(self._core.events or ())

    @property
    def bytes_received(self) -> int:
        """UTF-8 bytes that were pushed."""
        self._sync()
        # A half of a surrogate pair counts as the three bytes that it would be alone.
        return self._core.received + len(self._tail) + 3 * len(self._high)

    @property
    def bytes_accepted(self) -> int:
        """UTF-8 bytes that were read without an error that ends the document."""
        self._sync()
        core = self._core
        return self.bytes_received if core.failed_at is None else core.failed_at

    @property
    def stable_value(self) -> Any:
        """Only what can not change any more; None while nothing is committed. A live view, see `Snapshot`."""
        self._sync()
        return self._views.stable_value

    @property
    def preview(self) -> Any:
        """The stable value plus the text so far of an open string. Not final, for display only.

        A live view, see `Snapshot`; taking it after every chunk costs what the chunks add.
        """
        self._views.forget_text()
        self._sync()
        return self._views.preview

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All remarks so far, in order."""
        if self._waiting:
            self._catch_up()
        return tuple(self._core.diagnostics)

    def open_value(self) -> tuple[list[str | int], bool] | None:
        """Tell the place of the value that the text is at, once it is certain that one comes there.

        Returns:
            The keys and indexes from the root, and whether the value is a string that has begun; `None` between
            values, inside a key, and after an error.
        """
        self._sync()
        core = self._core
        if core.failed or core.root_complete:
            return None
        string = core.state == g.STRING
        if not string and not (core.is_object and core.state in (g.COLON, g.VALUE)):
            return None
        steps: list[str | int] = [frame[2] for frame in core.stack[1:] if frame[2] is not None]
        if core.stack:
            steps.append(core.key if core.is_object else len(core.node))
        return steps, string

    def snapshot(self) -> Snapshot:
        """Return the state now; `Snapshot` says what of it is live. Costs the same at any length."""
        received = self.bytes_received
        core = self._core
        return Snapshot(
            phase=self._phase(),
            state=g.STATE_NAMES[core.state],
            root_complete=core.root_complete,
            pending=self._pending(),
            repairs=tuple(core.repairs),
            diagnostics=tuple(core.diagnostics),
            bytes_received=received,
            bytes_accepted=received if core.failed_at is None else core.failed_at,
            trailing_text="".join(core.trailing),
            _parser=self,
        )

    def drain_events(self) -> list[Event]:
        """Return the events since the last drain, oldest first, and forget them.

        Raises:
            InvalidOptionError: The parser was made with `events=False`.
        """
        if self._waiting:
            self._catch_up()
        queue = self._core.events
        if queue is None:
            raise InvalidOptionError("this parser was made with events=False; make it with events=True")
        number = self._number
        self._number += len(queue)
        drained = [entry[0](at, *entry[1:]) for at, entry in enumerate(queue, number)]
        queue.clear()
        return drained

    def finish(self, reason: Reason = "complete") -> FinalResult:
        """Say that the input has ended, and why.

        Args:
            reason: Only `complete` can make a document executable.

        Returns:
            The verdict. Finishing again for the same reason returns the same object.

        Raises:
            InvalidOptionError: The reason is not one of `Reason`.
            ParserFinishedError: `finish` was called before with another reason.
        """
        if reason not in REASONS:
            raise InvalidOptionError(f"reason {reason!r} is not one of {', '.join(REASONS)}")
        if self._result is not None:
            if self._result.reason != reason:
                raise ParserFinishedError(
                    f"finish({reason!r}) after finish({self._result.reason!r}); a document ends once"
                )
            return self._result
        received = self.bytes_received
        core = self._core
        malformed = core.failed
        outcome = self._end(reason)
        if malformed or (outcome == "valid" and core.failed):
            outcome = "invalid"
        elif outcome == "valid" and core.repairs and any(repair.lossy for repair in core.repairs):
            outcome = "salvaged"
        executable = outcome == "valid" and reason == "complete"
        if core.events is not None:
            core.events.append((StreamFinished, reason, outcome, executable))
        self._ready = False
        self._result = FinalResult(
            outcome=outcome,
            executable=executable,
            reason=reason,
            diagnostics=tuple(core.diagnostics),
            repairs=tuple(core.repairs),
            bytes_received=received,
            bytes_accepted=received if core.failed_at is None else core.failed_at,
            trailing_text="".join(core.trailing),
            _root=(core.document[0],) if executable else (),
            _views=self._views,
        )
        return self._result

    def _push_slowly(self, chunk: str | bytes | bytearray | memoryview) -> None:
        if self._result is not None:
            raise ParserFinishedError(
                f"E_PUSH_AFTER_FINISH: push after finish({self._result.reason!r}); "
                "make a new Parser for another document"
            )
        if not isinstance(chunk, (str, bytes, bytearray, memoryview)):
            raise TypeError(f"a chunk is {type(chunk).__name__}; expected str or bytes")
        data: str | bytes
        if isinstance(chunk, str):
            data = str(chunk)
        else:
            data = bytes(chunk)
            if self._ready:
                try:
                    self.push(data.decode())
                except UnicodeDecodeError:
                    pass
                else:
                    return
        self._catch_up()
        try:
            if isinstance(data, str):
                self._read(data)
            else:
                self._read_bytes(data)
        except BaseException:
            self._core.failed, self._send = True, _broken_off
            raise

    def _catch_up(self) -> None:
        waiting, self._waiting = self._waiting, ""
        try:
            self._read(waiting)
        except BaseException:
            # The text is lost. Only this is done about it here: there may be no stack for a call.
            self._core.failed, self._send = True, _broken_off
            raise

    def _read(self, text: str) -> None:
        if self._ready and (text.isascii() or SURROGATE.search(text) is None):
            self._tell(text)
        elif not text:
            pass
        elif self._tail:
            self._pass_on("", b"", "", self._broken(text.encode("utf-8", "surrogatepass")))
        else:
            text, high, fault = join_surrogates(self._high + text)
            self._pass_on(text, b"", high, fault)

    def _read_bytes(self, data: bytes) -> None:
        if not data:
            pass
        elif self._high:
            self._pass_on("", b"", "", self._broken(data))
        else:
            text, tail, fault = decode(self._tail + data)
            self._pass_on(text, tail, "", fault)

    def _pass_on(self, text: str, tail: bytes, high: str, fault: Fault | None) -> None:
        # At most one of the last three is there: what follows `text`.
        if text:
            self._tell(text)
        if fault is None and self._core.failed_at is not None and (tail or high):
            # After an error nothing waits: what comes is only counted.
            fault = Fault("", len(tail or high.encode("utf-8", "surrogatepass")))
            tail, high = b"", ""
        if fault is not None:
            self._tell(fault)
        self._tail, self._high = tail, high
        self._ready = not (tail or high)

    def _broken(self, rest: bytes) -> Fault:
        # Text after half a code point in bytes, or bytes after half a pair in text.
        if self._high:
            return Fault(half_pair(self._high), 3 + len(rest))
        return Fault(f"{self._tail.hex(' ')} (hex), which is not UTF-8", len(self._tail) + len(rest))

    def _sync(self) -> None:
        if self._result is None:
            if self._waiting:
                self._catch_up()
            self._tell(None)

    def _tell(self, message: Message) -> None:
        try:
            self._send(message)
        except StopIteration:
            # An exception broke the reading off, here or in the machine itself, and it cannot go on.
            core = self._core
            if core.failed_at is None:
                core.failed_at = core.received
                self._remark("E_INTERNAL", "an exception that broke the reading off", "to be read to the end")

    def _phase(self) -> Phase:
        core = self._core
        if self._result is not None:
            return "finished"
        if core.failed:
            return "failed"
        if core.root_complete:
            return "complete"
        return "open" if core.received or self._tail or self._high else "empty"

    def _pending(self) -> tuple[str, ...]:
        core = self._core
        parts: list[str] = []
        if core.stack:
            parts += ["object" if frame[1] else "array" for frame in core.stack[1:]]
            parts.append("object" if core.is_object else "array")
        if core.state == g.STRING:
            parts.append("string")
        elif core.state == g.KEY_STRING:
            parts.append("key")
        if core.held:
            parts.append("escape" if core.held[0] == "\\" else _token_name(core.held))
        if self._tail or self._high:
            parts.append("utf8")
        return tuple(parts)

    def _end(self, reason: Reason) -> Outcome:
        # What the input's end means, as if there had been no error; records what is missing.
        core = self._core
        tail = self._tail or self._high
        if core.failed_at is not None:
            return "invalid"
        if tail:
            self._remark("E_INCOMPLETE_UTF8", "the input's end inside a code point", "the rest of it")
            if core.root_complete:
                return "invalid"
        elif core.root_complete:
            return "valid"
        elif core.held:
            if not core.stack and reason == "complete" and self._commit_root():
                return "valid"
            if core.failed:
                return "invalid"
            self._remark(*_CUT[_token_name(core.held)])
        elif core.state >= g.STRING:
            self._remark(*_CUT["string"])
        expected = g.EXPECTED[core.state]
        self._remark("E_STREAM_TRUNCATED", f"the input's end ({reason})", expected)
        if core.stack and not core.held and not tail and core.state in _CLOSABLE:
            return "salvaged"
        return "truncated"

    def _commit_root(self) -> bool:
        # At the root, the end of a complete input shows that a number or literal is whole.
        core = self._core
        whole, value = scalar_value(core.held)
        if not whole:
            return False
        start, end = core.received - len(core.held), core.received
        if value is None and core.held != "null":
            self._remark("E_NUMBER_RANGE", *NUMBER_RANGE, back=len(core.held))
            return False
        core.document.append(value)
        core.root_complete = True
        core.state = g.DONE
        core.held = ""
        if core.events is not None:
            core.events.append((ValueCommitted, None, value, start, end))
            core.events.append((DocumentComplete, start, end))
        return True

    def _remark(self, code: Code, found: str, expected: str, *, back: int = 0) -> None:
        core = self._core
        offset, line, column = core.end_place()
        of_value = core.state <= g.FIRST_ITEM or core.state == g.STRING
        core.remark(code, (offset - back, line, column - back), core.path(of_value=of_value), found, expected)


def _broken_off(_: Message) -> None:
    # In place of the machine, after an exception in the middle of reading.
    raise StopIteration


def _token_name(held: str) -> str:
    if held[0] == "\\":
        return "escape" if held[1:2] == "u" else "string"
    return "literal" if held[0] in "tfn" else "number"


_CUT: dict[str, tuple[Code, str, str]] = {
    "string": ("E_UNTERMINATED_STRING", "the input's end inside a string", "its closing quote"),
    "escape": ("E_INCOMPLETE_UNICODE_ESCAPE", "the input's end inside a \\u escape", "the rest of it"),
    "number": ("E_INCOMPLETE_NUMBER", "the input's end", "what shows that the number is whole"),
    "literal": ("E_INCOMPLETE_LITERAL", "the input's end", "what shows that the literal is whole"),
}
