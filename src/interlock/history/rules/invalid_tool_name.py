"""IL016 invalid-tool-name: a tool name that the provider does not take.

What it finds:
    A call, or a result that repeats the name, whose name is missing, empty, too long or
    has characters outside the provider's pattern (`[a-zA-Z0-9_-]{1,64}` for most). A tool of such a
    name that an item of the history declares. A result that names another tool than its call, on
    formats where the two must agree.
Why it matters:
    Models make up names (`functions.calc v2`). The request with such a name in its history
    is refused each time: "Invalid 'messages[9].tool_calls[0].function.name': string does not
    match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
    Source: mcp-use/mcp-use#90, continuedev/continue#11645, openclaw/openclaw#12892.

Example:
    before: assistant call_1 "multi_tool.run" / tool call_1
    after:  assistant call_1 "multi_tool_run" / tool call_1
Fix:
    rename (default)  characters outside the pattern become `_`; call, result, declared tool
                      and tool choice get the same new name
    drop-pair         the call and its result go
    keep              left alone, not reported
Loss:
    rename     lossless: the renaming is injective and `result.names` leads back
    drop-pair  lossy: the call and its result
Known limits:
    A name that was valid but was taken by an earlier renaming is renamed too: two tools are
    never made one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from interlock.history.edits import DropPart, Edit, ReplacePart
from interlock.history.naming import NameMap
from interlock.history.requests import renamed_tools, tool_names
from interlock.history.rules.base import Context, Finding, Rule, drop_part_action
from interlock.history.turns import Call, Message, Part, Result, Text

__all__ = ["RULE"]


def find(messages: Sequence[Message], context: Context) -> Iterator[Finding]:
    """Yield one finding for each name that has to change, in order of appearance."""
    if _all_fit(messages, context):
        return
    policy = context.policy[RULE.name]
    names = NameMap(context.profile.name_pattern, context.tools or ())
    answers: dict[int, Call] = {}
    dropped: set[int] = set()
    new_names: dict[int, str] = {}
    for call in context.pairing(messages).calls():
        for bound in call.answers:
            answers[id(bound.result)] = call.call
    for message in messages:
        for part in message.parts:
            if policy == "rename" and _declares(part.native):
                renamed = _renamed(part, names, context)
                if renamed is not None:
                    yield Finding(
                        message=message,
                        part=part,
                        action="renamed",
                        edits=(ReplacePart(message=message, part=part, new=renamed),),
                        reason="a tool that the history declares has a new name",
                    )
                continue
            if type(part) is Call and not part.server:
                new = names.new_name(part.name)
                new_names[id(part)] = new
                if new == part.name:
                    continue
                if policy == "drop-pair":
                    dropped.add(id(part))
                    edits: tuple[Edit, ...] = (DropPart(message=message, part=part),)
                    action = drop_part_action(message)
                else:
                    context.names[new] = part.name or ""
                    again = context.wire.with_call(part, name=new)
                    edits = (ReplacePart(message=message, part=part, new=again, sound=True),)
                    action = "renamed"
                yield Finding(
                    message=message,
                    part=part,
                    call_id=part.call_id,
                    action=action,
                    edits=edits,
                    reason="a call names no tool"
                    if part.name is None
                    else f"the tool name {part.name!r} does not match {context.profile.name_pattern}",
                )
            elif type(part) is Result and not part.server:
                asked = answers.get(id(part))
                if asked is not None and id(asked) in dropped:
                    yield Finding(
                        message=message,
                        part=part,
                        call_id=part.call_id,
                        action=drop_part_action(message),
                        edits=(DropPart(message=message, part=part),),
                        reason=f"it answers the dropped call of {asked.name!r}",
                    )
                    continue
                if part.name is None and not context.wire.results_named:
                    continue
                want = names.new_name(part.name) if asked is None else new_names.get(id(asked), asked.name or "")
                agrees = context.wire.results_named or context.wire.names_agree
                if asked is not None and part.name != asked.name and not agrees:
                    want = names.new_name(part.name)
                if want != part.name:
                    context.given.add(want)
                    answer = context.wire.with_result(part, name=want)
                    named = "no tool" if part.name is None else f"the tool {part.name!r}"
                    yield Finding(
                        message=message,
                        part=part,
                        call_id=part.call_id,
                        action="renamed",
                        edits=(ReplacePart(message=message, part=part, new=answer, sound=True),),
                        reason=f"the result names {named} instead of {want!r}",
                    )


def _all_fit(messages: Sequence[Message], context: Context) -> bool:
    """Say quickly that no name has to change: where results need not name their call's tool, each by itself."""
    wire = context.wire
    if wire.results_named or wire.names_agree:
        return False
    names = NameMap(context.profile.name_pattern, context.tools or ())
    known: set[str] = set()
    for message in messages:
        for part in message.parts:
            if type(part) is Text:
                continue
            if type(part) is not Call and (part.slot == "self" or type(part) is not Result) and _declares(part.native):
                return False
            if (type(part) is Call or type(part) is Result) and not part.server:
                name = part.name
                if name in known or (name is None and type(part) is Result):
                    continue
                if name is None or names.new_name(name) != name:
                    return False
                known.add(name)
    return True


def _declares(native: Any) -> bool:
    """Say whether an item declares tools in the middle of the history, as Responses items may."""
    declares = isinstance(native, dict) and native.get("type") in ("additional_tools", "tool_search_output")
    return declares and isinstance(native.get("tools"), list)


def _renamed(part: Part, names: NameMap, context: Context) -> Part | None:
    """Return the item with its tools under their new names; `None` when none has one."""
    held = part.native["tools"]
    new_names = {name: names.new_name(name) for name in tool_names(held) or ()}
    new_names = {old: new for old, new in new_names.items() if old != new}
    if not new_names:
        return None
    tools = renamed_tools({"tools": held}, new_names).get("tools")
    if tools is None:
        return None
    context.names.update((new, old) for old, new in new_names.items())
    native = {**part.native, "tools": tools}
    return replace(part, native=native, content=tools) if type(part) is Result else replace(part, native=native)


RULE: Final = Rule(
    code="IL016",
    name="invalid-tool-name",
    policies={"rename": "lossless", "drop-pair": "lossy", "keep": "lossless"},
    find=find,
    page=__doc__,
)
