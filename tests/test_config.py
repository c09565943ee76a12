from __future__ import annotations

import os
from pathlib import Path

from leaderboard.config import OWN_TASKS, from_environment


def test_an_empty_environment_gives_the_defaults() -> None:
    settings = from_environment({"LEADERBOARD_TASKS": "", "DATABASE_URL": ""})
    assert settings.tasks == (OWN_TASKS,)
    assert settings.data == Path("data")
    assert settings.database_url == "sqlite:///instance/leaderboard.db"


def test_several_task_folders_are_separated_as_in_path() -> None:
    assert from_environment({"LEADERBOARD_TASKS": f"a{os.pathsep}b"}).tasks == (Path("a"), Path("b"))


def test_the_database_moves_with_the_instance_folder(tmp_path: Path) -> None:
    settings = from_environment({"LEADERBOARD_INSTANCE": str(tmp_path)})
    assert settings.database_url == f"sqlite:///{tmp_path}/leaderboard.db"
