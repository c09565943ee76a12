"""Archives of tasks that are brought from elsewhere."""

from __future__ import annotations

from flask import Blueprint, Response, flash, make_response, redirect, render_template, url_for
from flask_babel import gettext
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.services import archive_imports, job_pages
from leaderboard.site import utc_now
from leaderboard.web import uploads
from leaderboard.web.access import allow
from leaderboard.web.forms.archives import ImportForm
from leaderboard.web.identity_rules import ADMINISTRATOR
from leaderboard.web.installation import site
from leaderboard.web.own_team import actor

blueprint = Blueprint("site_archives", __name__, url_prefix="/administration/archives")


@blueprint.get("")
@allow(ADMINISTRATOR)
def show() -> Response:
    """What was imported, and the form that takes an archive."""
    return _page(ImportForm(formdata=None))


@blueprint.post("")
@allow(ADMINISTRATOR)
def bring() -> AnyResponse:
    """Has an archive imported in the background."""
    form = ImportForm()
    draft = uploads.draft_of(form.file.data or None)
    if not form.validate_on_submit() or draft is None:
        form.form_errors.append(gettext("Choose an archive."))
        return _page(form, 422)
    name = form.file.data.filename or ""
    with site().database.writing() as session:
        archive_imports.request(
            session, site().files, draft, name[:100], actor(), utc_now(), site().jobs.deliver
        )
    flash(gettext("The archive is being imported."), "success")
    return redirect(url_for("site_archives.show"), 303)


def _page(form: ImportForm, code: int = 200) -> Response:
    with site().database.reading() as session:
        jobs = job_pages.listing(session, kinds=(archive_imports.JOB,))
    body = render_template("administration/archives.html", form=form, jobs=jobs, most=uploads.most())
    response = make_response(body, code)
    response.headers["Cache-Control"] = "no-store"
    return response
