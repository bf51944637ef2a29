"""Record what agent frameworks make of model streams: the fixtures of tests/recordings/<framework>/.

    python scripts/record_frameworks.py langchain pydantic_ai openai_agents ag_ui ai_sdk_ui claude_agent
    python3.12 scripts/record_frameworks.py ai_python

Each real framework talks to the loopback server of `framework_server.py`; the events that it yields are written
as they are, one JSON object a line, with ids, times and addresses made stable and empty fields left out. The
packages that a recorder needs are named in its docstring; `ai` needs Python 3.12.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from framework_server import PLANS, WHOLE, serve

for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
    os.environ[name] = "not-a-key"
os.environ.update(LANGSMITH_TRACING="false", OPENAI_AGENTS_DISABLE_TRACING="1", NO_PROXY="127.0.0.1")

OUT = Path(__file__).resolve().parents[1] / "tests" / "recordings"
SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
    "required": ["path", "content"],
}
CHAT = ["clean", "two", "cut_length", "whole_length", "cut_says_done", "filtered", "eof", "broken", "error", "new_word"]
RESPONSES = ["clean", "two", "cut_length", "whole_length", "filtered", "eof", "broken", "error", "new_word"]
MESSAGES = [
    "clean",
    "two",
    "cut_length",
    "whole_length",
    "filtered",
    "eof",
    "broken",
    "error",
    "paused",
    "new_word",
    "server",
]
ALL = {"chat": CHAT, "responses": RESPONSES, "anthropic": MESSAGES}
FEW = {"chat": ["clean", "two", "cut_length", "whole_length", "eof", "error"], "anthropic": ["clean", "two", "paused"]}

Recording = AsyncIterator[Any]
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b(?:msg|part)_[0-9a-f]{12}\b")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)")
URL = re.compile(r"http://127\.0\.0\.1:\d+/[^\"]*")
FLOAT_TIME = re.compile(r'("created_at": )\d+\.\d+')


class Stable:
    """Replaces what differs from run to run, each id by its number of appearance."""

    def __init__(self) -> None:
        self.seen: dict[str, str] = {}

    def __call__(self, line: str) -> str:
        """Return the line with stable ids, times and addresses."""
        line = UUID.sub(lambda hit: self.seen.setdefault(hit[0], f"id-{len(self.seen)}"), line)
        line = FLOAT_TIME.sub(r"\g<1>1.0", URL.sub("http://127.0.0.1/", TIME.sub("2026-01-01T00:00:00Z", line)))
        return re.sub(r'("(?:timestamp|duration_ms|duration_api_ms|ttft_ms|time_to_request_ms)": )\d+', r"\g<1>1", line)


def small(value: Any) -> Any:
    """Leave out what is `None` or empty, but for arguments, which say something when they are empty."""
    if isinstance(value, dict):
        return {
            key: small(one)
            for key, one in value.items()
            if one not in (None, [], {}) or key in ("input", "arguments", "args", "content")
        }
    return [small(one) for one in value] if isinstance(value, list) else value


async def save(wire: str, name: str, made_by: str, stream: Recording, expected: list[dict[str, Any]]) -> None:
    """Write one recording, what is expected of it, and how it was made."""
    lines, end, stable = [], "eof", Stable()
    try:
        async for event in stream:
            lines.append(stable(json.dumps(small(event))))  # noqa: PERF401 - what came before an error counts
    except Exception as error:
        end = "error"
        print(f"{wire}/{name}: {type(error).__name__}: {str(error)[:90]}")
    folder = OUT / wire
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.jsonl").write_text("".join(line + "\n" for line in lines))
    for file, value in (
        ("all.expected.json", {"end": end, "calls": expected}),
        (
            "all.origin.json",
            {"made_by": made_by, "how": "scripts/record_frameworks.py, against scripts/framework_server.py"},
        ),
    ):
        known = json.loads((folder / file).read_text()) if (folder / file).exists() else {}
        known[name] = value
        (folder / file).write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n")


# How each end of `framework_server.PLANS` is to be judged for a call whose text is whole.
VERDICTS = {
    "done": ("execute", "complete"),
    "length": ("retry", "stream_incomplete"),
    "filtered": ("reject", "content_filtered"),
    "eof": ("retry", "stream_incomplete"),
    "broken": ("retry", "stream_incomplete"),
    "error": ("retry", "stream_incomplete"),
    "paused": ("retry", "stream_incomplete"),
    "new_word": ("retry", "stream_incomplete"),
}


def expect(scenario: str, *, verdict: tuple[str, str] | None = None, server: bool = True) -> list[dict[str, Any]]:
    """Return what a guard is to say of each call of a scenario, in order."""
    calls, end = PLANS[scenario]
    out = []
    for id, text in calls:
        if id.startswith("srv"):
            if server:
                out.append({"id": id, "action": "reject", "reason": "server_executed"})
            continue
        action, reason = verdict or VERDICTS[end]
        if text != WHOLE.get(id) and action != "reject":
            action, reason = "retry", "truncated"
        call: dict[str, Any] = {"id": id, "action": action, "reason": reason}
        if action == "execute":
            call["value"] = json.loads(text)
        out.append(call)
    return out


EXECUTED = ("reject", "sdk_execution_observed")
UNKNOWN = ("retry", "stream_incomplete")


# -- LangChain ---------------------------------------------------------------


async def langchain(root: str) -> None:
    """langchain-core, langchain-openai, langchain-anthropic: `model.astream`, and a tool's own message."""
    from langchain_anthropic import ChatAnthropic
    from langchain_core.tools import tool
    from langchain_openai import ChatOpenAI

    @tool
    def write_file(path: str, content: str) -> str:
        """Write a file."""
        return "written"

    def model(kind: str, base: str) -> Any:
        if kind == "anthropic":
            return ChatAnthropic(model_name="claude-x", base_url=base, api_key="k", max_retries=0)
        return ChatOpenAI(
            model="m", base_url=f"{base}/v1", api_key="k", max_retries=0, use_responses_api=kind == "responses"
        )

    async def run(kind: str, scenario: str, execute: bool = False) -> Recording:
        base = f"{root}/{scenario}@lc{kind}{execute}"
        whole = None
        async for chunk in model(kind, base).bind_tools([write_file]).astream("go"):
            yield chunk.model_dump(mode="json")
            whole = chunk if whole is None else whole + chunk
        if execute:
            for call in whole.tool_calls:
                yield (await write_file.ainvoke(call)).model_dump(mode="json")

    by = f"langchain-core {version('langchain-core')}, langchain-openai {version('langchain-openai')}, "
    by += f"langchain-anthropic {version('langchain-anthropic')}"
    for kind, scenarios in ALL.items():
        for scenario in scenarios:
            await save("langchain", f"{kind}-{scenario}", by, run(kind, scenario), expect(scenario))
        await save("langchain", f"{kind}-executed", by, run(kind, "clean", True), expect("clean", verdict=EXECUTED))


