"""Every sentence with which a provider is known to refuse a history leads to the rule that it is about.

The sentences are quoted from public reports and from the clients' own code; `…` and `N` stand for ids and numbers.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from interlock.history.diagnose import _kin, diagnose
from interlock.history.rules import BY_NAME

ROWS = json.loads(Path(__file__).with_name("refusals.json").read_text(encoding="utf-8"))
SAID = "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1."


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['rules'][0]}-{at}" for at, row in enumerate(ROWS)])
def test_a_refusal_names_its_rule(row: dict[str, Any]) -> None:
    found = diagnose(row["says"])
    assert found.rule is not None
    assert set(_kin(found.rule)) & set(row["rules"])
    assert (found.code is not None) == (found.rule in BY_NAME)
    assert found.code is not None or found.healable is False


def test_gateways_and_clouds_are_unwrapped() -> None:
    inner = {"type": "error", "error": {"type": "invalid_request_error", "message": SAID}}
    openrouter = {
        "error": {
            "message": "Provider returned error",
            "code": 400,
            "metadata": {"raw": json.dumps(inner), "provider_name": "Anthropic"},
        }
    }
    bedrock = (
        "An error occurred (ValidationException) when calling the Converse operation: The model returned the "
        f"following errors: {SAID}"
    )
    for error in (openrouter, json.dumps(openrouter), bedrock, {"error": json.dumps(inner)}, [bedrock]):
        found = diagnose(error)
        assert (found.rule, found.message_index, found.ids) == ("orphan-tool-call", 2, ("toolu_1",))


def test_the_clients_own_exceptions_are_read() -> None:
    httpx = pytest.importorskip("httpx")
    openai = pytest.importorskip("openai")
    anthropic = pytest.importorskip("anthropic")
    response = httpx.Response(400, request=httpx.Request("POST", "http://127.0.0.1"))
    body = {"error": {"message": SAID}}
    errors: list[Exception] = [
        openai.BadRequestError("Error code: 400", response=response, body=body),
        anthropic.BadRequestError("Error code: 400", response=response, body=body),
    ]
    for error in errors:
        assert diagnose(error).rule == "orphan-tool-call"
    outer = RuntimeError("the run failed")
    outer.__cause__ = errors[0]
    assert diagnose(outer).rule == "orphan-tool-call"


def test_a_refusal_by_botocore_is_read() -> None:
    exceptions = pytest.importorskip("botocore.exceptions")
    answer = {"Error": {"Code": "ValidationException", "Message": SAID}}
    assert diagnose(exceptions.ClientError(answer, "Converse")).rule == "orphan-tool-call"


@pytest.mark.parametrize("error", [None, 3, {}, [], "", object(), {"error": None}, "{", ValueError()])
def test_what_says_nothing_is_not_guessed_at(error: Any) -> None:
    found = diagnose(error)
    assert found.rule is None and found.healable is None
