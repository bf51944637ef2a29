"""Random JSON Schemas and values that often, but not always, fit them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

NAMES = ("a", "b", "c/d", "e~f")
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([0.5, 1.0, -2.0, 1e3])
    | st.sampled_from(["", "a", "ab", "abc", "5", "é"])
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
    max_leaves=6,
)

_types = st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"])
_small = st.integers(0, 3)
_bounds = st.integers(-3, 3) | st.sampled_from([0.5, 1.0])
_assertions: dict[str, st.SearchStrategy[Any]] = {
    "type": _types | st.lists(_types, min_size=1, max_size=3, unique=True),
    "enum": st.lists(values, min_size=1, max_size=3),
    "const": values,
    "minimum": _bounds,
    "maximum": _bounds,
    "exclusiveMinimum": _bounds,
    "exclusiveMaximum": _bounds,
    "multipleOf": st.sampled_from([1, 2, 0.5]),
    "minLength": _small,
    "maxLength": _small,
    "pattern": st.sampled_from(["^a", "b$", "^$", "[0-9]"]),
    "minItems": _small,
    "maxItems": _small,
    "uniqueItems": st.booleans(),
    "minProperties": _small,
    "maxProperties": _small,
    "required": st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
    "format": st.sampled_from(["date", "ipv4", "email"]),
}


def _applicators(inner: st.SearchStrategy[Any]) -> dict[str, st.SearchStrategy[Any]]:
    some = st.lists(inner, min_size=1, max_size=2)
    return {
        "properties": st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
        "patternProperties": st.dictionaries(st.sampled_from(["^a", "b", "/"]), inner, max_size=1),
        "additionalProperties": inner,
        "propertyNames": inner,
        "items": inner,
        "prefixItems": some,
        "contains": inner,
        "allOf": some,
        "anyOf": some,
        "oneOf": some,
        "not": inner,
        "if": inner,
        "then": inner,
        "else": inner,
        "unevaluatedProperties": inner,
        "unevaluatedItems": inner,
        "dependentSchemas": st.dictionaries(st.sampled_from(NAMES), inner, max_size=1),
        "$ref": st.sampled_from(["#/$defs/x", "#/$defs/y"]),
    }


def _some_of(keywords: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.lists(st.sampled_from(sorted(keywords)), min_size=1, max_size=3, unique=True).flatmap(
        lambda chosen: st.fixed_dictionaries({key: keywords[key] for key in chosen})
    )


_subschemas = st.recursive(
    st.booleans() | _some_of(_assertions),
    lambda inner: _some_of({**_assertions, **_applicators(inner)}),
    max_leaves=6,
)


@st.composite
def schemas(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a schema of the 2020-12 draft whose references, if any, lead somewhere and never in a circle."""
    schema = draw(_some_of({**_assertions, **_applicators(_subschemas)}))
    plain = _some_of(_assertions)
    return {**schema, "$defs": {"x": draw(plain), "y": draw(plain)}}
