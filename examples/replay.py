"""A local server that plays recorded streams, so that the official clients can be used without an API key.

The first part of the path names the recording: `POST /clean/v1/messages` plays
`recordings/clean.sse`, whatever the request says. It listens on 127.0.0.1 only,
on a free port, and ends with its `with` block.
"""

from __future__ import annotations

import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self

RECORDINGS = Path(__file__).with_name("recordings")
_REQUEST_BYTES = 1024 * 1024
_SILENCE = 5.0  # seconds without a byte from the client, after which a connection is closed


class _Server(ThreadingHTTPServer):
    """A server that does not mind a client which hangs up."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report what went wrong, unless the client only closed its connection."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Replay:
    """Plays recordings while its `with` block runs."""

    def __init__(self, folder: Path = RECORDINGS) -> None:
        """Take the recordings from a folder; each `NAME.sse` in it is one."""
        streams = {path.stem: path.read_bytes() for path in sorted(folder.glob("*.sse"))}
        handler = type("Handler", (_Handler,), {"streams": streams})
        self._server = _Server(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def url(self, recording: str) -> str:
        """Return the address to use as an SDK's base URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/{recording}"

    def __enter__(self) -> Self:
        """Start to listen."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _SILENCE
    streams: dict[str, bytes]

    def do_POST(self) -> None:
        """Play a recording."""
        self.rfile.read(min(int(self.headers.get("content-length") or 0), _REQUEST_BYTES))
        body = self.streams.get(self.path.split("/")[1])
        if body is None:
            self.send_error(404, "no such recording")
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for start in range(0, len(body), 97):  # pieces that end anywhere, as on a network
            piece = body[start : start + 97]
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Keep quiet."""
