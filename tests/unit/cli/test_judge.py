"""`interlock judge`: the same decisions from every form of a recording, and as the guard alone gives them."""

import json

import pytest

from interlock import Guard
from support.shared import needs_shared, shared_files

EXPECTED = {
    "clean": [("write_file", "execute", "complete")],
    "cut-in-string": [("delete_folder", "retry", "truncated")],
    "cut-by-length": [("send_money", "retry", "stream_incomplete")],
    "dropped": [("send_money", "retry", "truncated")],
    "parallel": [("write_file", "execute", "complete")] * 2,
}
TOOLS = {
    "write_file": {"type": "object", "required": ["path", "content"]},
    "delete_folder": {"type": "object", "required": ["path"]},
    "send_money": {"type": "object", "required": ["to", "amount_eur"]},
}


def events_of(sse):
    """Read a recording without interlock: each `data:` line here is one event."""
    for line in sse.read_text().splitlines():
        if line.startswith("data: "):
            yield "[DONE]" if line == "data: [DONE]" else json.loads(line[6:])


def forms(sse, folder):
    events = list(events_of(sse))
    files = {
        "a.sse": sse.read_bytes(),
        "a.jsonl": "".join(json.dumps(event) + "\n" for event in events).encode(),
        "a.ndjson": b"\xef\xbb\xbf" + "\r\n\r\n".join(json.dumps(event) for event in events).encode(),
        "a.json": json.dumps(events, indent=1).encode(),
        "raw.txt": sse.read_bytes(),
        "lines.log": "\n".join(json.dumps(event) for event in events).encode(),
        "array": json.dumps(events).encode(),
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)
        yield folder / name


@pytest.mark.parametrize("name", EXPECTED)
def test_every_form_of_a_recording_gives_the_same_report(cli, recordings, tmp_path, name):
    sse = recordings / f"{name}.sse"
    reports = [cli("judge", file, "--json") for file in forms(sse, tmp_path)]
    reports.append(cli("judge", "-", "--json", stdin=sse.read_bytes()))
    first = reports[0].json
    assert [(one["name"], one["action"], one["reason"]) for one in first["decisions"]] == EXPECTED[name]
    assert all(ran.json == first for ran in reports)
    status = 0 if all(action == "execute" for _, action, _ in EXPECTED[name]) else 1
    assert {ran.status for ran in reports} == {status}
    assert {ran.err for ran in reports} == {""}


@pytest.mark.parametrize("name", EXPECTED)
def test_only_an_executing_decision_has_a_value(cli, recordings, name):
    for decision in cli("judge", recordings / f"{name}.sse", "--json").json["decisions"]:
        assert ("value" in decision) == (decision["action"] == "execute")


@pytest.mark.parametrize("end", ["error", "timeout", "cancelled", "still_open"])
def test_the_end_of_the_source_is_told_to_the_guard(cli, recordings, end):
    path = recordings / "parallel.sse"
    guard = Guard("openai_chat")
    guard.push_bytes(path.read_bytes())
    assert cli("judge", path, "--json", "--end", end).json == guard.finish(end).to_json()


@pytest.mark.parametrize("form", ["mapping", "list", "openai", "anthropic"])
def test_tools_are_read_in_every_form(cli, recordings, tmp_path, form):
    tools = {
        "mapping": TOOLS,
        "list": [{"name": name, "parameters": schema} for name, schema in TOOLS.items()],
        "openai": [{"type": "function", "function": {"name": n, "parameters": s}} for n, s in TOOLS.items()],
        "anthropic": [{"name": name, "input_schema": schema} for name, schema in TOOLS.items()],
    }[form]
    (tmp_path / "tools.json").write_text(json.dumps(tools))
    ran = cli("judge", recordings / "parallel.sse", "--tools", "tools.json", "--json")
    assert [one["evidence"]["schema_valid"] for one in ran.json["decisions"]] == [True, True]


@pytest.mark.parametrize(
    ("schema", "flags", "reason"),
    [
        ({"other": {}}, [], "unknown_tool"),
        ({"other": {}}, ["--allow-unknown-tools"], "complete"),
        ({"write_file": {"type": "object", "required": ["mode"]}}, [], "schema_invalid"),
        ({"write_file": {"properties": {"path": {"format": "email"}}}}, [], "complete"),
        ({"write_file": {"properties": {"path": {"format": "email"}}}}, ["--check-formats"], "schema_invalid"),
    ],
)
def test_what_tools_say_decides(cli, recordings, tmp_path, schema, flags, reason):
    (tmp_path / "tools.json").write_text(json.dumps(schema))
    ran = cli("judge", recordings / "clean.sse", "--tools", "tools.json", "--json", *flags)
    assert [one["reason"] for one in ran.json["decisions"]] == [reason]


def chat(arguments, *, finish="tool_calls", done=True):
    """Return a Chat Completions stream with one call, as lines."""
    start = {"index": 0, "id": "c1", "type": "function", "function": {"name": "f", "arguments": arguments}}
    events = [{"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": [start]}}]}]
    if finish:
        events.append(
            {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}
        )
    return "".join(json.dumps(event) + "\n" for event in [*events, *(["[DONE]"] if done else [])]).encode()


