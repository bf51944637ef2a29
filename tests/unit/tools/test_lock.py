"""What `lock` makes of each kind of definition, and what it refuses; the agents' loops are in tests/frameworks."""

from __future__ import annotations

import copy
import json
import sys
from typing import Any

import pytest
from pydantic import BaseModel

from interlock.errors import MissingExtraError, ToolDefinitionError, ToolLockedError
from interlock.tools.definitions import normalize_tools
from interlock.tools.lock import FRAMEWORKS, lock

pytestmark = pytest.mark.filterwarnings("ignore")

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
SAYS = "Write a file."


def write_file(path: str) -> str:
    """Write a file."""
    raise AssertionError("the tool ran")


def callback(*_: Any) -> Any:
    raise AssertionError("a callback ran")


class TestJsonDefinitions:
    def test_callbacks_of_the_ai_sdk_go_and_approval_is_forced(self):
        """Each name that the AI SDK calls by itself, in the map form."""
        definition = {
            "description": SAYS,
            "inputSchema": SCHEMA,
            "execute": callback,
            "onInputStart": callback,
            "onInputDelta": callback,
            "onInputAvailable": callback,
            "toModelOutput": callback,
            "needsApproval": callback,
            "strict": True,
        }
        locked = lock({"write_file": definition})
        assert locked == {
            "write_file": {"description": SAYS, "inputSchema": SCHEMA, "strict": True, "needsApproval": True}
        }
        assert definition["execute"] is callback

    def test_approval_is_forced_even_where_it_was_refused(self):
        """`needsApproval: false` is a wish, no decision."""
        assert lock({"w": {"inputSchema": SCHEMA, "needsApproval": False}})["w"]["needsApproval"] is True

    @pytest.mark.parametrize(
        "tools",
        [
            [{"type": "function", "function": {"name": "w", "description": SAYS, "parameters": SCHEMA}}],
            [{"type": "function", "name": "w", "parameters": SCHEMA, "strict": True}],
            [{"name": "w", "input_schema": SCHEMA, "cache_control": {"type": "ephemeral"}}],
            [{"functionDeclarations": [{"name": "w", "parameters": {"type": "OBJECT"}}]}],
            {"tools": [{"toolSpec": {"name": "w", "inputSchema": {"json": SCHEMA}}}], "toolChoice": {"auto": {}}},
            [{"name": "w", "description": SAYS, "inputSchema": SCHEMA}],
            {"tools": [{"name": "w", "inputSchema": SCHEMA}]},
            [{"type": "custom", "name": "w", "format": {"type": "text"}}],
            [{"type": "bash_20250124", "name": "bash"}],
            [{"type": "namespace", "name": "n", "description": "", "tools": [{"type": "function", "name": "w"}]}],
        ],
    )
    def test_definitions_that_are_data_stay_as_they_are(self, tools):
        """As copies: changing one later changes nothing that was locked."""
        before = copy.deepcopy(tools)
        locked = lock(tools)
        assert locked == before
        (locked[0] if isinstance(locked, list) else locked)["name"] = "changed"
        assert tools == before

    @pytest.mark.parametrize(
        ("tool", "name"),
        [
            ({"type": "web_search_20250305", "name": "web_search"}, "web_search"),
            ({"type": "code_interpreter", "container": {"type": "auto"}}, "code_interpreter"),
            ({"type": "mcp", "server_label": "files", "server_url": "https://example.com"}, "files"),
            ({"googleSearch": {}}, "google_search"),
            ({"systemTool": {"name": "nova_grounding"}}, "nova_grounding"),
            ({"type": "provider", "isProviderExecuted": True, "name": "web_search"}, "web_search"),
            ({"type": "provider-defined", "id": "openai.web_search", "name": "web_search"}, "web_search"),
            ({"type": "some_new_tool", "name": "new"}, "new"),
            ({"type": "namespace", "name": "n", "tools": [{"type": "web_search"}]}, "web_search"),
        ],
    )
    def test_a_tool_that_the_provider_runs_is_refused(self, tool, name):
        """Nothing here could hold it back."""
        with pytest.raises(ToolDefinitionError) as caught:
            lock([{"name": "w", "parameters": SCHEMA}, tool])
        assert str(caught.value) == (f"tool {name!r} cannot be locked: it runs at the provider, before any decision")

    @pytest.mark.parametrize(
        "tool",
        [
            {"functionDeclarations": [{"name": "w"}], "googleSearch": {}},
            {"function_declarations": [], "code_execution": {}},
            {"functionDeclarations": [{"name": "w"}], "someNewSearch": {}},
            {"codeExecution": {}},
            {"google_search": {}},
            {"w": {"type": "web_search_20250305"}},
        ],
    )
    def test_a_providers_tool_beside_functions_or_by_itself_is_refused(self, tool):
        for tools in (tool, [tool]) if "w" not in tool else (tool,):
            with pytest.raises(ToolDefinitionError, match="runs at the provider, before any decision"):
                lock(tools)

    @pytest.mark.parametrize(
        "tool",
        [
            {"type": "dynamic", "inputSchema": SCHEMA},
            {"type": "provider", "id": "anthropic.bash", "isProviderExecuted": False, "inputSchema": SCHEMA},
        ],
    )
    def test_tools_of_the_ai_sdk_are_named_by_their_key(self, tool):
        """`dynamicTool`, and a provider's tool that the caller runs."""
        assert lock({"w": {**tool, "execute": callback}}) == {"w": {**tool, "needsApproval": True}}

    def test_one_definition_without_a_name_is_one(self):
        """No mapping from names to tools, of which `execute` would be one."""
        locked = lock({"inputSchema": SCHEMA, "execute": callback})
        assert locked == {"inputSchema": SCHEMA, "needsApproval": True}
        with pytest.raises(ToolDefinitionError, match="its 'name' is no JSON value"):
            lock({"name": callback, "parameters": SCHEMA})

    def test_schemas_by_name_run_nothing(self):
        """What `Guard` takes as `tools`."""
        tools = {"w": SCHEMA, "any": {}, "one": {"anyOf": [{"type": "object"}]}, "G": {"type": "OBJECT"}}
        assert lock(tools) == tools

    def test_a_definition_that_holds_itself_is_refused(self):
        tool: dict[str, Any] = {"name": "w", "parameters": SCHEMA}
        tool["parameters"] = tool
        with pytest.raises(ToolDefinitionError, match="nested too deeply, or holds itself"):
            lock([tool])

    def test_a_provider_defined_tool_that_the_caller_runs_is_accepted(self):
        """The AI SDK says so itself."""
        tool = {"type": "provider", "isProviderExecuted": False, "name": "bash", "id": "anthropic.bash", "args": {}}
        assert lock([tool]) == [tool]

    @pytest.mark.parametrize(
        ("tools", "says"),
        [
            (
                {"w": {"description": callback, "inputSchema": SCHEMA}},
                "tool 'w' cannot be locked: its description",
            ),
            ([{"name": "w", "description": callback, "parameters": SCHEMA}], "its description is a function"),
            ({"w": {"inputSchema": callback}}, "tool 'w' cannot be locked: its 'inputSchema' is no JSON value"),
            ([{"name": "w", "parameters": SCHEMA, "hook": callback}], "its 'hook' is no JSON value"),
            ([{"name": "w", "parameters": {**SCHEMA, "x": callback}}], "its 'parameters' is no JSON value"),
            ([object()], "tools[0] cannot be locked: it is an object of type object"),
            (BaseModel, "tools cannot be locked"),
            ("write_file", "tools cannot be locked: it is an object of type str"),
            ([lambda path: path], "tool '<lambda>' cannot be locked: a function without a name"),
            ([{"quantumSearch": {}}], "expected a tool definition with a `name`"),
        ],
    )
    def test_what_could_run_code_or_is_not_known_is_refused(self, tools, says):
        """The message says which tool and why."""
        with pytest.raises(ToolDefinitionError) as caught:
            lock(tools, framework="anthropic")
        assert says in str(caught.value)


