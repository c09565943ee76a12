"""Messages, times and numbers as people read them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from flask import Flask

from leaderboard.contract import Text, TrackSpec, say, say_count
from leaderboard.web import filters


@pytest.fixture(autouse=True)
def request_in_english(samples_app: Flask) -> Iterator[None]:
    with samples_app.test_request_context(headers={"Accept-Language": "en"}):
        yield


def track(title: str) -> TrackSpec:
    return TrackSpec("rt", Text({"en": title}), "gold", ("AP",), "AP")


def test_what_fills_a_message_is_escaped() -> None:
    assert filters.told(say("no {word} & more", word="<b>")) == "no <bdi>&lt;b&gt;</bdi> &amp; more"


def test_what_fills_a_message_is_not_filled_again() -> None:
    assert filters.told(say("{a}", a="{b.__class__} %(c)s")) == "<bdi>{b.__class__} %(c)s</bdi>"


def test_a_message_within_a_message_is_told_too() -> None:
    inner = say_count("{count} run", "{count} runs", 2)
    assert filters.told(say("It has {what}.", what=inner)) == "It has 2 runs."


def test_a_message_depends_on_its_number() -> None:
    assert filters.told(say_count("{count} run of {n}", "{count} runs of {n}", 1, n=1234)) == "1 run of 1234"
    assert filters.told(say_count("{count} run", "{count} runs", 12345)) == "12,345 runs"


def test_a_message_keeps_the_form_of_its_numbers() -> None:
    assert filters.told(say("{value:.2f}", value=0.125)) == "0.12"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.79, "0.7900"),
        (-0.25, "−0.2500"),
        (None, "–"),
        (-0.00001, "0.0000"),
        (12.0, "12.0000"),
        (math.nan, "–"),
    ],
)
def test_scores_have_their_digits_a_real_minus_and_no_negative_nought(
    value: float | None, written: str
) -> None:
    assert filters.score(value, 4) == written


def test_a_value_without_bounds_is_written_as_such() -> None:
    assert (filters.score(math.inf), filters.score(-math.inf)) == ("∞", "−∞")


def test_scores_of_no_digits_are_whole() -> None:
    assert filters.score(-3.2, 0) == "−3"


def test_times_are_in_utc() -> None:
    noon = datetime(2026, 3, 1, 12, 5, tzinfo=UTC)
    assert filters.moment(noon) == "1 Mar 2026, 12:05 UTC"
    assert filters.day(noon) == "1 Mar 2026"
    assert filters.iso(noon) == "2026-03-01T12:05:00Z"


@pytest.mark.parametrize(
    ("number", "written"), [(1, "1 byte"), (999, "999 bytes"), (1500, "2 kB"), (2_500_000, "2.5 MB")]
)
def test_sizes_are_said_shortly(number: int, written: str) -> None:
    assert filters.size(number) == written


def test_a_track_is_called_by_the_word_before_the_colon_or_by_its_name() -> None:
    assert (filters.short(track("RT: thesaurus")), filters.rest(track("RT: thesaurus"))) == (
        "RT",
        "thesaurus",
    )
    assert (filters.short(track("All of them")), filters.rest(track("All of them"))) == ("rt", "All of them")
    assert filters.short(track("Much too long: yes")) == "rt"
