"""Early rejection: tells from committed values alone that the arguments can never become valid.

Only a *no* can come early, and only one that the whole schema would give too:
committed data never changes, so a value that the schema must refuse where it
stands decides. Of a schema this reads the keywords whose no is final by itself
(`type`, `enum`, `const`, bounds, `pattern`, unknown properties, ...) and the ways
that lead to a value (`properties`, `items`, local `$ref`, ...). Where all branches
of `anyOf` or `oneOf` refuse, so does the schema. Everything else (`not`, `if`,
`dependent...`, `$dynamicRef`, references to other documents, `unevaluatedProperties`
beside schemas for the same object) is no opinion.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import unquote

from interlock.diagnostics import Diagnostic
from interlock.parser.events import ContainerOpened, ValueCommitted
from interlock.tools import phrases
from interlock.tools.checks import Problem, excerpt, json_type, pointer, shorten, words

__all__ = ["EarlyChecker"]

Step = str | int
Schema = dict[str, Any] | bool

# Up to draft 7, a `$ref` makes every keyword beside it void; until 2019-09, `items` may be a list.
_REF_ALONE: Final = re.compile(r"draft-0[67]/")
_ITEMS_LIST: Final = re.compile(r"draft-0[67]/|2019-09/")
_UNEVALUATED: Final = re.compile(r"^$|2019-09/|2020-12/")
# What may evaluate properties of the same object.
_BESIDE: Final = words(
    "$ref $dynamicRef $recursiveRef allOf anyOf oneOf not if then else dependentSchemas dependencies"
)
_NO_OPINION: Final = re.compile(r"draft-0[34]/")  # `type`, `required`, `const`, ... mean something else, or nothing


class EarlyChecker:
    """Watches the arguments of calls to one tool; holds nothing of a call, so one serves them all.

    Args:
        schema: The tool's JSON Schema, checked before (see `compile_tools`).
        tool: The tool's name, for diagnostics.
    """

    __slots__ = ("_root", "_tool")

    def __init__(self, schema: Schema, tool: str) -> None:
        self._tool = tool
        self._root = _Compiler(schema).node(schema)

    def on_event(self, event: object) -> Diagnostic | None:
        """Take a parser's event; return why the arguments can never be valid, or `None` for no opinion."""
        if isinstance(event, ValueCommitted):
            return self._look(_steps(event.chain), event.value)
        if isinstance(event, ContainerOpened):
            return self._look(_steps(event.chain), _OPEN[event.container])
        return None

    def on_value(self, path: str | Sequence[Step], value: Any) -> Diagnostic | None:
        """Look at a value that will not change any more.

        Args:
            path: Its place: the steps from the root (`str` for a property, `int` for an item), or a
                JSON Pointer, in which digits may be either and so decide less.
            value: The value; of a container only its kind and size are looked at.
        """
        return self._look(path, value)

    def on_open(self, path: str | Sequence[Step], kind: str) -> Diagnostic | None:
        """Look at a value that begins: `object`, `array` or `string`."""
        return self._look(path, _OPEN[kind])

    def on_key(self, path: str | Sequence[Step], key: str) -> Diagnostic | None:
        """Look at a property's name before its value is there; `path` is the object's."""
        steps = _parse(path) if isinstance(path, str) else path
        return self._look([*steps, key], _UNKNOWN)

    def _look(self, path: str | Sequence[Step], value: Any) -> Diagnostic | None:
        steps = _parse(path) if isinstance(path, str) else path
        problem = _Look(steps, value).refusal(self._root, 0)
        if problem is None:
            return None
        where = f", {problem.path}" if problem.path else ""
        return Diagnostic(
            code="E_SCHEMA",
            message=f"tool {self._tool!r}{where}: {problem.message}",
            path=problem.path,
            tool=self._tool,
        )


class _Open:
    """A value that has begun, or is still to come."""

    def __init__(self, kind: str) -> None:
        self.kind = kind


class _Digits(str):
    """A step of a pointer that may be an item's index or a property's name."""

    __slots__ = ()


_OPEN: Final = {kind: _Open(kind) for kind in ("object", "array", "string")}
_UNKNOWN: Final = _Open("a value")


class _Node:
    """One schema, compiled."""

    __slots__ = (
        "additional",
        "all_of",
        "any_of",
        "checks",
        "false",
        "items",
        "max_items",
        "names",
        "patterns",
        "prefix",
        "properties",
        "types",
    )

    def __init__(self) -> None:
        self.false = False
        self.types: tuple[Any, frozenset[str]] | None = None
        self.checks: list[tuple[str, Any, Callable[[Any, Any], bool]]] = []
        self.properties: dict[str, _Node] = {}
        self.patterns: list[tuple[re.Pattern[str], _Node]] = []
        self.additional: _Node | None = None
        self.names: _Node | None = None
        self.prefix: list[_Node] = []
        self.items: _Node | None = None
        self.max_items: int | None = None
        self.all_of: list[_Node] = []
        self.any_of: list[tuple[str, list[_Node]]] = []


