"""Sketches of runs: each file is read once, and the run set beside those of its team that it may come
from."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Select, and_, or_, select
from sqlalchemy.orm import Session

from leaderboard.analysis.probing_sketch import FORM, Sketch, Whole, alike, sketch, unpack, whole
from leaderboard.analysis.probing_steps import Origin, origin
from leaderboard.contract import Scorer, TaskSpec
from leaderboard.scorers import Answers
from leaderboard.services import inputs
from leaderboard.services.rescoring import Progress, Transactions
from leaderboard.services.tasks import known
from leaderboard.store.files import FileMissing, Files
from leaderboard.store.models import Run, RunSketch

LOOKED_BACK = 50
"""Among so many earlier runs of the team the most alike one is looked for."""

CACHED = 8
"""The answers of so many runs are kept in memory at once."""

TOUCHED = "<u8"

_log = logging.getLogger(__name__)

LOOKED_AT = (Run.state == "scored", Run.kind != "baseline", Run.deleted_at.is_(None))
"""Which runs a report is made from: also those that were withdrawn, hidden or disqualified, for they were
told their values; not the organisers' own."""

Read = Callable[[str], Answers | None]


@dataclass(frozen=True, slots=True)
class Made:
    """A run, its sketch (None where its file could not be read), and the earlier run that it came from."""

    run_id: int
    file_hash: str
    sketch: Sketch | None
    origin: Origin[int] | None


def version_of(scorer: Scorer) -> str | None:
    """What sketches of the task's runs are made by; None where its scorer does not say what runs answer."""
    return f"{FORM}:{scorer.VERSION}" if hasattr(scorer, "answers") else None


def complete(
    transactions: Transactions, files: Files, spec: TaskSpec, scorer: Scorer, progress: Progress
) -> int:
    """Makes the sketches that are missing, in the order of the runs, and returns how many that were. Each is
    kept at once, so that this may be broken off at any point. A run whose file is not there is left for
    later."""
    reader = version_of(scorer)
    if reader is None:
        return 0
    with transactions.reading() as session:
        wanted = _missing(session, spec, reader)
        folder = inputs.folder_of(session, files, spec)
    wholes = _Wholes(_read_by(spec, scorer, files, folder))
    for number, run_id in enumerate(wanted):
        try:
            with transactions.reading() as session:
                made = _make(session, run_id, wholes, reader)
        except FileMissing:
            _log.exception("the file of run %s is missing", run_id)
            continue
        with transactions.writing() as session:
            _keep(session, made, reader)
        progress(number + 1, len(wanted))
    return len(wanted)


def _missing(session: Session, spec: TaskSpec, reader: str) -> Sequence[int]:
    statement = (
        select(Run.id)
        .outerjoin(RunSketch, RunSketch.run_id == Run.id)
        .where(
            Run.task_id == known(session, spec.name).id,
            *LOOKED_AT,
            or_(
                RunSketch.run_id.is_(None),
                RunSketch.reader != reader,
                RunSketch.file_hash != Run.file_hash,
            ),
        )
    )
    return session.scalars(statement.order_by(Run.submitted_at, Run.id)).all()


def _read_by(spec: TaskSpec, scorer: Any, files: Files, folder: Path | None) -> Read:
    def read(file_hash: str) -> Answers | None:
        report = scorer.check(spec, files.kept.path(file_hash), folder)
        if report.run is None:
            return None
        found: Answers = scorer.answers(spec, report.run)
        return found

    return read


class _Wholes:
    """All answers of the runs that were read last."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._kept: OrderedDict[str, Whole] = OrderedDict()

    def first(self, file_hash: str) -> Answers | None:
        """The answers of a run; what is needed to compare it with others is kept."""
        answers = self._read(file_hash)
        if answers is not None:
            self._kept[file_hash] = whole(answers)
            self._kept.move_to_end(file_hash)
            if len(self._kept) > CACHED:
                self._kept.popitem(last=False)
        return answers

    def get(self, file_hash: str) -> Whole | None:
        if file_hash not in self._kept:
            self.first(file_hash)
        return self._kept.get(file_hash)


def _make(session: Session, run_id: int, wholes: _Wholes, reader: str) -> Made:
    run = session.get_one(Run, run_id)
    answers = wholes.first(run.file_hash)
    if answers is None or not len(answers.units):
        return Made(run_id, run.file_hash, None, None)
    mine = sketch(answers)
    near = [
        (each.run_id, found)
        for each in _near(session, run, mine, reader)
        if (found := wholes.get(each.file_hash)) is not None
    ]
    own = wholes.get(run.file_hash)
    return Made(run_id, run.file_hash, mine, None if own is None else origin(own, near))


def _near(session: Session, run: Run, mine: Sketch, reader: str) -> list[RunSketch]:
    """The earlier runs that a run may come from: the one before it, what that one came from, and the most
    alike."""
    earlier = session.scalars(_earlier(run, reader).limit(LOOKED_BACK)).all()
    if not earlier:
        return []
    by_id = {each.run_id: each for each in earlier}
    chosen = [earlier[0]]
    parent = earlier[0].parent_id
    if parent is not None:
        found = by_id.get(parent) or session.get(RunSketch, parent)
        chosen += [] if found is None else [found]
    sketches = [(each, unpack(each.sketch)) for each in earlier if each.sketch is not None]
    if sketches:
        chosen.append(max(sketches, key=lambda each: alike(mine, each[1]).share)[0])
    return list({each.run_id: each for each in chosen}.values())


def _earlier(run: Run, reader: str) -> Select[RunSketch]:
    before = or_(
        Run.submitted_at < run.submitted_at, and_(Run.submitted_at == run.submitted_at, Run.id < run.id)
    )
    return (
        select(RunSketch)
        .join(Run, Run.id == RunSketch.run_id)
        .where(
            Run.team_id == run.team_id,
            Run.phase_id == run.phase_id,
            RunSketch.sketch.is_not(None),
            RunSketch.reader == reader,
            before,
            *LOOKED_AT,
        )
        .order_by(Run.submitted_at.desc(), Run.id.desc())
    )


def _keep(session: Session, made: Made, reader: str) -> None:
    row = session.get(RunSketch, made.run_id) or RunSketch(run_id=made.run_id)
    row.file_hash, row.reader = made.file_hash, reader
    row.sketch = None if made.sketch is None else made.sketch.pack()
    came = made.origin
    row.parent_id = None if came is None else came.parent
    row.changed = 0 if came is None else came.changed
    row.units = (0 if made.sketch is None else made.sketch.units) if came is None else came.units
    row.touched = b"" if came is None else came.touched.astype(TOUCHED).tobytes()
    session.add(row)
    session.flush()


def touched_of(row: RunSketch) -> frozenset[int]:
    """Some of the units that a run answers otherwise than the one it came from."""
    return frozenset(np.frombuffer(row.touched, TOUCHED).tolist())
