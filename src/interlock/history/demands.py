"""What a target demands of a history of words, calls and results, in the form in which a quick look asks for it.

A look knows nothing else: whatever it meets besides (media, foreign reasoning, cache
markers) it leaves to the rules. So of a profile only little is left: which roles there
are, which message may follow which, what an id looks like, and what may be empty. All of
it is worked out once, so that a look costs the same for every target.

The order of messages is a table of what may follow what. Each message is of one kind, a letter: `s`
instructions, `u` the user's words, `a` the assistant's words, `c` the same with calls, `t` results;
`^` is the beginning, `?` any message that was looked at before, and `$` the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from interlock.history.cachemarks import outside
from interlock.history.naming import MINTED, matcher
from interlock.history.providers import Profile

__all__ = ["Demands", "demands_of", "thinking_of"]

_KINDS: Final = "suact"


@dataclass(frozen=True, slots=True, kw_only=True)
class Demands:
    """The demands of one target.

    Attributes:
        target: The name of its profile.
        instructs: Roles that give instructions.
        after: Kind of message -> the kinds that may follow it.
        name_fits: Says whether a tool may have a name.
        id_fits: Says whether a call may have an id; `None`: any text.
        id_words: A text that is an identifier of ASCII characters surely fits, which is told in a third of the time.
        id_nine: The same of nine ASCII letters and digits; no other text fits.
        longest: The most characters of an id.
        runs: Neighbouring messages of the assistant are one turn, behind which the results of all its calls stand.
        results_next: All the same results stand ahead of a message of the assistant's that makes no calls.
        once: An id may stand only once in the history.
        filled: The user's words may not be empty.
        visible: No text may be white space only.
        null: The assistant's content may be null beside calls.
        absent: It may be left out as well.
        lists: Content may be a list of texts.
        reasons: A result that says that the tool failed may not be empty.
        marks: Cache markers are counted, in formats whose messages and parts may have any.
        prefix: A message of the assistant may be marked as the beginning of the answer.
        bare: Nothing may stand beside a message's content and calls.
    """

    target: str
    instructs: frozenset[str]
    after: Mapping[str, frozenset[str]]
    name_fits: Callable[[str], object]
    id_fits: Callable[[str], object] | None
    id_words: bool
    id_nine: bool
    longest: int
    runs: bool
    results_next: bool
    once: bool
    filled: bool
    visible: bool
    null: bool
    absent: bool
    lists: bool
    reasons: bool
    marks: bool
    prefix: bool
    bare: bool


def demands_of(context: Any, *, signs: bool = True) -> Demands | None:
    """Return what the target of a history demands; `None` where a look at words, calls and results cannot tell.

    Args:
        context: The rules' `Context`.
        signs: Signatures that are due for calls are more than the look knows of.
    """
    profile: Profile = context.profile
    options: Mapping[str, Any] = context.options
    if profile.tools_declared and (context.tools == [] or (context.whole and context.tools is None)):
        return None  # the calls of the whole history are at fault
    if profile.signed_thinking and context.wire.name != "anthropic" and thinking_of(options) in ("enabled", "disabled"):
        return None
    if profile.cache_marks is not None:
        given = outside(options) + (options.get("cache_control") is not None)
        if given > profile.cache_marks:
            return None
    if signs and profile.thought_signatures and context.wire.signature_path:
        return None
    return _demands(profile, context.wire)


def thinking_of(options: Mapping[str, Any]) -> str | None:
    """Return a request's thinking switch (`enabled`, `disabled`, `adaptive`); `None` when it is not given."""
    given = options.get("thinking")
    if isinstance(given, bool):
        return "enabled" if given else "disabled"
    kind = given.get("type") if isinstance(given, Mapping) else given
    return kind if isinstance(kind, str) else None


@lru_cache(maxsize=256)
def _demands(profile: Profile, wire: Any) -> Demands | None:
    if profile.reasoning_field is not None or profile.empty_thinking:
        return None  # something is due beside the calls
    refused = _refused(profile, wire)
    return Demands(
        target=profile.name,
        instructs=frozenset(profile.roles) & {"system", "developer"},
        after={one: frozenset(other for other in _KINDS + "$" if one + other not in refused) for one in "^?" + _KINDS},
        name_fits=matcher(profile.name_pattern),
        id_fits=None if profile.id_pattern is None else matcher(profile.id_pattern),
        id_words=profile.id_pattern in _WORDS,
        id_nine=profile.id_pattern == _NINE,
        longest=profile.id_length or _LONGEST,
        runs=profile.merges_turns,
        results_next=profile.results_next,
        once=profile.unique_ids == "request" or profile.server_ids,
        filled="user" in profile.empty_roles or profile.empty_text,
        visible=profile.empty_text,
        null="assistant" not in profile.null_content,
        absent=not profile.absent_content,
        lists=not profile.string_content,
        reasons=profile.error_needs_text,
        marks=profile.cache_marks is not None,
        prefix=bool(profile.prefix),
        bare=bool(
            profile.signed_thinking
            or profile.refused_fields
            or profile.unknown_fields
            or profile.own_fields
            or profile.stale_field
            or profile.family == "google"
        ),
    )


_LONGEST: Final = 1 << 30
#: Patterns of ids that every identifier of ASCII characters matches; and the one of nine letters and digits.
_WORDS: Final = frozenset({"[a-zA-Z0-9_-]+", "[a-zA-Z0-9_.:-]+"})
_NINE: Final = f"[a-zA-Z0-9]{{{MINTED}}}"


def _refused(profile: Profile, wire: Any) -> set[str]:
    """Return the pairs of kinds that may not stand together."""
    out = {"?$"}
    if profile.last == "user" or profile.trailing_space:
        out |= {"a$", "c$"}
    if profile.first_user or profile.needs_turn:
        out |= {"s$"}  # there may be nothing but instructions
    if profile.alternates:
        out |= {"uu", "aa"}
        if wire.turn != "calls":  # a call is no message of its own
            out |= {"ac", "ca", "cc"}
        if wire.result_role == "user":
            out |= {"tt", "tu", "ut"}
    if profile.tool_then_user:
        out |= {"tu"}
    if profile.first_user or profile.first_call_behind_user:
        out |= {"^a", "^c", "sa", "sc"}  # calls may come later in the same turn
    match profile.system:
        case "leading":
            out |= {"us", "as", "cs", "ts"}
        case "single":
            out |= {"us", "as", "cs", "ts", "ss"}
        case "not-after-assistant":
            out |= {"as", "cs", "ts"}
        case "not-leading":
            out |= {"^s", "ss"}
        case "nowhere":
            out |= {one + "s" for one in "^" + _KINDS}
        case "anywhere":
            pass
    return out
