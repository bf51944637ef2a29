"""Conversations for tests: valid ones, ways to damage them, and how each format writes them down.

A conversation is a flat list of neutral steps. `conversations()` draws one that every
provider takes; a function of `MUTATIONS` breaks it in one named way; `render` writes it
down in a format. So a test knows what was broken, whatever the format. Nothing here
imports the package under test.
"""

from __future__ import annotations

import copy
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

__all__ = [
    "MUTATIONS",
    "RAW",
    "TOOLS",
    "WIRES",
    "Answer",
    "Ask",
    "Reply",
    "Results",
    "Step",
    "System",
    "User",
    "bodies",
    "conversations",
    "damaged",
    "json_values",
    "render",
    "said",
    "sample",
    "torn",
]

WIRES = ("openai_chat", "openai_responses", "anthropic", "gemini", "bedrock_converse", "mistral", "cohere_v2", "ollama")
TOOLS = ("get_weather", "read_file", "write_file", "search-web")


@dataclass(frozen=True)
class Ask:
    """A call. `arguments` is an object, or, when broken, anything."""

    id: str
    name: str
    arguments: Any


@dataclass(frozen=True)
class Answer:
    """A tool's answer to the call with this id."""

    id: str
    name: str
    text: str
    error: bool = False


@dataclass(frozen=True)
class System:
    text: str


@dataclass(frozen=True)
class User:
    text: str


@dataclass(frozen=True)
class Reply:
    """What the assistant says and calls in one message."""

    text: str = ""
    calls: tuple[Ask, ...] = ()
    thinking: str = ""


@dataclass(frozen=True)
class Results:
    answers: tuple[Answer, ...]


Step = System | User | Reply | Results


# -- valid conversations ------------------------------------------------------------------------------

_WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp")), min_size=1, max_size=8
)
_LEAF = st.none() | st.booleans() | st.integers(-(10**6), 10**6) | _WORDS
_ARGUMENTS = st.dictionaries(_WORDS, _LEAF | st.lists(_LEAF, max_size=2) | st.dictionaries(_WORDS, _LEAF), max_size=3)


def json_values() -> st.SearchStrategy[Any]:
    """Any JSON value, with the words that formats use among its keys and texts."""
    words = st.sampled_from(RAW) | st.text(max_size=5)
    leaf = st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False, width=16) | words
    return st.recursive(
        leaf, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=4), max_leaves=12
    )


#: Keys and words of all formats, so that random values come close to real ones.
RAW = tuple(
    re.findall(
        r"\S+",
        """role content type text parts tool_calls tool_call_id tool_plan tool_name images thinking id call_id name
        arguments function functionCall functionResponse response args toolUse toolResult toolUseId input status json
        output message function_call function_call_output reasoning summary encrypted_content item_reference
        custom_tool_call shell_call shell_call_output tool_search_call tool_search_output mcp_approval_request approve
        user assistant model tool system developer reasoningContent reasoningText redactedContent thoughtSignature
        thought tool_use tool_result document data image source inlineData input_text output_text input_image
        input_file server_tool_use toolCall toolResponse prefix environment execution signature reasoning_content""",
    )
)


def with_ids(steps: list[Step], new: Callable[[Ask | Answer], str]) -> list[Step]:
    """Return the conversation with other ids for its calls and their answers.

    Args:
        steps: The conversation.
        new: Says the id for a call, and for an answer.
    """
    out: list[Step] = []
    for step in steps:
        if isinstance(step, Reply):
            step = replace(step, calls=tuple(replace(one, id=new(one)) for one in step.calls))
        elif isinstance(step, Results):
            step = replace(step, answers=tuple(replace(one, id=new(one)) for one in step.answers))
        out.append(step)
    return out


