"""Small histories in which something real once went, or a fault went unsaid: the smallest of each sort."""

from __future__ import annotations

import json
from typing import Any

import pytest

from interlock.history.engine import heal

GO: dict[str, Any] = {"role": "user", "content": "Go"}


def healed(history: list[Any], wire: str, *args: Any, **options: Any) -> Any:
    """Return the result of healing, which healing again finds nothing to do in."""
    before = json.dumps(history)
    result = heal(history, wire, *args, **options)
    assert json.dumps(history) == before
    again = heal(result.messages, wire, *args, **options)
    assert not again.changed, [record.reason for record in again.repairs]
    return result


def chat_call(call_id: str | None = "c", arguments: str = "{}") -> dict[str, Any]:
    """Return an entry of `tool_calls`."""
    call = {"id": call_id, "type": "function", "function": {"name": "f", "arguments": arguments}}
    return call if call_id is not None else {key: value for key, value in call.items() if key != "id"}


@pytest.mark.parametrize(
    ("args", "raw", "expected", "lossy", "kept"),
    [
        (None, '{"city": "OSLO"}', {"city": "OSLO"}, False, True),
        ("", '{"city": "OSLO"}', {"city": "OSLO"}, False, True),
        ('{"city": "OS', '{"city": "OSLO"}', {"city": "OSLO"}, True, True),
        (None, '{"city": "OS', {"raw": '{"city": "OS'}, False, True),
        ("one", "two", {"raw": "one"}, True, False),
    ],
)
def test_arguments_come_from_whichever_copy_of_a_call_has_them(
    args: Any, raw: str, expected: dict[str, str], lossy: bool, kept: bool
) -> None:
    beside = {"tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": raw}}]}
    asking = {"type": "ai", "content": "", "tool_calls": [{"name": "f", "args": args, "id": "c"}]}
    history = [
        {"type": "human", "content": "q"},
        {**asking, "additional_kwargs": beside},
        {"type": "tool", "content": "s", "tool_call_id": "c"},
    ]
    result = healed(history, "langchain")
    message = result.messages[1]
    assert message["tool_calls"][0]["args"] == expected
    assert json.loads(message["additional_kwargs"]["tool_calls"][0]["function"]["arguments"]) == expected
    (record,) = result.repairs
    assert record.lossy is lossy
    assert kept or json.dumps(raw) in json.dumps(record.before)


@pytest.mark.parametrize(
    ("wire", "asking", "back"),
    [
        (
            "openai_chat",
            {"role": "assistant", "tool_calls": chat_call()},
            {"role": "tool", "tool_call_id": "c", "content": "R"},
        ),
        (
            "cohere_v2",
            {"role": "assistant", "tool_calls": chat_call()},
            {"role": "tool", "tool_call_id": "c", "content": "R"},
        ),
        (
            "ollama",
            {"role": "assistant", "content": "", "tool_calls": {"function": {"name": "f", "arguments": {}}}},
            {"role": "tool", "content": "R"},
        ),
        (
            "langchain",
            {"type": "ai", "content": "", "tool_calls": {"name": "f", "args": {}, "id": "c"}},
            {"type": "tool", "tool_call_id": "c", "content": "R"},
        ),
        (
            "langchain",
            {"type": "ai", "data": {"type": "ai", "content": "", "tool_calls": {"name": "f", "args": {}, "id": "c"}}},
            {"type": "tool", "data": {"type": "tool", "tool_call_id": "c", "content": "R"}},
        ),
    ],
)
def test_a_call_by_itself_is_a_list_of_one(wire: str, asking: dict[str, Any], back: dict[str, Any]) -> None:
    user = {"type": "human", "content": "Go"} if wire == "langchain" else GO
    if "data" in asking:
        user = {"type": "human", "data": {"type": "human", "content": "Go"}}
        listed: Any = {**asking, "data": {**asking["data"], "tool_calls": [asking["data"]["tool_calls"]]}}
    else:
        listed = {**asking, "tool_calls": [asking["tool_calls"]]}
    result = healed([user, asking, back], wire)
    assert result.messages == [user, listed, back]
    assert [(one.rule, one.lossy) for one in result.repairs] == [("content-part-type", False)]


