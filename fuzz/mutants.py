"""Mutation testing: `make mutants`, or `python fuzz/mutants.py [parser|gate] [--sample N]`.

The changes are those of cosmic-ray's operators, and in the gate also a statement left out
and a word spelt otherwise. Each is made in memory only: a child process loads the changed
source in place of the file and runs the tests, in the order in which they are likely to
notice: those of the module first, then the quick ones. The checkout is not touched.

A first run of all tests, with nothing changed, must pass; it notes how long each test takes
and which functions it calls, so that a change is held against the tests that reach it.

killed: a test failed, or took far longer than it does. stillborn: the module cannot even be
imported; not counted, nor is what changes only types or docstrings. broken: the runner failed;
not counted, and the command fails.
survived: no test noticed; printed with its place. equivalent: no test can notice, for a reason
that `fuzz/equivalent.toml` gives; not counted.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import collections
import difflib
import importlib
import itertools
import json
import multiprocessing
import os
import random
import re
import resource
import signal
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "interlock"
STILLBORN, BROKEN = 98, 99  # statuses of a child that pytest does not use


@dataclass(frozen=True)
class Suite:
    """What is changed, and what must notice."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]
    at_least: int  # percent that must be noticed
    own_operators: bool = False


SUITES = {
    "parser": Suite(
        modules=tuple(
            f"parser/{name}"
            for name in ["grammar", "tokens", "utf8", "machine", "views", "events", "results", "parser"]
        ),
        tests=(
            *(f"tests/unit/parser/test_{name}.py" for name in ("tokens", "diagnostics", "parser", "records", "limits")),
            "tests/properties/parser",
            "tests/differential/test_exhaustive.py",
            "tests/differential/test_json_test_suite.py",
        ),
        at_least=92,
    ),
    "gate": Suite(
        modules=(
            *(
                f"gate/{name}"
                for name in ("facts", "table", "ending", "reading", "judge", "guard", "decision", "authority")
            ),
            *(
                f"stream/{name}"
                for name in ("events", "calls", "coordinator", "lifecycle", "access", "assembly", "detect")
            ),
            *(
                f"stream/{folder}/{path.stem}"
                for folder in ("framing", "wires")
                for path in sorted((SOURCE / "stream" / folder).glob("*.py"))
            ),
        ),
        tests=(
            "tests/unit/gate",
            "tests/unit/stream",
            "tests/conformance",
            "tests/properties/stream",
            "tests/reference",
            *(f"tests/meta/test_{name}.py" for name in ("native_words", "generated_docs", "exports")),
        ),
        at_least=90,
        own_operators=True,
    ),
}


# -- the changes ---------------------------------------------------------------


@dataclass(frozen=True)
class Mutant:
    """One change: the so-manieth occurrence of an operator in a module."""

    module: str
    operator: str
    occurrence: int
    line: int

    def __str__(self) -> str:
        return f"src/interlock/{self.module}.py:{self.line} {self.operator} {self.occurrence}"


def text_of(module: str) -> str:
    return (SOURCE / f"{module}.py").read_text()


