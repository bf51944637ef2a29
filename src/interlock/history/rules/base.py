"""What a rule is made of: its entry in the registry, the context it works in, the findings it yields."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from interlock.history.demands import thinking_of
from interlock.history.edits import Edit, InsertMessage, InsertParts, ReplacePart
from interlock.history.naming import IdMap
from interlock.history.pairing import Open, Pairing, Turn, TurnShape, pair
from interlock.history.providers import Profile
from interlock.history.stubs import is_stub
from interlock.history.turns import Approval, Call, ContentForm, Message, Opaque, Part, Reasoning, Result, Role, Text
from interlock.history.wires.base import Wire
from interlock.history.wires.objects import Fields
from interlock.vocabulary import RepairAction

__all__ = [
    "Context",
    "Finding",
    "Loss",
    "Rule",
    "answer",
    "assistant_turns",
    "both_hold",
    "call_in_words",
    "contradicts",
    "drop_part_action",
    "is_blank",
    "item_without",
    "joined_text",
    "joins_users",
    "leading_results",
    "leave_behind",
    "origins_of",
    "renamed_call",
    "renamed_calls",
    "role_changed",
    "speaker",
    "tagged",
    "thinking_setting",
    "with_words",
    "without",
]

# lossless: pairing stubs, renames, new orders, joins. lossy: something that a tool or a model
# produced goes. destructive: something that a user said goes; never by default.
Loss = Literal["lossless", "lossy", "destructive"]


_AnyPart = TypeVar("_AnyPart", bound=Part)


@dataclass(slots=True, kw_only=True)
class Context:
    """What a rule may know besides the conversation.

    Attributes:
        wire: The format of the history.
        profile: What the target requires.
        model: The model it goes to, when the caller knows.
        options: The request's other settings (`thinking`, `store`, ...).
        tools: The declared tools' names; `None` when the caller did not say.
        pending: Ids of calls that are still being answered; `"keep"`: all of the last turn.
        policy: The policy that is followed for each rule.
        whole: A whole request body was given, so that what it leaves out is not sent.
        target: Who gets the history, in the caller's word; the wire's own provider when none is named.
        stateful: The provider keeps earlier turns itself, so the history alone is not whole.
        names: New tool name -> the name in the input, filled by the renaming rule.
        ids: New call id -> the id in the input, of the rules that have run.
        given: New tool names that results got by themselves.
        counted: Results were held against the number of open calls, so that each call of the history counts.
        unreasoned: Ids of items whose reasoning a rule has dropped.
        renamed: New call id -> the one that it takes the place of, filled by the rule that is running.
    """

    wire: Wire
    profile: Profile
    model: str | None
    options: Mapping[str, Any]
    tools: Sequence[str] | None
    pending: frozenset[str] | Literal["keep"]
    policy: Mapping[str, str]
    target: str | None = None
    stateful: bool = False
    whole: bool = False
    names: dict[str, str] = field(default_factory=dict)
    ids: dict[str, str | None] = field(default_factory=dict)
    given: set[str] = field(default_factory=set)
    counted: bool = False
    unreasoned: set[str] = field(default_factory=set)
    renamed: dict[str, str | None] = field(default_factory=dict)
    _pairing: Pairing | None = None
    _held: Sequence[Message] | None = None
    _doubted: list[Message] | None = None
    _doubted_in: Sequence[Message] | None = None

    def pairing(self, messages: Sequence[Message]) -> Pairing:
        """Return which result answers which call; worked out once for each state of the conversation."""
        if self._held is not messages or self._pairing is None:
            shape: TurnShape = self.wire.turn
            if shape == "run" and not self.profile.merges_turns:
                shape = "message"
            elif shape == "run" and self.profile.results_next:
                shape = "steps"
            self.forget()
            self._pairing = pair(
                messages,
                shape=shape,
                result_role=self.wire.result_role,
                has_ids=self.wire.has_ids,
                is_stub=self._is_stub,
            )
            self._held = messages
            self.counted = self.counted or self._pairing.counted
        return self._pairing

    def doubted(self, messages: Sequence[Message]) -> list[Message]:
        """Return the messages with which something may be wrong whatever stands around them.

        All but those that the quick look has passed one by one. What a rule says of one message alone it
        need not ask of others.
        """
        if self._doubted_in is not messages or self._doubted is None:
            self._doubted = [message for message in messages if not message.sound]
            self._doubted_in = messages
        return self._doubted

    def forget(self) -> None:
        """Let go of the conversation that was looked at last."""
        if self._pairing is not None:
            self._pairing.release()
        self._pairing = self._held = self._doubted = self._doubted_in = None

    def reset(self) -> None:
        """Forget what a run has left."""
        self.names.clear()
        self.ids.clear()
        self.given.clear()
        self.counted = False
        self.unreasoned.clear()
        self.renamed.clear()
        self.forget()

    def _is_stub(self, result: Result, call: Call) -> bool:
        return is_stub(result, self, call)

    def settle(self) -> None:
        """Take over the ids that a rule has given, which no earlier one of its findings names."""
        if self.renamed:
            self.ids.update({new: self.given_id(old) for new, old in self.renamed.items()})
            self.renamed.clear()

    def given_id(self, call_id: str | None) -> str | None:
        """Return the id that a call has in the input; `None` where it has none there."""
        return self.ids.get(call_id, call_id) if call_id is not None else None

    def id_in_words(self, call_id: str) -> str:
        """Return how a reason names an id: as the input does, where it has one."""
        return repr(self.given_id(call_id) or call_id)

    def call_in_words(self, call: Call) -> str:
        """Return how a reason names a call, by what the input has of its id."""
        return call_in_words(self.given_id(call.call_id), call.name)

    def result_in_words(self, result: Result) -> str:
        """Return how a reason names a result, by what the input has of id and name."""
        call_id = self.given_id(result.call_id)
        if call_id:
            return f"result for {call_id!r}"
        return f"result of {result.name!r}" if result.name else "result without id and name"

    def insert_after(self, message: Message, role: Role, held: Sequence[Part]) -> tuple[Edit, ...]:
        """Return the edit that puts a new message behind another."""
        return (InsertMessage(after=message, new=self.wire.new_message(role, held)),)


@dataclass(slots=True, kw_only=True, eq=False)
class Finding:
    """One thing that a rule found, with the edits that its policy asks for; read-only by agreement, like views.

    Attributes:
        message: The message that it is about; `None` for the conversation as a whole.
        part: The part in it.
        action: What the edits do; `None` when no edit of the history can help.
        reason: One sentence.
        edits: The edits; empty when no edit can help.
        call_id: The call concerned.
        lossy: Overrides the policy's grade for this one finding.
    """

    message: Message | None
    reason: str
    part: Part | None = None
    action: RepairAction | None = None
    edits: tuple[Edit, ...] = ()
    call_id: str | None = None
    lossy: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule's entry in the registry.

    Attributes:
        code: Stable, never given twice.
        name: Named after the defect, so that "allow <name>" reads well.
        policies: What can be done, default first, each with what it loses; always has `keep`.
        applies: Whether a target requires what the rule checks.
        find: The function that looks and says what to do.
        page: The rule's page: its module's docstring.
        since: The release that brought it.
    """

    code: str
    name: str
    policies: Mapping[str, Loss]
    find: Callable[[Sequence[Message], Context], Iterator[Finding]]
    page: str
    applies: Callable[[Profile], bool] = lambda _: True
    since: str = "0.1.0"

    @property
    def default(self) -> str:
        """The policy that is followed unless the caller asks for another."""
        return next(iter(self.policies))

    def providers(self, profiles: Mapping[str, Profile]) -> tuple[str, ...]:
        """Return the names of the targets that the rule is for."""
        return tuple(name for name, profile in profiles.items() if self.applies(profile))

    def section(self, heading: str) -> str:
        """Return the text below one heading of the page, without its indentation; empty when it has none."""
        found = re.search(rf"^{re.escape(heading)}:\n((?:[ \t]+.*\n?|\n)+)", self.page, re.MULTILINE)
        return "" if found is None else re.sub(r"^ {4}", "", found[1], flags=re.MULTILINE).strip("\n")


