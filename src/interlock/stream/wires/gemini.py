r"""Gemini `streamGenerateContent` (v1, v1beta; Vertex AI too), Gemini Live, and ADK events that wrap its content.

One call on the wire, whole::

    {"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "args": {"a": 1}}}]}}]}
    {"candidates": [{"finishReason": "STOP"}]}

and with streamed arguments (Vertex AI, `streamFunctionCallArguments`)::

    {"functionCall": {"name": "f", "willContinue": true}}
    {"functionCall": {"partialArgs": [{"jsonPath": "$.a", "stringValue": "x", "willContinue": true}],
                      "willContinue": true}}
    {"functionCall": {"partialArgs": [{"jsonPath": "$.a", "stringValue": ""}], "willContinue": true}}
    {"functionCall": {}}

Identity: the candidate's `index` and the call's ordinal within it. The `id` is
often missing, and continuations carry neither id nor name: they belong to the
candidate's one open call. Two calls of one name are two calls.

End of a call: at once when it comes whole; else the first of its parts without
`willContinue`. End of a turn (a candidate): its first `finishReason`, which may
come with the call or in a later chunk without content. Another `responseId`
begins another response: what the first left open stays unconfirmed. Text after
the finish reason of a candidate with calls speaks against them: something ran
them and went on. No event ends the stream: its source has to end cleanly.

Whole `args` are a value that the server parsed: a projection. `partialArgs` are
assembled: a value counts when its own `willContinue` is gone, and the call when
all values do, no array has a hole, the call was closed and the candidate ended
with `STOP`. Paths are the subset of RFC 9535 that names one place (members and
indexes). A path that is written again after it was whole contradicts the
protocol, and so does a name that comes while a call is still open. An empty
object or array cannot be sent in pieces: it is missing, and the schema decides.

Gemini Live hands whole calls over in `toolCall` messages. `turnComplete`
confirms them, or the caller's word that the connection lives on
(`finish("still_open")`), since the model waits for their results before it goes
on; `toolCallCancellation` takes them back.

Limits: a server that sends a `finishReason` with every chunk (Gemini 1.x, some
gateways) says of a call in a later chunk than its first that it came after the
end: it is refused.

ADK events: `partial` ones preview what the final event of the same response
repeats with other ids, so they are left out; each final event is a turn.

Source:
    ai.google.dev/api/generate-content and /api/live, cloud.google.com Vertex AI
    reference of FunctionCall and PartialArg (read 2026-11-30); types of the
    Python SDK google-genai 3.6.1; RFC 9535.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from interlock.stream.access import get, items, text_of, word
from interlock.stream.assembly import Path
from interlock.stream.events import Sink
from interlock.stream.wires import Traits
from interlock.stream.wires.fragments import plain_error, refuse_misplaced
from interlock.vocabulary import EndReason, SourceEnd

__all__ = ["END_REASONS", "SOURCE_KEY", "Adapter", "parse_path", "recognises"]

SOURCE_KEY: Final = "the candidate's `index` and the ordinal of the call within it"

END_REASONS: Final[Mapping[str, EndReason]] = {
    "STOP": "complete",
    "MAX_TOKENS": "length",
    "CONTINUATION": "length",  # a cap on one request; a continuation token goes on
    "SAFETY": "content_filtered",
    "RECITATION": "content_filtered",
    "BLOCKLIST": "content_filtered",
    "PROHIBITED_CONTENT": "content_filtered",
    "SPII": "content_filtered",
    "LANGUAGE": "content_filtered",
    "IMAGE_SAFETY": "content_filtered",
    "IMAGE_PROHIBITED_CONTENT": "content_filtered",
    "IMAGE_RECITATION": "content_filtered",
    "MODEL_ARMOR": "content_filtered",
    "ESCALATION": "content_filtered",
    "MALFORMED_FUNCTION_CALL": "provider_error",
    "UNEXPECTED_TOOL_CALL": "provider_error",
    "TOO_MANY_TOOL_CALLS": "provider_error",
    "MALFORMED_RESPONSE": "provider_error",
    "MISSING_THOUGHT_SIGNATURE": "provider_error",
    "NO_IMAGE": "provider_error",
    "IMAGE_OTHER": "provider_error",
    "PUP_LIMITED_DISABLED": "provider_error",
    "OTHER": "unknown",
}

# Proto objects and some servers send the default on every chunk: it says nothing.
_NO_REASON = "FINISH_REASON_UNSPECIFIED"
_NO_BLOCK = ("BLOCK_REASON_UNSPECIFIED", "BLOCKED_REASON_UNSPECIFIED")
_LIVE = ("setupComplete", "serverContent", "toolCall", "toolCallCancellation", "sessionResumptionUpdate", "goAway")
_ADK = ("partial", "author", "invocationId", "invocation_id", "turnComplete", "finishReason", "finish_reason")
# The fields of a piece that hold its value, and the types that JSON has for them.
_VALUES: Final[Mapping[str, tuple[type, ...]]] = {
    "stringValue": (str,),
    "numberValue": (int, float),
    "boolValue": (bool,),
}
_SNAKE: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NAMES: dict[str, str] = {}  # camelCase -> snake_case
_ABSENT: Final = object()


def either(obj: Any, name: str) -> Any:
    """Return a field by its name on the wire, or by the name that the Python SDK gives it."""
    if obj is None:
        return None
    other = _NAMES.get(name)
    if other is None:
        other = _NAMES[name] = _SNAKE.sub("_", name).lower()
    if type(obj) is dict or isinstance(obj, Mapping):
        value = obj.get(name)
        return obj.get(other) if value is None else value
    value = getattr(obj, other, _ABSENT)
    return getattr(obj, name, None) if value is _ABSENT else value


def recognises(event: Any) -> int:
    """Rate how well an event fits this wire: 0 not at all, 1 maybe, 2 surely."""
    if isinstance(either(event, "candidates"), list) or either(event, "promptFeedback") is not None:
        return 2
    if any(either(event, name) is not None for name in _LIVE) and get(event, "kind") is None:
        return 2  # the package `ai` has a `tool_call` too, beside its `kind`
    content = get(event, "content")
    if isinstance(get(content, "parts"), list):
        return 2 if any(get(event, name) is not None for name in _ADK) else 1
    return 1 if either(event, "usageMetadata") is not None else 0


class _Candidate:
    """One candidate: a turn of its own."""

    __slots__ = ("calls", "finish", "ids", "open", "server", "turn")

    def __init__(self, turn: str) -> None:
        self.turn = turn
        self.calls = 0
        self.server = 0
        self.open: tuple[str, str, str | None] | None = None  # key, name and id of the call whose pieces still come
        self.finish: str | None = None


class Adapter:
    """Translates the responses of one stream."""

    traits: ClassVar[Traits] = Traits(framing="sse_or_json", calls_end=True, ends="source", alternative="candidate-")

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._responses = 0
        self._response: str | None = None
        self._candidates: dict[int, _Candidate] = {}
        self._events = 0  # ADK events with content
        self._handed = 0  # calls of Live messages
        self._waiting: list[str] = []  # turns of Live calls that nothing confirmed yet

    def push(self, event: Any) -> None:
        """Translate one response, Live message or ADK event."""
        candidates = get(event, "candidates")
        if candidates:
            self._response_of(text_of(either(event, "responseId")))
            self._all(items(candidates))
            if either(event, "automaticFunctionCallingHistory"):
                self._sink.tool_executed()
        self._usage(either(event, "usageMetadata"))
        if self._refused(event) or candidates:
            return
        content = get(event, "content")
        if content is not None or either(event, "errorCode") is not None:
            self._adk(event, content)
            return
        said = plain_error(event) if type(event) is dict else None
        if said is not None:
            self._sink.stream_end("provider_error", said)
            return
        self._live(event)

    def source_ended(self, end: SourceEnd) -> None:
        """Take the calls of a Live connection that goes on as handed over: the model waits for their results."""
        if end == "still_open" and self._waiting:
            self._confirm("complete", "toolCall")

    # -- generateContent -----------------------------------------------------

    def _refused(self, event: Any) -> bool:
        """End the stream by an error or a block, which may stand beside candidates."""
        error = get(event, "error")
        if error:
            self._sink.stream_end("provider_error", word(get(error, "status")) or word(get(error, "code")) or "error")
            return True
        blocked = word(either(either(event, "promptFeedback"), "blockReason"))
        if blocked is None or blocked in _NO_BLOCK:
            return False
        self._sink.stream_end("content_filtered", blocked)
        return True

    def _usage(self, usage: Any) -> None:
        """Count what the limit of the output counts: thoughts too."""
        if usage is None:
            return
        counts = (either(usage, name) for name in ("candidatesTokenCount", "thoughtsTokenCount"))
        self._sink.usage(sum(count for count in counts if type(count) is int))

    def _response_of(self, id: str | None) -> None:
        """Begin anew with another response, as automatic function calling does; one that was not over stays so."""
        if id is not None and self._response is not None and id != self._response and self._candidates:
            for one in self._candidates.values():
                if one.finish is None:
                    self._sink.turn_replaced(one.turn)
            self._responses += 1
            self._candidates = {}
        self._response = id or self._response

    def _all(self, candidates: list[Any]) -> None:
        seen: set[int] = set()
        for raw in candidates:
            index = get(raw, "index")
            index = 0 if index is None else index
            if type(index) is not int or index < 0 or index in seen:
                self._sink.provider_diagnostic(
                    "E_CANDIDATE_INDEX",
                    f"a chunk has a candidate with the index {index!r}; expected a whole number that occurs once",
                    fault="protocol",
                )
                return
            seen.add(index)
            candidate = self._candidates.get(index)
            if candidate is None:
                if self._sink.crowded():
                    return
                candidate = self._candidates[index] = _Candidate(f"response-{self._responses}/candidate-{index}")
            called = self._parts(candidate, items(get(get(raw, "content"), "parts")))
            self._finish(candidate, word(either(raw, "finishReason")), called)

    def _finish(self, candidate: _Candidate, reason: str | None, called: bool) -> None:
        if reason is None or reason == _NO_REASON or (candidate.finish == reason and not called):
            return
        candidate.finish = reason
        self._sink.turn_end(candidate.turn, END_REASONS.get(reason, "unknown"), reason)

    def _parts(self, candidate: _Candidate, parts: list[Any]) -> bool:
        """Read a content's parts; tell whether one of them was about a call."""
        called = False
        for part in parts:
            if candidate.finish is not None and candidate.calls and text_of(get(part, "text")) is not None:
                self._violation(candidate, f"content after the finish reason {candidate.finish!r}")
            if get(part, "thought") is True:
                continue
            call = either(part, "functionCall")
            if call is not None:
                called = True
                self._function_call(candidate, call)
                continue
            response = either(part, "functionResponse")
            if response is not None:
                self._sink.tool_executed(text_of(get(response, "id")))
                continue
            code, tool = either(part, "executableCode"), either(part, "toolCall")
            if code is not None or tool is not None:
                self._server_call(candidate, code, tool)
        return called

    def _server_call(self, candidate: _Candidate, code: Any, tool: Any) -> None:
        """Report what the server runs by itself."""
        key = f"{candidate.turn}/server-{candidate.server}"
        candidate.server += 1
        raw = tool if code is None else code
        name = "code_execution" if code is not None else word(either(tool, "toolType"))
        self._sink.call_start(key, id=text_of(get(raw, "id")), name=name, turn=candidate.turn, server_executed=True)
        value = get(raw, "args") if code is None else {"code": get(code, "code")}
        if value is not None:
            self._sink.arguments_value(key, value)
        self._sink.call_end(key)

    def _function_call(self, candidate: _Candidate, raw: Any) -> None:
        name, id = text_of(get(raw, "name")), text_of(get(raw, "id"))
        pieces = items(either(raw, "partialArgs"))
        goes_on = either(raw, "willContinue") is True
        args = get(raw, "args")
        streamed = goes_on or bool(pieces)
        open_call = candidate.open
        if open_call is not None and (name is None or (id is not None and id == open_call[2])):
            key, streamed = open_call[0], True
            if name is not None and name != open_call[1]:
                self._violation(candidate, f"the call {open_call[1]!r} goes on under the name {name!r}", key)
            if id is not None:
                self._sink.call_identity(key, id=id)
        elif name is None:
            self._violation(candidate, "a functionCall without a name continues a call, but none is open")
            return
        else:
            if open_call is not None:
                # It may be more of the open call, under a name that is repeated: neither of the two is certain.
                self._violation(
                    candidate, f"a functionCall with the name {name!r} came while {open_call[1]!r} was still open"
                )
            key = f"{candidate.turn}/{candidate.calls}"
            self._sink.call_start(key, id=id, index=candidate.calls, name=name, turn=candidate.turn)
            candidate.calls += 1
            candidate.open = (key, name, id)
        for piece in pieces:
            self._piece(key, piece)
        if args is not None and not (streamed and args == {}):
            self._sink.arguments_value(key, args)
        if not args and not pieces:
            refuse_misplaced(self._sink, key, raw, "args")
        if not goes_on:
            candidate.open = None
            self._sink.call_end(key)

    def _piece(self, key: str, piece: Any) -> None:
        path = parse_path(either(piece, "jsonPath"))
        values = [(either(piece, name), kinds) for name, kinds in _VALUES.items()]
        given = [(value, type(value) in kinds) for value, kinds in values if value is not None]
        null = _null(piece)
        if null is not None:
            given.append((None, null))
        if path is None or len(given) != 1 or not given[0][1]:
            self._sink.provider_diagnostic(
                "E_PIECE_MALFORMED",
                f"a partial argument has the path {either(piece, 'jsonPath')!r:.80} and {len(given)} values; "
                "expected a path to one place, and one value of its field's type",
                key=key,
                fault="malformed",
            )
            return
        self._sink.arguments_piece(key, path, given[0][0], more=either(piece, "willContinue") is True)

    # -- Live ----------------------------------------------------------------

    def _live(self, event: Any) -> None:
        call = either(event, "toolCall")
        if call is not None:
            for raw in items(either(call, "functionCalls")):
                turn = f"live-{self._handed}"
                self._handed += 1
                handed = _Candidate(turn)
                self._waiting.append(turn)
                self._function_call(handed, raw)
        for id in items(get(either(event, "toolCallCancellation"), "ids")):
            if isinstance(id, str):
                self._sink.call_held(id, "cancelled")  # each call of that id, also one that is still to come
        content = either(event, "serverContent")
        if content is None:
            return
        if either(content, "turnComplete"):
            said = word(either(content, "turnCompleteReason"))
            if get(content, "interrupted"):
                self._confirm("cancelled", "interrupted")
            elif said is None or said == "TURN_COMPLETE_REASON_UNSPECIFIED":
                self._confirm("complete", "turnComplete")
            else:
                self._confirm(END_REASONS.get(said, "unknown"), said)
        elif get(content, "interrupted"):
            self._confirm("cancelled", "interrupted")

    def _confirm(self, reason: EndReason, said: str) -> None:
        for turn in self._waiting:
            self._sink.turn_end(turn, reason, said)
        self._waiting.clear()
        self._sink.done_marker(goes_on=True)  # a connection has no end of its own; the turn's end is enough

    # -- ADK -----------------------------------------------------------------

    def _adk(self, event: Any, content: Any) -> None:
        """Read an agent's event: a final one is a turn, with its own end."""
        parts = items(get(content, "parts"))
        if get(event, "partial") is True:
            for part in parts:
                call, response = either(part, "functionCall"), either(part, "functionResponse")
                if response is not None:
                    self._sink.tool_executed(text_of(get(response, "id")))
                if call is not None:
                    self._sink.provider_diagnostic(
                        "I_PARTIAL_CALL",
                        f"a partial event previews the call {get(call, 'id')!r} of {get(call, 'name')!r}; "
                        "the final event holds it",
                    )
            return
        candidate = _Candidate(f"event-{self._events}")
        self._events += 1
        self._parts(candidate, parts)
        code = word(either(event, "errorCode"))
        if code is not None:
            reason = END_REASONS.get(code, "provider_error")
            self._sink.turn_end(candidate.turn, "provider_error" if reason == "complete" else reason, code)
        elif get(event, "interrupted"):
            self._sink.turn_end(candidate.turn, "cancelled", "interrupted")
        else:
            self._finish(candidate, word(either(event, "finishReason")), called=True)

    def _violation(self, candidate: _Candidate, message: str, key: str | None = None) -> None:
        if key is None:
            self._sink.provider_diagnostic("E_GEMINI_CALL", message, turn=candidate.turn, fault="protocol")
        else:
            self._sink.provider_diagnostic("E_GEMINI_CALL", message, key=key, fault="protocol")


