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
        count = len(losses)
        if count == 0:
            raise ValueError("a run is judged on at least one unit")
        loss = float(np.mean(losses))
        if self.announced is None or loss < self.announced - self._needed(losses):
            self.announced = on_steps(loss, self.step or 1 / count)
            self._best = losses
        return self.announced

    def _needed(self, losses: FloatArray) -> float:
        """By how much a loss must be below the announced one to be announced."""
        if self.step is not None:
            return self.step
        if self._best is None or len(losses) < 2:
            return 0.0
        return float(np.std(losses - self._best, ddof=1)) / math.sqrt(len(losses))
