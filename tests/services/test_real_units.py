"""On RUSSE, runs are compared by pseudo-values whose standard error is that of the bootstrap."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from leaderboard.catalog import load_scorer, load_task
from leaderboard.services import samples

RUNS = ("navec_cos", "char3_dice", "supervised_gbdt")


@pytest.mark.parametrize("name", ["hj", "ae"])
def test_the_jackknife_and_the_bootstrap_agree(shared_data: Path, tasks_folder: Path, name: str) -> None:
    spec = load_task(tasks_folder / "russe")
    scorer, track = load_scorer(spec), spec.track(name)
    gold = scorer.read_gold(spec, {name: shared_data / "russe" / "gold" / track.gold})
    files = [next((shared_data / "russe" / "runs").glob(f"{run}.*")) for run in RUNS]
    runs = [scorer.check(spec, file, None).run for file in files]
    drawing = samples.drawing(spec, scorer, gold, name, track.primary, seed=1)
    units = [samples.by_unit(spec, scorer, gold, track, run) for run in runs]
    assert drawing is not None
    for first, second in combinations(range(len(runs)), 2):
        one, other = units[first], units[second]
        assert one is not None
        assert other is not None
        jackknife = np.nanstd(one - other, ddof=1) / np.sqrt(len(one))
        bootstrap = np.nanstd(drawing.of(runs[first]) - drawing.of(runs[second]), ddof=1)
        assert jackknife == pytest.approx(bootstrap, rel=0.1)