class _Compiler:
    def __init__(self, root: Schema) -> None:
        self._root = root
        self._nodes: dict[int, _Node] = {}
        uri = root.get("$schema", "") if isinstance(root, dict) else ""
        self._ref_alone = bool(_REF_ALONE.search(uri))
        self._items_list = bool(_ITEMS_LIST.search(uri))
        self._silent = bool(_NO_OPINION.search(uri))
        self._unevaluated = bool(_UNEVALUATED.search(uri))
        # An identifier below the root, or a draft of its own, moves what a local reference means.
        self._rebased = any(
            isinstance(part.get(key), str)
            for part in _parts(root)
            if part is not root
            for key in ("$id", "id", "$schema")
        )

    def node(self, schema: Any) -> _Node:
        if isinstance(schema, dict) and id(schema) in self._nodes:
            return self._nodes[id(schema)]
        node = _Node()
        if schema is False:
            node.false = True
        if isinstance(schema, dict) and not self._silent:
            self._nodes[id(schema)] = node
            self._fill(node, schema)
        return node

    def _fill(self, node: _Node, schema: dict[str, Any]) -> None:
        reference = schema.get("$ref")
        if isinstance(reference, str):
            target = self._resolve(reference)
            if target is not None:
                node.all_of.append(self.node(target))
            if self._ref_alone:
                return
        if "type" in schema:
            words = schema["type"]
            node.types = words, frozenset([words] if isinstance(words, str) else words)
        node.checks = [(key, schema[key], test) for key, test in _TESTS.items() if key in schema]
        for key, sub in _mapping(schema.get("properties")):
            node.properties[key] = self.node(sub)
        for key, sub in _mapping(schema.get("patternProperties")):
            node.patterns.append((re.compile(key), self.node(sub)))
        if "additionalProperties" in schema:
            node.additional = self.node(schema["additionalProperties"])
        elif (
            schema.get("unevaluatedProperties") is False
            and self._unevaluated
            and not (self._rebased or _BESIDE.intersection(schema))
        ):
            node.additional = self.node(False)
        if "propertyNames" in schema:
            node.names = self.node(schema["propertyNames"])
        self._fill_items(node, schema)
        node.all_of += [self.node(sub) for sub in _sequence(schema.get("allOf"))]
        for key in ("anyOf", "oneOf"):
            if _sequence(schema.get(key)):
                node.any_of.append((key, [self.node(sub) for sub in schema[key]]))

    def _fill_items(self, node: _Node, schema: dict[str, Any]) -> None:
        items, rest = schema.get("items"), schema.get("items")
        if self._items_list:
            node.prefix = [self.node(sub) for sub in _sequence(items)]
            rest = schema.get("additionalItems") if isinstance(items, list) else items
        else:
            node.prefix = [self.node(sub) for sub in _sequence(schema.get("prefixItems"))]
        node.items = None if rest is None else self.node(rest)
        limit = schema.get("maxItems")
        node.max_items = limit if isinstance(limit, int) else None

    def _resolve(self, reference: str) -> Any:
        """Find what a local reference means; `None` when that cannot be told here."""
        if self._rebased or not (reference == "#" or reference.startswith("#/")):
            return None
        target: Any = self._root
        for step in unquote(reference[2:]).split("/") if reference != "#" else ():
            step = step.replace("~1", "/").replace("~0", "~")
            if isinstance(target, list) and step.isdecimal() and int(step) < len(target):
                target = target[int(step)]
            elif isinstance(target, dict) and step in target:
                target = target[step]
            else:
                return None
        return target


