"""Processes killed at random moments lose nothing and leave nothing half."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from leaderboard.services import rescoring, scoring, standings
from leaderboard.store import queries
from leaderboard.store.models import Board, GoldVersion, Run, Score, Standing
from tests.services.busy import rescore_everything
from tests.services.toy import NOON, Toy

REPOSITORY = Path(__file__).resolve().parents[2]

KILLS = int(
    os.environ.get("LEADERBOARD_KILLS", "50" if os.environ.get("HYPOTHESIS_PROFILE") == "soak" else "2")
)
"""How many times two processes are killed on each database."""


def start(toy: Toy, url: str, name: str, seed: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.services.busy", url, str(toy.folder), name, str(seed)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def killed_after(processes: list[subprocess.Popen[str]], seconds: float) -> set[int]:
    """Lets them work for so long, kills them, and returns the runs they were told of."""
    with suppress(subprocess.TimeoutExpired):
        processes[0].wait(seconds)
    told: set[int] = set()
    for process in processes:
        assert process.poll() is None, "it must be busy until it is killed"
        process.send_signal(signal.SIGKILL)
        output, _ = process.communicate()
        # The last line may have been cut off by the kill.
        told |= {int(line) for line in output.splitlines(keepends=True) if line.endswith("\n")}
    return told


def finish(toy: Toy) -> None:
    """What every start of the server does, and a rescoring of what new gold has left behind."""
    transactions = rescoring.Transactions(toy.database.reading, toy.database.writing)
    with toy.database.reading() as session:
        outdated = scoring.outdated(session, toy.spec, toy.scorer)
    for work in (
        lambda: rescoring.finish_pending(
            transactions, toy.files, toy.spec, toy.scorer, lambda: NOON, lambda _d, _t: None
        ),
        lambda: rescoring.rescore(
            transactions, toy.files, toy.spec, toy.scorer, outdated, lambda: NOON, lambda _d, _t: None
        ),
    ):
        work()


def check_runs(toy: Toy, told: set[int]) -> None:
    with toy.database.reading() as session:
        runs = {run.id: run for run in session.scalars(select(Run))}
        active = [v.id for v in session.scalars(select(GoldVersion).where(GoldVersion.state == "active"))]
        by_run = (
            select(Score.run_id, func.count()).where(Score.gold_version_id.in_(active)).group_by(Score.run_id)
        )
        counts = {run_id: count for run_id, count in session.execute(by_run)}  # noqa: C416 - a result has keys(), so dict() would take it for a mapping
    assert told <= set(runs), "a run that was acknowledged is lost"
    assert {run.state for run in runs.values()} <= {"scored"}
    assert counts == dict.fromkeys(runs, 3), "every run has every score once"
    for run in runs.values():
        content = toy.files.kept.path(run.file_hash).read_bytes()
        assert hashlib.sha256(content).hexdigest() == run.file_hash


def check_standings(toy: Toy) -> None:
    """What is stored equals a fresh computation, line by line."""
    with toy.database.reading() as session:
        task = queries.task_named(session, toy.spec.name)
        assert task is not None
        for phase in queries.phases_of(session, task.id):
            for table in standings.compute(session, toy.spec, toy.scorer.VERSION, phase.id):
                board = session.scalars(
                    select(Board).where(
                        Board.track.is_(None) if table.track is None else Board.track == table.track,
                        Board.gold_version_id.is_(None)
                        if table.gold_version_id is None
                        else Board.gold_version_id == table.gold_version_id,
                    )
                ).one()
                lines = session.scalars(
                    select(Standing).where(Standing.board_id == board.id).order_by(Standing.position)
                ).all()
                assert [(s.place, s.team_id, s.run_id, s.value, s.values, s.reason) for s in lines] == [
                    (line.place, line.team_id, line.run_id, line.value, line.values, line.reason)
                    for line in table.lines
                ]


@pytest.mark.slow
def test_killed_processes_lose_nothing_and_leave_nothing_half(toy: Toy, database_url: str) -> None:
    chance = random.Random(20260301)
    told: set[int] = set()
    for kill in range(KILLS):
        processes = [start(toy, database_url, f"{name}{kill}", 100 * kill + name) for name in (1, 2)]
        told |= killed_after(processes, chance.uniform(0.0, 0.8))
        finish(toy)
        check_runs(toy, told)
        check_standings(toy)
    assert told, "they must have got somewhere"


def test_the_check_of_standings_notices_a_wrong_one(toy: Toy) -> None:
    toy.enter("a", 0.1, 0.5, 0.9)
    rescore_everything(toy)
    check_standings(toy)
    with toy.database.writing() as session:
        session.execute(update(Standing).values(value=0.5))
    with pytest.raises(AssertionError):
        check_standings(toy)
