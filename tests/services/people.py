"""People and teams for tests."""

from __future__ import annotations

from dataclasses import replace

from leaderboard.services import invitations, tasks, teams
from leaderboard.services.teams import Named, TeamPage
from leaderboard.store.models import User
from leaderboard.store.session import Database
from tests.services.toy import NOON, make_spec

SPEC = make_spec()
OTHER = replace(SPEC, name="other")


def install(database: Database) -> None:
    """Two tasks."""
    with database.writing() as session:
        tasks.install(session, SPEC, NOON)
        tasks.install(session, OTHER, NOON)


def someone(database: Database, name: str) -> int:
    """A person with a confirmed account."""
    with database.writing() as session:
        user = User(
            email=f"{name}@example.org",
            name=name.title(),
            password="hash",
            fs_uniquifier=f"unique {name}",
            confirmed_at=NOON,
            created_at=NOON,
            consent_version="1",
            consented_at=NOON,
        )
        session.add(user)
        session.flush()
        return user.id


def found(database: Database, captain: int, name: str = "Foxes", alias: str = "") -> int:
    with database.writing() as session:
        return teams.found(session, SPEC, captain, Named(name, alias=alias), NOON)


def invite(database: Database, captain: int, most_uses: int = 5) -> str:
    with database.writing() as session:
        return invitations.make(session, SPEC, captain, NOON, most_uses=most_uses)


def accept(database: Database, token: str, user_id: int) -> str:
    with database.writing() as session:
        return invitations.accept(session, token, user_id, NOON)


def team_of(database: Database, user_id: int) -> TeamPage | None:
    with database.reading() as session:
        return teams.of_person(session, SPEC, user_id, NOON)


def names(database: Database, user_id: int) -> list[tuple[str, str]]:
    """Name and role of everybody in a person's team."""
    page = team_of(database, user_id)
    return [] if page is None else [(member.name, member.role) for member in page.members]