def mutants(suite: Suite, module: str) -> list[Mutant]:
    """Every change of a module."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator, operator_names

    nodes = list(ast_nodes(get_ast(text_of(module))))
    found = []
    for name in operator_names():
        if "ariable" in name:  # these want to be told which variable
            continue
        operator = get_operator(name)()
        lines = [start[0] for node in nodes for start, _ in operator.mutation_positions(node)]
        found += [Mutant(module, name.removeprefix("core/"), at, line) for at, line in enumerate(lines)]
    for name, places in OWN.items() if suite.own_operators else ():
        found += [Mutant(module, name, at, node.lineno) for at, node in enumerate(places(ast.parse(text_of(module))))]
    return found


def statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield what a function does, and could leave out."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for node in ast.walk(function):
            for block in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")):
                for at, one in enumerate(block if isinstance(block, list) else []):
                    last = node is function and at == len(block) - 1
                    said = isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)
                    effect = isinstance(one, ast.Expr | ast.Assign | ast.AugAssign | ast.Raise | ast.Delete)
                    if (effect and not said) or (isinstance(one, ast.Return) and not last):
                        yield one


def words(tree: ast.Module) -> Iterator[ast.Constant]:
    """Yield the strings that are words: keys, kinds, codes, reasons; no sentences."""
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and id(node) not in parts else None
        if isinstance(text, str) and re.fullmatch(r"(?!utf-8$)[\w.:/-]+", text):
            yield node


OWN = {"LeaveOut": statements, "OtherWord": words}


def changed(mutant: Mutant) -> str | None:
    """Return the changed source, `None` when there is no such change."""
    source = text_of(mutant.module)
    if mutant.operator in OWN:
        node = next(itertools.islice(OWN[mutant.operator](ast.parse(source)), mutant.occurrence, None))
        new = "pass" if isinstance(node, ast.stmt) else repr(f"{node.value}_")
        lines = [line.encode() for line in source.splitlines(keepends=True)]  # columns count bytes
        before = b"".join(lines[: node.lineno - 1]) + lines[node.lineno - 1][: node.col_offset]
        after = lines[node.end_lineno - 1][node.end_col_offset :] + b"".join(lines[node.end_lineno :])
        return (before + new.encode() + after).decode()
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    return mutate_code(source, get_operator(f"core/{mutant.operator}")(), mutant.occurrence)


def _is_one_object(node: ast.expr) -> bool:
    """Say whether all that equals this is this very object: None, a character, a small number, a code's name."""
    if isinstance(node, ast.Constant):
        value = node.value
        return value is None or (isinstance(value, str) and len(value) < 2) or (type(value) is int and value < 257)
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name.isupper()


