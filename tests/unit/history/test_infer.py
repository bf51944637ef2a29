"""Whose rules: told by names, objects and clients."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.history.infer import infer_provider
from interlock.history.providers import ALIASES, PROFILES, profile_for


@pytest.mark.parametrize(
    ("given", "provider"),
    [
        ("claude-sonnet-4-5", "anthropic"),
        ("anthropic/claude-sonnet-4.6", "anthropic"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "bedrock-anthropic"),
        ("anthropic.claude-3-haiku", "bedrock-anthropic"),
        ("us.amazon.nova-pro-v1:0", "bedrock"),
        ("gpt-5-mini", "openai"),
        ("openai/gpt-5", "openai"),
        ("o4-mini", "openai"),
        ("openai.responses", "openai"),
        ("gemini-3-flash-preview", "google"),
        ("google.generative-ai", "google"),
        ("mistral-medium-latest", "mistral"),
        ("magistral-medium", "mistral"),
        ("deepseek-reasoner", "deepseek"),
        ("kimi-k2-thinking", "moonshot"),
        ("Qwen/Qwen2.5-VL-72B-Instruct", "qwen"),
        ("command-r7b-12-2024", "cohere"),
        ("grok-4", "xai"),
        ("anthropic", "anthropic"),
        ("gemini", "google"),
        ({"provider": "amazon-bedrock", "modelId": "anthropic.claude-3"}, "bedrock-anthropic"),
        ({"provider": "amazon-bedrock", "modelId": "meta.llama3"}, "bedrock"),
        ({"provider": "anthropic.messages", "modelId": "claude-opus-4"}, "anthropic"),
        ("something-else", None),
        ("", None),
        (None, None),
        (5, None),
        (object(), None),
    ],
)
def test_a_name_or_object_tells_the_provider(given: Any, provider: str | None) -> None:
    """What it says is a name that `heal` takes."""
    assert provider == infer_provider(given)
    assert provider is None or profile_for(provider, wire="ai_sdk").name == provider


def test_clients_tell_by_their_package_and_address() -> None:
    """The address of a compatible server says more than the client's class."""
    anthropic = pytest.importorskip("anthropic")
    openai = pytest.importorskip("openai")
    assert infer_provider(anthropic.Anthropic(api_key="x")) == "anthropic"
    assert infer_provider(openai.OpenAI(api_key="x")) == "openai"
    assert infer_provider(openai.OpenAI(api_key="x", base_url="https://api.deepseek.com/v1")) == "deepseek"


def test_an_object_whose_properties_raise_is_no_reason_to_raise() -> None:
    """Foreign objects may do anything."""

    class Hostile:
        @property
        def provider(self) -> str:
            raise RuntimeError("no")

    assert infer_provider(Hostile()) is None


def test_every_alias_leads_to_a_profile() -> None:
    """No name leads nowhere, and every row says where its facts come from."""
    for alias, name in ALIASES.items():
        assert name in PROFILES, alias
        assert profile_for(alias, wire="openai_chat").source
    for name, profile in PROFILES.items():
        assert profile.name == name
        assert profile.source


@pytest.mark.parametrize(
    ("provider", "model", "field", "value"),
    [
        ("anthropic", "claude-opus-4-8", "last", "user"),
        ("anthropic", "claude-sonnet-4-5", "last", "any"),
        ("google", "gemini-3-pro", "thought_signatures", True),
        ("google", "gemini-2.5-pro", "thought_signatures", False),
        ("bedrock", "us.anthropic.claude-sonnet-4-5", "name", "bedrock-anthropic"),
        ("bedrock", "us.meta.llama4", "results_alone", True),
        ("openai", "o1-mini", "roles", ("user", "assistant", "tool")),
    ],
)
def test_what_changes_with_the_model(provider: str, model: str, field: str, value: Any) -> None:
    """Only when the model is named."""
    assert value == getattr(profile_for(provider, wire="anthropic", model=model), field)


@pytest.mark.parametrize(
    ("model", "last", "system"),
    [
        ("claude-opus-4.6", "user", "nowhere"),
        ("anthropic/claude-opus-4-6", "user", "nowhere"),
        ("claude-4.6-opus", "user", "nowhere"),
        ("claude-sonnet-5", "user", "not-leading"),
        ("claude-opus-4.8", "user", "not-leading"),
        ("claude-4.5-sonnet", "any", "nowhere"),
        ("claude-4-sonnet", "any", "nowhere"),
        ("claude-sonnet-4-20250514", "any", "nowhere"),
        ("claude-3.5-sonnet", "any", "nowhere"),
    ],
)
def test_what_a_claude_takes_is_read_from_every_form_of_its_name(model: str, last: str, system: str) -> None:
    profile = profile_for("anthropic", wire="anthropic", model=model)
    assert (profile.last, profile.system) == (last, system)
