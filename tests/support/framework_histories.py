"""How frameworks write down the neutral conversations of `support.histories`.

`FORMS` has one entry a format and form. The dict forms need nothing; the object forms
need the framework and say so by `importorskip`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from support.histories import Ask, Reply, Results, Step, System, User, render, with_ids

__all__ = ["FORMS", "nine", "plain"]


def nine(steps: list[Step]) -> list[Step]:
    """Return the conversation with ids of nine letters and digits, which every provider takes."""
    return with_ids(steps, lambda one: f"call{one.id.removeprefix('call_'):0>5}")


def _object(arguments: Any) -> Any:
    return arguments if isinstance(arguments, dict) else None


def _text(arguments: Any) -> Any:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


# -- LangChain ----------------------------------------------------------------------------------------


def langchain(steps: list[Step]) -> list[Any]:
    """Flat dicts; arguments that are no object go where LangChain puts them."""
    out: list[Any] = []
    for step in steps:
        match step:
            case System(text):
                out.append({"type": "system", "content": text})
            case User(text):
                out.append({"type": "human", "content": text})
            case Reply(text, calls):
                good = [call for call in calls if isinstance(call.arguments, dict)]
                bad = [call for call in calls if not isinstance(call.arguments, dict)]
                out.append(
                    {
                        "type": "ai",
                        "content": text,
                        "tool_calls": [
                            {"name": c.name, "args": c.arguments, "id": c.id, "type": "tool_call"} for c in good
                        ],
                        "invalid_tool_calls": [
                            {
                                "name": c.name,
                                "args": _text(c.arguments),
                                "id": c.id,
                                "error": "?",
                                "type": "invalid_tool_call",
                            }
                            for c in bad
                        ],
                    }
                )
            case Results(answers):
                for answer in answers:
                    status = "error" if answer.error else "success"
                    out.append({"type": "tool", "content": answer.text, "tool_call_id": answer.id, "status": status})
    return out


def langchain_blocks(steps: list[Step]) -> list[Any]:
    """Anthropic-style content: each call stands in the content and in `tool_calls`."""
    out = langchain(steps)
    for message in out:
        if message["type"] == "ai" and message["tool_calls"]:
            text = message["content"]
            message["content"] = [{"type": "text", "text": text}] if text else []
            message["content"] += [
                {"type": "tool_use", "id": call["id"], "name": call["name"], "input": call["args"]}
                for call in message["tool_calls"]
            ]
    return out


def langchain_raw(steps: list[Step]) -> list[Any]:
    """OpenAI-style: each call stands in `tool_calls` and raw beside the message."""
    out = langchain(steps)
    for message in out:
        calls = [*message.get("tool_calls", ()), *message.get("invalid_tool_calls", ())]
        if calls:
            raw = [
                {
                    "id": call["id"],
                    "type": "function",
                    "function": {"name": call["name"], "arguments": _text(call["args"])},
                }
                for call in calls
            ]
            message["additional_kwargs"] = {"tool_calls": raw, "refusal": None}
    return out


def langchain_data(steps: list[Step]) -> list[Any]:
    """What `messages_to_dict` makes."""
    return [{"type": message["type"], "data": message} for message in langchain(steps)]


def langchain_dumped(steps: list[Step]) -> list[Any]:
    """What `dumpd` makes."""
    names = {"system": "SystemMessage", "human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}
    return [
        {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain", "schema", "messages", names[message["type"]]],
            "kwargs": message,
        }
        for message in langchain(steps)
    ]


def langchain_objects(steps: list[Step]) -> list[Any]:
    """Message objects."""
    messages = pytest.importorskip("langchain_core.messages")
    return messages.messages_from_dict(langchain_data(steps))


# -- Pydantic AI --------------------------------------------------------------------------------------

_STAMP = "2026-01-02T03:04:05Z"


def _request(parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {"parts": parts, "kind": "request"}


def pydantic_ai(steps: list[Step]) -> list[Any]:
    """JSON; results and the prompt behind them are one request."""
    out: list[Any] = []
    for step in steps:
        parts: list[dict[str, Any]] = []
        match step:
            case System(text):
                parts = [{"content": text, "timestamp": _STAMP, "part_kind": "system-prompt"}]
            case User(text):
                parts = [{"content": text, "timestamp": _STAMP, "part_kind": "user-prompt"}]
            case Results(answers):
                parts = [
                    {
                        "tool_name": answer.name,
                        "content": answer.text,
                        "tool_call_id": answer.id,
                        "outcome": "failed" if answer.error else "success",
                        "timestamp": _STAMP,
                        "part_kind": "tool-return",
                    }
                    for answer in answers
                ]
            case Reply(text, calls):
                parts = [{"content": text, "part_kind": "text"}] if text else []
                parts += [
                    {"tool_name": c.name, "args": _args(c), "tool_call_id": c.id, "part_kind": "tool-call"}
                    for c in calls
                ]
                out.append({"parts": parts, "timestamp": _STAMP, "kind": "response"})
                continue
        if out and out[-1]["kind"] == "request" and isinstance(step, User):
            out[-1]["parts"] += parts
        else:
            out.append(_request(parts))
    return out


def _args(call: Ask) -> Any:
    if call.arguments is None or isinstance(call.arguments, str):
        return call.arguments
    return call.arguments if isinstance(call.arguments, dict) and len(call.id) % 2 else json.dumps(call.arguments)


def pydantic_ai_objects(steps: list[Step]) -> list[Any]:
    """Message objects."""
    messages = pytest.importorskip("pydantic_ai.messages")
    return messages.ModelMessagesTypeAdapter.validate_python(pydantic_ai(steps))


# -- AI SDK -------------------------------------------------------------------------------------------


def ai_sdk(steps: list[Step]) -> list[Any]:
    """`ModelMessage`."""
    out: list[Any] = []
    for step in steps:
        match step:
            case System(text):
                out.append({"role": "system", "content": text})
            case User(text):
                out.append({"role": "user", "content": [{"type": "text", "text": text}]})
            case Reply(text, calls):
                content: list[Any] = [{"type": "text", "text": text}] if text or not calls else []
                content += [
                    {"type": "tool-call", "toolCallId": c.id, "toolName": c.name, "input": c.arguments} for c in calls
                ]
                out.append({"role": "assistant", "content": content})
            case Results(answers):
                content = [
                    {
                        "type": "tool-result",
                        "toolCallId": answer.id,
                        "toolName": answer.name,
                        "output": {"type": "error-text" if answer.error else "text", "value": answer.text},
                    }
                    for answer in answers
                ]
                out.append({"role": "tool", "content": content})
    return out


def ai_sdk_ui(steps: list[Step]) -> list[Any]:
    """`UIMessage`: a result that no call ahead of it asked for cannot be written down, and is left out."""
    out: list[Any] = []
    waiting: dict[str, list[Any]] = {}  # by id, the parts of the calls that have no answer yet
    for at, step in enumerate(steps):
        match step:
            case System(text) | User(text):
                role = "system" if isinstance(step, System) else "user"
                out.append({"id": f"m{at}", "role": role, "parts": [{"type": "text", "text": text}]})
            case Reply(text, calls):
                if not out or out[-1]["role"] != "assistant":
                    out.append({"id": f"m{at}", "role": "assistant", "parts": []})
                parts = out[-1]["parts"]
                parts.append({"type": "step-start"})
                if text:
                    parts.append({"type": "text", "text": text, "state": "done"})
                for n, call in enumerate(calls):
                    kind = {"type": f"tool-{call.name}"} if n % 2 else {"type": "dynamic-tool", "toolName": call.name}
                    part = {**kind, "toolCallId": call.id, "state": "input-available", "input": call.arguments}
                    parts.append(part)
                    waiting.setdefault(call.id, []).append(part)
            case Results(answers):
                for answer in answers:
                    known = waiting.get(answer.id)
                    if not known:
                        continue
                    failed = {"state": "output-error", "errorText": answer.text}
                    known.pop(0).update(
                        failed if answer.error else {"state": "output-available", "output": answer.text}
                    )
    return out


def ai_python(steps: list[Step]) -> list[Any]:
    """JSON of the package `ai`."""
    out: list[Any] = []
    for at, step in enumerate(steps):
        role, parts = "", []
        match step:
            case System(text):
                role, parts = "system", [{"id": f"p{at}", "text": text, "kind": "text"}]
            case User(text):
                role, parts = "user", [{"id": f"p{at}", "text": text, "kind": "text"}]
            case Reply(text, calls):
                role = "assistant"
                parts = [{"id": f"p{at}", "text": text, "kind": "text"}] if text or not calls else []
                parts += [
                    {
                        "id": f"p{at}-{c.id}",
                        "tool_call_id": c.id,
                        "tool_name": c.name,
                        "tool_args": _text(c.arguments),
                        "kind": "tool_call",
                    }
                    for c in calls
                ]
            case Results(answers):
                role = "tool"
                parts = [
                    {
                        "id": f"p{at}-{a.id}",
                        "tool_call_id": a.id,
                        "tool_name": a.name,
                        "result": a.text,
                        "result_kind": "error" if a.error else "json",
                        "kind": "tool_result",
                    }
                    for a in answers
                ]
        out.append({"role": role, "parts": parts, "id": f"m{at}"})
    return out


def ai_python_objects(steps: list[Step]) -> list[Any]:
    """Message objects (the package needs Python 3.12)."""
    messages = pytest.importorskip("ai.types.messages")
    return [messages.Message.model_validate(message) for message in ai_python(steps)]


def openai_agents(steps: list[Step]) -> list[Any]:
    """Items as `to_input_list` gives them."""
    return render(steps, "openai_responses")


def openai_agents_objects(steps: list[Step]) -> list[Any]:
    """Calls as the client's own objects."""
    kind = pytest.importorskip("openai.types.responses").ResponseFunctionToolCall
    return [
        kind.model_validate(item)
        if item.get("type") == "function_call" and isinstance(item["arguments"], str)
        else item
        for item in openai_agents(steps)
    ]


