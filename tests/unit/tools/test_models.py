"""Checks by the author's own types, against the libraries themselves, and the strictness of JSON."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import functools
import json
import sys
import typing
import uuid
from typing import Annotated, Any, Literal

import msgspec
import pydantic
import pytest
import typing_extensions
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.errors import MissingExtraError, ToolDefinitionError
from interlock.tools.validators import compile_tools
from support.schemas import values


class Colour(enum.Enum):
    RED = "red"


class Point(pydantic.BaseModel):
    x: int
    y: float = 0.0


@dataclasses.dataclass
class Line:
    start: int
    label: str = ""


class Plain(typing.TypedDict):
    a: int
    b: typing.NotRequired[str]


class Inherited(Plain, total=False):
    c: list[Plain]


class Portable(typing_extensions.TypedDict):
    a: int


class Record(msgspec.Struct):
    a: int
    rows: list[int] = []


def verdict(tool: Any, value: Any, **options: Any):
    return compile_tools({"tool": tool}, **options).validate("tool", value)


class Everything(pydantic.BaseModel):
    """One field for each type that JSON can only write as something else."""

    model_config = pydantic.ConfigDict(extra="forbid")
    a_set: set[int] | None = None
    a_frozenset: frozenset[str] | None = None
    a_tuple: tuple[int, str] | None = None
    a_moment: datetime.datetime | None = None
    a_day: datetime.date | None = None
    a_duration: datetime.timedelta | None = None
    an_enum: Colour | None = None
    an_id: uuid.UUID | None = None
    some_bytes: bytes | None = None
    a_decimal: decimal.Decimal | None = None
    a_float: float | None = None
    a_literal: Literal["x", 1] | None = None
    a_url: pydantic.AnyUrl | None = None


@pytest.mark.parametrize(
    ("field", "value", "valid"),
    [
        ("a_set", [1, 2], True),
        ("a_set", ["1"], False),
        ("a_frozenset", ["a"], True),
        ("a_tuple", [1, "x"], True),
        ("a_tuple", ["1", "x"], False),
        ("a_moment", "2026-11-30T10:00:00Z", True),
        ("a_moment", "soon", False),
        ("a_day", "2026-11-30", True),
        ("a_duration", "PT5M", True),
        ("an_enum", "red", True),
        ("an_enum", "blue", False),
        ("an_id", "12345678-1234-5678-1234-567812345678", True),
        ("some_bytes", "abc", True),
        ("a_decimal", "1.50", True),
        ("a_float", 1, True),
        ("a_float", "1", False),
        ("a_literal", "x", True),
        ("a_literal", "1", False),
        ("a_url", "https://example.com", True),
    ],
)
def test_strict_means_strict_json(field, value, valid):
    """What JSON can only write as a list or a string is accepted; a conversion is not."""
    assert valid is verdict(Everything, {field: value}).valid


@settings(max_examples=200, deadline=None)
@given(value=st.dictionaries(st.sampled_from(["x", "y", "z"]), values, max_size=3))
def test_a_model_answers_as_pydantic_does(value):
    """The oracle is Pydantic's own strict JSON validation."""
    try:
        Point.model_validate_json(json.dumps(value), strict=True)
        expected = True
    except pydantic.ValidationError:
        expected = False
    assert expected is verdict(Point, value).valid


@pytest.mark.parametrize(
    ("tool", "good", "bad"),
    [
        pytest.param(Point, {"x": 1}, {"x": "1"}, id="pydantic"),
        pytest.param(Line, {"start": 1, "label": "a"}, {"start": "1"}, id="dataclass"),
        pytest.param(Plain, {"a": 1}, {"a": "1"}, id="typing.TypedDict"),
        pytest.param(Plain, {"a": 1, "b": "x"}, {"b": "x"}, id="NotRequired"),
        pytest.param(Inherited, {"a": 1, "c": [{"a": 1}]}, {"a": 1, "c": [{"b": "x"}]}, id="inherited-TypedDict"),
        pytest.param(Portable, {"a": 1}, {"a": "1"}, id="typing_extensions.TypedDict"),
        pytest.param(Record, {"a": 1, "rows": [1]}, {"a": 1, "rows": [1, "2"]}, id="msgspec"),
        pytest.param(
            pydantic.TypeAdapter(Plain if sys.version_info >= (3, 12) else Portable),
            {"a": 1},
            {"a": "1"},
            id="TypeAdapter",
        ),
        pytest.param(dict[str, int], {"a": 1}, {"a": "1"}, id="generic-alias"),
        pytest.param(Point | Line, {"start": 1}, {"start": "1"}, id="union"),
        pytest.param(Annotated[dict[str, int], pydantic.Field(min_length=1)], {"a": 1}, {}, id="Annotated"),
        pytest.param(list[Plain], [{"a": 1}], [{"a": "1"}], id="list-of-TypedDict"),
    ],
)
def test_every_kind_of_type_is_taken_for_what_it_is(tool, good, bad):
    """It accepts what fits and refuses what would need a conversion."""
    assert verdict(tool, good).valid is True
    assert verdict(tool, bad).valid is False


