"""Runs of two teams that are nearly the same, found among all runs of a task by their sketches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Select, and_, func, select
from sqlalchemy.orm import Session

from leaderboard.analysis.probing_sketch import HASHES, Alike, Sketch, alike, bands, candidates, unpack
from leaderboard.services.probing_found import MOST_RUNS, ORDER, Found
from leaderboard.services.probing_sketches import LOOKED_AT
from leaderboard.services.recent import Recent
from leaderboard.services.rescoring import Progress
from leaderboard.store.models import Run, RunSketch

AT_ONCE = 500
"""So many sketches are read at a time."""

CACHED = 4000
"""So many are kept in memory while pairs are looked at: about 25 MB."""

PAIRS = 200
"""Of two teams so many pairs of runs are looked at, at most."""


@dataclass(eq=False)
class _Two:
    """What was seen of two teams: the best pair, all that were alike, and how many were looked at."""

    best: tuple[Alike, int, int] | None = None
    runs: set[int] = field(default_factory=set)
    alike: int = 0
    looked_at: int = 0


def between_teams(session: Session, task_id: int, reader: str, progress: Progress) -> Iterator[Found]:
    """Pairs of teams with runs that are nearly the same, other than the very same file. Runs whose file is a
    baseline of the organisers are left out: everybody may send these."""
    rows = session.execute(
        select(Run.id, Run.team_id, Run.file_hash)
        .join(RunSketch, RunSketch.run_id == Run.id)
        .where(
            Run.task_id == task_id,
            *LOOKED_AT,
            RunSketch.reader == reader,
            RunSketch.sketch.is_not(None),
            Run.file_hash.not_in(_baselines(task_id)),
        )
        .order_by(Run.submitted_at, Run.id)
    ).all()
    run_ids, teams = [row.id for row in rows], [row.team_id for row in rows]
    files = [row.file_hash for row in rows]
    hashes = _hashes(session, run_ids, progress)
    kept, found = _Kept(session), defaultdict[tuple[int, int], _Two](_Two)
    for one, other in candidates(hashes, teams):
        two = found[min(teams[one], teams[other]), max(teams[one], teams[other])]
        if two.looked_at < PAIRS and files[one] != files[other]:
            _look(two, kept, run_ids[one], run_ids[other])
    for pair, two in found.items():
        if two.best is not None:
            yield _copies(pair, two, two.best)


def same_files(session: Session, task_id: int, reader: str | None) -> Iterator[Found]:
    """Pairs of teams that sent the very same file. Where it says nothing (all its answers are the same, or it
    could not be read), that is weak: anybody makes such a file."""
    statement = (
        select(Run.file_hash, Run.team_id, Run.id, RunSketch.sketch)
        .outerjoin(RunSketch, and_(RunSketch.run_id == Run.id, RunSketch.reader == (reader or "")))
        .where(Run.task_id == task_id, *LOOKED_AT, Run.file_hash.in_(_shared(task_id)))
        .order_by(Run.file_hash, Run.submitted_at, Run.id)
    )
    by_file: dict[str, dict[int, int]] = {}
    telling: dict[str, bool] = {}
    for file_hash, team_id, run_id, packed in session.execute(statement):
        by_file.setdefault(file_hash, {}).setdefault(team_id, run_id)
        telling[file_hash] = _says_something(packed)
    pairs: dict[tuple[int, int], list[tuple[str, int, int]]] = {}
    for file_hash, runs in by_file.items():
        teams = list(runs)
        for place, one in enumerate(teams):
            # The team that sent it first, and for each further one that which came before it.
            for other in {teams[0], teams[place - 1]} - {one} if place else ():
                pair = (min(one, other), max(one, other))
                pairs.setdefault(pair, []).append((file_hash, runs[other], runs[one]))
    for pair, files in pairs.items():
        strong = any(telling[file_hash] for file_hash, _, _ in files)
        runs_of = tuple(sorted({run for _, *two in files for run in two}))[:MOST_RUNS]
        yield Found("same files", "strong" if strong else "weak", pair, runs_of, {"files": len(files)})


def _says_something(packed: bytes | None) -> bool:
    return packed is not None and len(np.unique(unpack(packed).exact)) > 1


def _shared(task_id: int) -> Select[str]:
    several = (
        select(Run.file_hash)
        .where(Run.task_id == task_id, *LOOKED_AT, Run.file_hash.not_in(_baselines(task_id)))
        .group_by(Run.file_hash)
    )
    return several.having(func.count(Run.team_id.distinct()) > 1)


def _baselines(task_id: int) -> Select[str]:
    return select(Run.file_hash).where(Run.task_id == task_id, Run.kind == "baseline").distinct()


def _hashes(session: Session, run_ids: Sequence[int], progress: Progress) -> NDArray[np.uint64]:
    """The bands of all runs: 640 bytes each."""
    hashes = np.zeros((len(run_ids), HASHES), dtype=np.uint64)
    for start in range(0, len(run_ids), AT_ONCE):
        some = run_ids[start : start + AT_ONCE]
        statement = select(RunSketch.run_id, RunSketch.sketch).where(RunSketch.run_id.in_(some))
        place = {run_id: start + number for number, run_id in enumerate(some)}
        for run_id, packed in session.execute(statement):
            hashes[place[run_id]] = bands(unpack(packed or b""))
        progress(min(start + AT_ONCE, len(run_ids)), len(run_ids))
    return hashes


class _Kept:
    """The sketches that were asked for last."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._kept: Recent[Sketch] = Recent(CACHED)

    def get(self, run_id: int) -> Sketch:
        return self._kept.get(run_id, lambda: self._read(run_id))

    def _read(self, run_id: int) -> Sketch:
        packed = self._session.scalar(select(RunSketch.sketch).where(RunSketch.run_id == run_id))
        return unpack(packed or b"")


def _look(two: _Two, kept: _Kept, one: int, other: int) -> None:
    two.looked_at += 1
    measured = alike(kept.get(one), kept.get(other))
    if measured.strength is None:
        return
    two.alike += 1
    two.runs |= {one, other}
    if two.best is None or _rank(measured) > _rank(two.best[0]):
        two.best = (measured, one, other)


def _rank(measured: Alike) -> tuple[int, float]:
    return -ORDER[measured.strength or "weak"], max(measured.beyond_chance, measured.near)


def _copies(pair: tuple[int, int], two: _Two, best: tuple[Alike, int, int]) -> Found:
    measured, one, other = best
    numbers = {
        "pairs": two.alike,
        "share": measured.share,
        "chance": measured.chance,
        "units": measured.units,
        "near": measured.near,
        "items": measured.is_items,
    }
    runs = (one, other, *sorted(two.runs - {one, other}))[:MOST_RUNS]
    return Found("copies", measured.strength or "moderate", pair, runs, numbers)
