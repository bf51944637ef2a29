"""Documents for properties: valid ones, cut ones, broken ones, and ways to cut them into chunks."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from interlock.parser import ContainerClosed, ContainerOpened, Parser, ValueCommitted

_CHARACTERS = st.characters(codec="utf-8")
_TEXT = st.one_of(
    st.text(_CHARACTERS, max_size=12),
    st.text('"\\/\b\f\n\r\t\x00\x1f\x7f\u2028é世🌍a', max_size=12),
    st.text("abc ", min_size=20, max_size=60),
)
_NUMBERS = st.one_of(
    st.integers(),
    st.integers(min_value=-(10**700), max_value=10**700),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0, -0.0, 1e308, 5e-324, 10**640, -(10**641)]),
)
SCALARS = st.one_of(st.none(), st.booleans(), _NUMBERS, _TEXT)
# Few keys, so that duplicates happen where texts are joined by hand.
_KEYS = st.one_of(st.sampled_from(["", "a", "b", "~", "/", "a/b~c", "0"]), _TEXT)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=4), max_leaves=12
)
_WHITE = st.sampled_from(["", "", "", " ", "\n", " \t\r\n"])


def _string(draw: Any, text: str) -> str:
    style = draw(st.sampled_from(["raw", "ascii", "mixed"]))
    if style != "mixed":
        return json.dumps(text, ensure_ascii=style == "ascii")
    out = []
    for character in text:
        if character == "/" or draw(st.booleans()):
            units = character.encode("utf-16-be")
            pairs = [units[at : at + 2].hex() for at in range(0, len(units), 2)]
            out.append("".join("\\u" + (pair.upper() if draw(st.booleans()) else pair) for pair in pairs))
        else:
            out.append(json.dumps(character, ensure_ascii=False)[1:-1])
    return '"' + "".join(out) + '"'


def _number(draw: Any, value: float) -> str:
    if isinstance(value, int):
        sign, value = ("-", -value) if value < 0 else ("", value)
        digits = []
        while value >= 10**500:
            value, low = divmod(value, 10**500)
            digits.append(f"{low:0500d}")
        return sign + str(value) + "".join(reversed(digits))
    text = json.dumps(value)
    if "e" in text and draw(st.booleans()):
        text = text.upper()
    return text


@st.composite
def texts(draw: Any, values: Any = VALUES) -> str:
    """A valid document, written in one of the many ways that the grammar allows."""

    def write(value: Any) -> str:
        before, after = draw(_WHITE), draw(_WHITE)
        if isinstance(value, dict):
            colon = draw(_WHITE) + ":" + draw(_WHITE)
            members = (draw(_WHITE) + _string(draw, key) + colon + write(item) for key, item in value.items())
            body = "{" + (",".join(members) or draw(_WHITE)) + "}"
        elif isinstance(value, list):
            body = "[" + (",".join(map(write, value)) or draw(_WHITE)) + "]"
        elif isinstance(value, str):
            body = _string(draw, value)
        elif isinstance(value, bool) or value is None:
            body = json.dumps(value)
        else:
            body = _number(draw, value)
        return before + body + after

    return write(draw(values))


@st.composite
def broken(draw: Any) -> str:
    """A valid document with a few characters taken out, put in or doubled, and perhaps cut."""
    text = draw(texts())
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(text)))
        inserted = draw(st.sampled_from([*'{}[]":,\\-+.0eE1tfnu \n\x00\x1fé', "\\u12", '"a":1,', "true", "\\ud83d"]))
        text = text[:at] + draw(st.sampled_from([inserted, ""])) + text[at + draw(st.integers(0, 2)) :]
    return text[: draw(st.integers(0, len(text)))] if draw(st.booleans()) else text


@st.composite
def raw(draw: Any) -> bytes:
    """Any of the above as bytes, perhaps with bytes that are not UTF-8; or anything at all."""
    data = draw(st.one_of(st.binary(max_size=40), broken().map(str.encode), texts().map(str.encode)))
    if draw(st.booleans()):
        at = draw(st.integers(0, len(data)))
        data = (
            data[:at]
            + draw(st.sampled_from([b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xe2\x82", b"\xf0\x9f"]))
            + data[at:]
        )
    return data


@st.composite
def cut(draw: Any, whole: Any) -> list[Any]:
    """The pieces of a text or of bytes; some are empty."""
    places = sorted(draw(st.lists(st.integers(0, len(whole)), max_size=12)))
    if draw(st.integers(0, 3)) == 0:
        places = list(range(len(whole)))
    return [whole[a:b] for a, b in zip([0, *places], [*places, len(whole)], strict=True)]


def replay(events: list[Any]) -> Any:
    """Rebuild the stable value from events alone."""
    root: list[Any] = []
    open_containers: list[Any] = [root]
    for event in events:
        if isinstance(event, ContainerClosed):
            open_containers.pop()
            continue
        if not isinstance(event, (ContainerOpened, ValueCommitted)):
            continue
        opened = isinstance(event, ContainerOpened)
        value = ({} if event.container == "object" else []) if opened else event.value
        parent = open_containers[-1]
        last = event.path.rsplit("/", 1)[-1].replace("~1", "/").replace("~0", "~")
        if isinstance(parent, dict):
            assert last not in parent
            parent[last] = value
        else:
            assert parent is root or last == str(len(parent))
            parent.append(value)
        if opened:
            open_containers.append(value)
    return root[0] if root else None


def observe(pieces: list[Any], reason: str = "complete", **options: Any) -> tuple[Any, ...]:
    """Everything that a caller can learn from a parser after these pieces."""
    parser = Parser(**options)
    for piece in pieces:
        parser.push(piece)
        _ = parser.failed  # a look: nothing is gathered, each piece is read by itself
    look = parser.snapshot()
    parser_says = parser.failed, parser.root_complete, parser.bytes_received, parser.bytes_accepted
    views = look.stable_value, look.preview
    before = repr(views)
    result = parser.finish(reason)  # type: ignore[arg-type]
    value = repr(result.value) if result.executable else None
    return parser_says, look, before, result, value, repr(result.stable_value), parser.drain_events()
