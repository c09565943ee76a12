"""What organisers do to teams: list them, write to one, delete one and undo that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, say
from leaderboard.services import addressees, audit, standings, submissions, teams
from leaderboard.services.addressees import Addressee
from leaderboard.services.audit import Actor, Change
from leaderboard.services.audit_log import Entry, of_subject
from leaderboard.services.errors import ServiceError
from leaderboard.services.invitations import close_all
from leaderboard.services.moderation import UNDONE_WITHIN, clean_reason
from leaderboard.services.submissions import State
from leaderboard.services.tasks import known, locked
from leaderboard.services.teams import Member, lock_team
from leaderboard.store.models import Membership, Run, Team

LONGEST_SUBJECT = 200
LONGEST_LETTER = 10_000


class UnknownTeam(ServiceError):
    """The task has no such team."""

    def __init__(self) -> None:
        super().__init__(say("There is no such team, or not any more."))


class LetterRefused(ServiceError):
    """A letter cannot be sent as it is."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A team. `runs` are those that organisers list, `state` is its quota now; `undo_until`: its deletion can
    be undone until then."""

    team_id: int
    name: str
    alias: str
    affiliation: str
    created_at: datetime
    members: tuple[Member, ...]
    runs: int
    state: State
    deleted_at: datetime | None
    undo_until: datetime | None
    merged_into: str | None

    @property
    def gone(self) -> bool:
        """Whether it was deleted, or joined to another team."""
        return self.deleted_at is not None or self.merged_into is not None


def listing(session: Session, spec: TaskSpec, now: datetime) -> tuple[Listed, ...]:
    """All teams of a task by name, those that are gone last. Raises UnknownTask."""
    task_id = known(session, spec.name).id
    counted = session.execute(
        select(Run.team_id, func.count().label("number"))
        .where(Run.task_id == task_id, Run.deleted_at.is_(None))
        .group_by(Run.team_id)
    )
    numbers: dict[int, int] = {row.team_id: row.number for row in counted}
    rows = session.scalars(select(Team).where(Team.task_id == task_id).order_by(func.lower(Team.name))).all()
    names = {row.id: row.name for row in rows}
    people = teams.members_by_team(session, task_id)
    states = submissions.states(session, spec, [row.id for row in rows], now)
    found = [
        _listed(row, people.get(row.id, ()), numbers.get(row.id, 0), states[row.id], names, now)
        for row in rows
    ]
    return tuple(sorted(found, key=lambda team: team.gone))


def one(session: Session, spec: TaskSpec, team_id: int, now: datetime) -> tuple[Listed, tuple[Entry, ...]]:
    """A team, and what was done to it. Raises UnknownTeam, UnknownTask."""
    task_id, row = known(session, spec.name).id, session.get(Team, team_id)
    if row is None or row.task_id != task_id:
        raise UnknownTeam
    names = {} if row.merged_into is None else {row.merged_into: session.get_one(Team, row.merged_into).name}
    state = submissions.state(session, spec, team_id, now)
    people, runs = teams.members(session, team_id), len(_living(session, team_id))
    return _listed(row, people, runs, state, names, now), of_subject(session, spec.name, "team", team_id)


def delete(
    session: Session,
    spec: TaskSpec,
    scorer_version: str,
    team_id: int,
    reason: str,
    actor: Actor,
    now: datetime,
) -> None:
    """Deletes a team with its runs; its members are in no team then, and its invitations end. All but those
    come back by `undelete`. Raises UnknownTeam, ReasonRefused."""
    clean = clean_reason(reason)
    task = locked(session, spec.name)
    team = present(session, task.id, team_id)
    before = {
        "runs": _living(session, team_id),
        "people": [each.user_id for each in teams.members(session, team_id)],
    }
    session.execute(
        update(Run).where(Run.team_id == team_id, Run.deleted_at.is_(None)).values(deleted_at=now)
    )
    session.execute(
        update(Membership)
        .where(Membership.team_id == team_id, Membership.left_at.is_(None))
        .values(left_at=now)
    )
    close_all(session, team_id, now)
    team.deleted_at = now
    session.flush()
    session.expire_all()
    standings.refresh(session, spec, scorer_version, now)
    change = Change("team.deleted", "team", team_id, team.name, before, {"deleted_at": now}, clean)
    audit.record(session, actor, task.id, change, now)


def undelete(
    session: Session, spec: TaskSpec, scorer_version: str, team_id: int, actor: Actor, now: datetime
) -> tuple[int, ...]:
    """Brings a deleted team back with the runs and members that it had then; returns the accounts that did
    not come back because they are in another team by now, or closed.

    Raises UnknownTeam, also after 30 days.
    """
    task = locked(session, spec.name)
    team = _of_task(session, task.id, team_id)
    deleted_at = team.deleted_at
    if deleted_at is None or now >= deleted_at + UNDONE_WITHIN:
        raise UnknownTeam
    session.execute(
        update(Run).where(Run.team_id == team_id, Run.deleted_at == deleted_at).values(deleted_at=None)
    )
    stayed = _bring_back(session, team, deleted_at)
    team.deleted_at = None
    session.flush()
    session.expire_all()
    standings.refresh(session, spec, scorer_version, now)
    after = {
        "deleted_at": None,
        "runs": _living(session, team_id),
        "people": [member.user_id for member in teams.members(session, team_id)],
    }
    audit.record(
        session,
        actor,
        task.id,
        Change("team.restored", "team", team_id, team.name, {"deleted_at": deleted_at}, after),
        now,
    )
    return stayed


def letter(
    session: Session, spec: TaskSpec, team_id: int, subject: str, text: str, actor: Actor, now: datetime
) -> tuple[Addressee, ...]:
    """Those to whom a letter to the team goes; whoever calls writes it. That it was written is in the log.

    Raises UnknownTeam, LetterRefused.
    """
    task = locked(session, spec.name)
    team = present(session, task.id, team_id)
    if not subject.strip() or not text.strip():
        raise LetterRefused(say("A letter has a subject and a text."))
    if len(subject) > LONGEST_SUBJECT or len(text) > LONGEST_LETTER:
        raise LetterRefused(
            say(
                "A subject has up to {subject} characters and a letter up to {text}.",
                subject=LONGEST_SUBJECT,
                text=LONGEST_LETTER,
            )
        )
    found = addressees.of_teams(session, (team_id,))
    if not found:
        raise LetterRefused(say("Nobody is in this team, so nobody would get the letter."))
    after = {"subject": subject, "text": text, "people": [each.user_id for each in found]}
    audit.record(
        session, actor, task.id, Change("team.written_to", "team", team_id, team.name, {}, after), now
    )
    return found


def _listed(
    row: Team,
    people: tuple[Member, ...],
    number: int,
    state: State,
    names: Mapping[int, str],
    now: datetime,
) -> Listed:
    undo_until = row.deleted_at + UNDONE_WITHIN if row.deleted_at is not None else None
    return Listed(
        team_id=row.id,
        name=row.name,
        alias=row.alias or "",
        affiliation=row.affiliation,
        created_at=row.created_at,
        members=people,
        runs=number,
        state=state,
        deleted_at=row.deleted_at,
        undo_until=undo_until if undo_until is not None and now < undo_until else None,
        merged_into=None if row.merged_into is None else names[row.merged_into],
    )


def _of_task(session: Session, task_id: int, team_id: int) -> Team:
    team = session.get(Team, team_id)
    if team is None or team.task_id != task_id:
        raise UnknownTeam
    return lock_team(session, team_id)


def present(session: Session, task_id: int, team_id: int) -> Team:
    """A team of the task that is not gone, for this transaction alone to change. Raises UnknownTeam."""
    team = _of_task(session, task_id, team_id)
    if team.deleted_at is not None or team.merged_into is not None:
        raise UnknownTeam
    return team


def _living(session: Session, team_id: int) -> list[int]:
    statement = select(Run.id).where(Run.team_id == team_id, Run.deleted_at.is_(None))
    return list(session.scalars(statement.order_by(Run.id)))


def _bring_back(session: Session, team: Team, deleted_at: datetime) -> tuple[int, ...]:
    """Lets those be members again who were until then, unless they are in another team; the captain first."""
    statement = (
        select(Membership)
        .where(Membership.team_id == team.id, Membership.left_at == deleted_at)
        .order_by(Membership.role, Membership.joined_at, Membership.id)
    )
    back, stayed = [], []
    for membership in session.scalars(statement).all():
        person = teams.lock_person(session, membership.user_id)
        if not person.active or teams.membership_of(session, team.task_id, person.id) is not None:
            stayed.append(person.id)
            continue
        membership.left_at = None
        session.flush()
        back.append(membership)
    if back and all(membership.role != "captain" for membership in back):
        back[0].role = "captain"
        session.flush()
    return tuple(stayed)
