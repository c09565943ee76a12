"""The form of a new edition."""

from __future__ import annotations

from flask_babel import lazy_gettext as _
from flask_wtf import FlaskForm
from wtforms import BooleanField, IntegerField, RadioField, StringField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import NumberRange, Optional

from leaderboard.services.editions import LONGEST_NAME, MOST_DAYS, Wanted
from leaderboard.services.settings import LONGEST_LINE


class EditionForm(FlaskForm):
    """What a new edition is called, and what it begins with."""

    name = StringField(_("Name"), render_kw={"maxlength": LONGEST_NAME, "autocomplete": "off"})
    title_en = StringField(_("Title in English"), render_kw={"maxlength": LONGEST_LINE})
    title_ru = StringField(_("Title in Russian"), render_kw={"maxlength": LONGEST_LINE, "lang": "ru"})
    times = RadioField(
        _("Times of the phases"),
        choices=[
            SelectChoice("empty", _("left empty, to be set")),
            SelectChoice("moved", _("moved by this many days:")),
        ],
        default="empty",
    )
    days = IntegerField(_("Days"), [Optional(), NumberRange(-MOST_DAYS, MOST_DAYS)], default=365)
    inputs = BooleanField(_("It begins with the public files of now."))
    gold = BooleanField(_("It begins with the hidden benchmarks of now."))

    @property
    def wanted(self) -> Wanted:
        """What was filled in."""
        return Wanted(
            (self.name.data or "").strip(),
            {"en": self.title_en.data or "", "ru": self.title_ru.data or ""},
            (self.days.data or 0) if self.times.data == "moved" else None,
            bool(self.inputs.data),
            bool(self.gold.data),
        )
