"""The AI SDK itself, in Node, judges healed histories: its validation, its conversion, the prompt it would send.

`npm ci` in `tests/node` installs the packages; without them the tests are skipped.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from interlock.history.engine import heal
from interlock.history.wires import WIRES
from support.framework_histories import FORMS
from support.histories import MUTATIONS, damaged, sample

NODE = Path(__file__).resolve().parents[3] / "node"
SDKS = ("ai", "ai-v5", "ai-v7")
pytestmark = pytest.mark.skipif(
    shutil.which("node") is None or not (NODE / "node_modules" / "ai").is_dir(),
    reason="run `npm ci` in tests/node",
)


def convert(jobs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what the SDK says to each history."""
    done = subprocess.run(
        ["node", "convert.mjs"],
        cwd=NODE,
        input=json.dumps(jobs),
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    out: list[dict[str, Any]] = json.loads(done.stdout)
    return out


def job(sdk: str, wire: str, messages: Any) -> dict[str, Any]:
    return {"sdk": sdk, "form": "ui" if wire == "ai_sdk_ui" else "model", "messages": messages}


def broken_pairs(prompt: list[Any]) -> list[str]:
    """Return what is wrong with the pairs of a prompt: each call has one result before the next user message."""
    wrong: list[str] = []
    waiting: list[str] = []
    for message in [*prompt, {"role": "user", "content": []}]:
        for part in message["content"] if isinstance(message["content"], list) else ():
            if part["type"] == "tool-call":
                waiting.append(part["toolCallId"])
                if not isinstance(part["input"], dict):
                    wrong.append(f"input of {part['toolCallId']}")
            elif part["type"] == "tool-result":
                if part["toolCallId"] in waiting:
                    waiting.remove(part["toolCallId"])
                else:
                    wrong.append(f"nobody asked for {part['toolCallId']}")
        if message["role"] in ("user", "system"):
            wrong += [f"no result for {call_id}" for call_id in waiting]
            waiting = []
    return wrong


def broken(steps_of: list[Any], wire: str) -> list[str]:
    healed = [heal(FORMS[wire][1](steps), wire=wire).messages for steps in steps_of]
    jobs = [job(sdk, wire, messages) for messages in healed for sdk in SDKS if messages]
    wrong = []
    for asked, answer in zip(jobs, convert(jobs), strict=True):
        found = [answer["message"]] if not answer["ok"] else broken_pairs(answer["prompt"])
        if found:
            wrong.append(f"{asked['sdk']}: {found} for {json.dumps(asked['messages'])}")
    return wrong


def damaged_samples() -> dict[str, Any]:
    out = {}
    for name, mutate in MUTATIONS.items():
        for end, pick in (("first", lambda _: 0), ("last", lambda count: count - 1)):
            out[f"{name}-{end}"] = mutate(sample(), pick)
    return out


@pytest.mark.parametrize("wire", ["ai_sdk", "ai_sdk_ui"])
def test_each_kind_of_damage_is_healed_for_the_sdk(wire: str) -> None:
    assert broken(list(damaged_samples().values()), wire) == []


@pytest.mark.parametrize("wire", ["ai_sdk", "ai_sdk_ui"])
@given(cases=st.lists(damaged(), min_size=15, max_size=15))
@settings(max_examples=2, deadline=None, phases=[Phase.generate])  # a list of histories is no help when shrunk
def test_several_kinds_together_are_healed_for_the_sdk(wire: str, cases: list[Any]) -> None:
    assert broken([steps for steps, _ in cases], wire) == []


@pytest.mark.parametrize("sdk", ["ai", "ai-v7"])
@pytest.mark.parametrize("wire", ["ai_sdk", "ai_sdk_ui"])
@pytest.mark.parametrize("name", ["one-result-missing", "results-missing", "interrupted"])
def test_the_sdk_refuses_the_damage_that_it_knows(sdk: str, wire: str, name: str) -> None:
    history = FORMS[wire][1](MUTATIONS[name](sample(), lambda _: 0))
    answer = convert([job(sdk, wire, history)])[0]
    assert answer["error"] == "AI_MissingToolResultsError"
    assert next(one.rule for one in heal(history, wire=wire).repairs) == "orphan-tool-call"


def test_a_page_s_messages_are_read_as_the_sdk_converts_them() -> None:
    histories = [FORMS["ai_sdk_ui"][1](steps) for steps in damaged_samples().values()]
    histories = [heal(history, wire="ai_sdk_ui").messages for history in histories]
    for history, answer in zip(histories, convert([job("ai", "ai_sdk_ui", one) for one in histories]), strict=True):
        views = [view for view in WIRES["ai_sdk_ui"].read(history) if any(one.kind != "opaque" for one in view.parts)]
        assert [view.role for view in views] == [message["role"] for message in answer["prompt"]]
        ids = [part.call_id for view in views for part in view.parts if part.kind in ("call", "result")]
        sent = [
            part["toolCallId"]
            for message in answer["prompt"]
            if isinstance(message["content"], list)
            for part in message["content"]
            if part["type"] in ("tool-call", "tool-result")
        ]
        assert ids == sent


def asking(state: dict[str, Any] | None) -> list[Any]:
    """A call that a human was asked about, and what came of it, as model messages."""
    out: list[Any] = [
        {"role": "user", "content": "Delete it."},
        {
            "role": "assistant",
            "content": [
                {"type": "tool-call", "toolCallId": "c1", "toolName": "delete", "input": {"path": "a"}},
                {"type": "tool-approval-request", "approvalId": "ap1", "toolCallId": "c1"},
            ],
        },
    ]
    if state is not None:
        out.append({"role": "tool", "content": [{"type": "tool-approval-response", "approvalId": "ap1", **state}]})
    return out


def asking_ui(state: dict[str, Any] | None) -> list[Any]:
    """The same as a page keeps it."""
    word = "approval-requested" if state is None else "approval-responded"
    part = {
        "type": "tool-delete",
        "toolCallId": "c1",
        "state": word,
        "input": {"path": "a"},
        "approval": {"id": "ap1", **(state or {})},
    }
    return [
        {"id": "1", "role": "user", "parts": [{"type": "text", "text": "Delete it."}]},
        {"id": "2", "role": "assistant", "parts": [{"type": "step-start"}, part]},
    ]


GO_ON = {
    "ai_sdk": {"role": "user", "content": "Well?"},
    "ai_sdk_ui": {"id": "3", "role": "user", "parts": [{"type": "text", "text": "Well?"}]},
}
ASKING = {"ai_sdk": asking, "ai_sdk_ui": asking_ui}


@pytest.mark.parametrize("wire", ASKING)
@pytest.mark.parametrize("state", [None, {"approved": True}], ids=["open", "allowed"])
def test_what_a_human_is_asked_or_has_just_allowed_is_left_alone(wire: str, state: Any) -> None:
    history = ASKING[wire](state)
    assert heal(history, wire=wire).messages is history


@pytest.mark.parametrize("wire", ASKING)
@pytest.mark.parametrize("sdk", ["ai", "ai-v7"])
@pytest.mark.parametrize(
    "state", [None, {"approved": True}, {"approved": False, "reason": "Too risky."}], ids=["open", "allowed", "denied"]
)
def test_a_question_that_the_conversation_has_passed_is_closed(wire: str, sdk: str, state: Any) -> None:
    result = heal([*ASKING[wire](state), GO_ON[wire]], wire=wire)
    assert [one.rule for one in result.repairs] == ["orphan-tool-call"]
    answer = convert([job(sdk, wire, result.messages)])[0]
    assert answer["ok"], answer
    assert broken_pairs(answer["prompt"]) == []
    if state is not None and state["approved"] is False:
        assert "Too risky." in json.dumps(answer["prompt"])
        assert "No result was recorded" not in json.dumps(answer["prompt"])
    else:
        assert "No result was recorded" in json.dumps(answer["prompt"])


def test_a_refusal_at_the_end_is_told_to_the_model() -> None:
    for wire, history in ((wire, make({"approved": False, "reason": "No."})) for wire, make in ASKING.items()):
        healed = heal(history, wire=wire).messages
        answer = convert([job("ai", wire, healed)])[0]
        assert answer["ok"] and broken_pairs(answer["prompt"]) == []


def test_words_between_two_steps_are_the_user_s() -> None:
    step = {"type": "tool-f", "toolCallId": "c1", "state": "input-available", "input": {}}
    history = [
        {"id": "1", "role": "user", "parts": [{"type": "text", "text": "q"}]},
        {
            "id": "2",
            "role": "assistant",
            "parts": [
                {"type": "step-start"},
                step,
                {"type": "steering-message", "id": "s1", "parts": [{"type": "text", "text": "Hurry."}]},
                {"type": "step-start"},
                {"type": "text", "text": "Yes."},
            ],
        },
    ]
    healed = heal(history, wire="ai_sdk_ui").messages
    assert [part["type"] for part in healed[1]["parts"]] == [part["type"] for part in history[1]["parts"]]
    answer = convert([job("ai-v7", "ai_sdk_ui", healed)])[0]
    assert [one["role"] for one in answer["prompt"]] == ["user", "assistant", "tool", "user", "assistant"]
    assert [view.role for view in WIRES["ai_sdk_ui"].read(healed)] == ["user", "assistant", "tool", "user", "assistant"]


def _call(call_id: str = "c1", **fields: Any) -> dict[str, Any]:
    return {"type": "tool-call", "toolCallId": call_id, "toolName": "f", **fields}


_USER: dict[str, Any] = {"role": "user", "content": "q"}
_REAL: dict[str, Any] = {
    "type": "tool-result",
    "toolCallId": "c1",
    "toolName": "f",
    "output": {"type": "text", "value": "REAL"},
}
REFUSED: dict[str, list[Any]] = {
    "arguments of version 4": [
        _USER,
        {"role": "assistant", "content": [_call(args={"a": 1})]},
        {"role": "tool", "content": [_REAL]},
    ],
    "a tool message of words": [
        _USER,
        {"role": "assistant", "content": [_call(input={})]},
        {"role": "tool", "content": "REAL"},
    ],
    "a text in a tool message": [
        _USER,
        {"role": "assistant", "content": [_call(input={})]},
        {"role": "tool", "content": [{"type": "text", "text": "REAL"}]},
    ],
    "an image of the assistant's": [
        _USER,
        {"role": "assistant", "content": [{"type": "image", "image": "iVBORw0KGgo="}]},
        _USER,
    ],
    "a media type of version 4": [
        {"role": "user", "content": [{"type": "file", "data": "eA==", "mimeType": "application/pdf"}]}
    ],
    "a system message of parts": [{"role": "system", "content": [{"type": "text", "text": "s"}]}, _USER],
    "null": [{"role": "user", "content": None}, {"role": "assistant", "content": "a"}, _USER],
    "a result in the assistant's message": [
        _USER,
        {"role": "assistant", "content": [_call(input={}), _REAL, {"type": "text", "text": "done"}]},
        _USER,
    ],
}


def _page(*parts: Any, role: str = "assistant") -> list[Any]:
    said = [{"id": f"u{at}", "role": "user", "parts": [{"type": "text", "text": "q"}]} for at in range(2)]
    return [said[0], {"id": "m1", "role": role, "parts": list(parts)}, said[1]]


_TOOL = {"type": "tool-f", "toolCallId": "c1"}
#: What `validateUIMessages` refuses, and what is found: healed, or reported.
PAGES: dict[str, tuple[list[Any], bool]] = {
    "an output that is undefined": (_page({**_TOOL, "state": "output-available", "input": {}}), True),
    "no input": (_page({**_TOOL, "state": "output-available", "output": 1}), True),
    "an error without words": (_page({**_TOOL, "state": "output-error", "input": {}}), True),
    "denied by nobody": (_page({**_TOOL, "state": "output-denied", "input": {}}), True),
    "a call of version 4": (
        _page(
            {
                "type": "tool-invocation",
                "toolInvocation": {"state": "result", "toolCallId": "c1", "toolName": "f", "args": {}, "result": 1},
            }
        ),
        True,
    ),
    "an unknown state": (_page({**_TOOL, "state": "done", "input": {}, "output": 1}), False),
    "an unknown type": (_page({"type": "mystery"}), False),
    "a text without words": (_page({"type": "text"}), False),
    "a file from nowhere": (_page({"type": "file", "mediaType": "image/png"}), False),
    "a string": (_page("x"), False),
    "a role of another format": (_page({"type": "text", "text": "x"}, role="tool"), False),
}


def test_what_the_sdk_refuses_of_a_page_is_healed_or_reported() -> None:
    results = {name: heal(history, wire="ai_sdk_ui") for name, (history, _) in PAGES.items()}
    before = convert([job("ai", "ai_sdk_ui", history) for history, _ in PAGES.values()])
    after = convert([job("ai", "ai_sdk_ui", result.messages) for result in results.values()])
    assert [name for name, one in zip(PAGES, before, strict=True) if one["ok"]] == []
    for (name, (_, mended)), one in zip(PAGES.items(), after, strict=True):
        result = results[name]
        assert (one["ok"], bool(result.repairs), bool(result.remaining)) == (mended, mended, not mended), name
        assert not any(record.rule == "orphan-tool-call" for record in result.repairs), name
        assert not heal(result.messages, wire="ai_sdk_ui").changed


@pytest.mark.parametrize("sdk", SDKS)
def test_what_the_sdk_takes_of_a_page_is_left_alone(sdk: str) -> None:
    pages = [
        _page({**_TOOL, "state": "output-available", "input": {}, "output": None}),
        _page({**_TOOL, "state": "output-denied", "input": {}, "approval": {"id": "a", "approved": False}}),
        _page({**_TOOL, "state": "input-streaming"}),
        _page({"type": "source-url", "sourceId": "s", "url": "u"}, {"type": "data-x", "data": 1}),
    ]
    if sdk == "ai-v7":
        pages += [_page({"type": "custom", "kind": "a.b"})]
    for page, answer in zip(pages, convert([job(sdk, "ai_sdk_ui", page) for page in pages]), strict=True):
        assert answer["ok"], answer
        result = heal(page, wire="ai_sdk_ui")
        assert result.messages is page and not result.remaining


def test_what_the_sdk_refuses_of_one_message_is_healed() -> None:
    healed = {name: heal(history, wire="ai_sdk") for name, history in REFUSED.items()}
    before = convert([job("ai", "ai_sdk", history) for history in REFUSED.values()])
    after = convert([job("ai", "ai_sdk", result.messages) for result in healed.values()])
    assert [name for name, one in zip(REFUSED, before, strict=True) if one["ok"]] == []
    assert [name for name, one in zip(REFUSED, after, strict=True) if not one["ok"]] == []
    assert [name for name, one in zip(REFUSED, after, strict=True) if broken_pairs(one["prompt"])] == []
    for name, result in healed.items():
        assert not any(one.lossy for one in result.repairs), name
        assert "REAL" in json.dumps(result.messages) or "REAL" not in json.dumps(REFUSED[name])


@pytest.mark.parametrize("sdk", SDKS)
def test_the_sdk_sends_a_result_behind_later_words_as_it_stands(sdk: str) -> None:
    """It checks no such thing, so that it is for healing to put it where every provider takes it."""
    history = [_USER, {"role": "assistant", "content": [_call(input={})]}, {"role": "assistant", "content": "later"}]
    history += [{"role": "tool", "content": [_REAL]}, _USER]
    healed = heal(history, wire="ai_sdk").messages
    before, after = convert([job(sdk, "ai_sdk", history), job(sdk, "ai_sdk", healed)])
    assert [one["role"] for one in before["prompt"]] == ["user", "assistant", "assistant", "tool", "user"]
    assert [one["role"] for one in after["prompt"]] == ["user", "assistant", "tool", "assistant", "user"]
