"""The work grows in step with the history, also where all of it is damaged: lines of code that run are counted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import FrameType
from typing import Any

import pytest

from interlock.history.engine import heal
from support.framework_histories import FORMS
from support.histories import WIRES, Answer, Ask, Reply, Results, Step, User, render

WRITERS: dict[str, tuple[str, Callable[[list[Step]], list[Any]]]] = {
    **{wire: (wire, lambda steps, wire=wire: render(steps, wire)) for wire in WIRES},
    **{name: form for name, form in FORMS.items() if not name.endswith("-objects")},
}


def exchanges(count: int, *, ids: str) -> list[Step]:
    """Rounds of a word, a call, its result and a reply."""
    out: list[Step] = []
    for number in range(count):
        own = ids.format(number)
        out += [User("q"), Reply("", (Ask(own, "f", {}),)), Results((Answer(own, "f", "r"),)), Reply("a")]
    return [*out, User("q")]


def _moved(steps: list[Step], *, front: bool) -> list[Step]:
    results = [step for step in steps if isinstance(step, Results)]
    others = [step for step in steps if not isinstance(step, Results)]
    return [*results, *others] if front else [*others, *results]


def _broken(steps: list[Step], call: Callable[[Ask], Ask]) -> list[Step]:
    return [replace(step, calls=tuple(map(call, step.calls))) if isinstance(step, Reply) else step for step in steps]


DAMAGE: dict[str, Callable[[int], list[Step]]] = {
    "none": lambda count: exchanges(count, ids="call{:05}"),
    "spread": lambda count: [
        step
        for at, step in enumerate(exchanges(count, ids="call{:05}"))
        if not (isinstance(step, Results) and at % 24 == 2)
    ],
    "lost": lambda count: [step for step in exchanges(count, ids="call{:05}") if not isinstance(step, Results)],
    "lost in one turn": lambda count: [
        User("q"),
        *(Reply("", (Ask(f"call{number:05}", "f", {}),)) for number in range(count)),
        User("q"),
    ],
    "lost in one message": lambda count: [
        User("q"),
        Reply("", tuple(Ask(f"call{number:05}", "f", {}) for number in range(count))),
        User("q"),
    ],
    "one of many lost": lambda count: [
        User("q"),
        Reply("", tuple(Ask(f"call{number:05}", "f", {}) for number in range(count))),
        Results(tuple(Answer(f"call{number:05}", "f", "r") for number in range(1, count))),
        User("q"),
    ],
    "half lost in one message": lambda count: [
        User("q"),
        Reply("", tuple(Ask(f"call{number:05}", "f", {}) for number in range(count))),
        Results(tuple(Answer(f"call{number:05}", "f", "r") for number in range(0, count, 2))),
        User("q"),
    ],
    "some lost in one turn": lambda count: [
        User("q"),
        *(
            step
            for number in range(count)
            for step in (
                Reply("", (Ask(f"call{number:05}", "f", {}),)),
                *([Results((Answer(f"call{number:05}", "f", "r"),))] if number % 4 else []),
            )
        ),
        User("q"),
    ],
    "late": lambda count: _moved(exchanges(count, ids="call{:05}"), front=False),
    "early": lambda count: _moved(exchanges(count, ids="call{:05}"), front=True),
    "late, one id": lambda count: _moved(exchanges(count, ids="call_0"), front=False),
    "early, one id": lambda count: _moved(exchanges(count, ids="call_0"), front=True),
    "calls lost": lambda count: [
        step for step in exchanges(count, ids="call{:05}") if not (isinstance(step, Reply) and step.calls)
    ],
    "names": lambda count: _broken(exchanges(count, ids="call{:05}"), lambda one: replace(one, name=f"a {one.id}")),
    "arguments": lambda count: _broken(exchanges(count, ids="call{:05}"), lambda one: replace(one, arguments="{")),
    "ids": lambda count: exchanges(count, ids="f:" + "x" * 70 + "{}"),
}


def lines(work: Callable[[], Any]) -> int:
    """Return how many lines of code run."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("form", WRITERS)
@pytest.mark.parametrize("damage", DAMAGE)
def test_four_times_the_history_is_four_times_the_work(form: str, damage: str) -> None:
    wire, write = WRITERS[form]
    small, large = (write(DAMAGE[damage](count)) for count in (16, 64))
    heal(small, wire=wire)  # what is worked out once, and kept
    ratio = lines(lambda: heal(large, wire=wire)) / lines(lambda: heal(small, wire=wire))
    assert ratio < 4, f"{ratio:.2f} times the work"


class Counted(list[Any]):
    """A list that counts how often something is taken out of it, which no line of code tells."""

    taken = 0

    def __getitem__(self, at: Any) -> Any:
        self.taken += 1
        return super().__getitem__(at)

    def __iter__(self) -> Iterator[Any]:
        for one in super().__iter__():
            self.taken += 1
            yield one


