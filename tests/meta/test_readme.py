"""The Markdown files tell the truth: code runs and prints what stands there, links lead somewhere."""

import importlib.util
import os
import re
import subprocess
import sys
from itertools import zip_longest

import pytest

from interlock.history.wires import WIRES as HISTORY_WIRES
from interlock.stream.wires import WIRES as STREAM_WIRES
from support.readme import ROOT, blocks

README = ROOT / "README.md"
PAGES = [README, *sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def load(path):
    """Import a file that belongs to no package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def server():
    with load(ROOT / "examples" / "replay.py").Replay() as running:
        yield running


def run(code, server, anthropic="clean", openai="parallel"):
    """Run code as a user would, with the clients sent to the local server."""
    environment = {
        **os.environ,
        "ANTHROPIC_BASE_URL": server.url(anthropic),
        "ANTHROPIC_API_KEY": "none",
        "OPENAI_BASE_URL": f"{server.url(openai)}/v1",
        "OPENAI_API_KEY": "none",
    }
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def examples():
    """Yield each Python block with what it must print."""
    for page in PAGES:
        found = blocks(page)
        for block, following in zip_longest(found, found[1:]):
            if block.kind == "python":
                output = following.text if following is not None and following.kind == "output" else ""
                yield pytest.param(block.text, output, id=f"{page.relative_to(ROOT)}:{block.line}")


@pytest.mark.parametrize(("code", "output"), [*examples()])
def test_every_python_block_prints_what_stands_below_it(code, output, server):
    assert run(code, server) == output


QUICKSTARTS = [block.text for block in blocks(README) if block.kind == "python" and "guard.watch" in block.text]


@pytest.mark.parametrize("code", QUICKSTARTS, ids=["anthropic", "openai"])
def test_the_quickstart_runs_nothing_of_a_broken_stream(code, server):
    printed = run(code, server, anthropic="cut-in-string", openai="cut-by-length")
    assert re.fullmatch(r"(delete_folder|send_money): (retry|reject), \w+\n", printed)


def test_a_quickstart_is_short():
    assert len(QUICKSTARTS) == 2
    for code in QUICKSTARTS:
        assert len([line for line in code.splitlines() if line.strip()]) <= 20


def test_what_commands_print_is_what_stands_below_them():
    """Renew it with `python scripts/update_readme.py`."""
    script = load(ROOT / "scripts" / "update_readme.py")
    for path in script.FILES:
        text = path.read_text(encoding="utf-8")
        assert script.rendered(text) == text
        assert "Traceback" not in text


def test_the_broken_stream_in_the_readme_is_the_recording():
    recording = (ROOT / "examples" / "recordings" / "cut-in-string.sse").read_text().splitlines()
    shown = [block for block in blocks(README) if block.kind == "text"]
    assert len(shown) == 1
    lines = [line for line in recording if line.startswith("data: ")]
    start = next(at for at, line in enumerate(lines) if '"tool_use"' in line)
    assert lines[start:] == shown[0].text.splitlines()


@pytest.mark.parametrize(("heading", "wires"), [("Streams", STREAM_WIRES), ("Histories", HISTORY_WIRES)])
def test_the_readme_lists_every_wire(heading, wires):
    text = README.read_text(encoding="utf-8")
    paragraph = re.search(rf"^{heading}: (.+?)\n\n", text, re.MULTILINE | re.DOTALL)
    assert paragraph is not None
    assert re.findall(r"`(\w+)`", paragraph[1]) == sorted(wires)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_files_lead_somewhere(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), target
        if anchor:
            titles = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}, target


def test_the_threat_model_names_tests_that_exist():
    page = (ROOT / "docs" / "threat-model.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", page)
    assert len(named) >= 10
    for file, test in named:
        assert re.search(rf"^\s*(?:async )?def {test}\(", (ROOT / file).read_text(), re.MULTILINE), f"{file}::{test}"
