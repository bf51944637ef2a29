"""What a history format has to say about itself: reading to views, and putting views together again.

Every part carries the native fragment it stands for. A rule that wants another id,
name or text asks the wire for a rewritten part; the wire copies the fragment and
changes that one field. Writing a message is then only putting its fragments into
a copy of the native message, so that unknown fields survive.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from operator import is_
from typing import Any, ClassVar, Final, Literal
from uuid import UUID

from interlock.history.dumping import as_json
from interlock.history.spans import Scan
from interlock.history.turns import Approval, Call, ContentForm, Message, Opaque, Part, Result, Role, Text

__all__ = [
    "Asked",
    "Wire",
    "as_id",
    "as_json",
    "as_string",
    "entries",
    "opaque_message",
    "plain_text",
    "read_content",
    "role_in",
    "with_ids_below",
    "with_ids_in",
]


#: Of a call: its place in its message, its id, and its tool.
Asked = tuple[int | None, Any, Any]


class Wire:
    """Base of the history formats; one subclass a file.

    Attributes:
        name: The contract's word for the format.
        provider: Whose rules apply when the caller names none.
        body_key: The field of a request body that holds the history.
        result_role: Which role's message holds results: `tool`, `user`, or `assistant` when a call
            and its result are one native part.
        results_share: Several results may stand in one message.
        arguments: Whether a call's arguments are an object or JSON text on this wire.
        turn: How far one assistant turn goes: each `message` by itself, the whole `run` of assistant
            messages, or a run that ends where `calls` end (a format of single items).
        has_ids: Calls carry ids on this wire.
        list_slots: Native fields that hold a list of fragments; `content` is filled by `put_content`.
    """

    name: ClassVar[str]
    provider: ClassVar[str | None] = None
    body_key: ClassVar[str] = "messages"
    result_role: ClassVar[Role] = "tool"
    results_share: ClassVar[bool] = True
    arguments: ClassVar[Literal["object", "text", "either"]] = "object"
    turn: ClassVar[Literal["message", "run", "calls"]] = "message"
    has_ids: ClassVar[bool] = True
    list_slots: ClassVar[tuple[str, ...]] = ("content",)
    #: The wire's words for roles; a message with any other word is read as opaque.
    roles: ClassVar[Mapping[str, Role]] = {}
    #: Content is one string field on this wire, so that `null` may stand where a string is due.
    string_content: ClassVar[bool] = False
    #: Roles whose content may not be null, whoever the history goes to.
    refuses_null: ClassVar[tuple[Role, ...]] = ()
    #: Roles whose content is a string, whoever the history goes to.
    string_roles: ClassVar[tuple[Role, ...]] = ()
    #: `tool_calls: []` is refused.
    refuses_empty_calls: ClassVar[bool] = False
    #: Roles whose messages the format's own types refuse without parts.
    filled_roles: ClassVar[tuple[str, ...]] = ()
    #: A result repeats its tool's name, and the name has to be its call's.
    results_named: ClassVar[bool] = False
    #: The results of the provider's own tools have a shape that a client writes too.
    shapes_served: ClassVar[bool] = False
    #: A result may leave out its tool's name; one that is given has to be its call's.
    names_agree: ClassVar[bool] = False
    #: A list in a result's body holds content blocks; where it does not, a list is what the tool returned.
    result_blocks: ClassVar[bool] = True
    #: A result is a part of its call's message.
    results_inside: ClassVar[bool] = False
    #: One native message may be read as several views, so that what befalls a view may befall a part of it.
    shares_messages: ClassVar[bool] = False
    #: Where a part keeps Gemini's thought signature, key by key. Empty: nowhere, or whoever turns the format
    #: into a request sees to signatures.
    signature_path: ClassVar[tuple[str, ...]] = ()
    #: The content may be one part that stands for a list of one.
    single_part: ClassVar[bool] = False
    #: Messages may be objects, which the wire reads itself and copies with what changes.
    reads_objects: ClassVar[bool] = False
    #: The format's own client leaves out the fields of its objects that are `None`.
    omits_nulls: ClassVar[bool] = False

    # -- reading ---------------------------------------------------------------------------------

    def read(self, messages: Sequence[Any]) -> list[Message]:
        """Return one view a native message; anything that cannot be read becomes an opaque one."""
        return [self.read_message(native, at) for at, native in enumerate(messages)]

    def read_message(self, native: Any, at: int) -> Message:
        """Return the view of one native message, whatever JSON value it is."""
        raise NotImplementedError

    def read_at(self, native: Any, at: int) -> Sequence[Message]:
        """Return the views of one native message, as `read` does for all."""
        return (self.read_message(native, at),)

    def calls_of(self, native: Any) -> Iterable[Call]:
        """Return the client's calls in a native message that a look has passed."""
        return [part for part in self.read_at(native, 0)[0].parts if type(part) is Call and not part.server]

    #: A result is a plain fragment that `stub` makes; what calls a message holds `asked` can tell without reading it.
    plain_stubs: ClassVar[bool] = False

    def asked(self, native: Any) -> Sequence[Asked]:
        """Return place, id and tool of each call in a message, as far as a look has passed it."""
        return [(call.index, call.call_id, call.name) for call in self.calls_of(native)]

    def stub(self, call_id: Any, name: Any, text: str, *, is_error: bool) -> Any:
        """Return the native fragment of a result that holds a text, for a call of the usual kind."""
        raise NotImplementedError

    def held(self, native: Any) -> tuple[list[Any], int]:
        """Return the fragments of a message that a look has passed, and how many of them, in front, are results."""
        raise NotImplementedError

    def answered(self, native: Any, results: Mapping[int, Result]) -> Any:
        """Return a message that a look has passed with results for some of its calls, by the calls' places in it."""
        raise NotImplementedError

    def scanner(self, context: Any) -> Scan | None:  # noqa: ARG002
        """Return a walk over native messages that stops where one is not surely healthy.

        A shortcut: what the walk passes is neither read nor copied, and no rule may find
        anything in it. It need only know the common shapes. Where it stops because of how messages
        stand together (a call without a result), what it has passed is still healthy by itself: rules
        that look at messages one by one are not asked about it, see `Context.doubted`. `None`: there is
        no such walk for the target and the settings in hand.
        """
        return None

    def is_word(self, native: Any) -> bool:
        """Say whether a native message is the user's and holds words only, so that nothing is open behind it."""
        return isinstance(native, dict) and native.get("role") == "user" and isinstance(native.get("content"), str)

    def leads(self, native: Any) -> bool:
        """Say whether a native message is the assistant's."""
        return isinstance(native, dict) and native.get("role") == "assistant"

    def begins(self, history: Sequence[Any], at: int) -> bool:
        """Say whether the assistant begins to speak with a message, behind somebody else's."""
        return at > 0 and self.leads(history[at]) and not self.leads(history[at - 1])

    def cuts(self, history: Sequence[Any], at: int) -> bool:
        """Say whether a close look at calls without results may begin with a message, inside a turn.

        It may where the assistant begins to speak, unless a rule looks back to the beginning of the turn.
        """
        return self.begins(history, at)

    def with_ids(self, native: Any, ids: Mapping[str, str], ahead: Any) -> Any:
        """Return a message that a look has passed with other ids; the very message where none of them changes.

        Args:
            native: The message.
            ids: The id to use for each id of a call, asked in the order of the calls.
            ahead: The message ahead of it.
        """
        views = [*self.read_at(native, 0)]
        changed = False
        for at, view in enumerate(views):
            held = tuple([self._with_id(part, ids) for part in view.parts])
            if all(map(is_, held, view.parts)):
                continue
            own = held[0].native if view.form == "item" else view.native
            views[at] = Message(view.role, held, own, view.origins, view.form, True, view.extra)
            changed = True
        return self.write(views, ahead)[0][0] if changed else native

    def _with_id(self, part: Part, ids: Mapping[str, str]) -> Part:
        if not isinstance(part, (Call, Result)) or part.server or part.call_id is None:
            return part
        new = ids[part.call_id]
        if new == part.call_id:
            return part
        return self.with_call(part, call_id=new) if isinstance(part, Call) else self.with_result(part, call_id=new)

    # -- fragments -------------------------------------------------------------------------------

    def with_call(self, part: Call, **changes: Any) -> Call:
        """Return the call with another `call_id`, `name` or `arguments`."""
        raise NotImplementedError

    def with_result(self, part: Result, **changes: Any) -> Result:
        """Return the result with another `call_id`, `name`, `content` or `is_error`."""
        raise NotImplementedError

    def with_approval(self, part: Approval, call_id: str) -> Approval:
        """Return the approval request for a call that has a new id."""
        return replace(part, native={**part.native, "toolCallId": call_id}, call_id=call_id)

    def new_text(self, text: str, *, role: Role) -> Text:  # noqa: ARG002
        """Return a text part; as a plain string, which `assemble` turns into a block where one is needed."""
        return Text(native=text, text=text)

    def with_text(self, part: Text, text: str) -> Text:
        """Return the text part with other words."""
        native: Any = text if isinstance(part.native, str) else {**part.native, "text": text}
        return replace(part, native=native, text=text)

    def new_result(self, call: Call, text: str, *, is_error: bool = True) -> Result:
        """Return a result that answers the call with this text."""
        raise NotImplementedError

    def answerable(self, call: Call) -> bool:  # noqa: ARG002
        """Say whether a result with words only can answer the call; else an unanswered one can but go."""
        return True

    def refers(self, messages: Sequence[Message]) -> bool:  # noqa: ARG002
        """Say whether the history names content by reference alone, so that a result's call may be there."""
        return False

    def denied_result(self, call: Call, reason: str | None) -> Result:
        """Return the answer for a call that a human refused."""
        words = "This tool call was not allowed to run."
        return self.new_result(call, words if reason is None else f"{words} {reason}", is_error=True)

    def copied_arguments(self, part: Call) -> list[Any]:  # noqa: ARG002
        """Return the arguments of the other copies of a call, where the format keeps it more than once."""
        return []

    def served_call(self, call: Call) -> Call | None:  # noqa: ARG002
        """Return the call as one that the provider ran, where its id says that it is one; else `None`."""
        return None

    def fits(self, call: Call, result: Result) -> bool:  # noqa: ARG002
        """Say whether a result of the provider's may be this call's: some have a type for each tool."""
        return True

    #: The format has tools that its own provider runs.
    server_tools: ClassVar[bool] = False

    def is_served(self, part: Part) -> bool:  # noqa: ARG002
        """Say whether a part that is neither call nor result comes from a tool that the provider ran."""
        return False

    def is_held(self, part: Part) -> bool:  # noqa: ARG002
        """Say whether a part only names, or hides, what the provider's server knows."""
        return False

    def result_text(self, part: Result) -> str:
        """Return the plain words of a result's body, for comparing and for showing; `""` if there are none."""
        values = not self.result_blocks and part.content is not None
        return as_json(part.content) if values and not isinstance(part.content, str) else plain_text(part.content)

    def joined_results(self, first: Result, second: Result) -> Result:
        """Return one result that holds the bodies of both, in order."""
        a, b = first.content, second.content
        if self.result_blocks and isinstance(a, list) and isinstance(b, list):
            return self.with_result(first, content=[*a, *b])
        return self.with_result(first, content=f"{self.result_text(first)}\n\n{self.result_text(second)}")

    def text_block(self, text: str, *, role: Role) -> Any:  # noqa: ARG002
        """Return a string as a block of a list of parts."""
        return {"type": "text", "text": text}

    # -- shapes: what only the wire can tell ------------------------------------------------------

    def shaped_result(self, part: Result) -> Result | None:
        """Return the result with a body of the type that the wire demands; `None` when it has one.

        Here: text, a list of blocks, or nothing. Anything else is shown as JSON text, unless any value will do.
        """
        if not self.result_blocks or part.content is None or isinstance(part.content, (str, list)):
            return None
        return self.with_result(part, content=as_json(part.content))

    def retyped(self, message: Message, part: Part) -> Part | None:  # noqa: ARG002
        """Return the part with the type that its role takes, when it carries a known synonym; else `None`."""
        return None

    def unfit(self, part: Part, context: Any) -> str | None:  # noqa: ARG002
        """Say why a part cannot stand where it does, when no other form of it can; `None` when it can, or may."""
        return None

    #: Each kind of call has a kind of result of its own.
    typed_pairs: ClassVar[bool] = False

    def paired(self, call: Call, result: Result) -> Result | str | None:  # noqa: ARG002
        """Return a result of the kind that is due, or what is wrong when there is none; `None`: it is right."""
        return None

    def divided(self, message: Message, context: Any) -> tuple[Message, ...] | None:  # noqa: ARG002
        """Return the messages that one stands for, when it holds what is a message of its own here; else `None`."""
        return None

    def is_broken(self, part: Opaque) -> bool:  # noqa: ARG002
        """Say whether a fragment that could not be read is for certain no part of the format, not one that is new."""
        return False

    def stray_fields(self, native: Any, part: Part | None) -> tuple[str, ...]:  # noqa: ARG002
        """Return the fields of a message (`part` is `None`) or of a fragment that must not be sent.

        Fields that begin with `_` are the caller's notes and are never part of a request.
        """
        if not isinstance(native, dict):
            return ()
        found = [key for key in native if isinstance(key, str) and key[:1] == "_"]
        return tuple(found)

    def media_in(self, part: Result) -> list[tuple[str, Any]]:  # noqa: ARG002
        """Return kind and native block of each piece of media inside a result's list of blocks."""
        return []

    def is_blank(self, part: Part) -> bool:
        """Say whether a part is text without a visible character, and nothing hangs on it."""
        return type(part) is Text and not part.text.strip()

    def unread(self, message: Message) -> str | None:
        """Return a field of a message that may hold words or calls and that nothing was read from; else `None`."""
        native = message.native
        if message.form == "item" or not isinstance(native, dict):
            return None
        read = {part.slot for part in message.parts} - {"content"}
        read.add(self.content_key)
        if message.role == "assistant":
            read |= {slot for slot in self.list_slots if isinstance(native.get(slot), list)}
            read -= {"content"} - {self.content_key}
        for key, value in native.items():
            if key in read or not isinstance(key, str) or _ABOUT(key):
                continue
            if isinstance(value, (list, dict)) and value:
                return key
            if isinstance(value, str) and not (not value or value.isspace()):
                return key
        return None

    # -- messages --------------------------------------------------------------------------------

    def new_message(self, role: Role, parts: Iterable[Part]) -> Message:
        """Return a message that was not in the input."""
        held = tuple(parts)
        if role == "tool" and len(held) == 1 and held[0].slot == "self":
            return Message(role=role, parts=held, native=held[0].native, form="item", changed=True)
        strings = len(held) == 1 and isinstance(held[0].native, str)
        return Message(
            role=role,
            parts=held,
            native={"role": self.native_role(role)},
            form="string" if strings else "parts",
            changed=True,
        )

    def native_role(self, role: Role) -> str:
        """Return the wire's own word for a role."""
        return role

    def write(
        self,
        views: Sequence[Message],
        ahead: Any = None,  # noqa: ARG002
        behind: Any = None,  # noqa: ARG002
    ) -> tuple[list[Any], Sequence[int]]:
        """Return the native messages, and for each view the place of the message that holds it.

        Args:
            views: The views.
            ahead: The native message ahead of them, where there is one.
            behind: The one behind them.

        Here each view is one message. A wire that reads one message as several views puts
        them together again.
        """
        return [self.assemble(view) if view.changed else view.native for view in views], range(len(views))

    def with_role(self, message: Message, role: Role) -> Message | None:
        """Return the message with another role, read anew; `None` when it is not a plain JSON message."""
        if not isinstance(message.native, dict):
            return None
        native = {**message.native, "role": self.native_role(role)}
        new = self.read_message(native, message.origins[0] if message.origins else 0)
        return replace(new, origins=message.origins, changed=True)

    def assemble(self, message: Message) -> Any:
        """Return the native message of a view whose parts have changed."""
        if message.form == "item":
            return message.parts[0].native if message.parts else message.native
        native = dict(message.native)
        slots: dict[str, list[Part]] = {}
        for part in message.parts:
            slots.setdefault(part.slot, []).append(part)
        for slot in (*self.list_slots, *self.single_slots):
            held = slots.get(slot)
            if slot == "content":
                self.put_content(native, message, held or [])
            elif held:
                if len(held) == 1 and native.get(slot) is held[0].native:
                    continue  # one entry by itself: it stays what it is
                fragments = [part.native for part in held]
                native[slot] = fragments if slot in self.list_slots else _joined(fragments)
            elif (message.role == "assistant" or slot in self.common_slots) and self._was_read(slot, native.get(slot)):
                del native[slot]
        return native

    def _was_read(self, slot: str, value: Any) -> bool:
        """Say whether a field held parts, so that it goes when they are gone; anything else in it stays."""
        if slot in self.list_slots:
            return isinstance(value, list) and bool(value or self.refuses_empty_calls)
        return value is not None

    #: Content may hold reasoning as a block, of which every server has its own form, or none.
    chat_blocks: ClassVar[bool] = False
    #: Native fields that are one part each (reasoning beside the content).
    single_slots: ClassVar[tuple[str, ...]] = ()
    #: Native fields beside the content that hold parts whoever speaks; the others do in the assistant's messages.
    common_slots: ClassVar[tuple[str, ...]] = ()
    #: The field that `put_content` fills.
    content_key: ClassVar[str] = "content"

    def put_content(self, native: dict[str, Any], message: Message, held: Sequence[Part]) -> None:
        """Fill the content field: a string stays a string as long as nothing else joins it."""
        key = self.content_key
        fragments = [part.native for part in held]
        if not fragments:
            if message.form == "string":
                native[key] = ""
            elif message.form == "parts":
                native[key] = []
            elif message.form == "null":
                native[key] = None
            else:
                native.pop(key, None)
        elif len(fragments) == 1 and isinstance(fragments[0], str) and message.form != "parts":
            native[key] = fragments[0]
        elif len(fragments) == 1 and message.form in ("null", "absent") and native.get(key) is fragments[0]:
            return  # something that is neither a string nor a list: it stays what it is
        else:
            native[key] = [
                self.text_block(part.native, role=message.role)
                if type(part) is Text and isinstance(part.native, str)
                else part.native
                for part in held
            ]


