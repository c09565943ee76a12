"""The figures of Assessing top-k preferences, from the qrels and judgments of TREC CAsT 2019."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path

import pytest

from leaderboard.formats.preferences import read_preferences
from leaderboard.formats.qrels import read_qrels
from leaderboard.judging.agreement import compare_sources, grades_of_answers, pairwise_agreement
from leaderboard.judging.finals import aggregate
from leaderboard.judging.levels import combined, levels_by_wins, preferred_items
from leaderboard.judging.pools import extent, pools_of_grades, steps_below_top
from leaderboard.judging.preferences import Preference, by_topic, tally, wins_of_judgments
from leaderboard.judging.tournament import bound

Values = dict[str, dict[str, float]]


@pytest.fixture(scope="module")
def cast(shared_data: Path) -> Path:
    return shared_data / "cast2019"


@pytest.fixture(scope="module")
def graded(cast: Path) -> Values:
    return read_qrels(cast / "gold" / "graded.qrels", integer_grades=True).by_topic()


@pytest.fixture(scope="module")
def released(cast: Path) -> Values:
    return read_qrels(cast / "gold" / "combined.qrels", integer_grades=False).by_topic()


@pytest.fixture(scope="module")
def best(cast: Path) -> Values:
    return read_qrels(cast / "gold" / "best.qrels", integer_grades=False).by_topic()


@pytest.fixture(scope="module")
def crowd(cast: Path) -> dict[str, list[Preference]]:
    return by_topic(read_preferences(cast / "preferences" / "crowd.pref"))


@pytest.fixture(scope="module")
def small(graded: Values, crowd: dict[str, list[Preference]]) -> dict[str, list[Preference]]:
    """The judged topics whose pool goes to the final at once."""
    pools = pools_of_grades(graded, 5)
    return {topic: given for topic, given in crowd.items() if len(pools[topic]) <= 9}


def test_the_pools_for_the_top_5(graded: Values) -> None:
    found = extent(pools_of_grades(graded, 5), 5)
    assert (found.candidates, found.most, found.largest) == (2673, 112, ("67_8",))
    assert len(found.fewer) == 4
    assert found.empty == ()


@pytest.mark.parametrize(
    ("k", "candidates", "judgments"), [(3, 2238, 3456), (5, 2673, 5429), (10, 3563, 10691)]
)
def test_the_bounds_of_table_2(graded: Values, k: int, candidates: int, judgments: int) -> None:
    pools = pools_of_grades(graded, k)
    assert extent(pools, k).candidates == candidates
    assert sum(bound(len(pool), k) for pool in pools.values()) == judgments


def test_the_grades_of_candidates_in_figure_3(graded: Values) -> None:
    steps = steps_below_top(graded, pools_of_grades(graded, 5))
    assert steps == {0: 1682, 1: 776, 2: 170, 3: 45}
    assert round(100 * (1 - steps[0] / 2673)) == 37
    assert round(100 * steps[3] / 2673, 1) == 1.7


def test_all_pairs_of_the_pools_that_need_no_first_stage_were_judged(
    graded: Values, small: dict[str, list[Preference]]
) -> None:
    pools = pools_of_grades(graded, 5)
    assert len(small) == 78
    for topic, given in small.items():
        found = aggregate(given, k=5, finalists=9)
        assert (set(found.compared), found.missing_pairs) == (set(pools[topic]), 0)


def test_every_judgment_counted_70_of_78_topics_have_exactly_the_released_levels(
    graded: Values, released: Values, small: dict[str, list[Preference]]
) -> None:
    exact = {
        topic
        for topic, given in small.items()
        if combined(graded[topic], aggregate(given, 5, 9).levels) == released[topic]
    }
    assert len(exact) == 70
    assert small.keys() - exact == {"34_4", "40_6", "56_2", "58_3", "69_8", "75_1", "77_2", "78_6"}


def judged_once(given: list[Preference]) -> list[dict[str, float]]:
    """The wins for every way to keep one of the recorded judgments of each pair."""
    votes = tally(given)
    certain = Counter(next(iter(found)) for found in votes.values() if len(found) == 1)
    divided = [tuple(found) for found in votes.values() if len(found) > 1]
    items = {item for pair in votes for item in pair}
    return [
        {item: float(certain[item] + chosen.count(item)) for item in items} for chosen in product(*divided)
    ]


def test_the_other_8_are_topics_judged_repeatedly_of_which_the_released_levels_count_one_judgment_a_pair(
    released: Values, small: dict[str, list[Preference]]
) -> None:
    repeated = {topic: given for topic, given in small.items() if len(given) > len(tally(given))}
    # 33_4, judged five times, is exact however one counts.
    assert len(repeated) == 9
    for topic, given in repeated.items():
        levels = preferred_items(released[topic])
        assert any(levels_by_wins(wins, 5) == levels for wins in judged_once(given)), topic


def test_of_the_topics_with_a_first_stage_the_largest_set_that_met_holds_the_released_top_5_in_most(
    graded: Values, released: Values, crowd: dict[str, list[Preference]], small: dict[str, list[Preference]]
) -> None:
    large = {topic: given for topic, given in crowd.items() if topic not in small}
    assert len(large) == 93
    held = [
        topic
        for topic, given in large.items()
        if preferred_items(released[topic]).keys() <= set(aggregate(given, 5, 9).compared)
    ]
    assert len(held) == 88


def test_the_local_answer_among_those_of_the_crowd(released: Values, best: Values) -> None:
    found = compare_sources(released, best)
    assert (len(found.at_top), len(found.among), len(found.absent)) == (63, 141, 32)


def test_the_grades_of_the_answers_of_the_crowd(released: Values, graded: Values) -> None:
    found = grades_of_answers(released, graded)
    assert round(100 * found.share_of_first, 1) == 68.7
    assert round(100 * found.share_of_all, 1) == 61.6
    assert sum(found.all.values()) == 917


def test_the_crowd_agrees_with_itself_on_few_of_the_pairs_it_judged_twice(
    crowd: dict[str, list[Preference]],
) -> None:
    found = pairwise_agreement(crowd.values())
    assert (found.agreeing, found.total) == (1349, 2404)


def test_wins_add_up_to_the_judgments(crowd: dict[str, list[Preference]]) -> None:
    assert sum(map(len, crowd.values())) == 14573
    assert sum(sum(wins_of_judgments(given).values()) for given in crowd.values()) == 14573
