"""To whom letters of organisers go."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.store.models import Membership, User


@dataclass(frozen=True, slots=True)
class Addressee:
    """A person with an address; `locale` is the language of letters, None where none was chosen."""

    user_id: int
    email: str
    locale: str | None


def of_teams(session: Session, team_ids: Collection[int]) -> tuple[Addressee, ...]:
    """Everybody who is in one of these teams now, each once."""
    members = select(Membership.user_id).where(Membership.team_id.in_(team_ids), Membership.left_at.is_(None))
    statement = select(User).where(User.id.in_(members), User.active).order_by(User.id)
    return tuple(_addressee(user) for user in session.scalars(statement) if user.email)


def of_person(session: Session, user_id: int) -> tuple[Addressee, ...]:
    """A person; nobody where the account is closed."""
    user = session.get(User, user_id)
    return (_addressee(user),) if user is not None and user.active and user.email else ()


def _addressee(user: User) -> Addressee:
    return Addressee(user.id, user.email or "", user.locale)
