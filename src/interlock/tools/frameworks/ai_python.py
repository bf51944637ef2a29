"""The AI SDK for Python (PyPI `ai`): `AgentTool` and `Tool`.

The locked tool's body raises. An agent's loop calls it at the call's own end,
before the response's, and tells the model that it failed; to let the guard decide,
give the locked declarations (`.tool` of an `AgentTool`) to `ai.stream`, whose events
it can watch to their end. A `Tool` of kind `provider` is refused.

Source:
    ai 0.8 `types/tools.py`, `agents/agent.py`.
"""

from __future__ import annotations

import functools
from typing import Any

from interlock.tools.definitions import ToolSpec
from interlock.tools.frameworks import Framework, made_by, refuse, run_locked, spec_of


def _owns(tool: Any) -> bool:
    return made_by(tool, "ai", "AgentTool", "Tool")


def _lock(tool: Any) -> Any:
    declared = tool.tool if made_by(tool, "ai", "AgentTool") else tool
    if declared.kind != "function" or declared.spec is None:
        refuse(declared.name, "it runs at the provider, before any decision")
    spec = spec_of(declared.name, declared.spec.description, declared.spec.params)
    return _build(spec) if declared is not tool else _declaration(spec)


def _declaration(spec: ToolSpec) -> Any:
    from ai.types.tools import Tool
    from ai.types.tools import ToolSpec as Declared

    declared = Declared(description=spec.description, params=spec.schema if isinstance(spec.schema, dict) else {})
    return Tool(kind="function", name=spec.name, spec=declared)


def _build(spec: ToolSpec) -> Any:
    from ai.agents.agent import AgentTool

    return AgentTool(tool=_declaration(spec), fn=functools.partial(_run, spec.name))


async def _run(name: str, /, **_: Any) -> Any:
    run_locked(name)


AI_PYTHON = Framework(name="ai_python", owns=_owns, lock=_lock, build=_build)
