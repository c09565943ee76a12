"""What two attacks get out of a small benchmark under each rule, as docs/probing.md says it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from leaderboard.analysis.public_values import Scored, told
from leaderboard.formats.public_values import parse

TOPICS, RUNS, TRIALS = 173, 200, 10
RULES = ("exact", "rounded 2", "ladder 0.01", "ladder 0.05", "ladder")
FLIPPED = 5
DOCS = Path(__file__).resolve().parents[2] / "docs" / "probing.md"

Answers = NDArray[np.int64]
Board = Callable[[Answers], float]


class Team:
    """A team that sends answers to a board of zeros and ones and reads what it is told."""

    def __init__(self, rule: str, labels: Answers) -> None:
        self._rule, self._labels = parse(rule), labels
        self._best: list[Scored] = []

    def __call__(self, answers: Answers) -> float:
        right = (answers == self._labels).astype(float)
        runs = [*self._best, Scored({"P": float(right.mean())}, right)]
        last = list(told(self._rule, "P", higher_is_better=True, runs=runs))[-1]
        if last.of == len(runs) - 1:
            self._best = runs[-1:] if self._rule.kind == "ladder" else []
        value = last.values["P"]
        assert value is not None
        return value


def majority(board: Board, generator: np.random.Generator, *, moves: bool) -> Answers:
    """Blum and Hardt: what the board calls better than chance, and on a Ladder as news, is put together."""
    before, kept = 0.5, []
    for _ in range(RUNS):
        answers = generator.integers(0, 2, TOPICS)
        value = board(answers)
        if value > 0.5 and (not moves or value != before):
            kept.append(answers)
        before = value
    votes = 2 * np.sum(kept, axis=0) - len(kept)
    return np.where(votes == 0, generator.integers(0, 2, TOPICS), votes > 0).astype(np.int64)


def climbing(board: Board, generator: np.random.Generator, *, moves: bool) -> Answers:
    """A few answers of the best run are turned round, and kept so where the value rises."""
    best = generator.integers(0, 2, TOPICS)
    value = board(best)
    for _ in range(RUNS - 1):
        other = best.copy()
        turned = generator.choice(TOPICS, FLIPPED, replace=False)
        other[turned] = 1 - other[turned]
        if (now := board(other)) > value:
            best, value = other, now
    return best


@cache
def right(attack: Callable[..., Answers], rule: str) -> float:
    """The share of right answers that the attacker ends with, where 0.5 is chance."""
    shares = []
    for trial in range(TRIALS):
        generator = np.random.default_rng([7, trial])
        labels = generator.integers(0, 2, TOPICS)
        last = attack(Team(rule, labels), generator, moves=rule.startswith("ladder"))
        shares.append(float((last == labels).mean()))
    return float(np.mean(shares))


@pytest.mark.parametrize("rule", RULES)
def test_the_docs_say_what_the_attacks_get(rule: str) -> None:
    line = re.search(rf"^\| `{rule}` \| (0\.\d+) \| (0\.\d+) \|$", DOCS.read_text("utf-8"), re.MULTILINE)
    assert line is not None
    found = (right(majority, rule), right(climbing, rule))
    assert found == pytest.approx((float(line[1]), float(line[2])), abs=0.0006)


@pytest.mark.parametrize("attack", [majority, climbing])
@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.startswith("ladder")])
def test_a_ladder_leaves_less_of_an_attack(attack: Callable[..., Answers], rule: str) -> None:
    assert right(attack, rule) < right(attack, "exact") - 0.05
