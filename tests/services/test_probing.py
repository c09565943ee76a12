"""The report of probing: attackers are in it, honest teams are not, and what organisers note stays."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import select, update

from leaderboard.services import audit_log, probing, probing_pages, queue
from leaderboard.services.audit import SHELL
from leaderboard.services.probing import UnknownFinding
from leaderboard.services.rescoring import Transactions, unwatched
from leaderboard.store.models import Job, Run, RunSketch
from leaderboard.store.session import Database
from tests.analysis.probing_runs import boosting, climbing, one_at_a_time, systems, tuning
from tests.kept import kept
from tests.services.probed import COUNT, FAIR, GOLD, PAIRS, POOR, Probed, of_kind, strong
from tests.services.toy import NOON, Toy

LATER = NOON + timedelta(days=1)


def probed(database: Database, folder: Path) -> Probed:
    made = Probed(database, folder)
    kept("probed", database, folder, lambda: made.prepare().sent)
    return made


@pytest.fixture
def task(sqlite_template: Path, tmp_path: Path) -> Iterator[Probed]:
    """What is computed does not depend on the database; what is asked of it is tested on both."""
    shutil.copyfile(sqlite_template, tmp_path / "leaderboard.db")
    database = Database(f"sqlite:///{tmp_path / 'leaderboard.db'}")
    yield probed(database, tmp_path)
    database.close()


@pytest.fixture
def on_both(database: Database, tmp_path: Path) -> Probed:
    return probed(database, tmp_path)


def test_the_boosting_attack_through_submissions_is_found(task: Probed) -> None:
    *_, last = boosting(partial(task.tell, "booster"), COUNT, 16, 1)
    task.send("booster", last)
    report = task.look()
    assert ("coins", ("booster",)) in strong(report)
    assert ("strangers", ("booster",)) in strong(report)
    finding = of_kind(report, "coins")[0]
    assert {run.team for run in finding.runs} == {"booster"}
    assert "choose between the same two answers" in str(finding.sentence)
    assert finding.numbers["p_value"] > 0.001


def test_one_change_at_a_time_is_found(task: Probed) -> None:
    for run in one_at_a_time(FAIR, 14, 1):
        task.send("flipper", run)
    report = task.look()
    assert strong(report) == {("flips", ("flipper",))}
    assert str(of_kind(report, "flips")[0].sentence) == (
        "13 of 14 runs of flipper in the phase open differ from an earlier one in at most 1 of 240 items; "
        "together they changed at least so many different ones: 13."
    )


def test_climbing_is_found(task: Probed) -> None:
    assert len(list(climbing(partial(task.tell, "climber"), POOR, 24, 2, share=0.08))) == 24
    report = task.look()
    assert ("climb", ("climber",)) in strong(report)
    numbers = of_kind(report, "climb")[0].numbers
    assert numbers["track"] == "hj"
    assert numbers["kept_worse"] == 0


def test_files_that_two_teams_share_are_found_however_they_are_packed(task: Probed) -> None:
    task.send("one", FAIR)
    task.send("two", FAIR)
    packed = task.folder / "packed.csv.gz"
    packed.write_bytes(gzip.compress((task.folder / "runs" / "one.csv").read_bytes(), mtime=0))
    task.submit("three", packed, 9)
    nearly = FAIR.copy()
    nearly[:5] += 0.01
    task.send("four", nearly)
    task.send("five", 2 * FAIR + 1)
    report = task.look()
    assert strong(report) == {
        ("same files", ("one", "two")),
        *(
            ("copies", pair)
            for pair in (("one", "three"), ("two", "three"), ("one", "four"), ("two", "four"))
        ),
        ("copies", ("three", "four")),
        *(("copies", (name, "five")) for name in ("one", "two", "three", "four")),
    }


def test_honest_teams_are_not_in_it(task: Probed) -> None:
    for run in tuning(GOLD, 10, 1):
        task.send("tuner", run)
    for run in systems(GOLD, 8, 1):
        task.send("builder", run)
    for run in systems(GOLD, 8, 2, decide=True):
        task.send("decider", run)
    assert task.look().findings == ()


def test_baselines_belong_to_everybody(task: Probed) -> None:
    task.send("organisers", FAIR, kind="baseline")
    for team in ("one", "two"):
        task.send(team, FAIR)
    assert task.look().findings == ()


def test_a_file_that_says_nothing_is_weak(task: Probed) -> None:
    for team in ("one", "two"):
        task.send(team, np.zeros(COUNT))
    assert [(each.kind, each.strength) for each in task.look().findings] == [("same files", "weak")]


def test_runs_that_were_withdrawn_or_hidden_are_looked_at_and_deleted_ones_are_not(task: Probed) -> None:
    ids = [task.send("flipper", run) for run in one_at_a_time(FAIR, 12, 1)]
    with task.database.writing() as session:
        session.execute(update(Run).where(Run.id.in_(ids[:6])).values(withdrawn_at=NOON, hidden_at=NOON))
    assert strong(task.look()) == {("flips", ("flipper",))}
    with task.database.writing() as session:
        session.execute(update(Run).where(Run.id.in_(ids[1:])).values(deleted_at=NOON))
    assert task.look().findings == ()


def test_a_run_is_set_beside_the_one_that_it_came_from_not_the_one_before(task: Probed) -> None:
    base = task.send("flipper", FAIR)
    others = [task.send("flipper", run) for run in systems(GOLD, 5, 1)]
    turned = FAIR.copy()
    turned[3] = -1
    last = task.send("flipper", turned)
    task.look()
    with task.database.reading() as session:
        row = session.get_one(RunSketch, last)
        assert (row.parent_id, row.changed, row.units) == (base, 1, COUNT)
        assert session.get_one(RunSketch, others[0]).changed == COUNT


def test_each_file_is_read_once(task: Probed, monkeypatch: pytest.MonkeyPatch) -> None:
    for run in systems(GOLD, 4, 1):
        task.send("one", run)
    task.look()

    def fail(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("leaderboard.services.probing_sketches._make", fail)
    task.look()
    task.send("one", FAIR)
    with pytest.raises(AssertionError):
        task.look()


def test_a_missing_file_holds_up_nothing_else(task: Probed) -> None:
    for run in one_at_a_time(FAIR, 14, 1):
        last = task.send("flipper", run)
    with task.database.reading() as session:
        path = task.files.kept.path(session.get_one(Run, last).file_hash)
    path.unlink()
    report = task.look()
    assert strong(report) == {("flips", ("flipper",))}
    with task.database.reading() as session:
        assert session.get(RunSketch, last) is None


def test_a_task_whose_scorer_does_not_say_what_runs_answer_has_the_rest(toy: Toy) -> None:
    for team in ("a", "b"):
        toy.enter(team, 0.1, 0.2, 0.3)
    transactions = Transactions(toy.database.reading, toy.database.writing)
    probing.bring_up_to_date(transactions, toy.files, toy.spec, toy.scorer, lambda: LATER, unwatched)
    with toy.database.reading() as session:
        report = probing_pages.show(session, toy.spec)
    assert not report.reads_runs
    assert [each.kind for each in report.findings] == ["same files"]


def test_what_was_looked_at_stays_so_until_it_is_something_else(on_both: Probed) -> None:
    task = on_both
    runs = list(one_at_a_time(FAIR, 16, 1))
    for run in runs[:12]:
        task.send("flipper", run)
    number = task.look().findings[0].number
    with task.database.writing() as session:
        probing.look(session, task.spec, number, "  asked\nthem ", SHELL, LATER)
    finding = task.look(LATER + timedelta(hours=1)).findings[0]
    assert (finding.open, finding.note, finding.looked_at) == (False, "asked them", LATER)
    task.send("flipper", runs[12])
    finding = task.look(LATER + timedelta(hours=2)).findings[0]
    assert (finding.number, finding.open, finding.note) == (number, True, "asked them")
    with task.database.writing() as session:
        session.execute(update(Run).where(Run.kind == "ordinary").values(deleted_at=NOON))
    finding = task.look(LATER + timedelta(hours=3)).findings[0]
    assert (finding.gone, finding.open) == (True, False)
    with task.database.reading() as session:
        entries = audit_log.of_subject(session, task.spec.name, "finding", number)
    assert [(entry.action, entry.reason) for entry in entries] == [("probing.looked_at", "asked them")]


def test_a_finding_may_be_looked_at_again(task: Probed) -> None:
    for run in one_at_a_time(FAIR, 12, 1):
        task.send("flipper", run)
    number = task.look().findings[0].number
    with task.database.writing() as session:
        probing.look(session, task.spec, number, "fine", SHELL, LATER)
        probing.look(session, task.spec, number, "", SHELL, LATER, done=False)
    assert task.report().findings[0].open
    with pytest.raises(UnknownFinding), task.database.writing() as session:
        probing.look(session, task.spec, number + 1, "", SHELL, LATER)


def test_a_report_is_due_when_runs_have_come_and_not_before_it_has_rested(on_both: Probed) -> None:
    task = on_both

    def due(hours: float) -> int:
        with task.database.writing() as session:
            return len(probing.request_due(session, NOON + timedelta(hours=hours)))

    assert due(0) == 0
    task.send("one", FAIR)
    assert due(0) == 1
    # One job is enough.
    assert due(1) == 0
    with task.database.writing() as session:
        assert probing.request(session, task.spec, NOON) is None
        job = session.scalars(select(Job)).one()
        registry = {
            probing.JOB: probing.job(
                task.transactions, task.files, lambda _: (task.spec, task.scorer), lambda: NOON
            )
        }
        number = job.id
    assert queue.run(task.database.writing, registry, number, lambda: NOON) == "done"
    assert not task.report().behind
    assert due(1) == 0
    task.send("one", POOR)
    assert task.report().behind
    assert due(0.05) == 0
    assert due(0.1) == 1


def test_after_a_failure_the_next_one_waits(task: Probed) -> None:
    task.send("one", FAIR)
    with task.database.writing() as session:
        probing.request_due(session, NOON)
        session.execute(update(Job).values(state="failed"))
        assert probing.request_due(session, NOON + timedelta(minutes=59)) == ()
        assert len(probing.request_due(session, NOON + timedelta(minutes=60))) == 1


def test_no_gold_is_read(task: Probed, monkeypatch: pytest.MonkeyPatch) -> None:
    for run in one_at_a_time(FAIR, 5, 1):
        task.send("flipper", run)

    def fail(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(task.scorer, "read_gold", fail)
    shutil.rmtree(task.files.gold.root)
    assert task.look().findings


def test_pairs_are_as_many_as_the_benchmark_has() -> None:
    assert len(set(PAIRS)) == COUNT
