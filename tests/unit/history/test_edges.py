"""Small histories at the edge of a format: nothing in them is lost, and one healing is enough."""

from __future__ import annotations

from collections import OrderedDict
from enum import Enum
from types import MappingProxyType
from typing import Any

import pytest

from interlock.history import engine
from interlock.history.detect import detect_wire
from interlock.history.engine import check, heal
from support.long_way import read_whole

USER: dict[str, Any] = {"role": "user", "content": "q"}


@pytest.mark.parametrize("said", [{"audio": {"id": "audio_1"}}, {"content": None, "refusal": "I will not."}])
@pytest.mark.parametrize("provider", [None, "openai", "openrouter"])
def test_what_is_said_beside_the_content_is_no_empty_message(said: dict[str, Any], provider: str | None) -> None:
    history = [USER, {"role": "assistant", **said}, USER]
    assert heal(history, "openai_chat", provider).messages is history


def test_a_refusal_stays_when_messages_are_merged() -> None:
    said = [{"role": "assistant", "refusal": "No."}, {"role": "assistant", "audio": {"id": "audio_1"}}]
    healed = heal([USER, *said, USER], "openai_chat", "perplexity").messages
    assert healed[1] == {"role": "assistant", "refusal": "No.", "audio": {"id": "audio_1"}}


@pytest.mark.parametrize(
    ("wire", "call", "result"),
    [
        ("anthropic", {"type": "tool_use"}, {"type": "tool_result"}),
        ("bedrock_converse", {"toolUse": {}}, {"toolResult": {}}),
        ("ai_sdk", {"type": "tool-call"}, {"type": "tool-result"}),
    ],
)
def test_a_block_without_its_list_is_seen_the_first_time(wire: str, call: Any, result: Any) -> None:
    role = "tool" if wire == "ai_sdk" else "user"
    for history in (
        [{"role": "assistant", "content": [call]}, {"role": role, "content": result}],
        [{"role": "assistant", "content": call}, {"role": "assistant", "content": [{}]}],
        [{"role": "user", "content": result}, {"role": "user"}],
        [{"role": "assistant", "content": [call]}, {"role": "user", "content": ""}],
    ):
        healed = heal(history, wire)
        assert healed.repairs
        assert not heal(healed.messages, wire).changed


def test_items_become_messages_where_no_tools_are_declared() -> None:
    items = [
        USER,
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "o"},
    ]
    result = heal({"model": "m", "input": items}, "openai_responses", "anthropic")
    assert [message["role"] for message in result.messages] == ["user", "assistant", "user"]
    assert result.positions == (0, 1, 2)


def test_a_moved_result_is_followed() -> None:
    """A message that moves as a whole is the same object in its new place; parts lead to their new message."""
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    late = {"role": "tool", "tool_call_id": "c", "content": "o"}
    history = [USER, {"role": "assistant", "content": None, "tool_calls": [call]}, USER, late]
    result = heal(history)
    assert result.positions == (0, 1, 3, 2)
    assert result.messages[2] is late

    use = {"type": "tool_use", "id": "c", "name": "f", "input": {}}
    answer = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "o"}]}
    said = {"role": "assistant", "content": "a"}
    blocks = [USER, {"role": "assistant", "content": [use]}, USER, said, answer, said, USER]
    assert heal(blocks, "anthropic").positions == (0, 1, 2, 3, 2, 4, 5)
    apart = heal(blocks, "anthropic", "openai")
    assert apart.messages[apart.positions[4]] is answer


def test_a_local_shell_may_be_answered_by_call_id() -> None:
    call = {"type": "local_shell_call", "id": "lsh_1", "call_id": "c", "action": {"type": "exec", "command": ["ls"]}}
    for key in ("id", "call_id"):
        history = [USER, call, {"type": "local_shell_call_output", key: "c", "output": "x"}]
        assert heal(history, "openai_responses").messages is history


@pytest.mark.parametrize(
    ("history", "wire"),
    [
        ([{"role": "user", "content": [{"type": "container_upload", "file_id": "f"}]}], "anthropic"),
        ([{"role": "user", "content": [{"type": "document", "source": {"type": "file"}}]}], "anthropic"),
        ([{"role": "assistant", "content": [{"type": "compaction", "content": "s"}]}], "anthropic"),
        ([{"type": "mcp_approval_response", "approval_request_id": "m", "approve": True}], "openai_responses"),
    ],
)
def test_a_mark_that_one_format_has_tells_it(history: list[Any], wire: str) -> None:
    assert detect_wire(history) == wire


def _quick_and_slow(history: list[Any], wire: str) -> tuple[list[str], list[str]]:
    quick = heal(history, wire)
    with read_whole():
        slow = heal(history, wire)
    return [one.rule for one in (*quick.repairs, *quick.remaining)], [
        one.rule for one in (*slow.repairs, *slow.remaining)
    ]


_ASK = {"role": "user", "parts": [{"text": "q"}]}
_CALL = {"functionCall": {"name": "f", "args": {}}}
_ANSWER = {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]}


