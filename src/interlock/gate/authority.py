"""The right to run one call, once."""

from __future__ import annotations

from typing import Any, NoReturn

from interlock.errors import AuthorityCopyError
from interlock.gate.decision import Evidence

__all__ = ["Execution", "refuse_copy"]


def refuse_copy(what: str) -> NoReturn:
    """Raise the error for an attempt to copy or pickle `what`."""
    raise AuthorityCopyError(
        f"{what} cannot be copied or pickled: it stands for the right to run a call once, and that right "
        "cannot be doubled; pass on `.value` instead"
    )


class Execution:
    """The authority to run one tool call, handed out by `Guard.take` at most once.

    It can be read, but not copied, pickled or changed. `value` is a private
    copy: changing it changes nothing that the guard holds.

    Attributes:
        internal_id: The guard's own id of the call.
        call_id: The provider's id, `None` when it sent none. Answer the model with it.
        name: The tool to run.
        value: The whole arguments.
        typed_value: The validator's model of them, when the guard was told to coerce; else `None`.
        evidence: What the authority rests on.
    """

    __slots__ = ("call_id", "evidence", "internal_id", "name", "typed_value", "value")

    call_id: str | None
    evidence: Evidence
    internal_id: str
    name: str
    typed_value: Any
    value: Any

    def __init__(
        self,
        *,
        internal_id: str,
        call_id: str | None,
        name: str,
        value: Any,
        typed_value: Any,
        evidence: Evidence,
    ) -> None:
        for key, given in (
            ("internal_id", internal_id),
            ("call_id", call_id),
            ("name", name),
            ("value", value),
            ("typed_value", typed_value),
            ("evidence", evidence),
        ):
            object.__setattr__(self, key, given)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"an Execution cannot be changed (tried to set {name!r})")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"an Execution cannot be changed (tried to delete {name!r})")

    def __copy__(self) -> NoReturn:
        refuse_copy("an Execution")

    def __deepcopy__(self, memo: object) -> NoReturn:
        refuse_copy("an Execution")

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        refuse_copy("an Execution")

    def __repr__(self) -> str:
        return f"<Execution {self.name} {self.call_id or self.internal_id}>"
