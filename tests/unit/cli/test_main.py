"""How a command ends: exit status, one line, never a traceback."""

import subprocess
import sys

import pytest

from interlock import __version__
from interlock.cli import judge
from interlock.cli.main import main
from interlock.errors import UnknownWireError
from support.bad_files import BAD_FILES, SUFFIXES


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_the_version_is_printed(cli, flag):
    ran = cli(flag)
    assert (ran.status, ran.out, ran.err) == (0, f"interlock {__version__}\n", "")


@pytest.mark.parametrize("command", [[], ["judge"], ["check"], ["heal"], ["explain"]])
def test_help_is_printed_and_has_examples(cli, command):
    ran = cli(*command, "--help")
    assert ran.status == 0
    assert ran.out.startswith(f"usage: {' '.join(['interlock', *command])} ")
    assert "examples:" in ran.out or command == ["explain"]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["unknown"],
        ["judge"],
        ["judge", "a", "b"],
        ["judge", "a", "--end", "soon"],
        ["judge", "a", "--unknown"],
        ["judge", "a", "--js"],
        ["check", "a", "--write"],
        ["heal", "a", "--write", "--output", "b"],
        ["heal", "-", "--write"],
        ["heal", "a", "--json", "--output", "-"],
        ["heal", "a", "--policy", "orphan-tool-call"],
        ["heal", "a", "--policy", "no-such-rule=keep"],
        ["heal", "a", "--policy", "orphan-tool-call=explode"],
        ["heal", "a", "--options", "[]"],
        ["heal", "a", "--options", "{"],
        ["heal", "a", "--options", "@missing.json"],
        ["heal", "a", "--wire", "smoke"],
        ["heal", "a", "--provider", "nobody"],
        ["judge", "a", "--wire", "smoke"],
        ["judge", "a", "--tools", "missing.json"],
        ["explain", "IL999"],
    ],
)
def test_bad_usage_is_one_line_on_stderr_and_status_2(cli, arguments):
    ran = cli(*arguments)
    assert ran.status == 2
    assert ran.out == ""
    assert ran.err.startswith("interlock: ")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "status", "says"),
    [
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(), 141, ""),
        (MemoryError(), 2, "interlock: not enough memory for this input\n"),
        (UnknownWireError("no wire"), 2, "interlock: no wire\n"),
        (OSError(28, "No space left on device", "x"), 2, "interlock: x: No space left on device\n"),
        (RuntimeError("a\nb"), 2, "interlock: internal error, please report it: RuntimeError: a\\nb\n"),
    ],
)
def test_what_is_raised_decides_the_status(cli, monkeypatch, error, status, says):
    def fail(_):
        raise error

    monkeypatch.setattr(judge, "run", fail)
    ran = cli("judge", "x.sse")
    assert (ran.status, ran.err) == (status, says)


def test_the_arguments_of_the_process_are_used_when_none_are_given(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["interlock", "--version"])
    assert main() == 0
    assert capsys.readouterr().out == f"interlock {__version__}\n"


def test_the_version_needs_nearly_no_module():
    code = (
        "import sys; before = set(sys.modules)\n"
        "from interlock.cli.main import main; main(['--version'])\n"
        "loaded = set(sys.modules) - before\n"
        "print(*sorted(m for m in loaded if m.startswith(('interlock', 'rich', 'argparse', 'json'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    loaded = done.stdout.splitlines()[1].split()
    assert loaded == ["interlock", "interlock.cli", "interlock.cli.failure", "interlock.cli.main"]


@pytest.mark.parametrize("command", ["judge", "check", "heal"])
@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kind", BAD_FILES)
def test_bad_input_is_one_line_and_status_2(cli, tmp_path, kind, suffix, command):
    BAD_FILES[kind](tmp_path / f"{kind}{suffix}")
    ran = cli(command, f"{kind}{suffix}")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("interlock: ")
    assert ran.err.count("\n") == 1
    assert "internal error" not in ran.err


def test_the_package_runs_as_the_command() -> None:
    """For machines on whose path the script is not."""
    ran = subprocess.run([sys.executable, "-m", "interlock", "--version"], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout.split()[0], ran.stderr) == (0, "interlock", "")
