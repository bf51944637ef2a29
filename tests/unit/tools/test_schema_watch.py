"""Early rejection: only a no, never one that the whole schema would not give, and as soon as it is certain."""

from __future__ import annotations

import json
import time
from typing import Any

import jsonschema
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from interlock.parser import Parser
from interlock.tools.schema_watch import EarlyChecker
from interlock.tools.validators import compile_tools
from support.schemas import schemas, values

DRAFTS = {
    "http://json-schema.org/draft-03/schema#": jsonschema.Draft3Validator,
    "http://json-schema.org/draft-04/schema#": jsonschema.Draft4Validator,
    "http://json-schema.org/draft-06/schema#": jsonschema.Draft6Validator,
    "http://json-schema.org/draft-07/schema#": jsonschema.Draft7Validator,
    "https://json-schema.org/draft/2019-09/schema": jsonschema.Draft201909Validator,
    "https://json-schema.org/draft/2020-12/schema": jsonschema.Draft202012Validator,
}
LATEST = "https://json-schema.org/draft/2020-12/schema"


def walk(value: Any, path: tuple[Any, ...] = ()):
    """Yield what a parser commits, in order: (way of asking, path, value)."""
    if isinstance(value, dict):
        yield "open", path, "object"
        for key, member in value.items():
            yield "key", path, key
            yield from walk(member, (*path, key))
    elif isinstance(value, list):
        yield "open", path, "array"
        for index, member in enumerate(value):
            yield from walk(member, (*path, index))
    elif isinstance(value, str):
        yield "open", path, "string"
    yield "value", path, value


def ask(checker: EarlyChecker, way: str, path: Any, value: Any) -> Any:
    return {"open": checker.on_open, "key": checker.on_key, "value": checker.on_value}[way](path, value)


def as_pointer(path: tuple[Any, ...]) -> str:
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


@settings(max_examples=250, deadline=None)
@given(schema=schemas(), value=values, draft=st.sampled_from(sorted(DRAFTS)), said=st.booleans())
@example(schema={"properties": {"0": False}}, value=[1], draft=LATEST, said=False)
@example(schema={"enum": [1]}, value=True, draft=LATEST, said=False)
def test_an_early_no_is_one_that_the_whole_schema_gives(schema, value, draft, said):
    """In every draft, by steps and by pointer, for every committed part of the value."""
    if said:
        schema = {"$schema": draft, **schema}
        try:
            DRAFTS[draft].check_schema(schema)
        except jsonschema.SchemaError:
            return
    validator = DRAFTS[draft] if said else DRAFTS[LATEST]
    checker = EarlyChecker(schema, "tool")
    refused = [
        found
        for way, path, part in walk(value)
        for place in (path, as_pointer(path))
        if (found := ask(checker, way, place, part)) is not None
    ]
    if refused:
        assert not validator(schema).is_valid(value), refused


# a schema, a value, the first part that is refused while it arrives, and why
REFUSED = [
    ({"type": "object"}, [], ("open", ()), "expected object, got array"),
    ({"type": "object"}, 5, ("value", ()), "expected object, got integer 5"),
    ({"properties": {"n": {"type": "integer"}}}, {"n": "5"}, ("open", ("n",)), "expected integer, got string"),
    ({"properties": {"n": {"type": "integer"}}}, {"n": {}}, ("open", ("n",)), "expected integer, got object"),
    (
        {"properties": {"n": {"enum": ["a", "b"]}}},
        {"n": "c"},
        ("value", ("n",)),
        'expected one of "a", "b", got string "c"',
    ),
    ({"properties": {"n": {"const": 1}}}, {"n": 2}, ("value", ("n",)), "expected 1, got integer 2"),
    ({"properties": {"n": {"minimum": 1}}}, {"n": 0}, ("value", ("n",)), "expected at least 1, got integer 0"),
    (
        {"properties": {"n": {"pattern": "^/tmp/"}}},
        {"n": "/etc"},
        ("value", ("n",)),
        "expected a match of '^/tmp/', got string \"/etc\"",
    ),
    ({"properties": {"n": {"maxLength": 2}}}, {"n": "abc"}, ("value", ("n",)), "expected at most 2 characters, got 3"),
    (
        {"properties": {"a": {}}, "additionalProperties": False},
        {"x": 1},
        ("key", ()),
        "unknown property 'x'; allowed: 'a'",
    ),
    (
        {"properties": {"a": {}}, "additionalProperties": {"type": "string"}},
        {"x": 1},
        ("value", ("x",)),
        "expected string, got integer 1",
    ),
    (
        {"patternProperties": {"^x": {"type": "string"}}},
        {"x1": 1},
        ("value", ("x1",)),
        "expected string, got integer 1",
    ),
    (
        {"propertyNames": {"maxLength": 1}},
        {"long": 1},
        ("key", ()),
        "property name 'long': expected at most 1 characters, got 4",
    ),
    ({"properties": {"a": False}}, {"a": 1}, ("key", ()), "nothing is allowed here, got a value"),
    ({"items": {"type": "string"}}, ["a", 1], ("value", (1,)), "expected string, got integer 1"),
    (
        {"prefixItems": [{"type": "string"}], "items": False},
        ["a", 1],
        ("value", (1,)),
        "nothing is allowed here, got integer 1",
    ),
    ({"maxItems": 1}, ["a", "b", "c"], ("open", (1,)), "expected at most 1 items, got 2"),
    ({"properties": {"a": {"required": ["b"]}}}, {"a": {"c": 1}}, ("value", ("a",)), "missing property 'b'"),
    ({"$ref": "#/$defs/x", "$defs": {"x": {"type": "string"}}}, 1, ("value", ()), "expected string, got integer 1"),
    (
        {"properties": {"child": {"$ref": "#"}}, "additionalProperties": False},
        {"child": {"x": 1}},
        ("key", ("child",)),
        "unknown property 'x'; allowed: 'child'",
    ),
    (
        {"properties": {"a": {}}, "patternProperties": {"^b": {}}, "unevaluatedProperties": False},
        {"a": 1, "b1": 1, "c": 1},
        ("key", ()),
        "unknown property 'c'; allowed: 'a'",
    ),
    ({"allOf": [{}, {"type": "string"}]}, 1, ("value", ()), "expected string, got integer 1"),
    (
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
        1,
        ("value", ()),
        "fits none of the 2 forms of `anyOf`; one of them: expected string, got integer 1",
    ),
    (
        {"oneOf": [{"properties": {"a": {"const": 1}}}, {"properties": {"a": {"const": 2}}}]},
        {"a": 3},
        ("value", ("a",)),
        "fits none of the 2 forms of `oneOf`; one of them: expected 1, got integer 3",
    ),
    (
        {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{}], "additionalItems": False},
        [1, 2],
        ("value", (1,)),
        "nothing is allowed here, got integer 2",
    ),
]