def test_an_image_of_ollama_by_itself_is_a_list_of_one() -> None:
    result = healed([{"role": "user", "content": "q", "images": "AAAA"}], "ollama")
    assert result.messages == [{"role": "user", "content": "q", "images": ["AAAA"]}]


@pytest.mark.parametrize("calls", [json.dumps([chat_call()]), {"0": chat_call()}, [[chat_call()]]])
def test_calls_that_cannot_be_read_are_reported_and_keep_their_results(calls: Any) -> None:
    back = {"role": "tool", "tool_call_id": "c", "content": "R"}
    history = [GO, {"role": "assistant", "content": None, "tool_calls": calls}, back]
    result = healed(history, "openai_chat")
    assert result.messages[-1] == back
    assert not any(one.lossy for one in result.repairs)
    assert "orphan-tool-result" in [one.rule for one in result.remaining]


def _anthropic(*ids: str | None) -> dict[str, Any]:
    blocks = [
        {"type": "tool_use", **({"id": one} if one else {}), "name": f"f{at}", "input": {}}
        for at, one in enumerate(ids)
    ]
    return {"role": "assistant", "content": blocks}


def _answers(*ids: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": one, "content": "REAL"} for one in ids]}


@pytest.mark.parametrize(
    ("wire", "history", "places"),
    [
        ("anthropic", [GO, _anthropic(None), _answers("t")], 1),
        ("anthropic", [GO, _anthropic("a", None), _answers("t", "a")], 1),
        ("anthropic", [GO, _anthropic(None, None), _answers("t", "s")], 2),
        (
            "openai_chat",
            [
                GO,
                {"role": "assistant", "content": None, "tool_calls": [chat_call(None)]},
                {"role": "tool", "tool_call_id": "c", "content": "REAL"},
            ],
            1,
        ),
        (
            "openai_responses",
            [
                GO,
                {"type": "function_call", "name": "f", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "c", "output": "REAL"},
            ],
            1,
        ),
        (
            "gemini",
            [
                {"role": "user", "parts": [{"text": "Go"}]},
                {"role": "model", "parts": [{"functionCall": {"id": "a", "name": "f", "args": {}}}]},
                {
                    "role": "user",
                    "parts": [{"functionResponse": {"id": "b", "name": "f", "response": {"output": "REAL"}}}],
                },
            ],
            1,
        ),
        (
            "ollama",
            [
                GO,
                {
                    "role": "assistant",
                    "content": "",
                    "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": {}}}],
                },
                {"role": "tool", "tool_name": "f", "tool_call_id": "b", "content": "REAL"},
            ],
            1,
        ),
    ],
)
def test_a_result_whose_id_nobody_has_answers_the_call_that_lacks_one(wire: str, history: Any, places: int) -> None:
    result = healed(history, wire)
    assert [(one.rule, one.lossy) for one in result.repairs] == [("missing-tool-call-id", False)] * places
    assert json.dumps(result.messages).count("REAL") == json.dumps(history).count("REAL")
    assert len(result.messages) == len(history)


@pytest.mark.parametrize(
    "history",
    [
        [GO, _anthropic("a"), _answers("t")],  # an id of its own: another call's result
        [GO, _anthropic(None, None), _answers("t")],  # one result for two calls
        [GO, _anthropic(None), _answers("t", "s")],
        [GO, _anthropic(None), GO, {"role": "assistant", "content": "so"}, _answers("t")],
    ],
)
def test_a_result_that_might_be_another_calls_is_not_bound_by_guess(history: Any) -> None:
    assert "orphan-tool-result" in [one.rule for one in healed(history, "anthropic").repairs]


USE = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "t", "content": "REAL"}


