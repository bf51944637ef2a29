"""What healing costs, next to `json.dumps` of the same messages in the same run.

    python -m benchmarks.heal [--quick] [FORM ...]

For each format and form: the time a message that `json.dumps` takes, and as ratios to it
healing a healthy history and damaged ones: one result lost at the end, one in the middle,
one of each hundred, one of each ten, and all of them; and one that goes on with another
provider, for which each call needs another id. Message objects are compared with
`json.dumps` of the same messages in the dict form; what the framework's own way to write
them takes is shown beside it. Where all results are lost, or all ids change, there is no goal: each
call gets a message or two, which takes longer than the C encoder takes for the call. The records of stubs are
put together when `repairs` is asked for, which is not in these numbers: about 2 us each.

Then a healthy history for each target, and one fault of each kind in a thousand messages, of
which the slowest is shown; and a healthy history of 10 to 100,000 messages, with the memory
that healing it takes. A call of `heal` has a fixed cost of two or three microseconds, which
the column for ten messages shows.

What the numbers do not show: histories made of images or of unusual parts are read whole,
and so are those of which most messages have to change otherwise (another provider's
reasoning goes): they cost 7 to 15 times `json.dumps`. Other faults than lost results cost
1.4 to 4 times as much when each tenth exchange has one.
Times are processor time, the least of several runs, and of more where a goal seems to be missed.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import random
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import pytest

from interlock import heal
from interlock.history.providers import PROFILES
from support.framework_histories import FORMS as FRAMEWORKS
from support.histories import (
    MUTATIONS,
    WIRES,
    Answer,
    Ask,
    ImpossibleError,
    Reply,
    Results,
    Step,
    User,
    render,
    with_ids,
)

HEALTHY, DAMAGED = 0.5, 1.0  # goals, as ratios to `json.dumps`
SIZES = (10, 100, 1_000, 10_000, 100_000)  # messages, about
LINEAR = 1.5  # goal: how much the ratio may grow from 1,000 messages on
MEMORY = 128  # goal: bytes a message of the input, at most


# --- histories ---------------------------------------------------------------


def session(turns: int) -> list[Step]:
    """An agent's session: a request, two rounds of calls with file-sized answers, a reply."""
    draw = random.Random(7)
    steps: list[Step] = []
    number = 0
    for _ in range(turns):
        steps.append(User("Please look at the file, tell me what is wrong with it, and fix it. " * draw.randint(1, 4)))
        for _ in range(2):
            asked, answers = [], []
            for _ in range(draw.randint(1, 2)):
                number += 1
                call = f"call{number:05d}"
                asked.append(Ask(call, "read_file", {"path": f"src/module_{number}.py", "start": 1, "end": 200}))
                body = "    return [line for line in source]\n" * draw.randint(5, 20)
                answers.append(Answer(call, "read_file", body))
            steps += [Reply("", tuple(asked)), Results(tuple(answers))]
        steps.append(Reply("The file was read twice; I have changed it so that it is read once. " * draw.randint(1, 3)))
    return [*steps, User("thanks")]


def without(steps: list[Step], lost: Callable[[int, int], bool]) -> list[Step]:
    """The session without the answers for which `lost(number, count)` is true."""
    count = sum(len(step.answers) for step in steps if isinstance(step, Results))
    out: list[Step] = []
    number = 0
    for step in steps:
        if isinstance(step, Results):
            left = [one for at, one in enumerate(step.answers, number) if not lost(at, count)]
            number += len(step.answers)
            if left:
                out.append(replace(step, answers=tuple(left)))
        else:
            out.append(step)
    return out


def elsewhere(steps: list[Step]) -> list[Step]:
    """The session with ids as another provider gives them, which Mistral refuses."""
    return with_ids(steps, lambda one: f"call_{one.id}_abcdef")


DAMAGE: dict[str, Callable[[int, int], bool]] = {
    "end": lambda at, count: at == count - 1,
    "middle": lambda at, count: at == count // 2,
    "1 in 100": lambda at, _: at % 100 == 50,
    "1 in 10": lambda at, _: at % 10 == 5,
    "all": lambda *_: True,
}


@dataclass(frozen=True)
class Form:
    """A format and form: how a session is written, and the same as JSON values; the framework's own dump."""

    name: str
    wire: str
    write: Callable[[list[Step]], list[Any]]
    json: Callable[[list[Step]], list[Any]]
    dump: Callable[[list[Any]], Any] | None = None


def bare(steps: list[Step]) -> list[Any]:
    """Responses items of which the messages are only a role and a string, as people write them by hand."""
    out = render(steps, "openai_responses")
    for at, item in enumerate(out):
        if item.get("type") == "message":
            out[at] = {"role": item["role"], "content": item["content"][0]["text"]}
    return out


