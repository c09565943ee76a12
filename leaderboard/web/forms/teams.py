"""Forms of teams."""

from __future__ import annotations

from datetime import timedelta

from flask_babel import lazy_gettext as _
from flask_wtf import FlaskForm
from wtforms import IntegerField, StringField
from wtforms.validators import DataRequired, InputRequired, Length, NumberRange

from leaderboard.services.invitations import LIFETIME, LONGEST_LIFETIME, MOST_USES
from leaderboard.services.runs import LONGEST_NAME
from leaderboard.services.teams import LONGEST_AFFILIATION, Named


class TeamForm(FlaskForm):
    """What a team calls itself."""

    name = StringField(
        _("Name of the team"),
        validators=[DataRequired(_("The team needs a name."))],
        render_kw={"maxlength": LONGEST_NAME, "autocomplete": "off"},
    )
    affiliation = StringField(
        _("Affiliation"),
        validators=[Length(max=LONGEST_AFFILIATION)],
        render_kw={"maxlength": LONGEST_AFFILIATION, "autocomplete": "organization"},
    )
    alias = StringField(_("Alias"), render_kw={"maxlength": LONGEST_NAME, "autocomplete": "off"})

    @property
    def named(self) -> Named:
        """What was filled in."""
        return Named(self.name.data or "", self.affiliation.data or "", self.alias.data or "")


class InvitationForm(FlaskForm):
    """For how many people a link works, and how long."""

    people = IntegerField(
        _("For how many people"),
        default=1,
        validators=[InputRequired(), NumberRange(1, MOST_USES)],
        render_kw={"min": 1, "max": MOST_USES},
    )
    days = IntegerField(
        _("Days until it expires"),
        default=LIFETIME.days,
        validators=[InputRequired(), NumberRange(1, LONGEST_LIFETIME.days)],
        render_kw={"min": 1, "max": LONGEST_LIFETIME.days},
    )

    @property
    def lifetime(self) -> timedelta:
        """How long the link works."""
        return timedelta(days=self.days.data or LIFETIME.days)