def bare(code: str) -> str:
    """The code without what cannot matter: docstrings, types, protocols, `__all__`; and `is None` for `== None`."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign):
            node.annotation = ast.Constant(0)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Literal":
            node.slice = ast.Constant(0)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            node.args[1:] = [one for one in node.args[1:] if not isinstance(one, ast.BinOp)]
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            if node.targets[0].id in ("__all__", "__slots__"):
                node.value = ast.Constant(0)
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for at, operator in enumerate(node.ops):
                if _is_one_object(sides[at]) or _is_one_object(sides[at + 1]):
                    node.ops[at] = {ast.Eq: ast.Is, ast.NotEq: ast.IsNot}.get(type(operator), type(operator))()
        elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            node.body, node.orelse = [ast.Pass()], []
        elif isinstance(node, ast.ClassDef) and any(isinstance(b, ast.Name) and b.id == "Protocol" for b in node.bases):
            node.body = [ast.Pass()]
        block = getattr(node, "body", None)
        first = block[0] if isinstance(block, list) and block else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            block[0] = ast.Pass()
    return ast.dump(tree)


def matters(mutant: Mutant) -> str | None:
    """Return the changed source, `None` when the change is none."""
    code = changed(mutant)
    try:
        return code if code is not None and bare(code) != bare(text_of(mutant.module)) else None
    except SyntaxError:
        return None


def drawn(suite: Suite, modules: Sequence[str], sample: int | None, seed: int) -> list[Mutant]:
    """Draw changes evenly over the modules, and inside a module over its places."""
    rows = []
    for module in modules:
        chance = random.Random(f"{seed} {module}")
        places: dict[tuple[int, str], list[Mutant]] = collections.defaultdict(list)
        for mutant in mutants(suite, module):
            places[mutant.line, mutant.operator.partition("_")[0]].append(mutant)
        for place in (every := list(places.values())):
            chance.shuffle(place)
        chance.shuffle(every)
        rows.append([one for turn in itertools.zip_longest(*every) for one in turn if one is not None])
    return [one for turn in itertools.zip_longest(*rows) for one in turn if one is not None][:sample]


def again(suite: Suite, path: str) -> list[Mutant]:
    """Return the changes that the output of an earlier run lists as survivors."""
    found = re.findall(r"^survived: src/interlock/(\S+)\.py:(\d+) (\S+) (\d+)$", Path(path).read_text(), re.MULTILINE)
    listed = {(module, operator, int(at)) for module, _, operator, at in found}
    every = [one for module in sorted({name for name, *_ in listed}) for one in mutants(suite, module)]
    return [one for one in every if (one.module, one.operator, one.occurrence) in listed]


def equivalents() -> set[str]:
    """Return the changes that no test can notice, as `difference_in_short` names them."""
    groups = tomllib.loads((ROOT / "fuzz" / "equivalent.toml").read_text())["group"]
    return {change for group in groups for change in group["changes"]}


def difference_in_short(mutant: Mutant, code: str) -> str:
    lines = difference(mutant, code).splitlines()
    sides = (" / ".join(line[1:].strip() for line in lines if line[0] == sign) for sign in "-+")
    return f"{mutant.module}: {' -> '.join(sides)}"


def difference(mutant: Mutant, code: str) -> str:
    lines = difflib.unified_diff(text_of(mutant.module).splitlines(), code.splitlines(), lineterm="", n=0)
    return "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))


# -- the tests -----------------------------------------------------------------


@dataclass
class Known:
    """What the run without a change has shown."""

    seconds: dict[str, float] = field(default_factory=dict)  # test -> processor time
    # module -> (first line, last line) of a function -> the tests that call it
    callers: dict[str, dict[tuple[int, int], set[str]]] = field(default_factory=dict)
    # module -> the tests that noticed its latest changes, the last one last
    noticed: dict[str, dict[str, None]] = field(default_factory=dict)

    def notice(self, module: str, test: str) -> None:
        """Remember which test noticed a change: it is likely to notice the next one."""
        latest = self.noticed.setdefault(module, {})
        latest.pop(test, None)
        latest[test] = None
        if len(latest) > 12:
            del latest[next(iter(latest))]

    def tests_for(self, mutant: Mutant, budget: float) -> list[str]:
        """Return the tests that may notice, the likeliest first, as many as the seconds allow.

        Those that noticed the changes before come first, then those of the module, and of each parametrized test a
        few sets of parameters before the many others. What runs on import may be noticed by any test.
        """
        functions = self.callers.get(mutant.module, {})
        around = [span for span in functions if span[0] <= mutant.line <= span[1]]
        users = set().union(*functions.values())
        reach = functions[min(around, key=lambda span: span[1] - span[0])] if around else set(self.seconds)
        folder, _, name = mutant.module.rpartition("/")
        ranks: dict[str, tuple[int, int, float]] = {}
        again: collections.Counter[str] = collections.Counter()
        for test in sorted(reach, key=self.seconds.__getitem__):
            function = test.partition("[")[0]
            own = Path(test.partition("::")[0]).stem.startswith(f"test_{name}")
            beside = test.partition("::")[0].rpartition("/")[0] == f"tests/unit/{folder}"
            near = 0 if own else 1 if beside else 2 if test in users else 3
            ranks[test] = near, again[function].bit_length(), self.seconds[test]
            again[function] += 1
        first = [test for test in reversed(self.noticed.get(mutant.module, {})) if test in ranks]
        out = []
        for test in dict.fromkeys([*first, *sorted(ranks, key=ranks.__getitem__)]):
            own = ranks[test][0] == 0
            if own or self.seconds[test] < budget:
                out.append(test)
                budget -= 0 if own else self.seconds[test]
        return out


class Quick:
    """A pytest plugin: a change that is noticed need not be noticed by the smallest example."""

    def pytest_configure(self) -> None:
        from hypothesis import Phase, settings

        phases = [Phase.explicit, Phase.generate]
        settings.register_profile("quick", settings.get_profile("interlock"), phases=phases, database=None)
        settings.load_profile("quick")


class Order(Quick):
    """A pytest plugin: run these tests in this order, and stop when one takes far too long."""

    def __init__(self, tests: Sequence[str], seconds: dict[str, float], noticed: str) -> None:
        self.place = {test: at for at, test in enumerate(tests)}
        self.seconds = seconds
        self.noticed = noticed  # the path of a file for the name of the test

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = sorted((item for item in items if item.nodeid in self.place), key=lambda i: self.place[i.nodeid])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        usual = self.seconds[nodeid]
        signal.setitimer(signal.ITIMER_VIRTUAL, 3 + 10 * usual)  # processor time; its signal ends the process
        signal.alarm(60 + int(20 * usual))  # for one that waits
        Path(self.noticed).write_text(nodeid)  # the last one to start is the one that fails


class Watcher(Quick):
    """A pytest plugin: note which functions each test calls, and how long it takes."""

    def __init__(self) -> None:
        self.failed: list[str] = []
        self.seconds: dict[str, float] = {}
        self.calls: dict[str, list[tuple[str, int, int]]] = {}
        self.start = 0.0
        self.called: set[tuple[str, int, int]] = set()  # what the instrumented source adds to
        vars(builtins)["__called__"] = self.called

    def pytest_collection_finish(self) -> None:
        self.calls[""] = list(self.called)  # what is called on import shapes what every test sees

    def pytest_runtest_logstart(self) -> None:
        self.called.clear()
        self.start = time.process_time()

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.failed.append(f"{report.nodeid} ({report.when})")

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.seconds[nodeid] = time.process_time() - self.start
        self.calls[nodeid] = list(self.called)

    def write(self, path: str) -> None:
        ours = {"interlock", "support", "conftest", "tests", "__main__", "pytest_timeout"}
        imported = [name for name in sys.modules if name.split(".")[0] not in ours and not name.startswith("test_")]
        Path(path).write_text(json.dumps({**vars(self), "called": [], "imported": imported}))


def instrumented(path: str) -> CodeType:
    """Compile a file whose functions each note that they were called."""
    tree = ast.parse(Path(path).read_text())
    module = str(Path(path).relative_to(SOURCE).with_suffix(""))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            note = ast.parse(f"__called__.add(({module!r}, {node.lineno}, {node.end_lineno}))").body[0]
            node.body.insert(ast.get_docstring(node) is not None, note)
    return compile(ast.fix_missing_locations(tree), path, "exec")


def run_tests(replaced: Callable[[str], CodeType | None], module: str, plugin: Any, arguments: Sequence[str]) -> int:
    """Run tests with some source replaced, in this process, which must end afterwards."""
    resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
    signal.setitimer(signal.ITIMER_VIRTUAL, 60)  # for the import
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    from importlib.machinery import SourceFileLoader

    original = SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, name: str) -> CodeType | None:
        return replaced(self.path) or original(self, name)

    SourceFileLoader.get_code = get_code  # type: ignore[assignment, method-assign]
    try:
        importlib.import_module("interlock." + module.replace("/", ".").removesuffix(".__init__"))
        importlib.import_module("interlock")
    except Exception:
        return STILLBORN
    import pytest

    options = ["-x", "-q", "--tb=no", "-p", "no:cacheprovider", "-p", "pytest_timeout", "--timeout", "0"]
    return int(pytest.main([*options, "-k", "not ten_megabytes and not million", *arguments], plugins=[plugin]))


def in_child(work: Any) -> int:
    """Call a function in a child process; return its number, or minus the signal that ended it."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status)
    try:
        os._exit(work())
    finally:
        os._exit(BROKEN)


