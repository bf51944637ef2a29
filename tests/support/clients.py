"""The providers' own clients, each opened on a stream of the test server."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

MESSAGES: list[Any] = [{"role": "user", "content": "go"}]
SCHEMA = {"type": "object", "properties": {}}
CHAT_TOOLS: list[Any] = [{"type": "function", "function": {"name": "f", "parameters": SCHEMA}}]
KEYS: dict[str, Any] = {"api_key": "k", "max_retries": 0, "timeout": 5}


@dataclass(frozen=True)
class Client:
    """A way to read a stream: the wire it gives, the stream it asks for, and how to open it."""

    wire: str
    stream: str
    open: Callable[[str], Any]  # base address -> an iterator, sync or async
    is_async: bool = False
    options: dict[str, Any] = field(default_factory=dict)


def openai_chat(base: str) -> Iterator[Any]:
    """`client.chat.completions.create(stream=True)`."""
    from openai import OpenAI

    with OpenAI(base_url=base, **KEYS) as client:
        yield from client.chat.completions.create(model="m", messages=MESSAGES, tools=CHAT_TOOLS, stream=True)


async def openai_chat_async(base: str) -> AsyncIterator[Any]:
    """The async client."""
    from openai import AsyncOpenAI

    async with AsyncOpenAI(base_url=base, **KEYS) as client:
        stream = await client.chat.completions.create(model="m", messages=MESSAGES, tools=CHAT_TOOLS, stream=True)
        async for event in stream:
            yield event


def openai_chat_helper(base: str) -> Iterator[Any]:
    """`client.chat.completions.stream()`, whose events wrap the chunks."""
    from openai import OpenAI

    with (
        OpenAI(base_url=base, **KEYS) as client,
        client.chat.completions.stream(model="m", messages=MESSAGES, tools=CHAT_TOOLS) as stream,
    ):
        yield from stream


async def openai_chat_helper_async(base: str) -> AsyncIterator[Any]:
    """Its async form."""
    from openai import AsyncOpenAI

    async with (
        AsyncOpenAI(base_url=base, **KEYS) as client,
        client.chat.completions.stream(model="m", messages=MESSAGES, tools=CHAT_TOOLS) as stream,
    ):
        async for event in stream:
            yield event


def openai_responses(base: str) -> Iterator[Any]:
    """`client.responses.create(stream=True)`."""
    from openai import OpenAI

    with OpenAI(base_url=base, **KEYS) as client:
        yield from client.responses.create(model="m", input="go", stream=True)


async def openai_responses_async(base: str) -> AsyncIterator[Any]:
    """The async client."""
    from openai import AsyncOpenAI

    async with AsyncOpenAI(base_url=base, **KEYS) as client:
        async for event in await client.responses.create(model="m", input="go", stream=True):
            yield event


def openai_responses_helper(base: str) -> Iterator[Any]:
    """`client.responses.stream()`."""
    from openai import OpenAI

    with OpenAI(base_url=base, **KEYS) as client, client.responses.stream(model="m", input="go") as stream:
        yield from stream


async def openai_responses_helper_async(base: str) -> AsyncIterator[Any]:
    """Its async form."""
    from openai import AsyncOpenAI

    async with (
        AsyncOpenAI(base_url=base, **KEYS) as client,
        client.responses.stream(model="m", input="go") as stream,
    ):
        async for event in stream:
            yield event


def anthropic_raw(base: str) -> Iterator[Any]:
    """`client.messages.create(stream=True)`."""
    from anthropic import Anthropic

    with Anthropic(base_url=base, **KEYS) as client:
        yield from client.messages.create(model="m", max_tokens=9, messages=MESSAGES, stream=True)


async def anthropic_raw_async(base: str) -> AsyncIterator[Any]:
    """The async client."""
    from anthropic import AsyncAnthropic

    async with AsyncAnthropic(base_url=base, **KEYS) as client:
        async for event in await client.messages.create(model="m", max_tokens=9, messages=MESSAGES, stream=True):
            yield event


def anthropic_helper(base: str) -> Iterator[Any]:
    """`client.messages.stream()`, with its own events between the provider's."""
    from anthropic import Anthropic

    with (
        Anthropic(base_url=base, **KEYS) as client,
        client.messages.stream(model="m", max_tokens=9, messages=MESSAGES) as stream,
    ):
        yield from stream


