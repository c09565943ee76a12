"""Freezing accounts, and the list of them."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from leaderboard.services import accounts, people, roles, sign_ins, tokens
from leaderboard.services.audit import SHELL, Actor
from leaderboard.services.people import FreezeRefused
from leaderboard.services.roles import LastAdministrator
from leaderboard.store.models import AuditEntry
from leaderboard.store.session import Database
from tests.services.people import SPEC, found, install, someone
from tests.services.toy import NOON


def test_a_frozen_person_is_signed_out_and_tokens_stop_until_unfrozen(database: Database) -> None:
    mary = someone(database, "mary")
    with database.writing() as session:
        cookie = sign_ins.begin(session, mary, "browser", "", NOON)
        secret = tokens.make(session, mary, "script", "read", 7, NOON)
        people.freeze(session, mary, "shares an account", SHELL, NOON)
    with database.reading() as session:
        assert sign_ins.recognise(session, cookie, NOON) is None
        assert tokens.recognise(session, secret, NOON) is None
        assert accounts.person(session, mary) is None
        (listed,) = people.listing(session, "", 1, frozen=True).people
    assert (listed.frozen_at, listed.frozen_for) == (NOON, "shares an account")
    with database.writing() as session:
        people.unfreeze(session, mary, SHELL, NOON)
        people.unfreeze(session, mary, SHELL, NOON)
    with database.reading() as session:
        assert tokens.recognise(session, secret, NOON) is not None
        assert accounts.person(session, mary) is not None
        assert sign_ins.recognise(session, cookie, NOON) is None
        entries = session.scalars(select(AuditEntry).order_by(AuditEntry.id)).all()
    assert [(entry.action, entry.reason) for entry in entries] == [
        ("account.frozen", "shares an account"),
        ("account.unfrozen", ""),
    ]
    assert entries[1].before["frozen_for"] == "shares an account"


def test_nobody_freezes_without_a_reason_nor_oneself_nor_the_last_administrator(database: Database) -> None:
    ada = someone(database, "ada")
    with database.writing() as session:
        roles.give(session, "ada@example.org", "administrator", None, SHELL, NOON)
        with pytest.raises(FreezeRefused, match="why"):
            people.freeze(session, ada, " ", SHELL, NOON)
        with pytest.raises(FreezeRefused, match="your own"):
            people.freeze(session, ada, "x", Actor(ada, "web"), NOON)
        with pytest.raises(LastAdministrator):
            people.freeze(session, ada, "x", SHELL, NOON)


def test_a_frozen_administrator_does_not_count_as_another_one(database: Database) -> None:
    ada, bea = someone(database, "ada"), someone(database, "bea")
    with database.writing() as session:
        for user in (ada, bea):
            people.make_administrator(session, user, SHELL, NOON)
        people.freeze(session, bea, "x", SHELL, NOON)
        with pytest.raises(LastAdministrator):
            roles.take(session, ada, "administrator", None, SHELL, NOON)
        with pytest.raises(FreezeRefused):
            people.make_administrator(session, bea, SHELL, NOON)


def test_accounts_are_found_by_name_or_address_with_rights_and_teams(database: Database) -> None:
    install(database)
    olga = someone(database, "olga")
    someone(database, "mary")
    found(database, olga, "Foxes")
    with database.writing() as session:
        roles.give(session, "olga@example.org", "judge", SPEC.name, SHELL, NOON)
        (one,) = people.listing(session, "OLGA@", 1).people
        assert (one.rights, one.teams) == ((("judge", SPEC.name),), (("Foxes", SPEC.name),))
        assert [each.name for each in people.listing(session, "", 1).people] == ["Mary", "Olga"]
        assert people.listing(session, "%", 1).total == 0
