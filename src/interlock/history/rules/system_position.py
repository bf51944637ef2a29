"""IL033 system-position: a system message stands where the target does not take one.

What it finds:
    A second system message, or one behind other messages, depending on the target.
Why it matters:
    "System message must be at the beginning."; "Unexpected role 'system' after role 'assistant'";
    "system messages are only supported at the beginning of the conversation" (the AI SDK, for Google;
    it throws for Anthropic and Bedrock too); "role 'system' is not supported on this model".
    Source: ggml-org/llama.cpp#20733, mistral-common validators, vercel/ai google converter,
    anthropics/claude-code#61412; recorded requests to claude-opus-4-8 and claude-fable-5.

Example:
    before: system "a" / user "q" / system "c" / assistant "r"
    after:  system "a" / user "q" / user "<system>c</system>" / assistant "r"
Fix:
    fold (default)  it becomes a user's text in its place, tagged as what it is; the first one stays
                    as it is, and cached prompts with it
    join            as fold, but those that stand together at the front are joined
    hoist           all are joined to the first
    keep            left alone, not reported
Loss:
    fold   lossless
    join   lossless
    hoist  lossless: the words stay, their place does not
Known limits:
    Where a framework puts system messages into the request itself (LangChain, Pydantic AI, gateways that
    speak OpenAI's format) nothing is said of their place, unless the model is named and known to take none.
    On Anthropic's format a system message at the front is reported and left alone: it belongs in the
    request's `system` field. Later ones are folded for models that are named and known to refuse
    them (before Claude 4.8). What a system message says weighs more with most models than the same words of the user.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import DropMessage, Edit, InsertMessage, ReplaceMessage
from interlock.history.rules.base import Context, Finding, Rule, joined_text, role_changed, tagged
from interlock.history.turns import Message

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each system message that has to move or change."""
    kind, wire = context.profile.system, context.wire
    lead: list[Message] = []
    for message in messages:
        if message.role not in ("system", "developer"):
            break
        lead.append(message)
    late: list[Message] = []
    behind = ""
    for message in messages[len(lead) :]:
        wrong = kind != "not-after-assistant" or behind in ("assistant", "tool")
        if wrong and message.role in ("system", "developer"):
            late.append(message)
        else:
            behind = message.role
    policy = context.policy[RULE.name]
    if kind in ("not-leading", "nowhere"):
        for message in lead:
            yield Finding(message=message, reason=_BESIDE)
        late = late if kind == "nowhere" else []
        policy = "fold"
    extra = lead[1:] if kind == "single" else []
    joined = [] if policy == "fold" else [*extra, *(late if policy == "hoist" else ())]
    if lead and joined:
        edits: tuple[Edit, ...] = (ReplaceMessage(message=lead[0], new=(joined_text([lead[0], *joined], wire),)),)
        for message in joined:
            edits = (*edits, DropMessage(message=message))
            yield Finding(message=message, action="merged-messages", edits=edits, reason=_REASON)
            edits = ()
    done = {id(message) for message in joined} if lead else set[int]()
    for message in [*extra, *late]:
        if id(message) in done:
            continue
        new = role_changed(message, "user", wire)
        if new is None:
            yield Finding(message=message, reason=_REASON)
        elif policy == "hoist":
            moved = (DropMessage(message=message), InsertMessage(after=None, new=message))
            yield Finding(message=message, action="reordered-parts", edits=moved, reason=_REASON)
        else:
            yield Finding(
                message=message,
                action="replaced-part",
                edits=(ReplaceMessage(message=message, new=(tagged(new, wire),)),),
                reason=_REFUSED if kind == "nowhere" else _REASON,
            )


_REASON: Final = "a system message that is not the first"
_REFUSED: Final = "a system message, of which the model takes none"
_BESIDE: Final = "the target takes its first instructions in the request's `system` field, not as a message"


RULE: Final = Rule(
    code="IL033",
    name="system-position",
    policies={"fold": "lossless", "join": "lossless", "hoist": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.system != "anywhere",
)
