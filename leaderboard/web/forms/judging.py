"""What judges answer, and the form with which they begin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from flask_babel import LazyString
from flask_babel import lazy_gettext as _
from flask_wtf import FlaskForm
from wtforms import BooleanField

from leaderboard.services.judging_plans import Kind

SKIP = "skip"
"""What is sent in place of an answer by one who does not want to decide."""


class BeginForm(FlaskForm):
    """Agreeing to a campaign's text."""

    agree = BooleanField(_("I have read this and agree to it."))


class Answer(NamedTuple):
    """An answer as its button shows it: what is sent, the key that gives it as browsers and as people call
    it, and its words, with more of them where there is room."""

    value: str
    key: str
    sign: str
    words: LazyString
    more: LazyString | str = ""


ANSWERS: Mapping[Kind, tuple[Answer, ...]] = {
    "preference": (
        Answer("left", "ArrowLeft", "←", _("A is better")),
        Answer("right", "ArrowRight", "→", _("B is better")),
    ),
    "grade": (
        Answer("0", "0", "0", _("Not at all"), _("says nothing that answers the question")),
        Answer("1", "1", "1", _("Slightly"), _("touches the subject, does not answer")),
        Answer("2", "2", "2", _("Partly"), _("answers a part, or with much beside it")),
        Answer("3", "3", "3", _("Well"), _("answers what was asked")),
        Answer("4", "4", "4", _("Completely"), _("answers fully and says little else")),
    ),
    "relatedness": (
        Answer("0", "0", "0", _("Not related")),
        Answer("1", "1", "1", _("Weakly")),
        Answer("2", "2", "2", _("Moderately")),
        Answer("3", "3", "3", _("Highly")),
    ),
    "negative": (
        Answer("unrelated", "1", "1", _("Unrelated")),
        Answer("related", "2", "2", _("Related")),
        Answer("doubtful", "3", "3", _("Unsure")),
    ),
}
