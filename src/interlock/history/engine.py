"""`heal` and `check`: run the rules in order, apply their edits, keep the audit list.

One call reaches the fix point: the rules run in rounds until a round changes
nothing, so that healing the result again finds nothing. Rules are ordered such
that a second round is nearly always only the proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final, Literal

from interlock.errors import HistoryRepairedError, InvalidOptionError, UnknownWireError
from interlock.history.detect import detect_wire
from interlock.history.edits import Edit, apply
from interlock.history.infer import MODEL_FIELDS, infer_provider, read_field
from interlock.history.naming import NameMap
from interlock.history.plain import as_plain, is_plain
from interlock.history.providers import SERVERS, lenient, profile_for
from interlock.history.records import Repair
from interlock.history.requests import history_key, renamed_tools, tool_names
from interlock.history.rereading import reread
from interlock.history.rules import BY_NAME, RULES, policies_for
from interlock.history.rules.base import Context, Finding, Rule
from interlock.history.short import Records, Written, goes_on, short_way
from interlock.history.spans import (
    Places,
    Scan,
    Suspects,
    elsewhere,
    runs,
    stretch,
    views_of,
    widened,
    written,
)
from interlock.history.stubs import may_hold_stub
from interlock.history.turns import Message
from interlock.history.wires import WIRES
from interlock.history.wires.base import Wire

__all__ = ["CheckResult", "HealResult", "check", "heal"]

_MAX_WIDER: Final = 4  # times that spans are made wider
_MAX_ROUNDS: Final = 12  # rounds; no generated history has needed more than 4
# Fields that a body has when it is what is sent, and not only a wrapper around the messages.
_WHOLE: Final = ("model", "modelId", "max_tokens", "inferenceConfig", "generationConfig", "anthropic_version")
#: For each run of views its native messages, and for each view the place of the message that holds it.
_Runs = list[tuple[list[Any], Sequence[int]]]
_NOTHING: Final[frozenset[str]] = frozenset()
_KEPT_BY_SERVER: Final = ("previous_response_id", "conversation", "cachedContent")
_WIRE_ALIASES: Final = {"ai_sdk_model": "ai_sdk", "openrouter": "openai_chat"}


@dataclass(frozen=True, kw_only=True)
class HealResult:
    """A healed history and the account of what was done.

    Attributes:
        messages: The history to send: the very object that was given when nothing changed;
            else a new list in which untouched messages are the same objects.
        repairs: What was changed, in order.
        remaining: What was found and cannot be healed by editing the history.
        changed: Whether anything was changed.
        wire: The format.
        provider: Whose rules were followed; `None` for the rules that all share.
        request: The healed request body when one was given, else `None`.
        ids: New call id -> the id in the input.
        names: New tool name -> the name in the input.
    """

    messages: Any
    repairs: tuple[Repair, ...] = field(default_factory=tuple)
    remaining: tuple[Repair, ...] = ()
    changed: bool = False
    wire: str
    provider: str | None
    request: Any = None
    ids: Mapping[str, str | None] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    _positions: tuple[int | None, ...] | None = field(default=None, repr=False)
    _source: Any = field(default=None, repr=False, compare=False)
    _write: Records | None = field(default=None, repr=False, compare=False)

    if not TYPE_CHECKING:  # where it would stand for any attribute

        def __getattr__(self, name: str) -> tuple[Repair, ...]:
            """Write the records when somebody asks for them: there may be thousands."""
            write = self.__dict__.get("_write")
            if name != "repairs" or write is None:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            made: tuple[Repair, ...] = write()
            self.__dict__.update(repairs=made, _write=None)
            return made

    @property
    def positions(self) -> tuple[int | None, ...]:
        """For each message of the input, where it is in the result; `None` when it is gone.

        That is where something of it stays in its own message, else where the first of its parts went.
        """
        if self._positions is not None:
            return self._positions
        return tuple(range(len(self.messages))) if isinstance(self.messages, (list, tuple)) else ()

    def undo(self) -> Any:
        """Return what was given: the messages, or the whole request body."""
        return self._source

    def new_repairs(self, earlier: HealResult | Iterable[Repair | Mapping[str, Any]]) -> tuple[Repair, ...]:
        """Return the repairs that an earlier call has not reported already.

        Args:
            earlier: The earlier result, or its repairs, or their JSON forms.
        """
        known = earlier.repairs if isinstance(earlier, HealResult) else earlier
        seen = {_mark(one.to_json() if isinstance(one, Repair) else one) for one in known}
        return tuple(one for one in self.repairs if _mark(one.to_json()) not in seen)

    def to_json(self) -> dict[str, Any]:
        """Return the result as the contract's JSON object."""
        out: dict[str, Any] = {"wire": self.wire, "provider": self.provider, "changed": self.changed}
        if self.request is not None:
            out["request"] = self.request
        else:
            out["messages"] = self.messages
        out["repairs"] = [repair.to_json() for repair in self.repairs]
        if self.remaining:
            out["remaining"] = [finding.to_json() for finding in self.remaining]
        return out


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What `heal` would find, without the healed history.

    Attributes:
        findings: What was found, in order; those with `healed=False` no edit can put right.
        wire: The format.
        provider: Whose rules were followed; `None` for the rules that all share.
    """

    findings: tuple[Repair, ...] = ()
    wire: str
    provider: str | None

    @property
    def valid(self) -> bool:
        """Nothing was found."""
        return not self.findings

    def to_json(self) -> dict[str, Any]:
        """Return the result as the contract's JSON object."""
        return {
            "wire": self.wire,
            "provider": self.provider,
            "changed": any(finding.healed for finding in self.findings),
            "findings": [finding.to_json() for finding in self.findings],
        }


