"""Messages, and parts of messages, as the objects of the providers' own Python clients.

`messages.append(response.choices[0].message)` and `{"role": "assistant", "content":
response.content}` are how the clients' documentation goes on with a conversation.
The rules read JSON; so such an object is read as the JSON that its client sends of it.
Nothing is imported: what counts is that an object can say itself (`model_dump`).

Source:
    `_utils/_transform.py` of openai 3.57.0 and anthropic 2.14.0: `model_dump(exclude_unset=True,
    mode="json", exclude=__api_exclude__)`; the models of google-genai 3.6.1, mistralai 3.7.0,
    cohere 7.2.0 and ollama 0.6.2.
"""

from __future__ import annotations

from typing import Any, Final

from interlock.history.detect import object_marks

__all__ = ["as_sent"]

_JSON: Final = frozenset({str, int, float, bool, type(None)})
_LEVELS: Final = 6  # message, list, block, list, block, field: no format has objects deeper


def as_sent(history: Any) -> tuple[list[Any], dict[int, Any]] | None:
    """Return a history without objects of clients; `None` when it has none.

    Objects of frameworks that have a format of their own (LangChain, Pydantic AI, `ai`) stay.

    Returns:
        The messages, in which those without such objects are the same; and, by the `id` of each one that was
        made here, the message that it stands for.
    """
    if not isinstance(history, (list, tuple)):
        return None
    made = _list(history, _LEVELS)
    if made is history:
        return None
    return made, {id(new): old for new, old in zip(made, history, strict=True) if new is not old}


def _list(values: Any, levels: int) -> Any:
    new = None
    for at, one in enumerate(values):
        kind = type(one)
        if kind in _JSON:
            continue
        made = _dict(one, levels - 1) if kind is dict else _dumped(one)
        if made is not one:
            if new is None:
                new = list(values)
            new[at] = made
    return values if new is None else new


def _dict(value: dict[Any, Any], levels: int) -> dict[Any, Any]:
    new = None
    for key, one in value.items():
        kind = type(one)
        # Arguments and schemas are dicts: what stands in them is data.
        if kind in _JSON or kind is dict or levels <= 0:
            continue
        made = _list(one, levels - 1) if kind is list or kind is tuple else _dumped(one)
        if made is not one:
            if new is None:
                new = dict(value)
            new[key] = made
    return value if new is None else new


def _dumped(value: Any) -> Any:
    """Return the JSON object that a client sends of its object; anything else comes back as it is."""
    dump = getattr(type(value), "model_dump", None)
    if dump is None or object_marks(value):
        return value
    try:
        made = dump(
            value,
            mode="json",
            by_alias=True,
            exclude_unset=True,
            exclude=getattr(value, "__api_exclude__", None),
            warnings=False,
        )
    except Exception:  # an object that cannot say itself is no message that can be read
        return value
    return made if type(made) is dict else value
