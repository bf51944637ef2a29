"""Which format is this history? Read from the data; every answer rests on a mark that only that format has.

A mark is a field or a block type. Messages that look the same on several wires
(a role and a string) have no mark: there the provider or the model decides, where
it is named, and without it the history is `openai_chat`, because such messages
are the same there as everywhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from interlock.errors import AmbiguousWireError, UnknownWireError
from interlock.history.infer import infer_provider
from interlock.history.plain import as_plain
from interlock.history.requests import history_key
from interlock.history.wires import WIRES

__all__ = ["detect_wire"]

_ANTHROPIC_BLOCKS: Final = frozenset(
    {"tool_use", "tool_result", "redacted_thinking", "server_tool_use", "mcp_tool_use", "mcp_tool_result"}
    | {"container_upload", "search_result", "compaction"}
)
_AI_SDK_PARTS: Final = frozenset(
    {"tool-call", "tool-result", "tool-approval-request", "tool-approval-response", "reasoning"}
)
_BEDROCK_BLOCKS: Final = frozenset(
    {"toolUse", "toolResult", "reasoningContent", "citationsContent", "cachePoint", "guardContent"}
    | {"image", "document", "video", "audio", "searchResult"}
)
_RESPONSES_ITEMS: Final = frozenset(
    {"function_call", "function_call_output", "reasoning", "item_reference", "message", "compaction"}
    | {
        "mcp_approval_request",
        "mcp_approval_response",
        "mcp_list_tools",
        "program",
        "program_output",
        "tool_search_output",
    }
)
_RESPONSES_PARTS: Final = frozenset({"input_text", "output_text", "input_image", "input_file"})
_OPENAI_PARTS: Final = frozenset({"image_url", "input_audio", "file", "refusal"})
_LANGCHAIN_TYPES: Final = frozenset({"human", "ai", "tool", "system", "AIMessageChunk", "remove", "function", "chat"})

# How many marks of one format settle it; more where narrower formats share the marks.
_ENOUGH: Final = 8
_ENOUGH_CHAT: Final = 64
_LOOK: Final = 3  # levels of a message in which its marks stand


# Whose own format takes messages that look like any other's. Mistral's is the chat format, until its chunks show.
_PLAIN_FORMATS: Final = {"anthropic": "anthropic", "cohere": "cohere_v2", "ollama": "ollama"}


def detect_wire(data: Any, *, provider: str | None = None, model: Any = None) -> str:
    """Return the name of the format.

    Args:
        data: A list of messages, or a request body that holds one.
        provider: The provider that the history is meant for, where the caller named one.
        model: The model that it is meant for; a body's own `model` when left out.

    Raises:
        UnknownWireError: Nothing in it looks like a message of any known format.
        AmbiguousWireError: It has marks of several formats; `.candidates` names them.
    """
    key = history_key(data)
    votes: dict[str, int] = {}
    if model is None and key == "messages":
        model = data.get("model")
    if key is not None:
        for wire in _body_votes(data, key):
            votes[wire] = votes.get(wire, 0) + 1
        messages = data[key]
        if isinstance(messages, str):
            return "openai_responses"
    else:
        messages = data
    if not isinstance(messages, Sequence) or isinstance(messages, (str, bytes)):
        raise UnknownWireError(
            f"the history is {type(messages).__name__}; expected a list of messages or a request body",
            known=tuple(WIRES),
        )
    plain = not messages
    for message in messages:
        if type(message) is dict and len(message) == 2 and type(message.get("content")) is str and "role" in message:
            plain = True  # no mark can be in it
            continue
        for wire in _marks(message):
            votes[wire] = votes.get(wire, 0) + 1
        plain = plain or _plain(message)
        if len(votes) == 1:
            wire, count = next(iter(votes.items()))
            if count >= (_ENOUGH_CHAT if wire == "openai_chat" else _ENOUGH):
                break
    found = sorted(votes)
    if len(found) > 1:
        found = _settled(votes)
    if len(found) > 1:
        raise AmbiguousWireError(found)
    meant = provider or infer_provider(model)
    if found == ["openai_chat"] and meant == "cohere":
        return "cohere_v2"
    if found:
        wire = found[0]
        if wire not in WIRES:
            raise UnknownWireError(
                f"the history looks like {wire!r}, which cannot be read yet", wire=wire, known=tuple(WIRES)
            )
        return wire
    if plain and meant in _PLAIN_FORMATS and (meant != "anthropic" or not _has_system(messages)):
        return _PLAIN_FORMATS[meant]
    if plain:
        return "openai_chat"
    raise UnknownWireError(
        f"no known format fits the history; name one of {', '.join(WIRES)} with `wire=` (or --wire)",
        known=tuple(WIRES),
    )


def _has_system(messages: Sequence[Any]) -> bool:
    """Tell whether a role is there that the chat format has and Anthropic's has not."""
    return any(isinstance(one, Mapping) and one.get("role") in ("system", "developer", "tool") for one in messages)


def _settled(votes: Mapping[str, int]) -> list[str]:
    """Settle what is no contradiction: a mark that a wider format has too."""
    found = set(votes)
    # Servers of the chat format take blocks of other formats along; the calls decide.
    if "openai_chat" in found and found <= {"openai_chat", "anthropic", "mistral", "cohere_v2", "ollama"}:
        for narrow in ("cohere_v2", "ollama", "mistral"):
            if narrow in found and "anthropic" not in found:
                return [narrow]
        return ["openai_chat"]
    return sorted(found)


