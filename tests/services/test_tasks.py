"""Installing tasks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.services import tasks
from leaderboard.services.errors import UnknownTask
from leaderboard.store import queries
from leaderboard.store.session import Database
from tests.services.ready import ready
from tests.services.toy import NOON, evaluation, make_spec


def test_a_task_without_phases_gets_one_that_is_always_open(database: Database) -> None:
    with database.writing() as session:
        done = tasks.install(session, make_spec(), NOON)
    assert (done.new, done.phases_added) == (True, ("open",))


def test_installing_again_changes_nothing(database: Database) -> None:
    for _ in range(2):
        with database.writing() as session:
            done = tasks.install(session, make_spec(phases=evaluation()), NOON)
    assert done == tasks.Installed(new=False)
    with database.reading() as session:
        assert tasks.installed(session) == ("toy",)


def test_a_changed_phase_is_brought_to_what_the_folder_says(database: Database) -> None:
    before = make_spec(phases=evaluation())
    after = replace(before, phases=(replace(before.phases[0], runs_per_day=3),))
    with database.writing() as session:
        tasks.install(session, before, NOON)
        done = tasks.install(session, after, NOON)
        phase = queries.phase_named(session, tasks.known(session, "toy").id, "evaluation")
        assert phase is not None
        assert phase.runs_per_day == 3
    assert done.phases_changed == ("evaluation",)


def test_a_phase_that_disappears_is_kept_for_its_runs(database: Database, tmp_path: Path) -> None:
    toy = ready(database, tmp_path, make_spec(phases=evaluation()))
    toy.enter("a", 1, 2, 3)
    with database.writing() as session:
        done = tasks.install(session, make_spec(), NOON)
    assert done.phases_gone == ("evaluation",)
    assert toy.lines("near", "evaluation") == [("a", 1)]


def test_a_task_that_is_not_installed_is_unknown(database: Database) -> None:
    with database.reading() as session, pytest.raises(UnknownTask, match="init"):
        tasks.known(session, "toy")
