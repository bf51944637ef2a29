"""Guarding a response while a client reads it, on `httpx` and `httpx2`.

Most Python SDKs read with one of these libraries. The hook sees the bytes of
the body before the SDK does, so the raw text is the evidence even where the SDK
parses it, repairs it, or drops what comes after the stop reason::

    guards = []

    def make_guard(response):
        guards.append(Guard("openai_chat", tools=tools))
        return guards[-1]

    client = openai.OpenAI(http_client=guarded(openai.DefaultHttpxClient(), make_guard))
    for chunk in client.chat.completions.create(..., stream=True):
        ...
    report = guards[-1].finish()

Neither library is imported here: a client brings its own. The SDK gets every
byte untouched.

Source:
    The event hooks of httpx 0.28 and httpx2 2.16; RFC 9110, section 8.4
    (content codings).
"""

from __future__ import annotations

import inspect
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from importlib import import_module
from typing import Any, TypeVar

from interlock.errors import InvalidOptionError
from interlock.gate.guard import Guard

__all__ = ["MakeGuard", "async_response_hook", "guarded", "response_hook"]

MakeGuard = Callable[[Any], Guard | None]

_Client = TypeVar("_Client")


def guarded(client: _Client, make_guard: MakeGuard) -> _Client:
    """Add the hook to an HTTP client, and return that client.

    Args:
        client: A `Client` or `AsyncClient` of httpx or httpx2, as it is given to an SDK's `http_client`.
        make_guard: Called with each successful response before its body is read; returns the guard for it, or
            `None` to leave it alone. A retry is a response of its own.

    Raises:
        InvalidOptionError: the client has no event hooks.
    """
    hooks = getattr(client, "event_hooks", None)
    if not isinstance(hooks, dict):
        raise InvalidOptionError(
            f"guarded() got a {type(client).__name__}; expected an httpx client, such as the one that an SDK takes "
            "as `http_client`"
        )
    is_async = inspect.iscoroutinefunction(getattr(client, "send", None))
    hook = async_response_hook(make_guard) if is_async else response_hook(make_guard)
    client.event_hooks = {**hooks, "response": [*hooks.get("response", ()), hook]}  # type: ignore[attr-defined]
    return client


def response_hook(make_guard: MakeGuard) -> Callable[[Any], None]:
    """Return the hook itself, for `Client(event_hooks={"response": [...]})`."""

    def hook(response: Any) -> None:
        tap = _tap(response, make_guard)
        if tap is not None:
            response.stream = _wrapper(response.stream, "SyncByteStream", _sync)(response.stream, tap)

    return hook


def async_response_hook(make_guard: MakeGuard) -> Callable[[Any], Awaitable[None]]:
    """Return the hook itself, for `AsyncClient(event_hooks={"response": [...]})`."""

    async def hook(response: Any) -> None:
        tap = _tap(response, make_guard)
        if tap is not None:
            response.stream = _wrapper(response.stream, "AsyncByteStream", _async)(response.stream, tap)

    return hook


def _tap(response: Any, make_guard: MakeGuard) -> _Tap | None:
    if not 200 <= response.status_code < 300:
        return None  # the SDK raises; there is no stream
    guard = make_guard(response)
    return None if guard is None else _Tap(guard, response.headers.get("content-encoding", ""))


