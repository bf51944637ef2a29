"""Every short document over an alphabet of all tokens, against two independent readers.

A document whose proper start is already wrong is not read again for each of its
continuations: that nothing mends it is shown once for each wrong start and symbol.
Documents of five symbols are cut at both ends and everywhere at once; at every single
split with `INTERLOCK_EXHAUSTIVE=full` (`make exhaustive`).
"""

from __future__ import annotations

import itertools
import os

import pytest

from interlock.parser import Parser
from support.strict_json import reference, same, standard

ALPHABET = (*'{}[]"\\,:1-.etn \n', "\\u0000")
# "short" is for runs that are repeated thousands of times.
LENGTH = 3 if os.environ.get("INTERLOCK_EXHAUSTIVE") == "short" else 5
FULL = os.environ.get("INTERLOCK_EXHAUSTIVE") == "full"
# Most documents that are not wrong at once are strings: their second symbol spreads them.
STARTS = [*(symbol for symbol in ALPHABET if symbol != '"'), *('"' + symbol for symbol in ALPHABET)]


def run(pieces):
    parser = Parser()
    failed = False
    for piece in pieces:
        failed = parser.push(piece).failed  # asking makes it read each piece by itself
    result = parser.finish("complete")
    value = result.value if result.executable else None
    return failed, result.outcome, value, result.stable_value, result.diagnostics, parser.drain_events()


def check(text, splits):
    """Compare one document at some splits, and return whether it may still become valid."""
    verdict, expected = reference(text)
    valid, value = standard(text)
    whole = failed, outcome, got, stable, diagnostics, _ = run([text])
    assert valid == (verdict == "valid") == (outcome == "valid"), text
    if valid:
        assert same(got, value), text
        assert same(got, expected), text
        assert same(stable, value), text
        assert diagnostics == (), text
    elif verdict == "wrong":
        assert failed, text
        assert outcome == "invalid", text
        assert diagnostics[0].byte_offset == expected, text
        before = text[:expected]
        assert diagnostics[0].line == before.count("\n") + 1, text
        assert diagnostics[0].column == expected - before.rfind("\n"), text
    else:
        assert not failed, text
        assert outcome in ("truncated", "salvaged"), text
    for at in splits:
        assert run([text[:at], text[at:]]) == whole, (text, at)
    assert run(text) == whole, text
    quiet = Parser(events=False)
    quiet.push(text)
    result = quiet.finish("complete")
    assert (result.outcome, result.diagnostics) == (outcome, diagnostics), text
    assert same(result.stable_value, stable), text
    assert not valid or same(result.value, value), text
    return not failed


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("start", STARTS)
def test_every_short_document_agrees_with_two_readers_at_every_split(start):
    """Verdict, value, place of the error, events and diagnostics are right however the text is cut."""
    symbols = 2 if len(start) > 1 and start[0] == '"' else 1
    alive = [start] if check(start, range(1, len(start))) else []
    while alive and symbols < LENGTH:
        symbols += 1
        longer = []
        for text, symbol in itertools.product(alive, ALPHABET):
            text += symbol
            every = FULL or symbols < LENGTH
            if check(text, range(1, len(text)) if every else (1, len(text) - 1)):
                longer.append(text)
        alive = longer


def test_a_lone_quote_is_only_cut():
    """The one document that the starts above leave out."""
    assert check('"', ())


@pytest.mark.parametrize("first", ALPHABET)
def test_nothing_mends_a_wrong_start(first):
    """Once an error was recorded, no continuation takes it back or adds to the value."""
    for length in range(1, 4):
        for rest in itertools.product(ALPHABET, repeat=length - 1):
            start = "".join((first, *rest))
            parser = Parser()
            parser.push(start)
            if not parser.failed:
                continue
            before = parser.snapshot().stable_value, parser.diagnostics[0]
            fatal = parser.diagnostics[-1].code != "E_DUPLICATE_KEY"
            for symbol in ALPHABET:
                parser.push(symbol)
                assert parser.failed
                assert parser.diagnostics[0] == before[1]
                if fatal:
                    assert parser.snapshot().stable_value == before[0]
                    assert len(parser.diagnostics) == 1
            assert not parser.finish("complete").executable


def test_the_standard_reader_agrees_that_wrong_starts_stay_wrong():
    """The standard library finds no valid document behind a start that the parser calls wrong."""
    for length in range(1, min(LENGTH, 4)):
        for symbols in itertools.product(ALPHABET, repeat=length):
            start = "".join(symbols)
            parser = Parser(events=False)
            parser.feed(start)
            if parser.failed:
                for symbol in ALPHABET:
                    assert not standard(start + symbol)[0]
