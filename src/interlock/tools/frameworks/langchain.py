"""LangChain and LangGraph: `BaseTool` and its kinds.

The locked tool is a `StructuredTool` with the schema as data, so that no model
class of the caller validates anything. In a graph its body interrupts, which ends
the stream cleanly; a graph with a checkpointer can be resumed with the tool's result,
after the caller has run it. Outside a graph it raises `ToolLockedError`.

Source:
    langchain-core 1.8 `tools/base.py`, `tools/structured.py`; langgraph 1.2 `types.py` (`interrupt`).
"""

from __future__ import annotations

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

    # Functions, no partials: a graph reads their annotations.
    def run(**_: Any) -> Any:
        return _interrupt(spec.name)

    async def arun(**_: Any) -> Any:
        return _interrupt(spec.name)

    schema = spec.schema if isinstance(spec.schema, dict) else {}
    return StructuredTool(
        name=spec.name, description=spec.description or "", args_schema=schema, func=run, coroutine=arun
    )


def _interrupt(name: str) -> Any:
    try:
        from langgraph.types import interrupt
    except ImportError:
        run_locked(name)
    try:
        return interrupt({"locked_tool": name})
    except (RuntimeError, KeyError):  # not called by a graph
        run_locked(name)


LANGCHAIN = Framework(name="langchain", owns=_owns, lock=_lock, build=_build)
