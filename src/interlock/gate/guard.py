"""The guard: events in, decisions and one-shot authority out."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, NoReturn, TypeVar, cast, overload

from interlock.diagnostics import Diagnostic
from interlock.errors import InvalidOptionError, WireError
from interlock.gate.authority import Execution, refuse_copy
from interlock.gate.decision import ExecuteDecision, Report
from interlock.gate.judge import Judge
from interlock.limits import DEFAULT_LIMITS, Limits
from interlock.stream.access import MAX_VALUE_DEPTH
from interlock.stream.calls import Call
from interlock.stream.coordinator import Coordinator
from interlock.stream.detect import detect, rate
from interlock.stream.framing import Decoder, decoder_for
from interlock.stream.wires import adapter_class
from interlock.tools.validators import Toolset, compile_tools
from interlock.vocabulary import SOURCE_ENDS, SourceEnd

__all__ = ["Doomed", "Guard", "Watch"]

_Event = TypeVar("_Event")

# What no SDK has for an event. A named tuple may be one.
_NO_EVENT: Final = (AbstractSet, int, float, complex, type(None))
_LOOKED_AT: Final = 4  # events by which a stream of another wire is known


@dataclass(frozen=True, slots=True, kw_only=True)
class Doomed:
    """It is certain that a call cannot execute, while its stream still runs.

    Attributes:
        internal_id: The call; `None`: every call of the stream.
        diagnostic: What settled it.
    """

    internal_id: str | None
    diagnostic: Diagnostic


class Guard:
    """Judges the tool calls of one stream, and hands out each call's authority once.

    A guard never runs a tool. Feed it every event of one model response, say
    how the source ended, and take what may run::

        guard = Guard("anthropic", tools={"write_file": WriteFile})
        for event in guard.watch(stream):
            ...
        for decision in guard.finish().decisions:
            if execution := guard.take(decision.internal_id):
                run(execution.name, execution.value)

    Two guards share nothing. Events are pushed by one thread at a time, which is also the one that asks for
    `doomed` and `snapshot()`; `take` may be called from any number of threads. A guard can be neither copied
    nor pickled.

    Args:
        wire: The stream's format, one of `interlock.vocabulary.STREAM_WIRES`.
        tools: The tools that were offered: name -> Pydantic model, dataclass, TypedDict, msgspec Struct,
            JSON Schema, function or validator; a list of definitions; or a provider's own tools array.
            `None`: any name passes, and no schema is checked.
        limits: Bounds on what one stream may hold.
        allow_unknown_tools: Let a call to a tool that is not in `tools` pass, unchecked.
        trust_projections: Accept arguments that came only as a value that somebody else parsed.
        confirm_on_done: Accept `[DONE]`, or a clean end of the source, as confirmation of a turn that
            never got an end reason and stopped inside no call. For those who know their host.
        on_length: `keep_closed` lets a call execute that its own end event closed before a token limit cut
            the turn; `retry`, the default, does not.
        unwrap_double_encoding: Decode, once, arguments that arrived as JSON inside a JSON string, where the
            schema does not allow a string.
        max_output_tokens: The limit that the request set. When the provider's own usage says that it was
            reached, the turn counts as cut by length, whatever its end reason says: several servers report a
            cut call as `tool_calls`. Known on the OpenAI-compatible, Responses and Anthropic wires.
        coerce: Let the validator convert (a string to a number, ...). `value` stays the raw value;
            `typed_value` is the converted one.
        check_formats: Check JSON Schema's `format`, which is only a note by default.
        validator_timeout: Seconds that one validation may take; `None`: no limit.
        control_characters: `keep` accepts raw control characters inside strings, as some models write them.
        on_doomed: Called as `on_doomed(internal_id, diagnostic)`, once a call, as soon as it is certain that
            the call cannot execute (`internal_id` is `None` when the whole stream is spoilt). Only a no can
            come early, never a yes.

    Raises:
        UnknownWireError: no such wire.
        ToolDefinitionError: a tool cannot be checked as it was given.
        InvalidOptionError: an option has a value that it does not know.
    """

    def __init__(
        self,
        wire: str,
        *,
        tools: Any = None,
        limits: Limits | None = None,
        allow_unknown_tools: bool = False,
        trust_projections: bool = False,
        confirm_on_done: bool = False,
        on_length: Literal["retry", "keep_closed"] = "retry",
        unwrap_double_encoding: bool = False,
        max_output_tokens: int | None = None,
        coerce: bool = False,
        check_formats: bool = False,
        validator_timeout: float | None = None,
        control_characters: Literal["reject", "keep"] = "reject",
        on_doomed: Callable[[str | None, Diagnostic], None] | None = None,
    ) -> None:
        adapter = adapter_class(wire)
        switches = {
            "allow_unknown_tools": allow_unknown_tools,
            "trust_projections": trust_projections,
            "confirm_on_done": confirm_on_done,
            "unwrap_double_encoding": unwrap_double_encoding,
            "coerce": coerce,
            "check_formats": check_formats,
        }
        for option, value in switches.items():
            if type(value) is not bool:  # "false", out of a file of settings, is true to Python
                raise InvalidOptionError(f"option {option!r} is {value!r:.80}; expected True or False")
        if on_doomed is not None and not callable(on_doomed):
            raise InvalidOptionError(f"option 'on_doomed' is {on_doomed!r:.80}; expected a function, or None")
        if on_length not in ("retry", "keep_closed"):
            raise InvalidOptionError(f"option 'on_length' is {on_length!r}; expected 'retry' or 'keep_closed'")
        if control_characters not in ("reject", "keep"):
            raise InvalidOptionError(
                f"option 'control_characters' is {control_characters!r}; expected 'reject' or 'keep'"
            )
        if max_output_tokens is not None and (type(max_output_tokens) is not int or max_output_tokens < 1):
            raise InvalidOptionError(
                f"option 'max_output_tokens' is {max_output_tokens!r}; expected a whole number above zero, or None"
            )
        self.wire = wire
        if limits is not None and not isinstance(limits, Limits):
            raise InvalidOptionError(f"option 'limits' is {limits!r:.80}; expected interlock.Limits(...), or None")
        self._limits = DEFAULT_LIMITS if limits is None else limits
        if self._limits.depth > MAX_VALUE_DEPTH:
            raise InvalidOptionError(
                f"limits.depth is {self._limits.depth}; a guard copies and validates values, which goes "
                f"{MAX_VALUE_DEPTH} levels deep at most"
            )
        toolset: Toolset | None = None
        if tools is not None:
            toolset = compile_tools(
                tools, coerce=coerce, check_formats=check_formats, validator_timeout=validator_timeout
            )
        self._coordinator = Coordinator(
            self._limits,
            keep_text=adapter.traits.repeats_text,
            control_characters=control_characters,
            tools=toolset,
            watch_schemas=not unwrap_double_encoding,
            allow_unknown=allow_unknown_tools,
            on_fault=self._faulted,
        )
        self._adapter = adapter(self._coordinator)
        self._push = self._adapter.push
        self._sdk_types: set[type] = set()  # of the events so far that were neither a dict nor anything odd
        self._decoder: Decoder | None = None  # made by the first push_bytes
        self._judge = Judge(
            wire,
            adapter.traits,
            self._coordinator,
            toolset,
            allow_unknown_tools=allow_unknown_tools,
            trust_projections=trust_projections,
            confirm_on_done=confirm_on_done,
            keep_closed=on_length == "keep_closed",
            unwrap=unwrap_double_encoding,
            max_output_tokens=max_output_tokens,
        )
        self._closed = False  # events are late, or not read any more: `_refuse` looks at them
        self._finished = False
        self._first: list[Any] = []
        self._looking = True  # at the first events
        # How the source ended as far as is known: somebody reads it, and has not said so.
        self._reading: SourceEnd | None = None
        self._over = False  # a limit was passed: nothing more is read
        self._taken: set[str] = set()
        self._taking = False  # in the middle of `take`
        self._telling = 0  # how many calls of `on_doomed` are in progress: an event is not read to its end
        self._followed: dict[str, str] = {}  # a response -> the one of its alternatives that calls were taken from
        self._doomed: dict[str | None, Diagnostic] = {}
        self._on_doomed = on_doomed
        self._coordinator.eager = on_doomed is not None
        self._lock = threading.RLock()

    @staticmethod
    def detect(*events: Any) -> str:
        """Return the wire that the first event (or first few) of a stream belong to.

        Raises:
            UnknownWireError: the events fit no wire.
            AmbiguousWireError: they fit several; `.candidates` names them.
        """
        return detect(events)

    # -- in ------------------------------------------------------------------

    def push(self, event: Any) -> None:
        """Take the next event: a dict, or the SDK's own object. It is only read, never changed.

        What a provider sends never raises. An event after the stream's end, or after `finish`, is late
        evidence and speaks against every call of the stream.
        """
        if self._closed and self._refuse(event):
            return
        try:
            if self._looking:
                self._first.append(event)
                self._looking = len(self._first) < _LOOKED_AT
            if type(event) in self._sdk_types:
                self._push(event)
            else:
                self._push_any(event)
        except Exception as error:
            # An adapter must not raise; if one does, what it did not read could be anything.
            self._judge.broken = True  # first, and without a call: there may be no stack for one
            self._coordinator.internal_fault(f"an event could not be judged: {_described(error)}")
        except BaseException:
            self._judge.broken = True
            raise

    def push_bytes(self, data: bytes | bytearray | memoryview) -> None:
        """Take the next raw bytes of the response body, cut anywhere.

        Raises:
            TypeError: `data` is no bytes.
            InvalidOptionError: this wire has no byte form.
            MissingExtraError: the wire's framing needs an optional package that is not installed.
        """
        if not isinstance(data, bytes | bytearray | memoryview):
            raise TypeError(f"push_bytes takes bytes, not {type(data).__name__}; an event goes to `push`")
        decoder = self._decoder
        if decoder is None:
            decoder = self._decoder = decoder_for(self.wire, self._adapter.traits.framing, self._limits)
        try:
            for event in decoder.feed(bytes(data)):
                self.push(event)
            if decoder.overflowed:
                self._coordinator.limit_passed(
                    "E_LIMIT_FRAME_BYTES", f"one event passes limits.frame_bytes ({self._limits.frame_bytes} bytes)"
                )
        except BaseException:
            self._judge.broken = True
            raise

    @overload
    def watch(
        self, stream: Iterable[_Event] | AsyncIterable[_Event], *, announce_doomed: Literal[False] = False
    ) -> Watch[_Event]: ...

    @overload
    def watch(
        self, stream: Iterable[_Event] | AsyncIterable[_Event], *, announce_doomed: bool
    ) -> Watch[_Event | Doomed]: ...

    def watch(self, stream: Any, *, announce_doomed: bool = False) -> Watch[Any]:
        """Wrap a stream of events, sync or async: each one is pushed, then passed on untouched.

        The guard notes how the stream ended: by itself, by an error (raised on to the caller), or because
        the caller broke out; then the stream is closed. Call `finish` afterwards. Let a stream run out when
        nothing is wrong with it: on the wires that no event ends, leaving early confirms nothing.

        Args:
            stream: An iterable or asynchronous iterable of events.
            announce_doomed: Put a `Doomed` record after the event that makes it certain that a call cannot
                execute, once a call. Break out then to save the rest of the generation.
        """
        return Watch(self, stream, announce_doomed=announce_doomed)

    def source_started(self) -> None:
        """Say that the source is being read by somebody who will say how it ended; `watch` does this by itself.

        Until then `finish` takes the reading for broken off: a reader that was left in the middle may never
        get to say so.
        """
        self._reading = "cancelled"

    def source_ended(self, end: SourceEnd, message: str | None = None) -> None:
        """Say how the source of the events stopped; `watch` does this by itself.

        The first word counts, but for a break after a good end: that is late evidence like any other.
        """
        if end not in SOURCE_ENDS:
            raise InvalidOptionError(f"end is {end!r}; expected one of {', '.join(SOURCE_ENDS)}")
        with self._lock:
            if self._coordinator.source_end is not None:
                if self._coordinator.source_end in ("eof", "still_open") and end in ("error", "timeout"):
                    if message is not None:
                        self._coordinator.provider_diagnostic("W_SOURCE_ENDED", message)
                    self._coordinator.source_ended(end)
                return
            try:
                if self._decoder is not None and end == "eof":
                    for event in self._decoder.close():
                        self.push(event)
                if message is not None:
                    self._coordinator.provider_diagnostic("W_SOURCE_ENDED", message)
                self._adapter.source_ended(end)
            except Exception as error:
                self._judge.broken = True
                self._coordinator.internal_fault(f"the end of the source could not be judged: {_described(error)}")
            except BaseException:
                self._judge.broken = True
                raise
            self._coordinator.source_ended(end)

    def source_raised(self, error: BaseException) -> None:
        """Say that reading the source raised; `watch` does this by itself.

        An exception that carries what the provider said is how the vendors' SDKs report an error event of
        the stream: a provider error. Anything else is a broken transport, or the caller's own cancellation.
        """
        message = f"the source raised {_described(error)}"
        if isinstance(error, KeyboardInterrupt | SystemExit | asyncio.CancelledError):
            self.source_ended("cancelled", message)
            return
        with self._lock:
            if _reports(error):
                self._coordinator.stream_end("provider_error", type(error).__name__)
            self.source_ended("timeout" if "timeout" in type(error).__name__.lower() else "error", message)

    # -- out -----------------------------------------------------------------

    @property
    def doomed(self) -> dict[str | None, Diagnostic]:
        """The calls that are certain not to execute, by internal id (`None`: all of them), with the reason.

        Empty while nothing speaks against the stream. It only grows.
        """
        self._coordinator.look()
        return dict(self._doomed)

    def snapshot(self) -> Report:
        """Return the diagnosis so far. Before `finish` no decision executes."""
        with self._lock:
            return self._judge.report(finished=self._finished)

    def finish(self, end: SourceEnd | None = None) -> Report:
        """End the stream and return the report. Calling it again diagnoses anew and gives nothing out.

        Args:
            end: How the source stopped. Left out: what `watch` saw (`cancelled` when it is still in the middle),
                else `eof`, a clean end. `still_open` is for sockets that outlive a response.

        Raises:
            InvalidOptionError: `end` is no such word.
        """
        with self._lock:
            if end is None:
                end = self._reading or "eof"
            self.source_ended(end)
            if not self._finished and not self._coordinator.calls:
                self._name_other_wire()
            self._finished = True
            if self._coordinator.source_end != "still_open":
                self._closed = True  # from here on, every event is late
            return self._judge.report(finished=True)

    def take(self, internal_id: str) -> Execution | None:
        """Hand out the authority to run one call, at most once, deciding anew at this moment.

        Several choices (or candidates) of one response are alternatives: calls of one of them are handed out,
        of the one that was asked for first.

        Returns:
            The authority, or `None`: before `finish`, when the call does not execute (any more), when it was
            taken already, when a call of another choice was taken, when there is no such call, or when a
            validator or `on_doomed` asks.
        """
        with self._lock:
            if not self._finished or self._taking or self._telling:
                return None  # a validator or a hook asks, in the middle of being asked
            self._taking = True
            try:
                return self._take(internal_id)
            finally:
                self._taking = False

    def _take(self, internal_id: str) -> Execution | None:
        decision = self._judge.decide_one(internal_id)
        if not isinstance(decision, ExecuteDecision) or decision.name is None:
            return None
        # The guard's own id: the caller's may be of a class that is equal to whatever it likes.
        if decision.internal_id in self._taken:
            return None
        response = self._judge.response(decision.turn)
        if response is not None and self._followed.get(response, decision.turn) != decision.turn:
            return None
        typed_value = None
        if decision.typed_value is not None:
            # A model can be changed by whoever read the report; the authority gets one of its own.
            verdict = self._judge.validate(decision.name, decision.value)
            if verdict.valid is not True:
                return None
            typed_value = verdict.typed_value
            # Evidence may have come while it was asked.
            if not isinstance(self._judge.decide_one(internal_id), ExecuteDecision):
                return None
        self._taken.add(decision.internal_id)
        if response is not None:
            self._followed[response] = decision.turn
        return Execution(
            internal_id=decision.internal_id,
            call_id=decision.call_id,
            name=decision.name,
            value=decision.value,  # made for this decision alone
            typed_value=typed_value,
            evidence=decision.evidence,
        )

    def __copy__(self) -> NoReturn:
        refuse_copy("a Guard")

    def __deepcopy__(self, memo: object) -> NoReturn:
        refuse_copy("a Guard")

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        refuse_copy("a Guard")

    # -- inside --------------------------------------------------------------

    def _push_any(self, event: Any) -> None:
        if type(event) is dict or isinstance(event, Mapping):
            if len(event) == 1 and "raw" in event:
                self._coordinator.events_lost(f"an event is no JSON: {str(event['raw'])[:80]!r}")
            else:
                self._push(event)
        elif isinstance(event, str):
            if event.strip() == "[DONE]":
                self._coordinator.done_marker()
            else:
                self._coordinator.events_lost(
                    f"an event is no JSON object: {event[:80]!r}; bytes of a body go to `push_bytes`"
                )
        elif isinstance(event, bytes | bytearray | memoryview):
            self.push_bytes(event)
        elif type(event) is list or type(event) is tuple:
            if self._adapter.traits.takes_lists:
                self._push(event)
            else:
                self._coordinator.events_lost(f"a {type(event).__name__} was pushed; expected one event")
        elif isinstance(event, _NO_EVENT):
            self._coordinator.events_lost(f"a {type(event).__name__} was pushed; expected an event")
        else:
            if len(self._sdk_types) < 256:
                self._sdk_types.add(type(event))
            self._push(event)

    def _name_other_wire(self) -> None:
        """Say that the stream is one of another wire: read as this one it has no call, and nothing would be wrong."""
        events = [event for event in self._first if not isinstance(event, str | bytes)]
        try:
            if any(self.wire in rate(event) for event in events):
                return
            found = detect(events)
        except WireError:
            return
        message = f"no event here is one of the wire {self.wire!r}; the first ones look like {found!r}"
        self._coordinator.provider_diagnostic("W_OTHER_WIRE", message)

    def _refuse(self, event: Any) -> bool:
        """Note an event that comes too late; tell whether to leave it unread, as after a passed limit."""
        if self._over:
            return True
        if not (isinstance(event, str) and event.strip() == "[DONE]"):
            self._coordinator.provider_diagnostic(
                "E_LATE_EVENT", "an event was pushed after `finish`", fault="protocol"
            )
        return False

    def _faulted(self, call: Call | None, diagnostic: Diagnostic) -> None:
        key = None if call is None else call.internal_id
        if call is None and diagnostic.code.startswith("E_LIMIT"):
            self._closed = self._over = True  # nothing of this stream can run; stop spending work on it
        if key in self._doomed or (call is not None and call.server_executed):
            return
        self._doomed[key] = diagnostic
        if self._on_doomed is not None:
            self._telling += 1
            try:
                self._on_doomed(key, diagnostic)
            except Exception as error:
                # The caller's hook is no evidence about the stream.
                self._coordinator.provider_diagnostic("W_HOOK_RAISED", f"on_doomed raised {_described(error)}")
            finally:
                self._telling -= 1


def _reports(error: BaseException) -> bool:
    """Whether an exception carries the provider's own words.

    They are the `body` of most SDKs, `details` of google-genai, a dict as the `response` of botocore, `error` of
    Ollama.
    """
    try:
        if getattr(error, "body", None) is not None or isinstance(getattr(error, "response", None), dict):
            return True
        return isinstance(getattr(error, "details", None), dict) or isinstance(getattr(error, "error", None), str)
    except Exception:  # a property of it raised, as httpx's do before there is a request
        return False


def _described(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # an exception that cannot be shown
        return type(error).__name__


class Watch(Generic[_Event]):
    """The stream that `Guard.watch` returns: iterate it with `for` or `async for`, once."""

    def __init__(self, guard: Guard, stream: Any, *, announce_doomed: bool = False) -> None:
        self._guard = guard
        self._stream = stream
        self._announce = announce_doomed
        self._announced = 0

    def _news(self) -> Iterator[_Event]:
        """Yield what became doomed since the last look."""
        doomed = self._guard.doomed
        for internal_id in list(doomed)[self._announced :]:
            # Only asked where `watch` has told the type checker that a `Doomed` may come.
            yield cast(_Event, Doomed(internal_id=internal_id, diagnostic=doomed[internal_id]))
        self._announced = len(doomed)

    def __iter__(self) -> Iterator[_Event]:
        guard = self._guard
        guard.source_started()
        end: SourceEnd = "cancelled"
        try:
            for event in self._stream:
                guard.push(event)
                yield event
                if self._announce:
                    yield from self._news()
            end = "eof"
        except GeneratorExit:
            raise
        except BaseException as error:
            end = guard._reading = "error"  # whatever follows
            guard.source_raised(error)
            raise
        finally:
            guard.source_ended(end)  # after `source_raised` this adds nothing
            if end != "eof":
                close = getattr(self._stream, "close", None)
                if callable(close):
                    close()

    async def __aiter__(self) -> AsyncIterator[_Event]:
        guard = self._guard
        guard.source_started()
        end: SourceEnd = "cancelled"
        try:
            async for event in self._stream:
                guard.push(event)
                yield event
                if self._announce:
                    for news in self._news():
                        yield news
            end = "eof"
        except GeneratorExit:
            raise
        except BaseException as error:
            end = guard._reading = "error"  # whatever follows
            guard.source_raised(error)
            raise
        finally:
            guard.source_ended(end)  # after `source_raised` this adds nothing
            if end != "eof":
                close = getattr(self._stream, "aclose", None) or getattr(self._stream, "close", None)
                if callable(close):
                    result = close()
                    if hasattr(result, "__await__"):
                        await result