@pytest.mark.parametrize(
    ("tool", "value", "typed"),
    [
        (Point, {"x": "1"}, Point(x=1)),
        (Line, {"start": "1"}, Line(start=1)),
        (Plain, {"a": "1"}, {"a": 1}),
        (Record, {"a": "1"}, Record(a=1)),
        (Record, {"a": 1}, Record(a=1)),
    ],
)
def test_coercion_gives_the_typed_value_and_only_then(tool, value, typed):
    """With `coerce` the verdict carries the model; the value that was given stays as it was."""
    before = json.dumps(value)
    found = verdict(tool, value, coerce=True)
    assert found.valid is True and typed == found.typed_value and type(typed) is type(found.typed_value)
    assert before == json.dumps(value)
    assert verdict(tool, value).typed_value is None


def write_file(path: str, content: str = "", *, mode: Literal["w", "a"] = "w") -> None:
    raise AssertionError("a check must never run the tool")


class Box:
    def put(self, item: int) -> None:
        raise AssertionError("a check must never run the tool")

    def __call__(self, item: int) -> None:
        raise AssertionError("a check must never run the tool")


@pytest.mark.parametrize(
    ("tool", "good", "bad"),
    [
        pytest.param(write_file, {"path": "a", "mode": "a"}, {"path": "a", "mode": "x"}, id="literal"),
        pytest.param(write_file, {"path": "a"}, {"content": "a"}, id="missing"),
        pytest.param(write_file, {"path": "a"}, {"path": "a", "other": 1}, id="unknown"),
        pytest.param(write_file, {"path": "a"}, {"path": 1}, id="type"),
        pytest.param(Box().put, {"item": 1}, {"item": "1"}, id="method"),
        pytest.param(Box(), {"item": 1}, {"item": "1"}, id="callable-object"),
        pytest.param(functools.partial(write_file, "a"), {"content": "a"}, {"path": "a"}, id="partial"),
        pytest.param(lambda item: None, {"item": [1]}, {}, id="without-annotations"),
    ],
)
def test_a_function_accepts_what_its_signature_does(tool, good, bad):
    """Names, types, defaults; nothing is called."""
    assert verdict(tool, good).valid is True
    assert verdict(tool, bad).valid is False


def test_a_signature_may_use_any_names_and_pydantic_fields():
    """Names that Pydantic keeps for itself, and `Field` in a default or an annotation."""

    def tool(
        model_config: str,
        schema: int = pydantic.Field(ge=1),
        _x: Annotated[int, pydantic.Field(ge=1)] = 1,
        copy: int = pydantic.Field(default=1, ge=1),
    ) -> None: ...

    assert verdict(tool, {"model_config": "a", "schema": 1}).valid is True
    assert verdict(tool, {"model_config": "a"}).valid is False
    assert verdict(tool, {"model_config": "a", "schema": 0}).valid is False
    assert verdict(tool, {"model_config": "a", "schema": 1, "_x": 0}).valid is False


def test_other_arguments_of_a_function_have_their_type():
    """`**others: int` lets any name in, with that type."""

    def tool(a: str, **others: int) -> None: ...

    assert verdict(tool, {"a": "x", "b": 1}).valid is True
    (diagnostic,) = verdict(tool, {"a": "x", "b": "1"}).diagnostics
    assert diagnostic.path == "/b"
    assert verdict(tool, {"a": "x", "b": "1"}, coerce=True).typed_value == {"a": "x", "b": 1}
    assert verdict(tool, []).valid is False