# -- pydantic-ai -------------------------------------------------------------


def pydantic_model(kind: str, base: str) -> Any:
    """Return a pydantic-ai model that talks to the loopback server."""
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.anthropic import AnthropicProvider
    from pydantic_ai.providers.openai import OpenAIProvider

    if kind == "anthropic":
        return AnthropicModel("claude-x", provider=AnthropicProvider(base_url=base, api_key="k"))
    provider = OpenAIProvider(base_url=f"{base}/v1", api_key="k")
    return OpenAIChatModel("m", provider=provider) if kind == "chat" else OpenAIResponsesModel("m", provider=provider)


def external_agent(kind: str, base: str) -> Any:
    """Return a pydantic-ai agent whose tool is run outside of it."""
    from pydantic_ai import Agent
    from pydantic_ai.tools import DeferredToolRequests, ToolDefinition
    from pydantic_ai.toolsets import ExternalToolset

    tools = ExternalToolset([ToolDefinition(name="write_file", parameters_json_schema=SCHEMA)])
    return Agent(pydantic_model(kind, base), toolsets=[tools], output_type=[str, DeferredToolRequests])


async def pydantic_ai(root: str) -> None:
    """pydantic-ai-slim, openai, anthropic: `run_stream_events` with the tool outside, run, and waiting for approval."""
    from pydantic import TypeAdapter
    from pydantic_ai import Agent, ModelRequest, ModelResponse
    from pydantic_ai.direct import model_request_stream
    from pydantic_ai.messages import AgentStreamEvent
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.run import AgentRunResultEvent
    from pydantic_ai.tools import DeferredToolRequests, ToolDefinition

    events, responses = TypeAdapter(AgentStreamEvent), TypeAdapter(ModelResponse)

    async def run(agent: Any) -> Recording:
        async with agent.run_stream_events("go") as stream:
            async for event in stream:
                if isinstance(event, AgentRunResultEvent):  # it holds the responses; they are recorded themselves
                    for message in event.result.new_messages():
                        if isinstance(message, ModelResponse):
                            yield responses.dump_python(message, mode="json")
                else:
                    yield events.dump_python(event, mode="json")

    def own_agent(kind: str, base: str, approval: bool) -> Any:
        agent = Agent(pydantic_model(kind, base), output_type=[str, DeferredToolRequests])

        @agent.tool_plain(requires_approval=approval)
        def write_file(path: str, content: str) -> str:
            """Write a file."""
            return "written"

        return agent

    async def direct(kind: str, base: str) -> Recording:
        parameters = ModelRequestParameters(
            function_tools=[ToolDefinition(name="write_file", parameters_json_schema=SCHEMA)]
        )
        request = [ModelRequest.user_text_prompt("go")]
        async with model_request_stream(
            pydantic_model(kind, base), request, model_request_parameters=parameters
        ) as stream:
            async for event in stream:
                yield events.dump_python(event, mode="json")
            yield responses.dump_python(stream.get(), mode="json")

    by = f"pydantic-ai-slim {version('pydantic-ai-slim')}"
    for kind, scenarios in ALL.items():
        for scenario in scenarios:
            base = f"{root}/{scenario}@pydirect{kind}"
            await save("pydantic_ai", f"{kind}-{scenario}", by, direct(kind, base), expect(scenario, server=False))
        for name, agent, verdict in (
            ("outside", external_agent(kind, f"{root}/two@pyout{kind}"), None),
            ("executed", own_agent(kind, f"{root}/two@pyrun{kind}", False), EXECUTED),
            ("approval", own_agent(kind, f"{root}/two@pyask{kind}", True), UNKNOWN),
        ):
            await save("pydantic_ai", f"{kind}-run-{name}", by, run(agent), expect("two", verdict=verdict))


