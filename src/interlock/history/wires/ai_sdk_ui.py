"""`ai_sdk_ui`: `UIMessage` of the Vercel AI SDK, v5 to v7: what a chat page keeps.

Types: npm `ai`, `src/ui/ui-messages.ts`, `src/ui/convert-to-model-messages.ts` (read 2026-11, 6.0.326).

A call and its answer are one part of an assistant message, told apart by `state`::

    {"id": "m1", "role": "assistant", "parts": [
        {"type": "step-start"},
        {"type": "tool-f", "toolCallId": "c1", "state": "output-available", "input": {}, "output": "done"},
        {"type": "step-start"},
        {"type": "text", "text": "It is done."}]}

The SDK turns such a message into several: at each `step-start` behind calls their
results go into a `tool` message and a new assistant message begins. It is read
in just that way, so that every rule sees what the provider will see, and put
together again when it is written. A part in `input-streaming` is not sent at all,
and a `steering-message` is the user's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final, TypeGuard

from interlock.history.turns import Approval, Call, Media, Message, Opaque, Part, Result, Role, Text
from interlock.history.wires.ai_sdk import media_kind, reasoning_part
from interlock.history.wires.base import Asked, as_id, as_json, as_string, opaque_message, role_in, with_ids_in
from interlock.history.wires.grouped import Draft, Group, GroupedWire
from interlock.history.wires.screened import Look

__all__ = ["AISDKUI"]

_ROLES: Mapping[str, Role] = {"system": "system", "user": "user", "assistant": "assistant"}
_OPEN: Final = frozenset({None, "input-available", "approval-requested", "approval-responded"})
_ASKED: Final = frozenset({None, "input-available"})
_DONE: Final = frozenset({"output-available", "output-error", "output-denied"})
_STATES: Final = frozenset({"input-streaming", *_OPEN, *_DONE})
#: Version 4's states.
_VERSION_4: Final = {"partial-call": "input-streaming", "call": "input-available", "result": "output-available"}
#: Types of parts that hold nothing which is sent as words, in versions 5 to 7.
_KINDS: Final = frozenset(
    {"source-url", "source-document", "step-start", "steering-message", "custom", "reasoning-file"}
)
#: Types of a model message's output that hold a value.
_MODEL_OUTPUTS: Final = frozenset({"text", "json", "content", "error-text", "error-json"})
#: Fields of a tool part that tell how the call ended.
_OUTCOME: Final = ("state", "output", "errorText", "preliminary", "resultProviderMetadata", "approval")
_KEYS: Final = frozenset({"id", "role", "parts", "metadata", "createdAt"})
_TEXT_KEYS: Final = frozenset({"type", "text", "state"})
_CALL_KEYS: Final = frozenset({"type", "toolName", "toolCallId", "state", "input"})
_OUTPUT_KEYS: Final = frozenset({"type", "toolName", "toolCallId", "state", "input", "output"})
_ERROR_KEYS: Final = frozenset({"type", "toolName", "toolCallId", "state", "input", "errorText"})
_NULLS: Final[Mapping[str, tuple[str, ...]]] = {
    "text": ("state", "providerMetadata"),
    "reasoning": ("id", "state", "providerMetadata"),
    "file": ("filename", "providerMetadata"),
    "call": ("providerExecuted", "callProviderMetadata", "toolMetadata", "title", "approval"),
    "result": ("resultProviderMetadata", "preliminary", "approval"),
}


class AISDKUI(GroupedWire):
    """`UIMessage`; see the module's text."""

    name: ClassVar[str] = "ai_sdk_ui"
    roles: ClassVar[Mapping[str, Role]] = _ROLES
    filled_roles: ClassVar[tuple[str, ...]] = ("system", "user")
    results_named: ClassVar[bool] = True
    result_blocks: ClassVar[bool] = False
    shapes_served: ClassVar[bool] = True
    content_key: ClassVar[str] = "parts"
    results_inside: ClassVar[bool] = True

    # -- reading ---------------------------------------------------------------------------------

    def group(self, native: Any, at: int) -> Group:
        """Return the views: for an assistant message, one for each message that the SDK makes of it."""
        group = Group(native)
        role = role_in(native, _ROLES)
        blocks = native.get("parts") if role is not None else None
        if role is None or not isinstance(blocks, list):
            group.views.append(opaque_message(native, at))
            return group
        asked: list[Part] = []
        answers: list[Part] = []

        def close() -> None:
            if asked or role != "assistant" or not group.views:
                # An assistant message may be empty: nothing is sent for it.
                group.views.append(_view(role, asked or _nothing(role), native, at, group))
            if answers:
                group.views.append(_view("tool", answers, native, at, group))
            asked.clear()
            answers.clear()

        for index, block in enumerate(blocks):
            kind = block.get("type") if isinstance(block, dict) else None
            if role == "assistant":
                if kind == "step-start" and any(type(part) is Call and not part.server for part in asked):
                    close()
                if kind == "steering-message":
                    # The user's words between two steps.
                    close()
                    held = (Opaque(native=block, index=index, type=kind),)
                    word = Message("user", held, native, (at,), "item")
                    group.views.append(replace(word, extra={"group": group}))
                    continue
                if _is_tool(kind) and _of_version_4(block) is None:
                    _read_tool(block, kind, index, asked, answers)
                    continue
            asked.append(_block(block, kind, index))
        close()
        return group

    def healthy(self, message: Any, look: Look) -> str:
        """Know text, steps, and tool parts; whether these have ended."""
        role = message["role"]
        if type(message) is not dict or role not in _ROLES or not message["parts"] or not message.keys() <= _KEYS:
            return ""
        if role == "system" and role not in look.demands.instructs:
            return ""
        kinds, kind = "", ""  # of the steps that have ended, and of the one at hand
        for part in message["parts"]:
            word = part["type"]
            if word == "text":
                text = part["text"]
                if type(text) is not str or not text or text.isspace() or not part.keys() <= _TEXT_KEYS:
                    return ""
                if "state" in part and part["state"] is None:
                    return ""
                kind = kind or role[0]
                continue
            if role != "assistant":
                return ""
            if word == "step-start":
                look.waiting.clear()
                if kind == "ct":
                    kinds, kind = kinds + kind, ""
                continue
            if word != "dynamic-tool" and not word.startswith("tool-"):
                return ""
            if type(part["input"]) is not dict:
                return ""
            if not look.call(part["toolCallId"], part["toolName"] if word == "dynamic-tool" else word[5:]):
                return ""
            state = part["state"]
            if state == "output-error":
                if type(part["errorText"]) is not str or not part.keys() <= _ERROR_KEYS:
                    return ""
                if look.demands.reasons and not part["errorText"]:
                    return ""
            elif state == "input-available":
                if not part.keys() <= _CALL_KEYS:
                    return ""
                look.lacking.append(part["toolCallId"])
            elif state != "output-available" or "output" not in part or not part.keys() <= _OUTPUT_KEYS:
                return ""
            kind = "ct"
        look.waiting.clear()  # calls end where they begin
        return kinds + kind

    def calls_of(self, native: Any) -> Iterable[Call]:
        """Return the calls in a message that have not ended."""
        return [
            Call(
                native=part,
                index=at,
                call_id=part["toolCallId"],
                name=part["toolName"] if part["type"] == "dynamic-tool" else part["type"][5:],
                arguments=part["input"],
            )
            for at, part in enumerate(native["parts"])
            if part.get("state") == "input-available"
        ]

    def asked(self, native: Any) -> Sequence[Asked]:
        """Return place, id and tool of each call, whether it has ended or not."""
        return [
            (at, part["toolCallId"], part["toolName"] if part["type"] == "dynamic-tool" else part["type"][5:])
            for at, part in enumerate(native["parts"])
            if "toolCallId" in part
        ]

    def answered(self, native: Any, results: Mapping[int, Result]) -> Any:
        """Return a message with the parts of some calls as they are when these have ended."""
        parts = [results[at].native if at in results else part for at, part in enumerate(native["parts"])]
        return {**native, "parts": parts}

    def is_word(self, native: Any) -> bool:
        """Say whether a message is the user's and holds words only."""
        if not isinstance(native, dict) or native.get("role") != "user" or not isinstance(native.get("parts"), list):
            return False
        return all(isinstance(part, dict) and part.get("type") == "text" for part in native["parts"])

    # -- fragments -------------------------------------------------------------------------------

    def with_ids(self, native: Any, ids: Mapping[str, str], ahead: Any) -> Any:  # noqa: ARG002
        """Return a message with other ids for its calls."""
        return with_ids_in(native, "parts", "toolCallId", ids)

    def with_call(self, part: Call, **changes: Any) -> Call:
        """Return the call with another id, name or input."""
        native = _named(part.native, changes)
        if "arguments" in changes:
            native["input"] = changes["arguments"]
        return replace(part, native=native, **changes)

    def with_result(self, part: Result, **changes: Any) -> Result:
        """Return the result with another id, name, output or error flag."""
        native = _named(part.native, changes)
        if "content" in changes or "is_error" in changes:
            failed = changes.get("is_error", part.is_error) is True
            native = _ended(native, changes.get("content", part.content), failed=failed)
        return replace(part, native=native, **changes)

    def new_result(self, call: Call, text: str, *, is_error: bool = True) -> Result:
        """Return the call's part as it is when the call has ended with this text."""
        native = _ended(call.native, text, failed=is_error)
        return Result(native=native, call_id=call.call_id, name=call.name, content=text, is_error=is_error)

    def denied_result(self, call: Call, reason: str | None) -> Result:
        """Return the part in the state that the SDK has for a call that a human refused."""
        approval = call.native.get("approval")
        if not isinstance(approval, dict) or approval.get("approved") is not False:
            return super().denied_result(call, reason)
        native = {key: value for key, value in call.native.items() if key not in ("output", "errorText", "preliminary")}
        native["state"] = "output-denied"
        return Result(native=native, call_id=call.call_id, name=call.name, content=reason, is_error=True)

    def shaped_result(self, part: Result) -> Result | None:
        """Any JSON value is an output; only an error is text. A part with an outcome has ended."""
        state = part.native.get("state")
        if state not in _DONE or (state == "output-available" and "output" not in part.native):
            return self.with_result(part, content=part.content)  # JSON leaves out an output that is undefined
        if state == "output-denied" and not _denied(part.native):
            # As an error with the SDK's own words for it: nothing says who denied it.
            return self.with_result(part, content="Tool execution denied.", is_error=True)
        if part.native.get("state") == "output-error" and not isinstance(part.content, str):
            return self.with_result(part, content="" if part.content is None else as_json(part.content))
        return None

    def retyped(self, message: Message, part: Part) -> Part | None:  # noqa: ARG002
        """Take a tool part of version 4."""
        block = _of_version_4(part.native) if type(part) is Opaque and part.slot == "content" else None
        # Another round reads it: it may be a call and its result.
        return None if block is None else Opaque(native=block, index=part.index, type=block["type"])

    def is_broken(self, part: Opaque) -> bool:
        """A part is an object of a known type, and a tool part has a known state."""
        if part.slot != "content":
            return False
        if not isinstance(part.native, dict) or part.type is None or part.type == "text":
            return True
        if _is_tool(part.type):
            state = part.native.get("state")
            return not isinstance(state, str) or state not in _STATES
        return part.type not in _KINDS and not part.type.startswith("data-")

    def unfit(self, part: Part, context: Any) -> str | None:  # noqa: ARG002
        """A file says what it is, and where."""
        if type(part) is Media and not all(isinstance(part.native.get(key), str) for key in ("mediaType", "url")):
            return "a file without its `mediaType` or its `url`"
        return None

    def stray_fields(self, native: Any, part: Part | None) -> tuple[str, ...]:
        """Optional fields that are null are refused by the SDK's own types."""
        if part is None or not isinstance(native, dict):
            return super().stray_fields(native, part)
        kind = part.kind if isinstance(part, (Call, Result)) else native.get("type")
        if isinstance(part, Approval) or not isinstance(kind, str):
            return ()
        nulls = tuple(key for key in _NULLS.get(kind, ()) if key in native and native[key] is None)
        if not isinstance(part, (Call, Result)):
            return (*super().stray_fields(native, part), *nulls)
        state = _state(native)
        if (state in _DONE) is not isinstance(part, Result):
            return nulls
        # What belongs to another state may not be there at all; it is never sent.
        own = {"output-available": "output", "output-error": "errorText"}.get(str(state))
        return (*nulls, *[key for key in ("output", "errorText") if key in native and key != own])

    # -- writing ---------------------------------------------------------------------------------

    def with_role(self, message: Message, role: Role) -> Message | None:
        """Return the message with another role; one with the role `tool` as the results in it."""
        if role != "tool":
            return super().with_role(message, role)
        blocks = message.native.get("parts") if isinstance(message.native, dict) else None
        found = [_answer(block, at) for at, block in enumerate(blocks if isinstance(blocks, list) else ())]
        held = tuple(one for one in found if one is not None)
        if not held or len(held) < len(found):
            return None
        return Message(role="tool", parts=held, native=message.native, origins=message.origins, changed=True)

    def joins(self, draft: Draft, view: Message) -> bool:
        """Results join the assistant's message; so does what comes from the same message."""
        if draft.parts and draft.parts[0].slot == "self":
            return False
        group = view.extra.get("group")
        if group is not None and group is draft.group:
            return True
        return view.role == "tool" and role_in(draft.head, {"assistant": "assistant"}) is not None

    def ahead(self, native: Any) -> Any:
        """Return the message's id."""
        return native.get("id") if isinstance(native, dict) else None

    def put_together(self, draft: Draft, ahead: Any, specimen: Any) -> dict[str, Any]:  # noqa: ARG002
        """Return the message, with each result in its call's part."""
        head = draft.head if isinstance(draft.head, dict) else {}
        if "id" not in head and "parts" not in head:
            # The SDK wants an id; one that is made from what stands ahead is the same each time.
            head = {"id": f"{ahead if isinstance(ahead, str) else 'first'}-interlock", **head}
        role = "assistant" if draft.role == "tool" else draft.role
        native = {**head, "role": head["role"] if head.get("role") in _ROLES else role}
        native["parts"] = [
            self.text_block(one, role=draft.role) if isinstance(one, str) else one for one in _fused(draft.parts)
        ]
        return native