#: Fields that say something about a message, and nothing that anybody said.
_ABOUT: Final = re.compile(
    r"_.*|role|id|name|type|kind|object|status|state|phase|prefix|model|provider|author|source|usage|time|date|created"
    r"|timestamp|stop_sequence|stop_details|annotations|citations|logprobs|cache_control|additional_kwargs|container"
    r"|\w*(?:_id|Id|_at|At|_reason|Reason|_name|Name|[mM]etadata|[oO]ptions|[tT]imestamp|_version|_tier|_fingerprint)"
).fullmatch


def _joined(fragments: Sequence[Any]) -> Any:
    """Return the value of a field that holds one part, when messages were merged: no part of it is lost."""
    if len(fragments) > 1:
        if all(isinstance(one, str) for one in fragments):
            return "\n\n".join(fragments)
        if all(isinstance(one, list) for one in fragments):
            return [inner for one in fragments for inner in one]
    return fragments[0]


def entries(value: Any) -> list[Any]:
    """Return what a field that is due a list holds: its list, or an object by itself as the only entry."""
    return value if isinstance(value, list) else [value] if isinstance(value, dict) and value else []


def plain_text(content: Any) -> str:
    """Return the words in a body of the usual shapes: a string, or a list of text blocks."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(
            block["text"] for block in content if isinstance(block, dict) and isinstance(block.get("text"), str)
        )
    return ""


def with_ids_in(native: dict[str, Any], field: str, key: str, ids: Mapping[str, str]) -> dict[str, Any]:
    """Return a message with other ids in its parts; the very message where none of them changes.

    Args:
        native: The message.
        field: Where it has its parts.
        key: Where these have the id of a call.
        ids: The id to use for each.
    """
    parts: list[dict[str, Any]] = native[field]
    changed: list[dict[str, Any]] | None = None
    for at, part in enumerate(parts):
        old = part.get(key)
        if old is not None and (new := ids[old]) != old:
            changed = changed or [*parts]
            changed[at] = {**part, key: new}
    return native if changed is None else {**native, field: changed}


def with_ids_below(
    native: dict[str, Any], field: str, bodies: Sequence[str], key: str, ids: Mapping[str, str]
) -> dict[str, Any]:
    """Return a message with other ids in its parts, which have them one level further down.

    Args:
        native: The message.
        field: Where it has its parts.
        bodies: Where these have what a call, and what a result, says.
        key: Where that has the id of a call.
        ids: The id to use for each.
    """
    parts: list[dict[str, Any]] = native[field]
    changed: list[dict[str, Any]] | None = None
    for at, part in enumerate(parts):
        for body in bodies:
            old = part[body].get(key) if body in part else None
            if old is not None and (new := ids[old]) != old:
                changed = changed or [*parts]
                changed[at] = {**part, body: {**part[body], key: new}}
    return native if changed is None else {**native, field: changed}


def as_string(value: Any) -> str | None:
    """Return the value if it is a string."""
    return value if isinstance(value, str) else None


def as_id(value: Any) -> str | None:
    """Return an id of a call as text: a number or a UUID, as tables keep them, as it is written."""
    if isinstance(value, str):
        return value
    if isinstance(value, UUID) or (isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LARGEST):
        return str(value)
    return None


_LARGEST: Final = 10**40  # numbers of more digits are no ids


def read_content(native: Mapping[str, Any], read: Callable[..., Part], *more: Any) -> tuple[ContentForm, list[Part]]:
    """Return how a message's content is given, and its parts: a string, a list, or what stands in place of one.

    Args:
        native: The message.
        read: Makes a part of a block and its place.
        *more: What it is called with besides.
    """
    content = native.get("content")
    if isinstance(content, str):
        return "string", [Text(native=content, text=content, index=0)]
    if isinstance(content, list):
        return "parts", [read(block, at, *more) for at, block in enumerate(content)]
    form: ContentForm = "null" if "content" in native else "absent"
    return form, [] if content is None else [read(content, 0, *more)]


def role_in(native: Any, roles: Mapping[str, Role]) -> Role | None:
    """Return the neutral role of a native message; `None` when it is no message of a known role."""
    if not isinstance(native, dict):
        return None
    role = native.get("role")
    return roles.get(role) if isinstance(role, str) else None


def opaque_message(native: Any, at: int) -> Message:
    """Return the view of something that is not a message of this wire: it is carried along."""
    held = (Opaque(native=native, slot="self"),)
    return Message("opaque", held, native, (at,), "item")
