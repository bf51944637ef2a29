"""Locked tools in the real frameworks, before a local model endpoint.

Each framework gets its documented streaming agent loop. Unlocked, the loop runs
the tool, which proves that the test can fail; locked, it never does, however the
stream ends; and what the guard hands out then runs once, on the clean stream only.
A framework that is not installed is skipped: see `make frameworks`.
"""

from __future__ import annotations

import asyncio
import gc
import inspect
import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest

from interlock import Guard
from interlock.tools.lock import lock
from support.model_server import SCENARIOS, ModelServer, Run

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(180)]

LIMIT = 15  # seconds for one agent run


class Disk:
    """Stands for the side effect: what `write_file` was run with."""

    def __init__(self) -> None:
        self.written: list[tuple[str, str]] = []

    def write(self, path: str, content: str) -> str:
        self.written.append((path, content))
        return "written"


Transform = Callable[[Any], Any]
Drive = Callable[[str, Disk, Transform, Transform], Any]


def anthropic_runner(eager: bool) -> Drive:
    def drive(base: str, disk: Disk, change: Transform, watch: Transform) -> None:
        from anthropic import Anthropic, beta_tool

        @beta_tool
        def write_file(path: str, content: str) -> str:
            """Write a file."""
            return disk.write(path, content)

        client = Anthropic(base_url=base, api_key="k", max_retries=0)
        runner = client.beta.messages.tool_runner(
            model="claude-sonnet-4-5",
            max_tokens=64,
            tools=change([write_file]),
            messages=[{"role": "user", "content": "go"}],
            stream=True,
            max_iterations=3,
            run_tools_eagerly=eager,
        )
        for stream in runner:
            for _ in watch(stream):
                pass

    return drive


def langchain(kind: str) -> Drive:
    def drive(base: str, disk: Disk, change: Transform, watch: Transform) -> None:
        from langchain.agents import create_agent
        from langchain_core.tools import tool
        from langchain_openai import ChatOpenAI

        @tool
        def write_file(path: str, content: str) -> str:
            """Write a file."""
            return disk.write(path, content)

        model = ChatOpenAI(
            model="m",
            base_url=f"{base}/v1",
            api_key="k",
            streaming=True,
            max_retries=0,
            use_responses_api=kind == "responses",
        )
        agent = create_agent(model, change([write_file]))
        stream = agent.stream({"messages": [("user", "go")]}, {"recursion_limit": 8}, stream_mode="messages")
        for _ in watch(stream):
            pass

    return drive


def openai_agents(kind: str) -> Drive:
    async def drive(base: str, disk: Disk, change: Transform, watch: Transform) -> None:
        from agents import (
            Agent,
            OpenAIChatCompletionsModel,
            OpenAIResponsesModel,
            Runner,
            function_tool,
            set_tracing_disabled,
        )
        from openai import AsyncOpenAI

        set_tracing_disabled(True)

        @function_tool
        def write_file(path: str, content: str) -> str:
            """Write a file."""
            return disk.write(path, content)

        client = AsyncOpenAI(base_url=f"{base}/v1", api_key="k", max_retries=0)
        model = (OpenAIChatCompletionsModel if kind == "chat" else OpenAIResponsesModel)("m", client)
        run = Runner.run_streamed(Agent(name="a", model=model, tools=change([write_file])), "go", max_turns=3)
        async for _ in watch(run.stream_events()):
            pass

    return drive


def pydantic_ai(toolset: bool) -> Drive:
    async def drive(base: str, disk: Disk, change: Transform, watch: Transform) -> None:
        from pydantic_ai import Agent, DeferredToolRequests, Tool
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider
        from pydantic_ai.toolsets import FunctionToolset

        def write_file(path: str, content: str) -> str:
            """Write a file."""
            return disk.write(path, content)

        model = OpenAIChatModel("m", provider=OpenAIProvider(base_url=f"{base}/v1", api_key="k"))
        given: dict[str, Any] = (
            {"toolsets": [change(FunctionToolset([write_file]))]} if toolset else {"tools": change([Tool(write_file)])}
        )
        agent = Agent(model, output_type=[str, DeferredToolRequests], **given)
        async with agent.run_stream_events("go") as events:
            async for _ in watch(events):
                pass

    return drive


