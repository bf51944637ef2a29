"""How a call ended: every combination of what a turn, a stream, a call and a source can say, on every kind of wire."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import pytest

from interlock import Guard
from interlock.stream.wires import Traits, normalized
from support.judging import judged

WORDS = (None, "complete", "length", "paused")


class Case(NamedTuple):
    """What was said."""

    ends: str
    turn: str | None  # the turn's end, or `replaced`
    stream: str | None
    call: str | None
    source: str
    lost: bool
    done: bool
    opted: bool  # into weaker confirmation


def cases(ends: str) -> Iterator[Case]:
    """All of them, for one kind of wire."""
    sources = ("eof", "error", "timeout", "cancelled", "still_open")
    flags = (False, True)
    calls = (None, "complete", "length", "cancelled")
    for rest in product((*WORDS, "replaced"), WORDS, calls, sources, flags, flags, flags):
        yield Case(ends, *rest)


def events(case: Case) -> list[Any]:
    """The stream that says it."""
    out: list[Any] = [
        {"type": "call_start", "key": "a", "id": "i", "name": "f"},
        {"type": "arguments_delta", "key": "a", "text": '{"x": 1}'},
    ]
    if case.lost:
        out.append({"type": "events_lost", "message": "m"})
    if case.call is not None:
        out.append({"type": "call_end", "key": "a", "reason": case.call})
    if case.turn == "replaced":
        out.append({"type": "turn_replaced"})
    elif case.turn is not None:
        out.append({"type": "turn_end", "reason": case.turn, "provider_reason": "turn's"})
    if case.stream is not None:
        out.append({"type": "stream_end", "reason": case.stream, "provider_reason": "stream's"})
    return [*out, "[DONE]"] if case.done else out


def expected(case: Case, calls_end: bool) -> tuple[str, str | None, bool]:
    """The call's end, who confirms it, and whether the provider's own terminal was seen: the first rule that fits."""
    turn = None if case.turn == "replaced" else case.turn
    gave_up = "cancelled" if case.source == "cancelled" else "unknown"
    seen = turn is not None or case.stream is not None
    goes_on = {
        "turn": False,
        "stream": case.stream is None,
        "source": case.source != "eof" and not case.done,
    }[case.ends]
    word = turn or case.stream
    if word in ("complete", "length") and case.call not in (None, "complete"):
        word = case.call
    rules: list[tuple[bool, tuple[str, str | None, bool]]] = [
        (case.stream not in (None, "complete"), (str(case.stream), None, True)),
        (case.lost or case.source in ("error", "timeout"), (_worse(turn), None, seen)),
        (case.turn == "replaced", ("unknown", None, False)),
        (not seen and calls_end and case.call is None, (gave_up, None, False)),
        (not seen and case.opted and case.source == "eof", (_opted(case), "done" if case.done else "eof", False)),
        (not seen, (gave_up, None, False)),
        (goes_on, (gave_up, None, seen)),
        (True, (str(word), "provider", True)),
    ]
    return next(result for fits, result in rules if fits)


def _worse(turn: str | None) -> str:
    return "network_error" if turn in (None, "complete") else turn


def _opted(case: Case) -> str:
    return "complete" if case.call in (None, "complete") else case.call


def report_end(case: Case) -> str:
    """Why the stream as a whole stopped."""
    turn = None if case.turn == "replaced" else case.turn
    gave_up = "cancelled" if case.source == "cancelled" else "unknown"
    rules: list[tuple[bool, str]] = [
        (case.stream not in (None, "complete"), str(case.stream)),
        (case.lost or case.source in ("error", "timeout"), "network_error"),
        (case.ends == "stream" and case.stream is None, gave_up),
        (case.ends == "source" and case.source != "eof" and not case.done, gave_up),
        (turn is not None, str(turn)),
        (case.stream is not None, "complete"),
        (True, gave_up),
    ]
    return next(result for fits, result in rules if fits)


@pytest.mark.parametrize("calls_end", [False, True])
@pytest.mark.parametrize("ends", ["turn", "stream", "source"])
def test_every_combination_of_ends(monkeypatch: pytest.MonkeyPatch, ends: Any, calls_end: bool) -> None:
    """End, confirmation and verdict are those of the rules; nothing executes that no rule confirms."""
    monkeypatch.setattr(normalized.Adapter, "traits", Traits(calls_end=calls_end, ends=ends))
    executed = 0
    for case in cases(ends):
        report = judged("normalized", events(case), end=case.source, confirm_on_done=case.opted)
        (decision,) = report.decisions
        reason, confirmed_by, seen = expected(case, calls_end)
        evidence = decision.evidence
        assert (evidence.end_reason, evidence.terminal_confirmed) == (reason, seen), case
        assert evidence.confirmed_by == confirmed_by, case
        good = reason == "complete" and confirmed_by is not None and (case.call is not None or not calls_end)
        assert (decision.action == "execute") == good, case
        assert report.end_reason == report_end(case), case
        executed += good
    assert executed


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("calls_end", [False, True])
@pytest.mark.parametrize("call", [None, "complete", "length"])
@pytest.mark.parametrize("kind", ["raw", "empty", "pieces", "text", "cut"])
def test_a_length_cut_spares_only_the_text_of_an_object_that_its_own_end_closed(
    monkeypatch: pytest.MonkeyPatch, keep: bool, calls_end: bool, call: str | None, kind: str
) -> None:
    """By `on_length`, on a wire whose calls have an end."""
    monkeypatch.setattr(
        normalized.Adapter,
        "traits",
        Traits(calls_end=calls_end, ends="turn", empty_is_object=True, repeats_text=True),
    )
    text = {"raw": '{"x": 1}', "cut": '{"x": 1', "text": "x"}.get(kind)
    start = {"type": "call_start", "key": "a", "name": "f", "kind": "text" if kind == "text" else "json"}
    given: list[Any] = [] if text is None else [{"type": "arguments_final", "key": "a", "text": text}]
    if kind == "pieces":
        given = [{"type": "arguments_piece", "key": "a", "path": ["x"], "value": 1}]
    ended = [] if call is None else [{"type": "call_end", "key": "a", "reason": call}]
    report = judged(
        "normalized",
        [start, *given, *ended, {"type": "turn_end", "reason": "length"}],
        on_length="keep_closed" if keep else "retry",
    )
    spared = keep and calls_end and call == "complete" and kind == "raw"
    assert (report.decisions[0].action == "execute") == spared


REASONS = (
    "provider_error",
    "content_filtered",
    "network_error",
    "length",
    "cancelled",
    "paused",
    "unknown",
    "complete",
)


@pytest.mark.parametrize("first", REASONS)
@pytest.mark.parametrize("second", [*REASONS, None])
def test_a_report_names_the_worst_end_of_its_turns(first: Any, second: Any) -> None:
    """In the order of `REASONS`; a turn that never ended counts as unknown, one that was replaced not at all."""
    turns = [{"type": "turn_end", "turn": "1", "reason": first}]
    if second is None:
        turns.append({"type": "call_start", "turn": "2", "key": "b", "name": "f"})
    else:
        turns.append({"type": "turn_end", "turn": "2", "reason": second})
    worst = min(first, second or "unknown", key=REASONS.index)
    assert judged("normalized", turns).end_reason == worst
    assert judged("normalized", turns[::-1]).end_reason == worst
    assert judged("normalized", [*turns, {"type": "turn_replaced", "turn": "3"}]).end_reason == worst


def test_a_replaced_turn_says_nothing_of_the_streams_end() -> None:
    """Alone it is no end."""
    replaced = {"type": "turn_replaced"}
    assert judged("normalized", [replaced]).end_reason == "unknown"
    assert judged("normalized", [replaced], end="cancelled").end_reason == "cancelled"
    assert judged("normalized", [replaced, {"type": "stream_end", "reason": "complete"}]).end_reason == "complete"


def test_the_providers_word_is_the_turns_or_else_the_streams() -> None:
    """The streams's when it speaks against completion; none where nothing was said."""
    start, whole = events(Case("turn", None, None, None, "eof", False, False, False))
    turn = {"type": "turn_end", "reason": "complete", "provider_reason": "turn's"}
    stream = {"type": "stream_end", "reason": "complete", "provider_reason": "stream's"}
    against = {**stream, "reason": "length"}
    for said, word in (
        ([turn, stream], "turn's"),
        ([stream], "stream's"),
        ([{**turn, "provider_reason": None}, stream], "stream's"),
        ([turn, against], "stream's"),
        ([turn, {**against, "provider_reason": None}], "turn's"),
        ([turn], "turn's"),
        ([], None),
    ):
        (decision,) = judged("normalized", [start, whole, *said]).decisions
        assert decision.evidence.provider_reason == word


