"""Arguments put together from pieces: equal to what was taken apart, and never more than what was closed."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock import Limits
from interlock.stream.assembly import Assembly, Path, show

names = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | names
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, min_size=1, max_size=3) | st.dictionaries(names, inner, min_size=1, max_size=3),
    max_leaves=8,
)
documents = st.dictionaries(names, values, max_size=4)


def leaves(value: Any, path: Path = ()) -> list[tuple[Path, Any]]:
    """Take a document apart."""
    if isinstance(value, dict):
        return [leaf for name, member in value.items() for leaf in leaves(member, (*path, name))]
    if isinstance(value, list):
        return [leaf for index, member in enumerate(value) for leaf in leaves(member, (*path, index))]
    return [(path, value)]


@st.composite
def pieces(draw: st.DrawFn) -> tuple[dict[str, Any], list[tuple[Path, Any, bool]]]:
    """Draw a document and its pieces: leaves in any order, strings cut in several, pieces of two leaves mixed."""
    document = draw(documents)
    streams: list[list[tuple[Path, Any, bool]]] = []
    for path, value in draw(st.permutations(leaves(document))):
        if isinstance(value, str) and draw(st.booleans()):
            at = draw(st.integers(0, len(value)))
            streams.append([(path, value[:at], True), (path, value[at:], True), (path, "", False)])
        else:
            streams.append([(path, value, False)])
    out = []
    while streams:
        stream = draw(st.sampled_from(streams))
        out.append(stream.pop(0))
        streams = [one for one in streams if one]
    return document, out


def same(left: Any, right: Any) -> bool:
    """Compare with types: `1`, `1.0` and `true` are three values."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[name], right[name]) for name in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


@given(pieces())
def test_all_pieces_give_the_document_and_a_part_gives_certain_values_only(
    drawn: tuple[dict[str, Any], list[tuple[Path, Any, bool]]],
) -> None:
    """After each piece: no value that is not in the document, none that is still open; at the end the document."""
    document, given_pieces = drawn
    assembly = Assembly(Limits())
    truth = dict(leaves(document))
    still_open: set[Path] = set()
    for path, value, more in given_pieces:
        assert assembly.write(path, value, more=more) is None
        (still_open.add if more else still_open.discard)(path)
        stable, state = assembly.read()
        assert state != "whole" or not still_open
        assert all(path in truth and same(truth[path], leaf) for path, leaf in certain(stable))
        assert not {path for path, _ in certain(stable)} & still_open
    stable, state = assembly.read()
    assert state == "whole" and same(stable, document)


def certain(value: Any) -> list[tuple[Path, Any]]:
    """The leaves of a stable value; containers that are still empty are no leaves."""
    return leaves(value)


X, Y = ("x",), ("y",)
CONTRADICTIONS: list[tuple[list[tuple[Any, Any, bool]], str]] = [
    ([(X, "a", False), (X, "b", False)], "protocol"),
    ([(X, "a", False), (X, "", False)], "protocol"),
    ([(X, 1, False), (X, 1, False)], "protocol"),
    ([(X, 1, True), (X, 2, False)], "protocol"),
    ([(X, "a", True), (X, 1, False)], "protocol"),
    ([(X, None, False), (X, None, False)], "protocol"),
    ([(X, "a", False), (("x", "y"), 1, False)], "malformed"),
    ([(X, "a", True), (("x", 0), 1, False)], "malformed"),
    ([(("x", "y"), 1, False), (X, "a", False)], "malformed"),
    ([(("x", 0), 1, False), (X, 1, False)], "malformed"),
    ([(("x", 0), 1, False), (("x", "y"), 1, False)], "malformed"),
    ([(("x", "0"), 1, False), (("x", 0), 1, False)], "malformed"),
    ([((), "a", False)], "malformed"),
    ([((0,), "a", False)], "malformed"),
    ([((True,), "a", False)], "malformed"),
    ([(("x", -1), "a", False)], "malformed"),
    ([(("x", 1.0), "a", False)], "malformed"),
    ([(X, {"a": 1}, False)], "malformed"),
    ([(X, [1], False)], "malformed"),
    ([(X, math.nan, False)], "malformed"),
    ([(X, math.inf, False)], "malformed"),
    ([(X, "\ud83d", True)], "malformed"),
    ([(("\ud83d",), 1, False)], "malformed"),
]


