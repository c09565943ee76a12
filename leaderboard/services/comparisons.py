"""Two public runs beside each other: by topics where these are shown, else by what they say of the inputs.

The gold has no part in either but through values that everybody may see: the runs' values and, where the
phase shows them, their values by topic.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from leaderboard.analysis.comparison import Comparison, compare, gains
from leaderboard.analysis.contrast import Contrast, Unlike, contrast, most_unlike
from leaderboard.contract import Message, Scorer, TaskSpec, TrackSpec, say
from leaderboard.scorers import OwnValues
from leaderboard.services import inputs, own_values, phases, public_runs, standstill
from leaderboard.services.errors import ServiceError
from leaderboard.services.public_runs import PublicRun
from leaderboard.services.tasks import known
from leaderboard.services.team_names import public_names
from leaderboard.store import queries
from leaderboard.store.files import Files
from leaderboard.store.models import Phase

SEED = 1
MOST = 20
"""So many topics or words stand in a table."""


class NotComparable(ServiceError):
    """The two runs have nothing that they can be compared by."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A run that may be chosen."""

    run_id: int
    name: str
    team: str


@dataclass(frozen=True, slots=True)
class TopicDifference:
    """A topic with both values, and what it asks where that is known."""

    topic: str
    question: str
    first: float
    second: float


@dataclass(frozen=True, eq=False)
class OnTopics:
    """The comparison by one measure of a track. `farthest` are the topics that differ most."""

    track: TrackSpec
    measure: str
    found: Comparison
    farthest: tuple[TopicDifference, ...]

    @property
    def more_is_better(self) -> bool:
        """The direction of the measure."""
        return self.track.more_is_better(self.measure)

    @property
    def better(self) -> int:
        """On so many topics the first run is better."""
        return self.found.wins if self.more_is_better else self.found.losses

    @property
    def worse(self) -> int:
        """On so many topics the second run is better."""
        return self.found.losses if self.more_is_better else self.found.wins


@dataclass(frozen=True, eq=False)
class OnItems:
    """The comparison by what both runs say of the inputs; `unlike` are the groups they differ on most."""

    first: OwnValues
    second: OwnValues
    found: Contrast
    unlike: tuple[Unlike, ...]


def choices(session: Session, spec: TaskSpec, now: datetime) -> tuple[Choice, ...]:
    """The runs that everybody may see, by team and name: those that `public_runs.show` would show."""
    task = known(session, spec.name)
    names = public_names(session, task, now)
    found = []
    for phase_id, view in phases.by_id(session, spec, now).items():
        if not view.shows_board:
            continue
        known_then = standstill.known_then(session, session.get_one(Phase, phase_id))
        runs = [
            run
            for run in queries.candidates(session, phase_id)
            if known_then is None or run.run_id in known_then
        ]
        called = queries.names_of_runs(session, [run.run_id for run in runs])
        found += [Choice(run.run_id, called[run.run_id], names[run.team_id]) for run in runs]
    return tuple(sorted(found, key=lambda one: (one.team.casefold(), one.name.casefold(), one.run_id)))


def comparable(first: PublicRun, second: PublicRun) -> tuple[tuple[str, str], ...]:
    """The tracks and measures by which both have values by topic that everybody may see."""
    return tuple(
        (track, measure)
        for track, found in first.per_topic.items()
        if track in second.per_topic and found.topics == second.per_topic[track].topics
        for measure in found.values
        if measure in second.per_topic[track].values
    )


def on_topics(
    spec: TaskSpec,
    first: PublicRun,
    second: PublicRun,
    where: tuple[str, str],
    questions: Mapping[str, str],
) -> OnTopics:
    """The comparison by one of `comparable`. Raises NotComparable where there are too few topics."""
    name, measure = where
    one, other = first.per_topic[name], second.per_topic[name]
    try:
        found = compare(one.values[measure], other.values[measure], SEED)
    except ValueError as error:
        raise NotComparable(
            say("Two topics with a value of both runs are needed to compare them.")
        ) from error
    gained = gains(one.values[measure], other.values[measure])
    rows = [
        TopicDifference(topic, questions.get(topic, ""), float(left), float(right))
        for topic, left, right, gain in zip(
            one.topics, one.values[measure], other.values[measure], gained, strict=True
        )
        if gain and not math.isnan(gain)
    ]
    rows.sort(key=lambda row: (-abs(row.first - row.second), row.topic))
    return OnTopics(spec.track(name), measure, found, tuple(rows[:MOST]))


def on_items(
    session: Session,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    first: PublicRun,
    second: PublicRun,
) -> OnItems | None:
    """The comparison by what both say of the inputs; None where the task's runs say nothing of that kind.

    Raises FileMissing.
    """
    folder = inputs.folder_of(session, files, spec)
    read = own_values.reader(spec, scorer, files, folder)
    if read is None:
        return None
    one, other = read(first.summary.file_hash), read(second.summary.file_hash)
    if one is None or other is None:
        return None
    found = contrast(one.values, other.values)
    unlike = most_unlike(found, one.group, MOST, at_least=2)
    return OnItems(one, other, found, tuple(each for each in unlike if each.distance > 0))


def questions(session: Session, files: Files, spec: TaskSpec, scorer: Scorer) -> Mapping[str, str]:
    """What topics ask, from the public inputs; empty where the task does not say."""
    asked = getattr(scorer, "questions", None)
    folder = inputs.folder_of(session, files, spec)
    if asked is None or folder is None:
        return {}
    found: Mapping[str, str] = asked(spec, folder)
    return found


def two(
    session: Session, spec: TaskSpec, first: int, second: int, now: datetime
) -> tuple[PublicRun, PublicRun]:
    """The two runs as everybody may see them. Raises UnknownRun as `public_runs.show` does."""
    return (
        public_runs.show(session, spec, first, now),
        public_runs.show(session, spec, second, now),
    )


def why_nothing(spec: TaskSpec, first: PublicRun, second: PublicRun) -> Message:
    """Why two runs are compared by their values alone."""
    if any(result.told for run in (first, second) for result in run.results):
        return say(
            "Exact values are not shown here, nor those by topic; what is told of both runs is compared."
        )
    if not (first.phase.shows_topics and second.phase.shows_topics):
        return say("Values by topic are not shown in this phase, so runs are compared by their values alone.")
    return say("The task {task} has nothing by which two runs could be compared further.", task=spec.name)
