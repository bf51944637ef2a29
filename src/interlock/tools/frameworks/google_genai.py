"""google-genai: functions for automatic function calling, declarations, and `Tool` objects.

The locked tool is a declaration. The SDK calls only functions, so a declared call
comes to the caller.

Source:
    google-genai 3.6 `_extra_utils.py`, `types.py`.
"""

from __future__ import annotations

from typing import Any

from interlock.errors import MissingExtraError
from interlock.tools.definitions import ToolSpec
from interlock.tools.frameworks import Framework, made_by, refuse, spec_of


def _types() -> Any:
    try:
        from google.genai import types
    except ImportError:
        raise MissingExtraError(
            "a function or a definition that names no framework becomes one for google-genai (or name another, "
            "`framework=`), which",
            package="google-genai",
        ) from None
    return types


def _owns(tool: Any) -> bool:
    return made_by(tool, "google.genai", "Tool", "FunctionDeclaration")


def _lock(tool: Any) -> Any:
    types = _types()

    if isinstance(tool, types.FunctionDeclaration):
        return _declaration(_spec_of_declaration(tool))
    for field in type(tool).model_fields:
        if field != "function_declarations" and getattr(tool, field) is not None:
            refuse(field, "it runs at the provider, before any decision")
    declared = [_declaration(_spec_of_declaration(one)) for one in tool.function_declarations or ()]
    return types.Tool(function_declarations=declared)


def _spec_of_declaration(declared: Any) -> ToolSpec:
    schema = declared.parameters_json_schema if declared.parameters is None else declared.parameters
    return spec_of(declared.name, declared.description, schema)


def _declaration(spec: ToolSpec) -> Any:
    types = _types()

    return types.FunctionDeclaration(name=spec.name, description=spec.description, parameters_json_schema=spec.schema)


def _build(spec: ToolSpec) -> Any:
    types = _types()

    return types.Tool(function_declarations=[_declaration(spec)])


GOOGLE_GENAI = Framework(name="google_genai", owns=_owns, lock=_lock, build=_build)