@pytest.mark.parametrize("wire", ["openai_chat", "mistral", "cohere_v2"])
@pytest.mark.parametrize("body", ["REAL", [{"type": "text", "text": "REAL"}]])
def test_both_halves_of_another_formats_pair_are_taken(wire: str, body: Any) -> None:
    words = {"type": "text", "text": "and?"}
    answer = {"role": "user", "content": [words, {**RESULT, "content": body}]}
    result = healed([GO, {"role": "assistant", "content": [USE]}, answer], wire, policy={"tool-then-user": "keep"})
    asking, back, rest = result.messages[1:]
    assert asking["tool_calls"][0]["function"] == {"name": "f", "arguments": "{}"}
    assert (back["role"], back["tool_call_id"], back["content"]) == ("tool", asking["tool_calls"][0]["id"], body)
    assert rest == {"role": "user", "content": [words]}
    assert not any(one.lossy for one in result.repairs)


def test_a_failure_that_the_new_form_cannot_say_is_recorded() -> None:
    answer = {"role": "user", "content": [{**RESULT, "is_error": True}]}
    result = healed([GO, {"role": "assistant", "content": [USE]}, answer], "openai_chat")
    assert [one.before for one in result.repairs if one.lossy] == [answer]


def test_calls_among_the_users_words_go_to_the_assistant_and_keep_their_results() -> None:
    words = {"type": "text", "text": "Go"}
    back = {"role": "user", "content": [RESULT]}
    result = healed([{"role": "user", "content": [words, USE]}, back], "anthropic")
    assert result.messages == [{"role": "user", "content": [words]}, {"role": "assistant", "content": [USE]}, back]
    call, answer = (
        {"functionCall": {"name": "f", "args": {}}},
        {"functionResponse": {"name": "f", "response": {"a": 1}}},
    )
    gemini = [{"role": "user", "parts": [{"text": "Go"}, call]}, {"role": "user", "parts": [answer]}]
    result = healed(gemini, "gemini")
    assert result.messages == [
        {"role": "user", "parts": [{"text": "Go"}]},
        {"role": "model", "parts": [call]},
        {"role": "user", "parts": [answer]},
    ]


@pytest.mark.parametrize("content", [None, "", "Let me see."])
def test_calls_of_chat_messages_become_items_and_keep_their_results(content: Any) -> None:
    asking = {"role": "assistant", "content": content, "tool_calls": [chat_call("c"), chat_call("d")]}
    backs = [{"role": "tool", "tool_call_id": one, "content": f"REAL {one}"} for one in "cd"]
    result = healed([GO, asking, *backs], "openai_responses")
    said = [{"role": "assistant", "content": content}] if content else []
    calls = [{"type": "function_call", "call_id": one, "name": "f", "arguments": "{}"} for one in "cd"]
    outputs = [{"type": "function_call_output", "call_id": one, "output": f"REAL {one}"} for one in "cd"]
    assert result.messages == [GO, *said, *calls, *outputs]


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ({"type": "input_image", "image_url": "http://x", "detail": "low"}, {"url": "http://x", "detail": "low"}),
        ({"type": "image", "source": {"type": "url", "url": "http://x"}}, {"url": "http://x"}),
        (
            {"type": "image", "source": {"type": "base64", "media_type": "image/gif", "data": "AAAA"}},
            {"url": "data:image/gif;base64,AAAA"},
        ),
    ],
)
def test_an_image_in_another_apis_words_is_an_image_of_the_chat_format(block: Any, expected: Any) -> None:
    result = healed([{"role": "user", "content": [block]}], "openai_chat")
    assert result.messages == [{"role": "user", "content": [{"type": "image_url", "image_url": expected}]}]


IMAGE = {"type": "image_url", "image_url": {"url": "http://x"}}
SAYS = {"type": "text", "text": "a"}


