"""IL036 foreign-thinking: reasoning that another provider or another model made.

What it finds:
    Reasoning whose maker is known (the format belongs to one provider, the part says so, or the caller
    notes it in `_origin`) and is not the target; a block of it where the target has none: in the chat format
    only Mistral takes a `thinking` block that holds a list, and only Cohere, and gateways to Claude, one
    that holds a text; signed reasoning of another model of the same provider.
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
    Without a note of its origin a signature cannot be checked, and nothing is dropped by guess. So the
    fields `reasoning_content`, `reasoning` and `reasoning_details` stay, but for servers that refuse them
    (IL053), and blocks of Anthropic's format and items of OpenAI's for servers that speak these with
    reasoning of their own (DeepSeek, Moonshot, MiniMax, ...). OpenRouter and Copilot may stand for
    Claude, and for Mistral where the model is named so: they get the blocks of these.
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
            family = _family(part.origin) or _of_shape(part, context) or maker
            if context.wire.name == "bedrock_converse" and not part.signature and "_origin" not in message.native:
                family = None  # of one of the makers who do not sign
            misfit = part.slot == "content" and _has_no_place(part, context)
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
    """Say whether a block of the chat format is for certain another format's than the target's."""
    profile = context.profile
    if not context.wire.chat_blocks:
        return False
    listed = isinstance(part.native.get("thinking"), list)
    match profile.family:
        case "openai":
            return profile.strict_parts
        case "mistral":
            return not listed
        case "cohere":
            return listed or part.redacted
        case None | "anthropic":
            return False
    return _of_shape(part, context) is not None if profile.name in _GATEWAYS else True


#: Servers that stand for several makers, whose blocks they may take.
_GATEWAYS: Final = frozenset({"openai", "openrouter", "copilot"})
_MISTRAL: Final = re.compile(r"mistral|mixtral|magistral|codestral|ministral|pixtral|devstral")


def _of_shape(part: Reasoning, context: Context) -> str | None:
    """Return whose format a block is of by its shape alone: Mistral's holds a list."""
    native = part.native
    if not context.wire.chat_blocks or part.slot != "content" or not isinstance(native.get("thinking"), list):
        return None
    gateway = context.profile.name in _GATEWAYS and not context.profile.strict_parts
    return None if gateway and _MISTRAL.search((context.model or "").lower()) else "mistral"


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
    spoken = context.wire.name in ("anthropic", "openai_responses") and context.profile.name in SERVERS
    own = context.wire.name in ("anthropic", "gemini", "openai_responses")
    return _family(context.wire.provider) if own and not spoken else None


RULE: Final = Rule(
    code="IL036",
    name="foreign-thinking",
    policies={"drop-reasoning": "lossy", "to-text": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.family is not None,
)
