"""Ratings of several judges: a line for each rating, or a column for each judge."""

from __future__ import annotations

from pathlib import Path

import pytest

from leaderboard.contract import FormatError
from leaderboard.formats.ratings import read_ratings
from leaderboard.judging.agreement import Rating

LONG = "word1,word2,judge,rating,seconds\nа,б,x,3,4.5\nа,б,y,2,1\nв,г,x,,2\nв,г,y,0,2\n"
WIDE = "word1,word2,x,y\nа,б,3,2\nв,г,,0\n"
READ = (Rating(("а", "б"), "x", 3.0), Rating(("а", "б"), "y", 2.0), Rating(("в", "г"), "y", 0.0))


def read(tmp_path: Path, content: str, *, numbers: bool = True) -> tuple[Rating, ...]:
    file = tmp_path / "ratings.csv"
    file.write_bytes(content.encode())
    return read_ratings(file, numbers=numbers)


@pytest.mark.parametrize(
    "content", [LONG, WIDE, WIDE.replace(",", ";"), "\ufeff" + LONG.replace("\n", "\r\n")]
)
def test_both_shapes_say_the_same(tmp_path: Path, content: str) -> None:
    assert read(tmp_path, content) == READ


def test_the_first_column_names_the_unit_where_none_is_known(tmp_path: Path) -> None:
    assert read(tmp_path, "question;Anna;Boris\nq1;2,5;1\n") == (
        Rating(("q1",), "Anna", 2.5),
        Rating(("q1",), "Boris", 1.0),
    )


def test_units_without_a_name_are_told_apart_by_their_lines(tmp_path: Path) -> None:
    assert [rating.unit for rating in read(tmp_path, "item,x,y\n,1,2\n,1,1\n")] == [
        ("2",),
        ("2",),
        ("3",),
        ("3",),
    ]


def test_words_are_categories_where_no_numbers_are_needed(tmp_path: Path) -> None:
    found = read(tmp_path, "item,x,y\na,yes,no\nb,no,no\n", numbers=False)
    assert [rating.value for rating in found] == [1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("item,x,y\na,yes,no\n", "not-a-number"),
        ("item,x,y\na,inf,1\n", "not-a-number"),
        ("item,x,y\na,1\n", "field-count"),
        ("item,x,y\na,,\n", "empty"),
        ("judge,rating\nx,1\n", "header"),
        ("", "empty"),
    ],
)
def test_what_cannot_be_understood_is_named(tmp_path: Path, content: str, kind: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(tmp_path, content)
    assert caught.value.faults[0].kind == kind