def control(suite: Suite) -> Known:
    """Run all tests with nothing changed."""
    with tempfile.NamedTemporaryFile() as file:

        def run(*options: str) -> int:
            watcher = Watcher()
            signal.signal(signal.SIGVTALRM, signal.SIG_IGN)
            inside = str(SOURCE)
            status = run_tests(
                lambda path: instrumented(path) if path.startswith(inside) else None,
                suite.modules[0],
                watcher,
                [*options, *suite.tests],
            )
            watcher.write(file.name)
            return status

        if in_child(lambda: run("--collect-only")):
            sys.exit("the tests cannot be collected")
        # Loaded once, for every child.
        for name in json.loads(Path(file.name).read_text())["imported"]:
            importlib.import_module(name)
        status = in_child(run)
        found = json.loads(Path(file.name).read_text())
        if status:
            sys.exit(f"the tests fail on what is unchanged: {', '.join(found['failed']) or f'status {status}'}")
    known = Known(seconds=found["seconds"])
    everywhere = {tuple(call) for call in found["calls"].pop("")}
    for test, calls in found["calls"].items():
        for module, first, last in calls:
            if (module, first, last) not in everywhere:
                known.callers.setdefault(module, {}).setdefault((first, last), set()).add(test)
    return known


def worker(*known: Any) -> None:
    """Keep what is known in this process, which judges many changes and learns from each."""
    global KNOWN
    KNOWN = known


