"""Contents of the Gemini API: both spellings, calls with and without ids, signatures."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.history.engine import heal
from interlock.history.stubs import NO_RESULT
from interlock.history.turns import Call, Media, Opaque, Reasoning, Result, Text
from interlock.history.wires.gemini import Gemini

WIRE = Gemini()
USER = {"role": "user", "parts": [{"text": "q"}]}


def model(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


def user(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}


def test_both_spellings_read_alike_and_stay_what_they_are() -> None:
    camel = {"functionCall": {"name": "f", "args": {"a": 1}, "id": "1"}, "thoughtSignature": "c2ln"}
    snake = {"function_call": {"name": "f", "args": {"a": 1}, "id": "1"}, "thought_signature": "c2ln"}
    for native, member in ((camel, "functionCall"), (snake, "function_call")):
        (part,) = WIRE.read_message(model(native), 0).parts
        assert isinstance(part, Call) and (part.call_id, part.name, part.arguments) == ("1", "f", {"a": 1})
        renamed = WIRE.with_call(part, name="g").native
        assert renamed == {**native, member: {**native[member], "name": "g"}}
        made = "functionResponse" if native is camel else "function_response"
        assert list(WIRE.new_result(part, "x").native) == [made]


@pytest.mark.parametrize(
    ("native", "kind"),
    [
        ({"text": "a"}, Text),
        ({"text": "", "thoughtSignature": "c2ln"}, Text),
        ({"text": "a", "thought": True}, Reasoning),
        ({"inlineData": {"mimeType": "image/png", "data": "AAAA"}}, Media),
        ({"file_data": {"mime_type": "application/pdf", "file_uri": "gs://a"}}, Media),
        ({"toolCall": {"id": "1", "toolType": "GOOGLE_SEARCH_WEB", "args": {}}}, Call),
        ({"toolResponse": {"id": "1", "toolType": "GOOGLE_SEARCH_WEB", "response": {}}}, Result),
        ({"executableCode": {"code": "1"}}, Opaque),
        ({"functionCall": None}, Opaque),
        ({}, Opaque),
        ("text", Opaque),
    ],
)
def test_each_part_reads_as_what_it_holds(native: Any, kind: type) -> None:
    (part,) = WIRE.read_message({"role": "model", "parts": [native]}, 0).parts
    assert type(part) is kind
    assert part.native is native


@pytest.mark.parametrize(
    ("mime", "media"), [("image/png", "image"), ("text/csv", "document"), ("x/y", "file"), (5, "file")]
)
def test_media_are_told_by_their_type(mime: Any, media: str) -> None:
    (part,) = WIRE.read_message(user({"inlineData": {"mimeType": mime}}), 0).parts
    assert isinstance(part, Media) and part.media == media


def test_a_call_without_parameters_may_leave_its_arguments_out() -> None:
    contents = [USER, model({"functionCall": {"name": "f"}}), user({"functionResponse": {"name": "f", "response": {}}})]
    assert heal(contents, wire="gemini").messages is contents


def test_without_ids_parallel_calls_of_one_name_are_answered_in_order() -> None:
    calls = [{"functionCall": {"name": "f", "args": {"n": n}}} for n in (1, 2)]
    answer = {"functionResponse": {"name": "f", "response": {"output": "one"}}}
    healed = heal([USER, model(*calls), user(answer), user({"text": "next"})], wire="gemini").messages
    stub = {"functionResponse": {"name": "f", "response": {"error": NO_RESULT}}}
    assert healed == [USER, model(*calls), user(answer, stub), user({"text": "next"})]


@pytest.mark.parametrize("body", ["text", 5, ["a"], True])
def test_a_response_that_is_no_object_is_wrapped(body: Any) -> None:
    call = {"functionCall": {"name": "f", "args": {}}}
    contents = [USER, model(call), user({"functionResponse": {"name": "f", "response": body}})]
    wrapped = {"functionResponse": {"name": "f", "response": {"result": body}}}
    assert heal(contents, wire="gemini").messages == [USER, model(call), user(wrapped)]


def test_a_response_names_its_call() -> None:
    """A result under another tool's name is named as its call is: the API pairs by name."""
    call = {"functionCall": {"name": "f", "args": {}, "id": "1"}}
    contents = [USER, model(call), user({"functionResponse": {"name": "g", "response": {}, "id": "1"}})]
    healed = heal(contents, wire="gemini").messages
    assert healed[2] == user({"functionResponse": {"name": "f", "response": {}, "id": "1"}})


def test_a_content_without_a_role_is_the_users() -> None:
    contents = [{"parts": [{"text": "q"}]}]
    assert WIRE.read_message(contents[0], 0).role == "user"
    assert heal(contents, wire="gemini").messages is contents


@pytest.mark.parametrize(
    ("body", "words"),
    [({"output": "a"}, "a"), ({"error": "a"}, "a"), ({"a": 1}, '{"a": 1}'), ({}, ""), (None, ""), ("a", "a")],
)
def test_the_words_of_a_response(body: Any, words: str) -> None:
    result = Result(native={"functionResponse": {"name": "f", "response": body}}, call_id=None, name="f", content=body)
    assert WIRE.result_text(result) == words


def test_joined_responses_keep_both_bodies() -> None:
    one, two, three = (
        Result(native={"functionResponse": {"name": "f", "response": body}}, call_id=None, name="f", content=body)
        for body in ({"a": 1}, {"b": 2}, {"c": 3})
    )
    joined = WIRE.joined_results(WIRE.joined_results(one, two), three)
    assert joined.content == {"results": [{"a": 1}, {"b": 2}, {"c": 3}]}


def test_an_empty_text_with_a_signature_stays_where_empty_texts_go() -> None:
    contents = [USER, model({"text": ""}, {"text": "", "thoughtSignature": "c2ln"}, {"text": "a"}), USER]
    healed = heal(contents, wire="gemini", provider="vertex").messages
    assert healed[1] == model({"text": "", "thoughtSignature": "c2ln"}, {"text": "a"})


@pytest.mark.parametrize("empty", [{}, {"text": None}, {"thoughtSignature": "c2ln"}, {"thought": True}])
def test_a_part_without_data_gets_an_empty_text(empty: dict[str, Any]) -> None:
    """As the API says: "required oneof field 'data' must have one initialized field"."""
    contents = [USER, model(empty, {"text": "a"}), USER]
    healed = heal(contents, wire="gemini").messages
    assert healed == [USER, model({**empty, "text": ""}, {"text": "a"}), USER]
    on_vertex = heal(contents, wire="gemini", provider="vertex").messages
    kept = [{**empty, "text": ""}] if empty.keys() & {"thoughtSignature", "thought"} else []
    assert on_vertex == [USER, model(*kept, {"text": "a"}), USER]
