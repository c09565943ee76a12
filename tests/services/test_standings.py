"""Standings: computed when something changes, stored, read as they are."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, func, select, update

from leaderboard.services import boards, run_pages, standings, tasks
from leaderboard.store.models import Board, Run, Standing
from leaderboard.store.session import Database
from tests.kept import kept
from tests.services.ready import ready
from tests.services.toy import NOON, Toy, evaluation, make_spec

RUNS: list[tuple[str, tuple[float, ...], int, dict[str, Any]]] = [
    ("red", (0.1, 0.5, 0.9), 4, {}),
    ("blue", (0.1, 0.5, 0.9), 2, {}),
    ("green", (0.1, 0.5, 0.5), 1, {}),
    ("green", (0.1, 0.5, 0.8), 6, {}),
    ("grey", (0.0, 0.0, 0.0), 3, {}),
    ("base", (0.1, 0.5, 0.7), 0, {"kind": "baseline"}),
    ("red", (0.9, 0.5, 0.1), 5, {"kind": "contrastive"}),
]


def enter_all(toy: Toy, entered: list[tuple[str, tuple[float, ...], int, dict[str, Any]]]) -> None:
    for team, values, minute, details in entered:
        toy.enter(team, *values, minute=minute, **details)


def entered(toy: Toy, runs: list[tuple[str, tuple[float, ...], int, dict[str, Any]]] = RUNS) -> None:
    """The first so many runs, in a task that has none."""
    kept(("standings", len(runs)), toy.database, toy.folder, lambda: enter_all(toy, runs))


def board(toy: Toy, track: str | None, **wanted: Any) -> boards.Board:
    with toy.database.reading() as session:
        return boards.board(session, toy.spec, track, "open", **wanted)


def plain(toy: Toy, track: str | None) -> list[object]:
    """A board without the numbers that a database gives to its rows."""
    return [
        (row.position, row.place, row.team, row.value, row.values, row.places, row.reason, row.kind, row.late)
        for row in board(toy, track).rows
    ]


def change(toy: Toy, run_id: int, **values: object) -> None:
    with toy.database.writing() as session:
        session.execute(update(Run).where(Run.id == run_id).values(**values))
        standings.refresh(session, toy.spec, toy.scorer.VERSION, NOON)


def test_teams_stand_with_their_best_run_and_equals_share_a_place(toy: Toy) -> None:
    entered(toy)
    assert toy.lines("near") == [
        ("blue", 1),
        ("red", 1),
        ("green", 3),
        ("base", None),
        ("grey", 4),
        ("red", None),
    ]


def test_a_run_without_value_stands_last_with_its_reason(toy: Toy) -> None:
    entered(toy)
    last = board(toy, "same").rows[-1]
    assert (last.team, last.place, str(last.reason)) == (
        "grey",
        None,
        "All values of the run are the same.",
    )


def test_a_line_has_the_values_and_places_of_all_tracks(toy: Toy) -> None:
    entered(toy)
    first = board(toy, "near").rows[0]
    assert first.value == first.values["near"]["closeness"] == 1.0
    assert first.values["same"]["correlation"] == pytest.approx(1.0)
    assert first.places == {"near": 1, "same": 1}


@pytest.mark.parametrize("seed", range(3))
def test_the_order_in_which_runs_arrive_never_matters(toy: Toy, seed: int) -> None:
    entered(toy)
    expected = {track: plain(toy, track) for track in ("near", "same", None)}
    other = Toy(toy.database, toy.folder / "other", replace(toy.spec, name="other")).install()
    other.install_gold()
    shuffled = RUNS[:]
    random.Random(seed).shuffle(shuffled)
    enter_all(other, shuffled)
    assert {track: plain(other, track) for track in ("near", "same", None)} == expected


def test_a_board_names_its_gold_and_scorer(toy: Toy) -> None:
    entered(toy, RUNS[:2])
    toy.install_gold(near=(0.2, 0.2, 0.2))
    found = board(toy, "near")
    assert (found.gold_version, found.scorer_version) == (2, "1")
    assert found.versions == {"near": 2, "same": 1}
    assert "version 2" in str(found.rows[0].reason)


def test_the_board_of_an_earlier_gold_version_stays_readable(toy: Toy) -> None:
    entered(toy, RUNS[:3])
    before = board(toy, "near")
    toy.install_gold(near=(0.2, 0.2, 0.2))
    old = board(toy, "near", gold_version=1)
    assert (old.rows, old.revision) == (before.rows, before.revision)


def test_refreshing_what_has_not_changed_writes_nothing(toy: Toy) -> None:
    entered(toy)
    before = board(toy, "near")
    with toy.database.writing() as session:
        later = NOON + timedelta(days=1)
        assert standings.refresh(session, toy.spec, toy.scorer.VERSION, later) == 0
    assert board(toy, "near") == before


def test_a_run_no_better_than_the_counted_one_leaves_the_board_as_it_is(toy: Toy) -> None:
    entered(toy)
    before = board(toy, "near"), board(toy, "same"), board(toy, None)
    toy.enter("green", 0.1, 0.5, 0.4, minute=50)
    assert (board(toy, "near"), board(toy, "same"), board(toy, None)) == before


def test_what_is_stored_equals_a_fresh_computation(toy: Toy) -> None:
    entered(toy)
    with toy.database.writing() as session:
        stored = session.execute(select(Standing.board_id, Standing.position, Standing.value)).all()
        session.execute(update(Board).values(fingerprint=""))
        standings.refresh(session, toy.spec, toy.scorer.VERSION, NOON)
        fresh = session.execute(select(Standing.board_id, Standing.position, Standing.value)).all()
    assert sorted(stored, key=lambda row: row[:2]) == sorted(fresh, key=lambda row: row[:2])


def test_a_disqualified_run_takes_no_place_and_says_why(toy: Toy) -> None:
    first, _ = toy.enter("a", 0.1, 0.5, 0.9), toy.enter("b", 0.1, 0.5, 0.8)
    change(toy, first, disqualified_at=NOON, disqualified_for="It was trained on the gold.")
    assert toy.lines("near") == [("a", None), ("b", 1)]
    assert "trained on the gold" in str(board(toy, "near").rows[0].reason)
    change(toy, first, disqualified_at=None)
    assert toy.lines("near") == [("a", 1), ("b", 2)]


def reasons(toy: Toy, run_id: int) -> set[str]:
    with toy.database.reading() as session:
        results = run_pages.show(session, toy.spec, run_id).results
    assert not any(result.listed for result in results)
    return {str(result.reason) for result in results}


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        ("hidden_at", "The organisers have hidden this run."),
        ("withdrawn_at", "The team has withdrawn this run."),
    ],
)
def test_a_hidden_or_withdrawn_run_is_not_listed_and_its_page_says_why(
    toy: Toy, column: str, reason: str
) -> None:
    first, _ = toy.enter("a", 0.1, 0.5, 0.9), toy.enter("b", 0.1, 0.5, 0.8)
    change(toy, first, **{column: NOON})
    assert toy.lines("near") == [("b", 1)]
    assert reasons(toy, first) == {reason}


def test_the_page_of_a_run_that_does_not_count_says_that_another_does(toy: Toy) -> None:
    worse, _ = toy.enter("a", 0.1, 0.5, 0.4), toy.enter("a", 0.1, 0.5, 0.9)
    assert reasons(toy, worse) == {"Another run of the team counts on this track."}


def test_a_phase_that_is_added_later_gets_its_boards_at_the_next_refresh(toy: Toy) -> None:
    toy.spec = replace(toy.spec, phases=evaluation())
    with toy.database.writing() as session:
        tasks.install(session, toy.spec, NOON)
        assert standings.due(session, toy.spec)
        standings.refresh(session, toy.spec, toy.scorer.VERSION, NOON)
    assert toy.lines("near", "evaluation") == []


def test_a_late_run_stands_without_a_place(database: Database, tmp_path: Path) -> None:
    toy = ready(database, tmp_path, make_spec(phases=evaluation(closes=1)))
    toy.enter("late", 0.1, 0.5, 0.9, minute=90)
    toy.enter("early", 0.1, 0.5, 0.8, minute=1)
    assert toy.lines("near", "evaluation") == [("late", None), ("early", 1)]


def test_each_phase_has_a_board_of_its_own(database: Database, tmp_path: Path) -> None:
    phases = (replace(evaluation(-48, -24)[0], name="practice"), *evaluation())
    toy = ready(database, tmp_path, make_spec(phases=phases))
    toy.enter("a", 0.1, 0.5, 0.9, minute=-60 * 30)
    toy.enter("b", 0.1, 0.5, 0.8)
    assert toy.lines("near", "practice") == [("a", 1)]
    assert toy.lines("near", "evaluation") == [("b", 1)]
    assert boards.current_phase(toy.spec, NOON) == "evaluation"


def test_under_selected_the_chosen_run_counts(database: Database, tmp_path: Path) -> None:
    toy = ready(database, tmp_path, make_spec(counting="selected"))
    good, bad = toy.enter("a", 0.1, 0.5, 0.9, minute=1), toy.enter("a", 0.1, 0.5, 0.8, minute=2)
    assert [row.run_id for row in board(toy, "near").rows] == [bad]
    change(toy, good, selected=True)
    assert [row.run_id for row in board(toy, "near").rows] == [good]


def test_overall_ranks_teams_by_their_mean_place(toy: Toy) -> None:
    entered(toy)
    overall = board(toy, None)
    assert [(row.team, row.place, row.value) for row in overall.rows] == [
        ("blue", 1, 1.0),
        ("red", 1, 1.0),
        ("green", 3, 3.0),
        ("grey", 4, 4.0),
    ]
    green = overall.rows[2]
    assert (green.run_id, green.places) == (None, {"near": 3, "same": 3})
    assert set(green.runs) == {"near", "same"}


def test_a_board_can_be_read_in_parts(toy: Toy) -> None:
    entered(toy)
    whole = board(toy, "near")
    part = board(toy, "near", first=3, most=2)
    assert part.rows == whole.rows[2:4]
    assert part.lines == whole.lines == 6


def test_boards_that_are_not_there_say_why(toy: Toy, tmp_path: Path) -> None:
    bare = Toy(toy.database, tmp_path / "bare", make_spec(name="bare", overall=None)).install()
    with pytest.raises(boards.NoBoard, match="not installed"):
        board(bare, "near")
    with pytest.raises(boards.NoBoard, match="no track nowhere"):
        board(bare, "nowhere")
    with pytest.raises(boards.NoBoard, match="no overall"):
        board(bare, None)
    with toy.database.reading() as session, pytest.raises(boards.NoBoard, match="no phase later"):
        boards.board(session, toy.spec, "near", "later")


def test_another_tasks_boards_are_not_touched(toy: Toy) -> None:
    entered(toy, RUNS[:2])
    before = board(toy, "near")
    other = Toy(toy.database, toy.folder / "other", replace(toy.spec, name="other")).install()
    other.install_gold()
    enter_all(other, RUNS[2:4])
    assert board(toy, "near") == before


def test_the_number_of_statements_does_not_grow_with_the_runs(toy: Toy) -> None:
    counted: list[str] = []
    event.listen(
        toy.database.engine,
        "before_cursor_execute",
        lambda _c, _cur, statement, *_: counted.append(statement),
    )

    def statements() -> int:
        counted.clear()
        with toy.database.writing() as session:
            session.execute(update(Board).values(fingerprint=""))
            standings.refresh(session, toy.spec, toy.scorer.VERSION, NOON)
        board(toy, "near")
        return len(counted)

    enter_all(toy, RUNS[:2])
    few = statements()
    enter_all(toy, RUNS[2:])
    assert statements() == few


def test_every_phase_has_its_empty_boards_once_gold_is_there(toy: Toy) -> None:
    with toy.database.reading() as session:
        assert session.scalar(select(func.count()).select_from(Board)) == 3
    assert board(toy, "near").rows == ()


def test_the_board_for_late_runs_goes_with_the_last_of_them(database: Database, tmp_path: Path) -> None:
    toy = ready(database, tmp_path, make_spec(phases=evaluation(closes=1)))
    toy.enter("early", 0.1, 0.5, 0.8)
    late = toy.enter("late", 0.1, 0.5, 0.9, minute=90)
    with database.reading() as session:
        found = boards.board(session, toy.spec, "near", "evaluation", stage="post-evaluation")
        overall = boards.board(session, toy.spec, None, "evaluation", stage="post-evaluation")
    assert [(row.team, row.place) for row in found.rows] == [("late", 1), ("early", 2)]
    assert [row.team for row in overall.rows] == ["late", "early"]
    with database.writing() as session:
        session.get_one(Run, late).withdrawn_at = NOON
        standings.refresh(session, toy.spec, toy.scorer.VERSION, NOON)
    with database.reading() as session:
        assert not boards.has_late_runs(session, toy.spec, "evaluation")
        with pytest.raises(boards.NoBoard, match="came late"):
            boards.board(session, toy.spec, "near", "evaluation", stage="post-evaluation")