def drop_part_action(message: Message) -> RepairAction:
    """Return what dropping one part of a message amounts to."""
    return "dropped-message" if len(message.parts) == 1 else "dropped-part"


def call_in_words(call_id: str | None, name: str | None) -> str:
    """Return how a reason names a call, by what it has of id and name."""
    if call_id:
        return f"call {call_id!r} ({name!r})" if name else f"call {call_id!r}"
    return f"a call of {name!r}" if name else "a call without id and name"


def origins_of(part: Part, message: Message) -> tuple[int, ...]:
    """Return which messages of the input a part of a message comes from."""
    return message.origins if part.origins is None else part.origins


def answer(
    messages: Sequence[Message], turn: Turn, found: Sequence[Result], context: Context
) -> tuple[RepairAction, tuple[Edit, ...]]:
    """Return the edits that put results into a turn's answer, behind the results that are there.

    The answer is the message (or the messages) right behind the turn. Where the wire lets
    results share a message they join the one that is there; where it does not, or where
    there is none, new messages are made.
    """
    wire = context.wire
    block = range(turn.last + 1, turn.answer_end)
    if wire.results_share and wire.result_role != "assistant":
        if turn.holder is None:
            holds = next((messages[at] for at in block if leading_results(messages[at])), None)
            if holds is None and len(block) and (wire.result_role == "tool" or joins_users(context)):
                holds = messages[block[0]]
            turn.holder = holds, 0 if holds is None else leading_results(holds)
        holder, lead = turn.holder
        if holder is not None:
            return "inserted-part", (InsertParts(message=holder, at=lead, new=tuple(found)),)
        new = wire.new_message(wire.result_role, found)
        return "inserted-message", (InsertMessage(after=messages[turn.last], new=new, shares=True),)
    behind = turn.last
    for at in reversed(block):
        if any(type(part) is Result for part in messages[at].parts):
            behind = at
            break
    after = messages[behind]
    return "inserted-message", tuple(
        [InsertMessage(after=after, new=wire.new_message(wire.result_role, (one,))) for one in found]
    )


