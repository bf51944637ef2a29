"""Which character may come next: a table over (state, character).

Everything that a document's structure allows is here. A pair that is absent
is an unexpected token, and that is the only rule for absent pairs.
Source: RFC 8259, sections 2 to 7.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# States: what the parser waits for.
VALUE: Final = 0  # a value: the document's start, after `:` and after `,` in an array
FIRST_ITEM: Final = 1  # after `[`
FIRST_KEY: Final = 2  # after `{`
KEY: Final = 3  # after `,` in an object
COLON: Final = 4  # after a key
AFTER_ITEM: Final = 5  # after a value in an array
AFTER_MEMBER: Final = 6  # after a value in an object
DONE: Final = 7  # after the root value
STRING: Final = 8  # inside a string that is a value
KEY_STRING: Final = 9  # inside a string that is a key

# Actions: what the character begins or does.
SKIP: Final = 0
OPEN_OBJECT: Final = 1
OPEN_ARRAY: Final = 2
CLOSE: Final = 3
QUOTE: Final = 4
NUMBER: Final = 5
LITERAL: Final = 6
NEXT_KEY: Final = 7
NEXT_VALUE: Final = 8
WRONG: Final = -1
COMMIT: Final = 9  # no character does it: a pattern found a whole scalar

OPENINGS: Final = {"{": OPEN_OBJECT, "[": OPEN_ARRAY, '"': QUOTE}

_WHITE: Final = dict.fromkeys(" \t\n\r", SKIP)
_VALUE: Final = {
    **_WHITE,
    **dict.fromkeys("-0123456789", NUMBER),
    **dict.fromkeys("tfn", LITERAL),
    '"': QUOTE,
    "{": OPEN_OBJECT,
    "[": OPEN_ARRAY,
}

NEXT: Final[tuple[Mapping[str, int], ...]] = (
    _VALUE,
    {**_VALUE, "]": CLOSE},
    {**_WHITE, '"': QUOTE, "}": CLOSE},
    {**_WHITE, '"': QUOTE},
    {**_WHITE, ":": NEXT_VALUE},
    {**_WHITE, ",": NEXT_VALUE, "]": CLOSE},
    {**_WHITE, ",": NEXT_KEY, "}": CLOSE},
    _WHITE,
)

EXPECTED: Final = (
    "a value",
    "a value or `]`",
    "a key in double quotes or `}`",
    "a key in double quotes",
    "`:`",
    "`,` or `]`",
    "`,` or `}`",
    "nothing but white space",
    "the rest of a string",
    "the rest of a key",
)

STATE_NAMES: Final = (
    "value",
    "first_item",
    "first_key",
    "key",
    "colon",
    "after_item",
    "after_member",
    "done",
    "string",
    "key_string",
)

# What may follow a number or a literal: only this shows that it is whole.
TERMINATORS: Final = frozenset(" \t\n\r,]}")
