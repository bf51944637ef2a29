"""Workers: what Ctrl-C does while they start."""

import io
import json
import signal
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing

import pytest

from interlock.cli import batches, pool
from interlock.cli.settings import Settings


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="this system cannot hold a signal back")
def test_an_interrupt_that_comes_while_a_worker_starts_is_not_lost(monkeypatch):
    handed_over = []

    def submit(self, *arguments):
        handed_over.append(arguments)
        signal.raise_signal(signal.SIGINT)
        return ProcessPoolExecutor.submit(self, *arguments)

    class Pool(ProcessPoolExecutor):
        pass

    Pool.submit = submit
    monkeypatch.setattr(pool, "ProcessPoolExecutor", Pool)
    monkeypatch.setattr(pool, "_cores", lambda: 2)
    monkeypatch.setattr(pool, "_ALONE", 0)
    monkeypatch.setattr(batches, "_BATCH_LINES", 1)
    file = io.BufferedReader(io.BytesIO((json.dumps([{"role": "user", "content": "x"}]) + "\n").encode() * 9))
    job = batches.Job(Settings(), heal=False)
    with closing(pool.process(job, batches.batches(file))) as results, pytest.raises(KeyboardInterrupt):
        list(results)
    assert len(handed_over) == 1
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])
