"""What holds for all tests."""

from __future__ import annotations

from hypothesis import settings

# How long one example takes depends on what else the machine does; a test that hangs is stopped by its timeout.
settings.register_profile("interlock", deadline=None)
settings.load_profile("interlock")
