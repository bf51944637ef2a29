"""`gemini`: the contents of the Gemini API, also on Vertex AI.

API: Gemini `generateContent`, v1beta; https://ai.google.dev/api/generate-content and google-genai 3.6.1 (read 2026-11).

One call and its answer::

    {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "..."}]}
    {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"output": "done"}}}]}

Keys come in camel case or, from some SDKs, in snake case; a part keeps the form it
has. Calls may go without ids: then a response belongs to the turn ahead of it by
name and order. `toolCall` and `toolResponse` are the server's own. A
`thoughtSignature` may hang on any part and must stay on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final, Literal

from interlock.history.demands import demands_of
from interlock.history.signatures import well_formed
from interlock.history.spans import UNKNOWN, Places, Scan, onward
from interlock.history.turns import Call, ContentForm, Media, Message, Opaque, Part, Reasoning, Result, Role, Text
from interlock.history.wires.base import (
    Asked,
    Wire,
    as_id,
    as_json,
    as_string,
    opaque_message,
    plain_text,
    with_ids_below,
)
from interlock.history.wires.chat_shape import OF_CHAT_RESULTS, chat_result, strays

__all__ = ["Gemini"]

_ROLES: Mapping[str, Role] = {"user": "user", "model": "assistant"}
#: Each member that holds a part's data: camel case, snake case.
_CALL = ("functionCall", "function_call")
_RESPONSE = ("functionResponse", "function_response")
_SERVER_CALL = ("toolCall", "tool_call")
_SERVER_RESPONSE = ("toolResponse", "tool_response")
_DATA = ("inlineData", "inline_data", "fileData", "file_data")
_SIGNATURE = ("thoughtSignature", "thought_signature")
#: What a candidate carries beside its content: camel case, snake case.
_OF_CANDIDATES: Final = frozenset(
    {"index", "finishReason", "finish_reason", "finishMessage", "finish_message", "safetyRatings", "safety_ratings"}
    | {"citationMetadata", "citation_metadata", "groundingMetadata", "grounding_metadata", "tokenCount", "token_count"}
    | {"avgLogprobs", "avg_logprobs", "logprobsResult", "logprobs_result", "usageMetadata", "usage_metadata"}
    | {"urlContextMetadata", "url_context_metadata", "groundingAttributions", "grounding_attributions"}
)
#: Keys of a part that hold no data, and the text, which may be null.
_NO_DATA = frozenset({"text", "thought", *_SIGNATURE})
_BODY_KEYS = ("output", "result", "error", "content", "return_value")


class Gemini(Wire):
    """The Gemini API; see the module's text."""

    name: ClassVar[str] = "gemini"
    omits_nulls: ClassVar[bool] = True
    provider: ClassVar[str | None] = "google"
    body_key: ClassVar[str] = "contents"
    result_role: ClassVar[Role] = "user"
    roles: ClassVar[Mapping[str, Role]] = _ROLES
    turn: ClassVar[Literal["message", "run", "calls"]] = "run"
    has_ids: ClassVar[bool] = False
    results_named: ClassVar[bool] = True
    content_key: ClassVar[str] = "parts"
    single_part: ClassVar[bool] = True  # as in the REST API's own examples
    server_tools: ClassVar[bool] = True
    signature_path: ClassVar[tuple[str, ...]] = ("thoughtSignature",)

    def read_message(self, native: Any, at: int) -> Message:
        """Return the view of one content; one without a role is the user's."""
        if not isinstance(native, dict):
            return opaque_message(native, at)
        word = native.get("role")
        role = _ROLES.get(word) if isinstance(word, str) else "user" if word is None and "parts" in native else None
        if role is None:
            return opaque_message(native, at)
        given = native.get("parts")
        form: ContentForm
        held: tuple[Part, ...]
        if isinstance(given, list):
            form = "parts"
            held = tuple([_part(part, i) for i, part in enumerate(given)])
        else:
            form = "null" if "parts" in native else "absent"
            held = () if given is None else (_part(given, 0),)
        return Message(role, held, native, (at,), form)

    def scanner(self, context: Any) -> Scan | None:
        """Know the healthy histories of agents: text, calls, and one content with an answer for each."""
        profile = context.profile
        due = profile.thought_signatures
        home = profile.name in ("google", "vertex")  # where these signatures are from
        demands = demands_of(context, signs=False)
        if demands is None:
            return None
        fits, id_fits, longest = demands.name_fits, demands.id_fits or bool, demands.longest
        after, runs = demands.after, demands.runs
        filled = profile.empty_text or not home

        def scan(messages: Sequence[Any], start: int, places: Places) -> tuple[int, int]:
            names = places.names
            waiting: list[tuple[str, str | None]] = []
            ids: list[Any] = []  # theirs
            at = opened = start
            asked = start > 0  # the user has spoken
            allowed = after["?" if start else "^"]
            try:
                for at, message in onward(messages, start):
                    role, parts = message["role"], message["parts"]
                    if len(message) != 2 or not parts:
                        return (opened if waiting else at), at
                    if role == "user":
                        asked = True
                        if waiting and "text" in parts[0]:
                            if None in ids or not places.lose(opened, at, ids):
                                return opened, at
                            waiting, ids, allowed = [], [], after["t"]
                        if waiting:
                            if len(parts) != len(waiting):
                                left = Counter(waiting)
                                if not all(_is_answer(part, left) for part in parts):
                                    return opened, at
                                ids = [call_id for (_, call_id), count in left.items() if count]
                                if None in ids or not places.lose(opened, at + 1, ids):
                                    return opened, at + 1
                                waiting, ids, allowed = [], [], after["t"]
                                continue
                            for part, (name, call_id) in zip(parts, waiting, strict=True):
                                response = part["functionResponse"]
                                if response["name"] != name or response.get("id") != call_id:
                                    left = Counter(waiting)  # in another order, which ids allow
                                    if None in ids or not all(_is_answer(one, left) for one in parts):
                                        return opened, at
                                    break
                                if type(response["response"]) is not dict or len(part) != 1:
                                    return opened, at
                            waiting, ids, allowed = [], [], after["t"]
                            continue
                        kind = "u"
                        for part in parts:
                            if len(part) != 1 or type(part["text"]) is not str:
                                return at, at
                            if filled and (not part["text"] or part["text"].isspace()):
                                return at, at
                    elif role == "model":
                        if waiting and (due or not runs):
                            return opened, at  # in which step of the turn a signature is due is for the rules to say
                        kind = "a"
                        said, low = False, opened if waiting else at
                        own = set[str]()
                        for part in parts:
                            signed = part.get("thoughtSignature")
                            if len(part) != 1 + (signed is not None):
                                return low, at
                            if signed is not None and home and not well_formed(signed):
                                return low, at
                            call = part.get("functionCall")
                            if call is None:
                                text = part["text"]
                                if type(text) is not str or (filled and (not text or text.isspace())):
                                    return low, at
                                said = said or signed is not None or not (not text or text.isspace())
                                continue
                            name, call_id = call["name"], call.get("id")
                            if type(call["args"]) is not dict or (due and not waiting and not signed):
                                return low, at
                            if name not in names:
                                if not fits(name):
                                    return low, at
                                names.add(name)
                            if call_id is not None:
                                if type(call_id) is not str or not 0 < len(call_id) <= longest or not id_fits(call_id):
                                    return low, at
                                if places.setdefault(call_id, at) != at:
                                    places.again(call_id, at)
                                    return low, at
                                if call_id in own:
                                    return low, at
                                own.add(call_id)
                            if not waiting:
                                opened = at
                            waiting.append((name, call_id))
                            ids.append(call_id)
                            said, kind = True, "c"
                        if not said:
                            return low, at
                        if waiting and not asked:
                            return low, at
                    else:
                        return (opened if waiting else at), at
                    if kind not in allowed:
                        return (opened if waiting else at), at
                    allowed = after[kind]
            except UNKNOWN:
                return (opened if waiting else at), at
            if waiting:
                if None in ids or not places.lose(opened, len(messages), ids):
                    return opened, len(messages)
            elif "$" not in allowed:
                return at, len(messages)
            return len(messages), len(messages)

        return scan

    def is_word(self, native: Any) -> bool:
        """Say whether a content is the user's and holds text only."""
        if not isinstance(native, dict) or native.get("role") != "user" or not isinstance(native.get("parts"), list):
            return False
        return all(isinstance(part, dict) and part.keys() == {"text"} for part in native["parts"])

    def leads(self, native: Any) -> bool:
        """Say whether a content is the model's."""
        return isinstance(native, dict) and native.get("role") == "model"

    def with_call(self, part: Call, **changes: Any) -> Call:
        """Return the call with another id, name or args; a signature beside it stays."""
        member = _member(part.native, _CALL + _SERVER_CALL)
        body: dict[str, Any] = dict(part.native[member])
        for key, field in (("call_id", "id"), ("name", "name"), ("arguments", "args")):
            if key in changes:
                body[field] = changes[key]
        return replace(part, native={**part.native, member: body}, **changes)

    def with_result(self, part: Result, **changes: Any) -> Result:
        """Return the response with another id, name or body; text becomes an object's `output`."""
        member = _member(part.native, _RESPONSE + _SERVER_RESPONSE)
        body: dict[str, Any] = dict(part.native[member])
        if isinstance(changes.get("content"), str):
            changes["content"] = {"output": changes["content"]}
        for key, field in (("call_id", "id"), ("name", "name"), ("content", "response")):
            if key in changes:
                body[field] = changes[key]
        return replace(part, native={**part.native, member: body}, **changes)

    def with_ids(self, native: Any, ids: Mapping[str, str], ahead: Any) -> Any:  # noqa: ARG002
        """Return a content with other ids for its calls and results."""
        return with_ids_below(native, "parts", ("functionCall", "functionResponse"), "id", ids)

    plain_stubs: ClassVar[bool] = True

    def asked(self, native: Any) -> Sequence[Asked]:
        """Return place, id and tool of each call."""
        return [
            (at, one["functionCall"].get("id"), one["functionCall"]["name"])
            for at, one in enumerate(native["parts"])
            if "functionCall" in one
        ]

    def stub(self, call_id: Any, name: Any, text: str, *, is_error: bool) -> Any:
        """Return a `functionResponse` part."""
        body: dict[str, Any] = {"name": name, "response": {"error" if is_error else "output": text}}
        if call_id is not None:
            body["id"] = call_id
        return {"functionResponse": body}

    def held(self, native: Any) -> tuple[list[Any], int]:
        """Return the parts of a content, and how many results it begins with."""
        return native["parts"], sum("functionResponse" in part for part in native["parts"])

    def new_result(self, call: Call, text: str, *, is_error: bool = True) -> Result:
        """Return a `functionResponse` part; the API's words for the body are `output` and `error`."""
        body = self.stub(call.call_id, call.name, text, is_error=is_error)["functionResponse"]
        snake = isinstance(call.native, dict) and "function_call" in call.native
        member = "function_response" if snake else "functionResponse"
        return Result(native={member: body}, call_id=call.call_id, name=call.name, content=body["response"])

    def stray_fields(self, native: Any, part: Part | None) -> tuple[str, ...]:
        """A content has a role and parts; what else a candidate carries: "Unknown name ... Cannot find field."."""
        found = super().stray_fields(native, part)
        if part is not None or not isinstance(native, dict):
            return found
        own = [key for key in native if key in _OF_CANDIDATES]
        return tuple(dict.fromkeys((*found, *own, *strays(native, ("role", "parts")))))

    def is_served(self, part: Part) -> bool:
        """Say whether a part is code that Gemini ran, or what came of it."""
        return type(part) is Opaque and isinstance(part.native, dict) and bool(_CODE & part.native.keys())

    def with_role(self, message: Message, role: Role) -> Message | None:
        """Return the content with another role; a `tool` message of Chat Completions as a `functionResponse`."""
        result = chat_result(message.native) if role == "user" and "parts" not in message.native else None
        if result is None:
            return super().with_role(message, role)
        call_id, body = result
        words = body if isinstance(body, str) else plain_text(body)
        response = {"name": message.native.get("name"), "response": {"output": words}, "id": call_id}
        rest = {key: message.native[key] for key in message.native if key not in OF_CHAT_RESULTS}
        native = {**rest, "role": "user", "parts": [{"functionResponse": response}]}
        new = self.read_message(native, message.origins[0] if message.origins else 0)
        return replace(new, origins=message.origins, changed=True)

    def native_role(self, role: Role) -> str:
        """Return `model` for the assistant, `user` for everyone else."""
        return "model" if role == "assistant" else "user"

    def text_block(self, text: str, *, role: Role) -> Any:  # noqa: ARG002
        """Return a text part."""
        return {"text": text}

    def new_text(self, text: str, *, role: Role) -> Text:  # noqa: ARG002
        """Return a text part: a content holds no plain string."""
        return Text(native={"text": text}, text=text)

    def result_text(self, part: Result) -> str:
        """Return the words of a response: the one string in it, else its JSON text; `""` when it is empty."""
        body = part.content
        if isinstance(body, str):
            return body
        if not body:
            return ""
        if isinstance(body, dict) and len(body) == 1:
            (key, value), *_ = body.items()
            if key in _BODY_KEYS and isinstance(value, str):
                return value
        return as_json(body)

    def joined_results(self, first: Result, second: Result) -> Result:
        """Return one response that lists both bodies in order."""
        return self.with_result(first, content={"results": [*_bodies(first), *_bodies(second)]})

    def shaped_result(self, part: Result) -> Result | None:
        """Return the response with an object as its body."""
        if part.content is None or isinstance(part.content, dict):
            return None
        return self.with_result(part, content={"result": part.content})

    def retyped(self, message: Message, part: Part) -> Part | None:  # noqa: ARG002
        """Take text under the names that other APIs use, and a plain string, as a text part."""
        native = part.native
        if type(part) is not Opaque:
            return None
        if isinstance(native, str):
            return Text(native={"text": native}, text=native, index=part.index)
        if isinstance(native, dict) and native.keys() <= _NO_DATA and native.get("text") is None:
            # "required oneof field 'data' must have one initialized field": an empty text is one.
            return _part({**native, "text": ""}, part.index or 0)
        if part.type in ("text", "input_text", "output_text") and isinstance(native.get("text"), str):
            return Text(native={"text": native["text"]}, text=native["text"], index=part.index)
        return None

    def is_broken(self, part: Opaque) -> bool:
        """A part is an object, and its members have values of their types."""
        if part.slot != "content" or not isinstance(part.native, dict):
            return part.slot == "content"
        return all(value is None for value in part.native.values()) or not _TYPED.isdisjoint(part.native)

    def is_blank(self, part: Part) -> bool:
        """A text that carries a signature is not blank, whatever its words."""
        return super().is_blank(part) and not any(key in part.native for key in _SIGNATURE)


