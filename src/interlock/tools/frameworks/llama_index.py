"""LlamaIndex: `BaseTool` and its kinds.

The locked tool answers that nothing was run, and returns directly, so that the
agent stops there. Its schema is data: no model class of the caller is used.

Source:
    llama-index-core 0.14 `tools/types.py`, `tools/function_tool.py`, `agent/workflow/`.
"""

from __future__ import annotations

import functools
from typing import Any

from interlock.errors import ToolLockedError
from interlock.tools.definitions import ToolSpec
from interlock.tools.frameworks import Framework, made_by, spec_of


def _owns(tool: Any) -> bool:
    return made_by(tool, "llama_index", "BaseTool")


def _lock(tool: Any) -> Any:
    about = tool.metadata
    return _build(spec_of(about.name, about.description, about.get_parameters_dict()))


def _build(spec: ToolSpec) -> Any:
    from llama_index.core.tools import FunctionTool, ToolMetadata

    class LockedMetadata(ToolMetadata):
        def get_parameters_dict(self) -> dict[str, Any]:
            return spec.schema if isinstance(spec.schema, dict) else {}

    about = LockedMetadata(name=spec.name, description=spec.description or "", fn_schema=None, return_direct=True)
    return FunctionTool(
        fn=functools.partial(_run, spec.name), async_fn=functools.partial(_arun, spec.name), metadata=about
    )


def _run(name: str, /, **_: Any) -> str:
    return str(ToolLockedError(name))


async def _arun(name: str, /, **_: Any) -> str:
    return str(ToolLockedError(name))


LLAMA_INDEX = Framework(name="llama_index", owns=_owns, lock=_lock, build=_build)