@st.composite
def conversations(draw: st.DrawFn, *, thinking: bool = False) -> list[Step]:
    """A conversation that every provider takes: user first, answered calls, alternating roles, user or results last."""
    steps: list[Step] = [System(draw(_WORDS))] if draw(st.booleans()) else []
    number = 0
    for last in [False] * draw(st.integers(0, 2)) + [True]:
        steps.append(User(draw(_WORDS)))
        if last and draw(st.booleans()):
            return steps
        rounds = draw(st.integers(0 if not last else 1, 2))
        for _ in range(rounds):
            asked = []
            for _ in range(draw(st.integers(1, 3))):
                number += 1
                asked.append(Ask(f"call_{number}", draw(st.sampled_from(TOOLS)), draw(_ARGUMENTS)))
            text = draw(st.just("") | _WORDS)
            steps.append(Reply(text, tuple(asked), draw(_WORDS) if thinking else ""))
            answers = [Answer(ask.id, ask.name, draw(_WORDS), draw(st.booleans())) for ask in asked]
            steps.append(Results(tuple(answers)))
        if not last:
            steps.append(Reply(draw(_WORDS), (), draw(_WORDS) if thinking else ""))
    return steps


def sample() -> list[Step]:
    """A fixed conversation with parallel calls and two turns: the controls damage it."""
    first, second, third = (
        Ask("call_1", "get_weather", {"city": "Bergen"}),
        Ask("call_2", "read_file", {"path": "a"}),
        Ask("call_3", "get_weather", {"city": "Oslo"}),
    )
    return [
        User("What is the weather?"),
        Reply("I will look.", (first, second)),
        Results((Answer("call_1", "get_weather", "rain"), Answer("call_2", "read_file", "A"))),
        Reply("It rains."),
        User("And in Oslo?"),
        Reply("One moment.", (third,)),
        Results((Answer("call_3", "get_weather", "sun"),)),
        Reply("The sun shines."),
        User("Thanks."),
    ]


# -- damage -------------------------------------------------------------------------------------------

Pick = Callable[[int], int]


def _places(steps: list[Step], kind: type) -> list[int]:
    return [at for at, step in enumerate(steps) if isinstance(step, kind)]


def _call_turns(steps: list[Step]) -> list[int]:
    return [at for at, step in enumerate(steps) if isinstance(step, Reply) and step.calls]


def _without_one_result(steps: list[Step], pick: Pick) -> list[Step]:
    at = _one(_places(steps, Results), pick)
    answers = steps[at].answers
    gone = pick(len(answers))
    left = answers[:gone] + answers[gone + 1 :]
    return [*steps[:at], *([Results(left)] if left else []), *steps[at + 1 :]]


def _without_results(steps: list[Step], pick: Pick) -> list[Step]:
    at = _one(_places(steps, Results), pick)
    return [*steps[:at], *steps[at + 1 :]]


def _without_calls(steps: list[Step], pick: Pick) -> list[Step]:
    at = _one(_call_turns(steps), pick)
    return [*steps[:at], *steps[at + 1 :]]


def _interrupted(steps: list[Step], pick: Pick) -> list[Step]:
    at = _one(_call_turns(steps), pick)
    return [*steps[: at + 1], User("Never mind, do something else.")]


def _user_between(steps: list[Step], pick: Pick) -> list[Step]:
    at = _one(_call_turns(steps), pick)
    return [*steps[: at + 1], User("And hurry."), *steps[at + 1 :]]


def _late_results(steps: list[Step], pick: Pick) -> list[Step]:
    at = _one(_places(steps, Results), pick)
    rest = steps[at + 1 :]
    return [*steps[:at], *(rest[:2] or [User("Hello?")]), steps[at], *rest[2:]]


def _early_results(steps: list[Step], pick: Pick) -> list[Step]:
    at = _one([at for at in _call_turns(steps) if at + 1 < len(steps)], pick)
    return [*steps[:at], steps[at + 1], steps[at], *steps[at + 2 :]]


def _split_results(steps: list[Step], pick: Pick) -> list[Step]:
    wide = [at for at in _places(steps, Results) if len(steps[at].answers) > 1]
    at = _one(wide, pick)
    parts = [Results((answer,)) for answer in steps[at].answers]
    return [*steps[:at], *parts, *steps[at + 1 :]]


def _doubled_result(steps: list[Step], pick: Pick) -> list[Step]:
    at = _one(_places(steps, Results), pick)
    answers = steps[at].answers
    again = replace(answers[pick(len(answers))], text="a second answer")
    return [*steps[:at], Results((*answers, again)), *steps[at + 1 :]]


