"""The records of a package, and what holds for each of them."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
from types import ModuleType
from typing import Any


def records(package: ModuleType) -> list[type[Any]]:
    """Return every public dataclass of a package."""
    found: list[type[Any]] = []
    for module in (importlib.import_module(one.name) for one in walk(package)):
        public = [getattr(module, name) for name in getattr(module, "__all__", ())]
        classes = [value for value in public if isinstance(value, type) and value.__module__ == module.__name__]
        found += [value for value in classes if dataclasses.is_dataclass(value)]
    return found


def walk(package: ModuleType) -> list[pkgutil.ModuleInfo]:
    """Return the modules of a package, at all levels."""
    return list(pkgutil.walk_packages(package.__path__, f"{package.__name__}."))


def check_record(record: type[Any]) -> None:
    """Frozen, slotted, and every field by its name: evidence that was written down stays as it was."""
    assert record.__dataclass_params__.frozen
    assert "__slots__" in vars(record) and not hasattr(object.__new__(record), "__dict__")
    assert all(field.kw_only for field in dataclasses.fields(record))
