"""What a tool's author declared, in every form that providers and SDKs use, brought to one: `ToolSpec`.

Nothing here imports a schema library or an SDK: objects are recognised by the
names of their keys or attributes. What is not recognised is refused with the
tool's name; nothing is ever taken for "accepts anything".

Source:
    OpenAI Chat and Responses, Anthropic Messages, Gemini `FunctionDeclaration`
    and its `Schema` (an OpenAPI 3.0 subset), Bedrock Converse `ToolConfiguration`,
    Mistral, Cohere v2, Ollama, MCP `tools/list`, AI SDK tools: the types of the
    SDKs as released in November 2026.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final

from interlock.errors import ToolDefinitionError
from interlock.tools import dialects
from interlock.tools.checks import words

__all__ = ["ToolSpec", "normalize_tools"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """One tool as it was offered to the model.

    Attributes:
        name: The name that a call must carry.
        description: What the model is told about it, where given as text.
        schema: JSON Schema of the arguments, a private copy of plain JSON values.
        validator: What else checks the arguments: a class, a function, or an object with `validate`.
        server_executed: The provider runs it; a call to it is never the caller's to run.

    At most one of `schema` and `validator` is given; with neither, the name is
    known and the arguments are not checked.
    """

    name: str
    description: str | None = None
    schema: dict[str, Any] | bool | None = None
    validator: Any = None
    server_executed: bool = False


# Where a definition keeps the schema of its arguments. A definition uses one of these.
SCHEMA_FIELDS: Final = (
    "parameters",  # OpenAI, Mistral, Cohere, Ollama, Gemini
    "parametersJsonSchema",  # Gemini; the snake-case form is also pydantic-ai's
    "parameters_json_schema",
    "input_schema",  # Anthropic, MCP's Python SDK
    "inputSchema",  # MCP, Bedrock, AI SDK
    "params_json_schema",  # OpenAI Agents SDK
)

# Fields that hold the whole definition one level down.
_WRAPPERS: Final = ("function", "toolSpec", "tool_spec", "custom")

# Fields that hold a list of definitions.
_CONTAINERS: Final = ("tools", "functionDeclarations", "function_declarations")

# Keywords that say something about a value; a schema without any of them says nothing.
_ASSERTIONS: Final = words(
    """
    $ref $dynamicRef $recursiveRef type enum const multipleOf maximum exclusiveMaximum minimum
    exclusiveMinimum maxLength minLength pattern format items additionalItems prefixItems
    unevaluatedItems maxItems minItems uniqueItems contains maxContains minContains properties
    patternProperties additionalProperties unevaluatedProperties propertyNames maxProperties minProperties
    required dependencies dependentRequired dependentSchemas allOf anyOf oneOf not if then else
    extends disallow divisibleBy
    """
)

# Versioned provider tools end in a date: web_search_20250305, web_search_preview_2025_03_11.
_VERSION = re.compile(r"_(?:\d{8}|\d{4}_\d{2}_\d{2})$")

# Provider-defined tools that the caller runs. Every other tool with a `type` of its own runs at the provider.
_CLIENT_TYPES: Final = frozenset(
    {
        "apply_patch",
        "bash",
        "computer",
        "computer_use_preview",
        "custom",
        "local_shell",
        "memory",
        "shell",
        "text_editor",
    }
)

# Anthropic's toolsets: one nameless entry that offers these names, run by the caller.
_TOOLSETS: Final[Mapping[str, frozenset[str]]] = {
    "computer_toolset": words(
        """
        cursor_position double_click hold_key key left_click left_click_drag left_mouse_down left_mouse_up
        middle_click mouse_move right_click screenshot scroll triple_click type wait zoom
        """
    ),
    "browser_toolset": words(
        """
        close_tab double_click file_upload find form_input get_page_text hold_key hover javascript_exec key
        left_click left_click_drag left_mouse_down left_mouse_up list_tabs middle_click mouse_move navigate
        new_tab read_console read_network read_page right_click screenshot scroll scroll_to switch_tab
        triple_click type wait zoom
        """
    ),
}

# Gemini: a tool is a key of its own, and these run at the provider.
GEMINI_SERVER_FIELDS: Final = {
    "codeExecution": "code_execution",
    "enterpriseWebSearch": "enterprise_web_search",
    "exaAiSearch": "exa_ai_search",
    "fileSearch": "file_search",
    "googleMaps": "google_maps",
    "googleSearch": "google_search",
    "googleSearchRetrieval": "google_search_retrieval",
    "mcpServers": "mcp_servers",
    "parallelAiSearch": "parallel_ai_search",
    "retrieval": "retrieval",
    "urlContext": "url_context",
}

# Attributes of tool objects that hold the schema. Those of LangChain (without injected arguments) and
# CrewAI come early: a LangChain tool has an `input_schema` too, of itself as a step of a chain.
_OBJECT_SCHEMA_FIELDS: Final = ("locked_schema", "tool_call_schema", "args_schema", *SCHEMA_FIELDS)


def normalize_tools(tools: Any) -> dict[str, ToolSpec]:
    """Bring any form of tool definitions to one `ToolSpec` a name, in order of appearance.

    Args:
        tools: A mapping from name to JSON Schema, model class, function, validator or
            definition; or a list of definitions (a provider's tools array, an SDK's
            objects, functions, model classes), also inside `{"tools": [...]}`.

    Raises:
        ToolDefinitionError: A definition is not understood, has no usable name, has
            both a schema and a validator, or differs from another one of its name.
    """
    specs: dict[str, ToolSpec] = {}
    for spec in _read_all(tools):
        known = specs.get(spec.name)
        if known is not None and known != spec:
            raise ToolDefinitionError(f"tool {spec.name!r} is declared twice, differently; keep one")
        specs[spec.name] = spec
    return specs


def _read_all(tools: Any) -> Iterator[ToolSpec]:
    if _contained(tools) is not None:
        yield from _read_entry(tools, "tools")
    elif isinstance(tools, Mapping):
        if any(isinstance(value, str) for value in tools.values()):
            raise ToolDefinitionError(f"tools has the keys {_keys(tools)}: that is one definition; put it in a list")
        for name, declared in tools.items():
            yield _read_named(name, declared)
    elif _is_list(tools):
        yield from _read_list(tools, "tools")
    else:
        raise ToolDefinitionError(
            f"tools is {_kind(tools)}; expected a mapping from name to schema, or a list of definitions"
        )


def _read_list(entries: Iterable[Any], where: str) -> Iterator[ToolSpec]:
    for index, entry in enumerate(entries):
        yield from _read_entry(entry, f"{where}[{index}]")


def _read_entry(entry: Any, where: str) -> Iterator[ToolSpec]:
    """Read one element of a list: a definition, or a group of them."""
    if inspect.isclass(entry) or _is_function(entry):
        name = getattr(entry, "__name__", None)
        if name is None or name == "<lambda>":
            raise ToolDefinitionError(f"{where} is {_kind(entry)} without a name; give a mapping from name to function")
        yield ToolSpec(name=name, description=inspect.getdoc(entry), validator=entry)
        return
    if isinstance(entry, (str, bytes, int, float)) or entry is None:
        raise ToolDefinitionError(f"{where} is {_kind(entry)}; expected a tool definition")
    entry = _as_definition(entry)
    kind = _get(entry, "type")
    if isinstance(kind, Enum):
        kind = kind.value
    contained = _contained(entry)
    if contained is not None:  # Gemini's group, which may also hold provider tools, or an OpenAI namespace
        if kind == "namespace":
            yield from _in_namespace(_name(_get(entry, "name"), where), _read_list(contained, where))
            return
        yield from _read_list(contained, where)
        yield from _gemini_tools(entry)
        return
    for wrapper in _WRAPPERS:
        inner = _get(entry, wrapper)
        if inner is not None and not callable(inner):
            yield _definition(inner, f"{where}.{wrapper}", name=None)
            return
    system_tool = _get(entry, "systemTool")
    if system_tool is not None:
        yield ToolSpec(name=_name(_get(system_tool, "name"), where), server_executed=True)
    elif _get(entry, "cachePoint") is not None:
        return
    elif isinstance(kind, str) and _schema_of(entry, where)[1] is None and _get(entry, "validator") is None:
        yield from _typed(entry, kind, where)
    elif _get(entry, "name") is not None or _get(entry, "tool_spec") is not None:
        yield _definition(entry, where, name=None)
    else:
        found = list(_gemini_tools(entry))
        if not found:
            raise ToolDefinitionError(
                f"{where} is {_kind(entry)}{_shown_keys(entry)}; expected a tool definition with a `name`"
            )
        yield from found


def _in_namespace(namespace: str, specs: Iterable[ToolSpec]) -> Iterator[ToolSpec]:
    """Give the client's tools the name that the wire `openai_responses` reports for them."""
    for spec in specs:
        qualified = not spec.server_executed and spec.name != namespace
        yield replace(spec, name=f"{namespace}.{spec.name}") if qualified else spec


