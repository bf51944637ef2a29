"""History formats: one file each, and this registry."""

from __future__ import annotations

from typing import Final

from interlock.history.wires.ai_python import AIPython
from interlock.history.wires.ai_sdk import AISDK
from interlock.history.wires.ai_sdk_ui import AISDKUI
from interlock.history.wires.anthropic import Anthropic
from interlock.history.wires.base import Wire
from interlock.history.wires.bedrock_converse import BedrockConverse
from interlock.history.wires.cohere_v2 import CohereV2
from interlock.history.wires.gemini import Gemini
from interlock.history.wires.langchain import LangChain
from interlock.history.wires.mistral import Mistral
from interlock.history.wires.ollama import Ollama
from interlock.history.wires.openai_agents import OpenAIAgents
from interlock.history.wires.openai_chat import OpenAIChat
from interlock.history.wires.openai_responses import OpenAIResponses
from interlock.history.wires.pydantic_ai import PydanticAI

__all__ = ["WIRES"]

WIRES: Final[dict[str, Wire]] = {
    wire.name: wire
    for wire in (
        AIPython(),
        AISDK(),
        AISDKUI(),
        Anthropic(),
        BedrockConverse(),
        CohereV2(),
        Gemini(),
        LangChain(),
        Mistral(),
        Ollama(),
        OpenAIAgents(),
        OpenAIChat(),
        OpenAIResponses(),
        PydanticAI(),
    )
}
