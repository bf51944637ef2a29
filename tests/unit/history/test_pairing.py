"""Results are bound to calls by position first."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.history.engine import heal
from interlock.history.naming import IdMap, NameMap, minted_id
from interlock.history.pairing import pair
from interlock.history.wires import WIRES


def bound(history: list[Any], *, shape: str = "message") -> tuple[list[list[Any]], list[Any]]:
    """Return for each call the bodies of its results, and the bodies of the orphans."""
    pairing = pair(WIRES["openai_chat"].read(history), shape=shape, result_role="tool")  # type: ignore[arg-type]
    return (
        [[one.result.content for one in call.answers] for call in pairing.calls()],
        [one.result.content for one in pairing.orphans],
    )


def asks(*ids: str | None, name: str = "f") -> dict[str, Any]:
    """Return an assistant message with calls."""
    calls = [{"type": "function", "function": {"name": name, "arguments": "{}"}} for _ in ids]
    for call, call_id in zip(calls, ids, strict=True):
        if call_id is not None:
            call["id"] = call_id
    return {"role": "assistant", "content": None, "tool_calls": calls}


def tool(call_id: str | None, body: str, **more: Any) -> dict[str, Any]:
    """Return a tool message."""
    return {"role": "tool", "content": body, **({} if call_id is None else {"tool_call_id": call_id}), **more}


USER = {"role": "user", "content": "q"}


@pytest.mark.parametrize(
    ("history", "answers", "orphans"),
    [
        ([asks("c", "c"), tool("c", "1"), tool("c", "2")], [["1"], ["2"]], []),
        ([asks("c"), tool("c", "1"), asks("c"), tool("c", "2")], [["1"], ["2"]], []),
        ([asks("c"), USER, asks("c"), tool("c", "2")], [[], ["2"]], []),
        ([asks("c"), USER, asks("c"), tool("c", "2"), USER, tool("c", "late")], [["late"], ["2"]], []),
        ([asks("c"), tool("c", "1"), USER, tool("c", "again")], [["1", "again"]], []),
        ([tool("c", "early"), asks("c")], [["early"]], []),
        ([tool("c", "early"), asks("c"), tool("c", "1")], [["1"]], ["early"]),
        ([asks("c"), tool("d", "1")], [[]], ["1"]),
        ([asks(None), tool(None, "1")], [["1"]], []),
        ([asks("a", "b"), tool(None, "1"), tool(None, "2")], [["1"], ["2"]], []),
        ([asks("a", "b"), tool(None, "1")], [[], []], ["1"]),
        ([asks("a"), tool(None, "1", name="f")], [["1"]], []),
    ],
)
def test_binding(history: list[Any], answers: list[Any], orphans: list[Any]) -> None:
    """The table of the module's text, line by line."""
    assert (answers, orphans) == bound(history)


def test_a_run_of_assistant_messages_is_one_turn_where_the_target_joins_them() -> None:
    """A result behind the second message answers the first one's call in place."""
    history = [asks("a"), {"role": "assistant", "content": "text"}, tool("a", "1")]
    views = WIRES["openai_chat"].read(history)
    alone = pair(views, shape="message", result_role="tool").turns[0]
    joined = pair(views, shape="run", result_role="tool").turns[0]
    assert (alone.last, alone.answer_end) == (0, 1)
    assert (joined.last, joined.answer_end) == (1, 3)


def test_names_are_mapped_one_to_one() -> None:
    """Declared names stay, made-up ones never become them."""
    names = NameMap("[a-zA-Z0-9_-]{1,64}", ["read_file", "a b"])
    assert names.new_name("read_file") == "read_file"
    assert names.new_name("a b") == "a_b"
    others = [names.new_name(name) for name in ("a!b", "a_b", "read file", "", None, "x" * 70, "x" * 71)]
    assert others[1] == "a_b"  # what a declared tool is sent as is that tool
    assert others[3] == others[4] == "unnamed_tool"
    assert len({"read_file", *others}) == 7
    assert all(len(name) <= 64 for name in others)


def test_a_pattern_that_wants_a_letter_first_gets_one() -> None:
    """Gemini's names begin with a letter or an underscore."""
    assert NameMap("[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}").new_name("1st tool") == "_1st_tool"


def test_ids_are_minted_from_the_old_id_and_its_ordinal() -> None:
    """The same on each run, nine letters and digits, never one that is taken."""
    assert minted_id("a", 0) == minted_id("a", 0) != minted_id("a", 1)
    assert all(len(minted_id(str(at), 0)) == 9 and minted_id(str(at), 0).isalnum() for at in range(200))
    assert len({minted_id(str(at), 0) for at in range(2000)}) == 2000
    ids = IdMap()
    first = ids.mint("a", 0)
    assert ids.mint("a", 0) != first
    assert minted_id("\ud800", 0)


@pytest.mark.parametrize("between", [0, 1, 2])
@pytest.mark.parametrize("results", [1, 2, 3])
def test_calls_that_share_an_id_are_answered_in_order_wherever_the_results_stand(between: int, results: int) -> None:
    """What holds right behind the calls holds for late results as well."""
    calls = [{"id": "c", "type": "function", "function": {"name": name, "arguments": "{}"}} for name in "fgh"]
    words = [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}][:between]
    answers = [{"role": "tool", "tool_call_id": "c", "content": f"R{at}"} for at in range(results)]
    history = [{"role": "user", "content": "q"}, {"role": "assistant", "content": None, "tool_calls": calls}]
    healed = heal([*history, *words, *answers, {"role": "user", "content": "z"}], "openai_chat").messages
    names = {call["id"]: call["function"]["name"] for call in healed[1]["tool_calls"]}
    given = {names[one["tool_call_id"]]: one["content"] for one in healed if one["role"] == "tool"}
    assert [given[name] for name in "fgh"[:results]] == [f"R{at}" for at in range(results)]
