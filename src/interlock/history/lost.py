"""The short way for histories of which nothing is wrong but that calls have no results.

It is what happens to nearly every conversation that breaks, and may have happened to every
turn of one. A quick look has told which calls they are, and that all else is healthy. So no
rule is asked: the words that `orphan-tool-call` puts in are put in right here, where the rule
would put them, and the look has to pass what has come of it. Where anything is not as simple
as that, the rules decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from interlock.history.plain import is_plain
from interlock.history.records import Repair
from interlock.history.rules import orphan_tool_call
from interlock.history.rules.base import Context, joins_users, leading_results
from interlock.history.spans import Anywhere, Lost, Places, Scan
from interlock.history.stubs import own_text, stub_text
from interlock.history.turns import Call, Message, Result
from interlock.history.wires.base import Wire
from interlock.vocabulary import RepairAction

__all__ = ["Note", "records", "with_stubs"]

_RULE: Final = orphan_tool_call.RULE
_INSERTED: Final[RepairAction] = "inserted-message"
_JOINED: Final[RepairAction] = "inserted-part"
#: What the record of a stub is made from: action, the call's message and place in it, its id and its tool's name.
Note = tuple[RepairAction, int, int | None, str | None, str | None]
#: Where new messages are put in, how many of the history's go there, the new ones, and whether results join others.
_Splice = tuple[int, int, list[Any], bool]


def with_stubs(
    history: Sequence[Any], places: Places, context: Context, scan: Scan
) -> tuple[list[Note], tuple[list[Any], tuple[int | None, ...]]] | None:
    """Return notes, and the healed messages with where each message of the input went; `None`: ask the rules.

    Args:
        history: The native messages.
        places: What the look has noted, which has passed all but calls without results.
        context: What is known besides; the policy is to put words in.
        scan: The look.
    """
    # A call whose id stands in another place too may be meant by something there.
    if context.pending or places.others:
        return None
    if not context.wire.reads_objects and {*map(type, history)} != {dict}:
        return None  # what is no dict has to be read first, to tell who speaks
    stubs = _Stubs(history, context)
    proved: set[Any] = set()
    out: list[Any] = []
    positions: list[int | None] = []
    at = 0
    for lost in places.lost or ():
        splices = stubs.of(lost)
        if splices is None:
            return None
        # The look has gone on as if results were there, so it can say no more of a turn than of an earlier one that
        # was answered in the same way, unless it is the last one.
        way = tuple([(gone, joined) for _, gone, _, joined in splices])
        if way not in proved or lost[1] >= len(history):
            if not _passes(scan, history, lost[0], splices):
                return None
            proved.add(way)
        for place, gone, new, _ in splices:
            if gone and not context.wire.reads_objects and not is_plain(history[place]):
                return None  # clients' objects in a message that changes have to be read first
            positions += range(len(out), len(out) + place + gone - at)
            out += history[at:place]
            out += new
            at = place + gone
    positions += range(len(out), len(out) + len(history) - at)
    out += history[at:]
    return stubs.notes, (out, tuple(positions))


class _Stubs:
    """Makes what is put in for one turn after another.

    Attributes:
        notes: What the records of it are made from.
    """

    def __init__(self, history: Sequence[Any], context: Context) -> None:
        self.notes: list[Note] = []
        self._history, self._context, self._wire = history, context, context.wire
        self._flag = context.options.get("stub_is_error", True) is not False
        self._plain = self._wire.plain_stubs and not callable(context.options.get("stub_text"))
        self._text = own_text(context)
        self._head = {"role": self._wire.native_role(self._wire.result_role)}

    def of(self, lost: Lost) -> list[_Splice] | None:
        """Return what is put in for one turn, and add notes; `None`: it is not as simple as that."""
        if self._wire.results_inside:
            return self._inside(lost)
        if self._plain:
            known = len(self.notes)
            plain = self._plainly(lost)
            if plain is not None:
                return plain
            del self.notes[known:]
        return self._viewed(lost)

    def _plainly(self, lost: Lost) -> list[_Splice] | None:
        """Do so where results are plain fragments."""
        history, wire, notes, text, flag = self._history, self._wire, self.notes, self._text, self._flag
        _, _, ids, last = lost
        asked_of, stub, shares = wire.asked, wire.stub, wire.results_share
        out: list[_Splice] = []
        left = len(ids) or last
        for start, behind, stop in _rounds(history, lost, wire.leads):
            new: list[Any] = []
            gone, lead, action = 0, 0, _INSERTED
            first = len(notes)
            for at in range(start, behind):
                asked = asked_of(history[at])
                for index, call_id, name in asked[-last:] if last else asked:
                    if last or call_id in ids:
                        notes.append((action, at, index, call_id, name))
                        new.append(stub(call_id, name, text, is_error=flag))
            if not new:
                continue
            left -= len(new)
            if not shares:
                out.append((stop, 0, new, False))
                continue
            native: dict[str, Any] = self._head
            if behind < (stop if wire.result_role == "tool" else len(history)) and not wire.leads(history[behind]):
                held, lead = wire.held(history[behind])
                if lead or joins_users(self._context):
                    native, gone = history[behind], 1
                    new = [*held[:lead], *new, *held[lead:]]
                    notes[first:] = [(_JOINED, *one[1:]) for one in notes[first:]]
            out.append((behind, gone, [{**native, wire.content_key: new}], lead > 0))
        return out if not left else None

    def _viewed(self, lost: Lost) -> list[_Splice] | None:
        """Do so with views of the calls, and of the message that results go into."""
        history, wire, context = self._history, self._wire, self._context
        out: list[_Splice] = []
        _, _, ids, last = lost
        left = len(ids) or last
        for start, behind, stop in _rounds(history, lost, wire.leads):
            calls: list[tuple[Call, int]] = []
            for at in range(start, behind):
                asked = wire.calls_of(history[at])
                if last:
                    calls += [(call, at) for call in [*asked][-last:]]
                else:
                    calls += [(call, at) for call in asked if call.call_id in ids]
            if not calls:
                continue
            left -= len(calls)
            holder, lead = _holder(history, behind, stop, context)
            action = _INSERTED if holder is None else _JOINED
            stubs: list[Result] = []
            for call, where in calls:
                if not wire.answerable(call):
                    return None
                stubs.append(wire.new_result(call, stub_text(call, context), is_error=self._flag))
                self.notes.append((action, where, call.index, call.call_id, call.name))
            if wire.shares_messages:
                out.append(_beside(history, behind, stubs, holder, wire))
                continue
            if holder is not None:
                parts = (*holder.parts[:lead], *stubs, *holder.parts[lead:])
                new = [Message(holder.role, parts, holder.native, holder.origins, holder.form, True, holder.extra)]
            elif wire.results_share:
                new = [_answer(stubs, wire)]
            else:
                new = [wire.new_message(wire.result_role, (stub,)) for stub in stubs]
                behind = stop
            # New ones are made like those ahead of them.
            out.append((behind, int(holder is not None), wire.write(new, history[behind - 1])[0], lead > 0))
        return out if not left else None

    def _inside(self, lost: Lost) -> list[_Splice] | None:
        """Return the message that takes the place of one whose calls have not ended."""
        start, stop, ids, _ = lost
        wire, native = self._wire, self._history[start]
        calls = [call for call in wire.calls_of(native) if call.call_id in ids]
        results = {
            call.index: wire.new_result(call, stub_text(call, self._context), is_error=self._flag)
            for call in calls
            if call.index is not None
        }
        new = wire.answered(native, results)
        if len(results) != len(ids) or stop != start + 1:
            return None
        self.notes += [(_JOINED, start, call.index, call.call_id, call.name) for call in calls]
        return [(start, 1, [new], False)]


def _rounds(history: Sequence[Any], lost: Lost, leads: Callable[[Any], bool]) -> Iterable[tuple[int, int, int]]:
    """Return where calls begin, where what answers them begins, and where that ends, as often as a turn has that."""
    at, end, _, _ = lost
    if end == at + 1:
        return ((at, end, end),)
    out = []
    while at < end:
        start = at
        while at < end and leads(history[at]):
            at += 1
        behind = at
        while at < end and not leads(history[at]):
            at += 1
        out.append((start, behind, at))
    return out


def _beside(history: Sequence[Any], behind: int, stubs: list[Result], holder: Message | None, wire: Wire) -> _Splice:
    """Return what is put in where the results and what stands behind them may be one message."""
    views: list[Message] = []
    if behind < len(history) and not wire.leads(history[behind]):
        views += wire.read_at(history[behind], behind)
    gone = int(bool(views))
    if holder is None:
        views.insert(0, _answer(stubs, wire))
    else:
        first = views[0]
        parts = (*first.parts, *stubs)
        views[0] = Message(first.role, parts, first.native, first.origins, first.form, True, first.extra)
    # The calls stand ahead: new ones are made like them, and dated by them.
    return behind, gone, wire.write(views, history[behind - 1])[0], holder is not None


def _answer(stubs: Sequence[Result], wire: Wire) -> Message:
    """Return a new message with results. Made for the first, which others join: so its id depends on no other."""
    one = wire.new_message(wire.result_role, stubs[:1])
    if len(stubs) == 1:
        return one
    return Message(one.role, tuple(stubs), one.native, one.origins, "parts", True, one.extra)


def records(notes: Sequence[Note]) -> tuple[Repair, ...]:
    """Return the records that the rule would have written."""
    return tuple(
        Repair(
            code=_RULE.code,
            rule=_RULE.name,
            message_index=at,
            part_index=index,
            action=action,
            reason=orphan_tool_call.reason(call_id, name),
            call_id=call_id,
            policy=_RULE.default,
        )
        for action, at, index, call_id, name in notes
    )


def _holder(history: Sequence[Any], behind: int, stop: int, context: Context) -> tuple[Message | None, int]:
    """Return the message that the results of a turn go into, and ahead of which of its parts.

    As `rules.base.answer` does, for a turn and an answer with which nothing else is wrong.
    """
    wire = context.wire
    if not wire.results_share or behind >= len(history) or (wire.result_role == "tool" and behind >= stop):
        return None, 0
    view = wire.read_at(history[behind], behind)[0]
    if view.role != wire.result_role:
        return None, 0
    lead = leading_results(view)
    return (view, lead) if lead or wire.result_role == "tool" or joins_users(context) else (None, 0)


def _passes(scan: Scan, history: Sequence[Any], start: int, splices: Sequence[_Splice]) -> bool:
    """Say whether the look passes a turn and what answers it now, with the message behind."""
    shown: list[Any] = [None] if start else []  # it does not begin the history
    at = start
    for place, gone, new, _ in splices:
        shown += history[at:place]
        shown += new
        at = place + gone
    end = len(shown)
    shown += history[at : at + 1]
    bad, stuck = scan(shown, 1 if start else 0, Anywhere())
    return bad >= end and stuck >= len(shown)
