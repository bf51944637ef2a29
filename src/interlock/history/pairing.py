"""Which result answers which call: decided by position first, by id second.

An id is a name inside one turn. Many servers count calls anew in each turn
(`call_0`, `call_0`), so a table from id to result is wrong. Here every result is
bound to a call the way a reader would do it:

1. A result that stands in the answer to a turn answers that turn's calls: the
   first open one with its id, else (it is one too many) the last one with its id.
2. Any other result is late: it answers the latest earlier turn's first call with its id that
   is still open, else it is one too many for the latest one that is answered.
3. A result still alone is early if a later call with its id is open.
   An id that an earlier healing has replaced still names its call. Where calls of several tools have a result's
   id, and it names one of these tools, it is about that tool's calls alone.
4. Without ids on both sides (formats without ids, ids lost on the way) the tool's
   name stands in for the id, then the order, when there are as many of one as of the other.
   Those that stand elsewhere answer the open calls of their name, when there are as many.
5. A result whose id no call has answers, in the answer to a turn, an open call that has none (where ids are
   the format's ornament: one of its name), when there are as many of one as of the other.

What is left is an orphan.

A call that only a stub answers is still open for a real result: so a result comes to the same call whether the
history was healed before it came, or not. Stubs themselves answer what nothing else does.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from interlock.history.naming import minted_id
from interlock.history.turns import Approval, Call, Message, Result

__all__ = ["ORDINALS", "Bound", "Open", "Pairing", "Turn", "TurnShape", "pair"]

ORDINALS = 4  # how many calls with one old id a late result is looked for under their new ids

TurnShape = Literal["message", "run", "calls", "steps"]
_Approvals = dict[str | None, tuple[int, Approval]]
#: Says whether a result is one that a repair had put in for a call.
_IsStub = Callable[[Result, Call], bool]


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
        opens: Place of the first message that may say something of its approvals: its own, or that of the first
            turn in a run of assistant messages.
        reach: Place behind the last such message: its answer, or what answers the run.
        calls: Its calls, in order.
        holder: The message of its answer that results join, and where, once somebody has looked for it.
        known: For each id its calls, while results are bound.
    """

    first: int
    last: int
    answer_end: int
    opens: int = -1
    reach: int = -1
    calls: list[Open] = field(default_factory=list)
    holder: tuple[Message | None, int] | None = None
    known: dict[str | None, list[Open]] | None = None


@dataclass(slots=True, eq=False)
class Pairing:
    """All turns with calls, and the results that answer nothing.

    Attributes:
        turns: In order of appearance.
        orphans: Results that no call asked for.
        approvals: Somebody was asked about a call, or answered.
        said: By the place behind them, the approvals of turns for which somebody has asked: requests by call,
            answers by request, each with its place.
        counted: Results were held against the number of open calls, wherever in the history these stand.
    """

    turns: list[Turn]
    orphans: list[Bound]
    approvals: bool = False
    counted: bool = False
    said: dict[int, tuple[_Approvals, _Approvals]] = field(default_factory=dict)

    def calls(self) -> list[Open]:
        """Return all calls, in order."""
        return [call for turn in self.turns for call in turn.calls]

    def release(self) -> None:
        """Part turns and calls, which name each other: so their memory is free at once, not when it is collected."""
        for turn in self.turns:
            turn.calls, turn.known = [], None


def _no_stub(_result: Result, _call: Call) -> bool:
    return False


