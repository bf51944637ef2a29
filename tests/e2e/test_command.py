"""The installed command in a process of its own: bad input, interrupts, closed pipes, start-up, two cores."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.bad_files import BAD_FILES, SUFFIXES

COMMAND = str(Path(sys.executable).with_name("interlock"))
RECORDINGS = Path(__file__).resolve().parents[2] / "examples" / "recordings"

CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
ORPHAN = [{"role": "user", "content": "x" * 500}, {"role": "assistant", "content": None, "tool_calls": [CALL]}]


def run(*arguments, cwd=None, **options):
    return subprocess.run(
        [COMMAND, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, timeout=100, **options
    )


@pytest.mark.parametrize(("kind", "suffix"), [*zip(BAD_FILES, SUFFIXES * 3, strict=False)])
def test_bad_input_is_one_line_and_status_2(tmp_path, kind, suffix):
    """Each kind under one suffix; every kind under every suffix is tried inside the test's own process."""
    path = tmp_path / f"{kind}{suffix}"
    BAD_FILES[kind](path)
    for command in ("judge", "check", "heal"):
        ran = run(command, path)
        assert ran.returncode == 2, ran
        assert ran.stdout == "", ran
        assert ran.stderr.startswith("interlock: "), ran
        assert ran.stderr.count("\n") == 1, ran
        assert "internal error" not in ran.stderr, ran


@pytest.mark.parametrize("command", ["judge", "check", "heal"])
def test_a_file_that_may_not_be_read_is_one_line(tmp_path, command):
    path = tmp_path / "a.json"
    path.write_text("[]")
    path.chmod(0)
    if os.access(path, os.R_OK):
        # The super-user may read everything; a path through a file is refused to all.
        path = path / "b.json"
    ran = run(command, path)
    assert ran.returncode == 2
    assert ran.stderr.startswith("interlock: cannot read ")
    assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "arguments", [["judge", "x.sse", "--wire", "smoke"], ["check", "x.json", "--wire", "smoke"], []]
)
def test_an_unknown_wire_or_no_command_is_one_line(arguments):
    ran = run(*arguments)
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)


def hear_interrupts() -> None:
    """Undo what a shell does to what it runs in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_a_stream_that_is_still_coming_can_be_interrupted():
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    process = subprocess.Popen([COMMAND, "judge", "-"], preexec_fn=hear_interrupts, **pipes)
    assert process.stdin is not None
    process.stdin.write((RECORDINGS / "clean.sse").read_bytes())
    process.stdin.flush()
    time.sleep(0.7)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, b"", b"")


def test_a_closed_pipe_ends_the_command_quietly(tmp_path):
    path = tmp_path / "many.jsonl"
    path.write_text((json.dumps(ORPHAN) + "\n") * 3000)
    for arguments in (["heal", path, "--json"], ["check", path], ["heal", path, "--output", "-"]):
        process = subprocess.Popen([COMMAND, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdout is not None and process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        with process.stderr:
            err = process.stderr.read()
        assert process.wait(30) == 141
        assert b"Traceback" not in err and b"Exception" not in err


HISTORY = RECORDINGS.parent / "histories" / "orphan-call.json"
PRINTING = [
    ["--version"],
    ["--help"],
    ["judge", RECORDINGS / "clean.sse"],
    ["judge", RECORDINGS / "clean.sse", "--json"],
    ["check", HISTORY],
    ["heal", HISTORY, "--output", "-"],
    ["explain", "IL001"],
]
# As a shell starts it, so that what is printed waits in a buffer; and as many containers do.
BUFFERING = {"buffered": "", "unbuffered": "1"}


@pytest.mark.parametrize("buffering", BUFFERING)
@pytest.mark.parametrize("arguments", PRINTING, ids=lambda arguments: " ".join(map(str, arguments[::2])))
def test_output_that_nobody_can_take_is_one_line_and_status_2(arguments, buffering):
    command = [COMMAND, *map(str, arguments)]
    environment = {**os.environ, "PYTHONUNBUFFERED": BUFFERING[buffering]}
    closed = subprocess.run(
        ["/bin/sh", "-c", '"$@" >&-', "sh", *command], stderr=subprocess.PIPE, text=True, timeout=60, env=environment
    )
    found = [(closed.returncode, closed.stderr)]
    full = Path("/dev/full")
    if full.exists() and not (buffering == "unbuffered" and arguments == ["--help"]):  # argparse hides it there
        with full.open("wb") as out:
            ran = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, text=True, timeout=60, env=environment)
        found.append((ran.returncode, ran.stderr))
    for status, err in found:
        assert status == 2
        assert err.startswith("interlock: ") and err.count("\n") == 1, err
        assert "internal error" not in err


def test_closed_input_is_one_line_and_a_closed_stderr_takes_nothing_from_stdout():
    for redirected, expected in (
        ("<&-", (2, "", "interlock: standard input is closed\n")),
        ("2>&- </dev/null", (2, "", "")),
    ):
        ran = subprocess.run(
            ["/bin/sh", "-c", f'"$@" {redirected}', "sh", COMMAND, "judge", "-"],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert (ran.returncode, ran.stdout, ran.stderr) == expected


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Return a file of some 12 MB, with a bad line, and what becomes of it."""
    path = tmp_path_factory.mktemp("large") / "a.jsonl"
    healthy = json.dumps([{"role": "user", "content": "y" * 3000}])
    lines = [json.dumps(ORPHAN) if number % 7 == 0 else healthy for number in range(4000)]
    lines[3000] = "{"
    path.write_text("\n".join(lines) + "\n")
    healed = path.with_name("expected.jsonl")
    ran = run("heal", path, "--output", healed)
    assert ran.returncode == 2
    assert ran.stderr.count("\n") == 1 and "line 3001" in ran.stderr
    result = healed.read_text().splitlines()
    assert len(result) == len(lines)
    assert all((old == new) == (old in (healthy, "{")) for old, new in zip(lines, result, strict=True))
    return path, healed.read_bytes()


