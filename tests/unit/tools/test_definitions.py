"""Every form of tool definitions, as keys and as the SDKs' own objects, comes out as the same specs."""

from __future__ import annotations

import copy
from types import SimpleNamespace
from typing import Any

import pydantic
import pytest
from hypothesis import given, settings

from interlock.errors import ToolDefinitionError
from interlock.tools.definitions import ToolSpec, normalize_tools
from support.schemas import schemas

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
GEMINI = {"type": "OBJECT", "properties": {"path": {"type": "STRING"}}, "required": ["path"]}
SAYS = "Write a file."

FORMS = {
    "name to schema": {"write_file": SCHEMA},
    "name and parameters": [{"name": "write_file", "parameters": SCHEMA}],
    "openai_chat": [
        {"type": "function", "function": {"name": "write_file", "description": SAYS, "parameters": SCHEMA}}
    ],
    "openai_responses": [
        {"type": "function", "name": "write_file", "description": SAYS, "parameters": SCHEMA, "strict": True}
    ],
    "openai namespace": [
        {
            "type": "namespace",
            "name": "write_file",
            "description": "Files.",
            "tools": [{"type": "function", "name": "write_file", "parameters": SCHEMA}],
        }
    ],
    "anthropic": [{"name": "write_file", "description": SAYS, "input_schema": SCHEMA}],
    "anthropic custom": [{"type": "custom", "name": "write_file", "input_schema": SCHEMA}],
    "gemini camel": [{"functionDeclarations": [{"name": "write_file", "description": SAYS, "parameters": GEMINI}]}],
    "gemini snake": [{"function_declarations": [{"name": "write_file", "parameters": GEMINI}]}],
    "gemini JSON Schema": [{"functionDeclarations": [{"name": "write_file", "parametersJsonSchema": SCHEMA}]}],
    "gemini declarations": [{"name": "write_file", "parameters": GEMINI}],
    "gemini one group": {"functionDeclarations": [{"name": "write_file", "parameters": GEMINI}]},
    "bedrock": [{"toolSpec": {"name": "write_file", "description": SAYS, "inputSchema": {"json": SCHEMA}}}],
    "bedrock config": {
        "tools": [{"toolSpec": {"name": "write_file", "inputSchema": {"json": SCHEMA}}}],
        "toolChoice": {"auto": {}},
    },
    "bedrock request": {
        "toolConfig": {"tools": [{"toolSpec": {"name": "write_file", "inputSchema": {"json": SCHEMA}}}]}
    },
    "bedrock cache point": [
        {"toolSpec": {"name": "write_file", "inputSchema": {"json": SCHEMA}}},
        {"cachePoint": {"type": "default"}},
    ],
    "mcp": [{"name": "write_file", "description": SAYS, "inputSchema": SCHEMA, "annotations": {"readOnlyHint": False}}],
    "mcp result": {"tools": [{"name": "write_file", "inputSchema": SCHEMA}], "nextCursor": None},
    "ai_sdk array": [{"type": "function", "name": "write_file", "description": SAYS, "inputSchema": SCHEMA}],
    "ai_sdk map": {"write_file": {"description": SAYS, "inputSchema": SCHEMA}},
    "ai_sdk wrapped": {"write_file": {"description": SAYS, "inputSchema": {"jsonSchema": SCHEMA}}},
    "ai_sdk v4": {"write_file": {"description": SAYS, "parameters": SCHEMA}},
    "name to jsonSchema": {"write_file": {"jsonSchema": SCHEMA}},
    "tuple": ({"name": "write_file", "parameters": SCHEMA},),
    "generator": lambda: ({"name": name, "parameters": SCHEMA} for name in ["write_file"]),
    "spec": [ToolSpec(name="write_file", schema=SCHEMA)],
    "name to spec": {"write_file": ToolSpec(name="write_file", schema=SCHEMA)},
    "said twice": [{"name": "write_file", "parameters": SCHEMA}, {"name": "write_file", "parameters": SCHEMA}],
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_spec(form):
    """One name, one schema, whatever the provider; the input stays as it was."""
    given_tools = FORMS[form]() if callable(FORMS[form]) else FORMS[form]
    before = copy.deepcopy(given_tools) if isinstance(given_tools, (dict, list)) else None
    (spec,) = normalize_tools(given_tools).values()
    assert (spec.name, spec.schema, spec.validator, spec.server_executed) == ("write_file", SCHEMA, None, False)
    assert spec.description in (None, SAYS)
    if before is not None:
        assert given_tools == before


def test_a_namespace_is_part_of_the_name_of_its_tools():
    """As the stream reports them; a namespace that holds one tool of its own name adds nothing."""
    tools = [{"type": "function", "name": name, "parameters": SCHEMA} for name in ("crm", "f")]
    assert list(normalize_tools([{"type": "namespace", "name": "crm", "tools": tools}])) == ["crm", "crm.f"]


def _mistral() -> Any:
    models = pytest.importorskip("mistralai.client.models")
    return [models.Tool(function={"name": "write_file", "description": SAYS, "parameters": SCHEMA})]


def _cohere() -> Any:
    cohere = pytest.importorskip("cohere")
    function = cohere.ToolV2Function(name="write_file", description=SAYS, parameters=SCHEMA)
    return [cohere.ToolV2(type="function", function=function)]


def _ollama() -> Any:
    ollama = pytest.importorskip("ollama")
    return [ollama.Tool(type="function", function={"name": "write_file", "parameters": SCHEMA})]


def _genai() -> Any:
    types = pytest.importorskip("google.genai.types")
    declared = types.FunctionDeclaration(name="write_file", description=SAYS, parameters=types.Schema(**GEMINI))
    return [types.Tool(function_declarations=[declared])]


def _genai_json_schema() -> Any:
    types = pytest.importorskip("google.genai.types")
    return [
        types.Tool(function_declarations=[types.FunctionDeclaration(name="write_file", parameters_json_schema=SCHEMA)])
    ]


def _mcp() -> Any:
    types = pytest.importorskip("mcp.types")
    return [types.Tool(name="write_file", description=SAYS, inputSchema=SCHEMA)]


def _mcp_result() -> Any:
    types = pytest.importorskip("mcp.types")
    return types.ListToolsResult(tools=_mcp())


def _openai_responses() -> Any:
    responses = pytest.importorskip("openai.types.responses")
    return [responses.FunctionTool(type="function", name="write_file", parameters=SCHEMA, strict=True)]


def _openai_agents() -> Any:
    agents = pytest.importorskip("agents")
    return [
        agents.FunctionTool(
            name="write_file",
            description=SAYS,
            params_json_schema=SCHEMA,
            on_invoke_tool=print,
            strict_json_schema=False,
        )
    ]


def _pydantic_ai() -> Any:
    tools = pytest.importorskip("pydantic_ai.tools")
    return [tools.ToolDefinition(name="write_file", description=SAYS, parameters_json_schema=SCHEMA)]


SDK_OBJECTS = [
    _mistral,
    _cohere,
    _ollama,
    _genai,
    _genai_json_schema,
    _mcp,
    _mcp_result,
    _openai_responses,
    _openai_agents,
    _pydantic_ai,
]


@pytest.mark.parametrize("build", SDK_OBJECTS)
def test_the_sdks_own_objects_give_the_same_spec(build):
    """Attributes instead of keys; what the SDK leaves out of a schema does not count."""
    (spec,) = normalize_tools(build()).values()
    assert (spec.name, spec.validator, spec.server_executed) == ("write_file", None, False)
    assert isinstance(spec.schema, dict)
    assert {key: spec.schema[key] for key in SCHEMA} == SCHEMA


class WriteFile(pydantic.BaseModel):
    """Write a file."""

    path: str


def write_file(path: str) -> None:
    """Write a file."""


class Rules:
    def validate(self, value: Any) -> bool:
        return True


RULES = Rules()


@pytest.mark.parametrize(
    ("tools", "name", "validator"),
    [
        pytest.param([WriteFile], "WriteFile", WriteFile, id="model-in-a-list"),
        pytest.param([write_file], "write_file", write_file, id="function-in-a-list"),
        pytest.param({"w": WriteFile}, "w", WriteFile, id="model-by-name"),
        pytest.param({"w": write_file}, "w", write_file, id="function-by-name"),
        pytest.param({"w": RULES}, "w", RULES, id="validator-by-name"),
        pytest.param([{"name": "w", "parameters": WriteFile}], "w", WriteFile, id="model-as-schema"),
        pytest.param([{"name": "w", "input_schema": RULES}], "w", RULES, id="validator-as-schema"),
        pytest.param([{"name": "w", "validator": RULES}], "w", RULES, id="validator-in-a-list"),
        pytest.param({"w": {"description": SAYS, "validator": RULES}}, "w", RULES, id="validator-in-a-definition"),
    ],
)
def test_what_checks_the_arguments_is_taken_for_what_it_is(tools, name, validator):
    """Classes, functions and objects, in each place where a schema may stand."""
    (spec,) = normalize_tools(tools).values()
    assert (spec.name, spec.schema) == (name, None) and spec.validator is validator


@pytest.mark.parametrize("tool", [write_file, WriteFile])
def test_a_docstring_is_the_description(tool):
    """Of a function and of a model."""
    (spec,) = normalize_tools([tool]).values()
    assert spec.description == SAYS


@pytest.mark.parametrize("schema", [True, False, {}])
def test_a_schema_that_means_anything_may_be_said(schema):
    """`{}` and the booleans are schemas like others."""
    assert normalize_tools({"w": schema})["w"].schema == schema


def test_none_means_that_nothing_checks_the_arguments():
    """The name is known; that is all."""
    assert normalize_tools({"w": None}) == {"w": ToolSpec(name="w")}
    assert normalize_tools([{"type": "function", "function": {"name": "w"}}]) == {"w": ToolSpec(name="w")}


SERVER = {
    "anthropic web_search": ({"type": "web_search_20250305", "name": "web_search", "max_uses": 3}, "web_search"),
    "anthropic code_execution": ({"type": "code_execution_20260521", "name": "code_execution"}, "code_execution"),
    "anthropic tool_search": (
        {"type": "tool_search_tool_bm25", "name": "tool_search_tool_bm25"},
        "tool_search_tool_bm25",
    ),
    "anthropic mcp": ({"type": "mcp_toolset", "mcp_server_name": "files"}, "files"),
    "anthropic, not known yet": ({"type": "advisor_20991231", "name": "advisor"}, "advisor"),
    "responses web_search": ({"type": "web_search_preview_2025_03_11"}, "web_search_preview"),
    "responses code_interpreter": ({"type": "code_interpreter", "container": {"type": "auto"}}, "code_interpreter"),
    "responses mcp": ({"type": "mcp", "server_label": "files", "server_url": "https://example.com"}, "files"),
    "responses tool_search": ({"type": "tool_search"}, "tool_search"),
    "openrouter": ({"type": "openrouter:web_search"}, "openrouter:web_search"),
    "gemini google_search": ({"google_search": {}}, "google_search"),
    "gemini googleSearch": ({"googleSearch": {}}, "google_search"),
    "gemini codeExecution": ({"codeExecution": {}}, "code_execution"),
    "bedrock": ({"systemTool": {"name": "nova_grounding"}}, "nova_grounding"),
    "mistral": ({"type": "image_generation"}, "image_generation"),
    "ai_sdk": (
        {"type": "provider-defined", "id": "anthropic.web_search_20250305", "name": "web_search", "args": {}},
        "web_search",
    ),
    "ai_sdk v7": ({"type": "provider", "isProviderExecuted": True, "name": "web_search"}, "web_search"),
}

CLIENT = {
    "anthropic bash": ({"type": "bash_20250124", "name": "bash"}, "bash"),
    "anthropic text_editor": (
        {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"},
        "str_replace_based_edit_tool",
    ),
    "anthropic computer": ({"type": "computer_20251124", "name": "computer", "display_width_px": 1}, "computer"),
    "anthropic memory": ({"type": "memory_20250818", "name": "memory"}, "memory"),
    "responses local_shell": ({"type": "local_shell"}, "local_shell"),
    "responses custom": ({"type": "custom", "name": "grammar", "format": {"type": "text"}}, "grammar"),
    "responses tool_search": ({"type": "tool_search", "execution": "client"}, "tool_search"),
    "chat custom": ({"type": "custom", "custom": {"name": "grammar"}}, "grammar"),
    "gemini computer_use": ({"computerUse": {}}, "computer_use"),
    "ai_sdk v7": ({"type": "provider", "isProviderExecuted": False, "name": "bash"}, "bash"),
}


@pytest.mark.parametrize(("entry", "name"), SERVER.values(), ids=SERVER)
def test_what_the_provider_runs_is_known_and_marked(entry, name):
    """Beside the caller's own tools, and never checked."""
    specs = normalize_tools([entry, {"name": "write_file", "parameters": SCHEMA}])
    assert list(specs) == [name, "write_file"]
    assert specs[name].server_executed and specs[name].schema is None


@pytest.mark.parametrize(("entry", "name"), CLIENT.values(), ids=CLIENT)
def test_a_provider_defined_tool_that_the_caller_runs_is_not_marked(entry, name):
    """Its schema is the provider's, so nothing checks it here."""
    (spec,) = normalize_tools([entry]).values()
    assert (spec.name, spec.schema, spec.server_executed) == (name, None, False)


def test_gemini_groups_hold_both_kinds():
    """One object may declare functions and turn provider tools on."""
    types = pytest.importorskip("google.genai.types")
    group = types.Tool(google_search=types.GoogleSearch(), function_declarations=[types.FunctionDeclaration(name="w")])
    marks = {name: spec.server_executed for name, spec in normalize_tools([group]).items()}
    assert marks == {"w": False, "google_search": True}


def test_a_toolset_of_anthropic_offers_its_members():
    """One nameless entry stands for the names that calls carry."""
    names = normalize_tools([{"type": "computer_toolset_20260801"}, {"type": "browser_toolset_20260801"}])
    assert {"screenshot", "left_click", "navigate"} <= set(names)
    assert not any(spec.server_executed for spec in names.values())


def test_the_members_of_a_toolset_are_those_of_the_sdk():
    """The list is checked against the SDK's types, where they are installed."""
    import typing

    for name, path in [
        ("computer_toolset", "anthropic.types.computer_toolset_configs_param:ComputerToolsetConfigsParam"),
        ("browser_toolset", "anthropic.types.browser_toolset_configs_param:BrowserToolsetConfigsParam"),
    ]:
        module, _, attribute = path.partition(":")
        members = typing.get_type_hints(getattr(pytest.importorskip(module), attribute))
        assert set(normalize_tools([{"type": f"{name}_20260801"}])) == set(members)


class TestGeminiDialect:
    @staticmethod
    def schema_of(parameters: Any) -> Any:
        return normalize_tools([{"functionDeclarations": [{"name": "w", "parameters": parameters}]}])["w"].schema

    def test_types_in_capitals_and_counts_as_text(self):
        """At every depth where a schema may stand."""
        assert self.schema_of(
            {
                "type": "OBJECT",
                "properties": {
                    "type": {"type": "STRING", "enum": ["OBJECT"], "maxLength": "10"},
                    "nullable": {"type": "ARRAY", "items": {"type": "INTEGER", "format": "int64"}, "minItems": "1"},
                    "any": {"anyOf": [{"type": "NUMBER"}, {"type": "BOOLEAN"}, {"type": "TYPE_UNSPECIFIED"}]},
                },
                "propertyOrdering": ["type"],
            }
        ) == {
            "type": "object",
            "properties": {
                "type": {"type": "string", "enum": ["OBJECT"], "maxLength": 10},
                "nullable": {"type": "array", "items": {"type": "integer", "format": "int64"}, "minItems": 1},
                "any": {"anyOf": [{"type": "number"}, {"type": "boolean"}, {}]},
            },
            "propertyOrdering": ["type"],
        }

    def test_nullable_lets_null_in_beside_everything_else(self):
        """Also beside an enum that does not list it."""
        from interlock.tools.validators import compile_tools

        parameters = {
            "type": "OBJECT",
            "properties": {"a": {"type": "STRING", "enum": ["x"], "nullable": True, "description": "A."}},
        }
        tools = compile_tools([{"functionDeclarations": [{"name": "w", "parameters": parameters}]}])
        assert [tools.validate("w", {"a": value}).valid for value in ("x", None, "y", 5)] == [True, True, False, False]

    def test_references_keep_their_target(self):
        """`defs` and `ref` are Gemini's spelling of `$defs` and `$ref`."""
        assert self.schema_of(
            {"type": "OBJECT", "properties": {"a": {"ref": "#/defs/x"}}, "defs": {"x": {"type": "STRING"}}}
        ) == {"type": "object", "properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"type": "string"}}}

    @settings(max_examples=100, deadline=None)
    @given(schema=schemas())
    def test_a_json_schema_is_left_alone(self, schema):
        """No JSON Schema is taken for the dialect."""
        assert normalize_tools({"w": schema})["w"].schema == schema


REFUSED = {
    "nothing": (None, "tools is None; expected a mapping from name to schema, or a list of definitions"),
    "text": ("write_file", "tools is an object of type str"),
    "a number": (5, "tools is an object of type int"),
    "a model": (WriteFile, "tools is the class WriteFile"),
    "a function": (write_file, "tools is the function write_file"),
    "one definition": (
        {"type": "function", "function": {"name": "w"}},
        "tools has the keys 'type', 'function': that is one definition; put it in a list",
    ),
    "no name": (
        [{"parameters": SCHEMA}],
        "tools[0] is an object of type dict with the keys 'parameters'; expected a tool definition with a `name`",
    ),
    "an empty name": (
        [{"name": "", "parameters": SCHEMA}],
        "tools[0] has the name ''; expected a string that is not empty",
    ),
    "a name that is no text": ({5: SCHEMA}, "tools has the name 5"),
    "text in the list": (["write_file"], "tools[0] is an object of type str; expected a tool definition"),
    "None in the list": ([None], "tools[0] is None; expected a tool definition"),
    "a lambda in the list": ([lambda a: a], "tools[0] is the function <lambda> without a name"),
    "an unknown object": (
        [{"quantumSearch": {}}],
        "tools[0] is an object of type dict with the keys 'quantumSearch'",
    ),
    "an object without a schema": (
        [SimpleNamespace(name="w")],
        "tool 'w' (tools[0]) is an object of type SimpleNamespace, which has no schema",
    ),
    "two schemas": (
        [{"name": "w", "parameters": SCHEMA, "input_schema": SCHEMA}],
        "tool 'w' (tools[0]) has its schema twice: `parameters` and `input_schema`; keep one",
    ),
    "schema and validator": (
        [{"name": "w", "parameters": SCHEMA, "validator": RULES}],
        "tool 'w' has both a schema (`parameters`) and a validator; give one",
    ),
    "schema and validator by name": (
        {"w": {"parameters": SCHEMA, "validator": RULES}},
        "tool 'w' has both a schema (`parameters`) and a validator; give one",
    ),
    "said twice, differently": (
        [{"name": "w", "parameters": SCHEMA}, {"name": "w", "parameters": {"type": "object"}}],
        "tool 'w' is declared twice, differently; keep one",
    ),
    "two names": (
        {"w": {"name": "x", "parameters": SCHEMA}},
        "tool 'w' is declared under that key, but its definition says 'x'",
    ),
    "text as schema": ({"w": "object"}, "that is one definition; put it in a list"),
    "a list as schema": ({"w": [SCHEMA]}, "tool 'w' is declared by an object of type list; expected a JSON Schema"),
    "properties alone": (
        {"w": {"path": {"type": "string"}}},
        "the schema of tool 'w' has the keys 'path' and none that JSON Schema checks",
    ),
    "a description alone": (
        {"w": {"description": SAYS}},
        "the schema of tool 'w' has the keys 'description' and none that JSON Schema checks",
    ),
    "a zod object": (
        {"w": {"_def": {"typeName": "ZodObject"}, "type": "object"}},
        "the schema of tool 'w' is a schema library's own object",
    ),
    "a standard-schema object": (
        [{"name": "w", "inputSchema": {"~standard": {"version": 1}, "type": "object"}}],
        "export it as JSON Schema",
    ),
    "a class inside": (
        {"w": {"type": "object", "properties": {"path": str}}},
        "the schema of tool 'w' holds the class str at /properties/path; expected JSON values only",
    ),
    "a key that is no text": (
        {"w": {"type": "object", "properties": {1: {}}}},
        "has the key 1 at /properties; keys are strings",
    ),
}


@pytest.mark.parametrize(("tools", "says"), REFUSED.values(), ids=REFUSED)
def test_what_is_not_understood_is_refused(tools, says):
    """The message says what came and what was expected."""
    with pytest.raises(ToolDefinitionError) as caught:
        normalize_tools(tools)
    assert says in str(caught.value)


def test_a_schema_that_contains_itself_is_refused():
    """As Python objects; JSON Schema says that with `$ref`."""
    schema: dict[str, Any] = {"type": "object"}
    schema["properties"] = {"child": schema}
    with pytest.raises(ToolDefinitionError, match="the schema of tool 'w' contains itself"):
        normalize_tools({"w": schema})
