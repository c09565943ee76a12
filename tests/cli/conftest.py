from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.installation import Installation
from tests.telemetry.piped import restored


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """Commands that run for long set logging up, and some of them run in this process."""
    with restored():
        yield


@pytest.fixture
def bare(tmp_path: Path) -> Installation:
    """An installation before `init`."""
    return Installation(tmp_path)


@pytest.fixture(scope="session")
def made_ready(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """One with database, inputs and gold, to be copied."""
    return Installation(tmp_path_factory.mktemp("template")).ready()


@pytest.fixture
def toy(bare: Installation, made_ready: Installation) -> Installation:
    """An installation with database, inputs and gold."""
    shutil.copytree(made_ready.settings.instance, bare.settings.instance)
    return bare