def google_genai(base: str, disk: Disk, change: Transform, watch: Transform) -> None:
    from google import genai
    from google.genai import types

    def write_file(path: str, content: str) -> str:
        """Write a file."""
        return disk.write(path, content)

    client = genai.Client(api_key="k", http_options=types.HttpOptions(base_url=base))
    config = types.GenerateContentConfig(tools=change([write_file]))
    for _ in client.models.generate_content_stream(model="gemini-x", contents="go", config=config):
        pass


async def strands(base: str, disk: Disk, change: Transform, watch: Transform) -> None:
    from strands import Agent, tool
    from strands.models.openai import OpenAIModel

    @tool
    def write_file(path: str, content: str) -> str:
        """Write a file."""
        return disk.write(path, content)

    client = {"base_url": f"{base}/v1", "api_key": "k", "max_retries": 0}
    agent = Agent(
        model=OpenAIModel(client_args=client, model_id="m"), tools=change([write_file]), callback_handler=None
    )
    async for _ in agent.stream_async("go"):
        pass


async def llama_index(base: str, disk: Disk, change: Transform, watch: Transform) -> None:
    from llama_index.core.agent.workflow import FunctionAgent
    from llama_index.core.tools import FunctionTool
    from llama_index.llms.openai_like import OpenAILike

    def write_file(path: str, content: str) -> str:
        """Write a file."""
        return disk.write(path, content)

    model = OpenAILike(
        model="m",
        api_base=f"{base}/v1",
        api_key="k",
        is_chat_model=True,
        is_function_calling_model=True,
        max_retries=0,
    )
    tools = change([FunctionTool.from_defaults(write_file)])
    handler = FunctionAgent(tools=tools, llm=model, streaming=True).run("go", max_iterations=3)
    async for _ in handler.stream_events():
        pass
    await handler


def crewai(base: str, disk: Disk, change: Transform, watch: Transform) -> None:
    from crewai import LLM, Agent
    from crewai.tools import tool

    @tool("write_file")
    def write_file(path: str, content: str) -> str:
        """Write a file."""
        return disk.write(path, content)

    model = LLM(model="openai/gpt-4o", base_url=f"{base}/v1", api_key="k", stream=True, max_retries=0)
    agent = Agent(
        role="r", goal="g", backstory="b", llm=model, tools=change([write_file]), max_iter=3, max_retry_limit=0
    )
    agent.kickoff("go")


def ai_model(ai: Any, kind: str, base: str) -> Any:
    if kind == "anthropic":
        return ai.Model(id="claude-sonnet-4-5", provider=ai.get_provider("anthropic", base_url=base, api_key="k"))
    provider = ai.get_provider("openai", base_url=f"{base}/v1", api_key="k")
    return ai.Model(id="m", provider=provider, protocol=ai.providers.openai.OpenAIChatCompletionsProtocol())


def ai_python(kind: str) -> Drive:
    async def drive(base: str, disk: Disk, change: Transform, watch: Transform) -> None:
        import ai

        @ai.tool
        async def write_file(path: str, content: str) -> str:
            """Write a file."""
            return disk.write(path, content)

        agent = ai.Agent(tools=change([write_file]))
        async with agent.run(ai_model(ai, kind, base), [ai.user_message("go")]) as stream:
            async for _ in stream:
                pass

    return drive


@dataclass(frozen=True)
class Framework:
    """One agent loop, the wire that its model speaks, and the modules that it needs."""

    drive: Drive
    wire: str
    needs: tuple[str, ...]
    events: str | None = None  # the wire of the loop's own events, where a guard can confirm a call from them


