"""Whose a result is: where a stub stands in its place, and where tools share one id."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from interlock.history.engine import heal
from interlock.history.turns import Call, Result
from interlock.history.wires import WIRES
from support.framework_histories import FORMS
from support.histories import Answer, Ask, Reply, Results, Step, User, render
from support.long_way import read_whole

# -- formats without ids ------------------------------------------------------------------------------


def gemini(steps: list[Step]) -> list[Any]:
    """Contents without ids."""
    out = render(steps, "gemini")
    for part in (part for content in out for part in content["parts"]):
        for member in ("functionCall", "functionResponse"):
            part.get(member, {}).pop("id", None)
        part.pop("thoughtSignature", None)
    return out


NO_IDS: dict[str, Callable[[list[Step]], list[Any]]] = {"gemini": gemini, "ollama": lambda s: render(s, "ollama")}
G = Ask("-", "g", {})
H = Ask("-", "h", {})
STALLED: list[Step] = [User("q"), Reply("", (G,)), User("u2")]
WENT_ON: list[Step] = [step for at in range(12) for step in (Reply("ok"), User(f"more {at}"))]


def real(*words: str, name: str = "g") -> Results:
    return Results(tuple(Answer("-", name, word) for word in words))


def words(messages: list[Any]) -> str:
    return str(messages)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize(
    "between", [[], [Reply("ok")], [Reply("ok"), User("and?"), Reply("ok")], [*WENT_ON, Reply("ok")]]
)
@pytest.mark.parametrize("wire", NO_IDS)
def test_a_late_result_without_an_id_takes_the_stubs_place(wire: str, between: list[Step], whole: bool) -> None:
    """As it would have in the history that nobody had healed, however long ago the call was made."""
    write = NO_IDS[wire]
    behind = [*between, real("REAL"), User("u3")]
    stubbed = heal(write(STALLED), wire=wire)
    assert "No result was recorded" in words(stubbed.messages)
    late = [*stubbed.messages, *write(behind)]
    if whole:
        with read_whole():
            result = heal(late, wire=wire)
    else:
        result = heal(late, wire=wire)
    assert result.messages == heal(write([*STALLED, *behind]), wire=wire).messages
    assert words(result.messages).count("REAL") == 1 and "No result was recorded" not in words(result.messages)
    assert not any(one.lossy for one in result.repairs)
    assert heal(result.messages, wire=wire).messages is result.messages


@pytest.mark.parametrize("wire", NO_IDS)
def test_a_result_right_behind_the_stub_takes_its_place(wire: str) -> None:
    write = NO_IDS[wire]
    stubbed = heal(write([User("q"), Reply("", (G, G))]), wire=wire).messages
    result = heal([*stubbed, *write([real("first", "second"), User("u3")])], wire=wire)
    assert result.messages == write([User("q"), Reply("", (G, G)), real("first", "second"), User("u3")])


def test_a_result_that_names_nothing_takes_the_only_stubs_place() -> None:
    """Ollama's oldest form: a result says neither id nor tool, and belongs to the turn ahead of it."""
    stubbed = heal(render([User("q"), Reply("", (G,))], "ollama"), wire="ollama").messages
    result = heal([*stubbed, {"role": "tool", "content": "REAL"}, *render([User("u")], "ollama")], wire="ollama")
    assert "REAL" in words(result.messages) and "No result was recorded" not in words(result.messages)


@pytest.mark.parametrize("late", [1, 3])
@pytest.mark.parametrize("wire", NO_IDS)
def test_a_stub_gives_way_only_where_that_is_no_guess(wire: str, late: int) -> None:
    """Two calls of one tool, and one result, or three: it is as in the raw history."""
    write = NO_IDS[wire]
    before = [*STALLED, *WENT_ON, Reply("", (G,)), User("u")]
    behind = [Reply("ok"), real(*(f"R{at}" for at in range(late))), User("u3")]
    result = heal([*heal(write(before), wire=wire).messages, *write(behind)], wire=wire)
    assert result.messages == heal(write([*before, *behind]), wire=wire).messages
    assert {one.rule for one in result.repairs} == {"orphan-tool-result"}
    assert words(result.messages).count("No result was recorded") == 2


