"""Making an installation ready for use, and telling whether it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from sqlalchemy.exc import DatabaseError

from leaderboard.contract import TaskSpec, say
from leaderboard.services import tasks
from leaderboard.services.errors import ServiceError
from leaderboard.store import schema
from leaderboard.store.session import Database


class NotInitialised(ServiceError):
    """The database has no tables yet, or those of another version."""


class Unreachable(ServiceError):
    """The database does not answer."""


def initialise(database: Database, specs: Iterable[TaskSpec], now: datetime) -> Mapping[str, tasks.Installed]:
    """Creates or upgrades the tables and makes the tasks known; says by task what that changed.

    Safe to repeat, and after a kill.
    """
    schema.upgrade(database)
    with database.writing() as session:
        return {spec.name: tasks.install(session, spec, now) for spec in specs}


def require(database: Database) -> None:
    """Raises NotInitialised where the database is not the one that this version works with."""
    place = database.url.render_as_string(hide_password=True)
    try:
        found = schema.current_revision(database)
    except DatabaseError as error:
        raise Unreachable(
            say("The database at {place} cannot be opened: {why}", place=place, why=str(error.orig).strip())
        ) from error
    newest = schema.newest_revision()
    if found is None:
        raise NotInitialised(
            say("There is no database at {place} yet; run `python -m leaderboard init` first.", place=place)
        )
    if found != newest:
        raise NotInitialised(
            say(
                "The database at {place} is of another version ({found}, not {newest}); "
                "run `python -m leaderboard init` to upgrade it.",
                place=place,
                found=found,
                newest=newest,
            )
        )