@pytest.mark.parametrize(
    ("wire", "history"),
    [
        ("gemini", [{"role": "model", "parts": [{"text": "a"}]}, {"role": "model", "parts": [_CALL]}, _ANSWER]),
        ("gemini", [_ASK, {"role": "model", "parts": [{**_CALL, "thoughtSignature": 0}]}, _ANSWER]),
        (
            "bedrock_converse",
            [
                {"role": "user", "content": [{"text": "q"}]},
                {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t", "name": "f", "input": {}}}]},
                {"role": "user", "content": [{"toolResult": {"toolUseId": "t", "content": {}}}]},
            ],
        ),
        ("openai_responses", [{"role": "user", "content": "q", "id": "tool"}]),
        (
            "openai_chat",
            [
                {
                    "role": "assistant",
                    "tool_calls": [{"id": "c", "_x": 0, "function": {"name": "f", "arguments": "{}"}}],
                },
                {"role": "tool", "tool_call_id": "c", "content": "o"},
            ],
        ),
        ("ai_sdk_ui", [{"id": "m", "role": "user", "parts": [{"type": "text", "text": "q"}], "_x": 0}]),
        (
            "openai_responses",
            [
                {"type": "reasoning", "id": "rs_1", "summary": [], "_x": 0},
                {"role": "assistant", "content": "a", "id": "msg_1"},
            ],
        ),
        (
            "anthropic",
            [
                {
                    "role": "assistant",
                    "content": [{"type": "thinking", "signature": "s", "_x": 0}, {"type": "text", "text": "a"}],
                },
                {"role": "user", "content": "q"},
            ],
        ),
        (
            "ollama",
            [
                {
                    "role": "assistant",
                    "content": "",
                    "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": {}}}],
                },
                {"role": "tool", "content": "o"},
            ],
        ),
        (
            "langchain",
            [
                {"data": {"type": "ai", "content": "", "tool_calls": [{"name": "f", "args": {}, "id": "c"}]}},
                {"type": "tool", "data": {"type": "tool", "content": "o", "tool_call_id": "c"}},
            ],
        ),
    ],
)
def test_the_quick_look_passes_nothing_that_a_rule_finds(wire: str, history: list[Any]) -> None:
    quick, slow = _quick_and_slow(history, wire)
    assert quick == slow != []


def test_a_signature_in_bytes_is_one() -> None:
    call = {"function_call": {"name": "f", "args": {}}, "thought_signature": b"sig"}
    answer = {"role": "user", "parts": [{"function_response": {"name": "f", "response": {}}}]}
    history = [_ASK, {"role": "model", "parts": [call]}, answer]
    assert heal(history, "gemini", model="gemini-3-pro").messages is history


@pytest.mark.parametrize(
    ("wire", "history"),
    [
        (
            "pydantic_ai",
            [
                {"parts": [{"part_kind": "tool-call"}], "kind": "response"},
                {"parts": ["response", {"part_kind": "tool-return"}], "kind": "request"},
            ],
        ),
        (
            "ai_python",
            [
                {"role": "assistant", "parts": [{"kind": "tool_call"}]},
                "x",
                {"role": "tool", "parts": [{"id": {}, "kind": "tool_result"}]},
            ],
        ),
    ],
)
def test_a_part_that_is_no_part_stays_what_it_is(wire: str, history: list[Any]) -> None:
    healed = heal(history, wire)
    assert not heal(healed.messages, wire).changed


def test_a_bare_string_among_parts_is_not_made_into_words() -> None:
    history = [{"role": "assistant", "parts": [""]}, {"role": "assistant", "parts": [{}]}]
    healed = heal(history, "ai_python", "bedrock")
    assert healed.messages[1]["parts"] == ["", {}]


@pytest.mark.parametrize("provider", ["anthropic", "vertex", "bedrock-anthropic"])
@pytest.mark.parametrize("content", ["", " "])
def test_an_empty_string_beside_calls_is_no_empty_text(provider: str, content: str) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    turn = {"role": "assistant", "content": content, "tool_calls": [call]}
    history = [USER, turn, {"role": "tool", "tool_call_id": "c", "content": "o"}, USER]
    healed = heal(history, "openai_chat", provider)
    assert (healed.messages is history) == (content == "" or provider == "vertex")
    assert not heal(healed.messages, "openai_chat", provider).changed


def test_nobody_is_made_to_say_what_another_said() -> None:
    history = [{"role": "user", "name": "bob", "content": "x"}, {"role": "user", "name": "ann", "content": "y"}]
    healed = heal(history, "openai_chat", "strict_template")
    assert healed.messages == [{"role": "user", "content": "x\n\ny"}]
    assert [one.lossy for one in healed.repairs] == [True]
    same = [{**one, "name": "bob"} for one in history]
    healed = heal(same, "openai_chat", "strict_template")
    assert healed.messages == [{"role": "user", "name": "bob", "content": "x\n\ny"}]
    assert [one.lossy for one in healed.repairs] == [False]


@pytest.mark.parametrize("beside", [{"tool_calls": [{}]}, {"reasoning_content": "hm"}])
def test_words_of_joined_messages_become_one_string_at_once(beside: dict[str, Any]) -> None:
    said = [{"role": "assistant", "content": "a", **beside}, {"role": "assistant", "content": "b", **beside}]
    healed = heal([USER, *said, USER], "openai_chat", "strict_template")
    assert healed.messages[1]["content"] == "a\n\nb"
    assert not heal(healed.messages, "openai_chat", "strict_template").changed


def test_perplexity_gets_its_system_messages_at_the_front_and_alternating_roles() -> None:
    """A system message in between breaks the alternation there: its text goes to the user's."""
    messages = [
        {"role": "user", "content": "0"},
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "One more thing."},
    ]
    result = heal(messages, wire="openai_chat", provider="perplexity")
    assert [message["role"] for message in result.messages] == ["user"]
    assert all(message["content"] in result.messages[0]["content"] for message in messages)


def part(kind: str, **fields: Any) -> dict[str, Any]:
    """Return a part of Pydantic AI."""
    return {"part_kind": kind, **fields}