@pytest.mark.parametrize("wire", ["openai_chat", "mistral", "cohere_v2"])
@pytest.mark.parametrize("words", [[], [SAYS]])
def test_media_of_results_go_behind_all_results_of_the_turn(wire: str, words: Any) -> None:
    calls = [chat_call("abcdefgh1"), chat_call("abcdefgh2")]
    first = {"role": "tool", "tool_call_id": "abcdefgh1", "content": [*words, IMAGE]}
    second = {"role": "tool", "tool_call_id": "abcdefgh2", "content": "b"}
    history = [GO, {"role": "assistant", "content": "", "tool_calls": calls}, first, second, GO]
    result = healed(history, wire, policy={"tool-then-user": "keep"})
    kept, other, moved = result.messages[2:5]
    assert kept["content"] == words or (not words and "[interlock]" in kept["content"])
    assert other is second
    assert (moved["role"], moved["content"][1:]) == ("user", [IMAGE])
    assert result.messages[5] is GO
    assert [(one.rule, one.lossy) for one in result.repairs] == [("media-role", False)]


@pytest.mark.parametrize("wire", ["openai_chat", "mistral", "cohere_v2"])
@pytest.mark.parametrize("role", ["assistant", "system"])
def test_media_of_others_than_the_user_go_into_the_users_message(wire: str, role: str) -> None:
    history = [*([GO] if role == "assistant" else []), {"role": role, "content": [SAYS, IMAGE]}, GO]
    result = healed(history, wire)
    assert result.messages[-3:] == [{"role": role, "content": [SAYS]}, {"role": "user", "content": [IMAGE]}, GO]


def test_an_image_of_the_assistants_item_goes_into_the_users() -> None:
    words, image = {"type": "output_text", "text": "a"}, {"type": "input_image", "image_url": "http://x"}
    result = healed([GO, {"role": "assistant", "content": [words, image]}, GO], "openai_responses")
    assert result.messages[1:3] == [{"role": "assistant", "content": [words]}, {"role": "user", "content": [image]}]


def test_media_stay_where_a_gateway_may_take_them() -> None:
    asking = {"role": "assistant", "content": "", "tool_calls": [chat_call()]}
    history = [GO, asking, {"role": "tool", "tool_call_id": "c", "content": [SAYS, IMAGE]}]
    for options in ({"provider": "openrouter"}, {"provider": "generic"}, {"model": "claude-sonnet-5"}):
        assert heal(history, "openai_chat", **options).messages is history


@pytest.mark.parametrize(
    ("wire", "block"),
    [
        ("openai_chat", {"type": "input_image", "file_id": "file_1"}),
        ("openai_chat", {"type": "document", "source": {"type": "text", "data": "x"}}),
        ("openai_chat", USE),
        ("cohere_v2", {"type": "input_file", "file_url": "http://x"}),
        ("mistral", {"type": "tool_use", "id": "t", "name": "f", "input": {}}),
        ("ollama", IMAGE),
    ],
)
def test_a_part_for_which_there_is_no_form_is_reported_and_stays(wire: str, block: Any) -> None:
    history = [{"role": "user", "content": [SAYS, block]}]
    result = heal(history, wire)
    assert result.messages is history
    assert [one.rule for one in result.remaining] == ["content-part-type"]


def test_reasoning_among_the_parts_of_a_chat_message_is_anothers() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    history = [GO, {"role": "assistant", "content": [thought, SAYS]}, GO]
    result = healed(history, "openai_chat")
    assert result.messages[1] == {"role": "assistant", "content": [SAYS]}
    assert [(one.rule, one.lossy, one.before) for one in result.repairs] == [("foreign-thinking", True, thought)]
    for options in ({"provider": "openrouter"}, {"model": "claude-sonnet-5"}):
        assert heal(history, "openai_chat", **options).messages is history
    cohere = [GO, {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, SAYS]}, GO]
    assert heal(cohere, "cohere_v2").messages is cohere


def test_content_that_is_an_empty_object_goes_whether_or_not_anything_else_is_wrong() -> None:
    asking = {"type": "ai", "content": {}, "tool_calls": [{"name": "f", "args": {}, "id": "c"}]}
    history = [{"type": "human", "content": "q"}, asking, {"type": "tool", "content": "s", "tool_call_id": "c"}]
    for end in ([], [{"type": "human", "content": "q"}, {"type": "ai", "content": ""}]):
        result = healed([*history, *end], "langchain")
        assert result.messages[1] == {**asking, "content": ""}
        assert result.repairs[0].reason == "an empty object is no part of this format"


