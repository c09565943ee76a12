"""Downloads of the public files of a task."""

from __future__ import annotations

from flask import Blueprint, Response

from leaderboard.services import inputs
from leaderboard.web.access import EVERYBODY, allow
from leaderboard.web.installation import public_task, site
from leaderboard.web.kept_files import PUBLIC, kept_file

blueprint = Blueprint("inputs", __name__)


@blueprint.get("/tasks/<task>/inputs/<name>")
@allow(EVERYBODY)
def download(task: str, name: str) -> Response:
    """A public file under its own name, in parts where a broken download goes on."""
    with site().database.reading() as session:
        public = inputs.named(session, site().files, public_task(session, task), name)
    return kept_file(public.path, public.file_name, public.file_hash, PUBLIC, None, public.installed_at)
