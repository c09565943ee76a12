"""Which units are public: the share asked for, even over strata, the same whatever order they come in."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rules.parts import part_units

UNITS = st.dictionaries(st.text(max_size=4), st.tuples(st.sampled_from((0.0, 1.0, 2.0))), max_size=60)
SHARES = st.floats(0.05, 0.95)


@given(UNITS, SHARES, st.integers(0, 99))
def test_the_share_is_kept_to_one_unit_in_all_and_in_every_stratum(
    strata: dict[str, tuple[float]], share: float, seed: int
) -> None:
    parts = part_units(strata, share, seed)
    assert parts.keys() == strata.keys()
    sizes = Counter(strata.values())
    public = Counter(strata[unit] for unit, part in parts.items() if part == "public")
    assert abs(sum(public.values()) - share * len(strata)) < 1 + 1e-6
    assert all(abs(public[stratum] - share * size) < 1 + 1e-6 for stratum, size in sizes.items())


@given(UNITS, SHARES, st.integers(0, 99), st.randoms())
def test_parts_do_not_depend_on_the_order_of_units(
    strata: dict[str, tuple[float]], share: float, seed: int, chance: object
) -> None:
    shuffled = list(strata.items())
    chance.shuffle(shuffled)  # type: ignore[attr-defined] # a Random
    assert part_units(dict(shuffled), share, seed) == part_units(strata, share, seed)


@given(UNITS, UNITS, SHARES, st.integers(0, 99))
def test_a_unit_keeps_its_part_when_others_come(
    strata: dict[str, tuple[float]], others: dict[str, tuple[float]], share: float, seed: int
) -> None:
    before = part_units(strata, share, seed)
    after = part_units({**others, **strata}, share, seed, before)
    assert {unit: after[unit] for unit in before} == before


def test_another_seed_draws_other_units() -> None:
    strata = {f"{number}": (0.0,) for number in range(50)}
    assert part_units(strata, 0.5, 1) != part_units(strata, 0.5, 2)
