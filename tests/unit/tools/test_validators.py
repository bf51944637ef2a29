"""A validator of one's own: what it may answer, and every way in which it can misbehave."""

from __future__ import annotations

import asyncio
import functools
import gc
import sys
import threading
import time
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings

from interlock.errors import InvalidOptionError, ToolDefinitionError
from interlock.tools.checks import same_json
from interlock.tools.validators import compile_tools
from support.schemas import values


class Asked:
    """A validator whose answer a test chooses; it keeps what it was asked."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.seen: list[Any] = []

    def validate(self, value: Any) -> Any:
        self.seen.append(value)
        return self.answer(value) if callable(self.answer) else self.answer


def verdict(answer: Any, value: Any = None, **options: Any) -> Any:
    return compile_tools({"tool": Asked(answer)}, **options).validate("tool", {} if value is None else value)


@pytest.mark.parametrize(
    "answer", [True, {"valid": True}, {"valid": True, "message": "fine"}, SimpleNamespace(valid=True)]
)
def test_a_clear_yes_is_a_yes(answer):
    """A boolean, or `valid` in a mapping or an object."""
    found = verdict(answer)
    assert found.valid is True and not found.diagnostics and found.typed_value is None


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (False, "no reason given"),
        ({"valid": False, "message": "path is outside"}, "path is outside"),
        ({"valid": False, "reason": "no"}, "no"),
        ({"valid": False, "error": ValueError("x")}, "no reason given"),
        (SimpleNamespace(valid=False, message="path is outside"), "path is outside"),
    ],
)
def test_a_clear_no_is_a_no_with_its_reason(answer, says):
    """The validator's own words are passed on."""
    (diagnostic,) = verdict(answer).diagnostics
    assert diagnostic.code == "E_SCHEMA"
    assert diagnostic.message == f"tool 'tool': the validator refused: {says}"


@pytest.mark.parametrize(
    "answer",
    [
        None,
        1,
        0,
        "",
        "yes",
        "false",
        [],
        {},
        {"valid": 1},
        {"valid": None},
        {"ok": True},
        object(),
        SimpleNamespace(valid="x"),
    ],
)
def test_nonsense_is_a_no(answer):
    """Nothing is guessed from what is truthy."""
    found = verdict(lambda _: answer)
    (diagnostic,) = found.diagnostics
    assert found.valid is False and diagnostic.code == "E_VALIDATOR_ANSWER" and diagnostic.tool == "tool"
    assert "tool 'tool': its validator answered" in diagnostic.message


class Odd(BaseException):
    pass


class UnprintableError(Exception):
    def __str__(self) -> str:
        raise ValueError("not even this")


def _raise(error: BaseException) -> Any:
    raise error


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (ValueError("bad path"), "its check raised ValueError: bad path"),
        (AssertionError(), "its check raised AssertionError"),
        (MemoryError(), "its check raised MemoryError"),
        (StopIteration(3), "its check raised StopIteration: 3"),
        (SystemExit(2), "its check raised SystemExit: 2"),
        (GeneratorExit(), "its check raised GeneratorExit"),
        (asyncio.CancelledError(), "its check raised CancelledError"),
        (Odd("odd"), "its check raised Odd: odd"),
        (UnprintableError(), "its check raised UnprintableError"),
    ],
)
@pytest.mark.parametrize("timeout", [None, 5.0])
def test_whatever_a_validator_raises_is_a_no(error, says, timeout):
    """With and without a thread of its own."""
    found = verdict(lambda _: _raise(error), validator_timeout=timeout)
    (diagnostic,) = found.diagnostics
    assert found.valid is False
    assert (diagnostic.code, diagnostic.message) == ("E_VALIDATOR_RAISED", f"tool 'tool': {says}")