def test_a_copy_of_a_call_gets_no_stub() -> None:
    call = {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": "{}"}
    result = healed(
        [GO, call, dict(call), {"type": "function_call_output", "call_id": "c", "output": "R"}], "openai_responses"
    )
    assert [one.rule for one in result.repairs] == ["duplicate-item", "item-without-reasoning"]


_OUTPUT = {"call_id": "c", "output": "REAL"}


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ({"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}, "custom_tool_call_output"),
        ({"type": "custom_tool_call", "call_id": "c", "name": "f", "input": "x"}, "function_call_output"),
    ],
)
def test_an_output_gets_the_type_of_its_call(call: dict[str, Any], kind: str) -> None:
    result = healed([GO, call, {"type": kind, **_OUTPUT}], "openai_responses")
    assert result.messages == [GO, call, {"type": f"{call['type']}_output", **_OUTPUT}]
    assert [(one.rule, one.lossy) for one in result.repairs] == [("content-part-type", False)]


@pytest.mark.parametrize("kind", ["computer_call", "shell_call", "apply_patch_call"])
def test_an_output_that_cannot_be_its_calls_is_reported(kind: str) -> None:
    history = [GO, {"type": kind, "call_id": "c"}, {"type": "function_call_output", **_OUTPUT}]
    result = heal(history, "openai_responses")
    assert result.messages is history
    assert [one.rule for one in result.remaining] == ["content-part-type"]


def test_a_tool_search_may_be_answered_as_a_function_is() -> None:
    search = {"type": "tool_search_call", "execution": "client", "call_id": "c", "arguments": {}}
    history = [GO, search, {"type": "function_call_output", **_OUTPUT}]
    assert heal(history, "openai_responses").messages is history


def _exchange(**asking: Any) -> list[Any]:
    call = {"content": None, "tool_calls": [chat_call()], **asking}
    return [GO, {"role": "assistant", **call}, {"role": "tool", "tool_call_id": "c", "content": "R"}]


@pytest.mark.parametrize("form", [{"content": None}, {}])
@pytest.mark.parametrize("provider", ["openai", "deepseek", "moonshot"])
def test_reasoning_alone_is_no_answer(form: dict[str, Any], provider: str) -> None:
    history = [GO, {"role": "assistant", **form, "reasoning_content": "r"}, GO]
    result = healed(history, "openai_chat", provider)
    assert result.messages[1] == {"role": "assistant", "content": "", "reasoning_content": "r"}
    said = [GO, {"role": "assistant", "content": None, "refusal": "no"}, GO]
    assert heal(said, "openai_chat", provider).messages is said


@pytest.mark.parametrize("provider", ["xai", "qwen"])
def test_an_empty_list_beside_calls_becomes_an_empty_string(provider: str) -> None:
    result = healed(_exchange(content=[]), "openai_chat", provider)
    assert result.messages == _exchange(content="")


def test_a_call_without_a_type_is_a_functions() -> None:
    bare = {key: value for key, value in chat_call().items() if key != "type"}
    assert healed(_exchange(tool_calls=[bare]), "openai_chat").messages == _exchange()


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ({"content": "I look."}, {"tool_plan": "I look."}),
        ({"content": [SAYS, SAYS]}, {"tool_plan": "a\n\na"}),
        ({"tool_plan": "First.", "content": "I look."}, {"tool_plan": "First.\n\nI look."}),
        (
            {"content": [{"type": "thinking", "thinking": "hm"}, SAYS]},
            {"tool_plan": "a", "content": [{"type": "thinking", "thinking": "hm"}]},
        ),
    ],
)
def test_what_coheres_model_says_beside_calls_is_its_plan(said: dict[str, Any], kept: dict[str, Any]) -> None:
    history = _exchange(**said)
    result = healed(history, "cohere_v2")
    assert result.messages[1] == {"role": "assistant", "tool_calls": [chat_call()], **kept}
    assert not any(one.lossy for one in result.repairs)


