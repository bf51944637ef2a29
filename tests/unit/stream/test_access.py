"""Reading an event that may be anything: dicts, SDK objects, enums, and values that are no JSON."""

from __future__ import annotations

import enum
from collections import UserDict
from types import SimpleNamespace
from typing import Any

import pydantic
import pytest

from interlock.stream.access import MAX_VALUE_DEPTH, NotJSONError, camel, get, items, plain, text_of, word


class Model(pydantic.BaseModel, extra="allow"):
    """What most SDKs hand out."""

    name: str | None = None


class Closed(pydantic.BaseModel, extra="forbid"):
    """One that takes no extras."""

    name: str | None = None


class Slotted:
    """No `__dict__` at all."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


@pytest.mark.parametrize(
    ("obj", "want"),
    [
        ({"name": "f"}, "f"),
        (UserDict(name="f"), "f"),
        (SimpleNamespace(name="f"), "f"),
        (Slotted("f"), "f"),
        (Model(name="f"), "f"),
        (Closed(name="f"), "f"),
        ({}, None),
        (UserDict(), None),
        (SimpleNamespace(), None),
        (Model(), None),
        (Closed(), None),
        (None, None),
        (7, None),
    ],
)
def test_a_field_is_read_alike_from_everything(obj: Any, want: Any) -> None:
    """And what has no such field gives `None`."""
    assert get(obj, "name") == want
    assert get(obj, "other") is None


def test_a_models_extras_are_fields_too() -> None:
    """A declared field that is set wins; what only the extras hold is found."""
    assert get(Model.model_validate({"name": "f", "other": 1}), "other") == 1
    assert get(Model.model_validate({"name": "f", "other": 1}), "name") == "f"
    assert get(Model.model_validate({"other": 0}), "other") == 0
    assert get(Model.model_validate({"other": 0}), "name") is None


def test_a_methods_name_is_no_field_of_a_model() -> None:
    """`model_dump` and `copy` belong to the class, not to the event."""
    assert get(Model(), "model_dump") is None
    assert get({}, "items") is None


def test_camel_reads_both_spellings() -> None:
    """The wire's word, or Python's."""
    assert camel({"toolUseId": 1}, "toolUseId") == 1
    assert camel({"tool_use_id": 1}, "toolUseId") == 1
    assert camel(SimpleNamespace(tool_use_id=1), "toolUseId") == 1
    assert camel({"toolUseId": 0, "tool_use_id": 1}, "toolUseId") == 0
    assert camel({}, "toolUseId") is None


class Words(enum.Enum):
    """An SDK's words."""

    STOP = "stop"
    NOTHING = ""


class Names(str, enum.Enum):  # noqa: UP042  (as the SDKs still define them)
    """The same as strings."""

    STOP = "stop"


@pytest.mark.parametrize(
    ("value", "want"),
    [
        (None, None),
        ("", None),
        ("stop", "stop"),
        (Words.STOP, "stop"),
        (Names.STOP, "stop"),
        (Words.NOTHING, None),
        (0, "0"),
        (False, "False"),
    ],
)
def test_a_word_is_a_plain_string(value: Any, want: str | None) -> None:
    """Whatever held it."""
    got = word(value)
    assert got == want and type(got) in (str, type(None))


@pytest.mark.parametrize(
    ("value", "want"),
    [("", None), ("a", "a"), (None, None), (0, None), (b"a", None), (["a"], None)],
)
def test_text_is_a_string_that_is_not_empty(value: Any, want: str | None) -> None:
    """Everything else is absent."""
    assert text_of(value) == want


def test_items_are_those_of_a_list_or_tuple() -> None:
    """A list comes back itself; what is none has no entries."""
    entries = [1, 2]
    assert items(entries) is entries
    assert items((1, 2)) == [1, 2]

    class Special(list[int]):
        pass

    assert items(Special([1])) == [1]
    for other in (None, "ab", {"a": 1}, 7, {1}, iter([1])):
        assert items(other) == []


def nested(levels: int, wrap: str) -> Any:
    """A value of so many containers."""
    value: Any = 1
    for _ in range(levels):
        value = [value] if wrap == "list" else {"a": value}
    return value


@pytest.mark.parametrize("wrap", ["list", "dict"])
def test_a_copy_goes_as_deep_as_it_says(wrap: str) -> None:
    """At the bound it is equal; one deeper is refused."""
    assert MAX_VALUE_DEPTH == 200
    assert plain(nested(MAX_VALUE_DEPTH, wrap)) == nested(MAX_VALUE_DEPTH, wrap)
    with pytest.raises(NotJSONError, match="more than 200 levels"):
        plain(nested(MAX_VALUE_DEPTH + 1, wrap))


def test_a_copy_is_private_and_plain_all_the_way_down() -> None:
    """Tuples, mappings and strings of other types become JSON's own."""
    inner = {"a": [1, 2.5, True, None, "x"]}
    copied = plain(UserDict(deep=(inner, Names.STOP)))
    assert copied == {"deep": [inner, "stop"]}
    assert type(copied) is dict and type(copied["deep"]) is list and type(copied["deep"][1]) is str
    assert copied["deep"][0] is not inner and copied["deep"][0]["a"] is not inner["a"]


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (float("nan"), "nan is no JSON number"),
        ([float("inf")], "inf is no JSON number"),
        ({"a": float("-inf")}, "-inf is no JSON number"),
        ({1: "a"}, "the key 1 is no string"),
        ({Names.STOP: "a"}, "is no string"),
        (b"a", "a bytes is no JSON value"),
        ([{1}], "a set is no JSON value"),
        (1j, "a complex is no JSON value"),
    ],
)
def test_what_is_no_json_is_refused(value: Any, says: str) -> None:
    """With what it is."""
    with pytest.raises(NotJSONError, match=says):
        plain(value)
