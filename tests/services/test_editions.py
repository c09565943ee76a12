"""A new edition of a task."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from leaderboard.services import (
    boards,
    editions,
    inputs,
    phase_settings,
    settings,
    task_pages,
    task_specs,
)
from leaderboard.services.audit import SHELL, Actor
from leaderboard.services.editions import BadEdition, Wanted
from leaderboard.store.models import AuditEntry, Role, Run, Task
from leaderboard.store.session import Database
from tests.services.members import person
from tests.services.ready import ready
from tests.services.toy import NOON, Toy, evaluation, make_spec

NEXT = Wanted("toy2027", {"en": "Toy 2027", "ru": ""}, days=365)


@pytest.fixture
def first(database: Database, tmp_path: Path) -> Toy:
    """An edition with a run, a changed setting and a changed phase."""
    toy = ready(database, tmp_path, make_spec(phases=evaluation()))
    toy.install_inputs()
    toy.enter("a", 0.1, 0.5, 0.9)
    with database.writing() as session:
        settings.change(session, toy.spec, "1", {"counting": "latest"}, SHELL, NOON)
        changed = replace(evaluation()[0], runs_per_day=3)
        phase_settings.change(session, toy.spec, "1", changed, SHELL, NOON)
    return toy


def make(toy: Toy, wanted: Wanted, actor: Actor = SHELL) -> Toy:
    with toy.database.writing() as session:
        editions.make(session, toy.spec, "1", ["other"], wanted, actor, NOON)
    return Toy(toy.database, toy.folder, replace(toy.spec, name=wanted.name))


def test_an_edition_has_the_settings_of_before_and_its_phases_moved(first: Toy) -> None:
    made = make(first, NEXT)
    with first.database.reading() as session:
        spec = task_specs.spec_of(session, lambda _: first.spec, "toy2027")
        row = session.scalars(select(Task).where(Task.name == "toy2027")).one()
        (setting,) = phase_settings.listing(session, made.spec)
        assert session.scalars(select(Run).where(Run.task_id == row.id)).all() == []
    assert (spec.name, str(spec.title), spec.counting) == ("toy2027", "Toy 2027", "latest")
    assert (row.based_on, row.visibility) == ("toy", "organisers")
    assert spec.phases[0].closes_at == NOON + timedelta(hours=24, days=365)
    assert setting.declared == evaluation()[0]
    assert setting.changed == {"closes_at", "opens_at", "runs_per_day"}
    assert first.lines("near", "evaluation") == [("a", 1)]


def test_times_are_left_empty_where_no_number_of_days_is_named(first: Toy) -> None:
    make(first, replace(NEXT, days=None))
    with first.database.reading() as session:
        spec = task_specs.spec_of(session, lambda _: first.spec, "toy2027")
    assert (spec.phases[0].opens_at, spec.phases[0].closes_at) == (None, None)


def test_files_and_benchmarks_come_along_only_if_asked_for(first: Toy) -> None:
    bare = make(first, NEXT)
    whole = make(first, replace(NEXT, name="toy2028", inputs=True, gold=True))
    with first.database.reading() as session:
        assert inputs.listing(session, first.files, bare.spec) == ()
        assert len(inputs.listing(session, first.files, whole.spec)) == 1
        with pytest.raises(boards.NoBoard):
            boards.board(session, bare.spec, "near", "evaluation")
        assert boards.board(session, whole.spec, "near", "evaluation").gold_version == 1
    run = whole.submit("b", 0.1, 0.5, 0.9, minute=60 * 24 * 365).run_id
    assert whole.score(run) == "scored"


def test_editions_know_each_other_and_readers_see_the_public_ones(first: Toy) -> None:
    second = make(first, NEXT)
    third = make(second, replace(NEXT, name="toy2028"))
    with first.database.writing() as session:
        assert editions.listing(session, first.spec).later == ()
        assert editions.listing(session, first.spec, hidden=True).later == ("toy2027",)
        settings.open_to(session, second.spec, settings.Openness("public", None), SHELL, NOON)
        assert editions.listing(session, third.spec).earlier == ("toy2027", "toy")
        assert "toy2028" not in task_pages.public_names(session)
        based = session.scalars(select(Task.based_on).where(Task.name == "toy2028")).one()
    assert based == "toy"


def test_who_makes_an_edition_organises_it_and_both_logs_say_so(first: Toy) -> None:
    user = person(first)
    make(first, NEXT, Actor(user, "web"))
    with first.database.reading() as session:
        row = session.scalars(select(Task).where(Task.name == "toy2027")).one()
        role = session.scalars(select(Role).where(Role.user_id == user)).one()
        assert (role.name, role.task_id) == ("organiser", row.id)
        logged = session.scalars(select(AuditEntry.task_id).where(AuditEntry.action == "edition.made")).all()
    assert row.id in logged
    assert len(logged) == 2


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": "toy"}, "name"),
        ({"name": "other"}, "name"),
        ({"name": "../x"}, "name"),
        ({"name": "x" * 41}, "name"),
        ({"title": {"en": ""}}, "title"),
        ({"days": 10_000}, "days"),
    ],
)
def test_what_an_edition_cannot_be_is_refused(first: Toy, changes: dict[str, object], field: str) -> None:
    with pytest.raises(BadEdition) as refused:
        make(first, replace(NEXT, **changes))  # type: ignore[arg-type] # told apart by name
    assert refused.value.field == field
