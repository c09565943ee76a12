"""What organisers tell everybody, on the task's page and by mail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, Text, say
from leaderboard.services import addressees, audit, news
from leaderboard.services.addressees import Addressee
from leaderboard.services.audit import Actor, Change
from leaderboard.services.errors import ServiceError
from leaderboard.services.tasks import known, locked
from leaderboard.store.models import Announcement, Team, User

LONGEST_TITLE = 200
LONGEST_TEXT = 20_000
FIRST = "en"
"""The language that everybody reads who does not read another one of the site's."""


class AnnouncementRefused(ServiceError):
    """Something about an announcement cannot be as it is."""


class UnknownAnnouncement(ServiceError):
    """There is no such announcement, or it is withdrawn already."""

    def __init__(self) -> None:
        super().__init__(say("There is no such announcement, or it is withdrawn already."))


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be told: title and text (Markdown) by language, whether on the task's page, and by mail to
    the members of which teams."""

    title: Mapping[str, str]
    text: Mapping[str, str]
    public: bool
    teams: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """An announcement. `teams` counts those whose members were written to."""

    number: int
    title: Text
    text: Text
    public: bool
    teams: int
    made_at: datetime
    made_by: str
    withdrawn_at: datetime | None


@dataclass(frozen=True, slots=True)
class Made:
    """An announcement that was just made, and to whom it is to be written."""

    told: Told
    addressees: tuple[Addressee, ...]


def make(session: Session, spec: TaskSpec, wanted: Wanted, actor: Actor, now: datetime) -> Made:
    """Announces something; whoever calls writes the letters. Raises AnnouncementRefused."""
    task = locked(session, spec.name)
    title, text = _clean(wanted)
    if not wanted.public and not wanted.teams:
        raise AnnouncementRefused(
            say("Nobody would read it: show it on the task's page, or mail it to teams.")
        )
    teams = _teams(session, task.id, wanted.teams)
    row = Announcement(
        task_id=task.id,
        title=title,
        text=text,
        public=wanted.public,
        mailed_to={"teams": teams},
        made_at=now,
        made_by=actor.user_id,
    )
    session.add(row)
    session.flush()
    if row.public:
        news.announced(session, task, row.id, now)
    after = {"title": title, "text": text, "public": row.public, "teams": teams}
    audit.record(
        session,
        actor,
        task.id,
        Change("announcement.made", "announcement", row.id, title[FIRST], {}, after),
        now,
    )
    return Made(_told(row, ""), addressees.of_teams(session, teams))


def withdraw(session: Session, spec: TaskSpec, number: int, actor: Actor, now: datetime) -> None:
    """Takes an announcement from the task's page and the feed; letters stay sent. Raises
    UnknownAnnouncement."""
    task = locked(session, spec.name)
    row = session.get(Announcement, number, populate_existing=True)
    if row is None or row.task_id != task.id or row.withdrawn_at is not None:
        raise UnknownAnnouncement
    row.withdrawn_at = now
    change = Change(
        "announcement.withdrawn", "announcement", row.id, str(Text(row.title)), {}, {"withdrawn_at": now}
    )
    audit.record(session, actor, task.id, change, now)


def listing(session: Session, spec: TaskSpec) -> tuple[Told, ...]:
    """All announcements, the newest first, the withdrawn ones too; for organisers. Raises UnknownTask."""
    statement = (
        select(Announcement, User.name)
        .outerjoin(User, User.id == Announcement.made_by)
        .where(Announcement.task_id == known(session, spec.name).id)
        .order_by(Announcement.id.desc())
    )
    return tuple(_told(row, name) for row, name in session.execute(statement))


def public(session: Session, spec: TaskSpec, most: int = 50) -> tuple[Told, ...]:
    """Those that everybody may read, the newest first. Raises UnknownTask."""
    statement = select(Announcement).where(
        Announcement.task_id == known(session, spec.name).id,
        Announcement.public,
        Announcement.withdrawn_at.is_(None),
    )
    return tuple(
        _told(row, "") for row in session.scalars(statement.order_by(Announcement.id.desc()).limit(most))
    )


def _clean(wanted: Wanted) -> tuple[dict[str, Any], dict[str, Any]]:
    """Title and text by language, always with one in the first. Raises AnnouncementRefused."""
    titles = {language: " ".join(words.split()) for language, words in wanted.title.items()}
    texts = {
        language: words.replace("\r\n", "\n").replace("\0", "").strip()
        for language, words in wanted.text.items()
    }
    if any(len(words) > LONGEST_TITLE for words in titles.values()):
        raise AnnouncementRefused(say("The title is longer than {most} characters.", most=LONGEST_TITLE))
    if any(len(words) > LONGEST_TEXT for words in texts.values()):
        raise AnnouncementRefused(say("The text is longer than {most} characters.", most=LONGEST_TEXT))
    written = [language for language in titles if titles[language] and texts.get(language)]
    halves = [language for language in titles if bool(titles[language]) != bool(texts.get(language))]
    if not written or halves:
        raise AnnouncementRefused(
            say("Write a title and a text, in one language or in both; neither goes without the other.")
        )
    # Whoever reads no language that it is written in gets the one there is.
    first = FIRST if FIRST in written else written[0]
    languages = dict.fromkeys((FIRST, *written))
    chosen = {language: language if language in written else first for language in languages}
    return (
        {language: titles[source] for language, source in chosen.items()},
        {language: texts[source] for language, source in chosen.items()},
    )


def _teams(session: Session, task_id: int, wanted: tuple[int, ...]) -> list[int]:
    found = set(
        session.scalars(
            select(Team.id).where(
                Team.task_id == task_id, Team.deleted_at.is_(None), Team.merged_into.is_(None)
            )
        )
    )
    if not set(wanted) <= found:
        raise AnnouncementRefused(say("One of the teams is gone by now; look at the list again."))
    return sorted(set(wanted))


def _told(row: Announcement, by: str | None) -> Told:
    return Told(
        row.id,
        Text(row.title),
        Text(row.text),
        row.public,
        len(row.mailed_to.get("teams", ())),
        row.made_at,
        by or "",
        row.withdrawn_at,
    )
