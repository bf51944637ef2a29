"""`diagnose`: from a provider's own words to the rule that was broken, the place, and the repair.

The table lists what providers say, loosened: spelling, quotes and positions differ
between servers that mean the same. The first line that fits decides, so narrower
sentences stand first. What no line fits is said to be unknown, not guessed.

Source: public issue reports and recorded refusals, read 2026-11; the rules' pages name them.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from interlock.errors import WireError
from interlock.history.engine import check
from interlock.history.records import Repair
from interlock.history.rules import BY_NAME

__all__ = ["Diagnosis", "diagnose"]

#: A role, as providers name it: another service's roles are not meant.
_ROLE: Final = r"['\"`]?(?:assistant|developer|function|model|system|tool|user|human|ai|bot|data)\b['\"`]?"
#: A field of the history, not of the request.
_FIELD: Final = r"\b(?:messages|contents|input)\.?\[?\d+[\w.\[\]`-]*"
# Rule -> what providers say when it is broken. Any one fits; the first rule that fits decides.
_TABLE: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (
        "reasoning-without-following-item",
        (r"of type '[\w.]+' was provided without its required following item",),
    ),
    (
        "item-without-reasoning",
        (r"was provided without its required '?reasoning'? item",),
    ),
    (
        "item-not-persisted",
        (
            r"items are not persisted when `?store`? is set to false",
            r"item with id '\w+' not found",
        ),
    ),
    (
        "duplicate-item",
        (r"duplicate item found with id",),
    ),
    (
        "invalid-item-id",
        (r"expected an id that (?:begins|contains)",),
    ),
    (
        "foreign-encrypted-content",
        (
            r"encrypted content .{0,120}could not be (?:verified|decrypted)",
            r"invalid_encrypted_content",
        ),
    ),
    (
        "reasoning-content-not-empty",
        (r"\.content'?: array too long\. expected an array with maximum length 0",),
    ),
    (
        "foreign-thinking",
        (r"block is bound to a different conversation",),
    ),
    (
        "unsigned-thinking",
        (
            r"thinking\.signature: field required",
            r"invalid `?signature`? in `?thinking`? block",  # also said of another's: the history tells
        ),
    ),
    (
        "thinking-modified",
        (r"blocks in the latest assistant message cannot be modified",),
    ),
    (
        "thinking-order",
        (
            r"first block must be `?thinking`? or",
            r"if an assistant message contains any thinking blocks",
        ),
    ),
    (
        "thinking-missing",
        (
            r"expected `?thinking`? or `?redacted_thinking`?, but found",
            r"must start with a thinking block",
            r"content\[\]\.thinking`? in the thinking mode must be passed back",
        ),
    ),
    (
        "thinking-not-enabled",
        (r"when thinking is disabled, an `?assistant`? message",),
    ),
    (
        "thinking-last",
        (r"final block in an assistant message cannot be `?thinking",),
    ),
    (
        "missing-thought-signature",
        (r"missing a `?thought_signature",),
    ),
    (
        "foreign-thought-signature",
        (
            r"thought.?signature.{0,40}(?:not valid|base64)",
            r"(?:corrupted|invalid) thought.?signature",
        ),
    ),
    (
        "missing-reasoning-content",
        (r"reasoning_content`? (?:in the thinking mode must be passed back|is missing)",),
    ),
    (
        "unsupported-reasoning-field",
        (
            r"reasoning(?:_content|_details)?'? (?:is unsupported|is not supported with this model)",
            r"reasoning_content'?\)? is unsupported",
            r"reasoning_content' is unsupported",
        ),
    ),
    (
        "cache-control-limit",
        (r"maximum of \d+ blocks with cache_control",),
    ),
    (
        "cache-control-target",
        (
            r"cache_control cannot be set for empty text",
            r"thinking\.cache_control",
        ),
    ),
    (
        "media-limit",
        (
            r"image dimensions exceed max",
            r"image exceeds .{0,20}maximum",
            r"max allowed size for many-image",
        ),
    ),
    (
        "document-needs-text",
        (r"text block must be included when using documents",),
    ),
    (
        "media-needs-text",
        (r"must have a text parameter\. add a text parameter",),
    ),
    (
        "content-part-type",
        (
            r"content blocks are expected to be either text or image_url",
            r"doesn'?t support the \w+ content block",
            r"doesn'?t support the s3uri field",
            r"file type you uploaded is not supported",
            r"contains an invalid part type",
            r"unexpected content chunk types",
            r"document\.source\.type: field required",
            r"extraneous key \[toolresult\]",
            r"cannot unmarshal array into go struct field .*messages",
            r"supported values are: '(?:output|input)_text'",
        ),
    ),
    (
        "server-tool-pairing",
        (
            r"tool use with id `?'?srvtoolu_",
            r"`?server_tool_use`? block before it",
            r"corresponding `\w+_tool_result` block",
            r"corresponding '\w+_tool_result' block",
        ),
    ),
    (
        "duplicate-tool-call-id",
        (
            r"tool_?use`? ids must be unique",
            r"contain duplicate ids",
            r"duplicate tool call id .* in assistant message",
        ),
    ),
    (
        "duplicate-tool-result",
        (
            r"must have a single result",
            r"duplicate tool call id .* in tool results",
        ),
    ),
    (
        "tool-call-id-too-long",
        (r"(?:call_id|tool_calls\[\d+\]\.id|tool_call_id)'?: string too long",),
    ),
    (
        "missing-tool-call-id",
        (
            r"tool call id has to be defined",
            r"missing required parameter: '?(?:messages|input)\b[^\s]*(?:call_id|tool_calls\[\d+\]\.id)",
        ),
    ),
    (
        "invalid-tool-call-id",
        (
            r"tool_use(?:_id|\.id): string should match pattern",
            r"tool call id was .* but must be",
            r"tool call ids should be alphanumeric",
            r"tool call id must be a non-empty string",
            r"tooluse(?:\.toolUse)?id'? failed",
        ),
    ),
    (
        "invalid-tool-name",
        (
            r"(?:function|tooluse|tool_use)\.name'?:? (?:string does not|failed to satisfy|string should|empty string)",
            r"function\.name': empty string",
            r"invalid function name",
            r"function name was .* but must be",
        ),
    ),
    (
        "invalid-tool-arguments",
        (
            r"tool_use\.input: input should be (?:a valid dictionary|an object)",
            r"arguments.{0,40}must be in json format",
            r"invalid function arguments json string",
            r"cannot unmarshal string into go struct field .*arguments",
            r"arguments must be a json object",
            r"\.arguments'?: expected an? \w+, but got",
            r"\bargs\b.{0,80}input should be a valid dictionary",
        ),
    ),
    (
        "invalid-tool-result-shape",
        (
            r"toolresult\.content\.\d+\.json is invalid",
            r"parameter tool_results\.outputs is of type",
            r"\bresponse\b.{0,80}input should be a valid dictionary",
        ),
    ),
    (
        "empty-tool-result",
        (r"toolresult cannot be empty when status",),
    ),
    (
        "tools-not-declared",
        (r"toolconfig field must be defined when using",),
    ),
    (
        "content-part-type",
        (r"blocks? can only be in `?(?:assistant|user)`? messages",),
    ),
    (
        "split-tool-results",
        (
            r"did not find \d+ tool_result block",
            r"begin with a matching number of tool_result blocks",
        ),
    ),
    (
        "pending-approval",
        (
            r"history contains unprocessed tool calls",
            r"no tool invocation found for tool call",
        ),
    ),
    (
        "orphan-tool-call",
        (
            r"ids were found without `?tool_result`? blocks",
            r"expected toolresult blocks at",
            r"no tool output found for",
            r"must be followed by tool messages",
            r"not the same number of function calls",
            r"number of function response parts is equal",
            r"tool results? (?:is|are) missing for tool calls?",
            r"do not have a corresponding toolmessage",
            r"ai_missingtoolresultserror",
        ),
    ),
    (
        "orphan-tool-result",
        (
            r"unexpected `?tool_use_id`? found",
            r"number of toolresult blocks .* exceeds",
            r"no tool call found for",
            r"must be a response to a prece+ding message",
            r"tool result'?s tool id.* not found",
            r"unexpected role 'tool' after role",
            r"unexpected tool call id",
            r"unexpected role roleenum\.tool",
            r"no previous assistant message with a tool call",
            r"cannot specify both message and tool_results",
            r"does not contain any unprocessed tool calls",
        ),
    ),
    (
        "misplaced-tool-result",
        (
            r"function response turn comes immediately after",
            r"tool call result does not follow tool call",
            r"tool call and result not match",
        ),
    ),
    (
        "tool-call-position",
        (r"function call turn comes immediately after",),
    ),
    (
        "tool-result-mixed-content",
        (r"conversation blocks and tool result blocks cannot be provided in the same turn",),
    ),
    (
        "trailing-whitespace",
        (r"cannot end with trailing whitespace",),
    ),
    (
        "empty-history",
        (
            r"'messages': empty array",
            r"at least one (?:message|contents field)",
            r"no messages provided",
            r"history cannot be empty",
        ),
    ),
    (
        "empty-tool-calls-array",
        (
            r"tool_calls'?: empty array",
            r"empty tool_calls is not supported",
        ),
    ),
    (
        "empty-message",
        (
            r"all messages must have non-empty content",
            r"message at position .{0,40}must not be empty",
            r"parts must not be empty",
            r"content field in the message object .* is empty",
            r"must include at least one parts field",
            r"must have either content or tool_calls",
            r"must have at least one content element",
            r"an empty message was provided",
            r"at least 1 token long",
        ),
    ),
    (
        "empty-text",
        (
            r"text content blocks must",
            r"text field in the contentblock .* is blank",
            r"empty text parameter",
            r"required oneof field 'data' must have one initialized field",
        ),
    ),
    (
        "null-content",
        (
            r"expected a string, got null",
            r"\.content'?: expected [^.]{0,80}but got null",
            r"content field is a required field",
            r"'content' field must be a string",
            r"prompt must have content",
        ),
    ),
    (
        "last-role",
        (
            r"does not support assistant message prefill",
            r"must end with a user message",
            r"expected last role user",
            r"ends with a user role",
            r"end with a user role",
            r"last message of [\w-]+ must be a user",
            r"must end with a `?modelrequest",
            r"no user query found in messages",
        ),
    ),
    (
        "first-role",
        (
            r"must start with (?:a user|a user message)",
            r"""first message must use the \"?user""",
            r"conversation must start with",
        ),
    ),
    (
        "tool-then-user",
        (
            r"unexpected role 'user' after role 'tool'",
            r"except for tool calls and results",
        ),
    ),
    (
        "system-position",
        (
            r"unexpected role 'system' after",
            r"system message(?:s are only| must be)",
            r"role 'system' is not supported on this",
            r"system role not supported",
            r"invalid message role: system",
        ),
    ),
    (
        "prefix-position",
        (r"prefix true must be last",),
    ),
    (
        "role-alternation",
        (
            r"roles must alternate",
            r"should be alternating",
            r"successive user or assistant messages",
        ),
    ),
    (
        "unknown-role",
        (
            r"valid role: user, model",
            rf"role {_ROLE} is not supported",
            r"does not support '\w+' with this model",
            r"invalid value: 'tool'",
            r"unexpected message role",
            rf"(?:unknown|unsupported) role:? {_ROLE}",
            r"unhandled item type or structure",
        ),
    ),
    (
        "unknown-field",
        (
            rf"{_FIELD}:\s*extra inputs are not permitted",
            r"(?<![\w'`\]]: )extra inputs are not permitted",  # without a word on the field
            rf"unknown parameter: '{_FIELD}",
            r"must be a modelmessage\[\]",
        ),
    ),
)