@pytest.mark.parametrize(("schema", "value", "first", "says"), REFUSED)
def test_a_hopeless_value_is_refused_as_soon_as_it_is_certain(schema, value, first, says):
    """The first part that decides, where it stands, and why."""
    checker = EarlyChecker(schema, "tool")
    found = [
        (way, path, diagnostic) for way, path, part in walk(value) if (diagnostic := ask(checker, way, path, part))
    ]
    way, path, diagnostic = found[0]
    assert (way, path) == first
    where = f", {diagnostic.path}" if diagnostic.path else ""
    assert (diagnostic.code, diagnostic.tool, diagnostic.message) == ("E_SCHEMA", "tool", f"tool 'tool'{where}: {says}")


NO_OPINION = [
    ({"not": {"type": "string"}}, "x"),
    ({"if": {"type": "string"}, "then": False}, "x"),
    ({"unevaluatedProperties": False, "if": {"properties": {"a": True}}}, {"a": 1}),
    ({"unevaluatedProperties": False, "$schema": "http://json-schema.org/draft-07/schema#"}, {"a": 1}),
    ({"dependentRequired": {"a": ["b"]}}, {"a": 1}),
    ({"contains": {"type": "string"}}, [1]),
    ({"anyOf": [{"type": "string"}, {"not": {}}]}, 1),
    (
        {"anyOf": [{"required": ["b"], "properties": {"a": {"const": 1}}}, {"properties": {"a": {"const": 2}}}]},
        {"a": 2},
    ),
    ({"$ref": "#"}, 1),
    ({"allOf": [{"$ref": "#"}]}, 1),
    ({"$ref": "other"}, 1),
    ({"$dynamicRef": "#x", "$defs": {"x": {"$dynamicAnchor": "x", "type": "string"}}}, 1),
    ({"$ref": "#/$defs/x", "$defs": {"x": {"type": "string"}, "y": {"$id": "https://example.com/y"}}}, 1),
    (
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "$ref": "#/definitions/x",
            "type": "string",
            "definitions": {"x": {}},
        },
        1,
    ),
    ({"format": "date", "type": "string"}, "tomorrow"),
    ({"uniqueItems": True}, [1, 1]),
    (True, {"a": 1}),
    ({}, {"a": 1}),
]


@pytest.mark.parametrize(("schema", "value"), NO_OPINION)
def test_what_is_not_understood_is_no_opinion(schema, value):
    """The whole check will say, when the call is whole."""
    checker = EarlyChecker(schema, "tool")
    assert [ask(checker, way, path, part) for way, path, part in walk(value)] == [None] * len(list(walk(value)))


def test_digits_in_a_pointer_decide_only_when_both_readings_refuse():
    """`/0` is the first item or the property `0`; steps say which."""
    checker = EarlyChecker({"properties": {"0": {"type": "string"}}, "items": {"type": "integer"}}, "tool")
    assert checker.on_value("/0", 1) is None
    assert checker.on_value("/0", "x") is None
    assert checker.on_value("/0", None) is not None
    assert checker.on_value(("0",), 1) is not None and checker.on_value((0,), 1) is None


def test_branches_that_meet_again_and_again_cost_no_more():
    """Thirty layers of two references each would be a thousand million ways."""
    layers = {f"l{n}": {"anyOf": [{"$ref": f"#/$defs/l{n + 1}"}] * 2} for n in range(30)}
    schema = {"$ref": "#/$defs/l0", "$defs": {**layers, "l30": {"type": "string"}}}
    started = time.perf_counter()
    assert EarlyChecker(schema, "tool").on_value((), 1) is not None
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_parsers_events_are_taken_as_they_come(size):
    """Whatever the chunks, the no comes with the value that decides, long before the end."""
    schema = {"properties": {"path": {"pattern": "^/tmp/"}, "rows": {"items": {"type": "integer"}}}}
    text = json.dumps({"rows": [1, 2, 3], "path": "/etc/passwd", "content": "x" * 5000})
    checker, parser = EarlyChecker(schema, "tool"), Parser()
    for start in range(0, len(text), size):
        parser.push(text[start : start + size])
        found = [diagnostic for event in parser.drain_events() if (diagnostic := checker.on_event(event))]
        if found:
            break
    assert found[0].path == "/path" and start < 60


def test_the_toolset_has_one_for_each_schema():
    """A model's or validator's no cannot be told from a part."""
    tools = compile_tools({"schema": {"type": "object"}, "function": lambda a: None, "free": None})
    assert tools.early("schema").on_open((), "array").message == "tool 'schema': expected object, got array"
    assert tools.early("function") is None and tools.early("free") is None and tools.early("unheard") is None
