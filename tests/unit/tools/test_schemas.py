"""JSON Schema checks against jsonschema itself, their references, drafts, formats and messages."""

from __future__ import annotations

import socket

import jsonschema
import pytest
from hypothesis import given, settings

from interlock.errors import ToolDefinitionError
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


def verdict(schema, value, **options):
    return compile_tools({"tool": schema}, **options).validate("tool", value)


@settings(max_examples=300, deadline=None)
@given(schema=schemas(), value=values)
def test_the_verdict_is_that_of_jsonschema(schema, value):
    """For a random schema and value the answer is the library's own, by the default draft."""
    assert jsonschema.Draft202012Validator(schema).is_valid(value) is verdict(schema, value).valid


@settings(max_examples=150, deadline=None)
@given(schema=schemas(), value=values)
def test_a_no_says_why_and_where(schema, value):
    """Each diagnostic names the tool and a place that the value has; a yes has none."""
    found = verdict(schema, value)
    assert bool(found.diagnostics) is (found.valid is False)
    for diagnostic in found.diagnostics:
        assert diagnostic.tool == "tool" and diagnostic.code == "E_SCHEMA"
        here = value
        for step in diagnostic.path.split("/")[1:]:
            step = step.replace("~1", "/").replace("~0", "~")
            here = here[int(step)] if isinstance(here, list) else here[step]


# What tells the drafts apart: the same schema text, a value, and who accepts it.
DIFFERENCES = [
    pytest.param({"exclusiveMinimum": True, "minimum": 1}, 1, id="boolean-exclusiveMinimum"),
    pytest.param({"properties": {"a": {"const": 1}}}, {"a": 2}, id="const"),
    pytest.param({"if": {"type": "string"}, "then": {"minLength": 2}}, "a", id="if-then"),
    pytest.param({"dependentRequired": {"a": ["b"]}}, {"a": 1}, id="dependentRequired"),
    pytest.param({"prefixItems": [{"type": "string"}]}, [1], id="prefixItems"),
    pytest.param({"type": "integer"}, 1.0, id="integral-float"),
    pytest.param({"properties": {"a": {"required": True}}}, {}, id="required-of-draft-3"),
]


@pytest.mark.parametrize("uri", DRAFTS)
@pytest.mark.parametrize(("schema", "value"), DIFFERENCES)
def test_each_schema_is_read_by_its_own_draft(uri, schema, value):
    """`$schema` chooses the draft: the answer, or the refusal of the schema, is that draft's."""
    draft, schema = DRAFTS[uri], {"$schema": uri, **schema}
    try:
        draft.check_schema(schema)
    except jsonschema.SchemaError:
        with pytest.raises(ToolDefinitionError, match="the schema of tool 'tool' is not valid at"):
            compile_tools({"tool": schema})
    else:
        assert draft(schema).is_valid(value) is verdict(schema, value).valid


def test_no_schema_uri_means_2020_12():
    """Without `$schema`, `prefixItems` counts, which only 2020-12 knows."""
    assert verdict({"prefixItems": [{"type": "string"}]}, [1]).valid is False


@pytest.mark.parametrize("uri", ["https://example.com/own", "", 7, None])
def test_an_unknown_draft_is_refused(uri):
    """A schema of a draft that nobody here knows cannot be checked."""
    with pytest.raises(ToolDefinitionError, match=r"tool 'tool' has `\$schema`"):
        compile_tools({"tool": {"$schema": uri, "type": "object"}})


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ({"type": "str"}, "the schema of tool 'tool' is not valid at /type"),
        ({"type": "object", "properties": {"a": {"minimum": "1"}}}, "not valid at /properties/a/minimum"),
        ({"properties": {"a": {"pattern": "["}}}, "not valid at /properties/a/pattern"),
        ({"patternProperties": {"[": {}}}, "not valid at /patternProperties"),
        ({"properties": ["a"]}, "not valid at /properties: expected object, got array of 1"),
        (
            {"properties": {"type": "string"}},
            'not valid at /properties/type: expected object or boolean, got string "string"',
        ),
        ({"required": "a"}, "not valid at /required"),
    ],
)
def test_a_bad_schema_fails_at_construction(schema, says):
    """The error names the tool and the place in its schema."""
    with pytest.raises(ToolDefinitionError) as caught:
        compile_tools({"other": {"type": "object"}, "tool": schema})
    assert says in str(caught.value)