def forms() -> Iterator[Form]:
    """Every format; the objects of frameworks that are installed."""
    for wire in WIRES:
        write = partial(render, wire=wire)
        yield Form(wire, wire, write, write)
    yield Form("openai_responses-bare", "openai_responses", bare, bare)
    for name, (wire, write) in FRAMEWORKS.items():
        kind, _, objects = name.partition("-")
        if objects != "objects":
            yield Form(name, wire, write, write)
            continue
        try:
            write(session(0))
        except pytest.skip.Exception as error:
            print(f"left out: {name}: {error}")
            continue
        yield Form(name, wire, write, FRAMEWORKS[kind][1], own_dump(kind))


def own_dump(kind: str) -> Callable[[list[Any]], Any]:
    """How a framework itself writes its messages as JSON."""
    if kind == "pydantic_ai":
        from pydantic_ai.messages import ModelMessagesTypeAdapter

        return ModelMessagesTypeAdapter.dump_json
    if kind == "langchain":
        from langchain_core.messages import messages_to_dict

        return lambda messages: json.dumps(messages_to_dict(messages))
    return lambda messages: json.dumps(
        [one.model_dump(mode="json") if hasattr(one, "model_dump") else one for one in messages]
    )


# --- measuring ---------------------------------------------------------------


def least(run: Callable[[], Any], *, seconds: float = 0.08, rounds: int = 5) -> float:
    """Seconds of one run: the least of `rounds` or more, until `seconds` have been spent."""
    best = float("inf")
    spent, done = 0.0, 0
    while done < rounds or spent < seconds:
        start = time.process_time()
        run()
        took = time.process_time() - start
        best = min(best, took)
        spent += took
        done += 1
        if done > 1 and spent > 20 * seconds:
            break
    return best


def against(run: Callable[[], Any], other: Callable[[], Any], *, goal: float = float("inf")) -> float:
    """What a run takes as a multiple of another; by turns, as a machine is now fast and now slow.

    The least of nine runs of each; of up to sixty as long as that is more than a goal, for what else the machine
    does makes a run longer, and never shorter.
    """
    first, second = float("inf"), float("inf")
    for done in range(60):
        first = min(first, least(run, seconds=0.0, rounds=1))
        second = min(second, least(other, seconds=0.0, rounds=1))
        if done >= 8 and first <= goal * second:
            break
    return first / second


def many(run: Callable[[], Any], count: int) -> Callable[[], Any]:
    """A short run several times over, so that the clock can tell."""

    def repeated() -> None:
        for _ in range(count):
            run()

    return repeated


def peak(run: Callable[[], Any]) -> int:
    """The most memory, in bytes, that a run takes."""
    gc.collect()
    tracemalloc.start()
    run()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def row(*cells: str) -> None:
    print("| " + " | ".join(cells) + " |")


def head(*cells: str) -> None:
    row(*cells)
    row(*("---" if at == 0 else "---:" for at in range(len(cells))))


# --- tables ------------------------------------------------------------------


def costs(form: Form, turns: int, report: Callable[[str, bool], None]) -> None:
    """Print the row of one form."""
    steps = session(turns)
    history, plain = form.write(steps), form.json(steps)
    dumps = least(lambda: json.dumps(plain))
    assert heal(history, wire=form.wire).messages is history
    dump = form.dump
    # Objects are held to what their framework takes to write them.
    own = 1.0 if dump is None else against(lambda: dump(history), lambda: json.dumps(plain))
    healthy = against(lambda: heal(history, wire=form.wire), lambda: json.dumps(plain), goal=HEALTHY * own)
    yardstick = "json.dumps" if dump is None else "the framework's own dump"
    cells = [form.name, str(len(history)), f"{dumps / len(history) * 1e6:.2f} us", f"{healthy:.2f}"]
    share = healthy / own
    report(f"{form.name}: a healthy history costs {share:.2f} of {yardstick}, at most {HEALTHY}", share <= HEALTHY)
    for name, lost in DAMAGE.items():
        broken = without(steps, lost)
        messages, plain = form.write(broken), form.json(broken)
        result = heal(messages, wire=form.wire)
        assert result.changed
        kept = {id(message) for message in result.messages}
        copies = sum(id(message) not in kept for message in messages)
        if copies > len(result.repairs):
            report(f"{form.name}: {copies} messages are copied for {len(result.repairs)} repairs", False)
        goal = DAMAGED * own if name != "all" else float("inf")
        ratio = against(partial(heal, messages, form.wire), partial(json.dumps, plain), goal=goal)
        cells.append(f"{ratio:.2f}")
        share = ratio / own
        if name != "all":
            line = f"{form.name}: damage ({name}) costs {share:.2f} of {yardstick}, at most {DAMAGED}"
            report(line, share <= DAMAGED)
    moved = form.write(elsewhere(steps))
    if heal(moved, form.wire, "mistral").changed:
        plain = form.json(elsewhere(steps))
        cells.append(f"{against(lambda: heal(moved, form.wire, 'mistral'), lambda: json.dumps(plain)):.2f}")
    else:
        cells.append("")  # no ids, or ids that fit
    row(*cells, "" if dump is None else f"{own:.2f}")