def _foreign_result(steps: list[Step], pick: Pick) -> list[Step]:
    at = _one(_places(steps, Results), pick)
    stray = Answer("call_99", "get_weather", "of another branch")
    return [*steps[:at], Results((*steps[at].answers, stray)), *steps[at + 1 :]]


def _renamed(steps: list[Step], old: str, new: str, start: int = 0) -> list[Step]:
    """Give the calls and results with an id another one, from a step on."""
    out: list[Step] = list(steps[:start])
    for step in steps[start:]:
        if isinstance(step, Reply):
            step = replace(step, calls=tuple(replace(c, id=new) if c.id == old else c for c in step.calls))
        elif isinstance(step, Results):
            step = Results(tuple(replace(a, id=new) if a.id == old else a for a in step.answers))
        out.append(step)
    return out


def _reused_id(steps: list[Step], pick: Pick) -> list[Step]:
    turns = _call_turns(steps)
    if len(turns) < 2:
        raise ImpossibleError
    later = turns[1 + pick(len(turns) - 1)]
    return _renamed(steps, steps[later].calls[0].id, steps[turns[0]].calls[0].id, later)


def _same_id_in_turn(steps: list[Step], pick: Pick) -> list[Step]:
    at = _one([at for at in _call_turns(steps) if len(steps[at].calls) > 1], pick)
    calls = steps[at].calls
    return _renamed(steps, calls[1].id, calls[0].id, at)


def _new_id(make: Callable[[str], str]) -> Callable[[list[Step], Pick], list[Step]]:
    def change(steps: list[Step], pick: Pick) -> list[Step]:
        at = _one(_call_turns(steps), pick)
        old = steps[at].calls[0].id
        return _renamed(steps, old, make(old))

    return change


def _new_name(name: str) -> Callable[[list[Step], Pick], list[Step]]:
    def change(steps: list[Step], pick: Pick) -> list[Step]:
        at = _one(_call_turns(steps), pick)
        target = steps[at].calls[0].id
        out: list[Step] = []
        for step in steps:
            if isinstance(step, Reply):
                step = replace(step, calls=tuple(replace(c, name=name) if c.id == target else c for c in step.calls))
            elif isinstance(step, Results):
                step = Results(tuple(replace(a, name=name) if a.id == target else a for a in step.answers))
            out.append(step)
        return out

    return change


def _new_arguments(value: Any) -> Callable[[list[Step], Pick], list[Step]]:
    def change(steps: list[Step], pick: Pick) -> list[Step]:
        at = _one(_call_turns(steps), pick)
        step = steps[at]
        assert isinstance(step, Reply)
        calls = (replace(step.calls[0], arguments=value), *step.calls[1:])
        return [*steps[:at], replace(step, calls=calls), *steps[at + 1 :]]

    return change


def _inserted(step: Step) -> Callable[[list[Step], Pick], list[Step]]:
    def change(steps: list[Step], pick: Pick) -> list[Step]:
        at = _one(_places(steps, User), pick)
        return [*steps[: at + 1], step, *steps[at + 1 :]]

    return change


def _assistant_first(steps: list[Step], pick: Pick) -> list[Step]:
    first = _one(_places(steps, User)[:1], pick)
    return [*steps[:first], Reply("Earlier I said this."), *steps[first:]]


def _without_first_user(steps: list[Step], pick: Pick) -> list[Step]:
    first = _one(_places(steps, User)[:1], pick)
    if first + 1 >= len(steps):
        raise ImpossibleError
    return [*steps[:first], *steps[first + 1 :]]


def _assistant_last(steps: list[Step], pick: Pick) -> list[Step]:
    return [*steps, Reply("That is all. ")]


def _user_after_results(steps: list[Step], pick: Pick) -> list[Step]:
    at = _one(_places(steps, Results), pick)
    return [*steps[: at + 1], User("And then?"), *steps[at + 1 :]]


class ImpossibleError(Exception):
    """The conversation has nothing that could be broken in this way."""