def _null(piece: Any) -> bool | None:
    """Tell whether a piece says null as it should, `None` when it has no such field.

    JSON writes it as `null` or as the name of the enum's only value, the SDK as a field that was set to `None`.
    """
    if isinstance(piece, Mapping):
        if "nullValue" not in piece and "null_value" not in piece:
            return None
    elif "null_value" not in getattr(piece, "model_fields_set", ()) and get(piece, "null_value") is None:
        return None
    return word(either(piece, "nullValue")) in (None, "NULL_VALUE")


_STEP: Final = re.compile(
    r"""
    \.(?P<member>[A-Za-z_0-9\-\u0080-\U0010ffff]+)
    | \[(?P<index>0|[1-9][0-9]{0,8})\]
    | \['(?P<single>(?:[^'\\\x00-\x1f]|\\.)*)'\]
    | \["(?P<double>(?:[^"\\\x00-\x1f]|\\.)*)"\]
    """,
    re.VERBOSE,
)


def parse_path(text: Any) -> Path | None:
    """Return the steps of a JSONPath that names one place below the root, `None` when it is anything else.

    Source: RFC 9535, sections 2.3.1 (name selector), 2.3.3 (index selector), 2.5.1.1 (shorthand). The shorthand
    takes digits and hyphens anywhere, which cannot be misread here.
    """
    if not isinstance(text, str) or not text.startswith("$"):
        return None
    steps: list[str | int] = []
    at = 1
    while at < len(text):
        match = _STEP.match(text, at)
        if match is None:
            return None
        at = match.end()
        kind = match.lastgroup
        if kind == "index":
            steps.append(int(match["index"]))
        elif kind == "member":
            steps.append(match["member"])
        else:
            name = _quoted(match[str(kind)], single=kind == "single")
            if name is None:
                return None
            steps.append(name)
    return tuple(steps)


def _quoted(text: str, *, single: bool) -> str | None:
    """Return what a quoted name stands for; its escapes are JSON's, and the quote's own."""
    if single:
        text = re.sub(r"\\(.)|\"", lambda m: "'" if m[1] == "'" else '\\"' if m[1] is None else m[0], text)
    try:
        name = json.loads(f'"{text}"')
        name.encode()
    except ValueError:
        return None
    return str(name)
