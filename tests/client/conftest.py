from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.client.servers import in_a_thread
from tests.web.api.conftest import app, clock, installation

__all__ = ["app", "clock", "installation", "url"]


@pytest.fixture
def url(app: object) -> Iterator[str]:
    """The address of the application, served for real."""
    with in_a_thread(app) as address:  # type: ignore[arg-type]
        yield address
