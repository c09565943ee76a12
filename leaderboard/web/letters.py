"""Letters that pages write: rendered from a template, in the reader's language."""

from __future__ import annotations

from collections.abc import Iterable

from flask import Flask, render_template, url_for
from flask import request as asked
from flask_babel import force_locale
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, Text
from leaderboard.services import letters
from leaderboard.services.accounts import Heir
from leaderboard.services.addressees import Addressee
from leaderboard.site import utc_now
from leaderboard.web.identity import letters_were_written
from leaderboard.web.installation import site
from leaderboard.web.preferences import language


def init_letters(app: Flask) -> None:
    """Gives templates the filter `public`, for addresses in letters."""
    app.add_template_filter(public, "public")


def public(address: str) -> str:
    """An address of this site as people reach it, whatever host a request claims to be for."""
    settled = site().settings.public_url
    if not settled:
        return address
    return settled + "/" + address.removeprefix(asked.host_url).lstrip("/")


def captaincy_passed_on(session: Session, heir: Heir) -> None:
    """Tells a member that the team is theirs to lead."""
    address = public(url_for("teams.show", task=heir.task, _external=True))
    with force_locale(heir.locale or language()):
        text = render_template("letters/captain.txt", heir=heir, address=address)
    subject, _, body = text.partition("\n")
    letters.write(session, heir.email, subject, body, utc_now(), heir.user_id)
    letters_were_written()


def announced(session: Session, spec: TaskSpec, people: Iterable[Addressee], title: Text, body: Text) -> None:
    """Tells people what organisers announced, each in their language."""
    address = public(url_for("announcements.show", task=spec.name, _external=True))
    _write(session, people, "letters/announcement.txt", spec=spec, title=title, body=body, address=address)


def to_team(session: Session, spec: TaskSpec, people: Iterable[Addressee], subject: str, body: str) -> None:
    """Carries a letter of the organisers to the members of a team."""
    address = public(url_for("questions.show", task=spec.name, _external=True))
    _write(session, people, "letters/to_team.txt", spec=spec, subject=subject, body=body, address=address)


def answered(
    session: Session, spec: TaskSpec, people: Iterable[Addressee], question: str, answer: str
) -> None:
    """Tells a participant what the organisers answered."""
    address = public(url_for("questions.show", task=spec.name, _external=True))
    _write(
        session, people, "letters/answer.txt", spec=spec, question=question, answer=answer, address=address
    )


def _write(session: Session, people: Iterable[Addressee], template: str, **context: object) -> None:
    """A letter to each, whose first line is its subject."""
    for person in people:
        with force_locale(person.locale or "en"):
            code = person.locale or "en"
            text = render_template(template, code=code, **context)
        subject, _, body = text.partition("\n")
        letters.write(session, person.email, subject, body, utc_now(), person.user_id)
        letters_were_written()