def test_tokens_at_the_limit_make_a_complete_end_a_length_only_for_one_turn() -> None:
    """With several turns the count is their sum."""
    start, whole = events(Case("turn", None, None, None, "eof", False, False, False))
    turn = {"type": "turn_end", "reason": "complete"}
    usage = {"type": "usage", "output_tokens": 10}
    paused = judged("normalized", [start, whole, {**turn, "reason": "paused"}, usage], max_output_tokens=10)
    assert paused.end_reason == paused.decisions[0].evidence.end_reason == "paused"
    report = judged("normalized", [start, whole, turn, usage, {**usage, "output_tokens": 3}], max_output_tokens=10)
    assert report.end_reason == report.decisions[0].evidence.end_reason == "length"
    report = judged("normalized", [start, whole, turn, {**turn, "turn": "2"}, usage], max_output_tokens=10)
    assert report.end_reason == report.decisions[0].evidence.end_reason == "complete"


def test_before_the_end_the_evidence_claims_nothing() -> None:
    """A snapshot of each kind of arguments: open, with what is certain so far."""
    guard = Guard("normalized", trust_projections=True)
    kinds = {
        "raw": {"type": "arguments_delta", "text": '{"x": 1, "y": "'},
        "assembled": {"type": "arguments_piece", "path": ["x"], "value": 1},
        "text": {"type": "arguments_delta", "text": "free"},
        "trusted_projection": {"type": "arguments_value", "value": {"x": 1}},
        "none": {"type": "name_delta", "text": ""},
    }
    for kind, event in kinds.items():
        guard.push({"type": "call_start", "key": kind, "name": "f", "kind": "text" if kind == "text" else "json"})
        guard.push({**event, "key": kind})
    decisions = guard.snapshot().decisions
    assert [d.evidence.kind for d in decisions] == list(kinds)
    assert [d.stable_value for d in decisions] == [{"x": 1}, {"x": 1}, None, None, None]
    for decision in decisions:
        evidence = decision.evidence
        assert (decision.action, decision.reason) == ("retry", "stream_incomplete")
        assert not (evidence.structurally_complete or evidence.parser_executable or evidence.terminal_confirmed)
        assert evidence.confirmed_by is None and evidence.schema_valid is None