# -- AG-UI and the AI SDK's UI stream, as pydantic-ai sends them ---------------


async def ag_ui(root: str) -> None:
    """ag-ui-protocol, pydantic-ai-slim: the AG-UI adapter, with the frontend's tool."""
    from ag_ui.core import RunAgentInput
    from pydantic_ai import Agent
    from pydantic_ai.ui.ag_ui import AGUIAdapter

    async def run(kind: str, scenario: str, frontend: bool) -> Recording:
        base = f"{root}/{scenario}@agui{kind}{frontend}"
        agent = Agent(pydantic_model(kind, base))
        if not frontend:

            @agent.tool_plain
            def write_file(path: str, content: str) -> str:
                """Write a file."""
                return "written"

        tools = [{"name": "write_file", "description": "Write a file.", "parameters": SCHEMA}] if frontend else []
        asked = RunAgentInput.model_validate(
            {
                "threadId": "t",
                "runId": "r",
                "protocolVersion": "1.0",
                "state": {},
                "tools": tools,
                "context": [],
                "messages": [{"id": "m", "role": "user", "content": "go"}],
                "forwardedProps": {},
            }
        )
        adapter = AGUIAdapter(agent=agent, run_input=asked)
        async for event in adapter.run_stream():
            yield event.model_dump(mode="json", by_alias=True)

    by = f"ag-ui-protocol {version('ag-ui-protocol')}, pydantic-ai-slim {version('pydantic-ai-slim')}"
    for kind, scenarios in FEW.items():
        for scenario in scenarios:
            # The protocol hides why the model stopped: what is whole executes when the producer says success.
            verdict = ("reject", "provider_error") if scenario == "error" else ("execute", "complete")
            if scenario == "cut_length":
                verdict = EXECUTED  # the framework answered the call itself before it gave up
            expected = expect(scenario, verdict=verdict)
            if (kind, scenario) == ("chat", "two"):
                # This producer ends the first of two interleaved calls before its arguments: not by the protocol.
                expected[0] = {"id": "call_A", "action": "reject", "reason": "protocol_violation"}
            await save("ag_ui", f"{kind}-{scenario}", by, run(kind, scenario, True), expected)
        await save("ag_ui", f"{kind}-executed", by, run(kind, "two", False), expect("two", verdict=EXECUTED))


