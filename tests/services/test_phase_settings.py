"""Organisers set the phases of a task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from leaderboard.contract import PhaseSpec, Text
from leaderboard.services import phase_settings, phases, submissions, task_specs, tasks
from leaderboard.services.audit import SHELL
from leaderboard.services.phase_settings import BadPhase, PhaseSetting, UnknownPhase
from leaderboard.store.models import Board, Run
from leaderboard.store.session import Database
from tests.services.organising import log, told
from tests.services.ready import ready
from tests.services.toy import NOON, TITLE, Toy, evaluation, make_spec

PRACTICE = PhaseSpec("practice", TITLE, None, NOON - timedelta(hours=24))
EVALUATION = evaluation()[0]


@pytest.fixture
def phased(database: Database, tmp_path: Path) -> Toy:
    """The toy task with two phases and gold."""
    return ready(database, tmp_path, make_spec(phases=(PRACTICE, EVALUATION)))


def do(toy: Toy, action: Callable[..., Any], *what: Any, now: datetime = NOON) -> Any:
    with toy.database.writing() as session:
        return action(session, toy.spec, "1", *what, SHELL, now)


def listed(toy: Toy) -> dict[str, PhaseSetting]:
    with toy.database.reading() as session:
        return {each.phase.name: each for each in phase_settings.listing(session, toy.spec)}


def late(toy: Toy) -> list[bool]:
    with toy.database.reading() as session:
        return list(session.scalars(select(Run.late).order_by(Run.submitted_at)))


def test_a_changed_deadline_stands_beside_the_declared_one_and_survives_another_installation(
    phased: Toy,
) -> None:
    later = NOON + timedelta(hours=48)
    assert do(phased, phase_settings.change, replace(EVALUATION, closes_at=later)) == ("closes_at",)
    phased.install()
    found = listed(phased)["evaluation"]
    assert (found.phase.closes_at, found.changed) == (later, frozenset({"closes_at"}))
    assert found.declared == EVALUATION
    assert told(phased)[0].after == later
    assert log(phased)[0][2] == {"closes_at": later.isoformat()}
    do(phased, phase_settings.set_back, "evaluation", "closes_at")
    assert listed(phased)["evaluation"].changed == frozenset()


def test_another_deadline_tells_late_runs_anew_and_moves_the_ranking(phased: Toy) -> None:
    phased.enter("a", 0.1, 0.5, 0.7)
    phased.enter("b", 0.1, 0.5, 0.9, minute=120)
    do(phased, phase_settings.change, replace(EVALUATION, closes_at=NOON + timedelta(hours=1)))
    assert late(phased) == [False, True]
    assert phased.lines("near", "evaluation") == [("b", None), ("a", 1)]
    do(phased, phase_settings.set_back, "evaluation", "closes_at")
    assert late(phased) == [False, False]
    assert phased.lines("near", "evaluation") == [("b", 1), ("a", 2)]


def test_a_phase_that_organisers_make_takes_runs_and_stays_when_the_task_is_installed_again(
    phased: Toy,
) -> None:
    made = PhaseSpec("post", Text({"en": "After"}), NOON + timedelta(hours=24), runs_per_day=3, reveals=())
    do(phased, phase_settings.make, made)
    phased.install()
    found = listed(phased)["post"]
    assert (found.phase, found.declared, found.taken_away) == (made, None, False)
    with phased.database.reading() as session:
        spec = task_specs.as_set(session, phased.spec)
        state = submissions.state(session, spec, 0, NOON + timedelta(hours=25))
    assert (state.quota.phase.name, state.late, state.quota.left_today) == ("post", False, 3)
    assert [each.what for each in told(phased)] == ["made", "opens_at"]


def test_a_phase_made_here_has_boards_at_once(phased: Toy) -> None:
    do(phased, phase_settings.make, PhaseSpec("post", TITLE))
    assert phased.lines("near", "post") == []


def test_a_phase_is_taken_away_and_brought_back(phased: Toy) -> None:
    with phased.database.writing() as session:
        phase_settings.take_away(session, phased.spec, "practice", SHELL, NOON)
    phased.install()
    with phased.database.reading() as session:
        spec = task_specs.as_set(session, phased.spec)
    assert [phase.name for phase in spec.phases] == ["evaluation"]
    assert listed(phased)["practice"].taken_away
    do(phased, phase_settings.bring_back, "practice")
    assert not listed(phased)["practice"].taken_away


def test_a_phase_made_here_is_gone_once_it_is_taken_away(phased: Toy) -> None:
    do(phased, phase_settings.make, PhaseSpec("post", TITLE))
    with phased.database.writing() as session:
        phase_settings.take_away(session, phased.spec, "post", SHELL, NOON)
    assert "post" not in listed(phased)
    with phased.database.reading() as session:
        assert len(session.scalars(select(Board)).all()) == 6
    assert [action for action, _, _ in log(phased)] == ["phase.made", "phase.taken_away"]


def test_a_phase_with_runs_and_the_only_phase_stay(phased: Toy) -> None:
    phased.enter("a", 0.1)
    with phased.database.writing() as session, pytest.raises(BadPhase, match="1 run belongs"):
        phase_settings.take_away(session, phased.spec, "evaluation", SHELL, NOON)
    with phased.database.writing() as session:
        phase_settings.take_away(session, phased.spec, "practice", SHELL, NOON)
    assert [each.phase.name for each in listed(phased).values() if not each.taken_away] == ["evaluation"]


def test_closing_a_phase_now_makes_the_next_run_late(phased: Toy) -> None:
    do(phased, phase_settings.close, "evaluation")
    with phased.database.reading() as session:
        view = phases.listing(session, task_specs.as_set(session, phased.spec), NOON)[1]
    assert view.state == "closed"
    with pytest.raises(BadPhase, match="closed already"):
        do(phased, phase_settings.close, "evaluation", now=NOON + timedelta(seconds=1))


def test_phases_stand_in_the_order_that_organisers_gave_them(phased: Toy) -> None:
    with phased.database.writing() as session:
        phase_settings.reorder(session, phased.spec, ["evaluation", "practice"], SHELL, NOON)
    with phased.database.writing() as session:
        assert tasks.install(session, phased.spec, NOON).phases_changed == ()
    assert list(listed(phased)) == ["evaluation", "practice"]
    with phased.database.writing() as session, pytest.raises(BadPhase):
        phase_settings.reorder(session, phased.spec, ["evaluation"], SHELL, NOON)


@pytest.mark.parametrize(
    ("wanted", "field"),
    [
        (replace(EVALUATION, closes_at=EVALUATION.opens_at), "closes_at"),
        (replace(EVALUATION, runs_per_day=-1), "runs_per_day"),
        (replace(EVALUATION, reveals=("gold",)), "reveals"),
        (replace(EVALUATION, title=Text({"en": "", "ru": "Оценка"})), "title"),
        (replace(EVALUATION, title=Text({"en": "Evaluation", "ru": "о" * 301})), "title"),
    ],
)
def test_what_a_phase_cannot_be_is_refused(phased: Toy, wanted: PhaseSpec, field: str) -> None:
    with pytest.raises(BadPhase) as refused:
        do(phased, phase_settings.change, wanted)
    assert refused.value.field == field
    assert log(phased) == []


@pytest.mark.parametrize("name", ["", "Post", "a b", "../x", "ф", "a" * 41])
def test_a_name_that_does_no_good_in_addresses_is_refused(phased: Toy, name: str) -> None:
    with pytest.raises(BadPhase) as refused:
        do(phased, phase_settings.make, PhaseSpec(name, TITLE))
    assert refused.value.field == "name"


def test_names_are_not_given_twice_and_unknown_ones_are_said(phased: Toy) -> None:
    with pytest.raises(BadPhase, match="already"):
        do(phased, phase_settings.make, PRACTICE)
    with pytest.raises(UnknownPhase):
        do(phased, phase_settings.close, "nothing")


def test_phases_that_are_open_at_once_are_warned_of() -> None:
    assert phase_settings.overlaps([PRACTICE, EVALUATION]) == ()
    (warning,) = phase_settings.overlaps([replace(PRACTICE, closes_at=NOON), EVALUATION])
    assert "practice and evaluation are open at the same time" in str(warning)


def test_a_change_of_quotas_and_of_what_is_shown_is_told(phased: Toy) -> None:
    do(phased, phase_settings.change, replace(EVALUATION, runs_per_day=2, reveals=("own",)))
    assert {(each.what, str(each.phase)): each.after for each in told(phased)} == {
        ("runs_per_day", "Toy"): 2,
        ("reveals", "Toy"): ["own"],
    }