def test_r1_is_not_sent_its_reasoning_of_earlier_turns() -> None:
    old, new = ({"role": "assistant", "content": "a", "reasoning_content": one, "prefix": True} for one in ("r", "s"))
    result = healed([GO, {**old, "prefix": False}, GO, new], "openai_chat", "deepseek", model="deepseek-reasoner")
    assert result.messages[1:] == [{"role": "assistant", "content": "a", "prefix": False}, GO, new]
    assert [(one.rule, one.lossy) for one in result.repairs] == [("unsupported-reasoning-field", True)]


def test_instructions_without_a_word_of_the_user_are_reported() -> None:
    result = heal([{"role": "system", "content": "s"}], "openai_chat", "strict_template")
    assert [one.rule for one in result.remaining] == ["last-role"]
    assert not result.changed


def test_mistral_gets_none_of_openais_fields() -> None:
    said = {"role": "assistant", "content": "a", "reasoning_content": "r", "refusal": None, "annotations": []}
    result = healed(
        [{**GO, "name": "bob"}, {**said, "audio": None, "function_call": None}, GO], "openai_chat", "mistral"
    )
    assert result.messages == [GO, {"role": "assistant", "content": "a"}, GO]
    assert [(one.rule, one.lossy) for one in result.repairs] == [
        ("unsupported-reasoning-field", True),
        ("unknown-field", True),  # the speaker's name
        ("unknown-field", False),
    ]
    refusal = {"role": "assistant", "content": None, "refusal": "no"}
    alone = healed([GO, refusal, GO], "openai_chat", "mistral")
    assert alone.messages[1] == {"role": "assistant", "content": "no"}
    assert not any(one.lossy for one in alone.repairs)


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": "a", "audio": {"id": "x"}},
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "user", "content": [{"type": "file", "file": {"file_id": "x"}}]},
    ],
)
def test_what_mistral_has_no_place_for_is_reported(message: dict[str, Any]) -> None:
    result = heal([GO, message, GO], "openai_chat", "mistral", policy={"orphan-tool-call": "keep"})
    assert message in result.messages
    assert "content-part-type" in [one.rule for one in result.remaining]


def test_both_halves_of_anthropics_pair_become_items() -> None:
    words, ask = {"type": "output_text", "text": "a"}, {"type": "input_text", "text": "and?"}
    answer = {"role": "user", "content": [{**RESULT, "content": [SAYS]}, ask]}
    history = [GO, {"role": "assistant", "content": [words, USE]}, answer]
    result = healed(history, "openai_responses")
    assert result.messages == [
        GO,
        {"role": "assistant", "content": [words]},
        {"type": "function_call", "call_id": "t", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "t", "output": [{"type": "input_text", "text": "a"}]},
        {"role": "user", "content": [ask]},
    ]
    assert not any(one.lossy for one in result.repairs)


def test_calls_of_a_custom_tool_with_other_inputs_are_no_copies() -> None:
    calls = [{"type": "custom_tool_call", "call_id": "c", "name": "f", "input": one} for one in "xy"]
    result = healed([GO, *calls], "openai_responses", "deepseek")
    assert [one["input"] for one in result.messages if "input" in one] == ["x", "y"]


def test_a_plan_beside_the_content_is_not_ahead_of_the_thinking() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    history = [GO, {"role": "assistant", "content": [thought, SAYS], "tool_plan": "p"}, GO]
    assert "thinking-order" not in [one.rule for one in healed(history, "cohere_v2", "anthropic").repairs]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ([SAYS, {"type": "text", "text": "b"}], "a\nb"),
        ([SAYS, IMAGE], json.dumps([SAYS, IMAGE])),
        ([], "[]"),
    ],
)
def test_all_of_a_result_of_ollama_is_in_its_string(body: Any, text: str) -> None:
    asking = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]}
    result = healed([GO, asking, {"role": "tool", "tool_name": "f", "content": body}], "ollama")
    assert result.messages[-1]["content"] == text


