"""Teams: who they are, and what they call themselves."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, say
from leaderboard.services.errors import ServiceError
from leaderboard.services.runs import clean_name
from leaderboard.services.tasks import known, locked
from leaderboard.store.models import Membership, Task, Team, User

LONGEST_AFFILIATION = 200

MemberRole = Literal["captain", "member"]


class NameTaken(ServiceError):
    """Another team of the task has this name, or one that looks the same."""

    def __init__(self, name: str) -> None:
        super().__init__(
            say('Another team of this task is called "{name}" already; choose another name.', name=name)
        )


class InAnotherTeam(ServiceError):
    """The person is in a team of this task, and nobody is in two."""

    def __init__(self, team: str) -> None:
        super().__init__(
            say(
                'You are in the team "{team}" of this task. A person is in one team per task; '
                "leave that team first.",
                team=team,
            )
        )


class NotInTheTeam(ServiceError):
    """Only members may see or do this."""

    def __init__(self) -> None:
        super().__init__(say("You are not in this team, or not any more."))


class OnlyTheCaptain(ServiceError):
    """Only the captain may do this."""

    def __init__(self) -> None:
        super().__init__(say("Only the captain of the team can do this. Ask your captain."))


class AffiliationRefused(ServiceError):
    """The affiliation is too long."""

    def __init__(self) -> None:
        super().__init__(
            say("The affiliation is longer than {most} characters; shorten it.", most=LONGEST_AFFILIATION)
        )


@dataclass(frozen=True, slots=True)
class Named:
    """What a team calls itself. An empty `alias`: the team does not hide its name."""

    name: str
    affiliation: str = ""
    alias: str = ""


@dataclass(frozen=True, slots=True)
class Member:
    """A person in a team."""

    user_id: int
    name: str
    email: str
    role: MemberRole
    joined_at: datetime


@dataclass(frozen=True, slots=True)
class TeamPage:
    """A team as its members see it, the captain first.

    `role` is that of the person who looks. `shown_as` is what the public reads now, and from `revealed_at` on
    that is the name (None: the organisers have set no such time).
    """

    team_id: int
    name: str
    affiliation: str
    alias: str
    shown_as: str
    revealed_at: datetime | None
    role: MemberRole
    members: tuple[Member, ...]

    @property
    def leads(self) -> bool:
        """Whether the person who looks is the captain."""
        return self.role == "captain"


def shown_name(name: str, alias: str | None, revealed_at: datetime | None, now: datetime) -> str:
    """What the public reads: the alias, where the team gave one, until the names are revealed."""
    hidden = alias and (revealed_at is None or now < revealed_at)
    return alias if hidden and alias else name


def found(session: Session, spec: TaskSpec, user_id: int, named: Named, now: datetime) -> int:
    """Makes a team, whose captain is the person who asks.

    Raises NameTaken, NameRefused, AffiliationRefused, InAnotherTeam and UnknownTask.
    """
    lock_person(session, user_id)
    task = locked(session, spec.name)
    require_no_team(session, task.id, user_id)
    team = Team(task_id=task.id, created_at=now)
    _call(session, task, team, named)
    session.add(team)
    session.flush()
    join(session, team, user_id, "captain", now)
    return team.id


def change(session: Session, spec: TaskSpec, user_id: int, named: Named) -> None:
    """Gives the person's team another name, affiliation or alias.

    Raises NameTaken, NameRefused, AffiliationRefused, NotInTheTeam, OnlyTheCaptain and UnknownTask.
    """
    task = locked(session, spec.name)
    team = led_by(session, spec, user_id)
    _call(session, task, team, named)


def of_person(session: Session, spec: TaskSpec, user_id: int, now: datetime) -> TeamPage | None:
    """The team of a person in a task, None where there is none. Raises UnknownTask."""
    task = known(session, spec.name)
    membership = membership_of(session, task.id, user_id)
    if membership is None:
        return None
    team = session.get_one(Team, membership.team_id)
    return TeamPage(
        team_id=team.id,
        name=team.name,
        affiliation=team.affiliation,
        alias=team.alias or "",
        shown_as=shown_name(team.name, team.alias, task.names_revealed_at, now),
        revealed_at=task.names_revealed_at,
        role=_role(membership),
        members=members(session, team.id),
    )


def membership_of(session: Session, task_id: int, user_id: int) -> Membership | None:
    """The place of a person in a team of the task, None where the person is in none."""
    statement = select(Membership).where(
        Membership.task_id == task_id, Membership.user_id == user_id, Membership.left_at.is_(None)
    )
    return session.scalars(statement.execution_options(populate_existing=True)).one_or_none()


def members(session: Session, team_id: int) -> tuple[Member, ...]:
    """Who is in a team: the captain, then the others in the order in which they joined."""
    return _members(session, Membership.team_id == team_id).get(team_id, ())


def members_by_team(session: Session, task_id: int) -> Mapping[int, tuple[Member, ...]]:
    """`members` of the teams of a task that have any, by the team's number."""
    return _members(session, Membership.task_id == task_id)


