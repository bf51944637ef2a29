"""The audit record: one change made to a history, or, for `check`, one that would be made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from interlock.vocabulary import RepairAction

__all__ = ["Repair"]


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Repair:
    """What was found, where, and what was done about it.

    Attributes:
        code: The rule's stable code, `IL001`.
        rule: The rule's name, `orphan-tool-call`.
        message_index: The message of the input that the finding is about.
        part_index: The part in it (an entry of its content, of its calls), where there is one.
        action: What was done.
        reason: One sentence: what was found, and what that leads to.
        call_id: The call concerned, as the input names it.
        lossy: Something that was in the history is not in the result.
        policy: The rule's policy that was followed.
        healed: False for something that no edit of the history can put right.
        before: The native message or fragment as it was; `None` for an insertion.
    """

    code: str
    rule: str
    message_index: int | None
    part_index: int | None
    action: RepairAction | None
    reason: str
    call_id: str | None = None
    lossy: bool = False
    policy: str = ""
    healed: bool = True
    before: Any = field(default=None, compare=False, repr=False)

    def __init__(
        self,
        *,
        code: str,
        rule: str,
        message_index: int | None,
        part_index: int | None,
        action: RepairAction | None,
        reason: str,
        call_id: str | None = None,
        lossy: bool = False,
        policy: str = "",
        healed: bool = True,
        before: Any = None,
    ) -> None:
        # There may be thousands: this takes half the time of the constructor that a frozen dataclass gets.
        _set_code(self, code)
        _set_rule(self, rule)
        _set_message_index(self, message_index)
        _set_part_index(self, part_index)
        _set_action(self, action)
        _set_reason(self, reason)
        _set_call_id(self, call_id)
        _set_lossy(self, lossy)
        _set_policy(self, policy)
        _set_healed(self, healed)
        _set_before(self, before)

    def to_json(self) -> dict[str, Any]:
        """Return the record as a JSON object with the contract's keys; `before` too when something was lost."""
        out: dict[str, Any] = {
            "code": self.code,
            "rule": self.rule,
            "message_index": self.message_index,
            "part_index": self.part_index,
            "action": self.action,
            "reason": self.reason,
            "call_id": self.call_id,
            "lossy": self.lossy,
        }
        if self.lossy and self.healed:
            out["before"] = self.before
        return out


def _setter(name: str) -> Callable[[Repair, object], None]:
    found: Callable[[Repair, object], None] = vars(Repair)[name].__set__
    return found


_set_code, _set_rule, _set_reason = _setter("code"), _setter("rule"), _setter("reason")
_set_message_index, _set_part_index, _set_call_id = _setter("message_index"), _setter("part_index"), _setter("call_id")
_set_action, _set_policy, _set_before = _setter("action"), _setter("policy"), _setter("before")
_set_lossy, _set_healed = _setter("lossy"), _setter("healed")
