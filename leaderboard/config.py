"""The settings of an installation, read once from the environment.

``LEADERBOARD_TASKS``
    Folders that hold tasks, separated as in ``PATH``; a folder may also be one task.
    Default: ``tasks`` beside the package.
``LEADERBOARD_DATA``
    Where ``data fetch`` puts files: a folder per task with ``inputs`` and ``gold`` in it.
    Default: ``data`` in the current folder.
``LEADERBOARD_INSTANCE``
    Everything that this installation keeps: database, runs, gold. Never served by the web.
    Default: ``instance`` in the current folder.
``DATABASE_URL``
    The database, as SQLAlchemy writes it. Default: SQLite in the instance folder.
``QUEUE_URL``
    What carries background work: ``sqlite:///FILE``, ``redis://…`` or ``postgresql://…``; the latter two
    need the package redis or psycopg, and let consumers run on many machines.
    Default: SQLite in the instance folder.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

OWN_TASKS = Path(__file__).resolve().parent.parent / "tasks"


@dataclass(frozen=True, slots=True)
class Settings:
    """What an installation may choose; the variables above say what each means."""

    tasks: tuple[Path, ...] = (OWN_TASKS,)
    data: Path = Path("data")
    instance: Path = Path("instance")
    database_url: str = "sqlite:///instance/leaderboard.db"
    queue_url: str = "sqlite:///instance/queue.db"


def from_environment(environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings that the environment asks for; an empty variable counts as not set."""
    folders = tuple(
        Path(folder) for folder in environment.get("LEADERBOARD_TASKS", "").split(os.pathsep) if folder
    )
    instance = Path(environment.get("LEADERBOARD_INSTANCE") or "instance")
    return Settings(
        tasks=folders or (OWN_TASKS,),
        data=Path(environment.get("LEADERBOARD_DATA") or "data"),
        instance=instance,
        database_url=environment.get("DATABASE_URL") or _sqlite(instance / "leaderboard.db"),
        queue_url=environment.get("QUEUE_URL") or _sqlite(instance / "queue.db"),
    )


def inside(instance: Path, settings: Settings) -> Settings:
    """The same tasks and data, with everything that is kept in another instance folder."""
    return replace(
        settings,
        instance=instance,
        database_url=_sqlite(instance / "leaderboard.db"),
        queue_url=_sqlite(instance / "queue.db"),
    )


def to_environment(settings: Settings) -> dict[str, str]:
    """The variables that give another process, in whatever folder it starts, these settings."""
    return {
        "LEADERBOARD_TASKS": os.pathsep.join(str(folder.resolve()) for folder in settings.tasks),
        "LEADERBOARD_DATA": str(settings.data.resolve()),
        "LEADERBOARD_INSTANCE": str(settings.instance.resolve()),
        "DATABASE_URL": _absolute(settings.database_url),
        "QUEUE_URL": _absolute(settings.queue_url),
    }


_SQLITE = "sqlite:///"


def _sqlite(file: Path) -> str:
    return _SQLITE + file.as_posix()


def _absolute(url: str) -> str:
    return _sqlite(Path(url.removeprefix(_SQLITE)).resolve()) if url.startswith(_SQLITE) else url
