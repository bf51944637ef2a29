"""From a provider's words to the rule."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from interlock.history.diagnose import _ADVICE, _TABLE, _kin, diagnose
from interlock.history.engine import check, heal
from interlock.history.rules import BY_NAME
from support.shared import needs_shared, shared_files

SERVER_ONLY = set(_ADVICE)

# Sentences as quoted in public reports, each with the rule that it is about.
QUOTES = [
    (one["says"], one["rule"]) for one in json.loads(Path(__file__).with_name("provider_errors.json").read_text())
]


@pytest.mark.parametrize(("said", "rule"), QUOTES, ids=[rule for _, rule in QUOTES])
def test_a_quoted_sentence_names_its_rule(said: str, rule: str) -> None:
    """Plain, wrapped in a provider's prefix, in an SDK's exception, and inside a gateway's body."""
    inner = json.dumps({"error": {"message": said}})
    body = {"error": {"message": "Provider returned error", "metadata": {"raw": inner}}}
    prefixed = f"ValidationException: The model returned the following errors: {said}"
    for error in (said, prefixed, body, ValueError(said)):
        found = diagnose(error)
        assert rule == found.rule
        assert (found.code is None) == (rule in SERVER_ONLY)
    assert diagnose(said).to_json()["rule"] == rule


def test_every_rule_of_the_table_is_a_rule_or_known_to_be_the_providers() -> None:
    """No line leads nowhere."""
    assert {rule for rule, _ in _TABLE} <= {*BY_NAME, *SERVER_ONLY}


def test_the_place_and_the_repair_are_named() -> None:
    """With the history at hand the finding itself is shown."""
    history = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}]},
        {"role": "user", "content": "are you there?"},
    ]
    error = "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1."
    found = diagnose(error, history)
    assert (found.rule, found.code, found.message_index, found.ids) == ("orphan-tool-call", "IL001", 1, ("toolu_1",))
    assert found.healable is True
    assert [one.call_id for one in found.findings] == ["toolu_1"]
    assert "stub-result (default)" in found.fix


def test_what_cannot_be_healed_is_said() -> None:
    """Nothing is promised that an edit of the history cannot do."""
    signature = diagnose("messages.5.content.1: `thinking` blocks in the latest assistant message cannot be modified")
    assert signature.healable is False
    assert "only the provider" in signature.says
    history = [{"role": "user", "content": "q"}]
    clean = diagnose("No tool output found for function call call_9.", history, wire="openai_chat")
    assert clean.healable is False
    assert "nothing in this history" in clean.says
    unknown = diagnose("The server is on fire.")
    assert unknown.rule is None
    assert unknown.healable is None


USE = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
ANSWER = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "r"}
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
NO_RESULT = "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1."
UNANSWERED = "An assistant message with 'tool_calls' must be followed by tool messages: c1"

# What a provider says, the history it says it of, and the rule that the data shows to be broken.
CAUSES: list[tuple[str, str, str, dict[str, Any], list[Any]]] = [
    ("tool-results-not-first", "orphan-tool-call", NO_RESULT, {"wire": "anthropic"}, [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": [USE]},
        {"role": "user", "content": [{"type": "text", "text": "and"}, ANSWER]},
    ]),
    ("misplaced-tool-result", "orphan-tool-call", UNANSWERED, {"wire": "openai_chat"}, [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "user", "content": "n"},
        {"role": "tool", "tool_call_id": "c1", "content": "r"},
    ]),
    ("split-tool-results", "orphan-tool-call", "Expected toolResult blocks at messages.2.content for: t2",
     {"wire": "bedrock_converse"}, [
        {"role": "user", "content": [{"text": "q"}]},
        {"role": "assistant", "content": [
            {"toolUse": {"toolUseId": one, "name": "f", "input": {}}} for one in ("t1", "t2")
        ]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "t1", "content": [{"text": "1"}]}}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "t2", "content": [{"text": "2"}]}}]},
    ]),
    ("duplicate-tool-result", "orphan-tool-result",
     "messages.4.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1.", {"wire": "anthropic"}, [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": [USE]},
        {"role": "user", "content": [ANSWER]},
        {"role": "assistant", "content": "ok"},
        {"role": "user", "content": [ANSWER, {"type": "text", "text": "n"}]},
    ]),
    ("content-part-type", "duplicate-tool-call-id", "`tool_use` ids must be unique", {"wire": "openai_chat"}, [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": [USE], "tool_calls": [{**CALL, "id": "toolu_1"}]},
        {"role": "tool", "tool_call_id": "toolu_1", "content": "r"},
    ]),
    ("empty-message", "empty-text", "messages: text content blocks must be non-empty", {"wire": "anthropic"}, [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "b"},
        {"role": "user", "content": ""},
        {"role": "assistant", "content": "c"},
        {"role": "user", "content": "d"},
    ]),
    ("foreign-thinking", "unsigned-thinking", "messages.1.content.0: Invalid `signature` in `thinking` block",
     {"wire": "anthropic", "model": "b"}, [
        {"role": "user", "content": "q"},
        {"role": "assistant", "_origin": {"provider": "anthropic", "model": "a"}, "content": [
            {"type": "thinking", "thinking": "t", "signature": "c2ln"}, {"type": "text", "text": "One"},
        ]},
        {"role": "user", "content": "n"},
    ]),
    ("orphan-tool-result", "tool-call-position",
     "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
     {"wire": "gemini"}, [
        {"role": "user", "parts": [{"text": "q"}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "a", "response": {}, "id": "z"}}]},
        {"role": "model", "parts": [{"text": "ok"}]},
        {"role": "user", "parts": [{"text": "n"}]},
    ]),
    ("orphan-tool-call", "misplaced-tool-result", "invalid params, tool call and result not match (2013)",
     {"wire": "openai_chat", "provider": "minimax"}, [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "user", "content": "n"},
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("cause", "named", "said", "options", "history"), CAUSES, ids=[one[0] for one in CAUSES])
def test_the_history_says_which_of_several_causes_it_is(
    cause: str, named: str, said: str, options: dict[str, Any], history: list[Any]
) -> None:
    """What is named is what healing repairs; the words alone name what they say."""
    assert {one.rule for one in heal(history, **options).repairs} - {"unknown-field"} == {cause}
    found = diagnose(said, history, **options)
    assert (found.rule, found.named, found.code) == (cause, named, BY_NAME[cause].code)
    assert found.healable is True
    assert {one.rule for one in found.findings} == {cause}
    assert diagnose(said).rule == named