def pair(
    messages: Sequence[Message],
    *,
    shape: TurnShape,
    result_role: str,
    has_ids: bool = True,
    is_stub: _IsStub = _no_stub,
) -> Pairing:
    """Bind every client result to a call.

    Args:
        messages: The conversation.
        shape: How far one assistant turn goes: each `message` by itself, a `run` of them, or a run that ends where
            words follow its `calls`; of `steps` likewise, but that what a human is asked counts for the whole run.
        result_role: The role whose messages hold results; `assistant` when a call and its
            result are one native part, so that a result answers the call in its own message.
        has_ids: Calls and results are matched by ids; else by their number and names.
        is_stub: Says whether a result is one that a repair had put in for a call. Asked only where that decides.
    """
    turns = _turns(messages, shape, result_role)
    answer_of: dict[int, Turn] = {}
    for turn in turns:
        start = turn.first if result_role == "assistant" else turn.last + 1
        for at in range(start, turn.answer_end):
            answer_of[at] = turn
    late: list[Bound] = []
    nameless: list[Bound] = []
    shared: dict[tuple[int, str | None], tuple[Turn, list[Bound]]] = {}
    approvals = False
    for at, message in enumerate(messages):
        for part in message.parts:
            if type(part) is not Result or part.server:
                approvals = approvals or type(part) is Approval
                continue
            bound = Bound(part, message, at)
            home = answer_of.get(at)
            if home is not None and part.call_id:
                known = _known(home).get(part.call_id)
                if known is not None:
                    call = known[0]
                    if len(known) == 1 and not call.answers and (part.name is None or part.name == call.call.name):
                        call.answers.append(bound)
                    else:
                        shared.setdefault((id(home), part.call_id), (home, []))[1].append(bound)
                    continue
            (late if part.call_id else nameless).append(bound)
    for (_, call_id), (turn, found) in shared.items():
        _share(found, _known(turn).get(call_id, []), _known(turn), is_stub)
    counted = False
    if nameless:
        nameless, counted = _bind_nameless(nameless, turns, answer_of, is_stub)
    orphans = _bind_elsewhere(late, turns, is_stub) if late else []
    counted = counted or any(bound.result.name is not None for bound in nameless)
    orphans += _bind_by_name(nameless, turns, is_stub)
    if orphans:
        orphans = _bind_strangers(orphans, answer_of, is_stub, has_ids=has_ids)
    orphans.sort(key=lambda bound: bound.at)
    for turn in turns:
        for call in turn.calls:
            if len(call.answers) > 1:
                call.answers.sort(key=lambda bound: bound.at)
    return Pairing(turns, orphans, approvals, counted)


def _is_open(call: Open, is_stub: _IsStub) -> bool:
    """Say whether a call waits for a real result."""
    return all(is_stub(bound.result, call.call) for bound in reversed(call.answers))


def _known(turn: Turn) -> dict[str | None, list[Open]]:
    """Return the calls of a turn by id."""
    if turn.known is None:
        turn.known = {}
        for call in turn.calls:
            turn.known.setdefault(call.call.call_id, []).append(call)
    return turn.known


class _Queue:
    """Calls that results are given to from the first to the last."""

    def __init__(self, calls: Sequence[Open], is_stub: _IsStub) -> None:
        self._calls, self._is_stub = calls, is_stub
        self._vacant = self._open = 0

    def next(self, bound: Bound) -> Open | None:
        """Return the first call without a result, else the first with a stub only when the result is a real one."""
        calls, is_stub = self._calls, self._is_stub
        while self._vacant < len(calls) and calls[self._vacant].answers:
            self._vacant += 1
        if self._vacant < len(calls):
            return calls[self._vacant]
        if is_stub(bound.result, calls[-1].call):
            return None
        while self._open < len(calls) and not _is_open(calls[self._open], is_stub):
            self._open += 1
        return calls[self._open] if self._open < len(calls) else None


def _share(
    found: Sequence[Bound], calls: Sequence[Open], by_id: Mapping[str | None, Sequence[Open]], is_stub: _IsStub
) -> None:
    """Bind results of one id that stand in the answer to a turn to its calls of that id.

    Those that name the tool of one of them first; what is too many goes to the last call.
    """
    last = {call.call.name: call for call in calls}
    too_many = calls[-1]
    wanted = found[0].result.call_id
    if len(by_id) > 1 and wanted:
        renamed = [call for new in _given_for(wanted) for call in by_id.get(new, ())]
        calls = [*calls, *renamed]
        last = {call.call.name: call for call in renamed} | last
    queues = _queues(calls, is_stub)
    rest: list[Bound] = []
    for bound in found:
        queue = queues.get(bound.result.name)
        if queue is None:
            rest.append(bound)
        else:
            (queue.next(bound) or last[bound.result.name]).answers.append(bound)
    queue = _Queue(calls, is_stub)
    for bound in rest:
        (queue.next(bound) or too_many).answers.append(bound)


def _queues(calls: Iterable[Open], is_stub: _IsStub) -> dict[str | None, _Queue]:
    """Return the calls of each tool."""
    named: dict[str | None, list[Open]] = {}
    for call in calls:
        if call.call.name is not None:
            named.setdefault(call.call.name, []).append(call)
    return {name: _Queue(of_name, is_stub) for name, of_name in named.items()}


def _given_for(old: str) -> list[str]:
    """Return the ids that an earlier healing may have given calls in place of one."""
    return [minted_id(old, ordinal) for ordinal in range(ORDINALS)]


