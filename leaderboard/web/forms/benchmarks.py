"""Forms of benchmarks."""

from __future__ import annotations

from flask_babel import lazy_gettext as _
from flask_wtf import FlaskForm
from wtforms import BooleanField, TextAreaField
from wtforms.validators import DataRequired, Length

LONGEST_NOTE = 2000


class DraftForm(FlaskForm):
    """Goes with the files of new gold, or stands alone for a new scorer."""

    note = TextAreaField(
        _("Note"),
        validators=[Length(max=LONGEST_NOTE, message=_("This is too long."))],
        render_kw={"rows": 2, "maxlength": LONGEST_NOTE},
    )


class ApplyForm(FlaskForm):
    """That somebody means it."""

    sure = BooleanField(
        _("I have read what changes"),
        validators=[DataRequired(_("Read what changes first, and say so here."))],
    )
