"""The boosting attack on a board, and what each defence leaves of it.

Blum and Hardt, *The Ladder*, ICML 2015, section 4. The attacker knows nothing of the task: random answers are
submitted, those that the board says are better than chance are kept, and their majority is submitted.
On a plain board of n units the majority of k answers seems better than chance by about √(k/n), and is
no better in truth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from leaderboard.analysis.ladder import Ladder, on_steps
from leaderboard.contract import FloatArray

Defence = Literal["plain", "rounded", "ladder", "split", "quota"]

DEFENCES: tuple[Defence, ...] = get_args(Defence)

CHANCE = 0.5

Answers = NDArray[np.int8]
Announce = Callable[[FloatArray], float]


@dataclass(frozen=True, slots=True)
class Setting:
    """The scene: `public` and `private` units with labels of two kinds; `step` is what a rounded board rounds
    to, `quota` the runs that a team may submit under that defence."""

    public: int = 4000
    private: int = 4000
    step: float = 0.01
    quota: int = 100


@dataclass(frozen=True, slots=True)
class Boosted:
    """What an attacker gets with `runs` runs under a defence, the mean over `trials`.

    `claimed` is the share of wrong answers that the final standing shows for the attacker's last run, `told`
    the one that the board announced for it, `true` that on units which nobody was ever told about.
    """

    defence: Defence
    runs: int
    trials: int
    claimed: float
    told: float
    true: float


def simulate(runs: Sequence[int], setting: Setting, trials: int, seed: int) -> tuple[Boosted, ...]:
    """The attack with so many runs each, under every defence, against the same labels and answers.

    Raises ValueError without runs, trials or units.
    """
    if not runs or min(runs) < 1 or trials < 1 or min(setting.public, setting.private) < 1:
        raise ValueError("the attack needs runs, trials and units")
    found: dict[tuple[Defence, int], list[tuple[float, float, float]]] = {}
    for trial in range(trials):
        generator = np.random.default_rng([seed, trial])
        units = setting.public + setting.private
        labels = generator.integers(0, 2, units, dtype=np.int8)
        answers = generator.integers(0, 2, (max(runs), units), dtype=np.int8)
        lots = generator.integers(0, 2, units, dtype=np.int8)
        wrong = answers != labels
        for defence in DEFENCES:
            for count in runs:
                allowed = min(count, setting.quota) if defence == "quota" else count
                kept, announce = _kept(wrong[:allowed, : setting.public].astype(float), defence, setting)
                last = _majority(answers[:allowed][kept], lots) != labels
                found.setdefault((defence, count), []).append(_outcome(last, announce, defence, setting))
    return tuple(
        Boosted(defence, count, trials, *(float(value) for value in np.mean(outcomes, axis=0)))
        for (defence, count), outcomes in found.items()
    )


def _kept(losses: FloatArray, defence: Defence, setting: Setting) -> tuple[NDArray[np.bool_], Announce]:
    """Which runs the attacker keeps: those announced as better than chance, and on a ladder as better than
    all before; and the board as it is afterwards."""
    ladder = Ladder()
    announce: Announce = {
        "rounded": lambda each: on_steps(float(np.mean(each)), setting.step),
        "ladder": ladder.announce,
    }.get(defence, lambda each: float(np.mean(each)))
    told = np.array([announce(each) for each in losses])
    kept = told < CHANCE
    if defence == "ladder":
        kept &= np.diff(told, prepend=CHANCE) < 0
    return kept, announce


def _majority(answers: Answers, lots: Answers) -> Answers:
    """The answer that most give to each unit; equally many, or no answers at all, and the lot decides."""
    votes = 2 * answers.sum(axis=0, dtype=np.int64) - len(answers)
    return np.where(votes == 0, lots, votes > 0).astype(np.int8)


def _outcome(
    wrong: NDArray[np.bool_], announce: Announce, defence: Defence, setting: Setting
) -> tuple[float, float, float]:
    told = announce(wrong[: setting.public].astype(float))
    true = float(np.mean(wrong[setting.public :]))
    # With a split the final standing is that of the private part.
    return (true if defence == "split" else told), told, true
