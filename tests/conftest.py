"""What every test may ask for: the project's tasks, and real data where it is at hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

REPOSITORY = Path(__file__).resolve().parent.parent

# Examples are never judged by the clock: two test workers on a busy machine would make it a coin toss.
settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("soak", settings.get_profile("default"), max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


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
