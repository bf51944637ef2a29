"""Batches on all cores, in order, with only a few in flight."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.process import BaseProcess
from threading import Thread
from typing import Final

from interlock.cli.batches import Batch, Job, Outcome, work
from interlock.cli.failure import Failure

__all__ = ["process"]

_ALONE: Final = 4  # batches that are done here: a pool costs more than they do


def process(job: Job, source: Iterable[Batch]) -> Generator[tuple[Batch, list[Outcome]]]:
    """Yield each batch with its outcomes, in order. Closing the generator ends the workers."""
    cores = _cores()
    waiting: deque[tuple[Batch, Future[list[Outcome]]]] = deque()
    with ExitStack() as stack:
        pool: ProcessPoolExecutor | None = None
        for at, batch in enumerate(source):
            if at < _ALONE or cores == 1:
                yield batch, work(job, batch.to_read())
                continue
            if pool is None:
                pool = ProcessPoolExecutor(cores, mp_context=get_context("spawn"), initializer=_begin)
                stack.callback(pool.shutdown, wait=True, cancel_futures=True)
            with _interrupts_wait(), _whole_pool():
                waiting.append((batch, pool.submit(work, job, batch.to_read())))
            if len(waiting) > 2 * cores:
                yield _next(waiting)
        while waiting:
            yield _next(waiting)


def _next(waiting: deque[tuple[Batch, Future[list[Outcome]]]]) -> tuple[Batch, list[Outcome]]:
    batch, future = waiting.popleft()
    with _whole_pool():
        return batch, future.result()


@contextmanager
def _whole_pool() -> Iterator[None]:
    try:
        yield
    except BrokenProcessPool:
        raise Failure("a worker process was ended from outside; is the memory full?") from None


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


def _begin() -> None:
    """Make a worker deaf to Ctrl-C, and let it end when its parent is killed and cannot end it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None:
        Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


@contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Start workers deaf to Ctrl-C: the terminal sends it to all, and only the parent is to act on it.

    They inherit the mask. One that comes to the parent meanwhile is held, and not lost, until the mask is gone.
    """
    if not hasattr(signal, "pthread_sigmask"):  # not on this system
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
