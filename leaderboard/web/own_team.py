"""The pages of a team: for those who are in it now, and for nobody else."""

from __future__ import annotations

from flask import abort, flash, g, redirect, request, url_for
from flask_babel import gettext

from leaderboard.services import teams
from leaderboard.services.accounts import Person
from leaderboard.services.audit import Actor
from leaderboard.services.teams import TeamPage
from leaderboard.site import utc_now
from leaderboard.web.access import Rule
from leaderboard.web.identity import viewer
from leaderboard.web.identity_rules import SIGNED_IN
from leaderboard.web.installation import public_task, site


def _in_a_team() -> bool:
    """Whoever is in no team of the task is led to where one is made. What belongs to another team is not
    found by the services, which are asked with the number of one's own."""
    if not SIGNED_IN.permits():
        return False
    with site().database.reading() as session:
        spec = public_task(session, (request.view_args or {})["task"])
        team = teams.of_person(session, spec, me().user_id, utc_now())
    if team is None:
        flash(gettext("Runs belong to a team. Make one, or join one by its invitation link."), "info")
        abort(redirect(url_for("teams.show", task=spec.name)))
    g.own_team = team
    return True


OWN_TEAM = Rule("own team", _in_a_team)


def own_team() -> TeamPage:
    """The team of who is signed in, in the task of this page."""
    team: TeamPage = g.own_team
    return team


def actor() -> Actor:
    """Who is signed in, as the log knows people."""
    return Actor(me().user_id, "web", request.remote_addr or "")


def me() -> Person:
    """Who is signed in."""
    person = viewer()
    if person is None:
        raise RuntimeError("the rule of this view lets only people through who are signed in")
    return person