def _one(places: list[int], pick: Pick) -> int:
    if not places:
        raise ImpossibleError
    return places[pick(len(places))]


#: Name -> the damage. Each raises `ImpossibleError` when the conversation has no place for it.
MUTATIONS: dict[str, Callable[[list[Step], Pick], list[Step]]] = {
    "one-result-missing": _without_one_result,
    "results-missing": _without_results,
    "calls-missing": _without_calls,
    "interrupted": _interrupted,
    "user-between": _user_between,
    "late-results": _late_results,
    "early-results": _early_results,
    "split-results": _split_results,
    "doubled-result": _doubled_result,
    "foreign-result": _foreign_result,
    "reused-id": _reused_id,
    "same-id-in-turn": _same_id_in_turn,
    "long-id": _new_id(lambda old: old + "x" * 90),
    "strange-id": _new_id(lambda old: f"functions.f:{old}"),
    "bad-name": _new_name("functions.calc v2"),
    "empty-name": _new_name(""),
    "long-name": _new_name("n" * 80),
    "cut-arguments": _new_arguments('{"path": "a", "content": "hel'),
    "null-arguments": _new_arguments(None),
    "list-arguments": _new_arguments([1, 2]),
    "empty-reply": _inserted(Reply("")),
    "thinking-only": _inserted(Reply("", (), "hm")),
    "doubled-user": _inserted(User("One more thing.")),
    "blank-user": _inserted(User(" ")),
    "late-system": _inserted(System("Be brief.")),
    "assistant-first": _assistant_first,
    "first-user-missing": _without_first_user,
    "assistant-last": _assistant_last,
    "user-after-results": _user_after_results,
}


@st.composite
def damaged(
    draw: st.DrawFn, *, most: int = 3, names: tuple[str, ...] = tuple(MUTATIONS)
) -> tuple[list[Step], list[str]]:
    """A conversation with up to `most` kinds of damage, and their names."""
    steps = draw(conversations(thinking=draw(st.booleans())))
    done: list[str] = []
    for name in draw(st.lists(st.sampled_from(names), min_size=1, max_size=most)):
        try:
            steps = MUTATIONS[name](steps, lambda count: draw(st.integers(0, count - 1)))
        except ImpossibleError:
            continue
        done.append(name)
    return steps, done


# -- writing down -------------------------------------------------------------------------------------


def render(steps: list[Step], wire: str) -> list[Any]:
    """Return the conversation in the format's own messages.

    A system step at the front is left out where it is a field of the request.
    """
    if steps and isinstance(steps[0], System) and wire in ("anthropic", "bedrock_converse", "gemini"):
        steps = steps[1:]
    out = [message for step in steps for message in _RENDER[wire](step)]
    if wire == "openai_responses":
        for at, item in enumerate(out):
            if "id" in item:
                item["id"] = f"{item['id']}{at:04}"
    return out


def said(steps: list[Step]) -> list[str]:
    """Return the texts of users and assistants, in order, without what is blank."""
    return [step.text for step in steps if isinstance(step, (User, Reply)) and step.text.strip()]


def _json(value: Any) -> Any:
    """Arguments as JSON text; a text is broken arguments, and stands for itself."""
    return value if isinstance(value, str) else json.dumps(value)


def _nine(call_id: str) -> str:
    """An id as Mistral makes them, for the short ids of `conversations`."""
    if not re.fullmatch(r"call_\d+", call_id):
        return call_id
    return hashlib.sha256(call_id.encode()).hexdigest()[:9]


