"""New editions of a task."""

from __future__ import annotations

from flask import Blueprint, Response, flash, redirect, url_for
from flask_babel import gettext
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.catalog import CatalogError
from leaderboard.services import editions
from leaderboard.services.editions import BadEdition
from leaderboard.site import utc_now
from leaderboard.web.access import allow
from leaderboard.web.filters import told
from leaderboard.web.forms.editions import EditionForm
from leaderboard.web.identity_rules import ORGANISER
from leaderboard.web.installation import site
from leaderboard.web.organise.pages import ORGANISE, declared_task, organise_page, task_named
from leaderboard.web.own_team import actor

blueprint = Blueprint("editions", __name__, url_prefix=f"{ORGANISE}/editions")


@blueprint.get("")
@allow(ORGANISER)
def show(task: str) -> Response:
    """The editions of the task, and the form of a new one."""
    form, spec = EditionForm(), task_named(task)
    form.title_en.data = spec.title.by_language["en"]
    form.title_ru.data = spec.title.by_language.get("ru", "")
    return _page(task, form)


@blueprint.post("")
@allow(ORGANISER)
def make(task: str) -> AnyResponse:
    """Makes a new edition, and leads to its phases."""
    form, declared = EditionForm(), declared_task(task)
    if not form.validate_on_submit():
        return _page(task, form, 422)
    try:
        with site().database.writing() as session:
            editions.make(
                session,
                declared,
                site().scorer(declared).VERSION,
                _taken(),
                form.wanted,
                actor(),
                utc_now(),
            )
    except BadEdition as error:
        named = "title_en" if error.field == "title" else error.field
        form[named].errors = [told(error.message)]
        return _page(task, form, 422)
    flash(gettext("The edition is there, for its organisers only. Set its phases, then open it."), "success")
    return redirect(url_for("phase_settings.show", task=form.wanted.name), 303)


def _taken() -> list[str]:
    """The names that folders have; none where one of them is not in order: that is no reason to refuse."""
    try:
        return [spec.name for spec in site().catalog.tasks()]
    except CatalogError:
        return []


def _page(task: str, form: EditionForm, code: int = 200) -> Response:
    spec = task_named(task)
    with site().database.reading() as session:
        around = editions.listing(session, spec, hidden=True)
        specs = {name: site().spec(session, name) for name in (*around.earlier, *around.later)}
    return organise_page(
        "organise/editions.html",
        spec,
        code,
        form=form,
        earlier=[specs[name] for name in around.earlier],
        later=[specs[name] for name in around.later],
    )