@pytest.mark.parametrize("timeout", [None, 5.0])
def test_the_persons_interrupt_passes(timeout):
    """Ctrl-C is not a validator's opinion."""
    with pytest.raises(KeyboardInterrupt):
        verdict(lambda _: _raise(KeyboardInterrupt()), validator_timeout=timeout)


@pytest.mark.parametrize("timeout", [None, 5.0])
def test_recursion_without_end_is_a_no(timeout):
    """And the next call is judged as if nothing had been."""

    def forever(value: Any) -> Any:
        return forever(value)

    tools = compile_tools({"bad": Asked(forever), "good": Asked(True)}, validator_timeout=timeout)
    (diagnostic,) = tools.validate("bad", {}).diagnostics
    assert diagnostic.message == "tool 'bad': its check went deeper than Python's recursion limit"
    assert tools.validate("good", {}).valid is True


def test_a_coroutine_is_a_no_and_is_closed():
    """No answer, and no warning that it was never awaited: warnings are errors in these tests."""

    async def later() -> bool:
        return True

    (diagnostic,) = verdict(lambda _: later()).diagnostics
    gc.collect()
    assert diagnostic.code == "E_VALIDATOR_ASYNC"
    assert "tool 'tool': its validator answered with an awaitable" in diagnostic.message


def test_another_awaitable_is_a_no_too():
    """A future is no answer either."""
    loop = asyncio.new_event_loop()
    future: asyncio.Future[bool] = loop.create_future()
    future.set_result(True)
    loop.close()
    (diagnostic,) = verdict(lambda _: future).diagnostics
    assert diagnostic.code == "E_VALIDATOR_ASYNC"


class AsyncValidate:
    async def validate(self, value: Any) -> bool:
        return True


class AsyncGenerator:
    async def validate(self, value: Any) -> Any:
        yield True


class AsyncCall:
    async def __call__(self, value: Any) -> bool:
        return True


@pytest.mark.parametrize(
    "validator",
    [
        AsyncValidate(),
        AsyncGenerator(),
        SimpleNamespace(validate=functools.partial(AsyncValidate().validate)),
        SimpleNamespace(validate=AsyncCall()),
    ],
)
def test_an_async_validator_is_refused_at_construction(validator):
    """It can be told before the first call."""
    with pytest.raises(ToolDefinitionError, match="the validator of tool 'tool' is async"):
        compile_tools({"tool": validator})


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value.update(path="/etc/passwd"),
        lambda value: value.clear(),
        lambda value: value["deep"].append(1),
        lambda value: value["deep"][0].pop("n"),
        lambda value: value.update(n=1.0),
        lambda value: value.update(n=True),
        lambda value: value.update(path=value.pop("path")),
    ],
)
def test_a_validator_that_changes_the_arguments_is_a_no(change):
    """What it checked is not what would run; the caller's value stays as it was."""
    value = {"path": "a", "n": 1, "deep": [{"n": 1}]}
    found = verdict(lambda given: [change(given), True][1], value)
    (diagnostic,) = found.diagnostics
    assert found.valid is False and diagnostic.code == "E_VALIDATOR_MUTATED"
    assert value == {"path": "a", "n": 1, "deep": [{"n": 1}]} and type(value["n"]) is int


def test_a_validator_cannot_change_the_arguments_afterwards():
    """It was given a copy, at every depth."""
    value = {"deep": [{"n": 1}]}
    validator = Asked(True)
    assert compile_tools({"tool": validator}).validate("tool", value).valid is True
    validator.seen[0]["deep"][0]["n"] = 2
    assert value == {"deep": [{"n": 1}]}


@pytest.mark.parametrize(
    ("left", "right"),
    [(1, 1.0), (1, True), (0, False), (None, False), ("1", 1), ([], {}), ([1], [1, 2]), ({"a": 1}, {"b": 1})],
)
def test_values_that_python_calls_equal_differ_in_json(left, right):
    """Types count, at every depth."""
    assert not same_json(left, right)
    assert not same_json({"a": [left]}, {"a": [right]})