@pytest.mark.parametrize(
    ("tool", "says"),
    [
        (eval("lambda a, /: None"), "takes 'a' by position"),
        (eval("lambda *rest: None"), "takes '\\*rest' by position"),
    ],
)
def test_a_function_whose_arguments_have_no_names_is_refused(tool, says):
    """A call's arguments come by name."""
    with pytest.raises(ToolDefinitionError, match=f"the function of tool 'tool' {says}"):
        compile_tools({"tool": tool})


def test_an_annotation_that_leads_nowhere_is_refused():
    """A name that is not there, in a function and in a model."""

    def tool(a: Missing) -> None: ...  # noqa: F821

    with pytest.raises(ToolDefinitionError, match="the signature of tool 'tool' cannot be read: name 'Missing'"):
        compile_tools({"tool": tool})

    class Model(pydantic.BaseModel):
        a: Missing  # noqa: F821

    with pytest.raises(ToolDefinitionError, match="Pydantic makes no check of tool 'tool'"):
        compile_tools({"tool": Model})


def test_an_annotation_that_pydantic_cannot_check_is_refused():
    """An arbitrary class among the arguments, such as a framework's context."""

    def tool(context: Box, a: int) -> None: ...

    with pytest.raises(ToolDefinitionError, match="Pydantic makes no check of tool 'tool': Unable to generate"):
        compile_tools({"tool": tool})


@pytest.mark.parametrize(
    ("tool", "value", "path", "says"),
    [
        (Point, {"x": "1"}, "/x", 'Input should be a valid integer; got string "1"'),
        (Point, {}, "", "missing property 'x'"),
        (Everything, {"n": 1}, "", "unknown property 'n'"),
        (Inherited, {"a": 1, "c": [{"a": None}]}, "/c/0/a", "Input should be a valid integer; got null"),
        (write_file, {}, "", "missing property 'path'"),
        (Record, {"a": 1, "rows": [1, "2"]}, "/rows/1", "Expected `int`, got `str`"),
        (Record, {}, "", "Object missing required field `a`"),
    ],
)
def test_messages_say_where_and_what(tool, value, path, says):
    """One problem, one place, one sentence."""
    (diagnostic,) = verdict(tool, value).diagnostics
    where = f", {path}" if path else ""
    message = diagnostic.message if path or "unknown" not in says else diagnostic.message.replace(", /n", "")
    assert f"tool 'tool'{where}: {says}" == message


def test_every_place_in_a_diagnostic_is_one_of_the_value():
    """Names of union members and validators are not steps of a pointer."""

    class Model(pydantic.BaseModel):
        a: list[int | Point]

    found = verdict(Model, {"a": [1, {"x": "1"}]})
    assert {"/a/1", "/a/1/x"} == {diagnostic.path for diagnostic in found.diagnostics}


def test_a_validator_in_a_model_that_raises_fails_the_call_closed():
    """A Pydantic validator may raise what Pydantic does not catch."""

    class Model(pydantic.BaseModel):
        a: int

        @pydantic.field_validator("a")
        @classmethod
        def broken(cls, value: int) -> int:
            raise ZeroDivisionError("oops")

    (diagnostic,) = verdict(Model, {"a": 1}).diagnostics
    assert (
        diagnostic.code,
        diagnostic.message,
    ) == ("E_VALIDATOR_RAISED", "tool 'tool': its check raised ZeroDivisionError: oops")


def test_a_model_cannot_change_the_arguments():
    """It works on a text of its own."""

    class Model(pydantic.BaseModel):
        @pydantic.model_validator(mode="before")
        @classmethod
        def meddle(cls, value: Any) -> Any:
            value["path"] = "/etc/passwd"
            return value

    value = {"path": "a"}
    assert verdict(Model, value).valid is True
    assert value == {"path": "a"}


class OldModel:
    __fields__: typing.ClassVar[dict[str, Any]] = {}

    @classmethod
    def parse_obj(cls, value: Any) -> Any: ...

    @classmethod
    def validate(cls, value: Any) -> Any: ...


@pytest.mark.parametrize(
    ("tool", "says"),
    [
        (Box, "tool 'tool' is declared by the class Box; expected a Pydantic model"),
        (int, "tool 'tool' is declared by the class int"),
        (Colour, "tool 'tool' is declared by the class Colour"),
        (Point(x=1), "tool 'tool' is declared by an instance of Point; give the class"),
        (Line(start=1), "tool 'tool' is declared by an instance of Line; give the class"),
        (Record(a=1), "tool 'tool' is declared by an instance of Record; give the class"),
        (OldModel, "tool 'tool' is declared by a Pydantic v1 model; expected one of Pydantic v2"),
        (object(), "tool 'tool' is declared by an object of type object; expected a JSON Schema"),
    ],
)
def test_what_is_no_check_is_refused(tool, says):
    """Never accepted as "anything goes"."""
    with pytest.raises(ToolDefinitionError) as caught:
        compile_tools({"tool": tool})
    assert says in str(caught.value)


