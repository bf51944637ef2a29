"""A schema's patterns are ECMA-262's: what Python reads otherwise is put in its words."""

from __future__ import annotations

import itertools
import json
import random
import re
import shutil
import subprocess
from typing import Any

import pytest

from interlock import Guard
from interlock.errors import ToolDefinitionError
from interlock.tools.patterns import in_python, with_patterns
from support.judging import executed, judged

START = {"type": "call_start", "key": "a", "id": "call_1", "name": "f"}
END = {"type": "stream_end", "reason": "complete", "provider_reason": "stop"}


def executes(schema: dict[str, Any], value: Any) -> bool:
    delta = {"type": "arguments_delta", "key": "a", "text": json.dumps(value)}
    return bool(executed(judged("normalized", [START, delta, END], tools={"f": schema})))


@pytest.mark.parametrize(
    ("pattern", "fits", "does_not"),
    [
        ("^/tmp/[a-z]+$", "/tmp/a", "/tmp/a\n"),
        (r"^\d+$", "12", "٣"),
        (r"^\w+$", "a_1", "é"),
        (r"^[\d\w]$", "a", "é"),
        (r"^\D$", "٣", "3"),
        (r"^[^\W]$", "a", "é"),
        (r"^\S$", "a", "\ufeff"),
        ("^.$", "a", "\u2028"),
        ("^a.b$", "axb", "a\rb"),
        (r"\bé", "aé", "é"),
        ("^[]$|^b$", "b", "]"),
        (r"^[\w-.]$", "-", "`"),
        (r"^[+-\d]$", "-", "/"),
        ("^[+--]$", ",", "."),
        ("^[^]$", "\n", ""),
        ("^[[a]$", "[", "b"),
        (r"^(?<y>\d)\k<y>$", "11", "12"),
        (r"^\u{41}\cJ$", "A\n", "u"),
        (r"^[$.]\$$", ".$", "a$"),
        (r"^(?<!a)b(?<=b)$", "b", "ab"),
    ],
)
def test_a_pattern_decides_as_in_the_standard(pattern: str, fits: str, does_not: str) -> None:
    """As a value's pattern and as a property's, in the whole check; a no may come early, too."""
    value = {"type": "object", "properties": {"p": {"type": "string", "pattern": pattern}}}
    named = {"type": "object", "patternProperties": {pattern: True}, "additionalProperties": False}
    left = {"type": "object", "patternProperties": {pattern: True}, "unevaluatedProperties": False}
    assert executes(value, {"p": fits}) and not executes(value, {"p": does_not})
    for schema in (named, left):
        assert executes(schema, {fits: 1}) and not executes(schema, {does_not: 1})


def test_the_pattern_is_shown_as_it_was_written() -> None:
    schema = {"type": "object", "properties": {"p": {"pattern": "^a$"}}}
    delta = {"type": "arguments_delta", "key": "a", "text": '{"p":"b"}'}
    (decision,) = judged("normalized", [START, delta, END], tools={"f": schema}).decisions
    assert "'^a$'" in decision.diagnostics[0].message


@pytest.mark.parametrize("pattern", ["[]|+b]", r"[]\1[a]"])
def test_a_pattern_that_python_would_take_for_another_is_refused(pattern: str) -> None:
    """`[]` is empty in ECMA-262; in Python the class goes on to the next `]`."""
    re.compile(pattern)
    with pytest.raises(ToolDefinitionError, match="'f' has a pattern that cannot be read"):
        Guard("normalized", tools={"f": {"type": "object", "properties": {"p": {"pattern": pattern}}}})


def test_only_patterns_are_changed_and_data_are_not() -> None:
    schema = {
        "properties": {"pattern": {"const": {"pattern": "a$"}}, "enum": {"pattern": "b$"}},
        "patternProperties": {"c$": {"not": {"pattern": "d$"}}},
        "anyOf": [{"pattern": "e$"}],
        "dependencies": {"x": ["y"]},
        "x-note": {"pattern": r"\p{L}"},
    }
    before = json.dumps(schema)
    made = with_patterns(schema)
    assert json.loads(json.dumps(made)) == {
        "properties": {"pattern": {"const": {"pattern": r"a\Z"}}, "enum": {"pattern": r"b\Z"}},
        "patternProperties": {r"c\Z": {"not": {"pattern": r"d\Z"}}},
        "anyOf": [{"pattern": r"e\Z"}],
        "dependencies": {"x": ["y"]},
        "x-note": {"pattern": r"\p{L}"},
    }
    assert made == schema and schema == made  # what looks like a pattern and is data is equal to what it was
    assert made["patternProperties"]["c$"] == {"not": {"pattern": "d$"}}
    assert json.dumps(schema) == before


