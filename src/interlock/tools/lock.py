"""The execution lock: definitions that no framework can run by itself.

An agent framework that is given a tool with its code runs it as soon as it likes,
often before the stream's own end. `lock` returns what the framework needs to offer
the tool (name, description, schema) in a type that it accepts, and nothing of the
caller's code: a framework's own loop then has nothing to run, and the call waits
for `Guard.take`.
"""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Mapping
from typing import Any, Final

from interlock.errors import MissingExtraError, ToolDefinitionError
from interlock.tools import models
from interlock.tools.definitions import GEMINI_SERVER_FIELDS, SCHEMA_FIELDS, normalize_tools
from interlock.tools.frameworks import Framework, refuse, spec_of
from interlock.tools.frameworks.ai_python import AI_PYTHON
from interlock.tools.frameworks.anthropic import ANTHROPIC
from interlock.tools.frameworks.crewai import CREWAI
from interlock.tools.frameworks.google_genai import GOOGLE_GENAI
from interlock.tools.frameworks.langchain import LANGCHAIN
from interlock.tools.frameworks.llama_index import LLAMA_INDEX
from interlock.tools.frameworks.mcp import MCP
from interlock.tools.frameworks.openai_agents import OPENAI_AGENTS
from interlock.tools.frameworks.pydantic_ai import PYDANTIC_AI
from interlock.tools.frameworks.strands import STRANDS

__all__ = ["FRAMEWORKS", "lock"]

FRAMEWORKS: Final[tuple[Framework, ...]] = (
    AI_PYTHON,
    ANTHROPIC,
    CREWAI,
    GOOGLE_GENAI,
    LANGCHAIN,
    LLAMA_INDEX,
    MCP,
    OPENAI_AGENTS,
    PYDANTIC_AI,
    STRANDS,
)

# What the AI SDK calls by itself; a definition without them is still whole.
_CALLBACKS: Final = frozenset(
    {"execute", "needsApproval", "onInputAvailable", "onInputDelta", "onInputStart", "toModelOutput"}
)
# What a JSON definition is made of; the rest is data that the provider reads and runs nothing here.
_DECLARATIONS: Final = ("functionDeclarations", "function_declarations")
_GROUPS: Final = ("tools", *_DECLARATIONS)
# What may stand beside Gemini's declarations: all else is a tool of the provider's.
_BESIDE_DECLARATIONS: Final = (*_DECLARATIONS, "computerUse", "computer_use")
# Packages that are not called like their modules.
_PACKAGES: Final = {
    "agents": "openai-agents",
    "langchain_core": "langchain-core",
    "llama_index": "llama-index-core",
    "pydantic_ai": "pydantic-ai",
    "strands": "strands-agents",
}
_TYPES: Final = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})


def lock(tools: Any, *, framework: str | None = None) -> Any:
    """Return copies of tool definitions that carry name, description and schema only.

    The originals stay as they are. Keep them, and run what `Guard.take` hands out.

    Args:
        tools: One tool, a list, or a mapping: objects of a framework (LangChain, OpenAI Agents SDK,
            pydantic-ai and its toolsets, google-genai, Anthropic's runnable tools, Strands, LlamaIndex,
            CrewAI, PyPI `ai`, MCP), functions, or JSON definitions (a provider's tools array, AI SDK).
        framework: Whose tool a plain function becomes, by its word: `ai_python`, `anthropic`, `crewai`,
            `google_genai`, `langchain`, `llama_index`, `mcp`, `openai_agents`, `pydantic_ai`, `strands`.
            Left out, functions are taken for those of google-genai's automatic function calling. All
            functions of one list become one google-genai `Tool`.

    Returns:
        The same shape as `tools`: an object for an object, a list for a list, a mapping for a mapping.

    Raises:
        ToolDefinitionError: A tool cannot be neutralised: the provider runs it, its description or
            another part is code that the framework would call, or its kind is not known.
        MissingExtraError: The framework is not installed.
    """
    chosen = GOOGLE_GENAI if framework is None else _named(framework)
    try:
        return _lock(tools, chosen, "tools")
    except RecursionError:
        raise ToolDefinitionError(
            "tools cannot be locked: a definition is nested too deeply, or holds itself"
        ) from None


def _named(word: str) -> Framework:
    for framework in FRAMEWORKS:
        if framework.name == word:
            return framework
    known = ", ".join(repr(framework.name) for framework in FRAMEWORKS)
    raise ToolDefinitionError(f"framework is {word!r}; expected one of {known}")


def _lock(tool: Any, chosen: Framework, where: str) -> Any:
    for framework in FRAMEWORKS:
        if framework.owns(tool):
            return framework.lock(tool)
    if isinstance(tool, (list, tuple)):
        return _lock_list(tool, chosen, where)
    if isinstance(tool, Mapping):
        return _lock_mapping(tool, chosen, where)
    if _is_function(tool):
        return _lock_function(tool, chosen)
    raise ToolDefinitionError(
        f"{where} cannot be locked: it is an object of type {type(tool).__name__}, and what would run it is not known"
    )