def test_a_call_that_the_words_name_decides_between_causes() -> None:
    """Two faults with one sentence: the one whose id the provider names is the cause."""
    late = {**CALL, "id": "c2"}
    history = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "user", "content": "n"},
        {"role": "assistant", "content": None, "tool_calls": [late]},
        {"role": "user", "content": "m"},
        {"role": "tool", "tool_call_id": "c2", "content": "r"},
    ]
    said = "tool_calls must be followed by tool messages; without a response: {}"
    one, two = (diagnose(said.format(name), history, wire="openai_chat") for name in ("c1", "c2"))
    assert (one.rule, one.ids) == ("orphan-tool-call", ("c1",))
    assert (two.rule, two.ids) == ("misplaced-tool-result", ("c2",))


def test_the_word_call_id_is_no_id() -> None:
    """`call_id` looks like an id, and is the name of a field."""
    said = "No tool call found for function call output with call_id call_1."
    assert diagnose(said).ids == ("call_1",)


def test_what_the_provider_says_of_its_model_is_taken_as_true() -> None:
    """Which models want words beside media is not known; one that says so does."""
    image = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}
    history = [{"role": "user", "parts": [image]}]
    said = "Unable to submit request because it must have a text parameter. Add a text parameter and try again."
    assert not check(history, wire="gemini", provider="vertex").findings
    found = diagnose(said, history, wire="gemini", provider="vertex")
    assert (found.rule, found.healable, len(found.findings)) == ("media-needs-text", True, 1)


def test_encrypted_reasoning_leads_to_whoever_made_it() -> None:
    """The item's own note decides between another account and another provider."""
    said = f"The encrypted content for item rs_{'0' * 48} could not be verified."
    for maker, rule in (("azure", "foreign-encrypted-content"), ("anthropic", "foreign-thinking")):
        item = {"type": "reasoning", "encrypted_content": "ZW5j", "summary": [], "_origin": {"provider": maker}}
        history = [{"role": "user", "content": "q"}, item, {"role": "assistant", "content": "a"}]
        found = diagnose(said, history, wire="openai_responses")
        assert (found.named, found.rule, found.healable) == ("foreign-encrypted-content", rule, True)


def test_every_related_rule_is_a_rule() -> None:
    """No family names what does not exist."""
    assert {kin for rule in BY_NAME for kin in _kin(rule)} <= set(BY_NAME)


@pytest.mark.shared
@needs_shared
def test_the_errors_of_the_reported_failures_name_what_is_repaired() -> None:
    """Each reported failure that came with a provider's text: the rule is among those that healing names."""
    wrong, seen = [], 0
    for path in shared_files("cases/*.json"):
        case = json.loads(path.read_text())
        error = case.get("provider_error")
        if case["side"] != "outbound" or not error:
            continue
        given = case["input"]
        options = {
            "wire": {"ai_sdk_model": "ai_sdk"}.get(case["wire"], case["wire"]),
            "provider": given.get("target"),
            "tools": given.get("tools"),
            "options": given.get("options"),
        }
        result = heal(given["messages"], **options)
        found = diagnose(error, given["messages"], **options)
        seen += 1
        if not case["expected"]["faults"]:
            assert found.healable is False and not found.findings
        elif found.rule not in {one.rule for one in (*result.repairs, *result.remaining)}:
            wrong.append((case["id"], found.rule))
    assert wrong == []
    assert seen >= 50


# Pieces of sentences, and one that no rule's row holds.
PIECES = (
    "required … item", "Missing required parameter", "Input should be a valid dictionary", "Expected toolResult blocks",
    "… Member must", "The model returned the following errors: ", "tool_call_id", '… messages with role "tool',
    'The "function.arguments', "<400> InternalError.Algo",
)  # fmt: skip


