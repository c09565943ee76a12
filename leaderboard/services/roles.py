"""Rights: administrators of the site, organisers and judges of tasks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from leaderboard.contract import say
from leaderboard.services import audit, sign_ins
from leaderboard.services.accounts import Person, normal_address
from leaderboard.services.audit import Actor, Change
from leaderboard.services.errors import ServiceError
from leaderboard.services.tasks import known
from leaderboard.store.models import Role, User

Right = Literal["administrator", "organiser", "judge"]


class NobodyThere(ServiceError):
    """Nobody with that address has an account here."""


class LastAdministrator(ServiceError):
    """Somebody must be left who can give rights."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Somebody who has a right; `task` None: on the whole site."""

    user_id: int
    name: str
    email: str
    right: Right
    task: str | None
    given_at: datetime


def administers(person: Person | None) -> bool:
    """Whether this is an administrator of the site."""
    return person is not None and ("administrator", None) in person.rights


def organises(person: Person | None, task: str) -> bool:
    """Whether this is an organiser of the task; administrators organise every task."""
    return administers(person) or _has(person, "organiser", task)


def judges(person: Person | None, task: str) -> bool:
    """Whether this is a judge of the task; its organisers may judge too."""
    return organises(person, task) or _has(person, "judge", task)


def _has(person: Person | None, right: Right, task: str) -> bool:
    return person is not None and bool({(right, task), (right, None)} & set(person.rights))


def holders(session: Session, task: str | None) -> tuple[Holder, ...]:
    """Who has a right on a task (None: on the whole site), the first given first. Raises UnknownTask."""
    statement = (
        select(Role, User)
        .join(User, User.id == Role.user_id)
        .where(_on(session, task), User.deleted_at.is_(None))
        .order_by(Role.id)
    )
    return tuple(
        Holder(user.id, user.name, user.email or "", role.name, task, role.given_at)  # type: ignore[arg-type] # one of
        for role, user in session.execute(statement)
    )


def give(session: Session, email: str, right: Right, task: str | None, actor: Actor, now: datetime) -> Holder:
    """Gives a right to whoever has this address, who signs in anew for it; twice is once.

    Raises NobodyThere, UnknownTask.
    """
    address = normal_address(email)
    user = session.scalars(select(User).where(User.email == address, User.active)).one_or_none()
    if user is None:
        raise NobodyThere(
            say("Nobody with the address {email} has an account here; they register first.", email=address)
        )
    task_id = None if task is None else known(session, task).id
    role = session.scalars(
        select(Role).where(Role.user_id == user.id, Role.name == right, _on(session, task))
    ).one_or_none()
    if role is None:
        role = Role(user_id=user.id, name=right, task_id=task_id, given_at=now)
        session.add(role)
        session.flush()
        change = Change("right.given", "account", user.id, user.name, {}, {"right": right})
        audit.record(session, actor, task_id, change, now)
        sign_ins.end_all(session, user.id, now)
    return Holder(user.id, user.name, address, right, task, role.given_at)


def take(session: Session, user_id: int, right: Right, task: str | None, actor: Actor, now: datetime) -> None:
    """Takes a right away and ends the sign-ins that had it; nothing where it was not there. Raises
    LastAdministrator, UnknownTask."""
    role = session.scalars(
        select(Role).where(Role.user_id == user_id, Role.name == right, _on(session, task))
    ).one_or_none()
    if role is None:
        return
    if right == "administrator":
        require_another_administrator(session, user_id)
    user = session.get_one(User, user_id)
    session.delete(role)
    session.flush()
    change = Change("right.taken", "account", user_id, user.name, {"right": right}, {})
    audit.record(session, actor, role.task_id, change, now)
    sign_ins.end_all(session, user_id, now)


def require_another_administrator(session: Session, user_id: int) -> None:
    """Raises LastAdministrator where nobody else could give rights without this administrator."""
    administrators = set(
        session.scalars(
            select(User.id)
            .join(Role, Role.user_id == User.id)
            .where(
                Role.name == "administrator", Role.task_id.is_(None), User.active, User.frozen_at.is_(None)
            )
        )
    )
    if administrators == {user_id}:
        raise LastAdministrator(
            say("This is the last administrator; make somebody else one before you take this right away.")
        )


def _on(session: Session, task: str | None) -> ColumnElement[bool]:
    return Role.task_id.is_(None) if task is None else Role.task_id == known(session, task).id
