"""What several wires do with arguments that may be text or a value."""

from __future__ import annotations

from typing import Any

from interlock.stream.events import Sink

__all__ = ["push_arguments"]


def push_arguments(sink: Sink, key: str, arguments: Any) -> None:
    """Pass on arguments that are a string, the model's own text, or a value that somebody else parsed."""
    if isinstance(arguments, str):
        if arguments:
            sink.arguments_delta(key, arguments)
    elif arguments is not None:
        sink.arguments_value(key, arguments)
