"""Two stages: pairings, elimination, the rules for rounds that get stuck, all pairs, replay."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.judging.crowd import STUCK_ROUNDS, CrowdSettings, TwoStage, pairings
from leaderboard.judging.preferences import Pair

Judge = Callable[[Pair], str | None]


def items(count: int) -> list[str]:
    """Of these names, the first is the best."""
    return [f"d{number:02d}" for number in range(count)]


def better(pair: Pair) -> str:
    return pair[0]


def play(stages: TwoStage, judge: Judge) -> list[Pair]:
    asked = []
    while not stages.done:
        pair = stages.pending()[0]
        asked.append(pair)
        stages.record(pair, judge(pair))
    return asked


@given(st.integers(1, 60), st.integers(1, 12))
def test_each_candidate_is_in_p_pairs_or_one_in_one_more(count: int, per_candidate: int) -> None:
    pairs = pairings(items(count), per_candidate)
    assert len(set(pairs)) == len(pairs)
    met = Counter(item for pair in pairs for item in pair)
    if count <= per_candidate:
        assert len(pairs) == count * (count - 1) // 2
    else:
        assert set(met.values()) <= {per_candidate, per_candidate + 1}
        assert sum(times > per_candidate for times in met.values()) == count * per_candidate % 2


def test_few_candidates_meet_at_once_in_all_pairs() -> None:
    stages = TwoStage("31_1", items(9), CrowdSettings(), seed=1)
    assert stages.round.final
    assert len(stages.pending()) == 36


def test_those_who_lose_the_majority_of_their_pairs_leave() -> None:
    stages = TwoStage("31_1", items(20), CrowdSettings(), seed=1)
    pairs = stages.round.pairs
    while stages.round.number == 1:
        stages.record(stages.pending()[0], better(stages.pending()[0]))
    wins = Counter(better(pair) for pair in pairs)
    met = Counter(item for pair in pairs for item in pair)
    lost = {item for item in items(20) if wins[item] * 2 < met[item]}
    assert set(stages.rounds[0].eliminated) == lost
    assert set(stages.rounds[1].candidates) == set(items(20)) - lost


def test_a_faultless_judge_finds_the_best_and_orders_the_finalists() -> None:
    stages = TwoStage("31_1", items(30), CrowdSettings(), seed=3)
    play(stages, better)
    finalists = stages.round.candidates
    assert list(stages.levels().items()) == [
        (item, 50.0 - 10 * place) for place, item in enumerate(sorted(finalists)[:5])
    ]
    assert stages.levels()["d00"] == 50.0


SETTINGS = st.builds(
    lambda k, more, pairings: CrowdSettings(k, k + more, pairings),
    st.integers(1, 6),
    st.integers(0, 5),
    st.integers(1, 8),
)


@given(st.integers(0, 30), SETTINGS, st.integers(0, 9), st.randoms(use_true_random=False))
def test_whatever_judges_say_it_ends_with_at_least_k_and_asks_no_pair_twice(
    count: int, settings: CrowdSettings, seed: int, chance: random.Random
) -> None:
    stages = TwoStage("31_1", items(count), settings, seed)
    asked = play(stages, lambda pair: chance.choice([*pair, None]))
    assert len(asked) == len(set(asked))
    levels = stages.levels()
    assert len(levels) >= min(settings.k, count)
    assert max(levels.values(), default=10.0 * settings.k) == 10.0 * settings.k


@given(st.integers(10, 25), st.integers(0, 9), st.integers(0, 90), st.randoms(use_true_random=False))
def test_replayed_from_recorded_outcomes_it_goes_on_where_it_was(
    count: int, seed: int, stop: int, chance: random.Random
) -> None:
    first = TwoStage("31_1", items(count), CrowdSettings(), seed)
    recorded: dict[Pair, str | None] = {}
    while not first.done and len(recorded) < stop:
        pair = chance.choice(first.pending())
        recorded[pair] = chance.choice([*pair, None])
        first.record(pair, recorded[pair])
    again = TwoStage("31_1", items(count), CrowdSettings(), seed, recorded)
    assert again.rounds == first.rounds
    assert again.pending() == first.pending()


def test_another_seed_or_topic_draws_other_pairs() -> None:
    drawn = {
        TwoStage(topic, items(20), CrowdSettings(), seed).round.pairs
        for topic, seed in [("31_1", 1), ("31_1", 2), ("31_2", 1)]
    }
    assert len(drawn) == 3


def test_every_pair_is_drawn_about_as_often_as_any_other() -> None:
    # 400 draws of 35 of the 45 pairs of 10: binomial with a standard deviation of 8.3 around 311.
    drawn = Counter(
        pair for seed in range(400) for pair in TwoStage("x", items(10), CrowdSettings(), seed).round.pairs
    )
    assert len(drawn) == 45
    assert all(abs(times - 400 * 35 / 45) < 4.5 * 8.4 for times in drawn.values())


def undecided(pair: Pair) -> None:
    return None


def test_a_round_that_eliminates_nobody_is_followed_by_new_pairings_that_count_together_with_it() -> None:
    settings = CrowdSettings(pairings=2)
    stages = TwoStage("31_1", items(12), settings, seed=1)
    first = stages.round.pairs
    while stages.round.number == 1:
        stages.record(stages.pending()[0], None)
    assert stages.rounds[0].eliminated == ()
    assert stages.round.candidates == tuple(items(12))
    assert set(stages.round.pairs) != set(first)
    # All of d11's pairs of this round are lost; with the tied ones before, it has less than half.
    while stages.round.number == 2:
        pair = stages.pending()[0]
        stages.record(pair, next(item for item in pair if item != "d11") if "d11" in pair else None)
    assert stages.rounds[1].eliminated == ("d11",)


def test_after_three_such_rounds_the_final_asks_all_pairs() -> None:
    stages = TwoStage("31_1", items(12), CrowdSettings(), seed=1)
    play(stages, undecided)
    assert [made.final for made in stages.rounds] == [False] * STUCK_ROUNDS + [True]
    assert stages.round.candidates == tuple(items(12))
    assert set(stages.levels().values()) == {50.0}


def test_where_fewer_than_k_would_be_left_the_best_of_those_who_lost_come_back() -> None:
    # d00, d01 and d02 beat all others, of whom each beats those before it: d09 and d08 do best.
    def judge(pair: Pair) -> str:
        return pair[0] if pair[0] in ("d00", "d01", "d02") else pair[1]

    everybody = CrowdSettings(k=5, finalists=9, pairings=9)
    stages = TwoStage("31_1", items(10), everybody, seed=1)
    play(stages, judge)
    first = stages.rounds[0]
    assert first.recalled == ()
    assert first.eliminated == ("d03", "d04", "d05", "d06", "d07")
    stages = TwoStage("31_1", items(10), CrowdSettings(k=8, finalists=9, pairings=9), seed=1)
    play(stages, judge)
    assert stages.rounds[0].recalled == ("d05", "d06", "d07")
    assert stages.rounds[0].eliminated == ("d03", "d04")


def test_those_tied_with_the_last_who_comes_back_come_too() -> None:
    # Two beat all others, who cannot be told apart: all eight come back, and nobody is out.
    stages = TwoStage("31_1", items(10), CrowdSettings(k=5, finalists=9, pairings=9), seed=1)
    play(stages, lambda pair: pair[0] if pair[0] in ("d00", "d01") else None)
    assert stages.rounds[0].recalled == tuple(items(10)[2:])
    assert stages.rounds[0].eliminated == ()
    assert [made.final for made in stages.rounds] == [False] * STUCK_ROUNDS + [True]
    assert stages.levels() == {"d00": 50.0, "d01": 40.0, **dict.fromkeys(items(10)[2:], 30.0)}


@pytest.mark.parametrize("settings", [(5, 4, 7), (0, 9, 7), (5, 9, 0)])
def test_settings_that_cannot_work_are_refused(settings: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="at least"):
        CrowdSettings(*settings)


def test_only_pending_pairs_are_taken() -> None:
    stages = TwoStage("31_1", items(3), CrowdSettings(), seed=1)
    stages.record(("d00", "d01"), "d00")
    with pytest.raises(KeyError):
        stages.record(("d00", "d01"), "d00")
    with pytest.raises(ValueError, match="not in the pair"):
        stages.record(("d00", "d02"), "d01")
    with pytest.raises(ValueError, match="not all pairs"):
        stages.levels()
