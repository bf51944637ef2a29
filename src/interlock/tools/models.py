"""Checks by the author's own types: Pydantic, dataclasses, TypedDicts, msgspec, functions.

The arguments are handed over as JSON text, in strict mode: in JSON a list is the
only way to write a set and a string the only way to write a date, so those are
accepted; `"5"` for an integer is not. The text is also a private copy.

A type is recognised by what it is, never by importing its library; only when one
is given is its library needed.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import json
import operator
import re
import sys
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, TypedDict

from interlock.errors import MissingExtraError, ToolDefinitionError
from interlock.tools.checks import MAX_PROBLEMS, Check, Checked, Problem, excerpt, pointer, shorten
from interlock.tools.literals import exact_json

__all__ = ["compile_function", "compile_model", "function_schema", "is_model"]


def is_model(candidate: Any) -> bool:
    """Tell whether `compile_model` takes it: a class of data, a typing form, or a TypeAdapter."""
    if inspect.isclass(candidate) and typing.get_origin(candidate) is None:
        return (
            _is_pydantic(candidate)
            or _is_struct(candidate)
            or dataclasses.is_dataclass(candidate)
            or _is_typed_dict(candidate)
        )
    return typing.get_origin(candidate) is not None or _is_adapter(candidate)


def compile_model(model: Any, name: str, *, coerce: bool) -> Check:
    """Compile the check of a model class, a typing form or a Pydantic TypeAdapter.

    Raises:
        ToolDefinitionError: Its library cannot make a check of it.
        MissingExtraError: `pydantic` is not installed.
    """
    if _is_struct(model):
        return _StructCheck(model, name, coerce=coerce)
    if _is_adapter(model):
        return _PydanticCheck(model, coerce=coerce)
    return _PydanticCheck(_adapter(model, name), coerce=coerce)


def compile_function(function: Any, name: str, *, coerce: bool) -> Check:
    """Compile the check of a function's signature: what the call `function(**arguments)` accepts.

    Raises:
        ToolDefinitionError: It has arguments that cannot be given by name, or annotations that Pydantic
            makes no check of.
        MissingExtraError: `pydantic` is not installed.
    """
    form, names, others = _arguments_form(function, name)
    named = _PydanticCheck(_adapter(form, name), coerce=coerce)
    if others is None:
        return named
    return _OpenFunctionCheck(named, names, _PydanticCheck(_adapter(others, name), coerce=coerce))


def function_schema(function: Any, name: str) -> dict[str, Any]:
    """Return the JSON Schema of a function's arguments.

    Raises:
        ToolDefinitionError: As `compile_function`, or an argument has no JSON Schema.
        MissingExtraError: `pydantic` is not installed.
    """
    form, _, others = _arguments_form(function, name)
    adapter = _adapter(form, name)
    from pydantic.errors import PydanticUserError

    try:
        schema: dict[str, Any] = adapter.json_schema()
    except PydanticUserError as error:
        raise ToolDefinitionError(f"tool {name!r} has no JSON Schema: {str(error).splitlines()[0]}") from None
    schema.pop("title", None)
    if others is not None:
        schema.pop("additionalProperties", None)
    return schema


def _arguments_form(function: Any, name: str) -> tuple[Any, frozenset[str], Any]:
    """Return a signature as a TypedDict, the names in it, and the form of what `**others` takes."""
    _require_pydantic()
    from pydantic import ConfigDict
    from pydantic.fields import FieldInfo

    try:
        signature = inspect.signature(function)
        hints = typing.get_type_hints(_annotated(function), include_extras=True)
    except (NameError, TypeError, ValueError) as error:
        raise ToolDefinitionError(f"the signature of tool {name!r} cannot be read: {error}") from None
    fields: dict[str, Any] = {}
    others: Any = None
    for parameter in signature.parameters.values():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
            raise ToolDefinitionError(
                f"the function of tool {name!r} takes {str(parameter)!r} by position; arguments come by name"
            )
        if parameter.kind is parameter.VAR_KEYWORD:
            others = dict[str, hints.get(parameter.name, Any)]  # type: ignore[misc]
            continue
        hint, default = hints.get(parameter.name, Any), parameter.default
        if isinstance(default, FieldInfo):
            required = default.is_required()
            hint = typing.Annotated[hint, default]
        else:
            required = default is parameter.empty
        fields[parameter.name] = typing.Required[hint] if required else typing.NotRequired[hint]
    form: Any = _typed_dict("arguments", fields)
    form.__pydantic_config__ = ConfigDict(extra="forbid")
    return form, frozenset(fields), others


class _PydanticCheck:
    __slots__ = ("_coerce", "_validate")

    def __init__(self, adapter: Any, *, coerce: bool) -> None:
        self._validate = (None if coerce else exact_json(adapter)) or adapter.validate_json
        self._coerce = coerce

    def __call__(self, value: Any) -> Checked:
        from pydantic import ValidationError

        try:
            typed = self._validate(_text(value), strict=not self._coerce)
        except ValidationError as error:
            found = error.errors(include_url=False, include_context=False)[:MAX_PROBLEMS]
            return Checked(problems=tuple(dict.fromkeys(_pydantic_problem(one, value) for one in found)))
        return Checked(typed_value=typed if self._coerce else None)


class _OpenFunctionCheck:
    """The signature of a function with `**others`: named arguments, and what else may come."""

    __slots__ = ("_named", "_names", "_others")

    def __init__(self, named: Check, names: frozenset[str], others: Check) -> None:
        self._named = named
        self._names = names
        self._others = others

    def __call__(self, value: Any) -> Checked:
        if not isinstance(value, dict):
            return self._named(value)
        named = self._named({key: value[key] for key in value if key in self._names})
        others = self._others({key: value[key] for key in value if key not in self._names})
        problems = named.problems + others.problems
        if problems or named.typed_value is None:
            return Checked(problems=problems)
        return Checked(typed_value={**named.typed_value, **others.typed_value})


class _StructCheck:
    __slots__ = ("_coerce", "_decoder", "_error")

    def __init__(self, model: Any, name: str, *, coerce: bool) -> None:
        msgspec = sys.modules["msgspec"]
        self._coerce = coerce
        self._error = msgspec.ValidationError
        try:
            self._decoder = msgspec.json.Decoder(model, strict=not coerce)
        except TypeError as error:
            raise ToolDefinitionError(f"msgspec makes no check of tool {name!r}: {error}") from None

    def __call__(self, value: Any) -> Checked:
        try:
            typed = self._decoder.decode(_text(value))
        except self._error as error:
            text, _, where = str(error).partition(" - at `$")
            steps = [key or int(index) for key, index in re.findall(r"\.([^.\[\]`]+)|\[(\d+)\]", where)]
            return Checked(problems=(Problem(path=_known_path(steps, value), message=text),))
        return Checked(typed_value=typed if self._coerce else None)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _pydantic_problem(error: Mapping[str, Any], value: Any) -> Problem:
    kind, steps = error["type"], error["loc"]
    if kind == "missing":
        return Problem(path=_known_path(steps[:-1], value), message=f"missing property {steps[-1]!r}")
    path = _known_path(steps, value)
    if kind == "extra_forbidden":
        return Problem(path=path, message=f"unknown property {steps[-1]!r}")
    return Problem(path=path, message=f"{shorten(error['msg'], 300)}; got {excerpt(error['input'])}")


def _known_path(steps: Any, value: Any) -> str:
    """Keep the steps that lead through the value; names of unions and validators stand between them."""
    kept: list[str | int] = []
    for step in steps:
        if (isinstance(value, dict) and step in value) or (
            isinstance(value, list) and isinstance(step, int) and step < len(value)
        ):
            value = value[step]
            kept.append(step)
    return pointer(kept)


def _adapter(form: Any, name: str) -> Any:
    _require_pydantic()
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticUserError

    try:
        adapter: Any = TypeAdapter(_portable(form))
        if not getattr(adapter, "pydantic_complete", True):
            adapter.rebuild(raise_errors=True)
    except (PydanticUserError, NameError, TypeError, RecursionError) as error:
        text = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ToolDefinitionError(f"Pydantic makes no check of tool {name!r}: {text}") from None
    return adapter


def _require_pydantic() -> None:
    try:
        import pydantic
    except ImportError:
        raise MissingExtraError(
            "checking arguments by a model, a dataclass or a function", package="pydantic", extra="pydantic"
        ) from None
    if not hasattr(pydantic, "TypeAdapter"):
        raise MissingExtraError(
            "checking arguments by a model, a dataclass or a function",
            package="pydantic>=2.7",
            extra="pydantic",
        )


def _portable(form: Any) -> Any:
    """Rebuild `typing.TypedDict` where Pydantic wants the one of typing_extensions (Python 3.11)."""
    if sys.version_info >= (3, 12):
        return form

    if _is_stdlib_typed_dict(form):
        fields = {}
        for key, hint in typing.get_type_hints(form, include_extras=True).items():
            origin = typing.get_origin(hint)
            required = key in form.__required_keys__
            if origin in (typing.Required, typing.NotRequired):
                # Under `from __future__ import annotations` the class itself could not see these marks.
                required = origin is typing.Required
                (hint,) = typing.get_args(hint)
            hint = _portable(hint)
            fields[key] = typing.Required[hint] if required else typing.NotRequired[hint]
        rebuilt: Any = _typed_dict(form.__name__, fields)
        config = getattr(form, "__pydantic_config__", None)
        if config is not None:
            rebuilt.__pydantic_config__ = config
        return rebuilt
    arguments = typing.get_args(form)
    origin = typing.get_origin(form)
    if origin is None or origin is typing.Literal or not arguments:
        return form
    if origin is typing.Annotated:
        return functools.reduce(
            lambda inner, mark: typing.Annotated[inner, mark], form.__metadata__, _portable(arguments[0])
        )
    replaced = tuple(_portable(argument) if not isinstance(argument, list) else argument for argument in arguments)
    if replaced == arguments:
        return form
    if origin is types.UnionType:
        return functools.reduce(operator.or_, replaced)
    return form.copy_with(replaced) if hasattr(form, "copy_with") else origin[replaced]


class _Probe(TypedDict):
    pass


def _is_stdlib_typed_dict(form: Any) -> bool:
    return type(form) is type(_Probe)


def _typed_dict(name: str, fields: dict[str, Any]) -> Any:
    """Make a TypedDict of the kind that Pydantic takes on every Python."""
    import typing_extensions

    return vars(typing_extensions)["TypedDict"](name, fields)


def _annotated(function: Any) -> Callable[..., Any]:
    """Return the object that holds the annotations: the function below partials, or `__call__`."""
    while isinstance(function, functools.partial):
        function = function.func
    found: Callable[..., Any] = function if inspect.isroutine(function) else type(function).__call__
    return found


def _is_pydantic(candidate: type) -> bool:
    return "__pydantic_core_schema__" in dir(candidate) or "__pydantic_fields__" in dir(candidate)


def _is_struct(candidate: Any) -> bool:
    msgspec = sys.modules.get("msgspec")
    return msgspec is not None and inspect.isclass(candidate) and issubclass(candidate, msgspec.Struct)


def _is_typed_dict(candidate: type) -> bool:
    return issubclass(candidate, dict) and hasattr(candidate, "__required_keys__")


def _is_adapter(candidate: Any) -> bool:
    return all(callable(getattr(candidate, name, None)) for name in ("validate_json", "validate_python")) and hasattr(
        candidate, "core_schema"
    )
