"""The Ladder: a public value moves only when it improves by a significant step.

Blum and Hardt, *The Ladder: A Reliable Leaderboard for Machine Learning Competitions*, ICML 2015, Figures 1
and 2. Without it a team reads a hidden benchmark off the board by many small variations of a run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from leaderboard.contract import FloatArray


def on_steps(value: float, step: float) -> float:
    """The multiple of `step` that is nearest to a value; of two the even one."""
    return round(value / step) * step


@dataclass(slots=True)
class Ladder:
    """What a team has been told so far. Losses are between 0 and 1, less is better.

    With a `step` a loss is announced, rounded to steps, when it is more than a step below the last announced.
    Without, the step follows from the runs themselves (the parameter-free Ladder): the standard deviation of
    the difference to the best run so far, unit by unit, divided by the root of their number n; what is
    announced is rounded to 1/n.
    """

    step: float | None = None
    announced: float | None = None
    _best: FloatArray | None = None

    def announce(self, losses: FloatArray) -> float:
        """What is told of a run with these losses, one a unit (a topic, a pair). Raises ValueError without
        units."""
        if len(losses) == 0:
            raise ValueError("a run is judged on at least one unit")
        loss = float(np.mean(losses))
        self.hear(loss, losses)
        # The first run is always announced.
        return loss if self.announced is None else self.announced

    def hear(self, loss: float, losses: FloatArray | None = None) -> bool:
        """Whether a run is announced that has this loss, with `losses` by unit, nan where a unit has none.

        Without a step no run is announced whose losses by unit are not known: it might tell more than is
        allowed.
        """
        grain = self.grain(losses)
        if grain is None:
            return False
        if self.announced is not None and loss >= self.announced - self._needed(losses):
            return False
        self.announced, self._best = on_steps(loss, grain), losses
        return True

    def grain(self, losses: FloatArray | None) -> float | None:
        """The steps that what is announced of a run is rounded to; None where there are no units to make
        them of."""
        if self.step is not None:
            return self.step
        units = 0 if losses is None else int(np.isfinite(losses).sum())
        return 1 / units if units else None

    def _needed(self, losses: FloatArray | None) -> float:
        """By how much a loss must be below the announced one to be announced."""
        if self.step is not None:
            return self.step
        if losses is None or self._best is None or len(losses) != len(self._best):
            return math.inf
        differences = losses - self._best
        differences = differences[np.isfinite(differences)]
        if len(differences) < 2:
            return 0.0
        return float(np.std(differences, ddof=1)) / math.sqrt(len(differences))
