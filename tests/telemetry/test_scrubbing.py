from __future__ import annotations

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError

from leaderboard.telemetry.scrubbing import chain, scrubbed


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("letter to Ann.O+x@mail.example.org failed", "letter to <address> failed"),
        ("postgresql://me:p%40ss@db.example.org/x", "postgresql://<credentials>@db.example.org/x"),
        ("redis://:word@queue/0 is gone", "redis://<credentials>@queue/0 is gone"),
        ("/confirm/IjEi.ZtQ0aB3kd93kDk39dkD93kdkk-Q", "/confirm/IjEi.<long>"),
        ("gold/" + "0a" * 32, "gold/<long>"),
        ("password=hush, token: abc", "password=<secret> token: <secret>"),
        ("bring_boards_up_to_date_in_the_end broke off", "bring_boards_up_to_date_in_the_end broke off"),
        ("job 12 was taken by another consumer", "job 12 was taken by another consumer"),
    ],
)
def test_what_opens_something_or_names_somebody_is_left_out(said: str, kept: str) -> None:
    assert scrubbed(said) == kept


def test_a_long_text_is_cut() -> None:
    assert len(scrubbed("word " * 10_000)) < 2100


def raised(error: BaseException) -> BaseException:
    try:
        raise error
    except BaseException as caught:
        return caught


def test_an_exception_is_told_by_kind_and_place_without_its_words() -> None:
    (told,) = chain(raised(ValueError("could not convert string to float: 'gold'")))
    assert (told.kind, told.words) == ("ValueError", "")
    assert told.places[-1].startswith("tests/telemetry/test_scrubbing.py:")
    assert told.places[-1].endswith(" in raised")


def test_what_the_system_says_stays_and_the_name_of_a_file_does_not() -> None:
    (told,) = chain(raised(OSError(28, "No space left on device", "/srv/gold/secret")))
    assert told.words == "No space left on device"


def test_of_an_error_of_the_database_neither_statement_nor_values_are_told() -> None:
    engine = create_engine("sqlite://")
    with engine.connect() as connection, pytest.raises(OperationalError) as caught:
        connection.execute(text("SELECT * FROM people WHERE mail = :mail"), {"mail": "ann@example.org"})
    told = chain(caught.value)
    assert told[0].words == "no such table: people"
    assert "ann" not in str(told)


def test_where_an_exception_came_from_is_told_too() -> None:
    try:
        try:
            raise KeyError("gold")
        except KeyError as first:
            raise RuntimeError("gold") from first
    except RuntimeError as last:
        told = chain(last)
    assert [each.kind for each in told] == ["RuntimeError", "KeyError"]
    assert "gold" not in str(told)


def test_exceptions_that_lead_to_each_other_come_to_an_end() -> None:
    first, second = ValueError(), KeyError()
    first.__cause__, second.__cause__ = second, first
    assert len(chain(first)) == 2
