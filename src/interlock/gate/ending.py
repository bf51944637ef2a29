"""Why a turn ended, and whether that confirms its calls."""

from __future__ import annotations

from dataclasses import dataclass

from interlock.stream.calls import Call, Turn
from interlock.stream.coordinator import Coordinator
from interlock.stream.lifecycle import CallState
from interlock.stream.wires import Traits
from interlock.vocabulary import EndReason

__all__ = ["Ends"]

# When turns ended differently, the report names the worst end.
_WORST_FIRST: tuple[EndReason, ...] = (
    "provider_error",
    "content_filtered",
    "network_error",
    "length",
    "cancelled",
    "paused",
    "unknown",
    "complete",
)


@dataclass(frozen=True, slots=True)
class End:
    """Why a call's turn ended, and who says so."""

    reason: EndReason
    provider_reason: str | None
    seen: bool  # the provider's own terminal event arrived
    confirmed_by: str | None  # provider, done or eof, when the reason confirms


class Ends:
    """Tells the ends of one stream and of its turns."""

    def __init__(
        self,
        traits: Traits,
        coordinator: Coordinator,
        *,
        confirm_on_done: bool,
        keep_closed: bool,
        max_output_tokens: int | None,
    ) -> None:
        self._traits = traits
        self._coordinator = coordinator
        self._confirm_on_done = confirm_on_done
        self._keep_closed = keep_closed
        self._max_output_tokens = max_output_tokens

    def of_call(self, call: Call) -> End:
        """Return the end of a call's turn, as far as it concerns that call."""
        stream = self._coordinator
        turn = call.turn
        word = stream.provider_reason if turn.provider_reason is None else turn.provider_reason
        seen = turn.reason is not None or stream.reason is not None
        if stream.reason is not None and stream.reason != "complete":
            return End(stream.reason, stream.provider_reason or word, True, None)
        source = stream.source_end
        if stream.lost or source in ("error", "timeout"):
            # What the provider said against the turn before that stays said.
            against = turn.reason if turn.reason != "complete" else None
            return End(against or "network_error", word, seen, None)
        if turn.replaced and turn.reason is None:
            return End("unknown", None, False, None)
        reason = stream.reason if turn.reason is None else turn.reason
        confirmed_by = "provider"
        if reason is None:
            if not self._confirm_on_done or source != "eof":
                return End("cancelled" if source == "cancelled" else "unknown", None, False, None)
            if turn.doubt is not None:
                return End(turn.doubt[0], turn.doubt[1], False, None)
            if self._is_cut(turn):
                return End("unknown", None, False, None)
            reason, confirmed_by = "complete", "done" if stream.done else "eof"
        elif self._still_going():
            # The turn has ended, but nothing says that the stream has: more may follow.
            return End("cancelled" if source == "cancelled" else "unknown", word, seen, None)
        if reason == "complete" and self._at_token_limit():
            reason = "length"
        if call.end_reason is not None and call.end_reason != "complete" and reason in ("complete", "length"):
            reason = call.end_reason
        return End(reason, word, seen, confirmed_by)

    def _is_cut(self, turn: Turn) -> bool:
        """Whether a turn without an end stopped inside a call: then a clean end of the source is no end of it."""
        return any(
            call.state is not CallState.ENDED if self._traits.calls_end else call.inside
            for call in turn.calls
            if not call.server_executed
        )

    def _at_token_limit(self) -> bool:
        """Whether the usage says what the end reason hides: several servers rewrite `length`."""
        limit, stream = self._max_output_tokens, self._coordinator
        # With several turns (choices), the count is their sum and says nothing of one.
        return limit is not None and len(stream.turns) == 1 and stream.output_tokens >= limit

    def _still_going(self) -> bool:
        stream = self._coordinator
        if self._traits.ends == "stream":
            return stream.reason is None
        return self._traits.ends == "source" and stream.source_end != "eof" and not stream.done

    def of_stream(self) -> EndReason:
        """Return why the stream ended; of several turns' reasons, the worst."""
        stream = self._coordinator
        if stream.reason is not None and stream.reason != "complete":
            return stream.reason
        if stream.lost or stream.source_end in ("error", "timeout"):
            return "network_error"
        if self._still_going():
            return "cancelled" if stream.source_end == "cancelled" else "unknown"
        ends = {turn.reason for turn in stream.turns.values() if not (turn.replaced and turn.reason is None)}
        if not ends - {None}:
            if stream.reason is not None:
                return stream.reason
            return "cancelled" if stream.source_end == "cancelled" else "unknown"
        worst = next(reason for reason in _WORST_FIRST if (reason in ends or (reason == "unknown" and None in ends)))
        return "length" if worst == "complete" and self._at_token_limit() else worst

    def lets_run(self, call: Call, end: End) -> bool:
        """Whether the end lets a whole call execute."""
        if end.confirmed_by is None:
            return False
        if self._traits.calls_end and call.state is not CallState.ENDED:
            return False
        if end.reason == "complete":
            return True
        # A call's own end event is sent for a cut call too. Only the text of an object proves that it is whole:
        # no part of one is an object. Nothing at all, pieces and free text prove nothing.
        as_text = call.kind == "json" and call.assembly is None and call.received_bytes > 0
        return (
            end.reason == "length"
            and self._keep_closed
            and self._traits.calls_end
            and call.end_reason == "complete"
            and as_text
        )
