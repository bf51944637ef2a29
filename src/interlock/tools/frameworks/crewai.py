"""CrewAI: `BaseTool` and its kinds, `@tool` functions among them.

The locked tool answers that nothing was run, and that answer is the agent's, so
that it stops there. Its schema is data: no model class of the caller is used.

Source:
    crewai 1.15 `tools/base_tool.py`.
"""

from __future__ import annotations

import copy
from typing import Any, ClassVar

from interlock.errors import ToolLockedError
from interlock.tools.definitions import ToolSpec
from interlock.tools.frameworks import Framework, made_by, spec_of


def _owns(tool: Any) -> bool:
    return made_by(tool, "crewai", "BaseTool")


def _lock(tool: Any) -> Any:
    return _build(spec_of(tool.name, tool.description, tool.args_schema))


def _build(spec: ToolSpec) -> Any:
    from crewai.tools import BaseTool
    from pydantic import BaseModel, ConfigDict

    class Arguments(BaseModel):
        model_config = ConfigDict(extra="allow")

        @classmethod
        def model_json_schema(cls, *_: Any, **__: Any) -> dict[str, Any]:
            return copy.deepcopy(spec.schema) if isinstance(spec.schema, dict) else {}

    class LockedTool(BaseTool):
        locked_schema: ClassVar[Any] = spec.schema

        def _run(self, **_: Any) -> str:
            return str(ToolLockedError(spec.name))

        async def _arun(self, **_: Any) -> str:
            return str(ToolLockedError(spec.name))

    return LockedTool(name=spec.name, description=spec.description or "", args_schema=Arguments, result_as_answer=True)


CREWAI = Framework(name="crewai", owns=_owns, lock=_lock, build=_build)
