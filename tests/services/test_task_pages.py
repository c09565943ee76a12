"""What the list of tasks says of each."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import event, update

from leaderboard.contract import PhaseSpec
from leaderboard.services import standings, task_pages
from leaderboard.services.task_pages import TaskPage
from leaderboard.store.models import Run, Task
from tests.services.toy import NOON, TITLE, Toy


def page(toy: Toy) -> TaskPage:
    with toy.database.reading() as session:
        (found,) = task_pages.overview(session, (toy.spec,), NOON)
    return found


def change(toy: Toy, run_id: int, **values: Any) -> None:
    with toy.database.writing() as session:
        session.execute(update(Run).where(Run.id == run_id).values(**values))
        standings.refresh(session, toy.spec, toy.scorer.VERSION, NOON)


def test_teams_and_runs_are_counted_without_baselines(toy: Toy) -> None:
    toy.enter("red", 0.1, 0.5, 0.9)
    toy.enter("red", 0.1, 0.5, 0.8, minute=1)
    toy.enter("blue", 0.1, 0.4, 0.8)
    toy.enter("base", 0.1, 0.5, 0.7, kind="baseline")
    assert (page(toy).teams, page(toy).runs) == (2, 3)


@pytest.mark.parametrize(
    "changed", [{"state": "rejected"}, {"state": "failed"}, {"withdrawn_at": NOON}, {"hidden_at": NOON}]
)
def test_runs_that_are_not_public_are_not_counted(toy: Toy, changed: dict[str, Any]) -> None:
    change(toy, toy.enter("red", 0.1, 0.5, 0.9), **changed)
    assert (page(toy).teams, page(toy).runs, page(toy).leaders) == (0, 0, ())


def test_leaders_stand_overall_first_and_then_in_the_order_of_the_tracks(toy: Toy) -> None:
    toy.enter("red", 0.1, 0.5, 0.9)
    toy.enter("blue", 0.0, 0.0, 0.1)
    leaders = [(leader.track, leader.team, leader.others) for leader in page(toy).leaders]
    assert leaders == [(None, "red", 0), ("near", "red", 0), ("same", "red", 0)]


def test_who_shares_the_first_place_is_counted_too(toy: Toy) -> None:
    for minute, team in enumerate(("red", "blue", "green")):
        toy.enter(team, 0.1, 0.5, 0.9, minute=minute)
    leader = next(each for each in page(toy).leaders if each.track == "near")
    assert (leader.team, leader.others) == ("red", 2)


def test_leaders_are_those_by_the_gold_that_scores_now(toy: Toy) -> None:
    toy.enter("red", 0.1, 0.5, 0.9)
    toy.install_gold(near=(0.2, 0.2, 0.2))
    assert [leader.track for leader in page(toy).leaders if leader.track == "near"] == []


def test_a_phase_that_hides_its_board_hides_who_leads(toy: Toy) -> None:
    toy.enter("red", 0.1, 0.5, 0.9)
    hiding = (PhaseSpec("open", TITLE, reveals=("own",)),)
    hidden = Toy(toy.database, toy.folder, replace(toy.spec, phases=hiding)).install()
    assert page(hidden).leaders == ()
    assert page(hidden).runs == 1


def test_a_task_that_is_not_installed_is_left_out(toy: Toy) -> None:
    other = replace(toy.spec, name="other")
    with toy.database.reading() as session:
        assert len(task_pages.overview(session, (other, toy.spec), NOON)) == 1
        assert task_pages.overview(session, (), NOON) == ()


def test_a_task_for_organisers_is_no_public_name(toy: Toy) -> None:
    Toy(toy.database, toy.folder, replace(toy.spec, name="other")).install()
    with toy.database.writing() as session:
        session.execute(update(Task).where(Task.name == "other").values(visibility="organisers"))
    with toy.database.reading() as session:
        assert task_pages.public_names(session) == ("toy",)


def test_the_number_of_queries_does_not_grow_with_tasks_and_teams(toy: Toy) -> None:
    statements: list[str] = []
    event.listen(toy.database.engine, "before_cursor_execute", lambda *args: statements.append(args[2]))
    page(toy)
    few = len(statements)
    specs = [toy.spec, *(replace(toy.spec, name=f"other{number}") for number in range(3))]
    for spec in specs:
        made = Toy(toy.database, toy.folder / spec.name, spec).install()
        made.install_gold()
        for minute, team in enumerate(("red", "blue", "green")):
            made.enter(team, 0.1, 0.5, 0.9 - minute / 10, minute=minute)
    statements.clear()
    with toy.database.reading() as session:
        assert len(task_pages.overview(session, specs, NOON)) == 4
    assert len(statements) == few