LANGCHAIN = ("langchain", "langchain_openai")
OPENAI_AGENTS = ("agents", "openai")
PYDANTIC_AI = ("pydantic_ai", "openai")
LOOPS = {
    "anthropic tool_runner": Framework(anthropic_runner(False), "anthropic", ("anthropic",), "anthropic"),
    "anthropic tool_runner, eager": Framework(anthropic_runner(True), "anthropic", ("anthropic",), "anthropic"),
    "langchain, chat": Framework(langchain("chat"), "openai_chat", LANGCHAIN, "langchain"),
    "langchain, responses": Framework(langchain("responses"), "openai_responses", LANGCHAIN, "langchain"),
    "openai agents, chat": Framework(openai_agents("chat"), "openai_chat", OPENAI_AGENTS),
    "openai agents, responses": Framework(
        openai_agents("responses"), "openai_responses", OPENAI_AGENTS, "openai_agents"
    ),
    "pydantic-ai, tools": Framework(pydantic_ai(False), "openai_chat", PYDANTIC_AI, "pydantic_ai"),
    "pydantic-ai, toolset": Framework(pydantic_ai(True), "openai_chat", PYDANTIC_AI, "pydantic_ai"),
    "google-genai": Framework(google_genai, "gemini", ("google.genai",)),
    "strands": Framework(strands, "openai_chat", ("strands", "openai")),
    "llama-index": Framework(llama_index, "openai_chat", ("llama_index.core", "llama_index.llms.openai_like")),
    "crewai": Framework(crewai, "openai_chat", ("crewai",)),
    "ai, chat": Framework(ai_python("chat"), "openai_chat", ("ai.agents", "openai")),
    "ai, anthropic": Framework(ai_python("anthropic"), "anthropic", ("ai.agents", "anthropic")),
}


@pytest.fixture(scope="module")
def server():
    with ModelServer() as server:
        yield server
    # Sockets that a framework leaves open complain when they are collected: here, where that is ignored.
    for _ in range(3):
        gc.collect()


@pytest.fixture(params=LOOPS)
def loop(request) -> Framework:
    framework = LOOPS[request.param]
    for name in framework.needs:
        pytest.importorskip(name)
    return framework


def nothing(value: Any) -> Any:
    """Leave it as it is."""
    return value


def drive(
    framework: Framework, server: ModelServer, scenario: str, change: Transform, watch: Transform = nothing
) -> tuple[Disk, Run]:
    """Run the loop to its end, however it ends, for a bounded time."""
    base, run = server.start(scenario)
    disk = Disk()
    bounded(lambda: framework.drive(base, disk, change, watch), run)
    return disk, run


def bounded(work: Callable[[], Any], run: Run) -> None:
    """Do the work in a thread of its own; what a framework raises on a bad stream is its own affair."""
    failed: list[BaseException] = []

    def work_and_wait() -> None:
        try:
            result = work()
            if inspect.isawaitable(result):
                asyncio.run(asyncio.wait_for(result, LIMIT))
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work_and_wait, daemon=True)
    thread.start()
    thread.join(LIMIT + 10)
    assert not thread.is_alive(), "the agent loop did not end"
    assert run.requests, f"the loop never asked the model: {failed!r}"


def offered(body: dict[str, Any]) -> list[Any]:
    """What the first request told the model of the tool: name and argument names."""
    found = []

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            if value.get("name") == "write_file":
                found.append(value)
            for member in value.values():
                walk(member)
        elif isinstance(value, list):
            for member in value:
                walk(member)

    walk(body.get("tools"))
    text = str(found)
    return [len(found), *(word in text for word in ("path", "content", "Write a file."))]


TOOLS = {
    "write_file": {
        "type": "object",
        "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
        "required": ["path", "content"],
    }
}


