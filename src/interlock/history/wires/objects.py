"""Message objects of frameworks, seen as dicts of their fields: told by their shape, nothing is imported.

A view's native form is always a dict. For an object it is a shallow `Fields`, which
remembers the object; writing makes a copy of the object in which only the changed
fields differ. An object that nothing changed is never copied.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["Fields", "class_beside", "fields_of", "source_of", "with_fields"]


class Fields(dict[str, Any]):
    """The fields of an object, by name.

    Attributes:
        source: The object.
    """

    __slots__ = ("source",)
    source: Any


def fields_of(value: Any) -> dict[str, Any] | None:
    """Return a dict as it is, an object as `Fields`, and `None` for what has no fields."""
    if isinstance(value, dict):
        return value
    held = getattr(value, "__dict__", None)
    if not isinstance(held, dict) or isinstance(value, type):
        return None
    out = Fields(held)
    more = getattr(value, "__pydantic_extra__", None)  # fields that the class does not name
    if more and isinstance(more, dict):
        out.update(more)
    out.source = value
    return out


def source_of(native: Any) -> Any:
    """Return the object behind `Fields`; anything else as it is."""
    return native.source if isinstance(native, Fields) else native


def with_fields(native: Mapping[str, Any], /, **changes: Any) -> dict[str, Any]:
    """Return a copy with other values in some fields; the object behind it is copied with it."""
    if not isinstance(native, Fields):
        return {**native, **changes}
    out = Fields(native)
    out.update(changes)
    out.source = _copied(native.source, changes)
    return out


def _copied(source: Any, changes: Mapping[str, Any]) -> Any:
    model_copy = getattr(source, "model_copy", None)
    if callable(model_copy):
        return model_copy(update=dict(changes))
    new = copy.copy(source)
    for name, value in changes.items():
        object.__setattr__(new, name, value)  # frozen dataclasses too
    return new


def class_beside(specimen: Any, name: str, modules: Iterable[str]) -> type | None:
    """Return a class of the package that an object comes from, if that package has been imported.

    Args:
        specimen: An object of the framework; the modules of its class and bases are looked at first.
        name: The class's name.
        modules: Further modules to look into.
    """
    places = [cls.__module__ for cls in type(specimen).__mro__ if cls.__module__ != "builtins"]
    for place in (*places, *modules):
        found = getattr(sys.modules.get(place), name, None)
        if isinstance(found, type):
            return found
    return None
