"""Who judges: somebody with an account, or a browser that holds a secret word."""

from __future__ import annotations

import hashlib
import secrets

from flask import abort, current_app, g, redirect, request, url_for
from flask import session as cookie
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec
from leaderboard.services import judging_admission
from leaderboard.services.judging_plans import UnknownCampaign
from leaderboard.web.access import Rule
from leaderboard.web.identity import viewer
from leaderboard.web.installation import organised_task, site
from leaderboard.web.networks import network

WORD = "judges_word"
"""Where the signed cookie of a browser has the word by which it is known again."""


def word_for(task: str, number: int) -> str | None:
    """The word by which one campaign knows this browser; no two campaigns can tell that it is the same. None
    for a browser that has none."""
    word = cookie.get(WORD)
    return hashlib.sha256(f"{word} {task} {number}".encode()).hexdigest() if word else None


def give_word() -> None:
    """Gives a browser in which nobody is signed in a word before the form is sent, so that sending it twice
    is the same as once."""
    if viewer() is None and WORD not in cookie:
        cookie[WORD] = secrets.token_urlsafe(24)
        cookie.permanent = True


def device() -> str:
    """What tells, with some certainty, that two judges sit at the same device: what its browser says of
    itself and the network address, of which nobody can read anything."""
    said = (request.user_agent.string, request.headers.get("Accept-Language", ""), network())
    secret = hashlib.sha256(str(current_app.secret_key).encode()).digest()
    return hashlib.blake2b("\n".join(said).encode(), key=secret, digest_size=16).hexdigest()


def user_id() -> int | None:
    """The account that is signed in."""
    person = viewer()
    return person.user_id if person is not None else None


def judge_here(session: Session, spec: TaskSpec, number: int) -> int | None:
    """The judge of a campaign who asks, None for one who does not judge there. Raises UnknownCampaign."""
    return judging_admission.judge_of(session, spec, number, user_id(), word_for(spec.name, number))


def _judges_here() -> bool:
    """Whoever does not judge in the campaign is led to where that begins. A campaign that is not there is not
    found by the view."""
    named = request.view_args or {}
    task, number = str(named["task"]), int(named["number"])
    with site().database.reading() as session:
        try:
            g.judge_id = judge_here(session, organised_task(session, task), number)
        except UnknownCampaign:
            g.judge_id = None
            return True
    if g.judge_id is None:
        abort(redirect(url_for("judging.show", task=task, number=number)))
    return True


JUDGE_HERE = Rule("judge of the campaign", _judges_here)


def me() -> int:
    """The judge who asks; behind the rule."""
    if g.judge_id is None:
        abort(404)
    return int(g.judge_id)