def plain(message: Any) -> Any:
    """Return a message as a JSON value, whatever it is."""
    if hasattr(message, "model_dump"):
        return message.model_dump(mode="json", exclude_none=type(message).__module__.startswith("openai."))
    if hasattr(message, "parts"):
        adapter = pytest.importorskip("pydantic_ai.messages").ModelMessagesTypeAdapter
        return adapter.dump_python([message], mode="json")[0]
    return message


#: Name of the form -> (format, how to write a conversation down).
FORMS: dict[str, tuple[str, Callable[[list[Step]], list[Any]]]] = {
    "ai_python": ("ai_python", ai_python),
    "ai_python-objects": ("ai_python", ai_python_objects),
    "ai_sdk": ("ai_sdk", ai_sdk),
    "ai_sdk_ui": ("ai_sdk_ui", ai_sdk_ui),
    "langchain": ("langchain", langchain),
    "langchain-blocks": ("langchain", langchain_blocks),
    "langchain-data": ("langchain", langchain_data),
    "langchain-dumped": ("langchain", langchain_dumped),
    "langchain-objects": ("langchain", langchain_objects),
    "langchain-raw": ("langchain", langchain_raw),
    "openai_agents": ("openai_agents", openai_agents),
    "openai_agents-objects": ("openai_agents", openai_agents_objects),
    "pydantic_ai": ("pydantic_ai", pydantic_ai),
    "pydantic_ai-objects": ("pydantic_ai", pydantic_ai_objects),
}