def _openai_chat(step: Step) -> list[Any]:
    match step:
        case System(text):
            return [{"role": "system", "content": text}]
        case User(text):
            return [{"role": "user", "content": text}]
        case Results(answers):
            return [{"role": "tool", "tool_call_id": a.id, "content": a.text} for a in answers]
    message: dict[str, Any] = {"role": "assistant", "content": step.text or (None if step.calls else "")}
    if step.calls:
        message["tool_calls"] = [
            {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": _json(c.arguments)}}
            for c in step.calls
        ]
    return [message]


def _mistral(step: Step) -> list[Any]:
    out = _openai_chat(step)
    for message in out:
        for call in message.get("tool_calls", ()):
            call["id"] = _nine(call["id"])
        if "tool_call_id" in message:
            message["tool_call_id"] = _nine(message["tool_call_id"])
    if isinstance(step, Results):
        for message, answer in zip(out, step.answers, strict=True):
            message["name"] = answer.name
    if isinstance(step, Reply) and step.thinking:
        chunks: list[Any] = [{"type": "thinking", "thinking": [{"type": "text", "text": step.thinking}]}]
        out[0]["content"] = chunks + ([{"type": "text", "text": step.text}] if step.text else [])
    return out


def _cohere(step: Step) -> list[Any]:
    out = _openai_chat(step)
    if isinstance(step, Reply) and step.calls:
        plan = out[0].pop("content")
        if plan:
            out[0]["tool_plan"] = plan
    if isinstance(step, Results):
        for message, answer in zip(out, step.answers, strict=True):
            if answer.error:
                document = {"id": "1", "data": {"said": answer.text}}
                message["content"] = [{"type": "document", "document": document}]
    return out


def _ollama(step: Step) -> list[Any]:
    if isinstance(step, Results):
        return [{"role": "tool", "tool_name": a.name, "content": a.text} for a in step.answers]
    out = _openai_chat(step)
    if isinstance(step, Reply):
        out[0]["content"] = step.text
        if step.thinking:
            out[0]["thinking"] = step.thinking
        if step.calls:
            out[0]["tool_calls"] = [{"function": {"name": c.name, "arguments": c.arguments}} for c in step.calls]
    return out


def _responses(step: Step) -> list[Any]:
    match step:
        case System(text):
            return [{"role": "developer", "content": text}]
        case User(text):
            return [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}]
        case Results(answers):
            return [{"type": "function_call_output", "call_id": a.id, "output": a.text} for a in answers]
    out: list[Any] = []
    if step.thinking:
        summary = [{"type": "summary_text", "text": step.thinking}]
        out.append({"type": "reasoning", "id": "rs_0a", "summary": summary, "encrypted_content": "gAAAAABo"})
    if step.text or not step.calls:
        blocks = [{"type": "output_text", "text": step.text, "annotations": []}]
        message = {"type": "message", "role": "assistant", "id": "msg_0a", "status": "completed", "content": blocks}
        out.append(message)
    out += [
        {"type": "function_call", "call_id": c.id, "name": c.name, "arguments": _json(c.arguments)} for c in step.calls
    ]
    return out


def _anthropic(step: Step) -> list[Any]:
    match step:
        case System(text):
            return [{"role": "system", "content": text}]
        case User(text):
            return [{"role": "user", "content": text}]
        case Results(answers):
            blocks = [
                {"type": "tool_result", "tool_use_id": a.id, "content": a.text}
                | ({"is_error": True} if a.error else {})
                for a in answers
            ]
            return [{"role": "user", "content": blocks}]
    blocks = [{"type": "thinking", "thinking": step.thinking, "signature": "c2ln"}] if step.thinking else []
    blocks += [{"type": "text", "text": step.text}] if step.text else []
    blocks += [{"type": "tool_use", "id": c.id, "name": c.name, "input": c.arguments} for c in step.calls]
    return [{"role": "assistant", "content": blocks}]


def _bedrock(step: Step) -> list[Any]:
    match step:
        case System(text):
            return [{"role": "system", "content": [{"text": text}]}]
        case User(text):
            return [{"role": "user", "content": [{"text": text}]}]
        case Results(answers):
            blocks: list[Any] = [
                {
                    "toolResult": {
                        "toolUseId": a.id,
                        "content": [{"json": {"said": a.text}} if a.error else {"text": a.text}],
                        "status": "error" if a.error else "success",
                    }
                }
                for a in answers
            ]
            return [{"role": "user", "content": blocks}]
    blocks = []
    if step.thinking:
        blocks.append({"reasoningContent": {"reasoningText": {"text": step.thinking, "signature": "c2ln"}}})
    blocks += [{"text": step.text}] if step.text else []
    blocks += [{"toolUse": {"toolUseId": c.id, "name": c.name, "input": c.arguments}} for c in step.calls]
    return [{"role": "assistant", "content": blocks}]


