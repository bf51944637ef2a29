"""What each provider, server or model family requires of a history, as data.

One `Profile` a target. A field says what is required; the rules look at fields,
never at provider names, so that a new provider is one row here. Every row names
where its facts come from and when they were read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from interlock.errors import InvalidOptionError

__all__ = ["ALIASES", "PROFILES", "Profile", "profile_for"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The requirements of one target.

    Attributes:
        name: The provider's name, as callers say it.
        source: Where the facts were read, and when.
        id_pattern: What a call id must match in full, as a regular expression.
        id_length: The longest call id, in characters.
        unique_ids: Where a call id may stand only once: the whole `request`, one `message`, or `None`.
        name_pattern: What a tool name must match in full.
        merges_turns: Neighbouring assistant messages are one turn.
        merges_users: Neighbouring user messages are one turn.
        results_adjacent: A result stands right behind its turn.
        results_first: Results stand ahead of everything else in the message that answers.
        results_alone: Nothing else may stand in the message that answers.
        empty_text: Text parts of these roles may not be empty; `all`, `none`, or `assistant`.
        blank_text: White space alone counts as empty.
        empty_assistant: An assistant message with nothing in it is refused.
        signed_thinking: Reasoning must carry the provider's signature.
        reasoning_needs_next: A reasoning item must be followed by the item it led to.
    """

    name: str
    source: str
    id_pattern: str | None = None
    id_length: int | None = None
    unique_ids: Literal["request", "message"] | None = None
    name_pattern: str = "[a-zA-Z0-9_-]{1,64}"
    merges_turns: bool = False
    merges_users: bool = False
    results_adjacent: bool = True
    results_first: bool = False
    results_alone: bool = False
    empty_text: Literal["all", "none"] = "none"
    blank_text: bool = False
    empty_assistant: bool = True
    signed_thinking: bool = False
    reasoning_needs_next: bool = False


_READ: Final = "provider-rules, read 2026-11"

_GENERIC: Final = Profile(name="generic", source="what all providers share", merges_turns=True)
_OPENAI: Final = Profile(name="openai", source=f"{_READ}: OpenAI Chat Completions", id_length=40, unique_ids="message")
_ANTHROPIC: Final = Profile(
    name="anthropic",
    source=f"{_READ}: Anthropic Messages",
    id_pattern="[a-zA-Z0-9_-]+",
    unique_ids="request",
    merges_turns=True,
    merges_users=True,
    results_first=True,
    empty_text="all",
    blank_text=True,
    signed_thinking=True,
)

PROFILES: Final[Mapping[str, Profile]] = {
    profile.name: profile
    for profile in (
        _GENERIC,
        _OPENAI,
        _ANTHROPIC,
        replace(_ANTHROPIC, name="bedrock-anthropic"),
        replace(_GENERIC, name="google", merges_turns=True),
    )
}

#: Other words that callers use for the same target.
ALIASES: Final[Mapping[str, str]] = {"gemini": "google", "vertex": "google"}


def profile_for(provider: str | None, *, wire: str, model: str | None = None) -> Profile:  # noqa: ARG001
    """Return the requirements that a history has to meet.

    Raises:
        InvalidOptionError: No profile has this name.
    """
    if provider is None:
        return PROFILES["generic"]
    name = re.sub(r"[\s_]+", "-", provider.strip().lower())
    name = ALIASES.get(name, name)
    found = PROFILES.get(name)
    if found is None:
        known = ", ".join(sorted({*PROFILES, *ALIASES}))
        raise InvalidOptionError(f"provider is {provider!r}; expected one of {known}")
    if name == "openai" and wire in ("ai_sdk", "ai_sdk_ui"):
        # The SDK's OpenAI provider speaks Responses unless it is told otherwise.
        return replace(found, reasoning_needs_next=True, merges_turns=True)
    return found
