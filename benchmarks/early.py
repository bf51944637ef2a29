"""How early a bad call is known to be bad: bytes of arguments seen at that moment, against the whole call.

Each call is typical of what models get wrong: a wrong word in an enumeration, a
number as a string, a property that does not exist, a key that comes twice, in
a `write_file` whose content is long. The position of the fault is what counts,
so each is shown with the fault early and late.

Usage: python benchmarks/early.py
"""

from __future__ import annotations

import json
from typing import Any

from interlock import Guard

SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "pattern": "^[^/]"},
        "mode": {"enum": ["create", "overwrite"]},
        "lines": {"type": "integer", "minimum": 0},
        "content": {"type": "string"},
    },
    "required": ["path", "content"],
    "additionalProperties": False,
}
CONTENT = "def main():\n    print('hello, world')\n" * 60
GOOD = {"path": "src/main.py", "mode": "create", "lines": 120, "content": CONTENT}


def call(early: bool, **wrong: Any) -> str:
    """The arguments with a wrong member ahead of the long content, or behind it."""
    head = {key: value for key, value in GOOD.items() if key != "content" and key not in wrong}
    members = [*head.items(), *wrong.items(), ("content", CONTENT)] if early else [*GOOD.items(), *wrong.items()]
    # A list of pairs, so that a key may come twice.
    return "{" + ", ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in members) + "}"


def seen(text: str) -> int | None:
    """Bytes of arguments pushed when the guard said no; deltas of 5 characters, as models send them."""
    guard = Guard("normalized", tools={"write_file": SCHEMA})
    guard.push({"type": "call_start", "key": "a", "id": "call_1", "name": "write_file"})
    for at in range(0, len(text), 5):
        guard.push({"type": "arguments_delta", "key": "a", "text": text[at : at + 5]})
        if guard.doomed:
            return at + 5
    return None


def main() -> None:
    """Print the table."""
    print(f"{'what is wrong':<46}{'bytes of the call':>18}{'seen':>8}{'saved':>8}")
    for says, wrong in (
        ("a word outside the enumeration", {"mode": "append"}),
        ("a number as a string", {"lines": "120"}),
        ("an absolute path, against the pattern", {"path": "/etc/passwd"}),
        ("a property that does not exist", {"encoding": "utf-8"}),
        ("the content under another name", {"text": CONTENT}),
    ):
        for early in (True, False):
            if not early and set(wrong) & set(GOOD):
                continue  # behind the content it would be a duplicate key, see below
            text = call(early, **wrong)
            at = seen(text)
            assert at is not None
            place = "early" if early else "at the end"
            print(f"{says + ', ' + place:<46}{len(text):>18}{at:>8}{1 - at / len(text):>8.0%}")
    text = call(False, path="other.py")
    at = seen(text)
    assert at is not None
    print(f"{'a key that comes twice, at the end':<46}{len(text):>18}{at:>8}{1 - at / len(text):>8.0%}")
    assert seen(call(True)) is None


if __name__ == "__main__":
    main()
