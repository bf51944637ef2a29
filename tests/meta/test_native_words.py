"""The words that a layer passes through are refused as on their own wire."""

from __future__ import annotations

from importlib import import_module

import pytest

from interlock.stream.wires import WIRES
from interlock.stream.wires.native import worse


@pytest.mark.parametrize("wire", sorted(WIRES))
def test_a_word_counts_behind_a_layer_as_on_its_own_wire(wire: str) -> None:
    """In any case; `stop_sequence` is the one word that confirms only where no call is."""
    for word, reason in import_module(WIRES[wire]).END_REASONS.items():
        want = "unknown" if word.lower() == "stop_sequence" else reason
        for spelt in (word, word.lower(), word.upper()):
            assert worse("complete", spelt) == want, word
            assert worse("length", spelt) == "length"


def test_a_word_of_nobody_says_nothing() -> None:
    """The layer's own table decides."""
    assert worse("complete", "brand_new") == "complete"
    assert worse("complete", None) == "complete"