@pytest.mark.parametrize("healed", [False, True])
@pytest.mark.parametrize("wire", NO_IDS)
def test_a_result_behind_the_call_of_another_tool_goes_to_its_own(wire: str, healed: bool) -> None:
    """The other call has no result; one that names the first tool is not given to it for want of a better one."""
    write = NO_IDS[wire]
    before: list[Step] = [*STALLED, *WENT_ON, Reply("ok"), User("h now")]
    ahead = heal(write(before), wire=wire).messages if healed else write(before)
    result = heal([*ahead, *write([Reply("", (H,)), real("REAL"), User("u3")])], wire=wire)
    assert not any("renamed" in str(one.action) for one in result.repairs)
    if wire == "ollama":
        assert [one["content"] for one in result.messages if one.get("tool_name") == "g"] == ["REAL"]
    given = words(result.messages)
    assert given.count("REAL") == 1 and given.count("No result was recorded") == 1
    assert given.index("REAL") < given.index("h now") < given.index("No result was recorded")


@pytest.mark.parametrize("wire", NO_IDS)
def test_a_stub_that_was_moved_does_not_count_as_a_result(wire: str) -> None:
    """Something was put in between the call and its stub; then the result came."""
    write = NO_IDS[wire]
    stubbed = heal(write(STALLED), wire=wire).messages
    moved = [*stubbed[:2], *write([User("hold on"), Reply("ok")]), *stubbed[2:]]
    result = heal([*moved, *write([Reply("ok"), real("REAL"), User("u3")])], wire=wire)
    assert words(result.messages).count("REAL") == 1 and "No result was recorded" not in words(result.messages)
    assert heal(moved, wire=wire).messages[:3] == stubbed[:3]


# -- tools that share an id ---------------------------------------------------------------------------


def _chat(steps: list[Step]) -> list[Any]:
    return _with_names(render(steps, "openai_chat"), steps)


def _with_names(messages: list[Any], steps: list[Step]) -> list[Any]:
    names = iter([answer.name for step in steps if isinstance(step, Results) for answer in step.answers])
    return [{**one, "name": next(names)} if "tool_call_id" in one else one for one in messages]


#: Formats in which a result can name its tool.
NAMED: dict[str, tuple[str, Callable[[list[Step]], list[Any]]]] = {
    "ai_python": FORMS["ai_python"],
    "ai_sdk": FORMS["ai_sdk"],
    "gemini": ("gemini", lambda steps: render(steps, "gemini")),
    "langchain": ("langchain", lambda steps: _with_names(FORMS["langchain"][1](steps), steps)),
    "mistral": ("mistral", lambda steps: render(steps, "mistral")),
    "openai_chat": ("openai_chat", _chat),
    "pydantic_ai": FORMS["pydantic_ai"],
}
BALANCE, DELETE = Ask("call_0", "get_balance", {}), Ask("call_0", "delete_all", {})
PAIRS: dict[str, str] = {"get_balance": "42 EUR", "delete_all": "DELETED"}


def of(*names: str) -> Results:
    return Results(tuple(Answer("call_0", name, PAIRS[name]) for name in names))


def healed_bodies(messages: list[Any], wire: str) -> dict[str, list[str]]:
    """Return for each tool the words that answer its calls, by the ids of a healed history."""
    parts = [part for view in WIRES[wire].read(messages) for part in view.parts]
    tools = {part.call_id: part.name for part in parts if type(part) is Call}
    out: dict[str, list[str]] = {}
    for part in parts:
        if type(part) is Result:
            out.setdefault(str(tools[part.call_id]), []).append(WIRES[wire].result_text(part))
    return out


