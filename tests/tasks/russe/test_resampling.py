"""RUSSE's scorer computes a value again for other samples of pairs or source words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leaderboard.analysis.resampling import draw
from leaderboard.catalog import load_scorer, load_task
from leaderboard.contract import TaskSpec
from tests.services.pair_task import GOOD, HJ, RT, write_pairs

PAIRS = {"hj": HJ, "rt": RT}


@pytest.fixture(scope="module")
def spec(tasks_folder: Path) -> TaskSpec:
    return load_task(tasks_folder / "russe")


@pytest.fixture(scope="module")
def scorer(spec: TaskSpec) -> Any:
    return load_scorer(spec)


@pytest.fixture
def gold(spec: TaskSpec, scorer: Any, tmp_path: Path) -> Any:
    files = {track: write_pairs(tmp_path / f"{track}.csv", rows) for track, rows in PAIRS.items()}
    return scorer.read_gold(spec, files)


@pytest.fixture
def run(spec: TaskSpec, scorer: Any, tmp_path: Path) -> Any:
    values = dict(list(GOOD.items())[:-2])
    rows = [(*pair, value) for pair, value in values.items() if pair != ("дом", "лес")]
    return scorer.check(spec, write_pairs(tmp_path / "run.csv", rows), None).run


def test_units_are_pairs_for_a_correlation_and_source_words_for_the_rest(
    spec: TaskSpec, scorer: Any, gold: Any
) -> None:
    assert scorer.units(spec, "hj", "spearman", gold) == len(HJ)
    assert scorer.units(spec, "rt", "AveP", gold) == 2
    assert scorer.units(spec, "rt", "accuracy", gold) == 0


@pytest.mark.parametrize(("track", "measure"), [("hj", "spearman"), ("hj", "pearson"), ("rt", "AveP")])
def test_a_draw_that_has_every_unit_once_gives_the_score(
    spec: TaskSpec, scorer: Any, gold: Any, run: Any, track: str, measure: str
) -> None:
    once = np.ones((1, scorer.units(spec, track, measure, gold)), dtype=np.int32)

    (value,) = scorer.resampled(spec, run, gold, track, measure, once)

    assert value == pytest.approx(scorer.score(spec, run, gold)[track].values[measure])


def test_a_draw_is_the_score_of_a_gold_that_repeats_its_source_words(
    spec: TaskSpec, scorer: Any, gold: Any, run: Any, tmp_path: Path
) -> None:
    twice_cat = np.array([[0, 2]], dtype=np.int32)  # the words in order: дом, кот

    (value,) = scorer.resampled(spec, run, gold, "rt", "AveP", twice_cat)

    repeated = write_pairs(tmp_path / "cat.csv", [row for row in RT if row[0] == "кот"] * 2)
    expected = scorer.score(spec, run, scorer.read_gold(spec, {"rt": repeated}))
    assert value == pytest.approx(expected["rt"].values["AveP"])


def test_real_runs_have_intervals_around_their_values(spec: TaskSpec, scorer: Any, shared_data: Path) -> None:
    folder = shared_data / "russe"
    gold = scorer.read_gold(spec, {track.name: folder / "gold" / track.gold for track in spec.tracks})
    run = scorer.check(spec, folder / "runs" / "navec_cos.csv", None).run
    scores = scorer.score(spec, run, gold)
    for track, units in (("hj", 333), ("rt", 1008), ("ae", 340)):
        primary = spec.track(track).primary
        assert scorer.units(spec, track, primary, gold) == units
        found = scorer.resampled(spec, run, gold, track, primary, draw(units, 1, 100))
        value = scores[track].values[primary]
        assert found.min() < value < found.max()
        assert found.mean() == pytest.approx(value, abs=0.01)
