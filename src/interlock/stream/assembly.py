"""Arguments that come in pieces, each with the path where it belongs: put together, never completed.

A value is certain when its own wire said that no more of it follows; the whole
is certain when all values are, no array has a hole, and the call was closed.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any, Final, Literal

from interlock.limits import Limits

__all__ = ["Assembly", "Path", "Problem"]

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why a piece cannot be placed."""

    code: str
    message: str
    fault: Literal["protocol", "malformed", "limit"]


class _Missing:
    """Marks a value that is not certain yet."""


_MISSING: Final = _Missing()


class _Node:
    """One place in the document: a container with children, or a value."""

    __slots__ = ("array", "children", "open", "size", "value")

    def __init__(self) -> None:
        self.children: dict[str | int, _Node] | None = {}  # `None`: a value; empty: nothing yet
        self.array = False
        self.value: Any = None  # a list of pieces for a string
        self.size = 0  # bytes of a string
        self.open = False  # the wire said that more of this value follows


class Assembly:
    """A JSON object under construction.

    Args:
        limits: `input_bytes` bounds all paths and values together, `depth` the length of a path,
            `string_bytes` one string.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._root = _Node()
        self.size = 0  # bytes of names and values taken so far
        self.problem: Problem | None = None  # the first one; nothing is taken after it

    def write(self, path: Path, value: Any, *, more: bool) -> Problem | None:
        """Place a piece; `more` says that the same path will be written again.

        Args:
            path: Member names and array indexes from the root.
            value: A string, or a piece of one; a number, a boolean or `None`.
            more: Whether more of this value follows.

        Returns:
            What is wrong, the first time something is.
        """
        if self.problem is not None:
            return None
        self.problem = self._write(path, value, more)
        return self.problem

    def at(self, path: Path) -> Any:
        """Return what was written to a place so far; a string's pieces are joined."""
        node = self._root
        for step in path:
            node = (node.children or {})[step]
        return "".join(node.value) if isinstance(node.value, list) else node.value

    def read(self) -> tuple[Any, Literal["whole", "cut", "malformed"]]:
        """Return the certain part of the document, and what the document is."""
        stable = _certain(self._root)
        if self.problem is not None:
            return stable, "malformed"
        holes, uncertain = _survey(self._root)
        if uncertain:
            return stable, "cut"
        return stable, "malformed" if holes else "whole"

    # -- inside --------------------------------------------------------------

    def _write(self, path: Path, value: Any, more: bool) -> Problem | None:
        if not path or isinstance(path[0], int):
            return _malformed(f"a value came for {show(path)}; expected a member of the arguments' object")
        if not all(isinstance(step, str) or (type(step) is int and step >= 0) for step in path):
            return _malformed(f"the path {path!r:.80} holds a step that is neither a name nor an index")
        if not (value is None or isinstance(value, str | bool | int) or (isinstance(value, float) and isfinite(value))):
            return _malformed(f"{value!r:.80} came for {show(path)}; expected a string, number, boolean or null")
        if len(path) >= self._limits.depth:
            return _limit("E_LIMIT_DEPTH", f"{show(path)} is deeper than limits.depth ({self._limits.depth})")
        try:
            size = len(value.encode()) if isinstance(value, str) else 8
            self.size += size + sum(len(step.encode()) if isinstance(step, str) else 1 for step in path)
        except UnicodeEncodeError:
            return _malformed(f"the piece for {show(path)} holds half of a surrogate pair")
        if self.size > self._limits.input_bytes:
            return _limit("E_LIMIT_INPUT_BYTES", f"the pieces pass limits.input_bytes ({self._limits.input_bytes})")
        node = self._root
        for step in path:
            if node.children is None:
                return _malformed(f"{show(path)} lies below a place that holds a value")
            if not node.children:
                node.array = isinstance(step, int)
            elif node.array is not isinstance(step, int):
                return _malformed(f"{show(path)} takes an object for an array, or an array for an object")
            child = node.children.get(step)
            if child is None:
                child = node.children[step] = _Node()
            node = child
        return self._place(node, path, value, size, more)

    def _place(self, node: _Node, path: Path, value: Any, size: int, more: bool) -> Problem | None:
        if node.children:
            return _malformed(f"a value came for {show(path)}, which holds an object or an array")
        if node.children is not None:
            node.children = None
            node.value = [value] if isinstance(value, str) else value
        elif node.open and isinstance(value, str) and isinstance(node.value, list):
            node.value.append(value)
        else:
            return Problem(
                code="E_PIECE_REPEATED", message=f"{show(path)} was written again after it was whole", fault="protocol"
            )
        node.open = more
        node.size += size
        if node.size > self._limits.string_bytes:
            return _limit("E_LIMIT_STRING_BYTES", f"{show(path)} passes limits.string_bytes")
        return None


def _certain(node: _Node) -> Any:
    """Return the part of a node that cannot change any more, `_MISSING` when there is none."""
    if node.children is None:
        if node.open:
            return _MISSING
        return "".join(node.value) if isinstance(node.value, list) else node.value
    if node.array:
        out: list[Any] = []
        for index in range(len(node.children)):
            child = node.children.get(index)
            value = _MISSING if child is None else _certain(child)
            if value is _MISSING:
                break  # what follows a hole has no certain index
            out.append(value)
        return out
    members = ((name, _certain(child)) for name, child in node.children.items())
    return {name: value for name, value in members if value is not _MISSING}


def _survey(node: _Node) -> tuple[bool, bool]:
    """Return whether an array has a hole, and whether a value is still open."""
    if node.children is None:
        return False, node.open
    holes = node.array and any(index not in node.children for index in range(len(node.children)))
    uncertain = False
    for child in node.children.values():
        below = _survey(child)
        holes, uncertain = holes or below[0], uncertain or below[1]
    return holes, uncertain


def show(path: Path) -> str:
    """Write a path the way RFC 9535 does, shortened."""
    text = "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path[:16])
    return text[:120].encode("utf-8", "backslashreplace").decode()


def _malformed(message: str) -> Problem:
    return Problem(code="E_PIECE_MALFORMED", message=message, fault="malformed")


def _limit(code: str, message: str) -> Problem:
    return Problem(code=code, message=message, fault="limit")
