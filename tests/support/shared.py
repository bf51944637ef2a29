"""The reference material that may lie next to the checkout: recordings, cases, suites."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[3] / "shared"

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the reference material is not next to the checkout")


def shared_files(pattern: str) -> list[Path]:
    """Return the files that match a glob below the reference folder, sorted; none when it is missing."""
    return sorted(SHARED.glob(pattern)) if SHARED.is_dir() else []
