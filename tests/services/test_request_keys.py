"""The same key with the same request gets the first answer once more."""

from __future__ import annotations

from datetime import timedelta

import pytest

from leaderboard.services import request_keys
from leaderboard.services.request_keys import Answer, KeyOfAnother, KeyRefused, StillBusy
from leaderboard.store.session import Database
from tests.services.people import someone
from tests.services.toy import NOON

FIRST = Answer(201, '{"run": 1}')


def begin(
    database: Database, user_id: int, key: str = "k", request: str = "r", after: timedelta = timedelta(0)
) -> Answer | None:
    with database.writing() as session:
        return request_keys.begin(session, user_id, key, request, NOON + after)


def finish(database: Database, user_id: int) -> None:
    with database.writing() as session:
        request_keys.finish(session, user_id, "k", FIRST)


def test_the_first_answer_is_given_again(database: Database) -> None:
    ann = someone(database, "ann")
    assert begin(database, ann) is None
    finish(database, ann)
    assert begin(database, ann, after=timedelta(hours=47)) == FIRST


def test_another_request_with_the_key_is_refused(database: Database) -> None:
    ann = someone(database, "ann")
    begin(database, ann)
    finish(database, ann)
    with pytest.raises(KeyOfAnother):
        begin(database, ann, request="another")


def test_the_keys_of_two_people_are_two_keys(database: Database) -> None:
    ann, bob = someone(database, "ann"), someone(database, "bob")
    begin(database, ann)
    finish(database, ann)
    assert begin(database, bob) is None


def test_a_request_that_is_being_answered_is_not_done_twice(database: Database) -> None:
    ann = someone(database, "ann")
    begin(database, ann)
    with pytest.raises(StillBusy):
        begin(database, ann, after=timedelta(seconds=1))


def test_one_that_broke_off_is_done_anew(database: Database) -> None:
    ann = someone(database, "ann")
    begin(database, ann)
    assert begin(database, ann, after=request_keys.LEASE) is None


def test_a_forgotten_one_is_new(database: Database) -> None:
    ann = someone(database, "ann")
    begin(database, ann)
    with database.writing() as session:
        request_keys.forget(session, ann, "k")
    assert begin(database, ann, request="another") is None


def test_an_answer_is_not_forgotten(database: Database) -> None:
    ann = someone(database, "ann")
    begin(database, ann)
    finish(database, ann)
    with database.writing() as session:
        request_keys.forget(session, ann, "k")
    assert begin(database, ann) == FIRST


def test_old_keys_go_away(database: Database) -> None:
    ann = someone(database, "ann")
    begin(database, ann)
    finish(database, ann)
    late = request_keys.KEPT + timedelta(seconds=1)
    assert begin(database, ann, request="another", after=late) is None


@pytest.mark.parametrize("key", ["", " ", "a b", "ключ", "x" * 201, "a\n", "a\0"])
def test_what_is_no_key_is_refused(database: Database, key: str) -> None:
    with pytest.raises(KeyRefused):
        begin(database, someone(database, "ann"), key=key)
