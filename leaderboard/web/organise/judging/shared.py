"""What the pages of judging campaigns share: their blueprint, the campaign itself, files sent and given."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.contract import FormatError, TaskSpec
from leaderboard.services import judging_pages
from leaderboard.services.judging_pages import View
from leaderboard.web import uploads
from leaderboard.web.installation import site
from leaderboard.web.organise.pages import ORGANISE, organise_page, task_named

NAME = "organiser_judging"

blueprint = Blueprint(NAME, __name__, url_prefix=f"{ORGANISE}/judging")

ONE = "/<int(max=2147483647):number>"


@dataclass(frozen=True, slots=True)
class Sent:
    """A file of the request: where it lies, and what its sender calls it."""

    path: Path
    name: str


def campaign(task: str, number: int) -> tuple[TaskSpec, View]:
    """The campaign that a page is about, with its task; else "not found"."""
    spec = task_named(task)
    with site().database.reading() as session:
        return spec, judging_pages.campaign(session, spec, number)


def campaign_page(template: str, spec: TaskSpec, view: View, code: int = 200, **context: object) -> Response:
    """A page of one campaign; it extends ``organise/judging/base.html``."""
    return organise_page(f"organise/judging/{template}.html", spec, code, campaign=view, **context)


def back(page: str, task: str, number: int, anchor: str | None = None) -> AnyResponse:
    """Leads to a page of a campaign after a change."""
    return redirect(url_for(f"{NAME}.{page}", task=task, number=number, _anchor=anchor), 303)


def sent_file() -> Sent:
    """The file of the request, which its form requires."""
    sent = request.files["file"]
    path = uploads.draft_of(sent)
    if path is None:
        raise RuntimeError("this route is not among those that take files")
    return Sent(path, Path(sent.filename or "").name)


def named(error: FormatError, sent: Sent) -> FormatError:
    """The faults of a file under the name that its sender knows."""
    return FormatError(sent.name, error.faults)


def plain_file(name: str, content: str | bytes) -> Response:
    """A small file as a download that nobody on the way keeps."""
    response = Response(content, mimetype="text/csv" if name.endswith(".csv") else "text/plain")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["Cache-Control"] = "private, no-store"
    return response