def _view(role: Role, held: Iterable[Part], native: Any, at: int, group: Group) -> Message:
    return Message(role=role, parts=tuple(held), native=native, origins=(at,), form="parts", extra={"group": group})


def _nothing(role: Role) -> list[Part]:
    return [Opaque(native=None, slot="nothing")] if role == "assistant" else []


def _block(block: Any, kind: Any, at: int) -> Part:
    if not isinstance(block, dict):
        return Opaque(native=block, index=at)
    if kind == "text" and isinstance(block.get("text"), str):
        return Text(native=block, text=block["text"], index=at)
    if kind == "reasoning":
        return reasoning_part(block, at)
    if kind == "file":
        return Media(native=block, media=media_kind(block.get("mediaType")), index=at)
    return Opaque(native=block, index=at, type=as_string(kind))


def _state(block: Mapping[str, Any]) -> Any:
    """Return how far a tool part has come: one that says it has not ended, but has an outcome, has ended."""
    state = block.get("state")
    if (state is None or isinstance(state, str)) and state in _ASKED:
        if block.get("output") is not None:
            return "output-available"
        if isinstance(block.get("errorText"), str):
            return "output-error"
    return state


def _read_tool(block: dict[str, Any], kind: str, at: int, asked: list[Part], answers: list[Part]) -> None:
    state = _state(block)
    if not (state is None or isinstance(state, str)) or (state not in _OPEN and state not in _DONE):
        asked.append(Opaque(native=block, index=at, type=kind))
        return
    call_id = as_id(block.get("toolCallId"))
    name = as_string(block.get("toolName")) if kind == "dynamic-tool" else kind[5:]
    server = block.get("providerExecuted") is True
    given = block.get("input")
    if given is None and state == "output-error":
        given = block.get("rawInput")
    asked.append(
        Call(native=block, index=at, call_id=call_id, name=name, arguments=given, server=server),
    )
    approval = block.get("approval")
    if isinstance(approval, dict):
        approval_id, approved = as_string(approval.get("id")), approval.get("approved")
        asked.append(Approval(native=block, index=at, approval_id=approval_id, call_id=call_id))
        if isinstance(approved, bool):
            reason = as_string(approval.get("reason"))
            answers.append(
                Approval(
                    native=block, index=at, approval_id=approval_id, call_id=call_id, approved=approved, reason=reason
                )
            )
    else:
        approval = {}
    if state not in _DONE:
        return
    content = {"output-available": block.get("output"), "output-error": block.get("errorText")}.get(
        state or "", approval.get("reason")
    )
    (asked if server else answers).append(
        Result(
            native=block,
            index=at,
            call_id=call_id,
            name=name,
            content=content,
            is_error=state != "output-available",
            server=server,
        )
    )


