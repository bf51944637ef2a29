"""A display copy of the parser's value that is brought up to date when somebody looks."""

from __future__ import annotations

from itertools import islice
from typing import Any

from interlock.parser.grammar import STRING
from interlock.parser.machine import Core

__all__ = ["Views"]


class Views:
    """The two display copies of one parser's value, made when they are first asked for.

    They show the state that the machine wrote last.
    """

    __slots__ = ("_core", "_preview", "_stable")

    def __init__(self, core: Core) -> None:
        self._core = core
        self._stable: View | None = None
        self._preview: View | None = None

    @property
    def stable_value(self) -> Any:
        """What is committed."""
        if self._stable is None:
            self._stable = View()
        return self._stable.refresh(self._opened())

    @property
    def preview(self) -> Any:
        """What is committed, and the open string's text."""
        core = self._core
        if self._preview is None:
            self._preview = View()
        shown = core.state == STRING and not (core.muted or core.duplicate)
        return self._preview.refresh(self._opened(), core.key, core.text if shown else None)

    def forget_text(self) -> None:
        """Let go of the open string's text, so that the machine can add to it where it is."""
        if self._preview is not None:
            self._preview.drop_text()

    def _opened(self) -> list[Any]:
        # The list that holds the root, and the open containers that are shown.
        core = self._core
        opened = [frame[0] for frame in core.stack]
        opened.append(core.node)
        return opened[: core.muted] if core.muted else opened


class View:
    """A copy of the containers, with shared scalars, that grows with the parser's value.

    The parser only ever appends, and only to containers that are open. So a refresh
    copies what was added to those that were open the last time: it costs what was
    added, not what is there. The parser never reads the copy; whatever its owner
    does to it stays there.
    """

    __slots__ = ("_leaf", "_levels", "_root")

    def __init__(self) -> None:
        self._root: list[Any] = []
        # The containers that were open: the parser's, ours, how many members were copied.
        self._levels: list[tuple[Any, Any, int]] = []
        self._leaf: tuple[Any, Any] | None = None  # our container with open text, and its key

    def refresh(self, opened: list[Any], key: str | None = None, text: str | None = None) -> Any:
        """Copy what was added; return our root, or None while there is none.

        Args:
            opened: The list that holds the root, then the open containers, outermost first.
            key: The open text's key in the innermost of them, if that is an object.
            text: The text so far of an open string.
        """
        self.drop_text()
        if len(self._levels) != len(opened) or any(
            level[0] is not source for level, source in zip(self._levels, opened, strict=True)
        ):
            self._reopen(opened)
        else:
            # The same containers are open: only the innermost can have grown.
            source, ours, count = self._levels[-1]
            if len(source) > count:
                _extend(source, ours, count, set(), {})
                self._levels[-1] = source, ours, len(source)
        if text is not None:
            ours = self._levels[-1][1]
            if isinstance(ours, dict):
                ours[key] = text
            else:
                ours.append(text)
            self._leaf = ours, key
        return self._root[0] if self._root else None

    def _reopen(self, opened: list[Any]) -> None:
        made: dict[int, Any] = {id(source): copy for source, copy, _ in self._levels}
        made.setdefault(id(opened[0]), self._root)
        wanted = {id(source) for source in opened}
        for source, copy, count in self._levels or [(opened[0], self._root, 0)]:
            _extend(source, copy, count, wanted, made)
        self._levels = [(source, made[id(source)], len(source)) for source in opened]

    def drop_text(self) -> None:
        """Take the open string's text out of the copy."""
        if self._leaf is None:
            return
        ours, key = self._leaf
        self._leaf = None
        if isinstance(ours, dict):
            ours.pop(key, None)
        elif ours:
            ours.pop()


def _extend(source: Any, copy: Any, count: int, wanted: set[int], made: dict[int, Any]) -> None:
    # Add to `copy` the members of `source` from the count-th on. No recursion: the depth
    # is limited by an option, not by the interpreter.
    work = [(source, copy, count)]
    while work:
        source, copy, count = work.pop()
        added = len(source) - count
        members: Any
        if isinstance(source, dict):
            # From the end, for what was copied need not be walked over.
            members = list(islice(reversed(source.items()), added))[::-1]
        else:
            members = enumerate(source[count:])
        for key, member in members:
            ours = member
            if isinstance(member, (dict, list)):
                ours = type(member)()
                if id(member) in wanted:
                    made[id(member)] = ours
                work.append((member, ours, 0))
            if isinstance(copy, dict):
                copy[key] = ours
            else:
                copy.append(ours)