@dataclass(slots=True, eq=False)
class _Asked:
    """The calls that results of one id may be for, looked through once from each end.

    Attributes:
        calls: The number of its turn, and the call, in order.
        is_open: Says whether a call waits for such a result.
        passed: How many stand ahead of the result in hand.
        waiting: Those of them that were open when they were passed, turn by turn.
        first: How many from the front on are known to be answered.
    """

    calls: Sequence[tuple[int, Open]]
    is_open: Callable[[Open], bool]
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
            while group and not self.is_open(group[0]):
                group.popleft()
            if group:
                return group[0]
            self.waiting.pop()
        return self.calls[self.passed - 1][1] if self.passed else None

    def earliest(self) -> Open | None:
        """Return the first call that is open."""
        while self.first < len(self.calls) and not self.is_open(self.calls[self.first][1]):
            self.first += 1
        return self.calls[self.first][1] if self.first < len(self.calls) else None


class _Elsewhere:
    """The calls of a conversation by id, for results that do not stand in the answer to them."""

    def __init__(self, turns: Sequence[Turn], is_stub: _IsStub) -> None:
        self._is_stub = is_stub
        self._begins = [turn.first for turn in turns]
        self._by_id: dict[str, list[tuple[int, Open]]] = {}
        for number, turn in enumerate(turns):
            for call in turn.calls:
                if call.call.call_id:
                    self._by_id.setdefault(call.call.call_id, []).append((number, call))
        self._of_id: dict[str, dict[str | None, list[tuple[int, Open]]]] = {}
        self._asked: dict[tuple[str, str | None, bool], _Asked] = {}

    def _calls(self, wanted: str) -> dict[str | None, list[tuple[int, Open]]]:
        """Return the calls that have an id, or had it before an earlier healing: all, and those of each tool."""
        found = self._of_id.get(wanted)
        if found is None:
            calls = [pair for name in (wanted, *_given_for(wanted)) for pair in self._by_id.get(name, ())]
            calls.sort(key=lambda pair: pair[0])
            found = self._of_id[wanted] = {}
            for pair in calls:
                if pair[1].call.name is not None:
                    found.setdefault(pair[1].call.name, []).append(pair)
            found[None] = calls
        return found

    def names(self, bound: Bound) -> bool:
        """Say whether a result names the tool of a call that has its id."""
        return bound.result.name is not None and bound.result.name in self._calls(bound.result.call_id or "")

    def asked(self, bound: Bound, *, named: bool) -> _Asked:
        """Return the calls that a result may be for: those of the tool that it names, or all of its id."""
        wanted, name = bound.result.call_id or "", bound.result.name if named else None
        calls = self._calls(wanted)[name]
        stub = bool(calls) and self._is_stub(bound.result, calls[0][1].call)
        key = wanted, name, stub
        asked = self._asked.get(key)
        if asked is None:
            asked = self._asked[key] = _Asked(calls, _is_vacant if stub else self._is_open)
        return asked

    def before(self, bound: Bound) -> int:
        """Return how many turns begin ahead of a result, or with it."""
        return bisect_right(self._begins, bound.at)

    def _is_open(self, call: Open) -> bool:
        return _is_open(call, self._is_stub)


def _is_vacant(call: Open) -> bool:
    return not call.answers


def _bind_elsewhere(late: Sequence[Bound], turns: Sequence[Turn], is_stub: _IsStub) -> list[Bound]:
    """Bind results with an id that do not stand in the answer to its call; return those that no call asked for."""
    where = _Elsewhere(turns, is_stub)
    left: Sequence[Bound] = late
    for named in (True, False):
        rest: list[Bound] = []
        early: list[Bound] = []
        for bound in left:
            if named and not where.names(bound):
                rest.append(bound)
                continue
            behind = where.asked(bound, named=named).latest(where.before(bound))
            (early if behind is None else behind.answers).append(bound)
        for bound in early:
            ahead = where.asked(bound, named=named).earliest()
            (rest if ahead is None else ahead.answers).append(bound)
        left = sorted(rest, key=lambda bound: bound.at)
    return [*left]


def _turns(messages: Sequence[Message], shape: TurnShape, result_role: str) -> list[Turn]:
    turns: list[Turn] = []
    short = shape in ("calls", "steps")
    at, end, run_end = 0, len(messages), 0
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
            elif short and last_call >= 0 and _speaks(message):
                break
            at += 1
            if shape == "message":
                break
        if last_call < 0:
            continue
        turn.last = last_call if short else at - 1
        behind = turn.last + 1
        if result_role != "assistant":
            while behind < end and messages[behind].role == result_role:
                behind += 1
        turn.answer_end = turn.reach = behind
        turn.opens = turn.first
        if shape == "steps":
            if turns and turn.first < run_end:
                turn.opens, turn.reach = turns[-1].opens, turns[-1].reach
            else:
                run_end = turn.last + 1
                while run_end < end and messages[run_end].role == "assistant":
                    run_end += 1
                turn.reach = run_end
                while turn.reach < end and messages[turn.reach].role == result_role:
                    turn.reach += 1
        turns.append(turn)
        at = max(at, turn.last + 1)
    return turns


