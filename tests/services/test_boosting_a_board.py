"""The attack of Blum and Hardt on a board that is there: runs are sent in, and what is told is read."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from leaderboard.services import public_values, run_pages
from leaderboard.store.models import EXACT, SHOWN_SPLITS
from leaderboard.store.session import Database
from tests.services.ready import ready
from tests.services.test_announced_values import scores, told_by
from tests.services.toy import Toy

TOPICS = 26
RUNS = 40
CHANCE = 0.5


def board(folder: Path, template: Path, rule: str) -> Toy:
    """A board of one small benchmark of zeros and ones, on SQLite: what is told does not depend on that."""
    folder.mkdir()
    shutil.copyfile(template, folder / "leaderboard.db")
    made = ready(Database(f"sqlite:///{folder / 'leaderboard.db'}"), folder, told_by(rule, rule))
    labels = tuple(float(one) for one in np.random.default_rng(1).integers(0, 2, TOPICS))
    made.install_gold(labels, tuple(range(TOPICS)))
    with made.database.writing() as session:
        public_values.adopt(session, made.spec)
    return made


def told_of(toy: Toy, run: int) -> float:
    """What the team reads on the page of its run."""
    with toy.database.reading() as session:
        results = run_pages.show(session, toy.spec, run).results
    value = next(each.values["closeness"] for each in results if each.track == "near" and each.active)
    assert value is not None
    return value


def boosted(toy: Toy) -> float:
    """What the attacker's last run truly scores.

    Whoever attacks keeps the answers that the board calls better than chance. On a Ladder that is news only
    where the value has moved, so that the answers of all other runs say nothing.
    """
    generator = np.random.default_rng(2)
    kept: list[NDArray[np.int64]] = []
    before = CHANCE
    for minute in range(RUNS):
        answers = generator.integers(0, 2, TOPICS)
        told = told_of(toy, toy.enter("prober", *answers, minute=minute))
        news = told != before or not toy.spec.tracks[0].public_values.startswith("ladder")
        if told > CHANCE and news:
            kept.append(answers)
        before = told
    votes = 2 * np.sum(kept, axis=0) - len(kept)
    last = np.where(votes == 0, generator.integers(0, 2, TOPICS), votes > 0).astype(int)
    run = toy.enter("prober", *last, minute=RUNS)
    split = SHOWN_SPLITS if toy.spec.tracks[0].public_values == "exact" else (EXACT,)
    truth = scores(toy, *split)[run]
    assert truth is not None
    return truth


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> dict[str, float]:
    folder = tmp_path_factory.mktemp("boosted")
    rules = ("exact", "ladder 0.1", "ladder")
    boards = {rule: board(folder / str(number), sqlite_template, rule) for number, rule in enumerate(rules)}
    truth = {rule: boosted(toy) for rule, toy in boards.items()}
    for toy in boards.values():
        toy.database.close()
    return truth


def test_a_board_of_exact_values_gives_the_benchmark_away(found: dict[str, float]) -> None:
    assert found["exact"] > 0.75


@pytest.mark.parametrize("rule", ["ladder 0.1", "ladder"])
def test_a_ladder_leaves_less_to_the_attacker(found: dict[str, float], rule: str) -> None:
    assert found[rule] < found["exact"] - 0.1
