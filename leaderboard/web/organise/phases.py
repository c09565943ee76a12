"""The phases of a task: made, changed, closed, put in order, taken away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Blueprint, Response, abort, flash, redirect, url_for
from flask_babel import gettext
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.contract import TaskSpec
from leaderboard.services import freezing, phase_settings, phases, revealing
from leaderboard.services.errors import ServiceError
from leaderboard.services.phase_settings import BadPhase, PhaseSetting, UnknownPhase
from leaderboard.site import utc_now
from leaderboard.web.access import allow
from leaderboard.web.filters import told
from leaderboard.web.forms.accounts import Confirm
from leaderboard.web.forms.settings import PhaseForm
from leaderboard.web.identity_rules import ORGANISER
from leaderboard.web.installation import site
from leaderboard.web.organise.pages import ORGANISE, declared_task, organise_page, task_named
from leaderboard.web.own_team import actor

blueprint = Blueprint("phase_settings", __name__, url_prefix=f"{ORGANISE}/phases")


@blueprint.get("")
@allow(ORGANISER)
def show(task: str) -> Response:
    """All phases with what can be done to them."""
    spec = task_named(task)
    with site().database.reading() as session:
        settings = phase_settings.listing(session, spec)
        views = {view.name: view for view in phases.listing(session, spec, utc_now())}
    warnings = phase_settings.overlaps([each.phase for each in settings if not each.taken_away])
    return organise_page("organise/phases/list.html", spec, settings=settings, views=views, warnings=warnings)


@blueprint.get("/new/phase")
@allow(ORGANISER)
def new(task: str) -> Response:
    """The form of a new phase."""
    form = PhaseForm()
    form.own.data = form.board.data = True
    return organise_page("organise/phases/edit.html", task_named(task), form=form, setting=None)


@blueprint.post("/new/phase")
@allow(ORGANISER)
def make(task: str) -> AnyResponse:
    """Makes a phase."""
    spec, form = task_named(task), PhaseForm()
    if form.validate_on_submit():
        try:
            with site().database.writing() as session:
                phase_settings.make(
                    session, declared_task(task), _version(spec), form.wanted(), actor(), utc_now()
                )
        except BadPhase as error:
            _blame(form, error)
        else:
            return _back(task, gettext("The phase is there."))
    return organise_page("organise/phases/edit.html", spec, 422, form=form, setting=None)


@blueprint.get("/<name>")
@allow(ORGANISER)
def edit(task: str, name: str) -> Response:
    """The form of a phase, with what is declared beside what is set."""
    spec, setting = _found(task, name)
    form = PhaseForm()
    form.fill(setting.phase)
    return organise_page("organise/phases/edit.html", spec, form=form, setting=setting)


@blueprint.post("/<name>")
@allow(ORGANISER)
def change(task: str, name: str) -> AnyResponse:
    """Sets a phase."""
    spec, setting = _found(task, name)
    form = PhaseForm()
    if form.validate_on_submit():
        try:
            with site().database.writing() as session:
                wanted = form.wanted(setting.phase)
                changed = phase_settings.change(
                    session, declared_task(task), _version(spec), wanted, actor(), utc_now()
                )
        except BadPhase as error:
            _blame(form, error)
        else:
            return _back(task, gettext("It is set.") if changed else gettext("Nothing was different."))
    return organise_page("organise/phases/edit.html", spec, 422, form=form, setting=setting)


@blueprint.post("/<name>/back/<column>")
@allow(ORGANISER)
def set_back(task: str, name: str, column: str) -> AnyResponse:
    """Gives a column the value that the task's folder declares."""

    def back(session: Session, declared: TaskSpec, version: str) -> None:
        phase_settings.set_back(session, declared, version, name, column, actor(), utc_now())

    _do(task, back, gettext("It is as the task's folder declares it again."))
    return redirect(url_for("phase_settings.edit", task=task, name=name), 303)


@blueprint.post("/<name>/close")
@allow(ORGANISER)
def close(task: str, name: str) -> AnyResponse:
    """Closes a phase now."""

    def shut(session: Session, declared: TaskSpec, version: str) -> None:
        phase_settings.close(session, declared, version, name, actor(), utc_now())

    return _do(task, shut, gettext("The phase is closed."))