CALL_1 = {"kind": "response", "parts": [part("tool-call", tool_name="f", args={}, tool_call_id="c1")]}
RETURN_1 = part("tool-return", tool_name="f", content="r", tool_call_id="c1")


@pytest.mark.parametrize(
    "behind",
    [
        # A request that has lost its last return is the user's.
        [{"kind": "request", "parts": [part("tool-return"), {}]}, {"kind": "request", "parts": [RETURN_1]}],
        # The parts of one request in another order are another request.
        [{"kind": "request", "parts": [part("user-prompt", content="n"), RETURN_1]}],
        [
            {
                "kind": "request",
                "parts": [part("system-prompt", content="n"), RETURN_1, part("user-prompt", content="m")],
            }
        ],
    ],
)
def test_what_healing_leaves_is_read_as_healing_has_seen_it(behind: list[Any]) -> None:
    """The result moves to its call in the first run, and the second run finds nothing."""
    result = heal([CALL_1, *behind], wire="pydantic_ai")
    parts = [one for message in result.messages for one in message["parts"]]
    assert parts[1] == RETURN_1
    assert result.changed and not check(result.messages, wire="pydantic_ai").findings


def test_a_block_that_stands_for_the_whole_content_can_go() -> None:
    """It becomes a list of one first."""
    call = {"name": "f", "args": {}, "id": "c1", "type": "tool_call"}
    history = [
        {"type": "human", "content": "q"},
        {"type": "ai", "content": {"type": "text", "text": " "}, "tool_calls": [call]},
        {"type": "tool", "content": "r", "tool_call_id": "c1"},
    ]
    result = heal(history, wire="langchain", provider="anthropic")
    assert [one.rule for one in result.repairs] == ["content-part-type", "empty-text"]
    assert result.messages[1] == {"type": "ai", "content": [], "tool_calls": [call]}


def test_a_call_keeps_its_place_in_the_request_when_a_field_goes() -> None:
    """LangChain keeps a call in several places; taking a cache marker from one of them loses none."""
    entry = {"name": "f", "args": {}, "id": "c1", "type": "tool_call", "cache_control": {"type": "ephemeral"}}
    marked = [{"type": "text", "text": f"{at}", "cache_control": {"type": "ephemeral"}} for at in range(4)]
    history = [
        {"type": "human", "content": "q"},
        {"type": "ai", "content": [{"type": "tool_use", "id": "c1", "name": "f", "input": {}}], "tool_calls": [entry]},
        {"type": "tool", "content": "r", "tool_call_id": "c1"},
        {"type": "human", "content": marked},
    ]
    healed = heal(history, wire="langchain", provider="anthropic").messages
    assert healed[1]["content"] == history[1]["content"]
    assert healed[1]["tool_calls"] == [{key: entry[key] for key in ("name", "args", "id", "type")}]
    assert healed[2] is history[2]


def test_a_stub_has_the_time_of_the_message_ahead_of_it_or_none() -> None:
    """Not of one further ahead: with a quick look, nothing of that is known."""
    call = {"part_kind": "tool-call", "tool_name": "f", "args": "{}", "tool_call_id": "c"}
    dated = {"parts": [{"part_kind": "text", "content": "hm"}], "kind": "response", "timestamp": "2026-01-01T00:00:00Z"}
    user = {"parts": [{"part_kind": "user-prompt", "content": "hi"}], "kind": "request"}
    for stamp in ({}, {"timestamp": "2026-02-02T00:00:00Z"}):
        messages = [user, dated, user, {"parts": [call], "kind": "response", **stamp}, user]
        healed = heal(messages, wire="pydantic_ai").messages
        stub = healed[4]["parts"][0]
        assert stub["part_kind"] == "tool-return"
        assert stub.get("timestamp") == stamp.get("timestamp")


@pytest.mark.parametrize("state", [{}, {"state": None}, {"state": "input-available"}])
@pytest.mark.parametrize("outcome", [{"output": "12:00"}, {"output": 0}, {"errorText": "no clock"}])
@pytest.mark.parametrize("server", [{}, {"providerExecuted": True}])
def test_a_result_that_is_there_is_a_result(state: Any, outcome: dict[str, Any], server: Any) -> None:
    """Whatever the part of a UI message says of its state; its output is no stray field."""
    tool = {"type": "tool-clock", "toolCallId": "c", "input": {}, **server, **outcome}
    result = heal([{"id": "m", "role": "assistant", "parts": [{**tool, **state}]}], "ai_sdk_ui")
    ended = "output-available" if "output" in outcome else "output-error"
    assert result.messages[0]["parts"] == [{**tool, "state": ended}]
    assert [one.rule for one in result.repairs] == ["invalid-tool-result-shape"]


@pytest.mark.parametrize(
    "value", [[{"text": "", "n": 1}], [{"type": "text", "text": ""}, {"type": "text", "text": "x"}]]
)
@pytest.mark.parametrize("provider", ["anthropic", "bedrock"])
def test_a_list_that_a_tool_returned_is_not_a_list_of_blocks(value: Any, provider: str) -> None:
    asked = {"role": "user", "parts": [{"kind": "text", "text": "q"}]}
    call = {"kind": "tool_call", "tool_call_id": "c", "tool_name": "f", "tool_args": "{}"}
    answer = {"kind": "tool_result", "tool_call_id": "c", "tool_name": "f", "result": value, "result_kind": "json"}
    python = [asked, {"role": "assistant", "parts": [call]}, {"role": "tool", "parts": [answer]}]
    tool = {"type": "tool-f", "toolCallId": "c", "state": "output-available", "input": {}, "output": value}
    ui = [
        {"id": "u", "role": "user", "parts": [{"type": "text", "text": "q"}]},
        {"id": "m", "role": "assistant", "parts": [tool]},
    ]
    returned = {"part_kind": "tool-return", "tool_name": "f", "content": value, "tool_call_id": "c"}
    pydantic = [
        CALL_1 | {"parts": [CALL_1["parts"][0] | {"tool_call_id": "c"}]},
        {"kind": "request", "parts": [returned]},
    ]
    for wire, history in (("ai_python", python), ("ai_sdk_ui", ui), ("pydantic_ai", pydantic)):
        repairs = heal(history, wire, provider).repairs
        assert "empty-tool-result" not in [one.rule for one in repairs]


