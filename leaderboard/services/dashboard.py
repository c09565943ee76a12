"""What organisers of a task want to see at a glance, in a fixed number of queries however much there is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from sqlalchemy import Select, and_, case, false, func, or_, select
from sqlalchemy.orm import Session

from leaderboard.contract import Message, TaskSpec, Text
from leaderboard.rules import Grant, day_of, granted
from leaderboard.services import deadlines, phases
from leaderboard.services.phases import PhaseView
from leaderboard.services.tasks import known
from leaderboard.store import queries
from leaderboard.store.columns import message_from_json
from leaderboard.store.models import SHOWN_SPLITS, Allowance, Job, Run, Score, Task, Team

Line = TypeVar("Line")

REJECTED_LOOKED_AT = 200
"""The faults of so many files, the latest, are counted by kind."""

LISTED = 20
"""So many lines of a list stand on the page; of more it says how many there are."""

NEAR = 0.8
"""A team that has used this part of a quota is near it."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """How many there are. `runs` are all files that came, of which `rejected`, `failed` and `waiting` are in
    that state; `today` those since midnight UTC. `waiting_since` is when the oldest waiting run came."""

    teams: int
    runs: int
    today: int
    scored: int
    rejected: int
    failed: int
    waiting: int
    waiting_since: datetime | None


@dataclass(frozen=True, slots=True)
class Gold:
    """The version of a track's benchmark that scores now; None where there is none."""

    track: str
    number: int | None
    installed_at: datetime | None


@dataclass(frozen=True, slots=True)
class Next:
    """What happens next: a phase opens, or it closes."""

    phase: Text
    opens: bool
    at: datetime


@dataclass(frozen=True, slots=True)
class Queued:
    """Jobs of one kind that wait or run; `oldest` is when the first of them was made."""

    kind: str
    state: str
    number: int
    oldest: datetime


@dataclass(frozen=True, slots=True)
class Tripping:
    """A kind of fault: in how many of the latest rejected files, of how many teams, and what one of them was
    told."""

    kind: str
    files: int
    teams: int
    example: Message


@dataclass(frozen=True, slots=True)
class NearQuota:
    """A team that has used much of a quota of the current phase: `used` of `limit`."""

    team_id: int
    team: str
    what: str
    used: int
    limit: int


@dataclass(frozen=True, slots=True)
class Missing:
    """A run that answers `answered` of the `total` pairs or topics of a track."""

    run_id: int
    run: str
    team: str
    track: str
    answered: int
    total: int


@dataclass(frozen=True, slots=True)
class Listed(Generic[Line]):
    """The first lines of a list of `total`."""

    lines: tuple[Line, ...]
    total: int

    @property
    def more(self) -> int:
        return self.total - len(self.lines)


@dataclass(frozen=True, slots=True)
class Dashboard:
    """Everything on the page."""

    numbers: Numbers
    gold: tuple[Gold, ...]
    phase: PhaseView | None
    next: Next | None
    queue: tuple[Queued, ...]
    faults: tuple[Tripping, ...]
    near_quota: Listed[NearQuota]
    missing: Listed[Missing]
    without_runs: Listed[str]


def show(session: Session, spec: TaskSpec, now: datetime) -> Dashboard:
    """How a task stands. Raises UnknownTask."""
    task = known(session, spec.name)
    views = phases.by_id(session, spec, now)
    current = next(((number, view) for number, view in views.items() if view.current), None)
    teams = _teams(session, task)
    return Dashboard(
        numbers=_numbers(session, task, len(teams), now),
        gold=_gold(session, spec, task),
        phase=current[1] if current else None,
        next=_next(list(views.values()), now),
        queue=_queue(session, task),
        faults=_faults(session, task),
        near_quota=_near_quota(session, spec, current, now) if current else Listed((), 0),
        missing=_missing(session, spec, task),
        without_runs=_first([name for name, runs in teams if not runs]),
    )


def _first(lines: Sequence[Line]) -> Listed[Line]:
    return Listed(tuple(lines[:LISTED]), len(lines))


def _teams(session: Session, task: Task) -> list[tuple[str, int]]:
    """The teams by name, each with its number of runs."""
    statement = (
        select(Team.name, func.count(Run.id))
        .outerjoin(Run, (Run.team_id == Team.id) & Run.deleted_at.is_(None))
        .where(Team.task_id == task.id, Team.deleted_at.is_(None), Team.merged_into.is_(None))
        .group_by(Team.id, Team.name)
        .order_by(Team.name)
    )
    return [(name, runs) for name, runs in session.execute(statement)]


def _numbers(session: Session, task: Task, teams: int, now: datetime) -> Numbers:
    midnight, _ = day_of(now)
    since = func.sum(case((Run.submitted_at >= midnight, 1), else_=0))
    statement = (
        select(Run.state, func.count(), since, func.min(Run.received_at))
        .where(Run.task_id == task.id, Run.deleted_at.is_(None))
        .group_by(Run.state)
    )
    found = {state: (number, today, oldest) for state, number, today, oldest in session.execute(statement)}

    def of(state: str) -> int:
        return int(found.get(state, (0,))[0])

    return Numbers(
        teams=teams,
        runs=sum(int(number) for number, _, _ in found.values()),
        today=sum(int(today) for _, today, _ in found.values()),
        scored=of("scored"),
        rejected=of("rejected"),
        failed=of("failed"),
        waiting=of("received"),
        waiting_since=found["received"][2] if "received" in found else None,
    )