def heal(
    messages: Any,
    wire: str | None = None,
    provider: str | None = None,
    policy: Mapping[str, str] | None = None,
    strict: bool = False,
    on_repair: Callable[[Repair], object] | None = None,
    model: str | None = None,
    tools: Any = None,
    pending: Iterable[str] | Literal["keep"] = (),
    options: Mapping[str, Any] | None = None,
) -> HealResult:
    """Return a history that the provider accepts, and an account of every change.

    Pure: the input is never changed, messages that need no repair are the same objects
    in the result, and a healthy history comes back as the object that was given. Healing
    the result again changes nothing.

    Args:
        messages: A list of native messages, or a whole request body that holds one
            (`messages`, `input` or `contents`).
        wire: The format; told from the data when left out.
        provider: Whose rules to satisfy, also a server profile; the wire's own provider when left out.
        policy: Rule name -> policy, for rules that should not follow their default.
        strict: Raise when anything is found.
        on_repair: Called with each `Repair`. What it raises is ignored.
        model: The model that the history goes to, for rules that depend on it.
        tools: The declared tools: names, a mapping by name, or a provider's own array.
        pending: Ids of calls that are still being answered; `"keep"` for all of the last turn.
        options: The request's other settings that rules look at (`thinking`, `store`, ...), and
            `stub_text` (text, or a function of the call), `stub_is_error`, `synthetic_outputs`.

    Returns:
        A `HealResult`.

    Raises:
        UnknownWireError: The format is unknown, or nothing tells it.
        AmbiguousWireError: The data fits several formats.
        InvalidOptionError: An unknown provider, rule or policy.
        HistoryRepairedError: With `strict`, when something was found.
    """
    source, first = messages, None
    if policy is None and tools is None and options is None and not pending and type(messages) is list and messages:
        # Nothing but a history was given, so that all that a look asks for is known from earlier calls.
        plan = _plan(wire, provider, model)
        if plan is not None and plan.scan is not None:
            places = Places([] if plan.small else None)
            first = places, *plan.scan(messages, 0, places)
            if first[1] >= len(messages) and not places.lost:
                return _untouched(messages, plan.wire, plan.label, None, messages)
    key = history_key(messages)
    body: Mapping[str, Any] = messages if key is not None else {}
    format_ = _wire(wire, messages, provider, model)
    history = messages[key] if key is not None else messages
    if options is not None and not isinstance(options, Mapping):
        raise InvalidOptionError(f"options is {options!r}; expected a mapping from setting to value, or None")
    settings: Mapping[str, Any] = options or {}
    if key is not None:
        settings = {**{name: body[name] for name in body if name != key}, **settings}
    context = _context(format_, provider, policy, model, tools, pending, settings)
    context.whole = key is not None and any(name in body for name in _WHOLE)
    label = None if context.profile.name == "generic" else context.profile.name
    request = source if key is not None else None
    if not isinstance(history, (list, tuple)) and not context.names:
        return _untouched(history, format_, label, request, source)
    scan = None if context.names else format_.scanner(context)
    remaining: tuple[Repair, ...] = ()
    written: Written | None = None
    repairs: tuple[Repair, ...] = ()
    short = None
    if scan is not None and history:
        if first is None:
            places = Places([] if goes_on(context) else None)
            first = places, *scan(history, 0, places)
        if first[1] >= len(history) and not first[0].lost:
            return _untouched(history, format_, label, request, source)
        short = short_way(history, context, scan, *first)
    if short is not None:
        written, write = short
        if format_.shares_messages:
            write = partial(_written_as, write, *written)
        if not strict and on_repair is None and key is None:
            return _later(written, write, context, label, source)
        repairs = write()
    elif isinstance(history, (list, tuple)):
        suspects = _suspects(history, format_, context, scan, first)
        found, plain = _found(history, format_, context, scan, suspects)
        repairs, remaining = found.repairs, found.remaining
        if repairs:
            written = _written(found, plain, format_)
            if plain is not history:
                written = _given_back(written[0], plain, history), written[1]
            if format_.shares_messages:
                repairs = _as_written(found.repairs, *written)
    tool_fields: dict[str, Any] = {}
    if context.names:
        tool_fields = renamed_tools(body, {old: new for new, old in context.names.items()})
        repairs = (*_tool_repairs(tool_fields, context), *repairs)
    if strict and (repairs or remaining):
        raise HistoryRepairedError((*repairs, *remaining))
    if on_repair is not None:
        for repair in repairs:
            try:
                on_repair(repair)
            except Exception:
                continue
    if not repairs:
        return HealResult(
            messages=history, remaining=remaining, wire=format_.name, provider=label, request=request, _source=source
        )
    # Without edits only the declared tools have changed.
    healed, positions = written if written is not None else (history, None)
    return HealResult(
        messages=healed,
        repairs=repairs,
        remaining=remaining,
        changed=True,
        wire=format_.name,
        provider=label,
        request={**body, key: healed, **tool_fields} if key is not None else None,
        ids=context.ids,
        names=context.names,
        _positions=positions,
        _source=source,
    )


