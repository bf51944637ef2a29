"""JSON Schema checks, compiled when a guard is built and never fetched from anywhere.

A schema's draft is that of its own `$schema`, 2020-12 without one. The schemas
of one guard share a registry: `$ref` reaches another tool by its name or by its
`$id`. Every `$ref` is looked up at construction, so a call never meets one that
leads nowhere. Formats are annotations unless they are asked for.

Source:
    JSON Schema 2020-12, core sections 8.2 and 9; validation section 7.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import islice
from typing import Any, Final
from urllib.parse import quote

from interlock.errors import MissingExtraError, ToolDefinitionError
from interlock.tools import phrases
from interlock.tools.checks import MAX_PROBLEMS, Check, Checked, Problem, excerpt, pointer, shorten, words
from interlock.tools.patterns import unread

__all__ = ["compile_schemas"]

Schema = dict[str, Any] | bool

# What the `format` vocabulary defines; a checker that is not installed must not pass for a check.
_FORMATS: Final = words(
    """
    date-time date time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri
    iri-reference uuid uri-template json-pointer relative-json-pointer regex
    """
)


def compile_schemas(schemas: Mapping[str, Schema], *, check_formats: bool = False) -> dict[str, Check]:
    """Compile the JSON Schemas of one guard's tools.

    Args:
        schemas: Tool name to schema, plain JSON values.
        check_formats: Let `format` decide; without it, it is an annotation.

    Raises:
        ToolDefinitionError: A schema is not valid in its draft, or a `$ref` leads nowhere.
        MissingExtraError: `jsonschema` is not installed.
    """
    if not schemas:
        return {}
    try:
        import jsonschema.validators
        from jsonschema_specifications import REGISTRY
        from referencing.jsonschema import DRAFT202012, specification_with
    except ImportError:
        raise MissingExtraError("checking arguments by JSON Schema", package="jsonschema", extra="schema") from None

    classes: dict[str, Any] = {}
    resources: dict[str, Any] = {}
    by_uri: dict[str, str] = {}
    for name, schema in schemas.items():
        classes[name] = validator_class = _draft(name, schema, jsonschema.validators)
        _check_itself(name, schema, validator_class)
    if len(set(classes.values())) == 1:
        # Where a `$ref` comes back to a `$schema`, the library goes on with its own class, without our keywords.
        schemas = {name: _without_draft(schema) for name, schema in schemas.items()}
    for name, schema in schemas.items():
        validator_class = classes[name]
        specification = specification_with(validator_class.META_SCHEMA["$schema"], default=DRAFT202012)
        resources[name] = resource = specification.create_resource(schema)
        # A name may hold what a URI can't; both spellings lead to the tool.
        for uri in {name, quote(name), resource.id() or name}:
            if by_uri.setdefault(uri, name) != name:
                raise ToolDefinitionError(f"tools {by_uri[uri]!r} and {name!r} both answer to {uri!r} as `$id`")

    registry = REGISTRY.with_resources((uri, resources[name]) for uri, name in by_uri.items()).crawl()
    checks: dict[str, Check] = {}
    for name, schema in schemas.items():
        cls = classes[name]
        _check_references(name, resources[name], registry, cls, check_formats)
        cls = jsonschema.validators.extend(cls, _KEYWORDS)
        if "dependencies" not in cls.VALIDATORS:
            # From 2019-09 on it has another name; whoever writes it means it.
            cls = jsonschema.validators.extend(cls, {"dependencies": _dependencies})
        validator = cls(schema, registry=registry, format_checker=cls.FORMAT_CHECKER if check_formats else None)
        checks[name] = _JsonSchemaCheck(validator)
    return checks


class _JsonSchemaCheck:
    __slots__ = ("_validator",)

    def __init__(self, validator: Any) -> None:
        self._validator = validator

    def __call__(self, value: Any) -> Checked:
        problems: dict[Problem, None] = {}
        for error in islice(self._validator.iter_errors(value), MAX_PROBLEMS):
            problems[Problem(path=pointer(error.absolute_path), message=_sentence(error))] = None
        return Checked(problems=tuple(problems))


def _multiple_of(validator: Any, step: Any, instance: Any, _schema: Any) -> Iterator[Any]:
    """Check `multipleOf` on the numbers as they are written: 19.99 is a multiple of 0.01, whatever floats say."""
    from jsonschema.exceptions import ValidationError

    if validator.is_type(instance, "number") and (Fraction(str(instance)) / Fraction(str(step))).denominator != 1:
        yield ValidationError(f"{instance!r} is not a multiple of {step}")


def _additional_properties(validator: Any, rest: Any, instance: Any, schema: Any) -> Iterator[Any]:
    """Check `additionalProperties` by one pattern after the other: joined to one, they can read differently."""
    from jsonschema.exceptions import ValidationError

    if not validator.is_type(instance, "object"):
        return
    extra = _additional(instance, schema)
    if rest is False and extra:
        yield ValidationError("additional properties")
    elif isinstance(rest, dict):
        for key in extra:
            yield from validator.descend(instance[key], rest, path=key)


def _additional(instance: Any, schema: Any) -> list[str]:
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    return [key for key in instance if key not in known and not any(re.search(p, key) for p in patterns)]


def _dependencies(validator: Any, dependencies: Any, instance: Any, _schema: Any) -> Iterator[Any]:
    """Check draft 7's `dependencies`."""
    from jsonschema.exceptions import ValidationError

    if not validator.is_type(instance, "object") or not isinstance(dependencies, dict):
        return
    for key, needs in dependencies.items():
        if key not in instance:
            continue
        if isinstance(needs, list):
            for name in needs:
                if name not in instance:
                    yield ValidationError(f"{name!r} is a dependency of {key!r}")
        else:
            yield from validator.descend(instance, needs, schema_path=key)