#: Members that hold an object, or a string: a part with one of them that could not be read has another type there.
_TYPED: Final = frozenset({"text", *_DATA, *_CALL, *_RESPONSE, *_SERVER_CALL, *_SERVER_RESPONSE})
_CODE: Final = frozenset({"executableCode", "executable_code", "codeExecutionResult", "code_execution_result"})


def _is_answer(part: dict[str, Any], due: Counter[tuple[str, str | None]]) -> bool:
    """Say whether a part is nothing but the response to one of the calls that are due, and take that off them."""
    response = part["functionResponse"]
    call = response["name"], response.get("id")
    due[call] -= 1
    return due[call] >= 0 and type(response["response"]) is dict and len(part) == 1


def _part(part: Any, at: int) -> Part:
    if not isinstance(part, dict):
        return Opaque(native=part, index=at)
    for member in part:
        body = part[member]
        if member in _CALL or member in _SERVER_CALL:
            if isinstance(body, dict):
                return _call(part, body, at, server=member in _SERVER_CALL)
        elif member in _RESPONSE or member in _SERVER_RESPONSE:
            if isinstance(body, dict):
                return _result(part, body, at, server=member in _SERVER_RESPONSE)
        elif member in _DATA:
            return Media(native=part, index=at, media=_media(body))
    text = part.get("text")
    if isinstance(text, str) and "type" not in part:
        signature = next((as_string(part[key]) for key in _SIGNATURE if key in part), None)
        if part.get("thought") is True:
            return Reasoning(native=part, index=at, text=text, signature=signature)
        return Text(native=part, text=text, index=at)
    kind = as_string(part.get("type")) or next((key for key in part if isinstance(key, str)), None)
    return Opaque(native=part, index=at, type=kind)


