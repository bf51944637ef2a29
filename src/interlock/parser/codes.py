"""The parser's diagnostic codes and what each one means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

__all__ = ["CODES", "Code"]

Code = Literal[
    "E_DUPLICATE_KEY",
    "E_INCOMPLETE_LITERAL",
    "E_INCOMPLETE_NUMBER",
    "E_INCOMPLETE_UNICODE_ESCAPE",
    "E_INCOMPLETE_UTF8",
    "E_INTERNAL",
    "E_INVALID_UNICODE_ESCAPE",
    "E_INVALID_UTF8",
    "E_LIMIT_DEPTH",
    "E_LIMIT_EVENT_QUEUE",
    "E_LIMIT_INPUT_BYTES",
    "E_LIMIT_NUMBER_BYTES",
    "E_LIMIT_STRING_BYTES",
    "E_NUMBER_RANGE",
    "E_PUSH_AFTER_FINISH",
    "E_STREAM_TRUNCATED",
    "E_TRAILING_DATA",
    "E_UNEXPECTED_TOKEN",
    "E_UNPAIRED_SURROGATE",
    "E_UNTERMINATED_STRING",
    "W_RAW_CONTROL_CHARACTER",
    "W_TRAILING_TEXT_ISOLATED",
]

CODES: Final[Mapping[Code, str]] = {
    "E_DUPLICATE_KEY": "An object has the same key twice; the first value stays.",
    "E_INCOMPLETE_LITERAL": "The input ended inside true, false or null, or before anything showed its end.",
    "E_INCOMPLETE_NUMBER": "The input ended inside a number, or before anything showed its end.",
    "E_INCOMPLETE_UNICODE_ESCAPE": "The input ended inside a \\u escape or between the halves of a pair.",
    "E_INCOMPLETE_UTF8": "The input ended inside a code point.",
    "E_INTERNAL": "An exception (no stack or memory left, an interrupt) broke the reading off; it does not go on.",
    "E_INVALID_UNICODE_ESCAPE": "A \\u escape has something other than four hex digits.",
    "E_INVALID_UTF8": "Bytes that are not UTF-8 (overlong, a surrogate, out of range, a stray byte).",
    "E_LIMIT_DEPTH": "More open containers than `limits.depth`.",
    "E_LIMIT_EVENT_QUEUE": "More undrained events than `limits.queued_events`.",
    "E_LIMIT_INPUT_BYTES": "A longer input than `limits.input_bytes`, or a longer tail than `limits.trailing_bytes`.",
    "E_LIMIT_NUMBER_BYTES": "A longer number than `limits.number_bytes`.",
    "E_LIMIT_STRING_BYTES": "A longer string than `limits.string_bytes`, measured between its quotes.",
    "E_NUMBER_RANGE": "A number that a double can only hold as infinity.",
    "E_PUSH_AFTER_FINISH": "The caller pushed after `finish`; raised as `ParserFinishedError`, never recorded.",
    "E_STREAM_TRUNCATED": "The input ended before the document did.",
    "E_TRAILING_DATA": "Something other than white space follows the document.",
    "E_UNEXPECTED_TOKEN": "A character that the grammar does not allow in this place.",
    "E_UNPAIRED_SURROGATE": "A \\u escape for half of a surrogate pair without its other half.",
    "E_UNTERMINATED_STRING": "The input ended inside a string.",
    "W_RAW_CONTROL_CHARACTER": "A string holds an unescaped control character; it was kept as it is.",
    "W_TRAILING_TEXT_ISOLATED": 'Text after the document was set aside (`trailing="isolate"`).',
}