class TestFunctions:
    def test_functions_become_one_google_genai_tool(self):
        """Declared, with the schema of the signature; several groups are not allowed by the API."""
        types = pytest.importorskip("google.genai.types")

        def read_file(path: str, limit: int = 10) -> str:
            """Read a file."""
            raise AssertionError("the tool ran")

        (locked,) = lock([write_file, read_file])
        assert isinstance(locked, types.Tool)
        first, second = locked.function_declarations
        assert (first.name, first.description, second.name) == ("write_file", SAYS, "read_file")
        assert second.parameters_json_schema["properties"]["limit"]["type"] == "integer"
        assert second.parameters_json_schema["required"] == ["path"]

    @pytest.mark.parametrize("framework", [framework.name for framework in FRAMEWORKS])
    def test_a_function_becomes_a_tool_of_the_framework_that_is_named(self, framework):
        """The guard reads the locked tool as it reads any other."""
        try:
            (locked,) = lock([write_file], framework=framework)
        except ImportError:
            pytest.skip(f"{framework} is not installed")
        (spec,) = normalize_tools([locked]).values()
        assert (spec.name, spec.description) == ("write_file", SAYS)
        assert spec.schema["properties"]["path"]["type"] == "string" and spec.schema["required"] == ["path"]

    def test_an_unknown_framework_is_refused(self):
        """The message lists the words."""
        with pytest.raises(ToolDefinitionError, match="framework is 'langchian'; expected one of 'ai_python', "):
            lock([write_file], framework="langchian")


