"""LangChain and LangGraph: `BaseTool` and its kinds.

The locked tool is a `StructuredTool` with the schema as data, so that no model
class of the caller validates anything, and a body that raises `ToolLockedError`;
`ToolNode` passes that on and the agent's stream ends there.

Source:
    langchain-core 1.8 `tools/base.py`, `tools/structured.py`; langgraph-prebuilt 1.1 `tool_node.py`.
"""

from __future__ import annotations

import functools
from typing import Any

from interlock.tools.definitions import ToolSpec
from interlock.tools.frameworks import Framework, made_by, run_locked, spec_of


def _owns(tool: Any) -> bool:
    return made_by(tool, "langchain_core", "BaseTool")


def _lock(tool: Any) -> Any:
    # `tool_call_schema` is what the model sees: arguments that the framework injects are left out.
    return _build(spec_of(tool.name, tool.description, tool.tool_call_schema))


def _build(spec: ToolSpec) -> Any:
    from langchain_core.tools import StructuredTool

    return StructuredTool(
        name=spec.name,
        description=spec.description or "",
        args_schema=spec.schema,
        func=functools.partial(_run, spec.name),
        coroutine=functools.partial(_arun, spec.name),
    )


def _run(name: str, /, **_: Any) -> Any:
    run_locked(name)


async def _arun(name: str, /, **_: Any) -> Any:
    run_locked(name)


LANGCHAIN = Framework(name="langchain", owns=_owns, lock=_lock, build=_build)
