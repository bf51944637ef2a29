"""The marked texts that healing inserts, and how a later run knows them again.

Nothing is made up: a stub says that no result was recorded, not that the tool
ran, failed or was cancelled. Each inserted text begins with the same mark, so
that a real result that arrives later can take the stub's place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from interlock.history.turns import Call, Result

if TYPE_CHECKING:
    from interlock.history.rules.base import Context

__all__ = [
    "ATTACHED",
    "ATTACHED_FILE",
    "BRIDGE",
    "CONTINUE",
    "EMPTY",
    "FROM_RESULT",
    "MARK",
    "MOVED",
    "NO_OUTPUT",
    "NO_RESULT",
    "START",
    "is_stub",
    "may_hold_stub",
    "own_text",
    "stub_text",
]

MARK: Final = "[interlock]"
NO_RESULT: Final = f"{MARK} No result was recorded for this tool call; it may or may not have run."
UNREAD: Final = f"{NO_RESULT} Its arguments could not be read."
MOVED: Final = f"{MARK} What this result shows stands in the user's message behind it."
FROM_RESULT: Final = f"{MARK} From the result of a tool call:"
NO_OUTPUT: Final = "(no output)"
CONTINUE: Final = "Continue."
BRIDGE: Final = "OK."
ATTACHED: Final = "See the attached document."
ATTACHED_FILE: Final = "See the attached file."
EMPTY: Final = "(empty message)"
START: Final = "(The conversation begins with the assistant.)"


def stub_text(call: Call, context: Context) -> str:
    """Return the text of a stub: the caller's own (`options["stub_text"]`, text or function), or ours.

    A function gets the `Call`; when it raises or answers something that is not a
    text, our own text is used: healing never fails because of a caller's function.
    """
    own = context.options.get("stub_text")
    if callable(own):
        try:
            own = own(call)
        except Exception:
            own = None
    if isinstance(own, str) and own.strip():
        return own
    return UNREAD if call.malformed else NO_RESULT


def own_text(context: Context) -> str:
    """Return the text of a stub that the caller has not given a function for."""
    own = context.options.get("stub_text")
    return own if isinstance(own, str) and own.strip() else NO_RESULT


def may_hold_stub(native: Any, context: Context) -> bool:
    """Say quickly whether a native message may hold what `is_stub` knows; true when it takes a longer look to tell."""
    if context.options.get("stub_text") is not None or context.options.get("synthetic_outputs"):
        return True
    if type(native) is dict and type(content := native.get("content")) is str:
        role = native.get("role")
        if role == "tool" or role == "user":
            return content.startswith(NO_RESULT)
        if role == "assistant" or role == "system":
            return False  # whose words are no results
    left = [native]
    for held in left:
        kind = type(held)
        if kind is str:
            if held.startswith(NO_RESULT):
                return True
        elif kind is dict:
            left += held.values()
        elif kind is list:
            left += held
        elif kind not in _VALUES:
            return True
        if len(left) > _MANY:
            return True
    return False


_VALUES: Final = frozenset({int, float, bool, type(None)})
_MANY: Final = 10_000  # values in one message


def is_stub(result: Result, context: Context, call: Call) -> bool:
    """Say whether a result is one that a repair had put in for this call.

    `options["synthetic_outputs"]` lists texts of other repairers that count as stubs too.
    """
    text = context.wire.result_text(result)
    if text.startswith(NO_RESULT):
        return True
    others = context.options.get("synthetic_outputs")
    if isinstance(others, (list, tuple, set, frozenset)) and text in others:
        return True
    return context.options.get("stub_text") is not None and text == stub_text(call, context)
