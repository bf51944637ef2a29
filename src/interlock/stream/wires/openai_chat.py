r"""OpenAI Chat Completions, streamed, and every server that speaks its shape.

One call on the wire::

    {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "call_1", "type": "function",
                  "function": {"name": "f", "arguments": ""}}]}}]}
    {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": "{\"a\":1}"}}]}}]}
    {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    [DONE]

Identity: (choice index, tool index). `id` and `name` are announced once; `null`,
`""` and the text `"null"` mean absent. A different id at a used index opens a
new call (Ollama and several bridges send index 0 for every call); a fragment
without an index goes by its id, or to the only call of its choice; what cannot
be attributed without a guess is a protocol violation. The legacy
`function_call` is the one call of its choice.

End of a call: none on the wire. End of a turn (a choice): its first non-null
`finish_reason`, evidence for that choice only. End of the stream: the clean end
of the source, or `[DONE]`. A repetition of the same finish reason in a chunk
without content adds nothing (OpenRouter sends one with the usage), unless the
provider's own word beside it says otherwise. A refusal counts at any time.
Text or reasoning after a choice's finish reason speaks against its calls: a
proxy that runs tools by itself (LiteLLM with MCP) goes on with the answer in the
same choice. Its results (a `delta` of the role `tool`, `mcp_call_results`) are
evidence that it ran them. What is said of a call after `[DONE]` is late.

A chunk's `id` is its response's, though some servers make one up for each chunk.
Where several chunks have one, and a call came in it, a chunk with another id is
a second response in the same stream, as a proxy that tries again sends it: its
parts are no continuation, and its end no confirmation.

A custom tool's input is free text. This wire states it once, so nothing shows
that it is whole: such a call is reported, and never given out.

An empty object as arguments, before their text, is a filler.

Empty arguments mean `{}` only when the tool's registered schema accepts `{}`:
the protocol has no word for "no arguments", and a lost fragment looks the same.
So they never do when arguments came in the choice that no named call owns, in a
place where this wire has none (beside `function`, as `parameters`, in
`message`), for a call of the same name that took the index with another id, or
when those of another call are broken. A whole `message` that repeats the calls
(MiniMax) is no such place where it holds no arguments, or only those of calls
whose own came under the same id. A `base_resp` whose `status_code` is not 0 is
an error (MiniMax).

Limits: a server that sends a finish reason with every chunk (some gateways in
front of Gemini) says of a call in a later chunk than its first that it came
after the end: it is refused. So is a choice without `index`, also a single one.

Source:
    platform.openai.com/docs/api-reference/chat-streaming (read 2026-11-30);
    types of the Python SDK openai 3.57.0; reports on vLLM, Ollama, LiteLLM,
    SGLang, OpenRouter, Groq, DeepSeek, Mistral and Azure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from interlock.stream.access import get, items, text_of, word
from interlock.stream.events import CallKind, Sink
from interlock.stream.wires import Traits
from interlock.stream.wires.fragments import PLACES, plain_error, push_arguments, refuse_misplaced
from interlock.stream.wires.native import worse
from interlock.vocabulary import EndReason, SourceEnd

__all__ = ["END_REASONS", "SOURCE_KEY", "Adapter", "recognises", "says"]

SOURCE_KEY: Final = "the choice's `index` and the tool call's `index` within it"

END_REASONS: Final[Mapping[str, EndReason]] = {
    "stop": "complete",
    "tool_calls": "complete",
    "function_call": "complete",
    "length": "length",
    "content_filter": "content_filtered",
    "error": "provider_error",  # OpenRouter, Mistral
    "model_length": "length",  # Mistral
    "insufficient_system_resource": "provider_error",  # DeepSeek
    "abort": "cancelled",  # vLLM
    "cancelled": "cancelled",
    "cancel": "cancelled",
}


# The fields of a chunk; `obfuscation` is padding, and none of the others speaks of an error.
_FIELDS = frozenset(
    {
        "choices",
        "created",
        "id",
        "model",
        "moderation",
        "obfuscation",
        "object",
        "service_tier",
        "system_fingerprint",
        "usage",
    }
)


def recognises(event: Any) -> int:
    """Rate how well an event fits this wire: 0 not at all, 1 maybe, 2 surely."""
    if get(event, "type") == "chunk":
        event = get(event, "chunk")  # the official client's helper wraps the chunks
    if isinstance(get(event, "choices"), list):
        return 2 if get(event, "object") == "chat.completion.chunk" else 1
    return 0


_CONTENT: Final = ("content", "reasoning_content", "reasoning")

_RESULTS: Final = ("tool", "function")  # roles of messages that hold a result

_TRACKED_NAME: Final = 65_536  # characters; a longer name is only passed on, and refused by its limit


class _Call:
    """What is known of one call while its fragments come."""

    __slots__ = ("custom", "doubted", "filler", "id", "index", "key", "name", "started")

    def __init__(self, key: str, id: str | None, index: int | None = None) -> None:
        self.key = key
        self.id = id
        self.index = index
        self.name = ""
        self.started = False  # argument text has begun, so the name is whole
        self.filler = False  # an empty object came, and nothing else yet
        self.custom = False  # input of a custom tool came
        self.doubted = False  # its arguments may be those that came elsewhere


class _Choice:
    """One choice: a turn of its own."""

    __slots__ = (
        "again",
        "by_id",
        "by_index",
        "calls",
        "carried",
        "elsewhere",
        "executed",
        "finish",
        "late",
        "legacy",
        "reason",
        "refused",
        "response",
        "turn",
    )

    def __init__(self, index: int) -> None:
        self.turn = f"choice-{index}"
        self.calls: list[_Call] = []
        self.by_index: dict[int, _Call] = {}
        self.by_id: dict[str, _Call] = {}
        self.legacy: _Call | None = None
        self.executed: set[str] = set()  # keys of what the provider ran by itself
        self.finish: str | None = None
        self.reason: EndReason | None = None
        self.refused = False
        self.elsewhere = False  # arguments came in a place that this wire does not read
        self.late = False  # content came after the finish reason
        self.response: str | None = None  # the `id` of its latest chunk
        self.again = False  # an earlier chunk had that id as well
        self.carried = False  # chunks of that id held a call


class Adapter:
    """Translates the chunks of one Chat Completions stream."""

    traits: ClassVar[Traits] = Traits(calls_end=False, ends="source", alternative="choice-")
    end_reasons: ClassVar[Mapping[str, EndReason]] = END_REASONS

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._choices: dict[int, _Choice] = {}
        self._failed = False
        self._plain: dict[type, bool] = {}  # the classes of chunks seen, see `_plain_type`

    def push(self, event: Any) -> None:
        """Translate one chunk. The official client's helper events are unwrapped or ignored."""
        if type(event) is not dict and self._plain_type(type(event)) and self._usual(event):
            return
        choices = get(event, "choices")
        if choices is None and get(event, "type") == "chunk":
            event = get(event, "chunk")
            choices = get(event, "choices")
        groq = get(event, "x_groq")
        error = get(event, "error") or get(groq, "error")
        if error:
            self._fail(_error_word(error))
            return
        status = get(event, "base_resp")  # MiniMax's place
        if status is not None and get(status, "status_code") not in (None, 0, "0"):
            self._fail(word(get(status, "status_msg")) or f"status_code {get(status, 'status_code')!r:.60}")
            return
        usage = get(event, "usage") or get(groq, "usage")
        if usage is not None:
            self._usage(usage)
        if not choices:
            if get(event, "object") == "error" or get(event, "type") == "error":
                self._fail(_error_word(event))
            elif choices is None and get(event, "type") is None and (said := plain_error(event)) is not None:
                self._fail(said)
            return
        if not isinstance(choices, list | tuple):
            self._sink.provider_diagnostic(
                "E_CHOICES", f"a chunk's choices are {choices!r:.60}; expected a list", fault="protocol"
            )
            return
        response = text_of(get(event, "id"))
        if len(choices) == 1:
            self._choice(choices[0], response)
            return
        seen: set[int] = set()
        for choice in choices:
            index = get(choice, "index")
            if type(index) is int and index in seen:
                self._sink.provider_diagnostic(
                    "E_CHOICE_INDEX", f"one chunk has two choices with the index {index}", fault="protocol"
                )
                return
            seen.add(index if type(index) is int else -1)
        for choice in choices:
            self._choice(choice, response)

    def source_ended(self, end: SourceEnd) -> None:  # noqa: ARG002
        """Conclude nothing: a choice without a finish reason stays unconfirmed."""
        for choice in self._choices.values():
            self._settle(choice)

    # -- inside --------------------------------------------------------------

    def _plain_type(self, kind: type) -> bool:
        """Tell whether a chunk's class has no fields but the API's own; others may carry an error in one."""
        known = self._plain.get(kind)
        if known is None:
            fields = getattr(kind, "model_fields", None)
            known = self._plain[kind] = isinstance(fields, dict) and bool(fields) and fields.keys() <= _FIELDS
        return known

    def _usual(self, chunk: Any) -> bool:
        """Take the official client's chunk when it only continues one call, or carries only text.

        Nearly every chunk is like that; everything else is left to the general way.
        """
        try:
            if chunk.__pydantic_extra__ or chunk.usage is not None:
                return False
            (choice,) = chunk.choices
            known = self._choices.get(choice.index)
            delta = choice.delta
            if (
                known is None
                or chunk.id != known.response
                or type(choice.index) is not int
                or known.finish is not None
                or choice.finish_reason is not None
                or choice.__pydantic_extra__
                or delta.function_call is not None
                or delta.refusal is not None
                or delta.role in _RESULTS
                or delta.__pydantic_extra__
            ):
                return False
            if delta.tool_calls is None:
                known.again = True
                return True
            (fragment,) = delta.tool_calls
            call = known.by_index.get(fragment.index)
            function = fragment.function
            text = function.arguments
            if (
                call is None
                or not call.started
                or not text  # the general way looks whether its arguments are elsewhere
                or type(text) is not str
                or type(fragment.index) is not int
                or fragment.id
                or function.name
                or fragment.__pydantic_extra__
                or function.__pydantic_extra__
            ):
                return False
        except (AttributeError, TypeError, ValueError):
            return False
        known.again = known.carried = True
        self._sink.arguments_delta(call.key, text)
        return True

    def _choice(self, chunk: Any, response: str | None) -> None:
        index = get(chunk, "index")
        choice = self._choices.get(index) if type(index) is int else None
        if choice is None:
            if type(index) is not int or index < 0:
                self._sink.provider_diagnostic(
                    "E_CHOICE_INDEX",
                    f"a choice has the index {index!r}; expected a whole number",
                    fault="protocol",
                )
                return
            if self._sink.crowded():
                return
            choice = self._choices[index] = _Choice(index)
        if response is not None:
            self._respond(choice, response)
        delta = get(chunk, "delta")
        if choice.finish is not None and not choice.late and any(says(get(delta, name)) for name in _CONTENT):
            choice.late = True
            self._violation(choice, "E_LATE_EVENT", f"content after the finish reason {choice.finish!r}")
        self._results(delta)
        fragments = get(delta, "tool_calls")
        legacy = get(delta, "function_call")
        if fragments or legacy is not None:
            choice.carried = True
        if fragments:
            if not isinstance(fragments, list | tuple):
                self._violation(choice, "E_TOOL_CALLS", f"tool_calls is {fragments!r:.60}; expected a list")
            for fragment in items(fragments):
                self._fragment(choice, fragment)
        if legacy is not None:
            self._legacy(choice, legacy)
        if get(delta, "refusal"):
            choice.refused = True
            self._sink.turn_said(choice.turn, "content_filtered", "refusal")
            if choice.finish is not None:
                self._report_refusal(choice)
        executed = get(delta, "executed_tools")
        if executed:
            self._executed(choice, items(executed))
        message = get(chunk, "message")  # a whole message belongs to answers that are not streamed
        if message is not None and _states_arguments(choice, message):
            choice.elsewhere = True
            if choice.finish is not None:
                self._settle(choice)
        if _filtered(get(chunk, "content_filter_results")):
            self._sink.provider_diagnostic(
                "E_FILTERED", "a content filter took something out", turn=choice.turn, fault="content_filtered"
            )
        error = get(chunk, "error")
        if error:
            self._fail(_error_word(error))
            return
        finish, native = word(get(chunk, "finish_reason")), word(get(chunk, "native_finish_reason"))
        if finish is None and native is not None:
            self._sink.turn_said(choice.turn, worse("complete", native), native)
        if finish is not None:
            usage = get(chunk, "usage")  # Moonshot's place
            if usage is not None:
                self._usage(usage)
            carries = _carries(legacy) or any(_carries_call(fragment) for fragment in items(fragments))
            self._finish(choice, finish, native, carries)

    def _respond(self, choice: _Choice, response: str) -> None:
        """Refuse a choice that goes on in another response.

        Some servers give each chunk an id of its own, but one that several chunks have is the response's.
        """
        if response == choice.response:
            choice.again = True
            return
        if choice.again and choice.carried:
            self._violation(
                choice,
                "E_SECOND_RESPONSE",
                f"the choice goes on in the response {response!r:.60}, and a call came in {choice.response!r:.60}",
            )
        choice.response = response
        choice.again = choice.carried = False

    def _usage(self, usage: Any) -> None:
        tokens = get(usage, "completion_tokens")
        if type(tokens) is int:
            self._sink.usage(tokens)

    def _report_refusal(self, choice: _Choice) -> None:
        if choice.refused and choice.calls:
            self._sink.provider_diagnostic(
                "E_REFUSED",
                "the choice holds a refusal and a tool call",
                turn=choice.turn,
                fault="content_filtered",
            )

    def _fail(self, said: str) -> None:
        if not self._failed:
            self._failed = True
            for choice in self._choices.values():
                self._settle(choice)
        self._sink.stream_end("provider_error", said)

    def _results(self, delta: Any) -> None:
        """Report what a proxy ran by itself: a message of a tool, or LiteLLM's list of results."""
        if get(delta, "role") in _RESULTS:
            self._sink.tool_executed(text_of(get(delta, "tool_call_id")))
        for result in items(get(get(delta, "provider_specific_fields"), "mcp_call_results")):
            self._sink.tool_executed(text_of(get(result, "tool_call_id")))

    def find(self, choice: int, id: str | None, index: int) -> str | None:
        """Return the source key of a choice's call, by its id or else by its index."""
        known = self._choices.get(choice)
        call = None if known is None else known.by_id.get(id or "") or known.by_index.get(index)
        return None if call is None else call.key

    def settle(self, index: int) -> None:
        """Take what the calls of a choice hold for all that comes, as its finish reason does."""
        choice = self._choices.get(index)
        if choice is not None:
            self._settle(choice)

    def _settle(self, choice: _Choice) -> None:
        """Take an empty object that no text followed for the arguments, and nothing at all for what it is."""
        if choice.elsewhere and not choice.calls:
            choice.elsewhere = False
            self._violation(choice, "E_TOOL_CALLS", "the choice has a call in `message`, and none in `delta`")
        begun = {(call.index, call.name) for call in choice.calls if call.started or call.custom}
        names = {name for _, name in begun}
        bare = {name for index, name in begun if index is None}  # it may have any index
        for call in choice.calls:
            if call.filler:
                call.filler = False
                self._sink.arguments_value(call.key, {})
            taken = call.name in (names if call.index is None else bare) or (call.index, call.name) in begun
            if not (call.started or call.custom or call.doubted) and (choice.elsewhere or taken):
                call.doubted = True
                self._sink.provider_diagnostic(
                    "E_STRAY_ARGUMENTS",
                    "a call has no arguments, and some came in `message`, or for another id in its place: they may "
                    "be its own",
                    key=call.key,
                    fault="protocol",
                )

    def _finish(self, choice: _Choice, finish: str, native: str | None, carries: bool) -> None:
        reason = worse(self.end_reasons.get(finish, "unknown"), native)
        if choice.finish == finish and not carries and reason in (choice.reason, "complete"):
            return
        self._settle(choice)
        self._report_refusal(choice)
        if choice.finish is None:
            choice.reason = reason
        choice.finish = finish
        self._sink.turn_end(
            choice.turn, reason, finish if native is None or reason == self.end_reasons.get(finish) else native
        )

    def _fragment(self, choice: _Choice, fragment: Any) -> None:
        function = get(fragment, "function")
        id = text_of(get(fragment, "id"))
        if id == "null":
            id = None
        custom = get(fragment, "custom") if function is None else None
        if custom is not None:
            self._custom(choice, fragment, id, custom)
            return
        name = text_of(get(function, "name"))
        arguments = get(function, "arguments")
        call = self._attribute(choice, fragment, id, name)
        if call is None:
            return
        if name is not None:
            self._name(choice, call, name)
        self._arguments(choice, call, arguments)
        if not arguments:
            refuse_misplaced(self._sink, call.key, function, "arguments")
            refuse_misplaced(self._sink, call.key, fragment)
            refuse_misplaced(self._sink, call.key, get(fragment, "custom"))

    def _custom(self, choice: _Choice, fragment: Any, id: str | None, custom: Any) -> None:
        """Report a call of a custom tool: its name, and why it is not given out."""
        name = text_of(get(custom, "name"))
        call = self._attribute(choice, fragment, id, name, "text")
        if call is None:
            return
        if name is not None:
            self._name(choice, call, name)
        if not call.custom:
            call.custom = True
            self._sink.provider_diagnostic(
                "E_FREE_TEXT",
                "a custom tool's input is free text, which this wire states only once: nothing shows that it is "
                "whole; use a function tool, or the wire openai_responses",
                key=call.key,
                fault="malformed",
            )

    def _attribute(
        self, choice: _Choice, fragment: Any, id: str | None, name: str | None, kind: CallKind = "json"
    ) -> _Call | None:
        """Return the call that a fragment belongs to, opening it when the fragment does."""
        index = get(fragment, "index")
        if index is None:
            return self._without_index(choice, id, name, kind)
        if type(index) is not int or index < 0:
            self._violation(choice, "E_CALL_INDEX", f"a tool call has the index {index!r}; expected a whole number")
            return None
        call = choice.by_index.get(index)
        if call is None:
            call = self._open(choice, f"{choice.turn}/{index}", id, index, kind)
            choice.by_index[index] = call
        elif id is not None and id != call.id:
            if call.id is None:
                call.id = id
                choice.by_id.setdefault(id, call)
                self._sink.call_identity(call.key, id=id)
            else:
                # The same index with another id is another call; it may be one that came before.
                call = choice.by_id.get(id) or self._open(
                    choice, f"{choice.turn}/{index}:{len(choice.calls)}", id, index, kind
                )
                choice.by_index[index] = call
        return call

    def _without_index(self, choice: _Choice, id: str | None, name: str | None, kind: CallKind) -> _Call | None:
        if id is not None:
            return choice.by_id.get(id) or self._open(choice, f"{choice.turn}/id:{id}", id, None, kind)
        if not choice.calls:
            return self._open(choice, f"{choice.turn}/only", None, None, kind)
        if len(choice.calls) == 1 and (name is None or not choice.calls[0].started):
            return choice.calls[0]
        self._violation(
            choice,
            "E_CALL_UNATTRIBUTED",
            f"a fragment has neither index nor id, and the choice has {len(choice.calls)} call(s)",
        )
        return None

    def _open(self, choice: _Choice, key: str, id: str | None, index: int | None, kind: CallKind) -> _Call:
        call = _Call(key, id, index)
        choice.calls.append(call)
        if id is not None:
            choice.by_id.setdefault(id, call)
        self._sink.call_start(key, id=id, index=index, turn=choice.turn, kind=kind)
        if choice.legacy is not None and choice.legacy is not call:
            self._violation(choice, "E_CALL_FORMS", "the choice has both a function_call and tool_calls")
        return call

    def _name(self, choice: _Choice, call: _Call, name: str) -> None:
        """Take a name that comes whole, repeated, or in fragments before the arguments."""
        if name == call.name:
            return
        if call.started:
            self._violation(
                choice,
                "E_NAME_CONFLICT",
                f"a call named {call.name!r} got the name {name!r} after its arguments began",
            )
            return
        if len(call.name) < _TRACKED_NAME:
            call.name += name
        self._sink.name_delta(call.key, name)

    def _arguments(self, choice: _Choice, call: _Call, arguments: Any) -> None:
        if type(arguments) is str:
            if arguments:
                call.started = True
                call.filler = False
                self._sink.arguments_delta(call.key, arguments)
        elif arguments == {} and not call.started and choice.finish is None:
            call.filler = True
        elif arguments is not None:
            # Some servers (Mistral, bridges to Ollama) send an object: somebody else parsed it.
            call.started = True
            call.filler = False
            self._sink.arguments_value(call.key, arguments)

    def _legacy(self, choice: _Choice, function: Any) -> None:
        name = text_of(get(function, "name"))
        arguments = get(function, "arguments")
        if name is None and not arguments and choice.legacy is None:
            return
        call = choice.legacy
        if call is None:
            other = bool(choice.calls)
            call = choice.legacy = _Call(f"{choice.turn}/function_call", None)
            choice.calls.append(call)
            self._sink.call_start(call.key, turn=choice.turn)
            if other:
                self._violation(choice, "E_CALL_FORMS", "the choice has both a function_call and tool_calls")
        if name is not None:
            self._name(choice, call, name)
        self._arguments(choice, call, arguments)
        if not arguments:
            refuse_misplaced(self._sink, call.key, function, "arguments")

    def _executed(self, choice: _Choice, executed: list[Any]) -> None:
        """Report what Groq's compound models ran by themselves; each is repeated with its output."""
        for position, tool in enumerate(executed):
            index = get(tool, "index")
            key = f"{choice.turn}/executed:{index if type(index) is int else position}"
            if key in choice.executed:
                continue
            choice.executed.add(key)
            self._sink.call_start(key, name=text_of(get(tool, "type")), turn=choice.turn, server_executed=True)
            push_arguments(self._sink, key, get(tool, "arguments"))

    def _violation(self, choice: _Choice, code: str, message: str) -> None:
        self._sink.provider_diagnostic(code, message, turn=choice.turn, fault="protocol")


