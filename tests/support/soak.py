"""How many examples a property is tried with: few in the test run, many in `make soak`."""

from __future__ import annotations

import os


def examples(few: int) -> int:
    """Return `few`, or what the environment variable SOAK_EXAMPLES asks for."""
    return int(os.environ.get("SOAK_EXAMPLES", few))