def assistant_turns(messages: Sequence[Message], context: Context) -> Iterator[list[Message]]:
    """Yield the assistant's turns: single messages, or runs of them where the target joins neighbours."""
    turn: list[Message] = []
    for message in messages:
        if message.role == "assistant":
            if turn and not (context.profile.merges_turns and context.wire.turn != "message"):
                yield turn
                turn = []
            turn.append(message)
        elif turn:
            yield turn
            turn = []
    if turn:
        yield turn


def joins_users(context: Context) -> bool:
    """Say whether results and a user's words go well in one message for the target."""
    return (context.profile.merges_users or context.profile.alternates) and not context.profile.results_alone


def leading_results(message: Message) -> int:
    """Return how many results stand at the front of a message."""
    for at, part in enumerate(message.parts):
        if type(part) is not Result:
            return at
    return len(message.parts)


def thinking_setting(context: Context) -> str | None:
    """Return the request's thinking switch (`enabled`, `disabled`, `adaptive`); `None` when it is not given."""
    return thinking_of(context.options)


def leave_behind(
    messages: Sequence[Message], dropped: Sequence[Message], context: Context, *, ahead: bool = False
) -> None:
    """Note the ids of the items whose reasoning goes: those behind it in its turn, up to other reasoning.

    Args:
        messages: The conversation.
        dropped: The reasoning items that go.
        context: Where they are noted.
        ahead: What it led to may stand ahead of it.
    """
    if not dropped or not context.profile.items:
        return
    gone = {id(message) for message in dropped}
    found = context.unreasoned
    seen: list[str] = []  # what may belong to reasoning that is still to come
    own = 0  # how many of them surely belong to the reasoning ahead of them
    orphaned = reasoned = False
    for message in messages:
        part = message.parts[0] if message.parts else None
        if message.role == "user":
            seen, own, orphaned, reasoned = [], 0, False, False
        elif type(part) is Reasoning:
            orphaned = id(message) in gone
            if orphaned and ahead:
                found.update(seen[own:])
            reasoned = not orphaned
            seen, own = [], int(reasoned)
        elif type(part) is Result:
            if reasoned:
                seen, own = [], 0
        elif isinstance(message.native, dict) and isinstance(item := message.native.get("id"), str) and item:
            if orphaned:
                found.add(item)
            elif type(part) is not Opaque:  # what the provider ran itself is not sent by guess
                seen.append(item)


