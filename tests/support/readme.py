"""The fenced blocks of a Markdown file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One block: the word behind its fence, its text, and the line that it starts on."""

    kind: str
    text: str
    line: int


def blocks(path: Path) -> list[Block]:
    """Return the blocks of a file, in order."""
    text = path.read_text(encoding="utf-8")
    return [Block(found[1], found[2], text.count("\n", 0, found.start()) + 1) for found in _FENCE.finditer(text)]
