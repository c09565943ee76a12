"""What everybody is told of the values of a team's runs on a track.

Exact values, values rounded, or those of a Ladder (`leaderboard.analysis.ladder`), which move only when a run
is better than all before by a step or, without one, by its standard error. How a rule is written says
`leaderboard.formats.public_values`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from leaderboard.analysis.ladder import Ladder, on_steps
from leaderboard.contract import FloatArray

Kind = Literal["exact", "rounded", "ladder"]
KINDS: tuple[Kind, ...] = get_args(Kind)

EXACT = "exact"
BY_UNIT = "ladder"
"""The rule that needs the values of runs by unit."""

CLEAN = 12
"""So many decimals a multiple of a step has: beyond them there is nothing but the noise of multiplying."""

Values = Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """How values are told: `digits` of what is rounded, the `step` of a Ladder that has one."""

    kind: Kind
    digits: int | None = None
    step: float | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Scored:
    """What a run scored on a track by measure, None where undefined, and by `primary` on each unit, where
    that is known. One that stands `alone` (a baseline of the organisers) is no step of its team's."""

    values: Values
    by_unit: FloatArray | None = None
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Told:
    """What is told of a run: `values`, which are those of the run at the place `of`; None where nothing was
    announced yet."""

    values: Values
    of: int | None


def told(rule: Rule, primary: str, *, higher_is_better: bool, runs: Sequence[Scored]) -> Iterator[Told]:
    """What is told of each of a team's runs on a track, in the order in which they were submitted.

    On a Ladder all measures move together, with the primary one: each by itself would tell more.
    """
    ladder, last = Ladder(rule.step), Told({}, None)
    for place, run in enumerate(runs):
        if rule.kind != "ladder":
            digits = rule.digits
            yield Told(
                {m: value if digits is None else _rounded(value, digits) for m, value in run.values.items()},
                place,
            )
            continue
        climbed = Ladder(rule.step) if run.alone else ladder
        value = run.values.get(primary)
        here = last if not run.alone else Told({}, None)
        sign = -1.0 if higher_is_better else 1.0
        by_unit = None if run.by_unit is None else sign * run.by_unit
        if value is not None and climbed.hear(sign * value, by_unit):
            grain = climbed.grain(by_unit) or math.nan
            here = Told({measure: _on(each, grain) for measure, each in run.values.items()}, place)
        if not run.alone:
            last = here
        # Whatever measures this run has: of those that the announced one lacks there is nothing to tell.
        yield Told({measure: here.values.get(measure) for measure in run.values}, here.of)


def _rounded(value: float | None, digits: int) -> float | None:
    # Adding nothing makes −0 into 0.
    return None if value is None else round(value, digits) + 0.0


def _on(value: float | None, grain: float) -> float | None:
    return None if value is None else round(on_steps(value, grain), CLEAN) + 0.0