def _any_quote(pattern: str) -> str:
    """Return the pattern with each quote in it, outside sets, taking any: servers and chats set them as they like."""
    return re.sub(
        r"""\[(?:\\.|[^\]])*\]|\\?['"`]""", lambda found: found[0] if found[0][0] == "[" else "['\"`]", pattern
    )


_COMPILED: Final = tuple(
    (re.compile("|".join(map(_any_quote, patterns)), re.IGNORECASE | re.DOTALL), rule) for rule, patterns in _TABLE
)
_PLACE: Final = re.compile(
    r"(?:messages|contents|input)(?:\.member)?(?:\.\[|[.\[])(\d+)|(?:position|index|message\[)\s*(\d+)", re.IGNORECASE
)
_PART: Final = re.compile(r"(?:content|parts|tool_calls)(?:\.\[|[.\[])(\d+)", re.IGNORECASE)
_IDS: Final = re.compile(r"\b(?!call_ids?\b)((?:toolu|srvtoolu|tooluse|call|chatcmpl-tool|rs|fc|msg)_[\w-]+)")


# One sentence of a provider can have several causes in the data: "no result behind the call" is
# said of a missing result, of one that is late, and of one behind other content. Rules whose
# faults bring the same sentences; a rule's own family, then what only its sentences share.
_PAIRING: Final = (
    "orphan-tool-call",
    "orphan-tool-result",
    "misplaced-tool-result",
    "split-tool-results",
    "tool-results-not-first",
    "tool-result-mixed-content",
    "duplicate-tool-result",
    "missing-tool-call-id",
    "tool-call-position",
    "pending-approval",
)
_EMPTY: Final = ("empty-text", "empty-message", "empty-tool-result", "null-content")
_ROLES: Final = ("role-alternation", "system-position", "first-role", "last-role", "tool-then-user", "unknown-role")
_SIGNATURES: Final = ("unsigned-thinking", "foreign-thinking")
_ENDS: Final = ("thinking-last", "thinking-only-message")
_ITEMS: Final = ("item-not-persisted", "item-without-reasoning", "reasoning-without-following-item")
_SHAPES: Final = ("invalid-tool-arguments", "invalid-tool-result-shape")
_FAMILIES: Final = (_PAIRING, _EMPTY, _ROLES, _SIGNATURES, _ENDS, _ITEMS, _SHAPES)
_ALSO: Final[Mapping[str, tuple[str, ...]]] = {
    "duplicate-tool-call-id": ("content-part-type",),
    "orphan-tool-call": ("duplicate-tool-call-id", "content-part-type", "invalid-tool-call-id"),
    "orphan-tool-result": ("duplicate-tool-call-id", "content-part-type", "tool-then-user", "unknown-role"),
    "tool-then-user": ("orphan-tool-result",),
    "empty-history": ("empty-message",),
    "foreign-encrypted-content": ("foreign-thinking",),
    "unknown-field": ("invalid-tool-name", *_SHAPES, "null-content", "content-part-type", "unknown-role"),
}


