"""What organisers see at a glance."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import event

from leaderboard.services import dashboard, dashboard_plots, health, queue
from leaderboard.services.dashboard import Dashboard, Numbers
from leaderboard.store.session import Database
from tests.services.members import captain, send
from tests.services.toy import NOON, Toy, evaluation, make_spec


def shown(toy: Toy, hours: float = 1) -> Dashboard:
    with toy.database.reading() as session:
        return dashboard.show(session, toy.spec, NOON + timedelta(hours=hours))


def statements(toy: Toy) -> int:
    """How many statements the page takes."""
    counted = 0

    def count(*_: object) -> None:
        nonlocal counted
        counted += 1

    event.listen(toy.database.engine, "before_cursor_execute", count)
    try:
        shown(toy)
    finally:
        event.remove(toy.database.engine, "before_cursor_execute", count)
    return counted


def test_runs_and_teams_are_counted_by_what_became_of_them(toy: Toy) -> None:
    user = captain(toy, "a")
    captain(toy, "idle")
    send(toy, user, 0.1, 0.5, hours=-20)
    send(toy, user, 0.1, 0.5, 0.9)
    send(toy, user, "x")
    send(toy, user, 666)
    toy.submit("b", 1, 2, 3)
    found = shown(toy)
    assert found.numbers == Numbers(3, 5, 4, 2, 1, 1, 1, NOON)
    assert found.without_runs.lines == ("idle",)
    assert [(each.track, each.number) for each in found.gold] == [("near", 1), ("same", 1)]


def test_what_trips_participants_is_counted_by_files_and_teams(toy: Toy) -> None:
    for team, values in (("a", ("x", "y")), ("b", ("z",))):
        send(toy, captain(toy, team), *values)
    (fault,) = shown(toy).faults
    assert (fault.kind, fault.files, fault.teams) == ("not-a-number", 2, 2)
    assert "is not a number" in str(fault.example)


def test_teams_near_a_quota_and_the_next_deadline_are_named(database: Database, tmp_path: Path) -> None:
    (phase,) = evaluation()
    spec = make_spec(phases=(type(phase)(phase.name, phase.title, None, phase.closes_at, 5, 100),))
    toy = Toy(database, tmp_path, spec).install()
    user, other = captain(toy, "busy"), captain(toy, "calm")
    for number in range(4):
        send(toy, user, number)
    send(toy, other, 1)
    found = shown(toy)
    (near,) = found.near_quota.lines
    assert (near.team, near.what, near.used, near.limit) == ("busy", "runs today", 4, 5)
    assert found.next is not None
    assert (found.next.opens, found.next.at) == (False, phase.closes_at)


def test_runs_that_lack_answers_are_listed_for_each_track(toy: Toy) -> None:
    run = toy.enter("a", 0.1)
    toy.enter("b", 0.1, 0.5, 0.9)
    found = shown(toy).missing
    assert {(each.run_id, each.track, each.answered, each.total) for each in found.lines} == {
        (run, "near", 1, 3),
        (run, "same", 1, 3),
    }
    assert (found.total, found.more) == (2, 0)


def test_the_number_of_statements_does_not_grow_with_what_there_is(toy: Toy) -> None:
    toy.enter("first", 0.1)
    few = statements(toy)
    for number in range(12):
        toy.enter(f"t{number}", 0.1 + number)
        toy.submit(f"t{number}", "x")
    assert statements(toy) == few
    assert few <= 16


def test_waiting_jobs_are_shown_and_after_a_while_the_queue_is_not_well(toy: Toy) -> None:
    with toy.database.writing() as session:
        queue.enqueue(session, "mj", "toy", {}, NOON)
    (job,) = shown(toy).queue
    assert (job.kind, job.state, job.number, job.oldest) == ("mj", "waiting", 1, NOON)
    states = []
    for minutes in (1, 10):
        with toy.database.reading() as session:
            parts = health.parts(session, toy.files, NOON + timedelta(minutes=minutes))
        states.append({part.name: part.state for part in parts})
    assert [state["queue"] for state in states] == ["good", "bad"]
    assert states[0]["database"] == "good"


def test_a_storage_that_cannot_be_written_is_said(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_store: object) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("leaderboard.store.files.ContentStore.draft", full)
    with toy.database.reading() as session:
        (storage,) = [part for part in health.parts(session, toy.files, NOON) if part.name == "storage"]
    assert storage.state == "bad"
    assert "No space left" in str(storage.words)


def test_runs_add_up_by_day_and_the_best_value_rises_in_steps(toy: Toy) -> None:
    toy.enter("a", 0.1, 0.5, 0.7)
    toy.enter("b", 0.9, 0.1, 0.1, minute=10)
    toy.enter("c", 0.1, 0.5, 0.9, minute=60 * 24)
    with toy.database.reading() as session:
        runs = dashboard_plots.runs_over_time(session, toy.spec)
        best = dashboard_plots.best_over_time(session, toy.spec, toy.spec.track("near"))
    assert runs is not None
    assert list(runs.series[-1].y) == [2.0, 3.0]
    assert best is not None
    assert best.series[0].names[-1] == "c: c"


def test_nothing_is_drawn_of_a_task_without_runs(toy: Toy) -> None:
    with toy.database.reading() as session:
        assert dashboard_plots.runs_over_time(session, toy.spec) is None
        assert dashboard_plots.best_over_time(session, toy.spec, toy.spec.track("near")) is None
