"""The registry of rules: codes, names, pages, policies."""

from __future__ import annotations

import importlib
import re
from typing import Any

import pytest

from interlock.errors import InvalidOptionError
from interlock.history.rules import ALIASES, BY_NAME, RULES, policies_for

HEADINGS = ("What it finds", "Why it matters", "Example", "Fix", "Loss", "Known limits")


def test_codes_and_names_are_unique() -> None:
    """A code or a name is never given twice."""
    assert len({rule.code for rule in RULES}) == len({rule.name for rule in RULES}) == len(RULES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_the_page_has_all_headings_and_names_each_policy(rule: Any) -> None:
    """A rule's docstring is its page."""
    assert rule.page.startswith(f"{rule.code} {rule.name}: ")
    assert re.fullmatch(r"IL\d{3}", rule.code)
    places = [rule.page.index(f"\n{heading}:\n") for heading in HEADINGS]
    assert places == sorted(places)
    for heading in HEADINGS:
        assert rule.section(heading).strip()
    fix = rule.section("Fix")
    for policy in rule.policies:
        assert re.search(rf"^(?:[a-z-]+, )*{policy}\b", fix, re.MULTILINE), policy
    assert f"{rule.default} (default)" in fix


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_the_file_is_named_after_the_rule_and_keep_is_a_policy(rule: Any) -> None:
    """One rule, one file, and every rule can be told to leave things alone."""
    module = importlib.import_module(f"interlock.history.rules.{rule.name.replace('-', '_')}")
    assert module.RULE is rule
    assert rule.policies["keep"] == "lossless"
    assert rule.default != "keep"
    assert rule.policies[rule.default] != "destructive"


@pytest.mark.parametrize("alias", sorted(ALIASES))
def test_the_reference_names_are_aliases(alias: str) -> None:
    """A policy under the reference's name reaches the rule."""
    rule = BY_NAME[ALIASES[alias]]
    assert policies_for({alias: "keep"})[rule.name] == "keep"
    assert policies_for({rule.code: "keep"})[rule.name] == "keep"


def test_an_unknown_rule_or_policy_lists_what_is_allowed() -> None:
    """The message says what may be written instead."""
    with pytest.raises(InvalidOptionError, match="orphan-tool-call"):
        policies_for({"no-such-rule": "keep"})
    with pytest.raises(InvalidOptionError, match="'stub-result', 'drop-call', 'keep'"):
        policies_for({"orphan-tool-call": "explode"})
    with pytest.raises(InvalidOptionError):
        policies_for({3: "keep"})  # type: ignore[dict-item]
    with pytest.raises(InvalidOptionError):
        policies_for(["keep"])  # type: ignore[arg-type]
