"""Many teams upload runs of RUSSE and CAsT at once, over loopback, to the server as users run it.

``serve`` (gunicorn and a consumer) and further ``worker`` processes; each team sends by the API with a token
of its own. Some teams send more than they have slots for. Everything that was acknowledged must be there,
scored, and once; no team may have got more slots than there are, nor fewer.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from sqlalchemy import func, select

from benchmarks.sites import Installed, consuming, installed, present, serving, until
from benchmarks.variations import variations
from leaderboard.services import standings, teams, tokens
from leaderboard.services.accounts import NewPerson, open_account
from leaderboard.site import utc_now
from leaderboard.store.models import Run, Score, Task, Team

TEAMS, RACERS, SLOTS, TRIES = 200, 5, 3, 7
"""Of so many teams some race for their slots: each of these tries more files of RUSSE than it has slots."""

LONGEST = TIMEOUT = 900.0
"""Seconds at most for all scores to come, and for an answer: on a busy machine the last sender waits long."""


class Wrong(Exception):
    """The site did not do what it has to."""


@dataclass(frozen=True)
class Sent:
    """An upload: whose, of what, when it began, what was answered and how long that took."""

    team: int
    task: str
    sha256: str
    began: datetime
    status: int
    seconds: float
    run_id: int | None
    racing: bool


@dataclass(frozen=True)
class Found:
    """What became of the uploads; times in seconds."""

    sent: tuple[Sent, ...]
    scored_after: tuple[float, ...]
    whole: float
    slots: tuple[int, ...]


def run(data: Path | None = None, team_count: int = TEAMS) -> None:
    """Measures and prints. Raises Wrong."""
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), team_count, 1, data)
    accepted = [each for each in found.sent if each.status == 201]
    where = "PostgreSQL" if os.environ.get("TEST_DATABASE_URL") else "SQLite"
    print(f"\nLoad: {team_count} teams, {len(found.sent)} uploads at once, 2 consumers, {where}")
    print(f"  {len(accepted)} accepted, all scored; {len(found.sent) - len(accepted)} refused: no slot")
    print(f"  {len(accepted) / found.whole:.1f} runs/s from the first byte to the last score")
    _show("upload → answer", [each.seconds for each in found.sent])
    _show("upload → score", found.scored_after)
    print(
        f"  {len(found.slots)} teams sent {TRIES} files at once for {SLOTS} slots:"
        f" {', '.join(map(str, found.slots))} runs"
    )
    print(f"  load of the machine at the end: {os.getloadavg()[0]:.1f}")


def _show(title: str, seconds: Sequence[float]) -> None:
    p50, p95, p99 = np.percentile(seconds, [50, 95, 99])
    print(f"  {title:<16}  p50 {p50:>6.2f} s  p95 {p95:>6.2f} s  p99 {p99:>6.2f} s")


def measure(
    folder: Path,
    team_count: int,
    further_consumers: int,
    data: Path | None = None,
    racers: int = RACERS,
    workers: int = 2,
) -> Found:
    """Has all teams send at once, waits until everything is scored, and compares. Raises Wrong, Stuck."""
    with ExitStack() as stack:
        there = stack.enter_context(installed(folder, data))
        there.limit_runs(SLOTS)
        secrets = _open_teams(there, team_count)
        uploads = _uploads(there, team_count, racers)
        port = stack.enter_context(serving(there, workers))
        stack.enter_context(consuming(there, further_consumers))
        until(lambda: present(there) == 1 + further_consumers, TIMEOUT, "consumers that start")
        sent = _send_all(port, secrets, uploads)
        until(lambda: _is_done(there), LONGEST, "scores")
        return _found(there, sent, racers)


def _open_teams(there: Installed, count: int) -> list[str]:
    """An account for each team, which is its only member in both tasks; their tokens."""
    secrets = []
    with there.site.database.writing() as session:
        for number in range(count):
            now = utc_now()
            person = NewPerson(f"team{number}@example.org", f"Team {number}")
            user_id = open_account(session, person, "none", now)
            for exhibit in there.exhibits:
                named = teams.Named(f"team {number}")
                teams.found(session, exhibit.spec, user_id, named, now)
            secrets.append(tokens.make(session, user_id, "load", "submit", 7, now))
    return secrets


def _uploads(there: Installed, team_count: int, racers: int) -> list[tuple[int, str, bytes, bool]]:
    files = {exhibit.spec.name: variations(exhibit) for exhibit in there.exhibits}
    wanted = [(team, task, False) for team in range(racers, team_count) for task in files]
    wanted += [(team, "russe", True) for team in range(racers) for _ in range(TRIES)]
    wanted += [(team, "cast", False) for team in range(racers)]
    return [(team, task, next(files[task]), racing) for team, task, racing in wanted]


def _send_all(
    port: int, secrets: Sequence[str], uploads: Sequence[tuple[int, str, bytes, bool]]
) -> tuple[Sent, ...]:
    ready = threading.Barrier(len(uploads))
    with ThreadPoolExecutor(len(uploads)) as pool:
        waiting = [
            pool.submit(_send, port, secrets[team], ready, team, task, content, racing)
            for team, task, content, racing in uploads
        ]
        return tuple(each.result() for each in waiting)


def _send(
    port: int, secret: str, ready: threading.Barrier, team: int, task: str, content: bytes, racing: bool
) -> Sent:
    ready.wait()
    began, started = datetime.now(UTC), time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
    headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/octet-stream"}
    connection.request("POST", f"/api/v1/tasks/{task}/runs?name=run&file_name=run", content, headers)
    answer = connection.getresponse()
    document = json.loads(answer.read())
    connection.close()
    refused = document.get("type", "").endswith("#quota-used-up")
    if answer.status != 201 and not refused:
        raise Wrong(f"an upload was answered with {answer.status}: {document}")
    run_id = document["run"]["id"] if answer.status == 201 else None
    sha256 = hashlib.sha256(content).hexdigest()
    return Sent(team, task, sha256, began, answer.status, time.perf_counter() - started, run_id, racing)


def _is_done(there: Installed) -> bool:
    """Whether no run waits, and no ranking is behind."""
    with there.site.database.reading() as session:
        waiting = session.scalar(select(func.count()).select_from(Run).where(Run.state == "received"))
        behind = session.scalar(select(func.count()).select_from(Task).where(Task.standings_due))
    return not waiting and not behind


def _found(there: Installed, sent: tuple[Sent, ...], racers: int) -> Found:
    accepted = {each.run_id: each for each in sent if each.status == 201}
    with there.site.database.reading() as session:
        rows = {row.id: row for row in session.scalars(select(Run))}
        times = select(Score.run_id, Score.gold_version_id, Score.measure, Score.split, func.count())
        times = times.group_by(Score.run_id, Score.gold_version_id, Score.measure, Score.split)
        twice = [row for row in session.execute(times) if row[4] > 1]
        _compare_boards(there)
        slots = tuple(
            session.scalar(
                select(func.count())
                .select_from(Run)
                .join(Team, Team.id == Run.team_id)
                .join(Task, Task.id == Team.task_id)
                .where(Task.name == "russe", Team.name == f"team {number}")
            )
            or 0
            for number in range(racers)
        )
    if set(rows) != set(accepted):
        raise Wrong(f"{len(accepted)} runs were acknowledged, and {len(rows)} are there")
    unscored = [row.id for row in rows.values() if row.state != "scored"]
    if unscored or twice:
        raise Wrong(f"not scored: {unscored}; scored twice: {twice}")
    if any(rows[number].file_hash != each.sha256 for number, each in accepted.items() if number is not None):
        raise Wrong("a run is not what was sent")
    if any(number != SLOTS for number in slots):
        raise Wrong(f"teams that had {SLOTS} slots each got {slots}")
    if any(each.status != 201 and not each.racing for each in sent):
        raise Wrong("a team that had slots was refused")
    ends = [(rows[number].scored_at, each) for number, each in accepted.items() if number is not None]
    after = tuple(_seconds(end, each.began) for end, each in ends)
    whole = max(_seconds(end, min(each.began for each in sent)) for end, _ in ends)
    return Found(sent, after, whole, slots)


def _seconds(end: datetime | None, began: datetime) -> float:
    return ((end or began) - began) / timedelta(seconds=1)


def _compare_boards(there: Installed) -> None:
    """Computes all rankings afresh: what is stored must be that. Raises Wrong."""
    for exhibit in there.exhibits:
        scorer = there.site.scorer(exhibit.spec)
        with there.site.database.writing() as session:
            spec = there.site.spec(session, exhibit.spec.name)
            if changed := standings.refresh(session, spec, scorer.VERSION, utc_now()):
                raise Wrong(f"{changed} rankings of {spec.name} were not what they had to be")
