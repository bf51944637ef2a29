"""Healthy histories for several formats, and named ways to damage them.

A plan is a list of turns in neutral words; each renderer writes it in one format's
own shape, by hand and not through the code under test. Damage works on the native
messages, so that what is broken, and how, is known.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from support import framework_histories, histories

Plan = list[dict[str, Any]]

WORDS = st.sampled_from(["hello", "look it up", "done", "ünïcode ✓", "a\nb", "{}", "42"])
NAMES = st.sampled_from(["read_file", "get_time", "search"])
ARGUMENTS = st.dictionaries(st.sampled_from(["path", "q", "n"]), st.one_of(WORDS, st.integers(0, 9)), max_size=2)


@st.composite
def plans(draw: st.DrawFn, *, least: int = 1) -> Plan:
    """Draw a healthy conversation: user words, then answers with or without calls."""
    plan: Plan = []
    number = 0
    for _ in range(draw(st.integers(least, 4))):
        plan.append({"user": draw(WORDS)})
        for _ in range(draw(st.integers(0, 2))):
            calls = []
            for _ in range(draw(st.integers(1, 3))):
                number += 1
                calls.append(
                    {"id": f"call{number:05d}", "name": draw(NAMES), "args": draw(ARGUMENTS), "out": draw(WORDS)}
                )
            plan.append({"calls": calls, "text": draw(st.one_of(st.none(), WORDS))})
        plan.append({"assistant": draw(WORDS)})
    plan.append({"user": draw(WORDS)})
    return plan


def openai_chat(plan: Plan) -> list[Any]:
    """Write a plan as Chat Completions messages."""
    out: list[Any] = []
    for turn in plan:
        if "user" in turn:
            out.append({"role": "user", "content": turn["user"]})
        elif "assistant" in turn:
            out.append({"role": "assistant", "content": turn["assistant"]})
        else:
            out.append(
                {
                    "role": "assistant",
                    "content": turn["text"],
                    "tool_calls": [
                        {
                            "id": call["id"],
                            "type": "function",
                            "function": {"name": call["name"], "arguments": json.dumps(call["args"])},
                        }
                        for call in turn["calls"]
                    ],
                }
            )
            out += [{"role": "tool", "tool_call_id": call["id"], "content": call["out"]} for call in turn["calls"]]
    return out


def anthropic(plan: Plan) -> list[Any]:
    """Write a plan as Messages API messages."""
    out: list[Any] = []
    for turn in plan:
        if "user" in turn:
            out.append({"role": "user", "content": turn["user"]})
        elif "assistant" in turn:
            out.append({"role": "assistant", "content": [{"type": "text", "text": turn["assistant"]}]})
        else:
            text = [{"type": "text", "text": turn["text"]}] if turn["text"] is not None else []
            uses = [
                {"type": "tool_use", "id": call["id"], "name": call["name"], "input": call["args"]}
                for call in turn["calls"]
            ]
            out.append({"role": "assistant", "content": text + uses})
            results = [
                {"type": "tool_result", "tool_use_id": call["id"], "content": call["out"]} for call in turn["calls"]
            ]
            out.append({"role": "user", "content": results})
    return out


def ai_sdk(plan: Plan) -> list[Any]:
    """Write a plan as ModelMessages."""
    out: list[Any] = []
    for turn in plan:
        if "user" in turn:
            out.append({"role": "user", "content": [{"type": "text", "text": turn["user"]}]})
        elif "assistant" in turn:
            out.append({"role": "assistant", "content": turn["assistant"]})
        else:
            text = [{"type": "text", "text": turn["text"]}] if turn["text"] is not None else []
            uses = [
                {"type": "tool-call", "toolCallId": call["id"], "toolName": call["name"], "input": call["args"]}
                for call in turn["calls"]
            ]
            out.append({"role": "assistant", "content": text + uses})
            results = [
                {
                    "type": "tool-result",
                    "toolCallId": call["id"],
                    "toolName": call["name"],
                    "output": {"type": "text", "value": call["out"]},
                }
                for call in turn["calls"]
            ]
            out.append({"role": "tool", "content": results})
    return out


def gemini(plan: Plan) -> list[Any]:
    """Write a plan as contents."""
    out: list[Any] = []
    for turn in plan:
        if "user" in turn:
            out.append({"role": "user", "parts": [{"text": turn["user"]}]})
        elif "assistant" in turn:
            out.append({"role": "model", "parts": [{"text": turn["assistant"]}]})
        else:
            text = [{"text": turn["text"]}] if turn["text"] is not None else []
            uses = [
                {"functionCall": {"id": call["id"], "name": call["name"], "args": call["args"]}}
                for call in turn["calls"]
            ]
            out.append({"role": "model", "parts": text + uses})
            results = [
                {"functionResponse": {"id": call["id"], "name": call["name"], "response": {"result": call["out"]}}}
                for call in turn["calls"]
            ]
            out.append({"role": "user", "parts": results})
    return out


def bedrock_converse(plan: Plan) -> list[Any]:
    """Write a plan as Converse messages."""
    out: list[Any] = []
    for turn in plan:
        if "user" in turn:
            out.append({"role": "user", "content": [{"text": turn["user"]}]})
        elif "assistant" in turn:
            out.append({"role": "assistant", "content": [{"text": turn["assistant"]}]})
        else:
            text = [{"text": turn["text"]}] if turn["text"] is not None else []
            uses = [
                {"toolUse": {"toolUseId": call["id"], "name": call["name"], "input": call["args"]}}
                for call in turn["calls"]
            ]
            out.append({"role": "assistant", "content": text + uses})
            results = [
                {"toolResult": {"toolUseId": call["id"], "content": [{"text": call["out"]}]}} for call in turn["calls"]
            ]
            out.append({"role": "user", "content": results})
    return out


def openai_responses(plan: Plan) -> list[Any]:
    """Write a plan as Responses items."""
    out: list[Any] = []
    for turn in plan:
        if "user" in turn:
            out.append({"role": "user", "content": turn["user"]})
        elif "assistant" in turn:
            out.append({"role": "assistant", "content": turn["assistant"]})
        else:
            if turn["text"] is not None:
                out.append({"role": "assistant", "content": turn["text"]})
            out += [
                {
                    "type": "function_call",
                    "call_id": call["id"],
                    "name": call["name"],
                    "arguments": json.dumps(call["args"]),
                }
                for call in turn["calls"]
            ]
            out += [
                {"type": "function_call_output", "call_id": call["id"], "output": call["out"]} for call in turn["calls"]
            ]
    return out


def cohere_v2(plan: Plan) -> list[Any]:
    """Write a plan as Cohere's messages: what is said beside calls is a plan, results are documents."""
    out = openai_chat(plan)
    for message in out:
        if "tool_calls" in message:
            words = message.pop("content")
            if words is not None:
                message["tool_plan"] = words
        elif message["role"] == "tool":
            message["content"] = [{"type": "document", "document": {"id": "1", "data": {"said": message["content"]}}}]
        elif message["role"] == "assistant":
            message["content"] = [{"type": "text", "text": message["content"]}]
    return out


