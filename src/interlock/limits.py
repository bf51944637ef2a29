"""Limits: every bound in one place, with its unit, its default and what passing it leads to."""

from __future__ import annotations

from dataclasses import dataclass, fields

from interlock.errors import InvalidOptionError

__all__ = ["DEFAULT_LIMITS", "Limits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds on what one parser, one call and one stream may hold.

    A limit is a whole number above zero. Everything else (a float, infinity, a
    boolean, a string, a negative number) is refused when the object is built: a
    limit that means "no limit" by accident is worse than none.

    Attributes:
        input_bytes: Bytes of one document. Passing it: `E_LIMIT_INPUT_BYTES`.
        depth: Levels of open containers. Passing it: `E_LIMIT_DEPTH`.
        string_bytes: Bytes of one string, between its quotes. Passing it: `E_LIMIT_STRING_BYTES`.
        number_bytes: Bytes of one number. Passing it: `E_LIMIT_NUMBER_BYTES`.
        queued_events: Events nobody has drained yet. Passing it: `E_LIMIT_EVENT_QUEUE`.
        trailing_bytes: Bytes of data after the document's end. Passing it: `E_LIMIT_INPUT_BYTES`.
        calls: Tool calls in one stream. Passing it: `E_LIMIT_CALLS`.
        name_bytes: Bytes of one tool name. Passing it: `E_LIMIT_NAME_BYTES`.
        stream_events: Events about calls in one stream (text does not count). Passing it: `E_LIMIT_STREAM_EVENTS`.
        frame_bytes: Bytes of one wire event that is not finished yet. Passing it: `E_LIMIT_FRAME_BYTES`.

    Source:
        The reference behaviour. `number_bytes`: Python refuses to print integers of more
        than 4,300 digits, so that a longer one could not be logged or sent on; turning n
        digits into an int costs more than n steps as well. jiter stops at depth 200,
        CPython's json at its recursion limit; 128 is deeper than any tool's schema.
    """

    input_bytes: int = 8 * 1024 * 1024
    depth: int = 128
    string_bytes: int = 4 * 1024 * 1024
    number_bytes: int = 4300
    queued_events: int = 10_000
    trailing_bytes: int = 64 * 1024
    calls: int = 128
    name_bytes: int = 1024
    stream_events: int = 100_000
    frame_bytes: int = 16 * 1024 * 1024

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if type(value) is not int or value < 1:
                raise InvalidOptionError(f"limits.{field.name} is {value!r}; expected a whole number above zero")


DEFAULT_LIMITS = Limits()
