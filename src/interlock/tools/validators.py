"""The checks of one guard's tools, compiled when the guard is built.

A check's yes is one condition among several; its no, and every way in which it
can misbehave, ends in `valid=False` for that one call. No verdict is kept from
one call to the next.
"""

from __future__ import annotations

import copy
import functools
import inspect
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from interlock.diagnostics import Diagnostic
from interlock.errors import InvalidOptionError, ToolDefinitionError
from interlock.tools import models
from interlock.tools.checks import Check, Checked, Problem, excerpt, same_json, shorten
from interlock.tools.definitions import ToolSpec, normalize_tools, read_schema
from interlock.tools.patterns import with_patterns
from interlock.tools.schema_watch import EarlyChecker
from interlock.tools.schemas import compile_schemas

__all__ = ["Toolset", "Verdict", "compile_tools"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a tool's schema or validator says about one call's arguments.

    Attributes:
        valid: Its answer; `None` when the tool has neither.
        diagnostics: Why not, one record a problem; empty when valid.
        typed_value: The arguments as the author's type, only with `coerce=True`, a type, and a yes.
    """

    valid: bool | None
    diagnostics: tuple[Diagnostic, ...] = ()
    typed_value: Any = None


class Toolset:
    """The tools that were offered, each with its compiled check. Made by `compile_tools`."""

    __slots__ = ("_checks", "_early", "_specs", "_timeout")

    def __init__(
        self,
        specs: Mapping[str, ToolSpec],
        checks: Mapping[str, Check],
        early: Mapping[str, EarlyChecker],
        timeout: float | None,
    ) -> None:
        self._specs = dict(specs)
        self._checks = dict(checks)
        self._early = dict(early)
        self._timeout = timeout

    @property
    def names(self) -> tuple[str, ...]:
        """The offered names, in the order of their declaration."""
        return tuple(self._specs)

    def known(self, name: str) -> bool:
        """Tell whether a tool of that name was offered."""
        return name in self._specs

    def server_executed(self, name: str) -> bool:
        """Tell whether the provider runs the tool of that name itself."""
        spec = self._specs.get(name)
        return spec is not None and spec.server_executed

    def spec(self, name: str) -> ToolSpec | None:
        """Return the definition of a tool, or `None` when it was not offered."""
        return self._specs.get(name)

    def early(self, name: str) -> EarlyChecker | None:
        """Return what refuses a call while it still arrives; only a JSON Schema can. Shared by all calls."""
        return self._early.get(name)

    def validate(self, name: str, value: Any) -> Verdict:
        """Check the arguments of one call anew.

        Args:
            name: The tool.
            value: The arguments as plain JSON values: `dict`, `list`, `str`, `int`, `float`, `bool`, `None`.

        Returns:
            The verdict. A check that raises, answers nonsense, or takes too long is a no with a
            diagnostic that names the tool; only `KeyboardInterrupt` passes.
        """
        check = self._checks.get(name)
        if check is None:
            return Verdict(valid=None)
        try:
            checked = _bounded(functools.partial(check, value), self._timeout)
        except KeyboardInterrupt:
            raise
        except MisbehaviourError as fault:
            return _no(name, fault.code, fault.says)
        except RecursionError:
            return _no(name, "E_VALIDATOR_RAISED", "its check went deeper than Python's recursion limit")
        except BaseException as error:  # a validator may raise anything; the call fails closed
            return _no(name, "E_VALIDATOR_RAISED", f"its check raised {_error_text(error)}")
        if not checked.problems:
            return Verdict(valid=True, typed_value=checked.typed_value)
        return Verdict(valid=False, diagnostics=tuple(_diagnostic(name, problem) for problem in checked.problems))


def compile_tools(
    tools: Any,
    *,
    coerce: bool = False,
    check_formats: bool = False,
    validator_timeout: float | None = None,
) -> Toolset:
    """Compile the checks of one guard's tools; whatever cannot be checked as declared fails here.

    Args:
        tools: See `normalize_tools`: names to schemas, models, functions or validators, or a tools array.
        coerce: Let types convert (`"5"` to 5); the verdict then has `typed_value`. Schemas never do.
        check_formats: Let JSON Schema's `format` decide; without it, it is an annotation.
        validator_timeout: Seconds that one check may take; `None` is no limit. With a limit each check
            runs in a thread of its own, and one that is late is abandoned, not stopped: Python cannot
            stop a thread, and one that never lets go of the interpreter (a regular expression that
            backtracks) delays the answer itself.

    Raises:
        ToolDefinitionError: A definition that cannot be checked as it was given; names the tool.
        MissingExtraError: A tool needs `jsonschema` or `pydantic`, and it is not installed.
        InvalidOptionError: `validator_timeout` is not a number above zero.
    """
    if validator_timeout is not None and (
        type(validator_timeout) not in (int, float) or not 0 < validator_timeout <= threading.TIMEOUT_MAX
    ):
        raise InvalidOptionError(
            f"validator_timeout is {validator_timeout!r}; expected seconds above zero, or None for no limit"
        )
    specs = normalize_tools(tools)
    schemas = {name: spec.schema for name, spec in specs.items() if spec.schema is not None}
    checks: dict[str, Check] = {}
    for name, spec in specs.items():
        if spec.validator is not None:
            check = _compile(spec.validator, name, coerce=coerce)
            if check is None:
                schemas[name] = read_schema(spec.validator.schema, name)
            else:
                checks[name] = check
    schemas = {name: with_patterns(schema) for name, schema in schemas.items()}
    checks |= compile_schemas(schemas, check_formats=check_formats)
    early = {name: EarlyChecker(schema, name) for name, schema in schemas.items()}
    return Toolset(specs, checks, early, validator_timeout)


def _compile(validator: Any, name: str, *, coerce: bool) -> Check | None:
    """Take what stands for a check for what it is; `None` means that it carries a JSON Schema."""
    if models.is_model(validator):
        return models.compile_model(validator, name, coerce=coerce)
    if inspect.isclass(validator):
        method = inspect.getattr_static(validator, "validate", None)
        if hasattr(validator, "__fields__") and hasattr(validator, "parse_obj"):
            raise ToolDefinitionError(f"tool {name!r} is declared by a Pydantic v1 model; expected one of Pydantic v2")
        if not isinstance(method, (classmethod, staticmethod)):
            raise ToolDefinitionError(
                f"tool {name!r} is declared by the class {validator.__name__}; expected a Pydantic model, a "
                "dataclass, a TypedDict, a msgspec Struct, or an object with `validate(value)`"
            )
    elif inspect.isroutine(validator) or isinstance(validator, functools.partial):
        return models.compile_function(validator, name, coerce=coerce)
    elif callable(getattr(validator, "iter_errors", None)) and hasattr(validator, "schema"):
        return None  # a jsonschema validator: its own would fetch what it refers to
    elif _is_data(validator):
        raise ToolDefinitionError(
            f"tool {name!r} is declared by an instance of {type(validator).__name__}; give the class"
        )
    method = getattr(validator, "validate", None)
    if callable(method):
        if _is_async(method):
            raise ToolDefinitionError(f"the validator of tool {name!r} is async; a check has to answer at once")
        return _ValidatorCheck(method)
    if callable(validator) and not inspect.isclass(validator):
        return models.compile_function(validator, name, coerce=coerce)
    raise ToolDefinitionError(
        f"tool {name!r} is declared by an object of type {type(validator).__name__}; expected a JSON "
        "Schema, a model class, a function, or an object with `validate(value)`"
    )


def _is_data(candidate: Any) -> bool:
    """Tell an instance of a model from a validator; Pydantic's own deprecated `validate` does not count."""
    for base in type(candidate).__mro__:
        if "validate" in base.__dict__:
            return base.__module__.partition(".")[0] == "pydantic"
    return models.is_model(type(candidate))


def _is_async(method: Any) -> bool:
    while isinstance(method, functools.partial):
        method = method.func
    return any(
        test(one)
        for test in (inspect.iscoroutinefunction, inspect.isasyncgenfunction)
        for one in (method, getattr(method, "__call__", None))  # noqa: B004 - an object's own `async def __call__`
    )


class MisbehaviourError(Exception):
    """A validator broke its contract; says how. Never leaves this module."""

    def __init__(self, code: str, says: str) -> None:
        super().__init__(code, says)
        self.code = code
        self.says = says


class _ValidatorCheck:
    """Asks an object's `validate`, which gets a copy of its own, and takes only a clear answer."""

    __slots__ = ("_validate",)

    def __init__(self, validate: Callable[[Any], Any]) -> None:
        self._validate = validate

    def __call__(self, value: Any) -> Checked:
        given = copy.deepcopy(value)
        answer = self._validate(given)
        if inspect.isawaitable(answer):
            if inspect.iscoroutine(answer):
                answer.close()
            raise MisbehaviourError(
                "E_VALIDATOR_ASYNC", "its validator answered with an awaitable; expected an answer at once"
            )
        valid, says = _read_answer(answer)
        if not same_json(given, value):
            raise MisbehaviourError(
                "E_VALIDATOR_MUTATED",
                "its validator changed the arguments; what it checked is not what would run",
            )
        return Checked() if valid else Checked(problems=(Problem(path="", message=says),))


def _read_answer(answer: Any) -> tuple[bool, str]:
    if isinstance(answer, Mapping):
        valid, reasons = answer.get("valid"), [answer.get(key) for key in _REASONS]
    elif isinstance(answer, bool):
        valid, reasons = answer, []
    else:
        valid, reasons = getattr(answer, "valid", None), [getattr(answer, key, None) for key in _REASONS]
    if not isinstance(valid, bool):
        raise MisbehaviourError(
            "E_VALIDATOR_ANSWER",
            f"its validator answered {excerpt(answer)}; expected a boolean, or an object with `valid`",
        )
    says = next((reason for reason in reasons if isinstance(reason, str) and reason), "no reason given")
    return valid, f"the validator refused: {shorten(says, 300)}"


_REASONS: Final = ("message", "reason", "error")


def _bounded(check: Callable[[], Checked], seconds: float | None) -> Checked:
    """Run a check, for at most that many seconds."""
    if seconds is None:
        return check()
    done: list[Checked] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            done.append(check())
        except BaseException as error:  # handed to the waiting thread
            failed.append(error)

    thread = threading.Thread(target=work, name="interlock-validator", daemon=True)
    thread.start()
    thread.join(seconds)
    if failed:
        raise failed[0]
    if not done:
        raise MisbehaviourError(
            "E_VALIDATOR_TIMEOUT", f"its check took longer than validator_timeout ({seconds:g} seconds)"
        )
    return done[0]


def _no(name: str, code: str, says: str) -> Verdict:
    message = f"tool {name!r}: {says}"
    return Verdict(valid=False, diagnostics=(Diagnostic(code=code, message=message, path="", tool=name),))


def _diagnostic(name: str, problem: Problem) -> Diagnostic:
    where = f", {problem.path}" if problem.path else ""
    return Diagnostic(code="E_SCHEMA", message=f"tool {name!r}{where}: {problem.message}", path=problem.path, tool=name)


def _error_text(error: BaseException) -> str:
    try:
        text = str(error)
    except BaseException:  # an exception that cannot even be shown
        text = ""
    return shorten(f"{type(error).__name__}: {text}" if text else type(error).__name__, 300)
