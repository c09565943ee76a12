"""What is open, and what everybody may see of it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from leaderboard.contract import PhaseSpec
from leaderboard.services import phases
from leaderboard.services.phases import PhaseView
from leaderboard.store.session import Database
from tests.services.toy import NOON, TITLE, Toy, make_spec

HOUR = timedelta(hours=1)

TWO = (
    PhaseSpec("first", TITLE, NOON - 2 * HOUR, NOON - HOUR, reveals=("own",)),
    PhaseSpec("second", TITLE, NOON, NOON + HOUR, reveals=("own", "board", "per-topic")),
)


@pytest.fixture
def views(database: Database, tmp_path: Path) -> dict[str, tuple[str, bool, bool, bool]]:
    made = Toy(database, tmp_path, make_spec(phases=TWO)).install()
    seen: dict[str, tuple[str, bool, bool, bool]] = {}
    for hours in (-3, -1.5, -1, 0, 1):
        with made.database.reading() as session:
            for view in phases.listing(session, made.spec, NOON + hours * HOUR):
                seen[f"{view.name} {hours}"] = (view.state, view.current, view.shows_board, view.shows_topics)
    return seen


def test_a_phase_is_open_from_its_opening_until_just_before_its_closing(
    views: dict[str, tuple[str, bool, bool, bool]],
) -> None:
    assert [views[f"first {hours}"][0] for hours in (-3, -1.5, -1)] == ["upcoming", "open", "closed"]
    assert [views[f"second {hours}"][0] for hours in (-1, 0, 1)] == ["upcoming", "open", "closed"]


def test_one_phase_is_current_at_any_time(views: dict[str, tuple[str, bool, bool, bool]]) -> None:
    assert [views[f"second {hours}"][1] for hours in (-3, -1.5, -1, 0, 1)] == [
        False,
        False,
        False,
        True,
        True,
    ]
    assert [views[f"first {hours}"][1] for hours in (-3, -1.5, -1, 0, 1)] == [True, True, True, False, False]


def test_a_board_that_the_phase_hides_is_shown_once_it_has_closed(
    views: dict[str, tuple[str, bool, bool, bool]],
) -> None:
    assert [views[f"first {hours}"][2] for hours in (-1.5, -1)] == [False, True]


def test_closing_alone_shows_no_topics(views: dict[str, tuple[str, bool, bool, bool]]) -> None:
    assert not views["first 1"][3]
    assert views["second 0"][3]
    assert views["second 1"][3]


def test_a_phase_no_longer_declared_is_listed_last(database: Database, tmp_path: Path) -> None:
    made = Toy(database, tmp_path, make_spec(phases=TWO)).install()
    later = Toy(database, tmp_path, make_spec(phases=TWO[1:])).install()
    with made.database.reading() as session:
        found: tuple[PhaseView, ...] = phases.listing(session, later.spec, NOON)
    assert [(view.name, view.declared) for view in found] == [("second", True), ("first", False)]
