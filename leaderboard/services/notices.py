"""Telling people that their team was overtaken, if they asked to be told.

A notice is written in the transaction that moved the ranking, one for each person and change however many
boards it touched. `put_into_letters` makes letters of those that wait: what came together is told together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec
from leaderboard.services import letters, phases
from leaderboard.services.shifts import Shift
from leaderboard.services.tasks import known
from leaderboard.services.team_names import public_names
from leaderboard.services.teams import NotInTheTeam, membership_of
from leaderboard.store.models import Membership, Notice, Phase, Task, Team, User
from leaderboard.store.session import Transaction

_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Fall:
    """What happened on one board (`track` None: overall): the places, and who is ahead now."""

    track: str | None
    before: int
    after: int
    ahead: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class News:
    """What one letter tells: a person's team (by its own name) fell in a phase of a task."""

    task: str
    phase: str
    team: str
    locale: str | None
    falls: tuple[Fall, ...]


class Wording(Protocol):
    """Whoever puts news into words: subject and body; None where the task is no longer there."""

    def __call__(self, news: News) -> tuple[str, str] | None: ...


def wanted(session: Session, spec: TaskSpec, user_id: int) -> bool:
    """Whether the person is told when the team is overtaken. Raises UnknownTask."""
    membership = membership_of(session, known(session, spec.name).id, user_id)
    return membership is not None and membership.told_when_overtaken


def choose(session: Session, spec: TaskSpec, user_id: int, *, told: bool) -> None:
    """Has the person told from now on, or no longer. Raises NotInTheTeam and UnknownTask."""
    membership = membership_of(session, known(session, spec.name).id, user_id)
    if membership is None:
        raise NotInTheTeam
    membership.told_when_overtaken = told
    if not told:
        session.execute(delete(Notice).where(Notice.user_id == user_id, Notice.team_id == membership.team_id))


def write(
    session: Session, spec: TaskSpec, task: Task, phase_id: int, shifts: Sequence[Shift], now: datetime
) -> None:
    """Leaves a notice for everybody who wants to know of these shifts. None while the ranking is hidden."""
    if task.visibility != "public" or not phases.by_id(session, spec, now)[phase_id].shows_board:
        return
    changes: dict[int, list[dict[str, Any]]] = {}
    for shift in shifts:
        for fall in shift.overtaken:
            change = {
                "track": shift.track,
                "before": fall.before,
                "after": fall.after,
                "ahead": list(fall.by),
            }
            changes.setdefault(fall.team, []).append(change)
    if not changes:
        return
    members = select(Membership.user_id, Membership.team_id).where(
        Membership.task_id == task.id, Membership.left_at.is_(None), Membership.told_when_overtaken
    )
    session.add_all(
        Notice(
            user_id=user_id,
            task_id=task.id,
            phase_id=phase_id,
            team_id=team_id,
            changes=changes[team_id],
            happened_at=now,
        )
        for user_id, team_id in session.execute(members)
        if team_id in changes
    )
    session.flush()


def put_into_letters(writing: Transaction, wording: Wording, now: datetime) -> int:
    """Makes letters of the notices that wait and says how many. Each is told once, whatever crashes."""
    with writing() as session:
        statement = select(Notice).order_by(Notice.id).limit(_AT_ONCE).with_for_update(skip_locked=True)
        waiting: dict[tuple[int, int], list[Notice]] = {}
        for notice in session.scalars(statement):
            waiting.setdefault((notice.user_id, notice.phase_id), []).append(notice)
        written = 0
        for notices in waiting.values():
            written += _tell(session, notices, wording, now)
            for notice in notices:
                session.delete(notice)
        return written


def _tell(session: Session, notices: Sequence[Notice], wording: Wording, now: datetime) -> bool:
    last = notices[-1]
    user, task = session.get_one(User, last.user_id), session.get_one(Task, last.task_id)
    membership = membership_of(session, task.id, user.id)
    if not user.active or user.email is None or membership is None or membership.team_id != last.team_id:
        return False
    names = public_names(session, task, now)
    falls = tuple(_falls(notices, names))
    if not falls:
        return False
    team, phase = session.get_one(Team, last.team_id), session.get_one(Phase, last.phase_id)
    words = wording(News(task.name, phase.name, team.name, user.locale, falls))
    if words is None:
        return False
    letters.write(session, user.email, *words, now, user.id)
    return True


def _falls(notices: Sequence[Notice], names: Mapping[int, str]) -> Iterable[Fall]:
    """Board by board, from the place at first to the one at last."""
    boards: dict[str | None, list[dict[str, Any]]] = {}
    for notice in notices:
        for change in notice.changes:
            boards.setdefault(change["track"], []).append(change)
    for track, changes in boards.items():
        ahead = dict.fromkeys(team for change in changes for team in change["ahead"])
        called = tuple(names[team] for team in ahead if team in names)
        yield Fall(track, changes[0]["before"], changes[-1]["after"], called)