class TestFrameworks:
    def test_langchain_keeps_the_schema_as_data(self):
        """No model class of the caller validates arguments before a decision."""
        tools = pytest.importorskip("langchain_core.tools")

        class Arguments(BaseModel):
            path: str

            def model_post_init(self, _: Any) -> None:
                callback()

        tool = tools.StructuredTool.from_function(write_file, args_schema=Arguments)
        (locked,) = lock([tool])
        assert isinstance(locked.args_schema, dict) and locked.args_schema["required"] == ["path"]
        with pytest.raises(ToolLockedError) as caught:
            locked.invoke({"path": "a"})
        assert caught.value.tool == "write_file"
        assert tool.func is write_file

    def test_openai_agents_function_tools_need_approval(self):
        """Strictness and a boolean `is_enabled` stay."""
        agents = pytest.importorskip("agents")
        tool = agents.function_tool(write_file)
        tool.is_enabled = False
        (locked,) = lock([tool])
        assert locked.needs_approval is True and locked.strict_json_schema and locked.is_enabled is False
        assert json.dumps(locked.params_json_schema) == json.dumps(tool.params_json_schema)

    @pytest.mark.parametrize(
        ("make", "says"),
        [
            (lambda agents: agents.WebSearchTool(), "a WebSearchTool runs at the provider"),
            (
                lambda agents: agents.HostedMCPTool({"type": "mcp", "server_label": "x"}),
                "a HostedMCPTool runs at the provider",
            ),
            (lambda agents: agents.LocalShellTool(executor=callback), "a LocalShellTool holds an executor"),
            (lambda agents: agents.function_tool(write_file, is_enabled=callback), "`is_enabled` is a function"),
        ],
    )
    def test_openai_agents_tools_that_cannot_be_neutralised_are_refused(self, make, says):
        """Hosted ones, executors, and functions that the SDK asks first."""
        tool = make(pytest.importorskip("agents"))
        with pytest.raises(ToolDefinitionError, match=says):
            lock([tool])

    def test_pydantic_ai_tools_and_toolsets_become_external(self):
        """A tool, a toolset of functions, an external toolset, a definition."""
        pydantic_ai = pytest.importorskip("pydantic_ai")
        toolsets = pytest.importorskip("pydantic_ai.toolsets")
        external = lock(toolsets.FunctionToolset([write_file], id="files"))
        assert (external.id, [tool.name for tool in external.tool_defs]) == ("files", ["write_file"])
        assert external.tool_defs[0].kind == "external"
        again = lock(external)
        assert [tool.parameters_json_schema for tool in again.tool_defs] == [
            tool.parameters_json_schema for tool in external.tool_defs
        ]
        (tool,) = lock([pydantic_ai.Tool(write_file)])
        assert (tool.name, tool.description) == ("write_file", SAYS)
        assert lock(external.tool_defs)[0].kind == "external"

    @pytest.mark.parametrize(
        ("make", "says"),
        [
            (
                lambda ai, sets: ai.Tool(write_file, prepare=callback),
                "tool 'write_file' cannot be locked",
            ),
            (lambda ai, sets: sets.FunctionToolset([ai.Tool(write_file, prepare=callback)]), "`prepare` is a function"),
            (
                lambda ai, sets: sets.FunctionToolset([write_file]).prefixed("x"),
                "the tools of a PrefixedToolset are known only while it runs",
            ),
            (lambda ai, sets: ai.WebSearchTool(), "runs at the provider"),
        ],
    )
    def test_pydantic_ai_tools_that_are_made_while_running_are_refused(self, make, says):
        """Functions that the agent calls before the model does, wrappers, and the provider's own."""
        pydantic_ai = pytest.importorskip("pydantic_ai")
        toolsets = pytest.importorskip("pydantic_ai.toolsets")
        with pytest.raises(ToolDefinitionError, match=says):
            lock([make(pydantic_ai, toolsets)])

    def test_anthropic_runnable_tools_become_definitions(self):
        """Function tools, sync and async."""
        anthropic = pytest.importorskip("anthropic")

        async def later(path: str) -> str:
            """Write a file."""
            raise AssertionError("the tool ran")

        first, second = lock([anthropic.beta_tool(write_file), anthropic.beta_async_tool(later)])
        assert set(first) == {"name", "description", "input_schema"} and first["name"] == "write_file"
        assert second["name"] == "later" and second["input_schema"]["required"] == ["path"]

    def test_google_genai_tools_keep_their_declarations_only(self):
        """Both spellings of the schema; what Google runs is refused."""
        types = pytest.importorskip("google.genai.types")
        declared = types.FunctionDeclaration(
            name="w",
            description=SAYS,
            parameters=types.Schema(type="OBJECT", properties={"a": types.Schema(type="STRING")}),
        )
        (locked,) = lock([types.Tool(function_declarations=[declared])])
        assert locked.function_declarations[0].parameters_json_schema == {
            "type": "object",
            "properties": {"a": {"type": "string"}},
        }
        with pytest.raises(ToolDefinitionError, match="tool 'google_search' cannot be locked: it runs at the provider"):
            lock([types.Tool(google_search=types.GoogleSearch(), function_declarations=[declared])])

    def test_google_genai_groups_written_as_dicts_may_hold_objects(self):
        types = pytest.importorskip("google.genai.types")
        declared = types.FunctionDeclaration(name="w", description=SAYS, parameters_json_schema=SCHEMA)
        (locked,) = lock([{"function_declarations": [declared]}])
        assert locked["function_declarations"] == [declared] and locked["function_declarations"][0] is not declared

        def write_file(path: str) -> None:
            """Write."""
            raise AssertionError

        (made,) = lock({"tools": [write_file]})["tools"]
        assert made.function_declarations[0].name == "write_file"

    def test_mcp_tool_lists_keep_name_description_and_schema(self):
        """The list of a session, and single tools; a live session is refused."""
        types = pytest.importorskip("mcp.types")
        tool = types.Tool(name="w", description=SAYS, inputSchema=SCHEMA, annotations={"readOnlyHint": True})
        result = lock(types.ListToolsResult(tools=[tool]))
        (locked,) = result.tools
        assert type(result) is types.ListToolsResult and locked.annotations is None
        assert locked.model_dump(by_alias=True, exclude_none=True) == {
            "name": "w",
            "description": SAYS,
            "inputSchema": SCHEMA,
        }
        session = pytest.importorskip("mcp").ClientSession
        with pytest.raises(ToolDefinitionError, match="a framework would run its tools by itself"):
            lock([session.__new__(session)])


