"""The questions of a task: what was answered for all, and one's own."""

from __future__ import annotations

from flask import Blueprint, Response, flash, make_response, redirect, render_template, url_for
from flask_babel import gettext
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.services import questions
from leaderboard.services.errors import ServiceError
from leaderboard.site import utc_now
from leaderboard.web.access import EVERYBODY, allow
from leaderboard.web.filters import told
from leaderboard.web.forms.organising import QuestionForm
from leaderboard.web.identity import viewer
from leaderboard.web.identity_rules import SIGNED_IN
from leaderboard.web.installation import public_task, site
from leaderboard.web.own_team import me
from leaderboard.web.resources import is_published

blueprint = Blueprint("questions", __name__, url_prefix="/tasks/<task>/questions")


@blueprint.get("")
@allow(EVERYBODY)
def show(task: str) -> Response:
    """What was answered for all; for who is signed in also one's own questions and the form for another."""
    return _page(task, QuestionForm(formdata=None))


@blueprint.post("")
@allow(SIGNED_IN)
def ask(task: str) -> AnyResponse:
    """Asks the organisers."""
    form = QuestionForm()
    if not form.validate_on_submit():
        return _page(task, form, 422)
    try:
        with site().database.writing() as session:
            spec = public_task(session, task)
            questions.ask(session, spec, me().user_id, form.text.data or "", utc_now())
    except ServiceError as error:
        form.form_errors.append(told(error.message))
        return _page(task, form, 422)
    flash(gettext("Your question is with the organisers. You get a letter when they answer."), "success")
    return redirect(url_for("questions.show", task=task), 303)


def _page(task: str, form: QuestionForm, code: int = 200) -> Response:
    person = viewer()
    with site().database.reading() as session:
        spec = public_task(session, task)
        context = {
            "answered": questions.answered_for_all(session, spec),
            "mine": questions.of_person(session, spec, person.user_id) if person else (),
            "has_resource": is_published(session, spec),
        }
    body = render_template("questions/show.html", spec=spec, form=form, **context)
    response = make_response(body, code)
    response.headers["Cache-Control"] = "no-store" if person else "no-cache"
    response.vary.update(("Accept-Language", "Cookie"))
    return response