def _call(part: dict[str, Any], body: dict[str, Any], at: int, *, server: bool) -> Call:
    arguments = body.get("args")
    return Call(
        native=part,
        index=at,
        call_id=as_id(body.get("id")),
        name=as_string(body.get("toolType", body.get("tool_type")) if server else body.get("name")),
        # Optional here: a call without parameters comes without them.
        arguments={} if arguments is None else arguments,
        server=server,
    )


def _result(part: dict[str, Any], body: dict[str, Any], at: int, *, server: bool) -> Result:
    return Result(
        native=part,
        index=at,
        call_id=as_id(body.get("id")),
        name=as_string(body.get("toolType", body.get("tool_type")) if server else body.get("name")),
        content=body.get("response"),
        server=server,
    )


def _member(part: dict[str, Any], members: Sequence[str]) -> str:
    return next(key for key in members if isinstance(part.get(key), dict))


def _media(body: Any) -> str:
    kind = body.get("mimeType", body.get("mime_type")) if isinstance(body, dict) else None
    if not isinstance(kind, str):
        return "file"
    top = kind.partition("/")[0]
    if top in ("image", "audio", "video"):
        return top
    return "document" if kind == "application/pdf" or top == "text" else "file"


def _bodies(part: Result) -> list[Any]:
    body = part.content
    if isinstance(body, dict) and set(body) == {"results"} and isinstance(body["results"], list):
        return body["results"]
    return [body]
