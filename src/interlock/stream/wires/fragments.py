"""What several wires do with a fragment of arguments."""

from __future__ import annotations

from typing import Any

from interlock.stream.events import Sink

__all__ = ["push_arguments", "push_text"]


def push_text(sink: Sink, key: str, text: Any) -> None:
    """Pass on a fragment that the protocol defines as a string; anything else makes the call malformed."""
    if isinstance(text, str):
        if text:
            sink.arguments_delta(key, text)
    elif text is not None:
        sink.provider_diagnostic(
            "E_ARGUMENTS_TYPE",
            f"a fragment of arguments is {text!r:.60}; expected a string",
            key=key,
            fault="malformed",
        )


def push_arguments(sink: Sink, key: str, arguments: Any) -> None:
    """Pass on arguments that are a string, the model's own text, or a value that somebody else parsed."""
    if isinstance(arguments, str):
        if arguments:
            sink.arguments_delta(key, arguments)
    elif arguments is not None:
        sink.arguments_value(key, arguments)
