"""A model endpoint on 127.0.0.1 that plays one stream per run, in four providers' formats.

The first request of a run gets the scenario, each later one a short text, so that
every agent's loop ends. What the first response sent, and what each request
offered, can be read afterwards. The server stops with the `with` block.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

WHOLE = '{"path":"a.txt","content":"alpha beta gamma"}'
CUT = '{"path":"a.txt","content":"alpha be'

# scenario -> (the arguments' text, how the stream ends)
SCENARIOS = {
    "clean": (WHOLE, "ok"),
    "cut": (CUT, "length"),
    "whole_but_cut": (WHOLE, "length"),
    "filtered": (WHOLE, "filter"),
    "errored": (WHOLE, "error"),
    "aborted": (WHOLE, "drop"),
    "aborted_in_the_arguments": (CUT, "drop"),
}
TOOL = "write_file"


class _Drop(Exception):  # noqa: N818 - a signal, no error
    """Break the connection without ending the body."""


@dataclass
class Run:
    """What one run asked and was sent."""

    scenario: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    sent: bytes = b""


class ModelServer:
    """Use as `with ModelServer() as server: base = server.url(scenario)`."""

    def __init__(self) -> None:
        self.runs: dict[str, Run] = {}
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self.runs))
        self._http.daemon_threads = True
        self._http.handle_error = lambda *_: None  # type: ignore[method-assign]  # a client that hangs up
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(5)

    def start(self, scenario: str) -> tuple[str, Run]:
        """Begin a run; return its base URL (without `/v1`) and its record."""
        key = f"r{len(self.runs)}"
        self.runs[key] = Run(scenario)
        return f"http://127.0.0.1:{self._http.server_address[1]}/{key}", self.runs[key]


def _handler(runs: dict[str, Run]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
            path = self.path.partition("?")[0]
            run = runs[path.split("/")[1]]
            run.requests.append(body)
            first = len(run.requests) == 1
            play = next(play for end, play in _PLAYS.items() if end in path)
            text, end = SCENARIOS[run.scenario] if first else (None, "ok")
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            try:
                for payload in play(text, end):
                    data = _sse(payload)
                    if first:
                        run.sent += data
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                    self.wfile.flush()
                self.wfile.write(b"0\r\n\r\n")
            except _Drop:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
            except ConnectionError:
                self.close_connection = True

    return Handler


def _sse(payload: Any) -> bytes:
    if isinstance(payload, str):
        return f"data: {payload}\n\n".encode()
    name = payload.get("type")
    head = f"event: {name}\n" if isinstance(name, str) else ""
    return f"{head}data: {json.dumps(payload)}\n\n".encode()


def _pieces(text: str) -> list[str]:
    return [text[start : start + 12] for start in range(0, len(text), 12)]


def _chat(text: str | None, end: str) -> Iterator[Any]:
    def chunk(delta: Any, finish: str | None = None) -> Any:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}

    def call(**function: str) -> Any:
        about = {"id": "call_1", "type": "function"} if "name" in function else {}
        return chunk({"tool_calls": [{"index": 0, **about, "function": function}]})

    yield chunk({"role": "assistant", "content": None if text else ""})
    if text is None:
        yield chunk({"content": "finished"})
    else:
        yield call(name=TOOL, arguments="")
        for piece in _pieces(text):
            yield call(arguments=piece)
    if end == "drop":
        raise _Drop
    if end == "error":
        yield {"error": {"message": "upstream failed", "type": "server_error", "code": 500}}
        return
    reasons = {"ok": "tool_calls" if text else "stop", "length": "length", "filter": "content_filter"}
    yield chunk({}, reasons[end])
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    yield {**chunk({}), "choices": [], "usage": usage}
    yield "[DONE]"


def _anthropic(text: str | None, end: str) -> Iterator[Any]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "m1", "type": "message", "role": "assistant", "model": "claude-x", "content": []}
    yield {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None, "usage": usage}}
    if text is None:
        yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
        yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "finished"}}
    else:
        block = {"type": "tool_use", "id": "toolu_1", "name": TOOL, "input": {}}
        yield {"type": "content_block_start", "index": 0, "content_block": block}
        for piece in _pieces(text):
            delta = {"type": "input_json_delta", "partial_json": piece}
            yield {"type": "content_block_delta", "index": 0, "delta": delta}
    if text != CUT or end != "drop":
        yield {"type": "content_block_stop", "index": 0}
    if end == "drop":
        raise _Drop
    if end == "error":
        yield {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
        return
    reasons = {"ok": "tool_use" if text else "end_turn", "length": "max_tokens", "filter": "refusal"}
    delta = {"stop_reason": reasons[end], "stop_sequence": None}
    yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


def _responses(text: str | None, end: str) -> Iterator[Any]:
    numbers = iter(range(1000))

    def event(kind: str, **more: Any) -> Any:
        return {"type": kind, "sequence_number": next(numbers), **more}

    def response(status: str, output: list[Any], **more: Any) -> Any:
        about = {"id": "r1", "object": "response", "created_at": 1, "model": "m", "parallel_tool_calls": True}
        usage = {
            "input_tokens": 1,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": 1,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 2,
        }
        rest = {"tool_choice": "auto", "tools": [], "error": None, "incomplete_details": None, "usage": usage}
        return {**about, **rest, "status": status, "output": output, **more}

    whole = text != CUT
    if text is None:
        content = {"type": "output_text", "text": "finished", "annotations": []}
        item: Any = {"id": "i1", "type": "message", "role": "assistant", "status": "completed", "content": [content]}
        blank: Any = {**item, "status": "in_progress", "content": []}
    else:
        item = {"id": "i1", "type": "function_call", "call_id": "call_1", "name": TOOL, "arguments": text}
        item["status"] = "completed" if whole else "incomplete"
        blank = {**item, "status": "in_progress", "arguments": ""}
    yield event("response.created", response=response("in_progress", []))
    yield event("response.output_item.added", output_index=0, item=blank)
    if text is None:
        place = {"item_id": "i1", "output_index": 0, "content_index": 0}
        yield event("response.output_text.delta", **place, delta="finished", logprobs=[])
        yield event("response.output_text.done", **place, text="finished", logprobs=[])
    else:
        for piece in _pieces(text):
            yield event("response.function_call_arguments.delta", item_id="i1", output_index=0, delta=piece)
    if text is not None and (whole or end != "drop"):
        done = {"item_id": "i1", "output_index": 0, "arguments": text, "name": TOOL}
        yield event("response.function_call_arguments.done", **done)
    if whole or end != "drop":
        yield event("response.output_item.done", output_index=0, item=item)
    if end == "drop":
        raise _Drop
    if end == "error":
        yield event("error", code="server_error", message="upstream failed", param=None)
    elif end == "ok":
        yield event("response.completed", response=response("completed", [item]))
    else:
        reason = {"length": "max_output_tokens", "filter": "content_filter"}[end]
        yield event(
            "response.incomplete", response=response("incomplete", [item], incomplete_details={"reason": reason})
        )


def _gemini(text: str | None, end: str) -> Iterator[Any]:
    def chunk(part: Any, reason: str | None = None) -> Any:
        candidate = {"index": 0, "content": {"role": "model", "parts": [part]}}
        usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        about = {"modelVersion": "m", "usageMetadata": usage}
        return {"candidates": [{**candidate, **({"finishReason": reason} if reason else {})}], **about}

    if text is None:
        yield chunk({"text": "finished"})
    elif text == WHOLE:
        yield chunk({"functionCall": {"name": TOOL, "args": json.loads(text)}})
    if end == "drop":
        raise _Drop
    if end == "error":
        yield {"error": {"code": 503, "status": "UNAVAILABLE", "message": "overloaded"}}
        return
    yield chunk({"text": ""}, {"ok": "STOP", "length": "MAX_TOKENS", "filter": "SAFETY"}[end])


_PLAYS = {
    "/chat/completions": _chat,
    "/messages": _anthropic,
    "/responses": _responses,
    ":streamGenerateContent": _gemini,
}
