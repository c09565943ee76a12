"""A task as it is run here: its folder's declaration under what organisers set."""

from __future__ import annotations

from dataclasses import replace

import pytest

from leaderboard.contract import TaskSpec
from leaderboard.services import task_specs, tasks
from leaderboard.store import queries
from leaderboard.store.models import Phase, Task, TaskSetting
from leaderboard.store.session import Database
from tests.services.toy import NOON, evaluation, make_spec

SPEC = make_spec(phases=evaluation())


def found(database: Database, name: str = "toy") -> TaskSpec:
    with database.reading() as session:
        return task_specs.spec_of(session, lambda _name: SPEC, name)


def phase_row(database: Database, **values: object) -> None:
    with database.writing() as session:
        row = queries.phase_named(session, tasks.known(session, "toy").id, "evaluation")
        assert row is not None
        for name, value in values.items():
            setattr(row, name, value)


@pytest.fixture(autouse=True)
def _installed(database: Database) -> None:
    with database.writing() as session:
        tasks.install(session, SPEC, NOON)


def test_without_settings_it_is_what_the_folder_declares(database: Database) -> None:
    assert found(database) == SPEC


def test_a_setting_takes_the_place_of_what_is_declared(database: Database) -> None:
    with database.writing() as session:
        task_id = tasks.known(session, "toy").id
        for name, value in (("counting", "latest"), ("title", {"en": "Another", "ru": "Другая"})):
            session.add(TaskSetting(task_id=task_id, name=name, value=value, changed_at=NOON))
    spec = found(database)
    assert spec.counting == "latest"
    assert spec.title.for_language("ru") == "Другая"


def test_a_changed_deadline_outlives_the_next_installation(database: Database) -> None:
    phase_row(database, closes_at=NOON, changed=["closes_at"])
    with database.writing() as session:
        changed = replace(SPEC, phases=(replace(SPEC.phases[0], runs_per_day=9),))
        tasks.install(session, changed, NOON)
    (phase,) = found(database).phases
    assert (phase.closes_at, phase.runs_per_day) == (NOON, 9)


def test_a_phase_that_organisers_made_is_left_alone(database: Database) -> None:
    with database.writing() as session:
        session.add(
            Phase(
                task_id=tasks.known(session, "toy").id,
                name="bonus",
                title={"en": "Bonus"},
                position=9,
                reveals=["own"],
                declared=True,
                changed=["title"],
            )
        )
    with database.writing() as session:
        assert tasks.install(session, SPEC, NOON) == tasks.Installed(new=False)
    assert [phase.name for phase in found(database).phases] == ["evaluation", "bonus"]


def test_an_edition_is_scored_as_the_task_it_is_based_on(database: Database) -> None:
    with database.writing() as session:
        session.add(Task(name="toy2027", title={"en": "Toy"}, installed_at=NOON, based_on="toy"))
    spec = found(database, "toy2027")
    assert (spec.name, spec.scorer) == ("toy2027", SPEC.scorer)