@settings(max_examples=100)
@given(value=values)
def test_a_value_is_the_same_as_itself(value):
    """Reflexive, on copies too."""
    assert same_json(value, value)


def test_a_validator_that_takes_too_long_is_a_no():
    """It is abandoned after the set time; a later call is judged by itself."""
    release = threading.Event()
    first = threading.Event()

    def slow(_: Any) -> bool:
        if not first.is_set():
            first.set()
            release.wait(20)
        return True

    tools = compile_tools({"tool": Asked(slow)}, validator_timeout=0.05)
    started = time.monotonic()
    found = tools.validate("tool", {})
    took = time.monotonic() - started
    release.set()
    (diagnostic,) = found.diagnostics
    assert found.valid is False and took < 10
    assert (diagnostic.code, diagnostic.message) == (
        "E_VALIDATOR_TIMEOUT",
        "tool 'tool': its check took longer than validator_timeout (0.05 seconds)",
    )
    assert tools.validate("tool", {}).valid is True


def test_a_late_answer_changes_nothing():
    """The verdict was given; an abandoned validator that says yes in the end is not heard."""
    release = threading.Event()
    found = verdict(lambda _: release.wait(20), validator_timeout=0.02)
    release.set()
    for thread in threading.enumerate():
        if thread.name == "interlock-validator":
            thread.join(10)
    assert found.valid is False


def test_without_a_limit_no_thread_is_started():
    """The check runs where the caller is."""
    seen: list[str] = []
    verdict(lambda _: not seen.append(threading.current_thread().name))
    assert seen == [threading.current_thread().name]


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), "1", True])
def test_a_limit_that_is_no_time_is_refused(timeout):
    """A limit that means "no limit" by accident is worse than none."""
    with pytest.raises(InvalidOptionError, match=r"validator_timeout is .*; expected seconds above zero"):
        compile_tools({"tool": Asked(True)}, validator_timeout=timeout)


def test_verdicts_are_not_kept():
    """The same arguments are judged anew each time."""
    answers = iter([True, False, True])
    tools = compile_tools({"tool": Asked(lambda _: next(answers))})
    assert [tools.validate("tool", {}).valid for _ in range(3)] == [True, False, True]


def test_one_bad_validator_touches_no_other_tool():
    """Each tool's check stands alone."""
    tools = compile_tools({"bad": Asked(lambda _: _raise(Odd())), "good": {"type": "object"}, "free": None})
    assert [tools.validate(name, {}).valid for name in ("bad", "good", "free", "unheard")] == [
        False,
        True,
        None,
        None,
    ]


def test_a_class_with_its_own_validate_is_asked():
    """A class method or a static method needs no instance."""

    class Rules:
        @staticmethod
        def validate(value: Any) -> bool:
            return "path" in value

    tools = compile_tools({"tool": Rules})
    assert (tools.validate("tool", {"path": 1}).valid, tools.validate("tool", {}).valid) == (True, False)


def test_a_jsonschema_validator_is_taken_for_its_schema():
    """Its `validate` answers `None`, and it would fetch what it refers to: only its schema counts."""
    tools = compile_tools({"tool": jsonschema.Draft202012Validator({"required": ["a"]})})
    assert (tools.validate("tool", {"a": 1}).valid, tools.validate("tool", {}).valid) == (True, False)
    remote = jsonschema.Draft202012Validator({"$ref": "https://example.com/schema"})
    with pytest.raises(ToolDefinitionError, match="leads nowhere"):
        compile_tools({"tool": remote})


def test_a_value_that_is_too_deep_is_a_no():
    """A check that cannot walk the value has not agreed to it."""
    value: Any = {}
    for _ in range(sys.getrecursionlimit()):
        value = {"a": value}
    tree = {"additionalProperties": {"$ref": "#"}}
    assert compile_tools({"tool": tree}).validate("tool", value).valid is False
    assert verdict(True, value).valid is False
