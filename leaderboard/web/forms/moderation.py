"""Forms of what organisers do to runs."""

from __future__ import annotations

from typing import cast

from flask_babel import lazy_gettext as _
from flask_wtf import FlaskForm
from wtforms import BooleanField, HiddenField, SelectField, StringField
from wtforms.fields.choices import SelectChoice

from leaderboard.services.moderation import LONGEST_REASON, Action

WORDS: dict[Action, object] = {
    "disqualify": _("Disqualify"),
    "qualify": _("Take the disqualification back"),
    "hide": _("Hide"),
    "unhide": _("Show again"),
    "ordinary": _("Mark as ordinary"),
    "contrastive": _("Mark as for comparison"),
    "baseline": _("Mark as a baseline"),
    "score-again": _("Score again"),
    "delete": _("Delete"),
    "undelete": _("Undo the deletion"),
}
"""What each action is called on a button."""


class OrderForm(FlaskForm):
    """One thing to do to runs, and why."""

    action = SelectField(_("Do"), choices=[SelectChoice(action, words) for action, words in WORDS.items()])
    reason = StringField(_("Reason"), render_kw={"maxlength": LONGEST_REASON, "autocomplete": "off"})

    @property
    def wanted(self) -> Action:
        """The action that was chosen."""
        return cast(Action, self.action.data)


class BulkForm(OrderForm):
    """The same for many runs: those that are ticked, or all that match; `matching` is how many those were
    when the page was made."""

    everything = BooleanField(_("All that match"))
    matching = HiddenField()
