"""IL048 foreign-encrypted-content: a reasoning item that another account or route of the provider has encrypted.

What it finds:
    A Responses `reasoning` item with `encrypted_content` whose note of origin (`_origin`) names another
    route of the same provider (`azure` for `openai`), or an `organization` that is not the request's
    (`options={"organization": ...}`).
Why it matters:
    "The encrypted content ... could not be verified" (`invalid_encrypted_content`): only the account that
    it was made for can read it.
    Source: openai/codex#8100, openai/codex#9045, smallmain/vscode-unify-chat-provider#178.

Example:
    before: reasoning rs_1 (of azure) / function_call fc_1, sent to openai
    after:  function_call
Fix:
    drop (default)   the item goes; what followed it is sent without its id (IL044)
    keep             left alone, not reported
Loss:
    drop             lossy: the hidden reasoning, which the target could not read
Known limits:
    Without a note nothing is reported: the content itself does not tell. Reasoning of another provider
    is IL036.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from interlock.history.edits import DropMessage
from interlock.history.rules.base import Context, Finding, Rule, leave_behind
from interlock.history.turns import Message, Reasoning

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each item that the target cannot decrypt."""
    dropped: list[Message] = []
    for message in context.doubted(messages):
        part = message.parts[0] if message.parts else None
        if type(part) is not Reasoning or not part.signature or not isinstance(message.native, dict):
            continue
        note = message.native.get("_origin")
        owner = _other(note, context) if isinstance(note, dict) else None
        if owner is not None:
            dropped.append(message)
            yield Finding(
                message=message,
                part=part,
                action="dropped-message",
                edits=(DropMessage(message=message),),
                reason=f"only {owner!r} can read this reasoning; the history goes elsewhere",
            )
    leave_behind(messages, dropped, context)


def _other(note: dict[str, object], context: Context) -> str | None:
    """Return the route or the account that made an item, when it is not the target."""
    route, account = note.get("provider"), note.get("organization")
    made = _ROUTES.get(route.strip().lower()) if isinstance(route, str) else None
    if made is not None and made != _ROUTES.get(context.target or "", made):
        return made
    own = context.options.get("organization")
    return account if isinstance(account, str) and isinstance(own, str) and account != own else None


#: What callers call the routes to OpenAI's models; of any other word nothing is known.
_ROUTES: Final[Mapping[str, str]] = {
    "openai": "openai",
    "azure": "azure",
    "azure-openai": "azure",
    "azure_openai": "azure",
}


RULE: Final = Rule(
    code="IL048",
    name="foreign-encrypted-content",
    policies={"drop": "lossy", "keep": "lossless"},
    find=find,
    page=__doc__,
    applies=lambda profile: profile.items,
)