def _as_definition(entry: Any) -> Any:
    """Bring objects that keep their parts elsewhere to a definition; others stay as they are."""
    if isinstance(entry, Mapping):
        return entry
    about: Any = getattr(entry, "metadata", None)
    if callable(getattr(about, "get_parameters_dict", None)):  # LlamaIndex
        return {"name": about.name, "description": about.description, "parameters": about.get_parameters_dict()}
    inner = getattr(entry, "tool", entry)  # PyPI `ai`: an AgentTool holds its Tool
    if hasattr(inner, "tool_config") and hasattr(inner, "spec"):
        if inner.spec is None:
            return {"type": "provider", "name": inner.name}
        return {"name": inner.name, "description": inner.spec.description, "parameters": inner.spec.params}
    return entry


def _typed(entry: Any, kind: str, where: str) -> Iterator[ToolSpec]:
    """Read a definition without a schema that has a `type`: a plain function, or a provider's own tool."""
    base = _VERSION.sub("", kind)
    name = _get(entry, "name")
    if kind in ("function", "dynamic"):
        yield _definition(entry, where, name=None)
    elif base in _TOOLSETS:
        yield from (ToolSpec(name=member) for member in sorted(_TOOLSETS[base]))
    elif kind.startswith("provider"):  # AI SDK: provider, provider-defined, provider-executed
        at_provider = _get(entry, "isProviderExecuted")
        name = name if name is not None else _get(entry, "id")
        yield ToolSpec(name=_name(name, where), server_executed=at_provider is not False)
    else:
        server = base not in _CLIENT_TYPES and _get(entry, "execution") != "client"
        if name is None:
            name = _get(entry, "server_label") or _get(entry, "mcp_server_name") or base
        yield ToolSpec(name=_name(name, where), description=_text(entry), server_executed=server)


