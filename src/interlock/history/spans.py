"""Where a history needs a close look: the rest is neither read nor copied.

A wire's scan walks native messages and stops at the first one that it does not
know to be healthy. What is read closely is a span: up to the next plain words of
the user, where nothing can be open; or, where all that is wrong is that calls have no
results, only up to where the assistant begins to speak again. Only spans are read to
views; each healthy stretch between them is one stand-in view, which parts the turns
around it and which no rule has anything to say about. Inside a span the messages that
the scan has passed are healthy by themselves; the others are doubted.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from typing import Any, Final

from interlock.history.naming import MINTED, minted_id
from interlock.history.pairing import ORDINALS
from interlock.history.turns import Call, Message, Result, Text

__all__ = [
    "UNKNOWN",
    "Anywhere",
    "Lost",
    "Places",
    "Scan",
    "Suspects",
    "elsewhere",
    "onward",
    "runs",
    "stand_in",
    "stretch",
    "views_of",
    "widened",
    "written",
]


class Places(dict[str, int]):
    """What a look notes: where each id stands that a call or an item has, the first place.

    Attributes:
        others: The other places of ids that stand in several.
        names: Tool names that it has seen, all of which can stay.
        lost: The turns that have lost results, when a look shall go on behind them.
    """

    __slots__ = ("lost", "names", "others")

    def __init__(self, lost: list[Lost] | None = None) -> None:
        self.others: dict[str, list[int]] = {}
        self.names: set[str] = set()
        self.lost = lost

    def again(self, name: str, at: int) -> None:
        """Note one more place of an id."""
        self.others.setdefault(name, []).append(at)

    def lose(self, start: int, stop: int, ids: Collection[str], last: int = 0) -> bool:
        """Note a turn that lacks results and is healthy but for that; false: the look has to stop there.

        Args:
            start: Its first message.
            stop: Behind the last message that answers it. A look that goes on takes it that results stand there.
            ids: The calls that have no result. The look may not change them any more.
            last: How many of its last calls that are, in a format without ids.
        """
        if self.lost is None:
            return False
        self.lost.append((start, stop, ids, last))
        return True

    def of(self, name: str) -> Iterator[int]:
        """Yield all places of an id that are known."""
        first = self.get(name)
        if first is not None:
            yield first
            yield from self.others.get(name, ())


class Anywhere(Places):
    """For looks at what has been looked at: where ids stand is known."""

    __slots__ = ()

    def setdefault(self, name: str, at: int) -> int:  # noqa: ARG002
        """Agree with any place."""
        return at


#: A turn that is healthy but for results that are lost: its first message; the place behind the last one that answers
#: it; the calls that have no result; in a format without ids, how many of its last calls that are.
Lost = tuple[int, int, Collection[str], int]


#: From a place on, the first message that is not surely healthy (the length: none), and where the look stopped:
#: what stands ahead of that is healthy by itself. Notes what it sees.
Scan = Callable[[Sequence[Any], int, Places], tuple[int, int]]
#: What a shape that a look does not know raises.
UNKNOWN: Final = (KeyError, TypeError, AttributeError, IndexError, ValueError, RecursionError, StopIteration)
_GAP: Final = "gap"
_ENDS: Final = "ends"
_FAR: Final = 16  # places outside of the spans that are looked at too; a history with more is read whole
_MANY: Final = 100_000  # values that are looked through; what contains itself ends here


class Suspects:
    """What a look has stopped at, in order.

    Attributes:
        places: The places of each id.
        doubted: The places of the messages that are not surely healthy by themselves, whatever stands around them.
        lost: The turns that have lost results, as long as nothing else is wrong with the history.
        only_lost: Nothing else is.
        cuts: Spans may begin and end inside a turn; see the constructor.
    """

    __slots__ = (
        *("_begins", "_is_word", "_messages", "_small", "_spans", "_taken", "_word", "_high"),
        *("cuts", "doubted", "lost", "only_lost", "places"),
    )

    def __init__(
        self,
        messages: Sequence[Any],
        is_word: Callable[[Any], bool],
        begins: Callable[[Sequence[Any], int], bool],
        cuts: Callable[[Sequence[Any], int], bool] | None,
    ) -> None:
        """Prepare for the stops in a history.

        Args:
            messages: The native messages.
            is_word: Says whether a native message is the user's and holds nothing but words.
            begins: Says whether the assistant begins to speak with a message: a span may end ahead of it.
            cuts: Says whether a span may begin with it. Given where calls without results, made by messages that are
                healthy by themselves, change nothing but what stands right behind them.
        """
        self.doubted: set[int] = set()
        self.lost: list[Lost] = []
        self.only_lost = cuts is not None
        self.places = Places(self.lost if self.only_lost else None)
        self._messages, self._is_word, self._begins, self.cuts = messages, is_word, begins, cuts
        self._spans: list[tuple[int, int]] = []
        self._taken = 0  # turns among the lost ones that are in the spans
        self._word = self._high = 0  # where the last span that ends with the user's words ends, and the last one
        self._small = False  # it is one of calls alone

    def look(self, scan: Scan, first: tuple[Places, int, int] | None = None) -> None:
        """Walk through the whole history.

        Args:
            scan: The look.
            first: What it has noted, and returned, when it was called for the beginning.
        """
        messages, end = self._messages, len(self._messages)
        at = 0
        if first is None:
            bad, stuck = scan(messages, 0, self.places)
        else:
            self.places, bad, stuck = first
            self.lost = self.places.lost or self.lost
        while bad < end:
            if self.only_lost:
                self.only_lost, self.places.lost = False, None
                self._catch_up()
            at = self._take(at, bad, stuck)
            if at >= end:
                break
            bad, stuck = scan(messages, at, self.places)

    @property
    def any(self) -> bool:
        """The look has stopped somewhere."""
        return bool(self.lost or self._spans)

    def spans(self) -> list[tuple[int, int]] | None:
        """Return the spans that need a close look, in order; `None` when that is most of the history."""
        self._catch_up()
        return None if _too_much(self._spans, len(self._messages)) else self._spans

    def _catch_up(self) -> None:
        """Make spans of the turns that have lost results."""
        for start, stop, _, _ in self.lost[self._taken :]:
            self._take(start, start, stop, reaches=stop > self._high)
        self._taken = len(self.lost)

    def _take(self, at: int, bad: int, stuck: int, *, reaches: bool = False) -> int:
        """Make a span of what a look that began at a place has stopped at, and return where the next one begins.

        What begins in the last span is in it, unless it reaches beyond and no look begins where the span ends.
        """
        messages, spans, end = self._messages, self._spans, len(self._messages)
        doubtful = stuck == at
        if doubtful:
            self.doubted.add(at)
        at = max(stuck, at + 1)
        if bad >= self._high or reaches or (self._small and doubtful):
            self._small = self.cuts is not None and stuck > bad and self.cuts(messages, bad)
            if self._small:
                low, stop = bad, stuck
                while stop < end and not self._begins(messages, stop):
                    stop += 1
                self._high = stop
            else:
                low, self._high = _around(messages, bad, self._is_word, self._word)
                self._word, stop = self._high, min(self._high + 1, end)
            while spans and low < spans[-1][1]:
                start, ended = spans.pop()
                low, stop = min(low, start), max(stop, ended)
            spans.append((low, stop))
        return min(at, self._high)


def widened(
    messages: Sequence[Any], spans: Sequence[tuple[int, int]], far: Iterable[int], is_word: Callable[[Any], bool]
) -> list[tuple[int, int]] | None:
    """Return the spans with those around other places; `None` when that is most of the history."""
    found = [*spans]
    for at in far:
        low, high = _around(messages, at, is_word, 0)
        found.append((low, min(high + 1, len(messages))))
    out: list[tuple[int, int]] = []
    for low, stop in sorted(found):
        if out and low < out[-1][1]:
            out[-1] = out[-1][0], max(stop, out[-1][1])
        else:
            out.append((low, stop))
    return None if _too_much(out, len(messages)) else out


def _too_much(spans: Sequence[tuple[int, int]], end: int) -> bool:
    return bool(spans) and sum(stop - low for low, stop in spans) * 2 > end


def _around(messages: Sequence[Any], at: int, is_word: Callable[[Any], bool], floor: int) -> tuple[int, int]:
    """Return the places of the user's words ahead of a place, the floor at most, and behind it, the end at most."""
    end = len(messages)
    low = max(at - 1, floor)  # what stands ahead may be part of the fault
    while low > floor and not (is_word(messages[low]) and not _is_users(messages[low - 1])):
        low -= 1
    high = at + 1
    while high < end and not (is_word(messages[high]) and _ends(messages, high)):
        high += 1
    return low, high


