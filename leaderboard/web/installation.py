"""What every view starts from: the site, and the public task that an address names."""

from __future__ import annotations

from flask import abort, current_app
from sqlalchemy.orm import Session

from leaderboard.catalog import CatalogError
from leaderboard.contract import TaskSpec
from leaderboard.services import task_pages, tasks
from leaderboard.site import Site

EXTENSION = "leaderboard.site"


def site() -> Site:
    """The installation that this application serves."""
    found: Site = current_app.extensions[EXTENSION]
    return found


def public_task(session: Session, name: str) -> TaskSpec:
    """The task of that name where everybody may see it; else the answer is "not found"."""
    if name not in task_pages.public_names(session):
        abort(404)
    return site().spec(session, name)


def organised_task(session: Session, name: str) -> TaskSpec:
    """The task of that name, also where only its organisers may see it; else the answer is "not found"."""
    if name not in tasks.installed(session):
        abort(404)
    return site().spec(session, name)


def public_tasks(session: Session) -> tuple[TaskSpec, ...]:
    """All tasks that everybody may see. One whose folder is broken is left out, and the log says why."""
    specs = []
    for name in task_pages.public_names(session):
        try:
            specs.append(site().spec(session, name))
        except CatalogError as error:
            current_app.logger.error("the task %s is not shown: %s", name, error)
    return tuple(specs)
