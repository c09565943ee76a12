"""What everybody may see of a run."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import update

from leaderboard.contract import PhaseSpec
from leaderboard.services import public_runs
from leaderboard.services.public_runs import PublicRun
from leaderboard.services.scoring import UnknownRun
from leaderboard.store.models import Run
from tests.services.toy import NOON, TITLE, Toy


def show(toy: Toy, run_id: int) -> PublicRun:
    with toy.database.reading() as session:
        return public_runs.show(session, toy.spec, run_id, NOON)


def in_phase(toy: Toy, *reveals: str) -> Toy:
    spec = replace(toy.spec, phases=(PhaseSpec("open", TITLE, reveals=reveals),))
    return Toy(toy.database, toy.folder, spec).install()


def test_a_scored_run_is_shown_with_its_places(toy: Toy) -> None:
    shown = show(toy, toy.enter("red", 0.1, 0.5, 0.9))
    assert [(result.track, result.place) for result in shown.results] == [("near", 1), ("same", 1)]


@pytest.mark.parametrize(
    "changed",
    [
        {"state": "received"},
        {"state": "rejected"},
        {"state": "failed"},
        {"withdrawn_at": NOON},
        {"hidden_at": NOON},
    ],
)
def test_any_other_run_is_unknown_like_one_that_never_was(toy: Toy, changed: dict[str, object]) -> None:
    run_id = toy.enter("red", 0.1, 0.5, 0.9)
    with toy.database.writing() as session:
        session.execute(update(Run).where(Run.id == run_id).values(**changed))
    with pytest.raises(UnknownRun) as hidden:
        show(toy, run_id)
    with pytest.raises(UnknownRun) as absent:
        show(toy, run_id + 1)
    assert str(hidden.value).replace(str(run_id), "N") == str(absent.value).replace(str(run_id + 1), "N")


def test_a_run_of_a_phase_that_hides_its_board_is_unknown(toy: Toy) -> None:
    run_id = toy.enter("red", 0.1, 0.5, 0.9)
    with pytest.raises(UnknownRun):
        show(in_phase(toy, "own"), run_id)


def test_topics_are_shown_where_the_phase_says_so(toy: Toy) -> None:
    run_id = toy.enter("red", 0.1, 0.5, 0.9)
    assert show(in_phase(toy, "board"), run_id).per_topic == {}
    assert show(in_phase(toy, "board", "per-topic"), run_id).per_topic["near"].topics == ("a", "b", "c")