async def anthropic_helper_async(base: str) -> AsyncIterator[Any]:
    """Its async form."""
    from anthropic import AsyncAnthropic

    async with (
        AsyncAnthropic(base_url=base, **KEYS) as client,
        client.messages.stream(model="m", max_tokens=9, messages=MESSAGES) as stream,
    ):
        async for event in stream:
            yield event


def _google(base: str, *, vertex: bool) -> Any:
    from google import genai
    from google.genai import types

    options = types.HttpOptions(base_url=base, timeout=5000, retry_options=types.HttpRetryOptions(attempts=1))
    return genai.Client(api_key="k", vertexai=vertex, http_options=options)


def _google_config() -> Any:
    from google.genai import types

    return types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=[types.FunctionDeclaration(name="f")])],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )


def google(base: str) -> Iterator[Any]:
    """`client.models.generate_content_stream()` on the Gemini API."""
    with _google(base, vertex=False) as client:
        yield from client.models.generate_content_stream(model="m", contents="go", config=_google_config())


async def google_async(base: str) -> AsyncIterator[Any]:
    """The async client."""
    client = _google(base, vertex=False)
    async with client.aio as aio:
        async for chunk in await aio.models.generate_content_stream(model="m", contents="go", config=_google_config()):
            yield chunk


def google_vertex(base: str) -> Iterator[Any]:
    """The same on Vertex AI, which streams arguments."""
    with _google(base, vertex=True) as client:
        yield from client.models.generate_content_stream(model="m", contents="go", config=_google_config())


def mistral(base: str) -> Iterator[Any]:
    """`client.chat.stream()`."""
    from mistralai.client import Mistral

    with (
        Mistral(api_key="k", server_url=base, timeout_ms=5000) as client,
        client.chat.stream(model="m", messages=MESSAGES, tools=CHAT_TOOLS) as stream,
    ):
        yield from stream


async def mistral_async(base: str) -> AsyncIterator[Any]:
    """`client.chat.stream_async()`."""
    from mistralai.client import Mistral

    async with (
        Mistral(api_key="k", server_url=base, timeout_ms=5000) as client,
        await client.chat.stream_async(model="m", messages=MESSAGES, tools=CHAT_TOOLS) as stream,
    ):
        async for event in stream:
            yield event


def cohere(base: str) -> Iterator[Any]:
    """`client.chat_stream()` of the v2 client."""
    from cohere import ClientV2

    client = ClientV2(api_key="k", base_url=base, timeout=5)
    yield from client.chat_stream(model="m", messages=MESSAGES, request_options={"max_retries": 0})


async def cohere_async(base: str) -> AsyncIterator[Any]:
    """The async client."""
    from cohere import AsyncClientV2

    client = AsyncClientV2(api_key="k", base_url=base, timeout=5)
    async for event in client.chat_stream(model="m", messages=MESSAGES, request_options={"max_retries": 0}):
        yield event


def ollama(base: str) -> Iterator[Any]:
    """`client.chat(stream=True)`."""
    from ollama import Client as Ollama

    yield from Ollama(host=base, timeout=5).chat(model="m", messages=MESSAGES, stream=True)


async def ollama_async(base: str) -> AsyncIterator[Any]:
    """The async client."""
    from ollama import AsyncClient

    async for event in await AsyncClient(host=base, timeout=5).chat(model="m", messages=MESSAGES, stream=True):
        yield event


def groq(base: str) -> Iterator[Any]:
    """`client.chat.completions.create(stream=True)`."""
    from groq import Groq

    with Groq(base_url=base, **KEYS) as client:
        yield from client.chat.completions.create(model="m", messages=MESSAGES, tools=CHAT_TOOLS, stream=True)


async def groq_async(base: str) -> AsyncIterator[Any]:
    """The async client."""
    from groq import AsyncGroq

    async with AsyncGroq(base_url=base, **KEYS) as client:
        async for event in await client.chat.completions.create(
            model="m", messages=MESSAGES, tools=CHAT_TOOLS, stream=True
        ):
            yield event


