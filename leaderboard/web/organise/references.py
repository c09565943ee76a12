"""Published results of others, which organisers import."""

from __future__ import annotations

import tempfile
from pathlib import Path

from flask import Blueprint, Response, flash, redirect, request, url_for
from flask_babel import gettext, ngettext
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.contract import Fault, FormatError, TaskSpec
from leaderboard.services import references
from leaderboard.services.errors import ServiceError
from leaderboard.site import utc_now
from leaderboard.web.access import allow
from leaderboard.web.filters import told
from leaderboard.web.forms.organising import ReferencesForm
from leaderboard.web.identity_rules import ORGANISER
from leaderboard.web.installation import site
from leaderboard.web.organise.pages import ORGANISE, organise_page, task_named
from leaderboard.web.own_team import actor

blueprint = Blueprint("organiser_references", __name__, url_prefix=f"{ORGANISE}/references")


@blueprint.get("")
@allow(ORGANISER)
def show(task: str) -> Response:
    """The sources there are, and the form that imports another."""
    spec = task_named(task)
    return _page(spec, ReferencesForm(formdata=None).offer(spec))


@blueprint.post("")
@allow(ORGANISER)
def publish(task: str) -> AnyResponse:
    """Imports a file in place of what there was of its source, or says every fault by line."""
    spec = task_named(task)
    form = ReferencesForm().offer(spec)
    if not form.validate_on_submit():
        return _page(spec, form, 422)
    try:
        with tempfile.TemporaryDirectory() as folder, site().database.writing() as session:
            path = Path(folder) / "published.csv"
            form.file.data.save(path)
            count = references.publish(
                session, spec, path, form.source.data or "", form.track.data or None, actor(), utc_now()
            )
    except FormatError as error:
        return _page(spec, form, 422, error.faults)
    except ServiceError as error:
        form.form_errors.append(told(error.message))
        return _page(spec, form, 422)
    flash(
        ngettext("%(num)s published result is imported.", "%(num)s published results are imported.", count),
        "success",
    )
    return redirect(url_for("organiser_references.show", task=task), 303)


@blueprint.post("/remove")
@allow(ORGANISER)
def remove(task: str) -> AnyResponse:
    """Takes the results of a source away."""
    spec = task_named(task)
    with site().database.writing() as session:
        count = references.remove(session, spec, request.form.get("source", ""), actor(), utc_now())
    if count:
        flash(gettext("The results of this source are removed."), "success")
    return redirect(url_for("organiser_references.show", task=task), 303)


def _page(spec: TaskSpec, form: ReferencesForm, code: int = 200, faults: tuple[Fault, ...] = ()) -> Response:
    with site().database.reading() as session:
        sources = references.sources(session, spec)
    return organise_page(
        "organise/references.html", spec, code, form=form, sources=sources, file_faults=faults
    )
