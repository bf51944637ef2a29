"""Which result answers which call: decided by position first, by id second.

An id is a name inside one turn. Many servers count calls anew in each turn
(`call_0`, `call_0`), so a table from id to result is wrong. Here every result is
bound to a call the way a reader would do it:

1. A result that stands in the answer to a turn answers that turn's calls: the
   first open one with its id, else (it is one too many) the last one with its id.
2. Any other result is late: it answers the latest earlier turn's first call with its id that
   is still open, else it is one too many for the latest one that is answered.
3. A result still alone is early if a later call with its id is open.
   An id that an earlier healing has replaced still names its call.
4. Without ids on both sides (formats without ids, ids lost on the way) the tool's
   name stands in for the id, then the order, when there are as many of one as of the other.
   Those that stand elsewhere answer the open calls of their name, when there are as many.
5. A result whose id no call has answers, in the answer to a turn, an open call that has none (where ids are
   the format's ornament: one of its name), when there are as many of one as of the other.

What is left is an orphan.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from interlock.history.naming import minted_id
from interlock.history.turns import Approval, Call, Message, Result

__all__ = ["ORDINALS", "Bound", "Open", "Pairing", "Turn", "pair"]

ORDINALS = 4  # how many calls with one old id a late result is looked for under their new ids

TurnShape = Literal["message", "run", "calls"]
_Approvals = dict[str | None, tuple[int, Approval]]


@dataclass(slots=True, eq=False)
class Bound:
    """A result and where it stands.

    Attributes:
        result: The result.
        message: Its message.
        at: The message's place in the conversation.
    """

    result: Result
    message: Message
    at: int


@dataclass(slots=True, eq=False)
class Open:
    """A call, where it stands, and what answers it.

    Attributes:
        call: The call.
        message: Its message.
        turn: The turn it belongs to.
        answers: The results bound to it, in order of appearance. Healthy is exactly one.
    """

    call: Call
    message: Message
    turn: Turn
    answers: list[Bound] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Turn:
    """One assistant turn that makes calls, and the messages that answer it.

    Attributes:
        first: Place of its first message.
        last: Place of its last message.
        answer_end: Place behind the last message of its answer: the messages right behind the turn
            whose role can hold results. Equal to `last + 1` when there is none.
        calls: Its calls, in order.
        approvals: The approvals in it and in its answer, once somebody has asked for them: requests by
            call, answers by request, each with its place.
        holder: The message of its answer that results join, and where, once somebody has looked for it.
        waiting: For each id its open calls, the last one first, while results are bound.
    """

    first: int
    last: int
    answer_end: int
    calls: list[Open] = field(default_factory=list)
    approvals: tuple[_Approvals, _Approvals] | None = None
    holder: tuple[Message | None, int] | None = None
    waiting: dict[str | None, list[Open]] | None = None


@dataclass(slots=True, eq=False)
class Pairing:
    """All turns with calls, and the results that answer nothing.

    Attributes:
        turns: In order of appearance.
        orphans: Results that no call asked for.
        approvals: Somebody was asked about a call, or answered.
    """

    turns: list[Turn]
    orphans: list[Bound]
    approvals: bool = False

    def calls(self) -> list[Open]:
        """Return all calls, in order."""
        return [call for turn in self.turns for call in turn.calls]

    def release(self) -> None:
        """Part turns and calls, which name each other: so their memory is free at once, not when it is collected."""
        for turn in self.turns:
            turn.calls, turn.waiting = [], None


def pair(messages: Sequence[Message], *, shape: TurnShape, result_role: str, has_ids: bool = True) -> Pairing:
    """Bind every client result to a call.

    Args:
        messages: The conversation.
        shape: How far one assistant turn goes.
        result_role: The role whose messages hold results; `assistant` when a call and its
            result are one native part, so that a result answers the call in its own message.
        has_ids: Calls and results are matched by ids; else by their number and names.
    """
    turns = _turns(messages, shape, result_role)
    answer_of: dict[int, Turn] = {}
    for turn in turns:
        start = turn.first if result_role == "assistant" else turn.last + 1
        for at in range(start, turn.answer_end):
            answer_of[at] = turn
    late: list[Bound] = []
    nameless: list[Bound] = []
    approvals = False
    for at, message in enumerate(messages):
        for part in message.parts:
            if type(part) is not Result or part.server:
                approvals = approvals or type(part) is Approval
                continue
            bound = Bound(part, message, at)
            home = answer_of.get(at)
            if home is not None and _bind_at_home(bound, home):
                continue
            (late if part.call_id else nameless).append(bound)
    nameless = _bind_nameless(nameless, answer_of)
    orphans = _bind_elsewhere(late, turns) if late else []
    orphans += _bind_by_name(nameless, turns)
    if orphans:
        orphans = _bind_strangers(orphans, answer_of, has_ids=has_ids)
    orphans.sort(key=lambda bound: bound.at)
    for turn in turns:
        for call in turn.calls:
            if len(call.answers) > 1:
                call.answers.sort(key=lambda bound: bound.at)
    return Pairing(turns, orphans, approvals)


@dataclass(slots=True, eq=False)
class _Asked:
    """The calls of one id, looked through once from each end.

    Attributes:
        calls: The number of its turn, and the call, in order.
        passed: How many stand ahead of the result in hand.
        waiting: Those of them that had no answer when they were passed, turn by turn.
        first: How many from the front on are known to be answered.
    """

    calls: list[tuple[int, Open]]
    passed: int = 0
    waiting: list[tuple[int, deque[Open]]] = field(default_factory=list)
    first: int = 0

    def latest(self, before: int) -> Open | None:
        """Return the first open call of the latest of the first `before` turns that has one, else the latest call.

        `before` never shrinks.
        """
        while self.passed < len(self.calls) and self.calls[self.passed][0] < before:
            turn, call = self.calls[self.passed]
            if not self.waiting or self.waiting[-1][0] != turn:
                self.waiting.append((turn, deque()))
            self.waiting[-1][1].append(call)
            self.passed += 1
        while self.waiting:
            group = self.waiting[-1][1]
            while group and group[0].answers:
                group.popleft()
            if group:
                return group[0]
            self.waiting.pop()
        return self.calls[self.passed - 1][1] if self.passed else None

    def earliest(self) -> Open | None:
        """Return the first call that is open."""
        while self.first < len(self.calls) and self.calls[self.first][1].answers:
            self.first += 1
        return self.calls[self.first][1] if self.first < len(self.calls) else None


def _bind_elsewhere(late: Sequence[Bound], turns: Sequence[Turn]) -> list[Bound]:
    """Bind results with an id that do not stand in the answer to its call; return those that no call asked for."""
    by_id: dict[str | None, _Asked] = {}
    for number, turn in enumerate(turns):
        for call in turn.calls:
            if call.call.call_id:
                by_id.setdefault(call.call.call_id, _Asked([])).calls.append((number, call))
    renamed: dict[str | None, _Asked] = {}
    begins = [turn.first for turn in turns]
    early: list[Bound] = []
    for bound in late:
        wanted = bound.result.call_id
        asked = by_id.get(wanted) or renamed.get(wanted)
        if asked is None:
            asked = renamed[wanted] = _renamed(wanted or "", by_id)
        behind = asked.latest(bisect_right(begins, bound.at))
        (early if behind is None else behind.answers).append(bound)
    orphans: list[Bound] = []
    for bound in early:
        known = by_id.get(bound.result.call_id)
        ahead = None if known is None else known.earliest()
        (orphans if ahead is None else ahead.answers).append(bound)
    return orphans


def _renamed(old: str, by_id: Mapping[str | None, _Asked]) -> _Asked:
    """Return the calls that an earlier healing has given a new id in place of `old`."""
    found = [by_id.get(minted_id(old, ordinal)) for ordinal in range(ORDINALS)]
    return _Asked(sorted((pair for one in found if one is not None for pair in one.calls), key=lambda pair: pair[0]))


def _turns(messages: Sequence[Message], shape: TurnShape, result_role: str) -> list[Turn]:
    turns: list[Turn] = []
    at, end = 0, len(messages)
    while at < end:
        if messages[at].role != "assistant":
            at += 1
            continue
        turn = Turn(at, -1, -1)
        last_call = -1
        while at < end and messages[at].role == "assistant":
            message = messages[at]
            own = [Open(part, message, turn) for part in message.parts if type(part) is Call and not part.server]
            if own:
                turn.calls += own
                last_call = at
            elif shape == "calls" and last_call >= 0 and _speaks(message):
                break
            at += 1
            if shape == "message":
                break
        if last_call < 0:
            continue
        turn.last = last_call if shape == "calls" else at - 1
        behind = turn.last + 1
        if result_role != "assistant":
            while behind < end and messages[behind].role == result_role:
                behind += 1
        turn.answer_end = behind
        turns.append(turn)
        at = max(at, turn.last + 1)
    return turns


def _speaks(message: Message) -> bool:
    return any(part.kind in ("text", "media") for part in message.parts)


def _bind_at_home(bound: Bound, turn: Turn) -> bool:
    if not bound.result.call_id:
        return False
    if turn.waiting is None:
        turn.waiting = {}
        for call in reversed(turn.calls):
            turn.waiting.setdefault(call.call.call_id, []).append(call)
    known = turn.waiting.get(bound.result.call_id)
    if known is None:
        return False
    # The first open one; the last one takes all that are too many.
    (known.pop() if len(known) > 1 else known[0]).answers.append(bound)
    return True


def _by_turn(
    found: Sequence[Bound], answer_of: Mapping[int, Turn]
) -> tuple[list[tuple[Turn, list[Bound]]], list[Bound]]:
    """Return each turn with the results that stand in its answer, and those that stand in none."""
    groups: dict[int, tuple[Turn, list[Bound]]] = {}
    left: list[Bound] = []
    for bound in found:
        turn = answer_of.get(bound.at)
        if turn is None:
            left.append(bound)
        else:
            groups.setdefault(id(turn), (turn, []))[1].append(bound)
    return list(groups.values()), left


def _bind_nameless(nameless: Sequence[Bound], answer_of: dict[int, Turn]) -> list[Bound]:
    """Bind results without an id inside the turn they answer, by name, then by order; return those left."""
    groups, left = _by_turn(nameless, answer_of)
    for turn, found in groups:
        named: dict[str | None, list[Open]] = {None: []}
        for call in reversed(turn.calls):
            if not call.answers and call.call.name is not None:
                named.setdefault(call.call.name, []).append(call)
        rest: list[Bound] = []
        for bound in found:
            known = named.get(bound.result.name)
            (known.pop().answers if known else rest).append(bound)
        open_calls = [call for call in turn.calls if not call.answers]
        if len(rest) == len(open_calls):
            for bound, call in zip(rest, open_calls, strict=True):
                call.answers.append(bound)
        else:
            left += rest
    return left


def _bind_by_name(nameless: Sequence[Bound], turns: Sequence[Turn]) -> list[Bound]:
    """Bind stray results without ids to the open calls of their name, if there are as many; return the rest.

    A result may come late, but early only from right ahead of its turn, with nothing but strays between:
    anything else would be a guess.
    """
    if not nameless:
        return []
    ahead_of: dict[int, int] = {}  # for the place of each stray, the first place behind it that holds none
    for at in sorted({bound.at for bound in nameless}, reverse=True):
        ahead_of[at] = ahead_of.get(at + 1, at + 1)
    open_calls: dict[str, list[Open]] = {}
    for turn in turns:
        for call in turn.calls:
            if not call.answers and call.call.name is not None:
                open_calls.setdefault(call.call.name, []).append(call)
    strays: dict[str | None, list[Bound]] = {}
    for bound in nameless:
        strays.setdefault(bound.result.name, []).append(bound)
    left: list[Bound] = []
    for name, found in strays.items():
        known = open_calls.get(name, []) if name is not None else []
        if len(found) == len(known) and all(
            ahead_of[bound.at] >= call.turn.first for bound, call in zip(found, known, strict=True)
        ):
            for bound, call in zip(found, known, strict=True):
                call.answers.append(bound)
        else:
            left += found
    return left


def _bind_strangers(strays: Sequence[Bound], answer_of: Mapping[int, Turn], *, has_ids: bool) -> list[Bound]:
    """Bind results whose id no call has to the open calls of the turn that they answer; return those left."""
    groups, left = _by_turn(strays, answer_of)
    for turn, found in groups:
        waiting = [call for call in turn.calls if not call.answers]
        pairs = _by_name(found, waiting) if len(found) == len(waiting) else None
        if pairs is None or any(not _may_answer(bound, call, has_ids=has_ids) for bound, call in pairs):
            left += found
            continue
        for bound, call in pairs:
            call.answers.append(bound)
    return left


def _by_name(found: Sequence[Bound], waiting: Sequence[Open]) -> list[tuple[Bound, Open]] | None:
    """Return each result with a call: of its name, in order; those without a name take what is left."""
    queues: dict[str | None, deque[Open]] = {}
    for call in waiting:
        queues.setdefault(call.call.name, deque()).append(call)
    out: list[tuple[Bound, Open]] = []
    taken: set[int] = set()
    for bound in found:
        if bound.result.name is None:
            continue
        queue = queues.get(bound.result.name) or queues.get(None)
        if not queue:
            return None
        out.append((bound, queue.popleft()))
        taken.add(id(out[-1][1]))
    rest = (call for call in waiting if id(call) not in taken)
    return out + list(zip((one for one in found if one.result.name is None), rest, strict=True))


def _may_answer(bound: Bound, call: Open, *, has_ids: bool) -> bool:
    """Say whether nothing but a lost id, or one that is an ornament, parts a result from a call."""
    if not call.call.call_id:
        return bool(bound.result.call_id) and call.call.slot != "function_call"  # the older form has no ids
    return not has_ids and bound.result.name is not None and bound.result.name == call.call.name
