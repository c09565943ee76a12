"""Compatibility against its definition, evaluated slowly: sets, a loop over depth, every ideal ranking."""

from collections.abc import Iterator, Sequence
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.measures.compatibility import compatibility


def rank_biased_overlap(first: Sequence[str], second: Sequence[str], persistence: float, depth: int) -> float:
    """Webber, Moffat and Zobel's sum, term by term, without the factor (1 − p)."""
    total = 0.0
    for i in range(1, depth + 1):
        total += persistence ** (i - 1) * len(set(first[:i]) & set(second[:i])) / i
    return total


def ideal_rankings(levels: dict[str, float]) -> Iterator[list[str]]:
    """Every ranking that sorts the positive items by level."""
    groups: dict[float, list[str]] = {}
    for docno, level in levels.items():
        if level > 0:
            groups.setdefault(level, []).append(docno)
    orders = [list(permutations(groups[level])) for level in sorted(groups, reverse=True)]
    for choice in product(*orders):
        yield [docno for group in choice for docno in group]


def by_definition(run: list[str], levels: dict[str, float], persistence: float, depth: int) -> float:
    ideals = list(ideal_rankings(levels))
    best = max(rank_biased_overlap(run, ideal, persistence, depth) for ideal in ideals)
    return best / rank_biased_overlap(ideals[0], ideals[0], persistence, depth)


def ours(run: list[str], levels: dict[str, float], persistence: float, depth: int) -> float:
    docnos = list(levels)
    rank = np.array([run.index(docno) + 1 if docno in run else 0 for docno in docnos], dtype=np.int64)
    topic = np.zeros(len(docnos), dtype=np.int64)
    level = np.array([levels[docno] for docno in docnos])
    return float(compatibility(topic, level, rank, 1, persistence, depth)[0])


items = st.sampled_from("abcdefg")


@settings(max_examples=200, deadline=None)
@given(
    st.lists(items, unique=True, max_size=7),
    st.dictionaries(items, st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0, 50.0]), min_size=1, max_size=6),
    st.sampled_from([0.01, 0.5, 0.8, 0.95, 0.99]),
    st.sampled_from([1, 3, 50]),
)
def test_it_is_the_greatest_overlap_with_any_ideal_ranking(
    run: list[str], levels: dict[str, float], persistence: float, depth: int
) -> None:
    if not any(level > 0 for level in levels.values()):
        assert np.isnan(ours(run, levels, persistence, depth))
        return
    expected = by_definition(run, levels, persistence, depth)
    assert ours(run, levels, persistence, depth) == pytest.approx(expected, abs=1e-12)


def test_an_ideal_run_scores_one() -> None:
    assert ours(["a", "b", "c"], {"a": 3.0, "b": 2.0, "c": 1.0}, 0.8, 1000) == pytest.approx(1.0, abs=1e-15)


def test_an_empty_run_scores_nought() -> None:
    assert ours([], {"a": 1.0}, 0.8, 1000) == 0.0


def test_items_beyond_the_depth_add_nothing() -> None:
    assert ours([*map(str, range(5)), "a"], {"a": 1.0}, 0.8, 5) == 0.0


@pytest.mark.parametrize("persistence", [0.0, 0.009, 0.991, 1.0, -0.5, float("nan")])
def test_a_persistence_outside_its_range_is_refused(persistence: float) -> None:
    with pytest.raises(ValueError, match="persistence"):
        ours(["a"], {"a": 1.0}, persistence, 1000)
