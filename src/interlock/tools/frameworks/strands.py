"""Strands Agents: `AgentTool` and its kinds, `@tool` functions among them.

The locked tool answers each call with an error and asks the agent to stop, so
that the model is not asked again about a call that waits for a decision.

Source:
    strands-agents 1.62 `types/tools.py`, `agent/agent.py` (`cancel`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from interlock.errors import ToolLockedError
from interlock.tools.definitions import ToolSpec
from interlock.tools.frameworks import Framework, made_by, spec_of


def _owns(tool: Any) -> bool:
    return made_by(tool, "strands", "AgentTool")


def _lock(tool: Any) -> Any:
    spec = tool.tool_spec
    return _build(spec_of(tool.tool_name, spec.get("description"), spec.get("inputSchema")))


def _build(spec: ToolSpec) -> Any:
    from strands.types.tools import AgentTool

    class LockedTool(AgentTool):
        tool_name = spec.name
        tool_type = "locked"
        tool_spec = {  # noqa: RUF012 - the base class has a property of that name
            "name": spec.name,
            "description": spec.description or spec.name,
            "inputSchema": {"json": spec.schema},
        }

        async def stream(self, tool_use: Any, invocation_state: dict[str, Any], **_: Any) -> AsyncIterator[Any]:
            agent = invocation_state.get("agent")
            if agent is not None:
                agent.cancel(after_current_tools=True)
            yield {
                "toolUseId": tool_use["toolUseId"],
                "status": "error",
                "content": [{"text": str(ToolLockedError(spec.name))}],
            }

    return LockedTool()


STRANDS = Framework(name="strands", owns=_owns, lock=_lock, build=_build)
