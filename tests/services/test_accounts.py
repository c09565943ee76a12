"""A person's data, taking it along, and deleting the account."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from leaderboard.services import accounts, letters, personal_data, sign_ins
from leaderboard.services.accounts import UnknownAccount
from leaderboard.store.models import Base, Letter, Role, Run, Team, User, UserSession
from leaderboard.store.session import Database
from tests.services.people import accept, found, install, invite, names, someone, team_of
from tests.services.ready import ready
from tests.services.toy import NOON

LATER = NOON + timedelta(days=1)


def everything(database: Database) -> str:
    """All rows of all tables, as text."""
    with database.engine.connect() as connection:
        return "\n".join(
            str(row) for table in Base.metadata.sorted_tables for row in connection.execute(select(table))
        )


@pytest.fixture
def ann(database: Database) -> int:
    """A captain who left traces everywhere."""
    install(database)
    ann = someone(database, "ann")
    found(database, ann)
    invite(database, ann)
    with database.writing() as session:
        sign_ins.begin(session, ann, "Firefox of Ann", "192.0.2.17", NOON)
        letters.write(session, "ann@example.org", "Hello Ann", "secret", NOON, ann)
        session.add(Role(user_id=ann, name="organiser", given_at=NOON))
    return ann


def test_an_address_is_used_once(database: Database) -> None:
    someone(database, "ann")
    with pytest.raises(IntegrityError), database.writing() as session:
        session.add(User(email="ann@example.org", fs_uniquifier="another", created_at=NOON))


def test_an_address_has_one_form() -> None:
    assert accounts.normal_address(" Ann@Example.ORG ") == "ann@example.org"


def test_a_person_can_be_called_otherwise(database: Database, ann: int) -> None:
    with database.writing() as session:
        accounts.change(session, ann, "  Ann   Fox ", "ru")
    with database.reading() as session:
        person = accounts.person(session, ann)
    assert person is not None
    assert (person.name, person.locale, person.rights) == ("Ann Fox", "ru", (("organiser", None),))


def test_personal_data_name_every_place_where_something_is_kept(database: Database, ann: int) -> None:
    with database.reading() as session:
        data = personal_data.of_person(session, ann)
    text = json.dumps(data)
    assert data["account"]["email"] == "ann@example.org"
    assert [team["team"] for team in data["teams"]] == ["Foxes"]
    assert len(data["invitations made"]) == len(data["sign-ins"]) == len(data["rights"]) == 1
    for trace in ("Firefox of Ann", "192.0.2.17", "Hello Ann"):
        assert trace in text
    assert "unique ann" not in text
    assert "hash" not in text


def test_every_table_that_knows_people_is_in_the_personal_data(database: Database) -> None:
    known = {
        "role",
        "user_session",
        "membership",
        "invitation",
        "letter",
        "api_token",
        "request_key",
        "notice",
        "campaign",
        "judge",
        "judging_link",
        "question",
        "audit_entry",
    }
    # Who made these stands in the log of changes, which is in the personal data.
    known |= {
        *("allowance", "announcement", "archive", "draft", "gold_version", "job", "judging_import"),
        *("probing_finding", "resource", "task_setting"),
    }
    referring = {
        table.name
        for table in Base.metadata.sorted_tables
        for key in table.foreign_keys
        if key.column.table.name == "account"
    }
    assert referring == known


def test_nothing_of_a_deleted_person_is_left(database: Database, ann: int) -> None:
    with database.writing() as session:
        accounts.delete(session, ann, LATER)
    left = everything(database).lower()
    for trace in ("ann", "firefox", "192.0.2.17", "secret", "'hash'"):
        assert trace not in left
    with database.reading() as session:
        assert accounts.person(session, ann) is None
        assert session.scalars(select(UserSession)).all() == []
        assert session.scalars(select(Letter)).all() == []
    with pytest.raises(UnknownAccount), database.writing() as session:
        accounts.delete(session, ann, LATER)


def test_the_address_of_a_deleted_account_can_be_used_again(database: Database, ann: int) -> None:
    with database.writing() as session:
        accounts.delete(session, ann, LATER)
        session.add(User(email="ann@example.org", fs_uniquifier="new", created_at=LATER))


def test_the_longest_member_inherits_a_team(database: Database, ann: int) -> None:
    bob, eve = someone(database, "bob"), someone(database, "eve")
    token = invite(database, ann)
    accept(database, token, eve)
    accept(database, token, bob)
    with database.writing() as session:
        (heir,) = accounts.delete(session, ann, LATER)
    assert (heir.email, heir.team, heir.task) == ("eve@example.org", "Foxes", "toy")
    assert names(database, bob) == [("Eve", "captain"), ("Bob", "member")]


def test_runs_stay_under_the_team_of_a_deleted_person(database: Database, tmp_path: Path) -> None:
    toy = ready(database, tmp_path)
    install(database)
    ann = someone(database, "ann")
    found(database, ann, "Foxes")
    run_id = toy.enter("Foxes", 0.1, 0.5, 0.9)
    with database.writing() as session:
        accounts.delete(session, ann, LATER)
    with database.reading() as session:
        team = session.scalars(select(Team).join(Run, Run.team_id == Team.id).where(Run.id == run_id)).one()
        assert team.name == "Foxes"
    assert toy.lines("near") == [("Foxes", 1)]


def test_a_deleted_captain_who_was_alone_leaves_the_team_to_nobody(database: Database, ann: int) -> None:
    with database.writing() as session:
        assert accounts.delete(session, ann, LATER) == ()
    assert team_of(database, ann) is None


def test_an_ended_sign_in_is_not_recognised(database: Database, ann: int) -> None:
    with database.writing() as session:
        token = sign_ins.begin(session, ann, "", "", NOON)
        other = sign_ins.begin(session, ann, "", "", NOON)
    with database.writing() as session:
        assert sign_ins.recognise(session, token, NOON) is not None
        first, *rest = sign_ins.listing(session, ann, token, NOON)
        assert first.this
        assert len(rest) == 2
        assert sign_ins.end_all(session, ann, NOON, but=token) == 2
    with database.reading() as session:
        assert sign_ins.recognise(session, other, NOON) is None
        assert sign_ins.recognise(session, token, NOON) is not None
        assert sign_ins.recognise(session, "guess", NOON) is None


def test_a_sign_in_that_is_not_used_ends(database: Database, ann: int) -> None:
    with database.writing() as session:
        token = sign_ins.begin(session, ann, "", "", NOON)
        almost = NOON + sign_ins.LIFETIME - timedelta(minutes=1)
        found_again = sign_ins.recognise(session, token, almost)
        assert found_again is not None
        assert found_again.stale
        sign_ins.note_seen(session, found_again.sign_in_id, almost)
    with database.reading() as session:
        assert sign_ins.recognise(session, token, almost + sign_ins.LIFETIME) is not None
        assert sign_ins.recognise(session, token, almost + sign_ins.LIFETIME + timedelta(seconds=1)) is None


def test_nobody_ends_the_sign_in_of_another_person(database: Database, ann: int) -> None:
    bob = someone(database, "bob")
    with database.reading() as session:
        sign_in_id = session.scalars(select(UserSession.id)).one()
    with pytest.raises(sign_ins.UnknownSignIn), database.writing() as session:
        sign_ins.end(session, bob, sign_in_id, NOON)
