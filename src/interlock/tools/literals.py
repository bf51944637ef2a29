"""Pydantic's literals and enumerations, told apart as JSON tells values apart.

Pydantic looks a literal up as Python compares, to which `true`, `1` and `1.0` are one,
in strict mode too. Where that could matter, a check that knows booleans from numbers is
put before each such place of the compiled schema.

Source:
    pydantic-core 2.50, `core_schema.py`: `LiteralSchema`, `EnumSchema`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

__all__ = ["exact_json"]

# What holds the author's values and not schemas.
_DATA: Final = frozenset({"default", "expected", "members", "metadata", "serialization"})


def exact_json(adapter: Any) -> Callable[..., Any] | None:
    """Return what to call in place of the adapter's `validate_json`, `None` where that is exact enough."""
    if getattr(adapter, "_config", None):
        return None  # it belongs to the validator, and cannot be asked for
    found: list[str] = []
    schema = _walk(adapter.core_schema, found)
    if not found:
        return None
    from pydantic_core import SchemaValidator

    make: Any = SchemaValidator
    try:
        validator = make(schema, None, _use_prebuilt=False)  # or the models' own, older ones would be taken
    except TypeError:  # a version that takes none
        validator = make(schema)
    validate: Callable[..., Any] = validator.validate_json
    return validate


def _walk(node: Any, found: list[str]) -> Any:
    if isinstance(node, (list, tuple)):
        return type(node)(_walk(one, found) for one in node) if type(node) in (list, tuple) else node
    if not isinstance(node, dict):
        return node
    copy = {key: one if key in _DATA else _walk(one, found) for key, one in node.items()}
    choices = _choices(copy)
    if not any(isinstance(one, (bool, int, float)) and one in (0, 1) for one in choices):
        return copy
    found.append(copy["type"])
    return _before(copy, choices)


def _choices(node: dict[str, Any]) -> list[Any]:
    kind = node.get("type")
    if kind == "literal" and isinstance(node.get("expected"), list):
        return [getattr(one, "value", one) for one in node["expected"]]
    if kind == "enum" and isinstance(node.get("members"), list):
        return [getattr(one, "value", one) for one in node["members"]]
    return []


def _before(node: dict[str, Any], choices: list[Any]) -> dict[str, Any]:
    from pydantic_core import PydanticKnownError, core_schema

    def look(value: Any) -> Any:
        equal = [one for one in choices if one == value] if isinstance(value, (bool, int, float)) else []
        if equal and all(isinstance(one, bool) is not isinstance(value, bool) for one in equal):
            raise PydanticKnownError("literal_error", {"expected": " or ".join(map(repr, choices))})
        return value

    reference = node.pop("ref", None)
    made: dict[str, Any] = dict(core_schema.no_info_before_validator_function(look, node))
    if reference is not None:
        made["ref"] = reference
    return made
