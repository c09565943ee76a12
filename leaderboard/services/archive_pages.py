"""What an archive has for people: rankings, runs, teams, values by topic, settings, announcements."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, cast

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import PhaseSpec, TaskSpec
from leaderboard.services import boards, exports, final_exports, splits
from leaderboard.services import final_standings as finals
from leaderboard.services.archive_records import KEPT_STATES, Scope
from leaderboard.services.boards import Stage
from leaderboard.services.export_cells import guarded
from leaderboard.services.exports import Format
from leaderboard.services.score_rows import PER_TOPIC
from leaderboard.store import models
from leaderboard.store.models import SHOWN_SPLITS

FORMATS: Mapping[Format, str] = {"csv": "csv", "json": "json", "latex": "tex", "markdown": "md"}
"""By format, the ending of its files."""

_EACH = {"yield_per": 200}


@dataclass(frozen=True, slots=True)
class Table:
    """Where a table lies in the archive, and its rows, the header first."""

    path: str
    rows: Iterable[Sequence[object]]

    def lines(self) -> Iterator[str]:
        """It as CSV, safe for spreadsheets."""
        for row in self.rows:
            out = io.StringIO(newline="")
            csv.writer(out, lineterminator="\r\n").writerow([guarded(_cell(value)) for value in row])
            yield out.getvalue()


def plain(name: str) -> str:
    """A word as a part of a file's name."""
    kept = "".join(character if character.isalnum() or character in "._-@()=," else "_" for character in name)
    return kept.lstrip(".") or "_"


def standings(session: Session, spec: TaskSpec, scope: Scope) -> Iterator[tuple[str, str]]:
    """Every stored ranking of a phase, track, stage and gold version in every format: path and text."""
    board, phase, version = models.Board, models.Phase, models.GoldVersion
    statement = (
        select(board.track, board.stage, phase.name, version.number)
        .join(phase, phase.id == board.phase_id)
        .outerjoin(version, version.id == board.gold_version_id)
        .where(board.task_id == scope.task.id, board.split.in_(SHOWN_SPLITS))
        .order_by(phase.position, phase.name, board.stage, board.track, version.number)
    )
    listed = boards.listed_tracks(spec)
    for track, stage, phase_name, number in session.execute(statement).all():
        if track not in listed:
            continue
        # As it is stored: the copies of a frozen phase stand beside its ranking of now.
        found = boards.board(
            session, spec, track, phase_name, gold_version=number, stage=cast(Stage, stage), live=True
        )
        found = boards.renamed(found, scope.names)
        name = "overall" if track is None else f"{track}-version-{number}"
        path = (
            f"standings/{plain(phase_name)}/{plain(stage.replace(', ', '-').replace(' ', '-'))}/{plain(name)}"
        )
        for wanted, ending in FORMATS.items():
            yield f"{path}.{ending}", exports.render(spec, found, wanted)


def final_standings(session: Session, spec: TaskSpec, scope: Scope) -> Iterator[tuple[str, str]]:
    """The standings on private parts that are revealed: path and text."""
    phases = select(models.Phase.name, models.Phase.split).where(models.Phase.task_id == scope.task.id)
    for phase, split in session.execute(phases.order_by(models.Phase.position, models.Phase.name)).all():
        for track in boards.listed_tracks(spec) if split else ():
            found = finals.show(session, spec, track, phase, scope.moment)
            if found.why_none is None:
                found = finals.renamed(found, scope.names)
                path = f"standings/{plain(phase)}/final/{plain(track or 'overall')}"
                yield f"{path}.csv", final_exports.as_csv(spec, found)
                yield f"{path}.json", final_exports.as_json(spec, found)


def teams(session: Session, scope: Scope) -> Table:
    """The teams, without anything about the people in them."""
    rows = session.scalars(
        select(models.Team).where(models.Team.task_id == scope.task.id).order_by(models.Team.id)
    )
    header = ["team", "name", "alias", "affiliation", "created_at", "deleted_at", "merged_into"]
    kept = (row for row in rows if row.id not in scope.gone_teams)
    return Table("teams.csv", [header, *(_team(row, scope) for row in kept)])


def _team(row: models.Team, scope: Scope) -> list[object]:
    name = scope.names[row.id]
    open_ = scope.own_names or name == row.name
    return [
        row.id,
        name,
        row.alias if scope.own_names else None,
        row.affiliation if open_ else "",
        row.created_at,
        row.deleted_at,
        row.merged_into,
    ]


def runs(session: Session, scope: Scope, files: Mapping[str, str]) -> Table:
    """The runs with what their teams say of the method, and the tracks on which each counts; `files` has
    where the file of a hash lies in the archive."""

    def rows() -> Iterator[Sequence[object]]:
        counted = _counted(session, scope)
        yield [
            *("run", "name", "team", "phase", "kind", "state", "late", "counts_on", "submitted_at"),
            *("file", "sha256", "size", "description", "system", "resources", "manner", "link"),
            *("disqualified_at", "disqualified_for", "hidden_at", "withdrawn_at", "deleted_at"),
        ]
        statement = (
            select(models.Run, models.Phase.name)
            .join(models.Phase, models.Phase.id == models.Run.phase_id)
            .where(models.Run.task_id == scope.task.id)
            .order_by(models.Run.id)
        )
        for run, phase in session.execute(statement, execution_options=_EACH):
            if run.id in scope.gone_runs:
                continue
            yield [
                *(run.id, run.name, scope.names[run.team_id], phase, run.kind, run.state, run.late),
                " ".join(counted.get(run.id, ())),
                *(run.submitted_at, files[run.file_hash], run.file_hash, run.size, run.description),
                *(run.method_system, run.method_resources, run.method_manner, run.method_link),
                *(run.disqualified_at, run.disqualified_for, run.hidden_at, run.withdrawn_at, run.deleted_at),
            ]

    return Table("runs.csv", rows())


