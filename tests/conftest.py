"""What holds for all tests."""

from __future__ import annotations

import os

from hypothesis import settings

# How long one example takes depends on what else the machine does; a test that hangs is stopped by its timeout.
# Where changes are judged, the examples are always the same ones; elsewhere each run draws new ones.
settings.register_profile("interlock", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("interlock")
