"""Letters that pages write: rendered from a template, in the reader's language."""

from __future__ import annotations

from flask import Flask, render_template, url_for
from flask import request as asked
from flask_babel import force_locale
from sqlalchemy.orm import Session

from leaderboard.services import letters
from leaderboard.services.accounts import Heir
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
