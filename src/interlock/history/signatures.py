"""Gemini's thought signatures: where they stand, which are demanded, which cannot be genuine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

from interlock.history.turns import Call, Message, Part, Result

__all__ = ["SENTINEL", "open_steps", "signature_of", "signed", "well_formed"]

# https://ai.google.dev/gemini-api/docs/thought-signatures: skips the check for calls that Gemini did not make.
SENTINEL: Final = "skip_thought_signature_validator"
_KEYS: Final = ("thoughtSignature", "thought_signature")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]*={0,2}")
_AnyPart = TypeVar("_AnyPart", bound=Part)


def signature_of(native: Any) -> Any:
    """Return a native part's thought signature; `None` when it has none."""
    if isinstance(native, dict):
        for key in _KEYS:
            if native.get(key) is not None:
                return native[key]
    return None


def well_formed(value: Any) -> bool:
    """Say whether a signature can be decoded at all; the SDK's own dumps hold it as bytes."""
    return isinstance(value, bytes) or (isinstance(value, str) and _BASE64.fullmatch(value) is not None)


def signed(part: _AnyPart, signature: str | None) -> _AnyPart:
    """Return the part with this signature, or with none."""
    native = {key: value for key, value in part.native.items() if key not in _KEYS}
    if signature is not None:
        snake = "function_call" in native or "thought_signature" in part.native
        native["thought_signature" if snake else "thoughtSignature"] = signature
    return replace(part, native=native)


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
