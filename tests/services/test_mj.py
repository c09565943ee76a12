"""Building MJ from stored runs."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from leaderboard.catalog import Catalog
from leaderboard.services import boards, mj, mj_files, mj_pages, mj_plans, queue, standings
from leaderboard.services.gold import NoGoldInstalled
from leaderboard.services.job_pages import show
from leaderboard.services.mj_combining import RunUnusable
from leaderboard.store.models import Resource, Run, Task
from leaderboard.store.schema import upgrade
from leaderboard.store.session import Database
from tests.kept import kept
from tests.services.pair_task import AE, GOOD, HJ, LISTED, RT, TASKS, PairTask
from tests.services.toy import NOON, evaluation

FAIR = GOOD | {LISTED[0]: 0.4, LISTED[5]: 0.05}
POOR = {pair: -10 * value for pair, value in GOOD.items()}


def no_progress(done: int, total: int) -> None:
    """Nobody watches."""


@pytest.fixture
def task(database: Database, tmp_path: Path) -> PairTask:
    """The task with inputs and gold, and three teams."""
    made = PairTask(database, tmp_path)

    def fill() -> None:
        made.install().install_inputs().install_gold()
        for minute, (team, values) in enumerate({"poor": POOR, "good": GOOD, "fair": FAIR}.items()):
            made.enter(team, values, minute)

    kept("three teams", database, tmp_path, fill)
    return made


@pytest.fixture
def empty(database: Database, tmp_path: Path) -> PairTask:
    """The task with inputs and gold, without runs."""
    return PairTask(database, tmp_path).install().install_inputs().install_gold()


def plan(task: PairTask, weights: str = "rank", phase: str = "open") -> mj_plans.Plan:
    with task.database.reading() as session:
        return mj_plans.preview(session, task.spec, weights, phase)


def build(task: PairTask, weights: str = "rank", **changes: Any) -> mj.Built:
    return mj.build(
        task.transactions,
        task.files,
        task.spec,
        task.scorer,
        mj.Wanted(weights),
        lambda: NOON,
        changes.pop("progress", no_progress),
        **changes,
    )


def counted(task: PairTask, track: str, weights: str = "rank") -> list[tuple[str, int, float]]:
    found = {each.track: each for each in plan(task, weights).tracks}[track]
    return [(run.team, run.place, run.weight) for run in found.runs]


def rows(task: PairTask, file_hash: str) -> list[dict[str, str]]:
    with task.files.kept.path(file_hash).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def value(task: PairTask, built: mj.Built, track: str, pair: tuple[str, str]) -> float:
    (found,) = (
        float(row["mj"])
        for row in rows(task, built.file_hash)
        if (row["track"], row["word1"], row["word2"]) == (track, *pair)
    )
    return found


def test_the_preview_tells_run_place_and_weight_of_each_team(task: PairTask) -> None:
    assert counted(task, "rt") == [("good", 1, 3.0), ("fair", 2, 2.0), ("poor", 3, 1.0)]


def test_teams_that_share_a_place_share_the_better_weight(task: PairTask) -> None:
    task.enter("twin", GOOD, 9)
    assert counted(task, "rt") == [("good", 1, 4.0), ("twin", 1, 4.0), ("fair", 3, 2.0), ("poor", 4, 1.0)]


def test_a_team_without_a_value_on_a_track_makes_n_smaller_there(task: PairTask) -> None:
    task.enter("constant", [0.5] * len(LISTED), 9)
    assert ("constant", 3, 2.0) in counted(task, "rt")
    assert "constant" not in {team for team, _, _ in counted(task, "hj")}
    assert [weight for _, _, weight in counted(task, "hj")] == [3.0, 2.0, 1.0]
    reasons = {left.team: str(left.reason) for left in plan(task).tracks[0].left_out}
    assert "a constant cannot be correlated" in reasons["constant"]


def test_baselines_contrastive_and_disqualified_runs_have_no_part(task: PairTask) -> None:
    task.enter("organisers", GOOD | {LISTED[3]: 0.51}, 5, kind="baseline")
    task.enter("fair", GOOD | {LISTED[3]: 0.52}, 6, kind="contrastive")
    out = task.enter("out", GOOD | {LISTED[3]: 0.53}, 7)
    with task.database.writing() as session:
        session.execute(update(Run).where(Run.id == out).values(disqualified_at=NOON))
        standings.refresh(session, task.spec, task.scorer.VERSION, NOON)
    assert [team for team, _, _ in counted(task, "rt")] == ["good", "fair", "poor"]
    assert {left.team for left in plan(task).tracks[1].left_out} == {"organisers", "fair", "out"}


def test_late_runs_have_no_part(database: Database, tmp_path: Path) -> None:
    spec = replace(Catalog((TASKS,)).find("russe"), phases=evaluation(closes=1))
    task = PairTask(database, tmp_path, spec).install().install_inputs().install_gold()
    task.enter("prompt", FAIR, 0)
    task.enter("late", GOOD, 600)
    found = plan(task, phase="evaluation").tracks[0]
    assert [run.team for run in found.runs] == ["prompt"]
    assert [left.team for left in found.left_out] == ["late"]


def test_the_preview_names_no_pair(task: PairTask) -> None:
    text = repr(plan(task))
    assert not [word for pair in LISTED for word in pair if word in text]


@pytest.mark.parametrize("weights", ["rank", "exp", "sqrt"])
def test_a_value_is_the_weighted_mean_of_the_scaled_runs(task: PairTask, weights: str) -> None:
    built = build(task, weights)
    pair = ("дом", "изба")
    best, second, third = (weight for _, _, weight in counted(task, "rt", weights))
    # poor gives −9 on a scale from −10 to −1.
    expected = (best * 0.9 + second * 0.4 + third * (1 / 9)) / (best + second + third)
    assert value(task, built, "rt", pair) == pytest.approx(expected, abs=1e-12)


def test_a_missing_pair_enters_as_0(empty: PairTask) -> None:
    empty.enter("whole", GOOD)
    empty.enter("gap", {pair: score for pair, score in GOOD.items() if pair != ("лес", "рука")}, 1)
    built = build(empty)
    # Both have all of ae right (a missing pair scores 0), so both have the weight 2.
    assert value(empty, built, "ae", ("лес", "рука")) == pytest.approx(0.1 / 2, abs=1e-12)


def test_the_files_have_each_pair_once_a_track_and_once_in_all(task: PairTask) -> None:
    built = build(task)
    long, unique = rows(task, built.file_hash), rows(task, built.unique_hash)
    assert [(row["word1"], row["word2"], row["track"]) for row in long] == sorted(
        [(*pair[:2], track) for track, gold in (("hj", HJ), ("rt", RT), ("ae", AE)) for pair in gold]
    )
    assert list(long[0]) == ["word1", "word2", "mj", "paper_sum", "track", "n_runs"]
    shared = [float(row["mj"]) for row in long if (row["word1"], row["word2"]) == ("дом", "изба")]
    (once,) = (row for row in unique if (row["word1"], row["word2"]) == ("дом", "изба"))
    assert len(unique) == len(long) - 1
    assert once["track"] == "hj+rt"
    assert float(once["mj"]) == pytest.approx(sum(shared) / 2, abs=1e-15)


def test_the_same_runs_give_the_same_bytes_in_any_order(task: PairTask, tmp_path: Path) -> None:
    built = build(task)
    other_database = Database(f"sqlite:///{tmp_path / 'other.db'}")
    upgrade(other_database)
    other = PairTask(other_database, tmp_path / "other").install().install_inputs().install_gold()
    for minute, team in ((2, "fair"), (1, "good"), (0, "poor")):
        other.enter(team, {"poor": POOR, "good": GOOD, "fair": FAIR}[team], minute)
    again = build(other)
    other_database.close()
    assert (again.file_hash, again.unique_hash) == (built.file_hash, built.unique_hash)


def test_building_the_same_again_keeps_the_first(task: PairTask) -> None:
    first, second = build(task), build(task)
    assert (first.number, first.again, second.number, second.again) == (1, False, 1, True)
    assert build(task, "exp").number == 2


def test_another_counted_run_makes_another_build(task: PairTask) -> None:
    build(task)
    task.enter("new", FAIR | {LISTED[4]: 0.0}, 9)
    assert build(task).number == 2


def test_a_run_that_does_not_count_changes_nothing(task: PairTask) -> None:
    build(task)
    task.enter("good", POOR, 9)
    assert build(task).again


def test_a_build_says_from_what_it_was_made(task: PairTask) -> None:
    build(task, "sqrt")
    with task.database.reading() as session:
        row = session.scalars(select(Resource)).one()
    versions = {track: found["gold_version"] for track, found in row.inputs["tracks"].items()}
    assert (row.kind, row.weights, row.file_name) == ("mj", "sqrt", "russe-mj-1-sqrt.csv")
    assert versions == {"hj": 1, "rt": 1, "ae": 1}
    run = row.inputs["tracks"]["rt"]["runs"][1]
    assert (run["team"], run["place"], run["weight"]) == ("fair", 2, 2**0.5)
    assert task.files.kept.path(run["file_hash"]).is_file()


def test_table_3_is_what_scoring_the_file_gives(task: PairTask) -> None:
    built = build(task, "exp")
    with task.database.reading() as session:
        benchmark = mj_files.installed_gold(session, task.files, task.spec, task.scorer)
    path = task.files.kept.path(built.file_hash)
    (line,) = mj_files.evaluate_files(task.spec, task.scorer, [path], benchmark)
    assert line == built.table.combined["exp"]


def test_table_3_has_the_best_single_run_of_each_track(task: PairTask) -> None:
    found = mj.table_3(task.transactions, task.files, task.spec, task.scorer, lambda: NOON, no_progress)
    with task.database.reading() as session:
        first = boards.board(session, task.spec, "rt", "open").rows[0]
    assert (found.best["rt"].team, found.best["rt"].value) == ("good", first.value)
    assert set(found.combined) == {"rank", "exp", "sqrt"}


def test_a_track_without_gold_is_left_out(database: Database, tmp_path: Path) -> None:
    task = PairTask(database, tmp_path).install().install_inputs().install_gold(rt=RT)
    task.enter("only", GOOD)
    built = build(task)
    assert {row["track"] for row in rows(task, built.file_hash)} == {"rt"}


def test_progress_counts_the_runs(task: PairTask) -> None:
    seen: list[tuple[int, int]] = []
    build(task, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_without_a_placed_run_there_is_nothing_to_build(empty: PairTask) -> None:
    with pytest.raises(mj_plans.NotBuildable, match="No run of russe has a place yet"):
        build(empty)


def test_without_gold_there_is_nothing_to_build(database: Database, tmp_path: Path) -> None:
    with pytest.raises(NoGoldInstalled):
        build(PairTask(database, tmp_path).install().install_inputs())


def test_without_the_public_list_runs_have_no_common_scale(database: Database, tmp_path: Path) -> None:
    task = PairTask(database, tmp_path).install().install_gold()
    task.enter("only", GOOD)
    with pytest.raises(mj_plans.NotBuildable, match="run `inputs install russe DIR` first"):
        build(task)
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "hj-train.csv").write_text("word1,word2,sim\n")
    task.install_inputs_of(tmp_path / "half")
    with pytest.raises(mj_plans.NotBuildable, match="run `inputs install russe DIR` first"):
        build(task)


def test_standings_that_are_behind_are_brought_up_to_date_first(task: PairTask) -> None:
    with task.database.writing() as session:
        best = plan(task).tracks[1].runs[0].run_id
        session.execute(update(Run).where(Run.id == best).values(withdrawn_at=NOON))
        standings.mark_due(session.scalars(select(Task)).one())
    assert [run.team for run in build(task).plan.tracks[1].runs] == ["fair", "poor"]


def test_a_run_whose_file_is_lost_is_named(task: PairTask) -> None:
    run = plan(task).tracks[0].runs[0]
    task.files.kept.path(run.file_hash).unlink()
    with pytest.raises(RunUnusable, match=rf"The file of run {run.run_id} \(good\) is missing"):
        build(task)


def test_a_run_that_is_no_longer_accepted_is_named(task: PairTask) -> None:
    run = plan(task).tracks[0].runs[0]
    task.files.kept.path(run.file_hash).write_text("gone bad")
    with pytest.raises(RunUnusable, match=rf"Run {run.run_id} \(good\) is no longer accepted"):
        build(task)


def test_an_unknown_weighting_is_refused(task: PairTask) -> None:
    with pytest.raises(mj_plans.NotBuildable, match="cube is no weighting; these are: rank, exp, sqrt"):
        build(task, "cube")


def test_a_task_without_mj_says_so(database: Database, tmp_path: Path) -> None:
    task = PairTask(database, tmp_path, Catalog((TASKS,)).find("cast")).install()
    with pytest.raises(mj_plans.NotBuildable, match="No MJ belongs to the task cast"):
        build(task)


def test_a_scorer_that_knows_no_pairs_says_what_it_lacks(database: Database, tmp_path: Path) -> None:
    cast = replace(Catalog((TASKS,)).find("cast"), resource="mj")
    task = PairTask(database, tmp_path, cast).install()
    with pytest.raises(mj_plans.NotBuildable, match="lacks pairs, values, given, evaluate"):
        build(task)


def test_who_has_lost_the_job_writes_nothing(task: PairTask) -> None:
    def lost(_session: Any) -> None:
        raise queue.LeaseLost

    with pytest.raises(queue.LeaseLost):
        build(task, confirm=lost)
    with task.database.reading() as session:
        assert mj_pages.listing(session, task.spec) == ()


def run_job(task: PairTask, job_id: int) -> tuple[str | None, Mapping[str, Any] | None]:
    registry = {
        mj.JOB: mj.job(task.transactions, task.files, lambda _name: (task.spec, task.scorer), lambda: NOON)
    }
    state = queue.run(task.database.writing, registry, job_id, lambda: NOON)
    with task.database.reading() as session:
        return state, show(session, job_id).result


def test_the_queue_builds(task: PairTask) -> None:
    with task.database.writing() as session:
        wanted = mj.Wanted("sqrt")
        job_id = mj.request(session, task.spec, task.scorer, wanted, NOON)
        other = mj.request(session, task.spec, task.scorer, wanted, NOON)
    assert run_job(task, job_id) == ("done", {"number": 1, "weights": "sqrt", "again": False})
    assert run_job(task, other) == ("done", {"number": 1, "weights": "sqrt", "again": True})


def test_what_cannot_be_built_is_not_asked_of_the_queue(empty: PairTask) -> None:
    with empty.database.writing() as session, pytest.raises(mj_plans.NotBuildable):
        mj.request(session, empty.spec, empty.scorer, mj.Wanted(), NOON)
