"""What measures are worth, on made-up runs and on the real ones of CAsT 2019."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from leaderboard.analysis.pairwise import paired_t
from leaderboard.analysis.resampling import draw, means
from leaderboard.analysis.samples import ByUnit, Drawn
from leaderboard.analysis.study import Assessed, sensitivity, study
from leaderboard.catalog import load_scorer, load_task
from leaderboard.resources.rows import RowsOnDisk
from tests.analysis.all_pairs import joined


def assessed(*matrices: np.ndarray) -> tuple[Assessed, ...]:
    return study([ByUnit(matrix, seed=1) for matrix in matrices], [True] * len(matrices))


def test_sensitivity_counts_the_pairs_that_scipy_tells_apart() -> None:
    dice = np.random.default_rng(1)
    matrix = dice.random((8, 40)) + np.arange(8)[:, np.newaxis] / 20
    p = [
        scipy.stats.ttest_rel(matrix[one], matrix[other]).pvalue
        for one in range(8)
        for other in range(one + 1, 8)
    ]
    in_order = sorted(p)
    steps = [value * (len(p) - step) < 0.05 for step, value in enumerate(in_order)]

    found = sensitivity(ByUnit(matrix, seed=1))

    assert found.pairs == 28
    assert found.plain == sum(value < 0.05 for value in p)
    assert found.bonferroni == sum(value * 28 < 0.05 for value in p)
    assert found.holm == (steps.index(False) if False in steps else len(steps))


def test_a_measure_beside_itself_ranks_alike() -> None:
    matrix = np.random.default_rng(2).random((5, 20))

    first, again = assessed(matrix, matrix)

    assert first == again
    assert [first.tau, first.overlap] == pytest.approx([1.0, 1.0])
    assert first.values == pytest.approx(matrix.mean(axis=1).tolist())
    assert all(
        interval.low < value < interval.high
        for value, interval in zip(first.values, first.intervals, strict=True)
    )


def test_topics_that_a_measure_leaves_out_do_not_count() -> None:
    matrix = np.array([[0.2, np.nan, 0.4, 0.1], [0.1, np.nan, 0.1, 0.3]])

    (found,) = assessed(matrix)

    assert found.units == 3
    assert found.values == pytest.approx([0.7 / 3, 0.5 / 3])


def test_a_single_run_has_no_pairs() -> None:
    (found,) = assessed(np.random.default_rng(3).random((1, 9)))

    assert found.sensitivity.pairs == 0
    assert np.isnan(found.sensitivity.share(0))


def test_of_a_measure_where_less_is_better_the_least_is_first() -> None:
    matrix = np.random.default_rng(4).random((6, 20))

    _, reversed_ = study([ByUnit(matrix, 1), ByUnit(1 - matrix, 1)], [True, False])

    assert [reversed_.tau, reversed_.overlap] == pytest.approx([1.0, 1.0])


def test_a_run_without_a_value_has_no_part_in_the_agreement() -> None:
    values = np.array([0.1, 0.2, 0.3, np.nan])
    drawn = Drawn(values, np.tile(values, (5, 1)).T, 9)
    other = Drawn(np.array([0.1, 0.2, 0.3, 0.0]), np.tile(values, (5, 1)).T, 9)

    assert [one.tau for one in study([other, drawn], [True, True])] == pytest.approx([1.0, 1.0])


def test_pairs_with_a_run_without_a_value_do_not_count() -> None:
    matrix = np.random.default_rng(6).random((4, 60)) + np.arange(4)[:, np.newaxis]
    values = matrix.mean(axis=1)
    resampled = means(matrix, draw(60, 1))
    values[3], resampled[3] = np.nan, np.nan

    found = sensitivity(Drawn(values, resampled, 60))

    assert (found.pairs, found.plain, found.holm) == (3, 3, 3)


def test_values_that_rounding_alone_sets_apart_are_not_told_apart_by_draws() -> None:
    drawn = np.tile(np.random.default_rng(7).random(50), (2, 1))

    assert joined(Drawn(np.array([0.3, np.nextafter(0.3, 1)]), drawn, 40).pairs()).p.tolist() == [1.0]


def test_runs_with_equal_values_are_ranked_in_the_order_of_the_study() -> None:
    same = np.array([[0.5, 0.5], [0.5, 0.5], [0.9, 0.7]])
    falling = np.array([[0.3, 0.3], [0.2, 0.2], [0.9, 0.7]])

    assert study([ByUnit(falling, 1), ByUnit(same, 1)], [True, True])[1].overlap == pytest.approx(1.0)
    assert study([ByUnit(falling[::-1], 1), ByUnit(same, 1)], [True, True])[1].overlap < 1.0


def test_resampled_values_say_nearly_the_same_as_values_by_unit() -> None:
    matrix = np.random.default_rng(5).random((5, 80)) + np.arange(5)[:, np.newaxis] / 10
    by_unit = ByUnit(matrix, seed=1)
    drawn = Drawn(matrix.mean(axis=1), means(matrix, draw(80, 1)), 80)

    assert drawn.intervals() == by_unit.intervals()
    assert joined(drawn.pairs()).t == pytest.approx(joined(paired_t(matrix)).t, rel=0.1)


def test_runs_on_disk_are_studied_as_those_in_memory() -> None:
    dice = np.random.default_rng(8)
    matrix = np.clip(dice.normal(0.4, 0.3, (600, 1)) + dice.normal(0, 0.3, (600, 40)), 0.0, 1.0)
    with RowsOnDisk(40) as rows:
        for row in matrix:
            rows.append(row)
        assert study([ByUnit(rows, 1)], [True]) == study([ByUnit(matrix, 1)], [True])


def test_pairs_take_no_more_memory_for_many_runs_than_for_few() -> None:
    def peak(runs: int) -> int:
        with RowsOnDisk(20) as rows:
            for row in np.random.default_rng(9).random((runs, 20)):
                rows.append(row)
            tracemalloc.start()
            study([ByUnit(rows, 1)], [True])
            _, most = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            return most

    few, many = peak(600), peak(1800)

    # A run has a value, an interval and a place in rankings; all pairs together would take 70 MB.
    assert many - few < 1200 * 2000


def test_a_single_topic_tells_nothing() -> None:
    (found,) = assessed(np.array([[0.1], [0.9]]))

    assert (found.sensitivity.plain, found.values) == (0, (0.1, 0.9))
    assert np.isnan(found.intervals[0].low)


@pytest.fixture(scope="module")
def real_matrices(shared_data: Path, tasks_folder: Path) -> dict[tuple[str, str], np.ndarray]:
    """The values by topic of the 17 real CAsT 2019 runs."""
    folder = shared_data / "cast2019"
    spec = load_task(tasks_folder / "cast")
    scorer = load_scorer(spec)
    gold = scorer.read_gold(spec, {track.name: folder / "gold" / track.gold for track in spec.tracks})
    files = sorted(path for path in (folder / "runs").iterdir() if "eval" not in path.name)
    scores = [scorer.score(spec, scorer.check(spec, file, None).run, gold) for file in files]
    wanted = [("graded", "nDCG@3"), *((track.name, "compat(p=0.8)") for track in spec.tracks)]
    return {key: np.array([one[key[0]].per_topic[key[1]] for one in scores]) for key in wanted}


def test_the_real_runs_give_the_sensitivity_and_agreement_computed_by_hand(
    real_matrices: dict[tuple[str, str], np.ndarray],
) -> None:
    found = assessed(*real_matrices.values())

    assert found[0].sensitivity.pairs == 136
    shares = [one.sensitivity.share(one.sensitivity.plain) for one in found]
    assert [round(100 * share, 1) for share in shares] == [76.5, 75.7, 77.9, 76.5, 65.4]
    assert [round(one.tau, 3) for one in found[1:]] == [0.838, 0.721, 0.691, 0.632]