def check(
    messages: Any,
    wire: str | None = None,
    provider: str | None = None,
    policy: Mapping[str, str] | None = None,
    strict: bool = False,
    on_repair: Callable[[Repair], object] | None = None,
    model: str | None = None,
    tools: Any = None,
    pending: Iterable[str] | Literal["keep"] = (),
    options: Mapping[str, Any] | None = None,
) -> CheckResult:
    """Report what `heal` would find; the arguments are the same.

    Raises:
        UnknownWireError: The format is unknown, or nothing tells it.
        AmbiguousWireError: The data fits several formats.
        InvalidOptionError: An unknown provider, rule or policy.
        HistoryRepairedError: With `strict`, when something was found.
    """
    result = heal(messages, wire, provider, policy, strict, on_repair, model, tools, pending, options)
    return CheckResult(findings=(*result.repairs, *result.remaining), wire=result.wire, provider=result.provider)


def _later(written: Written, write: Records, context: Context, provider: str | None, source: Any) -> HealResult:
    """Return a result whose records are written when somebody asks for them."""
    result = object.__new__(HealResult)
    result.__dict__.update(
        messages=written[0],
        changed=True,
        wire=context.wire.name,
        provider=provider,
        ids=context.ids,
        names={},
        _positions=written[1],
        _source=source,
        _write=write,
    )
    return result


