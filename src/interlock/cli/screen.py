"""Readable output: tables and lines, with `rich` where it is installed and there is room, else in plain text."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TextIO

from interlock.cli.terminal import PIPE_WIDTH, escape, is_terminal

__all__ = ["Cell", "PlainScreen", "Screen", "screen"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table, or one line: text that may hold line feeds of our own making, and its style.

    Attributes:
        text: The text; it is escaped line by line when it is shown.
        style: `good`, `careful`, `bad`, `strong`, `dim`, or nothing.
        whole: Never broken over two lines.
    """

    text: str
    style: str = ""
    whole: bool = False


class Screen(Protocol):
    """Where readable output goes."""

    def line(self, text: str = "", style: str = "") -> None:
        """Print one line."""

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
        """Print a table."""


class PlainScreen:
    """Plain text: a table is printed row by row, one `column  text` a line."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def line(self, text: str = "", style: str = "") -> None:  # noqa: ARG002 - plain text has no styles
        """Print one line."""
        print(escape(text), file=self._stream)

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
        """Print a table."""
        width = max(len(column) for column in columns)
        for row in rows:
            print(file=self._stream)
            for column, cell in zip(columns, row, strict=True):
                for at, line in enumerate(cell.text.split("\n")):
                    label = column if at == 0 else ""
                    if line:
                        print(f"  {label:<{width}}  {escape(line)}", file=self._stream)
        print(file=self._stream)


_NARROW = 70  # columns; below that a table breaks words, and leaves out what it has no room for

_STYLES = {"good": "green", "careful": "yellow", "bad": "red", "strong": "bold", "dim": "dim"}


class _RichScreen:
    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console

        class Quiet(Console):
            def on_broken_pipe(self) -> None:
                raise  # called while it is handled; `main` ends the command, not rich

        self._stream = stream
        self._terminal = terminal = is_terminal(stream)
        width = None if terminal or os.environ.get("COLUMNS", "").isdigit() else PIPE_WIDTH
        # `force_terminal` is set both ways: no variable of the environment may colour what is no terminal.
        self._console = Quiet(file=stream, force_terminal=terminal, width=width, highlight=False, markup=False)

    @property
    def width(self) -> int:
        return self._console.width

    def line(self, text: str = "", style: str = "") -> None:
        if style and self._terminal:
            self._console.print(self._text(Cell(text, style)), soft_wrap=True)
        else:
            print(escape(text), file=self._stream)

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
        from rich.box import SIMPLE_HEAD
        from rich.table import Table

        table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
        for at, column in enumerate(columns):
            table.add_column(column, no_wrap=all(row[at].whole for row in rows), overflow="fold")
        for row in rows:
            table.add_row(*(self._text(cell) for cell in row))
        with self._console.capture() as captured:
            self._console.print(table)
        for line in captured.get().splitlines():
            print(line.rstrip(), file=self._stream)

    @staticmethod
    def _text(cell: Cell) -> Any:
        from rich.text import Text

        text = "\n".join(escape(line) for line in cell.text.split("\n"))
        return Text(text, style=_STYLES.get(cell.style, ""))


def screen(stream: TextIO) -> Screen:
    """Return the best screen that can be had."""
    try:
        rich = _RichScreen(stream)
    except ImportError:
        return PlainScreen(stream)
    return rich if rich.width >= _NARROW else PlainScreen(stream)