def test_an_interrupted_run_over_a_large_file_shows_nothing_and_goes_on(large, tmp_path):
    path, expected = large
    target = tmp_path / "healed.jsonl"
    note = tmp_path / ".healed.jsonl.interlock-note"
    part = tmp_path / ".healed.jsonl.interlock-part"
    process = subprocess.Popen(
        [COMMAND, "heal", str(path), "--output", str(target)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # so that Ctrl-C reaches the workers too, and this test not
        preexec_fn=hear_interrupts,
    )
    deadline = time.monotonic() + 60
    while not (part.exists() and part.stat().st_size > 3_000_000) and time.monotonic() < deadline:
        assert process.poll() is None
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"")
    assert not target.exists()
    assert note.exists()
    ran = run("heal", path, "--output", target)
    assert "going on behind line" in ran.stderr
    assert target.read_bytes() == expected
    assert list(tmp_path.iterdir()) == [target]


def test_a_killed_run_leaves_nothing_half_written(large, tmp_path):
    path, expected = large
    target = tmp_path / "healed.jsonl"
    target.write_text("old")
    process = subprocess.Popen([COMMAND, "heal", str(path), "--output", str(target)], stdout=subprocess.DEVNULL)
    part = tmp_path / ".healed.jsonl.interlock-part"
    deadline = time.monotonic() + 60
    while not (part.exists() and part.stat().st_size > 2_000_000) and time.monotonic() < deadline:
        time.sleep(0.005)
    process.kill()
    process.wait(30)
    assert target.read_text() == "old"
    deadline = time.monotonic() + 60  # the workers see that the parent is gone, and free the file
    while (ran := run("heal", path, "--output", target)).returncode == 2 and "another run" in ran.stderr:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert target.read_bytes() == expected


def test_memory_stays_flat(tmp_path):
    """Four times the input does not need noticeably more memory in any process."""
    peaks = []
    line = json.dumps([{"role": "user", "content": "y" * 20_000}]) + "\n"
    for count in (500, 2000):
        path = tmp_path / f"{count}.jsonl"
        path.write_text(line * count)
        code = (
            "import resource, subprocess, sys\n"
            "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        )
        command = [sys.executable, "-c", code, COMMAND, "heal", str(path), "--output", str(tmp_path / "out.jsonl")]
        peaks.append(int(subprocess.run(command, capture_output=True, check=True, timeout=100).stdout))
    assert peaks[1] < peaks[0] * 1.3


def test_without_rich_the_command_still_reads_and_prints(tmp_path):
    (tmp_path / "rich.py").write_text("raise ImportError('rich is not installed')")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    for flags in ([], ["--json"]):
        ran = run("judge", RECORDINGS / "clean.sse", *flags, env=environment)
        assert (ran.returncode, ran.stderr) == (0, "")
        assert "write_file" in ran.stdout
    assert json.loads(ran.stdout)["decisions"][0]["action"] == "execute"


def test_json_output_does_not_load_rich():
    environment = {**os.environ, "PYTHONPROFILEIMPORTTIME": "1"}
    ran = run("judge", RECORDINGS / "clean.sse", "--json", env=environment)
    loaded = {line.split("|")[-1].strip() for line in ran.stderr.splitlines()}
    assert "interlock.gate.guard" in loaded
    assert not {name for name in loaded if name.split(".")[0] in ("rich", "jsonschema", "pydantic", "multiprocessing")}


def in_a_terminal(*arguments, **environment):
    """Run the command with its output on a terminal, and return what it wrote there."""
    parent, child = pty.openpty()
    process = subprocess.Popen(
        [COMMAND, *map(str, arguments)],
        stdout=child,
        stderr=child,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", **environment},
    )
    os.close(child)
    written = b""
    try:
        while piece := os.read(parent, 65536):
            written += piece
    except OSError:  # how Linux reports that the other side is closed
        pass
    os.close(parent)
    process.wait(30)
    return written


def test_colour_is_for_terminals_only():
    path = RECORDINGS / "cut-in-string.sse"
    assert b"\x1b[33m" in in_a_terminal("judge", path)
    assert b"\x1b[3" not in in_a_terminal("judge", path, NO_COLOR="1")
    for environment in ({}, {"FORCE_COLOR": "1"}, {"CLICOLOR_FORCE": "1", "TTY_COMPATIBLE": "1"}):
        assert "\x1b" not in run("judge", path, env={**os.environ, **environment}).stdout


def test_progress_is_shown_on_a_terminal(large, tmp_path):
    path, _ = large
    assert b"healing" in in_a_terminal("heal", path, "--output", tmp_path / "out.jsonl")