def _untouched(history: Any, wire: Wire, provider: str | None, request: Any, source: Any) -> HealResult:
    """Return the result for a healthy history.

    Past the constructor, which sets the fields of a frozen class one by one: a third of what a short history costs.
    """
    result = object.__new__(HealResult)
    result.__dict__.update(
        messages=history,
        repairs=(),
        wire=wire.name,
        provider=provider,
        request=request,
        ids={},
        names={},
        _source=source,
    )
    return result


def _wire(name: Any, data: Any, provider: Any, model: Any) -> Wire:
    if name is None:
        return WIRES[detect_wire(data, provider=provider if isinstance(provider, str) else None, model=model)]
    found = WIRES.get(_WIRE_ALIASES.get(name, name)) if isinstance(name, str) else None
    if found is None:
        raise UnknownWireError(
            f"wire is {name!r}; expected one of {', '.join(sorted(WIRES))}",
            wire=name if isinstance(name, str) else None,
            known=tuple(sorted(WIRES)),
        )
    return found


def _waiting(pending: Any) -> frozenset[str] | Literal["keep"]:
    if not pending:
        return _NOTHING
    if isinstance(pending, str):
        return "keep" if pending == "keep" else frozenset((pending,))
    if not isinstance(pending, Iterable):
        raise InvalidOptionError(f"pending is {pending!r}; expected ids of calls, or 'keep'")
    return frozenset(one for one in pending if isinstance(one, str))


def _context(
    wire: Wire,
    provider: Any,
    policy: Any,
    model: Any,
    tools: Any,
    pending: Any,
    settings: Mapping[str, Any],
) -> Context:
    if model is None:
        named = settings.get("model", settings.get("modelId"))  # Converse's word for it
        model = named if isinstance(named, str) else None
    told = infer_provider(model) if model else None
    if model is not None and not isinstance(model, str):
        model = _model_name(model)
    if provider is None:
        provider = wire.provider
        if told is not None and (
            provider is None
            or (wire.turn == "calls" and told in SERVERS)
            or (wire.name == "openai_chat" and told == "mistral")
        ):
            # Servers that speak Responses have rules of their own, and their models' names say which; Mistral's
            # own endpoint speaks the chat format.
            provider = told
    elif not isinstance(provider, str):
        raise InvalidOptionError(f"provider is {provider!r}; expected a name, see `infer_provider`")
    profile = profile_for(provider, wire=wire.name, model=model)
    declared = tools if tools is not None else settings.get("tools", settings.get("toolConfig"))
    context = Context(
        wire=wire,
        profile=profile,
        model=model,
        options=settings,
        tools=None if declared is None else tool_names(declared),
        pending=_waiting(pending or settings.get("pending")),
        policy=policies_for(policy),
        target=None if provider is None else provider.strip().lower(),
        stateful=bool(settings) and any(settings.get(key) for key in _KEPT_BY_SERVER),
    )
    if context.tools and context.policy["invalid-tool-name"] != "keep":
        names = NameMap(profile.name_pattern, context.tools)
        for name in context.tools:
            new = names.new_name(name)
            if new != name:
                context.names[new] = name
    return context


