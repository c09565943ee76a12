"""Personal tokens: made, recognised, expired, revoked; of the secret nothing is kept."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import text

from leaderboard.services import accounts, personal_data, tokens
from leaderboard.services.runs import NameRefused
from leaderboard.services.tokens import Grant, LifetimeRefused, Scope, TooManyTokens, UnknownToken
from leaderboard.store.session import Database
from tests.services.people import someone
from tests.services.toy import NOON


def make(database: Database, user_id: int, scope: Scope = "submit", days: int = 30) -> str:
    with database.writing() as session:
        return tokens.make(session, user_id, "cluster", scope, days, NOON)


def recognise(database: Database, secret: str, after: timedelta = timedelta(0)) -> Grant | None:
    with database.reading() as session:
        return tokens.recognise(session, secret, NOON + after)


def test_a_token_is_recognised_until_it_expires(database: Database) -> None:
    ann = someone(database, "ann")
    secret = make(database, ann, days=7)
    found = recognise(database, secret)
    assert found is not None
    assert (found.user_id, found.name, found.scope) == (ann, "cluster", "submit")
    assert recognise(database, secret, timedelta(days=7, seconds=-1)) is not None
    assert recognise(database, secret, timedelta(days=7)) is None


def test_of_the_secret_only_its_hash_and_its_end_are_kept(database: Database) -> None:
    secret = make(database, someone(database, "ann"))
    assert secret.startswith(tokens.PREFIX)
    with database.reading() as session:
        row = session.execute(text("SELECT * FROM api_token")).mappings().one()
    assert secret not in map(str, row.values())
    assert row["ends_with"] == secret[-4:]


@pytest.mark.parametrize("wrong", ["", "x", tokens.PREFIX, tokens.PREFIX + "x" * 43])
def test_what_is_no_token_is_not_recognised(database: Database, wrong: str) -> None:
    make(database, someone(database, "ann"))
    assert recognise(database, wrong) is None


def test_a_revoked_token_does_not_work_and_is_not_listed(database: Database) -> None:
    ann = someone(database, "ann")
    secret = make(database, ann)
    with database.writing() as session:
        (listed,) = tokens.listing(session, ann, NOON)
        tokens.revoke(session, ann, listed.token_id, NOON)
    assert recognise(database, secret) is None
    with database.reading() as session:
        assert tokens.listing(session, ann, NOON) == ()


def test_nobody_revokes_the_token_of_another(database: Database) -> None:
    ann, bob = someone(database, "ann"), someone(database, "bob")
    secret = make(database, ann)
    with database.reading() as session:
        (listed,) = tokens.listing(session, ann, NOON)
    with pytest.raises(UnknownToken), database.writing() as session:
        tokens.revoke(session, bob, listed.token_id, NOON)
    assert recognise(database, secret) is not None


def test_who_may_submit_may_read_and_not_the_other_way_round(database: Database) -> None:
    ann = someone(database, "ann")
    writer, reader = (recognise(database, make(database, ann, scope)) for scope in ("submit", "read"))
    assert writer is not None
    assert reader is not None
    assert [writer.permits("read"), writer.permits("submit")] == [True, True]
    assert [reader.permits("read"), reader.permits("submit")] == [True, False]


def test_a_deleted_account_leaves_no_token(database: Database) -> None:
    ann = someone(database, "ann")
    secret = make(database, ann)
    with database.writing() as session:
        accounts.delete(session, ann, NOON)
    assert recognise(database, secret) is None
    with database.reading() as session:
        assert session.execute(text("SELECT count(*) FROM api_token")).scalar() == 0


def test_ones_data_name_the_tokens_without_their_secrets(database: Database) -> None:
    ann = someone(database, "ann")
    secret = make(database, ann)
    with database.reading() as session:
        data = personal_data.of_person(session, ann)
    assert [each["name"] for each in data["tokens"]] == ["cluster"]
    assert secret not in str(data)


def test_a_person_has_a_limited_number_of_tokens(database: Database) -> None:
    ann = someone(database, "ann")
    for _ in range(tokens.MOST):
        make(database, ann)
    with pytest.raises(TooManyTokens):
        make(database, ann)
    # Expired ones do not count.
    with database.writing() as session:
        tokens.make(session, ann, "later", "read", 7, NOON + timedelta(days=31))


def test_names_and_lifetimes_are_checked(database: Database) -> None:
    ann = someone(database, "ann")
    with pytest.raises(LifetimeRefused):
        make(database, ann, days=100_000)
    with pytest.raises(NameRefused), database.writing() as session:
        tokens.make(session, ann, "  ", "read", 7, NOON)


def test_its_use_is_noted_now_and_then(database: Database) -> None:
    ann = someone(database, "ann")
    secret = make(database, ann)
    first = recognise(database, secret)
    assert first is not None
    assert first.stale
    with database.writing() as session:
        tokens.note_used(session, first.token_id, NOON)
    again = recognise(database, secret, timedelta(minutes=1))
    later = recognise(database, secret, timedelta(minutes=6))
    assert again is not None
    assert later is not None
    assert (again.stale, later.stale) == (False, True)
