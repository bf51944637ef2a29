"""The hook on the HTTP client of an SDK: the raw bytes are judged, the SDK reads the same bytes."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from typing import Any

import httpx
import httpx2
import pytest

from interlock import Guard, InterlockError
from interlock.errors import InvalidOptionError
from interlock.integrations.httpx_hook import async_response_hook, guarded, response_hook
from support.clients import MESSAGES
from support.judging import executed
from support.wire_server import FAULTS, HARMLESS, WireServer, pieces_of
from support.wires import ARGUMENTS

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.filterwarnings("ignore::pytest.PytestWarning")]
CLEAN = [("c1", "f", ARGUMENTS)]
BODY = b"".join(pieces_of("openai_chat"))


@pytest.fixture(scope="module")
def server() -> Iterator[WireServer]:
    """One server for all tests."""
    with WireServer() as running:
        yield running


def openai_chat(base: str, make_guard: Any) -> list[Any]:
    """The official client, synchronous."""
    from openai import DefaultHttpxClient, OpenAI

    with OpenAI(base_url=base, api_key="k", max_retries=0, http_client=guarded(DefaultHttpxClient(), make_guard)) as ai:
        return list(ai.chat.completions.create(model="m", messages=MESSAGES, stream=True))


def openai_chat_async(base: str, make_guard: Any) -> list[Any]:
    """The official client, asynchronous."""
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

    async def read() -> list[Any]:
        http = guarded(DefaultAsyncHttpxClient(), make_guard)
        async with AsyncOpenAI(base_url=base, api_key="k", max_retries=0, http_client=http) as ai:
            return [
                event async for event in await ai.chat.completions.create(model="m", messages=MESSAGES, stream=True)
            ]

    return asyncio.run(read())


def anthropic(base: str, make_guard: Any) -> list[Any]:
    """The official client, synchronous: only its final message is looked at."""
    from anthropic import Anthropic, DefaultHttpxClient

    http = guarded(DefaultHttpxClient(), make_guard)
    with (
        Anthropic(base_url=base, api_key="k", max_retries=0, http_client=http) as ai,
        ai.messages.stream(model="m", max_tokens=9, messages=MESSAGES) as stream,
    ):
        return [stream.get_final_message()]


def anthropic_async(base: str, make_guard: Any) -> list[Any]:
    """The official client, asynchronous."""
    from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient

    async def read() -> list[Any]:
        http = guarded(DefaultAsyncHttpxClient(), make_guard)
        async with (
            AsyncAnthropic(base_url=base, api_key="k", max_retries=0, http_client=http) as ai,
            ai.messages.stream(model="m", max_tokens=9, messages=MESSAGES) as stream,
        ):
            return [await stream.get_final_message()]

    return asyncio.run(read())


SDKS: dict[str, tuple[str, Callable[..., list[Any]]]] = {
    "openai": ("openai_chat", openai_chat),
    "openai, async": ("openai_chat", openai_chat_async),
    "anthropic": ("anthropic", anthropic),
    "anthropic, async": ("anthropic", anthropic_async),
}


@pytest.mark.parametrize("name", SDKS)
@pytest.mark.parametrize("fault", FAULTS)
def test_what_an_sdk_reads_is_judged_by_its_bytes(name: str, fault: str, server: WireServer) -> None:
    """A whole body executes, a broken one does not, and the SDK fares as it does without the hook."""
    wire, read = SDKS[name]
    guards: list[Guard] = []

    def make_guard(response: Any) -> Guard:
        guards.append(Guard(wire))
        return guards[-1]

    def run(hook: Any) -> Any:
        try:
            return [str(event) for event in read(server.url(wire, fault), hook)]
        except InterlockError:
            raise
        except Exception as error:
            return type(error)

    assert run(make_guard) == run(lambda _: None)
    (guard,) = guards
    assert executed(guard.finish()) == (CLEAN if fault in HARMLESS else [])


def test_what_a_layer_hides_is_seen_in_the_bytes() -> None:
    """An error event after the stop reason: a client that stops listening there believes in the call."""
    *pieces, _ = pieces_of("anthropic")
    error = pieces_of("anthropic", "error_event")[-1]
    guard = Guard("anthropic")
    transport = httpx.MockTransport(lambda _: httpx.Response(200, stream=Body([*pieces, error])))
    with guarded(httpx.Client(transport=transport), lambda _: guard) as client:
        client.get("http://127.0.0.1/")
    assert guard.finish().decisions[0].reason == "provider_error"


class Body(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body in pieces, which may break."""

    def __init__(self, pieces: list[bytes], error: Exception | None = None) -> None:
        self.pieces, self.error, self.closed = pieces, error, 0

    def __iter__(self) -> Iterator[bytes]:
        yield from self.pieces
        if self.error is not None:
            raise self.error

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self:
            yield piece

    def close(self) -> None:
        self.closed += 1

    async def aclose(self) -> None:
        self.closed += 1


def fetch(body: Body, *, headers: Any = None, status: int = 200, is_async: bool = False) -> tuple[bytes, Guard]:
    """Read a body through a guarded client; return what the client read, and the guard."""
    guard = Guard("openai_chat")
    transport = httpx.MockTransport(lambda _: httpx.Response(status, headers=headers, stream=body))

    async def fetch_async() -> bytes:
        async with guarded(httpx.AsyncClient(transport=transport), lambda _: guard) as client:
            return (await client.get("http://127.0.0.1/")).content

    if is_async:
        return asyncio.run(fetch_async()), guard
    with guarded(httpx.Client(transport=transport), lambda _: guard) as client:
        return client.get("http://127.0.0.1/").content, guard


def deflated(data: bytes) -> bytes:
    """Bare deflate data, without the zlib wrapper that the standard asks for."""
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


