"""What is told of values beside all else a task has: parts, drafts, archives, intervals, joined teams."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import select

from leaderboard.contract import SplitSpec
from leaderboard.services import (
    analysing,
    boards,
    public_values,
    rescoring,
    scoring,
    team_merging,
)
from leaderboard.services.audit import SHELL
from leaderboard.store.models import (
    EXACT,
    PRIVATE,
    PUBLIC,
    SHOWN_SPLITS,
    Board,
    BoardAnalysis,
    Job,
    Run,
    Score,
)
from leaderboard.store.session import Database
from tests.services import archived, drafting
from tests.services.pair_task import GOOD, PairTask
from tests.services.test_announced_values import change, enter_all, guarded, scores, told_by, told_of
from tests.services.test_parts import GOLD, MARKED, final, phase
from tests.services.toy import NOON, Toy, make_spec


def test_an_archive_has_exact_values_only_where_it_has_the_gold(
    database: Database, tmp_path: Any, sqlite_template: Path
) -> None:
    toy = guarded(database, tmp_path)
    enter_all(toy)
    exact = [repr(value)[:8] for value in scores(toy, EXACT).values() if value not in (1.0, 0.5)]
    without = b"".join(archived.entries(archived.make(toy)).values()).decode("utf-8", "replace")
    assert [value for value in exact if value in without] == []
    assert '"exact"' not in without.replace('"same": "exact"', "")
    there = archived.elsewhere(toy, sqlite_template)
    archived.bring(there, archived.make(toy, with_gold=True))
    assert told_of(there) == told_of(toy)
    assert scores(there, EXACT) == scores(toy, EXACT)
    there.database.close()


def test_with_a_private_part_the_final_standing_is_exact(database: Database, tmp_path: Any) -> None:
    spec = replace(told_by("ladder 0.1"), phases=(phase(),))
    toy = Toy(database, tmp_path, spec).install()
    toy.install_gold(GOLD, GOLD)
    with database.writing() as session:
        public_values.adopt(session, spec)
    marked = toy.enter("one", *MARKED)
    toy.enter("one", *GOLD, minute=1)
    worse = toy.enter("one", *(1 - value for value in GOLD), minute=2)
    assert scores(toy, PUBLIC)[worse] == 1.0
    private, shown = scores(toy, PRIVATE), {row.team: row for row in final(toy).rows}["one"]
    # The first one was announced, and the second is no whole step better: the first counts.
    assert (shown.run_id, shown.value) == (marked, private[marked])
    assert shown.public_value == 1.0
    before = scores(toy, EXACT)
    with database.writing() as session:
        public_values.adopt(session, replace(make_spec(), phases=(phase(),)))
    assert (scores(toy, PUBLIC), scores(toy, EXACT), scores(toy, PRIVATE)) == (before, {}, private)


def test_what_runs_are_compared_by_stays_with_the_part_that_it_is_of(
    database: Database, tmp_path: Path
) -> None:
    plain = PairTask(database, tmp_path)
    hj, *others = plain.spec.tracks
    phases = tuple(replace(each, split=SplitSpec(0.5, seed=3)) for each in plain.spec.phases)
    spec = replace(plain.spec, phases=phases, tracks=(replace(hj, public_values="ladder"), *others))
    parted = replace(plain, spec=spec).install().install_inputs()
    with database.writing() as session:
        public_values.adopt(session, spec)
    parted.install_gold(hj=[(*pair, place / 10) for place, pair in enumerate(GOOD)])
    parted.enter("one", GOOD)
    with database.reading() as session:
        compared = select(Score.split).where(Score.per_topic.is_not(None)).distinct()
        assert session.scalars(compared).all() == [EXACT]


def test_a_ladder_declared_in_the_folder_has_runs_without_topics_scored_again(
    database: Database, tmp_path: Path
) -> None:
    plain = PairTask(database, tmp_path).install().install_inputs()
    plain.install_gold(hj=[(*pair, place / 10) for place, pair in enumerate(GOOD)])
    plain.enter("one", GOOD)
    hj, *others = plain.spec.tracks
    spec = replace(plain.spec, tracks=(replace(hj, public_values="ladder"), *others))
    for _ in range(2):
        with database.writing() as session:
            public_values.adopt_all(session, spec, NOON)
    with database.reading() as session:
        assert session.scalars(select(Job.kind)).all() == [rescoring.JOB]


def test_no_interval_is_drawn_where_less_is_told(database: Database, tmp_path: Any) -> None:
    toy = guarded(database, tmp_path)
    enter_all(toy)
    toy.enter("two", 0.1, 0.4, 0.9)
    with database.reading() as session:
        boards = [session.get_one(Board, number).track for number in analysing.due(session, toy.spec)]
    assert boards == ["same"]
    assert change(toy, near="exact", same="exact")
    both = rescoring.Transactions(database.reading, database.writing)
    analysing.finish(both, toy.files, toy.spec, toy.scorer, lambda: NOON, rescoring.unwatched)
    with database.reading() as session:
        assert session.scalars(select(BoardAnalysis)).all() != []
    assert change(toy, near="rounded 1", same="rounded 1")
    with database.reading() as session:
        assert session.scalars(select(BoardAnalysis)).all() == []


def test_two_teams_that_become_one_climb_together(database: Database, tmp_path: Any) -> None:
    toy = guarded(database, tmp_path)
    first = toy.enter("one", 0.4, 0.9, 0.1)
    toy.enter("two", 0.1, 0.5, 0.9, minute=1)
    last = toy.enter("one", 0.35, 0.8, 0.3, minute=2)
    assert scores(toy, *SHOWN_SPLITS)[last] == 0.6
    with database.writing() as session:
        teams = {run.id: run.team_id for run in session.scalars(select(Run))}
        source = next(team for team in teams.values() if team != teams[first])
        team_merging.merge(session, toy.spec, "1", source, teams[first], SHELL, NOON)
    assert scores(toy, *SHOWN_SPLITS) == {first: 0.5, first + 1: 1.0, last: 1.0}


def test_a_draft_of_gold_tells_what_it_would_if_it_had_been_there(database: Database, tmp_path: Any) -> None:
    toy = guarded(database, tmp_path)
    enter_all(toy)
    before = told_of(toy)
    made = drafting.ready(toy)
    with database.reading() as session:
        board = boards.board(session, toy.spec, "near", "open")
    assert [row.value for row in board.rows] == [1.0]
    drafting.apply(toy, made.number)
    drafted = scores(toy, *SHOWN_SPLITS)
    with database.writing() as session:
        for run in reversed(session.scalars(select(Run.id)).all()):
            scoring.score(session, toy.files, toy.spec, toy.scorer, run, NOON)
    assert scores(toy, *SHOWN_SPLITS) == drafted
    assert len(told_of(toy)) == 2 * len(before)