def _lock_list(tools: Any, chosen: Framework, where: str) -> list[Any]:
    locked: list[Any] = [
        lock_definition(tool, f"{where}[{index}]", chosen)
        if isinstance(tool, Mapping)
        else _lock(tool, chosen, f"{where}[{index}]")
        for index, tool in enumerate(tools)
    ]
    if chosen is not GOOGLE_GENAI:
        return locked
    # The API takes one group of functions (several groups are for searches only): the first takes them all.
    functions = [one for one, tool in zip(locked, tools, strict=True) if _is_function(tool)]
    for one in functions[1:]:
        functions[0].function_declarations.extend(one.function_declarations)
    return [one for one in locked if all(one is not joined for joined in functions[1:])]


def _lock_mapping(tools: Mapping[Any, Any], chosen: Framework, where: str) -> Any:
    if any(field in tools for field in _GROUPS) or _is_definition(tools):
        return lock_definition(tools, where, chosen)
    return {
        name: lock_definition(tool, str(name), chosen, key=name)
        if isinstance(tool, Mapping)
        else _lock(tool, chosen, f"{where}[{name!r}]")
        for name, tool in tools.items()
    }


def _is_definition(tool: Mapping[Any, Any]) -> bool:
    return (
        isinstance(tool.get("type"), str)
        or isinstance(tool.get("name"), str)
        or any(field in tool for field in ("function", "toolSpec", "systemTool", "cachePoint", "jsonSchema"))
        or any(field in tool for field in SCHEMA_FIELDS)
    )


def _is_function(tool: Any) -> bool:
    return inspect.isroutine(tool) or isinstance(tool, functools.partial)


def _lock_function(function: Any, chosen: Framework) -> Any:
    name = getattr(function, "__name__", None)
    if name is None or name == "<lambda>":
        refuse(name or type(function).__name__, "a function without a name; use `def`")
    spec = spec_of(name, inspect.getdoc(function), models.function_schema(function, name))
    try:
        return chosen.build(spec)
    except ModuleNotFoundError as error:
        module = (error.name or chosen.name).partition(".")[0]
        raise MissingExtraError(f"a tool for {chosen.name}", package=_PACKAGES.get(module, module)) from None


def lock_definition(
    tool: Mapping[Any, Any], where: str, chosen: Framework = GOOGLE_GENAI, *, key: Any = None
) -> dict[str, Any]:
    """Lock a definition that is data: a copy without callbacks, refused when the provider would run it.

    `key` is its name in a mapping, where a bare schema stands for a definition, too.
    """
    name = _name_in(tool) or where
    locked: dict[str, Any] = {}
    for field, value in tool.items():
        if field in _CALLBACKS:
            continue
        if field == "description" and callable(value):
            refuse(name, "its description is a function, which would run before any decision; give text")
        if field in _GROUPS and isinstance(value, (list, tuple)):
            locked[field] = _lock_list(value, chosen, f"{name}.{field}")
        elif not _is_data(value):
            refuse(name, f"its {field!r} is no JSON value, and what would call it is not known")
        else:
            locked[field] = copy.deepcopy(value)
    if not any(field in locked for field in _GROUPS):
        _refuse_provider_tools(locked, key)
    elif any(field in locked for field in _DECLARATIONS):
        for field, value in locked.items():
            if field not in _BESIDE_DECLARATIONS and value is not None:
                refuse(field, "it stands beside functions and runs at the provider, before any decision")
    of_ai_sdk = "inputSchema" in tool and ("name" not in tool or "type" in tool)
    if of_ai_sdk or any(field in tool for field in _CALLBACKS):
        locked["needsApproval"] = True  # from version 6 on, the SDK itself waits then
    return locked


def _refuse_provider_tools(tool: dict[str, Any], key: Any) -> None:
    holds_schema = any(field in tool for field in (*SCHEMA_FIELDS, "jsonSchema"))
    if isinstance(key, str) and "name" not in tool:
        kind = tool.get("type")
        if not holds_schema and (kind is None or (isinstance(kind, str) and kind.lower() in _TYPES)):
            if key in GEMINI_SERVER_FIELDS or key in GEMINI_SERVER_FIELDS.values():  # one tool of Gemini's
                refuse(key, "it runs at the provider, before any decision")
            normalize_tools({key: tool})  # a schema, which runs nothing
            return
        if holds_schema or "id" not in tool:
            tool = {**tool, "name": key}
    elif holds_schema and not _is_named(tool):
        tool = {**tool, "name": "tool"}  # one definition of the AI SDK, whose name stands elsewhere
    for spec in normalize_tools([tool]).values():
        if spec.server_executed:
            refuse(spec.name, "it runs at the provider, before any decision")


def _is_named(tool: dict[str, Any]) -> bool:
    return any(field in tool for field in ("name", "function", "toolSpec", "custom"))


def _name_in(tool: Mapping[Any, Any]) -> Any:
    inner = tool.get("function") or tool.get("toolSpec") or tool.get("custom") or {}
    return tool.get("name") or (inner.get("name") if isinstance(inner, Mapping) else None)


def _is_data(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and _is_data(member) for key, member in value.items())
    if isinstance(value, (list, tuple)):
        return all(map(_is_data, value))
    return value is None or isinstance(value, (str, bool, int, float))