def reason(ran):
    return ran.json["decisions"][0]["reason"]


def test_each_option_of_the_guard_has_a_flag(cli, tmp_path):
    def judged(stream, *flags):
        return reason(cli("judge", "-", "--json", *flags, stdin=stream))

    unconfirmed = chat("{}", finish=None)
    assert judged(unconfirmed) == "stream_incomplete"
    assert judged(unconfirmed, "--confirm-on-done") == "complete"
    raw = chat('{"a": "x\ty"}')
    assert judged(raw) == "malformed"
    assert judged(raw, "--control-characters", "keep") == "complete"
    (tmp_path / "tools.json").write_text('{"f": {"type": "object"}}')
    double = chat(json.dumps('{"a": 1}'))
    assert judged(double, "--tools", "tools.json") != "complete"
    assert judged(double, "--tools", "tools.json", "--unwrap-double-encoding") == "complete"


def test_a_projection_is_trusted_only_when_it_is_said(cli, recordings):
    events = [json.dumps(event) for event in events_of(recordings / "clean.sse")]
    lines = [line for line in events if "input_json_delta" not in line]
    stream = "\n".join(lines).replace('"input": {}', '"input": {"path": "a"}').encode()
    assert reason(cli("judge", "-", "--json", stdin=stream)) == "projection_only"
    assert reason(cli("judge", "-", "--json", "--trust-projections", stdin=stream)) == "complete"


def test_a_closed_call_before_a_token_limit_is_kept_only_when_it_is_said(cli, recordings):
    stream = (recordings / "clean.sse").read_bytes().replace(b'"stop_reason":"tool_use"', b'"stop_reason":"max_tokens"')
    assert reason(cli("judge", "-", "--json", stdin=stream)) == "stream_incomplete"
    assert reason(cli("judge", "-", "--json", "--on-length", "keep_closed", stdin=stream)) == "complete"


@pytest.mark.parametrize("lost", ['{"raw": "{\\"choices\\": "}', '{"choices": ', "not json", '"text"', "[1]"])
def test_a_line_that_is_no_event_counts_as_lost(cli, lost):
    start, *rest = chat("{}").decode().splitlines()
    ran = cli("judge", "-", "--json", stdin="\n".join([start, lost, *rest]).encode())
    assert (ran.status, reason(ran)) == (1, "stream_incomplete")


def test_a_stream_without_calls_is_fine(cli):
    event = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "hi"}}]}
    ran = cli("judge", "-", stdin=json.dumps(event).encode())
    assert ran.status == 0
    assert ran.out.endswith("No tool call.\n")


def test_a_stream_whose_call_could_not_be_read_is_not_fine(cli):
    chunk = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    ran = cli("judge", "-", stdin=json.dumps({"object": "chat.completion.chunk", **chunk}).encode())
    assert ran.status == 1
    assert "E_CALL_MISSING" in ran.out
    assert ran.out.endswith("No tool call could be read.\n")


def test_a_recording_of_another_wire_is_not_passed_as_one_without_calls(cli, recordings):
    ran = cli("judge", recordings / "clean.sse", "--wire", "openai_chat")
    assert ran.status == 2
    assert "looks like 'anthropic'" in ran.err


def test_an_ambiguous_wire_names_the_candidates(cli, monkeypatch):
    from interlock.cli import judge
    from interlock.errors import AmbiguousWireError

    def two(_):
        raise AmbiguousWireError(["anthropic", "openai_chat"])

    monkeypatch.setattr(judge, "detect", two)
    ran = cli("judge", "-", stdin=b"{}")
    assert ran.status == 2
    assert ran.err.count("\n") == 1
    assert "anthropic" in ran.err and "openai_chat" in ran.err and "--wire" in ran.err


ARGUMENTS = '{"to":"ACME Ltd","amount_eur":1500}'


def test_the_table_shows_name_action_reason_bytes_value_and_why(cli, recordings, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    ran = cli("judge", recordings / "cut-by-length.sse")
    words = " ".join(ran.out.split())
    for expected in (
        "send_money",
        "retry",
        "stream_incomplete",
        f"{len(ARGUMENTS)} bytes",
        '"amount_eur": 1500',
        "nothing wrong arrived",
    ):
        assert expected in words
    assert words.endswith("1 call: 1 retry.")


def test_control_characters_of_a_peer_do_not_reach_the_terminal(cli):
    bad = "\x1b]0;owned\x07\u202e"
    stream = chat(json.dumps({"a": bad})).replace(b'"f"', json.dumps(f"f{bad}").encode())
    for flags in ([], ["--json"]):
        out = cli("judge", "-", *flags, stdin=stream).out
        assert not {"\x1b", "\x07", "\u202e"} & set(out)


def test_without_rich_the_same_facts_are_printed_as_plain_text(cli, recordings, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "rich.console", None)
    ran = cli("judge", recordings / "clean.sse")
    assert ran.status == 0
    assert "  call          write_file\n" in ran.out
    assert "  decision      execute\n                complete\n" in ran.out
    assert "1 call: 1 execute." in ran.out


@pytest.mark.parametrize("columns", ["1", "20", "40", "69", "70", "80", "200"])
def test_nothing_is_left_out_where_there_is_little_room(cli, recordings, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    shown = cli("judge", recordings / "clean.sse").out
    for word in ("write_file", "toolu_01cKmHpVn7wMGqptNZGnyEpD", "execute", "complete", "59", "nothing"):
        assert word in shown


def test_a_long_stream_is_read_to_its_end(cli):
    start, *rest = chat("{}").splitlines()
    text = json.dumps({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "x" * 50}}]})
    stream = b"\n".join([start, *[text.encode()] * 2500, *rest])
    assert reason(cli("judge", "-", "--json", stdin=stream)) == "complete"
    assert reason(cli("judge", "-", "--json", stdin=stream[: -len(rest[0]) - 20])) == "stream_incomplete"