def test_dependencies_count_in_the_drafts_that_renamed_them():
    """Who writes a schema without `$schema` in draft 7's words means what they say."""
    schema = {"type": "object", "dependencies": {"a": ["b"], "c": {"required": ["d"]}, "e": False}}
    for uri in [{}, *({"$schema": uri} for uri in list(DRAFTS)[3:])]:
        assert [verdict({**schema, **uri}, dict.fromkeys(keys)).valid for keys in ("", "ab", "cd", "x")] == [True] * 4
        assert [verdict({**schema, **uri}, dict.fromkeys(keys)).valid for keys in ("a", "c", "e")] == [False] * 3
    assert verdict(schema, []).valid is False and verdict({"dependencies": {"a": ["b"]}}, [1]).valid


@pytest.mark.parametrize("uri", [None, *list(DRAFTS)[2:]])
def test_a_schema_reads_the_same_where_it_contains_itself(uri):
    """The library would go on with its own classes where a reference comes back to `$schema`."""
    schema = {"properties": {"n": {"multipleOf": 0.01}, "next": {"$ref": "#"}}, "patternProperties": {"": True}}
    schema |= {"additionalProperties": False, "dependencies": {"a": ["b"]}} | ({"$schema": uri} if uri else {})
    for value, valid in [({"n": 19.99, "x": 1}, True), ({"n": 19.999}, False), ({"a": 1}, False)]:
        assert verdict(schema, value).valid is valid
        assert verdict(schema, {"next": {"next": value}}).valid is valid


