"""`check` and `heal` on one conversation a line."""

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interlock import heal
from interlock.cli import batches, bulk, pool, resume

CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
HEALTHY = [{"role": "user", "content": "hé"}, {"role": "assistant", "content": "ok"}]
ORPHAN = [{"role": "user", "content": "hé"}, {"role": "assistant", "content": None, "tool_calls": [CALL]}]
LONG = 3000  # bytes, as `small` sets it

# kind -> the line, without its end
LINES = {
    "healthy": json.dumps(HEALTHY, ensure_ascii=False),
    "spaced": "  " + json.dumps({"messages": HEALTHY, "x": 1.0}) + " \t",
    "orphan": json.dumps(ORPHAN, ensure_ascii=False),
    "request": json.dumps({"model": "gpt-5", "messages": ORPHAN}, separators=(",", ":")),
    "blank": "  ",
    "broken": '[{"role": "us',
    "scalar": "5",
    "twice": json.dumps(ORPHAN).replace('"role"', '"content": "b", "role"', 1),
    "long": json.dumps([{"role": "user", "content": "x" * (2 * LONG)}]),
}
BAD = {"broken", "scalar", "twice", "long"}
DAMAGED = {"orphan", "request"}


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Make small files look large."""
    monkeypatch.setattr(batches, "_BATCH_LINES", 2)
    monkeypatch.setattr(batches, "DOCUMENT_BYTES", LONG)
    monkeypatch.setattr(pool, "_cores", lambda: 1)


def expected(kind):
    """Return what becomes of a line, told without the command line's code."""
    if kind not in DAMAGED:
        return LINES[kind]
    result = heal(json.loads(LINES[kind]))
    tight = {"separators": (",", ":")} if kind == "request" else {}
    value = result.messages if result.request is None else result.request
    return json.dumps(value, ensure_ascii=kind == "request", **tight)


def text_of(kinds, line=LINES.__getitem__, end="\n"):
    return end.join(line(kind) for kind in kinds)