def joined_text(messages: Sequence[Message], wire: Wire) -> Message:
    """Return one message that holds all of several, in order; strings stay one string."""
    first = messages[0]
    held: list[Part] = []
    ahead: dict[str, int] = {}  # where the last part of each field stands
    words: dict[int, list[str]] = {}  # all that one string is joined of
    sources: dict[int, list[int]] = {}  # and where it comes from
    for message in messages:
        for part in message.parts:
            # The one ahead in the same field: reasoning and calls beside it do not part words.
            at = ahead.get(part.slot, -1)
            last = held[at] if at >= 0 else None
            if (
                isinstance(part, Text)
                and isinstance(last, Text)
                and isinstance(part.native, str)
                and isinstance(last.native, str)
            ):
                words.setdefault(at, [last.text]).append(part.text)
                sources[at] += origins_of(part, message)
            else:
                ahead[part.slot] = len(held)
                sources[len(held)] = [*origins_of(part, message)]
                held.append(part)
    for at, texts in words.items():
        one = held[at]
        if isinstance(one, Text):
            joined = wire.with_text(one, "\n\n".join(text for text in texts if text.strip()))
            held[at] = replace(joined, origins=tuple(dict.fromkeys(sources[at])))
    forms = [message.form for message in messages]
    form: ContentForm = "parts" if "parts" in forms else "string" if "string" in forms else forms[0]
    # Content comes ahead of what hangs beside it (calls), whatever message it came from.
    held.sort(key=lambda part: part.slot == "tool_calls")
    native = first.native
    if type(native) is dict:
        native = dict(native)
        for message in messages[1:]:
            for key, one_value in _beside(message, wire).items():
                native.setdefault(key, one_value)
        if len({speaker(message) for message in messages}) > 1:
            native = {key: value for key, value in native.items() if key != "name"}  # nobody said what another said
    return replace(
        first,
        native=native,
        parts=tuple(held),
        form=form,
        origins=tuple(origin for message in messages for origin in message.origins),
        changed=True,
    )


def _beside(message: Message, wire: Wire) -> dict[str, Any]:
    """Return the fields of a message that say something of it beside its parts."""
    parts = {"role", "id", "name", "content", wire.content_key, *wire.list_slots, *wire.single_slots}
    return {key: value for key, value in message.native.items() if key not in parts}


def contradicts(one: Message, other: Message, wire: Wire) -> bool:
    """Say whether two messages have different values in a field of which one message has one."""
    if type(one.native) is not dict or type(other.native) is not dict:
        return False
    mine = _beside(one, wire)
    return any(mine.get(key, value) != value for key, value in _beside(other, wire).items())


def both_hold(run: Sequence[Message], held: Mapping[str, Any], other: Message, wire: Wire) -> str | None:
    """Return a field for which a message cannot join a run: it takes one value, or nothing reads it; else `None`.

    Args:
        run: Messages that can be one.
        held: What they hold in fields of one value: field -> value.
        other: The message.
        wire: The format.
    """
    for part in other.parts:
        if part.slot in held and type(part.native) not in (str, list):
            return part.slot
        if part.slot in held and type(held[part.slot]) is not type(part.native):
            return part.slot
    for message in (run[0], other) if len(run) == 1 else (other,):
        # All that such a message says stands where nothing reads it: joined to another it would be out of sight.
        field = wire.unread(message) if all(wire.is_blank(part) for part in message.parts) else None
        if field is not None:
            return field
    return None


