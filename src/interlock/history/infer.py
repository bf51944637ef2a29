"""`infer_provider`: whose rules a history has to satisfy, told by a model's name, a model object or a client."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from interlock.history.providers import ALIASES, PROFILES

__all__ = ["MODEL_FIELDS", "infer_provider", "read_field"]

#: Found in an id, in this order: the first that matches decides.
_PATTERNS: Final = tuple(
    (re.compile(pattern), provider)
    for pattern, provider in (
        # Bedrock's ids carry the vendor: "us.anthropic.claude-...", "arn:aws:bedrock:...".
        (r"bedrock.*(?:anthropic|claude)|(?:^|[./])anthropic\.claude", "bedrock-anthropic"),
        (
            r"bedrock|^(?:us|eu|apac|global)\.(?:amazon|meta|mistral|cohere|deepseek)\.|^amazon\.(?:nova|titan)",
            "bedrock",
        ),
        (r"openrouter", "openrouter"),
        (r"vertex.*anthropic|anthropic.*vertex", "anthropic"),
        (r"anthropic|claude", "anthropic"),
        (r"gemini|google|vertex|generative-?(?:ai|language)", "google"),
        (r"deepseek", "deepseek"),
        (r"moonshot|kimi", "moonshot"),
        (r"minimax", "minimax"),
        (r"dashscope|alibaba|qwen", "qwen"),
        (r"cerebras", "cerebras"),
        (r"groq", "groq"),
        (r"mistral|mixtral|codestral|magistral|ministral|pixtral|devstral", "mistral"),
        (r"cohere|command-?[ar]", "cohere"),
        (r"x\.?ai(?:$|[./])|grok", "xai"),
        (r"perplexity|(?:^|/)sonar", "perplexity"),
        (r"lm-?studio", "lmstudio"),
        (r"ollama", "ollama"),
        (r"openai|azure|(?:^|/)(?:gpt|chatgpt|o[1-9])(?:[-.:]|$)|^text-davinci", "openai"),
    )
)
#: Where objects keep the name of a model.
MODEL_FIELDS: Final = ("model_id", "modelId", "model_name", "model", "name")
_TEXT_FIELDS: Final = ("provider", "base_url", "api_base", *MODEL_FIELDS)


def infer_provider(model_or_client_or_name: Any) -> str | None:
    """Return the provider whose rules apply, or `None` when nothing tells.

    Args:
        model_or_client_or_name: A model's name (`"claude-sonnet-4-5"`, `"openai/gpt-5"`,
            `"us.anthropic.claude-..."`), a provider's name, a model object or its mapping
            (`provider` and `modelId` are read), or an SDK's client.

    Returns:
        A name that `heal(provider=...)` takes.
    """
    if model_or_client_or_name is None:
        return None
    if isinstance(model_or_client_or_name, str):
        return _of_text(model_or_client_or_name)
    texts = [read_field(model_or_client_or_name, field) for field in _TEXT_FIELDS]
    cls = type(model_or_client_or_name)
    if not isinstance(model_or_client_or_name, Mapping):
        texts.insert(0, f"{cls.__module__}.{cls.__name__}")
    # All words together first: a host names the model's maker only in the model's id.
    joined = " ".join(text for text in texts if text)
    if re.search(r"bedrock", joined, re.IGNORECASE):
        return "bedrock-anthropic" if re.search(r"anthropic|claude", joined, re.IGNORECASE) else "bedrock"
    # The address of a compatible server says more than the class of the client.
    for text in (*texts[1:], *texts[:1]):
        found = _of_text(text) if text else None
        if found is not None:
            return found
    return None


def read_field(value: Any, field: str) -> str | None:
    """Return the text in a field of an object or a mapping; `None` when there is none."""
    try:
        found = value.get(field) if isinstance(value, Mapping) else getattr(value, field, None)
        if found is None or isinstance(found, (bytes, bool, int, float)):
            return None
        if isinstance(found, str):
            return found
        return str(found) if field in ("base_url", "api_base") else None
    except Exception:  # a property of a foreign object may do anything
        return None


def _of_text(text: str) -> str | None:
    name = text.strip().lower()
    if name in PROFILES and name != "generic":
        return name
    if name in ALIASES:
        return ALIASES[name]
    for pattern, provider in _PATTERNS:
        if pattern.search(name):
            return provider if provider in PROFILES else None
    return None