kinds_of_lines = st.lists(st.sampled_from(sorted(LINES)), min_size=1, max_size=9)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(kinds_of_lines, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_only_damaged_lines_change(cli, tmp_path, kinds, end, last):
    (tmp_path / "out.jsonl").unlink(missing_ok=True)
    tail = end if last else ""
    (tmp_path / "a.jsonl").write_bytes((text_of(kinds, end=end) + tail).encode())
    ran = cli("heal", "a.jsonl", "--output", "out.jsonl")
    read = [kind for kind in kinds if kind not in BAD | {"blank"}]
    if not read:
        assert ran.status == 2
        assert ran.err.count("\n") == 1
        assert not (tmp_path / "out.jsonl").exists()
        return
    assert (tmp_path / "out.jsonl").read_bytes() == (text_of(kinds, expected, end) + tail).encode()
    bad = [number for number, kind in enumerate(kinds, 1) if kind in BAD]
    assert [int(line.split(", line ")[1].split(":")[0]) for line in ran.err.splitlines()] == bad
    assert ran.status == (2 if bad else 0)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.jsonl", "out.jsonl"]


def put(tmp_path, kinds):
    (tmp_path / "a.jsonl").write_text(text_of(kinds), encoding="utf-8")


def test_json_prints_one_object_a_line_also_for_a_bad_one(cli, tmp_path):
    put(tmp_path, ["healthy", "broken", "orphan", "blank", "request"])
    for command, key in (("heal", "repairs"), ("check", "findings")):
        ran = cli(command, "a.jsonl", "--json")
        first, bad, second, third = ran.json_lines
        assert [len(one[key]) for one in (first, second, third)] == [0, 1, 1]
        assert bad["line"] == 2 and "not valid JSON" in bad["error"]
        assert ran.status == 2
    assert "request" in cli("heal", "a.jsonl", "--json").json_lines[3]


def test_check_names_line_message_and_rule(cli, tmp_path):
    put(tmp_path, ["healthy", "orphan"])
    ran = cli("check", "a.jsonl")
    assert ran.status == 1
    assert "line 2, message 1, part 0: IL001 orphan-tool-call: " in ran.out
    assert "2 conversations, 1 with findings." in ran.out


def test_healthy_files_pass(cli, tmp_path):
    put(tmp_path, ["healthy", "spaced"])
    assert cli("check", "a.jsonl").status == 0
    assert cli("heal", "a.jsonl").status == 0
    before = (tmp_path / "a.jsonl").stat()
    assert cli("heal", "a.jsonl", "--write").status == 0
    after = (tmp_path / "a.jsonl").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_write_replaces_the_file_whole(cli, tmp_path):
    kinds = ["orphan", "healthy", "orphan", "spaced", "request"]
    put(tmp_path, kinds)
    (tmp_path / "a.jsonl").chmod(0o600)
    assert cli("heal", "a.jsonl", "--write", "--exit-non-zero-on-fix").status == 1
    assert (tmp_path / "a.jsonl").read_text(encoding="utf-8") == text_of(kinds, expected)
    assert (tmp_path / "a.jsonl").stat().st_mode & 0o777 == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["a.jsonl"]


def test_the_summary_counts_by_rule(cli, tmp_path):
    put(tmp_path, ["orphan", "healthy", "orphan", "broken"])
    out = " ".join(cli("heal", "a.jsonl", "--output", "b.jsonl").out.split())
    assert "IL001 orphan-tool-call 2 2 0 0" in out
    assert "a.jsonl: 3 conversations, 2 repaired, 1 unreadable line." in out


def test_a_diff_is_shown_line_by_line(cli, tmp_path):
    put(tmp_path, ["healthy", "orphan"])
    out = cli("heal", "a.jsonl", "--diff").out
    assert "line 2\n@@ message 2 is new @@\n+{\n" in out


def test_standard_input_is_told_by_its_first_line(cli):
    many = text_of(["orphan", "healthy"]).encode()
    assert len(cli("heal", "-", "--json", stdin=many).json_lines) == 2
    assert cli("heal", "-", "--output", "-", stdin=many).out == text_of(["orphan", "healthy"], expected)
    one = json.dumps(ORPHAN, indent=1).encode()
    assert cli("heal", "-", "--json", stdin=one).json == heal(ORPHAN).to_json()


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize("after", range(5))
def test_an_interrupted_run_shows_nothing_and_goes_on_where_it_was(cli, tmp_path, monkeypatch, after, write, error):
    kinds = ["orphan", "healthy", "broken", "orphan", "request", "long", "blank", "orphan", "spaced", "orphan"]
    put(tmp_path, kinds)
    source = (tmp_path / "a.jsonl").read_bytes()
    arguments = ["heal", "a.jsonl", *(["--write"] if write else ["--output", "out.jsonl"])]
    target = tmp_path / ("a.jsonl" if write else "out.jsonl")
    steps = []

    def further(*arguments):
        if len(steps) == after:
            raise error
        steps.append(arguments[1].lines[-1].number)
        return real(*arguments)

    real = bulk._further
    with monkeypatch.context() as patched:
        patched.setattr(bulk, "_further", further)
        assert cli(*arguments).status == (130 if error is KeyboardInterrupt else 2)
    assert (tmp_path / "a.jsonl").read_bytes() == source
    assert (target.read_bytes() == source) if write else not target.exists()

    worked = []
    monkeypatch.setattr(pool, "work", lambda job, lines: worked.extend(lines) or batches.work(job, lines))
    ran = cli(*arguments)
    assert target.read_text(encoding="utf-8") == text_of(kinds, expected)
    assert ran.status == 2
    assert ("going on behind line" in ran.err) == (after > 0)
    assert min(line.number for line in worked) > (steps[-1] if steps else 0)
    assert "7 conversations, 5 repaired, 2 unreadable lines." in ran.out
    leftovers = {one.name for one in tmp_path.iterdir()} - {"a.jsonl", "out.jsonl"}
    assert leftovers == set()


def interrupt(cli, monkeypatch, *arguments):
    calls = []

    def further(*arguments):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*arguments)

    real = bulk._further
    with monkeypatch.context() as patched:
        patched.setattr(bulk, "_further", further)
        assert cli(*arguments).status == 130


def test_a_run_is_not_continued_when_the_input_or_the_settings_changed(cli, tmp_path, monkeypatch):
    kinds = ["orphan", "healthy"] * 4
    put(tmp_path, kinds)
    arguments = ["heal", "a.jsonl", "--output", "out.jsonl"]
    interrupt(cli, monkeypatch, *arguments)
    ran = cli(*arguments, "--ignore", "IL001")
    assert "going on" not in ran.err
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8") == text_of(kinds)
    interrupt(cli, monkeypatch, *arguments)
    put(tmp_path, ["orphan", *kinds])
    ran = cli(*arguments)
    assert "going on" not in ran.err
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8") == text_of(["orphan", *kinds], expected)


@pytest.mark.parametrize("note", [b"", b"{", b"[]", b'{"mark": 1}', b'{"mark": "x", "consumed": "y"}'])
def test_a_damaged_note_starts_the_run_anew(cli, tmp_path, note):
    put(tmp_path, ["orphan", "healthy", "orphan"])
    (tmp_path / ".out.jsonl.interlock-note").write_bytes(note)
    (tmp_path / ".out.jsonl.interlock-part").write_bytes(b"x" * 10_000)
    assert cli("heal", "a.jsonl", "--output", "out.jsonl").status == 0
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8") == text_of(["orphan", "healthy", "orphan"], expected)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.jsonl", "out.jsonl"]