def onward(messages: Sequence[Any], start: int) -> Iterator[tuple[int, Any]]:
    """Yield the messages from a place on, each with its place."""
    return enumerate(map(messages.__getitem__, range(start, len(messages))) if start else messages, start)


def _ends(messages: Sequence[Any], at: int) -> bool:
    """Say whether no other message of the user follows, so that no joined turn is cut in two."""
    if at + 1 >= len(messages):
        return True
    return not _is_users(messages[at + 1])


def _is_users(native: Any) -> bool:
    return isinstance(native, dict) and native.get("role") == "user"


def stand_in(messages: Sequence[Any], start: int, stop: int) -> Message:
    """Return the view that stands for the healthy messages from `start` up to `stop`."""
    word = "(healthy messages)"
    native = {"role": "user", "content": word}
    # Opaque, and an item: no turn goes on in it, and nothing is joined to it.
    held = (Text(native=None, text=word, index=0, slot="self"),)
    view = Message(
        "opaque", held, native, form="item", extra={_GAP: (start, stop), _ENDS: (messages[start], messages[stop - 1])}
    )
    view.sound = True
    return view


def stretch(view: Message) -> tuple[int, int] | None:
    """Return the healthy messages that a view stands for; `None` for a view of a message."""
    found: tuple[int, int] | None = view.extra.get(_GAP)
    return found


