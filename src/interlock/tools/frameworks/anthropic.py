"""Anthropic's runnable tools (`beta_tool`, `tool_runner`).

The locked tool is the definition as the API takes it. The runner has no code for
it: it tells the model so, unless the caller appends a result of its own.

Source:
    anthropic 2.14 `lib/tools/_beta_functions.py`, `_beta_runner.py`.
"""

from __future__ import annotations

from typing import Any

from interlock.tools.definitions import ToolSpec
from interlock.tools.frameworks import Framework, made_by, refuse, spec_of

_BUILT_IN = ("BetaBuiltinFunctionTool", "BetaAsyncBuiltinFunctionTool")
_TOOLSETS = ("BetaRunnableToolset", "BetaAsyncRunnableToolset")


def _owns(tool: Any) -> bool:
    return made_by(tool, "anthropic", "BaseFunctionTool", *_BUILT_IN, *_TOOLSETS)


def _lock(tool: Any) -> Any:
    if made_by(tool, "anthropic", *_TOOLSETS):
        refuse(type(tool).__name__, "the members of a toolset are known only while it runs; offer its definition")
    if made_by(tool, "anthropic", *_BUILT_IN):  # memory, bash, ...: a definition without a schema
        from interlock.tools.lock import lock_definition

        return lock_definition(tool.to_dict(), tool.name)
    return _build(spec_of(tool.name, tool.description, tool.input_schema))


def _build(spec: ToolSpec) -> Any:
    return {"name": spec.name, "description": spec.description or "", "input_schema": spec.schema}


ANTHROPIC = Framework(name="anthropic", owns=_owns, lock=_lock, build=_build)
