"""The rules, in the order in which they are applied. A rule is a file; this is the registry.

The order: names, arguments, duplicates, pairing, reasoning, empty messages. A rule
may rely on what those before it have put right, and what a rule changes never
breaks what an earlier one has put right in a way that the next round cannot heal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from interlock.errors import InvalidOptionError
from interlock.history.rules import (
    duplicate_tool_result,
    empty_message,
    invalid_tool_arguments,
    invalid_tool_name,
    misplaced_tool_result,
    orphan_tool_call,
    orphan_tool_result,
    reasoning_without_following_item,
    thinking_only_message,
    unsigned_thinking,
)
from interlock.history.rules.base import Rule

__all__ = ["ALIASES", "BY_NAME", "RULES", "policies_for"]

RULES: Final[tuple[Rule, ...]] = (
    invalid_tool_name.RULE,  # first: pairing falls back on names
    invalid_tool_arguments.RULE,  # any time
    duplicate_tool_result.RULE,  # before moving: a stub gives its seat to the real result
    orphan_tool_result.RULE,  # before moving: nothing is put behind a call that did not ask for it
    misplaced_tool_result.RULE,  # before stubbing: a late result is not a missing one
    orphan_tool_call.RULE,
    unsigned_thinking.RULE,
    reasoning_without_following_item.RULE,
    thinking_only_message.RULE,  # after reasoning was dropped
    empty_message.RULE,  # last: what became empty
)
BY_NAME: Final[Mapping[str, Rule]] = {rule.name: rule for rule in RULES}

#: The reference system's names.
ALIASES: Final[Mapping[str, str]] = {
    "orphan-tool-use": "orphan-tool-call",
    "invalid-tool-input": "invalid-tool-arguments",
    "empty-assistant-message": "empty-message",
    "missing-reasoning-signature": "unsigned-thinking",
    "orphan-reasoning-only-message": "thinking-only-message",
}


def policies_for(asked: Any) -> dict[str, str]:
    """Return the policy to follow for each rule.

    Args:
        asked: Rule name, alias or code -> policy, as the caller wants it.

    Raises:
        InvalidOptionError: No such rule, or no such policy; the text lists the allowed ones.
    """
    out = {rule.name: rule.default for rule in RULES}
    if asked is None:
        return out
    if not isinstance(asked, Mapping):
        raise InvalidOptionError(f"policy is {asked!r}; expected a mapping from rule name to policy")
    codes = {rule.code: rule.name for rule in RULES}
    for name, policy in asked.items():
        known = BY_NAME.get(codes.get(name, ALIASES.get(name, name))) if isinstance(name, str) else None
        if known is None:
            allowed = ", ".join(sorted({*BY_NAME, *ALIASES}))
            raise InvalidOptionError(f"policy names the rule {name!r}; expected one of {allowed}")
        if policy not in known.policies:
            allowed = ", ".join(repr(one) for one in known.policies)
            raise InvalidOptionError(f"policy for {name!r} is {policy!r}; expected one of {allowed}")
        out[known.name] = policy
    return out
