"""The pages where organisers answer questions."""

from __future__ import annotations

from flask import Blueprint, Response, abort, flash, redirect, url_for
from flask_babel import gettext
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.contract import TaskSpec
from leaderboard.services import questions
from leaderboard.services.errors import ServiceError
from leaderboard.services.questions import UnknownQuestion
from leaderboard.site import utc_now
from leaderboard.web import letters
from leaderboard.web.access import allow
from leaderboard.web.filters import told
from leaderboard.web.forms.organising import AnswerForm
from leaderboard.web.identity_rules import ORGANISER
from leaderboard.web.installation import site
from leaderboard.web.organise.pages import ORGANISE, organise_page, task_named
from leaderboard.web.own_team import actor

blueprint = Blueprint("answering", __name__, url_prefix=f"{ORGANISE}/questions")

_ONE = "/<int(max=2147483647):number>"


@blueprint.get("")
@allow(ORGANISER)
def show(task: str) -> Response:
    """All questions, those without an answer first."""
    spec = task_named(task)
    with site().database.reading() as session:
        found = questions.for_organisers(session, spec)
    return organise_page("organise/questions/index.html", spec, questions=found)


@blueprint.get(_ONE)
@allow(ORGANISER)
def one(task: str, number: int) -> Response:
    """One question, and the form that answers it."""
    return _one(task_named(task), number, None)


@blueprint.post(_ONE)
@allow(ORGANISER)
def answer(task: str, number: int) -> AnyResponse:
    """Answers it, for who asked or for all."""
    spec, form = task_named(task), AnswerForm()
    if not form.validate_on_submit():
        return _one(spec, number, form, 422)
    public = bool(form.public.data)
    try:
        with site().database.writing() as session:
            if form.is_repeated(session):
                flash(gettext("The question is answered already: the form was sent twice."), "info")
                return redirect(url_for("answering.show", task=task), 303)
            done = questions.answer(
                session, spec, number, form.answer.data or "", actor(), utc_now(), public=public
            )
            letters.answered(session, spec, done.addressees, done.asked.text, done.asked.answer or "")
    except UnknownQuestion:
        abort(404)
    except ServiceError as error:
        form.form_errors.append(told(error.message))
        return _one(spec, number, form, 422)
    flash(gettext("The question is answered, and who asked it gets a letter."), "success")
    return redirect(url_for("answering.show", task=task), 303)


def _one(spec: TaskSpec, number: int, form: AnswerForm | None, code: int = 200) -> Response:
    try:
        with site().database.reading() as session:
            asked = questions.one(session, spec, number)
    except UnknownQuestion:
        abort(404)
    if form is None:
        form = AnswerForm(formdata=None, answer=asked.answer or "", public=asked.public)
    return organise_page("organise/questions/one.html", spec, code, asked=asked, form=form)