def _gemini_tools(entry: Any) -> Iterator[ToolSpec]:
    for camel, name in GEMINI_SERVER_FIELDS.items():
        if _get(entry, camel) is not None or _get(entry, name) is not None:
            yield ToolSpec(name=name, server_executed=True)
    if _get(entry, "computerUse") is not None or _get(entry, "computer_use") is not None:
        yield ToolSpec(name="computer_use")


def _read_named(name: Any, declared: Any) -> ToolSpec:
    """Read one item of a mapping: a schema, a definition, or what checks the arguments."""
    name = _name(name, "tools")
    if declared is None:
        return ToolSpec(name=name)
    if isinstance(declared, bool):
        return ToolSpec(name=name, schema=declared)
    if isinstance(declared, ToolSpec):
        if declared.name != name:
            raise ToolDefinitionError(f"tool {name!r} is declared under that key, but its spec says {declared.name!r}")
        return declared
    if not (inspect.isclass(declared) or _is_function(declared)):
        declared = _as_definition(declared)
        if _is_definition(declared):
            return _definition(declared, f"tools[{name!r}]", name=name)
        if isinstance(declared, Mapping):
            return ToolSpec(name=name, schema=read_schema(declared, name))
    if isinstance(declared, (str, bytes, int, float)) or _is_list(declared):
        raise ToolDefinitionError(
            f"tool {name!r} is declared by {_kind(declared)}; expected a JSON Schema, a model class, a "
            "function, or an object with `validate(value)`"
        )
    return ToolSpec(name=name, validator=declared)