KNOWN: tuple[Any, ...] = ()
EQUIVALENT: set[str] = set()


def judge(mutant: Mutant) -> tuple[Mutant, str, str, float]:
    """Return what became of a change, and how many seconds that took."""
    known, budget = KNOWN
    started = time.monotonic()
    code = matters(mutant)
    if code is None:
        return mutant, "no change", "", time.monotonic() - started
    tests = known.tests_for(mutant, budget)
    files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
    path = str(SOURCE / f"{mutant.module}.py")
    compiled = compile(code, path, "exec")
    with tempfile.NamedTemporaryFile("r") as last:
        order = Order(tests, known.seconds, last.name)
        status = in_child(
            lambda: run_tests(lambda given: compiled if given == path else None, mutant.module, order, files)
        )
        noticed = last.read()
    # 1: a test failed; 2: a test's module could not be imported.
    too_long = (-signal.SIGVTALRM, -signal.SIGALRM)
    verdict = {0: "survived", 1: "killed", 2: "killed", STILLBORN: "stillborn"}.get(status, "broken")
    if status in too_long:
        verdict = "killed"
    elif verdict == "survived" and difference_in_short(mutant, code) in EQUIVALENT:
        verdict = "equivalent"
    elif status == 1 and noticed:
        known.notice(mutant.module, noticed)
    said = (
        "" if verdict in ("killed", "stillborn", "equivalent") else f"{difference(mutant, code)}\n({len(tests)} tests)"
    )
    return mutant, verdict, said + (f" status {status}" if verdict == "broken" else ""), time.monotonic() - started


def main() -> None:
    options = argparse.ArgumentParser(description="Mutation testing.")
    options.add_argument("suite", nargs="?", default="parser", choices=SUITES)
    options.add_argument("--modules", nargs="+", help="only these, such as gate/judge")
    options.add_argument("--sample", type=int, help="only so many mutants, drawn at random, evenly over the modules")
    options.add_argument("--seed", type=int, default=0, help="of the sample")
    options.add_argument("--again", metavar="FILE", help="only the survivors that this output of an earlier run lists")
    options.add_argument("--minutes", type=float, help="stop after so long")
    options.add_argument("--budget", type=float, default=1e9, help="seconds of tests that one mutant may cost")
    options.add_argument("--jobs", type=int, default=2)
    given = options.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT / "src"))
    os.environ |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "CI": "1"}
    os.environ |= {"INTERLOCK_EXHAUSTIVE": "short", "INTERLOCK_EXAMPLES": "60"}

    suite = SUITES[given.suite]
    EQUIVALENT.update(equivalents())
    if given.again:
        todo = again(suite, given.again)
    else:
        todo = drawn(suite, given.modules or suite.modules, given.sample, given.seed)
    known = control(suite)
    print(f"{len(known.seconds)} tests pass on what is unchanged", flush=True)
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    took, done = 0.0, 0
    until = time.monotonic() + 60 * (given.minutes or 10**6)
    with multiprocessing.get_context("fork").Pool(given.jobs, worker, (known, given.budget)) as pool:
        for mutant, verdict, text, seconds in pool.imap_unordered(judge, todo):
            counts[mutant.module][verdict] += 1
            took, done = took + seconds, done + 1
            print(f"{done} of {len(todo)}: {seconds:.1f} s, {verdict}: {mutant}", file=sys.stderr, flush=True)
            if verdict in ("survived", "broken"):
                print(f"{verdict}: {mutant}\n{text}\n", flush=True)
            if time.monotonic() > until:
                pool.terminate()
                break
    for module, each in counts.items():
        print(f"{module}: {', '.join(f'{count} {verdict}' for verdict, count in sorted(each.items()))}")
    total = sum(counts.values(), collections.Counter())
    judged = total["killed"] + total["survived"]
    share = 100 * total["killed"] / max(judged, 1)
    print(
        f"{judged} mutants judged, {total['survived']} survived: {share:.1f}% killed; "
        f"{total['equivalent']} equivalent, {total['stillborn']} stillborn, {total['broken']} broken; "
        f"{took / max(done, 1):.1f} s a mutant"
    )
    sys.exit(share < suite.at_least or total["broken"] > 0)


if __name__ == "__main__":
    main()
