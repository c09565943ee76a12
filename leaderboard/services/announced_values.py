"""What everybody is told of scores, where that is less than their values.

On such a track the exact scores lie under a split of their own, and under the one that everything reads is
what is told: so no page, file or study has to know. What is told of a team's runs in a phase is worked out
from all their exact scores, in the order of the runs' numbers, withdrawn and deleted ones included: else a
team would take its best run back and be told the next one's value. So it is the same whatever order runs are
scored in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np
from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from leaderboard.analysis.public_values import BY_UNIT, Rule, Scored, Told, told
from leaderboard.contract import FloatArray, Message, Scores, TaskSpec, TrackSpec, say
from leaderboard.formats.public_values import parse, written
from leaderboard.services import gold, score_rows
from leaderboard.services.score_rows import PER_TOPIC
from leaderboard.services.scoring_order import ByUnit
from leaderboard.services.tasks import known
from leaderboard.store.models import EXACT, PUBLIC, SHOWN_SPLITS, WHOLE, GoldVersion, Phase, Run, Score, Task


@dataclass(frozen=True, slots=True)
class Found:
    """The scores of a run on some versions of gold, by the part of it that they are on."""

    versions: tuple[gold.Version, ...]
    by_split: Mapping[str, Scores]
    by_unit: ByUnit


@dataclass(slots=True)
class _Exact:
    """What a run scored on a version of the gold."""

    run_id: int
    alone: bool
    rows: dict[str, _Row] = field(default_factory=dict)
    by_unit: FloatArray | None = None


@dataclass(frozen=True, slots=True)
class _Row:
    """A stored score, but for its values by topic."""

    measure: str
    value: float | None
    undefined: Message | None
    answered: int
    total: int
    scorer_version: str
    file_hash: str
    scored_at: datetime


def keep(
    session: Session, spec: TaskSpec, run: Run, found: Found, scorer_version: str, now: datetime
) -> None:
    """Writes the scores of a run in place of what it had on these versions, and what is told of its team's
    runs. The caller has locked the task."""
    task = known(session, spec.name)
    plain = tuple(version for version in found.versions if version.track not in task.public_values)
    guarded = tuple(version for version in found.versions if version.track in task.public_values)
    score_rows.keep(session, run, plain, found.by_split, scorer_version, now)
    if not guarded:
        return
    by_split = dict(found.by_split)
    for split in by_split.keys() & set(SHOWN_SPLITS):
        # Units are of the part that is shown: on a private one runs are not compared.
        by_split[EXACT] = _with_units(spec, by_split.pop(split), found.by_unit)
    score_rows.keep(session, run, guarded, by_split, scorer_version, now)
    session.flush()
    tell(session, spec, task, (run.phase_id, run.team_id), [version.id for version in guarded])


def tell_team(session: Session, spec: TaskSpec, team_id: int) -> None:
    """Works out again what is told of all runs of a team: others are its, or count in another way."""
    task = known(session, spec.name)
    if not task.public_values:
        return
    session.flush()
    version_ids = [version.id for version in versions_told(session, task)]
    for phase_id in session.scalars(select(Run.phase_id).where(Run.team_id == team_id).distinct()).all():
        tell(session, spec, task, (phase_id, team_id), version_ids)


def versions_told(
    session: Session, task: Task, tracks: Collection[str] | None = None
) -> Sequence[GoldVersion]:
    """The versions of gold that values are told of: those that score now, and drafts. What was told by
    earlier ones stays."""
    wanted = task.public_values if tracks is None else tracks
    statement = select(GoldVersion).where(
        GoldVersion.task_id == task.id,
        GoldVersion.track.in_(list(wanted)),
        GoldVersion.state.in_(("active", "draft")),
    )
    return session.scalars(statement.order_by(GoldVersion.id)).all()


def tell(
    session: Session, spec: TaskSpec, task: Task, whose: tuple[int, int], version_ids: Iterable[int]
) -> None:
    """Works out what is told of the runs of a team in a phase (the numbers of both) on versions of gold, and
    writes what has changed."""
    phase_id, team_id = whose
    split = WHOLE if session.get_one(Phase, phase_id).split is None else PUBLIC
    tracks = {track.name: track for track in spec.tracks}
    for version_id in version_ids:
        name = session.get_one(GoldVersion, version_id).track
        if name not in tracks or name not in task.public_values:
            continue
        rule, track = parse(task.public_values[name]), tracks[name]
        of_team = (Run.phase_id == phase_id, Run.team_id == team_id, Score.gold_version_id == version_id)
        runs = _exact(session, select(Score).join(Run, Run.id == Score.run_id).where(*of_team), rule, track)
        wanted = {(row["run_id"], row["measure"]): row for row in _rows(rule, track, runs)}
        shown = select(Score).join(Run, Run.id == Score.run_id).where(*of_team, Score.split.in_(SHOWN_SPLITS))
        _write(session, shown, wanted, {"gold_version_id": version_id, "track": name, "split": split})
    session.flush()


def _with_units(spec: TaskSpec, scores: Scores, by_unit: ByUnit) -> Scores:
    """The scores with values by unit in the place of those by topic, where a track has no topics."""
    primary = {track.name: track.primary for track in spec.tracks}
    return {
        name: replace(track, per_topic={primary[name]: by_unit[name]})
        if name in by_unit and name in primary and not track.topics
        else track
        for name, track in scores.items()
    }


def _exact(session: Session, scores: Select[Score], rule: Rule, track: TrackSpec) -> Sequence[_Exact]:
    """The exact scores of a team's runs, in the order of their numbers."""
    runs: dict[int, _Exact] = {}
    mine = scores.where(Score.split == EXACT).order_by(Score.run_id, Score.id)
    columns = [getattr(Score, name) for name in _Row.__slots__]
    for run_id, kind, *values in session.execute(mine.with_only_columns(Score.run_id, Run.kind, *columns)):
        row = _Row(*values)
        found = runs.setdefault(run_id, _Exact(run_id, alone=kind == "baseline"))
        found.rows[row.measure] = row
    if written(rule) == BY_UNIT:
        primary = mine.where(Score.measure == track.primary, Score.per_topic.is_not(None))
        for run_id, packed in session.execute(primary.with_only_columns(Score.run_id, Score.per_topic)):
            runs[run_id].by_unit = np.frombuffer(packed or b"", PER_TOPIC)
    return tuple(runs.values())


