"""The judges of a campaign, how well they work, and the links by which they come."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from flask import Response, flash, url_for
from flask_babel import gettext, ngettext
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.contract import TaskSpec
from leaderboard.services import judging_admission, judging_judges, judging_links, judging_tables
from leaderboard.services.errors import ServiceError
from leaderboard.services.judging_pages import View
from leaderboard.services.judging_plans import UnknownCampaign
from leaderboard.site import utc_now
from leaderboard.web.access import allow
from leaderboard.web.filters import told
from leaderboard.web.forms.campaigns import LinkForm, SetAsideForm
from leaderboard.web.identity_rules import ORGANISER
from leaderboard.web.installation import site
from leaderboard.web.organise.judging.shared import (
    ONE,
    back,
    blueprint,
    campaign,
    campaign_page,
    plain_file,
)
from leaderboard.web.own_team import actor

_JUDGE = f"{ONE}/judges/<int(max=2147483647):judge_id>"


@blueprint.get(f"{ONE}/judges")
@allow(ORGANISER)
def judges(task: str, number: int) -> Response:
    """The judges with their records, and the links."""
    return _page(*campaign(task, number), LinkForm())


@blueprint.get(f"{ONE}/judges.csv")
@allow(ORGANISER)
def judges_file(task: str, number: int) -> Response:
    """The judges with their records, as CSV."""
    spec, _ = campaign(task, number)
    with site().database.reading() as session:
        found = judging_judges.listing(session, spec, number)
    return plain_file(f"campaign-{number}-judges.csv", judging_tables.judges(found))


@blueprint.post(f"{ONE}/links")
@allow(ORGANISER)
def invite(task: str, number: int) -> Response:
    """Makes a link, and shows it this once."""
    spec, view = campaign(task, number)
    form = LinkForm()
    if not form.validate_on_submit():
        return _page(spec, view, form, 422)
    with site().database.writing() as session:
        token = judging_admission.invite(
            session,
            spec,
            number,
            actor(),
            utc_now(),
            most_uses=form.people.data,
            lifetime=timedelta(days=form.days.data),
        )
    fresh = url_for("judging.invited", token=token, _external=True)
    return _page(spec, view, LinkForm(formdata=None), fresh=fresh)


@blueprint.post(f"{ONE}/links/<int(max=2147483647):link_id>/withdraw")
@allow(ORGANISER)
def withdraw(task: str, number: int, link_id: int) -> AnyResponse:
    """Makes a link useless."""

    def change(session: Session, spec: TaskSpec) -> str:
        judging_links.withdraw(session, spec, number, link_id, actor(), utc_now())
        return str(gettext("The link is withdrawn. Who came by it may go on."))

    return _changed(task, number, change, "links")


@blueprint.post(f"{_JUDGE}/set-aside")
@allow(ORGANISER)
def set_aside(task: str, number: int, judge_id: int) -> AnyResponse:
    """Sets a judge's work aside; it is asked of others."""
    form = SetAsideForm()
    if not form.validate_on_submit():
        flash(gettext("Say why the work is set aside; the log keeps it."), "error")
        return back("judges", task, number)

    def change(session: Session, spec: TaskSpec) -> str:
        reason = form.reason.data or ""
        judging_judges.set_aside(session, spec, number, judge_id, reason, actor(), utc_now())
        return str(gettext("The work of this judge is set aside, and asked of others."))

    return _changed(task, number, change)


@blueprint.post(f"{_JUDGE}/take-back")
@allow(ORGANISER)
def take_back(task: str, number: int, judge_id: int) -> AnyResponse:
    """Lets a judge's work count again."""

    def change(session: Session, spec: TaskSpec) -> str:
        lost = judging_judges.reinstate(session, spec, number, judge_id, actor(), utc_now())
        words: str = gettext("The work of this judge counts again.")
        if not lost:
            return words
        others = ngettext(
            "%(num)s judgment does not: somebody else has done it meanwhile.",
            "%(num)s judgments do not: somebody else has done them meanwhile.",
            lost,
        )
        return f"{words} {others}"

    return _changed(task, number, change)


def _changed(
    task: str, number: int, change: Callable[[Session, TaskSpec], str], anchor: str | None = None
) -> AnyResponse:
    spec, _ = campaign(task, number)
    try:
        with site().database.writing() as session:
            done = change(session, spec)
    except UnknownCampaign:
        raise
    except ServiceError as refused:
        flash(told(refused.message), "error")
    else:
        flash(done, "success")
    return back("judges", task, number, anchor)


def _page(spec: TaskSpec, view: View, form: LinkForm, code: int = 200, fresh: str = "") -> Response:
    with site().database.reading() as session:
        found = judging_judges.listing(session, spec, view.number)
        links = judging_links.listing(session, spec, view.number, utc_now())
    return campaign_page(
        "judges",
        spec,
        view,
        code,
        judges=found,
        links=links,
        form=form,
        fresh=fresh,
        entrance=url_for("judging.show", task=spec.name, number=view.number, _external=True),
        below_threshold=judging_judges.BELOW_THRESHOLD,
        set_aside_form=SetAsideForm(formdata=None),
    )