def _speaks(message: Message) -> bool:
    return any(part.kind in ("text", "media") for part in message.parts)


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


def _bind_nameless(
    nameless: list[Bound], turns: Sequence[Turn], answer_of: dict[int, Turn], is_stub: _IsStub
) -> tuple[list[Bound], bool]:
    """Bind results without an id inside the turn they answer, by name, then by order.

    One that names the tool of an open call in another turn is not bound by order.

    Returns:
        Those left, and whether open calls of other turns were looked at.
    """
    groups, left = _by_turn(nameless, answer_of)
    unsaid: list[tuple[Turn, list[Bound]]] = []  # what is left of turns where no result names a tool
    said: list[tuple[Turn, list[Bound]]] = []
    for turn, found in groups:
        queues = _queues([call for call in turn.calls if _is_open(call, is_stub)], is_stub)
        rest: list[Bound] = []
        for bound in found:
            queue = queues.get(bound.result.name)
            known = None if queue is None else queue.next(bound)
            (rest if known is None else known.answers).append(bound)
        if rest:
            (unsaid if all(bound.result.name is None for bound in rest) else said).append((turn, rest))
    for turn, rest in unsaid:
        left += _bind_in_order(rest, turn, is_stub)
    open_in: dict[str | None, set[int]] = {}  # for each tool the turns that have open calls of it
    for turn in turns if said else ():
        for call in turn.calls:
            if call.call.name is not None and _is_open(call, is_stub):
                open_in.setdefault(call.call.name, set()).add(id(turn))
    for turn, rest in said:
        here: list[Bound] = []
        for bound in rest:
            (here if open_in.get(bound.result.name, set()) <= {id(turn)} else left).append(bound)
        left += _bind_in_order(here, turn, is_stub)
    left.sort(key=lambda bound: bound.at)
    return left, bool(said)


def _bind_in_order(found: list[Bound], turn: Turn, is_stub: _IsStub) -> Sequence[Bound]:
    """Bind results to the open calls of a turn, if there are as many of one as of the other; return those left."""
    waiting = [call for call in turn.calls if not call.answers]
    if len(found) != len(waiting):
        waiting = [call for call in turn.calls if _is_open(call, is_stub)]
    if len(found) != len(waiting):
        return found
    for bound, call in zip(found, waiting, strict=True):
        call.answers.append(bound)
    return ()


def _bind_by_name(nameless: Sequence[Bound], turns: Sequence[Turn], is_stub: _IsStub) -> list[Bound]:
    """Bind stray results without ids to the open calls of their name, if there are as many; return the rest.

    A result may come late, but early only from right ahead of its turn, with nothing but strays between:
    anything else would be a guess.
    """
    if not nameless:
        return []
    ahead_of: dict[int, int] = {}  # for the place of each stray, the first place behind it that holds none
    for at in sorted({bound.at for bound in nameless}, reverse=True):
        ahead_of[at] = ahead_of.get(at + 1, at + 1)
    strays: dict[str | None, list[Bound]] = {}
    for bound in nameless:
        strays.setdefault(bound.result.name, []).append(bound)
    calls: dict[str, list[Open]] = {}
    for turn in turns:
        for call in turn.calls:
            if call.call.name is not None and call.call.name in strays and _is_open(call, is_stub):
                calls.setdefault(call.call.name, []).append(call)
    left: list[Bound] = []
    for name, found in strays.items():
        waiting = calls.get(name, []) if name is not None else []
        real: list[Bound] = []
        stubs: list[Bound] = []
        for bound in found:
            (stubs if waiting and is_stub(bound.result, waiting[0].call) else real).append(bound)
        vacant = [call for call in waiting if not call.answers]
        for some, known in ((real, waiting), (stubs, vacant)):
            if len(some) == len(known) and all(
                ahead_of[bound.at] >= call.turn.first for bound, call in zip(some, known, strict=True)
            ):
                for bound, call in zip(some, known, strict=True):
                    call.answers.append(bound)
            else:
                left += some
    return left


def _bind_strangers(
    strays: Sequence[Bound], answer_of: Mapping[int, Turn], is_stub: _IsStub, *, has_ids: bool
) -> list[Bound]:
    """Bind results whose id no call has to the open calls of the turn that they answer; return those left."""
    groups, left = _by_turn(strays, answer_of)
    for turn, found in groups:
        waiting = [call for call in turn.calls if not call.answers]
        if len(found) != len(waiting):
            waiting = [call for call in turn.calls if _is_open(call, is_stub)]
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