@pytest.mark.parametrize("provider", ["minimax", "strict_template", "mistral"])
@pytest.mark.parametrize("wire", ["anthropic", "bedrock_converse", "gemini"])
def test_a_split_message_is_where_its_words_are(wire: str, provider: str) -> None:
    """Not where the results went that stand in for what was missing."""
    call, what = {
        "anthropic": ({"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}, "What?"),
        "bedrock_converse": ({"toolUse": {"toolUseId": "t1", "name": "f", "input": {}}}, [{"text": "What?"}]),
        "gemini": ({"functionCall": {"name": "f", "args": {}}}, [{"text": "What?"}]),
    }[wire]
    key, model = ("parts", "model") if wire == "gemini" else ("content", "assistant")
    asked = {"role": "user", key: what}
    result = heal([asked, {"role": model, key: [call]}, asked], wire, provider)
    assert len(result.messages) > 3
    places = [at for at, message in enumerate(result.messages) if "What?" in str(message[key])]
    assert [result.positions[0], result.positions[2]] == places


_CHAT_CALL: dict[str, Any] = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
_CHAT_ANSWER: dict[str, Any] = {"role": "tool", "tool_call_id": "c", "content": "o"}


@pytest.mark.parametrize("content", [" ", [{"type": "text", "text": "\n"}], [{"type": "text", "text": ""}], "", []])
def test_the_last_message_may_be_empty_but_no_white_space(content: Any) -> None:
    history = [USER, {"role": "assistant", "content": content}]
    assert heal(history, "anthropic").messages == (history if content in ("", []) else [USER])


@pytest.mark.parametrize("provider", ["xai", "lmstudio", "qwen"])
@pytest.mark.parametrize("content", [{}, {"content": None}])
def test_content_that_may_not_be_null_may_not_be_left_out(provider: str, content: dict[str, Any]) -> None:
    turn = {"role": "assistant", **content, "tool_calls": [_CHAT_CALL]}
    healed = heal([USER, turn, _CHAT_ANSWER], "openai_chat", provider).messages
    assert healed[1] == {**turn, "content": ""}


@pytest.mark.parametrize("role", ["user", "system", "developer"])
def test_only_the_assistant_may_leave_its_content_out(role: str) -> None:
    result = heal([{"role": role}, USER], "openai_chat")
    assert result.messages == [{"role": role, "content": ""}, USER]
    turn = {"role": "assistant", "tool_calls": [_CHAT_CALL]}
    assert not heal([USER, turn, _CHAT_ANSWER], "openai_chat").changed


def test_an_empty_list_is_no_string() -> None:
    assert heal([{"role": "user", "content": []}, USER], "ollama").messages == [{"role": "user", "content": ""}, USER]


def test_a_name_that_a_result_gives_is_its_calls() -> None:
    turn = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]}
    for named in ({"tool_name": "g"}, {"tool_name": "f"}, {}):
        answer = {"role": "tool", "content": "o", **named}
        result = heal([USER, turn, answer], "ollama")
        assert result.messages[2] == ({**answer, "tool_name": "f"} if named else answer)
        assert [one.rule for one in result.repairs] == (["invalid-tool-name"] if "g" in named.values() else [])


@pytest.mark.parametrize("provider", [None, "openai", "anthropic"])
@pytest.mark.parametrize("role", ["user", "system"])
def test_only_the_assistants_ui_message_may_be_without_parts(role: str, provider: str | None) -> None:
    """`validateUIMessages` refuses it, whoever the messages go to."""
    word = {"id": "b", "role": "user", "parts": [{"type": "text", "text": "q"}]}
    bare: dict[str, Any] = {"id": "a", "role": role, "parts": []}
    assert heal([bare, word], "ai_sdk_ui", provider).messages == [word]
    said = {"id": "c", "role": "assistant", "parts": []}
    assert not heal([word, said, word], "ai_sdk_ui", provider).changed
    last = heal([word, said, bare], "ai_sdk_ui", provider).messages[2:]
    assert last == ([{**bare, "parts": [{"type": "text", "text": "(empty message)"}]}] if role == "user" else [])


def _with_part(wire: str, part: Any, beside: bool) -> list[Any]:
    """Return a history whose one message holds a part, and words if asked for."""
    if wire in ("openai_chat", "mistral", "cohere_v2", "ollama"):
        turn = {"role": "assistant", "content": "a" if beside else None, "tool_calls": [part]}
        return [USER, turn, USER]
    words = {"type": "text", "text": "a"} if wire == "anthropic" else {"text": "a"}
    return [{"role": "user", "parts" if wire == "gemini" else "content": [words, part] if beside else [part]}]


