"""How each framework's tools are locked; one file a framework.

A file has `owns(tool)`, which tells the framework's objects by their class names
and imports nothing, `read(tool)`, which brings one to a `ToolSpec` or refuses it,
and `build(spec)`, which makes an object that the framework accepts and that holds
no code but interlock's. The framework is imported inside `build` only.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from interlock.errors import ToolDefinitionError, ToolLockedError
from interlock.tools.definitions import ToolSpec, read_schema

__all__ = ["Framework", "made_by", "refuse", "run_locked", "spec_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Framework:
    """One framework's way to be locked.

    Attributes:
        name: The word for it in `lock(tools, framework=...)`.
        owns: Tells its objects, without importing it.
        lock: Turns one of its objects into one that runs nothing, or refuses it.
        build: Makes a locked object of name, description and schema.
    """

    name: str
    owns: Callable[[Any], bool]
    lock: Callable[[Any], Any]
    build: Callable[[ToolSpec], Any]


def made_by(tool: Any, package: str, *class_names: str) -> bool:
    """Tell whether an object's class, or one that it inherits from, is of that package and name."""
    return not inspect.isclass(tool) and any(
        base.__qualname__.partition("[")[0] in class_names and f"{base.__module__}.".startswith(f"{package}.")
        for base in type(tool).__mro__
    )


def refuse(name: Any, why: str) -> NoReturn:
    """Raise: this tool cannot be locked, and why."""
    raise ToolDefinitionError(f"tool {name!r} cannot be locked: {why}")


def spec_of(name: Any, description: Any, schema: Any) -> ToolSpec:
    """Make the spec of a tool that is to be locked; everything in it is data.

    Raises:
        ToolDefinitionError: Its name or description is code, or its schema is no JSON Schema.
    """
    if not isinstance(name, str) or not name:
        refuse(name, "its name is no text")
    if description is not None and not isinstance(description, str):
        refuse(
            name, f"its description is a {type(description).__name__}, which would run before any decision; give text"
        )
    as_json = getattr(schema, "model_json_schema", None)
    if inspect.isclass(schema) and callable(as_json):
        schema = as_json()
    if schema is None:
        schema = {"type": "object", "properties": {}}
    plain = read_schema(schema, name)
    if not isinstance(plain, dict):
        refuse(name, "its schema is a boolean; expected an object")
    return ToolSpec(name=name, description=description, schema=plain)


def run_locked(name: str) -> NoReturn:
    """Stand for a tool's code: tell the framework that nothing runs here."""
    raise ToolLockedError(name)