def _counted(session: Session, scope: Scope) -> dict[int, list[str]]:
    """By run, the tracks on whose ranking of now it has its team's place."""
    standing, board, version = models.Standing, models.Board, models.GoldVersion
    statement = (
        select(standing.run_id, board.track)
        .join(board, board.id == standing.board_id)
        .join(version, version.id == board.gold_version_id)
        .where(
            board.task_id == scope.task.id,
            board.stage == models.IN_TIME,
            version.state == "active",
            standing.place.is_not(None),
            standing.run_id.is_not(None),
        )
        .order_by(standing.run_id, board.track)
    )
    counted: dict[int, list[str]] = {}
    for run_id, track in session.execute(statement):
        counted.setdefault(run_id or 0, []).append(track or "")
    return counted


def by_topic(session: Session, scope: Scope) -> Iterator[Table]:
    """The values of every run by topic: a table for each track, gold version and measure that has some."""
    version = models.GoldVersion
    statement = (
        select(version)
        .where(version.task_id == scope.task.id, version.state.in_(KEPT_STATES))
        .order_by(version.track, version.number)
    )
    for row in session.scalars(statement).all():
        measures = (
            select(models.Score.measure)
            .where(models.Score.gold_version_id == row.id, models.Score.per_topic.is_not(None))
            .where(models.Score.split.in_(models.SHOWN_SPLITS))
            .distinct()
            .order_by(models.Score.measure)
        )
        for measure in session.scalars(measures).all() if row.topics else ():
            path = f"per-topic/{plain(row.track)}-version-{row.number}/{plain(measure)}.csv"
            yield Table(path, _by_topic(session, scope, row, measure))


def _by_topic(
    session: Session, scope: Scope, version: models.GoldVersion, measure: str
) -> Iterator[Sequence[object]]:
    yield ["run", "name", "team", *version.topics]
    statement = (
        select(models.Run.id, models.Run.name, models.Run.team_id, models.Score.per_topic)
        .join(models.Run, models.Run.id == models.Score.run_id)
        .where(
            models.Score.gold_version_id == version.id,
            models.Score.measure == measure,
            models.Score.split.in_(SHOWN_SPLITS),
            models.Score.per_topic.is_not(None),
        )
        .order_by(models.Run.id)
    )
    for run_id, name, team_id, packed in session.execute(statement, execution_options=_EACH):
        if run_id in scope.gone_runs:
            continue
        values = np.frombuffer(packed or b"", PER_TOPIC).tolist()
        yield [run_id, name, scope.names[team_id], *values]


def settings(session: Session, spec: TaskSpec, scope: Scope) -> dict[str, Any]:
    """How the task is run: what its folder declares under what organisers set."""
    return {
        "task": spec.name,
        "title": dict(spec.title.by_language),
        "summary": dict(spec.summary.by_language),
        "counting": spec.counting,
        "overall": spec.overall,
        "citation": spec.citation,
        "bibtex": spec.bibtex,
        "tracks": [
            {
                "name": track.name,
                "title": dict(track.title.by_language),
                "measures": list(track.measures),
                "primary": track.primary,
                "higher_is_better": track.higher_is_better,
                "digits": track.digits,
            }
            for track in spec.tracks
        ],
        "phases": [_phase(phase) for phase in spec.phases],
        "set_by_organisers": {
            row.name: row.value
            for row in session.scalars(
                select(models.TaskSetting)
                .where(models.TaskSetting.task_id == scope.task.id)
                .order_by(models.TaskSetting.name)
            )
        },
        "names_revealed_at": _iso(scope.task.names_revealed_at),
    }


def _phase(phase: PhaseSpec) -> dict[str, Any]:
    parts = asdict(phase) | {
        "title": dict(phase.title.by_language),
        "reveals": list(phase.reveals),
        "split": splits.told("split", splits.as_json(phase.split)),
    }
    return {name: _iso(value) if isinstance(value, datetime) else value for name, value in parts.items()}


def announcements(rows: Iterable[Mapping[str, Any]], answers: Iterable[Mapping[str, Any]]) -> str:
    """What the organisers told everybody, and what they answered for all, as Markdown."""
    lines = ["# Announcements and answers", ""]
    for row in rows:
        for language, title in row["title"].items():
            lines += [f"## {title} ({language}, {row['made_at']})", "", row["text"].get(language, ""), ""]
    for row in answers:
        lines += [f"## Asked on {row['asked_at']}", "", row["text"], "", f"**Answer:** {row['answer']}", ""]
    return "\n".join(lines)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return value.isoformat()
    return repr(value) if isinstance(value, float) else str(value)


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