def _model_name(model: Any) -> str:
    """Return the name that a framework's model object has."""
    for field_ in MODEL_FIELDS:
        name = read_field(model, field_)
        if name:
            return name
    raise InvalidOptionError(
        f"model is {type(model).__name__}; expected a model's name, or an object that has one in "
        f"{', '.join(MODEL_FIELDS)}"
    )


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is known before the history is looked at, of a call that gives nothing besides.

    Attributes:
        wire: The format.
        label: The provider's name in the result.
        scan: The quick look, where there is one.
        small: Where all that is wrong is that results are lost, the look goes on behind them.
    """

    wire: Wire
    label: str | None
    scan: Scan | None
    small: bool


def _plan(wire: Any, provider: Any, model: Any) -> _Plan | None:
    """Return it for a named format; `None` where names are not plain texts."""
    for one in (wire, provider, model):
        if one is not None and type(one) is not str:
            return None
    return None if wire is None else _planned(wire, provider, model)


@lru_cache(maxsize=256)
def _planned(wire: str, provider: str | None, model: str | None) -> _Plan:
    format_ = _wire(wire, None, provider, model)
    context = _context(format_, provider, None, model, None, (), {})
    label = None if context.profile.name == "generic" else context.profile.name
    return _Plan(format_, label, format_.scanner(context), goes_on(context))


def _suspects(
    history: Sequence[Any],
    wire: Wire,
    context: Context,
    scan: Scan | None,
    first: tuple[Places, int, int] | None = None,
) -> Suspects | None:
    """Return where to look closely; `None` when there is no quick look for this target."""
    if not history or scan is None:
        return None
    found = Suspects(history, wire.is_word, wire.begins, wire.cuts if goes_on(context) else None)
    found.look(scan, first)
    return found


@dataclass(slots=True, eq=False)
class _Outcome:
    """What the rules have made of a conversation.

    Attributes:
        views: The conversation.
        repairs: What was changed.
        remaining: What was found and stays.
        runs: What the views between stand-ins are written as, and in which message each view is, where the
            proof that nothing is left has needed it.
    """

    views: list[Message]
    repairs: tuple[Repair, ...]
    remaining: tuple[Repair, ...]
    runs: _Runs | None = None


def _found(
    history: Sequence[Any], wire: Wire, context: Context, scan: Scan | None, suspects: Suspects | None
) -> tuple[_Outcome, Sequence[Any]]:
    """Return what the rules make of a history, and the history without the clients' objects where it was read."""
    plain = history
    spans = None if suspects is None else suspects.spans()
    if not wire.reads_objects:
        plain = _plain(history, spans, wire)
        if plain is not history:
            suspects = _suspects(plain, wire, context, scan)
            spans = None if suspects is None else suspects.spans()
    found = None
    if suspects is not None and scan is not None:
        if suspects.any:
            found = _look(plain, wire, context, scan, suspects, spans)
        else:
            return _Outcome([], (), ()), plain
    if found is None:
        if spans is not None and not wire.reads_objects:
            plain = _plain(plain, None, wire)
        views = wire.read(plain)
        if suspects is not None:
            doubted = suspects.doubted & _doubted_otherwise(plain, wire, context)
            for view in views:
                view.sound = view.origins[0] not in doubted
        found = _run(views, context, scan)
    return found, plain


def _doubted_otherwise(history: Sequence[Any], wire: Wire, context: Context) -> set[int]:
    """Return the messages that are not surely healthy by themselves even if the target took any id and any name.

    Where a history goes to another provider each of its calls may have to change, and nothing else: what says
    something of single messages is no rule about ids or names.
    """
    scan = wire.scanner(replace(context, profile=lenient(context.profile)))
    if scan is None:
        return set(range(len(history)))
    found = Suspects(history, wire.is_word, wire.begins, None)
    found.look(scan)
    return found.doubted


def _look(
    history: Sequence[Any],
    wire: Wire,
    context: Context,
    scan: Scan,
    suspects: Suspects,
    places: list[tuple[int, int]] | None,
) -> _Outcome | None:
    """Run the rules on the spans alone; `None` where they do not say enough, and the whole history has to be read."""
    doubted = [history[at] for at in suspects.doubted]
    far = None
    for _ in range(_MAX_WIDER):
        if places is None:
            break
        views = list(views_of(history, places, wire.read_at, suspects.doubted))
        far = elsewhere(views, places, suspects.places, doubted)
        if not far:
            break
        places = widened(history, places, far, wire.is_word)
    if places is None or far or far is None:
        return None
    stretches = sum(stretch(view) is not None for view in views)
    out = _run(views, context, scan, history if suspects.cuts else ())
    kept = sum(stretch(view) is not None and not view.changed for view in out.views)
    new = context.names.keys() | context.ids.keys() | context.given
    # Calls with stubs are open, also where all is healthy.
    counts = context.counted and any(may_hold_stub(history[at], context) for at in _beyond(places, len(history)))
    if (
        not counts
        and kept == stretches
        and suspects.places.names.isdisjoint(new)
        and suspects.places.keys().isdisjoint(new)
    ):
        return out
    # What stands beyond the spans counts too, or a new name or id is in use there.
    context.reset()
    return None