def tagged(message: Message, wire: Wire) -> Message:
    """Return a message of the user's whose words are marked as the instructions that they are."""
    held = tuple(
        wire.with_text(part, f"<system>{part.text}</system>") if isinstance(part, Text) and part.text.strip() else part
        for part in message.parts
    )
    return replace(message, parts=held, changed=True)


def speaker(message: Message) -> str | None:
    """Return the name of the one who speaks, where a message has one."""
    name = message.native.get("name") if isinstance(message.native, dict) else None
    return name if isinstance(name, str) else None


def role_changed(message: Message, role: Role, wire: Wire) -> Message | None:
    """Return the message with another role, read anew; `None` when it is not a plain JSON message."""
    return wire.with_role(message, role)


def without(part: _AnyPart, *keys: str) -> _AnyPart:
    """Return the part with a fragment that lacks these fields."""
    # A copy of its own kind: a format may keep more with a fragment than its fields.
    native = dict(part.native) if isinstance(part.native, Fields) else copy(part.native)
    for key in keys:
        native.pop(key, None)
    return replace(part, native=native)


def item_without(message: Message, *keys: str) -> Message:
    """Return a message, and the parts that are the whole message, without these fields."""
    native = {key: value for key, value in message.native.items() if key not in keys}
    held = tuple(without(part, *keys) if part.slot == "self" else part for part in message.parts)
    return replace(message, native=native, parts=held, changed=True)


def _renamed_pair(call: Open, new: str, wire: Wire) -> tuple[Edit, ...]:
    """Return the edits that give a call, its results and what else names it a new id."""
    named = wire.with_call(call.call, call_id=new)
    edits: list[Edit] = [ReplacePart(message=call.message, part=call.call, new=named, sound=True)]
    for bound in call.answers:
        if bound.result.call_id == new:
            continue  # the call has lost the id that it has here
        renamed = wire.with_result(bound.result, call_id=new)
        edits.append(ReplacePart(message=bound.message, part=bound.result, new=renamed, sound=True))
    if call.call.call_id is not None:
        edits += [
            ReplacePart(message=call.message, part=part, new=wire.with_approval(part, new))
            for part in call.message.parts
            if isinstance(part, Approval) and part.call_id == call.call.call_id
        ]
    return tuple(edits)


def renamed_call(call: Open, new: str, reason: str, context: Context) -> Finding:
    """Return the finding for a call that gets a new id, which the context remembers."""
    old = call.call.call_id
    context.renamed[new] = old
    edits = _renamed_pair(call, new, context.wire)
    return Finding(message=call.message, part=call.call, call_id=old, action="renamed", edits=edits, reason=reason)


def renamed_calls(
    messages: Sequence[Message], context: Context, unfit: Callable[[str], str | None]
) -> Iterator[Finding]:
    """Yield a finding for each call whose id does not fit; `unfit` says why, or nothing."""
    asked = (part for message in messages for part in message.parts if type(part) is Call and not part.server)
    if not any(part.call_id and unfit(part.call_id) for part in asked):
        return  # nothing to pair for
    ids, count = IdMap(), dict[str, int]()
    for call in context.pairing(messages).calls():
        old = call.call.call_id
        if not old:
            continue
        ordinal = count[old] = count.get(old, -1) + 1
        reason = unfit(old)
        if reason is None:
            ids.taken.add(old)
        else:
            yield renamed_call(call, ids.mint(old, ordinal), reason, context)


def with_words(message: Message, words: str, reason: str, context: Context) -> Finding:
    """Return the finding for a message that lacks text: it gets these words at its end."""
    # They stand for the message that lacks them.
    text = replace(context.wire.new_text(words, role=message.role), origins=message.origins)
    edits = (InsertParts(message=message, at=len(message.parts), new=(text,)),)
    return Finding(message=message, action="inserted-part", edits=edits, reason=reason)


def is_blank(message: Message, wire: Wire) -> bool:
    """Say whether a message holds nothing but blank text; what stands in a field that is not read is something."""
    for part in message.parts:  # every message is asked, and this is the quicker way
        if not wire.is_blank(part):
            return False
    return wire.unread(message) is None