def _gemini(step: Step) -> list[Any]:
    match step:
        case System(text):
            return [{"role": "system", "parts": [{"text": text}]}]
        case User(text):
            return [{"role": "user", "parts": [{"text": text}]}]
        case Results(answers):
            parts: list[Any] = [
                {
                    "functionResponse": {
                        "id": a.id,
                        "name": a.name,
                        "response": {"error" if a.error else "output": a.text},
                    }
                }
                for a in answers
            ]
            return [{"role": "user", "parts": parts}]
    parts = [{"text": step.thinking, "thought": True}] if step.thinking else []
    parts += [{"text": step.text}] if step.text else []
    for number, call in enumerate(step.calls):
        part: dict[str, Any] = {"functionCall": {"id": call.id, "name": call.name, "args": call.arguments}}
        if number == 0:
            part["thoughtSignature"] = "c2ln"
        parts.append(part)
    return [{"role": "model", "parts": parts}]


_RENDER: dict[str, Callable[[Step], list[Any]]] = {
    "openai_chat": _openai_chat,
    "openai_responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "bedrock_converse": _bedrock,
    "mistral": _mistral,
    "cohere_v2": _cohere,
    "ollama": _ollama,
}


# -- torn: damage that no name describes ----------------------------------------------------------------


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value inside a JSON value."""
    yield path
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _paths(inner, (*path, key))


def _put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Return a copy of a JSON value with another value at a path."""
    if not path:
        return new
    out = copy.copy(value)
    out[path[0]] = _put(value[path[0]], path[1:], new)
    return out


@st.composite
def torn(draw: st.DrawFn, wire: str) -> list[Any]:
    """A conversation in which up to three values are replaced by anything, or taken away."""
    messages: Any = render(draw(conversations(thinking=draw(st.booleans()))), wire)
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from([one for one in _paths(messages) if one] or [()]))
        messages = _put(messages, path, draw(json_values())) if path else [draw(json_values())]
    return messages


# -- whole request bodies -----------------------------------------------------------------------------

_SCHEMA = {"type": "object", "properties": {}}


def bodies(steps: list[Step], wire: str, tools: tuple[str, ...], chosen: str) -> dict[str, Any]:
    """Return a request body that declares tools and forces one of them.

    Args:
        steps: The conversation.
        wire: The format.
        tools: Names of declared tools.
        chosen: The one that the model must call.
    """
    messages = render(steps, wire)
    function = [{"type": "function", "function": {"name": name, "parameters": _SCHEMA}} for name in tools]
    match wire:
        case "openai_responses":
            flat = [{"type": "function", "name": name, "parameters": _SCHEMA} for name in tools]
            return {
                "model": "gpt-5",
                "input": messages,
                "tools": flat,
                "tool_choice": {"type": "function", "name": chosen},
            }
        case "gemini":
            declared = [{"name": name, "parameters": _SCHEMA} for name in tools]
            calling = {"mode": "ANY", "allowedFunctionNames": [chosen]}
            return {
                "contents": messages,
                "tools": [{"functionDeclarations": declared}],
                "toolConfig": {"functionCallingConfig": calling},
            }
        case "bedrock_converse":
            specs = [{"toolSpec": {"name": name, "inputSchema": {"json": _SCHEMA}}} for name in tools]
            return {"messages": messages, "toolConfig": {"tools": specs, "toolChoice": {"tool": {"name": chosen}}}}
        case "anthropic":
            declared = [{"name": name, "input_schema": _SCHEMA} for name in tools]
            choice = {"type": "tool", "name": chosen}
            return {"model": "claude", "max_tokens": 9, "messages": messages, "tools": declared, "tool_choice": choice}
        case "openai_chat" | "mistral":
            choice = {"type": "function", "function": {"name": chosen}}
            return {"model": "m", "messages": messages, "tools": function, "tool_choice": choice}
    return {"model": "m", "messages": messages, "tools": function}
