"""Fuzz the parser: `make fuzz MINUTES=20`, or `python fuzz/parser.py CORPUS [libFuzzer options]`.

The invariant, for any bytes and any split: nothing raises; the same bytes give the same
value, events and diagnostics however they are cut; what is executable is what the
standard library, made strict, accepts, with the same value; the first error is where an
independent reader finds it; events rebuild the stable value.

The first byte of an input chooses the options, the second seeds the split.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["interlock"]):
    from interlock.limits import Limits
    from interlock.parser import Parser

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from support.json_documents import observe, replay
from support.strict_json import reference, same, standard

SMALL = Limits(input_bytes=64, depth=3, string_bytes=9, number_bytes=6, queued_events=8, trailing_bytes=4)
OPTIONS = (
    {},
    {"limits": SMALL},
    {"control_characters": "keep"},
    {"trailing": "isolate"},
    {"limits": SMALL, "control_characters": "keep", "trailing": "isolate"},
)


def pieces_of(data: bytes, seed: int) -> list[bytes]:
    choose = random.Random(seed)
    most = choose.choice((1, 2, 7, 40))
    pieces = []
    at = 0
    while at < len(data):
        step = choose.randint(0, most) or 1
        pieces.append(data[at : at + step])
        at += step
    return pieces


def one_input(raw: bytes) -> None:
    if len(raw) < 2:
        return
    options = OPTIONS[raw[0] % len(OPTIONS)]
    data = raw[2:]
    pieces = pieces_of(data, raw[1])
    whole = observe([data], **options)
    assert whole == observe(pieces, **options), "a split changes the outcome"

    quiet = Parser(events=False, **options)
    for piece in pieces:
        quiet.push(piece)
    result = quiet.finish("complete")
    if not any(diagnostic.code == "E_LIMIT_EVENT_QUEUE" for diagnostic in whole[3].diagnostics):
        assert result == whole[3], "events change the outcome"

    assert same(replay(whole[6]), result.stable_value) or options.get("limits"), "events do not rebuild the value"
    if options or any(diagnostic.code.startswith("E_LIMIT") for diagnostic in result.diagnostics):
        return  # the readers below have no limits
    try:
        text = data.decode()
    except UnicodeDecodeError:
        assert result.outcome in ("invalid", "truncated")
        return
    valid, value = standard(text)
    assert valid == result.executable, "the standard library disagrees"
    if valid:
        assert same(value, result.value)
    verdict, where = reference(text)
    assert (verdict == "valid") == valid
    if verdict == "wrong":
        assert result.outcome == "invalid"
        assert result.diagnostics[0].byte_offset == len(text[:where].encode()), "the error is somewhere else"
    elif verdict == "cut":
        assert result.outcome in ("truncated", "salvaged")


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
