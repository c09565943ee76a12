"""Many at once: the outcome is that of one after the other."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

from sqlalchemy import func, select

from leaderboard.services import boards, runs
from leaderboard.store.models import Run, Score
from tests.services.test_kills import check_runs, check_standings
from tests.services.toy import NOON, Toy

AT_ONCE = 4


def lines(toy: Toy) -> list[object]:
    with toy.database.reading() as session:
        found = [boards.board(session, toy.spec, track, "open") for track in ("near", "same", None)]
    return [(row.place, row.team, row.value) for board in found for row in board.rows]


def test_runs_submitted_and_scored_at_once_all_count(toy: Toy) -> None:
    entered = [(f"team {number}", (0.1, number / 20, 0.9), number) for number in range(20)]

    def enter(run: tuple[str, tuple[float, ...], int]) -> int:
        team, values, minute = run
        return toy.enter(team, *values, minute=minute)

    with ThreadPoolExecutor(AT_ONCE) as threads:
        told = set(threads.map(enter, entered))
    check_runs(toy, told)
    check_standings(toy)
    at_once = lines(toy)
    other = Toy(toy.database, toy.folder / "other", replace(toy.spec, name="other")).install()
    other.install_gold()
    for team, values, minute in entered:
        other.enter(team, *values, minute=minute)
    assert lines(other) == at_once


def test_the_same_file_sent_twice_at_once_is_one_run(toy: Toy) -> None:
    path = toy.write("same.txt", 0.1, 0.5)
    together = Barrier(AT_ONCE)

    def submit(_number: int) -> runs.Submission:
        received = runs.receive(toy.files, toy.spec, toy.scorer, path, None)
        together.wait()
        with toy.database.writing() as session:
            return runs.record(session, toy.spec, received, runs.Details("a"), NOON)

    with ThreadPoolExecutor(AT_ONCE) as threads:
        submitted = list(threads.map(submit, range(AT_ONCE)))
    assert len({submission.run_id for submission in submitted}) == 1
    assert sorted(submission.again for submission in submitted) == [False, True, True, True]


def test_one_run_scored_by_many_at_once_has_its_scores_once(toy: Toy) -> None:
    run_id = toy.submit("a", 0.1, 0.5, 0.9).run_id
    with ThreadPoolExecutor(AT_ONCE) as threads:
        assert set(threads.map(toy.score, [run_id] * AT_ONCE)) == {"scored"}
    with toy.database.reading() as session:
        assert session.scalar(select(func.count()).select_from(Score)) == 3
        assert session.scalar(select(func.count()).select_from(Run)) == 1
    check_standings(toy)
