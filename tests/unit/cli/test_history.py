"""`interlock check` and `interlock heal` on one conversation."""

import json
import os
import stat
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock import check, heal
from interlock.cli.documents import Style
from support.shared import needs_shared, shared_files

CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
HEALTHY = [
    {"role": "user", "content": "Weather?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call_1", "content": "sunny ☀"},
]
ORPHAN = [*HEALTHY[:2], {"role": "user", "content": "Never mind"}]


@pytest.fixture
def file(tmp_path):
    """Return a function that writes a document and returns its path."""

    def put(value, name="history.json", **layout):
        path = tmp_path / name
        path.write_text(json.dumps(value, **layout) + "\n", encoding="utf-8")
        return path

    return put


def test_check_finds_and_heal_repairs(cli, file):
    path = file(ORPHAN)
    found = cli("check", path, "--json")
    healed = cli("heal", path, "--json")
    assert (found.status, healed.status) == (1, 0)
    assert found.json == check(ORPHAN).to_json()
    assert healed.json == heal(ORPHAN).to_json()
    assert [one["code"] for one in found.json["findings"]] == ["IL001"]
    assert set(healed.json) == {"wire", "provider", "changed", "messages", "repairs"}
    assert set(healed.json["repairs"][0]) >= {
        "code", "rule", "message_index", "part_index", "action", "reason", "call_id", "lossy",
    }  # fmt: skip


def test_a_healthy_history_passes(cli, file):
    path = file(HEALTHY)
    found, healed = cli("check", path), cli("heal", path)
    assert (found.status, healed.status) == (0, 0)
    assert "Nothing found." in found.out and "Nothing to repair." in healed.out


def test_a_whole_request_keeps_its_shape(cli, file):
    request = {"model": "gpt-5", "messages": ORPHAN, "tools": [], "x": {"y": 1}}
    answer = cli("heal", file(request), "--json").json
    assert "messages" not in answer
    assert answer["request"] == {**request, "messages": heal(ORPHAN).messages}
    assert list(answer["request"]) == list(request)


def test_standard_input_is_read(cli):
    ran = cli("heal", "-", "--json", stdin=json.dumps(ORPHAN).encode())
    assert ran.json == heal(ORPHAN).to_json()


def test_nothing_is_written_unless_it_is_asked_for(cli, file, tmp_path):
    path = file(ORPHAN)
    before = path.read_bytes()
    for flags in ([], ["--diff"], ["--json"]):
        cli("heal", path, *flags)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_write_replaces_the_file_and_keeps_its_mode_and_links(cli, file, tmp_path):
    path = file(ORPHAN)
    path.chmod(0o640)
    link = tmp_path / "link.json"
    link.symlink_to(path)
    assert cli("heal", link, "--write").status == 0
    assert link.is_symlink()
    assert json.loads(path.read_text()) == heal(ORPHAN).messages
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert sorted(one.name for one in tmp_path.iterdir()) == ["history.json", "link.json"]


def test_write_does_not_touch_a_healthy_file(cli, file):
    path = file(HEALTHY)
    before = path.stat()
    assert cli("heal", path, "--write").status == 0
    after = path.stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_output_writes_another_file_also_when_nothing_was_repaired(cli, file, tmp_path):
    for history in (ORPHAN, HEALTHY):
        path = file(history, indent=3)
        assert cli("heal", path, "--output", "out.json").status == 0
        assert json.loads((tmp_path / "out.json").read_text()) == heal(history).messages
    assert (tmp_path / "out.json").read_bytes() == path.read_bytes()


def test_output_to_standard_output_is_the_history_alone(cli, file):
    ran = cli("heal", file(ORPHAN), "--output", "-")
    assert ran.json == heal(ORPHAN).messages
    assert "IL001" in ran.err


def test_output_to_a_pipe_does_not_replace_it(cli, file, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()), daemon=True)
    reader.start()
    assert cli("heal", file(ORPHAN), "--output", pipe).status == 0
    reader.join(10)
    assert json.loads(got[0]) == heal(ORPHAN).messages
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("target", ["missing/out.json", "."])
def test_an_output_that_cannot_be_written_is_one_line(cli, file, target):
    ran = cli("heal", file(ORPHAN), "--output", target)
    assert ran.status == 2
    assert ran.err.startswith("interlock: cannot write ")
    assert ran.err.count("\n") == 1