class TestReferences:
    def test_tools_refer_to_each_other_by_name(self):
        """A whole tool and a part of one, with references of its own inside."""
        tools = compile_tools(
            {
                "move": {"properties": {"from": {"$ref": "place"}, "x": {"$ref": "place#/properties/x"}}},
                "place": {
                    "properties": {"x": {"$ref": "#/$defs/number"}},
                    "$defs": {"number": {"type": "number"}},
                },
            }
        )
        assert tools.validate("move", {"from": {"x": 1}, "x": 2}).valid is True
        (inner,) = tools.validate("move", {"from": {"x": "1"}}).diagnostics
        (part,) = tools.validate("move", {"x": "2"}).diagnostics
        assert (inner.path, part.path) == ("/from/x", "/x")

    def test_tools_refer_to_each_other_by_id(self):
        """An `$id` is the base of relative references too."""
        tools = compile_tools(
            {
                "a": {"$id": "https://example.com/tools/a", "properties": {"b": {"$ref": "b"}}},
                "b": {"$id": "https://example.com/tools/b", "type": "integer"},
            }
        )
        assert (
            tools.validate("a", {"b": 1}).valid,
            tools.validate("a", {"b": "1"}).valid,
        ) == (True, False)

    def test_tools_of_different_drafts_refer_to_each_other(self):
        """The target keeps its own draft."""
        tools = compile_tools(
            {
                "new": {"properties": {"old": {"$ref": "old"}}},
                "old": {
                    "$schema": "http://json-schema.org/draft-04/schema#",
                    "type": "integer",
                    "minimum": 1,
                    "exclusiveMinimum": True,
                },
            }
        )
        assert (
            tools.validate("new", {"old": 2}).valid,
            tools.validate("new", {"old": 1}).valid,
        ) == (True, False)

    def test_a_name_that_no_uri_holds_is_reached_quoted(self):
        """Spaces are written as a URI writes them."""
        tools = compile_tools({"a": {"$ref": "my%20tool"}, "my tool": {"type": "integer"}})
        assert tools.validate("a", "1").valid is False

    def test_a_recursive_schema_is_fine(self):
        """A tree of itself."""
        tree = {"properties": {"child": {"$ref": "#"}, "n": {"type": "integer"}}}
        assert verdict(tree, {"child": {"child": {"n": 1}}}).valid is True
        assert verdict(tree, {"child": {"child": {"n": "1"}}}).valid is False

    def test_the_drafts_own_schemas_are_known(self):
        """A tool that takes a JSON Schema may say so."""
        schema = {"properties": {"schema": {"$ref": "https://json-schema.org/draft/2020-12/schema"}}}
        assert verdict(schema, {"schema": {"type": "object"}}).valid is True
        assert verdict(schema, {"schema": {"type": "objekt"}}).valid is False

    @pytest.mark.parametrize(
        "schema",
        [
            {"$ref": "https://example.com/schema.json"},
            {"$ref": "http://127.0.0.1:9/schema.json"},
            {"$ref": "file:///etc/hostname"},
            {"$ref": "missing"},
            {"$ref": "#/$defs/missing"},
            {"$ref": "#missing"},
            {"properties": {"a": {"items": {"$ref": "#/properties/0"}}}},
            {"anyOf": [{"$ref": "#/anyOf/x"}]},
            {"$dynamicRef": "#missing"},
            {"$ref": "#/x-parts/a", "x-parts": {"a": {"$ref": "https://example.com/deeper"}}},
        ],
    )
    def test_a_reference_that_leads_nowhere_fails_at_construction(self, schema, monkeypatch):
        """Nothing is fetched to find that out."""
        monkeypatch.setattr(socket, "socket", lambda *_: pytest.fail("a schema was fetched"))
        with pytest.raises(
            ToolDefinitionError, match=r"the schema of tool 'tool' has `\$(dynamicR|r)ef`.*leads nowhere"
        ):
            compile_tools({"tool": schema})

    def test_a_target_outside_the_drafts_places_is_checked_too(self):
        """A pointer may reach what `check_schema` alone never sees."""
        with pytest.raises(ToolDefinitionError, match="not valid at"):
            compile_tools({"tool": {"$ref": "#/x-parts/a", "x-parts": {"a": {"type": "objekt"}}}})

    def test_what_only_looks_like_a_reference_is_none(self):
        """A property that is called `$ref`, and a constant."""
        schema = {"properties": {"$ref": {"type": "string"}}, "enum": [{"$ref": "nowhere"}]}
        assert verdict(schema, {"$ref": "nowhere"}).valid is True

    def test_two_tools_with_one_id_are_refused(self):
        """Which of the two a reference means could not be told."""
        one = {"$id": "https://example.com/x", "type": "object"}
        with pytest.raises(ToolDefinitionError, match=r"tools 'a' and 'b' both answer to 'https://example\.com/x'"):
            compile_tools({"a": one, "b": {**one, "title": "other"}})

    def test_a_circle_of_references_fails_the_call_closed(self):
        """It says nothing about any value and never ends."""
        (diagnostic,) = verdict({"$ref": "#"}, {}).diagnostics
        assert diagnostic.code == "E_VALIDATOR_RAISED"
        assert diagnostic.message == "tool 'tool': its check went deeper than Python's recursion limit"


DAY = {"properties": {"day": {"type": "string", "format": "date"}}}


class TestFormats:
    def test_formats_are_annotations(self):
        """By default `format` has no say."""
        assert verdict(DAY, {"day": "tomorrow"}).valid is True

    def test_formats_count_when_asked_for(self):
        """With `check_formats` it has."""
        (diagnostic,) = verdict(DAY, {"day": "tomorrow"}, check_formats=True).diagnostics
        assert diagnostic.message == "tool 'tool', /day: expected the format 'date', got string \"tomorrow\""
        assert verdict(DAY, {"day": "2026-11-30"}, check_formats=True).valid is True

    def test_a_format_that_cannot_be_checked_here_is_refused(self, monkeypatch):
        """A checker that is not installed must not pass for a check."""
        checkers = dict(jsonschema.Draft202012Validator.FORMAT_CHECKER.checkers)
        checkers.pop("date")
        monkeypatch.setattr(jsonschema.Draft202012Validator.FORMAT_CHECKER, "checkers", checkers)
        with pytest.raises(ToolDefinitionError, match="tool 'tool' has the format 'date', which cannot be checked"):
            compile_tools({"tool": DAY}, check_formats=True)

    def test_a_format_of_ones_own_stays_an_annotation(self):
        """Only the draft's own formats can be asked for."""
        schema = {"properties": {"n": {"format": "int32"}}}
        assert verdict(schema, {"n": "x"}, check_formats=True).valid is True