_NO_PARTS = [
    *[("anthropic", one) for one in (None, {}, {"type": "text"}, {"type": "text", "text": None}, {"text": "a"}, 5)],
    *[("bedrock_converse", one) for one in (None, {}, {"text": None}, {"text": 5}, {"toolUse": None}, 5)],
    *[("gemini", one) for one in (None, {"text": 5}, {"functionCall": None}, 5)],
    *[
        (wire, one)
        for wire in ("openai_chat", "mistral", "cohere_v2", "ollama")
        for one in (None, {}, {"id": "c", "type": "function"}, {"id": "c", "function": None}, 5)
    ],
]


@pytest.mark.parametrize("beside", [True, False])
@pytest.mark.parametrize(("wire", "part"), _NO_PARTS)
def test_what_is_no_part_is_said(wire: str, part: Any, beside: bool) -> None:
    """Null and an empty object go where something is left; all else is reported and stays."""
    history = _with_part(wire, part, beside)
    findings = check(history, wire).findings
    assert [one.rule for one in findings] == ["content-part-type"]
    goes = beside and part in (None, {})
    assert [one.healed for one in findings] == [goes]
    healed = heal(history, wire)
    assert healed.changed is goes
    assert not any(one.lossy for one in findings)
    assert not check(healed.messages, wire).findings if goes else healed.messages is history
    with read_whole():
        assert check(history, wire).findings == findings


def test_parts_that_are_no_list_are_said() -> None:
    findings = check([{"role": "user", "parts": 5}], "gemini").findings
    assert [(one.rule, one.healed) for one in findings] == [("content-part-type", False)]


def test_a_block_that_is_new_is_no_fault() -> None:
    assert check([{"role": "user", "content": [{"type": "news"}, {"type": "text", "text": "a"}]}], "anthropic").valid
    assert check([{"role": "user", "content": [{"news": {}}]}], "bedrock_converse").valid
    assert check([{"role": "user", "parts": [{"news": {}}]}], "gemini").valid
    assert check([{"role": "user", "content": [{"type": "news"}]}], "openai_chat").valid


def test_a_role_that_is_refused_is_named() -> None:
    """LangChain's word for it stands in `type`."""
    history = [{"type": "developer", "content": "x"}, {"type": "human", "content": "q"}]
    for provider, model, new in (("openai", "o1-mini", "human"), ("cohere", None, "system")):
        repairs = heal(history, "langchain", provider, model=model).repairs
        assert [one.rule for one in repairs] == ["unknown-role"]
        assert repairs[0].reason.startswith("the role 'developer' is not accepted; it is sent as ")
        assert heal(history, "langchain", provider, model=model).messages[0] == {"type": new, "content": "x"}


def test_one_object_in_two_places_has_two_places() -> None:
    """Also where the message is read again, because something else in it was put right."""
    odd: dict[str, Any] = {"role": "user"}
    good = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
    calls = [odd, {"id": "call_1", **good}, odd, {"id": "call_1", **good}]
    result = heal([{"role": "assistant", "content": "x", "tool_calls": calls}], wire="openai_chat")
    assert "duplicate-tool-call-id" in [one.rule for one in result.repairs]  # what makes it read again
    assert [one.part_index for one in result.remaining if one.rule == "content-part-type"] == [0, 2]


@pytest.mark.parametrize("wire", sorted(engine.WIRES))
@pytest.mark.parametrize("role", ["", None, 0])
def test_a_role_that_says_nothing_ends(wire: str, role: Any) -> None:
    """The quick look stops at each of them, and goes on."""
    odd = {"role": role, "content": [{"text": "q"}], "parts": [{"text": "q"}]}
    assert not heal(heal([odd, odd, odd], wire).messages, wire).changed


CHAT_CALL = {"id": "call00001", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def test_a_call_behind_instructions_alone_is_found_by_the_quick_look_too() -> None:
    asked = {"role": "assistant", "content": None, "tool_calls": [CHAT_CALL]}
    history = [{"role": "system", "content": "s"}, asked, {"role": "tool", "tool_call_id": "call00001", "content": "r"}]
    assert [one.rule for one in heal(history, "mistral").repairs] == ["tool-call-position"]


def test_instructions_go_to_a_model_without_any_as_the_users_in_responses_items() -> None:
    history = [{"role": "developer", "content": "s"}, {"role": "user", "content": "q"}]
    assert heal(history, "openai_responses", model="gpt-5").messages is history
    assert heal(history, "openai_responses", model="o1-mini").messages[0]["role"] == "user"


@pytest.mark.parametrize("kind", ["human", "system"])
def test_calls_of_a_langchain_message_that_is_nobodys_to_make_are_seen(kind: str) -> None:
    call = {"name": "f", "args": {}, "id": "c1", "type": "tool_call"}
    message = {"type": kind, "content": "q", "tool_calls": [call], "additional_kwargs": {"tool_calls": [CHAT_CALL]}}
    assert "unknown-role" in [one.rule for one in heal([message], "langchain").repairs]


def test_a_call_of_another_format_is_held_against_the_ids_of_the_whole_history() -> None:
    """It is a call only once a rule has read it, behind turns that nobody had to look at."""
    use = {"role": "assistant", "content": [{"type": "tool_use", "id": "call00001", "name": "f", "input": {}}]}
    done = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call00001", "content": "r"}]}
    history = [USER, use, done, {"role": "assistant", "content": "ok"}, USER]
    history += [{"role": "assistant", "content": None, "tool_calls": [CHAT_CALL]}]
    history += [{"role": "tool", "tool_call_id": "call00001", "content": "r"}, USER]
    result = heal(history, "anthropic")
    assert "duplicate-tool-call-id" in [one.rule for one in result.repairs]
    assert heal(result.messages, "anthropic").messages is result.messages


def test_results_behind_two_messages_of_the_user_go_ahead_of_both() -> None:
    """The stretch that is read begins where the user begins to speak."""
    turns: list[Any] = []
    for number in range(4):
        use = {"type": "tool_use", "id": f"call_{number}", "name": "f", "input": {}}
        done = {"type": "tool_result", "tool_use_id": f"call_{number}", "content": "r"}
        turns += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [done]}]
    history = [USER, *turns, USER, {"role": "user", "content": [{"type": "tool_result"}]}]
    result = heal(history, "anthropic", policy={"orphan-tool-result": "keep"})
    assert [one.rule for one in result.repairs] == ["tool-results-not-first"]


