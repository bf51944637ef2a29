"""Blocks of the Converse API: one member each, bytes inside, the service's own tools."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.history.engine import heal
from interlock.history.turns import Call, Media, Opaque, Reasoning, Result, Text
from interlock.history.wires.bedrock_converse import BedrockConverse

WIRE = BedrockConverse()
USER = {"role": "user", "content": [{"text": "q"}]}
CALL = {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t1", "name": "f", "input": {}}}]}


def answer(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": [{"toolResult": {"toolUseId": "t1", "content": content, **more}}]}


@pytest.mark.parametrize(
    ("native", "kind"),
    [
        ({"text": "a"}, Text),
        ({"toolUse": {"toolUseId": "t", "name": "f", "input": {}}}, Call),
        ({"toolResult": {"toolUseId": "t", "content": []}}, Result),
        ({"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}}, Reasoning),
        ({"reasoningContent": {"redactedContent": b"\x00\x01"}}, Reasoning),
        ({"image": {"format": "png", "source": {"bytes": b"\x89PNG"}}}, Media),
        ({"document": {"name": "d", "source": {"text": "a"}}}, Media),
        ({"cachePoint": {"type": "default"}}, Opaque),
        ({"toolUse": "t"}, Opaque),
        ({"type": "text", "text": "a"}, Opaque),
        ({}, Opaque),
        (5, Opaque),
    ],
)
def test_each_block_reads_as_its_member(native: Any, kind: type) -> None:
    message = {"role": "assistant", "content": [native]}
    (part,) = WIRE.read_message(message, 0).parts
    assert type(part) is kind
    assert WIRE.assemble(WIRE.read_message(message, 0)) == message


def test_redacted_bytes_count_as_a_signature() -> None:
    block = {"reasoningContent": {"redactedContent": b"\x00\x01"}}
    (part,) = WIRE.read_message({"role": "assistant", "content": [block]}, 0).parts
    assert isinstance(part, Reasoning) and part.redacted and part.signature == "AAE="


def test_what_the_service_ran_itself_needs_no_answer_of_the_client() -> None:
    use = {"toolUse": {"toolUseId": "s1", "name": "nova_grounding", "input": {}, "type": "server_tool_use"}}
    got = {"toolResult": {"toolUseId": "s1", "content": [], "type": "nova_grounding_result", "status": "success"}}
    messages = [USER, {"role": "assistant", "content": [use, got, {"text": "a"}]}, USER]
    assert heal(messages, wire="bedrock_converse").messages is messages


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("words", [{"text": "words"}]),
        ([{"json": [1]}], [{"json": {"value": [1]}}]),
        ([{"json": "a"}, {"text": "b"}], [{"json": {"value": "a"}}, {"text": "b"}]),
        ({"a": 1}, [{"json": {"a": 1}}]),
        (5, [{"json": {"value": 5}}]),
        ([{"type": "text", "text": "a"}, "b"], [{"text": "a"}, {"text": "b"}]),
    ],
)
def test_a_result_becomes_a_list_of_blocks_with_objects(given: Any, sent: Any) -> None:
    """As the API says: "The format of the value at ...content.0.json is invalid. Provide a json object"."""
    assert heal([USER, CALL, answer(given)], wire="bedrock_converse").messages == [USER, CALL, answer(sent)]


def test_a_plain_string_and_another_apis_text_become_text_blocks() -> None:
    said = {"role": "assistant", "content": [{"type": "text", "text": "a"}]}
    messages = [{"role": "user", "content": "q"}, said, USER]
    healed = heal(messages, wire="bedrock_converse").messages
    assert healed == [USER, {"role": "assistant", "content": [{"text": "a"}]}, USER]


def test_status_is_the_error_flag() -> None:
    (part,) = WIRE.read_message(answer([], status="error"), 0).parts
    assert isinstance(part, Result) and part.is_error is True
    changed = WIRE.with_result(part, is_error=False, content="fine", name="ignored")
    assert changed.native == answer([{"text": "fine"}], status="success")["content"][0]
    assert (changed.name, changed.content) == (None, [{"text": "fine"}])


def test_media_in_a_result_are_found() -> None:
    image = {"image": {"format": "png", "source": {"bytes": b"x"}}}
    (part,) = WIRE.read_message(answer([{"text": "a"}, image]), 0).parts
    assert isinstance(part, Result)
    assert WIRE.media_in(part) == [("image", image)]
    assert WIRE.result_text(part) == "a\n"


def test_bytes_pass_through_a_repair() -> None:
    image = {"image": {"format": "png", "source": {"bytes": b"\x89PNG"}}}
    messages = [{"role": "user", "content": [{"text": " "}, {"text": "look"}, image]}]
    assert heal(messages, wire="bedrock_converse").messages == [{"role": "user", "content": [{"text": "look"}, image]}]


@pytest.mark.parametrize(("kind", "most"), [("image", 3_932_160), ("document", 4_718_592)])
@pytest.mark.parametrize("as_text", [False, True])
def test_media_above_the_limit_is_reported(kind: str, most: int, as_text: bool) -> None:
    for size, found in ((most, []), (most + 3, ["media-limit"])):
        data = "A" * (size * 4 // 3) if as_text else b"\0" * size
        block = {kind: {"format": "png", "name": "a", "source": {"bytes": data}}}
        result = heal([{"role": "user", "content": [{"text": "q"}, block]}], "bedrock_converse")
        assert [one.rule for one in result.remaining] == found
        assert not result.changed