def test_a_failed_write_leaves_the_file_and_nothing_else(cli, file, tmp_path, monkeypatch):
    path = file(ORPHAN)
    before = path.read_bytes()

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    ran = cli("heal", path, "--write")
    assert (ran.status, ran.err) == (2, f"interlock: cannot write {str(path)!r}: No space left on device\n")
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


layouts = st.fixed_dictionaries(
    {"indent": st.sampled_from([None, 1, 2, 4, "\t"]), "ensure_ascii": st.booleans()},
    optional={"separators": st.sampled_from([(",", ":")])},
)


@given(layouts, st.sampled_from(["\n", "", "\r\n"]))
def test_a_healed_document_keeps_its_layout(layout, end):
    value = [{"role": "user", "content": "ä\n\u2028", "n": [1, 2.5, None, True, []]}, {}]
    text = json.dumps(value, **layout) + end
    if end == "\r\n":
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    assert Style.of(text).write(value).decode() == text


def test_half_of_a_surrogate_pair_survives_as_an_escape(cli, tmp_path):
    history = [{"role": "user", "content": "ä \ud800"}, *ORPHAN]
    text = json.dumps(history).replace("\\u00e4", "ä")
    (tmp_path / "a.json").write_text(text, encoding="utf-8")
    assert cli("heal", "a.json", "--write").status == 0
    assert json.loads((tmp_path / "a.json").read_bytes())[0] == history[0]


def test_the_diff_shows_what_came_and_what_went(cli, file):
    renamed = json.loads(json.dumps(ORPHAN).replace("get_weather", "get weather"))
    empty = {"role": "assistant", "content": ""}
    out = cli("heal", file([renamed[0], empty, *renamed[1:]]), "--diff").out
    hunks = [line for line in out.splitlines() if line.startswith("@@")]
    assert hunks == ["@@ message 1 was dropped @@", "@@ message 2 @@", "@@ message 2 is new @@"]
    assert '-        "name": "get weather",' in out
    assert '+        "name": "get_weather",' in out
    assert '+  "tool_call_id": "call_1",' in out


def test_policies_come_from_the_settings_file_and_the_command_line_goes_first(cli, file, tmp_path):
    path = file(ORPHAN)

    def found(*flags, config=""):
        (tmp_path / "pyproject.toml").write_text(config)
        return [(one["rule"], one["action"]) for one in cli("heal", path, "--json", *flags).json["repairs"]]

    stub, drop = [("orphan-tool-call", "inserted-message")], [("orphan-tool-call", "dropped-message")]
    assert found() == stub
    assert found("--policy", "orphan-tool-call=drop-call") == drop
    assert found("--policy", "orphan-tool-use=drop-call") == drop
    assert found("--policy", "IL001=drop-call") == drop
    assert found("--ignore", "IL001") == []
    assert found("--select", "IL001") == stub
    assert found("--select", "empty-message") == []
    drops = '[tool.interlock.policy]\norphan-tool-call = "drop-call"\n'
    assert found(config=drops) == drop
    assert found("--no-config", config=drops) == stub
    assert found("--policy", "IL001=stub-result", config=drops) == stub
    assert found(config='[tool.interlock]\nignore = ["IL001"]\n') == []
    assert found("--select", "IL001", config='[tool.interlock]\nignore = ["IL001"]\n') == stub
    assert found(config='[tool.interlock]\nselect = ["empty-message"]\n') == []
    assert found(config="[tool.other]\nx = 1\n") == stub


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ("[tool.interlock]\nrules = 1\n", "has the key 'rules'"),
        ("[tool.interlock]\nignore = 1\n", "'ignore' is 1; expected a list of rule names"),
        ("[tool.interlock]\nprovider = 1\n", "'provider' is 1; expected a string"),
        ("[tool.interlock]\npolicy = 1\n", "'policy' is 1; expected a table"),
        ("[tool.interlock.policy]\nIL001 = 1\n", "expected a table of rule = action"),
        ("[tool]\ninterlock = 1\n", "is no table"),
        ("[tool.interlock\n", "cannot read"),
        ('[tool.interlock]\nignore = ["orphan-tool-cal"]\n', "did you mean 'orphan-tool-call'?"),
        ('[tool.interlock]\nignore = ["il0591"]\n', "did you mean 'IL059'?"),
    ],
)
def test_a_settings_file_that_cannot_be_used_is_one_line(cli, file, tmp_path, config, says):
    (tmp_path / "pyproject.toml").write_text(config)
    ran = cli("check", file(ORPHAN))
    assert ran.status == 2
    assert says in ran.err
    assert ran.err.count("\n") == 1


