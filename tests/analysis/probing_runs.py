"""Runs that attackers and honest teams would send, for tests of what gives the former away."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from leaderboard.analysis.probing import Step
from leaderboard.analysis.probing_sketch import Sketch, Whole, sketch, whole
from leaderboard.analysis.probing_steps import origin
from leaderboard.contract import FloatArray
from leaderboard.scorers import Answers

Value = Callable[[FloatArray], float]
"""What a board tells of a run."""


def units(count: int) -> list[str]:
    return [f"word {number}\tother" for number in range(count)]


def answers(values: FloatArray) -> Answers:
    """A run of pairs with these values."""
    plain = np.asarray(values, float) + 0.0
    return Answers(units(len(plain)), plain.view(np.uint64), values=plain)


def sketched(runs: Sequence[FloatArray]) -> list[Sketch]:
    return [sketch(answers(values)) for values in runs]


def steps(runs: Sequence[Answers]) -> list[Step]:
    """Each run set beside the one before it and what that one came from."""
    found: list[Step] = []
    wholes: list[Whole] = []
    for position, run in enumerate(runs):
        mine = whole(run)
        near = [] if not found else [position - 1, found[-1].parent]
        came = origin(mine, [(each, wholes[each]) for each in near if each is not None])
        if came is None:
            found.append(Step(position, None, 0, len(mine.unit)))
        else:
            found.append(
                Step(position, came.parent, came.changed, came.units, frozenset(came.touched.tolist()))
            )
        wholes.append(mine)
    return found


def told(gold: FloatArray) -> Value:
    """A board that tells the correlation with gold."""
    return lambda values: float(np.corrcoef(values, gold)[0, 1])


def boosting(
    value: Value, count: int, runs: int, seed: int, *, around: FloatArray | None = None
) -> Iterator[FloatArray]:
    """The attack of Blum and Hardt: random answers (or small random changes of both signs around a run), and
    last the majority of those that the board calls better than chance."""
    generator = np.random.default_rng(seed)
    base = np.zeros(count) if around is None else around
    least = 0.0 if around is None else value(base)
    kept = []
    for _ in range(runs - 1):
        sides = generator.choice((-0.25, 0.25), count)
        yield base + sides
        if value(base + sides) > least:
            kept.append(sides)
    yield base + 0.25 * np.sign(np.sum(kept, axis=0) + 1e-9 if kept else np.ones(count))


def one_at_a_time(base: FloatArray, runs: int, seed: int) -> Iterator[FloatArray]:
    """A run, and then the same with one answer turned round, each time another one."""
    order = np.random.default_rng(seed).permutation(len(base))
    yield base
    for unit in order[: runs - 1]:
        turned = base.copy()
        turned[unit] = 1.5 - turned[unit]
        yield turned


def climbing(
    value: Value, base: FloatArray, runs: int, seed: int, share: float = 0.05
) -> Iterator[FloatArray]:
    """Changes a few answers at random, and goes on from what was better."""
    generator = np.random.default_rng(seed)
    best, at_best = base, value(base)
    yield base
    for _ in range(runs - 1):
        changed = best.copy()
        chosen = generator.choice(len(base), int(share * len(base)), replace=False)
        changed[chosen] = generator.random(len(chosen))
        yield changed
        told_now = value(changed)
        if told_now > at_best:
            best, at_best = changed, told_now


def tuning(gold: FloatArray, runs: int, seed: int) -> Iterator[FloatArray]:
    """An honest team: two sources of evidence, mixed by a weight that it tunes."""
    generator = np.random.default_rng(seed)
    one, other = (gold + generator.normal(0, spread, len(gold)) for spread in (0.4, 0.7))
    for weight in np.linspace(0, 1, runs):
        yield weight * one + (1 - weight) * other


def systems(gold: FloatArray, runs: int, seed: int, *, decide: bool = False) -> Iterator[FloatArray]:
    """Honest systems, better and worse ones; with `decide` they say yes or no. Some units are hard for
    all."""
    generator = np.random.default_rng(seed)
    hard = generator.gamma(0.5, 0.4, len(gold))
    shared = generator.normal(0, 1, len(gold)) * hard
    for _ in range(runs):
        found = gold + shared + generator.normal(0, 1, len(gold)) * hard
        yield (found > np.median(gold)).astype(float) if decide else found
