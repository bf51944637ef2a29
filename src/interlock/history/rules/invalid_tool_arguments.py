"""IL017 invalid-tool-arguments: the arguments of a call are not of the type that the format demands.

What it finds:
    An `input` that is not an object (text, null, a list), or, on formats that carry JSON text,
    arguments that are not the text of a JSON object.
Why it matters:
    A call that was cut in the middle, or stored as text, bricks the conversation:
    "messages.3.content.1.tool_use.input: Input should be a valid dictionary";
    "The "function.arguments" parameter of the code model must be in JSON format."
    Source: anthropics/anthropic-sdk-typescript#648, HKUDS/nanobot#2469, aliasrobotics/cai#76.

Example:
    before: call write_file  '{"path":"a","content":"hel'
    after:  call write_file  {"raw": <that text>}
Fix:
    coerce-object (default)  text that is a JSON object becomes that object (or the other way
                             round); where the format keeps a call more than once, another copy's
                             object is taken; null and empty text become {}; anything else is shown
                             as it is under the key "raw": no value is closed up or completed
    empty-object             everything becomes {}, unless it is a JSON object in the other form
    keep                     left alone, not reported
Loss:
    coerce-object  lossless: every character is still there, but for text that another copy's
                   object, or another copy, takes the place of: its record says lossy
    empty-object   lossy: the broken text
Known limits:
    Text with a repeated key or with NaN is not JSON that two readers agree on; it is shown as raw.
    Chat templates want objects, and the servers in front of them (vLLM, llama.cpp) take text and decode
    it: it stays text. Who renders a template without a server decodes it first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from interlock.history.arguments import is_object_text, object_in
from interlock.history.dumping import as_json
from interlock.history.edits import ReplacePart
from interlock.history.rules.base import Context, Finding, Rule
from interlock.history.turns import Call, Message

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each call whose arguments have the wrong type."""
    form = context.wire.arguments
    for message in context.doubted(messages):
        for part in message.parts:
            if type(part) is not Call or part.malformed or (part.server and form != "object"):
                continue
            value = part.arguments
            if isinstance(value, dict):
                if form != "text":
                    continue
                yield _finding(message, part, as_json(value), "an object, not JSON text", context)
                continue
            if form != "object" and isinstance(value, str) and is_object_text(value):
                continue
            held = object_in(value) if isinstance(value, str) else None
            copies = [one for one in context.wire.copied_arguments(part) if not _is_void(one) and one != value]
            if held is None:
                held = next((one for one in copies if isinstance(one, dict)), None)
            given = [one for one in (value, *copies) if not _is_void(one)]
            if held is None and given:
                held = {} if context.policy[RULE.name] == "empty-object" else {"raw": given[0]}
            held = held or {}
            new: Any = as_json(held) if form == "text" else held
            kept = [held, held.get("raw")]
            lost = [one for one in given if one not in kept and not (isinstance(one, str) and object_in(one) == held)]
            whole = any(one is not value for one in lost)  # only the message shows all copies
            yield _finding(message, part, new, _says(value, form), context, lossy=bool(lost), whole=whole)


def _finding(
    message: Message, part: Call, new: Any, found: str, context: Context, *, lossy: bool = False, whole: bool = False
) -> Finding:
    return Finding(
        message=message,
        part=None if whole else part,
        call_id=part.call_id,
        action="coerced-input",
        lossy=lossy,
        edits=(ReplacePart(message=message, part=part, new=context.wire.with_call(part, arguments=new)),),
        reason=f"the arguments of {repr(part.name) if part.name else 'a call without a name'} are {found}",
    )


def _is_void(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _says(value: Any, form: str) -> str:
    if value is None:
        return "missing or null"
    if isinstance(value, str):
        return "text, not an object" if form == "object" else "not the text of a JSON object"
    return f"{type(value).__name__}, not an object"


RULE: Final = Rule(
    code="IL017",
    name="invalid-tool-arguments",
    policies={"coerce-object": "lossless", "empty-object": "lossy", "keep": "lossless"},
    find=find,
    page=__doc__,
)
