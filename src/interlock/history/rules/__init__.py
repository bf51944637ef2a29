"""The rules, in the order in which they are applied. A rule is a file; this is the registry.

The order: what can be read, names, arguments, ids, duplicates, pairing, reasoning, empty
messages, roles, and what is judged on the whole. A rule
may rely on what those before it have put right, and what a rule changes never
breaks what an earlier one has put right in a way that the next round cannot heal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from interlock.errors import InvalidOptionError
from interlock.history.rules import (
    cache_control_limit,
    cache_control_target,
    content_part_type,
    document_name,
    document_needs_text,
    duplicate_item,
    duplicate_tool_call_id,
    duplicate_tool_result,
    empty_history,
    empty_message,
    empty_text,
    empty_tool_calls_array,
    empty_tool_result,
    first_role,
    foreign_encrypted_content,
    foreign_server_tool,
    foreign_thinking,
    foreign_thought_signature,
    invalid_item_id,
    invalid_tool_arguments,
    invalid_tool_call_id,
    invalid_tool_name,
    invalid_tool_result_shape,
    item_not_persisted,
    item_without_reasoning,
    last_role,
    media_limit,
    media_needs_text,
    media_role,
    misplaced_tool_result,
    missing_reasoning_content,
    missing_thought_signature,
    missing_tool_call_id,
    null_content,
    orphan_tool_call,
    orphan_tool_result,
    pending_approval,
    prefix_position,
    reasoning_content_not_empty,
    reasoning_without_following_item,
    role_alternation,
    server_tool_pairing,
    split_tool_results,
    system_position,
    thinking_last,
    thinking_missing,
    thinking_not_enabled,
    thinking_only_message,
    thinking_order,
    tool_call_id_too_long,
    tool_call_position,
    tool_result_mixed_content,
    tool_results_not_first,
    tool_then_user,
    tools_not_declared,
    trailing_whitespace,
    unknown_field,
    unknown_role,
    unsigned_thinking,
    unsupported_reasoning_field,
)
from interlock.history.rules.base import Rule

__all__ = ["ALIASES", "BY_NAME", "RULES", "policies_for"]

RULES: Final[tuple[Rule, ...]] = (
    unknown_role.RULE,  # first: whatever cannot be read hides everything else
    content_part_type.RULE,  # before pairing: a call under another format's name is a call
    empty_tool_calls_array.RULE,  # any time
    duplicate_item.RULE,  # before pairing, for a copy of a call needs no answer, and before ids are stripped
    invalid_tool_name.RULE,  # pairing falls back on names
    invalid_tool_arguments.RULE,  # any time
    invalid_tool_result_shape.RULE,  # before results are compared
    missing_tool_call_id.RULE,  # before pairing is relied on
    duplicate_tool_result.RULE,  # before moving: a stub gives its seat to the real result
    duplicate_tool_call_id.RULE,  # before stubbing: a copy of a call needs no answer
    orphan_tool_result.RULE,  # before moving: nothing is put behind a call that did not ask for it
    misplaced_tool_result.RULE,  # before stubbing: a late result is not a missing one
    split_tool_results.RULE,  # after moving
    tool_results_not_first.RULE,  # after moving
    server_tool_pairing.RULE,  # before a call that is the provider's gets a stub
    pending_approval.RULE,  # a report
    orphan_tool_call.RULE,  # after all that could still find a result
    invalid_tool_call_id.RULE,  # after stubbing, so that call and stub change together
    tool_call_id_too_long.RULE,  # as above
    foreign_server_tool.RULE,  # after server_tool_pairing
    tools_not_declared.RULE,  # after pairing
    foreign_encrypted_content.RULE,  # before the notes that it reads go
    foreign_thinking.RULE,  # before the rules on what is left
    unsigned_thinking.RULE,  # after foreign_thinking, which knows more
    thinking_not_enabled.RULE,  # before the rules on order
    thinking_order.RULE,  # before thinking_last
    reasoning_without_following_item.RULE,  # after reasoning was dropped
    thinking_only_message.RULE,  # before thinking_last: a turn of nothing else goes as a whole
    thinking_last.RULE,  # after thinking_order
    item_not_persisted.RULE,  # before item_without_reasoning
    invalid_item_id.RULE,  # any time
    item_without_reasoning.RULE,  # after reasoning was dropped
    reasoning_content_not_empty.RULE,  # any time
    foreign_thought_signature.RULE,  # before missing_thought_signature
    missing_thought_signature.RULE,  # after pairing: a step is known by its calls
    unsupported_reasoning_field.RULE,  # any time
    missing_reasoning_content.RULE,  # after unsupported_reasoning_field
    cache_control_target.RULE,  # before empty text goes with its marker
    empty_tool_result.RULE,  # before empty text
    empty_text.RULE,  # before empty messages
    empty_message.RULE,  # after all that may have emptied one
    null_content.RULE,  # after empty messages are gone
    media_role.RULE,  # before roles are judged
    document_needs_text.RULE,  # any time
    media_needs_text.RULE,  # after the more exact rule on documents
    document_name.RULE,  # any time
    media_limit.RULE,  # any time
    unknown_field.RULE,  # after foreign_thinking, which reads the notes that go here
    system_position.RULE,  # before roles are judged: a folded one is the user's
    first_role.RULE,  # after the front is settled
    tool_call_position.RULE,  # as above
    tool_result_mixed_content.RULE,  # before role_alternation
    tool_then_user.RULE,  # before role_alternation
    role_alternation.RULE,  # after all that adds or drops messages
    prefix_position.RULE,  # before last_role
    last_role.RULE,  # after the end is settled
    trailing_whitespace.RULE,  # as above
    cache_control_limit.RULE,  # after all that drops blocks
    thinking_missing.RULE,  # a report, on what will be sent
    empty_history.RULE,  # a report, on what will be sent
)
BY_NAME: Final[Mapping[str, Rule]] = {rule.name: rule for rule in RULES}

_DEFAULTS: Final[Mapping[str, str]] = {rule.name: rule.default for rule in RULES}

#: The reference system's names.
ALIASES: Final[Mapping[str, str]] = {
    "orphan-tool-use": "orphan-tool-call",
    "invalid-tool-input": "invalid-tool-arguments",
    "empty-assistant-message": "empty-message",
    "missing-reasoning-signature": "unsigned-thinking",
    "orphan-reasoning-only-message": "thinking-only-message",
}


def policies_for(asked: Any) -> Mapping[str, str]:
    """Return the policy to follow for each rule.

    Args:
        asked: Rule name, alias or code -> policy, as the caller wants it.

    Raises:
        InvalidOptionError: No such rule, or no such policy; the text lists the allowed ones.
    """
    if not asked and (asked is None or isinstance(asked, Mapping)):
        return _DEFAULTS
    out = dict(_DEFAULTS)
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