def slowest(form: Form, report: Callable[[str, bool], None]) -> None:
    """Print the row of one form: the target, and the kind of damage, that cost most."""
    steps = session(200)
    history, plain = form.write(steps), form.json(steps)
    dump = form.dump
    own = 1.0 if dump is None else against(lambda: dump(history), lambda: json.dumps(plain))
    targets = {}
    for provider in PROFILES:
        healing = partial(heal, history, form.wire, provider)
        result = healing()
        if not result.changed and not result.remaining:
            targets[provider] = against(healing, lambda: json.dumps(plain), goal=HEALTHY * own) / own
    kinds = {}
    for name, break_ in MUTATIONS.items():
        try:
            broken = break_(steps, lambda count: count // 2)
            healing, writing = partial(heal, form.write(broken), form.wire), partial(json.dumps, form.json(broken))
        except (ImpossibleError, ValueError):
            continue  # objects that cannot be made
        kinds[name] = against(healing, writing, goal=DAMAGED * own) / own
    worst = max(targets, key=targets.__getitem__), max(kinds, key=kinds.__getitem__)
    cells = (f"{targets[worst[0]]:.2f}", worst[0], f"{kinds[worst[1]]:.2f}", worst[1])
    row(form.name, str(len(targets)), *cells[:2], str(len(kinds)), *cells[2:])
    other = [name for name, ratio in targets.items() if ratio > HEALTHY]
    report(f"{form.name}: a healthy history costs more than {HEALTHY} for {', '.join(other) or 'no target'}", not other)
    other = [name for name, ratio in kinds.items() if ratio > DAMAGED]
    report(f"{form.name}: one fault costs more than {DAMAGED} for {', '.join(other) or 'no kind'}", not other)


def growth(form: Form, sizes: tuple[int, ...], report: Callable[[str, bool], None]) -> None:
    """Print the row of one form: ratio to `json.dumps` for each size, and memory for the largest."""
    each = len(form.write(session(100))) / 100
    ratios = {}
    most = 0.0
    for size in sizes:
        steps = session(max(1, round(size / each)))
        history, plain = form.write(steps), form.json(steps)
        count = max(1, 1000 // size)
        healing, writing = partial(heal, history, form.wire), partial(json.dumps, plain)
        ratios[size] = against(many(healing, count), many(writing, count))
        most = peak(lambda history=history: heal(history, wire=form.wire)) / len(history)
    row(form.name, *(f"{ratio:.2f}" for ratio in ratios.values()), f"{most:.0f}")
    grown = ratios[sizes[-1]] / ratios[1_000]
    largest = f"{sizes[-1]:,}"
    report(f"{form.name}: the ratio grows {grown:.2f} times from 1,000 to {largest}, at most {LINEAR}", grown <= LINEAR)
    report(f"{form.name}: {most:.0f} bytes a message at {largest}, at most {MEMORY}", most <= MEMORY)


def main() -> None:
    """Run the forms named on the command line, or all."""
    options = argparse.ArgumentParser(description="What healing costs, next to json.dumps.")
    options.add_argument("--quick", action="store_true", help="up to 10,000 messages")
    options.add_argument("forms", nargs="*", metavar="FORM", help="a format or form; all when none is named")
    asked = options.parse_args()
    chosen = [form for form in forms() if not asked.forms or form.name in asked.forms or form.wire in asked.forms]
    sizes = SIZES[:-1] if asked.quick else SIZES
    targets: list[str] = []

    def report(line: str, made: bool) -> None:
        targets.append(f"{'reached' if made else 'MISSED '}  {line}")

    print(f"CPython {platform.python_version()}, {platform.machine()}, {platform.system()}")
    print("\n## Healing, as a multiple of `json.dumps` of the same messages\n")
    head("form", "messages", "dumps each", "healthy", *DAMAGE, "new ids", "own dump")
    for form in chosen:
        costs(form, 400, report)
    print("\n## The slowest target for a healthy history, and the slowest kind of one fault\n")
    head("form", "targets", "healthy", "for", "kinds", "one fault", "of the kind")
    for form in chosen:
        slowest(form, report)
    print("\n## A healthy history as it grows, as a multiple of `json.dumps`; memory in bytes a message at the end\n")
    head("form", *(f"{size:,}" for size in sizes), "memory")
    for form in chosen:
        growth(form, sizes, report)
    print("\n## Targets\n")
    for line in targets:
        print(line)
    sys.exit(any(line.startswith("MISSED") for line in targets))


if __name__ == "__main__":
    main()
