"""History formats: one file each, and this registry."""

from __future__ import annotations

from typing import Final

from interlock.history.wires.ai_sdk import AISDK
from interlock.history.wires.anthropic import Anthropic
from interlock.history.wires.base import Wire
from interlock.history.wires.openai_chat import OpenAIChat

__all__ = ["WIRES"]

WIRES: Final[dict[str, Wire]] = {wire.name: wire for wire in (AISDK(), Anthropic(), OpenAIChat())}