def written(run: Sequence[Message], wire: Any, ahead: Message | None, behind: Message | None) -> Any:
    """Return what the wire writes the views between two stand-ins as."""
    return wire.write(
        run, None if ahead is None else ahead.extra[_ENDS][1], None if behind is None else behind.extra[_ENDS][0]
    )


def views_of(
    messages: Sequence[Any],
    spans: Sequence[tuple[int, int]],
    read: Callable[[Any, int], Sequence[Message]],
    doubted: Container[int],
) -> Iterator[Message]:
    """Yield views of the spans, and a stand-in for each stretch between them."""
    at = 0
    for start, stop in spans:
        if start > at:
            yield stand_in(messages, at, start)
        for place in range(start, stop):
            sound = place not in doubted
            for view in read(messages[place], place):
                view.sound = sound
                yield view
        at = stop
    if at < len(messages):
        yield stand_in(messages, at, len(messages))


def runs(views: Sequence[Message]) -> Iterator[tuple[Message | None, list[Message], Message | None]]:
    """Yield the views between stand-ins, with the stand-ins ahead of them and behind."""
    run: list[Message] = []
    ahead: Message | None = None
    for view in views:
        if stretch(view) is None:
            run.append(view)
            continue
        if run or ahead is not None:
            yield ahead, run, view
        run, ahead = [], view
    if run or ahead is None:
        yield ahead, run, None


def elsewhere(
    views: Sequence[Message],
    spans: Sequence[tuple[int, int]],
    places: Places,
    doubted: Sequence[Any],
) -> set[int] | None:
    """Return where ids in the spans stand in healthy stretches too; `None`: in too many places, or nobody knows.

    Args:
        views: The views of the spans.
        spans: The spans.
        places: Where each id stands.
        doubted: The native messages in the spans that may not be healthy by themselves. What no part was read from
            (a call in another format's shape) may become one, so all that they say is held against the ids.
    """
    starts = [start for start, _ in spans]
    far: set[int] = set()
    known: set[str] = set()
    older: set[str] = set()
    minted = any(type(name) is str and len(name) == MINTED for name in places)

    def look(name: Any, *, names_call: bool = False) -> None:
        if not isinstance(name, str):
            return
        if name in places and name not in known:
            known.add(name)
            for place in places.of(name):
                at = bisect_right(starts, place) - 1
                if at < 0 or place >= spans[at][1]:
                    far.add(place)
                if len(far) > _FAR:
                    return
        if names_call and minted and name not in older:
            # A result may name its call by the id from before an earlier healing, also where another call has kept it.
            older.add(name)
            for ordinal in range(ORDINALS):
                look(minted_id(name, ordinal))

    for view in views:
        if isinstance(view.native, dict):
            look(view.native.get("id"))  # an item's own id
        for part in view.parts:
            if not isinstance(part, (Call, Result)) or part.call_id is None:
                continue
            look(part.call_id, names_call=type(part) is not Call)
        if len(far) > _FAR:
            return None
    left: list[tuple[Any, Any]] = [(None, native) for native in doubted]
    for key, value in left:
        if type(value) is str:
            look(value, names_call=key in _NAMING)
        elif isinstance(value, dict):
            left += value.items()
        elif isinstance(value, list):
            left += [(None, one) for one in value]
        if len(left) > _MANY or len(far) > _FAR:
            return None
    return far


#: Where the formats' results name their calls.
_NAMING: Final = frozenset({"tool_call_id", "toolCallId", "tool_use_id", "toolUseId", "call_id"})