@pytest.mark.parametrize("form", WRITERS)
@pytest.mark.parametrize("damage", ["spread", "some lost in one turn", "arguments"])
def test_each_message_is_looked_at_a_few_times_however_many_faults_there_are(form: str, damage: str) -> None:
    wire, write = WRITERS[form]
    history = Counted(write(DAMAGE[damage](200)))
    heal(history, wire=wire)
    assert history.taken < 16 * len(history)


def denied(count: int) -> list[Any]:
    """Calls of one turn, all of them refused by a human."""
    calls = [{"type": "tool-call", "toolCallId": f"c{at}", "toolName": "f", "input": {}} for at in range(count)]
    asked = [{"type": "tool-approval-request", "approvalId": f"a{at}", "toolCallId": f"c{at}"} for at in range(count)]
    said = [{"type": "tool-approval-response", "approvalId": f"a{at}", "approved": False} for at in range(count)]
    user = {"role": "user", "content": "q"}
    return [user, {"role": "assistant", "content": [*calls, *asked]}, {"role": "tool", "content": said}, user]


def half_answered(count: int) -> list[Any]:
    """One turn of calls, and one message with the results of half of them."""
    calls = [{"type": "tool_use", "id": f"c{at}", "name": "f", "input": {}} for at in range(count)]
    done = [{"type": "tool_result", "tool_use_id": f"c{at}", "content": "r"} for at in range(0, count, 2)]
    return [{"role": "assistant", "content": calls}, {"role": "user", "content": done}]


def documents(count: int) -> list[Any]:
    """One message with documents of one name."""
    one = {"document": {"name": "a", "format": "pdf", "source": {"bytes": "eA=="}}}
    return [{"role": "user", "content": [{"text": "q"}, *[one for _ in range(count)]]}]


def in_chat_form(count: int) -> list[Any]:
    """Calls and results as Chat Completions holds them."""
    calls = [{"id": f"t{at}", "type": "function", "function": {"name": "f", "arguments": "{}"}} for at in range(count)]
    done = [{"role": "tool", "tool_call_id": f"t{at}", "content": "r"} for at in range(count)]
    return [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a", "tool_calls": calls}, *done]


def of_the_provider(count: int) -> list[Any]:
    """Results of the provider's, all ahead of their calls."""
    ids = [f"srvtoolu_{at}" for at in range(count)]
    done = [{"type": "web_search_tool_result", "tool_use_id": one, "content": []} for one in ids]
    calls = [{"type": "server_tool_use", "id": one, "name": "web_search", "input": {}} for one in ids]
    user = {"role": "user", "content": "q"}
    return [user, {"role": "assistant", "content": [*done, *calls]}, user]


def marked(count: int) -> list[Any]:
    """Blocks with cache markers."""
    one = {"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}
    return [{"role": "user", "content": [one for _ in range(count)]}]


def without_ids(count: int) -> list[Any]:
    """Return a turn of calls that have lost their ids, and results that have not."""
    calls = [{"type": "tool_use", "name": "f", "input": {}} for _ in range(count)]
    results = [{"type": "tool_result", "tool_use_id": f"t{at}", "content": "r"} for at in range(count)]
    return [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": calls},
        {"role": "user", "content": results},
    ]


def in_anthropics_words(count: int) -> list[Any]:
    """Return a turn of calls and results in the words of another API."""
    user, asking, answer = without_ids(count)
    calls = [{**call, "id": f"t{at}"} for at, call in enumerate(asking["content"])]
    return [user, {"role": "assistant", "content": calls}, answer]


LISTS: dict[str, tuple[str, str | None, Callable[[int], list[Any]]]] = {
    "blocks of one role": (
        "bedrock_converse",
        None,
        lambda count: [{"role": "user", "content": [{"text": "a"}]} for _ in range(count)],
    ),
    "strings of one role": (
        "openai_chat",
        "strict_template",
        lambda count: [{"role": "user", "content": "a"} for _ in range(count)],
    ),
    "calls that were denied": ("ai_sdk", None, denied),
    "documents of one name": ("bedrock_converse", None, documents),
    "half of many lost": ("anthropic", None, half_answered),
    "the form of another API": ("anthropic", None, in_chat_form),
    "results ahead of the provider's calls": ("anthropic", None, of_the_provider),
    "cache markers": ("anthropic", None, marked),
    "calls without ids": ("anthropic", None, without_ids),
    "Anthropic's words": ("openai_chat", None, in_anthropics_words),
    "Anthropic's words as items": ("openai_responses", None, in_anthropics_words),
}


@pytest.mark.parametrize("name", LISTS)
def test_four_times_the_list_is_four_times_the_work(name: str) -> None:
    wire, provider, make = LISTS[name]
    small, large = make(32), make(128)
    heal(small, wire, provider)
    ratio = lines(lambda: heal(large, wire, provider)) / lines(lambda: heal(small, wire, provider))
    assert ratio < 4.2, f"{ratio:.2f} times the work"
