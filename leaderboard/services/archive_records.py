"""What an archive keeps of each table: rows of one task, without people, without gold unless asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, Table, not_, or_, select, true
from sqlalchemy.orm import Session

from leaderboard.services.gold_recognition import stand_in
from leaderboard.store import models
from leaderboard.store.rows import as_json

KIND = "archive of a task"
VERSION = 1

KEPT_STATES = ("active", "retired")
"""A draft of gold is nobody's standing yet, and stays where it is."""

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Scope:
    """What is archived at a `moment`: a task, with or without its gold. `names` are what its teams are called
    in it, by the team's number, `teams` the team of every run. Runs and teams that were deleted stay out
    (`gone_runs`, `gone_teams`), but for runs that MJ was made from."""

    task: models.Task
    moment: datetime
    with_gold: bool
    own_names: bool
    names: Mapping[int, str]
    teams: Mapping[int, int]
    gone_runs: frozenset[int] = frozenset()
    gone_teams: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Record:
    """A table of the archive. `rows` chooses the task's rows in an order that depends on them alone,
    `without` names columns that stay behind, `changed` puts a row as the archive has it. An archive may lack
    one that is `optional`, since it can be worked out again. `secret` tells rows that go only where the gold
    goes."""

    model: type[models.Base]
    rows: Callable[[int], Select[Any]]
    without: frozenset[str] = frozenset()
    changed: Callable[[Row, Scope], Row] = lambda row, _scope: row
    optional: bool = False
    secret: ColumnElement[bool] | None = None

    @property
    def table(self) -> Table:
        table = self.model.__table__
        assert isinstance(table, Table)  # noqa: S101 - every model has one; this says so to the type checker
        return table

    @property
    def path(self) -> str:
        """Where it lies in the archive."""
        return f"records/{self.table.name}.jsonl"


def rows_of(session: Session, record: Record, scope: Scope) -> Iterator[Row]:
    """The rows of a table, as they are archived, a few at a time."""
    table = record.table
    statement = record.rows(scope.task.id).with_only_columns(*table.columns)
    if record.secret is not None and not scope.with_gold:
        statement = statement.where(not_(record.secret))
    for row in session.execute(statement, execution_options={"yield_per": 500}).mappings():
        if _is_gone(table.name, dict(row), scope):
            continue
        kept = {
            name: value for name, value in as_json(table, dict(row)).items() if name not in record.without
        }
        yield record.changed(kept, scope)


def _is_gone(table: str, row: Row, scope: Scope) -> bool:
    run = row["id"] if table == "run" else row.get("run_id")
    team = row["id"] if table == "team" else row.get("team_id")
    return run in scope.gone_runs or team in scope.gone_teams


def _of_task(model: Any) -> Callable[[int], Select[Any]]:
    return lambda task_id: select(model).where(model.task_id == task_id).order_by(model.id)


def _versions(task_id: int) -> Select[Any]:
    version = models.GoldVersion
    return (
        select(version)
        .where(version.task_id == task_id, version.state.in_(KEPT_STATES))
        .order_by(version.track, version.number)
    )


def _scores(task_id: int) -> Select[Any]:
    score, version = models.Score, models.GoldVersion
    return (
        select(score)
        .join(version, version.id == score.gold_version_id)
        .where(version.task_id == task_id, version.state.in_(KEPT_STATES))
        .order_by(score.run_id, version.track, version.number, score.measure, score.split)
    )


def _boards(task_id: int) -> Select[Any]:
    board, version = models.Board, models.GoldVersion
    return (
        select(board)
        .outerjoin(version, version.id == board.gold_version_id)
        .where(board.task_id == task_id, or_(version.id.is_(None), version.state.in_(KEPT_STATES)))
        .order_by(board.id)
    )


def _standings(task_id: int) -> Select[Any]:
    standing, board, version = models.Standing, models.Board, models.GoldVersion
    return (
        select(standing)
        .join(board, board.id == standing.board_id)
        .outerjoin(version, version.id == board.gold_version_id)
        .where(board.task_id == task_id, or_(version.id.is_(None), version.state.in_(KEPT_STATES)))
        .order_by(standing.board_id, standing.position)
    )


def _analyses(task_id: int) -> Select[Any]:
    analysis, board, version = models.BoardAnalysis, models.Board, models.GoldVersion
    return (
        select(analysis)
        .join(board, board.id == analysis.board_id)
        .join(version, version.id == board.gold_version_id)
        .where(board.task_id == task_id, version.state.in_(KEPT_STATES))
        .order_by(analysis.board_id)
    )


def _allowances(task_id: int) -> Select[Any]:
    allowance, phase = models.Allowance, models.Phase
    return (
        select(allowance)
        .join(phase, phase.id == allowance.phase_id)
        .where(phase.task_id == task_id)
        .order_by(allowance.phase_id, allowance.team_id)
    )


def _parts(task_id: int) -> Select[Any]:
    parts, phase = models.PhaseParts, models.Phase
    return (
        select(parts)
        .join(phase, phase.id == parts.phase_id)
        .where(phase.task_id == task_id)
        .order_by(parts.phase_id)
    )


def _public_answers(task_id: int) -> Select[Any]:
    question = models.Question
    return (
        select(question)
        .where(question.task_id == task_id, question.public, question.answered_at.is_not(None))
        .order_by(question.id)
    )


def _public_announcements(task_id: int) -> Select[Any]:
    announcement = models.Announcement
    return (
        select(announcement)
        .where(announcement.task_id == task_id, announcement.public, announcement.withdrawn_at.is_(None))
        .order_by(announcement.id)
    )


