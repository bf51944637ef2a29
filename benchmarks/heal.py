"""What healing costs, next to `json.dumps` of the same messages in the same run.

Prints, for each format: microseconds a message for `json.dumps`, for a healthy
history and for damaged ones (one fault at the end, one in the middle, one in each
hundred turns), and the ratios; then the time a message from 10 to 100,000
messages, and the memory that healing a healthy history takes. Minimum of several
runs. What the numbers do not show: histories made of images or of unusual parts
are read whole.

Usage: python benchmarks/heal.py [FORMAT ...]
"""

from __future__ import annotations

import json
import platform
import random
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from interlock import heal
from properties.history.generate import RENDERERS

REPEATS = 7


def plan(turns: int) -> list[dict[str, Any]]:
    """An agent's session: a request, two rounds of calls with file-sized answers, a reply."""
    draw = random.Random(7)
    out: list[dict[str, Any]] = []
    number = 0
    for _ in range(turns):
        out.append(
            {"user": "Please look at the file, tell me what is wrong with it, and fix it. " * draw.randint(1, 4)}
        )
        for _ in range(2):
            calls = []
            for _ in range(draw.randint(1, 2)):
                number += 1
                args = {"path": f"src/module_{number}.py", "start": 1, "end": 200}
                body = "    return [line for line in source]\n" * draw.randint(5, 20)
                calls.append({"id": f"call{number:05d}", "name": "read_file", "args": args, "out": body})
            out.append({"calls": calls, "text": None})
        out.append(
            {"assistant": "The file was read twice; I have changed it so that it is read once. " * draw.randint(1, 3)}
        )
    out.append({"user": "thanks"})
    return out


def best(work: Callable[[], Any]) -> float:
    """Seconds of the fastest run."""
    fastest = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        fastest = min(fastest, time.perf_counter() - start)
    return fastest


def without(history: list[Any], places: list[int]) -> list[Any]:
    """The history without these messages."""
    gone = set(places)
    return [message for at, message in enumerate(history) if at not in gone]


def answers(history: list[Any]) -> list[int]:
    """Places of the messages that hold results."""
    marks = ('"tool_call_id"', '"tool_result"', '"tool-result"', '"functionResponse"', '"toolResult"', "_output")
    return [at for at, message in enumerate(history) if any(mark in json.dumps(message) for mark in marks)]


def ratios(wire: str) -> None:
    """Print the costs for one format."""
    history = RENDERERS[wire](plan(400))
    found = answers(history)
    damaged = {
        "end": without(history, found[-1:]),
        "middle": without(history, found[len(found) // 2 : len(found) // 2 + 1]),
        "spread": without(history, found[50::100]),
    }
    dumps = best(lambda: json.dumps(history))
    healthy = best(lambda: heal(history, wire=wire))
    assert heal(history, wire=wire).messages is history
    line = f"{wire:18} {len(history):6} messages  dumps {dumps / len(history) * 1e6:6.2f} us"
    line += f"  healthy {healthy / dumps:5.2f}"
    for name, messages in damaged.items():
        assert heal(messages, wire=wire).changed
        seconds = best(lambda messages=messages: heal(messages, wire=wire))
        line += f"  {name} {seconds / best(lambda messages=messages: json.dumps(messages)):5.2f}"
    print(line)


def growth(wire: str) -> None:
    """Print the time a message as the history grows, and the memory of one call."""
    for turns in (2, 20, 200, 2000, 15000):
        history = RENDERERS[wire](plan(turns))
        seconds = best(lambda history=history: heal(history, wire=wire))
        dumps = best(lambda history=history: json.dumps(history))
        tracemalloc.start()
        heal(history, wire=wire)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        each = seconds / len(history) * 1e6
        line = f"{wire:18} {len(history):6} messages  {each:6.2f} us each  ratio {seconds / dumps:5.2f}"
        print(f"{line}  peak {peak / 1024:8.1f} KiB")


def main() -> None:
    """Run the formats named on the command line, or all."""
    print(f"Python {platform.python_version()}, {platform.machine()}; ratios to json.dumps of the same messages")
    wires = sys.argv[1:] or list(RENDERERS)
    for wire in wires:
        ratios(wire)
    for wire in wires[:1]:
        growth(wire)


if __name__ == "__main__":
    main()