def test_two_runs_do_not_write_the_same_file(cli, tmp_path):
    put(tmp_path, ["orphan"])
    first = resume.Output(tmp_path / "out.jsonl", None)
    ran = cli("heal", "a.jsonl", "--output", "out.jsonl")
    first.close()
    assert ran.status == 2
    assert "another run is writing" in ran.err
    assert cli("heal", "a.jsonl", "--output", "out.jsonl").status == 0


def test_workers_in_other_processes_give_the_same_lines_in_the_same_order(cli, tmp_path, monkeypatch):
    kinds = ["orphan", "healthy", "broken", "request", "long", "blank"] * 20
    threads = set(threading.enumerate())
    put(tmp_path, kinds)
    monkeypatch.setattr(pool, "_cores", lambda: 2)
    monkeypatch.setattr(batches, "DOCUMENT_BYTES", LONG)
    monkeypatch.setattr(pool, "_ALONE", 1)
    ran = cli("heal", "a.jsonl", "--output", "out.jsonl")
    # The workers know nothing of the small limit, but a line that the parent finds too long is never sent to them.
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8") == text_of(kinds, expected)
    assert ran.err.count("\n") == 40
    assert set(threading.enumerate()) <= threads  # none of the pool's is left


def test_a_defect_costs_one_line_and_not_the_run(cli, tmp_path, monkeypatch):
    put(tmp_path, ["orphan", "healthy", "orphan"])

    def fails(value, **options):
        if value == HEALTHY:
            raise RuntimeError("oops")
        return heal(value, **options)

    monkeypatch.setattr(batches, "heal", fails)
    ran = cli("heal", "a.jsonl", "--output", "out.jsonl")
    assert ran.status == 2
    assert ran.err == "interlock: 'a.jsonl', line 2: internal error: RuntimeError: oops; kept as it is\n"
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8") == text_of(["orphan", "healthy", "orphan"], expected)


def test_progress_is_silent_where_nobody_looks_and_a_bar_where_somebody_does(cli, tmp_path, monkeypatch):
    from interlock.cli import progress

    put(tmp_path, ["orphan"] * 50)
    monkeypatch.setattr(progress, "_WORTH_SHOWING", 1)
    assert cli("heal", "a.jsonl", "--output", "b.jsonl").err == ""
    monkeypatch.setattr(progress, "is_terminal", lambda _: True)
    assert cli("heal", "a.jsonl", "--output", "c.jsonl").err != ""
    monkeypatch.setitem(__import__("sys").modules, "rich.progress", None)
    shown = cli("heal", "a.jsonl", "--output", "d.jsonl").err
    assert "healing 100%" in shown
    assert (tmp_path / "c.jsonl").read_bytes() == (tmp_path / "d.jsonl").read_bytes()


def test_a_worker_that_is_killed_ends_the_run_with_one_line(cli, tmp_path, monkeypatch):
    from concurrent.futures.process import BrokenProcessPool

    class Broken:
        def __init__(self, *_, **__):
            pass

        def submit(self, *_):
            raise BrokenProcessPool

        def shutdown(self, **_):
            pass

    put(tmp_path, ["orphan", "healthy"] * 4)
    monkeypatch.setattr(pool, "_cores", lambda: 2)
    monkeypatch.setattr(pool, "ProcessPoolExecutor", Broken)
    monkeypatch.setattr(pool, "_ALONE", 1)
    ran = cli("heal", "a.jsonl", "--output", "out.jsonl")
    assert ran.status == 2
    assert "a worker process was ended from outside" in ran.err
    assert not (tmp_path / "out.jsonl").exists()


def test_outside_the_main_thread_it_works_too(cli, tmp_path, monkeypatch):
    put(tmp_path, ["orphan", "healthy"] * 4)
    monkeypatch.setattr(pool, "_cores", lambda: 2)
    monkeypatch.setattr(pool, "_ALONE", 1)
    statuses = []
    thread = threading.Thread(target=lambda: statuses.append(cli("heal", "a.jsonl", "--output", "out.jsonl").status))
    thread.start()
    thread.join(60)
    assert statuses == [0]
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8") == text_of(["orphan", "healthy"] * 4, expected)


def test_a_device_is_written_to_directly(cli, tmp_path):
    put(tmp_path, ["orphan"])
    assert cli("heal", "a.jsonl", "--output", "/dev/null").status == 0
    assert not Path("/dev/null").is_file()


def test_workers_that_wait_end_when_their_parent_is_killed() -> None:
    """Who is killed cannot end them; the pipe that they have inherited shows that they are gone."""
    code = """if True:
        import time
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context
        from interlock.cli.pool import _begin
        pool = ProcessPoolExecutor(2, mp_context=get_context("spawn"), initializer=_begin)
        print(pool.submit(abs, -1).result(), flush=True)
        time.sleep(600)
    """
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"1\n"
    process.kill()
    process.communicate(timeout=30)
