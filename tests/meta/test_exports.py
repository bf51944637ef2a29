"""What the package exports: sorted, complete, the same for people, type checkers and the interpreter."""

import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import interlock

# The contract's names; `Guard` and `Parser` hold the rest.
CONTRACT = {"Guard", "Parser", "check", "heal", "infer_provider", "lock"}
SOURCE = Path(interlock.__file__).parent
MODULES = sorted(
    found.name for found in pkgutil.walk_packages([str(SOURCE)], "interlock.") if not found.name.endswith("__main__")
)


def test_the_facade_exports_what_it_promises():
    assert set(interlock.__all__) >= CONTRACT
    assert set(interlock.__all__) == {*interlock._EXPORTS, "__version__"}
    assert dir(interlock) == sorted(interlock.__all__)


@pytest.mark.parametrize("name", interlock.__all__)
def test_every_export_is_the_object_of_its_module(name):
    value = getattr(interlock, name)
    if name in interlock._EXPORTS:
        assert value is getattr(importlib.import_module(interlock._EXPORTS[name]), name)


def test_type_checkers_see_the_same_exports_as_the_interpreter():
    tree = ast.parse((SOURCE / "__init__.py").read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert seen == interlock._EXPORTS


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = interlock.nonsense


@pytest.mark.parametrize("name", ["interlock", *MODULES])
def test_a_modules_list_is_sorted_and_true(name):
    module = importlib.import_module(name)
    names = getattr(module, "__all__", [])
    # Constants, then classes, then functions; each in order: what the linter enforces too (RUF022).
    assert len(names) == len(set(names))
    assert [one for one in names if not hasattr(module, one)] == []
    for kind in (str.isupper, lambda one: one[0].isupper() and not one.isupper(), str.islower):
        chosen = [one for one in names if kind(one)]
        assert chosen == sorted(chosen)


def test_every_module_says_what_it_is_for():
    missing = [
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if not ast.get_docstring(ast.parse(path.read_text()))
    ]
    assert missing == []


def test_the_core_needs_nothing_but_the_standard_library():
    """All exports are used in a fresh interpreter; whatever is loaded then is ours or Python's."""
    code = (
        "import sys; before = set(sys.modules)\n"
        "import interlock\n"
        "for name in interlock.__all__: getattr(interlock, name)\n"
        "guard = interlock.Guard('openai_chat'); guard.push({}); guard.push_bytes(b'data: {}'); guard.finish()\n"
        "interlock.heal([{'role': 'user', 'content': ''}])\n"
        "parser = interlock.Parser(); parser.push('{}'); parser.finish('complete')\n"
        "tops = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "print(*sorted(tops - sys.stdlib_module_names - {'interlock'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == ""