async def ai_sdk_ui(root: str) -> None:
    """pydantic-ai-slim: the Vercel AI adapter, with the client's tool."""
    from pydantic_ai import Agent
    from pydantic_ai.ui.vercel_ai import VercelAIAdapter
    from pydantic_ai.ui.vercel_ai.request_types import SubmitMessage

    async def run(kind: str, scenario: str, how: str) -> Recording:
        base = f"{root}/{scenario}@ui{kind}{how}"
        if how == "client":
            agent = external_agent(kind, base)
        else:
            from pydantic_ai.tools import DeferredToolRequests

            agent = Agent(pydantic_model(kind, base), output_type=[str, DeferredToolRequests])

            @agent.tool_plain(requires_approval=how == "approval")
            def write_file(path: str, content: str) -> str:
                """Write a file."""
                return "written"

        message = {"id": "u", "role": "user", "parts": [{"type": "text", "text": "go"}]}
        asked = SubmitMessage.model_validate({"trigger": "submit-message", "id": "c", "messages": [message]})
        adapter = VercelAIAdapter(agent=agent, run_input=asked, sdk_version=6)
        async for event in adapter.run_stream():
            text = adapter.build_event_stream().encode_event(event)
            data = text.removeprefix("data: ").strip()
            yield "[DONE]" if data == "[DONE]" else json.loads(data)

    by = f"pydantic-ai-slim {version('pydantic-ai-slim')}"
    for kind, scenarios in FEW.items():
        for scenario in scenarios:
            verdict = ("reject", "provider_error") if scenario in ("error", "cut_length") else None
            if (kind, scenario) == ("chat", "eof"):
                verdict = ("execute", "complete")  # this sender writes `stop` for a reason that never came
            await save(
                "ai_sdk_ui", f"{kind}-{scenario}", by, run(kind, scenario, "client"), expect(scenario, verdict=verdict)
            )
        await save("ai_sdk_ui", f"{kind}-executed", by, run(kind, "two", "run"), expect("two", verdict=EXECUTED))
        await save("ai_sdk_ui", f"{kind}-approval", by, run(kind, "two", "approval"), expect("two", verdict=UNKNOWN))


# -- OpenAI Agents SDK -------------------------------------------------------


async def openai_agents(root: str) -> None:
    """openai-agents, openai: `Runner.run_streamed` with a tool that waits for approval, and with one that runs."""
    from agents import Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, function_tool
    from openai import AsyncOpenAI

    async def run(kind: str, scenario: str, waits: bool) -> Recording:
        @function_tool(needs_approval=waits)
        def write_file(path: str, content: str) -> str:
            """Write a file."""
            return "written"

        client = AsyncOpenAI(base_url=f"{root}/{scenario}@oa{kind}{waits}/v1", api_key="k", max_retries=0)
        model = (OpenAIChatCompletionsModel if kind == "chat" else OpenAIResponsesModel)("m", client)
        result = Runner.run_streamed(Agent(name="a", model=model, tools=[write_file]), "go", max_turns=4)
        async for event in result.stream_events():
            if event.type == "raw_response_event":
                yield {"type": event.type, "data": event.data.model_dump(mode="json", exclude_unset=True)}
            elif event.type == "run_item_stream_event":
                raw = event.item.raw_item
                raw = raw if isinstance(raw, dict) else raw.model_dump(mode="json", exclude_unset=True)
                yield {"type": event.type, "name": event.name, "item": {"type": event.item.type, "raw_item": raw}}
            else:
                yield {"type": event.type}

    by = f"openai-agents {version('openai-agents')}, openai {version('openai')}"
    for kind in ("chat", "responses"):
        for scenario in ALL[kind]:
            verdict = UNKNOWN if kind == "chat" else None
            if (kind, scenario) == ("responses", "error"):
                verdict = ("reject", "provider_error")  # the error event itself is passed on
            await save(
                "openai_agents", f"{kind}-{scenario}", by, run(kind, scenario, True), expect(scenario, verdict=verdict)
            )
        await save("openai_agents", f"{kind}-executed", by, run(kind, "two", False), expect("two", verdict=EXECUTED))


# -- Claude Agent SDK --------------------------------------------------------


async def claude_agent(root: str) -> None:
    """claude-agent-sdk, with the command line that it brings: an in-process tool; run it with an empty HOME."""
    import claude_agent_sdk._internal.client as client
    from claude_agent_sdk import ClaudeAgentOptions, HookMatcher, create_sdk_mcp_server, query, tool

    lines: list[dict[str, Any]] = []
    parse = client.parse_message
    client.parse_message = lambda data: (lines.append(data), parse(data))[1]  # the JSON lines behind the objects

    @tool("write_file", "Write a file.", {"path": str, "content": str})
    async def write_file(args: dict[str, Any]) -> dict[str, Any]:
        return {"content": [{"type": "text", "text": "written"}]}

    async def defer(*_: Any) -> dict[str, Any]:
        return {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "defer"}}

    async def run(scenario: str, how: str) -> Recording:
        env = {
            "ANTHROPIC_BASE_URL": f"{root}/{scenario}@claude{how}",
            "ANTHROPIC_API_KEY": "k",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_MAX_RETRIES": "0",
        }
        options = ClaudeAgentOptions(
            mcp_servers={"t": create_sdk_mcp_server("t", tools=[write_file])},
            allowed_tools=["mcp__t__write_file"],
            tools=[],
            setting_sources=[],
            env=env,
            model="claude-x",
            system_prompt="s",
            include_partial_messages=how != "whole",
            hooks={"PreToolUse": [HookMatcher(hooks=[defer])]} if how == "defer" else None,
        )
        lines.clear()
        async for _ in query(prompt="go", options=options):
            while lines:
                line = lines.pop(0)
                if line["type"] not in ("system", "rate_limit_event"):
                    yield {key: value for key, value in line.items() if key not in ("usage", "modelUsage", "uuid")}

    by = f"claude-agent-sdk {version('claude-agent-sdk')}"
    # The command line answers every call, however its message ended, unless a hook defers it.
    cases = [("executed", "two", "run"), ("whole-executed", "two", "whole"), ("deferred", "clean", "defer")]
    cases += [(name, name, "run") for name in ("cut_length", "filtered", "server", "error", "eof")]
    for name, scenario, how in cases:
        verdict = UNKNOWN if how == "defer" else EXECUTED
        await save("claude_agent", name, by, run(scenario, how), expect(scenario, verdict=verdict))


