"""The diff names every message that came, went, changed, moved or was joined, and no other."""

from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from interlock.cli.diff import diff

FATES = ("stays", "changes", "goes")


@st.composite
def healed(draw):
    """Draw messages, what becomes of each, where new ones come in; return the result and its true headings."""
    fates = draw(st.lists(st.sampled_from(FATES), max_size=8))
    before = [{"role": "user", "content": f"message {at}"} for at in range(len(fates))]
    after, positions, headings = [], [], []
    for at, fate in enumerate([*fates, None]):
        for _ in range(draw(st.integers(0, 1))):
            headings.append(f"@@ message {len(after)} is new @@")
            after.append({"role": "tool", "content": "new"})
        if fate == "goes":
            positions.append(None)
            headings.append(f"@@ message {at} was dropped @@")
        elif fate is not None:
            positions.append(len(after))
            after.append(before[at] if fate == "stays" else {**before[at], "content": "changed"})
            if fate == "changes":
                headings.append(f"@@ message {at} @@")
    return SimpleNamespace(messages=after, positions=tuple(positions)), before, headings


@given(healed())
def test_every_change_has_its_heading_and_nothing_else_has_one(drawn):
    result, before, headings = drawn
    lines = list(diff(result, before))
    assert sorted(line for line, _ in lines if line.startswith("@@")) == sorted(headings)
    for line, style in lines:
        assert style == {"@": "strong", "-": "bad", "+": "good"}.get(line[0], "")
    assert sum('"content": "changed"' in line for line, _ in lines) == sum(
        " is new" not in h and " was " not in h for h in headings
    )


def test_what_moved_and_what_was_joined_is_named():
    before = [{"n": 0}, {"n": 1}, {"n": 2}, {"n": 3}]
    moved = SimpleNamespace(messages=[before[0], before[2], before[1], before[3]], positions=(0, 2, 1, 3))
    assert [line for line, _ in diff(moved, before)] == ["@@ message 1 moved to 2 @@"]
    joined = SimpleNamespace(messages=[{"n": 9}, before[2], before[3]], positions=(0, 0, 1, 2))
    lines = [line for line, _ in diff(joined, before)]
    assert lines[0] == "@@ messages 0, 1 became message 0 @@"
    assert '+    "n": 9' in lines