@pytest.mark.parametrize("place", ["default", "const", "example", "enum", "properties", "pattern", "patternProperties"])
def test_a_pattern_counts_wherever_a_reference_finds_it(place: str) -> None:
    """`$ref` may lead to any part of the document, whatever its name means elsewhere."""
    schema = {
        "type": "object",
        "properties": {"p": {"$ref": f"#/components/schemas/{place}"}},
        "components": {"schemas": {place: {"type": "string", "pattern": "^a$"}}},
    }
    assert executes(schema, {"p": "a"}) and not executes(schema, {"p": "a\n"})
    schema["components"] = {"schemas": {place: {"pattern": "[]|+b]"}}}
    with pytest.raises(ToolDefinitionError, match="has a pattern that cannot be read"):
        Guard("normalized", tools={"f": schema})


def test_a_reference_leads_below_a_pattern() -> None:
    schema = {
        "properties": {"p": {"$ref": "#/patternProperties/%5Ea$"}},
        "patternProperties": {"^a$": {"type": "null"}},
    }
    assert executes(schema, {"p": None}) and not executes(schema, {"p": 1}) and executes(schema, {"a\n": 1})


def test_data_that_look_like_a_pattern_are_compared_as_they_are() -> None:
    schema = {"type": "object", "properties": {"p": {"enum": [{"pattern": "a$"}, {"patternProperties": {"b$": 1}}]}}}
    assert executes(schema, {"p": {"pattern": "a$"}}) and executes(schema, {"p": {"patternProperties": {"b$": 1}}})
    assert not executes(schema, {"p": {"pattern": r"a\Z"}})


@pytest.mark.parametrize("patterns", [[r"^(a)\1$", r"^(b)\1$"], ["(?<x>a)", "(?<x>b)"], [""]])
def test_each_pattern_stands_for_itself(patterns: list[str]) -> None:
    """References to groups, and their names, are those of one pattern; an empty pattern fits every name."""
    schema = {"type": "object", "patternProperties": dict.fromkeys(patterns, True), "additionalProperties": False}
    assert executes(schema, {"bb": 1})
    assert executes(schema, {"c": 1}) == (patterns == [""])


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
def test_node_agrees() -> None:
    """Random patterns of all kinds of parts, on random texts; those that either side cannot read are left out."""
    draw = random.Random(11)
    atoms = [*"a1_-é", r"\d", r"\w", r"\s", r"\S", r"\D", r"\W", ".", "$", "^", r"\b", r"\B", "[^]", "[]", r"\.", r"\n"]
    inner = [*"a1_-é[.$^", r"\d", r"\w", r"\s", r"\S", r"\D", r"\W", r"\b", r"\]", r"\n"]

    def part() -> str:
        if draw.random() < 0.3:
            held = "".join(draw.choice(inner) for _ in range(draw.randint(1, 3)))
            return f"[{'^' if draw.random() < 0.4 else ''}{held}]"
        return draw.choice(atoms) + (draw.choice(["", "", "*", "+?", "?"]) if draw.random() < 0.3 else "")

    texts = ["", "a", "a\n", "\n", "1\r", "é", "\u2028", "\ufeff", " _", "a1-", "٣", "[", "\x08", "]é\n", "$.^", "\x1c"]
    patterns = ["".join(part() for _ in range(draw.randint(1, 4))) for _ in range(200)]
    pairs = [(pattern, text) for pattern in patterns for text in texts]
    script = """
        const pairs = JSON.parse(require("fs").readFileSync(0, "utf8"));
        const fits = ([p, t]) => { try { return new RegExp(p).test(t) } catch { return null } };
        console.log(JSON.stringify(pairs.map(fits)));
    """
    done = subprocess.run(
        ["node", "-e", script], input=json.dumps(pairs), capture_output=True, text=True, check=True, timeout=60
    )
    answers, compared = iter(json.loads(done.stdout)), 0
    for pattern in patterns:
        expected = list(itertools.islice(answers, len(texts)))
        try:
            found = re.compile(in_python(pattern))
        except re.error:
            continue
        if None not in expected:
            compared += 1
            assert [found.search(text) is not None for text in texts] == expected, pattern
    assert compared > len(patterns) / 2
