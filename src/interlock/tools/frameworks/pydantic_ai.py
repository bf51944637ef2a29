"""pydantic-ai: `Tool`, `ToolDefinition`, and toolsets of functions or external tools.

A locked tool defers its call, as an external one does: with `DeferredToolRequests`
among the agent's output types the run ends with them, without it in an error.
Toolsets whose tools are known only while they run are refused.

Source:
    pydantic-ai 2.68 `tools.py`, `toolsets/external.py`, `toolsets/function.py`.
"""

from __future__ import annotations

from typing import Any

from interlock.tools.definitions import ToolSpec
from interlock.tools.frameworks import Framework, made_by, refuse, spec_of


def _owns(tool: Any) -> bool:
    return made_by(tool, "pydantic_ai", "Tool", "ToolDefinition", "AbstractToolset", "AbstractNativeTool")


def _lock(tool: Any) -> Any:
    if made_by(tool, "pydantic_ai", "Tool"):
        return _build(_spec_of_tool(tool))
    if made_by(tool, "pydantic_ai", "ToolDefinition"):
        return _definition(spec_of(tool.name, tool.description, tool.parameters_json_schema))
    if made_by(tool, "pydantic_ai", "AbstractNativeTool"):
        refuse(getattr(tool, "kind", type(tool).__name__), "it runs at the provider, before any decision")
    return _toolset(tool)


def _toolset(toolset: Any) -> Any:
    from pydantic_ai.toolsets import ExternalToolset, FunctionToolset

    if type(toolset) is FunctionToolset:
        specs = [_spec_of_tool(tool) for tool in toolset.tools.values()]
    elif type(toolset) is ExternalToolset:
        specs = [spec_of(tool.name, tool.description, tool.parameters_json_schema) for tool in toolset.tool_defs]
    else:
        refuse(
            toolset.id or type(toolset).__name__,
            f"the tools of a {type(toolset).__name__} are known only while it runs; "
            "lock a FunctionToolset, an ExternalToolset, or the tools themselves",
        )
    return ExternalToolset([_definition(spec) for spec in specs], id=toolset.id)


def _spec_of_tool(tool: Any) -> ToolSpec:
    if tool.prepare is not None:
        refuse(tool.name, "`prepare` is a function, which would run before any decision; lock what it would return")
    return spec_of(tool.name, tool.description, tool.function_schema.json_schema)


def _definition(spec: ToolSpec) -> Any:
    from pydantic_ai.tools import ToolDefinition

    schema = spec.schema if isinstance(spec.schema, dict) else {}
    return ToolDefinition(name=spec.name, description=spec.description, parameters_json_schema=schema, kind="external")


def _build(spec: ToolSpec) -> Any:
    from pydantic_ai import Tool

    schema = spec.schema if isinstance(spec.schema, dict) else {}
    return Tool.from_schema(_defer, name=spec.name, description=spec.description, json_schema=schema)


async def _defer(**_: Any) -> Any:
    from pydantic_ai.exceptions import CallDeferred

    raise CallDeferred


PYDANTIC_AI = Framework(name="pydantic_ai", owns=_owns, lock=_lock, build=_build)