CODINGS = {
    "": lambda data: data,
    "identity": lambda data: data,
    "gzip": gzip.compress,
    "x-gzip, identity": gzip.compress,
    "deflate": zlib.compress,
    "Deflate": deflated,
    "deflate, gzip": lambda data: gzip.compress(zlib.compress(data)),
}


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("is_async", [False, True])
def test_content_codings_are_undone_wherever_the_body_is_cut(coding: str, is_async: bool) -> None:
    """The client's own decoding is not touched; packed data that ends too early is no clean end."""
    packed = CODINGS[coding](BODY)
    headers = {"content-encoding": coding} if coding else {}
    for size in (7, len(packed)) if coding == "Deflate" else (1, 7, len(packed)):  # httpx fails on one byte of it
        pieces = [packed[at : at + size] for at in range(0, len(packed), size)]
        body = Body(pieces)
        content, guard = fetch(body, headers=headers, is_async=is_async)
        assert executed(guard.finish()) == CLEAN
        assert body.closed and (coding.startswith("x-") or content == BODY)
    if coding not in ("", "identity"):
        guard = Guard("openai_chat")
        cut = Body([packed[:-3]])
        with suppress(httpx.DecodingError):
            _, guard = fetch(cut, headers=headers, is_async=is_async)
        assert executed(guard.finish()) == []


@pytest.mark.parametrize("coding", ["br", "zstd", "compress", "nonsense"])
def test_a_coding_that_cannot_be_undone_confirms_nothing(coding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when neither package for it is there."""
    for module in ("brotli", "brotlicffi", "zstandard"):
        monkeypatch.setitem(__import__("sys").modules, module, None)
    transport = httpx.MockTransport(
        lambda _: httpx.Response(200, headers={"content-encoding": coding}, stream=Body([BODY]))
    )
    guard = Guard("openai_chat")
    with guarded(httpx.Client(transport=transport), lambda _: guard) as client, client.stream("GET", "http://x/") as r:
        assert b"".join(r.iter_raw()) == BODY
    assert guard.finish().diagnostics[0].code == "E_EVENTS_LOST"


def test_garbage_in_a_coding_confirms_nothing() -> None:
    """What the client raises about it passes through."""
    with pytest.raises(httpx.DecodingError):
        fetch(Body([b"data: x\n\n"]), headers={"content-encoding": "gzip"})


@pytest.mark.parametrize("is_async", [False, True])
def test_an_error_of_the_body_passes_through(is_async: bool) -> None:
    """All bytes had come."""
    guards: list[Guard] = []
    transport = httpx.MockTransport(lambda _: httpx.Response(200, stream=Body([BODY], httpx.ReadError("reset"))))

    def make_guard(response: Any) -> Guard:
        assert response.request.url.path == "/v1"
        guards.append(Guard("openai_chat"))
        return guards[-1]

    async def fetch_async() -> None:
        async with guarded(httpx.AsyncClient(transport=transport), make_guard) as client:
            await client.get("http://127.0.0.1/v1")

    def fetch_sync() -> None:
        with guarded(httpx.Client(transport=transport), make_guard) as client:
            client.get("http://127.0.0.1/v1")

    with pytest.raises(httpx.ReadError, match="reset"):
        asyncio.run(fetch_async()) if is_async else fetch_sync()
    report = guards[0].finish()
    assert executed(report) == [] and report.end_reason == "network_error"


def test_a_body_that_is_closed_early_is_cancelled() -> None:
    """And its own stream is closed, once the reader does so."""
    guard = Guard("openai_chat")
    body = Body([BODY[:200], BODY[200:]])
    transport = httpx.MockTransport(lambda _: httpx.Response(200, stream=body))
    with guarded(httpx.Client(transport=transport), lambda _: guard) as client, client.stream("GET", "http://x/") as r:
        next(r.iter_raw())
    assert body.closed == 1
    assert guard.finish().end_reason == "cancelled"


@pytest.mark.parametrize("status", [199, 301, 400, 404, 500])
def test_a_response_that_is_no_success_is_left_alone(status: int) -> None:
    """No guard is asked for: the SDK raises."""
    transport = httpx.MockTransport(lambda _: httpx.Response(status, stream=Body([BODY])))
    asked: list[Any] = []
    with guarded(httpx.Client(transport=transport), asked.append) as client:
        assert client.get("http://127.0.0.1/").content == BODY
    assert asked == []


def test_hooks_that_are_there_stay() -> None:
    """In their order, before ours."""
    seen: list[str] = []
    client = httpx2.Client(
        transport=httpx2.MockTransport(lambda _: httpx2.Response(200, stream=httpx2.ByteStream(BODY))),
        event_hooks={"request": [lambda _: seen.append("request")], "response": [lambda _: seen.append("response")]},
    )
    guard = Guard("openai_chat")
    assert guarded(client, lambda _: guard) is client
    client.get("http://127.0.0.1/")
    assert seen == ["request", "response"] and executed(guard.finish()) == CLEAN


def test_misuse_is_named() -> None:
    """Something that is no client; a hook of the wrong kind."""
    with pytest.raises(InvalidOptionError, match="httpx client"):
        guarded(object(), lambda _: None)
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=b""))
    wrong = httpx.AsyncClient(transport=transport, event_hooks={"response": [response_hook(lambda _: Guard("ollama"))]})
    with pytest.raises((InvalidOptionError, TypeError)):
        asyncio.run(wrong.get("http://127.0.0.1/"))

    async def call() -> None:
        class Response:
            status_code, headers, stream = 200, httpx.Headers(), object()

        await async_response_hook(lambda _: Guard("ollama"))(Response())

    with pytest.raises(InvalidOptionError, match="AsyncByteStream"):
        asyncio.run(call())