def _answer(block: Any, at: int) -> Result | None:
    """Return the result in a part of a `tool` message: a tool part that has ended, or a model message's part."""
    kind = block.get("type") if isinstance(block, dict) else None
    if _of_model(block):
        block = _as_ended(block)
        kind = block["type"]
    if not _is_tool(kind):
        return None
    answers: list[Part] = []
    _read_tool(block, kind, at, [], answers)
    return next((part for part in answers if type(part) is Result and part.call_id), None)


def _of_model(block: Any) -> bool:
    """Say whether a part is a model message's result: a part of a tool by the name of "result" has a state."""
    return isinstance(block, dict) and block.get("type") == "tool-result" and "state" not in block


def _as_ended(block: Mapping[str, Any]) -> dict[str, Any]:
    """Return a model message's result as a tool part without its call's arguments."""
    output = block.get("output", block.get("result"))  # version 4 has the value itself
    kind = output.get("type") if isinstance(output, dict) and "value" in output else None
    value = output["value"] if kind in _MODEL_OUTPUTS else output
    native = {"type": f"tool-{block.get('toolName')}", "toolCallId": block.get("toolCallId")}
    return _ended(native, value, failed=kind in ("error-text", "error-json") or block.get("isError") is True)


def _is_tool(kind: Any) -> TypeGuard[str]:
    return isinstance(kind, str) and (kind.startswith("tool-") or kind == "dynamic-tool")