# -- AI SDK for Python -------------------------------------------------------


async def ai_python(root: str) -> None:
    """The package ai (Python 3.12), openai, anthropic: `ai.stream`, `Agent.run`, and its AI SDK UI stream."""
    import ai
    from ai.types import events as types
    from ai.ui.ai_sdk import outbound_stream

    @ai.tool
    async def write_file(path: str, content: str) -> str:
        """Write a file."""
        return "written"

    @ai.tool(require_approval=True)
    async def ask_write_file(path: str, content: str) -> str:
        """Write a file."""
        return "written"

    def model(kind: str, base: str) -> Any:
        if kind == "anthropic":
            return ai.Model(id="claude-x", provider=ai.get_provider("anthropic", base_url=base, api_key="k"))
        protocols = ai.providers.openai
        protocol = protocols.OpenAIChatCompletionsProtocol() if kind == "chat" else protocols.OpenAIResponsesProtocol()
        return ai.Model(
            id="m", provider=ai.get_provider("openai", base_url=f"{base}/v1", api_key="k"), protocol=protocol
        )

    def dump(event: Any) -> Any:
        token = types._omit_event_messages.set(True)
        try:
            return event.model_dump(mode="json")
        finally:
            types._omit_event_messages.reset(token)

    async def stream(kind: str, scenario: str) -> Recording:
        base = f"{root}/{scenario}@ai{kind}"
        async with ai.stream(model(kind, base), [ai.user_message("go")], tools=[write_file.tool]) as events:
            async for event in events:
                yield dump(event)

    async def agent(kind: str, scenario: str, tool: Any) -> Recording:
        base = f"{root}/{scenario}@aiagent{kind}{tool is write_file}"
        async with ai.Agent(tools=[tool]).run(model(kind, base), [ai.user_message("go")]) as events:
            async for event in events:
                yield dump(event)
                if event.kind == "run_blocked":
                    return  # it would wait for the approval

    async def ui(kind: str, scenario: str) -> Recording:
        base = f"{root}/{scenario}@aiui{kind}"

        async def events() -> Recording:
            async with ai.Agent(tools=[write_file]).run(model(kind, base), [ai.user_message("go")]) as source:
                async for event in source:
                    yield event

        async for chunk in outbound_stream.to_stream(events()):
            yield json.loads(outbound_stream.serialize_event(chunk))

    by = f"ai {version('ai')}, openai {version('openai')}, anthropic {version('anthropic')}"
    for kind, scenarios in ALL.items():
        for scenario in scenarios:
            await save("ai_python", f"{kind}-{scenario}", by, stream(kind, scenario), expect(scenario))
        executed = expect("two", verdict=EXECUTED)
        await save("ai_python", f"{kind}-run-executed", by, agent(kind, "two", write_file), executed)
        await save(
            "ai_python", f"{kind}-run-approval", by, agent(kind, "two", ask_write_file), expect("two", verdict=UNKNOWN)
        )
        await save("ai_sdk_ui", f"ai-{kind}-executed", by, ui(kind, "two"), executed)


RECORDERS: dict[str, Callable[[str], Any]] = {
    "langchain": langchain,
    "pydantic_ai": pydantic_ai,
    "openai_agents": openai_agents,
    "ag_ui": ag_ui,
    "ai_sdk_ui": ai_sdk_ui,
    "claude_agent": claude_agent,
    "ai_python": ai_python,
}


if __name__ == "__main__":
    server, address = serve()
    for chosen in sys.argv[1:]:
        asyncio.run(RECORDERS[chosen](address))
    server.shutdown()