def _gold(session: Session, spec: TaskSpec, task: Task) -> tuple[Gold, ...]:
    active = queries.active_gold(session, task.id)
    return tuple(
        Gold(track.name, version.number, version.installed_at) if version else Gold(track.name, None, None)
        for track in spec.tracks
        for version in [active.get(track.name)]
    )


def _next(views: Sequence[PhaseView], now: datetime) -> Next | None:
    to_come = [
        Next(view.title, opens, at)
        for view in views
        if view.declared
        for opens, at in ((True, view.opens_at), (False, view.closes_at))
        if at is not None and at > now
    ]
    return min(to_come, key=lambda each: each.at, default=None)


def _queue(session: Session, task: Task) -> tuple[Queued, ...]:
    statement = (
        select(Job.kind, Job.state, func.count(), func.min(Job.created_at))
        .where(Job.task_id == task.id, Job.state.in_(("waiting", "running")))
        .group_by(Job.kind, Job.state)
        .order_by(func.min(Job.created_at))
    )
    return tuple(Queued(*row) for row in session.execute(statement))


def _faults(session: Session, task: Task) -> tuple[Tripping, ...]:
    statement = (
        select(Run.team_id, Run.faults)
        .where(Run.task_id == task.id, Run.state == "rejected", Run.deleted_at.is_(None))
        .order_by(Run.id.desc())
        .limit(REJECTED_LOOKED_AT)
    )
    files: Counter[str] = Counter()
    teams: dict[str, set[int]] = {}
    examples: dict[str, Message] = {}
    for team_id, faults in session.execute(statement):
        by_kind = {str(fault["kind"]): fault for fault in reversed(faults)}
        files.update(by_kind.keys())
        for kind, fault in by_kind.items():
            teams.setdefault(kind, set()).add(team_id)
            examples.setdefault(kind, message_from_json(fault["message"]))
    return tuple(
        Tripping(kind, number, len(teams[kind]), examples[kind]) for kind, number in files.most_common(LISTED)
    )


def _near_quota(
    session: Session, spec: TaskSpec, current: tuple[int, PhaseView], now: datetime
) -> Listed[NearQuota]:
    phase_id, view = current
    phase = next((each for each in spec.phases if each.name == view.name), None)
    if phase is None or (phase.runs_per_day, phase.runs_in_all, phase.rejected_per_day) == (None, None, None):
        return Listed((), 0)
    allowances = select(Allowance).where(Allowance.phase_id == phase_id)
    grants = {row.team_id: deadlines.grant_of(row) for row in session.scalars(allowances)}
    near = []
    for team_id, team, in_all, today, rejected in session.execute(_used(phase_id, now)):
        own = granted(phase, grants.get(team_id, Grant()))
        for what, used, limit in (
            ("runs in all", in_all, own.runs_in_all),
            ("runs today", today, own.runs_per_day),
            ("rejected today", rejected, own.rejected_per_day),
        ):
            if limit is not None and used and used >= NEAR * limit:
                near.append(NearQuota(team_id, team, what, int(used), limit))
    return _first(sorted(near, key=lambda each: (-each.used / max(each.limit, 1), each.team)))


def _used(phase_id: int, now: datetime) -> Select[int, str, int, int, int]:
    """Team, name, and its runs in all and today, and rejected ones today, as quotas count them."""
    midnight, next_day = day_of(now)
    today = (Run.submitted_at >= midnight) & (Run.submitted_at < next_day)
    costs = Run.state.in_(("received", "scored"))
    return (
        select(
            Team.id,
            Team.name,
            func.sum(case((costs, 1), else_=0)),
            func.sum(case((costs & today, 1), else_=0)),
            func.sum(case(((Run.state == "rejected") & today, 1), else_=0)),
        )
        .join(Run, Run.team_id == Team.id)
        .where(Run.phase_id == phase_id, Run.kind != "baseline")
        .group_by(Team.id, Team.name)
    )


def _missing(session: Session, spec: TaskSpec, task: Task) -> Listed[Missing]:
    """The runs that lack answers, those that lack most first."""
    declared = {track.name: track for track in spec.tracks}
    # The primary measure stands for its track: one score of a run for each.
    scored = [
        and_(Score.gold_version_id == version.id, Score.measure == declared[name].primary)
        for name, version in queries.active_gold(session, task.id).items()
        if name in declared
    ]
    of_runs = (
        select(Run.id, Run.name, Team.name, Score.track, Score.answered, Score.total)
        .join(Run, Run.id == Score.run_id)
        .join(Team, Team.id == Run.team_id)
        .where(
            or_(false(), *scored),
            Score.split.in_(SHOWN_SPLITS),
            Score.answered < Score.total,
            Run.deleted_at.is_(None),
            Run.withdrawn_at.is_(None),
        )
    )
    rows = session.execute(of_runs.order_by(Score.answered - Score.total, Run.id).limit(LISTED))
    lines = tuple(Missing(*row) for row in rows)
    return Listed(lines, session.scalar(of_runs.with_only_columns(func.count())) or 0)