@blueprint.post("/<name>/reveal")
@allow(ORGANISER)
def reveal(task: str, name: str) -> AnyResponse:
    """Shows the final standing of a phase on the private part of its gold."""

    def shown(session: Session, declared: TaskSpec, version: str) -> None:
        revealing.reveal(session, declared, version, name, actor(), utc_now())

    return _do(task, shown, gettext("The final standing is shown to everybody."))


@blueprint.post("/<name>/freeze")
@allow(ORGANISER)
def freeze(task: str, name: str) -> AnyResponse:
    """Lets the ranking of a phase stand still for everybody but organisers."""

    def frozen(session: Session, declared: TaskSpec, version: str) -> None:
        freezing.freeze(session, declared, version, name, actor(), utc_now())

    return _do(task, frozen, gettext("The ranking stands still for everybody but organisers."))


@blueprint.post("/<name>/unfreeze")
@allow(ORGANISER)
def unfreeze(task: str, name: str) -> AnyResponse:
    """Shows the ranking of a phase as it is."""

    def thawed(session: Session, declared: TaskSpec, version: str) -> None:
        freezing.unfreeze(session, declared, version, name, actor(), utc_now())

    return _do(task, thawed, gettext("The ranking is shown as it is."))


@blueprint.post("/<name>/take-away")
@allow(ORGANISER)
def take_away(task: str, name: str) -> AnyResponse:
    """Takes a phase away that has no runs."""

    def away(session: Session, declared: TaskSpec, _version: str) -> None:
        phase_settings.take_away(session, declared, name, actor(), utc_now())

    return _do(task, away, gettext("The phase is taken away."))


@blueprint.post("/<name>/bring-back")
@allow(ORGANISER)
def bring_back(task: str, name: str) -> AnyResponse:
    """Brings a phase back that was taken away."""

    def again(session: Session, declared: TaskSpec, version: str) -> None:
        phase_settings.bring_back(session, declared, version, name, actor(), utc_now())

    return _do(task, again, gettext("The phase is there."))


@blueprint.post("/<name>/move/<where>")
@allow(ORGANISER)
def move(task: str, name: str, where: str) -> AnyResponse:
    """Moves a phase one place up or down in the list."""
    if where not in ("up", "down"):
        abort(404)

    def moved(session: Session, declared: TaskSpec, _version: str) -> None:
        settings = phase_settings.listing(session, declared)
        names = [each.phase.name for each in settings if not each.taken_away]
        if name not in names:
            abort(404)
        place = names.index(name)
        other = place - 1 if where == "up" else place + 1
        if 0 <= other < len(names):
            names[place], names[other] = names[other], names[place]
        phase_settings.reorder(session, declared, names, actor(), utc_now())

    return _do(task, moved, gettext("The phases are in another order now."))


def _do(task: str, action: Callable[[Session, TaskSpec, str], None], words: Any) -> AnyResponse:
    """What a button does; back to the list, saying how it went."""
    spec = task_named(task)
    if not Confirm().validate_on_submit():
        return redirect(url_for("phase_settings.show", task=task), 303)
    try:
        with site().database.writing() as session:
            action(session, declared_task(task), _version(spec))
    except UnknownPhase:
        abort(404)
    except ServiceError as error:
        flash(told(error.message), "error")
    else:
        flash(words, "success")
    return redirect(url_for("phase_settings.show", task=task), 303)


def _found(task: str, name: str) -> tuple[TaskSpec, PhaseSetting]:
    spec = task_named(task)
    try:
        with site().database.reading() as session:
            return spec, phase_settings.named(session, spec, name)
    except UnknownPhase:
        abort(404)


def _version(spec: TaskSpec) -> str:
    return site().scorer(spec).VERSION


def _blame(form: PhaseForm, error: BadPhase) -> None:
    fields = {"title": "title_en", "reveals": "own"}
    field = fields.get(error.field or "", error.field)
    if field is not None and field in form:
        form[field].errors = [told(error.message)]
    else:
        form.form_errors.append(told(error.message))


def _back(task: str, words: Any) -> AnyResponse:
    flash(words, "success")
    return redirect(url_for("phase_settings.show", task=task), 303)
