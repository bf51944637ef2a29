"""How a JSON Schema keyword's no is said; shared by the whole check and the early one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from interlock.tools.checks import excerpt, literal, shorten

__all__ = ["PHRASES", "missing", "nothing_allowed", "unknown", "wrong_type"]


def nothing_allowed(found: str) -> str:
    """Say that the schema `false` stands here."""
    return f"nothing is allowed here, got {found}"


def wrong_type(expected: Any, found: str) -> str:
    """Say which types `type` lets in, and what came."""
    words = [expected] if isinstance(expected, str) else expected
    return f"expected {' or '.join(map(str, words))}, got {found}"


def missing(names: Iterable[str]) -> str:
    """Say which required properties are not there."""
    shown = [repr(name) for name in names]
    return shorten(f"missing {'property' if len(shown) == 1 else 'properties'} {', '.join(shown)}", 300)


def unknown(names: Iterable[str], allowed: Iterable[str]) -> str:
    """Say which properties the schema does not let in, and which it does."""
    shown = [repr(name) for name in names]
    what = "property" if len(shown) == 1 else "properties"
    return shorten(f"unknown {what} {', '.join(shown)}; allowed: {', '.join(map(repr, allowed)) or 'no property'}", 300)


def _one_of(expected: Any, found: Any) -> str:
    shown = ", ".join(shorten(literal(choice), 40) for choice in expected[:8])
    more = f" or {len(expected) - 8} others" if len(expected) > 8 else ""
    return f"expected one of {shown}{more}, got {excerpt(found)}"


# keyword -> what to say, given the keyword's value and what was found
PHRASES: Final[Mapping[str, Callable[[Any, Any], str]]] = {
    "type": lambda want, got: wrong_type(want, excerpt(got)),
    "required": lambda want, got: missing(name for name in want if name not in got),
    "const": lambda want, got: f"expected {shorten(literal(want))}, got {excerpt(got)}",
    "enum": _one_of,
    "pattern": lambda want, got: f"expected a match of {getattr(want, 'written', want)!r}, got {excerpt(got)}",
    "format": lambda want, got: f"expected the format {want!r}, got {excerpt(got)}",
    "minimum": lambda want, got: f"expected at least {want}, got {excerpt(got)}",
    "maximum": lambda want, got: f"expected at most {want}, got {excerpt(got)}",
    "exclusiveMinimum": lambda want, got: f"expected more than {want}, got {excerpt(got)}",
    "exclusiveMaximum": lambda want, got: f"expected less than {want}, got {excerpt(got)}",
    "multipleOf": lambda want, got: f"expected a multiple of {want}, got {excerpt(got)}",
    "minLength": lambda want, got: f"expected at least {want} characters, got {len(got)}",
    "maxLength": lambda want, got: f"expected at most {want} characters, got {len(got)}",
    "minItems": lambda want, got: f"expected at least {want} items, got {len(got)}",
    "maxItems": lambda want, got: f"expected at most {want} items, got {len(got)}",
    "minProperties": lambda want, got: f"expected at least {want} properties, got {len(got)}",
    "maxProperties": lambda want, got: f"expected at most {want} properties, got {len(got)}",
}