def test_a_name_of_a_framework_in_ones_own_code_is_not_enough():
    """A class that is called like a framework's, in a package that is called like it, is not taken for it."""
    module_like = type("FunctionTool", (), {"__module__": "agents.tool", "name": "w"})
    with pytest.raises(ToolDefinitionError, match="what would run it is not known"):
        lock([module_like()])
    near = type("BaseTool", (), {"__module__": "langchain_core_clone.tools"})
    with pytest.raises(ToolDefinitionError, match="what would run it is not known"):
        lock([near()])


def test_a_function_without_google_genai_says_what_to_install(monkeypatch):
    def f(a: int) -> int:
        """Add."""
        return a

    monkeypatch.setitem(sys.modules, "google.genai", None)
    with pytest.raises(MissingExtraError, match=r"name another, `framework=`.*pip install google-genai"):
        lock([f])


@pytest.mark.parametrize(
    ("framework", "module", "package"),
    [("strands", "strands", "strands-agents"), ("crewai", "crewai", "crewai"), ("mcp", "mcp", "mcp")],
)
def test_a_framework_that_is_not_installed_is_named(monkeypatch, framework, module, package):
    def f(a: int) -> int:
        """Add."""
        return a

    class Absent:
        @staticmethod
        def find_spec(name, path=None, target=None):
            if name.partition(".")[0] == module:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    for name in [one for one in sys.modules if one.partition(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Absent, *sys.meta_path])
    with pytest.raises(MissingExtraError, match=f"pip install {package}$"):
        lock([f], framework=framework)