def test_media_beside_a_field_that_is_not_read_stay() -> None:
    history = [GO, {"role": "assistant", "content": [IMAGE], "tool_plan": "p"}, GO]
    result = heal(history, "openai_chat")
    assert result.messages is history
    assert [one.rule for one in result.remaining] == ["media-role"]


def test_reasoning_in_the_wrong_place_of_a_langchain_message_is_not_nothing() -> None:
    history = [{"type": "human", "content": "q"}, {"type": "ai", "content": "", "reasoning_content": "r"}]
    assert heal(history, "langchain").messages is history


@pytest.mark.parametrize(
    ("arguments", "kept", "lossy"),
    [(None, '{"a": 1}', False), ('{"a":1}', '{"a":1}', False), ('{"a":2}', '{"a":2}', True)],
)
def test_a_call_that_stands_there_twice_keeps_its_arguments(arguments: Any, kept: str, lossy: bool) -> None:
    entry = {"id": "t", "type": "function", "function": {"name": "f", "arguments": arguments}}
    asking = {"role": "assistant", "content": [SAYS, {**USE, "input": {"a": 1}}], "tool_calls": [entry]}
    result = healed([GO, asking, {"role": "tool", "tool_call_id": "t", "content": "R"}], "openai_chat")
    assert result.messages[1]["tool_calls"][0]["function"]["arguments"] == kept
    assert [(one.rule, one.lossy) for one in result.repairs] == [("content-part-type", lossy)]


def test_what_goes_with_the_last_part_of_a_message_is_in_the_record() -> None:
    history = [GO, {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}], "tool_plan": "p"}, GO]
    result = healed(history, "openai_chat")
    assert [(one.lossy, one.before) for one in result.repairs] == [(True, history[1])]


def test_a_block_of_a_call_by_itself_becomes_a_list_of_one() -> None:
    block = {"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}}
    asking = {"type": "ai", "content": block, "tool_calls": {"name": "f", "args": {"a": 1}, "id": "c"}}
    history = [{"type": "human", "content": "q"}, asking, {"type": "tool", "tool_call_id": "c", "content": "R"}]
    listed = {**asking, "content": [block], "tool_calls": [asking["tool_calls"]]}
    assert healed(history, "langchain").messages[1] == listed
    history[1] = {**asking, "tool_calls": [{**asking["tool_calls"], "args": "bad{"}]}
    assert healed(history, "langchain", "xai").messages[1]["content"] == [block]


@pytest.mark.parametrize("wire", ["openai_chat", "mistral", "cohere_v2"])
@pytest.mark.parametrize("block", [{"type": "thinking", "thinking": "hm"}, RESULT, None])
def test_what_is_no_part_of_a_result_is_reported(wire: str, block: Any) -> None:
    call = [chat_call("abcdefgh1")]
    history = [GO, {"role": "assistant", "content": "", "tool_calls": call}]
    history.append({"role": "tool", "tool_call_id": "abcdefgh1", "content": [SAYS, block]})
    result = heal(history, wire)
    assert result.messages is history
    assert [one.rule for one in result.remaining] == ["content-part-type"]


def test_calls_given_as_text_beside_words_are_reported() -> None:
    history = [GO, {"role": "assistant", "content": "a", "tool_calls": json.dumps([chat_call()])}, GO]
    result = heal(history, "openai_chat")
    assert result.messages is history
    assert [one.rule for one in result.remaining] == ["content-part-type"]


def test_mistral_is_not_sent_thinking_in_anothers_words() -> None:
    mine = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    history = [GO, {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, mine, SAYS]}, GO]
    result = healed(history, "mistral")
    assert result.messages[1]["content"] == [mine, SAYS]
    said = [{"role": "user", "content": [{"type": "thinking", "thinking": "hm"}]}]
    assert heal(said, "mistral").messages is said
    assert [one.rule for one in heal(said, "mistral").remaining] == ["foreign-thinking"]