def test_settings_are_found_in_a_directory_above(cli, file, tmp_path, monkeypatch):
    path = file(ORPHAN)
    (tmp_path / "pyproject.toml").write_text('[tool.interlock]\nignore = ["IL001"]\n')
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\n")
    monkeypatch.chdir(tmp_path / "a" / "b")
    assert cli("check", path).status == 0


def test_a_pending_call_is_no_orphan(cli, file):
    path = file(HEALTHY[:2])
    assert cli("check", path).status == 1
    assert cli("check", path, "--pending", "call_1").status == 0
    assert cli("check", path, "--pending", "keep").status == 0
    assert cli("check", path, "--pending", "call_2").status == 1


@pytest.mark.parametrize("form", ["text", "file"])
def test_options_are_handed_on(cli, file, tmp_path, form):
    text = '{"stub_text": "gone"}'
    (tmp_path / "options.json").write_text(text)
    ran = cli("heal", file(ORPHAN), "--json", "--options", text if form == "text" else "@options.json")
    assert ran.json["messages"][2]["content"] == "gone"


def test_exit_non_zero_on_fix(cli, file):
    assert cli("heal", file(ORPHAN), "--exit-non-zero-on-fix").status == 1
    assert cli("heal", file(HEALTHY), "--exit-non-zero-on-fix").status == 0


def test_what_cannot_be_healed_is_status_1(cli, file, monkeypatch):
    from dataclasses import replace

    from interlock.cli import heal as command

    def remains(*arguments, **options):
        result = heal(*arguments, **options)
        return replace(
            result, repairs=(), changed=False, remaining=tuple(replace(r, healed=False) for r in result.repairs)
        )

    monkeypatch.setattr(command, "heal", remains)
    ran = cli("heal", file(ORPHAN))
    assert ran.status == 1
    assert "cannot be healed" in ran.out


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("5", "is no array and no object"),
        ("{}", "is an object without messages, input or contents"),
        ('{"input": 1}', "is an object whose 'input' is no array"),
        ('{"messages": "hi"}', "is an object whose 'messages' is no array"),
        ("[1]", "message 0 of"),
        ('[{"role": "user", "role": "tool"}]', "the key 'role' is there twice"),
        ("[NaN]", "NaN is no JSON value"),
        ("[1e999]", "out of range"),
        ("[" + "1" * 5000 + "]", "an integer of more than"),
        ("[" * 100_000, "nested too deeply"),
        ('[{"role": "us', "it is cut short"),
        ('[\n{"role": 1 2}]', "line 2, column 12"),
        ('[{"x": 1}]', "no known format fits"),
    ],
)
def test_what_is_no_history_is_one_line(cli, tmp_path, text, says):
    (tmp_path / "a.json").write_text(text)
    for command in ("check", "heal"):
        ran = cli(command, "a.json")
        assert ran.status == 2
        assert says in ran.err and "a.json" in ran.err
        assert ran.err.count("\n") == 1


def test_a_text_alone_is_a_responses_body(cli, file):
    path = file({"model": "gpt-5", "input": "hello"})
    for flags in (["check"], ["heal"], ["heal", "--diff"]):
        ran = cli(*flags, path)
        assert ran.status == 0
        assert "Nothing" in ran.out and "hello" not in ran.out


def test_words_of_a_history_do_not_steer_the_terminal(cli, file):
    evil = json.loads(json.dumps(ORPHAN).replace("call_1", "\\u001b[2Jx\\u202e").replace("get_weather", "a\\u001b[1m"))
    for flags in (["check"], ["heal"], ["heal", "--diff"]):
        out = cli(*flags, file(evil, ensure_ascii=False)).out
        assert "\x1b" not in out and "\u202e" not in out


def test_explain_knows_every_rule_by_code_name_and_alias(cli):
    from interlock.history.rules import ALIASES, RULES

    for rule in RULES:
        pages = {cli("explain", word).out for word in (rule.code, rule.code.lower(), rule.name)}
        assert pages == {rule.page.strip() + "\n"}
        assert cli("explain", rule.code, "--json").json["rule"] == rule.name
    for alias, name in ALIASES.items():
        assert cli("explain", alias).out == cli("explain", name).out
    listed = cli("explain", "--json").json_lines
    assert [one["code"] for one in listed] == sorted(rule.code for rule in RULES)
    assert "IL001" in cli("explain").out


