"""The page where organisers announce something."""

from __future__ import annotations

from flask import Blueprint, Response, abort, flash, redirect, request, url_for
from flask_babel import gettext, ngettext
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.contract import TaskSpec
from leaderboard.services import announcements, team_moderation
from leaderboard.services.announcements import UnknownAnnouncement, Wanted
from leaderboard.services.errors import ServiceError
from leaderboard.site import utc_now
from leaderboard.web import letters
from leaderboard.web.access import allow
from leaderboard.web.filters import told
from leaderboard.web.forms.organising import AnnouncementForm
from leaderboard.web.identity_rules import ORGANISER
from leaderboard.web.installation import site
from leaderboard.web.organise.pages import ORGANISE, organise_page, task_named
from leaderboard.web.own_team import actor

blueprint = Blueprint("announcing", __name__, url_prefix=f"{ORGANISE}/announcements")


@blueprint.get("")
@allow(ORGANISER)
def show(task: str) -> Response:
    """What was announced, and the form for more."""
    return _page(task_named(task), AnnouncementForm(formdata=None))


@blueprint.post("")
@allow(ORGANISER)
def make(task: str) -> AnyResponse:
    """Shows what an announcement will look like, or makes it."""
    spec, form = task_named(task), AnnouncementForm()
    if not form.validate_on_submit():
        return _page(spec, form, 422)
    wanted = form.wanted(_teams(spec), _ticked())
    if "preview" in request.form:
        return _page(spec, form, preview=wanted)
    try:
        with site().database.writing() as session:
            if form.is_repeated(session):
                flash(gettext("It is announced already: the form was sent twice."), "info")
                return redirect(url_for("announcing.show", task=task), 303)
            made = announcements.make(session, spec, wanted, actor(), utc_now())
            letters.announced(session, spec, made.addressees, made.told.title, made.told.text)
    except ServiceError as error:
        form.form_errors.append(told(error.message))
        return _page(spec, form, 422)
    flash(gettext("It is announced."), "success")
    if made.addressees:
        people = len(made.addressees)
        flash(ngettext("%(num)s letter goes out.", "%(num)s letters go out.", people), "info")
    return redirect(url_for("announcing.show", task=task), 303)


@blueprint.post("/<int(max=2147483647):number>/withdraw")
@allow(ORGANISER)
def withdraw(task: str, number: int) -> AnyResponse:
    """Takes an announcement from the task's page."""
    spec = task_named(task)
    try:
        with site().database.writing() as session:
            announcements.withdraw(session, spec, number, actor(), utc_now())
    except UnknownAnnouncement as error:
        flash(told(error.message), "error")
    else:
        flash(gettext("The announcement is withdrawn. Letters that went out stay sent."), "success")
    return redirect(url_for("announcing.show", task=task), 303)


def _teams(spec: TaskSpec) -> tuple[int, ...]:
    with site().database.reading() as session:
        teams = team_moderation.listing(session, spec, utc_now())
    return tuple(team.team_id for team in teams if not team.gone)


def _ticked() -> tuple[int, ...]:
    ticked = request.form.getlist("team")
    if not all(number.isascii() and number.isdigit() and len(number) < 10 for number in ticked):
        abort(400)
    return tuple(int(number) for number in ticked)


def _page(spec: TaskSpec, form: AnnouncementForm, code: int = 200, preview: Wanted | None = None) -> Response:
    with site().database.reading() as session:
        found = announcements.listing(session, spec)
        teams = team_moderation.listing(session, spec, utc_now())
    return organise_page(
        "organise/announcements/index.html",
        spec,
        code,
        form=form,
        announcements=found,
        teams=[team for team in teams if not team.gone],
        ticked=request.form.getlist("team"),
        preview=preview,
    )