def _rows(rule: Rule, track: TrackSpec, runs: Sequence[_Exact]) -> Iterator[dict[str, object]]:
    """What is to be stored as told of each run."""
    scored = [
        Scored({name: row.value for name, row in run.rows.items()}, run.by_unit, run.alone) for run in runs
    ]
    latest: datetime | None = None
    found = told(rule, track.primary, higher_is_better=track.higher_is_better, runs=scored)
    for run, each in zip(runs, found, strict=True):
        own = max(row.scored_at for row in run.rows.values())
        if run.alone or rule.kind != "ladder":
            made = own
        else:
            # It says something of all runs before: who may not know what was scored later must not read it.
            made = latest = own if latest is None else max(latest, own)
        source = None if each.of is None else runs[each.of]
        for measure, row in run.rows.items():
            value = each.values[measure]
            yield {
                "run_id": run.run_id,
                "measure": measure,
                "value": value,
                "undefined": None if value is not None else _why(track, run, source, measure, each),
                "per_topic": None,
                "answered": row.answered,
                "total": row.total,
                "scorer_version": row.scorer_version,
                "file_hash": row.file_hash,
                "scored_at": made,
            }


def _why(track: TrackSpec, run: _Exact, source: _Exact | None, measure: str, told: Told) -> Message:
    """Why nothing is told of a measure."""
    having = source or run
    for name in (measure, track.primary):
        row = having.rows.get(name)
        if row is not None and row.undefined is not None and (told.of is not None or name == track.primary):
            return row.undefined
    if source is not None:
        return say("{measure} is undefined for this run.", measure=measure)
    return say("Nothing has been announced of this run yet; the organisers have to score it again.")


def _write(
    session: Session,
    shown: Select[Score],
    wanted: dict[tuple[object, object], dict[str, object]],
    where: Mapping[str, object],
) -> None:
    """Brings the stored rows to what is wanted. Those of runs without exact scores stay: an archive may have
    brought them without these."""
    for score in session.scalars(shown):
        row = wanted.pop((score.run_id, score.measure), None)
        for name, value in (row or {}).items():
            if getattr(score, name) != value:
                setattr(score, name, value)
    session.add_all(Score(**where, **row) for row in wanted.values())