@pytest.mark.parametrize(("given_pieces", "fault"), CONTRADICTIONS)
def test_a_contradiction_is_a_fault_once_and_for_all(given_pieces: list[tuple[Any, Any, bool]], fault: str) -> None:
    """The last piece of each row is the wrong one; what follows it changes nothing."""
    assembly = Assembly(Limits())
    *fine, wrong = given_pieces
    assert [assembly.write(path, value, more=more) for path, value, more in fine] == [None] * len(fine)
    problem = assembly.write(wrong[0], wrong[1], more=wrong[2])
    assert problem is not None and problem.fault == fault
    assert assembly.write(Y, 1, more=False) is None
    value, state = assembly.read()
    assert state == "malformed" and "y" not in value


@pytest.mark.parametrize("first", [1, 2, 7])
def test_a_hole_in_an_array_is_cut_while_values_are_open_and_malformed_at_the_end(first: int) -> None:
    """The order is free, so a hole may still be filled; what stands after it is not certain."""
    assembly = Assembly(Limits())
    assembly.write(("a", first), "x", more=False)
    assembly.write(("b",), "y", more=True)
    assert assembly.read() == ({"a": []}, "cut")
    assembly.write(("b",), "", more=False)
    assert assembly.read() == ({"a": [], "b": "y"}, "malformed")
    for index in range(first):
        assembly.write(("a", index), index, more=False)
    assert assembly.read() == ({"a": [*range(first), "x"], "b": "y"}, "whole")


@pytest.mark.parametrize(
    ("limits", "given_pieces", "code"),
    [
        (Limits(depth=3), [(("a", "b", "c"), 1)], "E_LIMIT_DEPTH"),
        (Limits(string_bytes=3), [(("a",), "ab"), (("a",), "é")], "E_LIMIT_STRING_BYTES"),
        (Limits(input_bytes=20), [(("a",), "x" * 10), (("b",), "x" * 10)], "E_LIMIT_INPUT_BYTES"),
        (Limits(input_bytes=20), [(("a" * 20,), 1)], "E_LIMIT_INPUT_BYTES"),
    ],
)
def test_every_bound_holds(limits: Limits, given_pieces: list[tuple[Path, Any]], code: str) -> None:
    """The last piece of each row passes it."""
    assembly = Assembly(limits)
    problems = [assembly.write(path, value, more=True) for path, value in given_pieces]
    assert problems[:-1] == [None] * (len(problems) - 1)
    assert problems[-1] is not None and problems[-1].code == code and problems[-1].fault == "limit"


@pytest.mark.parametrize(
    ("path", "value", "size"),
    [
        (("a",), "é", 3),
        (("é", "b"), "", 3),
        (("a", 12), "x", 3),
        (("a",), 1, 9),
        (("a",), 1.5, 9),
        (("a",), True, 9),
        (("a",), None, 9),
    ],
)
def test_names_and_values_are_counted_in_bytes(path: Path, value: Any, size: int) -> None:
    """Names and strings in UTF-8, an index as one, any other scalar as eight; the bound holds to the byte."""
    assembly = Assembly(Limits(input_bytes=size))
    assert assembly.write(path, value, more=False) is None and assembly.size == size
    assert Assembly(Limits(input_bytes=size - 1)).write(path, value, more=False) is not None


def test_a_bound_at_its_value_is_fine() -> None:
    """A path as long as `depth` allows, and a string of exactly `string_bytes` in two pieces."""
    assert Assembly(Limits(depth=3)).write(("a", "b"), 1, more=False) is None
    assembly = Assembly(Limits(string_bytes=3))
    assert assembly.write(("a",), "ab", more=True) is None
    assert assembly.write(("a",), "c", more=False) is None
    assert assembly.read() == ({"a": "abc"}, "whole")
    assert assembly.write(("a",), "", more=False) is not None


def test_a_problem_says_where_and_is_kept_short() -> None:
    """The path as RFC 9535 writes it, its first steps only, and printable."""
    problem = Assembly(Limits()).write((0,), 1, more=False)
    assert problem is not None and problem.code == "E_PIECE_MALFORMED"
    assert problem.message.startswith("a value came for $[0]; expected a member")
    assembly = Assembly(Limits())
    assembly.write(("a", 0, "b"), 1, more=False)
    again = assembly.write(("a", 0, "b"), 1, more=False)
    assert again is not None and again.code == "E_PIECE_REPEATED" and again.message.startswith("$.a[0].b was written")
    assert show(("x",) * 16) == "$" + ".x" * 16
    assert show(("x",) * 17) == "$" + ".x" * 16
    assert show(("y" * 200,)) == "$." + "y" * 118
    assert show(("\ud83d",)) == "$.\\ud83d"
