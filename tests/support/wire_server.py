"""A server on 127.0.0.1 that speaks every provider's wire, and breaks it at the socket when told to.

The path tells what to do: `/<stream>/<fault>/...` answers with one of `support.wires.STREAMS`. It serves a bounded
number of connections, one request each, and stops with its `with` block.
"""

from __future__ import annotations

import gzip
import json
import socket
import struct
import threading
import time
from contextlib import suppress
from typing import Any, Self

from support.aws_frames import body_of
from support.wires import CLEAN, STREAMS

# Faults after which the body still is a whole and good one.
HARMLESS = ("clean", "tiny_chunks", "gzip", "crlf", "comments")
# Faults after which nothing may run.
HARMFUL = (
    "reset_in_the_arguments",
    "reset_in_the_terminal",
    "half_a_line",
    "cut_between_events",
    "stall_then_close",
    "error_event",
    "error_body",
    "error_body_json_stream",
)
FAULTS = HARMLESS + HARMFUL

_NDJSON = {"ollama"}
_NAMED = {"anthropic", "openai_responses"}  # their events carry their type in an `event:` line, too
_ERRORS: dict[str, Any] = {
    "anthropic": {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    "openai_responses": {"type": "error", "code": "server_error", "message": "failed", "sequence_number": 6},
    "bedrock_converse": {"modelStreamErrorException": {"message": "failed"}},
    "cohere_v2": {"type": "message-end", "delta": {"finish_reason": "ERROR", "error": "failed"}},
    "ollama": {"error": "failed"},
    "gemini": {"error": {"code": 503, "status": "UNAVAILABLE", "message": "overloaded"}},
}
_CHAT_ERROR = {"error": {"message": "failed", "type": "server_error", "code": "server_error"}}


class WireServer:
    """Use as `with WireServer() as server: client(base_url=server.url("anthropic", "clean"))`."""

    def __init__(self, connections: int = 2000) -> None:
        self._left = connections
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.settimeout(0.2)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join(5)
        self._socket.close()

    def url(self, stream: str, fault: str) -> str:
        """The base address that plays a stream with a fault."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}/{stream}/{fault}"

    def _serve(self) -> None:
        while self._left > 0 and not self._stopped.is_set():
            with suppress(TimeoutError):
                connection, _ = self._socket.accept()
                self._left -= 1
                threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.settimeout(10)
            _, stream, fault, *_ = _read_request(connection).split("/")
            _play(connection, stream, fault)


def pieces_of(stream: str, fault: str = "clean") -> list[bytes]:
    """Encode a stream, one piece an event; the last piece is the terminal one.

    `anthropic_early` is the stream of `anthropic` with both of its terminal events in the last piece, so that a
    fault comes before the stop reason.
    """
    if stream == "anthropic_early":
        *pieces, reason, stop = pieces_of("anthropic", fault)
        return [*pieces, stop] if fault == "error_event" else [*pieces, reason + stop]
    wire, build = STREAMS[stream]
    events = build(CLEAN[stream])
    if fault == "error_event":
        events[-1] = _ERRORS.get(wire, _CHAT_ERROR)
    if wire == "bedrock_converse":
        return [body_of([event]) for event in events]
    if wire in _NDJSON:
        end = b"\r\n" if fault == "crlf" else b"\n\n" if fault == "comments" else b"\n"
        return [json.dumps(event).encode() + end for event in events]
    pieces = []
    for event in events:
        name = f"event: {event['type']}\n" if wire in _NAMED else ""
        pieces.append(f"{name}data: {json.dumps(event, ensure_ascii=False)}\n\n".encode())
    if fault == "comments":
        pieces = [b": keep-alive\n\n" + piece + b":\n" for piece in pieces]
    if wire in ("openai_chat", "openrouter", "mistral"):
        pieces[-1] += b"data: [DONE]\n\n"
    if fault == "crlf":
        pieces = [piece.replace(b"\n", b"\r\n") for piece in pieces]
    return pieces


def _play(connection: socket.socket, stream: str, fault: str) -> None:
    pieces = pieces_of(stream, fault)
    body = b"".join(pieces)
    if fault == "error_body":
        error = json.dumps(_CHAT_ERROR).encode()
        _head(connection, "application/json", f"Content-Length: {len(error)}\r\n")
        connection.sendall(error)
        return
    kind = "text/event-stream"
    if stream == "bedrock_converse":
        kind = "application/vnd.amazon.eventstream"
    elif stream in _NDJSON:
        kind = "application/x-ndjson"
    encoding = "Content-Encoding: gzip\r\n" if fault == "gzip" else ""
    _head(connection, kind, f"{encoding}Transfer-Encoding: chunked\r\n")
    if fault == "gzip":
        packed = gzip.compress(body)
        _chunks(connection, [packed[:40], packed[40:]])
    elif fault == "tiny_chunks":
        _chunks(connection, [body[at : at + 11] for at in range(0, len(body), 11)])
    elif fault == "error_body_json_stream":
        _chunks(connection, [json.dumps(_CHAT_ERROR).encode()])
    elif fault == "half_a_line":
        _chunks(connection, [*pieces[:-1], pieces[-1][: len(pieces[-1]) // 2]])
    elif fault == "cut_between_events":
        _chunks(connection, pieces[:-1])
    elif fault in ("reset_in_the_arguments", "reset_in_the_terminal"):
        at = -1 if fault == "reset_in_the_terminal" else len(pieces) // 2
        for piece in pieces[:at]:
            _chunk(connection, piece)
        time.sleep(0.05)  # the client shall have read what came before
        broken = pieces[at]
        connection.sendall(b"%x\r\n" % len(broken) + broken[: len(broken) // 2])
        time.sleep(0.05)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    elif fault == "stall_then_close":
        for piece in pieces[:-1]:
            _chunk(connection, piece)
        time.sleep(0.2)
    else:
        _chunks(connection, pieces)


def _head(connection: socket.socket, kind: str, rest: str) -> None:
    connection.sendall(f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n{rest}Connection: close\r\n\r\n".encode())


def _chunk(connection: socket.socket, data: bytes) -> None:
    connection.sendall(b"%x\r\n" % len(data) + data + b"\r\n")


def _chunks(connection: socket.socket, pieces: list[bytes]) -> None:
    for piece in pieces:
        if piece:
            _chunk(connection, piece)
    connection.sendall(b"0\r\n\r\n")


def _read_request(connection: socket.socket) -> str:
    """Read one request to its end, so that closing does not reset the connection; return its path."""
    data = b""
    while b"\r\n\r\n" not in data and len(data) < 1 << 20:
        data += connection.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    if headers.get("expect", "").lower() == "100-continue":
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
    if headers.get("transfer-encoding") == "chunked":
        while not body.endswith(b"0\r\n\r\n"):
            body += connection.recv(65536)
    else:
        while len(body) < int(headers.get("content-length", 0)):
            body += connection.recv(65536)
    return lines[0].split(" ")[1].partition("?")[0]
