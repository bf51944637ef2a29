"""Any split of the arguments' text gives the same decisions."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from support.json_documents import broken, texts
from support.judging import judged
from support.soak import examples
from support.wires import anthropic, chat, responses


def with_pieces(wire: str, pieces: list[str]) -> list[Any]:
    """One call whose arguments come in the given pieces."""
    text = "".join(pieces)
    if wire == "openai_chat":
        start, first, _, end = chat("tool_calls")
        chunks = []
        for piece in pieces:
            function = {"arguments": piece}
            choice = {**first["choices"][0], "delta": {"tool_calls": [{"index": 0, "function": function}]}}
            chunks.append({**first, "choices": [choice]})
        return [start, *chunks, end]
    if wire == "anthropic":
        events = anthropic("tool_use")
        at = [index for index, event in enumerate(events) if event["type"] == "content_block_delta"]
        deltas = [{**events[at[0]], "delta": {"type": "input_json_delta", "partial_json": piece}} for piece in pieces]
        return [*events[: at[0]], *deltas, *events[at[-1] + 1 :]]
    if wire == "openai_responses":
        events = []
        for event in responses("completed"):
            if event["type"] == "response.function_call_arguments.delta":
                if not any(one["type"] == event["type"] for one in events):
                    events += [{**event, "delta": piece} for piece in pieces]
                continue
            if event["type"] == "response.function_call_arguments.done":
                event = {**event, "arguments": text}
            elif event["type"] == "response.output_item.done":
                event = {**event, "item": {**event["item"], "arguments": text}}
            elif event["type"] == "response.completed":
                item = {**event["response"]["output"][0], "arguments": text}
                event = {**event, "response": {**event["response"], "output": [item]}}
            events.append(event)
        return [{**event, "sequence_number": number} for number, event in enumerate(events)]
    deltas = [{"type": "arguments_delta", "key": "k", "text": piece} for piece in pieces]
    return [
        {"type": "call_start", "key": "k", "id": "c1", "name": "f"},
        *deltas,
        {"type": "turn_end", "reason": "complete"},
    ]


def split(text: str, cuts: list[int]) -> list[str]:
    """Cut a text at places given in thousandths."""
    at = sorted({cut * len(text) // 1000 for cut in cuts})
    return [text[a:b] for a, b in zip([0, *at], [*at, len(text)], strict=True)]


OBJECTS = texts(st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=5) | st.booleans(), max_size=3))


@settings(max_examples=examples(40), deadline=None)
@given(
    wire=st.sampled_from(["normalized", "openai_chat", "anthropic", "openai_responses"]),
    text=OBJECTS | OBJECTS.flatmap(lambda text: st.integers(0, len(text)).map(lambda at: text[:at])) | broken(),
    cuts=st.lists(st.integers(0, 1000), max_size=8),
)
def test_any_split_of_the_arguments_gives_the_same_decision(wire: str, text: str, cuts: list[int]) -> None:
    """Whole, in pieces, and character by character."""
    whole = judged(wire, with_pieces(wire, [text])).to_json()
    for pieces in (split(text, cuts), list(text)):
        assert judged(wire, with_pieces(wire, pieces)).to_json() == whole
