"""What every test may ask for: the project's tasks, and real data where it is at hand."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from leaderboard.telemetry import exposition, meters
from tests import copies, statements

REPOSITORY = Path(__file__).resolve().parent.parent

# Examples are never judged by the clock: two test workers on a busy machine would make it a coin toss.
settings.register_profile(
    "default", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("soak", settings.get_profile("default"), max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

statements.share_compiled()

MEMORY = Path("/dev/shm")
NEEDED = 2_000_000_000
"""More bytes than all workers together have in temporary folders at any time."""

# Every commit of every database waits for the disk, and no test takes its power away: where there is room,
# temporary folders lie in memory. PYTEST_DEBUG_TEMPROOT is pytest's own word for where.
if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > NEEDED:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


def pytest_collection_finish() -> None:
    """Modules and tests stay to the end; looking through them for garbage again and again would take long."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def originals(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Where `copies` keeps what it copies."""
    copies.keep_originals_in(tmp_path_factory.mktemp("originals"))


@pytest.fixture
def counted() -> Iterator[None]:
    """Numbers for Prometheus are kept during the test, and not after it."""
    exposition.start()
    meters.put_behind(exposition._kept)
    yield
    meters.put_behind(None)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real runs, gold and reference values, which is not part of the project."""
    folder = Path(os.environ.get("LEADERBOARD_SHARED_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"needs the real data in {folder} (LEADERBOARD_SHARED_DATA names another folder)")
    return folder


@pytest.fixture(scope="session")
def tasks_folder() -> Path:
    """The folder of the tasks that come with the project."""
    return REPOSITORY / "tasks"