def take_twice(guard: Guard, end: str | None = None) -> list[Any]:
    """Finish, and run what the guard hands out, asking for everything twice."""
    disk = Disk()
    report = guard.finish(end)
    for _ in range(2):
        for decision in report.decisions:
            if execution := guard.take(decision.internal_id):
                disk.write(**execution.value)
    return disk.written


def expected(scenario: str) -> list[Any]:
    """What may be written: only a clean stream confirms the call."""
    return [("a.txt", "alpha beta gamma")] if scenario == "clean" else []


def test_the_unlocked_loop_runs_the_tool(loop, server):
    """The control: on a clean stream the framework itself writes the file."""
    disk, run = drive(loop, server, "clean", nothing)
    assert disk.written == [("a.txt", "alpha beta gamma")]
    assert offered(run.requests[0]) == [1, True, True, True]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_locked_loop_never_runs_the_tool_and_the_guard_decides(loop, server, scenario):
    """The model is offered the same tool; nothing runs but what the guard hands out, once."""
    guards: list[Guard] = []

    def watch(stream: Any) -> Any:
        if loop.events is None:
            return stream
        guards.append(Guard(loop.events, tools=TOOLS))
        return guards[-1].watch(stream)

    disk, run = drive(loop, server, scenario, lock, watch)
    assert disk.written == []
    assert offered(run.requests[0]) == [1, True, True, True]

    # Gemini sends its arguments as a value, never as text: that has to be trusted expressly.
    bytes_guard = Guard(loop.wire, tools=TOOLS, trust_projections=loop.wire == "gemini")
    bytes_guard.push_bytes(run.sent)
    assert take_twice(bytes_guard, "error" if scenario.startswith("aborted") else "eof") == expected(scenario)
    if loop.events is not None:
        assert take_twice(guards[0]) == expected(scenario)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("kind", ["chat", "anthropic"])
def test_locked_declarations_of_ai_are_judged_from_its_own_events(kind, scenario, server):
    """`ai.stream` offers them and has no loop: its events tell the guard all."""
    ai = pytest.importorskip("ai.agents") and pytest.importorskip("ai")
    base, run = server.start(scenario)
    guard = Guard("ai_python", tools=TOOLS)

    @ai.tool
    async def write_file(path: str, content: str) -> str:
        """Write a file."""
        raise AssertionError("this ran")

    async def work() -> None:
        declared = [tool.tool for tool in lock([write_file])]
        async with ai.stream(ai_model(ai, kind, base), [ai.user_message("go")], tools=declared) as stream:
            async for _ in guard.watch(stream):
                pass

    bounded(work, run)
    assert offered(run.requests[0]) == [1, True, True, True]
    assert take_twice(guard) == expected(scenario)


def test_nothing_of_the_callers_is_left_in_a_locked_tool(loop, server):
    """No reference leads from what the framework gets to the caller's code."""
    reached: list[bool] = []

    def change(tools: Any) -> Any:
        locked = lock(tools)
        reached.append(_reaches(locked))
        assert _reaches(tools), "the search itself finds nothing"
        return locked

    disk, _ = drive(loop, server, "clean", change)
    assert reached == [False] and disk.written == []


def _reaches(start: Any) -> bool:
    """Search the objects that are held by others, without walking through modules and their globals."""
    seen: set[int] = set()
    waiting = [start]
    while waiting:
        here = waiting.pop()
        if id(here) in seen or isinstance(here, ModuleType):
            continue
        seen.add(id(here))
        if isinstance(here, Disk):
            return True
        if inspect.isfunction(here):
            waiting += [cell.cell_contents for cell in here.__closure__ or () if cell.cell_contents is not None]
            waiting += [here.__defaults__, here.__kwdefaults__, here.__dict__, here.__annotations__]
        elif inspect.isclass(here):
            if not here.__module__.startswith("interlock"):
                continue
            waiting += list(vars(here).values())
        else:
            waiting += gc.get_referents(here)
    return False
