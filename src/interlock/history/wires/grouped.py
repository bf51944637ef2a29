"""Formats in which one native message is several messages to a provider.

Such a message is read as a group of views, so that every rule sees what the
provider will see. When the views are written, those of one group become one
message again; a group that nothing touched is the very object that was read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from interlock.history.turns import Message, Part
from interlock.history.wires.screened import ScreenedWire

__all__ = ["Draft", "Group", "GroupedWire"]


class Group:
    """One native message and the views that it was read as."""

    __slots__ = ("native", "views")

    def __init__(self, native: Any) -> None:
        self.native = native
        self.views: list[Message] = []


class Draft:
    """One native message that is being put together.

    Attributes:
        group: What it was read as; `None` for a message that was not in the input.
        head: The native form that its other fields come from.
        role: The role of its first view.
        parts: The parts of all its views, in order.
    """

    __slots__ = ("clean", "group", "head", "parts", "role", "views")

    def __init__(self, view: Message) -> None:
        self.group: Group | None = view.extra.get("group")
        self.head: Any = view.native
        self.role = view.role
        self.parts: list[Part] = []
        self.views = 0
        self.clean = self.group is not None

    def take(self, view: Message) -> None:
        """Add a view."""
        self.parts.extend(view.parts)
        group, at = self.group, self.views
        self.views += 1
        # The views of a group that stand in another order are another message.
        self.clean = (
            self.clean and not view.changed and group is not None and at < len(group.views) and group.views[at] is view
        )

    @property
    def untouched(self) -> bool:
        """It holds all the views of its group, and none is changed."""
        return self.clean and self.group is not None and self.views == len(self.group.views)


class GroupedWire(ScreenedWire):
    """Base of these formats: says how a message is split and put together."""

    shares_messages = True

    def group(self, native: Any, at: int) -> Group:
        """Return the views of one native message; at least one."""
        raise NotImplementedError

    def joins(self, draft: Draft, view: Message) -> bool:
        """Say whether a view goes into the message ahead of it."""
        raise NotImplementedError

    def ahead(self, native: Any) -> Any:
        """Return what a message that is put together has to know of the one ahead of it.

        Of that one alone: a quick look shows no more.
        """
        raise NotImplementedError

    def specimen(self, native: Any) -> Any:  # noqa: ARG002
        """Return an object that shows the classes which a message is made of; `None` for a dict."""
        return None

    def put_together(self, draft: Draft, ahead: Any, specimen: Any) -> Any:
        """Return the native message of a draft."""
        raise NotImplementedError

    def read(self, messages: Sequence[Any]) -> list[Message]:
        """Return the views of all messages."""
        out: list[Message] = []
        for at, native in enumerate(messages):
            out += self.group(native, at).views
        return out

    def read_at(self, native: Any, at: int) -> Sequence[Message]:
        """Return the views of one native message."""
        return self.group(native, at).views

    def read_message(self, native: Any, at: int) -> Message:
        """Return one view of the whole message."""
        views = self.group(native, at).views
        if len(views) == 1:
            return views[0]
        held = tuple(part for view in views for part in view.parts)
        return replace(views[0], parts=held, extra={**views[0].extra, "group": None})

    def write(
        self,
        views: Sequence[Message],
        ahead: Any = None,
        behind: Any = None,
    ) -> tuple[list[Any], Sequence[int]]:
        """Put the views of one message together again."""
        drafts: list[Draft] = []
        places: list[int] = []
        for view in views:
            if not drafts or not self.joins(drafts[-1], view):
                drafts.append(Draft(view))
            drafts[-1].take(view)
            places.append(len(drafts) - 1)
        out: list[Any] = []
        time = None if ahead is None else self.ahead(ahead)
        for draft in drafts:
            if draft.untouched and draft.group is not None:
                out.append(draft.group.native)
            elif draft.parts and draft.parts[0].slot == "self":
                out.append(draft.parts[0].native)
            else:
                # A new message is made like the one ahead, or the first one behind.
                like = draft.head or (out[-1] if out else ahead)
                if like is None:
                    like = next((later.head for later in drafts[1:] if later.head), behind)
                out.append(self.put_together(draft, time, self.specimen(like)))
            time = self.ahead(out[-1])
        return out, places

    def assemble(self, message: Message) -> Any:
        """Return the native message of one view of the whole message."""
        if message.form == "item":
            return message.native
        draft = Draft(message)
        draft.take(message)
        return self.put_together(draft, None, self.specimen(draft.head))