class _Look:
    """One question to a schema: can what has `value` at the end of `steps` still be valid?"""

    __slots__ = ("_answers", "_steps", "_value")

    def __init__(self, steps: Sequence[Step], value: Any) -> None:
        self._steps = steps
        self._value = value
        # (schema, step) -> answer, for schemas that jump in place: a circle of `$ref` ends here, and
        # branches that meet again are asked once.
        self._answers: dict[tuple[int, int], Problem | None] = {}

    def refusal(self, node: _Node, at: int) -> Problem | None:
        """Return why this schema refuses, or `None` for no opinion."""
        if node.false:
            got = _kind(self._value) if at == len(self._steps) else _container(self._steps[at])
            return Problem(path=_path(self._steps, at), message=phrases.nothing_allowed(got))
        found = self._own(node) if at == len(self._steps) else self._below(node, at)
        if found is not None or not (node.all_of or node.any_of):
            return found
        key = (id(node), at)
        if key not in self._answers:
            self._answers[key] = None
            self._answers[key] = self._branches(node, at)
        return self._answers[key]

    def _branches(self, node: _Node, at: int) -> Problem | None:
        for sub in node.all_of:
            found = self.refusal(sub, at)
            if found is not None:
                return found
        for keyword, branches in node.any_of:
            first = None
            for sub in branches:
                found = self.refusal(sub, at)
                if found is None:
                    break
                first = first or found
            else:
                assert first is not None  # an empty list was left out
                says = f"fits none of the {len(branches)} forms of `{keyword}`; one of them: {first.message}"
                return Problem(path=first.path, message=shorten(says, 300))
        return None

    def _own(self, node: _Node) -> Problem | None:
        """Ask the keywords about the value itself."""
        value, path = self._value, self._steps
        if value is _UNKNOWN:
            return None
        if node.types is not None and not _has_type(value, node.types[1]):
            return Problem(path=_path(path), message=phrases.wrong_type(node.types[0], _kind(value)))
        if isinstance(value, _Open):
            return None
        for keyword, expected, refuses in node.checks:
            if refuses(expected, value):
                return Problem(path=_path(path), message=phrases.PHRASES[keyword](expected, value))
        return None

    def _below(self, node: _Node, at: int) -> Problem | None:
        """Follow the next step, as a property or as an item; one that may be both must fail as both."""
        step = self._steps[at]
        if isinstance(step, int):
            return self._below_array(node, at, step)
        found = self._below_object(node, at, step)
        if isinstance(step, _Digits) and found is not None and self._below_array(node, at, int(step)) is None:
            return None
        return found

    def _below_object(self, node: _Node, at: int, key: str) -> Problem | None:
        if node.types is not None and "object" not in node.types[1]:
            return Problem(path=_path(self._steps, at), message=phrases.wrong_type(node.types[0], "object"))
        if node.names is not None:
            found = _Look((), str(key)).refusal(node.names, 0)
            if found is not None:
                return Problem(path=_path(self._steps, at), message=f"property name {key!r}: {found.message}")
        known = key in node.properties
        if known:
            found = self.refusal(node.properties[key], at + 1)
            if found is not None:
                return found
        for pattern, sub in node.patterns:
            if pattern.search(key):
                known = True
                found = self.refusal(sub, at + 1)
                if found is not None:
                    return found
        if known or node.additional is None:
            return None
        if node.additional.false:
            return Problem(path=_path(self._steps, at), message=phrases.unknown([key], node.properties))
        return self.refusal(node.additional, at + 1)

    def _below_array(self, node: _Node, at: int, index: int) -> Problem | None:
        if node.types is not None and "array" not in node.types[1]:
            return Problem(path=_path(self._steps, at), message=phrases.wrong_type(node.types[0], "array"))
        if node.max_items is not None and index >= node.max_items:
            says = f"expected at most {node.max_items} items, got {index + 1}"
            return Problem(path=_path(self._steps, at), message=says)
        if index < len(node.prefix):
            return self.refusal(node.prefix[index], at + 1)
        return None if node.items is None else self.refusal(node.items, at + 1)


def _has_type(value: Any, words: frozenset[str]) -> bool:
    kind = value.kind if isinstance(value, _Open) else json_type(value)
    if kind in words or (kind == "integer" and "number" in words):
        return True
    # 1.0 is an integer.
    return kind == "number" and "integer" in words and value.is_integer()


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _numeric(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    return lambda bound, value: _number(value) and compare(value, bound)


def _sized(
    kind: type[str | list[Any] | dict[str, Any]], compare: Callable[[Any, Any], bool]
) -> Callable[[Any, Any], bool]:
    return lambda bound, value: isinstance(value, kind) and compare(len(value), bound)


# keyword -> does it refuse? given its value in the schema and what came. Python's `==` takes 1, 1.0 and
# true for one, which JSON Schema does not: it only makes the early answer milder.
_TESTS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "enum": lambda choices, value: value not in choices,
    "const": lambda constant, value: bool(value != constant),
    "minimum": _numeric(operator.lt),
    "maximum": _numeric(operator.gt),
    "exclusiveMinimum": _numeric(operator.le),
    "exclusiveMaximum": _numeric(operator.ge),
    "multipleOf": lambda step, value: (
        isinstance(step, int) and _number(value) and isinstance(value, int) and value % step != 0
    ),
    "minLength": _sized(str, operator.lt),
    "maxLength": _sized(str, operator.gt),
    "pattern": lambda pattern, value: isinstance(value, str) and re.search(pattern, value) is None,
    "minItems": _sized(list, operator.lt),
    "maxItems": _sized(list, operator.gt),
    "minProperties": _sized(dict, operator.lt),
    "maxProperties": _sized(dict, operator.gt),
    "required": lambda names, value: isinstance(value, dict) and any(name not in value for name in names),
}


def _kind(value: Any) -> str:
    return value.kind if isinstance(value, _Open) else excerpt(value)


def _container(step: Step) -> str:
    return "array" if isinstance(step, int) else "object"


def _path(steps: Sequence[Step], at: int | None = None) -> str:
    return pointer(steps[:at])


def _parse(path: str) -> list[Step]:
    """Split a JSON Pointer into steps."""
    steps = [step.replace("~1", "/").replace("~0", "~") for step in path.split("/")[1:]]
    return [_Digits(step) if _INDEX.fullmatch(step) else step for step in steps]


_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,15}")


def _steps(chain: Any) -> list[Step]:
    steps: list[Step] = []
    while chain is not None:
        chain, step = chain
        steps.append(step)
    steps.reverse()
    return steps


def _parts(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for sub in schema.values():
            yield from _parts(sub)
    elif isinstance(schema, list):
        for sub in schema:
            yield from _parts(sub)


def _mapping(value: Any) -> Any:
    return value.items() if isinstance(value, dict) else ()


def _sequence(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