def test_a_pending_call_ahead_of_another_step_is_reported_to_strict_targets_and_left() -> None:
    call = {"type": "dynamic-tool", "toolName": "f", "toolCallId": "c1", "state": "input-available", "input": {}}
    parts = [call, {"type": "step-start"}, {"type": "text", "text": "x"}]
    history = [{"role": "user", "parts": [{"type": "text", "text": "q"}]}, {"role": "assistant", "parts": parts}]
    result = heal(history, "ai_sdk_ui", "perplexity", pending=("c1",), policy={"last-role": "keep"})
    assert result.messages is history
    assert [one.rule for one in result.remaining] == ["pending-approval", "role-alternation"]


def test_what_is_put_in_has_the_form_of_the_langchain_message_ahead() -> None:
    call = {"name": "f", "args": {}, "id": "c1", "type": "tool_call"}
    asked = {"type": "ai", "data": {"type": "ai", "content": "", "tool_calls": [call]}}
    flat = [{"type": "human", "content": "a"}, {"type": "ai", "content": "x"}]
    result = heal([*flat, *flat, {"type": "human", "content": "a"}, asked], "langchain")
    assert result.messages[-1]["data"]["tool_call_id"] == "c1"


@pytest.mark.parametrize("wire", ["anthropic", "bedrock_converse", "ai_sdk_ui"])
def test_bytes_are_no_text(wire: str) -> None:
    block = {"text": b"hi"} if wire == "bedrock_converse" else {"type": "text", "text": b"hi"}
    message = {"role": "user", "content": [block], "parts": [block]}
    del message["content" if wire == "ai_sdk_ui" else "parts"]
    assert heal([message], wire).remaining


def test_an_answer_to_nothing_leaves_geminis_turn_whole() -> None:
    """Without it the model's next words belong to the turn, and the stubs come behind them."""
    calls = [{"functionCall": {"name": "f", "args": {}, "id": one}} for one in ("a", "b")]
    stray = {"functionResponse": {"name": "f", "response": {"output": "r"}, "id": "zz"}}
    turn = [{"role": "user", "parts": [{"text": "q"}]}, {"role": "model", "parts": [{"text": "ok"}]}]
    history = [*turn, *turn, turn[0], {"role": "model", "parts": calls}, {"role": "user", "parts": [stray]}, turn[1]]
    healed = heal(history, "gemini").messages
    assert [message["role"] for message in healed[-3:]] == ["model", "model", "user"]


def test_the_name_that_a_result_has_is_held_against_the_pattern_too() -> None:
    """Its call's is as it should be, so nothing else in the history has to change."""
    asked = {"role": "assistant", "content": None, "tool_calls": [CHAT_CALL]}
    result = {"role": "tool", "tool_call_id": "call00001", "content": "r", "name": "a b"}
    healed = heal([USER, asked, result], "openai_chat")
    assert [one.rule for one in healed.repairs] == ["invalid-tool-name"]
    assert healed.messages[2]["name"] == "a_b"


def test_what_langchain_keeps_beside_the_users_words_is_no_fault() -> None:
    history = [{"type": "human", "content": "q", "additional_kwargs": {"seen": True}}]
    assert heal(history, "langchain").messages is history


def test_words_that_join_the_first_message_of_a_stretch_have_the_time_of_the_message_ahead() -> None:
    """Which a quick look has passed, so that it is not among those that are read."""
    user = {"parts": [{"part_kind": "user-prompt", "content": "hi"}], "kind": "request"}
    dated = {"parts": [{"part_kind": "text", "content": "a"}], "kind": "response", "timestamp": "2026-01-01T00:00:00Z"}
    late = {"parts": [{"part_kind": "system-prompt", "content": "s"}], "kind": "request"}
    history = [user, dated, user, dated, user, dated, user, late, dated, user, dated, user, dated, user]
    healed = heal(history, wire="pydantic_ai", provider="strict_template").messages
    assert healed[6]["parts"][1]["content"] == "<system>s</system>"
    assert healed[6]["parts"][1]["timestamp"] == dated["timestamp"]


def test_a_page_message_with_an_open_call_stands_where_another_may_stand() -> None:
    """What is wrong in it is not all that is wrong with it."""
    part = {"type": "dynamic-tool", "toolName": "f", "toolCallId": "c", "state": "input-available", "input": {}}
    history: list[Any] = [
        {"id": "0", "role": "system", "parts": [{"type": "text", "text": "s"}]},
        {"id": "1", "role": "assistant", "parts": [{"type": "step-start"}, part]},
    ]
    for at in range(2, 8):
        role = "assistant" if at % 2 else "user"
        history.append({"id": str(at), "role": role, "parts": [{"type": "text", "text": "t"}]})
    found = [one.rule for one in heal(history, wire="ai_sdk_ui", provider="google").repairs]
    assert found == ["orphan-tool-call", "tool-call-position"]