def _beyond(spans: Sequence[tuple[int, int]], end: int) -> Iterator[int]:
    """Yield the places outside of spans."""
    at = 0
    for start, stop in spans:
        yield from range(at, start)
        at = stop
    yield from range(at, end)


def _plain(history: Sequence[Any], places: list[tuple[int, int]] | None, wire: Wire) -> Sequence[Any]:
    """Return the history with the clients' objects in these stretches (`None`: everywhere) as JSON.

    The history itself when there are none.
    """
    new: list[Any] | None = None
    for start, stop in [(0, len(history))] if places is None else places:
        for at in range(start, stop):
            message = history[at]
            if is_plain(message) or (plain := as_plain(message, nulls=not wire.omits_nulls)) is message:
                continue
            new = new if new is not None else [*history]
            new[at] = plain
    return history if new is None else new


def _given_back(healed: list[Any], plain: Sequence[Any], history: Sequence[Any]) -> list[Any]:
    """Return the healed messages, with the very objects that were given where nothing changed them."""
    given = {id(one): old for one, old in zip(plain, history, strict=True)}
    return [given.get(id(one), one) for one in healed]


def _written(found: _Outcome, history: Sequence[Any], wire: Wire) -> Written:
    """Return the native history of an outcome, and where each message of the input went."""
    ready = iter(found.runs or ())
    positions: list[int | None] = [None] * len(history)
    out: list[Any] = []
    run: list[Message] = []
    ahead: Message | None = None

    def write(behind: Message | None) -> None:
        healed, places = next(ready, None) or written(run, wire, ahead, behind)
        for place, view in zip(places, run, strict=True):
            for origin in view.origins:
                if positions[origin] is None:
                    positions[origin] = len(out) + place
        out.extend(healed)
        run.clear()

    for view in found.views:
        healthy = stretch(view)
        if healthy is None:
            run.append(view)
            continue
        if run:
            write(view)
        ahead = view
        start, stop = healthy
        positions[start:stop] = range(len(out), len(out) + stop - start)
        out += history[start:stop]
    if run:
        write(None)
    return out, tuple(positions)


def _run(views: list[Message], context: Context, scan: Scan | None = None, history: Sequence[Any] = ()) -> _Outcome:
    active = [rule for rule in RULES if context.policy[rule.name] != "keep" and rule.applies(context.profile)]
    repairs: list[Repair] = []
    remaining: list[Repair] = []
    proof: _Runs | None = None
    for _ in range(_MAX_ROUNDS):
        remaining = []
        changed = False
        for rule in active:
            edits: list[Edit] = []
            for finding in rule.find(views, context):
                record = _record(rule, finding, views, context)
                if finding.edits:
                    edits.extend(finding.edits)
                    repairs.append(record)
                else:
                    remaining.append(record)
            context.settle()
            if edits:
                views = apply(views, edits, context.wire.unread)
                changed = True
        if changed and scan is not None and not remaining:
            proof = _proof(views, context.wire, scan, history)
        if not changed or proof is not None:
            break
        views = reread(views, context.wire)
    context.forget()
    return _Outcome(views, tuple(repairs), tuple(remaining), proof)