def _is_definition(declared: Any) -> bool:
    """Tell a definition (with a schema inside) from a schema and from a validator."""
    fields = (*SCHEMA_FIELDS, *_WRAPPERS, "validator", "jsonSchema")
    if isinstance(declared, Mapping):
        if not any(field in declared for field in fields):
            return str(declared.get("type", "")).startswith("provider")
        # A schema may not use these words as keywords, but `$defs`-less schemas of tools about tools might
        # hold a mapping under them; with an assertion of its own it is a schema.
        return not any(
            key in _ASSERTIONS and not (key == "type" and declared[key] in ("function", "dynamic", "custom"))
            for key in declared
        )
    return any(_get(declared, field) is not None for field in (*_OBJECT_SCHEMA_FIELDS, "tool_spec", "function_schema"))


def _definition(entry: Any, where: str, *, name: str | None) -> ToolSpec:
    """Read `{name, description, <schema field>}`, as keys or as attributes."""
    if isinstance(entry, ToolSpec):
        return entry
    for wrapper in _WRAPPERS:
        inner = _get(entry, wrapper)
        if inner is not None and not callable(inner):
            return _definition(inner, where, name=name)
    own_name = _get(entry, "name")
    if name is not None and own_name is not None and own_name != name:
        raise ToolDefinitionError(f"tool {name!r} is declared under that key, but its definition says {own_name!r}")
    name = _name(own_name if name is None else name, where)
    field, schema = _schema_of(entry, where)
    validator = _get(entry, "validator")
    if validator is not None and schema is not None:
        raise ToolDefinitionError(f"tool {name!r} has both a schema (`{field}`) and a validator; give one")
    if (
        schema is None
        and validator is None
        and not isinstance(entry, Mapping)
        and not any(hasattr(entry, field) for field in ("type", *SCHEMA_FIELDS))
    ):
        raise ToolDefinitionError(f"tool {name!r} ({where}) is {_kind(entry)}, which has no schema of its arguments")
    server = str(_get(entry, "type") or "").startswith("provider") and _get(entry, "isProviderExecuted") is not False
    if schema is not None and (inspect.isclass(schema) or not (isinstance(schema, (Mapping, bool)) or _dumps(schema))):
        validator, schema = schema, None
    return ToolSpec(
        name=name,
        description=_text(entry),
        schema=None if schema is None else read_schema(schema, name),
        validator=validator,
        server_executed=server,
    )


def _schema_of(entry: Any, where: str) -> tuple[str, Any]:
    """Return where a definition keeps its schema, and the schema; `None` when it has none."""
    fields = SCHEMA_FIELDS if isinstance(entry, Mapping) else _OBJECT_SCHEMA_FIELDS
    found = [(field, value) for field in fields if (value := _get(entry, field)) is not None]
    if isinstance(entry, Mapping) and len(found) > 1:
        names = " and ".join(f"`{field}`" for field, _ in found)
        raise ToolDefinitionError(f"tool {_get(entry, 'name')!r} ({where}) has its schema twice: {names}; keep one")
    if found:
        return found[0]
    function_schema = _get(entry, "function_schema")  # pydantic-ai's Tool
    if function_schema is not None:
        return "function_schema", _get(function_schema, "json_schema")
    return "jsonSchema", _get(entry, "jsonSchema")


