"""A stub is known again, in every format, whoever chose its words; a real result takes its place."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.history.engine import heal
from interlock.history.stubs import UNREAD
from support.framework_histories import FORMS, plain
from support.histories import WIRES, Reply, Results, User, render, sample


def _name(call: Any) -> str:
    return f"{call.name}: the run was stopped"


WORDS: dict[str, dict[str, Any]] = {
    "ours": {},
    "text": {"stub_text": "The run was stopped."},
    "function": {"stub_text": _name},
    "no-error": {"stub_text": _name, "stub_is_error": False},
}
# A page's messages hold a call and its result in one part.
FORMATS = {wire: (wire, lambda steps, wire=wire: render(steps, wire)) for wire in WIRES} | {
    form: entry for form, entry in FORMS.items() if "ui" not in form
}


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("form", FORMATS)
def test_a_late_result_takes_the_stubs_place(form: str, words: str) -> None:
    """Healed while the tool was still running; its result is stored behind the conversation that went on."""
    wire, write = FORMATS[form]
    steps = [*sample()[:2], User("Are you there?"), Reply("Yes.")]
    options = WORDS[words]
    stubbed = heal(write(steps), wire=wire, options=options)
    assert [one.rule for one in stubbed.repairs].count("orphan-tool-call") == 2
    late = write([sample()[2], User("And now?")])
    result = heal([*stubbed.messages, *late], wire=wire, options=options)
    text = str([plain(message) for message in result.messages])
    assert "'rain'" in text and "'A'" in text
    assert "stopped" not in text and "No result was recorded" not in text
    assert not any(one.lossy for one in result.repairs)
    assert heal(result.messages, wire=wire, options=options).repairs == ()


def test_a_call_that_could_not_be_read_is_answered_with_that() -> None:
    cut = Reply("", (sample()[5].calls[0].__class__("call_1", "write_file", '{"path": "a'),))
    history = FORMS["langchain"][1]([User("q"), cut, User("again")])
    healed = heal(history).messages
    assert healed[2]["content"] == UNREAD and healed[2]["status"] == "error"


def test_a_function_that_fails_does_no_harm() -> None:
    history = render([*sample()[:2], User("q")], "anthropic")
    for own in (lambda _: 1 / 0, lambda _: None, lambda _: "  ", 3, ""):
        result = heal(history, wire="anthropic", options={"stub_text": own})
        assert "No result was recorded" in str(result.messages)


def test_a_result_of_the_tool_is_no_stub_because_it_is_short() -> None:
    steps = sample()
    doubled = [*steps[:3], Results(steps[2].answers), *steps[3:]]
    result = heal(render(doubled, "anthropic"), wire="anthropic")
    assert {one.rule for one in result.repairs} == {"duplicate-tool-result"}
    assert not any(one.lossy for one in result.repairs)
