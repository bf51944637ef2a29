"""OpenAI Agents SDK: `FunctionTool`.

The locked tool needs approval, which ends the run with an interruption, and its
body raises. Hosted tools run at OpenAI; shell, computer, patch and custom tools
hold an executor that the SDK calls by itself: both are refused.

Source:
    openai-agents 0.24 `agents/tool.py`.
"""

from __future__ import annotations

import functools
from typing import Any

from interlock.tools.definitions import ToolSpec
from interlock.tools.frameworks import Framework, made_by, refuse, run_locked, spec_of

_HOSTED = (
    "CodeInterpreterTool",
    "FileSearchTool",
    "HostedMCPTool",
    "ImageGenerationTool",
    "ProgrammaticToolCallingTool",
    "ToolSearchTool",
    "WebSearchTool",
)
_EXECUTORS = ("ApplyPatchTool", "ComputerTool", "CustomTool", "LocalShellTool", "ShellTool")


def _owns(tool: Any) -> bool:
    if made_by(tool, "agents", "FunctionTool"):
        return hasattr(tool, "on_invoke_tool")  # `agents` is a name that others give to a package too
    return made_by(tool, "agents", *_HOSTED, *_EXECUTORS)


def _lock(tool: Any) -> Any:
    name = getattr(tool, "name", type(tool).__name__)
    if made_by(tool, "agents", *_HOSTED):
        refuse(name, f"a {type(tool).__name__} runs at the provider, before any decision")
    if made_by(tool, "agents", *_EXECUTORS):
        refuse(
            name, f"a {type(tool).__name__} holds an executor that the SDK calls by itself; offer a function instead"
        )
    if not isinstance(tool.is_enabled, bool):
        refuse(name, "`is_enabled` is a function, which would run before any decision; give a boolean")
    locked = _build(spec_of(tool.name, tool.description, tool.params_json_schema))
    locked.strict_json_schema = tool.strict_json_schema
    locked.is_enabled = tool.is_enabled
    for attribute in ("_tool_namespace", "_tool_namespace_description"):  # part of the name that the model sees
        if isinstance(getattr(tool, attribute, None), str):
            setattr(locked, attribute, getattr(tool, attribute))
    return locked


def _build(spec: ToolSpec) -> Any:
    from agents import FunctionTool

    return FunctionTool(
        name=spec.name,
        description=spec.description or "",
        params_json_schema=spec.schema if isinstance(spec.schema, dict) else {},
        on_invoke_tool=functools.partial(_invoke, spec.name),
        strict_json_schema=False,  # the schema stays as it is; the mark is set afterwards
        needs_approval=True,
    )


async def _invoke(name: str, /, *_: Any) -> Any:
    run_locked(name)


OPENAI_AGENTS = Framework(name="openai_agents", owns=_owns, lock=_lock, build=_build)
