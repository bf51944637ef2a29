"""Mutation testing: `make mutants`, or `python fuzz/mutants.py [parser|gate] [--sample N]`.

The changes are those of cosmic-ray's operators. Each is made in memory only: a child
process loads the changed source in place of the file and runs the tests, the quick and
sharp ones first. A change that no test notices is printed with its line; one that makes
the tests run for too long counts as noticed. The checkout is not touched.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import functools
import multiprocessing
import os
import random
import resource
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "interlock"


@dataclass(frozen=True)
class Suite:
    """What is changed, and what must notice: the quick and sharp tests first. Seconds are processor time."""

    modules: tuple[str, ...]
    sharp: tuple[str, ...]
    broad: tuple[str, ...]
    sharp_seconds: int
    broad_seconds: int
    at_least: int  # percent that must be noticed


SUITES = {
    "parser": Suite(
        modules=tuple(
            f"parser/{name}"
            for name in ["grammar", "tokens", "utf8", "machine", "views", "events", "results", "parser"]
        ),
        sharp=tuple(f"tests/unit/parser/test_{name}.py" for name in ("tokens", "diagnostics", "parser")),
        broad=(
            "tests/unit/parser/test_limits.py",
            "tests/properties/parser",
            "tests/differential/test_exhaustive.py",
            "tests/differential/test_json_test_suite.py",
        ),
        sharp_seconds=12,
        broad_seconds=60,
        at_least=92,
    ),
    "gate": Suite(
        modules=(
            "gate/table",
            "gate/judge",
            "gate/guard",
            "gate/authority",
            "gate/decision",
            "stream/coordinator",
            "stream/lifecycle",
            "stream/access",
            *(f"stream/wires/{name}" for name in ("anthropic", "openai_chat", "openai_responses", "ai_sdk")),
        ),
        sharp=(
            "tests/conformance",
            "tests/unit/gate/test_guard.py",
            "tests/unit/gate/test_holes.py",
            "tests/unit/gate/test_early.py",
            *(f"tests/unit/stream/wires/test_{name}.py" for name in ("anthropic", "openai_chat", "openai_responses")),
            "tests/unit/stream/wires/test_ai_sdk.py",
        ),
        broad=("tests/unit/stream", "tests/unit/gate/test_table.py"),
        sharp_seconds=30,
        broad_seconds=120,
        at_least=90,
    ),
}


def mutants(suite: Suite) -> list[tuple[str, str, int]]:
    """Every (module, operator, occurrence)."""
    from cosmic_ray.ast import get_ast
    from cosmic_ray.plugins import get_operator, operator_names

    found = []
    for module in suite.modules:
        tree = get_ast((SOURCE / f"{module}.py").read_text())
        nodes = list(walk(tree))
        for name in operator_names():
            if "ariable" in name:  # these want to be told which variable
                continue
            operator = get_operator(name)()
            count = sum(len(list(operator.mutation_positions(node))) for node in nodes)
            found += [(module, name, at) for at in range(count)]
    return found


def walk(node: object) -> object:
    yield node
    for child in getattr(node, "children", ()):
        yield from walk(child)


def changed(module: str, operator: str, occurrence: int) -> str | None:
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    return mutate_code((SOURCE / f"{module}.py").read_text(), get_operator(operator)(), occurrence)


def bare(code: str) -> str:
    """The code without annotations, which nothing evaluates."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign):
            node.annotation = ast.Constant(0)
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
    return ast.dump(tree)


def difference(module: str, code: str) -> str:
    before = (SOURCE / f"{module}.py").read_text().splitlines()
    lines = difflib.unified_diff(before, code.splitlines(), lineterm="", n=0)
    return "\n".join(line for line in lines if not line.startswith(("---", "+++")))


def survives(module: str, code: str, tests: Sequence[str], seconds: int) -> bool:
    """Run the tests on the changed module in a child process."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        return status == 0
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.environ["INTERLOCK_EXHAUSTIVE"] = "short"
        os.environ["INTERLOCK_EXAMPLES"] = "60"
        os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        from importlib.machinery import SourceFileLoader

        path = str(SOURCE / f"{module}.py")
        original = SourceFileLoader.get_code

        def get_code(self: SourceFileLoader, name: str) -> object:
            return compile(code, path, "exec") if self.path == path else original(self, name)

        SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
        import pytest

        options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "pytest_timeout", "--timeout", "0"]
        os._exit(pytest.main([*options, "-k", "not ten_megabytes and not million", *tests]))
    finally:
        os._exit(99)


def judge(suite: Suite, mutant: tuple[str, str, int]) -> tuple[tuple[str, str, int], str, str]:
    code = changed(*mutant)
    try:
        ast.parse(code or "")
    except SyntaxError:
        code = None
    if code is None or bare(code) == bare((SOURCE / f"{mutant[0]}.py").read_text()):
        return mutant, "none", ""
    if survives(mutant[0], code, suite.sharp, suite.sharp_seconds) and survives(
        mutant[0], code, suite.broad, suite.broad_seconds
    ):
        return mutant, "survived", difference(mutant[0], code)
    return mutant, "killed", ""


def main() -> None:
    options = argparse.ArgumentParser(description="Mutation testing.")
    options.add_argument("suite", nargs="?", default="parser", choices=SUITES)
    options.add_argument("--sample", type=int, help="only so many mutants, drawn at random (always the same)")
    options.add_argument("--skip", type=int, default=0, help="leave out the first so many of them")
    options.add_argument("--minutes", type=float, help="stop after so long")
    options.add_argument("--jobs", type=int, default=2)
    given = options.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT / "src"))
    import hypothesis  # noqa: F401  (loaded once, for every child)
    import pytest  # noqa: F401

    suite = SUITES[given.suite]
    first = suite.modules[0]
    seconds = suite.sharp_seconds + suite.broad_seconds
    if not survives(first, (SOURCE / f"{first}.py").read_text(), [*suite.sharp, *suite.broad], seconds):
        sys.exit(f"the tests fail on the unchanged {given.suite}")
    todo = mutants(suite)
    random.Random(0).shuffle(todo)
    todo = todo[: given.sample][given.skip :]
    counts = {"killed": 0, "survived": 0, "none": 0}
    until = time.monotonic() + 60 * (given.minutes or 10**6)
    with multiprocessing.get_context("fork").Pool(given.jobs) as pool:
        for mutant, verdict, text in pool.imap_unordered(functools.partial(judge, suite), todo):
            counts[verdict] += 1
            print(f"\r{sum(counts.values())} of {len(todo)}", end="", file=sys.stderr, flush=True)
            if verdict == "survived":
                print(f"survived: {mutant[0]}.py {mutant[1]} {mutant[2]}\n{text}\n", flush=True)
            if time.monotonic() > until:
                pool.terminate()
                break
    judged = counts["killed"] + counts["survived"]
    share = 100 * counts["killed"] / judged
    print(f"{judged} of {len(todo)} mutants judged, {counts['survived']} survived: {share:.1f}% killed")
    sys.exit(share < suite.at_least)


if __name__ == "__main__":
    main()