def test_explain_knows_every_reason(cli):
    from interlock.gate.table import DECISION_TABLE

    for row in DECISION_TABLE:
        assert f"{row.reason}: {row.action}. {row.says}\n" in cli("explain", row.reason).out
        assert {"reason": row.reason, "action": row.action, "says": row.says} in cli(
            "explain", row.reason, "--json"
        ).json_lines


REFUSED = "No tool output found for function call call_1."


def test_explain_goes_from_a_providers_words_to_the_rule(cli, file):
    ran = cli("explain", "--error", REFUSED)
    assert ran.status == 0
    assert ran.out.startswith("IL001 orphan-tool-call: ")
    assert "The error names call_1." in ran.out
    assert "stub-result (default)" in ran.out
    body = json.dumps({"error": {"message": REFUSED}}).encode()
    found = cli("explain", "--error", "-", "--json", stdin=body).json
    assert (found["code"], found["ids"], found["healable"]) == ("IL001", ["call_1"], None)
    found = cli("explain", "--error", REFUSED, "--history", file(ORPHAN), "--json").json
    assert found["healable"] is True
    assert [one["message_index"] for one in found["findings"]] == [1]
    assert cli("explain", "--error", REFUSED, "--history", file(HEALTHY), "--json").json["healable"] is False


def test_explain_names_the_cause_that_the_history_shows(cli, file):
    history = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "Partial"}]
    said = "This model does not support assistant message prefill."
    arguments = ("explain", "--error", said, "--history", file(history), "--wire", "anthropic")
    assert cli(*arguments, "--json").json["healable"] is False
    for told in (("--model", "claude-opus-4-6"), ("--options", '{"model": "claude-opus-4-6"}')):
        assert cli(*arguments, *told, "--json").json["healable"] is True
    late = [*ORPHAN, {"role": "tool", "tool_call_id": ORPHAN[1]["tool_calls"][0]["id"], "content": "r"}]
    ran = cli("explain", "--error", REFUSED, "--history", file(late))
    assert ran.out.startswith("IL003 misplaced-tool-result")
    assert "The words alone say orphan-tool-call" in ran.out


def test_words_that_are_not_known_are_not_guessed(cli):
    ran = cli("explain", "--error", "the moon is made of cheese")
    assert ran.status == 1
    assert "nothing is guessed" in ran.out


@pytest.mark.parametrize(
    "arguments",
    [
        ["IL001", "--error", "x"],
        ["--history", "a.json"],
        ["IL001", "--wire", "anthropic"],
        ["--error", "x", "--wire", "smoke"],
        ["--error", "x", "--provider", "nobody"],
        ["IL001", "--model", "m"],
        ["--error", "x", "--options", "[]"],
        ["--error", "x", "--history", "missing.json"],
        ["--error", "-", "--history", "-"],
    ],
)
def test_bad_usage_of_explain_is_one_line(cli, arguments):
    ran = cli("explain", *arguments, stdin=b"x")
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)


@needs_shared
@pytest.mark.parametrize(
    "path",
    [
        path
        for path in shared_files("recordings/requests/accepted/*/*.json")
        if path.parent.name in ("openai_chat", "anthropic")
    ],
    ids=lambda path: path.stem,
)
def test_accepted_requests_come_back_byte_for_byte(cli, path, tmp_path):
    ran = cli("heal", path, "--wire", path.parent.name, "--output", "out.json")
    assert ran.status == 0
    assert (tmp_path / "out.json").read_bytes() == path.read_bytes()
    assert cli("check", path, "--wire", path.parent.name).status == 0


@pytest.mark.parametrize("command", ["check", "heal"])
@pytest.mark.parametrize("name", ["a.sse", "a.json", "a"])
def test_a_recorded_stream_is_sent_to_the_command_that_reads_it(cli, recordings, tmp_path, command, name):
    (tmp_path / name).write_bytes((recordings / "clean.sse").read_bytes())
    ran = cli(command, name)
    assert (ran.status, ran.out) == (2, "")
    assert "looks like a recorded stream; `interlock judge`" in ran.err


def test_a_remark_is_no_rule_and_its_page_is_named(cli):
    ran = cli("explain", "E_DUPLICATE_KEY")
    assert ran.status == 2
    assert "docs/reference/diagnostics.md" in ran.err