def _task(row: Row, _scope: Scope) -> Row:
    return row | {"edition_of": None}


def _team(row: Row, scope: Scope) -> Row:
    if scope.own_names:
        return row
    name = scope.names[row["id"]]
    # Where it works tells who it is.
    affiliation = row["affiliation"] if name == row["name"] else ""
    return row | {"name": name, "alias": None, "affiliation": affiliation}


def _phase(row: Row, scope: Scope) -> Row:
    """With its seed a split could be drawn again."""
    if scope.with_gold:
        return row
    declared = row["declared_as"]
    declared = declared and declared | {"split": _without_seed(declared.get("split"))}
    return row | {"split": _without_seed(row["split"]), "declared_as": declared}


def _without_seed(split: Row | None) -> Row | None:
    return split and split | {"seed": 0}


def _version(row: Row, scope: Scope) -> Row:
    if scope.with_gold and row["has_file"]:
        return row
    # A hash could be held against guesses of a small benchmark, and a note may speak of what it holds.
    instead = stand_in(scope.task.name, row["track"], row["number"], row["installed_at"])
    note = row["note"] if scope.with_gold else ""
    return row | {"has_file": False, "file_hash": instead, "note": note}


def _board(row: Row, scope: Scope) -> Row:
    """What news were told of names teams and runs."""
    settled = row["settled"]
    if settled is None or "teams" not in settled:
        return row
    teams = {
        team: [place, run]
        for team, (place, run) in settled["teams"].items()
        if int(team) not in scope.gone_teams
        and scope.gone_runs.isdisjoint(run.values() if isinstance(run, dict) else (run,))
    }
    return row | {"settled": {**settled, "teams": teams}}


def _standing(row: Row, scope: Scope) -> Row:
    return row | {"runs": {track: run for track, run in row["runs"].items() if run not in scope.gone_runs}}


def _sureness(row: Row, scope: Scope) -> Row:
    """What was drawn by comes from the benchmark."""
    lines = {run: line for run, line in row["lines"].items() if int(run) not in scope.gone_runs}
    return row | {"seed": 0, "lines": lines}


def _run(row: Row, scope: Scope) -> Row:
    if not scope.with_gold:
        row = row | {"failure_detail": None}
    if not scope.own_names:
        # What a sender calls a file on its own machine tells who that is.
        _, dot, ending = row["file_name"].partition(".")
        row = row | {"file_name": f"run-{row['id']}{dot}{ending[:20]}"}
    return row | {"lease_until": None}


def _resource(row: Row, scope: Scope) -> Row:
    """MJ names the benchmarks that placed its runs, and the teams whose these are."""
    if not scope.with_gold:
        tracks = row["inputs"]["tracks"]
        unnamed = {track: parts | {"gold_hash": None} for track, parts in tracks.items()}
        row = row | {"inputs": row["inputs"] | {"tracks": unnamed}}
    if scope.own_names:
        return row
    return with_runs(row, lambda run: run | {"team": scope.names[scope.teams[run["run_id"]]]})


def with_runs(row: Row, change: Callable[[Row], Row]) -> Row:
    """A row of a resource whose runs were changed, wherever it names them."""
    tracks = {
        track: parts | {"runs": [change(run) for run in parts["runs"]]}
        for track, parts in row["inputs"]["tracks"].items()
    }
    measures = dict(row["measures"])
    measures["best"] = {track: change(run) for track, run in measures["best"].items()}
    if measures.get("shares"):
        measures["shares"] = {
            track: parts
            | {"runs": [[change({"run_id": run})["run_id"], *rest] for run, *rest in parts["runs"]]}
            for track, parts in measures["shares"].items()
        }
    return row | {"inputs": row["inputs"] | {"tracks": tracks}, "measures": measures}


def _announcement(row: Row, _scope: Scope) -> Row:
    return row | {"mailed_to": {}}


SECRET = (models.PRIVATE, models.EXACT)
"""The splits of scores that nobody may read who does not have the gold."""

RECORDS: tuple[Record, ...] = (
    Record(
        models.Task,
        lambda task_id: select(models.Task).where(models.Task.id == task_id),
        changed=_task,
    ),
    Record(models.TaskSetting, _of_task(models.TaskSetting), frozenset({"id", "changed_by"})),
    Record(models.Phase, _of_task(models.Phase), changed=_phase),
    Record(models.Team, _of_task(models.Team), changed=_team),
    Record(models.Allowance, _allowances, frozenset({"id", "reason", "given_by"})),
    Record(models.InputFile, _of_task(models.InputFile)),
    Record(models.GoldVersion, _versions, frozenset({"installed_by"}), _version),
    Record(models.Reference, _of_task(models.Reference)),
    Record(models.Run, _of_task(models.Run), changed=_run),
    Record(models.PhaseParts, _parts, frozenset({"id"}), optional=True, secret=true()),
    Record(models.Score, _scores, frozenset({"id"}), secret=models.Score.split.in_(SECRET)),
    Record(models.Board, _boards, changed=_board, secret=models.Board.split == models.PRIVATE),
    Record(
        models.Standing, _standings, frozenset({"id"}), _standing, secret=models.Board.split == models.PRIVATE
    ),
    Record(models.BoardAnalysis, _analyses, frozenset({"id"}), _sureness, optional=True),
    Record(models.Resource, _of_task(models.Resource), frozenset({"created_by"}), _resource),
    Record(models.Announcement, _public_announcements, frozenset({"made_by"}), _announcement),
    Record(models.Question, _public_answers, frozenset({"user_id", "team_id", "answered_by"})),
)
"""The tables of an archive, each after those that its rows refer to."""
