"""Downloads of the public files of a task."""

from __future__ import annotations

from flask import Blueprint, Response, send_file

from leaderboard.services import inputs
from leaderboard.web.access import EVERYBODY, allow
from leaderboard.web.installation import public_task, site

blueprint = Blueprint("inputs", __name__)


@blueprint.get("/tasks/<task>/inputs/<name>")
@allow(EVERYBODY)
def download(task: str, name: str) -> Response:
    """A public file under its own name, in parts where a broken download goes on."""
    with site().database.reading() as session:
        public = inputs.named(session, site().files, public_task(session, task), name)
    response = send_file(
        public.path,
        as_attachment=True,
        download_name=public.file_name,
        etag=public.file_hash,
        last_modified=public.installed_at,
        conditional=True,
    )
    response.headers["Cache-Control"] = "no-cache"
    return response
