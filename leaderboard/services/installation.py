"""Making an installation ready for use, and telling whether it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime

from sqlalchemy.exc import DatabaseError

from leaderboard.contract import TaskSpec, say
from leaderboard.services import public_values, tasks
from leaderboard.services.errors import ServiceError
from leaderboard.store import schema
from leaderboard.store.session import Database


class NotInitialised(ServiceError):
    """The database has no tables yet, or those of another version."""


class Unreachable(ServiceError):
    """The database does not answer."""


def initialise(database: Database, specs: Iterable[TaskSpec], now: datetime) -> Mapping[str, tasks.Installed]:
    """Creates or upgrades the tables and makes the tasks known; says by task what that changed.

    Safe to repeat, and after a kill. Raises Unreachable.
    """
    with _reached(database):
        schema.current_revision(database)
    schema.upgrade(database)
    with database.writing() as session:
        installed = {}
        for spec in specs:
            installed[spec.name] = tasks.install(session, spec, now)
            public_values.adopt_all(session, spec, now)
        return installed


def require(database: Database) -> None:
    """Raises NotInitialised where the database is not the one that this version works with, and
    Unreachable."""
    place = _place(database)
    with _reached(database):
        found = schema.current_revision(database)
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


@contextmanager
def _reached(database: Database) -> Iterator[None]:
    try:
        yield
    except DatabaseError as error:
        raise Unreachable(
            say(
                "The database at {place} cannot be opened: {why}",
                place=_place(database),
                why=str(error.orig).strip(),
            )
        ) from error


def _place(database: Database) -> str:
    return database.url.render_as_string(hide_password=True)
