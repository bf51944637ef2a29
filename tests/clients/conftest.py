"""What holds for all tests of clients."""

from __future__ import annotations

import ssl
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="package", autouse=True)
def no_certificates() -> Iterator[None]:
    """Leave out the reading of certificates: the server speaks plain HTTP, and they took most of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl.SSLContext, "load_verify_locations", lambda *_, **__: None)
        yield
