"""Rights, and the log of who gave them."""

from __future__ import annotations

import pytest
from sqlalchemy import delete, select, update
from sqlalchemy.exc import DBAPIError

from leaderboard.services import accounts, roles
from leaderboard.services.audit import SHELL, Actor
from leaderboard.services.roles import LastAdministrator, NobodyThere, Right
from leaderboard.store.models import AuditEntry
from leaderboard.store.session import Database
from tests.services.people import OTHER, SPEC, install, someone
from tests.services.toy import NOON


def give(database: Database, name: str, right: Right, task: str | None) -> None:
    with database.writing() as session:
        roles.give(session, f"{name}@example.org", right, task, SHELL, NOON)


def test_an_organiser_organises_that_task_alone(database: Database) -> None:
    install(database)
    olga = someone(database, "olga")
    give(database, "olga", "organiser", SPEC.name)
    with database.reading() as session:
        person = accounts.person(session, olga)
    assert roles.organises(person, SPEC.name)
    assert roles.judges(person, SPEC.name)
    assert not roles.organises(person, OTHER.name)
    assert not roles.administers(person)


def test_giving_twice_is_once(database: Database) -> None:
    install(database)
    someone(database, "olga")
    for _ in range(2):
        give(database, "olga", "judge", SPEC.name)
    with database.reading() as session:
        assert len(roles.holders(session, SPEC.name)) == 1
        assert len(session.scalars(select(AuditEntry)).all()) == 1


def test_nobody_gets_a_right_whom_nobody_knows(database: Database) -> None:
    install(database)
    with pytest.raises(NobodyThere, match="register first"):
        give(database, "nobody", "judge", SPEC.name)


def test_the_last_administrator_stays(database: Database) -> None:
    ada = someone(database, "ada")
    give(database, "ada", "administrator", None)
    with database.writing() as session, pytest.raises(LastAdministrator):
        roles.take(session, ada, "administrator", None, SHELL, NOON)


def test_the_log_says_who_gave_what_and_cannot_be_changed(database: Database) -> None:
    install(database)
    ada = someone(database, "ada")
    someone(database, "olga")
    with database.writing() as session:
        actor = Actor(ada, "web", "192.0.2.7")
        roles.give(session, "olga@example.org", "organiser", SPEC.name, actor, NOON)
    with database.reading() as session:
        (entry,) = session.scalars(select(AuditEntry))
    assert (entry.actor_id, entry.via, entry.address) == (ada, "web", "192.0.2.7")
    assert (entry.action, entry.subject_name, entry.after) == ("right.given", "Olga", {"right": "organiser"})
    for statement in (update(AuditEntry).values(reason="x"), delete(AuditEntry)):
        with pytest.raises(DBAPIError, match="only added to"), database.writing() as session:
            session.execute(statement)
