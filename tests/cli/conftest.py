from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.installation import Installation


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
