"""The providers' own clients, guarded, against a local server that breaks the stream at the socket.

A clean body executes with the exact arguments. Whatever breaks it, nothing executes, the guard raises nothing of
its own, and what the client raises passes through.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from interlock import Guard, InterlockError
from support.clients import CLIENTS, Client
from support.judging import executed
from support.wire_server import HARMFUL, HARMLESS, WireServer
from support.wires import ARGUMENTS

# The clients' own deprecations, and sockets that they leave to the garbage collector, are not the subject here.
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.filterwarnings("ignore::pytest.PytestWarning")]

clients = pytest.mark.parametrize("name", CLIENTS)
# botocore reads frames: there are no lines or comments to vary, and it asks for no content encoding.
NOT_FOR = {("boto3", fault) for fault in ("gzip", "crlf", "comments")}
# Clients that cannot read a comment (or, in NDJSON, a blank line): their servers send none.
CANNOT_READ = {(name, "comments") for name, client in CLIENTS.items() if client.wire in ("gemini", "ollama")}


@pytest.fixture(scope="module")
def server() -> Iterator[WireServer]:
    """One server for all tests."""
    with WireServer() as running:
        yield running


def read(client: Client, base: str, guard: Guard, events: list[Any] | None = None) -> Exception | None:
    """Read a guarded stream to its end, keeping its events; return what the client raised."""
    events = [] if events is None else events

    async def read_async() -> None:
        async for event in guard.watch(client.open(base)):
            events.append(event)

    try:
        if client.is_async:
            asyncio.run(read_async())
        else:
            for event in guard.watch(client.open(base)):
                events.append(event)
    except InterlockError:
        raise
    except Exception as error:
        return error
    return None


@clients
@pytest.mark.parametrize("fault", HARMLESS)
def test_a_whole_body_executes_with_the_exact_arguments(name: str, fault: str, server: WireServer) -> None:
    """However it is framed, packed and cut into chunks."""
    if (name, fault) in NOT_FOR:
        return
    client = CLIENTS[name]
    guard = Guard(client.wire, tools={"f": {"type": "object", "required": ["city"]}}, **client.options)
    events: list[Any] = []
    error = read(client, server.url(client.stream, fault), guard, events)
    report = guard.finish()
    if (name, fault) in CANNOT_READ:
        assert error is not None and executed(report) == []
        return
    assert error is None
    assert Guard.detect(*events) == client.wire
    assert [one[1:] for one in executed(report)] == [("f", ARGUMENTS)], report.to_json()


@clients
@pytest.mark.parametrize("fault", HARMFUL)
def test_a_broken_body_executes_nothing(name: str, fault: str, server: WireServer) -> None:
    """All arguments had arrived in most of these; only the provider's own confirmation is missing."""
    client = CLIENTS[name]
    guard = Guard(client.wire, **client.options)
    read(client, server.url(client.stream, fault), guard)
    report = guard.finish()
    assert executed(report) == [], report.to_json()
    assert bool(report.decisions) is not fault.startswith("error_body")
    if fault == "error_event" and not name.startswith("litellm"):  # which calls it a broken connection
        assert {decision.reason for decision in report.decisions} == {"provider_error"}
    assert all(guard.take(decision.internal_id) is None for decision in report.decisions)


@clients
def test_breaking_out_closes_the_stream_and_executes_nothing(name: str, server: WireServer) -> None:
    """The caller leaves after the first event."""
    client = CLIENTS[name]
    guard = Guard(client.wire, **client.options)
    base = server.url(client.stream, "clean")

    async def leave() -> None:
        watched = guard.watch(client.open(base)).__aiter__()
        await anext(watched)
        await watched.aclose()  # type: ignore[attr-defined]

    if client.is_async:
        asyncio.run(leave())
    else:
        for _ in guard.watch(client.open(base)):
            break
    assert executed(guard.finish()) == []