def _plain(message: Any) -> bool:
    message = as_plain(message, depth=1)
    return isinstance(message, Mapping) and isinstance(message.get("role"), str) and "content" in message


def _body_votes(body: Mapping[str, Any], key: str) -> set[str]:
    if key == "contents":
        return {"gemini"}
    if key == "input":
        return {"openai_responses"}
    if any(field in body for field in ("toolConfig", "inferenceConfig", "additionalModelRequestFields")):
        return {"bedrock_converse"}
    tools = body.get("tools")
    if "anthropic_version" in body or "mcp_servers" in body or isinstance(body.get("system"), str):
        return {"anthropic"}
    if isinstance(tools, list) and any(isinstance(tool, Mapping) and "input_schema" in tool for tool in tools):
        return {"anthropic"}
    system = body.get("system")
    if isinstance(system, list) and any(isinstance(one, Mapping) and "type" in one for one in system):
        return {"anthropic"}
    return set()


def _marks(message: Any) -> set[str]:
    """Return the formats that one message has a mark of."""
    if not isinstance(message, Mapping):
        return _object_marks(message)
    return _plain_marks(as_plain(message, depth=_LOOK))


def _plain_marks(message: Mapping[str, Any]) -> set[str]:
    role, kind = message.get("role"), message.get("type")
    parts = message.get("parts")
    if message.get("kind") in ("request", "response") and isinstance(parts, list):
        return {"pydantic_ai"}
    if "lc" in message and isinstance(message.get("kwargs"), Mapping):
        return {"langchain"}
    if isinstance(parts, list):
        if isinstance(role, str) and any(isinstance(part, Mapping) and "kind" in part for part in parts):
            return {"ai_python"}
        if role in ("model", "function") or any(_is_gemini_part(part) for part in parts):
            return {"gemini"}
        if role == "user" and not parts:
            return set()
        return {"ai_sdk_ui"} if role in ("user", "assistant", "system") else {"gemini"}
    if kind == "additional_tools":
        return {"openai_responses"}
    if role is None and isinstance(kind, str):
        if kind in _LANGCHAIN_TYPES and ("content" in message or "data" in message):
            return {"langchain"}
        return {"openai_responses"} if kind in _RESPONSES_ITEMS or kind.endswith(("_call", "_call_output")) else set()
    if kind == "message":  # an item, or a whole response of Anthropic's
        return {"anthropic"} if "stop_reason" in message else {"openai_responses"}
    found: set[str] = set()
    if "tool_plan" in message:
        found.add("cohere_v2")
    if "tool_name" in message:
        found.add("ollama")
    tool_calls = message.get("tool_calls")
    if isinstance(tool_calls, list) and tool_calls:
        found.add("openai_chat")
        functions = [call.get("function") for call in tool_calls if isinstance(call, Mapping)]
        if any(isinstance(one, Mapping) and isinstance(one.get("arguments"), Mapping) for one in functions) and not any(
            isinstance(call, Mapping) and isinstance(call.get("id"), str) for call in tool_calls
        ):
            found.add("ollama")
    if "tool_call_id" in message or "function_call" in message or role in ("function", "developer"):
        found.add("openai_chat")
    content = message.get("content")
    if isinstance(content, list):
        for block in content:
            found |= _block_marks(block, role)
    return found


def _is_gemini_part(part: Any) -> bool:
    """Say whether a part names what it is by its member: those of the UI format all have a `type`."""
    return isinstance(part, Mapping) and "type" not in part


def _block_marks(block: Any, role: Any) -> set[str]:
    if not isinstance(block, Mapping):
        return set()
    kind = block.get("type")
    if kind is None:
        return {"bedrock_converse"} if _BEDROCK_BLOCKS & block.keys() or (set(block) == {"text"}) else set()
    if not isinstance(kind, str):
        return set()
    if kind in _ANTHROPIC_BLOCKS or kind.endswith("_tool_result"):
        return {"anthropic"}
    if kind == "thinking" and ("signature" in block or isinstance(block.get("thinking"), str)):
        return {"anthropic"}
    if kind in ("image", "document") and "source" in block:
        return {"anthropic"}
    if kind in _AI_SDK_PARTS or (kind == "file" and ("mediaType" in block or "data" in block)):
        return {"ai_sdk"}
    if kind in _RESPONSES_PARTS:
        return {"openai_responses"}
    if kind in _OPENAI_PARTS:
        return {"openai_chat"}
    if kind == "thinking" and isinstance(block.get("thinking"), list):
        return {"mistral"}
    if kind == "document" and role == "tool":
        return {"cohere_v2"}
    return set()


def _object_marks(message: Any) -> set[str]:
    """Tell SDK objects by the package their class comes from; nothing is imported."""
    for cls in type(message).__mro__:
        package = cls.__module__.partition(".")[0]
        if package in ("langchain_core", "langchain"):
            return {"langchain"}
        if package == "pydantic_ai":
            return {"pydantic_ai"}
        if package == "ai":
            return {"ai_python"}
    plain = as_plain(message)
    return _plain_marks(plain) if isinstance(plain, Mapping) else set()