def read_schema(schema: Any, name: str) -> dict[str, Any] | bool:
    """Return a schema as a private copy of plain JSON values in JSON Schema's own words.

    Raises:
        ToolDefinitionError: It is not JSON, or no JSON Schema.
    """
    for wrapper in ("json", "jsonSchema"):  # Bedrock, AI SDK
        inner = _get(schema, wrapper) if isinstance(schema, Mapping) else None
        if isinstance(inner, (Mapping, bool)) and not _ASSERTIONS.intersection(schema):
            schema = inner
    try:
        plain = _plain(schema, name, "")
    except RecursionError:
        raise ToolDefinitionError(f"the schema of tool {name!r} contains itself; use `$ref`") from None
    if isinstance(plain, bool):
        return plain
    if not isinstance(plain, dict):
        raise ToolDefinitionError(f"the schema of tool {name!r} is {_kind(schema)}; expected an object or a boolean")
    if "~standard" in plain or "_def" in plain:
        raise ToolDefinitionError(
            f"the schema of tool {name!r} is a schema library's own object ({_keys(plain)}); export it as JSON Schema"
        )
    if plain and not _ASSERTIONS.intersection(plain):
        raise ToolDefinitionError(
            f"the schema of tool {name!r} has the keys {_keys(plain)} and none that JSON Schema checks; "
            "expected `type`, `properties`, ... (`{}` accepts everything)"
        )
    return dialects.to_json_schema(plain)


def _plain(value: Any, name: str, pointer: str) -> Any:
    """Copy a JSON value; SDK objects in it become what they send."""
    if isinstance(value, Enum):
        value = value.value
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, Mapping):
        copy = {}
        for key, member in value.items():
            if not isinstance(key, str):
                raise ToolDefinitionError(
                    f"the schema of tool {name!r} has the key {key!r} at {pointer or '/'}; keys are strings"
                )
            copy[key] = _plain(member, name, f"{pointer}/{key}")
        return copy
    if isinstance(value, (list, tuple)):
        return [_plain(member, name, f"{pointer}/{index}") for index, member in enumerate(value)]
    if _dumps(value):
        return _plain(value.model_dump(mode="json", by_alias=True, exclude_none=True), name, pointer)
    raise ToolDefinitionError(
        f"the schema of tool {name!r} holds {_kind(value)} at {pointer or '/'}; expected JSON values only"
    )


def _dumps(value: Any) -> bool:
    """Tell an SDK's own schema object (a Pydantic instance) from other things."""
    return not inspect.isclass(value) and callable(getattr(value, "model_dump", None))


def _get(entry: Any, field: str) -> Any:
    if isinstance(entry, Mapping):
        return entry.get(field)
    return getattr(entry, field, None)


def _contained(entry: Any) -> Iterable[Any] | None:
    """Return the definitions that a container holds, or nothing when it is none."""
    if inspect.isclass(entry):
        return None
    config = _get(entry, "toolConfig")
    if isinstance(config, Mapping):
        entry = config
    for field in _CONTAINERS:
        value = _get(entry, field)
        if value is not None and _is_list(value):
            return list(value)
    return None


def _name(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value:
        raise ToolDefinitionError(f"{where} has the name {value!r}; expected a string that is not empty")
    return value


def _text(entry: Any) -> str | None:
    text = _get(entry, "description")
    return text if isinstance(text, str) else None


def _is_list(value: Any) -> bool:
    if isinstance(value, (str, bytes, Mapping)) or _dumps(value):
        return False
    return isinstance(value, (list, tuple, set, frozenset, Iterator))


def _is_function(value: Any) -> bool:
    return inspect.isroutine(value) or isinstance(value, functools.partial)


def _kind(value: Any) -> str:
    """Name a value's kind for a message: `the class WriteFile`, `an object of type WriteFile`."""
    if value is None:
        return "None"
    if inspect.isclass(value):
        return f"the class {value.__name__}"
    if _is_function(value):
        return f"the function {getattr(value, '__name__', '?')}"
    return f"an object of type {type(value).__name__}"


def _keys(value: Mapping[Any, Any]) -> str:
    shown = [repr(key) for key in list(value)[:6]]
    return ", ".join(shown) + (", ..." if len(value) > 6 else "") if shown else "none"


def _shown_keys(value: Any) -> str:
    return f" with the keys {_keys(value)}" if isinstance(value, Mapping) else ""
