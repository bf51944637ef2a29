"""The generated pages are what the code says now, and the check notices when they are not."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from interlock.vocabulary import STREAM_WIRES

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "generate_docs.py"


@pytest.fixture
def generator() -> Any:
    """The script, as a module of its own."""
    spec = importlib.util.spec_from_file_location("generate_docs", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_page_is_up_to_date(generator: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """`--check` finds nothing."""
    assert generator.main(check=True) == 0, capsys.readouterr().out


def test_a_stale_page_is_named_with_the_command(
    generator: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Missing, changed or left over; writing the pages mends all three."""
    monkeypatch.setattr(generator, "ROOT", tmp_path)
    monkeypatch.setattr(generator, "DOCS", tmp_path / "docs")
    assert generator.main(check=False) == 0
    assert generator.main(check=True) == 0
    (tmp_path / "docs/wires/gemini.md").write_text("old")
    (tmp_path / "docs/wires/gone.md").write_text("old")
    (tmp_path / "docs/reference/limits.md").unlink()
    assert generator.main(check=True) == 1
    told = capsys.readouterr().out.splitlines()
    names = {line.split()[0] for line in told}
    assert names == {"docs/wires/gemini.md", "docs/wires/gone.md", "docs/reference/limits.md"}
    assert all(line.endswith("run: python scripts/generate_docs.py") for line in told)
    assert generator.main(check=False) == 0
    assert generator.main(check=True) == 0


def test_every_wire_has_its_page_with_all_its_words(generator: Any) -> None:
    """The docstring's headings, and each word of its table."""
    texts = dict(generator.pages())
    for wire in STREAM_WIRES:
        text = texts[f"wires/{wire}.md"]
        assert "identity" in text.lower(), wire
        assert "Source" in text or wire == "normalized", wire
        for word in generator.import_module(generator.WIRES[wire]).END_REASONS:
            assert f"| `{word}` |" in text, (wire, word)
