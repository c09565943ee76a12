"""Whether a benchmark file is the one that stayed behind when an archive brought what was scored by it.

Such an archive carries nothing of the file, not even a hash, which a guess could be held against. So the file
is known again by what it does: it scores the runs as they were scored.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from leaderboard.contract import Scorer, TaskSpec
from leaderboard.services import inputs
from leaderboard.store.files import FileMissing, Files
from leaderboard.store.models import EXACT, WHOLE, GoldVersion, Run, Score

MOST = 20
"""So many runs are scored to find out."""

CLOSE = 1e-9
"""Two machines may add up in different orders."""


def stand_in(task: str, track: str, number: int, installed_at: str) -> str:
    """What an archive has in place of the hash of a benchmark that stays behind: it tells versions apart and
    says nothing of the file."""
    return hashlib.sha256(f"{task} {track} {number} {installed_at}".encode()).hexdigest()


def is_of(
    session: Session, files: Files, spec: TaskSpec, scorer: Scorer, version: GoldVersion, path: Path
) -> bool:
    """Whether the file scores runs as that version did; not, where no run was scored by it with the scorer of
    now. Raises FormatError."""
    benchmark = scorer.read_gold(spec, {version.track: path})
    if tuple(benchmark.topics[version.track]) != tuple(version.topics):
        return False
    scored = _scored(session, version, scorer)
    folder = inputs.folder_of(session, files, spec)
    for run, expected in scored.items():
        try:
            report = scorer.check(spec, files.kept.path(run.file_hash), folder)
        except FileMissing:
            return False
        if not report.accepted:
            return False
        found = scorer.score(spec, report.run, benchmark)[version.track].values
        if found.keys() != expected.keys() or not all(_same(found[m], expected[m]) for m in found):
            return False
    return bool(scored)


def _scored(
    session: Session, version: GoldVersion, scorer: Scorer
) -> Mapping[Run, Mapping[str, float | None]]:
    """Runs that were scored by the version, spread over all of them, with their values."""
    by_scorer = (Score.gold_version_id == version.id, Score.scorer_version == scorer.VERSION)
    # Where everybody is told less, the archive brought the exact scores with the gold or not at all.
    exactly = session.scalar(select(exists().where(*by_scorer, Score.split == EXACT)))
    of_version = (*by_scorer, Score.split == (EXACT if exactly else WHOLE))
    ids = session.scalars(select(Score.run_id).where(*of_version).distinct().order_by(Score.run_id)).all()
    some = ids[:: max(1, math.ceil(len(ids) / MOST))]
    statement = select(Run, Score.measure, Score.value).join(Score, Score.run_id == Run.id)
    found: dict[Run, dict[str, float | None]] = {}
    for run, measure, value in session.execute(statement.where(*of_version, Run.id.in_(some))):
        found.setdefault(run, {})[measure] = value
    return found


def _same(found: float, expected: float | None) -> bool:
    if expected is None or not math.isfinite(found):
        return expected is None and not math.isfinite(found)
    return math.isclose(found, expected, rel_tol=CLOSE, abs_tol=CLOSE)