class _Tap:
    """Feeds a guard with the bytes that pass by."""

    def __init__(self, guard: Guard, encodings: str) -> None:
        self._guard = guard
        guard.source_started()
        self._coders: list[Any] = []
        self._lost = False
        for name in reversed([one.strip().lower() for one in encodings.split(",")]):
            if name not in ("", "identity"):
                coder = _coder(name)
                if coder is None:
                    self._lose(f"the body has the content encoding {name!r}, which cannot be undone here")
                    return
                self._coders.append(coder)

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the body."""
        if self._lost:
            return
        try:
            for coder in self._coders:
                data = coder.decompress(data)
        except Exception as error:  # each coder has exceptions of its own
            self._lose(f"the body cannot be unpacked: {error}")
            return
        if data:
            self._guard.push_bytes(data)

    def end(self) -> None:
        """Note the clean end of the body; what was packed must have ended, too."""
        if not self._lost and not all(_finished(coder) for coder in self._coders):
            self._lose("the body ended inside its packed data")
        self._guard.source_ended("eof")

    def fail(self, error: BaseException) -> None:
        """Note that reading raised."""
        self._guard.source_raised(error)

    def close(self) -> None:
        """Note that the reader closed the body; after its end that says nothing."""
        self._guard.source_ended("cancelled")

    def _lose(self, message: str) -> None:
        self._lost = True
        self._guard.push({"raw": message})


class _Deflate:
    """`deflate`: zlib data by the standard, bare deflate data from some servers."""

    def __init__(self) -> None:
        self._inner: Any = None
        self._start = b""

    @property
    def eof(self) -> bool:
        return self._inner is not None and bool(self._inner.eof)

    def decompress(self, data: bytes) -> bytes:
        if self._inner is None:
            self._start += data
            if len(self._start) < 2:
                return b""
            # RFC 1950, section 2.2: the first two bytes of zlib data are a multiple of 31, and the method is 8.
            wrapped = self._start[0] & 15 == 8 and int.from_bytes(self._start[:2], "big") % 31 == 0
            self._inner = zlib.decompressobj(zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS)
            data = self._start
        return bytes(self._inner.decompress(data))


class _Brotli:
    """`br`: one of two packages; their objects name things differently."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self._step = getattr(inner, "decompress", None) or inner.process

    @property
    def eof(self) -> bool:
        finished = getattr(self._inner, "is_finished", None)
        return finished is None or bool(finished())

    def decompress(self, data: bytes) -> bytes:
        return bytes(self._step(data))


def _coder(name: str) -> Any:
    """Return a decoder for a content coding. An HTTP client asks for `br` and `zstd` only when it can read them."""
    if name in ("gzip", "x-gzip"):
        return zlib.decompressobj(16 + zlib.MAX_WBITS)
    if name == "deflate":
        return _Deflate()
    if name == "br":
        package = _package("brotli") or _package("brotlicffi")
        return None if package is None else _Brotli(package.Decompressor())
    if name == "zstd":
        package = _package("zstandard")
        return None if package is None else package.ZstdDecompressor().decompressobj()
    return None


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None


def _finished(coder: Any) -> bool:
    """Whether packed data came to its own end; a coder that cannot tell has to be believed."""
    return bool(getattr(coder, "eof", True)) and not getattr(coder, "unused_data", b"")


_WRAPPERS: dict[Any, type[Any]] = {}  # a library's class of streams -> ours


def _wrapper(stream: Any, name: str, make: Callable[[Any], type[Any]]) -> type[Any]:
    """Return our class for a stream; it inherits from the library's own, on which a response insists."""
    for base in type(stream).__mro__:
        if base.__name__ == name:
            if base not in _WRAPPERS:
                _WRAPPERS[base] = make(base)
            return _WRAPPERS[base]
    raise InvalidOptionError(
        f"a response's stream is a {type(stream).__name__}; expected a {name} of httpx or httpx2 "
        "(use `response_hook` on a Client and `async_response_hook` on an AsyncClient)"
    )


def _sync(base: Any) -> type[Any]:
    class GuardedStream(base):  # type: ignore[misc]
        """A body that a guard sees as it is read."""

        def __init__(self, inner: Any, tap: _Tap) -> None:
            self._inner = inner
            self._tap = tap

        def __getattr__(self, name: str) -> Any:
            return getattr(self._inner, name)

        def __iter__(self) -> Iterator[bytes]:
            try:
                for chunk in self._inner:
                    self._tap.feed(chunk)
                    yield chunk
            except GeneratorExit:
                raise
            except BaseException as error:
                self._tap.fail(error)
                raise
            self._tap.end()

        def close(self) -> None:
            self._inner.close()
            self._tap.close()

    return GuardedStream


def _async(base: Any) -> type[Any]:
    class GuardedStream(base):  # type: ignore[misc]
        """A body that a guard sees as it is read."""

        def __init__(self, inner: Any, tap: _Tap) -> None:
            self._inner = inner
            self._tap = tap

        def __getattr__(self, name: str) -> Any:
            return getattr(self._inner, name)

        async def __aiter__(self) -> AsyncIterator[bytes]:
            try:
                async for chunk in self._inner:
                    self._tap.feed(chunk)
                    yield chunk
            except GeneratorExit:
                raise
            except BaseException as error:
                self._tap.fail(error)
                raise
            self._tap.end()

        async def aclose(self) -> None:
            await self._inner.aclose()
            self._tap.close()

    return GuardedStream