_KEYWORDS: Final[dict[str, Any]] = {"multipleOf": _multiple_of, "additionalProperties": _additional_properties}


def _draft(name: str, schema: Schema, validators: Any) -> Any:
    if isinstance(schema, bool) or "$schema" not in schema:
        return validators.Draft202012Validator
    uri = schema["$schema"]
    found = validators.validator_for(schema, default=None) if isinstance(uri, str) else None
    if found is None:
        raise ToolDefinitionError(
            f"the schema of tool {name!r} has `$schema` {uri!r}; expected a JSON Schema draft "
            "(3, 4, 6, 7, 2019-09 or 2020-12), or leave it out for 2020-12"
        )
    return found


def _without_draft(schema: Schema) -> Schema:
    return schema if isinstance(schema, bool) else {key: one for key, one in schema.items() if key != "$schema"}


def _check_itself(name: str, schema: Schema, validator_class: Any, where: str = "") -> None:
    from jsonschema.exceptions import SchemaError

    try:
        validator_class.check_schema(schema)
    except SchemaError as error:
        path = where + pointer(error.absolute_path)
        raise ToolDefinitionError(
            f"the schema of tool {name!r} is not valid at {path or 'its root'}: {_sentence(error)}"
        ) from None
    except RecursionError:
        raise ToolDefinitionError(f"the schema of tool {name!r} is nested too deeply to be checked") from None


def _check_references(name: str, resource: Any, registry: Any, validator_class: Any, check_formats: bool) -> None:
    """Look up every reference that validation could follow from here."""
    from jsonschema.validators import validator_for
    from referencing.exceptions import Unresolvable

    waiting = [(registry.resolver_with_root(resource), resource, validator_class)]
    seen: set[int] = set()
    while waiting:
        resolver, here, validator_class = waiting.pop()
        contents = here.contents
        if id(contents) in seen or not isinstance(contents, dict):
            continue
        seen.add(id(contents))
        pattern = unread(contents)
        if pattern is not None:
            raise ToolDefinitionError(f"the schema of tool {name!r} has a pattern that cannot be read: {pattern!r}")
        if check_formats:
            _check_format(name, contents.get("format"), validator_class)
        for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
            reference = contents.get(keyword)
            if not isinstance(reference, str):
                continue
            try:
                target = resolver.lookup(reference)
            except (Unresolvable, LookupError, ValueError, TypeError):
                raise ToolDefinitionError(
                    f"the schema of tool {name!r} has `{keyword}` {reference!r}, which leads nowhere; "
                    "schemas are never fetched: put it under `$defs`, or name another tool of this guard"
                ) from None
            # What a pointer reaches need not stand where its draft looks for schemas.
            draft = validator_for(target.contents, default=validator_class)
            _check_itself(name, target.contents, draft, f"{keyword} {reference!r}")
            resource = here.from_contents(target.contents, here._specification)
            waiting.append((target.resolver, resource, draft))
        waiting.extend((resolver.in_subresource(sub), sub, validator_class) for sub in here.subresources())


def _check_format(name: str, wanted: Any, validator_class: Any) -> None:
    if wanted in _FORMATS and wanted not in validator_class.FORMAT_CHECKER.checkers:
        raise ToolDefinitionError(
            f"the schema of tool {name!r} has the format {wanted!r}, which cannot be checked here: "
            "pip install 'jsonschema[format-nongpl]', or leave `check_formats` out"
        )


def _sentence(error: Any) -> str:
    """Say what a validation error found and what was expected, in one line."""
    keyword, expected, found = error.validator, error.validator_value, error.instance
    if keyword is None:  # the schema `false`
        return phrases.nothing_allowed(excerpt(found))
    if keyword == "additionalProperties" and expected is False:
        return phrases.unknown(_additional(found, error.schema), error.schema.get("properties", {}))
    if keyword in ("anyOf", "oneOf") and error.context:
        nearest = min(error.context, key=lambda sub: (-len(sub.absolute_path), sub.validator == "type"))
        steps = list(nearest.absolute_path)[len(error.absolute_path) :]
        where = f" at {pointer(steps)}" if steps else ""
        return f"fits none of the {len(expected)} forms of `{keyword}`; one of them{where}: {_sentence(nearest)}"
    if keyword in phrases.PHRASES and not (keyword == "required" and isinstance(expected, bool)):  # draft 3
        return phrases.PHRASES[keyword](expected, found)
    return shorten(error.message, 300)