@pytest.mark.parametrize("tool", [write_file, Line, Plain, Point, dict[str, int]])
def test_without_pydantic_the_command_that_installs_it_is_named(tool, monkeypatch):
    """The error is an ImportError with the extra's name."""
    monkeypatch.setitem(sys.modules, "pydantic", None)
    with pytest.raises(MissingExtraError, match=r"needs 'pydantic': pip install 'interlock\[pydantic\]'"):
        compile_tools({"tool": tool})


def test_without_jsonschema_the_command_that_installs_it_is_named(monkeypatch):
    """The same for JSON Schema; a tool without a schema needs nothing."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "jsonschema"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    with pytest.raises(MissingExtraError, match=r"needs 'jsonschema': pip install 'interlock\[schema\]'"):
        compile_tools({"tool": {"type": "object"}})
    assert compile_tools({"tool": None}).known("tool")


class Level(enum.IntEnum):
    OFF = 0
    ON = 1


class Mixed(enum.Enum):
    ONE = 1
    TWO = "two"


class OfKind(pydantic.BaseModel):
    kind: Literal[1]


class OtherKind(pydantic.BaseModel):
    kind: Literal[2]


class Nested(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid")
    inner: OfKind | None = None
    level: Level = Level.OFF
    tree: list[Nested] = []
    either: Annotated[OfKind | OtherKind, pydantic.Field(discriminator="kind")] = OfKind(kind=1)


@dataclasses.dataclass
class Held:
    kind: Literal[1, "a"]
    level: Level = Level.OFF


def flagged(kind: Literal[1], level: Mixed = Mixed.ONE) -> None:
    raise AssertionError


@pytest.mark.parametrize(
    ("form", "valid", "invalid"),
    [
        (OfKind, [{"kind": 1}], [{"kind": True}, {"kind": 2}, {"kind": "1"}]),
        (
            Nested,
            [
                {"inner": {"kind": 1}, "level": 1, "tree": [{"level": 0}]},
                {"either": {"kind": 2}},
                {"either": {"kind": 1}},
            ],
            [
                {"inner": {"kind": True}},
                {"level": True},
                {"level": False},
                {"tree": [{"tree": [{"level": False}]}]},
                {"either": {"kind": True}},
                {"other": 1},
            ],
        ),
        (Held, [{"kind": 1}, {"kind": "a", "level": 1}], [{"kind": True}, {"kind": 1, "level": True}]),
        (flagged, [{"kind": 1}, {"kind": 1, "level": "two"}], [{"kind": True}, {"kind": 1, "level": True}, {"x": 1}]),
        (flagged, [], [{"kind": 1, "x": 1}]),
        (pydantic.TypeAdapter(OfKind), [{"kind": 1}], [{"kind": True}]),
        (dict[str, Literal[True]], [{"a": True}], [{"a": 1}, {"a": False}]),
        (dict[str, bool | Literal[1]], [{"a": True}, {"a": False}, {"a": 1}], [{"a": 2}]),
        (dict[str, Literal[1, True]], [{"a": True}, {"a": 1}], [{"a": False}]),
    ],
)
def test_true_is_not_one(form: Any, valid: list[Any], invalid: list[Any]) -> None:
    """Pydantic takes them for the same where a literal or a member of an enumeration is due."""
    tools = compile_tools({"t": form})
    assert [tools.validate("t", value).valid for value in valid] == [True] * len(valid)
    assert [tools.validate("t", value).valid for value in invalid] == [False] * len(invalid)


def test_true_may_become_one_where_values_are_converted() -> None:
    """And the message of a no is Pydantic's own."""
    assert compile_tools({"t": OfKind}, coerce=True).validate("t", {"kind": True}).typed_value == OfKind(kind=1)
    (diagnostic,) = compile_tools({"t": OfKind}).validate("t", {"kind": True}).diagnostics
    assert diagnostic.message == "tool 't', /kind: Input should be 1; got boolean true" and diagnostic.path == "/kind"
