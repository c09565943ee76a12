"""Forms of rights."""

from __future__ import annotations

from typing import cast

from flask_babel import lazy_gettext as _
from flask_wtf import FlaskForm
from wtforms import EmailField, SelectField
from wtforms.validators import DataRequired

from leaderboard.services.roles import Right


class RightForm(FlaskForm):
    """Who is to get which right on a task."""

    email = EmailField(_("Their e-mail address"), validators=[DataRequired(_("Enter an address."))])
    right = SelectField(_("Right"), choices=[("organiser", _("Organiser")), ("judge", _("Judge"))])

    @property
    def wanted(self) -> Right:
        """The right that was chosen."""
        return cast(Right, self.right.data)
