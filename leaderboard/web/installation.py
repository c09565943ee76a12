"""What every view starts from: the site, and the public task that an address names."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from flask import abort, current_app, g
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


PREVIEW = "leaderboard.preview"
"""Where the application keeps who may look at a task that is not public."""


def public_task(session: Session, name: str) -> TaskSpec:
    """The task of that name where everybody may see it, or whoever asks organises it, who is told so on every
    page; else the answer is "not found"."""
    if name in task_pages.public_names(session):
        return site().spec(session, name)
    may_preview: Callable[[str], bool] = current_app.extensions.get(PREVIEW, lambda _name: False)
    if name not in tasks.installed(session) or not may_preview(name):
        abort(404)
    g.previewed = True
    return site().spec(session, name)


def is_preview() -> bool:
    """Whether this page is of a task that only its organisers may see."""
    return bool(g.get("previewed", False))


def organised_task(session: Session, name: str) -> TaskSpec:
    """The task of that name, also where only its organisers may see it; else the answer is "not found"."""
    if name not in tasks.installed(session):
        abort(404)
    return site().spec(session, name)


def public_tasks(session: Session) -> tuple[TaskSpec, ...]:
    """All tasks that everybody may see. One whose folder is broken is left out, and the log says why."""
    return _readable(session, task_pages.public_names(session))


def hidden_tasks(session: Session) -> tuple[TaskSpec, ...]:
    """The tasks that are not public and that whoever asks organises, without those whose folder is broken."""
    public = task_pages.public_names(session)
    may_preview: Callable[[str], bool] = current_app.extensions.get(PREVIEW, lambda _name: False)
    return _readable(
        session, [name for name in tasks.installed(session) if name not in public and may_preview(name)]
    )


def _readable(session: Session, names: Iterable[str]) -> tuple[TaskSpec, ...]:
    specs = []
    for name in names:
        try:
            specs.append(site().spec(session, name))
        except CatalogError as error:
            current_app.logger.error("the task %s is not shown: %s", name, error)
    return tuple(specs)
