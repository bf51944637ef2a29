"""The reported failures of the reference material: each comes out as its file says."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from interlock.history.engine import HealResult, heal
from interlock.history.stubs import NO_RESULT
from interlock.history.wires import WIRES
from support.shared import needs_shared, shared_files

pytestmark = [pytest.mark.shared, needs_shared]

NAMES = {"ai_sdk_model": "ai_sdk"}


def cases() -> list[Any]:
    """Return one parameter for each case of a history whose format is read."""
    out = []
    for path in shared_files("cases/*.json"):
        case = json.loads(path.read_text())
        wire = NAMES.get(case["wire"], case["wire"])
        if case["side"] == "outbound" and wire in WIRES:
            out.append(pytest.param(case, wire, id=case["id"]))
    return out


def run(case: dict[str, Any], wire: str, messages: Any) -> HealResult:
    """Heal with what the case gives beside the messages."""
    given = case["input"]
    return heal(
        messages,
        wire=wire,
        provider=given.get("target"),
        tools=given.get("tools"),
        options=given.get("options"),
        pending=(given.get("options") or {}).get("pending", ()),
    )


def neutral(value: Any) -> Any:
    """Put one word in the place of a stub's text, ours and the file's."""
    if isinstance(value, str) and (value.startswith("<neutral text") or value == NO_RESULT):
        return "<stub>"
    if isinstance(value, list):
        return [neutral(one) for one in value]
    if isinstance(value, dict):
        return {key: neutral(one) for key, one in value.items()}
    return value


@pytest.mark.parametrize(("case", "wire"), cases())
def test_the_case_comes_out_as_expected(case: dict[str, Any], wire: str) -> None:
    """Found where there is a fault, silent where there is none, exact where one result is natural."""
    messages = case["input"]["messages"]
    before = copy.deepcopy(messages)
    result = run(case, wire, messages)
    expected = case["expected"]
    assert before == messages
    if not expected["faults"]:
        assert result.messages is messages
        assert not result.repairs
        assert not result.remaining
        return
    assert result.repairs or result.remaining
    assert not run(case, wire, result.messages).changed
    if "repaired" in expected:
        assert neutral(expected["repaired"]) == neutral(result.messages)
    first = re.match(r"(?:messages|input)\[(\d+)", expected["faults"][0]["at"])
    for at in range(int(first[1]) if first and "repaired" not in expected else 0):
        assert any(messages[at] is message for message in result.messages), "a message ahead of the fault has changed"
    check = PROPERTIES.get(case["id"][:3])
    assert check is not None or "repaired" in expected, "no check for this case"
    if check is not None:
        check(result)


def _078(result: HealResult) -> None:
    one, two = result.messages[1]["content"][0], result.messages[3]["content"][0]
    assert "toolu_d" == one["id"] != two["id"]
    assert re.fullmatch("[a-zA-Z0-9_-]+", two["id"])
    assert result.messages[4]["content"] == [{"type": "tool_result", "tool_use_id": two["id"], "content": "B"}]


def _083(result: HealResult) -> None:
    raw, none = result.messages[1]["content"]
    assert raw["input"] == {"raw": '{"path":"a","content":"hel'}
    assert none["input"] == {}


def _085(result: HealResult) -> None:
    assert [block["type"] for block in result.messages[1]["content"]] == ["tool_use"]
    assert result.messages[2]["content"][0]["content"][0]["text"].strip()


def _086(result: HealResult) -> None:
    roles = [message["role"] for message in result.messages]
    assert all(one != two for one, two in pairwise(roles))
    said = [message["content"] for message in result.messages]
    assert [word for word in said if word in "abcd"] == ["a", "b", "c", "d"]
    assert all(word.strip() for word in said)


def _088(result: HealResult) -> None:
    assert not result.changed
    assert "turn thinking off" in result.remaining[0].reason


def _089(result: HealResult) -> None:
    assert result.messages[1]["content"] == [{"type": "text", "text": "One"}]
    assert result.messages[3]["content"][0]["signature"] == "c2lnLW5ldw=="
    assert "_origin" not in json.dumps(result.messages)


def _094(result: HealResult) -> None:
    assert [message["role"] for message in result.messages] == ["user", "assistant", "user"]
    assert result.messages[1]["content"] == "Partial answer so far"


def _097(result: HealResult) -> None:
    text = json.dumps(result.messages)
    assert "tool_use" not in text and "tool_result" not in text
    assert all(word in text for word in ("read_file", "toolu_1", "path", "A"))
    assert result.messages[-1]["content"][-1] == {"type": "text", "text": "summarise"}


def _102(result: HealResult) -> None:
    name = result.messages[1]["tool_calls"][0]["function"]["name"]
    assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", name)
    assert name == result.messages[2]["name"] != "read_file"
    assert result.names == {name: "multi_tool.run"}


def _104(result: HealResult) -> None:
    held = json.loads(result.messages[1]["tool_calls"][0]["function"]["arguments"])
    assert list(held) == ["raw"]


def _107(result: HealResult) -> None:
    assert result.messages[1]["content"] == ""


def _110(result: HealResult) -> None:
    assert [message["role"] for message in result.messages].count("system") == 1
    assert result.messages[0]["role"] == "system"
    assert all(word in json.dumps(result.messages) for word in ("a", "b", "c"))


def _113(result: HealResult) -> None:
    assert result.messages[1] == {
        "type": "function_call", "call_id": "call_1", "name": "read_file", "arguments": '{"path":"a"}',
    }  # fmt: skip


def _115(result: HealResult) -> None:
    kinds = [item["type"] for item in result.messages]
    assert kinds == ["message", "reasoning", "function_call", "function_call_output"]
    assert result.messages[1] == {"type": "reasoning", "encrypted_content": "ZW5j", "summary": []}
    assert "id" not in result.messages[2]


def _119(result: HealResult) -> None:
    assert len(result.messages[1]["call_id"]) <= 64
    assert result.messages[1]["call_id"] == result.messages[2]["call_id"]


def _121(result: HealResult) -> None:
    name = result.messages[1]["content"][0]["toolUse"]["name"]
    assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", name)
    assert name != "calc"


def _122(result: HealResult) -> None:
    assert result.messages[1]["content"][0] == {"text": "Trying"}
    assert result.messages[1]["content"][1]["toolUse"]["name"]


def _125(result: HealResult) -> None:
    one, two = (block["toolUse"] for block in result.messages[1]["content"])
    first, second = (block["toolResult"] for block in result.messages[2]["content"])
    assert one["toolUseId"] == first["toolUseId"] != two["toolUseId"] == second["toolUseId"]
    assert first["content"] == [{"text": "r1"}]


def _128(result: HealResult) -> None:
    assert result.messages[0]["role"] == "user"
    assert not re.search(r'"text": "\s*"', json.dumps(result.messages))


def _130(result: HealResult) -> None:
    assert result.messages[0]["role"] == "user"
    assert result.messages[1] == {"role": "assistant", "content": [{"text": "summary: did x"}]}


def _131(result: HealResult) -> None:
    part = result.messages[1]["parts"][0]
    assert part["thoughtSignature"] == "skip_thought_signature_validator"
    assert part["functionCall"]["args"] == {"command": "ls"}


def _133(result: HealResult) -> None:
    assert result.messages[1]["parts"][0]["thoughtSignature"] == "skip_thought_signature_validator"


def _141(result: HealResult) -> None:
    said = [part["text"] for message in result.messages for part in message["parts"]]
    assert said == ["q", "r"]


def _143(result: HealResult) -> None:
    assert [message["role"] for message in result.messages] == ["user", "assistant", "tool", "assistant", "user"]
    assert result.messages[3]["content"].strip()


def _145(result: HealResult) -> None:
    assert [message["role"] for message in result.messages] == ["user"]


def _146(result: HealResult) -> None:
    assert result.messages[2]["role"] == "tool"
    assert result.messages[2]["tool_call_id"] == "add_1"
    assert result.messages[1]["tool_plan"] == "I will add."
    assert result.messages[1].get("content", "x")


def _147(result: HealResult) -> None:
    assert [call["function"]["arguments"] for call in result.messages[1]["tool_calls"]] == [{"x": 1}, {}]


def _148(result: HealResult) -> None:
    answer = result.messages[2]
    assert (answer["type"], answer["tool_call_id"], answer["status"]) == ("tool", "call_bad", "error")
    assert result.messages[1]["tool_calls"] == []


def _152(result: HealResult) -> None:
    assert {part["state"] for part in result.messages[1]["parts"] if part["type"] != "text"} <= {
        "output-error", "output-denied",
    }  # fmt: skip
    assert result.messages[1]["parts"][0] == {"type": "text", "text": "I need approval"}


def _157(result: HealResult) -> None:
    assert result.messages[2]["parts"][0]["tool_call_id"] == "c1"
    text = json.dumps(result.messages)
    assert "c9" not in text
    parts = [part for message in result.messages for part in message["parts"]]
    assert [part["content"] for part in parts if part["part_kind"] == "user-prompt"] == ["q", "n", "m"]


def _160(result: HealResult) -> None:
    results = [
        block
        for message in result.messages
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    ]
    assert [block["content"] for block in results] == ["A", "12:00"]
    assert results[1]["tool_use_id"]
    assert result.messages[5]["content"][0]["id"] == results[1]["tool_use_id"]


def _161(result: HealResult) -> None:
    assert result.messages[1]["content"][0]["input"] == {"raw": '{"path": "a", old'}
    assert result.messages[2]["content"][0]["output"]["type"] == "error-text"


PROPERTIES: dict[str, Callable[[HealResult], None]] = {
    name[1:]: check for name, check in list(globals().items()) if re.fullmatch(r"_\d{3}", name)
}
