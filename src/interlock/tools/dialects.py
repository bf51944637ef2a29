"""Gemini's schema dialect, in JSON Schema's words.

Gemini's `Schema` is a subset of OpenAPI 3.0: types in capitals, `nullable`
beside `type`, and counts that its JSON form writes as strings. Only positions
that hold a schema are touched, so a property that is called `type` stays.

Source:
    https://ai.google.dev/api/caching#Schema, read November 2026.
"""

from __future__ import annotations

from typing import Any, Final

__all__ = ["to_json_schema"]

_TYPES: Final = {
    "STRING": "string",
    "NUMBER": "number",
    "INTEGER": "integer",
    "BOOLEAN": "boolean",
    "ARRAY": "array",
    "OBJECT": "object",
    "NULL": "null",
}
# proto3 writes 64-bit counts as strings.
_COUNTS: Final = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")
_BESIDE: Final = ("title", "description", "default", "$defs")  # no say in what is valid
_ONE: Final = ("items", "additionalProperties", "not")
_MANY: Final = ("anyOf", "allOf", "oneOf", "prefixItems")
_NAMED: Final = ("properties", "$defs", "defs", "definitions")


def to_json_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema itself, or its translation when it is written in Gemini's dialect."""
    return _translate(schema) if _is_gemini(schema) else schema


def _is_gemini(schema: Any) -> bool:
    """Tell the dialect by a type in capitals, in any position that holds a schema; JSON Schema has none."""
    if not isinstance(schema, dict):
        return False
    kind = schema.get("type")
    return (isinstance(kind, str) and (kind in _TYPES or kind == "TYPE_UNSPECIFIED")) or any(
        _is_gemini(sub) for sub in _subschemas(schema)
    )


def _subschemas(schema: dict[str, Any]) -> list[Any]:
    found = [schema[key] for key in _ONE if key in schema]
    for key in _MANY:
        if isinstance(schema.get(key), list):
            found += schema[key]
    for key in _NAMED:
        if isinstance(schema.get(key), dict):
            found += schema[key].values()
    return found


def _translate(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    out = dict(schema)
    kind = out.get("type")
    if kind == "TYPE_UNSPECIFIED":
        del out["type"]
    elif isinstance(kind, str):
        out["type"] = _TYPES.get(kind, kind)
    for key in _COUNTS:
        if isinstance(out.get(key), str) and out[key].isdecimal():
            out[key] = int(out[key])
    for key in _ONE:
        if key in out:
            out[key] = _translate(out[key])
    for key in _MANY:
        if isinstance(out.get(key), list):
            out[key] = [_translate(sub) for sub in out[key]]
    for key in _NAMED:
        if isinstance(out.get(key), dict):
            out[key] = {name: _translate(sub) for name, sub in out[key].items()}
    if "ref" in out and "$ref" not in out:
        out["$ref"] = out.pop("ref").replace("#/defs/", "#/$defs/")
    if "defs" in out and "$defs" not in out:
        out["$defs"] = out.pop("defs")
    return _allow_null(out) if out.pop("nullable", False) is True else out


def _allow_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Let null in: `nullable` stands beside every other keyword and overrides them all."""
    beside = {key: value for key, value in schema.items() if key in _BESIDE}
    inner = {key: value for key, value in schema.items() if key not in _BESIDE}
    return {**beside, "anyOf": [inner, {"type": "null"}]}