def test_a_turn_that_thinking_does_not_begin_is_found_where_nothing_else_is_wrong() -> None:
    """Claude behind Converse, thinking on."""
    history = [
        {"role": "user", "content": [{"text": "q"}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c", "name": "f", "input": {}}}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "c", "content": [{"text": "r"}]}}]},
    ]
    options = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
    result = heal(history, wire="bedrock_converse", provider="bedrock-anthropic", options=options)
    assert [one.rule for one in result.remaining] == ["thinking-missing"]


def test_lost_results_that_begin_in_the_stretch_of_others_and_reach_beyond_it() -> None:
    """Outputs may come until somebody speaks, so what two calls lack may lie in two stretches."""

    def call(name: str) -> dict[str, Any]:
        return {"type": "function_call", "call_id": name, "name": "f", "arguments": "{}"}

    def output(name: str) -> dict[str, Any]:
        return {"type": "function_call_output", "call_id": name, "output": "r"}

    words = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}] * 8
    said = {"role": "assistant", "content": "look"}
    lost = [call("a"), said, call("b"), call("c"), output("c"), call("d")]
    history = [*words, words[0], *lost, *words]
    whole = heal(history, "openai_responses")
    assert [one.call_id for one in whole.repairs] == ["a", "b", "d"]
    asked = heal(history, "openai_responses", pending=["another"])
    assert asked.repairs == whole.repairs and asked.messages == whole.messages
    with read_whole():
        assert heal(history, "openai_responses") == whole


def test_a_new_message_of_langchain_has_the_form_of_the_one_behind_where_none_is_ahead() -> None:
    """Also where that one is healthy, so that it is not read."""

    def data(kind: str, content: str) -> dict[str, Any]:
        return {"type": kind, "data": {"type": kind, "content": content}}

    system = {"type": "system", "data": {"type": "system", "content": "s"}}
    turns = [data("human", "q"), data("ai", "a")] * 4
    history = [0, system, *turns, data("human", "q")]
    healed = heal(history, "langchain", "perplexity").messages
    assert healed[1] == data("human", "<system>s</system>\n\nq")


def test_a_name_that_a_stray_result_would_get_is_held_against_the_healthy_ones() -> None:
    user, said = {"type": "human", "content": "q"}, {"type": "ai", "content": "a"}
    call = {"type": "ai", "content": "", "tool_calls": [{"name": "a_b", "args": {}, "id": "1"}]}

    def result(name: str, call_id: str) -> dict[str, Any]:
        return {"type": "tool", "name": name, "content": "r", "tool_call_id": call_id}

    history = [user, call, result("a_b", "1"), said, user, said, user, said, user, result("a.b", "9")]
    quick = heal(history, "langchain")
    with read_whole():
        assert heal(history, "langchain") == quick


def test_words_for_a_lost_result_that_the_look_would_not_pass_are_left_to_the_rules() -> None:
    """Llama behind Converse takes no words beside results, and no two messages of the user in a row."""
    call = {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c", "name": "f", "input": {}}}]}
    user = {"role": "user", "content": [{"text": "q"}]}
    quick = heal([user, call, user], "bedrock_converse", model="us.meta.llama3")
    assert [one.rule for one in quick.repairs] != ["orphan-tool-call"]
    with read_whole():
        assert heal([user, call, user], "bedrock_converse", model="us.meta.llama3") == quick


def test_langchain_calls_of_one_id_keep_their_raw_copies_in_order() -> None:
    raw = [{"id": "c", "type": "function", "function": {"name": name, "arguments": "{}"}} for name in ("a b", "c d")]
    calls = [{"name": name, "args": {}, "id": "c", "type": "tool_call"} for name in ("a b", "c d")]
    message = {"type": "ai", "content": "", "tool_calls": calls, "additional_kwargs": {"tool_calls": raw}}
    healed = heal([{"type": "human", "content": "q"}, message], "langchain", policy={"duplicate-tool-call-id": "keep"})
    copies = healed.messages[1]["additional_kwargs"]["tool_calls"]
    assert [one["function"]["name"] for one in copies] == ["a_b", "c_d"]


def test_words_for_a_call_that_could_not_be_read_say_so() -> None:
    """Pydantic AI keeps text that does not parse as arguments, and shows it in its own way: the look passes it."""
    user = {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "q"}]}
    parts = [
        {"part_kind": "tool-call", "tool_name": "f", "args": given, "tool_call_id": given} for given in ("{}", '{"a')
    ]
    history = [user, {"kind": "response", "parts": parts}, user]
    quick = heal(history, "pydantic_ai")
    words = [one["content"] for one in quick.messages[2]["parts"]]
    assert [one.endswith("could not be read.") for one in words] == [False, True, False]
    with read_whole():
        assert heal(history, "pydantic_ai") == quick


def test_ids_that_are_numbers_far_from_a_fault_are_no_obstacle() -> None:
    """The look of this format notes an id before it knows that it is text."""

    def exchange(call_id: Any, name: str) -> list[Any]:
        call = {"type": "tool_use", "id": call_id, "name": name, "input": {}}
        result = {"type": "tool_result", "tool_use_id": call_id, "content": "r"}
        return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]

    user, said = {"role": "user", "content": "q"}, {"role": "assistant", "content": "done"}
    healthy = [one for at in range(6) for one in (user, *exchange(f"toolu_{at}", "f"), said)]
    history = [*healthy, user, *exchange(5, "a b"), said, user]
    quick = heal(history, "anthropic")
    assert [one.rule for one in quick.repairs] == ["invalid-tool-name", "missing-tool-call-id", "missing-tool-call-id"]
    with read_whole():
        assert heal(history, "anthropic") == quick


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_a_note_inside_of_what_stands_beside_the_words_is_found(field: str) -> None:
    said = {"role": "assistant", "content": "a", field: {"type": "thinking", "thinking": "t", "_note": 1}}
    history = [{"role": "user", "content": "q"}, said, {"role": "user", "content": "r"}]
    quick, slow = _quick_and_slow(history, "openai_chat")
    assert quick == slow != []


