"""Every exception that interlock raises. What a model or a provider sends is never one of them.

An argument of a wrong type may be Python's own `TypeError`, as everywhere.

The tree::

    InterlockError
      UsageError                   the caller made a mistake
        InvalidOptionError         (ValueError) an option or limit that cannot be used
        ParserFinishedError        (RuntimeError) push after finish
        ToolDefinitionError        (ValueError) a tool that cannot be checked as declared
        AuthorityCopyError         (TypeError) an attempt to copy or pickle an authority
        ToolLockedError            (RuntimeError) a framework called a locked tool; .tool
      WireError                    (ValueError) the data's format
        UnknownWireError           no such wire, or none fits the data; .wire .known
        AmbiguousWireError         several wires fit the data; .candidates
      HistoryRepairedError         heal(strict=True) found something; .repairs
      MissingExtraError            (ImportError) an optional package is not installed; .package .extra
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "AmbiguousWireError",
    "AuthorityCopyError",
    "HistoryRepairedError",
    "InterlockError",
    "InvalidOptionError",
    "MissingExtraError",
    "ParserFinishedError",
    "ToolDefinitionError",
    "ToolLockedError",
    "UnknownWireError",
    "UsageError",
    "WireError",
]


class InterlockError(Exception):
    """Base of all exceptions that interlock raises on purpose."""


class UsageError(InterlockError):
    """The caller used the library in a way that cannot work."""


class InvalidOptionError(UsageError, ValueError):
    """An option or a limit has a value that cannot be used."""


class ParserFinishedError(UsageError, RuntimeError):
    """A parser got more input after `finish`."""


class ToolDefinitionError(UsageError, ValueError):
    """A tool's definition cannot be checked as it was given; the message names the tool."""


class AuthorityCopyError(UsageError, TypeError):
    """A guard or an authority was copied or pickled: the right to run a call once cannot be doubled."""


class ToolLockedError(UsageError, RuntimeError):
    """A framework called a tool that `lock` made; nothing ran. `.tool` is its name."""

    def __init__(self, tool: str) -> None:
        self.tool = tool
        super().__init__(f"tool {tool!r} is locked and was not run; run the call that `Guard.take` hands out")


class WireError(InterlockError, ValueError):
    """The format of a stream or a history is the problem."""


class UnknownWireError(WireError):
    """No wire of that name, or no wire fits the data."""

    def __init__(self, message: str, *, wire: str | None = None, known: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.wire = wire
        self.known = tuple(known)


class AmbiguousWireError(WireError):
    """The data fits several wires; the caller has to name one."""

    def __init__(self, candidates: Sequence[str]) -> None:
        self.candidates = tuple(candidates)
        names = " and ".join(repr(name) for name in self.candidates)
        super().__init__(f"the data fits {names}; name one with `wire=` (or --wire)")


class HistoryRepairedError(InterlockError):
    """`heal(strict=True)` found something to repair; `.repairs` holds the records."""

    def __init__(self, repairs: Sequence[object]) -> None:
        self.repairs = tuple(repairs)
        super().__init__(f"the history needed {len(self.repairs)} repair(s); see `.repairs`")


class MissingExtraError(InterlockError, ImportError):
    """A feature needs an optional package that is not installed."""

    def __init__(self, what: str, *, package: str, extra: str | None = None) -> None:
        self.package = package
        self.extra = extra
        install = package if extra is None else f"'interlock[{extra}]'"
        super().__init__(f"{what} needs {package!r}: pip install {install}")
