"""The toy task with runs that harm who scores them: 111 loops, 222 eats memory, 333 ends the process, 444
waits for another program."""

from __future__ import annotations

import os
import subprocess
from typing import Any

import numpy as np

from leaderboard.contract import Scores, TaskSpec
from tests.services import toy_scorer
from tests.services.toy_scorer import VERSION, ToyGold, check, read_gold, template

__all__ = ["VERSION", "check", "read_gold", "score", "template"]


def score(spec: TaskSpec, run: Any, benchmark: ToyGold) -> Scores:
    while 111 in run:
        continue
    if 222 in run:
        np.ones(10**12)
    if 444 in run:
        # Named after who has us score, so that a test finds its own.
        subprocess.run(["sleep", f"{os.getppid()}.444"], check=False)
    if 333 in run:
        os._exit(7)
    return toy_scorer.score(spec, run, benchmark)