def ollama(plan: Plan) -> list[Any]:
    """Write a plan as Ollama's messages, with the ids that newer servers send."""
    out: list[Any] = []
    for turn in plan:
        if "user" in turn:
            out.append({"role": "user", "content": turn["user"]})
        elif "assistant" in turn:
            out.append({"role": "assistant", "content": turn["assistant"], "thinking": "hm"})
        else:
            entries = [
                {"id": call["id"], "function": {"name": call["name"], "arguments": call["args"]}}
                for call in turn["calls"]
            ]
            out.append({"role": "assistant", "content": turn["text"] or "", "tool_calls": entries})
            out += [
                {"role": "tool", "tool_name": call["name"], "tool_call_id": call["id"], "content": call["out"]}
                for call in turn["calls"]
            ]
    return out


def steps(plan: Plan) -> list[histories.Step]:
    """Return a plan as the steps that the other renderers write down."""
    out: list[histories.Step] = []
    for turn in plan:
        if "user" in turn:
            out.append(histories.User(turn["user"]))
        elif "assistant" in turn:
            out.append(histories.Reply(turn["assistant"]))
        else:
            asked = tuple(histories.Ask(call["id"], call["name"], call["args"]) for call in turn["calls"])
            out.append(histories.Reply(turn["text"] or "", asked))
            given = (histories.Answer(call["id"], call["name"], call["out"]) for call in turn["calls"])
            out.append(histories.Results(tuple(given)))
    return out


def _framework(render: Callable[[list[histories.Step]], list[Any]]) -> Callable[[Plan], list[Any]]:
    return lambda plan: render(steps(plan))