def boto3(base: str) -> Iterator[Any]:
    """`client.converse_stream()["stream"]`."""
    import boto3 as aws
    from botocore.config import Config

    client = aws.session.Session().client(
        "bedrock-runtime",
        endpoint_url=base,
        region_name="eu-central-1",
        aws_access_key_id="k",
        aws_secret_access_key="s",
        config=Config(retries={"total_max_attempts": 1}, read_timeout=5, proxies={}),
    )
    messages = [{"role": "user", "content": [{"text": "go"}]}]
    yield from client.converse_stream(modelId="m", messages=messages)["stream"]
    client.close()


def _litellm() -> Any:
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # it would fetch its price list
    import litellm as module

    module.suppress_debug_info = True
    return module


def litellm(base: str) -> Iterator[Any]:
    """`litellm.completion(stream=True)` in front of an OpenAI-compatible host."""
    yield from _litellm().completion(
        model="openai/m", api_base=base, api_key="k", messages=MESSAGES, tools=CHAT_TOOLS, stream=True, timeout=5,
        max_retries=0,
    )  # fmt: skip


async def litellm_async(base: str) -> AsyncIterator[Any]:
    """`litellm.acompletion(stream=True)`."""
    stream = await _litellm().acompletion(
        model="openai/m", api_base=base, api_key="k", messages=MESSAGES, tools=CHAT_TOOLS, stream=True, timeout=5,
        max_retries=0,
    )  # fmt: skip
    async for event in stream:
        yield event


def litellm_anthropic(base: str) -> Iterator[Any]:
    """The same in front of Anthropic, translated to chat chunks.

    LiteLLM drops what comes after the stop reason, an error event as well: only the raw bytes show it.
    """
    yield from _litellm().completion(
        model="anthropic/claude-m", api_base=base, api_key="k", messages=MESSAGES, stream=True, timeout=5, max_retries=0
    )


TRUST = {"trust_projections": True}

CLIENTS: dict[str, Client] = {
    "openai chat": Client("openai_chat", "openai_chat", openai_chat),
    "openai chat, async": Client("openai_chat", "openai_chat", openai_chat_async, True),
    "openai chat .stream()": Client("openai_chat", "openai_chat", openai_chat_helper),
    "openai chat .stream(), async": Client("openai_chat", "openai_chat", openai_chat_helper_async, True),
    "openai responses": Client("openai_responses", "openai_responses", openai_responses),
    "openai responses, async": Client("openai_responses", "openai_responses", openai_responses_async, True),
    "openai responses .stream()": Client("openai_responses", "openai_responses", openai_responses_helper),
    "openai responses .stream(), async": Client(
        "openai_responses", "openai_responses", openai_responses_helper_async, True
    ),
    "anthropic": Client("anthropic", "anthropic", anthropic_raw),
    "anthropic, async": Client("anthropic", "anthropic", anthropic_raw_async, True),
    "anthropic .stream()": Client("anthropic", "anthropic", anthropic_helper),
    "anthropic .stream(), async": Client("anthropic", "anthropic", anthropic_helper_async, True),
    "google-genai": Client("gemini", "gemini", google, options=TRUST),
    "google-genai, async": Client("gemini", "gemini", google_async, True, TRUST),
    "google-genai, streamed arguments": Client("gemini", "gemini_pieces", google_vertex),
    "mistralai": Client("mistral", "mistral", mistral),
    "mistralai, async": Client("mistral", "mistral", mistral_async, True),
    "cohere": Client("cohere_v2", "cohere_v2", cohere),
    "cohere, async": Client("cohere_v2", "cohere_v2", cohere_async, True),
    "ollama": Client("ollama", "ollama", ollama, options=TRUST),
    "ollama, async": Client("ollama", "ollama", ollama_async, True, TRUST),
    "groq": Client("openai_chat", "openai_chat", groq),
    "groq, async": Client("openai_chat", "openai_chat", groq_async, True),
    "boto3": Client("bedrock_converse", "bedrock_converse", boto3),
    "litellm": Client("openai_chat", "openai_chat", litellm),
    "litellm, async": Client("openai_chat", "openai_chat", litellm_async, True),
    "litellm, anthropic": Client("openai_chat", "anthropic_early", litellm_anthropic),
}