@pytest.mark.shared
@needs_shared
def test_the_third_column_leads_back_to_its_rule() -> None:
    """Each error text of the provider rules names a rule of its own row."""
    wrong, seen = [], 0
    header: list[str] = []
    for line in shared_files("provider-rules.md")[0].read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        header = cells and (header or cells)
        text = next((at for at, name in enumerate(header) if "error text" in name or name == "commonest texts"), None)
        if text is None or "rule id" not in header or len(cells) <= text:
            continue
        rules = set(re.findall(r"`([a-z-]+)`", cells[header.index("rule id")])) & set(BY_NAME)
        for said in re.findall(r'"((?:[^"]|"(?=[a-z]))+?)"(?=[ ,.;·(]|$)', cells[text]) if rules else ():
            if len(said) >= 12 and not said.startswith(PIECES):
                seen += 1
                if diagnose(said).rule not in rules:
                    wrong.append((diagnose(said).rule, rules, said))
    assert wrong == []
    assert seen >= 130


@pytest.mark.parametrize(
    "words",
    [
        "'model' must not be empty",
        "Invalid API key: must not be empty",
        "Unknown parameter: 'reasoning_effort'.",
        "Unknown parameter: 'tools[0].strict'.",
        "temperature: Extra inputs are not permitted",
        "tools.0.custom.strict: Extra inputs are not permitted",
        "exceeds the max allowed size of 20MB",
        "Unsupported role: ServiceRole for IAM",
        "Unknown role: arn",
    ],
)
def test_words_on_something_else_are_not_guessed_at(words: str) -> None:
    assert diagnose(words).rule is None


@pytest.mark.parametrize(
    ("error", "rule", "place"),
    [
        ({"error": {"message": "roles must alternate", "param": "messages.[2].role"}}, "role-alternation", 2),
        ('HTTP 400: {"error":{"message":"first message must use the \\"user\\" role"}}', "first-role", None),
        (
            repr(ValueError("""'messages.1' : "x" property 'reasoning_content' is unsupported""")),
            "unsupported-reasoning-field",
            1,
        ),
        (b'{"error": {"message": "messages: roles must alternate"}}', "role-alternation", None),
        ("Missing required parameter: 'messages[1].tool_calls[0].id'", "missing-tool-call-id", 1),
        (
            "'messages[1].tool_calls[0].function.arguments': expected a string, but got an object",
            "invalid-tool-arguments",
            1,
        ),
        ("'messages[1].content': expected one of a string or array of objects, but got null", "null-content", 1),
    ],
)
def test_an_error_is_read_in_the_form_that_it_comes_in(error: Any, rule: str, place: int | None) -> None:
    found = diagnose(error)
    assert (found.rule, found.message_index) == (rule, place)


_SAID = "messages: roles must alternate"


def _raised_in(handling: bool) -> BaseException:
    outer, inner = RuntimeError("the request failed"), ValueError(_SAID)
    if handling:
        outer.__context__ = inner
    else:
        outer.__cause__ = inner
    return outer


def _answered(**held: Any) -> BaseException:
    error = RuntimeError("400")
    error.response = SimpleNamespace(**held)  # type: ignore[attr-defined]
    return error


@pytest.mark.parametrize(
    "error",
    [
        _raised_in(handling=True),
        _raised_in(handling=False),
        ExceptionGroup("several", [ValueError("one"), ValueError(_SAID)]),
        ExceptionGroup("several", [ValueError("one"), _raised_in(handling=False)]),
        _answered(text=_SAID),
        _answered(_content=json.dumps({"error": _SAID}).encode()),
    ],
    ids=["context", "cause", "group", "cause-in-a-group", "text", "bytes"],
)
def test_an_error_is_found_where_an_exception_keeps_it(error: BaseException) -> None:
    assert diagnose(error).rule == "role-alternation"


def test_an_exceptions_own_words_come_ahead_of_those_it_was_raised_from() -> None:
    error = ValueError("This model does not support assistant message prefill.")
    error.__context__ = ValueError(_SAID)
    assert diagnose(error).rule == "last-role"


def test_a_response_that_was_not_read_is_not_read() -> None:
    class Unread:
        @property
        def text(self) -> str:
            raise AssertionError("this is input and output")

        content = body = text

    error = RuntimeError("400")
    error.response = Unread()  # type: ignore[attr-defined]
    assert diagnose(error).rule is None


def test_an_option_that_is_not_known_is_refused() -> None:
    with pytest.raises(TypeError, match="takes no 'history'; expected messages, and model,"):
        diagnose("x", history=[])


@pytest.mark.parametrize(("said", "rule"), QUOTES, ids=[rule for _, rule in QUOTES])
def test_a_pasted_sentence_names_its_rule(said: str, rule: str) -> None:
    """Cut into lines as by a terminal, and with quotes as another server or a chat sets them."""
    lines = "\n    ".join(said.split(" "))
    typeset = said.replace("'", "\u2019").replace('"', "\u201d")
    plain, double = said.replace("`", "'"), said.replace("'", '"').replace("`", '"')
    for error in (lines, typeset, plain, double):
        assert diagnose(error).rule == rule, error