@pytest.mark.parametrize("results", [*itertools.permutations(PAIRS), ("delete_all",), ("get_balance",)])
@pytest.mark.parametrize("between", [[], [User("x"), Reply("y")]])
@pytest.mark.parametrize("form", NAMED)
def test_tools_that_share_an_id_get_the_results_that_name_them(
    form: str, between: list[Step], results: tuple[str, ...]
) -> None:
    """In whatever order, right behind the calls or late, and when one of them is lost."""
    wire, write = NAMED[form]
    steps = [User("q"), Reply("", (BALANCE, DELETE)), *between, of(*results), Reply("done"), User("z")]
    result = heal(write(steps), wire=wire)
    bodies = healed_bodies(result.messages, wire)
    for name, body in PAIRS.items():
        assert len(bodies[name]) == 1
        assert (bodies[name][0] == body) == (name in results)
        assert name in results or "No result was recorded" in bodies[name][0]
    assert "invalid-tool-name" not in {one.rule for one in result.repairs}


@pytest.mark.parametrize("cut", [0, 1])
@pytest.mark.parametrize("form", NAMED)
def test_a_late_result_finds_the_tool_that_it_names_by_the_id_that_two_had(form: str, cut: int) -> None:
    """The history was healed before, so that the second tool's call has another id now."""
    wire, write = NAMED[form]
    names = ["delete_all", "get_balance"]
    ahead = [User("q"), Reply("", (BALANCE, DELETE)), *([of(*names[:cut])] if cut else []), User("u"), *WENT_ON]
    before = heal(write(ahead), wire=wire)
    late = [*before.messages, *write([Reply("ok"), of(*names[cut:]), User("z")])]
    result = heal(late, wire=wire)
    assert healed_bodies(result.messages, wire) == {name: [body] for name, body in PAIRS.items()}
    assert not any(one.lossy for one in result.repairs)
    with read_whole():
        assert heal(late, wire=wire).messages == result.messages


@pytest.mark.parametrize("form", NAMED)
def test_a_second_result_of_one_tool_is_not_given_to_the_other(form: str) -> None:
    wire, write = NAMED[form]
    steps = [User("q"), Reply("", (BALANCE, DELETE)), of("delete_all", "delete_all"), Reply("done"), User("z")]
    result = heal(write(steps), wire=wire)
    bodies = healed_bodies(result.messages, wire)
    assert bodies["delete_all"] == ["DELETED"] and "No result was recorded" in bodies["get_balance"][0]


@pytest.mark.parametrize("form", NAMED)
def test_a_name_that_no_call_of_the_id_has_says_nothing(form: str) -> None:
    """A tool that has another name today: order and number decide, as where results name nothing."""
    wire, write = NAMED[form]
    results = Results((Answer("call_0", "old_name", "42 EUR"), Answer("call_0", "delete_all", "DELETED")))
    steps = [User("q"), Reply("", (BALANCE, DELETE)), results, Reply("done"), User("z")]
    for behind in ([], [User("x"), Reply("y")]):
        result = heal(write([*steps[:2], *behind, *steps[2:]]), wire=wire)
        assert healed_bodies(result.messages, wire) == {name: [body] for name, body in PAIRS.items()}


@pytest.mark.parametrize("form", ["ai_sdk", "pydantic_ai", "gemini"])
def test_a_result_right_behind_stubs_goes_to_the_tool_that_it_names(form: str) -> None:
    """Though a call of another tool has kept the id, and its own has got another in an earlier healing."""
    wire, write = FORMS[form] if form in FORMS else (form, lambda steps: render(steps, form))
    healed = heal(write([User("q"), Reply("", (Ask("c", "f", {}), Ask("c", "g", {})))]), wire=wire)
    assert len(healed.ids) == 1
    result = heal([*healed.messages, *write([Results((Answer("c", "g", "REAL"),))])], wire=wire)
    parts = [part for message in WIRES[wire].read(result.messages) for part in message.parts]
    own = {part.call_id: part.name for part in parts if type(part) is Call}
    found = {own[part.call_id]: WIRES[wire].result_text(part) for part in parts if type(part) is Result}
    assert "REAL" in found["g"] and "No result was recorded" in found["f"]
