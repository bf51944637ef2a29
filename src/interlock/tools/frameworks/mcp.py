"""MCP tool lists: what `session.list_tools()` returns, and its `Tool` objects.

They hold no code: a call goes to the server only when the caller sends it. The
locked ones keep name, description and input schema.

Source:
    mcp 2.3 `mcp.types`; MCP 2025-11-25, server/tools.
"""

from __future__ import annotations

from typing import Any

from interlock.tools.definitions import ToolSpec
from interlock.tools.frameworks import Framework, made_by, refuse, spec_of


def _owns(tool: Any) -> bool:
    return any(made_by(tool, package, "Tool", "ListToolsResult", "ClientSession") for package in ("mcp", "mcp_types"))


def _lock(tool: Any) -> Any:
    if made_by(tool, "mcp", "ClientSession"):
        refuse("ClientSession", "a framework would run its tools by itself; lock what `list_tools()` returns")
    if not hasattr(tool, "tools"):
        return _locked(tool)
    return type(tool)(tools=[_locked(one) for one in tool.tools])


def _locked(tool: Any) -> Any:
    schema = tool.inputSchema if hasattr(tool, "inputSchema") else tool.input_schema
    return _make(type(tool), spec_of(tool.name, tool.description, schema))


def _build(spec: ToolSpec) -> Any:
    from mcp.types import Tool

    return _make(Tool, spec)


def _make(kind: Any, spec: ToolSpec) -> Any:
    return kind(name=spec.name, description=spec.description, inputSchema=spec.schema)


MCP = Framework(name="mcp", owns=_owns, lock=_lock, build=_build)
