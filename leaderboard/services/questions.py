"""What participants ask the organisers of a task, and what they answer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, say
from leaderboard.services import addressees, audit, news
from leaderboard.services.addressees import Addressee
from leaderboard.services.audit import Actor, Change
from leaderboard.services.errors import ServiceError
from leaderboard.services.tasks import known, locked
from leaderboard.services.teams import lock_person, membership_of
from leaderboard.store.models import Question, Team, User

LONGEST = 4000
MOST_OPEN = 20
"""So many questions of one person may wait for an answer."""

_NAMED = 80


class QuestionRefused(ServiceError):
    """A question or an answer cannot be kept."""


class TooManyQuestions(ServiceError):
    """The person has asked as much as one may without an answer."""

    def __init__(self) -> None:
        super().__init__(
            say(
                "{most} of your questions wait for an answer, which is the limit. Wait for the answers.",
                most=MOST_OPEN,
            )
        )


class UnknownQuestion(ServiceError):
    """The task has no such question."""

    def __init__(self) -> None:
        super().__init__(say("There is no such question."))


@dataclass(frozen=True, slots=True)
class Asked:
    """A question. `person`, `email` and `team` are for organisers, and empty for others."""

    number: int
    text: str
    asked_at: datetime
    answer: str | None
    answered_at: datetime | None
    public: bool
    person: str = ""
    email: str = ""
    team: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """A question that was just answered, and to whom that is to be written."""

    asked: Asked
    addressees: tuple[Addressee, ...]


def ask(session: Session, spec: TaskSpec, user_id: int, text: str, now: datetime) -> int:
    """Asks the organisers something; returns the number of the question.

    Raises QuestionRefused, TooManyQuestions, UnknownTask.
    """
    clean = _clean(text)
    task = known(session, spec.name)
    lock_person(session, user_id)
    waiting = select(func.count()).where(
        Question.task_id == task.id, Question.user_id == user_id, Question.answered_at.is_(None)
    )
    if (session.scalar(waiting) or 0) >= MOST_OPEN:
        raise TooManyQuestions
    membership = membership_of(session, task.id, user_id)
    row = Question(
        task_id=task.id,
        user_id=user_id,
        team_id=None if membership is None else membership.team_id,
        asked_at=now,
        text=clean,
    )
    session.add(row)
    session.flush()
    return row.id


def answer(
    session: Session, spec: TaskSpec, number: int, text: str, actor: Actor, now: datetime, *, public: bool
) -> Answered:
    """Answers a question for who asked it, or (`public`) for all; answering again changes the answer.

    Whoever calls writes the letter. Raises QuestionRefused, UnknownQuestion, UnknownTask.
    """
    clean = _clean(text)
    task = locked(session, spec.name)
    row = _row(session, task.id, number)
    before = {} if row.answered_at is None else {"answer": row.answer, "public": row.public}
    row.answer, row.answered_at, row.answered_by, row.public = clean, now, actor.user_id, public
    session.flush()
    if public and not before.get("public"):
        news.answered(session, task, row.id, now)
    action = "question.answer_changed" if before else "question.answered"
    after = {"answer": clean, "public": public}
    audit.record(
        session, actor, task.id, Change(action, "question", row.id, _short(row.text), before, after), now
    )
    return Answered(_asked(row), _who_asked(session, row))


def for_organisers(session: Session, spec: TaskSpec) -> tuple[Asked, ...]:
    """All questions, those without an answer first, the one that waits longest at the head; then the
    newest answers. Raises UnknownTask."""
    statement = (
        select(Question, User.name, User.email, Team.name)
        .outerjoin(User, User.id == Question.user_id)
        .outerjoin(Team, Team.id == Question.team_id)
        .where(Question.task_id == known(session, spec.name).id)
        .order_by(Question.id)
    )
    rows = [
        _asked(row, name or "", email or "", team or "")
        for row, name, email, team in session.execute(statement)
    ]
    waiting = [row for row in rows if row.answered_at is None]
    done = [(row.answered_at, row) for row in rows if row.answered_at is not None]
    return (*waiting, *(row for _, row in sorted(done, key=lambda pair: pair[0], reverse=True)))


def one(session: Session, spec: TaskSpec, number: int) -> Asked:
    """One question; for organisers. Raises UnknownQuestion, UnknownTask."""
    for asked in for_organisers(session, spec):
        if asked.number == number:
            return asked
    raise UnknownQuestion


def waiting(session: Session, spec: TaskSpec) -> int:
    """How many questions have no answer. Raises UnknownTask."""
    statement = select(func.count()).where(
        Question.task_id == known(session, spec.name).id, Question.answered_at.is_(None)
    )
    return session.scalar(statement) or 0


def of_person(session: Session, spec: TaskSpec, user_id: int) -> tuple[Asked, ...]:
    """What a person has asked, the newest first. Raises UnknownTask."""
    statement = select(Question).where(
        Question.task_id == known(session, spec.name).id, Question.user_id == user_id
    )
    return tuple(_asked(row) for row in session.scalars(statement.order_by(Question.id.desc())))


def answered_for_all(session: Session, spec: TaskSpec) -> tuple[Asked, ...]:
    """What was answered for all, without names, the newest first. Raises UnknownTask."""
    statement = select(Question).where(
        Question.task_id == known(session, spec.name).id, Question.public, Question.answered_at.is_not(None)
    )
    return tuple(_asked(row) for row in session.scalars(statement.order_by(Question.answered_at.desc())))


def _who_asked(session: Session, row: Question) -> tuple[Addressee, ...]:
    return () if row.user_id is None else addressees.of_person(session, row.user_id)


def _row(session: Session, task_id: int, number: int) -> Question:
    row = session.get(Question, number, populate_existing=True)
    if row is None or row.task_id != task_id:
        raise UnknownQuestion
    return row


def _clean(text: str) -> str:
    clean = text.replace("\r\n", "\n").replace("\0", "").strip()
    if not clean:
        raise QuestionRefused(say("Write something first."))
    if len(clean) > LONGEST:
        raise QuestionRefused(
            say("This text has {length} characters; shorten it to {most}.", length=len(clean), most=LONGEST)
        )
    return clean


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _NAMED else line[: _NAMED - 1] + "\N{HORIZONTAL ELLIPSIS}"


def _asked(row: Question, person: str = "", email: str = "", team: str = "") -> Asked:
    return Asked(row.id, row.text, row.asked_at, row.answer, row.answered_at, row.public, person, email, team)
