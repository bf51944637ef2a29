"""A progress bar on stderr, for large files, and only where a person sees it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from interlock.cli.terminal import is_terminal

__all__ = ["progress"]

_WORTH_SHOWING: Final = 8 * 1024 * 1024  # bytes; less is read before a bar could be drawn


@contextmanager
def progress(what: str, total: int | None, done: int = 0) -> Iterator[Callable[[int], None]]:
    """Show how many of `total` bytes are done; yields what to call with the number of bytes since the last call."""
    if total is None or total < _WORTH_SHOWING or not is_terminal(sys.stderr):
        yield lambda _: None
        return
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ImportError:
        yield _Percent(what, total, done)
        print(file=sys.stderr)
        return
    # No thread that draws: workers may be started while the bar is there.
    with Progress(console=Console(stderr=True), auto_refresh=False, transient=True) as bar:
        task = bar.add_task(what, total=total, completed=done)
        drawn = done

        def advance(count: int) -> None:
            nonlocal done, drawn
            done += count
            if (done - drawn) * 200 >= total or done >= total:
                drawn = done
                bar.update(task, completed=done, refresh=True)

        yield advance


class _Percent:
    """The bar without `rich`."""

    def __init__(self, what: str, total: int, done: int) -> None:
        self._what = what
        self._total = total
        self._done = done
        self._shown = -1

    def __call__(self, count: int) -> None:
        self._done += count
        percent = self._done * 100 // self._total
        if percent != self._shown:
            self._shown = percent
            print(f"\r{self._what} {percent:3d}%", end="", file=sys.stderr, flush=True)
