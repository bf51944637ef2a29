"""What one chunk costs: `interlock.Parser` next to the partial parsers that people use.

    python -m benchmarks.parser [--quick]

What the numbers do not show: a network, a model, or a document of yours. Documents
are cut into chunks of 1 to 7 characters, about what a token is. Times are
processor time, the least of several runs. The yardstick, printed first, is a call of an empty method with one
argument in the same loop; times in `calls` are multiples of it and carry over to
other machines better than microseconds do.

Peers that read the whole prefix again at each chunk are timed at prefixes spread over the
document, and their sum is reckoned from that: run in full they would take hours at 1 MB.
They are given each prefix ready made, as bytes where they take bytes: joining it is not
counted. Our side counts everything: making the parser, every push, `finish` and the value.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import json
import platform
import random
import sys
import time
import tracemalloc
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from interlock.parser import Parser

SIZES = {"200 B": 200, "1 KB": 1_000, "10 KB": 10_000, "100 KB": 100_000, "1 MB": 1_000_000}


# --- documents ---------------------------------------------------------------


def code_string(size: int) -> str:
    """A tool call that writes a file: mostly one long string, with the escapes that code has."""
    code = 'def area(width, height):\n    """Return the area."""\n    return width * height  # in metres\n\n\n'
    shell = {"path": "src/area.py", "content": ""}
    text = code * (size // len(code) + 1)
    room = size - len(json.dumps(shell))
    while len(json.dumps(text[:room])) - 2 > size - len(json.dumps(shell)):
        room = int(room * 0.98)
    return json.dumps({**shell, "content": text[:room]})


def small_objects(size: int) -> str:
    """An array of records with a number, a string, a boolean and a float each."""
    items = []
    length = 2
    while length < size:
        at = len(items)
        items.append({"id": at, "name": f"item {at}", "ok": at % 2 == 0, "price": at * 1.25})
        length += len(json.dumps(items[-1])) + 2
    return json.dumps(items)


def nested(size: int) -> str:
    """Small values in containers, eight levels deep, written without white space."""

    def tree(depth: int, at: int) -> Any:
        if depth == 0:
            return at
        return {"a": tree(depth - 1, at), "b": [at, None]} if depth % 2 else [tree(depth - 1, at), True]

    items: list[Any] = []
    length = 2
    while length < size:
        items.append(tree(8, len(items)))
        length += len(json.dumps(items[-1], separators=(",", ":"))) + 1
    return json.dumps(items, separators=(",", ":"))


def other_scripts(size: int) -> str:
    """Messages in several scripts, not escaped; `size` counts UTF-8 bytes."""
    lines = ["Grüße aus Köln, naïve café", "これは日本語の文章です", "Привет, мир", "مرحبا بالعالم", "ok 👍🏽 done"]
    items: list[str] = []
    length = 2
    while length < size:
        items.append(lines[len(items) % len(lines)])
        length += len(items[-1].encode()) + 4
    return json.dumps(items, ensure_ascii=False)


DOCUMENTS: dict[str, Callable[[int], str]] = {
    "code string": code_string,
    "small objects": small_objects,
    "nested": nested,
    "other scripts": other_scripts,
}


def chunks_of(text: str) -> list[str]:
    """Cut a text into chunks of 1 to 7 characters, always in the same way."""
    choose = random.Random(1)
    out = []
    at = 0
    while at < len(text):
        step = choose.randint(1, 7)
        out.append(text[at : at + step])
        at += step
    return out


# --- measuring ---------------------------------------------------------------


def least(run: Callable[[], Any], *, seconds: float, rounds: int = 5) -> float:
    """Seconds of one run: the least of `rounds` or more, until `seconds` have been spent."""
    best = float("inf")
    spent = 0.0
    done = 0
    gc.collect()
    gc.disable()
    try:
        while done < rounds or spent < seconds:
            start = time.process_time()
            run()
            took = time.process_time() - start
            best = min(best, took)
            spent += took
            done += 1
            if spent > 20 * seconds:
                break
    finally:
        gc.enable()
    return best


class _Empty:
    def method(self, chunk: str) -> None:
        pass


def yardstick(chunks: list[str]) -> float:
    """Seconds of one call of an empty method, in the loop that pushes chunks."""

    def run() -> None:
        call = _Empty().method
        for chunk in chunks:
            call(chunk)

    return least(run, seconds=0.1, rounds=20) / len(chunks)


def push_all(chunks: list[str], *, events: bool = False) -> Any:
    parser = Parser(events=events)
    push = parser.push
    for chunk in chunks:
        push(chunk)
    return parser.finish("complete").value


def push_and_ask(chunks: list[str]) -> Any:
    """Ask after every chunk whether it went well."""
    parser = Parser(events=False)
    for chunk in chunks:
        if parser.push(chunk).failed:
            raise SystemExit("the benchmark's document is not valid")
    return parser.finish("complete").value


def push_and_show(chunks: list[str]) -> Any:
    """Take the live preview after every chunk, as an editor that shows it would."""
    parser = Parser(events=False)
    for chunk in chunks:
        parser.push(chunk)
        shown = parser.preview
    del shown
    return parser.finish("complete").value


def push_and_drain(chunks: list[str]) -> Any:
    """Drain the events after every chunk."""
    parser = Parser()
    for chunk in chunks:
        parser.push(chunk)
        parser.drain_events()
    return parser.finish("complete").value


# --- peers -------------------------------------------------------------------


def rereaders() -> dict[str, tuple[str, Callable[[Any], Any], bool]]:
    """Parsers of a prefix: name -> (package, function, does it take bytes)."""
    found: dict[str, tuple[str, Callable[[Any], Any], bool]] = {}
    try:
        import jiter

        found["jiter"] = ("jiter", lambda data: jiter.from_json(data, partial_mode="trailing-strings"), True)
    except ImportError:
        pass
    try:
        import pydantic_core

        found["pydantic_core"] = (
            "pydantic_core",
            lambda data: pydantic_core.from_json(data, allow_partial="trailing-strings"),
            True,
        )
    except ImportError:
        pass
    try:
        from langchain_core.utils.json import parse_partial_json

        found["langchain"] = ("langchain_core", parse_partial_json, False)
    except ImportError:
        pass
    try:
        import partial_json_parser

        found["partial-json-parser"] = ("partial-json-parser", partial_json_parser.loads, False)
    except ImportError:
        pass
    try:
        import json_repair

        found["json_repair"] = ("json_repair", lambda text: json_repair.loads(text, stream_stable=True), False)
    except ImportError:
        pass
    return found


def reread(function: Callable[[Any], Any], text: str, chunks: list[str], as_bytes: bool, seconds: float) -> float:
    """Seconds for reading every prefix again, reckoned from at most 24 of them."""
    count = len(chunks)
    picks = sorted({min(count - 1, int((at + 0.5) * count / 24)) for at in range(24)})
    ends = []
    total = 0
    for chunk in chunks:
        total += len(chunk)
        ends.append(total)
    spent = 0.0
    used = 0
    deadline = time.process_time() + 20 * seconds
    # From both ends to the middle, so that a slow peer that runs out of time is still sampled evenly.
    order = [pick for pair in zip(picks, reversed(picks), strict=True) for pick in pair][: len(picks)]
    for pick in order:
        prefix: Any = text[: ends[pick]]
        if as_bytes:
            prefix = prefix.encode()

        def run(prefix: Any = prefix) -> None:
            with contextlib.suppress(ValueError):  # a peer that cannot read this prefix still had to find out
                function(prefix)

        spent += least(run, seconds=seconds / 50, rounds=3)
        used += 1
        if time.process_time() > deadline and used % 2 == 0:
            break
    return spent / used * count


def jsonriver_all(chunks: list[str]) -> Any:
    import jsonriver

    async def source() -> Any:
        for chunk in chunks:
            yield chunk

    async def main() -> Any:
        values = [None]
        async for value in jsonriver.parse(source()):
            values[0] = value
        return values[0]

    return asyncio.run(main())


def ijson_all(pieces: list[bytes]) -> Any:
    """Events only, from the fastest backend there is: it builds no partial value."""
    import ijson

    events = ijson.sendable_list()
    target = ijson.parse_coro(events)
    for piece in pieces:
        target.send(piece)
        del events[:]
    target.close()
    return None


# --- tables ------------------------------------------------------------------


def row(*cells: str) -> None:
    print("| " + " | ".join(cells) + " |")


def head(*cells: str) -> None:
    row(*cells)
    row(*("---" if at == 0 else "---:" for at in range(len(cells))))


def ratio(value: float) -> str:
    return f"{value:,.0f}x" if value >= 20 else f"{value:.1f}x"


def report(name: str, made: bool, targets: list[str]) -> None:
    targets.append(f"{'reached' if made else 'MISSED '}  {name}")


def main() -> None:
    options = argparse.ArgumentParser(description="What one chunk costs, next to other parsers.")
    options.add_argument("--quick", action="store_true", help="up to 100 KB, fewer rounds")
    quick = options.parse_args().quick
    seconds = 0.05 if quick else 0.4
    sizes = {name: size for name, size in SIZES.items() if not (quick and size > 100_000)}
    largest = list(sizes)[-1]
    peers = rereaders()
    targets: list[str] = []

    print(f"CPython {platform.python_version()}, {platform.machine()}, {platform.system()}")
    names = ", ".join(f"{package} {version(package)}" for package, _, _ in peers.values())
    print(f"peers: {names}, jsonriver {version('jsonriver')}, ijson {version('ijson')}")
    stick = yardstick(chunks_of(code_string(10_000)))
    print(f"yardstick: an empty method call takes {stick * 1e6:.3f} microseconds")

    made: dict[tuple[str, str], tuple[str, list[str]]] = {}
    for document, make in DOCUMENTS.items():
        for size_name, size in sizes.items():
            text = make(size)
            made[document, size_name] = text, chunks_of(text)

    print("\n## Microseconds a chunk (empty calls), making the parser and finishing included\n")
    head("document", "size", "push", "push, ask `failed`", "push, take preview", "push, drain events")
    cost: dict[tuple[str, str], float] = {}
    for (document, size_name), (text, chunks) in made.items():
        if json.loads(text) != push_all(chunks):
            raise SystemExit(f"{document} at {size_name}: wrong value")
        cells = []
        for way in (push_all, push_and_ask, push_and_show, push_and_drain):
            stick_now = yardstick(chunks_of(code_string(10_000)))
            took = least(lambda way=way, chunks=chunks: way(chunks), seconds=seconds) / len(chunks)
            if way is push_all:
                cost[document, size_name] = took
                cost[document, size_name + " in calls"] = took / stick_now
            cells.append(f"{took * 1e6:.2f} ({took / stick_now:.0f})")
        row(document, size_name, *cells)
    for document, most in (("code string", 12), ("small objects", 24)):
        for size_name in list(sizes)[1:]:
            calls = cost[document, size_name + " in calls"]
            report(
                f"{document} at {size_name}: {calls:.1f} empty calls a chunk, at most {most}", calls <= most, targets
            )
        spread = [cost[document, size_name + " in calls"] for size_name in list(sizes)[1:]]
        flat = max(spread) / min(spread)
        report(f"{document}, from 1 KB to {largest}: flat within {flat:.2f}x, at most 1.3x", flat <= 1.3, targets)

    print("\n## How many times longer others take for all chunks of the document\n")
    head("document", "size", *peers, "jsonriver", "ijson (no value)")
    for (document, size_name), (text, chunks) in made.items():
        ours = least(lambda chunks=chunks: push_all(chunks), seconds=seconds)
        cells = []
        for name, (_, function, as_bytes) in peers.items():
            theirs = reread(function, text, chunks, as_bytes, seconds)
            cells.append(ratio(theirs / ours))
            if name != "jiter":
                continue
            goals = {
                ("code string", "200 B"): 1,
                ("small objects", "200 B"): 1,
                ("code string", "1 KB"): 2,
                ("small objects", "1 KB"): 4,
                ("code string", "100 KB"): 40,
                ("small objects", "100 KB"): 500,
            }
            goal = goals.get((document, size_name))
            if goal is not None:
                line = f"{document} at {size_name}: jiter takes {ratio(theirs / ours)}, at least {goal}x"
                report(line, theirs / ours >= goal, targets)
        pieces = [chunk.encode() for chunk in chunks]
        slow = seconds / 4
        cells.append(ratio(least(lambda chunks=chunks: jsonriver_all(chunks), seconds=slow, rounds=2) / ours))
        cells.append(ratio(least(lambda pieces=pieces: ijson_all(pieces), seconds=slow, rounds=2) / ours))
        row(document, size_name, *cells)

    print("\n## One push of the whole document, as a multiple of `json.loads`\n")
    head("document", *sizes)
    for document in DOCUMENTS:
        cells = []
        for size_name in sizes:
            text, _ = made[document, size_name]
            ours = least(lambda text=text: push_all([text]), seconds=seconds)
            theirs = least(lambda text=text: json.loads(text), seconds=seconds)
            cells.append(ratio(ours / theirs))
            goal = {"code string": 6, "small objects": 25}.get(document)
            if goal is not None and size_name in ("100 KB", "1 MB"):
                line = (
                    f"{document} at {size_name}: one push takes {ratio(ours / theirs)} of json.loads, at most {goal}x"
                )
                report(line, ours / theirs <= goal, targets)
        row(document, *cells)

    print(f"\n## Memory at {largest}: the most that was held, as a multiple of the document's UTF-8 bytes\n")
    head("document", "chunks", "one push", "the value alone", "above the value")
    for document in DOCUMENTS:
        text, chunks = made[document, largest]
        size = len(text.encode())
        chunked = peak(lambda chunks=chunks: push_all(chunks))
        whole = peak(lambda text=text: push_all([text]))
        value = peak(lambda text=text: json.loads(text), held=True)
        row(document, *(f"{most / size:.2f}x" for most in (chunked, whole, value)), f"{(chunked - value) / size:.2f}x")
        if document == "code string":
            most = (chunked - 65_536) / size
            report(f"{document}: {most:.2f}x of the bytes plus 64 KB at most, at most 2.5x", most <= 2.5, targets)
        else:
            most = (chunked - value - 65_536) / size
            line = f"{document}: {most:.2f}x of the bytes plus 64 KB above the value itself, at most 2.5x"
            report(line, most <= 2.5, targets)

    print("\n## One `snapshot()` near the document's end, in microseconds\n")
    head("document", *sizes)
    for document in DOCUMENTS:
        cells = []
        for size_name in sizes:
            _, chunks = made[document, size_name]
            parser = Parser(events=False)
            for chunk in chunks[: len(chunks) * 9 // 10]:
                parser.push(chunk)
            took = least(parser.snapshot, seconds=seconds / 20, rounds=200)
            cells.append(f"{took * 1e6:.1f}")
        row(document, *cells)

    print("\n## Targets\n")
    for line in targets:
        print(line)
    sys.exit(any(line.startswith("MISSED") for line in targets))


def peak(run: Callable[[], Any], *, held: bool = False) -> int:
    """The most memory, in bytes, while `run` runs; with `held`, what its result holds."""
    gc.collect()
    tracemalloc.start()
    result = run()
    current, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del result
    return current if held else most


if __name__ == "__main__":
    main()