@pytest.mark.parametrize(
    ("schema", "value", "path", "says"),
    [
        ({"type": "object"}, [], "", "expected object, got array of 0"),
        ({"type": ["string", "null"]}, 5, "", "expected string or null, got integer 5"),
        ({"type": "integer"}, True, "", "expected integer, got boolean true"),
        ({"type": "integer"}, 1.5, "", "expected integer, got number 1.5"),
        ({"type": "string"}, None, "", "expected string, got null"),
        ({"required": ["a", "b", "c"]}, {"b": 1}, "", "missing properties 'a', 'c'"),
        ({"required": ["a"]}, {}, "", "missing property 'a'"),
        (
            {"properties": {"a": {}}, "additionalProperties": False},
            {"a": 1, "x": 2},
            "",
            "unknown property 'x'; allowed: 'a'",
        ),
        (
            {"patternProperties": {"^a": {}}, "additionalProperties": False},
            {"a1": 1, "x": 2, "y": 3},
            "",
            "unknown properties 'x', 'y'; allowed: no property",
        ),
        ({"enum": ["a", 1]}, "b", "", 'expected one of "a", 1, got string "b"'),
        (
            {"enum": list(range(10))},
            10,
            "",
            "expected one of 0, 1, 2, 3, 4, 5, 6, 7 or 2 others, got integer 10",
        ),
        ({"const": "a"}, "b", "", 'expected "a", got string "b"'),
        ({"pattern": "^a"}, "b", "", "expected a match of '^a', got string \"b\""),
        ({"minimum": 3}, 2, "", "expected at least 3, got integer 2"),
        ({"exclusiveMaximum": 3}, 3, "", "expected less than 3, got integer 3"),
        ({"multipleOf": 2}, 3, "", "expected a multiple of 2, got integer 3"),
        ({"minLength": 2}, "é", "", "expected at least 2 characters, got 1"),
        ({"maxItems": 1}, [1, 2], "", "expected at most 1 items, got 2"),
        (
            {"properties": {"a/b": {"items": {"type": "string"}}}},
            {"a/b": ["x", 5]},
            "/a~1b/1",
            "expected string, got integer 5",
        ),
        (False, {"a": 1}, "", "nothing is allowed here, got object of 1"),
        (
            {"anyOf": [{"type": "string"}, {"properties": {"a": {"type": "string"}}}]},
            {"a": 1},
            "",
            "fits none of the 2 forms of `anyOf`; one of them at /a: expected string, got integer 1",
        ),
        ({"not": {"type": "string"}}, "x", "", "'x' should not be valid under {'type': 'string'}"),
        ({"type": "integer"}, "x" * 100, "", f'expected integer, got string "{"x" * 79}... (102 characters)'),
    ],
)
def test_messages_say_what_was_expected_and_what_came(schema, value, path, says):
    """One message a keyword, exactly."""
    (diagnostic,) = verdict(schema, value).diagnostics
    where = f", {path}" if path else ""
    assert (path, f"tool 'tool'{where}: {says}") == (diagnostic.path, diagnostic.message)


def test_a_thousand_problems_give_sixteen_diagnostics():
    """The first problems say what to fix; a flood of them says no more."""
    found = verdict({"items": {"type": "string"}}, list(range(1000)))
    assert found.valid is False and len(found.diagnostics) == 16


def test_changing_a_schema_later_changes_nothing():
    """The guard keeps a copy of its own."""
    schema = {"properties": {"a": {"type": "integer"}}}
    tools = compile_tools({"tool": schema})
    schema["properties"]["a"]["type"] = "string"
    assert tools.validate("tool", {"a": "x"}).valid is False
