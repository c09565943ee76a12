"""Submitting runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import func, select

from leaderboard.services import run_pages, runs, scoring
from leaderboard.store.models import Run, Team
from leaderboard.store.session import Database
from tests.services.toy import NOON, Toy, evaluation, make_spec


def count(toy: Toy, model: type[Run] | type[Team]) -> int:
    with toy.database.reading() as session:
        return session.scalar(select(func.count()).select_from(model)) or 0


def test_a_submitted_run_waits_for_its_scores(toy: Toy) -> None:
    submitted = toy.submit("a", 0.1, 0.5, name="first try", description="by hand")
    assert (submitted.state, submitted.again, submitted.late) == ("received", False, False)
    with toy.database.reading() as session:
        assert scoring.pending(session, toy.spec) == (submitted.run_id,)
        page = run_pages.show(session, toy.spec, submitted.run_id)
        path = run_pages.path_of(session, toy.files, toy.spec, submitted.run_id)
    assert (page.summary.name, page.description, page.summary.team) == ("first try", "by hand", "a")
    assert path.read_text() == "0.1\n0.5\n"


def test_a_run_without_a_name_has_that_of_its_file(toy: Toy) -> None:
    run_id = toy.submit("a", 1).run_id
    with toy.database.reading() as session:
        assert run_pages.show(session, toy.spec, run_id).summary.name == "a"


def test_a_faulty_file_is_kept_and_recorded_with_its_faults(toy: Toy) -> None:
    submitted = toy.submit("a", 0.1, "x", "y")
    assert submitted.state == "rejected"
    with pytest.raises(runs.RunRejected) as refused:
        submitted.accepted()
    assert refused.value.report.fault_count == 2
    with toy.database.reading() as session:
        page = run_pages.show(session, toy.spec, submitted.run_id)
        assert run_pages.path_of(session, toy.files, toy.spec, submitted.run_id).is_file()
        assert scoring.pending(session, toy.spec) == ()
    assert page.faults == submitted.report.faults
    assert (page.fault_count, page.summary.state) == (2, "rejected")


def test_the_same_file_of_the_same_team_leads_to_the_earlier_run(toy: Toy) -> None:
    first = toy.enter("a", 0.1)
    again = toy.submit("a", 0.1, name="another name")
    assert (again.again, again.run_id, again.state) == (True, first, "scored")
    assert count(toy, Run) == 1


def test_a_rejected_file_is_looked_at_again(toy: Toy) -> None:
    first, second = toy.submit("a", "x"), toy.submit("a", "x")
    assert not second.again
    assert first.run_id != second.run_id


def test_the_same_file_of_another_team_is_another_run(toy: Toy) -> None:
    assert toy.submit("a", 0.1).run_id != toy.submit("b", 0.1).run_id


def test_one_name_is_one_team_however_it_is_typed(toy: Toy) -> None:
    toy.submit("Кафе\u0301", 1)
    toy.submit(" Кафе\u0301 ", 2)
    toy.submit("Каф\u00e9".replace("\u00e9", "е\u0301"), 3)
    assert count(toy, Team) == 1


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "a\u200bb", "a\x00b", "\u202eevil"])
def test_a_name_that_cannot_be_read_is_refused(toy: Toy, name: str) -> None:
    path = toy.write("runs/x.txt", 1)
    with pytest.raises(runs.NameRefused), toy.database.writing() as session:
        runs.submit(session, toy.files, toy.spec, toy.scorer, path, runs.Details(name), NOON)
    assert count(toy, Run) == 0


def test_a_run_after_the_phase_has_closed_is_late(database: Database, tmp_path: Path) -> None:
    toy = Toy(database, tmp_path, make_spec(phases=evaluation(closes=1))).install()
    assert not toy.submit("a", 1, minute=59).late
    assert toy.submit("b", 1, minute=60).late


def test_runs_are_listed_in_the_order_of_submission(toy: Toy) -> None:
    toy.submit("a", 1, minute=5)
    toy.submit("b", 2, minute=1)
    with toy.database.reading() as session:
        assert [run.team for run in run_pages.listing(session, toy.spec)] == ["b", "a"]
        assert [run.team for run in run_pages.listing(session, toy.spec, "a")] == ["a"]


def test_a_run_of_another_task_is_unknown(toy: Toy) -> None:
    with toy.database.reading() as session, pytest.raises(scoring.UnknownRun, match="no run 99"):
        run_pages.show(session, toy.spec, 99)