@pytest.mark.parametrize("call_id", [("a",), b"a"], ids=["tuple", "bytes"])
@pytest.mark.parametrize("wire", ["anthropic", "bedrock_converse"])
def test_an_id_that_is_no_text_is_not_passed_where_any_text_may_be_one(wire: str, call_id: Any) -> None:
    call = {"type": "tool_use", "id": call_id, "name": "f", "input": {}}
    if wire == "bedrock_converse":
        call = {"toolUse": {"toolUseId": call_id, "name": "f", "input": {}}}
    words = [{"text": "q"}] if wire == "bedrock_converse" else "q"
    history = [{"role": "user", "content": words}, {"role": "assistant", "content": [call]}]
    for provider in (None, "openai", "google"):
        quick = heal(history, wire, provider)
        with read_whole():
            assert heal(history, wire, provider) == quick


def test_a_late_result_finds_its_call_far_away_by_the_id_from_before_an_earlier_healing() -> None:
    """The caller kept what was healed, and gives the result that came later by the id that the call had."""

    def call(call_id: str) -> dict[str, Any]:
        function = {"name": "f", "arguments": "{}"}
        return {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": call_id, "type": "function", "function": function}],
        }

    user, said = {"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}
    kept = heal([user, call("call_of_another_maker"), user], "mistral").messages
    late = {"role": "tool", "tool_call_id": "call_of_another_maker", "content": "r", "name": "f"}
    history = [*kept, said, *[user, said] * 8, user, late, said, user]
    quick = heal(history, "mistral")
    assert [one["content"] for one in quick.messages if one["role"] == "tool"] == ["r"]
    with read_whole():
        assert heal(history, "mistral") == quick


@pytest.mark.parametrize("answered", [False, True])
def test_a_flag_of_another_format_on_a_call_that_is_an_item_goes_once(answered: bool) -> None:
    call = {"type": "function_call", "call_id": "c1aaaaaaa", "name": "f", "arguments": "{}", "prefix": True}
    answer = {"type": "function_call_output", "call_id": "c1aaaaaaa", "output": "r"}
    history = [{"role": "user", "content": "q"}, call, *[answer] * answered]
    result = heal(history, "openai_responses", "mistral")
    assert [one.rule for one in result.repairs].count("prefix-position") == 1
    assert "prefix" not in result.messages[1]
    assert heal(result.messages, "openai_responses", "mistral").messages is result.messages


@pytest.mark.parametrize("kind", ["data", "kwargs"])
def test_a_stored_message_of_langchain_that_is_no_dict_is_not_passed(kind: str) -> None:
    call = {"name": "f", "args": {}, "id": "a", "type": "tool_call"}
    body = MappingProxyType({"type": "ai", "content": "", "tool_calls": [call]})
    path = ["langchain", "schema", "messages", "AIMessage"]
    message = (
        {"type": "ai", "data": body} if kind == "data" else {"lc": 1, "type": "constructor", "id": path, kind: body}
    )
    quick = heal([message], "langchain")
    with read_whole():
        assert heal([message], "langchain") == quick


def test_a_message_that_is_a_mapping_ends_no_turn() -> None:
    call = {"role": "model", "parts": [{"functionCall": {"id": "a", "name": "f", "args": {}}}]}
    said = MappingProxyType({"role": "model", "parts": [{"text": "a"}]})
    history = [{"role": "user", "parts": [{"text": "q"}]}, call, said]
    quick = heal(history, "gemini")
    with read_whole():
        assert heal(history, "gemini") == quick


class _State(str, Enum):  # noqa: UP042  as code for Python 3.10 has it
    DONE = "output-available"


@pytest.mark.parametrize(
    ("wire", "message"),
    [
        ("gemini", OrderedDict(role="user", parts=({"text": "q"},))),
        ("bedrock_converse", OrderedDict(role="user", content=({"text": "q"},))),
        (
            "ai_sdk_ui",
            {
                "id": "m",
                "role": "assistant",
                "parts": [
                    {
                        "type": "dynamic-tool",
                        "toolName": "f",
                        "toolCallId": "a",
                        "state": _State.DONE,
                        "input": {},
                        "output": "r",
                    }
                ],
            },
        ),
    ],
    ids=["gemini", "bedrock", "ui"],
)
def test_what_a_client_would_send_is_what_counts(wire: str, message: Any) -> None:
    """Also below a dict of another class, and for members of an enumeration."""
    assert heal([message], wire).messages == [message]
    with read_whole():
        whole = heal([message], wire)
    assert (whole.repairs, whole.remaining) == ((), ())


def test_a_result_below_another_kind_of_dict_is_kept() -> None:
    """`OrderedDict`s and tuples, as some caches give them back."""
    call = OrderedDict(role="model", parts=({"functionCall": {"id": "a", "name": "f", "args": {}}},))
    answer = {"role": "user", "parts": [{"functionResponse": {"id": "a", "name": "f", "response": {}}}]}
    user = {"role": "user", "parts": [{"text": "q"}]}
    bad = {"role": "model", "parts": [{"functionCall": {"id": "b", "name": "a b", "args": {}}}]}
    healed = heal([user, call, answer, bad, user], "gemini")
    assert answer in healed.messages
    assert not any(one.rule == "orphan-tool-result" for one in healed.repairs)