def _members(session: Session, which: ColumnElement[bool]) -> dict[int, tuple[Member, ...]]:
    statement = (
        select(Membership, User)
        .join(User, User.id == Membership.user_id)
        .where(which, Membership.left_at.is_(None))
        .order_by(Membership.role, Membership.joined_at, Membership.id)
    )
    found: dict[int, list[Member]] = {}
    for row, user in session.execute(statement):
        member = Member(user.id, user.name, user.email or "", _role(row), row.joined_at)
        found.setdefault(row.team_id, []).append(member)
    return {team_id: tuple(people) for team_id, people in found.items()}


def led_by(session: Session, spec: TaskSpec, user_id: int) -> Team:
    """The team whose captain the person is, for this transaction alone to change.

    Raises NotInTheTeam and OnlyTheCaptain.
    """
    task = known(session, spec.name)
    membership = membership_of(session, task.id, user_id)
    if membership is None:
        raise NotInTheTeam
    team = lock_team(session, membership.team_id)
    # The lock may have waited for somebody who took the captaincy away.
    membership = membership_of(session, task.id, user_id)
    if membership is None or membership.team_id != team.id:
        raise NotInTheTeam
    if membership.role != "captain":
        raise OnlyTheCaptain
    return team


def require_no_team(session: Session, task_id: int, user_id: int) -> None:
    """Raises InAnotherTeam where the person is in a team of the task."""
    membership = membership_of(session, task_id, user_id)
    if membership is not None:
        raise InAnotherTeam(session.get_one(Team, membership.team_id).name)


def join(session: Session, team: Team, user_id: int, role: MemberRole, now: datetime) -> None:
    """Puts a person into a team."""
    session.add(Membership(user_id=user_id, team_id=team.id, task_id=team.task_id, role=role, joined_at=now))
    session.flush()


def lock_person(session: Session, user_id: int) -> User:
    """An account, for this transaction alone to change. Whoever locks a person, a task and a team does it in
    this order, so that nobody waits in a circle."""
    statement = select(User).where(User.id == user_id).with_for_update()
    return session.scalars(statement.execution_options(populate_existing=True)).one()


def lock_team(session: Session, team_id: int) -> Team:
    """A team, for this transaction alone to change."""
    statement = select(Team).where(Team.id == team_id).with_for_update()
    return session.scalars(statement.execution_options(populate_existing=True)).one()


def _call(session: Session, task: Task, team: Team, named: Named) -> None:
    name = clean_name(named.name)
    alias = clean_name(named.alias) if named.alias.strip() else None
    affiliation = " ".join(named.affiliation.split())
    if len(affiliation) > LONGEST_AFFILIATION:
        raise AffiliationRefused
    others = session.scalars(select(Team).where(Team.task_id == task.id, Team.id != (team.id or 0))).all()
    for wanted in (name, alias):
        if wanted is not None and _looks(wanted) in _taken(others):
            raise NameTaken(wanted)
    team.name, team.alias, team.affiliation = name, alias, affiliation


def _taken(teams: Sequence[Team]) -> set[str]:
    return {_looks(name) for team in teams for name in (team.name, team.alias) if name}


def _looks(name: str) -> str:
    """Two names are the same to readers where this is the same."""
    return unicodedata.normalize("NFKC", name).casefold()


def _role(membership: Membership) -> MemberRole:
    return "captain" if membership.role == "captain" else "member"
