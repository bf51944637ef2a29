"""Gemini's thought signatures: where they stand, which are demanded, which cannot be genuine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

from interlock.history.turns import Call, Message, Part, Result

__all__ = ["SENTINEL", "open_steps", "signature_of", "signed", "well_formed"]

# https://ai.google.dev/gemini-api/docs/thought-signatures: skips the check for calls that Gemini did not make.
SENTINEL: Final = "skip_thought_signature_validator"
_CAMEL: Final = "thoughtSignature"
_SNAKE: Final = "thought_signature"
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]*={0,2}")
_AnyPart = TypeVar("_AnyPart", bound=Part)


def signature_of(native: Any, path: Sequence[str]) -> Any:
    """Return a native part's thought signature; `None` when it has none.

    Args:
        native: The part.
        path: Where the format keeps it, key by key; empty where it does not.
    """
    for key in path:
        inner = native.get(key) if isinstance(native, dict) else None
        native = native.get(_SNAKE) if inner is None and key == _CAMEL and isinstance(native, dict) else inner
    return native if path else None


def well_formed(value: Any) -> bool:
    """Say whether a signature can be decoded at all; the SDK's own dumps hold it as bytes."""
    return isinstance(value, bytes) or (isinstance(value, str) and _BASE64.fullmatch(value) is not None)


def signed(part: _AnyPart, signature: str | None, path: Sequence[str]) -> _AnyPart:
    """Return the part with this signature, or with none."""
    return replace(part, native=_signed(part.native, signature, path))


def _signed(native: Mapping[str, Any], signature: str | None, path: Sequence[str]) -> dict[str, Any]:
    key, rest = path[0], path[1:]
    if key == _CAMEL and ("function_call" in native or _SNAKE in native):
        key = _SNAKE  # the SDK's own dumps
    if not rest:
        out = {name: value for name, value in native.items() if name not in (_CAMEL, _SNAKE)}
        return out if signature is None else {**out, key: signature}
    inner = native.get(key)
    return {**native, key: _signed(inner if isinstance(inner, dict) else {}, signature, rest)}


def open_steps(messages: Sequence[Message]) -> Iterator[tuple[Message, Call]]:
    """Yield the first client call of each step since the user's last words."""
    start = 0
    for at, message in enumerate(messages):
        if message.role == "user" and any(type(part) is not Result for part in message.parts):
            start = at + 1
    before = ""
    for message in messages[start:]:
        if message.role == "assistant" and before != "assistant":
            for part in message.parts:
                if type(part) is Call and not part.server and isinstance(part.native, dict):
                    yield message, part
                    break
        before = message.role
