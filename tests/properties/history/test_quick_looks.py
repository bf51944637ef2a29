"""What a quick look passes, no rule has anything to say about: every short history, for every format and target."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import pytest

from interlock.history import engine
from interlock.history.providers import PROFILES
from interlock.history.spans import Places
from interlock.history.wires import WIRES as FORMATS
from support.framework_histories import FORMS
from support.histories import WIRES, Answer, Ask, Reply, Results, Step, System, User, render

WRITERS: dict[str, tuple[str, Callable[[list[Step]], list[Any]]]] = {
    **{wire: (wire, lambda steps, wire=wire: render(steps, wire)) for wire in WIRES},
    **{name: form for name, form in FORMS.items() if not name.endswith("-objects")},
}
#: Models whose targets demand something else.
MODELS = {
    "openai": ["o1-mini", "gpt-5"],
    "anthropic": ["claude-opus-4-6", "claude-3-7-sonnet"],
    "google": ["gemini-1.5-pro", "gemini-3-pro"],
    "vertex": ["gemini-1.5-pro", "gemini-3-pro"],
    "bedrock": ["us.meta.llama3", "amazon.nova-2-lite", "qwen.qwen3", "anthropic.claude-sonnet-4-6"],
    "bedrock-anthropic": ["anthropic.claude-sonnet-4-6"],
    "copilot": ["claude-sonnet-4.6"],
    "deepseek": ["deepseek-reasoner", "deepseek-v4"],
    "moonshot": ["kimi-k2-thinking"],
    "openrouter": ["anthropic/claude-opus-4.6"],
}
TARGETS = [(name, model) for name in PROFILES for model in (None, *MODELS.get(name, []))]
#: Settings that say something of the whole history.
SETTINGS: list[dict[str, Any]] = [
    {"thinking": {"type": "enabled"}},
    {"thinking": {"type": "disabled"}},
    {"store": False},
    {"tools": []},
    {"prefill": True},
]


def exchange(text: str, *ids: str, name: str = "f") -> list[Step]:
    """Calls, and a result for each."""
    asked = tuple(Ask(one, name, {}) for one in ids)
    return [Reply(text, asked), Results(tuple(Answer(one, name, "r") for one in ids))]


#: Letters of which short histories are made; the first ones are what healthy histories are made of.
LETTERS: dict[str, list[Step]] = {
    "user": [User("q")],
    "instructions": [System("s")],
    "assistant": [Reply("a")],
    "calls": exchange("", "call00001"),
    "calls with words": exchange("a", "call00002", "call00003"),
    "calls without results": [Reply("", (Ask("call00004", "f", {}),))],
    "empty user": [User("")],
    "blank user": [User(" ")],
    "blank assistant": [Reply(" ")],
    "words that end in a space": [Reply("a ")],
    "calls with a space": exchange(" ", "call00005"),
    "empty answer": [Reply("", (Ask("call00006", "f", {}),)), Results((Answer("call00006", "f", ""),))],
    "long id": exchange("", "c" * 41),
    "very long id": exchange("", "c" * 65),
    "strange id": exchange("", "f:1"),
    "strange name": exchange("", "call00007", name="a.b"),
    "thinking": [Reply("a", (), "hm")],
    "thinking and calls": [Reply("", (Ask("call00008", "f", {}),), "hm"), Results((Answer("call00008", "f", "r"),))],
    "results in another order": [
        Reply("", (Ask("call00009", "f", {}), Ask("call00010", "g", {}))),
        Results((Answer("call00010", "g", "r"), Answer("call00009", "f", "r"))),
    ],
    "calls in two messages": [
        Reply("", (Ask("call00013", "f", {}),)),
        Reply("", (Ask("call00014", "f", {}),)),
        Results((Answer("call00013", "f", "r"), Answer("call00014", "f", "r"))),
    ],
    "calls ahead of calls": [Reply("", (Ask("call00011", "f", {}),)), *exchange("", "call00012")],
}


def words(letters: Sequence[str], longest: int) -> Iterator[list[Step]]:
    """Yield every history of up to `longest` letters."""
    for length in range(1, longest + 1):
        for word in product(letters, repeat=length):
            yield [step for letter in word for step in LETTERS[letter]]


def found_in_what_passes(form: str, histories: Sequence[list[Any]], options: dict[str, Any]) -> list[Any]:
    """Return each history that the format's look passes for a target whose rules find something in it."""
    wire = FORMATS[WRITERS[form][0]]
    out: list[Any] = []
    for provider, model in TARGETS:
        context = engine._context(wire, provider, None, model, None, (), options)
        scan = wire.scanner(context)
        if scan is None:
            continue
        passed = [history for history in histories if scan(history, 0, Places()) == (len(history), len(history))]
        assert passed or options, f"the look passes nothing for {provider}"
        for history in passed:
            found = engine._run(wire.read(history), context)
            if found.repairs or found.remaining:
                out.append((provider, model, options, history, (*found.repairs, *found.remaining)))
    return out


@pytest.mark.parametrize("form", WRITERS)
def test_rules_find_nothing_in_what_a_look_passes(form: str) -> None:
    write = WRITERS[form][1]
    longest = 4 if form in ("openai_chat", "anthropic", "pydantic_ai") else 3
    histories = [write(steps) for steps in words([*LETTERS], 2)]
    histories += [write(steps) for steps in words([*LETTERS][:5], longest)]
    assert found_in_what_passes(form, [one for one in histories if one], {})[:3] == []


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("form", WRITERS)
def test_they_find_nothing_in_it_with_other_settings(form: str, settings: dict[str, Any]) -> None:
    write = WRITERS[form][1]
    histories = [write(steps) for steps in words(["user", "calls", "thinking and calls", "assistant", "thinking"], 3)]
    assert found_in_what_passes(form, [one for one in histories if one], settings)[:3] == []
