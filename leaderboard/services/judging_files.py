"""Judging from files, with no database: for those who judge elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from leaderboard.contract import FormatError, say
from leaderboard.formats.faults import Refused
from leaderboard.formats.preferences import read_preferences
from leaderboard.formats.qrels import read_qrels, write_qrels
from leaderboard.formats.ratings import read_ratings
from leaderboard.formats.trec_run import read_run
from leaderboard.formats.upload import unpack
from leaderboard.judging import agreement, pools
from leaderboard.judging.agreement import Level, Pairwise, Sources, TopGrades
from leaderboard.judging.crowd import CrowdSettings
from leaderboard.judging.finals import Aggregated, aggregate
from leaderboard.judging.levels import GradesTooHigh, combined
from leaderboard.judging.pools import Extent
from leaderboard.judging.preferences import by_topic, majorities, tally
from leaderboard.judging.tournament import bound
from leaderboard.judging.triples import Triples, triples
from leaderboard.measures.ranking import rank_rows
from leaderboard.services.errors import ServiceError

Values = dict[str, dict[str, float]]


class NotCombinable(ServiceError):
    """Levels cannot stand beside the grades of a file."""


@dataclass(frozen=True, slots=True)
class Pooled:
    """The candidates of each topic, their extent, how many lie how far below their topic's highest grade,
    and the bound of a tournament for the top k of all topics."""

    pools: Mapping[str, tuple[str, ...]]
    extent: Extent
    steps: Mapping[float, int]
    bound: int


@dataclass(frozen=True, slots=True)
class Combined:
    """The qrels made of preferences (and grades), and what the preferences are like.

    `aggregated` is by topic; `agreement` over the pairs judged more than once; `triples` by topic, from the
    majority of each pair.
    """

    values: Mapping[str, Mapping[str, float]]
    aggregated: Mapping[str, Aggregated]
    judgments: int
    pairs: int
    agreement: Pairwise
    triples: Mapping[str, Triples]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two sources of best answers beside each other, and their grades where a file of grades was given:
    those of the first source and of the second."""

    sources: Sources
    crowd_grades: TopGrades | None
    local_grades: TopGrades | None


@dataclass(frozen=True, slots=True)
class Reliability:
    """Krippendorff's alpha (nan where undefined), what it was computed from, and how often two ratings of a
    unit are equal."""

    alpha: float
    units: int
    judges: int
    ratings: int
    agreement: Pairwise


def pool_grades(qrels: Path, k: int) -> Pooled:
    """Pools of the items with the best grades. Raises FormatError and OSError."""
    grades = _read_grades(qrels)
    found = pools.pools_of_grades(grades, k)
    return Pooled(
        pools=found,
        extent=pools.extent(found, k),
        steps=pools.steps_below_top(grades, found),
        bound=sum(bound(len(candidates), k) for candidates in found.values()),
    )


def pool_runs(qrels: Path, runs: Sequence[Path], depth: int) -> dict[str, tuple[str, ...]]:
    """For each topic of the qrels the items without a grade among the first `depth` of each run.

    Raises FormatError and OSError.
    """
    grades = _read_grades(qrels)
    rankings = [ranked_items(run) for run in runs]
    return {
        topic: pools.pool_of_runs([ranking.get(topic, ()) for ranking in rankings], depth, known)
        for topic, known in grades.items()
    }


def ranked_items(path: Path) -> dict[str, list[str]]:
    """The items of each topic of a run, the best first, ties by docno descending as trec_eval has them.

    Raises FormatError and OSError.
    """
    try:
        read = read_run(unpack(path).content)
    except Refused as refused:
        raise FormatError(path.name, refused.faults) from None
    run = read.run
    if run is None:
        raise FormatError(path.name, read.faults.all_told())
    names = run.docnos.take(run.docno).to_pylist()
    ranks = rank_rows(run.topic, run.score, lambda rows: [names[row] for row in rows]).descending
    found: dict[str, list[str]] = {topic: [] for topic in run.topics}
    for row in ranks.argsort(kind="stable").tolist():
        found[run.topics[run.topic[row]]].append(names[row])
    return found


def combine(preferences: Path, qrels: Path, settings: CrowdSettings) -> Combined:
    """Levels from preferences in place of the grades of the best items; every judgment counts.

    Topics without preferences keep their grades; topics without grades have levels alone. Raises
    NotCombinable for grades as high as levels, FormatError and OSError.
    """
    grades = _read_grades(qrels)
    given = by_topic(read_preferences(preferences))
    aggregated = {
        topic: aggregate(of_topic, settings.k, settings.finalists) for topic, of_topic in given.items()
    }
    try:
        values = {
            topic: combined(grades.get(topic, {}), aggregated[topic].levels)
            if topic in aggregated
            else dict(grades[topic])
            for topic in {**grades, **aggregated}
        }
    except GradesTooHigh as error:
        raise NotCombinable(
            say(
                "{file} has a grade of {grade}, but grades have to be below 10, the lowest level. "
                "Is it a file of levels already?",
                file=qrels.name,
                grade=f"{error.grade:g}",
            )
        ) from None
    return Combined(
        values=values,
        aggregated=aggregated,
        judgments=sum(map(len, given.values())),
        pairs=sum(len(tally(of_topic)) for of_topic in given.values()),
        agreement=agreement.pairwise_agreement(given.values()),
        triples={topic: triples(majorities(of_topic)) for topic, of_topic in given.items()},
    )


def write_combined(found: Combined, stream: TextIO) -> None:
    """The qrels in TREC format."""
    write_qrels(found.values, stream)


def compare(crowd: Path, local: Path, grades: Path | None) -> Agreement:
    """The best answers of `local` beside those of `crowd`, whose grades do not count if it has some.

    Raises FormatError and OSError.
    """
    crowd_values, local_values = _read_grades(crowd), _read_grades(local)
    sources = agreement.compare_sources(crowd_values, local_values)
    if grades is None:
        return Agreement(sources, None, None)
    graded = _read_grades(grades)
    # The local file has one answer a topic, at any positive value.
    local_levels = {
        topic: {docno: 10.0 for docno, value in values.items() if value > 0}
        for topic, values in local_values.items()
    }
    return Agreement(
        sources,
        agreement.grades_of_answers(crowd_values, graded),
        agreement.grades_of_answers(local_levels, graded),
    )


def reliability(ratings: Sequence[Path], level: Level) -> Reliability:
    """Krippendorff's alpha over the ratings of one or several files. Raises FormatError and OSError."""
    found = [rating for path in ratings for rating in read_ratings(path, numbers=level != "nominal")]
    return Reliability(
        alpha=agreement.alpha(found, level),
        units=len({rating.unit for rating in found}),
        judges=len({rating.judge for rating in found}),
        ratings=len(found),
        agreement=agreement.pairwise_agreement_of_ratings(found),
    )


def pool_sizes(qrels: Path, k: int) -> list[int]:
    """How many candidates each topic has, empty pools left out. Raises FormatError and OSError."""
    return [len(pool) for pool in pools.pools_of_grades(_read_grades(qrels), k).values() if pool]


def _read_grades(path: Path) -> Values:
    return read_qrels(path, integer_grades=False).by_topic()
