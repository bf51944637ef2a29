"""The short way for histories of which nothing is wrong but that ids of calls do not fit the target.

It is what happens when a conversation goes on with another provider's model: each call may need another id,
from the first to the last. A quick look that takes any id has told that all else is healthy. So no rule is
asked: calls and results get the ids that the rules would give them, in the same order. Where anything is not
as simple as that, the rules decide.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any, Final

from interlock.history.naming import matcher, minted_id
from interlock.history.plain import is_plain
from interlock.history.providers import Profile
from interlock.history.records import Repair
from interlock.history.rules import invalid_tool_call_id, tool_call_id_too_long
from interlock.history.rules.base import Context
from interlock.history.spans import UNKNOWN
from interlock.history.turns import Call
from interlock.history.wires.base import Asked, Wire

__all__ = ["Note", "records", "with_new_ids"]

#: In the order in which they run. An id that the first one gives is never too long.
_RULES: Final = (invalid_tool_call_id, tool_call_id_too_long)
#: What the records of a message are made from: its place in the input, the message, and the calls in it.
Note = tuple[int, Any, Sequence[Asked]]


class _Ids(dict[str, str]):
    """The id to use for each id of the input: its own where that fits. Has to be asked in the order of the calls."""

    __slots__ = ("_fits", "_longest", "_taken", "new")

    def __init__(self, profile: Profile, taken: Container[str]) -> None:
        self._fits = matcher(profile.id_pattern or "(?s).*")
        self._longest = profile.id_length or float("inf")
        self._taken = taken
        self.new: dict[str, str | None] = {}  # new id -> the id in the input

    def __missing__(self, old: str) -> str:
        """Return the id for a call that stands here for the first time.

        Raises:
            ValueError: Which id it is, the rules have to say.
        """
        if type(old) is not str:
            raise ValueError("no plain text")
        new = old
        if len(old) > self._longest or not self._fits(old):
            new = minted_id(old, 0)
            if new in self._taken or new in self.new:
                raise ValueError("the id is in use")
            self.new[new] = old
        self[old] = new
        return new


def with_new_ids(
    history: Sequence[Any], start: int, context: Context, taken: Container[str]
) -> tuple[list[Any], list[Note], dict[str, str | None]] | None:
    """Return the healed messages, notes, and new id -> the id in the input; `None`: ask the rules.

    Args:
        history: The native messages, healthy but for ids.
        start: The first one with an id that may not fit.
        context: What is known besides.
        taken: All ids in the history.
    """
    if any(context.policy[module.RULE.name] != module.RULE.default for module in _RULES):
        return None
    wire = context.wire
    with_ids, asked, reads_objects = wire.with_ids, wire.asked, wire.reads_objects
    inside = wire.results_inside
    ids = _Ids(context.profile, taken)
    out = [*history[:start]]
    notes: list[Note] = []
    ahead: Any = None
    try:
        for at, native in enumerate(history[start:], start):
            ahead = with_ids(native, ids, ahead)
            out.append(ahead)
            if ahead is native:
                continue
            if not reads_objects and not is_plain(native):
                return None  # clients' objects have to be read first
            if calls := asked(native):
                if inside and len({call_id for _, call_id, _ in calls}) < len(calls):
                    return None  # one id in two steps of a message
                notes.append((at, native, calls))
    except UNKNOWN:
        return None
    return out, notes, ids.new


def records(wire: Wire, profile: Profile, notes: Sequence[Note], new: Mapping[str, str | None]) -> tuple[Repair, ...]:
    """Return the records that the rules would have written."""
    old = set(new.values())
    found: list[list[Repair]] = [[] for _ in _RULES]
    for at, native, calls in notes:
        parts = [part for view in wire.read_at(native, at) for part in view.parts if type(part) is Call]
        for index, call_id, _ in calls:
            if call_id not in old:
                continue
            reasons = [module.unfit(call_id, profile) for module in _RULES]
            which = next(which for which, reason in enumerate(reasons) if reason is not None)
            rule = _RULES[which].RULE
            found[which].append(
                Repair(
                    code=rule.code,
                    rule=rule.name,
                    message_index=at,
                    part_index=index,
                    action="renamed",
                    reason=reasons[which] or "",
                    call_id=call_id,
                    policy=rule.default,
                    before=next((part.native for part in parts if part.index == index), None),
                )
            )
    return tuple(record for records in found for record in records)
