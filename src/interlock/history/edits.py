"""The few edits that a rule may ask for, and the one function that carries them out.

An edit names views of the conversation that the rule was shown. All edits of one
rule are applied together, so no rule has to care how others shift positions. A
message whose last part goes is dropped with it: an empty shell is never left.

Edits are read-only by agreement, like views, and for the same reason.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from interlock.history.turns import Message, Part

__all__ = [
    "DropMessage",
    "DropPart",
    "Edit",
    "InsertMessage",
    "InsertParts",
    "ReplaceMessage",
    "ReplacePart",
    "SetParts",
    "apply",
]


@dataclass(slots=True, kw_only=True, eq=False)
class DropPart:
    """Take one part out of its message."""

    message: Message
    part: Part


@dataclass(slots=True, kw_only=True, eq=False)
class ReplacePart:
    """Put another part in the place of one.

    Attributes:
        message: The message.
        part: The part that goes.
        new: The part that comes.
        sound: It differs in an id or a name, which fits: a message that is sound stays so.
    """

    message: Message
    part: Part
    new: Part
    sound: bool = False


@dataclass(slots=True, kw_only=True, eq=False)
class InsertParts:
    """Put parts into a message, ahead of the part that stood at `at` (its length: at the end).

    Attributes:
        message: The message.
        at: The place.
        new: The parts.
        sound: A message that is sound, and that nothing else changes, stays so.
    """

    message: Message
    at: int
    new: tuple[Part, ...]
    sound: bool = False


@dataclass(slots=True, kw_only=True, eq=False)
class SetParts:
    """Give a message this list of parts: a new order, or a subset."""

    message: Message
    parts: tuple[Part, ...]


@dataclass(slots=True, kw_only=True, eq=False)
class DropMessage:
    """Take out a whole message."""

    message: Message


@dataclass(slots=True, kw_only=True, eq=False)
class ReplaceMessage:
    """Put other messages in the place of one (none: it is dropped)."""

    message: Message
    new: tuple[Message, ...]


@dataclass(slots=True, kw_only=True, eq=False)
class InsertMessage:
    """Put a message right after another one; `after=None` means at the very front.

    Inserts behind one anchor keep the order in which they were asked for.

    Attributes:
        after: The message that it follows.
        new: The message.
        shares: It may become one message with the insert ahead of it behind the same anchor.
    """

    after: Message | None
    new: Message
    shares: bool = False


Edit = DropPart | ReplacePart | InsertParts | SetParts | DropMessage | ReplaceMessage | InsertMessage


@dataclass(slots=True)
class _Plan:
    """What happens to one message."""

    dropped: set[int] = field(default_factory=set)
    replaced: dict[int, Part] = field(default_factory=dict)
    inserted: dict[int, list[Part]] = field(default_factory=dict)
    parts: tuple[Part, ...] | None = None
    sound: bool = True
    messages: tuple[Message, ...] | None = None


def apply(
    messages: Sequence[Message], edits: Iterable[Edit], says_more: Callable[[Message], object] = lambda _: None
) -> list[Message]:
    """Return the conversation after all edits; the views that came in are not changed.

    But that their parts know from then on which message of the input they come from, wherever they go.

    Args:
        messages: The conversation that the edits were made for.
        edits: Edits that name messages and parts of exactly this conversation.
        says_more: Whether a message says something beside its parts: that stays where it is.

    Returns:
        A new list; messages that no edit names are the same objects.
    """
    plans: dict[int, _Plan] = {}
    behind: dict[int, list[Message]] = {}
    front: list[Message] = []
    sharing: set[int] = set()
    fresh: list[tuple[Part, tuple[int, ...]]] = []  # parts that come, and where from unless they tell themselves

    def plan(message: Message) -> _Plan:
        todo = plans.get(id(message))
        if todo is None:
            todo = plans[id(message)] = _Plan()
            for part in message.parts:
                if part.origins is None:
                    part.origins = message.origins
        return todo

    for edit in edits:
        match edit:
            case ReplacePart():
                todo = plan(edit.message)
                todo.replaced[id(edit.part)] = edit.new
                fresh.append((edit.new, edit.part.origins or ()))
                todo.sound = todo.sound and edit.sound
            case InsertMessage():
                fresh += [(part, ()) for part in edit.new.parts]
                queue = front if edit.after is None else behind.setdefault(id(edit.after), [])
                if edit.shares and queue and id(queue[-1]) in sharing:
                    queue[-1] = _joined(queue[-1], edit.new)
                else:
                    queue.append(edit.new)
                if edit.shares:
                    sharing.add(id(queue[-1]))
            case InsertParts():
                todo = plan(edit.message)
                todo.inserted.setdefault(edit.at, []).extend(edit.new)
                fresh += [(part, ()) for part in edit.new]
                todo.sound = todo.sound and edit.sound
            case DropPart():
                plan(edit.message).dropped.add(id(edit.part))
            case SetParts():
                plan(edit.message).parts = edit.parts
            case DropMessage():
                plan(edit.message).messages = ()
            case ReplaceMessage():
                plan(edit.message).messages = edit.new
                fresh += [(part, view.origins) for view in edit.new for part in view.parts]
    for part, origins in fresh:  # now that those that only move tell where they come from
        if part.origins is None:
            part.origins = origins

    if not plans:
        out = list(front)
        for message in messages:
            out.append(message)
            out.extend(behind.get(id(message), ()))
        return out

    def settled(message: Message) -> tuple[Message, ...]:
        todo = plans.get(id(message))
        if todo is None:
            return (message,)
        if todo.messages is not None:
            had = _origins(message)
            return tuple([_stayed(view, had, left, says_more) for view in todo.messages])
        new = list(_parts(message, todo))
        if not new and message.parts:
            return ()
        native = message.native
        if message.form == "item" and len(new) == 1:
            native = new[0].native  # the message is its part
        # Not `replace`, which takes ten times as long.
        view = Message(message.role, tuple(new), native, message.origins, message.form, True, message.extra)
        view.sound = message.sound and todo.sound and todo.parts is None and not todo.dropped
        if todo.dropped or todo.parts is not None:
            view = _stayed(view, _origins(message), left, says_more)
        return (view,)

    out = list(front)
    gone: dict[int, Message] = {}
    left: set[int] = set()  # messages of the input of which nothing is where it was
    for message in messages:
        stays = settled(message)
        if not stays:
            gone.update((id(part), message) for part in message.parts)
            left.update(message.origins)
        out.extend(stays)
        out.extend(behind.get(id(message), ()))
    if not left:
        return out
    left.difference_update(origin for view in out for origin in view.origins)
    return [_arrived(view, gone, left) for view in out]


def _joined(one: Message, other: Message) -> Message:
    """Return one message with the parts of two that are inserted."""
    view = Message(one.role, one.parts + other.parts, one.native, one.origins, "parts", one.changed, one.extra)
    view.sound = one.sound and other.sound
    return view


def _origins(message: Message) -> set[int]:
    return {origin for part in message.parts for origin in part.origins or ()}


def _stayed(view: Message, had: Container[int], left: set[int], says_more: Callable[[Message], object]) -> Message:
    """Return what becomes of a message without the origins of which all parts have gone; note those.

    Args:
        view: What becomes of it.
        had: The origins of the parts that it had.
        left: Takes those that have gone.
        says_more: Whether a message says something beside its parts.
    """
    held = _origins(view)
    gone = [origin for origin in view.origins if origin in had and origin not in held]
    if not gone or says_more(view):
        return view
    left.update(gone)
    stays = replace(view, origins=tuple(origin for origin in view.origins if origin not in gone))
    stays.sound = view.sound
    return stays


def _arrived(view: Message, gone: Mapping[int, Message], left: Container[int]) -> Message:
    """Return a view that says where its parts came from, when nothing of the message that held them is there."""
    first = gone.get(id(view.parts[0])) if view.parts and not view.origins else None
    if first is not None and view.role == first.role and [*map(id, view.parts)] == [*map(id, first.parts)]:
        return first  # it has moved as it is
    new = [origin for part in view.parts for origin in part.origins or () if origin in left]
    return replace(view, origins=tuple(dict.fromkeys((*view.origins, *new)))) if new else view


def _parts(message: Message, todo: _Plan) -> Iterable[Part]:
    source = message.parts if todo.parts is None else todo.parts
    for at, part in enumerate(source):
        yield from todo.inserted.get(at, ())
        if id(part) not in todo.dropped:
            yield todo.replaced.get(id(part), part)
    for at in sorted(todo.inserted):
        if at >= len(source):
            yield from todo.inserted[at]
