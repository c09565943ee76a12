"""Forms of what one team is allowed."""

from __future__ import annotations

from flask_babel import lazy_gettext as _
from flask_wtf import FlaskForm
from wtforms import IntegerField, SelectField, TextAreaField
from wtforms.validators import NumberRange, Optional

from leaderboard.rules import Grant
from leaderboard.services.allowances import LONGEST_REASON
from leaderboard.services.phase_rows import MOST
from leaderboard.web.forms.moments import MomentField

_QUOTA = [Optional(), NumberRange(0, MOST)]


class AllowanceForm(FlaskForm):
    """What a team may do in a phase beyond it."""

    team = SelectField(_("Team"), coerce=int)
    phase = SelectField(_("Phase"))
    closes_at = MomentField(_("Own deadline (UTC)"))
    runs_per_day = IntegerField(_("Runs a day"), _QUOTA, render_kw={"min": 0})
    runs_in_all = IntegerField(_("Runs in all"), _QUOTA, render_kw={"min": 0})
    rejected_per_day = IntegerField(_("Faulty files a day"), _QUOTA, render_kw={"min": 0})
    reason = TextAreaField(_("Reason"), render_kw={"rows": 2, "maxlength": LONGEST_REASON})

    @property
    def grant(self) -> Grant:
        """What was filled in."""
        return Grant(
            self.closes_at.moment,
            self.runs_per_day.data,
            self.runs_in_all.data,
            self.rejected_per_day.data,
        )
