"""Scores as they are stored: one row a run, version of gold, measure and part of the gold."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import datetime

import numpy as np
from sqlalchemy import delete, insert
from sqlalchemy.orm import Session

from leaderboard.contract import Message, Scores, TrackScores, say
from leaderboard.services import gold
from leaderboard.store.models import Run, Score

PER_TOPIC = np.dtype("<f8")
"""How per-topic values are kept, in the order of the gold version's topics."""


def keep(
    session: Session,
    run: Run,
    versions: tuple[gold.Version, ...],
    by_split: Mapping[str, Scores],
    scorer_version: str,
    now: datetime,
) -> None:
    """Writes the scores of a run on these versions, by part of the gold, in place of what it had on them."""
    ids = [version.id for version in versions]
    session.execute(delete(Score).where(Score.run_id == run.id, Score.gold_version_id.in_(ids)))
    rows = [
        row
        for split, scores in by_split.items()
        for row in _rows(run, versions, scores, split, scorer_version, now)
    ]
    if rows:
        # Without the option, rows with and without a value would go in statements of their own.
        session.execute(insert(Score).execution_options(render_nulls=True), rows)


def _rows(
    run: Run,
    versions: tuple[gold.Version, ...],
    scores: Scores,
    split: str,
    scorer_version: str,
    now: datetime,
) -> Iterator[dict[str, object]]:
    for version in versions:
        track = scores[version.track]
        for measure, value in track.values.items():
            yield {
                "run_id": run.id,
                "gold_version_id": version.id,
                "track": version.track,
                "measure": measure,
                "split": split,
                "value": float(value) if math.isfinite(value) else None,
                "undefined": _undefined(track.undefined, measure, value),
                "per_topic": _packed(track, measure),
                "answered": track.answered,
                "total": track.total,
                "scorer_version": scorer_version,
                "file_hash": run.file_hash,
                "scored_at": now,
            }


def _undefined(reasons: Mapping[str, Message], measure: str, value: float) -> Message | None:
    if math.isfinite(value):
        return None
    return reasons.get(measure) or say("{measure} is undefined for this run.", measure=measure)


def _packed(track: TrackScores, measure: str) -> bytes | None:
    values = track.per_topic.get(measure)
    return None if values is None else np.asarray(values, PER_TOPIC).tobytes()
