from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from flask import Flask

from tests.web.api.scripts import Script, member
from tests.web.installation import Installation
from tests.web.members import Clock, app_of
from tests.web.phased import PHASE, evaluated

MORNING = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(MORNING).install(monkeypatch)


@pytest.fixture
def installation(tmp_path: Path, tasks_folder: Path, clock: Clock) -> Iterator[Installation]:
    """RUSSE in a phase with a quota of two runs a day; CAsT in one that reveals values by topic."""
    revealing = PHASE.replace('"board"]', '"board", "per-topic"]')
    made = evaluated(tmp_path, tasks_folder, "russe", others={"cast": revealing})
    yield made
    made.site.close()


@pytest.fixture
def app(installation: Installation) -> Flask:
    return app_of(installation)


@pytest.fixture
def foxes(app: Flask, installation: Installation) -> Script:
    """A script of a team in RUSSE that may submit."""
    return member(app, installation.site)
