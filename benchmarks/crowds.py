"""Sites with many teams, each of which has one scored run of RUSSE: rows alone, without files."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import insert
from sqlalchemy.orm import Session

from benchmarks import russe
from leaderboard.catalog import load_scorer, load_task
from leaderboard.config import Settings, inside
from leaderboard.contract import TaskSpec
from leaderboard.services import gold, standings, tasks
from leaderboard.store import queries, schema
from leaderboard.store.files import Files
from leaderboard.store.models import Board, BoardAnalysis, Phase, Run, Score, Task, Team
from leaderboard.store.session import Database

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
TASKS = Path(__file__).parent.parent / "tasks"
AT_ONCE = 5_000


@dataclass(frozen=True)
class Crowd:
    """A site with so many teams."""

    teams: int
    settings: Settings


def make(folder: Path, teams: int, url: str = "") -> Crowd:
    """Makes a site in that folder, in the database of that address (default: SQLite there)."""
    settings = inside(folder / "instance", Settings(tasks=(TASKS,)))
    if url:
        settings = replace(settings, database_url=url)
    golds = folder / "gold"
    golds.mkdir(parents=True)
    russe.write_golds(golds)
    fill(settings, golds, teams)
    return Crowd(teams, settings)


def fill(settings: Settings, golds: Path, teams: int) -> None:
    """Puts RUSSE with gold, teams, their runs, scores, standings and intervals into a new database."""
    spec = load_task(TASKS / "russe")
    scorer = load_scorer(spec)
    database = Database(settings.database_url)
    schema.upgrade(database)
    files = Files.under(settings.instance)
    with database.writing() as session:
        tasks.install(session, spec, NOW)
        gold.install(session, files, spec, scorer, golds, "", NOW)
        task = tasks.known(session, spec.name)
        phase = next(each for each in queries.phases_of(session, task.id) if each.declared)
        _enter(session, spec, task, phase, teams)
        standings.refresh(session, spec, scorer.VERSION, NOW)
        for board in session.query(Board).where(Board.track.is_not(None)).all():
            _analyse(session, board)
    database.close()


def _enter(session: Session, spec: TaskSpec, task: Task, phase: Phase, teams: int) -> None:
    dice = random.Random(teams)
    versions = queries.active_gold(session, task.id)
    for first in range(1, teams + 1, AT_ONCE):
        numbers = range(first, min(first + AT_ONCE, teams + 1))
        session.execute(insert(Team), [_team(task, number) for number in numbers])
        session.execute(insert(Run), [_run(task, phase, number) for number in numbers])
        scores = [
            _score(versions[track.name].id, track.name, measure, number, dice.random())
            for number in numbers
            for track in spec.tracks
            for measure in (track.primary,)
        ]
        session.execute(insert(Score), scores)


def _team(task: Task, number: int) -> dict[str, Any]:
    return {"id": number, "task_id": task.id, "name": f"Team {number:06}", "created_at": NOW}


def _run(task: Task, phase: Phase, number: int) -> dict[str, Any]:
    moment = NOW + timedelta(seconds=number)
    return {
        "id": number,
        "task_id": task.id,
        "phase_id": phase.id,
        "team_id": number,
        "name": f"run-{number}",
        "file_hash": f"{number:064x}",
        "file_name": "run.csv",
        "size": 1,
        "submitted_at": moment,
        "received_at": moment,
        "state": "scored",
        "kind": "ordinary",
        "late": False,
        "warnings": (),
        "notes": (),
        "left_out": (),
        "faults": [],
        "fault_count": 0,
        "attempts": 0,
        "scored_at": moment,
    }


def _score(gold_id: int, track: str, measure: str, number: int, value: float) -> dict[str, Any]:
    return {
        "run_id": number,
        "gold_version_id": gold_id,
        "track": track,
        "measure": measure,
        "value": value,
        "answered": 1,
        "total": 1,
        "scorer_version": "1",
        "file_hash": f"{number:064x}",
        "scored_at": NOW,
    }


def _analyse(session: Session, board: Board) -> None:
    """Intervals as the queue stores them: computing those of so many runs is not what is measured."""
    lines = dict(_intervals(session, board))
    session.add(
        BoardAnalysis(
            board_id=board.id,
            fingerprint=board.fingerprint,
            seed=1,
            draws=1000,
            groups=2,
            lettered=False,
            lines=lines,
            computed_at=NOW,
        )
    )


def _intervals(session: Session, board: Board) -> Iterator[tuple[str, dict[str, Any]]]:
    values = queries.values_of_measure(
        session, board.phase_id, board.gold_version_id or 0, _measure(board.track or "")
    )
    for run_id, (value, _) in values.items():
        if value is not None:
            yield str(run_id), {"value": value, "low": value - 0.01, "high": value + 0.01, "group": "1–9"}


def _measure(track: str) -> str:
    return load_task(TASKS / "russe").track(track).primary
