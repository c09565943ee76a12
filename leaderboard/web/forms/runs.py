"""Forms of runs."""

from __future__ import annotations

from typing import cast

from flask_babel import lazy_gettext as _
from flask_wtf import FlaskForm
from wtforms import Field, RadioField, SelectField, StringField, TextAreaField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import DataRequired, ValidationError

from leaderboard.rules import Kind
from leaderboard.services.methods import (
    LONGEST_DESCRIPTION,
    LONGEST_LINK,
    LONGEST_RESOURCES,
    LONGEST_SYSTEM,
    Manner,
    Method,
    MethodRefused,
    clean_link,
    clean_text,
)
from leaderboard.services.run_actions import Description
from leaderboard.services.runs import LONGEST_NAME, Details, NameRefused, clean_name
from leaderboard.web.filters import told


def _is_a_name(_form: FlaskForm, field: Field) -> None:
    """Nothing, or a name that can be read."""
    if not (field.data or "").strip():
        return
    try:
        field.data = clean_name(field.data)
    except NameRefused as error:
        raise ValidationError(told(error.message)) from error


def _is_a_link(_form: FlaskForm, field: Field) -> None:
    try:
        field.data = clean_link(field.data or "")
    except MethodRefused as error:
        raise ValidationError(told(error.message)) from error


def _is_short_enough(_form: FlaskForm, field: Field) -> None:
    try:
        clean_text(field.data or "", field.name, field.render_kw["maxlength"])
    except MethodRefused as error:
        raise ValidationError(told(error.message)) from error


class MethodForm(FlaskForm):
    """What a team says about how its run was made."""

    description = TextAreaField(
        _("Description"),
        validators=[_is_short_enough],
        render_kw={"rows": 4, "maxlength": LONGEST_DESCRIPTION},
    )
    system = StringField(
        _("Kind of system"),
        validators=[_is_short_enough],
        render_kw={"maxlength": LONGEST_SYSTEM, "autocomplete": "off"},
    )
    resources = TextAreaField(
        _("External resources"),
        validators=[_is_short_enough],
        render_kw={"rows": 2, "maxlength": LONGEST_RESOURCES},
    )
    manner = SelectField(
        _("Automatic or manual"),
        choices=[
            SelectChoice("", _("not said")),
            SelectChoice("automatic", _("automatic: nobody had a hand in this run")),
            SelectChoice("manual", _("manual: somebody looked and helped")),
        ],
        default="",
    )
    link = StringField(
        _("Link to a paper or to code"),
        validators=[_is_a_link],
        render_kw={"maxlength": LONGEST_LINK, "inputmode": "url", "placeholder": "https://"},
    )

    @property
    def method(self) -> Method:
        """What was filled in about the method."""
        return Method(
            self.system.data or "",
            self.resources.data or "",
            cast(Manner, self.manner.data or ""),
            self.link.data or "",
        )


class SubmitForm(MethodForm):
    """Goes with a file that is submitted."""

    name = StringField(
        _("Name of the run"),
        validators=[_is_a_name],
        render_kw={"maxlength": LONGEST_NAME, "autocomplete": "off"},
    )
    kind = RadioField(
        _("What it is for"),
        choices=[
            SelectChoice("ordinary", _("It counts for the ranking.")),
            SelectChoice("contrastive", _("It is for comparison only and takes no place.")),
        ],
        default="ordinary",
    )

    @property
    def details(self) -> Details:
        """What was filled in. Whose run it is follows from who sends it."""
        return Details(
            "",
            self.name.data or "",
            clean_text(self.description.data or "", "description", LONGEST_DESCRIPTION),
            cast(Kind, self.kind.data),
            method=self.method,
        )


class EditForm(MethodForm):
    """Gives a run other words."""

    name = StringField(
        _("Name of the run"),
        validators=[DataRequired(_("The run needs a name.")), _is_a_name],
        render_kw={"maxlength": LONGEST_NAME, "autocomplete": "off"},
    )

    @property
    def wanted(self) -> Description:
        """What was filled in."""
        return Description(self.name.data or "", self.description.data or "", self.method)


class ActionForm(FlaskForm):
    """A button that does one thing; it holds only the proof that the page is ours."""