def test_remarks_on_the_whole_stream_are_shown(cli):
    start, *rest = chat("{}").decode().splitlines()
    assert "no JSON: 'oops'" in cli("judge", "-", stdin="\n".join([start, "oops", *rest]).encode()).out


def test_a_stream_that_fits_no_wire_is_not_judged_as_the_one_that_was_named_without_a_word(cli):
    """Where nothing tells the wire, the caller's word stands."""
    ran = cli("judge", "-", "--wire", "anthropic", "--json", stdin=b'{"x": 1}')
    assert (ran.status, ran.json["decisions"]) == (0, [])


@pytest.mark.parametrize("text", [b"[]", b'["text"]', b"data: {\n\n", b'[{"raw": "x"}]'])
def test_a_recording_without_an_event_is_refused(cli, text):
    ran = cli("judge", "-", stdin=text)
    assert ran.status == 2
    assert "no event" in ran.err


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '[{"role": "user", "content": "x"}]'),
        ("a.jsonl", '{"role": "user", "content": "x"}\n{"role": "assistant", "content": "y"}\n'),
        ("a", '{"model": "m", "messages": [{"role": "user", "content": "x"}]}'),
    ],
)
def test_a_history_is_sent_to_the_commands_that_read_it(cli, tmp_path, name, text):
    (tmp_path / name).write_text(text)
    ran = cli("judge", name)
    assert (ran.status, ran.out) == (2, "")
    assert "looks like a history; `interlock check`" in ran.err


def test_a_name_without_a_file_is_refused(cli):
    for path in ("a\x00b.sse", "a\x00b.json"):
        ran = cli("judge", path)
        assert (ran.status, ran.err.count("\n")) == (2, 1)


STREAMS = [
    path
    for path in shared_files("recordings/streams/*/*.*")
    if path.suffix in (".jsonl", ".sse", ".bin") and path.parent.name not in ("other", "gemini_live")
]


@needs_shared
@pytest.mark.parametrize("path", STREAMS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_recorded_traffic_is_judged_as_the_guard_judges_it(cli, path):
    wire = path.parent.name
    guard = Guard(wire)
    for line in path.with_suffix(".jsonl").read_text().splitlines():
        guard.push(json.loads(line))
    expected = guard.finish().to_json()
    found = cli("judge", path, "--wire", wire, "--json").json
    assert [one["action"] for one in found["decisions"]] == [one["action"] for one in expected["decisions"]]
    if path.suffix == ".jsonl":
        assert found == expected


@pytest.mark.parametrize("tools", ["12", '[3, {"name": "f", "parameters": {}}]', '{"f": {"$ref": "#/nowhere"}}'])
def test_tools_that_are_no_tools_are_named_with_their_file(cli, recordings, tmp_path, tools):
    (tmp_path / "tools.json").write_text(tools)
    for given in ((), ("--wire", "openai_chat")):
        ran = cli("judge", recordings / "clean.sse", "--tools", "tools.json", *given)
        assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
        assert ran.err.startswith("interlock: --tools 'tools.json': ")


@pytest.mark.parametrize("end", ["eof", "cancelled", "error", "timeout"])
def test_an_unfinished_tail_counts_where_the_guard_counts_it(cli, recordings, tmp_path, end):
    """Only a clean end makes a fault of what stands unfinished at the end."""
    data = (recordings / "clean.sse").read_bytes() + b'data: {"type":"ping"'
    path = tmp_path / "tail.sse"
    path.write_bytes(data)
    guard = Guard("anthropic")
    guard.push_bytes(data)
    assert cli("judge", str(path), "--end", end, "--json").json == guard.finish(end).to_json()


def test_a_body_of_gemini_is_an_array_whatever_its_name(cli, tmp_path):
    call = {"functionCall": {"name": "f", "args": {"a": 1}}}
    path = tmp_path / "body.sse"
    path.write_text(json.dumps([{"candidates": [{"content": {"parts": [call]}, "finishReason": "STOP"}]}], indent=1))
    ran = cli("judge", str(path), "--wire", "gemini", "--trust-projections", "--json")
    assert ran.json["decisions"][0]["value"] == {"a": 1}
