"""New names and ids for those that a provider does not take: deterministic and free of collisions.

Names and ids are handed out in order of appearance and only what came before is
looked at. So a longer history gives its beginning the same names as a shorter
one did, and prompt caches stay warm.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Final

__all__ = ["MINTED", "NO_NAME", "IdMap", "NameMap", "matcher", "minted_id"]

NO_NAME: Final = "unnamed_tool"
_BASE62: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#: Two digits at once, the lower one first.
_TWO: Final = tuple([low + high for high in _BASE62 for low in _BASE62])
#: The characters of an id that is handed out: what Mistral insists on; every other provider takes it too.
MINTED: Final = 9


@cache
def matcher(pattern: str) -> Callable[[str], object]:
    """Return the function that says whether a text matches a profile's pattern in full."""
    return re.compile(pattern).fullmatch


class NameMap:
    """An injective map from tool names to names that match a pattern.

    Args:
        pattern: What a name must match in full.
        declared: The tools of the request. Those that match keep their names whatever the history holds.
    """

    def __init__(self, pattern: str, declared: Iterable[str] = ()) -> None:
        self._matches = matcher(pattern)
        self._new: dict[str, str] = {}
        self._taken: dict[str, str] = {}
        declared = tuple(declared)
        for name in declared:
            if self._matches(name):
                self._keep(name, name)
        for name in declared:
            # What a declared tool is renamed to is that tool, wherever it comes up again.
            new = self.new_name(name)
            self._new.setdefault(new, new)

    def _keep(self, name: str, new: str) -> str:
        self._new[name] = new
        self._taken[new] = name
        return new

    def new_name(self, name: str | None) -> str:
        """Return the name to use for a name of the input; the name itself when it can stay."""
        name = name or ""
        known = self._new.get(name)
        if known is not None:
            return known
        if self._matches(name) and name not in self._taken:
            return self._keep(name, name)
        base = re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:64] or NO_NAME
        if not self._matches(base):
            base = f"_{base}"[:64]
        if not self._matches(base):
            base = NO_NAME
        attempt, salt = base, 0
        while attempt in self._taken or not self._matches(attempt):
            digest = hashlib.sha256(f"{salt}:{name}".encode("utf-8", "surrogatepass")).hexdigest()[:8]
            attempt, salt = f"{base[:55]}_{digest}", salt + 1
        return self._keep(name, attempt)


def minted_id(old: str, ordinal: int, salt: int = 0) -> str:
    """Return a nine-character id for the `ordinal`-th call that carried an id (0 for the first).

    Nine letters and digits are valid for every provider, so one map serves several targets.
    """
    text = f"{salt}:{ordinal}:{old}"
    try:
        data = text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        data = text.encode("utf-8", "surrogatepass")
    number = int.from_bytes(hashlib.sha256(data).digest()[:8], "big")
    number, first = divmod(number, len(_TWO))
    number, second = divmod(number, len(_TWO))
    number, third = divmod(number, len(_TWO))
    number, fourth = divmod(number, len(_TWO))
    return f"{_TWO[first]}{_TWO[second]}{_TWO[third]}{_TWO[fourth]}{_BASE62[number % 62]}"


class IdMap:
    """Hands out ids that are not in use yet."""

    def __init__(self) -> None:
        self.taken: set[str] = set()

    def mint(self, old: str | None, ordinal: int) -> str:
        """Return a fresh id for the `ordinal`-th call with this id, and remember it."""
        salt = 0
        while (new := minted_id(old or "", ordinal, salt)) in self.taken:
            salt += 1
        self.taken.add(new)
        return new
