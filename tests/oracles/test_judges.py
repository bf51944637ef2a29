"""Judges are only worth something if they refuse: each is shown what it must take and what it must not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings

from support import oracles
from support.histories import MUTATIONS, conversations, sample
from support.oracles import FORMS, JUDGES, PACKAGES, RefusedError, written

for package in PACKAGES:
    pytest.importorskip(package)

PAIRS = [
    pytest.param(target, judge, id=f"{target[0]}-{target[1]}-{judge.__name__}")
    for target, judges in JUDGES.items()
    for judge in judges
]

#: Judge -> the named damage that it must refuse.
CONTROLS: dict[str, str] = {
    "openai_rules": """one-result-missing results-missing calls-missing interrupted user-between late-results
        early-results doubled-result foreign-result same-id-in-turn long-id bad-name empty-name long-name cut-arguments
        null-arguments list-arguments empty-reply""",
    "alternating_rules": "doubled-user results-missing assistant-last bad-name",
    "never_null": "results-missing empty-name",
    "claude_converse_rules": """results-missing split-results reused-id thinking-only assistant-last doubled-user
        blank-user""",
    "cohere_rules": "results-missing calls-missing user-between late-results early-results doubled-result bad-name",
    "langgraph_history": "one-result-missing results-missing interrupted",
    "mistral_validators": """one-result-missing results-missing calls-missing interrupted user-between late-results
        early-results doubled-result foreign-result same-id-in-turn long-id strange-id bad-name empty-name long-name
        empty-reply first-user-missing assistant-last""",
    "mistral_template": "calls-missing user-between late-results early-results strange-id assistant-first",
    "mistral_rules": "long-id strange-id empty-reply user-after-results",
    "strict_rules": """results-missing calls-missing user-between late-results early-results doubled-user late-system
        assistant-first assistant-last user-after-results strange-id cut-arguments""",
    "chat_templates": """results-missing calls-missing user-between late-results early-results doubled-user late-system
        assistant-first user-after-results strange-id list-arguments""",
    "responses_rules": """one-result-missing results-missing calls-missing interrupted early-results doubled-result
        foreign-result long-id bad-name empty-name long-name cut-arguments null-arguments list-arguments""",
    "agents_items": "one-result-missing results-missing interrupted",
    "anthropic_types": "cut-arguments null-arguments list-arguments",
    "anthropic_rules": """one-result-missing results-missing calls-missing interrupted user-between late-results
        early-results doubled-result foreign-result reused-id same-id-in-turn strange-id bad-name empty-name long-name
        cut-arguments null-arguments list-arguments empty-reply blank-user assistant-last""",
    "pydantic_history": "one-result-missing results-missing calls-missing interrupted user-between early-results",
    "gemini_types": "cut-arguments list-arguments empty-reply late-system",
    "gemini_rules": """one-result-missing results-missing calls-missing interrupted user-between late-results
        early-results split-results doubled-result foreign-result bad-name empty-name long-name cut-arguments
        list-arguments empty-reply late-system first-user-missing""",
    "bedrock_model": "long-id bad-name empty-name long-name cut-arguments null-arguments list-arguments",
    "bedrock_rules": """one-result-missing results-missing calls-missing interrupted user-between late-results
        early-results split-results doubled-result foreign-result same-id-in-turn empty-reply doubled-user blank-user
        assistant-first first-user-missing user-after-results""",
    "ollama_types": "cut-arguments null-arguments list-arguments",
    "ollama_rules": """one-result-missing results-missing calls-missing interrupted user-between late-results
        early-results doubled-result foreign-result empty-name""",
}


@pytest.mark.parametrize(("target", "judge"), PAIRS)
def test_a_judge_takes_a_healthy_conversation(target: tuple[str, str], judge: Callable[[Any], None]) -> None:
    judge(written(sample(), target))


@pytest.mark.parametrize("target", JUDGES, ids="-".join)
@settings(max_examples=12, deadline=None)
@given(steps=conversations())
def test_all_judges_take_what_is_drawn_as_healthy(target: tuple[str, str], steps: list[Any]) -> None:
    for judge in JUDGES[target]:
        judge(written(steps, target))


@pytest.mark.parametrize(("target", "judge"), PAIRS)
def test_a_judge_refuses_the_damage_that_it_knows(target: tuple[str, str], judge: Callable[[Any], None]) -> None:
    names = CONTROLS.get(judge.__name__, "").split()
    assert names or any(judge.__name__ == name for name, _, _ in FORMS), "a judge without a control"
    for name in names:
        broken = written(MUTATIONS[name](sample(), lambda count: 0), target)
        try:
            judge(broken)
        except RefusedError:
            continue
        pytest.fail(f"{judge.__name__} takes {name}")


@pytest.mark.parametrize(("name", "target", "damage"), FORMS, ids=lambda one: getattr(one, "__name__", None))
def test_the_types_refuse_a_broken_form(name: str, target: tuple[str, str], damage: Callable[[Any], None]) -> None:
    messages = written(sample(), target)
    damage(messages)
    with pytest.raises(RefusedError):
        getattr(oracles, name)(messages)