def _kin(rule: str) -> tuple[str, ...]:
    """Return the rules whose faults a provider may say this rule's sentence of, likeliest first."""
    family = next((family for family in _FAMILIES if rule in family), ())
    return tuple(dict.fromkeys((rule, *family, *_ALSO.get(rule, ()))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What a provider's error amounts to.

    Attributes:
        rule: The rule that was broken: what `check` finds in the history, where one was given and
            shows a fault that has these words; else what the words alone say. `None` when the words
            are not known.
        named: The rule that the words alone say.
        code: The rule's code; `None` when it has none, as only the provider can see what it is about.
        message_index: The message that the error points at, as the error counts.
        part_index: The part in it.
        ids: Calls or items that the error names.
        healable: `heal` can put it right; `None` when no history was given to tell.
        fix: What is done about it: the rule's page, "Fix".
        says: One sentence for a reader.
        findings: What `check` found in the history that a provider says these words of.
    """

    rule: str | None
    named: str | None = None
    code: str | None = None
    message_index: int | None = None
    part_index: int | None = None
    ids: tuple[str, ...] = ()
    healable: bool | None = None
    fix: str = ""
    says: str = ""
    findings: tuple[Repair, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the diagnosis as a JSON object."""
        return {
            "rule": self.rule,
            "named": self.named,
            "code": self.code,
            "message_index": self.message_index,
            "part_index": self.part_index,
            "ids": list(self.ids),
            "healable": self.healable,
            "fix": self.fix,
            "says": self.says,
            "findings": [finding.to_json() for finding in self.findings],
        }


_OPTIONS: Final = inspect.signature(check).parameters.keys() - {"messages", "strict", "on_repair"}


def diagnose(error: Any, messages: Any = None, **options: Any) -> Diagnosis:
    """Tell which rule a provider's error is about, where, and what can be done.

    Args:
        error: The error's text (or bytes), the decoded JSON body, or the SDK's exception. Errors inside
            errors (OpenRouter's `metadata.raw`, a body's text, a response that has been read, a
            group) are looked into, and what an exception was raised from, if it says nothing itself.
        messages: The history or request body that was refused; then the fault is looked for in it.
        **options: As for `heal`: `wire`, `provider`, `model`, `tools`, `options`, ...

    Returns:
        A `Diagnosis`; `.rule` is `None` when the words are not known.
    """
    unknown = sorted(options.keys() - _OPTIONS)
    if unknown:
        raise TypeError(f"diagnose() takes no {unknown[0]!r}; expected messages, and {', '.join(sorted(_OPTIONS))}")
    named, whole = None, ""
    for one in _chain(error):
        whole = "\n".join(dict.fromkeys(_texts(one)))
        named = next((rule for pattern, rule in _COMPILED if pattern.search(whole)), None)
        if named is not None:
            break
    if named is None:
        return Diagnosis(rule=None, says="These words are not in the table; nothing is guessed.")
    cause = named
    findings: tuple[Repair, ...] = ()
    if messages is not None:
        cause, findings = _cause(named, whole, _found(named, messages, options))
    rule = BY_NAME.get(cause)
    healable: bool | None = None if rule is not None else False
    if rule is not None and messages is not None:
        healable = bool(findings) and all(one.healed for one in findings)
    if rule is None:
        says = f"{cause}: only the provider can see this in a history; {_ADVICE[cause]}."
    elif messages is not None and not findings:
        says = f"{cause}: nothing in this history shows it, so there is nothing that `heal` would change."
    elif healable is False:
        says = f"{cause}: found, and no edit of the history can put it right."
    else:
        says = rule.page.partition("\n")[0]
    place, part = _PLACE.search(whole), _PART.search(whole)
    return Diagnosis(
        rule=cause,
        named=named,
        code=None if rule is None else rule.code,
        message_index=None if place is None else int(place[1] or place[2]),
        part_index=None if part is None else int(part[1]),
        ids=tuple(dict.fromkeys((*_IDS.findall(whole), *_said(whole, findings)))),
        healable=healable,
        fix="" if rule is None else rule.section("Fix"),
        says=says,
        findings=findings,
    )


#: What to do about a fault that no history shows.
_ADVICE: Final[Mapping[str, str]] = {
    "thinking-modified": "send the thinking of the latest assistant turn as it was received, or take all of it out "
    "of that turn and turn thinking off for this request",
}


def _found(named: str, messages: Any, options: Mapping[str, Any]) -> tuple[Repair, ...]:
    if named == "media-needs-text":  # the provider has just said that it is so
        options = {**options, "options": {**(options.get("options") or {}), "media_needs_text": True}}
    try:
        return check(messages, **options).findings
    except WireError:
        return ()


def _cause(named: str, words: str, found: Sequence[Repair]) -> tuple[str, tuple[Repair, ...]]:
    """Return the rule that is broken, and what was found that a provider says these words of."""
    kin = _kin(named)
    fitting = tuple(one for one in found if one.rule in kin)
    said = _said(words, fitting)
    rules = {one.rule for one in fitting if one.call_id in said} or {one.rule for one in fitting}
    return next((rule for rule in kin if rule in rules), named), fitting


def _said(words: str, findings: Sequence[Repair]) -> tuple[str, ...]:
    """Return the ids of calls in findings that stand in the words."""
    ids = dict.fromkeys(one.call_id for one in findings if one.call_id)
    return tuple(one for one in ids if re.search(rf"(?<![\w-]){re.escape(one)}(?![\w-])", words))


def _chain(error: Any) -> Iterator[Any]:
    """Yield an error, and then those that it, or the errors of a group, were raised from; each once."""
    waiting, seen = [error], set[int]()
    for one in waiting:
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        if isinstance(one, BaseExceptionGroup):
            waiting += one.exceptions
        if isinstance(one, BaseException):
            waiting += [one.__cause__, one.__context__]


#: Where exceptions and responses keep what a provider said, where it has been read already.
_HELD: Final = ("body", "details", "text", "content", "_content", "_body", "data")


def _texts(error: Any, depth: int = 8, seen: frozenset[int] = frozenset()) -> Iterator[str]:
    """Yield all texts in an error, outermost first; JSON inside a text is opened, and escapes are undone."""
    if depth < 0 or error is None or id(error) in seen:
        return
    if isinstance(error, (bytes, bytearray, memoryview)):
        error = bytes(error).decode("utf-8", "replace")
    if isinstance(error, str):
        yield error
        bare = _ESCAPED.sub(r"\1", error)
        if bare != error:
            yield from _texts(bare, depth - 1)
        flat = " ".join(error.translate(_TYPESET).split())
        if flat != error and len(flat) <= _PASTED:
            yield flat
        start = _OPENING.search(error)
        if start is not None:
            try:
                inner, _ = json.JSONDecoder().raw_decode(error, start.start())
            except (ValueError, RecursionError):
                return
            yield from _texts(inner, depth - 1)
        return
    seen |= {id(error)}
    if isinstance(error, Mapping):
        for value in error.values():
            yield from _texts(value, depth - 1, seen)
    elif isinstance(error, (list, tuple)):
        for value in error:
            yield from _texts(value, depth - 1, seen)
    elif isinstance(error, BaseException):
        yield from _texts(_in_words(error), depth - 1)
        yield from _texts_held(error, depth - 1, seen)
        response = _read(error, "response")
        yield from _texts(response, depth - 1, seen)
        yield from _texts_held(response, depth - 1, seen)
        if isinstance(error, BaseExceptionGroup):
            yield from _texts(error.exceptions, depth - 1, seen)


def _texts_held(holder: Any, depth: int, seen: frozenset[int]) -> Iterator[str]:
    """Yield the texts in the fields of an exception or a response."""
    for field in _HELD if holder is not None and not isinstance(holder, (str, Mapping)) else ():
        held = _read(holder, field)
        if isinstance(held, (str, bytes, bytearray, Mapping, list, tuple)):
            yield from _texts(held, depth, seen)


def _read(holder: Any, field: str) -> Any:
    """Return what a field holds; a property is not asked, as it may go and fetch."""
    try:
        held = inspect.getattr_static(holder, field, None)
        return getattr(holder, field) if inspect.ismemberdescriptor(held) else held
    except Exception:  # a foreign object may do anything
        return None


def _in_words(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # as above
        return type(error).__name__


#: Quotes as a chat or a text processor sets them.
_TYPESET: Final = str.maketrans("\u2018\u2019\u201c\u201d\u00b4", "''\"\"'")
#: Up to how many characters lines are joined, which a terminal has cut: longer texts are logs of several things.
_PASTED: Final = 2_000
_ESCAPED: Final = re.compile(r"""\\+(["'])""")
_OPENING: Final = re.compile(r"[{\[](?=\s*[\"{\[])")
