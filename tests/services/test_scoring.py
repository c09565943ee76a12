"""Scoring stored runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import func, select

from leaderboard.contract import Scores, TaskSpec
from leaderboard.services import gold, rescoring, run_pages, scoring, standings
from leaderboard.store.models import Run, Score
from leaderboard.store.session import Database
from tests.services.toy import NOON, Toy


def rescore(toy: Toy, run_ids: tuple[int, ...]) -> rescoring.Rescored:
    transactions = rescoring.Transactions(toy.database.reading, toy.database.writing)
    return rescoring.rescore(
        transactions, toy.files, toy.spec, toy.scorer, run_ids, lambda: NOON, lambda _done, _total: None
    )


def page(toy: Toy, run_id: int) -> run_pages.RunPage:
    with toy.database.reading() as session:
        return run_pages.show(session, toy.spec, run_id)


def test_a_scored_run_has_its_values_stamped_with_what_they_were_made_from(toy: Toy) -> None:
    run_id = toy.enter("a", 0.1, 0.5, 0.4)
    near, same = page(toy, run_id).results
    assert near.values["closeness"] == 1 - 0.5 / 3
    assert same.values["correlation"] == pytest.approx(0.7205766921228921, abs=1e-15)
    assert (near.gold_version, near.scorer_version, near.active, near.place) == (1, "1", True, 1)
    with toy.database.reading() as session:
        hashes = set(session.scalars(select(Score.file_hash)))
    assert hashes == {page(toy, run_id).summary.file_hash}


def test_per_topic_values_come_back_bit_by_bit(toy: Toy) -> None:
    run_id = toy.enter("a", 0.1, 1 / 3, 0.4)
    with toy.database.reading() as session:
        found = run_pages.per_topic(session, toy.spec, run_id)
    assert list(found) == ["near"]
    assert found["near"].topics == ("a", "b", "c")
    expected = 1 - np.abs(np.array([0.1, 1 / 3, 0.4]) - np.array([0.1, 0.5, 0.9]))
    assert found["near"].values["closeness"].tobytes() == expected.tobytes()


def test_an_undefined_value_is_kept_with_its_reason(toy: Toy) -> None:
    run_id = toy.enter("zeros", 0, 0, 0)
    same = page(toy, run_id).results[1]
    assert same.values == {"correlation": None}
    assert str(same.undefined["correlation"]) == "All values of the run are the same."
    assert (same.place, str(same.reason)) == (None, "All values of the run are the same.")


def test_scoring_twice_is_the_same_as_once(toy: Toy) -> None:
    run_id = toy.enter("a", 0.1, 0.5, 0.4)
    before = page(toy, run_id)
    assert toy.score(run_id) == "scored"
    assert page(toy, run_id) == before
    with toy.database.reading() as session:
        assert session.scalar(select(func.count()).select_from(Score)) == 3


def test_a_scorer_that_breaks_fails_the_run_and_no_other(toy: Toy) -> None:
    good = toy.enter("good", 0.1, 0.2, 0.3)
    bad = toy.enter("bad", 666)
    assert page(toy, bad).summary.state == "failed"
    assert "fault is ours" in str(page(toy, bad).failure)
    assert toy.lines("near") == [("good", 1)]
    assert page(toy, good).summary.state == "scored"


def test_what_the_scorer_said_about_gold_is_for_organisers_only(toy: Toy) -> None:
    bad = page(toy, toy.enter("bad", 666))
    assert "gold" in (bad.failure_detail or "")
    assert "gold" not in str(bad.failure)


def test_a_failed_run_can_be_scored_again_once_the_scorer_is_mended(
    toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = toy.enter("bad", 666, 1, 2)
    real = toy.scorer.score
    monkeypatch.setattr(toy.scorer, "score", lambda spec, run, gold: real(spec, run / 1000, gold))
    with toy.database.writing() as session:
        assert scoring.retry(session, toy.spec, bad)
        assert scoring.pending(session, toy.spec) == (bad,)
    assert toy.score(bad) == "scored"
    assert page(toy, bad).failure is None


def test_only_a_failed_run_is_retried(toy: Toy) -> None:
    run_id = toy.enter("a", 1)
    with toy.database.writing() as session:
        assert not scoring.retry(session, toy.spec, run_id)


def test_a_missing_file_fails_the_run_and_says_so(toy: Toy) -> None:
    run_id = toy.submit("a", 1).run_id
    with toy.database.reading() as session:
        run_pages.path_of(session, toy.files, toy.spec, run_id).unlink()
    assert toy.score(run_id) == "failed"
    assert "missing from the storage" in str(page(toy, run_id).failure)


def test_without_gold_a_run_stays_received(database: Database, tmp_path: Path) -> None:
    toy = Toy(database, tmp_path).install()
    run_id = toy.submit("a", 1).run_id
    with pytest.raises(gold.NoGoldInstalled, match="gold install"):
        toy.score(run_id)
    assert page(toy, run_id).summary.state == "received"


def test_a_rejected_run_is_not_scored(toy: Toy) -> None:
    run_id = toy.submit("a", "x").run_id
    with pytest.raises(scoring.NotScorable):
        toy.score(run_id)


def test_scores_prepared_before_the_gold_changed_are_not_written(toy: Toy) -> None:
    run_id = toy.submit("a", 1, 2, 3).run_id
    with toy.database.reading() as session:
        prepared = scoring.prepare(session, toy.files, toy.spec, toy.scorer, run_id)
    toy.install_gold(near=(0.7, 0.7, 0.7))
    with toy.database.writing() as session:
        assert scoring.record(session, toy.spec, toy.scorer, prepared, NOON) is None
    assert page(toy, run_id).summary.state == "received"


def test_after_new_gold_runs_are_outdated_until_they_are_rescored(toy: Toy) -> None:
    run_id = toy.enter("a", 0.1, 0.5, 0.9)
    toy.install_gold(near=(0.7, 0.7, 0.7))
    with toy.database.reading() as session:
        assert scoring.outdated(session, toy.spec, toy.scorer) == (run_id,)
    assert toy.lines("near") == [("a", None)]
    assert rescore(toy, (run_id,)) == rescoring.Rescored(1, ())
    assert toy.lines("near") == [("a", 1)]
    new, old, _ = page(toy, run_id).results
    assert (new.gold_version, old.gold_version, old.values["closeness"]) == (2, 1, 1.0)
    with toy.database.reading() as session:
        assert scoring.outdated(session, toy.spec, toy.scorer) == ()


def test_a_new_scorer_makes_every_run_outdated(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = toy.enter("a", 0.1, 0.5, 0.9)
    monkeypatch.setattr(toy.scorer, "VERSION", "2")
    with toy.database.reading() as session:
        assert scoring.outdated(session, toy.spec, toy.scorer) == (run_id,)
    rescore(toy, (run_id,))
    assert {result.scorer_version for result in page(toy, run_id).results} == {"2"}


def test_rescoring_reports_what_failed_and_goes_on(toy: Toy) -> None:
    bad, good = toy.submit("bad", 666).run_id, toy.submit("good", 1, 2, 3).run_id
    assert rescore(toy, (bad, good)) == rescoring.Rescored(1, (bad,))
    assert toy.lines("near") == [("good", 1)]


def test_standings_left_behind_by_a_stopped_rescoring_are_known_and_finished(toy: Toy) -> None:
    first, second = toy.submit("a", 1, 2, 3).run_id, toy.submit("b", 0.1, 0.5, 0.9).run_id
    transactions = rescoring.Transactions(toy.database.reading, toy.database.writing)

    def stop(done: int, _total: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rescoring.rescore(transactions, toy.files, toy.spec, toy.scorer, (first, second), lambda: NOON, stop)
    with toy.database.reading() as session:
        assert standings.due(session, toy.spec)
    assert toy.lines("near") == []
    rescoring.finish_pending(
        transactions, toy.files, toy.spec, toy.scorer, lambda: NOON, lambda _done, _total: None
    )
    assert toy.lines("near") == [("b", 1), ("a", 2)]
    with toy.database.reading() as session:
        assert not standings.due(session, toy.spec)


def test_a_scorer_that_forgets_a_track_fails_the_run(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toy.scorer, "score", lambda _spec, _run, _gold: {})
    run_id = toy.submit("a", 1).run_id
    assert toy.score(run_id) == "failed"
    assert page(toy, run_id).failure_detail == "ValueError: no scores for the track near"


def test_a_run_counts_its_attempts(toy: Toy) -> None:
    run_id = toy.enter("a", 1)
    toy.score(run_id)
    with toy.database.writing() as session:
        assert session.scalars(select(Run.attempts)).one() == 2


def test_a_value_that_is_not_finite_is_undefined(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    real = toy.scorer.score

    def infinite(spec: TaskSpec, run: object, benchmark: object) -> Scores:
        scores = dict(real(spec, run, benchmark))
        scores["same"] = replace(scores["same"], values={"correlation": float("inf")})
        return scores

    monkeypatch.setattr(toy.scorer, "score", infinite)
    same = page(toy, toy.enter("a", 0.1, 0.5, 0.9)).results[1]
    assert same.values == {"correlation": None}
    assert str(same.reason) == "correlation is undefined for this run."


def test_pending_runs_wait_on_while_there_is_no_gold(database: Database, tmp_path: Path) -> None:
    toy = Toy(database, tmp_path).install()
    run_id = toy.submit("a", 0.1, 0.5, 0.9).run_id
    transactions = rescoring.Transactions(toy.database.reading, toy.database.writing)

    def finish() -> rescoring.Rescored:
        return rescoring.finish_pending(
            transactions, toy.files, toy.spec, toy.scorer, lambda: NOON, lambda _done, _total: None
        )

    assert finish() == rescoring.Rescored(0, ())
    toy.install_gold()
    assert finish() == rescoring.Rescored(1, ())
    assert page(toy, run_id).summary.state == "scored"
