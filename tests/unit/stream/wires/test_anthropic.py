"""Anthropic Messages: blocks, stop reasons, restarts."""

from __future__ import annotations

from typing import Any

import pytest

from support.judging import executed, judged


def start(
    index: int = 0, id: str = "toolu_1", name: str = "f", kind: str = "tool_use", given: Any = None
) -> dict[str, Any]:
    """A block start."""
    block = {"type": kind, "id": id, "name": name, "input": {} if given is None else given}
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(text: str, index: int = 0) -> dict[str, Any]:
    """An argument fragment."""
    return {"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": text}}


def stop(index: int = 0) -> dict[str, Any]:
    """A block end."""
    return {"type": "content_block_stop", "index": index}


def reason(word: Any) -> dict[str, Any]:
    """A message delta."""
    return {"type": "message_delta", "delta": {"stop_reason": word, "stop_sequence": None}, "usage": {}}


def text_delta(index: int) -> dict[str, Any]:
    """A fragment of text."""
    return {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": "hm"}}


TEXT = {"type": "text", "text": ""}
BEGIN = {"type": "message_start", "message": {"id": "msg_1", "content": [], "stop_reason": None}}
STOP = {"type": "message_stop"}
ERROR = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
CALL = (start(), delta(""), delta('{"a"'), delta(": 1}"), stop())
ENDED = (reason("tool_use"), STOP)
GOT = [("toolu_1", "f", {"a": 1})]


def verdict(*events: Any, **options: Any) -> tuple[str, str]:
    """Action and reason of the first decision."""
    decision = judged("anthropic", events, **options).decisions[0]
    return decision.action, decision.reason


@pytest.mark.parametrize(
    "events",
    [
        (BEGIN, *CALL, *ENDED),
        (BEGIN, {"type": "ping"}, *CALL, {"type": "brand_new_event"}, *ENDED),
        (BEGIN, *CALL, reason(None), *ENDED),
        (BEGIN, *CALL, reason("tool_use"), *ENDED),
        (BEGIN, *CALL, reason("end_turn"), STOP),
        (*CALL, *ENDED),
        (BEGIN, start(3, "toolu_1"), delta('{"a": 1}', 3), stop(3), *ENDED),
        (BEGIN, start(given={"a": 1}), *CALL[1:], *ENDED),
        (BEGIN, BEGIN, *CALL, *ENDED),
    ],
)
def test_healthy_streams_execute(events: tuple[Any, ...]) -> None:
    """Pings, unknown events, repeated reasons, sparse indexes, a start block that agrees with the deltas."""
    assert executed(judged("anthropic", events)) == GOT


@pytest.mark.parametrize(
    ("word", "want"),
    [
        ("max_tokens", ("retry", "stream_incomplete")),
        ("model_context_window_exceeded", ("retry", "stream_incomplete")),
        ("pause_turn", ("retry", "stream_incomplete")),
        ("compaction", ("retry", "stream_incomplete")),
        ("stop_sequence", ("retry", "stream_incomplete")),
        ("refusal", ("reject", "content_filtered")),
        ("brand_new", ("retry", "stream_incomplete")),
        (None, ("retry", "stream_incomplete")),
    ],
)
def test_reasons_that_do_not_confirm(word: Any, want: tuple[str, str]) -> None:
    """A whole call under each other stop reason."""
    assert verdict(BEGIN, *CALL, reason(word), STOP) == want


@pytest.mark.parametrize(
    ("events", "want"),
    [
        ((BEGIN, *CALL), "stream_incomplete"),
        ((BEGIN, *CALL, reason("tool_use")), "stream_incomplete"),
        ((BEGIN, *CALL[:-1], *ENDED), "stream_incomplete"),
        ((BEGIN, *CALL[:3], stop(), reason("max_tokens"), STOP), "truncated"),
        ((BEGIN, *CALL[:3], stop(), *ENDED), "truncated"),
        ((BEGIN, start(), delta("1]"), stop(), *ENDED), "malformed"),
        ((BEGIN, *CALL, ERROR), "provider_error"),
        ((BEGIN, *CALL, *ENDED, ERROR), "provider_error"),
        ((BEGIN, *CALL, {"error": {"message": "m"}}), "provider_error"),
        ((BEGIN, *CALL, delta(" "), *ENDED), "protocol_violation"),
        ((BEGIN, *CALL, stop(), *ENDED), "protocol_violation"),
        ((BEGIN, *CALL, start(), *ENDED), "protocol_violation"),
        ((BEGIN, *CALL, start(1, "toolu_1"), stop(1), *ENDED), "protocol_violation"),
        ((BEGIN, *CALL, reason("max_tokens"), *ENDED), "protocol_violation"),
        ((BEGIN, *CALL, *ENDED, STOP), "protocol_violation"),
        ((BEGIN, *CALL, *ENDED, delta(" ")), "protocol_violation"),
        ((BEGIN, *CALL, *ENDED, BEGIN), "protocol_violation"),
        ((BEGIN, *CALL, delta("{}", 5), *ENDED), "protocol_violation"),
        ((BEGIN, *CALL, stop(5), *ENDED), "protocol_violation"),
        ((BEGIN, *CALL, start(-1), *ENDED), "protocol_violation"),
        ((BEGIN, start(given={"a": 2}), *CALL[1:], *ENDED), "protocol_violation"),
        ((BEGIN, *CALL, start(1, "toolu_2"), *ENDED), "protocol_violation"),
        (
            (BEGIN, {"type": "content_block_start", "index": 1, "content_block": {"type": "new"}}, *CALL, *ENDED),
            "protocol_violation",
        ),
        ((BEGIN, *CALL[:-1], reason("tool_use"), stop(), STOP), "protocol_violation"),
        ((BEGIN, *CALL[:2], reason("tool_use"), *CALL[2:], STOP), "protocol_violation"),
        ((BEGIN, *CALL, reason("tool_use"), start(1, "toolu_2"), delta("{}", 1), stop(1), STOP), "protocol_violation"),
        (
            (BEGIN, *CALL, *ENDED, {"type": "content_block_start", "index": 1, "content_block": TEXT}),
            "protocol_violation",
        ),
        ((BEGIN, *CALL, *ENDED, text_delta(1)), "protocol_violation"),
        ((BEGIN, start(), {**delta('{"a": 1}'), "index": "0"}, stop(), *ENDED), "protocol_violation"),
        ((BEGIN, *CALL[:-1], {**stop(), "index": "0"}, *ENDED), "protocol_violation"),
        ((BEGIN, start(), delta({}), stop(), *ENDED), "malformed"),  # type: ignore[arg-type]
        ((BEGIN, start(), delta(None), stop(), *ENDED), "malformed"),  # type: ignore[arg-type]
        ((BEGIN, start(), delta(0), stop(), *ENDED), "malformed"),  # type: ignore[arg-type]
        ((BEGIN, start(given={"a": 1}), stop(), *ENDED), "projection_only"),
        ((BEGIN, start(given="{}"), stop(), *ENDED), "projection_only"),
    ],
)
def test_what_speaks_against_a_call(events: tuple[Any, ...], want: str) -> None:
    """Each deviation, alone, with the reason it gets."""
    report = judged("anthropic", events)
    assert report.decisions[0].reason == want, report.to_json()
    assert executed(report) == []


@pytest.mark.parametrize("deltas", [(), (delta(""),)])
def test_no_argument_text_in_a_closed_block_is_an_empty_object(deltas: tuple[Any, ...]) -> None:
    """The protocol says so, so no schema is needed; a schema may still refuse it."""
    events = (BEGIN, start(), *deltas, stop(), *ENDED)
    assert executed(judged("anthropic", events)) == [("toolu_1", "f", {})]
    needs = {"f": {"type": "object", "required": ["a"]}}
    assert verdict(*events, tools=needs) == ("reject", "schema_invalid")


def test_what_the_provider_runs_is_reported_only() -> None:
    """Server tools and MCP tools stream arguments just like client tools."""
    for kind in ("server_tool_use", "mcp_tool_use"):
        events = (BEGIN, start(kind=kind), *CALL[1:], start(1, "toolu_2"), delta('{"a": 1}', 1), stop(1), *ENDED)
        report = judged("anthropic", events)
        assert [d.reason for d in report.decisions] == ["server_executed", "complete"]


def test_a_restarted_message_confirms_only_its_own_calls() -> None:
    """A second message_start before message_stop: what came before can never be confirmed."""
    again = {**BEGIN, "message": {"id": "msg_2"}}
    events = (BEGIN, start(id="toolu_0"), delta('{"a": 9}'), stop(), again, *CALL, *ENDED)
    report = judged("anthropic", events)
    assert [(d.call_id, d.action) for d in report.decisions] == [("toolu_0", "retry"), ("toolu_1", "execute")]


def test_a_length_cut_keeps_closed_calls_only_on_request() -> None:
    """Two calls, the second cut: by default none executes, with the switch the closed one does."""
    events = (BEGIN, *CALL, start(1, "toolu_2"), delta('{"b', 1), reason("max_tokens"), STOP)
    assert [d.action for d in judged("anthropic", events).decisions] == ["retry", "retry"]
    assert executed(judged("anthropic", events, on_length="keep_closed")) == GOT
    # The switch is about length only.
    refused = (*events[:-2], reason("refusal"), STOP)
    assert executed(judged("anthropic", refused, on_length="keep_closed")) == []


def test_the_end_of_the_source_matters_only_before_message_stop() -> None:
    """message_stop ends everything; a broken transport is still evidence against."""
    for end, want in (
        ("eof", "execute"),
        ("cancelled", "execute"),
        ("still_open", "execute"),
        ("error", "retry"),
        ("timeout", "retry"),
    ):
        assert verdict(BEGIN, *CALL, *ENDED, end=end)[0] == want
        assert verdict(BEGIN, *CALL, end=end)[0] == "retry"


@pytest.mark.parametrize(
    ("block", "good"),
    [
        ({"type": "text", "text": ""}, True),
        ({"type": "thinking", "thinking": "", "signature": ""}, True),
        ({"type": "redacted_thinking", "data": ""}, True),
        ({"type": "tool_use", "id": "toolu_2", "name": "g", "input": {}}, False),
        ({"type": "server_tool_use", "id": "srvtoolu_1", "name": "g", "input": {}}, False),
        ({"type": "brand_new"}, False),
        (None, False),
    ],
)
def test_a_block_without_its_end_speaks_against_the_others_where_it_may_hold_arguments(block: Any, good: bool) -> None:
    """Text and thinking hold none."""
    opened = {"type": "content_block_start", "index": 1, "content_block": block}
    report = judged("anthropic", (BEGIN, *CALL, opened, *ENDED))
    assert executed(report) == (GOT if good else [])
    assert good or [one.code for one in report.decisions[0].diagnostics] == ["E_BLOCK_OPEN"]
