"""IL036 foreign-thinking: reasoning that another provider or another model made.

What it finds:
    Reasoning whose maker is known (the format belongs to one provider, the part says so, or the caller
    notes it in `_origin`) and is not the target; a block of it where the target has none; signed
    reasoning of another model of the same provider.
Why it matters:
    "messages.1.content.0: Invalid `signature` in `thinking` block"; a signature holds for its maker's
    route only.
    Source: anomalyco/opencode#48637, ding113/claude-code-hub#518.

Example:
    before: assistant [thinking of model-a, "One"] sent to model-b
    after:  assistant ["One"]
Fix:
    drop-reasoning (default)   the part goes
    to-text                    its words become text of the assistant, tagged as what they are
    keep                       left alone, not reported
Loss:
    drop-reasoning             lossy: the reasoning
    to-text                    lossless
Known limits:
    Without a note of its origin a signature cannot be checked, and nothing is dropped by guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import DropPart, Edit, ReplacePart
from interlock.history.infer import infer_provider
from interlock.history.providers import PROFILES, SERVERS
from interlock.history.rules.base import Context, Finding, Rule, drop_part_action, leave_behind
from interlock.history.turns import Message, Reasoning

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each reasoning part that is known to be another's."""
    dropped: list[Message] = []
    for message in context.doubted(messages):
        if not any(type(part) is Reasoning for part in message.parts):
            continue
        maker, model = _origin(message, context)
        for part in message.parts:
            if type(part) is not Reasoning or part.slot not in ("content", "parts", "self"):
                continue
            family = _family(part.origin) or maker
            if context.wire.name == "bedrock_converse" and not part.signature and "_origin" not in message.native:
                family = None  # of one of the makers who do not sign
            misfit = context.profile.strict_parts and part.slot == "content" and _has_no_place(part, context)
            if misfit and message.role != "assistant":
                yield Finding(message=message, part=part, reason=f"reasoning in a message of the role {message.role!r}")
                continue
            foreign = misfit or (family is not None and family != context.profile.family)
            other = model is not None and _differs(model, context.model) and bool(part.signature)
            if not (foreign or other):
                continue
            if part.slot == "self":
                dropped.append(message)
            edit: Edit = DropPart(message=message, part=part)
            words = part.text.strip()
            as_text = context.policy[RULE.name] == "to-text" and bool(words) and part.slot != "self"
            if as_text:
                text = context.wire.new_text(f"<thinking>{words}</thinking>", role="assistant")
                edit = ReplacePart(message=message, part=part, new=text)
            yield Finding(
                message=message,
                part=part,
                action="replaced-part" if as_text else drop_part_action(message),
                edits=(edit,),
                reason=f"reasoning of {family or 'another provider' if foreign else model!r}, sent elsewhere",
            )
    leave_behind(messages, dropped, context)


_DATE: Final = re.compile(r"(?:[-@](?:20\d{6}|20\d\d-\d\d-\d\d|latest))+$")


def _differs(one: str, other: str | None) -> bool:
    """Say whether two names are of two models: a date behind a name is not another model."""
    return other is not None and one != other and _DATE.sub("", one) != _DATE.sub("", other)


def _has_no_place(part: Reasoning, context: Context) -> bool:
    """Say whether a block is for certain another format's: OpenAI's has none of them, Mistral's holds a list."""
    family = context.profile.family
    return family == "openai" or (family == "mistral" and isinstance(part.native.get("thinking"), str))


def _family(name: str | None) -> str | None:
    """Return whose signatures a provider's reasoning carries, in whatever words it is named."""
    if not name:
        return None
    found = PROFILES.get(name) or PROFILES.get(infer_provider(name) or "")
    return found.family if found is not None else None


def _origin(message: Message, context: Context) -> tuple[str | None, str | None]:
    note = message.native.get("_origin") if isinstance(message.native, dict) else None
    if isinstance(note, dict):
        provider, model = note.get("provider"), note.get("model")
        maker = _family(provider if isinstance(provider, str) else None)
        return maker or _of_wire(context), model if isinstance(model, str) else None
    return _of_wire(context), None


def _of_wire(context: Context) -> str | None:
    """Return the one maker of reasoning in a format; other servers speak the format with their own."""
    if context.wire.name == "bedrock_converse":  # models of several makers, of whom one signs
        return "anthropic"
    own = context.wire.name in ("anthropic", "gemini", "bedrock_converse", "openai_responses")
    return _family(context.wire.provider) if own and context.profile.name not in SERVERS else None


RULE: Final = Rule(
    code="IL036",
    name="foreign-thinking",
    policies={"drop-reasoning": "lossy", "to-text": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.family is not None,
)