def says(content: Any) -> bool:
    """Tell whether content is there: empty text, and parts that hold only that, are none."""
    if type(content) is list:
        return any(get(part, "type") != "text" or get(part, "text") for part in content)
    return bool(content)


def _carries(function: Any) -> bool:
    """Tell whether a function's fragment says anything: fillers are null or empty."""
    return bool(get(function, "name") or get(function, "arguments"))


def _carries_call(fragment: Any) -> bool:
    custom = get(fragment, "custom")
    return _carries(get(fragment, "function")) or bool(get(custom, "name") or get(custom, "input"))


def _states_arguments(choice: _Choice, message: Any) -> bool:
    """Tell whether a whole message has arguments, or may have, that are not those of a call whose own came."""
    calls = get(message, "tool_calls")
    if calls and not isinstance(calls, list | tuple):
        return True
    for call in items(calls):
        known = choice.by_id.get(text_of(get(call, "id")) or "")
        if known is not None and known.started:
            continue
        forms = [form for form in (get(call, "function"), get(call, "custom")) if form is not None]
        if not forms or any(_holds(form) for form in (call, *forms)):
            return True
    return _holds(get(message, "function_call")) and not (choice.legacy is not None and choice.legacy.started)


def _holds(holder: Any) -> bool:
    """Tell whether arguments are in any field; an empty object is none."""
    return any(get(holder, name) not in (None, "", "{}", {}) for name in PLACES)


def _filtered(results: Any) -> bool:
    """Tell whether one of Azure's filters took something out: `{"hate": {"filtered": true, ...}, ...}`."""
    if type(results) is not dict:
        return False
    return any(get(result, "filtered") is True for result in results.values())


def _error_word(error: Any) -> str:
    if isinstance(error, str):
        return error[:200]
    return word(get(error, "code")) or word(get(error, "type")) or "error"