RENDERERS: dict[str, Callable[[Plan], list[Any]]] = {
    "ai_python": _framework(framework_histories.ai_python),
    "ai_sdk_ui": _framework(framework_histories.ai_sdk_ui),
    "langchain": _framework(framework_histories.langchain_blocks),
    "openai_agents": _framework(framework_histories.openai_agents),
    "pydantic_ai": _framework(framework_histories.pydantic_ai),
    "openai_chat": openai_chat,
    "mistral": openai_chat,
    "anthropic": anthropic,
    "ai_sdk": ai_sdk,
    "gemini": gemini,
    "bedrock_converse": bedrock_converse,
    "openai_responses": openai_responses,
    "cohere_v2": cohere_v2,
    "ollama": ollama,
}


# -- damage ----------------------------------------------------------------------------------------


def _paths(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    out = [here] if here else []
    if isinstance(value, dict):
        for key, inner in value.items():
            out += _paths(inner, (*here, key))
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            out += _paths(inner, (*here, at))
    return out


def _parent(messages: Any, path: tuple[Any, ...]) -> Any:
    return _value(messages, path[:-1])


def _value(messages: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        messages = messages[key]
    return messages


JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from(["", " ", "x", "call00001", "{", "{}", "user"])
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                [
                    "role",
                    "content",
                    "parts",
                    "type",
                    "text",
                    "tool_calls",
                    "id",
                    "name",
                    "input",
                    "arguments",
                    "function",
                ]
            ),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=8,
)


#: By a field that marks a result: what it has beside when its tool has failed.
_FAILS: dict[str, dict[str, Any]] = {
    "tool_use_id": {"is_error": True},
    "toolUseId": {"status": "error"},
    "toolCallId": {"state": "output-error", "errorText": ""},
    "tool_call_id": {"outcome": "failed", "is_error": True, "status": "error"},
}
_BODIES = frozenset({"content", "output", "errorText", "result"})


BODIES = st.sampled_from(["", " ", [], [{"type": "text", "text": ""}], [{"text": " "}], None])


def results_in(history: list[Any]) -> list[dict[str, Any]]:
    """Return the native results in a history: objects that name a call and have a body."""
    found = [_value(history, path) for path in _paths(history)]
    found = [one for one in found if isinstance(one, dict) and not _FAILS.keys().isdisjoint(one)]
    return [one for one in found if not _BODIES.isdisjoint(one)]


def fail(result: dict[str, Any], body: Any) -> None:
    """Make a native result one of a tool that failed, with this body."""
    for mark in [key for key in _FAILS if key in result]:
        result.update(_FAILS[mark])
    result.update({key: copy.deepcopy(body) for key in _BODIES if key in result})


@st.composite
def damaged(draw: st.DrawFn, messages: list[Any], *, most: int = 4) -> list[Any]:
    """Draw a history with a few named faults put in."""
    out = copy.deepcopy(messages)
    for _ in range(draw(st.integers(1, most))):
        if not out:
            break
        kind = draw(
            st.sampled_from(
                ["drop", "repeat", "move", "set", "delete", "rename", "shorten", "insert", "copy", "swap", "fail"]
            )
        )
        at = draw(st.integers(0, len(out) - 1))
        if kind == "drop":
            del out[at]
        elif kind == "repeat":
            out.insert(draw(st.integers(0, len(out))), copy.deepcopy(out[at]))
        elif kind == "move":
            message = out.pop(at)
            out.insert(draw(st.integers(0, len(out))), message)
        elif kind == "shorten":
            del out[:at]
        elif kind == "fail":
            # A tool that failed and said nothing: two things at once, which single faults hardly ever bring about.
            results = results_in(out)
            if results:
                fail(draw(st.sampled_from(results)), draw(BODIES))
        elif kind in ("insert", "copy"):
            # Into any list: something that is no part, or what stands in another list.
            paths = _paths(out)
            lists = [path for path in paths if isinstance(_value(out, path), list)]
            target = _value(out, draw(st.sampled_from([(), *lists])))
            items = [path for path in paths if isinstance(path[-1], int)]
            new = draw(JSON) if kind == "insert" else copy.deepcopy(_value(out, draw(st.sampled_from(items))))
            target.insert(draw(st.integers(0, len(target))), new)
        else:
            path = draw(st.sampled_from(_paths(out)))
            holder = _parent(out, path)
            if kind == "swap":
                # What stands under the same key elsewhere: a known word in the wrong place.
                same = [other for other in _paths(out) if other[-1] == path[-1]]
                holder[path[-1]] = copy.deepcopy(_value(out, draw(st.sampled_from(same))))
            elif kind == "delete":
                del holder[path[-1]]
            elif kind == "rename" and isinstance(holder[path[-1]], str):
                holder[path[-1]] = draw(st.sampled_from(["call00001", "a b", "", " ", "x" * 70, "developer", "tool"]))
            else:
                holder[path[-1]] = draw(JSON)
    return out
