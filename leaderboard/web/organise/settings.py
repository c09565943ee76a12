"""What is set for a task: its words, the rule of counting, who sees it; and the text of its page."""

from __future__ import annotations

from flask import Blueprint, Response, flash, redirect, request, url_for
from flask_babel import gettext
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.services import public_value_settings, settings
from leaderboard.services.settings import BadSetting, Openness
from leaderboard.site import utc_now
from leaderboard.web.access import allow
from leaderboard.web.filters import told
from leaderboard.web.forms.accounts import Confirm
from leaderboard.web.forms.public_values import PublicValuesForm, public_values_form
from leaderboard.web.forms.settings import OpennessForm, SettingsForm, TextForm
from leaderboard.web.identity_rules import ORGANISER
from leaderboard.web.installation import site
from leaderboard.web.organise.pages import ORGANISE, declared_task, organise_page, task_named
from leaderboard.web.own_team import actor
from leaderboard.web.readme import Readme, rendered

blueprint = Blueprint("settings", __name__, url_prefix=f"{ORGANISE}/settings")


@blueprint.get("")
@allow(ORGANISER)
def show(task: str) -> Response:
    """The settings, and where they differ from what the task's folder declares."""
    return _page(task)


@blueprint.post("")
@allow(ORGANISER)
def change(task: str) -> AnyResponse:
    """Sets words and the rule of counting."""
    declared, form = declared_task(task), SettingsForm()
    if not form.validate_on_submit():
        return _page(task, 422, form=form)
    try:
        with site().database.writing() as session:
            version = site().scorer(declared).VERSION
            changed = settings.change(session, declared, version, form.wanted, actor(), utc_now())
    except BadSetting as error:
        named = error.field if error.field in form else f"{error.field}_en"
        form[named].errors = [told(error.message)]
        return _page(task, 422, form=form)
    flash(gettext("It is set.") if changed else gettext("Nothing was different."), "success")
    return redirect(url_for("settings.show", task=task), 303)


@blueprint.post("/back/<name>")
@allow(ORGANISER)
def set_back(task: str, name: str) -> AnyResponse:
    """Goes back to what the task's folder declares."""
    declared = declared_task(task)
    if Confirm().validate_on_submit():
        try:
            with site().database.writing() as session:
                version = site().scorer(declared).VERSION
                settings.set_back(session, declared, version, name, actor(), utc_now())
        except BadSetting as error:
            flash(told(error.message), "error")
        else:
            flash(gettext("It is as the task's folder declares it again."), "success")
    return redirect(url_for("settings.text" if name == "text" else "settings.show", task=task), 303)


@blueprint.post("/public-values")
@allow(ORGANISER)
def tell(task: str) -> AnyResponse:
    """Sets how much of the values of runs everybody is told."""
    declared = declared_task(task)
    form = public_values_form(declared)
    if not form.validate_on_submit():
        return _page(task, 422, telling=form)
    try:
        with site().database.writing() as session:
            parts = (declared, site().scorer(declared), form.wanted, actor(), utc_now())
            changed = public_value_settings.change(session, *parts, site().jobs.deliver)
    except BadSetting as error:
        form.form_errors.append(told(error.message))
        return _page(task, 422, telling=form)
    flash(gettext("It is set.") if changed else gettext("Nothing was different."), "success")
    return redirect(url_for("settings.show", task=task), 303)


@blueprint.post("/public-values/back")
@allow(ORGANISER)
def tell_as_declared(task: str) -> AnyResponse:
    """Tells as much of values as the task's folder declares."""
    declared = declared_task(task)
    if Confirm().validate_on_submit():
        try:
            with site().database.writing() as session:
                parts = (declared, site().scorer(declared), actor(), utc_now())
                public_value_settings.set_back(session, *parts, site().jobs.deliver)
        except BadSetting as error:
            flash(told(error.message), "error")
        else:
            flash(gettext("It is as the task's folder declares it again."), "success")
    return redirect(url_for("settings.show", task=task), 303)


@blueprint.post("/openness")
@allow(ORGANISER)
def open_to(task: str) -> AnyResponse:
    """Sets who sees the task, and when the names of teams are told."""
    spec, form, now = task_named(task), OpennessForm(), utc_now()
    if not form.validate_on_submit():
        return _page(task, 422, openness=form)
    with site().database.writing() as session:
        before = settings.openness(session, spec)
        revealed = {
            "never": None,
            "now": now,
            "date": form.names_at.or_as_before(before.names_revealed_at),
        }
        wanted = Openness(form.visibility.data, revealed[form.names.data])
        settings.open_to(session, spec, wanted, actor(), now)
    flash(gettext("It is set."), "success")
    return redirect(url_for("settings.show", task=task), 303)


@blueprint.get("/text")
@allow(ORGANISER)
def text(task: str) -> Response:
    """The text of the task's page, to be written."""
    form = TextForm()
    with site().database.reading() as session:
        found = settings.listing(session, declared_task(task))["text"]
    form.text_en.data, form.text_ru.data = (found.value.get(language, "") for language in ("en", "ru"))
    return _text_page(task, form)


@blueprint.post("/text")
@allow(ORGANISER)
def write(task: str) -> AnyResponse:
    """Shows the text as it would be, or sets it."""
    declared, form = declared_task(task), TextForm()
    if not form.validate_on_submit() or request.form.get("wanted") == "preview":
        return _text_page(task, form, 422 if form.errors else 200, preview=not form.errors)
    try:
        with site().database.writing() as session:
            version = site().scorer(declared).VERSION
            settings.change(session, declared, version, {"text": form.texts}, actor(), utc_now())
    except BadSetting as error:
        form.text_en.errors = [told(error.message)]
        return _text_page(task, form, 422)
    flash(gettext("The text is on the task's page now."), "success")
    return redirect(url_for("settings.text", task=task), 303)


def _page(
    task: str,
    code: int = 200,
    *,
    form: SettingsForm | None = None,
    openness: OpennessForm | None = None,
    telling: PublicValuesForm | None = None,
) -> Response:
    spec, declared = task_named(task), declared_task(task)
    with site().database.reading() as session:
        found = settings.listing(session, declared)
        open_now = settings.openness(session, spec)
        rules = public_value_settings.setting(session, declared)
    # Each form of the page reads only what was sent by itself.
    shown, opening = form or SettingsForm(formdata=None), openness or OpennessForm(formdata=None)
    if form is None:
        shown.fill(found)
    if openness is None:
        opening.fill(open_now)
    if telling is None:
        telling = public_values_form(declared, formdata=None)
        telling.fill(rules.value)
    return organise_page(
        "organise/settings/show.html",
        spec,
        code,
        form=shown,
        opening=opening,
        settings=found,
        telling=telling,
        rules=rules,
    )


def _text_page(task: str, form: TextForm, code: int = 200, *, preview: bool = False) -> Response:
    spec = task_named(task)
    with site().database.reading() as session:
        found = settings.listing(session, declared_task(task))["text"]
    previews: list[tuple[str, Readme]] = []
    if preview:
        previews = [(language, rendered(words, language)) for language, words in form.texts.items() if words]
    return organise_page(
        "organise/settings/text.html", spec, code, form=form, setting=found, previews=previews
    )
