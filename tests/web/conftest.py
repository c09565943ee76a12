"""Pages are tested on the samples: once read-only for a whole module's tests, or one to be changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.copies import copied
from tests.web.installation import Installation


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory, tasks_folder: Path) -> Iterator[Installation]:
    """RUSSE and CAsT with the runs of their samples, boards analysed and MJ published; not to be changed."""
    made = Installation.make(tmp_path_factory.mktemp("samples"), tasks_folder)
    for task in ("russe", "cast"):
        made.install(task)
        made.enter_samples(task)
        made.analyse(task)
    made.build_mj(publish=True)
    yield made
    made.site.close()


@pytest.fixture(scope="session")
def samples_app(samples: Installation) -> Flask:
    """The application for those, not to be changed either."""
    return samples.app()


@pytest.fixture
def client(samples_app: Flask) -> FlaskClient:
    """A new reader of those."""
    return samples_app.test_client()


def with_russe(folder: Path, tasks_folder: Path) -> None:
    made = Installation.make(folder, tasks_folder)
    made.install("russe")
    made.site.close()


@pytest.fixture
def own(tmp_path: Path, tasks_folder: Path) -> Iterator[Installation]:
    """RUSSE with its gold and no runs, to be changed."""
    copied(("russe", tasks_folder), tmp_path, lambda original: with_russe(original, tasks_folder))
    made = Installation.at(tmp_path, tasks_folder)
    yield made
    made.site.close()
