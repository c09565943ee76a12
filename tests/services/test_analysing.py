"""Intervals and groups of boards are computed in the background, stored, and read as they are."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import select

from leaderboard.analysis.samples import ByUnit
from leaderboard.services import analysing, board_samples, board_values, boards, gold, queue
from leaderboard.services.boards import Row
from leaderboard.services.rescoring import Transactions, unwatched
from leaderboard.services.score_rows import PER_TOPIC
from leaderboard.store.models import BoardAnalysis, Job, Resampling, Score
from leaderboard.store.session import Database
from tests.services.pair_task import GOOD, HJ, PairTask
from tests.services.toy import NOON, Toy

GOLD = (0.1, 0.5, 0.9, 0.3, 0.7, 0.2, 0.6, 0.4)


def toy_in(database: Database, folder: Path) -> Toy:
    """The toy task with eight topics."""
    made = Toy(database, folder).install()
    made.install_gold(near=GOLD, same=GOLD)
    return made


@pytest.fixture
def sqlite(sqlite_template: Path, tmp_path: Path) -> Iterator[Database]:
    """What is computed does not depend on the database; what is asked of it is tested on both."""
    shutil.copyfile(sqlite_template, tmp_path / "leaderboard.db")
    opened = Database(f"sqlite:///{tmp_path / 'leaderboard.db'}")
    yield opened
    opened.close()


@pytest.fixture
def topics(sqlite: Database, tmp_path: Path) -> Toy:
    return toy_in(sqlite, tmp_path)


@pytest.fixture
def topics_on_both(database: Database, tmp_path: Path) -> Toy:
    return toy_in(database, tmp_path)


@pytest.fixture
def pairs(sqlite: Database, tmp_path: Path) -> PairTask:
    return PairTask(sqlite, tmp_path).install().install_inputs().install_gold()


@pytest.fixture
def pairs_on_both(database: Database, tmp_path: Path) -> PairTask:
    return PairTask(database, tmp_path).install().install_inputs().install_gold()


def analyse(site: Toy | PairTask) -> int:
    transactions = Transactions(site.database.reading, site.database.writing)
    return analysing.finish(transactions, site.files, site.spec, site.scorer, lambda: NOON, unwatched)


def due(site: Toy | PairTask) -> int:
    with site.database.reading() as session:
        return len(analysing.due(session, site.spec))


def rows(site: Toy | PairTask, track: str) -> dict[str, Row]:
    with site.database.reading() as session:
        return {row.team: row for row in boards.board(session, site.spec, track, "open").rows}


def shifted(by: float) -> tuple[float, ...]:
    """A run whose error grows with `by`, differently on each topic."""
    return tuple(value + by * (1 + number / 10) for number, value in enumerate(GOLD))


def test_a_board_is_due_until_it_is_analysed(topics_on_both: Toy) -> None:
    topics_on_both.enter("a", *shifted(0.01))
    assert due(topics_on_both) == 2

    assert analyse(topics_on_both) == 2

    assert due(topics_on_both) == 0
    assert analyse(topics_on_both) == 0


def test_a_value_lies_within_its_interval_and_a_far_run_in_another_group(topics: Toy) -> None:
    topics.enter("good", *shifted(0.01))
    topics.enter("nearly", *shifted(0.011)[::-1], minute=1)
    topics.enter("bad", *shifted(0.4), minute=2)
    analyse(topics)

    found = rows(topics, "near")

    for row in found.values():
        assert row.sureness is not None
        assert row.value is not None
        assert row.sureness.low is not None
        assert row.sureness.high is not None
        assert row.sureness.low <= row.value <= row.sureness.high
    assert found["good"].sureness.group == "a"  # type: ignore[union-attr]
    assert found["bad"].sureness.group not in ("", "a")  # type: ignore[union-attr]


def test_ends_have_no_more_digits_than_the_track_displays(topics: Toy) -> None:
    topics.enter("a", *shifted(0.01))
    analyse(topics)

    sureness = rows(topics, "near")["a"].sureness

    with topics.database.reading() as session:
        stored = [line for row in session.scalars(select(BoardAnalysis)) for line in row.lines.values()]
    assert [set(line) for line in stored] == [{"value", "low", "high", "group"}]
    assert sureness is not None
    for end in (sureness.low, sureness.high):
        assert end is not None
        assert end == round(end, topics.spec.track("near").digits)


def test_the_same_runs_give_the_same_numbers_again(topics: Toy) -> None:
    topics.enter("a", *shifted(0.01))
    topics.enter("b", *shifted(0.3), minute=1)
    analyse(topics)
    before = rows(topics, "near")
    with topics.database.writing() as session:
        for row in session.scalars(select(BoardAnalysis)):
            session.delete(row)

    analyse(topics)

    assert rows(topics, "near") == before


def test_the_intervals_are_those_of_the_values_by_topic(topics: Toy) -> None:
    run = topics.enter("a", *shifted(0.2))
    analyse(topics)

    with topics.database.reading() as session:
        score = session.scalars(select(Score).where(Score.run_id == run, Score.measure == "closeness")).one()
        version = next(each for each in gold.active(session, topics.spec) if each.track == "near")
        packed = score.per_topic or b""
    matrix = np.frombuffer(packed, PER_TOPIC)[np.newaxis].astype(float)
    (expected,) = ByUnit(matrix, board_values.seed_of(version.file_hash)).intervals()
    sureness = rows(topics, "near")["a"].sureness
    assert sureness is not None
    assert (sureness.low, sureness.high) == (round(expected.low, 4), round(expected.high, 4))


def test_a_task_that_cannot_be_resampled_has_boards_without_intervals(topics: Toy) -> None:
    topics.enter("a", *shifted(0.01))
    analyse(topics)

    assert rows(topics, "same")["a"].sureness is None


def test_a_new_run_makes_the_board_due_and_leaves_other_intervals_but_no_groups(topics_on_both: Toy) -> None:
    topics_on_both.enter("a", *shifted(0.01))
    topics_on_both.enter("b", *shifted(0.3), minute=1)
    analyse(topics_on_both)
    before = rows(topics_on_both, "near")
    assert before["a"].sureness is not None
    assert before["a"].sureness.group

    topics_on_both.enter("c", *shifted(0.1), minute=2)

    after = rows(topics_on_both, "near")
    assert due(topics_on_both) == 2
    assert after["c"].sureness is None
    assert after["a"].sureness is not None
    assert (after["a"].sureness.low, after["a"].sureness.group) == (before["a"].sureness.low, "")


def test_baselines_have_intervals_and_stand_in_no_group(topics: Toy) -> None:
    topics.enter("a", *shifted(0.01))
    topics.enter("b", *shifted(0.3), minute=1, kind="baseline")
    analyse(topics)

    sureness = rows(topics, "near")["b"].sureness

    assert sureness is not None
    assert (sureness.low is None, sureness.group) == (False, "")


def test_word_pairs_are_resampled_by_the_scorer_and_kept(pairs_on_both: PairTask) -> None:
    pairs_on_both.enter("good", GOOD)
    pairs_on_both.enter("poor", [0.9 - value for value in GOOD.values()], 1)

    assert analyse(pairs_on_both) == 3

    found = rows(pairs_on_both, "hj")["good"].sureness
    assert found is not None
    assert found.low is not None
    with pairs_on_both.database.reading() as session:
        kept = session.scalars(select(Resampling)).all()
        measures = {row.measure for row in kept}
        # Of AE a single source word is scored, so nothing can be resampled there.
        assert (measures, len(kept)) == ({"spearman", "AveP"}, 4)
        assert {len(row.values) for row in kept} == {4 * board_samples.DRAWS}


def test_only_a_new_run_is_read(pairs: PairTask, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs.enter("good", GOOD)
    analyse(pairs)
    pairs.enter("poor", [0.9 - value for value in GOOD.values()], 1)
    read: list[str] = []
    check = pairs.scorer.check

    def watched(spec: Any, path: Path, inputs: Any) -> Any:
        read.append(path.name)
        return check(spec, path, inputs)

    monkeypatch.setattr(pairs.scorer, "check", watched)
    analyse(pairs)

    # Once for HJ and once for RT.
    assert len(read) == 2
    assert len(set(read)) == 1


def test_a_run_that_counts_on_one_track_is_drawn_on_all(pairs: PairTask) -> None:
    best_on_hj = {pair: 1 - value for pair, value in GOOD.items()} | {pair[:2]: pair[2] for pair in HJ}
    first = pairs.enter("team", best_on_hj)
    second = pairs.enter("team", GOOD | {HJ[0][:2]: 0.0}, 1)
    with pairs.database.reading() as session:
        counted = [boards.board(session, pairs.spec, track, "open").rows[0].run_id for track in ("hj", "rt")]
    assert counted == [first, second]

    analyse(pairs)

    with pairs.database.reading() as session:
        drawn = {(row.run_id, row.measure) for row in session.scalars(select(Resampling))}
    assert drawn == {(run, measure) for run in (first, second) for measure in ("spearman", "AveP")}


def test_what_was_drawn_for_a_run_that_no_longer_counts_is_forgotten(pairs_on_both: PairTask) -> None:
    poor = pairs_on_both.enter("team", [0.9 - value for value in GOOD.values()])
    analyse(pairs_on_both)
    pairs_on_both.enter("team", GOOD, 1)
    analyse(pairs_on_both)

    with pairs_on_both.database.reading() as session:
        assert poor not in set(session.scalars(select(Resampling.run_id)))


def test_a_missing_file_leaves_its_line_without_an_interval(pairs: PairTask) -> None:
    pairs.enter("good", GOOD)
    lost = pairs.enter("poor", [0.9 - value for value in GOOD.values()], 1)
    with pairs.database.reading() as session:
        row = boards.board(session, pairs.spec, "hj", "open").rows[1]
    assert row.run_id == lost
    pairs.files.kept.path(row.file_hash or "").unlink()

    analyse(pairs)

    assert rows(pairs, "hj")["poor"].sureness is None
    assert rows(pairs, "hj")["good"].sureness is not None


@pytest.mark.parametrize(
    ("limit", "names", "lettered"),
    [
        ({"LETTERS": 1}, ["1", "2", "3"], False),
        ({"GROUPED": 2}, ["1", "2", "3"], False),
        ({"COMPARED": 2}, ["a", "b", ""], True),
        ({"COMPARED": 2, "GROUPED": 1}, ["1", "2", ""], False),
    ],
)
def test_of_many_runs_the_first_are_compared_and_told_by_places(
    topics: Toy, monkeypatch: pytest.MonkeyPatch, limit: dict[str, int], names: list[str], lettered: bool
) -> None:
    for name, most in limit.items():
        monkeypatch.setattr(board_samples, name, most)
    topics.enter("good", *shifted(0.01))
    topics.enter("bad", *shifted(0.4), minute=1)
    topics.enter("as bad", *shifted(0.41), minute=2)
    analyse(topics)

    with topics.database.reading() as session:
        board = boards.board(session, topics.spec, "near", "open")

    assert board.lettered is lettered
    assert [row.sureness.group for row in board.rows if row.sureness] == names


def test_the_queue_is_told_once_of_what_is_due(topics_on_both: Toy) -> None:
    topics_on_both.enter("a", *shifted(0.01))
    delivered: list[int] = []
    for _ in range(2):
        with topics_on_both.database.writing() as session:
            analysing.request_due(session, NOON, delivered.append)
    assert len(delivered) == 1

    registry = {
        analysing.JOB: analysing.job(
            Transactions(topics_on_both.database.reading, topics_on_both.database.writing),
            topics_on_both.files,
            lambda _: (topics_on_both.spec, topics_on_both.scorer),
            lambda: NOON,
        )
    }
    assert queue.run(topics_on_both.database.writing, registry, delivered[0], lambda: NOON) == "done"

    assert due(topics_on_both) == 0
    with topics_on_both.database.writing() as session:
        assert analysing.request_due(session, NOON) == ()
        assert session.get_one(Job, delivered[0]).result == {"boards": 2}


def test_an_analysis_that_failed_is_not_asked_for_until_something_changes(topics: Toy) -> None:
    topics.enter("a", *shifted(0.01))
    with topics.database.writing() as session:
        (job_id,) = analysing.request_due(session, NOON)
        session.get_one(Job, job_id).state = "failed"
    with topics.database.writing() as session:
        assert analysing.request_due(session, NOON) == ()
