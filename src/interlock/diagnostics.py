"""The diagnostic record: a coded remark about input, never an exception."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Diagnostic", "Severity"]

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One remark about what arrived.

    Attributes:
        code: Stable machine word: `E_...` is an error, `W_...` a warning, `I_...` a note.
        message: One sentence: what was found, where, and what was expected.
        byte_offset: Where in the arguments' text, in UTF-8 bytes from its start.
        line: 1-based line in the arguments' text, where known.
        column: 1-based column (characters) in that line, where known.
        path: JSON Pointer (RFC 6901) of the value concerned, `""` for the root.
        call_id: The provider's id of the call concerned.
        tool: The name of the tool concerned.
    """

    code: str
    message: str
    byte_offset: int | None = None
    line: int | None = None
    column: int | None = None
    path: str | None = None
    call_id: str | None = None
    tool: str | None = None

    @property
    def severity(self) -> Severity:
        """`error`, `warning` or `info`, told by the code's first letter."""
        return {"E": "error", "W": "warning"}.get(self.code[:1], "info")  # type: ignore[return-value]

    def to_json(self) -> dict[str, Any]:
        """Return the record as a JSON object; what is not known is left out."""
        out: dict[str, Any] = {"code": self.code, "message": self.message}
        for key in ("byte_offset", "line", "column", "path", "call_id", "tool"):
            value = getattr(self, key)
            if value is not None:
                out[key] = value
        return out
