"""IL044 item-without-reasoning: an item carries a server id, but the reasoning it belongs to is not there.

What it finds:
    A call, a message or another item with a server id whose reasoning another rule has dropped: all behind
    it in its turn, up to other reasoning. A call with an id that claims to be the server's (`fc_...`) but is
    not of the form that the server issues, and no reasoning item ahead of it in its turn.
Why it matters:
    "Item 'fc_...' of type 'function_call' was provided without its required 'reasoning' item: 'rs_...'."
    Source: VRSEN/agency-swarm#367, laravel/ai#1052.

Example:
    before: function_call fc_1 call_1
    after:  function_call call_1
Fix:
    strip-id (default)  the id goes; `call_id` still pairs the call with its output. What OpenAI ran itself
                        and takes only with its id (code, files, images, MCP) goes when its reasoning went
    strip-always        the id of every call without reasoning ahead of it goes
    keep                left alone, not reported
Loss:
    strip-id      lossless; lossy where such an item goes
    strip-always  lossless; lossy where such an item goes
Known limits:
    Many calls of reasoning models come without any reasoning, and requests with their genuine ids
    are accepted: only the server knows. `strip-always` is for a client that drops reasoning.
    Reasoning that several parallel calls share counts for each of them. A bare reference to an item and a
    question for approval are nothing without their ids: they stay as they are.
    OpenAI's types ask for the id of a search and of a computer's call too. The first is sent without it
    by codex; of the second nothing is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from interlock.history.edits import DropMessage, ReplaceMessage, ReplacePart
from interlock.history.rules.base import Context, Finding, Rule, drop_part_action, item_without, without
from interlock.history.turns import Call, Message, Reasoning

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each item that stands without its reasoning."""
    always = context.policy[RULE.name] == "strip-always"
    for turn in _stretches(messages):
        seen = context.stateful  # earlier turns are not here, nor is their reasoning
        for message in turn:
            part = message.parts[0] if message.parts else None
            if type(part) is Reasoning:
                seen = True
                continue
            native = message.native
            own = native.get("id") if isinstance(native, dict) else None
            if not isinstance(own, str) or not own:
                continue
            if own in context.unreasoned:
                finding = _left_behind(message, own)
                if finding is not None:
                    yield finding
                continue
            if seen or type(part) is not Call or part.slot != "self":
                continue
            if not own.startswith("fc_") or (_ISSUED.fullmatch(own) and not always):
                continue
            yield Finding(
                message=message,
                part=part,
                call_id=part.call_id,
                action="replaced-part",
                edits=(ReplacePart(message=message, part=part, new=without(part, "id")),),
                reason=f"the item {own!r} stands without the reasoning that led to it",
            )


def _left_behind(message: Message, own: str) -> Finding | None:
    """Return the finding for an item whose reasoning has gone; `None` for one that is nothing without its id."""
    part = message.parts[0] if message.parts else None
    kind = message.native.get("type")
    if kind is None and "role" in message.native:
        kind = "message"
    if not isinstance(kind, str):
        return None
    if kind in _WHOLE:
        return Finding(
            message=message,
            part=part,
            action=drop_part_action(message),
            lossy=True,
            edits=(DropMessage(message=message),),
            reason=f"the item {own!r} stands without the reasoning that led to it, and cannot be sent without its id",
        )
    if kind not in _IDLE:
        return None
    return Finding(
        message=message,
        part=part,
        call_id=getattr(part, "call_id", None),
        action="replaced-part",
        edits=(ReplaceMessage(message=message, new=(item_without(message, "id"),)),),
        reason=f"the item {own!r} stands without the reasoning that led to it",
    )


#: Items that are whole without their ids: openai-python 3.57.0 types, pydantic-ai's and codex' requests.
_IDLE: Final = frozenset(
    {"message", "function_call", "custom_tool_call", "shell_call", "local_shell_call", "apply_patch_call"}
    | {"tool_search_call", "computer_call", "web_search_call"}
)
#: Items of calls that OpenAI ran, for which its types ask for an id.
_WHOLE: Final = frozenset({"file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call"})
#: Recorded ids: `fc_` and 32 to 50 hexadecimal digits.
_ISSUED: Final = re.compile(r"fc_[0-9a-f]{32,}")


def _stretches(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """Yield the items between one word of the user and the next."""
    held: list[Message] = []
    for message in messages:
        if message.role in ("user", "system", "developer"):
            if held:
                yield held
            held = []
        else:
            held.append(message)
    if held:
        yield held


RULE: Final = Rule(
    code="IL044",
    name="item-without-reasoning",
    policies={"strip-id": "lossless", "strip-always": "lossless", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.items,
)
