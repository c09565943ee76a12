"""Which run of which team goes into MJ, with which place and weight: told before anything is built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from sqlalchemy.orm import Session

from leaderboard.contract import Message, PairScorer, Scorer, TaskSpec, say
from leaderboard.resources.mj import WEIGHTINGS, weights_of
from leaderboard.services import boards, gold, public_values
from leaderboard.services.errors import ServiceError

KIND = "mj"
"""What task.toml, the table of resources and the file names call it."""

_OFFERED = ("pairs", "values", "given", "evaluate")


class NotBuildable(ServiceError):
    """MJ cannot be built: the task has none, or something it needs is not there yet."""


@dataclass(frozen=True, slots=True)
class CountedRun:
    """A run that goes in on one track. `value` is that of the primary measure; `weight` is α."""

    run_id: int
    name: str
    team: str
    file_hash: str
    place: int
    value: float | None
    weight: float


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A line of the board that has no place, and so no part in MJ, with the reason."""

    run_id: int | None
    name: str | None
    team: str
    reason: Message | None


@dataclass(frozen=True, slots=True)
class TrackPlan:
    """The runs of one track, the best first; `version` is the gold that placed them. `told`: the rule by
    which everybody is told less than exact values of it, None where there is none."""

    track: str
    version: gold.Version
    runs: tuple[CountedRun, ...]
    left_out: tuple[LeftOut, ...]
    told: str | None = None

    @property
    def whole(self) -> float:
        """The sum of all weights."""
        return sum(run.weight for run in self.runs)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a build would take. `tracks` has those with at least one placed run, in the order of task.toml;
    `versions` is all active gold, as it is read together."""

    task: str
    phase: str
    weighting: str
    tracks: tuple[TrackPlan, ...]
    versions: tuple[gold.Version, ...]

    @property
    def runs(self) -> tuple[CountedRun, ...]:
        """Every different run once (with place and weight of its first track), in an order that depends on
        files and teams alone, so that the same runs give the same bytes in another database."""
        different = {run.run_id: run for track in reversed(self.tracks) for run in reversed(track.runs)}
        return tuple(sorted(different.values(), key=lambda run: (run.file_hash, run.team)))


def pair_scorer(spec: TaskSpec, scorer: Scorer) -> PairScorer:
    """The scorer, as one from whose runs MJ can be built. Raises NotBuildable where it is none."""
    if spec.resource != KIND:
        raise NotBuildable(
            say(
                'No MJ belongs to the task {task}. One whose runs are word pairs says resource = "mj" '
                "in its task.toml.",
                task=spec.name,
            )
        )
    lacking = [name for name in _OFFERED if not hasattr(scorer, name)]
    if lacking:
        raise NotBuildable(
            say(
                "The scorer of {task} lacks {names}, which MJ needs; "
                "leaderboard/contract.py says what they do.",
                task=spec.name,
                names=", ".join(lacking),
            )
        )
    return cast(PairScorer, scorer)


def preview(session: Session, spec: TaskSpec, weighting: str, phase: str) -> Plan:
    """The placed runs of the stored standings of a phase, with their weights. Names no pair.

    Raises NotBuildable where there are none; NoGoldInstalled, NoBoard.
    """
    if weighting not in WEIGHTINGS:
        raise NotBuildable(
            say(
                "{weights} is no weighting; these are: {known}.",
                weights=weighting,
                known=", ".join(WEIGHTINGS),
            )
        )
    versions = gold.active(session, spec)
    if not versions:
        raise gold.NoGoldInstalled(spec)
    tracks = tuple(_track(session, spec, version, weighting, phase) for version in versions)
    placed = tuple(track for track in tracks if track.runs)
    if not placed:
        raise NotBuildable(
            say("No run of {task} has a place yet, so there is nothing to build MJ from.", task=spec.name)
        )
    return Plan(spec.name, phase, weighting, placed, versions)


def _track(session: Session, spec: TaskSpec, version: gold.Version, weighting: str, phase: str) -> TrackPlan:
    # Organisers read it; what is published resolves names anew.
    rows = boards.with_own_names(session, boards.board(session, spec, version.track, phase, live=True)).rows
    placed = [(row, row.place, row.run_id) for row in rows if row.place is not None]
    weights = weights_of([place for _, place, _ in placed], weighting)
    runs = tuple(
        CountedRun(run_id, row.run_name or "", row.team, row.file_hash or "", place, row.value, float(weight))
        for (row, place, run_id), weight in zip(placed, weights, strict=True)
        if run_id is not None
    )
    left_out = tuple(
        LeftOut(row.run_id, row.run_name, row.team, row.reason) for row in rows if row.place is None
    )
    told = public_values.holding(session, spec).get(version.track)
    return TrackPlan(version.track, version, runs, left_out, told)