def _denied(native: Mapping[str, Any]) -> bool:
    approval = native.get("approval")
    return isinstance(approval, dict) and approval.get("approved") is False


def _of_version_4(block: Any) -> dict[str, Any] | None:
    """Return version 4's `tool-invocation` as a tool part of today; `None` for anything else."""
    held = block.get("toolInvocation") if isinstance(block, dict) and block.get("type") == "tool-invocation" else None
    if not isinstance(held, dict) or not isinstance(held.get("toolName"), str):
        return None
    state = held.get("state")
    now = _VERSION_4.get(state) if isinstance(state, str) else None
    if now is None:
        return None
    out = {"type": f"tool-{held['toolName']}", "toolCallId": held.get("toolCallId"), "state": now}
    out["input"] = held.get("args")
    if now == "output-available":
        out["output"] = held.get("result")
    return out


def _named(native: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    out = dict(native)
    if "call_id" in changes:
        out["toolCallId"] = changes["call_id"]
    if "name" in changes:
        if out.get("type") == "dynamic-tool":
            out["toolName"] = changes["name"]
        else:
            out["type"] = f"tool-{changes['name']}"
    return out


def _ended(native: Mapping[str, Any], content: Any, *, failed: bool) -> dict[str, Any]:
    out = {key: value for key, value in native.items() if key not in ("output", "errorText", "preliminary")}
    out["state"] = "output-error" if failed else "output-available"
    if failed:
        out["errorText"] = content if isinstance(content, str) else as_json(content)
    else:
        out["output"] = content
    approval = out.get("approval")
    if "approval" in out and not (isinstance(approval, dict) and approval.get("approved") is True):
        del out["approval"]  # an ended call can only have been allowed
    return out


def _fused(held: Sequence[Part]) -> list[Any]:
    """Return the native parts, with each result put into the part of its call."""
    found = [part for part in held if isinstance(part, Result)]
    asked = [part for part in held if isinstance(part, Call)]
    answer_of: dict[int, Result] = {}
    taken: set[int] = set()
    keys: tuple[Callable[[Call | Result], Any], ...] = (
        lambda part: id(part.native),
        lambda part: (part.index, part.call_id),
        lambda part: part.call_id,
    )
    for at, key in enumerate(keys):
        waiting: dict[Any, list[Result]] = {}
        for result in reversed(found):
            if id(result) not in taken and (at != 1 or result.index is not None):
                waiting.setdefault(key(result), []).append(result)
        for call in asked:
            known = waiting.get(key(call)) if id(call) not in answer_of else None
            if known:
                answer_of[id(call)] = known.pop()
                taken.add(id(answer_of[id(call)]))
    out: list[Any] = []
    for part in held:
        if isinstance(part, Call):
            out.append(_tool_part(part.native, answer_of.get(id(part))))
        elif part.slot != "nothing" and (
            not isinstance(part, (Approval, Result)) or (isinstance(part, Result) and id(part) not in taken)
        ):
            out.append(part.native)
    return out


def _tool_part(call: dict[str, Any], result: Result | None) -> dict[str, Any]:
    if result is None:
        if _state(call) not in _DONE:
            return call
        return {**{key: value for key, value in call.items() if key not in _OUTCOME}, "state": "input-available"}
    ended: dict[str, Any] = result.native
    if ended is call:
        return call
    out: dict[str, Any] = {}
    for key, value in call.items():
        if key not in _OUTCOME:
            out[key] = value
        elif key in ended:
            out[key] = ended[key]
    out.update((key, ended[key]) for key in _OUTCOME if key in ended)
    return out
