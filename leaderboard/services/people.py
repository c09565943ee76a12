"""All accounts of the site, for its administrators, and freezing one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session

from leaderboard.contract import say
from leaderboard.services import audit, roles, sign_ins
from leaderboard.services.accounts import active
from leaderboard.services.audit import Actor, Change
from leaderboard.services.errors import ServiceError
from leaderboard.store.models import Membership, Role, Task, Team, User

PER_PAGE = 50
LONGEST_REASON = 1000


class FreezeRefused(ServiceError):
    """This account is not frozen, or not for this reason."""


@dataclass(frozen=True, slots=True)
class Listed:
    """An account. `rights` are pairs of a right and a task (None: the site), `teams` of a team and a task."""

    user_id: int
    name: str
    email: str
    created_at: datetime
    confirmed: bool
    frozen_at: datetime | None
    frozen_for: str
    rights: tuple[tuple[str, str | None], ...]
    teams: tuple[tuple[str, str], ...]

    @property
    def administers(self) -> bool:
        """Whether this is an administrator of the site."""
        return ("administrator", None) in self.rights


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of the accounts that match, of which there are `total`."""

    people: tuple[Listed, ...]
    total: int
    page: int
    pages: int


def listing(session: Session, text: str, page: int, *, frozen: bool = False) -> Listing:
    """The accounts whose name or address holds the words, by name; `frozen`: those that are frozen alone."""
    conditions: list[ColumnElement[bool]] = [User.deleted_at.is_(None)]
    if text.strip():
        words = text.strip()
        conditions.append(
            or_(User.name.icontains(words, autoescape=True), User.email.icontains(words, autoescape=True))
        )
    if frozen:
        conditions.append(User.frozen_at.is_not(None))
    total = session.scalar(select(func.count()).select_from(User).where(*conditions)) or 0
    pages = max(1, -(-total // PER_PAGE))
    page = min(page, pages)
    statement = select(User).where(*conditions).order_by(func.lower(User.name), User.id)
    users = session.scalars(statement.offset((page - 1) * PER_PAGE).limit(PER_PAGE)).all()
    return Listing(tuple(_listed(session, user) for user in users), total, page, pages)


def freeze(session: Session, user_id: int, reason: str, actor: Actor, now: datetime) -> None:
    """Ends all sign-ins of a person and lets no new one begin; tokens stop with them. Memberships stay.

    Raises FreezeRefused (without a reason, or for oneself), LastAdministrator, UnknownAccount.
    """
    clean = " ".join(reason.split())
    if not clean:
        raise FreezeRefused(say("Say why: it stands in the log, and you will want to know later."))
    if len(clean) > LONGEST_REASON:
        raise FreezeRefused(
            say(
                "This text has {length} characters; shorten it to {most}.",
                length=len(clean),
                most=LONGEST_REASON,
            )
        )
    if user_id == actor.user_id:
        raise FreezeRefused(say("You cannot freeze your own account."))
    user = active(session, user_id)
    if user.frozen_at is not None:
        return
    roles.require_another_administrator(session, user_id)
    user.frozen_at, user.frozen_for = now, clean
    sign_ins.end_all(session, user_id, now)
    change = Change(
        "account.frozen", "account", user.id, user.name, {"frozen_at": None}, {"frozen_at": now}, clean
    )
    audit.record(session, actor, None, change, now)


def unfreeze(session: Session, user_id: int, actor: Actor, now: datetime) -> None:
    """Lets a person sign in again, and tokens work; nothing where nobody was frozen. Raises
    UnknownAccount."""
    user = active(session, user_id)
    if user.frozen_at is None:
        return
    before = {"frozen_at": user.frozen_at, "frozen_for": user.frozen_for}
    user.frozen_at = user.frozen_for = None
    session.flush()
    change = Change("account.unfrozen", "account", user.id, user.name, before, {"frozen_at": None})
    audit.record(session, actor, None, change, now)


def _listed(session: Session, user: User) -> Listed:
    rights = session.execute(
        select(Role.name, Task.name).outerjoin(Task, Task.id == Role.task_id).where(Role.user_id == user.id)
    )
    teams = session.execute(
        select(Team.name, Task.name)
        .join(Membership, Membership.team_id == Team.id)
        .join(Task, Task.id == Team.task_id)
        .where(Membership.user_id == user.id, Membership.left_at.is_(None))
    )
    return Listed(
        user.id,
        user.name,
        user.email or "",
        user.created_at,
        user.confirmed_at is not None,
        user.frozen_at,
        user.frozen_for or "",
        tuple((name, task) for name, task in rights),
        tuple((team, task) for team, task in teams),
    )


def make_administrator(session: Session, user_id: int, actor: Actor, now: datetime) -> None:
    """Gives the right over the whole site. Raises UnknownAccount, FreezeRefused for a frozen account."""
    user = active(session, user_id)
    if user.frozen_at is not None:
        raise FreezeRefused(say("This account is frozen; let it sign in again first."))
    roles.give(session, user.email or "", "administrator", None, actor, now)
