"""The wire-neutral view of a conversation that every rule works on.

A conversation is a list of messages, a message a list of parts. Each part keeps
the native fragment it was read from and where that fragment stands, so that a
wire can write back a message by putting fragments together again: what the
rules do not know travels inside the fragments, untouched.

Views are read-only by agreement. They are not frozen because reading a long
history makes many of them, and a frozen dataclass costs several times as much.
An edit makes new views; see `interlock.history.edits`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

__all__ = [
    "Approval",
    "Call",
    "ContentForm",
    "Media",
    "Message",
    "Opaque",
    "Part",
    "Reasoning",
    "Result",
    "Role",
    "Text",
    "calls",
    "parts",
    "results",
]

# `tool` is a message that holds only tool results; `opaque` one that no wire file could read.
Role = Literal["system", "developer", "user", "assistant", "tool", "opaque"]
ContentForm = Literal["string", "parts", "null", "absent", "item"]


@dataclass(slots=True, kw_only=True, eq=False)
class Part:
    """One piece of a message.

    Attributes:
        native: The fragment as the wire holds it (a block, a string, a whole message).
        slot: The native field that holds the fragment: `content`, `tool_calls`, ...;
            `self` when the message itself is the part.
        index: Its place in that field's list in the input; `None` for a part that was inserted.
        origins: Which messages of the input it comes from; `None`: its message's. Empty for an inserted one.
    """

    kind: ClassVar[str] = "part"
    native: Any
    slot: str = "content"
    index: int | None = None
    origins: tuple[int, ...] | None = None


@dataclass(slots=True, kw_only=True, eq=False)
class Text(Part):
    """Words of the message's author."""

    kind: ClassVar[str] = "text"
    text: str


@dataclass(slots=True, kw_only=True, eq=False)
class Call(Part):
    """A request of the model to run a tool.

    Attributes:
        call_id: The id as on the wire; `None` when absent or not a string.
        name: The tool's name; `None` when absent or not a string.
        arguments: As on the wire: an object, or JSON text.
        server: The provider ran it itself; no client result is due.
        malformed: A call that a framework has set aside because its arguments did not parse.
    """

    kind: ClassVar[str] = "call"
    call_id: str | None
    name: str | None
    arguments: Any
    server: bool = False
    malformed: bool = False


@dataclass(slots=True, kw_only=True, eq=False)
class Result(Part):
    """The answer to one call.

    Attributes:
        call_id: The id of the call it answers; `None` when absent or not a string.
        name: The tool's name where the wire repeats it.
        content: The body as on the wire.
        is_error: The wire's error flag, where it has one.
        server: The answer to a call that the provider ran itself.
    """

    kind: ClassVar[str] = "result"
    call_id: str | None
    name: str | None
    content: Any
    is_error: bool | None = None
    server: bool = False


@dataclass(slots=True, kw_only=True, eq=False)
class Reasoning(Part):
    """The model's thinking.

    Attributes:
        text: The readable text, empty when it is redacted.
        signature: The provider's proof or encrypted form; `None` or empty when there is none.
        redacted: It holds encrypted data only.
        origin: The provider that made it, where the part itself says so.
    """

    kind: ClassVar[str] = "reasoning"
    text: str
    signature: str | None = None
    redacted: bool = False
    origin: str | None = None


@dataclass(slots=True, kw_only=True, eq=False)
class Media(Part):
    """An image, a document, a sound, a video or another file.

    Attributes:
        media: `image`, `document`, `audio`, `video` or `file`.
    """

    kind: ClassVar[str] = "media"
    media: str


@dataclass(slots=True, kw_only=True, eq=False)
class Approval(Part):
    """A human is asked to allow a call (`approved` is `None`), or has answered.

    Attributes:
        approval_id: Links request and answer.
        call_id: The call in question; an answer may leave it out.
        approved: `None` for a request.
        reason: What the human said.
    """

    kind: ClassVar[str] = "approval"
    approval_id: str | None
    call_id: str | None
    approved: bool | None = None
    reason: str | None = None


@dataclass(slots=True, kw_only=True, eq=False)
class Opaque(Part):
    """Something that no rule knows: it is carried along.

    Attributes:
        type: The wire's own word for it, where it has one.
    """

    kind: ClassVar[str] = "opaque"
    type: str | None = None


@dataclass(slots=True, eq=False)
class Message:
    """The wire's unit: a message, a content, an item.

    Attributes:
        role: Who speaks, in neutral words.
        parts: What it holds, in the order in which the provider reads it.
        native: The native message it was read from, or a changed copy of it.
        origins: Which messages of the input are in it; empty for an inserted one.
        form: How the native content is given: a string, a list of parts, null, or not at all;
            `item` when the message itself is its only part.
        changed: It differs from the input.
        extra: What a wire keeps with it.
        sound: A quick look has passed it, or a rule has made it such: nothing is wrong with it by itself.
    """

    role: Role
    parts: tuple[Part, ...]
    native: Any
    origins: tuple[int, ...] = ()
    form: ContentForm = "parts"
    changed: bool = False
    extra: dict[str, Any] = field(default_factory=dict)
    sound: bool = field(default=False, init=False)  # no copy is, until somebody says so


def parts(messages: Sequence[Message]) -> Iterator[tuple[Message, Part]]:
    """Yield every part with its message, in order."""
    for message in messages:
        for part in message.parts:
            yield message, part


def calls(messages: Sequence[Message]) -> Iterator[tuple[Message, Call]]:
    """Yield every call that a client has to answer, in order."""
    for message in messages:
        for part in message.parts:
            if type(part) is Call and not part.server:
                yield message, part


def results(messages: Sequence[Message]) -> Iterator[tuple[Message, Result]]:
    """Yield every result that a client gave, in order."""
    for message in messages:
        for part in message.parts:
            if type(part) is Result and not part.server:
                yield message, part
