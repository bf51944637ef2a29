"""A loopback server that plays one model response a scenario, on three providers' wires.

Used by `record_frameworks.py` only. The base URL is `http://127.0.0.1:PORT/<scenario>`; the first request
gets the scenario, every later one a short text, so that a framework's loop ends.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

WHOLE = {"call_A": '{"path":"a.txt","content":"one two three"}', "call_B": '{"path":"b.txt","content":"four \\"5\\""}'}
CUT = '{"path":"a.txt","content":"one tw'
TOOL = "write_file"

Event = tuple[str | None, Any]  # SSE event name and payload; a payload that is a str goes out as it is


class BrokenError(Exception):
    """Close the socket in the middle of the body."""


def pieces(text: str) -> list[str]:
    """Cut a text into up to three parts, inside its words."""
    step = len(text) // 3 + 1
    return [text[at : at + step] for at in range(0, len(text), step)]


# scenario -> (the calls with their text, how it ends)
Plan = tuple[list[tuple[str, str]], str]
PLANS: dict[str, Plan] = {
    "clean": ([("call_A", WHOLE["call_A"])], "done"),
    "two": (list(WHOLE.items()), "done"),
    "cut_length": ([("call_A", CUT)], "length"),
    "whole_length": ([("call_A", WHOLE["call_A"])], "length"),
    "cut_says_done": ([("call_A", CUT)], "done"),
    "filtered": ([("call_A", WHOLE["call_A"])], "filtered"),
    "eof": ([("call_A", WHOLE["call_A"])], "eof"),
    "broken": ([("call_A", WHOLE["call_A"])], "broken"),
    "error": ([("call_A", WHOLE["call_A"])], "error"),
    "paused": ([("call_A", WHOLE["call_A"])], "paused"),
    "new_word": ([("call_A", WHOLE["call_A"])], "new_word"),
    "server": ([("srv_1", '{"query":"weather"}'), ("call_A", WHOLE["call_A"])], "done"),
    "text": ([], "text"),
}


def chat(plan: Plan, tool: str) -> Iterator[Event]:
    """Chat Completions chunks; parallel calls interleave."""
    calls, end = plan

    def chunk(delta: dict[str, Any], finish: str | None = None) -> Event:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return None, {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "choices": [choice],
        }

    yield chunk({"role": "assistant", "content": "done" if end == "text" else None})
    for index, (id, _) in enumerate(calls):
        function = {"name": tool, "arguments": ""}
        yield chunk({"tool_calls": [{"index": index, "id": id, "type": "function", "function": function}]})
    for part in range(3):
        for index, (_, text) in enumerate(calls):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": pieces(text)[part]}}]})
    words = {
        "done": "tool_calls",
        "text": "stop",
        "length": "length",
        "filtered": "content_filter",
        "new_word": "brand_new",
    }
    if end in words:
        yield chunk({}, words[end])
        usage = {"prompt_tokens": 5, "completion_tokens": 9, "total_tokens": 14}
        yield None, {**chunk({})[1], "choices": [], "usage": usage}
        yield None, "[DONE]"
    elif end == "error":
        yield None, {"error": {"message": "upstream failed", "type": "server_error", "code": "500"}}
    elif end == "broken":
        raise BrokenError


def responses(plan: Plan, tool: str) -> Iterator[Event]:
    """Responses events, numbered."""
    calls, end = plan
    count = iter(range(10_000))
    cut = end == "length"

    def event(kind: str, **fields: Any) -> Event:
        return kind, {"type": kind, "sequence_number": next(count), **fields}

    def response(status: str, output: list[Any], **fields: Any) -> dict[str, Any]:
        return {
            "id": "resp_1",
            "object": "response",
            "created_at": 1,
            "model": "m",
            "status": status,
            "output": output,
            "error": None,
            "incomplete_details": None,
            "instructions": None,
            "metadata": {},
            "tools": [],
            "parallel_tool_calls": True,
            "temperature": 1.0,
            "top_p": 1.0,
            "tool_choice": "auto",
            **fields,
        }

    def item(at: int, text: str, status: str) -> dict[str, Any]:
        return {
            "id": f"fc_{at}",
            "type": "function_call",
            "call_id": calls[at][0],
            "name": tool,
            "arguments": text,
            "status": status,
        }

    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": "done", "annotations": [], "logprobs": []}],
    }
    yield event("response.created", response=response("in_progress", []))
    if end == "text":
        place: dict[str, Any] = {"item_id": "msg_1", "output_index": 0}
        part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
        yield event(
            "response.output_item.added", output_index=0, item={**message, "content": [], "status": "in_progress"}
        )
        yield event("response.content_part.added", content_index=0, part=part, **place)
        yield event("response.output_text.delta", content_index=0, delta="done", logprobs=[], **place)
        yield event("response.output_text.done", content_index=0, text="done", logprobs=[], **place)
        yield event("response.content_part.done", content_index=0, part={**part, "text": "done"}, **place)
        yield event("response.output_item.done", output_index=0, item=message)
        yield event("response.completed", response=response("completed", [message]))
        return
    whole = []
    for at, (_, text) in enumerate(calls):
        status = "incomplete" if cut and text == CUT else "completed"
        yield event("response.output_item.added", output_index=at, item=item(at, "", "in_progress"))
        for piece in pieces(text):
            yield event("response.function_call_arguments.delta", item_id=f"fc_{at}", output_index=at, delta=piece)
        yield event(
            "response.function_call_arguments.done", item_id=f"fc_{at}", output_index=at, arguments=text, name=tool
        )
        yield event("response.output_item.done", output_index=at, item=item(at, text, status))
        whole.append(item(at, text, status))
    reasons = {"length": "max_output_tokens", "filtered": "content_filter", "new_word": "brand_new"}
    if end == "done":
        yield event("response.completed", response=response("completed", whole))
    elif end in reasons:
        details = {"reason": reasons[end]}
        yield event("response.incomplete", response=response("incomplete", whole, incomplete_details=details))
    elif end == "error":
        yield event("error", code="server_error", message="upstream failed", param=None)
    elif end == "broken":
        raise BrokenError


def anthropic(plan: Plan, tool: str) -> Iterator[Event]:
    """Messages events."""
    calls, end = plan

    def event(kind: str, **fields: Any) -> Event:
        return kind, {"type": kind, **fields}

    usage = {"input_tokens": 5, "output_tokens": 1}
    yield event(
        "message_start",
        message={
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-x",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage,
        },
    )
    if end == "text":
        yield event("content_block_start", index=0, content_block={"type": "text", "text": ""})
        yield event("content_block_delta", index=0, delta={"type": "text_delta", "text": "done"})
        yield event("content_block_stop", index=0)
    at = 0
    for id, text in calls:
        kind, name = ("server_tool_use", "web_search") if id.startswith("srv") else ("tool_use", tool)
        yield event("content_block_start", index=at, content_block={"type": kind, "id": id, "name": name, "input": {}})
        for piece in ["", *pieces(text)]:
            yield event("content_block_delta", index=at, delta={"type": "input_json_delta", "partial_json": piece})
        yield event("content_block_stop", index=at)
        at += 1
        if kind == "server_tool_use":
            found = {
                "type": "web_search_result",
                "url": "https://example.com",
                "title": "Weather",
                "page_age": None,
                "encrypted_content": "eA==",
            }
            block = {"type": "web_search_tool_result", "tool_use_id": id, "content": [found]}
            yield event("content_block_start", index=at, content_block=block)
            yield event("content_block_stop", index=at)
            at += 1
    words = {
        "done": "tool_use",
        "text": "end_turn",
        "length": "max_tokens",
        "filtered": "refusal",
        "paused": "pause_turn",
        "new_word": "brand_new",
    }
    if end in words:
        yield event(
            "message_delta", delta={"stop_reason": words[end], "stop_sequence": None}, usage={"output_tokens": 9}
        )
        yield event("message_stop")
    elif end == "error":
        yield event("error", error={"type": "overloaded_error", "message": "Overloaded"})
    elif end == "broken":
        raise BrokenError


def offered(body: dict[str, Any]) -> str:
    """Return the name under which the framework offers the tool."""
    names = [str(tool.get("name") or tool.get("function", {}).get("name")) for tool in body.get("tools") or []]
    return next((name for name in names if name.endswith(TOOL)), TOOL)


PLAYS: dict[str, Callable[[Plan, str], Iterator[Event]]] = {
    "/chat/completions": chat,
    "/responses": responses,
    "/messages": anthropic,
}


class Handler(BaseHTTPRequestHandler):
    """Plays the scenario that the path names."""

    protocol_version = "HTTP/1.1"
    seen: set[str]

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the standard library
        """Keep quiet."""

    def do_POST(self) -> None:
        """Answer one model request with a stream."""
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        path = self.path.split("?")[0]
        scenario = path.strip("/").split("/")[0].split("@")[0]
        play = next((play for suffix, play in PLAYS.items() if path.endswith(suffix)), None)
        if play is None or not body.get("stream"):
            self.send_response(404)
            self.send_header("content-length", "0")
            self.end_headers()
            return
        first = path not in self.seen and bool(body.get("tools"))
        if first:
            self.seen.add(path)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        try:
            for name, payload in play(PLANS[scenario if first else "text"], offered(body)):
                head = f"event: {name}\n" if name else ""
                data = payload if isinstance(payload, str) else json.dumps(payload)
                raw = f"{head}data: {data}\n\n".encode()
                self.wfile.write(b"%x\r\n%s\r\n" % (len(raw), raw))
            self.wfile.write(b"0\r\n\r\n")
        except BrokenError:
            self.close_connection = True
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True


def serve() -> tuple[ThreadingHTTPServer, str]:
    """Start the server on a free loopback port, as a daemon thread; return it and its root URL."""
    handler = type("PlayingHandler", (Handler,), {"seen": set()})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_address[1]}"
