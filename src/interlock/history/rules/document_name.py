"""IL060 document-name: a document's name is not allowed, or is used twice.

What it finds:
    A name with characters other than letters, digits, single spaces, `-`, `(`, `)`, `[`, `]`, longer
    than 200 characters, or the name of an earlier document.
Why it matters:
    Service documentation of Bedrock's `DocumentBlock.name`.
    Source: botocore 1.44.8 documentation, litellm _rename_duplicate_bedrock_document_names.

Example:
    before: document "report_v1.pdf"
    after:  document "report v1 pdf"
Fix:
    rename (default)   other characters become spaces; a second one gets a number
    keep               left alone, not reported
Loss:
    rename             lossless: the record holds the old name
Known limits:
    None.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from interlock.history.edits import ReplacePart
from interlock.history.rules.base import Context, Finding, Rule
from interlock.history.turns import Media, Message

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:  # noqa: ARG001
    """Yield one finding for each name that has to change."""
    taken: set[str] = set()
    numbers: dict[str, int] = {}
    for message in messages:
        for part in message.parts:
            native = part.native
            inner = native.get("document") if isinstance(native, dict) else None
            if type(part) is not Media or not isinstance(inner, dict) or not isinstance(inner.get("name"), str):
                continue
            old: str = inner["name"]
            base = re.sub(r"\s+", " ", re.sub(r"[^A-Za-z0-9\s\-()\[\]]", " ", old)).strip()[:190] or "document"
            new = old if _ALLOWED.fullmatch(old) else base
            while new in taken:
                numbers[base] = numbers.get(base, 1) + 1
                new = f"{base} ({numbers[base]})"
            taken.add(new)
            if new == old:
                continue
            renamed = replace(part, native={**native, "document": {**inner, "name": new}})
            yield Finding(
                message=message,
                part=part,
                action="renamed",
                edits=(ReplacePart(message=message, part=part, new=renamed),),
                reason=f"the document name {old!r} is not allowed or used twice",
            )


_ALLOWED: Final = re.compile(r"(?! )(?:[A-Za-z0-9\-()\[\]]| (?! )){1,200}(?<! )")


RULE: Final = Rule(
    code="IL060",
    name="document-name",
    policies={"rename": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.document_names,
)
