"""What noisy judges do to the two procedures: how often the true top k is found, and at which cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

import numpy as np

from leaderboard.judging.crowd import CrowdSettings, TwoStage
from leaderboard.judging.preferences import Pair
from leaderboard.judging.tournament import Tournament

Kind = Literal["tournament", "two-stage"]

SIZES = (10, 20, 40, 80)
ERRORS = (0.0, 0.05, 0.1, 0.2)


@dataclass(frozen=True, slots=True)
class Procedure:
    """A way of judging, with so many judges a pair, of whom the majority decides (an odd number)."""

    kind: Kind
    judges: int = 1

    def __str__(self) -> str:
        return self.kind if self.judges == 1 else f"{self.kind}, {self.judges} judges a pair"


PROCEDURES = (Procedure("tournament"), Procedure("tournament", 3), Procedure("two-stage"))


@dataclass(frozen=True, slots=True)
class Simulated:
    """The trials of one procedure with one error rate on pools of one size.

    `found` is the share of trials whose answer holds all of the true top k, `best` the share with the truly
    best item at the top of it (tied ones count), `overlap` the mean share of the true top k in the answer;
    `judgments` is the mean number that a topic cost, every judge of a pair counted, `answers` the mean size
    of the answer, which ties at rank k make longer.
    """

    procedure: Procedure
    size: int
    error: float
    trials: int
    found: float
    best: float
    overlap: float
    judgments: float
    answers: float


@dataclass(frozen=True, slots=True)
class _Trial:
    levels: dict[str, int]
    judgments: int


_Ask = Callable[[Pair], str]


def simulate(
    sizes: Iterable[int],
    errors: Sequence[float],
    settings: CrowdSettings,
    trials: int,
    seed: int,
    procedures: Sequence[Procedure] = PROCEDURES,
) -> tuple[Simulated, ...]:
    """Every procedure with every error rate on pools of every size.

    A judge names the truly better item except with the probability `error`, for each judgment anew. The
    same seed gives the same numbers, whatever else is simulated beside them.
    """
    return tuple(
        _simulated(procedure, size, error, settings, trials, seed)
        for size in sizes
        for procedure in procedures
        for error in errors
    )


def _simulated(
    procedure: Procedure, size: int, error: float, settings: CrowdSettings, trials: int, seed: int
) -> Simulated:
    # The true order is that of the names: the procedures know nothing of it, for they shuffle first.
    items = [f"{place:05d}" for place in range(size)]
    true_top = set(items[: settings.k])
    found, best, overlap, judgments, answers = [], [], [], [], []
    for trial in range(trials):
        chance = np.random.default_rng([seed, size, trial, procedure.judges, round(error * 1e6)])
        done = _trial(procedure, items, error, settings, chance)
        answer = done.levels.keys()
        found.append(true_top <= answer)
        best.append(done.levels.get(items[0]) == max(done.levels.values()))
        overlap.append(len(true_top & answer) / len(true_top))
        judgments.append(done.judgments)
        answers.append(len(answer))
    return Simulated(
        procedure=procedure,
        size=size,
        error=error,
        trials=trials,
        found=fmean(found),
        best=fmean(best),
        overlap=fmean(overlap),
        judgments=fmean(judgments),
        answers=fmean(answers),
    )


def _trial(
    procedure: Procedure,
    items: Sequence[str],
    error: float,
    settings: CrowdSettings,
    chance: np.random.Generator,
) -> _Trial:
    def ask(pair: Pair) -> str:
        wrong = int((chance.random(procedure.judges) < error).sum())
        # Of a pair, which is sorted, the first is the better.
        return pair[1] if 2 * wrong > procedure.judges else pair[0]

    drawn = [items[place] for place in chance.permutation(len(items))]
    if procedure.kind == "tournament":
        levels, pairs = _by_tournament(drawn, settings.k, ask)
    else:
        levels, pairs = _by_two_stages(drawn, settings, int(chance.integers(1 << 62)), ask)
    return _Trial(levels, pairs * procedure.judges)


def _by_tournament(drawn: Sequence[str], k: int, ask: _Ask) -> tuple[dict[str, int], int]:
    tournament = Tournament(drawn, k)
    while not (now := tournament.standing()).done:
        for pair in now.open:
            tournament.record(pair, ask(pair))
    return {item: -place for place, item in enumerate(now.top)}, now.spent


def _by_two_stages(
    drawn: Sequence[str], settings: CrowdSettings, seed: int, ask: _Ask
) -> tuple[dict[str, int], int]:
    stages = TwoStage("", drawn, settings, seed)
    asked = 0
    while not stages.done:
        for pair in stages.pending():
            stages.record(pair, ask(pair))
            asked += 1
    return {item: int(level) for item, level in stages.levels().items()}, asked
