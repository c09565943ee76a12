"""What a study needs of each run, kept on disk a run at a time: memory does not grow with their number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from leaderboard.analysis.samples import ByUnit, Drawn, Sample
from leaderboard.analysis.tables import Narrowed, given
from leaderboard.contract import FloatArray, Gold, Scorer, TaskSpec
from leaderboard.resources.rows import RowsOnDisk
from leaderboard.services.rescoring import Progress
from leaderboard.services.samples import drawing, is_mean
from leaderboard.services.studies import Column


class Collected:
    """The value of each run by a column, and where all have some, their values by topic; these lie on disk
    until `held` is closed."""

    def __init__(self, column: Column, held: ExitStack) -> None:
        self.column = column
        self.values: list[float] = []
        self._held = held
        self._by_topic: RowsOnDisk | None = None

    def add(self, value: float | None, by_topic: FloatArray | None) -> None:
        """Takes the next run, with the value None or nan where it has none."""
        if by_topic is not None:
            if self._by_topic is None:
                self._by_topic = self._held.enter_context(RowsOnDisk(len(by_topic)))
            self._by_topic.append(by_topic)
        self.values.append(np.nan if value is None else value)

    def by_topic(self, seed: int, *, everywhere: bool = True) -> Sample | None:
        """The sample from values by topic, where they are what the runs' values are means of. Without
        `everywhere`, topics that no run has a value for are no units."""
        table = self._by_topic
        if table is None or not is_mean(self.values, table):
            return None
        return ByUnit(table if everywhere else Narrowed(table, given(table)), seed)


def drawn(
    spec: TaskSpec,
    scorer: Scorer,
    benchmark: Gold,
    files: Iterable[Path],
    lacking: Iterable[Collected],
    seed: int,
    progress: Progress,
    held: ExitStack,
) -> Mapping[str, Sample]:
    """Samples that the scorer can draw, by the name of their column. The file of each run is read once."""
    ways = {}
    for each in lacking:
        way = drawing(spec, scorer, benchmark, each.column.track.name, each.column.measure, seed)
        if way is not None:
            ways[each.column.name] = each, way, held.enter_context(RowsOnDisk(len(way.draws)))
    if not ways:
        return {}
    runs = max(len(each.values) for each, _, _ in ways.values())
    for done, file in enumerate(files):
        progress(done, runs)
        run = scorer.check(spec, file, None).run
        for _, way, resampled in ways.values():
            resampled.append(way.of(run))
    progress(runs, runs)
    return {
        name: Drawn(np.array(each.values), resampled, way.units)
        for name, (each, way, resampled) in ways.items()
    }
