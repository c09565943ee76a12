"""The form of a token for scripts."""

from __future__ import annotations

from typing import cast

from flask_babel import lazy_gettext as _
from flask_babel import ngettext
from flask_wtf import FlaskForm
from wtforms import Field, RadioField, SelectField, StringField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import DataRequired, ValidationError

from leaderboard.services.runs import LONGEST_NAME, NameRefused, clean_name
from leaderboard.services.tokens import LIFETIMES, Scope
from leaderboard.web.filters import told


def _is_a_name(_form: FlaskForm, field: Field) -> None:
    try:
        clean_name(field.data or "")
    except NameRefused as error:
        raise ValidationError(told(error.message)) from error


class TokenForm(FlaskForm):
    """What a token is called, what it may do and for how long."""

    name = StringField(
        _("What it is for"),
        validators=[DataRequired(_("Give the token a name.")), _is_a_name],
        render_kw={"maxlength": LONGEST_NAME, "autocomplete": "off"},
    )
    scope = RadioField(
        _("What it may do"),
        choices=[
            SelectChoice("submit", _("Read, submit runs, and act on your team's runs")),
            SelectChoice("read", _("Read only: your team's runs and what everybody may see")),
        ],
        default="submit",
    )
    days = SelectField(_("How long it works"), coerce=int, default=90)

    def __init__(self, **options: object) -> None:
        super().__init__(**options)
        self.days.choices = [
            SelectChoice(days, ngettext("%(num)s day", "%(num)s days", days)) for days in LIFETIMES
        ]

    @property
    def wanted_scope(self) -> Scope:
        """What was chosen."""
        return cast(Scope, self.scope.data)