def _proof(views: Sequence[Message], wire: Wire, scan: Scan, history: Sequence[Any]) -> _Runs | None:
    """Return what these views are written as if the quick look passes it, so that no rule can find anything in it."""
    out: _Runs = []
    places = Places()
    seen: list[Any] = []
    for ahead, run, behind in runs(views):
        start = None if ahead is None else stretch(ahead)
        if not run or (start is not None and run[0].origins[:1] != start[1:]):
            return None  # what parts the run from the healthy messages ahead of it has gone
        native, held = written(run, wire, ahead, behind)
        out.append((native, held))
        at = len(seen) + (start is not None)  # a run behind others does not begin the history
        seen[len(seen) :] = [None, *native] if start is not None else native
        end = len(seen)
        stop = None if behind is None else stretch(behind)
        if stop is not None and run[-1].origins[-1:] != (stop[0] - 1,):
            if not history:
                return None
            seen.append(history[stop[0]])  # which stands behind another message now
        bad, stuck = scan(seen, at, places)
        if bad < end or stuck < len(seen):
            return None
    return out


def _record(rule: Rule, finding: Finding, views: Sequence[Message], context: Context) -> Repair:
    policy = context.policy[rule.name]
    part = finding.part
    before = None
    if finding.action not in ("inserted-message", "inserted-part"):
        source = part if part is not None else finding.message
        before = None if source is None else source.native
    lossy = finding.lossy
    whole = finding.message if finding.action == "dropped-message" and part is not None else None
    if whole is not None and context.wire.unread(whole) is not None:
        before, lossy = whole.native, True  # what no part was read from goes as well
    gone = finding.message if finding.action == "dropped-message" and part is None else None
    if gone is not None and gone.changed and gone.parts:
        before = context.wire.assemble(gone)  # as it has become: other messages may be in it
    return Repair(
        code=rule.code,
        rule=rule.name,
        message_index=part.origins[0] if part is not None and part.origins else _index(finding.message, views),
        part_index=None if part is None else part.index,
        action=finding.action,
        reason=finding.reason,
        call_id=context.given_id(finding.call_id),
        lossy=lossy if lossy is not None else rule.policies[policy] != "lossless",
        policy=policy,
        healed=bool(finding.edits),
        before=before,
    )


def _written_as(write: Records, healed: Sequence[Any], positions: Sequence[int | None]) -> tuple[Repair, ...]:
    """Write records, and put them as `_as_written` does."""
    return _as_written(write(), healed, positions)


def _as_written(
    repairs: Sequence[Repair], healed: Sequence[Any], positions: Sequence[int | None]
) -> tuple[Repair, ...]:
    """Return the records in the words of native messages, of which one may hold what the rules see as several."""
    fresh = len(healed) - len({place for place in positions if place is not None})
    out: list[Repair] = []
    for repair in repairs:
        action = repair.action
        kept = repair.message_index is not None and positions[repair.message_index] is not None
        if action == "dropped-message" and kept:
            action = "dropped-part"
        elif action == "inserted-message":
            fresh -= 1
            action = action if fresh >= 0 else "inserted-part"
        out.append(repair if action == repair.action else replace(repair, action=action))
    return tuple(out)


def _index(message: Message | None, views: Sequence[Message]) -> int | None:
    """Return a message's place in the input; for one that was inserted, that of the one ahead of it."""
    if message is None:
        return None
    if message.origins:
        return message.origins[0]
    last = None
    for view in views:
        if view is message:
            return last
        last = view.origins[-1] if view.origins else last
    return last


def _tool_repairs(fields: Mapping[str, Any], context: Context) -> Iterator[Repair]:
    """Yield the record of each declared tool that a request body has under another name now."""
    rule = BY_NAME["invalid-tool-name"]
    for new, old in context.names.items() if fields else ():
        if old in (context.tools or ()):
            yield Repair(
                code=rule.code,
                rule=rule.name,
                message_index=None,
                part_index=None,
                action="renamed",
                reason=f"the declared tool {old!r} is sent as {new!r}",
                policy=context.policy[rule.name],
                before=old,
            )


def _mark(record: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(record.get(key) for key in ("rule", "message_index", "part_index", "action", "call_id", "reason"))
