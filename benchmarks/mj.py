"""MJ from more and more runs of more and more pairs: linear in both, in memory that the pairs alone decide.

A run's file is made when it is asked for and is gone with the next one; all else is as in a build. Every
other run has the order of the public list, and neither the rest nor the gold has. The pairs are shared out
to the tracks as those of RUSSE 2015 are. Each size is done by a process of its own.
"""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.csv

from benchmarks.timing import peak
from leaderboard.catalog import load_scorer, load_task
from leaderboard.contract import PairScorer
from leaderboard.formats.mj import write_mj
from leaderboard.resources.mj import long_rows, unique_rows, weights_of
from leaderboard.services.gold import Version
from leaderboard.services.mj_combining import combine
from leaderboard.services.mj_plans import CountedRun, Plan, TrackPlan
from leaderboard.services.rescoring import unwatched
from leaderboard.store.files import Files

TASK = Path(__file__).parent.parent / "tasks" / "russe"
SHARES = {"hj-test.csv": 333, "rt-test.csv": 9_548, "ae2-test.csv": 3_002}
SIZES = ((19, 12_883), (200, 12_883), (50, 100_000), (200, 100_000))
"""Runs and pairs: RUSSE 2015's; more runs on the same pairs; four times as many runs on more."""

LARGEST = (1_000, 1_000_000)


@dataclass(frozen=True)
class Taken:
    """Seconds in all and of the processor; the peak of memory in MB, and what was there before."""

    seconds: float
    processor: float
    peak: float
    before: float

    def each(self, values: int) -> float:
        """Microseconds of the processor for each of so many values."""
        return self.processor / values * 1e6


def run(sizes: Sequence[tuple[int, int]] = SIZES) -> None:
    """Builds for each size, and prints."""
    print("\nMJ: runs × pairs, with what each run brought to it")
    for runs, pairs in sizes:
        alone = multiprocessing.get_context("spawn").Pool(1)
        with tempfile.TemporaryDirectory() as folder, alone as pool:
            taken = pool.apply(measured, (Path(folder), runs, pairs))
        print(
            f"  {runs:>5,} × {pairs:>9,}  {taken.seconds:>8.1f} s"
            f"  processor {taken.processor:>8.1f} s, {taken.each(runs * pairs):>5.2f} µs a run and pair"
            f"  peak {taken.peak:>6,.0f} MB, {taken.before:,.0f} MB before"
        )


class _OnTheFly:
    """Files of runs that are made when they are asked for."""

    def __init__(self, folder: Path, words: pa.Table) -> None:
        self._path = folder / "run.csv"
        self._words = words

    @property
    def kept(self) -> _OnTheFly:
        return self

    def path(self, file_hash: str) -> Path:
        dice = np.random.default_rng(int(file_hash))
        words = self._words if int(file_hash) % 2 else self._words.take(dice.permutation(len(self._words)))
        _write(self._path, words, dice.random(len(words)).round(4))
        return self._path


def measured(folder: Path, runs: int, pairs: int) -> Taken:
    """Builds from so many runs; in a process of its own."""
    words = _words(pairs)
    _write(folder / "pairs.csv", words, np.zeros(pairs))
    spec = load_task(TASK)
    scorer = cast(PairScorer, load_scorer(spec))
    sizes = [round(pairs * share / sum(SHARES.values())) for share in SHARES.values()]
    sizes[-1] = pairs - sum(sizes[:-1])
    start, dice = 0, np.random.default_rng(1)
    drawn = words.take(dice.permutation(pairs))
    for name, size in zip(SHARES, sizes, strict=True):
        values = dice.random(size) if name.startswith("hj") else dice.integers(0, 2, size)
        _write(folder / name, drawn.slice(start, size), values)
        start += size
    gold = scorer.read_gold(spec, {track.name: folder / track.gold for track in spec.tracks})
    before, started, busy = peak(), time.perf_counter(), time.process_time()
    files = cast(Files, _OnTheFly(folder, words))
    plan = _plan([track.name for track in spec.tracks], runs)
    combined = combine(files, spec, scorer, plan, gold, folder, unwatched)
    tracks = combined.tracks["rank"]
    with (folder / "mj.csv").open("w", encoding="utf-8") as stream:
        write_mj(long_rows(tracks), stream)
    with (folder / "unique.csv").open("w", encoding="utf-8") as stream:
        write_mj(unique_rows(long_rows(tracks), tracks), stream)
    return Taken(time.perf_counter() - started, time.process_time() - busy, peak(), before)


def _plan(tracks: Sequence[str], runs: int) -> Plan:
    """A different order of the runs on each track."""
    weights = weights_of(range(1, runs + 1), "rank")
    made = []
    for number, track in enumerate(tracks):
        order = np.random.default_rng(number).permutation(runs)
        counted = tuple(
            CountedRun(int(run), "run", f"team {run}", str(run), place, 0.5, float(weight))
            for place, (run, weight) in enumerate(zip(order, weights, strict=True), 1)
        )
        version = Version(number, track, 1, "active", "", "", "", datetime(2026, 3, 1, tzinfo=UTC), ())
        made.append(TrackPlan(track, version, counted, ()))
    return Plan("russe", "open", "rank", tuple(made), tuple(track.version for track in made))


def _words(pairs: int) -> pa.Table:
    """Different pairs of made-up words, each with a hundred others."""
    letters = np.array(list("абвгдежзиклмнопр"))
    second, first = np.arange(pairs) % 100, np.arange(pairs) // 100

    def spelt(numbers: np.ndarray, length: int) -> pa.Array:
        digits = [letters[numbers // 16**place % 16] for place in range(length)]
        return pa.array(["".join(word) for word in zip(*digits, strict=True)])

    return pa.table({"word1": spelt(first, 4), "word2": spelt(second, 2)})


def _write(path: Path, words: pa.Table, values: np.ndarray) -> None:
    table = words.append_column("sim", pa.array(values))
    sink = pa.BufferOutputStream()
    pyarrow.csv.write_csv(table, sink, pyarrow.csv.WriteOptions(quoting_style="none"))
    # Without the last line's end: a million lines below the header are as many as a file may have.
    path.write_bytes(sink.getvalue().to_pybytes()[:-1])
